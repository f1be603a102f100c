"""What a language model is told when it reasons over a neighbourhood (KERAG-3), with and without chain of thought.

The same instructions are what the fine-tuning data trains for (KERAG-4): reasoning where the model's own was right, the
bare answer where it was not.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.kerag.settings import QuestionKind
from core.kerag.steps import Line
from core.llm.client import Message
from core.llm.fencing import FENCES, fenced, system, user

_ANSWER = """- answers: the names that answer the question, spelled as in the triples; empty if the answer is a value.
- value: the answer if it is a number, a date, yes or no; else empty.
- known: false if the triples do not carry the answer, or the question supposes what they do not say.
  Then leave answers and value empty: saying "I don't know" is better than a guess."""

REASON = f"""A question is to be answered from triples of a knowledge graph, and from nothing else. {FENCES}

Think step by step. Give
- reasoning: the steps, in order; each a short sentence ("text") and the numbers of the triples that it rests on
  ("triples", such as [3, 7]). Go through all triples that matter: count them, compare their values, or follow them on,
  as the question needs.
{_ANSWER}"""

PLAIN = f"""A question is to be answered from triples of a knowledge graph, and from nothing else. {FENCES}

Do not explain. Give
{_ANSWER}"""

_KINDS: dict[QuestionKind, str] = {
    "count": "It asks how many: the answer is a number.",
    "superlative": "It asks for an extreme: compare all that is offered.",
    "comparison": "It asks to compare: the answer is one of what it offers.",
    "yes/no": "The answer is yes or no.",
    "set": "It sets several conditions: all must hold.",
}


def summary_prompt(
    question: str, kind: QuestionKind, triples: Sequence[str], left_out: int, *, reason: bool
) -> list[Message]:
    """The question and its triples, one a line, numbered from 1. left_out: triples that are not shown."""
    lines = [f"{number}. {triple}" for number, triple in enumerate(triples, 1)]
    if left_out:
        lines.append(f"({left_out:,} more triples did not fit and are not shown)")
    hint = f" {_KINDS[kind]}" if kind in _KINDS else ""
    told = fenced("\n".join(lines) or "(no triples)")
    return [system(REASON if reason else PLAIN), user(f"Question: {question}{hint}\n\nTriples:\n{told}")]


def triple_in_words(head: str, relation: str, tail: str) -> str:
    """A triple on one line."""
    return " ".join(f"{head} -[{relation}]-> {tail}".split())


def reasoning_in_words(lines: Sequence[Line], number_of: dict[int, int]) -> str:
    """Lines of reasoning as a model would write them, citing triples by the numbers of a prompt."""
    told = []
    for line in lines:
        cited = [str(number_of[t]) for t in line.triples if t in number_of]
        told.append(f"{line.number}. {line.text}" + (f" [{', '.join(cited)}]" if cited else ""))
    return "\n".join(told)
