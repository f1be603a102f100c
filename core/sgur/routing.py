"""L0, the routing layer (SGUR-2): observations in clusters of like meaning, of which a message picks the nearest.

It is an index, no part of a diagnosis. Built once from the vectors of the observations' names and kept on disk.
Not here: the vectors themselves (`core.sgur.vocabulary`), and what is done with a shortlist.
"""

from __future__ import annotations

import importlib.util
import json
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.disk_cache import DiskCache
from core.errors import StoreError
from core.retriever import OnProgress

NEIGHBORS, COMPONENTS = 30, 10  # of UMAP, with the cosine metric (the paper, A.2)
CLUSTER_SIZE, SAMPLES = 15, 5  # of HDBSCAN
TOP = 10  # clusters that make the shortlist
WORTH_ROUTING = 200  # observations; fewer are all on the shortlist
WORTH_UMAP = 2_000  # fewer are put in clusters by k-means
MEMBERS = 44  # of a cluster of k-means, about as many as the paper's 256 clusters have
KIND = "routing"
VERSION = "routing/1"

Vectors = NDArray[np.float32]
Labels = NDArray[np.int64]  # (O,) cluster of each observation; -1 for none


@dataclass(frozen=True, eq=False)
class Routing:
    """clusters: (O,) the cluster of each observation. centroids: (K, d) rows of norm 1. how: in words, with numbers.

    noise: how many observations no cluster wanted, which then joined their nearest centroid [ours].
    """

    clusters: Labels = field(repr=False)
    centroids: Vectors = field(repr=False)
    how: str
    noise: int = 0

    def shortlist(self, asked: Vectors, top: int = TOP) -> NDArray[np.bool_]:
        """(O,) the observations of the `top` clusters that are nearest to any of the (n, d) vectors asked.

        The paper asks with one vector for the whole message; here each stretch of it asks [ours]. Ties go to the
        cluster with the lower number. Without clusters everything is on the list.
        """
        if len(self.centroids) <= top:
            return np.ones(len(self.clusters), bool)
        nearness = (self.centroids @ asked.T).max(axis=1)
        best = np.argsort(-nearness, kind="stable")[:top]
        return np.isin(self.clusters, best)

    @property
    def nothing(self) -> NDArray[np.bool_]:
        """The shortlist of a message without a word."""
        return np.zeros(len(self.clusters), bool)


def build_routing(vectors: Vectors, key: str, on_progress: OnProgress | None = None, seed: int = 0) -> Routing:
    """The routing layer over (O, d) vectors, from the cache under (`key`, seed), else made; some minutes for 18,000.

    `key` must change whenever the vectors do. UMAP and HDBSCAN where the vocabulary is large and UMAP is installed,
    else k-means, else one list of all; `how` says which.
    """
    cache, whole_key = DiskCache(), f"{VERSION}|{key}|{seed}|{len(vectors)}|{_has_umap()}"
    folder = cache.get_folder(KIND, whole_key)
    if folder is not None:
        try:
            return _load(folder, len(vectors))
        except (OSError, ValueError, KeyError):
            cache.remove(KIND, whole_key)
    say: Callable[[str, float | None], None] = on_progress or (lambda what, share: None)
    routing = _build(vectors, say, seed)
    with suppress(StoreError):  # then it is in memory only, and the next process makes it again
        cache.put_folder(KIND, whole_key, lambda draft: _save(routing, draft))
    return routing


def settle(vectors: Vectors, labels: Labels, how: str) -> Routing:
    """Centroids of the clusters, and a home for what is in none: the nearest centroid [ours]."""
    noise = labels < 0
    names, clusters = np.unique(labels[~noise], return_inverse=True)
    if not len(names):
        return _one_list(len(vectors), f"{how}, which found no clusters; every observation is on the shortlist")
    centroids = np.zeros((len(names), vectors.shape[1]), np.float32)
    np.add.at(centroids, clusters, vectors[~noise])
    centroids /= np.maximum(np.linalg.norm(centroids, axis=1, keepdims=True), 1e-12)
    settled = np.empty(len(vectors), np.int64)
    settled[~noise] = clusters
    settled[noise] = (vectors[noise] @ centroids.T).argmax(axis=1)
    return Routing(settled, centroids, f"{how}: {len(names):,} clusters", int(noise.sum()))


def _build(vectors: Vectors, say: Callable[[str, float | None], None], seed: int) -> Routing:
    if len(vectors) < WORTH_ROUTING:
        return _one_list(len(vectors), f"no routing: all {len(vectors):,} observations are on the shortlist")
    if len(vectors) >= WORTH_UMAP and _has_umap():
        return settle(vectors, _umap_hdbscan(vectors, say, seed), "UMAP and HDBSCAN")
    why = "few observations" if len(vectors) < WORTH_UMAP else "UMAP is not installed"
    say("Clustering the observations by k-means", None)
    from sklearn.cluster import KMeans

    count = max(2 * TOP, len(vectors) // MEMBERS)
    model = KMeans(n_clusters=count, n_init=3, random_state=seed)
    return settle(vectors, np.asarray(model.fit_predict(vectors), np.int64), f"k-means ({why})")


def _umap_hdbscan(vectors: Vectors, say: Callable[[str, float | None], None], seed: int) -> Labels:
    say("Loading UMAP (the first time it compiles for up to a minute)", 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # both packages speak of their own future
        import umap
        from sklearn.cluster import HDBSCAN

        say("Laying out the observations with UMAP", 0.2)
        layout = umap.UMAP(
            n_neighbors=NEIGHBORS, n_components=COMPONENTS, metric="cosine", random_state=seed
        ).fit_transform(vectors)
        say("Clustering them with HDBSCAN", 0.85)
        labels = HDBSCAN(min_cluster_size=CLUSTER_SIZE, min_samples=SAMPLES, copy=True).fit_predict(layout)
    say("Clustering them with HDBSCAN", 1.0)
    return np.asarray(labels, np.int64)


def _one_list(observations: int, how: str) -> Routing:
    return Routing(np.zeros(observations, np.int64), np.zeros((0, 1), np.float32), how)


def _has_umap() -> bool:
    return importlib.util.find_spec("umap") is not None


def _save(routing: Routing, folder: Path) -> None:
    np.save(folder / "clusters.npy", routing.clusters, allow_pickle=False)
    np.save(folder / "centroids.npy", routing.centroids, allow_pickle=False)
    (folder / "about.json").write_text(json.dumps({"how": routing.how, "noise": routing.noise}), encoding="utf-8")


def _load(folder: Path, observations: int) -> Routing:
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    clusters = np.load(folder / "clusters.npy", allow_pickle=False)
    centroids = np.load(folder / "centroids.npy", allow_pickle=False)
    if clusters.shape != (observations,):
        raise ValueError("the clusters are of other observations")
    return Routing(clusters, centroids, str(about["how"]), int(about["noise"]))
