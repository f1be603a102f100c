"""The contract of the summariser: the question and its neighbourhood in, numbered reasoning and an answer out.

Two implementations stand beside it: `summariser` (offline, an evaluator over triples) and `summariser_model`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.kerag.settings import QuestionKind
from core.kerag.steps import SummaryStep, Topic
from core.kerag.subgraph import Neighbourhood
from core.llm.exchange import Exchange


@dataclass(frozen=True, eq=False)
class Asked:
    """What is to be answered: the question, its form, its topics (surest first), and whether triples were cut off."""

    question: str
    kind: QuestionKind
    topics: tuple[Topic, ...]
    cut: bool = False


class Summariser(Protocol):
    """Reasons over what was retrieved (KERAG-3)."""

    decided_by: str

    @property
    def exchange(self) -> Exchange | None:
        """What a model was asked and replied in the last summary."""
        ...

    def summarise(self, asked: Asked, found: Neighbourhood, reason: bool = True) -> SummaryStep:
        """The reasoning and the answer; the lines cite triples by their place in `found`.

        reason False: the answer without reasoning (KERAG-6). A CausewayError where a model cannot be used.
        """
        ...


def renumbered(step: SummaryStep, place_of: Mapping[int, int]) -> SummaryStep:
    """The step with its citations renumbered, for a trace that keeps some of the triples; others are not cited."""
    lines = tuple(
        line.model_copy(update={"triples": tuple(place_of[t] for t in line.triples if t in place_of)})
        for line in step.lines
    )
    return step.model_copy(update={"lines": lines})


def cited(step: SummaryStep) -> Sequence[int]:
    """The triples that the lines cite, each once, in order of first use."""
    return list(dict.fromkeys(t for line in step.lines for t in line.triples))
