"""A run while it goes, as lanes: each agent's newest steps, what it does now, and its hop's candidates filling in.

Made from the steps so far alone, so that a reload draws the same. Not here: the run's state, and when it is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from core.cara.steps import AssessStep, FailedStep, FinishStep, NeighborsStep
from core.figures.captions import told
from core.figures.words import agent_name, count, named, one_line
from core.trace import Step

STEPS = 4  # the newest steps that a lane shows
CANDIDATES = 8  # of a hop; the others are counted


@dataclass(frozen=True, slots=True)
class Filling:
    """A candidate: hollow while `score` is None, then filled by s_i in [0, 1]."""

    name: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Lane:
    """One agent. `steps` are its newest, oldest first, counted from `first`; `doing` is empty once it has `ended`.

    hop: whose candidates are shown; empty before the first look. more: how many candidates are not shown.
    """

    agent: int
    steps: tuple[str, ...] = ()
    first: int = 1
    doing: str = ""
    ended: bool = False
    hop: str = ""
    candidates: tuple[Filling, ...] = ()
    more: int = 0


def lanes(steps: Sequence[Step], agents: int = 1, *, judged: bool = True) -> tuple[Lane, ...]:
    """A lane for each of `agents` agents, and for any further one that has made a step.

    judged: whether the causal module follows each look, so that candidates without scores are waiting for it.
    """
    last = max((s.agent + 1 for s in steps), default=0)
    return tuple(_lane(a, [s for s in steps if s.agent == a], judged) for a in range(max(agents, last)))


def lanes_html(drawn: Sequence[Lane], *, hops: bool) -> str:
    """The lanes as HTML, all text escaped. `hops` keeps room for candidates from the first moment on."""
    return f"<div class='cw-live{' cw-hops' if hops else ''}'>{''.join(map(_lane_html, drawn))}</div>"


def _lane(agent: int, own: Sequence[Step], judged: bool) -> Lane:
    own = sorted(own, key=lambda s: s.index)
    looks = [s for s in own if isinstance(s, NeighborsStep)]
    look = looks[-1] if looks else None
    words = tuple(_words(s, looks) for s in own[-STEPS:])
    first = own[-STEPS:][0].index if own else 1
    if look is None:
        return Lane(agent, words, first, _doing(own, 0), _ended(own))
    weighed = next((s for s in own if isinstance(s, AssessStep) and s.source == look.index), None)
    rows = _filled(look, weighed)
    waiting = len(look.candidates) if judged and own[-1] is look else 0
    return Lane(
        agent,
        words,
        first,
        _doing(own, waiting),
        _ended(own),
        hop=named(look.node.name),
        candidates=rows[:CANDIDATES],
        more=max(0, len(rows) - CANDIDATES),
    )


def _words(step: Step, looks: Sequence[NeighborsStep]) -> str:
    hop = next((s for s in looks if isinstance(step, AssessStep) and s.index == step.source), None)
    return one_line(told(step, hop))


def _filled(look: NeighborsStep, weighed: AssessStep | None) -> tuple[Filling, ...]:
    """As found until they are judged; then best first, and last those that the module passed over."""
    names = {c.node.id: named(c.node.name) for c in look.candidates}
    if weighed is None:
        return tuple(Filling(name) for name in names.values())
    scored = {a.id: a.score for a in weighed.assessments if a.id in names}
    return (
        *(Filling(names[i], score) for i, score in scored.items()),
        *(Filling(name) for i, name in names.items() if i not in scored),
    )


def _doing(own: Sequence[Step], waiting: int) -> str:
    if not own:
        return "about to begin"
    if _ended(own):
        return ""
    if waiting:
        return f"judging {count(waiting, 'candidate')}"
    return "trying again" if isinstance(own[-1], FailedStep) else "choosing its next step"


def _ended(own: Sequence[Step]) -> bool:
    return any(isinstance(s, FinishStep) for s in own)


def _lane_html(lane: Lane) -> str:
    state = "ended" if lane.ended else lane.doing
    moving = "" if lane.ended else "<i class='cw-moving' aria-hidden='true'></i>"
    shown = "".join(
        f"<li title='{escape(words)}' dir='auto'><span class='cw-quiet'>{lane.first + i}</span> {escape(words)}</li>"
        for i, words in enumerate(lane.steps)
    )
    head = f"<b>{escape(agent_name(lane.agent))}</b> <span class='cw-quiet'>{escape(state)}</span>"
    return f"<section class='cw-lane'><header>{head}{moving}</header><ol>{shown}</ol>{_hop_html(lane)}</section>"


def _hop_html(lane: Lane) -> str:
    if not lane.hop:
        return "<div class='cw-hop'></div>"
    rows = "".join(map(_candidate_html, lane.candidates)) or "<li class='cw-quiet'>no neighbours</li>"
    more = f" <span class='cw-quiet'>and {lane.more:,} more</span>" if lane.more else ""
    return (
        f"<div class='cw-hop'><div class='cw-around' dir='auto'>Candidates around <b>{escape(lane.hop)}</b>{more}</div>"
        f"<ul>{rows}</ul></div>"
    )


def _candidate_html(candidate: Filling) -> str:
    name = f"<span dir='auto' title='{escape(candidate.name)}'>{escape(candidate.name)}</span>"
    if candidate.score is None:
        return f"<li class='hollow'><i></i>{name}<output></output></li>"
    share = 100 * min(1.0, max(0.0, candidate.score))
    return f"<li><i><i style='width:{share:.0f}%'></i></i>{name}<output>{candidate.score:.2f}</output></li>"
