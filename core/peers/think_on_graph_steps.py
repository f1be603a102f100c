"""The settings and steps of a Think-on-Graph run, as a trace stores them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from core.llm.exchange import Exchange
from core.peers.paths import PeerLink, PeerPath
from core.trace import Evidence, Frozen, NodeRef, Step, register_step


class TogConfig(Frozen):
    """The settings of a run; width N and depth D_max are the paper's (Sun et al. 2024, section 3.1).

    k: entities looked at along one relation. seed: handed to a model; offline nothing is drawn by lot.
    top: lines of the ranked list.
    """

    width: int = Field(3, ge=1, le=10)
    depth: int = Field(3, ge=1, le=6)
    k: int = Field(20, ge=1, le=200)
    seed: int = 0
    top: int = Field(50, ge=1, le=1000)


class TogStep(Step):
    """What every step has: why it was taken, at which depth, and what a model was asked, if one was."""

    reason: str = ""
    depth: int = 0
    exchange: Exchange | None = None


class TogNode(Frozen):
    """A node that was offered. score: the decider's, in [0, 1]; None where it gave none. `path_score`: with it."""

    node: NodeRef
    bm25: float = 0.0
    score: float | None = None
    path_score: float = 0.0
    kept: bool = False
    text: str = ""
    text_cut: bool = False


class TogRelation(Frozen):
    """A relation that leaves a node. score and path_score: as of a node, before any entity is looked at."""

    link: PeerLink
    edges: int
    score: float | None = None
    path_score: float = 0.0
    kept: bool = False


class TogPath(Frozen):
    """A path of the beam and its score."""

    path: PeerPath
    score: float


@register_step
class TogTopicsStep(TogStep):
    """The topic entities: what was searched for, what was offered, and with which the beam begins."""

    kind: Literal["tog.topics"] = "tog.topics"
    queries: tuple[str, ...] = ()
    offered: tuple[TogNode, ...] = ()


@register_step
class TogRelationsStep(TogStep):
    """The relations of the node at the end of `path`, all with their scores; those kept are among the N best of all."""

    kind: Literal["tog.relations"] = "tog.relations"
    path: PeerPath
    relations: tuple[TogRelation, ...] = ()


@register_step
class TogEntitiesStep(TogStep):
    """The entities along `link` from the end of `path`; `total` lie there, `entities` were looked at.

    Those kept are among the N best of this depth, and make the next beam.
    """

    kind: Literal["tog.entities"] = "tog.entities"
    path: PeerPath
    link: PeerLink
    subquery: str = ""
    k: int
    total: int = 0
    entities: tuple[TogNode, ...] = ()

    def evidence(self) -> tuple[Evidence, ...]:
        return tuple(
            Evidence(node=e.node, quote=e.text, link=self.path.then(self.link, e.node).in_words())
            for e in self.entities
        )


@register_step
class TogReasonStep(TogStep):
    """Whether the paths of the beam suffice to answer; `reason` says why. After the last depth it ends either way."""

    kind: Literal["tog.reason"] = "tog.reason"
    paths: tuple[TogPath, ...] = ()
    enough: bool
    last_depth: bool = False


@register_step
class TogFailedStep(TogStep):
    """A decision that could not be made, and why. The run goes on without it, or ends with what it has."""

    kind: Literal["tog.failed"] = "tog.failed"
    action: str
    error: str
