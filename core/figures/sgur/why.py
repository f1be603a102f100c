"""Why a hypothesis stands where it does: its distance and its probability with their numbers, and its reasons as rows.

Not here: how a distance is computed (core/sgur/alignment.py), and the picture of an alignment (alignment.py).
"""

from __future__ import annotations

import math

from core.figures.explain import Equation
from core.figures.tables import Cell, Table
from core.sgur.steps import Belief, BeliefStep, Question, QuestionsStep, SgurConfig
from core.sgur.wording import percent


def belief_of(step: BeliefStep | None, hypothesis: str) -> Belief | None:
    """The belief in that hypothesis, else in the leader; None without any."""
    if step is None or not step.beliefs:
        return None
    return next((b for b in step.beliefs if b.hypothesis.id == hypothesis), step.beliefs[0])


def why_believed(step: BeliefStep, belief: Belief, config: SgurConfig) -> tuple[Equation, ...]:
    """The parts of D, their sum, and P: label, equation with its numbers, and the value."""
    p, total = belief.parts, belief.parts.total
    nearest = step.beliefs[0]
    factor = step.exponent
    share = math.exp(-factor * (belief.distance - nearest.distance))
    feature = f"(1 − α) ⟨γ, M⟩ = {_weighed(1 - config.alpha, p.feature)}"
    structure = f"α Σ |C − C′|² γγ = {_weighed(config.alpha, p.structure)}"
    if not belief.aligned:
        feature = f"at least, in closed form = {p.feature:.4f}"
    power = "D / β" if config.literal else "n D / β"
    return (
        Equation("Features", feature, p.feature),
        Equation("Structure", structure, p.structure),
        Equation("Unmatched", f"c (1 − m) = {p.unmatched:.4f}", p.unmatched),
        Equation("Size", f"what it has beside all this = {p.size:.4f}", p.size),
        Equation("Denied", f"what was denied, and it has = {p.denied:.4f}", p.denied),
        Equation(
            "Distance",
            f"D = {p.feature:.4f} + {p.structure:.4f} + {p.unmatched:.4f} + {p.size:.4f} + {p.denied:.4f}"
            f" = {total:.4f}",
            total,
        ),
        Equation(
            "Beside the first",
            f"exp(−({power} − the first's)) = exp(−{factor:.2f} · ({belief.distance:.4f} − {nearest.distance:.4f}))"
            f" = {share:.4f}",
            share,
        ),
        Equation(
            "Probability",
            f"P = {share:.4f} · P(first) = {share:.4f} · {nearest.probability:.4f} = {belief.probability:.4f}, or "
            f"{percent(belief.probability)}",
            belief.probability,
        ),
    )


def _weighed(weight: float, value: float) -> str:
    """A part as its weight times what it weighs."""
    return f"{weight:.2f} · {value / weight:.4f}" if weight else f"0 = {value:.4f}"


def reasons_table(belief: Belief) -> Table:
    """What each observation says of the hypothesis."""
    rows: list[dict[str, Cell]] = [
        {
            "Observation": ("not " if r.denied else "") + r.observation.name,
            "Says of it": r.words,
            "Weight": round(r.weight, 4),
            "Alike": round(r.similarity, 4),
            "Adds to the distance": round(r.cost, 4),
        }
        for r in belief.reasons
    ]
    columns = ("Observation", "Says of it", "Weight", "Alike", "Adds to the distance")
    return Table("Reasons", columns, tuple(rows), tuple(r.observation.id for r in belief.reasons))


def gain_terms(step: QuestionsStep, question: Question) -> tuple[str, str]:
    """EIG as it is defined, and with this question's numbers."""
    no = 1 - question.p_yes
    return (
        "EIG = H − p(yes) · H after yes − p(no) · H after no",
        f"= {step.entropy_bits:.2f} − {question.p_yes:.2f} · {question.entropy_yes:.2f} − {no:.2f} · "
        f"{question.entropy_no:.2f} = {question.eig_bits:.2f} bits",
    )
