"""What was retrieved, as columns: `Neighbourhood`. Not here: how it is gathered (`neighbourhood`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.trace import NodeRef


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """The subgraph that was retrieved, as columns: n nodes, t triples.

    nodes: by place here, topics first. positions (n,): their positions in the graph. hop (n,): hops from the nearest
    topic. head, tail (t,): places of nodes here; relation (t,): places in `relations`. total: these, and the triples
    in scope that the budget cut off, at least; more than t only if there were some.
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
