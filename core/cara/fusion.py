"""How the agents' lists become one: reciprocal rank fusion, and ARK's count beside it (CARA-7).

Not here: how a list came about. A list is node ids, best first; the agent is its key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.cara.steps import AppendStep
from core.trace import NodeRef, Trace

Fusion = Literal["rrf", "count"]
RRF_CONSTANT = 60.0


@dataclass(frozen=True, slots=True)
class Fused:
    """A node of the fused list. `ranks` and `contributions` are by agent; ranks count from 1."""

    id: str
    score: float
    ranks: dict[int, int]
    contributions: dict[int, float]

    @property
    def votes(self) -> int:
        """How many agents retrieved it."""
        return len(self.ranks)

    @property
    def best_rank(self) -> int:
        return min(self.ranks.values())


def fuse(
    lists: Sequence[Sequence[str]] | Mapping[int, Sequence[str]],
    how: Fusion = "rrf",
    constant: float = RRF_CONSTANT,
) -> tuple[Fused, ...]:
    """The union of the lists by descending score; ties by the better best rank, then by id.

    rrf: score(u) = sum over the agents j that retrieved u of 1 / (constant + rank_j(u));
    count: score(u) = number of agents that retrieved u (ARK). A node counts once per agent, at its first rank.
    """
    by_agent = lists if isinstance(lists, Mapping) else dict(enumerate(lists))
    ranks: dict[str, dict[int, int]] = {}
    for agent in sorted(by_agent):
        for rank, node in enumerate(dict.fromkeys(by_agent[agent]), 1):
            ranks.setdefault(node, {})[agent] = rank
    fused = []
    for node, of in ranks.items():
        parts = {agent: 1.0 / (constant + rank) if how == "rrf" else 1.0 for agent, rank in of.items()}
        fused.append(Fused(node, sum(sorted(parts.values())), of, parts))
    fused.sort(key=lambda f: (-f.score, f.best_rank, f.id))
    return tuple(fused)


def agent_lists(trace: Trace) -> dict[int, list[NodeRef]]:
    """Each agent's retrieved list R_j, in order of appending, without repeats."""
    lists: dict[int, dict[str, NodeRef]] = {}
    for step in sorted(trace.steps, key=lambda s: (s.agent, s.index)):
        if isinstance(step, AppendStep):
            own = lists.setdefault(step.agent, {})
            for appended in step.nodes:
                own.setdefault(appended.node.id, appended.node)
    return {agent: list(nodes.values()) for agent, nodes in sorted(lists.items())}
