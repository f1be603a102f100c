"""The steps of a CARA run, as a trace stores them. All that a page draws of a run is here."""

from __future__ import annotations

from typing import Literal

from core.graph.contracts import Direction
from core.llm.exchange import Exchange as Exchange
from core.llm.exchange import Replied as Replied
from core.llm.exchange import Said as Said
from core.trace import Evidence, Frozen, NodeRef, Step, register_step


class Span(Frozen):
    """A stretch of the question, `question[start:end]`, and its part in it.

    role: "mention" (names a node), "need" (something to be explained by a hop), "cue" (same, share, also ..).
    weight: how much of the question's need it carries, in [0, 1].
    """

    start: int
    end: int
    text: str
    role: Literal["mention", "need", "cue"]
    weight: float = 0.0


class Link(Frozen):
    """A relation with its direction, seen from the node one stood on."""

    type: str
    direction: Direction


class Hop(Frozen):
    """One hop of a path: the link taken and the node it led to."""

    link: Link
    node: NodeRef


def path_in_words(anchor: NodeRef, path: tuple[Hop, ...]) -> str:
    """For example: Alien -[directed by]-> Ridley Scott; an arrow points from the head of its edge to the tail."""
    words = [anchor.name]
    for hop in path:
        out = hop.link.direction == "out"
        words += [f"-[{hop.link.type}]->" if out else f"<-[{hop.link.type}]-", hop.node.name]
    return " ".join(words)


class Found(Frozen):
    """A node that GlobalSearch returned."""

    node: NodeRef
    score: float
    text: str = ""


class Candidate(Frozen):
    """A neighbour that Neighbors returned, before the causal module sees it. `text` may be cut; `text_cut` says so."""

    node: NodeRef
    bm25: float
    links: tuple[Link, ...]
    text: str = ""
    text_cut: bool = False


class Assessment(Frozen):
    """The causal module's word on one candidate (CARA-3, CARA-4).

    causal = lambda * consequentiality + (1 - lambda) * essentiality;
    score = alpha * causal + (1 - alpha) * path_consistency.
    `terms` are the named parts the offline assessor computed them from (empty for a model);
    `explains` are the spans of the question that the candidate meets.
    """

    id: str
    consequentiality: float
    essentiality: float
    path_consistency: float
    causal: float
    score: float
    rationale: str = ""
    terms: dict[str, float] = {}
    explains: tuple[str, ...] = ()


class CaraStep(Step):
    """What every CARA step has: why it was taken, and from which earlier step its subject came.

    `source` is the index, within the agent, of the step whose list the node was taken from.
    `exchange` is set where a model decided.
    """

    reason: str = ""
    source: int | None = None
    exchange: Exchange | None = None


@register_step
class ReadQuestion(CaraStep):
    """How the agent understood the question before its first move, and with which encoders."""

    kind: Literal["cara.read_question"] = "cara.read_question"
    encoder: str = ""
    spans: tuple[Span, ...] = ()
    expects: str = ""  # the kind of answer looked for, in words; empty when the question does not say


@register_step
class GlobalSearchStep(CaraStep):
    """A call of GlobalSearch."""

    kind: Literal["cara.global_search"] = "cara.global_search"
    subquery: str
    k: int
    found: tuple[Found, ...] = ()


@register_step
class NeighborsStep(CaraStep):
    """A call of Neighbors on `node`, reached by `path` from `anchor`.

    `total` neighbours passed the filters before the cut to k.
    """

    kind: Literal["cara.neighbors"] = "cara.neighbors"
    node: NodeRef
    anchor: NodeRef
    path: tuple[Hop, ...] = ()
    subquery: str
    node_types: tuple[str, ...] = ()
    edge_types: tuple[str, ...] = ()
    k: int
    total: int = 0
    candidates: tuple[Candidate, ...] = ()


@register_step
class AssessStep(CaraStep):
    """One batched call of the causal module on the candidates of step `source`, best first.

    `kept` is how many were handed to the agent (r of CARA-4); the others stay here for what-if.
    """

    kind: Literal["cara.assess"] = "cara.assess"
    lambda_: float
    alpha: float
    kept: int
    assessments: tuple[Assessment, ...] = ()


class Appended(Frozen):
    """A node put on the agent's list: from which step's list it came, and the path that led there."""

    node: NodeRef
    source: int | None = None
    anchor: NodeRef | None = None
    path: tuple[Hop, ...] = ()
    text: str = ""
    score: float = 0.0


@register_step
class AppendStep(CaraStep):
    """Nodes appended to the agent's retrieved list R_j, in order."""

    kind: Literal["cara.append"] = "cara.append"
    nodes: tuple[Appended, ...] = ()

    def evidence(self) -> tuple[Evidence, ...]:
        return tuple(
            Evidence(node=n.node, quote=n.text, link=path_in_words(n.anchor, n.path) if n.anchor and n.path else "")
            for n in self.nodes
        )


@register_step
class FinishStep(CaraStep):
    """The agent ended its walk, or its budget did."""

    kind: Literal["cara.finish"] = "cara.finish"
    budget_spent: bool = False


@register_step
class FailedStep(CaraStep):
    """An action that could not be carried out: what was asked for, and why it failed. The agent goes on."""

    kind: Literal["cara.failed"] = "cara.failed"
    action: str
    error: str
