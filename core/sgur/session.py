"""A diagnosis in rounds: an immutable session, each move of which gives a new one; its trace replays it.

Told something, or answered, a session weighs all hypotheses again and appends the steps of a round. A preview is a
move whose result is not kept; undo is the session before. Not here: who reads plain words into observations.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from core.errors import QuestionError, TraceError
from core.settings import checked_settings
from core.sgur.belief import place_of
from core.sgur.engine import Engine, Look
from core.sgur.query import Query
from core.sgur.round_steps import round_steps
from core.sgur.steps import (
    AnswerStep,
    BeliefStep,
    Given,
    Match,
    QuestionsStep,
    Reading,
    Reply,
    SgurConfig,
    SgurStep,
    StopStep,
    ToldStep,
    Unmatched,
)
from core.trace import NodeRef, Ranked, Step, Trace, Usage

METHOD = "sgur"
DECIDED_BY = "alignment engine"
CONTRADICTED = "{} was held to be {} before; what was said last holds."
REMADE = "This session was held with another version of the engine: its rounds were worked out anew and differ from it."
SAME = 1e-6  # bits, within which a belief counts as made again


@dataclass(frozen=True, eq=False)
class Session:
    """A session after some rounds. Two with the same engine, settings and moves have the same content.

    query: what is held. asked: positions whose question was answered, "unknown" among the answers. look: what the
    last round worked out; None before the first. before: the session that the last move was made on.
    """

    engine: Engine
    config: SgurConfig = field(default_factory=SgurConfig)
    query: Query = field(default_factory=Query)
    asked: frozenset[int] = frozenset()
    steps: tuple[SgurStep, ...] = ()
    round: int = 0
    look: Look | None = None
    before: Session | None = None
    notices: tuple[str, ...] = ()

    def tell(self, reading: Reading, decided_by: str = "") -> Session:
        """A round after something was told. QuestionError for an observation that the graph does not have."""
        observed = self._positions(m.observation for m in reading.observed)
        excluded = self._positions(m.observation for m in reading.excluded)
        clash = sorted({*observed} & {*self.query.excluded} | {*excluded} & {*self.query.observed, *observed})
        notices = tuple(self._contradiction(o) for o in clash)
        step = ToldStep(reading=reading, decided_by=decided_by or _reader(reading), reason=" ".join(notices))
        return self._moved(step, self.query.told(observed, excluded), self.asked, notices)

    def tell_ids(self, observed: Iterable[str] = (), excluded: Iterable[str] = ()) -> Session:
        """The same for ids: those that a source gave up are mapped, unknown ones are named in the reading."""
        return self.tell(reading_of_ids(self.engine, observed, excluded))

    def answer(self, answers: Mapping[str, Reply]) -> Session:
        """A round after questions were answered, by observation id. Any observation may be answered, asked for or not.

        QuestionError for an unknown observation, or when there is no answer at all.
        """
        if not answers:
            raise QuestionError("no question was answered", hint="Answer at least one with yes, no or don't know.")
        nodes = {self._position(id_): reply for id_, reply in answers.items()}
        yes = [o for o, reply in nodes.items() if reply == "yes"]
        no = [o for o, reply in nodes.items() if reply == "no"]
        given = tuple(self._given(o, reply) for o, reply in nodes.items())
        notices = tuple(self._contradiction(self._position(g.observation.id)) for g in given if g.overrules)
        step = AnswerStep(answers=given, decided_by="answers", reason=" ".join(notices))
        return self._moved(step, self.query.answers(yes, no), self.asked | {*nodes}, notices)

    def preview(self, answers: Mapping[str, Reply]) -> Session:
        """What `answer` would give. Nothing is changed by it: a session never is."""
        return self.answer(answers)

    def undo(self) -> Session:
        """The session before the last move; itself, before the first one."""
        return self.before or self

    def with_config(self, **changes: Any) -> Session:
        """The same moves with other settings, every round anew. ConfigError names a setting that is wrong."""
        return Session(self.engine, checked({**self.config.model_dump(), **changes}))._made(self.steps)

    def what_if(self, **changes: Any) -> Session:
        """The last round alone with other settings, the rounds before it as they were made (X-2).

        It equals the last round of `with_config`, at the price of one round.
        """
        config = checked({**self.config.model_dump(), **changes})
        moves = [s for s in self.steps if isinstance(s, (ToldStep, AnswerStep))]
        if self.before is None or not moves:
            return replace(self, config=config)
        again = replace(self.before, config=config)._moved(moves[-1], self.query, self.asked, ())
        return replace(again, before=self.before, notices=self.notices)

    @property
    def belief(self) -> BeliefStep | None:
        """The belief of the last round."""
        return next((s for s in reversed(self.steps) if isinstance(s, BeliefStep)), None)

    @property
    def questions(self) -> QuestionsStep | None:
        """The questions of the last round."""
        return next((s for s in reversed(self.steps) if isinstance(s, QuestionsStep)), None)

    @property
    def stop(self) -> StopStep | None:
        """Whether the session may end."""
        return next((s for s in reversed(self.steps) if isinstance(s, StopStep)), None)

    def trace(self, run_id: str = "", started_at: str = "") -> Trace:
        """The session as a trace."""
        told = [s.reading.words for s in self.steps if isinstance(s, ToldStep) and s.reading.words]
        belief = self.belief
        replies = sum(len(s.answers) for s in self.steps if isinstance(s, AnswerStep))
        return Trace(
            run_id=run_id,
            method=METHOD,
            question=told[0] if told else ", ".join(n.name for n in belief.observed) if belief else "",
            config=self.config.model_dump(),
            dataset=self.engine.graph.dataset,
            decided_by=DECIDED_BY,
            notices=(*self.engine.graph.notices, *self.notices),
            steps=self.steps,
            ranked=tuple(
                Ranked(id=b.hypothesis.id, name=b.hypothesis.name, type=b.hypothesis.type, score=b.probability)
                for b in (belief.beliefs if belief else ())
            ),
            usage=Usage(calls={"round": self.round, "answer": replies}),
            started_at=started_at,
            seconds=sum(s.seconds for s in self.steps),
        )

    @classmethod
    def from_trace(cls, engine: Engine, trace: Trace) -> Session:
        """Replay a trace, move by move; a notice says so where its beliefs come out otherwise.

        TraceError for another method's, or one made on other data.
        """
        if trace.method != METHOD:
            raise TraceError(f"this trace is of the method {trace.method!r}, not of a diagnosis in rounds")
        if trace.dataset.content_id != engine.graph.content_id:
            raise TraceError(
                f"this session was held on {trace.dataset.name}, which is not the data at hand",
                hint=f"Open {trace.dataset.name} in the same release to go on with it.",
            )
        made = cls(engine, checked(trace.config))._made(trace.steps)
        kept = [s.entropy_bits for s in trace.steps if isinstance(s, BeliefStep)]
        again = [s.entropy_bits for s in made.steps if isinstance(s, BeliefStep)]
        if len(kept) == len(again) and all(abs(a - b) <= SAME for a, b in zip(kept, again, strict=True)):
            return made
        return replace(made, notices=(*made.notices, REMADE))

    def _made(self, steps: Iterable[Step]) -> Session:
        """The moves among these steps, made one after another."""
        session = self
        for step in steps:
            if isinstance(step, ToldStep):
                session = session.tell(step.reading, step.decided_by)
            elif isinstance(step, AnswerStep):
                session = session.answer({g.observation.id: g.reply for g in step.answers})
        return session

    def _moved(
        self, step: ToldStep | AnswerStep, query: Query, asked: frozenset[int], notices: tuple[str, ...]
    ) -> Session:
        began = time.perf_counter()
        number = self.round + 1
        look = self.engine.look(query, self.config)
        skip = asked | {*query.observed, *query.excluded}
        made = round_steps(self.engine, look, number, skip)
        seconds = time.perf_counter() - began
        at = sum(s.seconds for s in self.steps)
        moves: list[SgurStep] = [step.model_copy(update={"round": number, "seconds": 0.0})]
        moves += [s.model_copy(update={"decided_by": DECIDED_BY}) for s in made]
        moves[1] = moves[1].model_copy(update={"seconds": seconds})
        first = len(self.steps) + 1
        numbered = tuple(s.model_copy(update={"index": first + i, "at": at}) for i, s in enumerate(moves))
        return replace(
            self,
            query=query,
            asked=asked,
            steps=(*self.steps, *numbered),
            round=number,
            look=look,
            before=self,
            notices=(*self.notices, *notices),
        )

    def _given(self, observation: int, reply: Reply) -> Given:
        held = "yes" if observation in self.query.observed else "no" if observation in self.query.excluded else ""
        node = self.engine.graph.observations.node(observation)
        overrules = held if held and reply != "unknown" and reply != held else ""
        return Given(observation=node, reply=reply, overrules=overrules)

    def _contradiction(self, observation: int) -> str:
        held = "absent" if observation in self.query.excluded else "present"
        return CONTRADICTED.format(self.engine.graph.observations.names[observation], held)

    def _positions(self, nodes: Iterable[NodeRef]) -> list[int]:
        return list(dict.fromkeys(self._position(node.id) for node in nodes))

    def _position(self, id_: str) -> int:
        place = self.engine.graph.observations.positions.get(self.engine.graph.replaced.get(id_, id_))
        if place is None:
            raise QuestionError(f"{id_!r} is no observation of {self.engine.graph.dataset.name}", where=id_)
        return place


def reading_of_ids(engine: Engine, observed: Iterable[str], excluded: Iterable[str] = ()) -> Reading:
    """Ids as a reading: replaced ones under their new id, unknown ones apart."""
    known: tuple[list[Match], list[Match]] = ([], [])
    unknown: list[Unmatched] = []
    graph = engine.graph
    for ids, matches in ((observed, known[0]), (excluded, known[1])):
        for id_ in dict.fromkeys(ids):
            place = graph.observations.positions.get(graph.replaced.get(id_, id_))
            if place is None:
                unknown.append(Unmatched(text=id_, why="unknown id"))
                continue
            where = tuple(graph.localisations.node(int(x)) for x in engine.index.localisations_of(place))
            how = "id" if id_ in graph.observations.positions else "replaced id"
            node = graph.observations.node(place)
            matches.append(Match(observation=node, said=id_, how=how, localisations=where))
    return Reading(observed=tuple(known[0]), excluded=tuple(known[1]), unmatched=tuple(unknown))


def checked(config: Mapping[str, Any]) -> SgurConfig:
    """The settings as a whole. ConfigError names the one that is wrong."""
    return checked_settings(SgurConfig, config)


def _reader(reading: Reading) -> str:
    return reading.encoder or "ids"


def running_score(session: Session, diagnosis: str) -> float | None:
    """The place of a known diagnosis by the last round, ties by their mean; None before a round or if unknown."""
    place = session.engine.graph.hypotheses.positions.get(diagnosis)
    if session.look is None or place is None:
        return None
    return place_of(session.look.distance, place)
