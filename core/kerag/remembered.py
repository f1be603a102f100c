"""What a planner decided lately, so that a decision made by hand leaves the earlier steps of the plan as they were.

A model asked again may decide otherwise, and costs. Only runs with decisions made by hand, or with triples taken
away, are answered from here; every other run decides afresh. What is kept here dies with the process; a run's trace
holds its decisions for good, and `Memory.take_over` reads them back from there.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence

from core.kerag.contracts import Topics
from core.kerag.settings import KeragConfig
from core.kerag.steps import SchemaStep, SeenRelation, TopicStep
from core.trace import Trace

KEPT = 400  # decisions
_NOT_OF_THE_PLAN = {"overrules", "without", "budget", "reason", "top", "hops", "max_hops"}


class Decisions:
    """The last decisions by what they depend on. Safe to use from any thread."""

    def __init__(self, limit: int = KEPT) -> None:
        self._limit = limit
        self._made: OrderedDict[Hashable, Topics | SchemaStep] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Topics | SchemaStep | None:
        """What was decided, if it is still kept."""
        with self._lock:
            made = self._made.get(key)
            if made is not None:
                self._made.move_to_end(key)
            return made

    def put(self, key: Hashable, made: Topics | SchemaStep) -> None:
        """Keep a decision, and forget the oldest one beyond the limit."""
        with self._lock:
            self._made[key] = made
            self._made.move_to_end(key)
            while len(self._made) > self._limit:
                self._made.popitem(last=False)


class Memory:
    """The decisions of one question, as a run with these settings may use them."""

    def __init__(self, decisions: Decisions, content_id: str, decided_by: str, question: str, config: KeragConfig):
        self._decisions = decisions
        self._config = config
        rest = config.model_dump_json(exclude=_NOT_OF_THE_PLAN)
        self._about: tuple[Hashable, ...] = (content_id, decided_by, question, rest)
        self._may_use = bool(config.overrules or config.without)

    def topics(self) -> Topics | None:
        """The topics as they were found."""
        known = self._decisions.get((*self._about, 0)) if self._may_use else None
        return known if isinstance(known, Topics) else None

    def keep_topics(self, topics: Topics) -> Topics:
        """Remember the topics."""
        self._decisions.put((*self._about, 0), topics)
        return topics

    def schema(self, hop: int, seen: Sequence[SeenRelation]) -> SchemaStep | None:
        """What was decided at this hop with the same decisions made by hand up to here, on the same relations."""
        known = self._decisions.get(self._key(hop)) if self._may_use else None
        if not isinstance(known, SchemaStep):
            return None
        same = [(s.relation, s.direction, s.edges) for s in known.relations] == [
            (s.relation, s.direction, s.edges) for s in seen
        ]
        return known if same else None

    def keep_schema(self, hop: int, step: SchemaStep) -> SchemaStep:
        """Remember the decision of a hop."""
        self._decisions.put(self._key(hop), step)
        return step

    def take_over(self, trace: Trace, position_of: Callable[[str], int]) -> None:
        """Remember what was decided in a run of this question with these settings. KeyError for an unknown node.

        A run of other data is passed over.
        """
        if trace.dataset.content_id != self._about[0]:
            return
        for step in trace.steps:
            if isinstance(step, TopicStep):
                self.keep_topics(Topics(step, tuple(position_of(topic.node.id) for topic in step.topics)))
            elif isinstance(step, SchemaStep):
                self.keep_schema(step.hop, step)

    def _key(self, hop: int) -> Hashable:
        by_hand = frozenset(o for o in self._config.overrules if o.hop <= hop)
        return (*self._about, hop, by_hand)


shared = Decisions()
