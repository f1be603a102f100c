"""The settings and steps of a KAR run, as a trace stores them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from core.llm.exchange import Exchange
from core.peers.paths import PeerLink
from core.trace import Evidence, Frozen, NodeRef, Step, register_step


class KarConfig(Frozen):
    """The settings of a run.

    entities: nodes that the question may be linked to. relations: kept of each. k: neighbours looked at along one.
    triples: that the expansion is made from. search_k: nodes that the search asks for where types then choose.
    seed: handed to a model; offline nothing is drawn by lot. top: lines of the ranked list.
    """

    entities: int = Field(3, ge=1, le=10)
    relations: int = Field(3, ge=1, le=20)
    k: int = Field(20, ge=1, le=200)
    triples: int = Field(30, ge=1, le=200)
    search_k: int = Field(200, ge=1, le=1000)
    seed: int = 0
    top: int = Field(50, ge=1, le=1000)


class KarStep(Step):
    """What every step has: why it was taken, and what a model was asked, if one was."""

    reason: str = ""
    exchange: Exchange | None = None


class KarNode(Frozen):
    """A node that was offered or found. score: the decider's, in [0, 1]; None where it gave none."""

    node: NodeRef
    bm25: float = 0.0
    score: float | None = None
    kept: bool = False
    text: str = ""
    text_cut: bool = False


class KarRelation(Frozen):
    """A relation of a linked entity, how well its type fits the question, in [0, 1], and whether it was followed."""

    link: PeerLink
    edges: int
    score: float | None = None
    kept: bool = False


class KarTriple(Frozen):
    """(entity, relation, neighbour). score: its relation's."""

    entity: NodeRef
    link: PeerLink
    node: NodeRef
    score: float = 0.0
    bm25: float = 0.0
    text: str = ""
    text_cut: bool = False


@register_step
class KarLinkStep(KarStep):
    """The nodes that the question names: what was searched for, what was offered, which were taken."""

    kind: Literal["kar.link"] = "kar.link"
    queries: tuple[str, ...] = ()
    offered: tuple[KarNode, ...] = ()


@register_step
class KarGatherStep(KarStep):
    """The triples of one linked entity along the relations whose type fits the question.

    lifted: no relation fits, so all were followed.
    """

    kind: Literal["kar.gather"] = "kar.gather"
    node: NodeRef
    subquery: str = ""
    k: int
    relations: tuple[KarRelation, ...] = ()
    lifted: bool = False
    triples: tuple[KarTriple, ...] = ()


@register_step
class KarExpandStep(KarStep):
    """The expansion written from the best triples, and the types that the answer may have."""

    kind: Literal["kar.expand"] = "kar.expand"
    triples: tuple[KarTriple, ...] = ()
    expansion: str = ""
    answer_types: tuple[str, ...] = ()


@register_step
class KarRetrieveStep(KarStep):
    """The one search with the expanded question; what is not kept has another type, or is what the question names."""

    kind: Literal["kar.retrieve"] = "kar.retrieve"
    subquery: str
    k: int
    answer_types: tuple[str, ...] = ()
    lifted: bool = False
    found: tuple[KarNode, ...] = ()

    def evidence(self) -> tuple[Evidence, ...]:
        return tuple(Evidence(node=f.node, quote=f.text) for f in self.found)


@register_step
class KarFailedStep(KarStep):
    """A decision that could not be made, and why. The run goes on without it."""

    kind: Literal["kar.failed"] = "kar.failed"
    action: str
    error: str
