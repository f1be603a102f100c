"""What a model was asked and what it replied, step by step, as plain text for a panel; and what a run asked in all.

Whoever draws the text escapes it: prompts quote the graph, and replies may hold anything. Not here: the asking.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from core.figures.captions import ACTIONS, kind_of
from core.figures.words import agent_name, count
from core.llm.answering import AnswerStep
from core.llm.exchange import Exchange, spent
from core.llm.usage import Count
from core.trace import Step, Trace

ROLES = {"system": "Instructions", "user": "Asked", "assistant": "Said before"}


class Part(NamedTuple):
    """A piece of an exchange: whose words, and the words. `problem`: why a reply could not be used."""

    label: str
    text: str
    problem: str = ""


class Talk(NamedTuple):
    """One step's exchange with a model. `facts` is how much it took, in words."""

    title: str
    parts: tuple[Part, ...]
    facts: str


def exchange_of(step: Step) -> Exchange | None:
    """A step's exchange, whatever method it belongs to; None where no model was asked."""
    exchange = getattr(step, "exchange", None)
    return exchange if isinstance(exchange, Exchange) else None


def answer_step(trace: Trace) -> AnswerStep | None:
    """The step in which a model was asked for the answer; None for an offline answer, or a run from before these."""
    return next((s for s in trace.steps if isinstance(s, AnswerStep)), None)


def talks(steps: Iterable[Step | None]) -> tuple[Talk, ...]:
    """The exchanges of these steps, each step once, in their order; steps without one are passed over."""
    found: dict[tuple[int, int], Talk] = {}
    for step in steps:
        exchange = exchange_of(step) if step is not None else None
        if step is not None and exchange is not None:
            found.setdefault((step.agent, step.index), _talk(step, exchange))
    return tuple(found.values())


def asked_in_all(trace: Trace) -> Count:
    """The calls and tokens of a run: its steps', the answer's among them.

    The run's own totals of tokens win where it has them: they hold what no step shows.
    """
    seen = spent(trace.steps)
    if not seen.calls and trace.usage.prompt_tokens is None:
        return seen
    # Runs of before the answer's exchange was kept: it was one call, in no step.
    wrote = (
        not any(isinstance(s, AnswerStep) for s in trace.steps)
        and trace.conclusion is None  # of a method whose answer is a step of its own
        and trace.answer is not None
        and bool(trace.decided_by)
        and trace.answer.decided_by == trace.decided_by
    )
    calls = seen.calls + wrote
    if trace.usage.prompt_tokens is None and trace.usage.completion_tokens is None:
        return Count(
            calls=calls,
            prompt_tokens=seen.prompt_tokens,
            completion_tokens=seen.completion_tokens,
            uncounted=seen.uncounted + wrote,
        )
    return Count(
        calls=calls,
        prompt_tokens=trace.usage.prompt_tokens or 0,
        completion_tokens=trace.usage.completion_tokens or 0,
        uncounted=seen.uncounted,
    )


def decider(trace: Trace) -> str:
    """Who decides, also in a run that has not ended: its first step's decider; empty while there is none."""
    return trace.decided_by or next((s.decided_by for s in trace.steps if s.decided_by), "")


def tokens_in_words(used: Count) -> str:
    """`3 calls, 1,234 tokens`; "at least" where the server did not count every call's."""
    if not used.calls:
        return "no call yet"
    calls = count(used.calls, "call")
    if used.uncounted >= used.calls:
        return f"{calls}, tokens not counted by the server"
    least = "at least " if used.uncounted else ""
    return f"{calls}, {least}{count(used.prompt_tokens + used.completion_tokens, 'token')}"


def _talk(step: Step, exchange: Exchange) -> Talk:
    asked = [Part(ROLES.get(said.role, said.role), said.content) for said in exchange.prompt]
    several = len(exchange.replies) > 1
    replied = [
        Part(f"Reply {number}" if several else "Reply", reply.raw, reply.problem)
        for number, reply in enumerate(exchange.replies, 1)
    ]
    facts = tokens_in_words(spent([step]))
    if exchange.repaired and not several:
        facts += "; the reply had to be mended before it could be read"
    title = f"{agent_name(step.agent)}, step {step.index}: {ACTIONS[kind_of(step)]}"
    if isinstance(step, AnswerStep):
        title = "The answer"
    return Talk(title, (*asked, *replied), facts)
