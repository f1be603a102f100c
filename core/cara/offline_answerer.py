"""The answer, offline: the evidence that was found, quoted, and the links by which it was reached (CARA-8).

It computes nothing: no count, no comparison, no yes or no; where a question asks for one, it says so and gives the
evidence. Not here: the ranking, or any reading of the graph; it sees the fused list and the steps alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.cara.steps import Appended, AppendStep, Hop
from core.retriever import ShouldStop
from core.trace import Answer, Claim, Evidence, NodeRef, Ranked, Step

DECIDED_BY = "offline policy"
CLAIMS = 10  # nodes that the answer names
RANKED_QUOTED = 5  # nodes of a mere ranking that are quoted
QUOTED = 160  # characters of a node's text that are quoted

_YES_OR_NO = re.compile(r"^\s*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b", re.I)
_COUNT = re.compile(r"\bhow (?:many|much)\b|\b(?<!est )(?:number|count) of\b", re.I)
_COMPARISON = re.compile(
    r"\b(?:most|least|best|worst|first|last|more|less"
    r"|(?:old|young|new|lat|earli|high|low|long|short|larg|small|bigg|great|few|cheap|fast|slow|quick|heavi)(?:er|est))\b",
    re.I,
)


class OfflineAnswerer:
    """Quotes the evidence behind the nodes that the first of the fused list leads to."""

    decided_by = DECIDED_BY
    exchange = None

    def answer(
        self,
        question: str,
        ranked: Sequence[Ranked],
        steps: Sequence[Step],
        should_stop: ShouldStop | None = None,
    ) -> Answer:
        """A claim for each of the first ten nodes that were reached in the same way as the best one.

        A claim names the node and quotes each link of its path, or, for a node found by search alone, its text.
        """
        appended = _appended(steps)
        known = [r for r in ranked if r.id in appended]
        if not appended and ranked:
            return self._of_a_ranking(question, ranked, steps)
        if not known:
            return Answer(text="Nothing was found in the graph that answers this question.", decided_by=self.decided_by)
        way = _way(appended[known[0].id])
        same = [appended[r.id] for r in known if _way(appended[r.id]) == way]
        claims = tuple(_claim(a) for a in same[:CLAIMS])
        parts = [_what_is_not_computed(question), *(c.text for c in claims)]
        if len(same) > CLAIMS:
            parts.append(f"{len(same) - CLAIMS} more were reached in the same way.")
        return Answer(text=" ".join(p for p in parts if p), claims=claims, decided_by=self.decided_by)

    def for_run(self) -> OfflineAnswerer:
        """Itself: nothing is kept of a run."""
        return self

    def tokens(self) -> tuple[int | None, int | None]:
        """None: no model is asked."""
        return None, None

    def _of_a_ranking(self, question: str, ranked: Sequence[Ranked], steps: Sequence[Step]) -> Answer:
        """For a method that only ranks: the first few nodes, each with its text quoted and how it was reached."""
        found = {e.node.id: e for step in steps for e in step.evidence()}
        claims = []
        for line in ranked[:RANKED_QUOTED]:
            node = NodeRef(id=line.id, name=line.name, type=line.type)
            seen = found.get(line.id)
            quote = _shortened(seen.quote) if seen is not None else ""
            link = seen.link if seen is not None else ""
            said = link or (f"“{quote}”" if quote else "")
            text = f"{line.name}: {said}." if said else f"{line.name}."
            claims.append(Claim(text=text, evidence=(Evidence(node=node, quote=quote or line.name, link=link),)))
        words = " ".join(p for p in (_what_is_not_computed(question), *(c.text for c in claims)) if p)
        return Answer(text=words, claims=tuple(claims), decided_by=self.decided_by)


def _appended(steps: Sequence[Step]) -> dict[str, Appended]:
    """Each appended node as the first agent that has it appended it."""
    found: dict[str, Appended] = {}
    for step in sorted(steps, key=lambda s: (s.agent, s.index)):
        if isinstance(step, AppendStep):
            for node in step.nodes:
                found.setdefault(node.node.id, node)
    return found


def _way(appended: Appended) -> tuple[str, ...]:
    """From where, and by which links, a node was reached."""
    start = appended.anchor.id if appended.anchor and appended.path else ""
    return (start, *(f"{hop.link.direction} {hop.link.type}" for hop in appended.path))


def link_in_words(before: NodeRef, hop: Hop) -> str:
    """One link as the graph states it, head first: "Lamp → made by → Ada"; namesakes are told apart by type."""
    head, tail = (before, hop.node) if hop.link.direction == "out" else (hop.node, before)
    same = head.name == tail.name
    return f"{_told(head, same)} → {hop.link.type} → {_told(tail, same)}"


def _told(node: NodeRef, with_type: bool) -> str:
    return f"{node.name} ({node.type})" if with_type and node.type else node.name


def _claim(appended: Appended) -> Claim:
    if appended.anchor is None or not appended.path:
        quote = _quote(appended)
        text = f"{appended.node.name}." if quote == appended.node.name else f"{appended.node.name}: “{quote}”."
        return Claim(text=text, evidence=(Evidence(node=appended.node, quote=quote),))
    evidence = []
    before = appended.anchor
    for hop in appended.path:
        last = hop is appended.path[-1]
        quote = _quote(appended) if last else hop.node.name
        evidence.append(Evidence(node=hop.node, quote=quote, link=link_in_words(before, hop)))
        before = hop.node
    return Claim(text=f"{appended.node.name}: {'; '.join(e.link for e in evidence)}.", evidence=tuple(evidence))


def _quote(appended: Appended) -> str:
    """The beginning of the node's text, else its name."""
    return _shortened(appended.text) or appended.node.name


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= QUOTED else text[:QUOTED].rsplit(" ", 1)[0] + "…"


def _what_is_not_computed(question: str) -> str:
    if _YES_OR_NO.search(question):
        return "This is a yes-or-no question; the offline answerer judges none. The evidence found:"
    if _COUNT.search(question):
        return "This question asks for a number; the offline answerer counts nothing. The evidence found:"
    if _COMPARISON.search(question):
        return "This question asks for a comparison; the offline answerer makes none. The evidence found:"
    return ""
