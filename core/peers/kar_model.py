"""KAR's decisions by a language model: links and relation types are scored, the expansion is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, WithJsonSchema

from core.graph.contracts import RelationCount
from core.llm.exchange import Exchange
from core.llm.replay import Asker
from core.peers import kar_prompts as prompts
from core.peers.deciders import CONTEXT_TOKENS, ModelDeciders
from core.peers.kar_contracts import Expander, Expansion
from core.peers.kar_steps import KarConfig, KarTriple
from core.peers.model_scores import ModelScorer, Scores, bounded_text
from core.peers.named_nodes import NamedNodes
from core.peers.recorder import Card

TEMPERATURE = 0.0  # a pipeline without agents decodes greedily, as in the CARA paper's comparison
EXPAND_TOKENS = 500
EXPANSION_KEPT = 2000  # characters of an expansion that are searched for
NOTICES = (
    "The paper retrieves by dense vectors and filters neighbours by their documents; here the expanded question is "
    "searched by BM25, and neighbours are filtered by the type of their relation.",
)

_types: Any = WithJsonSchema({"type": "array", "items": {"type": "string", "maxLength": 60}, "maxItems": 10})


class ExpansionReply(BaseModel):
    """The passage, and the types that an answer may have."""

    expansion: Annotated[str, bounded_text(1200)]
    answer_types: Annotated[list[str], _types] = []


class ModelExpander:
    """Asks the model, a call a decision."""

    def __init__(self, scorer: ModelScorer, question: str) -> None:
        self.decided_by = scorer.decided_by
        self._scorer = scorer
        self._question = question

    @property
    def exchange(self) -> Exchange | None:
        return self._scorer.exchange

    def topics(self, named: NamedNodes, cards: Sequence[Card], width: int) -> Scores:
        before = prompts.query_in_words(self._question)
        return self._scorer.score(prompts.LINK, before, [prompts.topic_option(card) for card in cards])

    def subquery(self, entity: int) -> str:
        """The question itself."""
        return self._question

    def relations(self, entity: int, card: Card, relations: Sequence[RelationCount]) -> Scores:
        before = prompts.before_relations(self._question, card)
        return self._scorer.score(prompts.RELATIONS, before, [prompts.relation_option(r) for r in relations])

    def expand(self, triples: Sequence[KarTriple], node_types: Sequence[str]) -> Expansion:
        """The model's passage; a type that the graph does not have is dropped."""
        fixed = len(prompts.EXPAND) + len(self._question) + sum(map(len, node_types[: prompts.TYPES_SHOWN])) + 300
        budget = self._scorer.budget(EXPAND_TOKENS, fixed)
        messages = prompts.expand_prompt(self._question, triples, node_types, budget)

        def check(reply: ExpansionReply) -> str:
            return "" if reply.expansion.strip() else "expansion is empty"

        reply = self._scorer.ask(messages, ExpansionReply, EXPAND_TOKENS, check)
        known = {node_type.casefold(): node_type for node_type in node_types}
        given = [t.strip().casefold() for t in reply.answer_types]
        types = tuple(dict.fromkeys(known[t] for t in given if t in known))
        unknown = sum(t not in known for t in given)
        reason = "the model wrote it from the triples"
        if unknown:
            reason += f"; {unknown} of the types it named {'is' if unknown == 1 else 'are'} not in the graph"
        return Expansion(reply.expansion.strip()[:EXPANSION_KEPT], types, reason)


def most_calls(config: KarConfig) -> int:
    """A call for the links, one for the relations of every linked node, one for the expansion."""
    return config.entities + 2


def model_expanders(make_asker: Callable[[], Asker], context_tokens: int = CONTEXT_TOKENS) -> ModelDeciders[Expander]:
    """KAR by a model; `make_asker` gives each run its own asker."""
    return ModelDeciders(make_asker, ModelExpander, NOTICES, TEMPERATURE, context_tokens)
