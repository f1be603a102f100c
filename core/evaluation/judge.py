"""Whether an answer is accurate, missing or hallucinated (KERAG-5), by a normalised match of names and values.

- accurate: every gold answer is given, and nothing else; "I don't know" where it cannot be known.
- missing: "I don't know", or some of the gold answers and nothing else (`incomplete`).
- hallucinated: something is given that is no gold answer.

The paper asks a model; `judge_model` does. Limits of this one: a paraphrase of a name counts as another name, a right
answer that the gold leaves out counts as wrong, and prose is not read: it needs the answer as nodes or as a value.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal, Protocol

from core.evaluation.questions import Gold, Question, plain_kind
from core.kerag.values import compare, parse_value, unify
from core.llm.exchange import Exchange
from core.trace import Conclusion, Frozen

Verdict = Literal["accurate", "missing", "hallucinated"]
_YES = {"yes": "yes", "true": "yes", "no": "no", "false": "no"}
_ARTICLE = re.compile(r"^(?:the|a|an) ")


class Judgment(Frozen):
    """A verdict on one answer. f1: of the given set against the gold set. by: who judged."""

    verdict: Verdict
    f1: float
    reason: str
    incomplete: bool = False
    by: str = "normalised match"


class Judge(Protocol):
    """Judges the answer to one question; `text` is the answer in words. A model's judge may raise a CausewayError."""

    exchange: Exchange | None

    def judge(self, question: Question, given: Conclusion, text: str) -> Judgment: ...


class MatchJudge:
    """The offline judge."""

    exchange: Exchange | None = None

    def judge(self, question: Question, given: Conclusion, text: str = "") -> Judgment:
        """See `Judge`. ValueError for a question without any gold answer."""
        return match(question, given)


def match(question: Question, given: Conclusion) -> Judgment:
    """The verdict by normalised match. ValueError for a question without any gold answer."""
    if not question.judged:
        raise ValueError("a question without a gold answer cannot be judged")
    if question.unanswerable:
        if given.known:
            return Judgment(verdict="hallucinated", f1=0.0, reason="an answer was given to what has none")
        return Judgment(verdict="accurate", f1=1.0, reason="rightly said that it is not known")
    if not given.known:
        return Judgment(verdict="missing", f1=0.0, reason="said that it is not known")
    if _wants_a_value(question):
        return _value(question.value or question.literal[0], given, len(question.answers))
    if question.answers:
        return _set(question.answers, given)
    return _value(question.literal[0], given, 0)


def _wants_a_value(question: Question) -> bool:
    if not (question.value or question.literal):
        return False
    return not question.answers or plain_kind(question.kind) in ("count", "yes/no", "yes no", "boolean")


def _value(gold: str, given: Conclusion, counted: int) -> Judgment:
    """A value against a value; a set that was to be counted stands for its size."""
    told = given.value or (str(len(given.nodes)) if counted else "") or ", ".join(n.name for n in given.nodes)
    if not told:
        return Judgment(verdict="missing", f1=0.0, reason="no value was given")
    same = same_value(gold, told)
    reason = f"{told} is given, {gold} is right" if not same else f"{told} is right"
    return Judgment(verdict="accurate" if same else "hallucinated", f1=float(same), reason=reason)


def _set(golds: Sequence[Gold], given: Conclusion) -> Judgment:
    """Nodes against the gold answers; a gold answer that is no node matches by its name."""
    ids = {node.id for node in given.nodes}
    names = {normal(node.name): node.id for node in given.nodes}
    if not given.nodes and given.value:
        names = {normal(part): part for part in re.split(r",| and ", given.value) if part.strip()}
        ids = set(names.values())
    met, right = 0, set()
    for gold in golds:
        own = (ids & set(gold.ids)) if gold.ids else set()
        if not own and (not gold.ids or not given.nodes) and normal(gold.name) in names:
            own = {names[normal(gold.name)]}
        met += bool(own)
        right |= own
    if not ids:
        return Judgment(verdict="missing", f1=0.0, reason="nothing was given")
    precision, recall = len(right) / len(ids), met / len(golds)
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    wrong = len(ids) - len(right)
    if wrong:
        reason = f"{wrong} of {len(ids)} given {'are' if wrong > 1 else 'is'} no gold answer"
        return Judgment(verdict="hallucinated", f1=f1, reason=reason)
    if met < len(golds):
        reason = f"{met} of {len(golds)} gold answers given, and nothing else"
        return Judgment(verdict="missing", f1=f1, reason=reason, incomplete=True)
    return Judgment(verdict="accurate", f1=1.0, reason="the set given is the gold set")


def same_value(gold: str, given: str) -> bool:
    """Whether two values are the same: yes or no, a number or date in any of its forms, or the same words."""
    a, b = normal(gold), normal(given)
    if a == b or (_YES.get(a) is not None and _YES.get(a) == _YES.get(b)):
        return True
    one, other = parse_value(gold), parse_value(given)
    if one is None or other is None:
        return False
    one, other = unify((one, other))
    return compare(one, other) == 0 and (one.low, one.high) == (other.low, other.high)


def normal(text: str) -> str:
    """A name as it is compared: no case, accents, punctuation, article; blanks for underscores."""
    plain = unicodedata.normalize("NFKD", text.replace("_", " ").casefold())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    plain = " ".join(re.sub(r"[^\w\s]", " ", plain).split())
    return _ARTICLE.sub("", plain) or plain
