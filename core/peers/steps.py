"""The settings and steps of the two simplest peers, which rank all nodes at once: BM25 and dense cosine."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from core.trace import Evidence, Frozen, NodeRef, Step, register_step

TEXT_KEPT = 600  # characters of a node's text that a step keeps


class PeerConfig(Frozen):
    """The settings of a run. `k`: nodes that the one search asks for; `top`: lines of it the ranked list keeps."""

    k: int = Field(50, ge=1, le=1000)
    top: int = Field(50, ge=1, le=1000)


class PeerFound(Frozen):
    """A node that the search returned. `text` may be cut; `text_cut` says so."""

    node: NodeRef
    score: float
    text: str = ""
    text_cut: bool = False


@register_step
class PeerSearchStep(Step):
    """The one search of such a method, over all nodes: best first, by BM25 score or by cosine.

    `encoder` names the vectors that were compared; it is empty for BM25.
    """

    kind: Literal["peer.search"] = "peer.search"
    reason: str = ""
    subquery: str
    k: int
    encoder: str = ""
    found: tuple[PeerFound, ...] = ()

    def evidence(self) -> tuple[Evidence, ...]:
        return tuple(Evidence(node=f.node, quote=f.text) for f in self.found)
