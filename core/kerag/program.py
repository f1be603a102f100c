"""A program: what was done with the triples to answer, as typed operations that can be stored and run again.

Each operation refers to the results of earlier ones by place. A program names nodes by id and relations by name, so
it runs on any neighbourhood, also on one read back from a trace. Not here: running it (`evaluator`), or how a question
becomes one (`programs`).
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from core.graph.contracts import Direction
from core.trace import Frozen

Deed = Literal["start", "follow", "filter", "intersect", "subtract", "count", "sum", "min", "max", "compare", "exists"]
Measure = Literal["value", "count", "paths"]


class Way(Frozen):
    """A hop: a relation, and whether it is followed from head to tail ("out") or backwards."""

    relation: str
    direction: Direction = "out"

    def in_words(self) -> str:
        """The relation in quotes; "backwards" where it is."""
        return f"'{self.relation}'" + (" backwards" if self.direction == "in" else "")


class Operation(Frozen):
    """One step over node sets and values.

    of: places of the operations it takes its input from. Where `nodes` and `ways` mean:

    - start: the set of `nodes` (ids).
    - follow: one hop by any of `ways`; `nodes` are left out of what is reached.
    - filter: keeps what leads by `ways`, hop after hop, to a node of the second input; without a second input,
      to any node at all, or to a value that meets `test` (such as ">= 1960"). negated: keeps the others.
    - intersect, subtract: of node sets, the first input first. count: how many. sum: of the values that `ways` lead to.
    - min, max: the nodes of the input with the least or greatest measure. measure "value": what `ways` lead to,
      "count": how many different nodes they lead to, "paths": by how many paths the node itself was reached.
    - compare: the same as min or max (`greatest`), among nodes that the question offers.
    - exists: whether the input has any node; with a second input, whether they share one. all_of: whether every
      node of the second is in the first.

    dimension: of the values compared or summed ("date", "duration", ..); "" any, as long as all agree.
    read: node id -> the value that stands in the node's own text, where no relation leads to one; `ways` is empty then.
    """

    do: Deed
    of: tuple[int, ...] = ()
    nodes: tuple[str, ...] = ()
    ways: tuple[Way, ...] = ()
    measure: Measure = "value"
    dimension: str = ""
    test: str = ""
    negated: bool = False
    greatest: bool = False
    read: dict[str, str] = {}


class Program(Frozen):
    """The operations in order; the last one gives the answer."""

    operations: tuple[Operation, ...] = Field(default=(), max_length=60)
