"""A layered expert graph: observations (L1), localisations (L2), hypotheses (L3), treatments (L4), as arrays.

Every matrix is addressed by position in its layers. What a source (an ontology, a table, a user's own graph) says is
turned into this once; the engine knows nothing else of a source. Not here: reading a source, how alike observations
are, and routing clusters (L0).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.trace import DatasetRef, NodeRef

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Layer:
    """The nodes of one layer: ids (unique), names for people, other names (lay words too), and a sentence on each."""

    kind: str  # what one of them is called, for example "phenotype"
    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    synonyms: tuple[tuple[str, ...], ...] = ()
    texts: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def positions(self) -> dict[str, int]:
        """Id -> position."""
        return {id_: n for n, id_ in enumerate(self.ids)}

    def node(self, position: int) -> NodeRef:
        """The node as a trace names it."""
        return NodeRef(id=self.ids[position], name=self.names[position], type=self.kind)


@dataclass(frozen=True, eq=False)
class ExpertGraph:
    """The whole of it (SGUR-1). H hypotheses, O observations, L localisations, T treatments.

    reported: (H, O) float32 csr; a stored entry is an L1-L3 edge: its value the frequency in (0, 1], nan when unknown.
    absent: (H, O) bool csr; observations a source says are not seen with a hypothesis. parents: (O, O) bool csr, the
    direct broader observations (empty without a hierarchy). located: (O, L) bool csr. treated: (H, T) bool csr.
    replaced: ids that a source gave up -> the id that stands for it now. notices: what must be shown with it
    (licence, release, "not for medical use").
    """

    dataset: DatasetRef
    observations: Layer
    localisations: Layer
    hypotheses: Layer
    treatments: Layer
    reported: csr_matrix
    absent: csr_matrix
    parents: csr_matrix
    located: csr_matrix
    treated: csr_matrix
    replaced: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    source: str = ""  # where it comes from, in words, with its release

    @property
    def content_id(self) -> str:
        """A hash of the content."""
        return self.dataset.content_id
