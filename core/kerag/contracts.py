"""The contracts of the KERAG room: settings, what was retrieved, and who decides.

Each decision is a small protocol with an offline implementation in this room and a model-backed twin beside it:
`Planner` looks at the schema and plans, `Summariser` reasons over the triples. The loop knows only these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from core.trace import Frozen, NodeRef

QuestionKind = Literal["lookup", "count", "superlative", "comparison", "yes/no", "set", "multi-hop"]


class Overrule(Frozen):
    """A person's word on a relation at a hop: kept or left out, whatever the planner said (KERAG-1)."""

    hop: int = Field(ge=1)
    relation: str
    direction: Literal["out", "in"]
    kept: bool


class KeragConfig(Frozen):
    """The settings of a run. hops: None plans them, up to `max_hops`; a number fixes them (KERAG-6).

    drop_relations, reason: ablations. budget: triples of the neighbourhood at most. overrules: decisions made by
    hand. without: triples taken away, each as "head id", "relation", "tail id".
    """

    max_hops: int = Field(3, ge=1, le=6)
    hops: int | None = Field(None, ge=1, le=6)
    drop_relations: bool = True
    reason: bool = True
    budget: int = Field(100_000, ge=1, le=1_000_000)
    overrules: tuple[Overrule, ...] = ()
    without: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """The subgraph that was retrieved, as columns: n nodes, t triples.

    nodes: by place here, topics first. positions (n,): their positions in the graph. hop (n,): hops from the nearest
    topic. head, tail (t,): places of nodes here; relation (t,): places in `relations`. total: triples in scope before
    the budget cut.
    """

    nodes: tuple[NodeRef, ...]
    positions: NDArray[np.int64]
    hop: NDArray[np.int16]
    relations: tuple[str, ...]
    head: NDArray[np.int64]
    relation: NDArray[np.int64]
    tail: NDArray[np.int64]
    topics: tuple[int, ...] = (0,)
    total: int = 0

    def __len__(self) -> int:
        return len(self.head)
