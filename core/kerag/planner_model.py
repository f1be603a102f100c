"""The planner by a language model: one structured reply for the topics, and one at each hop (KERAG-1).

A handle that was not shown changes nothing: the model is told of it at the next hop, and the step says so. A reply in
which nothing is usable raises, and the loop records a failed step. Relations that do not fit the prompt stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, WithJsonSchema

from core.graph.contracts import Graph
from core.kerag import planner_prompts as prompts
from core.kerag.contracts import Topics
from core.kerag.settings import KeragConfig
from core.kerag.steps import SchemaStep, SeenRelation, Topic, TopicStep
from core.linking.mentions import Mention, find_mentions, subqueries
from core.llm.client import Message
from core.llm.exchange import Exchange, ask_and_keep
from core.llm.fencing import Budget
from core.llm.replay import Asker
from core.retriever import ShouldStop
from core.trace import NodeRef

SEARCH_K = 20  # nodes that one search for names asks for
OFFERED = 20  # nodes that the topics are chosen from
TEXT_SHOWN = 120
TOPIC_TOKENS, RELATION_TOKENS = 300, 400
MOST_TOPICS = 8


# Bounds that a server is asked to keep, so that a weak model cannot run on; a longer reply is still read.
def _text(longest: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": longest}


_Line = Annotated[str, WithJsonSchema(_text(200))]
_Name = Annotated[str, WithJsonSchema(_text(40))]
_Handles = Annotated[list[str], WithJsonSchema({"type": "array", "items": _text(8), "maxItems": 40})]
_Parts = Annotated[list[str], WithJsonSchema({"type": "array", "items": _text(60), "maxItems": 5})]
_Shape = TypeVar("_Shape", bound=BaseModel)


class TopicsReply(BaseModel):
    """The topic entities by their handles, and what the question is about."""

    entities: _Handles
    domain: _Name = ""
    question_kind: Literal["lookup", "count", "superlative", "comparison", "yes/no", "set", "multi-hop"] = "lookup"
    reason: _Line = ""


class RelationsReply(BaseModel):
    """What is left out at a hop, and whether the rest is enough."""

    irrelevant: _Handles
    enough: bool
    missing: _Parts = []
    reason: _Line = ""


class ModelPlanner:
    """Plans for one question, as a model says."""

    def __init__(
        self,
        graph: Graph,
        asker: Asker,
        question: str,
        config: KeragConfig,
        context_tokens: int,
        should_stop: ShouldStop,
    ) -> None:
        self.decided_by = asker.label
        self.exchange: Exchange | None = None
        self._graph = graph
        self._asker = asker
        self._question = question
        self._config = config
        self._context_tokens = context_tokens
        self._should_stop = should_stop
        self._topics: tuple[NodeRef, ...] = ()
        self._observation = ""

    # --- step 1 -------------------------------------------------------------------------------------

    def topics(self) -> Topics:
        """The model chooses among the nodes that searches for the question's words brought."""
        offered, mention_of = self._candidates()
        nodes = [self._graph.node(position) for position in offered]
        refs = [NodeRef(id=n.id, name=n.name, type=n.type) for n in nodes]
        options = [prompts.topic_option(ref, n.text[:TEXT_SHOWN]) for ref, n in zip(refs, nodes, strict=True)]
        messages, shown = prompts.topics_prompt(self._question, options, self._budget(TOPIC_TOKENS, prompts.TOPICS))
        known = {f"o{n}": n - 1 for n in range(1, shown + 1)}

        def check(reply: TopicsReply) -> str:
            if not reply.entities or any(_bare(h) in known for h in reply.entities):
                return ""
            return f"none of its entities is an option's handle ({', '.join(list(known)[:3]) or 'there is none'}, ..)"

        reply = self._ask(messages, TopicsReply, TOPIC_TOKENS, check)
        chosen = list(dict.fromkeys(known[_bare(h)] for h in reply.entities if _bare(h) in known))[:MOST_TOPICS]
        topics = tuple(self._topic(refs[i], offered[i], mention_of.get(offered[i])) for i in chosen)
        self._topics = tuple(t.node for t in topics)
        step = TopicStep(
            topics=topics,
            domain=" ".join(reply.domain.split())[:60],
            question_kind=reply.question_kind,
            reason=reply.reason or ("the model found no option that the question names" if not topics else ""),
        )
        return Topics(step, tuple(offered[i] for i in chosen))

    def resume(self, topics: Topics) -> None:
        """No call: later prompts name these topics."""
        self._topics = tuple(t.node for t in topics.step.topics)

    def _candidates(self) -> tuple[list[int], dict[int, Mention]]:
        """Nodes whose name stands in the question first, then the best other hits; where each is named."""
        scores: dict[int, float] = {}
        names: dict[int, str] = {}
        mentions: tuple[Mention, ...] = ()
        for query in subqueries(self._question):
            if any(query.text in m.text for m in mentions) or (mentions and not query.sure):
                continue
            for hit in self._graph.search(query.text, SEARCH_K):
                scores[hit.position] = max(scores.get(hit.position, 0.0), hit.score)
                if hit.position not in names:
                    names[hit.position] = self._graph.node(hit.position).name
            mentions = find_mentions(self._question, names.items())
        mention_of = {position: m for m in reversed(mentions) for position in m.nodes}
        named = list(dict.fromkeys(position for m in mentions for position in m.nodes))
        others = sorted(scores.keys() - mention_of.keys(), key=lambda p: (-scores[p], p))
        return (named + others)[: max(OFFERED, len(named))], mention_of

    def _topic(self, node: NodeRef, position: int, mention: Mention | None) -> Topic:
        rivals = [p for p in mention.nodes if p != position] if mention else []
        found = [self._graph.node(p) for p in rivals]
        return Topic(
            node=node,
            start=mention.start if mention else 0,
            end=mention.end if mention else 0,
            degree=sum(r.edges for r in self._graph.node(position).relations),
            rivals=tuple(NodeRef(id=n.id, name=n.name, type=n.type) for n in found),
        )

    # --- steps 3 and 4 ------------------------------------------------------------------------------

    def judge(self, hop: int, frontier: int, seen: Sequence[SeenRelation], earlier: Sequence[SchemaStep]) -> SchemaStep:
        """The model says what is irrelevant and whether the rest is enough."""
        budget = self._budget(RELATION_TOKENS, prompts.RELATIONS)
        topics = self._topics or ()
        messages, shown = prompts.relations_prompt(self._question, topics, earlier, seen, self._observation, budget)
        known = {f"r{n}": n - 1 for n in range(1, shown + 1)}

        def check(reply: RelationsReply) -> str:
            if not reply.irrelevant or any(_bare(h) in known for h in reply.irrelevant):
                return ""
            return f"none of its handles is a relation's ({', '.join(list(known)[:3])}, ..)"

        reply = self._ask(messages, RelationsReply, RELATION_TOKENS, check)
        unknown = [h for h in reply.irrelevant if _bare(h) not in known]
        self._observation = prompts.unknown_observation(unknown) if unknown else ""
        out = {known[_bare(h)] for h in reply.irrelevant if _bare(h) in known}
        told = f"{len(unknown)} of the relations it named {'is' if len(unknown) == 1 else 'are'} not in view"
        missing = tuple(" ".join(part.split()) for part in reply.missing if part.strip())
        return SchemaStep(
            hop=hop,
            frontier=frontier,
            relations=tuple(self._judged(s, n, n in out, n < shown) for n, s in enumerate(seen)),
            uncovered=missing,
            enough=reply.enough,
            reason="; ".join(part for part in (reply.reason, told if unknown else "") if part),
        )

    def _judged(self, seen: SeenRelation, number: int, irrelevant: bool, shown: bool) -> SeenRelation:
        """One relation with the model's word on it; nothing is left out in a run that drops nothing."""
        if seen.by == "hand":
            return seen
        if not shown:
            kept, reason = True, "it did not fit the prompt, so it stays"
        elif not irrelevant:
            kept, reason = True, "the model does not call it irrelevant"
        elif not self._config.drop_relations:
            kept, reason = True, "the model calls it irrelevant, but nothing is left out in this run"
        else:
            kept, reason = False, "the model calls it irrelevant"
        return seen.model_copy(update={"kept": kept, "reason": reason})

    # --- asking -------------------------------------------------------------------------------------

    def _budget(self, reply_tokens: int, instructions: str) -> Budget:
        return Budget.of(self._context_tokens, reply_tokens, len(instructions) + len(self._question) + 500)

    def _ask(
        self, messages: list[Message], shape: type[_Shape], max_tokens: int, check: Callable[[_Shape], str]
    ) -> _Shape:
        """One structured reply, decoded greedily. ModelError when none was usable."""
        self.exchange = None
        reply, self.exchange = ask_and_keep(
            self._asker,
            messages,
            shape,
            agent=0,
            temperature=0.0,
            max_tokens=max_tokens,
            seed=self._config.seed,
            check=check,
            should_stop=self._should_stop,
            keep=self._keep,
        )
        return reply.value

    def _keep(self, exchange: Exchange) -> None:
        self.exchange = exchange


def planning_calls(config: KeragConfig) -> int:
    """A call for the topics and one for each hop, at most."""
    return 1 + (config.hops or config.max_hops)


def _bare(handle: str) -> str:
    """A handle without the brackets and capitals a model may add."""
    return handle.strip().strip("[]()<>\"'").lower()
