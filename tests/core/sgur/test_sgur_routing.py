"""L0: clusters, homes for noise, shortlists, the lighter routes, and the cache."""

from __future__ import annotations

import importlib.util
import json
import sys
import types
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.sgur import routing
from core.sgur.routing import Routing, build_routing, settle


def blobs(groups: int, each: int, dimensions: int = 48) -> NDArray[np.float32]:
    """Rows of norm 1 around `groups` directions, group after group."""
    draw = np.random.default_rng(0)
    rows = np.repeat(np.eye(dimensions)[:groups], each, axis=0) + draw.normal(0, 0.05, (groups * each, dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_noise_joins_its_nearest_centroid() -> None:
    vectors = np.array([[1, 0], [0.8, 0.6], [0, 1], [0.6, -0.8], [0.1, 0.995]], np.float32)
    made = settle(vectors, np.array([7, 7, 3, -1, -1]), "by hand")
    assert made.noise == 2
    assert made.clusters.tolist() == [1, 1, 0, 1, 0]
    mean = np.array([1.8, 0.6]) / np.linalg.norm([1.8, 0.6])
    assert np.allclose(made.centroids, [[0, 1], mean], atol=1e-6)
    assert made.how == "by hand: 2 clusters"


def test_a_shortlist_is_the_clusters_nearest_to_any_stretch() -> None:
    made = Routing(np.array([0, 0, 1, 2, 2]), np.eye(3, dtype=np.float32), "by hand")
    asked = np.array([[0.0, 0.9, 0.1], [0.0, 0.2, 0.95]], np.float32)
    assert made.shortlist(asked, top=1).tolist() == [False, False, False, True, True]
    assert made.shortlist(asked, top=2).tolist() == [False, False, True, True, True]
    assert made.shortlist(asked, top=3).all()
    assert not made.nothing.any()


def test_few_observations_are_all_on_the_list() -> None:
    made = build_routing(blobs(3, 10), "few")
    assert made.shortlist(np.zeros((1, 48), np.float32)).all()
    assert "no routing" in made.how


def test_a_middling_vocabulary_is_clustered_by_k_means() -> None:
    vectors = blobs(20, 40)
    made = build_routing(vectors, "middling")
    assert made.how.startswith("k-means (few observations)")
    chosen = made.shortlist(vectors[:1], top=1)
    assert chosen.sum() == 40
    assert chosen[:40].all()


def test_a_large_vocabulary_goes_through_umap_and_hdbscan(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}

    class FakeUmap:
        def __init__(self, **settings: Any) -> None:
            asked.update(settings)

        def fit_transform(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
            layout = vectors[:, :10].copy()
            layout[::211] = 50 + np.arange(len(layout[::211]))[:, None] * 20  # far from everything: noise
            return layout

    monkeypatch.setitem(sys.modules, "umap", types.SimpleNamespace(UMAP=FakeUmap))
    monkeypatch.setattr(routing, "_has_umap", lambda: True)
    vectors = blobs(10, 210)
    made = build_routing(vectors, "large", seed=3)
    assert asked == {"n_neighbors": 30, "n_components": 10, "metric": "cosine", "random_state": 3}
    assert made.how == "UMAP and HDBSCAN: 10 clusters"
    assert made.noise >= len(vectors[::211])
    assert all(len(set(made.clusters[start : start + 210])) == 1 for start in range(0, 2100, 210))  # noise too


def test_without_umap_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert build_routing(blobs(40, 55), "large").how.startswith("k-means (UMAP is not installed)")


def test_no_clusters_at_all_is_one_list() -> None:
    made = settle(blobs(2, 3), np.full(6, -1), "HDBSCAN")
    assert made.shortlist(np.zeros((1, 48), np.float32)).all()
    assert "found no clusters" in made.how


def test_it_is_kept_and_a_damaged_entry_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = blobs(20, 40)
    first = build_routing(vectors, "kept")
    monkeypatch.setattr(routing, "_build", lambda *args: pytest.fail("built again"))
    again = build_routing(vectors, "kept")
    assert np.array_equal(again.clusters, first.clusters)
    assert np.array_equal(again.centroids, first.centroids)
    assert again.how == first.how
    monkeypatch.undo()
    folder = routing.DiskCache().entries()[0].path
    manifest = json.loads((folder / "entry.json").read_text())
    np.save(folder / "clusters.npy", first.clusters[:5])
    manifest["files"]["clusters.npy"] = (folder / "clusters.npy").stat().st_size
    (folder / "entry.json").write_text(json.dumps(manifest))
    assert np.array_equal(build_routing(vectors, "kept").clusters, first.clusters)
