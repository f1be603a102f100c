"""The parts of a KERAG run: its steps by what they are, as far as the run has come. No figure is drawn here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.kerag.steps import KeragFailedStep, PlanStep, RetrieveStep, SchemaStep, SummaryStep, TopicStep
from core.trace import Step

S = TypeVar("S", bound=Step)


@dataclass(frozen=True, slots=True)
class Parts:
    """What there is of a run so far; a step that was not made yet is None."""

    topic: TopicStep | None
    schema: tuple[SchemaStep, ...]
    plan: PlanStep | None
    retrieved: RetrieveStep | None
    summary: SummaryStep | None
    failed: tuple[KeragFailedStep, ...]


def parts_of(steps: Sequence[Step]) -> Parts:
    """The parts of a run with these steps; of a part that was made twice, the later one."""
    return Parts(
        topic=_last(steps, TopicStep),
        schema=tuple({s.hop: s for s in steps if isinstance(s, SchemaStep)}.values()),
        plan=_last(steps, PlanStep),
        retrieved=_last(steps, RetrieveStep),
        summary=_last(steps, SummaryStep),
        failed=tuple(s for s in steps if isinstance(s, KeragFailedStep)),
    )


def _last(steps: Sequence[Step], kind: type[S]) -> S | None:
    return next((s for s in reversed(steps) if isinstance(s, kind)), None)
