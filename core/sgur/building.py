"""How any source puts an expert graph together: layers, links by position, and an id of the whole content.

Not here: what a source's files look like, and keeping a graph on disk (`core.sgur.keeping`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import EmptyGraphError
from core.graph.columns import clean_column, fingerprint
from core.sgur.expert_graph import ExpertGraph, Layer
from core.trace import DatasetRef

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Pairs = Iterable[tuple[int, int]]  # (row, column)
LAYERS = ("observations", "localisations", "hypotheses", "treatments")
MATRICES = ("reported", "absent", "parents", "located", "treated")


@dataclass
class Draft:
    """A graph while its source is being read; `finish` makes the value of it. Links are pairs of positions."""

    name: str
    source: str
    observations: Layer
    hypotheses: Layer
    localisations: Layer = field(default_factory=lambda: Layer("localisation"))
    treatments: Layer = field(default_factory=lambda: Layer("treatment"))
    reported: Mapping[tuple[int, int], float] = field(default_factory=dict)  # (hypothesis, observation) -> frequency
    absent: Pairs = ()  # (hypothesis, observation)
    parents: Pairs = ()  # (observation, broader observation)
    located: Pairs = ()  # (observation, localisation)
    treated: Pairs = ()  # (hypothesis, treatment)
    replaced: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    def finish(self) -> ExpertGraph:
        """The expert graph. EmptyGraphError when no hypothesis has an observation."""
        if not self.reported:
            raise EmptyGraphError(
                "no hypothesis is linked to an observation, so there is nothing to diagnose",
                where=self.name,
                hint="Check which types and relations stand for observations and hypotheses.",
            )
        observations, hypotheses = len(self.observations), len(self.hypotheses)
        graph = ExpertGraph(
            dataset=DatasetRef(content_id="", name=self.name, kind="expert graph"),
            observations=self.observations,
            localisations=self.localisations,
            hypotheses=self.hypotheses,
            treatments=self.treatments,
            reported=_frequencies(self.reported, (hypotheses, observations)),
            absent=marks(self.absent, (hypotheses, observations)),
            parents=marks(self.parents, (observations, observations)),
            located=marks(self.located, (observations, len(self.localisations))),
            treated=marks(self.treated, (hypotheses, len(self.treatments))),
            replaced=dict(self.replaced),
            notices=self.notices,
            source=self.source,
        )
        return replace(graph, dataset=_reference(graph))


def layer(
    kind: str,
    ids: Sequence[str],
    names: Sequence[str],
    synonyms: Sequence[Sequence[str]] = (),
    texts: Sequence[str] = (),
) -> Layer:
    """A layer of clean columns; a nameless node is called by its id, missing columns are blank."""
    clean_ids = clean_column(ids)[0]
    if len(set(clean_ids)) != len(clean_ids):
        raise ValueError(f"two nodes of the layer {kind!r} have the same id")
    return Layer(
        kind=kind,
        ids=clean_ids,
        names=tuple(own or id_ for own, id_ in zip(clean_column(names)[0], clean_ids, strict=True)),
        synonyms=tuple(clean_column(own)[0] for own in synonyms) or ((),) * len(clean_ids),
        texts=clean_column(texts)[0] or ("",) * len(clean_ids),
    )


def _frequencies(values: Mapping[tuple[int, int], float], shape: tuple[int, int]) -> csr_matrix:
    from scipy.sparse import csr_matrix

    # Not by way of coo: it would add up, and nan stands for "reported, no frequency known".
    places = np.array(sorted(values), np.int64).reshape(-1, 2)
    data = np.array([values[row, column] for row, column in places.tolist()], np.float32)
    starts = np.searchsorted(places[:, 0], np.arange(shape[0] + 1)).astype(np.int32)
    return csr_matrix((data, places[:, 1].astype(np.int32), starts), shape=shape)


def marks(pairs: Pairs, shape: tuple[int, int]) -> csr_matrix:
    """(rows, columns) bool csr with these places set."""
    from scipy.sparse import csr_matrix

    places = np.array(sorted(set(pairs)), np.int64).reshape(-1, 2)
    starts = np.searchsorted(places[:, 0], np.arange(shape[0] + 1)).astype(np.int32)
    return csr_matrix((np.ones(len(places), bool), places[:, 1].astype(np.int32), starts), shape=shape)


def _reference(graph: ExpertGraph) -> DatasetRef:
    """Name, size, and a sha256 over layers, links and replaced ids; name, source and notices are left out."""
    digest = hashlib.sha256(b"causeway.expert-graph/1")
    for which in LAYERS:
        part: Layer = getattr(graph, which)
        flat = [other for own in part.synonyms for other in own]
        counts = np.fromiter(map(len, part.synonyms), "<i8", len(part))
        for column in ((part.kind,), part.ids, part.names, part.texts, flat):
            digest.update(np.int64(len(column)).tobytes() + fingerprint(column))
        digest.update(counts.tobytes())
    for which in MATRICES:
        matrix: Any = getattr(graph, which)
        for array, kind in ((matrix.indptr, "<i8"), (matrix.indices, "<i8"), (matrix.data, "<f4")):
            digest.update(np.ascontiguousarray(array, kind).tobytes())
    digest.update(fingerprint([part for pair in sorted(graph.replaced.items()) for part in pair]))
    return DatasetRef(
        content_id="sha256:" + digest.hexdigest(),
        name=graph.dataset.name,
        kind="expert graph",
        size={
            "hypotheses": len(graph.hypotheses),
            "observations": len(graph.observations),
            "localisations": len(graph.localisations),
            "treatments": len(graph.treatments),
            "links": int(graph.reported.nnz),
        },
    )
