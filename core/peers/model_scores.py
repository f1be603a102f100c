"""Asking a model to score numbered options with whole numbers from 0 to 10. What is scored, a method's prompts say.

An option's handle (o1, o2, ..) is all that a reply may name. Options that do not fit the context are not shown, and the
prompt says how many; those, and options that the reply passes over, have no score, and get none made up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, WithJsonSchema, create_model

from core.llm.client import Message
from core.llm.exchange import Exchange, ask_and_keep
from core.llm.fencing import Budget, fenced, system, user
from core.llm.replay import Asker
from core.retriever import ShouldStop

BEST = 10  # a score's top; it is divided by this
OPTION_TOKENS = 22  # of a reply, an option
LEAST_LINE = 60  # characters below which an option is not worth showing
OPTIONS_SHOWN = 60

T = TypeVar("T", bound=BaseModel)
Scores = Sequence[float | None]


def bounded_text(longest: int) -> Any:
    """Bounds that a server is asked to keep, so that a weak model cannot run on; a longer reply is still read."""
    return WithJsonSchema({"type": "string", "maxLength": longest})


class Scored(BaseModel):
    """One option's score."""

    id: str
    score: int = Field(ge=0, le=BEST)


class ScoresReply(BaseModel):
    """The scores of one prompt's options."""

    scores: list[Scored]


@lru_cache(maxsize=OPTIONS_SHOWN + 1)
def scores_of(options: int) -> type[ScoresReply]:
    """The reply's shape, whose schema asks for one score an option, so that a weak model cannot run on.

    Where no server enforces it, more or fewer scores are still read.
    """
    scored = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "maxLength": 8},
            "score": {"type": "integer", "minimum": 0, "maximum": BEST},
        },
    }
    schema = WithJsonSchema({"type": "array", "items": scored, "minItems": options, "maxItems": options})
    return create_model("ScoresReply", __base__=ScoresReply, scores=(Annotated[list[Scored], schema], ...))


class ModelScorer:
    """Asks one run's model. `exchange` is what was asked and replied last, also when nothing was usable."""

    def __init__(
        self, asker: Asker, context_tokens: int, temperature: float, seed: int, should_stop: ShouldStop
    ) -> None:
        self.decided_by = asker.label
        self.exchange: Exchange | None = None
        self._asker = asker
        self._context_tokens = context_tokens
        self._temperature = temperature
        self._seed = seed
        self._should_stop = should_stop

    def score(self, instructions: str, before: str, options: Sequence[str]) -> Scores:
        """A score in [0, 1] for each option, in their order; None for one that was not shown or not scored.

        before: what the prompt says before the options, with all that comes from the graph already fenced.
        ModelError when the reply could not be used.
        """
        reply_tokens = min(OPTION_TOKENS * min(len(options), OPTIONS_SHOWN) + 80, self._context_tokens // 2)
        budget = self.budget(reply_tokens, len(instructions) + len(before) + 200)
        lines = option_lines(options, budget)
        left_out = len(options) - len(lines)
        cut = f"\n({left_out} more did not fit and are not shown)" if left_out else ""
        text = f"{before}\n\nOptions:\n{fenced(chr(10).join(lines) + cut)}\n\nScore each option."
        handles = {f"o{n}": n - 1 for n in range(1, len(lines) + 1)}

        def check(reply: ScoresReply) -> str:
            if any(bare(s.id) in handles for s in reply.scores):
                return ""
            return f"none of its ids is an option's ({', '.join(list(handles)[:3])}, ..)"

        reply = self.ask([system(instructions), user(text)], scores_of(len(lines)), reply_tokens, check)
        scores: list[float | None] = [None] * len(options)
        for scored in reply.scores:
            place = handles.get(bare(scored.id))
            if place is not None and scores[place] is None:
                scores[place] = scored.score / BEST
        return scores

    def forget(self) -> None:
        """Nothing was asked for the decision that comes now."""
        self.exchange = None

    def ask(
        self, messages: list[Message], shape: type[T], max_tokens: int, check: Callable[[T], str] | None = None
    ) -> T:
        """One structured reply; see `Asker.ask`."""
        self.forget()
        reply, self.exchange = ask_and_keep(
            self._asker,
            messages,
            shape,
            agent=0,
            temperature=self._temperature,
            max_tokens=max_tokens,
            seed=self._seed,
            check=check,
            should_stop=self._should_stop,
            keep=self._keep,
        )
        return reply.value

    def budget(self, reply_tokens: int, fixed_characters: int) -> Budget:
        """Room for observations beside the reply and the fixed parts."""
        return Budget.of(self._context_tokens, reply_tokens, fixed_characters)

    def _keep(self, exchange: Exchange) -> None:
        self.exchange = exchange


def best_of(scores: Scores, most: int) -> list[int]:
    """Places of the options with the highest scores above 0, best first, ties in the order offered."""
    judged = [(score, i) for i, score in enumerate(scores) if score is not None and score > 0]
    return [i for _, i in sorted(judged, key=lambda pair: (-pair[0], pair[1]))[:most]]


def option_lines(options: Sequence[str], budget: Budget) -> list[str]:
    """Numbered options, one a line, as many as fit; line ends inside an option become spaces."""
    room, lines = budget.characters, []
    for number, option in enumerate(options[:OPTIONS_SHOWN], 1):
        line = f"o{number}: {' '.join(option.split())}"
        if len(line) > room:
            if room < LEAST_LINE:
                break
            line = line[:room]
        room -= len(line) + 1
        lines.append(line)
    return lines


def bare(handle: str) -> str:
    """A handle without the brackets and capitals a model may add."""
    return handle.strip().strip("[]()<>\"'").lower()
