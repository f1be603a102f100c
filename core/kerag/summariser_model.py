"""The summariser by a language model: one structured reply with numbered reasoning that cites triples (KERAG-3).

What it cites and was not shown is dropped, and the step says so; an answer that is no node of the neighbourhood is
kept as a value and marked. A reply in which nothing is usable raises, and the loop records a failed step.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeVar

import numpy as np
from pydantic import BaseModel, WithJsonSchema

from core.kerag import summariser_prompts as prompts
from core.kerag.settings import KeragConfig
from core.kerag.steps import Line, SummaryStep
from core.kerag.subgraph import Neighbourhood
from core.kerag.summary import Asked
from core.linking.words import FUNCTION_WORDS, stem
from core.llm.client import Message
from core.llm.exchange import Exchange, ask_and_keep
from core.llm.fencing import Budget
from core.llm.replay import Asker
from core.retriever import ShouldStop
from core.trace import NodeRef

REASON_TOKENS, PLAIN_TOKENS = 900, 300
_WORD = re.compile(r"[^\W_]+")


# Bounds that a server is asked to keep, so that a weak model cannot run on; a longer reply is still read.
def _text(longest: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": longest}


_NUMBERS = {"type": "array", "items": {"type": "integer", "minimum": 1}, "maxItems": 20}
_Sentence = Annotated[str, WithJsonSchema(_text(240))]
_Numbers = Annotated[list[int], WithJsonSchema(_NUMBERS)]
_Short = Annotated[str, WithJsonSchema(_text(80))]
_Names = Annotated[list[str], WithJsonSchema({"type": "array", "items": _text(120), "maxItems": 60})]


class Thought(BaseModel):
    """One step of the reasoning and the numbers of its triples."""

    text: _Sentence
    triples: _Numbers = []


_Thoughts = Annotated[
    list[Thought],
    WithJsonSchema(
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"text": _text(240), "triples": _NUMBERS},
                "required": ["text", "triples"],
            },
            "maxItems": 12,
        }
    ),
]


class AnswerReply(BaseModel):
    """The answer alone."""

    answers: _Names = []
    value: _Short = ""
    known: bool = True


class ReasonedReply(AnswerReply):
    """The reasoning, then the answer."""

    reasoning: _Thoughts


Shape = TypeVar("Shape", bound=AnswerReply)


class ModelSummariser:
    """Asks the model, one call a summary, decoded greedily."""

    def __init__(self, asker: Asker, config: KeragConfig, context_tokens: int, should_stop: ShouldStop) -> None:
        self.decided_by = asker.label
        self.exchange: Exchange | None = None
        self._asker = asker
        self._config = config
        self._context_tokens = context_tokens
        self._should_stop = should_stop

    def summarise(self, asked: Asked, found: Neighbourhood, reason: bool = True) -> SummaryStep:
        """See `Summariser.summarise`. ModelError when no reply was usable."""
        tokens = min(REASON_TOKENS if reason else PLAIN_TOKENS, self._context_tokens // 2)
        fixed = len(prompts.REASON if reason else prompts.PLAIN) + len(asked.question) + 300
        places = shown_triples(asked.question, found, Budget.of(self._context_tokens, tokens, fixed).characters)
        told = [in_words(found, place) for place in places]
        messages = prompts.summary_prompt(asked.question, asked.kind, told, len(found) - len(places), reason=reason)
        reply = self._ask(messages, ReasonedReply, tokens) if reason else self._ask(messages, AnswerReply, tokens)
        return self._step(reply, found, places)

    def _ask(self, messages: list[Message], shape: type[Shape], tokens: int) -> Shape:
        def check(reply: Shape) -> str:
            empty = not any(a.strip() for a in reply.answers) and not reply.value.strip()
            return "known is true, but there is neither an answer nor a value" if reply.known and empty else ""

        self.exchange = None
        reply, self.exchange = ask_and_keep(
            self._asker,
            messages,
            shape,
            agent=0,
            temperature=0.0,
            max_tokens=tokens,
            seed=self._config.seed,
            check=check,
            should_stop=self._should_stop,
            keep=self._keep,
        )
        return reply.value

    def _keep(self, exchange: Exchange) -> None:
        self.exchange = exchange

    def _step(self, reply: AnswerReply, found: Neighbourhood, places: list[int]) -> SummaryStep:
        lines: list[Line] = []
        dropped = 0
        for thought in reply.reasoning if isinstance(reply, ReasonedReply) else ():
            text = " ".join(thought.text.split())
            cited = [places[n - 1] for n in dict.fromkeys(thought.triples) if 1 <= n <= len(places)]
            dropped += len(set(thought.triples)) - len(cited)
            if text:
                lines.append(Line(number=len(lines) + 1, text=text, triples=tuple(cited)))
        answers, others = _nodes(reply.answers, found) if reply.known else ([], [])
        value = " ".join(reply.value.split()) if reply.known else ""
        notes = []
        if dropped:
            one = "a citation was dropped: the model was not shown that triple"
            many = f"{dropped} citations were dropped: the model was not shown those triples"
            notes.append(many if dropped > 1 else one)
        if others:
            named = f"{len(others)} of the answers {'are' if len(others) > 1 else 'is'} no node of the neighbourhood"
            notes.append(named)
            value = value or ", ".join(others)
        return SummaryStep(
            lines=tuple(lines), answers=tuple(answers), value=value, known=reply.known, reason="; ".join(notes)
        )


def _nodes(names: list[str], found: Neighbourhood) -> tuple[list[NodeRef], list[str]]:
    """The nodes of those names, the nearest of homonyms, and the names that no node has."""
    place_of: dict[str, int] = {}
    for place in np.argsort(found.hop, kind="stable").tolist():
        place_of.setdefault(_plain(found.nodes[place].name), place)
    nodes, others = [], []
    for name in dict.fromkeys(map(_plain, names)):
        place = place_of.get(name)
        if place is not None:
            nodes.append(found.nodes[place])
        elif name:
            others.append(next(" ".join(n.split()) for n in names if _plain(n) == name))
    return nodes, others


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())


def in_words(found: Neighbourhood, place: int) -> str:
    """A triple of the neighbourhood on one line."""
    head, tail = found.nodes[int(found.head[place])], found.nodes[int(found.tail[place])]
    return prompts.triple_in_words(head.name, found.relations[int(found.relation[place])], tail.name)


def shown_triples(question: str, found: Neighbourhood, characters: int) -> list[int]:
    """The triples that fit, by place; relations that share a word with the question come first, then nearer ones."""
    asked = {stem(w) for w in _WORD.findall(question.lower()) if w not in FUNCTION_WORDS}
    near = np.array([bool(asked & {stem(w) for w in _WORD.findall(r.lower())}) for r in found.relations], dtype=bool)
    hop = np.minimum(found.hop[found.head], found.hop[found.tail])
    speaks = near[found.relation] if len(found.relations) else np.zeros(0, dtype=bool)
    chosen: list[int] = []
    for place in np.lexsort((np.arange(len(found)), hop, ~speaks)).tolist():
        length = len(in_words(found, place)) + 8
        if length > characters:
            break
        characters -= length
        chosen.append(place)
    return sorted(chosen)
