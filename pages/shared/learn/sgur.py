"""The chapter on SGUR. Its lessons run the real engine on five things that can ail a plant, small enough to follow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.figures.explain import Equation
from core.figures.sgur.alignment import alignment_of, alignment_picture
from core.figures.sgur.why import belief_of, gain_terms, why_believed
from core.sgur.belief import entropy_bits, exponent, probabilities
from core.sgur.steps import AlignmentStep
from pages.shared import bridge, charts
from pages.shared.learn.lesson import Chapter, Lesson, Place
from pages.shared.text import esc
from pages.shared.why_panel import equations

if TYPE_CHECKING:
    from core.sgur.engine import Engine
    from core.sgur.session import Session

HERE = "pages/sgur.py"
SIGNS = {  # observation: where it is seen
    "Yellow leaves": ("Leaf",),
    "Drooping shoots": ("Shoot",),
    "Wet soil": ("Root",),
    "Dry soil": ("Root",),
    "White dust": ("Leaf",),
    "Holes in the leaves": ("Leaf",),
    "Slime trails": ("Leaf", "Root"),
    "Green veins": ("Leaf",),
}
AILMENTS = {  # hypothesis: how often each sign is seen with it
    "Too much water": {"Yellow leaves": 0.8, "Drooping shoots": 0.6, "Wet soil": 1.0},
    "Too little water": {"Drooping shoots": 0.9, "Dry soil": 1.0},
    "Mildew": {"White dust": 1.0, "Yellow leaves": 0.3},
    "Slugs": {"Holes in the leaves": 1.0, "Slime trails": 0.7},
    "Lack of iron": {"Yellow leaves": 0.9, "Green veins": 0.9},
}
DISTANCES = {"Too much water": 0.10, "Lack of iron": 0.16, "Mildew": 0.30, "Too little water": 0.55, "Slugs": 0.80}


def alignment() -> None:
    """What was seen, laid on one ailment."""
    seen = st.pills(
        "Seen", list(SIGNS), selection_mode="multi", default=["Yellow leaves", "Wet soil"], key="learn_seen"
    )
    left, right = st.columns(2, gap="medium")
    chosen = left.selectbox("Laid on", list(AILMENTS), key="learn_laid_on")
    alpha = right.slider("α: share of structure", 0.0, 1.0, 0.5, 0.05, key="learn_sgur_alpha")
    if not seen:
        st.html("<p class='cw-quiet'>Choose what is seen: without it there is nothing to lay on anything.</p>")
        return
    session = _told(tuple(seen), alpha=alpha)
    step = next(s for s in session.steps if isinstance(s, AlignmentStep))
    hypothesis = f"h{list(AILMENTS).index(chosen)}"
    found = alignment_of(step, hypothesis)
    if found is None:
        st.html(
            "<p class='cw-quiet'>It shares nothing with what was seen, so it is no candidate and is not aligned.</p>"
        )
        return
    charts.draw(alignment_picture(step, found, bridge.theme()), key="learn_alignment")
    belief = belief_of(session.belief, hypothesis)
    if belief is not None and session.belief is not None:
        lines = why_believed(session.belief, belief, session.config)
        st.html(f"<section class='cw-why' aria-label='The distance'>{equations(lines[:6])}</section>")


def belief() -> None:
    """Five distances, and the belief they make."""
    left, right = st.columns(2, gap="medium")
    terms = left.slider("n: observations that were told", 1, 8, 3, key="learn_terms")
    beta = right.slider("β: temperature", 0.02, 1.0, 0.15, 0.01, key="learn_beta")
    x = exponent(terms, beta, literal=False)
    p = probabilities(np.array(list(DISTANCES.values())), x)
    lines = [
        Equation(name, f"exp(−{terms} · {d:.2f} / {beta:.2f}) / Z = {math.exp(-x * d):.4f} / Z = {share:.2f}", share)
        for (name, d), share in zip(DISTANCES.items(), p.tolist(), strict=True)
    ]
    lines.append(Equation("Entropy", f"H = {entropy_bits(p):.2f} bits of {math.log2(len(p)):.2f}", -1.0))
    st.html(f"<section class='cw-why' aria-label='The belief'>{equations(lines)}</section>")


def entropy() -> None:
    """One leader, and the others alike."""
    left, right = st.columns(2, gap="medium")
    first = left.slider("P of the leader", 0.0, 1.0, 0.6, 0.01, key="learn_leader")
    others = right.slider("How many others", 1, 31, 4, key="learn_others")
    p = np.array([first, *[(1 - first) / others] * others])
    bits = entropy_bits(p)
    one = 0.0 if first in (0.0, 1.0) else -first * math.log2(first)
    lines = [
        Equation("The leader", f"−{first:.2f} · log₂ {first:.2f} = {one:.2f} bits", -1.0),
        Equation("The others", f"{others} together = {bits - one:.2f} bits", -1.0),
        Equation(
            "Entropy", f"H = {bits:.2f} bits, as open as {2**bits:.2f} equal hypotheses", bits / math.log2(len(p))
        ),
    ]
    st.html(f"<section class='cw-why' aria-label='The entropy'>{equations(lines)}</section>")


def gain() -> None:
    """Every question's gain, as the answers get less reliable."""
    seen = st.pills("Seen", list(SIGNS), selection_mode="multi", default=["Yellow leaves"], key="learn_gain_seen")
    sure = st.slider("p(yes) where it is implied", 0.5, 0.99, 0.95, 0.01, key="learn_p_implied")
    if not seen:
        st.html("<p class='cw-quiet'>Choose what is seen; then there is something to ask.</p>")
        return
    session = _told(tuple(seen), p_implied=sure)
    step = session.questions
    if step is None or not step.questions:
        st.html("<p class='cw-quiet'>Nothing is left to ask.</p>")
        return
    most = max(step.questions[0].eig_bits, 1e-9)
    lines = [
        Equation(q.observation.name, gain_terms(step, q)[1].removeprefix("= "), q.eig_bits / most)
        for q in step.questions[:6]
    ]
    st.html(
        f"<p class='cw-note'>{esc(gain_terms(step, step.questions[0])[0])}</p>"
        f"<section class='cw-why' aria-label='The gains'>{equations(lines)}</section>"
    )


def _told(seen: tuple[str, ...], **settings: float) -> Session:
    from core.sgur.session import Session, checked

    return Session(_engine(), checked(settings)).tell_ids(f"o{list(SIGNS).index(name)}" for name in seen)


@st.cache_resource(show_spinner=False)
def _engine() -> Engine:
    from core.sgur.building import Draft, layer
    from core.sgur.engine import Engine

    signs, ailments = list(SIGNS), list(AILMENTS)
    parts = list(dict.fromkeys(part for where in SIGNS.values() for part in where))
    return Engine(
        Draft(
            name="a plant",
            source="the lesson",
            observations=layer("sign", [f"o{i}" for i in range(len(signs))], signs),
            localisations=layer("part", [f"l{i}" for i in range(len(parts))], parts),
            hypotheses=layer("ailment", [f"h{i}" for i in range(len(ailments))], ailments),
            reported={
                (h, signs.index(sign)): often
                for h, ailment in enumerate(ailments)
                for sign, often in AILMENTS[ailment].items()
            },
            located=[(i, parts.index(part)) for i, sign in enumerate(signs) for part in SIGNS[sign]],
        ).finish()
    )


CHAPTER = Chapter(
    "sgur",
    "SGUR",
    (
        Lesson(
            "alignment",
            "One graph laid on another",
            "SGUR, partial fused Gromov-Wasserstein alignment",
            (
                "What was told is a small graph: observations, and the places they are seen at. So is every "
                "hypothesis. A plan moves the mass of the first onto the second. Moving onto something unlike costs, "
                "and so does tearing apart what hangs together; α weighs the one against the other.",
                "What finds no counterpart costs its whole mass, and a hypothesis that explains much beside this costs "
                "a little for its size. These two terms, and likeness between equal and unequal, are Causeway's own: "
                "by the paper's formula alone, everything that shares anything would be at distance 0.",
            ),
            r"D = \min_\gamma\,(1-\alpha)\langle \gamma, M\rangle"
            r" + \alpha \sum |C-C'|^2 \gamma\gamma + c\,(1-m) + \ldots",
            alignment,
            Place(HERE, "See the plan of a real session", {"data": "devices"}),
        ),
        Lesson(
            "belief",
            "From distances to a belief",
            "SGUR, the belief over hypotheses",
            (
                "The nearer a hypothesis, the more it is believed. The temperature β says how much a difference "
                "counts: near 0 the nearest takes all, and at 1 the five are hardly told apart.",
                "The distance is a mean over what was told, so Causeway multiplies it by the number of observations "
                "n: eight that agree make a surer belief than one.",
            ),
            r"P(d) = \frac{\exp(-n\,D(d)/\beta)}{\sum_{d'} \exp(-n\,D(d')/\beta)}",
            belief,
            Place(HERE, "Move β on a real session", {"data": "devices"}),
        ),
        Lesson(
            "entropy",
            "How much is open",
            "SGUR, the entropy of the belief",
            (
                "Entropy counts in bits how much a belief leaves open: 0 when one hypothesis has everything, one bit "
                "for two that are equal, one more each time the number doubles.",
                "A leader with 0.60 and four others leaves more open than one with 0.60 and a single rival.",
            ),
            r"H(P) = -\sum_d P(d)\,\log_2 P(d)",
            entropy,
            Place(HERE, "See it fall round by round", {"data": "devices"}),
        ),
        Lesson(
            "gain",
            "The question worth asking",
            "SGUR, expected information gain",
            (
                "A question is worth what it is expected to take away from the entropy: the entropy now, less the "
                "mean of what is left after yes and after no, each as likely as the belief says.",
                "A sign that every leader has teaches nothing, and neither does one that none has. Make the answers "
                "less reliable, and every gain shrinks.",
                "A “no” then counts in the belief as much as was reckoned here. What somebody denies unasked counts "
                "for little: in published cases such denials mislead.",
            ),
            r"\mathrm{EIG}(s) = H(P) - p_{yes}\,H(P \mid yes) - (1-p_{yes})\,H(P \mid no)",
            gain,
            Place(HERE, "Answer the questions of a real session", {"data": "devices"}),
        ),
    ),
)
