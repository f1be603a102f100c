"""The answer of a run, as every method's trace holds it: the reasoning's lines as claims, their triples as evidence.

It says nothing that the summary step does not say.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.kerag.steps import Line, SummaryStep
from core.kerag.subgraph import Neighbourhood
from core.trace import Answer, Claim, Evidence, NodeRef

QUOTED = 20  # triples that a claim quotes
NAMED = 30  # nodes that the answer names
DONT_KNOW = "I don't know"


def answer_of(summary: SummaryStep, around: Neighbourhood) -> Answer:
    """The answer in words, then the reasoning, line by line. The lines cite places in `around`."""
    claims = tuple(Claim(text=line.text, evidence=_evidence(line, around)) for line in summary.lines)
    return Answer(text=answer_in_words(summary), claims=claims, decided_by=summary.decided_by)


def answer_in_words(summary: SummaryStep) -> str:
    """The value or the names; "I don't know" and the last line, which says why."""
    if not summary.known:
        why = summary.lines[-1].text if summary.lines else ""
        return why if DONT_KNOW in why else f"{DONT_KNOW}. {why}".strip()
    names = _listed([node.name for node in summary.answers])
    if summary.value and names:
        return f"{summary.value}: {names}."
    return f"{summary.value or names}."


def _listed(names: Sequence[str]) -> str:
    told = list(dict.fromkeys(names))[:NAMED]
    more = sum(name not in told for name in names)  # namesakes of those beyond are counted
    return ", ".join(told) + (f" and {more:,} more" if more > 0 else "")


def _evidence(line: Line, around: Neighbourhood) -> tuple[Evidence, ...]:
    return tuple(_quoted(triple, around) for triple in line.triples[:QUOTED])


def _quoted(triple: int, around: Neighbourhood) -> Evidence:
    """A triple as evidence for the end that is farther from the topics."""
    head, tail = int(around.head[triple]), int(around.tail[triple])
    far = tail if around.hop[tail] >= around.hop[head] else head
    one, other = around.nodes[head], around.nodes[tail]
    link = f"{_told(one, other)} → {around.relations[int(around.relation[triple])]} → {_told(other, one)}"
    node = around.nodes[far]
    return Evidence(node=node, quote=node.name, link=link)


def _told(node: NodeRef, beside: NodeRef) -> str:
    """A node's name; with its type where the two have the same name."""
    return f"{node.name} ({node.type})" if node.name == beside.name and node.type else node.name
