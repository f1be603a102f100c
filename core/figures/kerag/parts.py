"""The parts of a KERAG run: its steps by what they are, as far as the run has come. No figure is drawn here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.figures.words import cut, isolate, listed, relation_words
from core.kerag.steps import KeragFailedStep, PlanStep, RetrieveStep, SchemaStep, SummaryStep, TopicStep
from core.trace import NodeRef, Step

S = TypeVar("S", bound=Step)
FEW = 5  # names that head an answer
NAMES = 12  # names of an answer that are listed
DONT_KNOW = "I don't know"


@dataclass(frozen=True, slots=True)
class Parts:
    """What there is of a run so far; a step that was not made yet is None."""

    topic: TopicStep | None
    schema: tuple[SchemaStep, ...]
    plan: PlanStep | None
    retrieved: RetrieveStep | None
    summary: SummaryStep | None
    failed: tuple[KeragFailedStep, ...]

    @property
    def numbers(self) -> dict[int, int]:
        """Place of a cited triple -> its number [n], in the order of first use."""
        if self.retrieved is None or self.summary is None:
            return {}
        there = range(len(self.retrieved.triples))
        cited = dict.fromkeys(t for line in self.summary.lines for t in line.triples if t in there)
        return {place: number for number, place in enumerate(cited, 1)}


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


def depths(parts: Parts) -> dict[int, int]:
    """Hops of each retrieved node from the nearest topic, as the kept triples tell them."""
    found, depth = parts.retrieved, dict[int, int]()
    if found is None:
        return depth
    for head, _, tail, hop in found.triples:
        for end in (head, tail):
            depth[end] = min(depth.get(end, hop), hop)
    topics = {t.node.id for t in parts.topic.topics} if parts.topic else set()
    return {end: 0 if found.nodes[end].id in topics else hop for end, hop in depth.items()}


def far_end(found: RetrieveStep, place: int, depth: Mapping[int, int]) -> NodeRef:
    """The end of a triple that is farther from the topics: what it leads to."""
    head, _, tail, _ = found.triples[place]
    return found.nodes[head if depth.get(head, 0) > depth.get(tail, 0) else tail]


def triple_words(found: RetrieveStep, place: int) -> str:
    """`The Pianist won Palme d'Or`; with types where both ends have one name."""
    head, relation, tail = found.triple(place)
    return f"{_told(head, tail)} {relation_words(relation)} {_told(tail, head)}"


def _told(node: NodeRef, beside: NodeRef) -> str:
    name = isolate(cut(node.name, 80)) or "(no name)"
    return f"{name} ({node.type})" if node.name == beside.name and node.type else name


def headline(summary: SummaryStep | None) -> tuple[str, str]:
    """The answer in a few words, and what stands below it: the nodes counted, or why it is not known."""
    if summary is None:
        return "", ""
    if not summary.known:
        why = summary.lines[-1].text if summary.lines else ""
        why = why.replace(f"So the answer is: {DONT_KNOW}.", "").removeprefix(DONT_KNOW).strip(" .:")
        return DONT_KNOW, f"{why}." if why else ""
    names = [cut(node.name, 80) for node in summary.answers]
    if summary.value:
        return summary.value, _each_once(names, NAMES)
    few = _each_once(names, FEW)
    return few or "Nothing", _each_once(names, NAMES) if len(set(names)) > FEW else ""


def _each_once(names: Sequence[str], most: int) -> str:
    """The first names, each once; how many nodes there are beyond them, namesakes counted."""
    shown = list(dict.fromkeys(names))[:most]
    more = sum(name not in shown for name in names)
    return f"{', '.join(shown)} and {more:,} more" if more else listed(shown, most)


def in_words(summary: SummaryStep | None) -> str:
    """The answer in one line."""
    head, below = headline(summary)
    return below if summary is not None and not summary.value and summary.known and below else _joined(head, below)


def _joined(head: str, below: str) -> str:
    return f"{head}: {below}" if head and below else head


def _last(steps: Sequence[Step], kind: type[S]) -> S | None:
    return next((s for s in reversed(steps) if isinstance(s, kind)), None)
