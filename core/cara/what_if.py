"""What other weights would have said of a finished run (X-2). No model is called, and no action is changed.

The candidates of each hop are scored and ordered again; the actions taken, the path and the fused list
stay as they were made. A hop whose choice would have been another is marked.
"""

from __future__ import annotations

from core.cara.scores import scored
from core.cara.steps import AppendStep, AssessStep, NeighborsStep
from core.trace import Frozen, Step, Trace

NOTICE = "What-if: candidates re-scored with lambda {:.2f} and alpha {:.2f}; the walk and the fused list are as made."


class ChangedChoice(Frozen):
    """A hop at which the other weights prefer other candidates. `taken` and `preferred` are node ids, best first."""

    agent: int
    index: int  # of the assess step
    taken: tuple[str, ...]
    preferred: tuple[str, ...]


def rescore(trace: Trace, lambda_: float, alpha: float) -> Trace:
    """The trace with every hop's candidates re-scored and re-ordered by these weights.

    Each score is the one a fresh assessment with these weights would give; ties keep the order of the run.
    """
    steps = tuple(_rescored(s, lambda_, alpha) if isinstance(s, AssessStep) else s for s in trace.steps)
    config = {**trace.config, "lambda_": lambda_, "alpha": alpha}
    notices = (*trace.notices, NOTICE.format(lambda_, alpha))
    return trace.model_copy(update={"steps": steps, "config": config, "notices": notices})


def changed_choices(trace: Trace, lambda_: float, alpha: float) -> list[ChangedChoice]:
    """The hops whose choice would have been another, by agent, then in order of the walk.

    If n candidates of a hop were taken further, the choice changes when the n best by the new
    weights are not the n best by the old ones.
    """
    changes = []
    taken = _taken(trace.steps)
    for step in sorted(trace.steps, key=lambda s: (s.agent, s.index)):
        if not isinstance(step, AssessStep):
            continue
        n = len(taken.get((step.agent, step.index), ()))
        before = tuple(a.id for a in step.assessments[:n])
        after = tuple(a.id for a in scored(step.assessments, lambda_, alpha)[:n])
        if set(before) != set(after):
            changes.append(ChangedChoice(agent=step.agent, index=step.index, taken=before, preferred=after))
    return changes


def _rescored(step: AssessStep, lambda_: float, alpha: float) -> AssessStep:
    assessments = scored(step.assessments, lambda_, alpha)
    return step.model_copy(update={"lambda_": lambda_, "alpha": alpha, "assessments": assessments})


def _taken(steps: tuple[Step, ...]) -> dict[tuple[int, int], set[str]]:
    """For each (agent, step index) whose list was drawn on: the nodes that were looked around or appended."""
    taken: dict[tuple[int, int], set[str]] = {}
    for step in steps:
        if isinstance(step, NeighborsStep) and step.source is not None:
            taken.setdefault((step.agent, step.source), set()).add(step.node.id)
        elif isinstance(step, AppendStep):
            for appended in step.nodes:
                if appended.source is not None:
                    taken.setdefault((step.agent, appended.source), set()).add(appended.node.id)
    return taken
