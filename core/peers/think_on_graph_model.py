"""Think-on-Graph's decisions by a language model: each is one structured reply, and scores are whole numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

from pydantic import BaseModel

from core.graph.contracts import RelationCount
from core.llm.exchange import Exchange
from core.llm.replay import Asker
from core.peers import think_on_graph_prompts as prompts
from core.peers.deciders import CONTEXT_TOKENS, ModelDeciders
from core.peers.model_scores import ModelScorer, Scores, bounded_text
from core.peers.named_nodes import NamedNodes
from core.peers.paths import PeerLink
from core.peers.recorder import Card
from core.peers.think_on_graph_contracts import Reached, Thinker, Trail, Verdict
from core.peers.think_on_graph_steps import TogConfig

TEMPERATURE = 1.0  # what the CARA paper samples every agent's calls with; Sun et al. explore at 0.4
REASON_TOKENS = 200
NOTICES = (
    "Think-on-Graph's calls sample at temperature 1.0, as CARA's comparison does; its own paper explores at 0.4.",
    "It scores with whole numbers from 0 to 10, since small models write decimals badly.",
)


class EnoughReply(BaseModel):
    """Whether the paths suffice."""

    enough: bool
    reason: Annotated[str, bounded_text(200)] = ""


class ModelThinker:
    """Asks the model, a call a decision."""

    def __init__(self, scorer: ModelScorer, question: str) -> None:
        self.decided_by = scorer.decided_by
        self._scorer = scorer
        self._question = question

    @property
    def exchange(self) -> Exchange | None:
        return self._scorer.exchange

    def topics(self, named: NamedNodes, cards: Sequence[Card], width: int) -> Scores:
        before = prompts.question_in_words(self._question)
        return self._scorer.score(prompts.TOPICS, before, [prompts.topic_option(card) for card in cards])

    def subquery(self, trail: Trail) -> str:
        """The question itself."""
        return self._question

    def relations(self, trail: Trail, relations: Sequence[RelationCount]) -> Scores:
        before = prompts.before_relations(self._question, trail.path)
        return self._scorer.score(prompts.RELATIONS, before, [prompts.relation_option(r) for r in relations])

    def entities(self, trail: Trail, link: PeerLink, reached: Sequence[Reached]) -> Scores:
        """One entity alone is not asked about, as in the authors' code: its relation has been judged."""
        if len(reached) == 1:
            self._scorer.forget()
            return (1.0,)
        before = prompts.before_entities(self._question, trail.path, link)
        return self._scorer.score(prompts.ENTITIES, before, [prompts.entity_option(r.card) for r in reached])

    def enough(self, beam: Sequence[Trail]) -> Verdict:
        budget = self._scorer.budget(REASON_TOKENS, len(prompts.REASON) + len(self._question) + 200)
        paths = [(trail.path, trail.text) for trail in beam]
        messages = prompts.reason_prompt(self._question, paths, budget)
        reply = self._scorer.ask(messages, EnoughReply, REASON_TOKENS)
        return Verdict(reply.enough, reply.reason)


def most_calls(config: TogConfig) -> int:
    """A call for the topics; at each depth one for every path's relations, every pair's entities, and the verdict."""
    return 1 + config.depth * (2 * config.width + 1)


def model_thinkers(make_asker: Callable[[], Asker], context_tokens: int = CONTEXT_TOKENS) -> ModelDeciders[Thinker]:
    """Think-on-Graph by a model; `make_asker` gives each run its own asker."""
    return ModelDeciders(make_asker, ModelThinker, NOTICES, TEMPERATURE, context_tokens)
