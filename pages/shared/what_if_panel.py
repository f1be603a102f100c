"""What other weights would have said of a hop's candidates, and how the two judgements relate. No model is asked."""

from __future__ import annotations

import streamlit as st

from core.cara.steps import AssessStep
from core.cara.what_if import changed_choices, rescore
from core.figures.cara import candidate_bars, rank_shift, ranking, scatter_c_e
from core.figures.hops import nodes_named, step_at
from core.figures.tables import candidates_table
from core.figures.words import agent_name, named
from core.trace import Trace
from pages.shared import bridge, charts, selection, step_panel
from pages.shared.selection import Selection
from pages.shared.text import esc, many

COLUMNS = ("Rank", "Candidate", "s", "cau", "c", "e", "p")


def draw(trace: Trace, at: Selection) -> None:
    """The sliders, what they change, and the hop's candidates by both weights."""
    selected, at = at, selection.weighable_at(trace, at)
    hop, judged = selection.hop_at(trace, at)
    if hop is None or judged is None:
        st.html("<p class='cw-quiet'>Choose a step at which candidates were judged.</p>")
        return
    if at != selected:
        st.html(
            "<p class='cw-note cw-quiet'>At the selected step there are no two candidates to put in another order. "
            f"Shown are those of {esc(agent_name(at.agent))}, step {at.step}, around {esc(named(hop.node.name))}.</p>"
        )
    left, right = st.columns(2, gap="medium")
    lambda_ = left.slider(
        "λ: consequentiality (1) against essentiality (0)", 0.0, 1.0, judged.lambda_, 0.01, key="if_lambda"
    )
    alpha = right.slider(
        "α: causal relevance (1) against path consistency (0)", 0.0, 1.0, judged.alpha, 0.01, key="if_alpha"
    )
    _say_what_changes(trace, lambda_, alpha)
    again = step_at(rescore(trace, lambda_, alpha), judged.agent, judged.index)
    if not isinstance(again, AssessStep):
        return
    left, right = st.columns([1.15, 1], gap="medium")
    with left:
        shift = rank_shift(ranking(judged, hop), ranking(again, hop), bridge.theme(), selected=at.node)
        charts.draw(shift, key="rank_shift", trace=trace)
    with right:
        step_panel.choose_node(
            trace, candidates_table(hop, again), at, key="if", rows=12, columns=COLUMNS, name_width=230
        )


def _say_what_changes(trace: Trace, lambda_: float, alpha: float) -> None:
    changes = changed_choices(trace, lambda_, alpha)
    names = nodes_named(trace)

    def listed(ids: tuple[str, ...]) -> str:
        return ", ".join(names[i].name if i in names else i for i in ids[:3]) or "none"

    made = "Actions, path and fused list stay as they were made."
    if not changes:
        st.html(f"<p class='cw-note'>{esc(made)} With these weights every choice would have been the same.</p>")
        return
    first = changes[0]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(
            f"<p class='cw-note'>{esc(made)} <b>{many(len(changes), 'choice')} would have changed</b>, first at "
            f"agent {first.agent + 1}, step {first.index}: {esc(listed(first.preferred))} instead of "
            f"{esc(listed(first.taken))}.</p>",
            width="stretch",
        )
        st.button(
            "Go to that step", key="go_to_change", on_click=selection.go_to_step, args=(trace, first.agent, first.index)
        )


def judgements(trace: Trace, at: Selection) -> None:
    """The hop's candidates: scores with their parts, and consequentiality against essentiality."""
    hop, judged = selection.hop_at(trace, at)
    if hop is None or judged is None:
        st.html("<p class='cw-quiet'>Choose a step at which candidates were judged.</p>")
        return
    left, right = st.columns(2, gap="medium")
    with left:
        charts.draw(candidate_bars(judged, hop, bridge.theme(), selected=at.node), key="candidate_bars", trace=trace)
    with right:
        charts.draw(scatter_c_e(judged, hop, bridge.theme(), selected=at.node), key="scatter_c_e", trace=trace)
