"""Training rows for the summariser (KERAG-4), in the chat form that OpenAI and TRL accept: {"messages": [..]}.

An answer that was right is the target with its reasoning, under the prompt that asks for reasoning; for one that was
wrong the gold answer is, under the plain prompt. The target is written in the very form that the summariser asks of a
model, so that a model trained on it can be used here. Not here: which answers are right (`core.evaluation.training`).
"""

from __future__ import annotations

import json
from typing import Any

from core.kerag.steps import RetrieveStep, SummaryStep, TopicStep
from core.kerag.summariser_model import in_words, shown_triples
from core.kerag.summariser_prompts import summary_prompt
from core.kerag.summary import cited
from core.kerag.take_away import neighbourhood_of
from core.trace import Frozen, Trace

CHARACTERS = 12_000  # of triples in a row, about 3,400 tokens
Row = dict[str, list[dict[str, str]]]


class Target(Frozen):
    """An answer to be learned: names, or a value, or that it is not known."""

    answers: tuple[str, ...] = ()
    value: str = ""
    known: bool = True


def training_row(trace: Trace, gold: Target, *, right: bool, characters: int = CHARACTERS) -> Row | None:
    """The row of one run; None where the run has no neighbourhood to answer from.

    right: the judge's word on the run's own answer; else `gold` is the target. The triples that the reasoning cites
    come first among those that fit.
    """
    retrieved = next((s for s in trace.steps if isinstance(s, RetrieveStep)), None)
    summary = next((s for s in reversed(trace.steps) if isinstance(s, SummaryStep)), None)
    topic = next((s for s in trace.steps if isinstance(s, TopicStep)), None)
    if retrieved is None or summary is None or topic is None:
        return None
    found = neighbourhood_of(retrieved)
    places, room = [], characters
    for place in cited(summary) if right else ():
        room -= len(in_words(found, place)) + 8
        if room < 0:
            break
        places.append(place)
    more = shown_triples(trace.question, found, max(room, 0))
    places = sorted({*places, *more})
    told = [in_words(found, place) for place in places]
    prompt = summary_prompt(trace.question, topic.question_kind, told, retrieved.total - len(places), reason=right)
    target = _reasoned(summary, {p: n for n, p in enumerate(places, 1)}) if right else gold.model_dump(mode="json")
    messages = [{"role": m["role"], "content": m["content"]} for m in prompt]
    return {"messages": [*messages, {"role": "assistant", "content": json.dumps(target, ensure_ascii=False)}]}


def _reasoned(summary: SummaryStep, number_of: dict[int, int]) -> dict[str, Any]:
    """The run's own reasoning and answer, citing triples by the numbers of the prompt."""
    thoughts = [
        {"text": line.text, "triples": [number_of[t] for t in line.triples if t in number_of]} for line in summary.lines
    ]
    answers = [node.name for node in summary.answers] if not summary.value else []
    return {"reasoning": thoughts, "answers": answers, "value": summary.value, "known": summary.known}
