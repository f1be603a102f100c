"""The chapter on CARA: how a candidate is scored, and how the agents' lists become one."""

from __future__ import annotations

import streamlit as st

from core.cara.fusion import RRF_CONSTANT, fuse
from core.cara.scores import scored
from core.cara.steps import Assessment
from core.figures.explain import Equation, why_assessed, why_fused
from pages.shared.learn.lesson import Chapter, Lesson, Place
from pages.shared.text import esc
from pages.shared.why_panel import equations

STORY = "“Who directed the film in which Ada Lund plays?” The agent stands at The Long Tide, a film with Ada Lund."
CANDIDATES = {  # name: what the causal module said: c, e, p
    "Ivo Brandt, who directed it": (0.80, 0.90, 1.00),
    "Mara Quist, who wrote it": (0.50, 0.95, 0.30),
    "Night Ferry, another film": (0.95, 0.20, 0.70),
}
LISTS = {
    0: ["Ivo Brandt", "Mara Quist", "Bergen"],
    1: ["Mara Quist", "Night Ferry", "Ivo Brandt"],
    2: ["Bergen", "Ivo Brandt"],
}


def score() -> None:
    """Three candidates, scored again as the weights move."""
    left, right = st.columns(2, gap="medium")
    lambda_ = left.slider("λ: consequentiality (1) against essentiality (0)", 0.0, 1.0, 0.5, 0.05, key="learn_lambda")
    alpha = right.slider("α: causal relevance (1) against path consistency (0)", 0.0, 1.0, 0.5, 0.05, key="learn_alpha")
    judged = [
        Assessment(id=name, consequentiality=c, essentiality=e, path_consistency=p, causal=0, score=0)
        for name, (c, e, p) in CANDIDATES.items()
    ]
    st.html(f"<p class='cw-note'>{esc(STORY)}</p>")
    for column, (place, one) in zip(
        st.columns(3, gap="medium"), enumerate(scored(judged, lambda_, alpha), 1), strict=True
    ):
        column.html(
            f"<section class='cw-why'><div class='cw-name'>{place}. {esc(one.id)}</div>"
            f"{equations(why_assessed(one, lambda_, alpha))}</section>"
        )


def fusion() -> None:
    """Three lists become one; the constant and what agent 3 does are the reader's."""
    left, right = st.columns(2, gap="medium")
    constant = left.slider("The constant", 0, 120, int(RRF_CONSTANT), key="learn_constant")
    agents = right.pills(
        "Agents", list(LISTS), selection_mode="multi", default=list(LISTS), format_func=lambda a: f"Agent {a + 1}",
        key="learn_agents",
    )  # fmt: skip
    lists = {agent: LISTS[agent] for agent in agents}
    if not lists:
        st.html("<p class='cw-quiet'>Choose an agent: without a list there is nothing to fuse.</p>")
        return
    for column, (agent, own) in zip(st.columns(3, gap="medium"), LISTS.items(), strict=True):
        items = "".join(f"<li>{esc(name)}</li>" for name in own)
        quiet = "" if agent in lists else " cw-quiet"
        column.html(f"<div class='cw-lane{quiet}'><b>Agent {agent + 1}</b><ol>{items}</ol></div>")
    fused = fuse(lists, "rrf", constant)
    count = {one.id: place for place, one in enumerate(fuse(lists, "count"), 1)}
    best = fused[0].score
    lines = [
        Equation(
            f"{place}. {one.id}", f"{why_fused(one, constant).text}, place {count[one.id]} by count", one.score / best
        )
        for place, one in enumerate(fused, 1)
    ]
    st.html(f"<section class='cw-why' aria-label='The fused list'>{equations(lines)}</section>")


CHAPTER = Chapter(
    "cara",
    "CARA",
    (
        Lesson(
            "score",
            "The score of a candidate",
            "CARA, equations 3 and 4",
            (
                "The causal module says three things of every neighbour, each between 0 and 1. Consequentiality c: "
                "does adding it change the evidence? Essentiality e: would removing it lose something the path "
                "cannot replace? Path consistency p: is it a coherent next step from here?",
                "Two weights make one score of them. Raise λ and what is new wins, however little it would be missed; "
                "lower α and the coherent step wins, however little it adds.",
            ),
            r"cau_i = \lambda\,c_i + (1-\lambda)\,e_i \qquad s_i = \alpha\,cau_i + (1-\alpha)\,p_i",
            score,
            Place("pages/cara.py", "Move λ and α on a real run", {"data": "films"}),
        ),
        Lesson(
            "fusion",
            "Three lists become one",
            "CARA, reciprocal rank fusion",
            (
                "Agents walk apart and each brings a ranked list. A node gains 1 / (constant + rank) from each agent "
                "that found it, so being found by many counts, and being found early counts a little more.",
                "With the usual constant of 60 it is almost a vote: any node on two lists beats any node on one, as "
                "long as its ranks are below 62. With a constant of 0 one first place outweighs two third places.",
            ),
            r"\mathrm{RRF}(u) = \sum_{j\,:\,u \in R_j} \frac{1}{60 + \mathrm{rank}_j(u)}",
            fusion,
            Place("pages/cara.py", "See the fused list of a real run", {"data": "films"}),
        ),
    ),
)
