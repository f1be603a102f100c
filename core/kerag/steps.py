"""The steps of a KERAG run, as a trace stores them: topic, schema hop by hop, plan, retrieval, reasoning."""

from __future__ import annotations

from typing import Any, Literal

from core.graph.contracts import Direction
from core.kerag.program import Program
from core.kerag.settings import QuestionKind
from core.llm.exchange import Exchange
from core.trace import Conclusion, Evidence, Frozen, NodeRef, Step, register_step


class KeragStep(Step):
    """What every step of this method has: why it was taken, and the exchange where a model decided.

    taken_over: it was decided in an earlier run of the same question, and stays; nothing was asked for it here.
    """

    reason: str = ""
    exchange: Exchange | None = None
    taken_over: bool = False

    def content(self) -> dict[str, Any]:
        """Which run decided it is no part of what was decided."""
        return {name: value for name, value in super().content().items() if name != "taken_over"}


class Topic(Frozen):
    """An entity the question names: `question[start:end]`. rivals: other nodes of the same name."""

    node: NodeRef
    start: int
    end: int
    degree: int = 0
    rivals: tuple[NodeRef, ...] = ()


@register_step
class TopicStep(KeragStep):
    """Step 1 of the plan: the topic entities E and the domain D (the type they belong to)."""

    kind: Literal["kerag.topic"] = "kerag.topic"
    topics: tuple[Topic, ...] = ()
    domain: str = ""
    question_kind: QuestionKind = "lookup"


class SeenRelation(Frozen):
    """A relation in view at a hop, its neighbours, and whether it stays (KERAG-1, steps 2 and 3).

    edges: how many triples lead on by it from the frontier. relevance: of the question, in [0, 1].
    covers: the parts of the question it speaks of. by: who decided.
    """

    relation: str
    direction: Direction
    edges: int
    node_types: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    relevance: float = 0.0
    covers: tuple[str, ...] = ()
    kept: bool = True
    reason: str = ""
    by: Literal["planner", "hand"] = "planner"


@register_step
class SchemaStep(KeragStep):
    """Steps 2 to 4 at one hop: what is in view, what is left out, and whether it is enough."""

    kind: Literal["kerag.schema"] = "kerag.schema"
    hop: int
    frontier: int  # nodes the hop starts from
    relations: tuple[SeenRelation, ...] = ()
    covered: tuple[str, ...] = ()  # parts of the question that a kept relation of this or an earlier hop speaks of
    uncovered: tuple[str, ...] = ()
    enough: bool = False


@register_step
class PlanStep(KeragStep):
    """The plan (D, E, R_bar, h)."""

    kind: Literal["kerag.plan"] = "kerag.plan"
    domain: str = ""
    topics: tuple[NodeRef, ...] = ()
    left_out: tuple[str, ...] = ()
    hops: int = 1
    question_kind: QuestionKind = "lookup"


class LeftOut(Frozen):
    """Triples that are not in the neighbourhood, and why."""

    what: str
    triples: int
    why: str


@register_step
class RetrieveStep(KeragStep):
    """The neighbourhood in scope (KERAG-2), in columns: `triples` are (head, relation, tail, hop) by place.

    The trace keeps those nearest to the reasoning; `total` says how many were retrieved, among `among` nodes (0 in
    runs of before it was counted).
    """

    kind: Literal["kerag.retrieve"] = "kerag.retrieve"
    nodes: tuple[NodeRef, ...] = ()
    relations: tuple[str, ...] = ()
    triples: tuple[tuple[int, int, int, int], ...] = ()
    total: int = 0
    among: int = 0
    left_out: tuple[LeftOut, ...] = ()

    def triple(self, place: int) -> tuple[NodeRef, str, NodeRef]:
        """Head, relation and tail of a kept triple."""
        head, relation, tail, _ = self.triples[place]
        return self.nodes[head], self.relations[relation], self.nodes[tail]


class Line(Frozen):
    """A numbered line of the reasoning: what was done, and the triples (places in the retrieve step) behind it."""

    number: int
    text: str
    operation: Literal[
        "follow", "filter", "count", "sum", "min", "max", "compare", "intersect", "subtract", "exists", "say"
    ] = "say"
    triples: tuple[int, ...] = ()
    value: str = ""


@register_step
class SummaryStep(KeragStep):
    """Step 5: chain of thought over the triples (KERAG-3), and its outcome. `known` False: "I don't know"."""

    kind: Literal["kerag.summary"] = "kerag.summary"
    lines: tuple[Line, ...] = ()
    answers: tuple[NodeRef, ...] = ()  # the answer as nodes, where it is some
    value: str = ""  # the answer as a number, a date, yes or no, where it is one
    known: bool = True
    program: Program | None = None  # offline: what the lines tell, to be run again without a triple

    def conclusion(self) -> Conclusion:
        """The answer, for a judge."""
        return Conclusion(nodes=self.answers, value=self.value, known=self.known)

    def evidence(self) -> tuple[Evidence, ...]:
        """The nodes of the answer."""
        return tuple(Evidence(node=node, quote=node.name) for node in self.answers)


@register_step
class KeragFailedStep(KeragStep):
    """A decision that could not be made, and why. The run goes on without it, or ends with what it has."""

    kind: Literal["kerag.failed"] = "kerag.failed"
    action: str
    error: str
