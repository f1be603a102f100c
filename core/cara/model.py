"""The decision makers of CARA that ask a language model: policy, assessor, answerer.

Each decision is one structured reply (pydantic validates it); scores are asked for as whole numbers from 0
to 10 and divided by ten. A reply that cannot be used raises, and the loop records a failed step; a tool,
handle or filter that does not exist is told to the model as its next observation. The policy's subqueries
are written by the model in the same reply as the action (CARA-5).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, WithJsonSchema, create_model

from core.cara import prompts
from core.cara.contracts import (
    Action,
    AgentState,
    Append,
    CaraConfig,
    Finish,
    GlobalSearch,
    Neighbors,
    Pick,
)
from core.cara.steps import (
    Assessment,
    AssessStep,
    CaraStep,
    GlobalSearchStep,
    Hop,
    NeighborsStep,
    ReadQuestion,
)
from core.errors import ModelError
from core.graph.contracts import Graph
from core.llm.exchange import Exchange, ask_and_keep
from core.llm.replay import Asker
from core.llm.usage import Count
from core.retriever import OnProgress, ShouldStop
from core.trace import Answer, Claim, Evidence, NodeRef, Ranked, Step

AGENT_TEMPERATURE = 1.0  # CARA-6; all other calls decode greedily
ACTION_TOKENS = 400
CANDIDATE_TOKENS = 60  # of an assessment, a candidate
ANSWER_TOKENS = 600
EVIDENCE_SHOWN = 20  # nodes of the fused list that the answer may draw on


# Bounds that a server is asked to keep, so that a weak model cannot run on; a longer reply is still read.
def _text(longest: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": longest}


def _list(items: dict[str, Any], most: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "maxItems": most}


_Line = Annotated[str, WithJsonSchema(_text(200))]
_Handle = Annotated[str, WithJsonSchema(_text(8))]
_Handles = Annotated[list[str], WithJsonSchema(_list(_text(8), 20))]
_Names = Annotated[list[str], WithJsonSchema(_list(_text(60), 5))]


class ActionReply(BaseModel):
    """What the model wants to do next."""

    reason: _Line = ""
    action: Literal["global_search", "neighbors", "append", "finish"]
    subquery: _Line = ""
    node: _Handle = ""
    nodes: _Handles = []
    edge_types: _Names = []
    node_types: _Names = []


class Judged(BaseModel):
    """One candidate's whole numbers."""

    id: _Handle
    consequentiality: int = Field(ge=0, le=10)
    essentiality: int = Field(ge=0, le=10)
    path_consistency: int = Field(ge=0, le=10)
    rationale: _Line = ""


class AssessmentReply(BaseModel):
    """The batched judgment of a hop."""

    assessments: list[Judged]


@cache
def _judgment_of(candidates: int) -> type[AssessmentReply]:
    """The reply whose schema asks for exactly so many judgments, lest a weak model go on; any number is read."""
    bounds = {"minItems": candidates, "maxItems": candidates}
    shape = create_model(
        "AssessmentReply", __base__=AssessmentReply, assessments=(list[Judged], Field(json_schema_extra=dict(bounds)))
    )
    return shape


class Sentence(BaseModel):
    """A sentence of the answer and the handles of its evidence."""

    text: Annotated[str, WithJsonSchema(_text(400))]
    evidence: _Handles = []


class AnswerReply(BaseModel):
    """An answer, sentence by sentence."""

    sentences: list[Sentence] = Field(min_length=1, max_length=8)


class ModelPolicy:
    """Walks as a model says. One per agent and run."""

    def __init__(self, graph: Graph, asker: Asker, config: CaraConfig, context_tokens: int) -> None:
        self.decided_by = asker.label
        self.exchange: Exchange | None = None
        self._graph = graph
        self._asker = asker
        self._config = config
        self._budget = prompts.Budget.of(context_tokens, ACTION_TOKENS, len(prompts.AGENT) + 2500)
        self.handles = prompts.Handles()

    def read(self, state: AgentState) -> ReadQuestion:
        """No call: a model reads the question with its first action."""
        self.exchange = None
        return ReadQuestion(reason="the model reads the question with its first action")

    def next_action(self, state: AgentState) -> Action:
        """One structured reply, turned into an action on nodes the agent has seen."""
        messages = prompts.agent_prompt(state, self._graph.schema(), self.handles, self._budget)
        reply, self.exchange = ask_and_keep(
            self._asker,
            messages,
            ActionReply,
            agent=state.agent,
            temperature=AGENT_TEMPERATURE,
            max_tokens=ACTION_TOKENS,
            seed=self._config.seed * 1000 + state.agent,
            should_stop=state.should_stop,
            keep=self._keep,
        )
        return self._action(reply.value, state)

    def _keep(self, exchange: Exchange) -> None:
        self.exchange = exchange

    def _action(self, reply: ActionReply, state: AgentState) -> Action:
        if reply.action == "finish":
            return Finish(reply.reason)
        if reply.action == "global_search":
            return GlobalSearch(reply.subquery.strip() or state.question, reply.reason)
        if reply.action == "append":
            if not reply.nodes:
                raise ModelError("append needs the handles of nodes", hint="Fill in nodes, such as n1.")
            return Append(tuple(self._pick(handle, state) for handle in reply.nodes), reply.reason)
        node_id = self._known(reply.node, state)
        source, anchor, path = _provenance(node_id, state.steps)
        return Neighbors(
            node=state.positions[node_id],
            subquery=reply.subquery.strip() or state.question,
            anchor=state.positions[anchor],
            path=path,
            node_types=tuple(reply.node_types),
            edge_types=tuple(reply.edge_types),
            source=source,
            reason=reply.reason,
        )

    def _pick(self, handle: str, state: AgentState) -> Pick:
        node_id = self._known(handle, state)
        source, anchor, path = _provenance(node_id, state.steps)
        return Pick(state.positions[node_id], source, state.positions[anchor], path, _last_score(node_id, state.steps))

    def _known(self, handle: str, state: AgentState) -> str:
        node_id = self.handles.node_id(handle)
        if node_id is None or node_id not in state.positions:
            shown = handle[:40] or "(empty)"
            raise ModelError(f"no node with the handle {shown!r} was seen", hint="Use a handle that was shown.")
        return node_id


class ModelAssessor:
    """The causal module as one batched, greedy call per hop (CARA-3)."""

    def __init__(self, graph: Graph, asker: Asker, config: CaraConfig, context_tokens: int) -> None:
        self.decided_by = asker.label
        self.exchange: Exchange | None = None
        self._asker = asker
        reply_tokens = min(CANDIDATE_TOKENS * config.neighbors_k + 100, context_tokens // 2)
        self._reply_tokens = reply_tokens
        self._budget = prompts.Budget.of(context_tokens, reply_tokens, len(prompts.ASSESSOR) + 800)

    def assess(self, state: AgentState, hop: NeighborsStep) -> Sequence[Assessment]:
        """The candidates that the model judged; one it passed over has no score, and gets none made up."""
        handles = prompts.Handles()
        messages, shown = prompts.assessor_prompt(state.question, hop, hop.path, handles, self._budget)

        def check(reply: AssessmentReply) -> str:
            known = any(handles.node_id(j.id) in shown for j in reply.assessments)
            return (
                "" if known else f"none of its ids is a candidate's handle ({', '.join(map(handles, shown[:3]))}, ..)"
            )

        reply, self.exchange = ask_and_keep(
            self._asker,
            messages,
            _judgment_of(len(shown)),
            agent=state.agent,
            temperature=0.0,
            max_tokens=self._reply_tokens,
            seed=None,
            check=check,
            should_stop=state.should_stop,
            keep=self._keep,
        )
        judged: dict[str, Judged] = {}
        for j in reply.value.assessments:
            node_id = handles.node_id(j.id)
            if node_id in shown and node_id is not None:
                judged.setdefault(node_id, j)
        return [
            Assessment(
                id=c.node.id,
                consequentiality=judged[c.node.id].consequentiality / 10,
                essentiality=judged[c.node.id].essentiality / 10,
                path_consistency=judged[c.node.id].path_consistency / 10,
                causal=0.0,
                score=0.0,
                rationale=judged[c.node.id].rationale,
            )
            for c in hop.candidates
            if c.node.id in judged
        ]

    def _keep(self, exchange: Exchange) -> None:
        self.exchange = exchange


class ModelAnswerer:
    """Writes the answer from the fused evidence, greedily (CARA-8): one prompt for every retriever."""

    def __init__(self, asker: Asker, context_tokens: int) -> None:
        self.decided_by = asker.label
        self.exchange: Exchange | None = None
        self._asker = asker
        self._budget = prompts.Budget.of(context_tokens, ANSWER_TOKENS, len(prompts.ANSWERER) + 400)

    def answer(
        self,
        question: str,
        ranked: Sequence[Ranked],
        steps: Sequence[Step],
        should_stop: ShouldStop | None = None,
    ) -> Answer:
        """An answer whose sentences name the evidence they rest on; a handle that was not offered is dropped."""
        cards = _cards(steps)
        lines = [(r.id, r, *cards.get(r.id, ("", ""))) for r in ranked[:EVIDENCE_SHOWN]]
        messages, handles = prompts.answer_prompt(question, lines, self._budget)
        reply, self.exchange = ask_and_keep(
            self._asker,
            messages,
            AnswerReply,
            agent=-1,
            temperature=0.0,
            max_tokens=ANSWER_TOKENS,
            seed=None,
            should_stop=should_stop,
            keep=self._keep,
        )
        names = {r.id: NodeRef(id=r.id, name=r.name, type=r.type) for r in ranked}
        claims = []
        for sentence in reply.value.sentences:
            evidence = []
            for node_id in dict.fromkeys(handles[h] for h in map(_bare, sentence.evidence) if h in handles):
                link, text = cards.get(node_id, ("", ""))
                evidence.append(Evidence(node=names[node_id], quote=text or names[node_id].name, link=link))
            claims.append(Claim(text=sentence.text.strip(), evidence=tuple(evidence)))
        return Answer(text=" ".join(c.text for c in claims), claims=tuple(claims), decided_by=self.decided_by)

    def _keep(self, exchange: Exchange) -> None:
        self.exchange = exchange


class ModelAnswers:
    """The same answerer for retrievers that have no deciders of their own; each run asks with its own asker."""

    def __init__(self, make_asker: Callable[[], Asker], context_tokens: int = 8192) -> None:
        self._make_asker = make_asker
        self._context_tokens = context_tokens
        self._asker = make_asker()
        self._writer = ModelAnswerer(self._asker, context_tokens)
        self.decided_by = self._asker.label

    @property
    def exchange(self) -> Exchange | None:
        """See `ModelAnswerer`."""
        return self._writer.exchange

    def for_run(self) -> ModelAnswers:
        """One with counters of its own."""
        return ModelAnswers(self._make_asker, self._context_tokens)

    def tokens(self) -> tuple[int | None, int | None]:
        """(prompt, completion) tokens so far; None when the server never counted."""
        return _tokens(self._asker.count)

    def answer(
        self,
        question: str,
        ranked: Sequence[Ranked],
        steps: Sequence[Step],
        should_stop: ShouldStop | None = None,
    ) -> Answer:
        """See `ModelAnswerer.answer`."""
        return self._writer.answer(question, ranked, steps, should_stop)


class ModelMinds:
    """Makes the model-backed deciders of a run. `make_asker` gives each run its own asker."""

    def __init__(self, make_asker: Callable[[], Asker], context_tokens: int = 8192) -> None:
        self._make_asker = make_asker
        self._context_tokens = context_tokens
        self._asker = make_asker()
        self.decided_by = self._asker.label

    @property
    def notices(self) -> tuple[str, ...]:
        return ()

    def for_run(self) -> ModelMinds:
        """Deciders with counters of their own."""
        return ModelMinds(self._make_asker, self._context_tokens)

    def tokens(self) -> tuple[int | None, int | None]:
        """(prompt, completion) tokens of this run so far; None when the server never counted."""
        return _tokens(self._asker.count)

    def prepare(self, graph: Graph, on_progress: OnProgress) -> None:
        on_progress(f"using {self.decided_by}", 1.0)

    def policy(self, graph: Graph, question: str, agent: int, config: CaraConfig) -> ModelPolicy:
        return ModelPolicy(graph, self._asker, config, self._context_tokens)

    def assessor(self, graph: Graph, question: str, agent: int, config: CaraConfig) -> ModelAssessor:
        return ModelAssessor(graph, self._asker, config, self._context_tokens)

    def answerer(self, graph: Graph, question: str, config: CaraConfig) -> ModelAnswerer:
        return ModelAnswerer(self._asker, self._context_tokens)


def _bare(handle: str) -> str:
    return handle.strip("[]() ").lower()


def _provenance(node_id: str, steps: Sequence[CaraStep]) -> tuple[int | None, str, tuple[Hop, ...]]:
    """(index of the step whose list the node was last seen in, anchor id, path to the node)."""
    for step in reversed(steps):
        if isinstance(step, NeighborsStep):
            for c in step.candidates:
                if c.node.id == node_id:
                    assessed = next((s for s in steps if isinstance(s, AssessStep) and s.source == step.index), None)
                    judged = assessed is not None and any(a.id == node_id for a in assessed.assessments)
                    source = assessed.index if assessed is not None and judged else step.index
                    return source, step.anchor.id, (*step.path, Hop(link=c.links[0], node=c.node))
        elif isinstance(step, GlobalSearchStep) and any(f.node.id == node_id for f in step.found):
            return step.index, node_id, ()
    return None, node_id, ()


def _last_score(node_id: str, steps: Sequence[CaraStep]) -> float:
    """The last score the node was given; 0 when it was never assessed."""
    for step in reversed(steps):
        if isinstance(step, AssessStep):
            for a in step.assessments:
                if a.id == node_id:
                    return a.score
    return 0.0


def _tokens(count: Count) -> tuple[int | None, int | None]:
    if not count.calls or count.uncounted == count.calls:
        return None, None
    return count.prompt_tokens, count.completion_tokens


def _cards(steps: Sequence[Step]) -> dict[str, tuple[str, str]]:
    """id -> (how it was reached, its text) of every node that a step puts before the answerer."""
    cards: dict[str, tuple[str, str]] = {}
    for step in steps:
        for e in step.evidence():
            cards.setdefault(e.node.id, (e.link, e.quote))
    return cards
