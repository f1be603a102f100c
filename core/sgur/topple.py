"""What would change the belief's mind: the answers that would put another hypothesis first, and the evidence without
which another would be.

Each is a whole round made with that one change and thrown away. Not here: which questions are worth asking.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from core.sgur.query import Query
from core.sgur.round_steps import belief_step
from core.sgur.session import Session
from core.sgur.steps import BeliefStep
from core.trace import NodeRef

Change = Literal["yes", "no", "without"]
MOST = 8  # questions that are tried, both ways


@dataclass(frozen=True, slots=True)
class Changed:
    """One change and what it would do. without: the observation was never told.

    leader, probability: who would be first then. kept: the probability of the present leader then, 0 beyond what a
    belief names. topples: another one would be first.
    """

    observation: NodeRef
    change: Change
    leader: NodeRef
    probability: float
    kept: float
    topples: bool


def changes(session: Session, most: int = MOST) -> Iterator[Changed]:
    """The likeliest topplers one after another: each question answered both ways, then each observation taken away."""
    belief = session.belief
    if belief is None or not belief.beliefs:
        return
    first = belief.beliefs[0].hypothesis
    names = session.engine.graph.observations
    held = session.query
    for question in session.questions.questions[:most] if session.questions is not None else ():
        place = names.positions[question.observation.id]
        for change, query in (("yes", held.answers([place])), ("no", held.answers([], [place]))):
            yield _changed(question.observation, "yes" if change == "yes" else "no", _belief(session, query), first)
    for place in (*held.observed, *held.excluded):
        yield _changed(names.node(place), "without", _belief(session, held.without(place)), first)


def _belief(session: Session, query: Query) -> BeliefStep:
    return belief_step(session.engine, session.engine.look(query, session.config))


def _changed(observation: NodeRef, change: Change, after: BeliefStep, first: NodeRef) -> Changed:
    leader = after.beliefs[0]
    kept = next((b.probability for b in after.beliefs if b.hypothesis.id == first.id), 0.0)
    tied = kept >= leader.probability
    return Changed(
        observation=observation,
        change=change,
        leader=first if tied else leader.hypothesis,
        probability=kept if tied else leader.probability,
        kept=kept,
        topples=not tied,
    )
