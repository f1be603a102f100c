"""What a method that asks a model costs by round, and what became of its replies. Not here: the asking."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from core.errors import ModelError, StoppedError
from core.llm.exchange import Exchange
from core.llm.structured import ReplyError
from core.sgur.extraction_model import ModelExtractor
from core.sgur.steps import Reading

PROBLEMS_KEPT = 5
MOST_UNANSWERED = 3  # rounds in a row; then the server counts as gone


@dataclass(slots=True)
class Asked:
    """Sums by round over all patients. uncounted: rounds whose tokens the server did not tell."""

    calls: list[int]
    prompt_tokens: list[int]
    completion_tokens: list[int]
    failed: int = 0
    refused: int = 0  # names in usable replies that were not on the list
    uncounted: int = 0
    problems: list[str] = field(default_factory=list)  # of the first few that failed
    unanswered: int = 0  # rounds in a row in which the server gave no reply at all
    ended: str = ""  # why no more was asked

    @classmethod
    def nothing(cls, rounds: int) -> Asked:
        """Before the first patient."""
        return cls([0] * rounds, [0] * rounds, [0] * rounds)

    def add(self, number: int, exchange: Exchange) -> None:
        """One exchange in the round of that number, from 0."""
        self.unanswered = 0
        self.calls[number] += 1
        self.uncounted += exchange.prompt_tokens is None or exchange.completion_tokens is None
        self.prompt_tokens[number] += exchange.prompt_tokens or 0
        self.completion_tokens[number] += exchange.completion_tokens or 0

    def fail(self, why: str) -> None:
        """A round whose replies could not be used."""
        self.failed += 1
        if len(self.problems) < PROBLEMS_KEPT:
            self.problems.append(why)

    def no_reply(self, error: ModelError) -> None:
        """A round in which the server gave none. The error itself, when it is the last of too many in a row."""
        self.fail(error.what)
        self.unanswered += 1
        if self.unanswered >= MOST_UNANSWERED:
            self.ended = error.what
            raise error

    def body(self) -> dict[str, Any]:
        """As JSON has it; tokens are means by round, null when some were not counted."""

        def mean(sums: list[int]) -> list[float | None]:
            return [None if self.uncounted or not n else s / n for s, n in zip(sums, self.calls, strict=True)]

        return {
            "rounds_asked": sum(self.calls),
            "failed": self.failed,
            "refused": self.refused,
            "uncounted": self.uncounted,
            "prompt_tokens_per_round": mean(self.prompt_tokens),
            "completion_tokens_per_round": mean(self.completion_tokens),
            "problems": list(self.problems),
            "ended": self.ended,
        }


class CountedReader:
    """A model that reads one message a round, patient after patient, and is counted; what fails reads as nothing."""

    def __init__(self, reader: ModelExtractor, rounds: int) -> None:
        self.decided_by = reader.decided_by
        self.asked = Asked.nothing(rounds)
        self._reader, self._rounds, self._read = reader, rounds, 0

    def read(self, message: str) -> Reading:
        """The reading. ModelError when the server has not answered for some rounds; StoppedError."""
        number, self._read = self._read % self._rounds, self._read + 1
        try:
            reading = self._reader.read(message)
        except ReplyError as error:
            reading = Reading(words=message)
            self.asked.fail(error.what)
        except StoppedError:
            raise
        except ModelError as error:
            self.asked.no_reply(error)
            return Reading(words=message)
        if self._reader.exchange is not None:
            self.asked.add(number, self._reader.exchange)
        self.asked.refused += sum("not on the list" in u.why for u in reading.unmatched)
        return reading
