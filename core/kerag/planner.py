"""The planner, offline: topics by their names, relations by what they say of the question (KERAG-1).

A relation stays when a word of the question speaks of it or of where it leads, when a promising route through the
schema takes it at this hop, or when it leads to values that the question compares; where there is room, it stays
unless it is plainly irrelevant. It is enough when the best route has been followed to its end and no part of the
question is left that a relation ahead speaks of. Not here: the walk (`neighbourhood`), the reasoning (`summariser`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.graph.contracts import Relation
from core.kerag.contracts import Topics
from core.kerag.outlook import SPEAKS_OF, Followed, Outlook
from core.kerag.question_kind import Form, form_of
from core.kerag.reading import Reading
from core.kerag.settings import KeragConfig
from core.kerag.steps import SchemaStep, SeenRelation, TopicStep
from core.kerag.topics import Named, TopicFinder
from core.linking.mentions import Mention
from core.llm.exchange import Exchange

Flags = NDArray[np.bool_]

DECIDED_BY = "offline planner"
ROOM = 200  # triples of a relation up to which there is room for one that is not plainly irrelevant
ANYTHING = 0.25  # similarity below which a relation is plainly irrelevant even so
AHEAD = 0.2  # similarity of the relation nearest to an open part, from which it is worth another hop
LEAST = 0.35  # the same for a relation of many triples
READ_AROUND = 8  # topics that the question is read around; those of a whole class are much alike
VALUES = 0.5  # share of values among a relation's neighbours, from which it leads to values


class OfflinePlanner:
    """Plans for one question."""

    decided_by = DECIDED_BY
    exchange: Exchange | None = None

    def __init__(self, reading: Reading, config: KeragConfig) -> None:
        self._reading = reading
        self._config = config
        self._topics: list[Outlook] = []
        self._form = Form("lookup")

    # --- step 1 -------------------------------------------------------------------------------------

    def topics(self) -> Topics:
        """The entities that the question names; the domain is the type they belong to."""
        named = TopicFinder(self._reading).find()
        self._take(named.positions, named.mentions)
        step = TopicStep(
            topics=named.topics,
            domain=next((t.node.type for t in named.topics if t.node.type), ""),
            question_kind=self._form.kind,
            reason=_topic_reason(named),
        )
        return Topics(step, named.positions)

    def resume(self, topics: Topics) -> None:
        """Read the question around topics that were found before."""
        question = self._reading.question
        mentions = [
            Mention(t.start, t.end, question[t.start : t.end], (position,), 0)
            for t, position in zip(topics.step.topics, topics.positions, strict=True)
        ]
        self._take(topics.positions, mentions)

    def _take(self, positions: Sequence[int], mentions: Sequence[Mention]) -> None:
        around = list(zip(positions, mentions, strict=True))[:READ_AROUND]
        self._topics = [Outlook.of(self._reading.about(position, m, mentions)) for position, m in around]
        self._form = form_of(self._reading.question, list(dict.fromkeys((m.start, m.end) for m in mentions)))

    # --- steps 3 and 4 ------------------------------------------------------------------------------

    def judge(self, hop: int, frontier: int, seen: Sequence[SeenRelation], earlier: Sequence[SchemaStep]) -> SchemaStep:
        """What stays at a hop, and whether it is enough."""
        before = [self._kept(step.relations) for step in earlier]
        judged = tuple(self._judged(s, before) for s in seen)
        followed = [*before, self._kept(judged)]
        covered, uncovered = self._parts(followed)
        more = self._further(followed, uncovered)
        return SchemaStep(
            hop=hop,
            frontier=frontier,
            relations=judged,
            covered=covered,
            uncovered=uncovered,
            enough=not more,
            reason=more or self._why_enough(uncovered, followed[-1]),
        )

    def _judged(self, seen: SeenRelation, before: Followed) -> SeenRelation:
        """One relation in view, with what speaks for it."""
        code = self._code(seen)
        covers = tuple(dict.fromkeys(part for topic in self._topics for part in topic.spoken_by(code)))
        share = max((topic.share(before, code) for topic in self._topics), default=0.0)
        near, part = max((topic.nearest(code) for topic in self._topics), default=(0.0, ""))
        kept, reason = self._verdict(seen, code, before, covers, share, near, part)
        if seen.by == "hand":
            kept, reason = seen.kept, seen.reason
        elif not (kept or self._config.drop_relations):
            kept, reason = True, "nothing is left out in this run"
        relevance = round(max(near, share), 4)
        return seen.model_copy(update={"relevance": relevance, "covers": covers, "kept": kept, "reason": reason})

    def _verdict(
        self,
        seen: SeenRelation,
        code: int,
        before: Followed,
        covers: Sequence[str],
        share: float,
        near: float,
        part: str,
    ) -> tuple[bool, str]:
        """Whether a relation stays, and why. share: of the routes by it; near: of the part that is nearest to it."""
        if not self._reading.roles.kept[code]:
            return False, "says the same as another relation, backwards"
        if share > 0 and covers:
            return True, f"speaks of {_listed(covers)}"
        if share > 0 and all(topic.mute for topic in self._topics):
            return True, "the question speaks of no relation, so any may be meant"
        if share > 0:
            return True, "lies on a way that fits the question"
        left_open, word = max((topic.left_open(code) for topic in self._topics), default=(0.0, ""))
        roomy = seen.edges <= ROOM
        if left_open >= (AHEAD if roomy else LEAST):
            return True, f"may speak of {_listed([word])}"
        if roomy and near >= ANYTHING:
            return True, f"may speak of {_listed([part])}, and there is room for it"
        if before and self._wants_values and self._leads_to_values(code):
            return True, "leads to values that can be compared"
        if covers:
            return False, f"at this hop no way that fits the question takes it, though {_listed(covers)} speaks of it"
        return False, "no part of the question speaks of it"

    # --- is it enough -------------------------------------------------------------------------------

    def _parts(self, followed: Followed) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Parts of the question that kept relations speak of, and those that matter and are still open.

        A part that the best route explains later on is open until then, whatever else sounds like it.
        """
        covered: dict[str, None] = {}
        missing: dict[str, None] = {}
        codes = sorted(frozenset().union(*followed))
        extreme = self._form.extreme
        measured = (extreme.start, extreme.end) if extreme is not None else (0, 0)
        for topic in self._topics:
            best = topic.following(followed)
            later = frozenset(best.licensed_by[len(followed) :]) if best is not None else frozenset()
            spoken = topic.says[codes].max(axis=0, initial=0.0)
            for n, part in enumerate(topic.parts):
                if spoken[n] >= SPEAKS_OF and n not in later:
                    covered.setdefault(part)
                elif topic.awaits(n, measured):
                    missing.setdefault(part)
        return tuple(covered), tuple(part for part in missing if part not in covered)

    def _further(self, followed: Followed, uncovered: Sequence[str]) -> str:
        """Why another hop is needed; "" when this is enough."""
        now = sorted(followed[-1])
        if not now:
            return ""
        for topic in self._topics:
            best = topic.following(followed)
            if best is not None and len(best.hops) > len(followed):
                ahead = self._reading.roles.relation(best.hops[len(followed)])
                return f"'{ahead.type}' is still ahead" + (f" for {_listed(uncovered)}" if uncovered else "")
        reachable: Flags = np.asarray(self._reading.roles.follows[now].any(axis=0), dtype=np.bool_)
        behind = sorted(frozenset().union(*followed))
        for topic in self._topics:
            met, ahead_of = (topic.says[codes].max(axis=0, initial=0.0) for codes in (behind, reachable))
            for n, part in enumerate(topic.parts):
                if part in uncovered and ahead_of[n] >= AHEAD and ahead_of[n] > met[n]:
                    return f"{_listed([part])} is still open, and a relation further on speaks of it"
        valued = any(map(self._leads_to_values, behind))
        if self._wants_values and not valued and any(map(self._leads_to_values, np.flatnonzero(reachable).tolist())):
            return "values to compare lie one hop further"
        return ""

    def _why_enough(self, uncovered: Sequence[str], kept: frozenset[int]) -> str:
        if not kept:
            return "nothing in view speaks of the question"
        if all(topic.mute for topic in self._topics):
            return "the question speaks of no relation; what lies nearest must do"
        if uncovered:
            return f"no relation further on speaks of {_listed(uncovered)}"
        return "every part of the question that the graph can speak of is covered"

    @property
    def _wants_values(self) -> bool:
        """Whether values are to be compared with each other or with a bound."""
        return bool(self._form.tests or (self._form.extreme and self._form.extreme.dimensions))

    def _leads_to_values(self, code: int) -> bool:
        return bool(self._reading.roles.numeric[code ^ 1] >= VALUES)

    def _kept(self, seen: Iterable[SeenRelation]) -> frozenset[int]:
        return frozenset(self._code(s) for s in seen if s.kept)

    def _code(self, seen: SeenRelation) -> int:
        return self._reading.code(Relation(seen.relation, seen.direction))


def _topic_reason(named: Named) -> str:
    unknown = f"the graph has no node called {_listed(named.unknown)}" if named.unknown else ""
    if not named.topics:
        return unknown or "the question names no node of the graph"
    if len(set(named.mentions)) < len(named.topics):
        return "; ".join(named.why)
    name = "the question names it" if len(named.topics) == 1 else "the question names them"
    return "; ".join(part for part in (name, *named.why, unknown) if part)


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"“{word}”" for word in words)
