"""Having the answer written, the same way for every method; what a model was asked for it is kept as a step.

Not here: who writes it (`core/cara/model.py` and the offline answerer), and what a method makes of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from core.errors import CausewayError, StoppedError
from core.llm.exchange import Exchange
from core.trace import Answer, Ranked, Step, register_step


@register_step
class AnswerStep(Step):
    """A model was asked for the answer; `error` says why there is none.

    It is no agent's: it comes after the last step of the first agent. Offline runs have none.
    """

    kind: Literal["model.answer"] = "model.answer"
    error: str = ""
    exchange: Exchange | None = None


class Writer(Protocol):
    """Writes an answer. `exchange` is what a model was asked for the last one; None where none was asked."""

    @property
    def decided_by(self) -> str: ...

    @property
    def exchange(self) -> Exchange | None: ...

    def answer(
        self,
        question: str,
        ranked: Sequence[Ranked],
        steps: Sequence[Step],
        should_stop: Callable[[], bool] | None = None,
    ) -> Answer:
        """An answer whose every claim quotes the evidence behind it. StoppedError when it was told to stop."""
        ...


@dataclass(frozen=True, slots=True)
class Written:
    """What came of it: an answer, or a notice that says why there is none; and the step, where a model was asked."""

    answer: Answer | None = None
    notices: tuple[str, ...] = ()
    step: AnswerStep | None = None


def write_answer(
    writer: Writer,
    question: str,
    ranked: Sequence[Ranked],
    steps: Sequence[Step],
    began: float,
    should_stop: Callable[[], bool] | None = None,
) -> Written:
    """Have the answer written; a failure costs the answer alone. `began`: the run's `perf_counter()` at its start.

    Told to stop, there is neither an answer nor a notice.
    """
    started = time.perf_counter()
    answer, error = None, ""
    try:
        answer = writer.answer(question, ranked, steps, should_stop)
    except StoppedError:
        return Written()
    except CausewayError as failure:
        error = str(failure)
    step = None
    if writer.exchange is not None:
        step = AnswerStep(
            index=1 + max((s.index for s in steps if s.agent == 0), default=0),
            decided_by=writer.decided_by,
            at=started - began,
            seconds=time.perf_counter() - started,
            error=error,
            exchange=writer.exchange,
        )
    return Written(answer, (f"No answer was written: {error}",) if error else (), step)
