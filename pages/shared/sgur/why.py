"""Why a hypothesis stands where it does: its reasons, its distance and probability with their numbers, and the plan.

Not here: the figures (core/figures/sgur).
"""

from __future__ import annotations

import streamlit as st

from core.figures.sgur.alignment import alignment_heat_map, alignment_of, alignment_picture, alignment_table
from core.figures.sgur.belief import SHOWN
from core.figures.sgur.rounds import Round
from core.figures.sgur.why import belief_of, reasons_table, why_believed
from core.sgur.steps import Alignment, Belief, Reason, SgurConfig
from core.sgur.wording import percent
from core.trace import Trace
from pages.shared import bridge, charts, state, twins
from pages.shared.text import esc, many, short
from pages.shared.why_panel import equations

CHOICE = "sgur_hypothesis"


def choose(at: Round) -> Belief | None:
    """The hypothesis that is looked at: the address's, else the leader; and the list to choose another one from."""
    belief = belief_of(at.belief, state.param("hypothesis"))
    if belief is None or at.belief is None:
        st.html("<p class='cw-quiet'>There is no belief in this round.</p>")
        return None
    names = {b.hypothesis.id: f"{b.place:g}. {b.hypothesis.name}" for b in at.belief.beliefs[:SHOWN]}
    names.setdefault(belief.hypothesis.id, f"{belief.place:g}. {belief.hypothesis.name}")
    st.session_state[CHOICE] = belief.hypothesis.id

    def chosen() -> None:
        state.put({"hypothesis": st.session_state[CHOICE]})

    st.selectbox(
        "Hypothesis", list(names), key=CHOICE, on_change=chosen, format_func=lambda i: short(names[i], 120), width=480
    )
    return belief


def draw(trace: Trace, at: Round) -> None:
    """Reasons beside the equations."""
    belief = choose(at)
    if belief is None or at.belief is None:
        return
    left, right = st.columns(2, gap="medium")
    with left:
        lines = "".join(_reason(r) for r in belief.reasons)
        none = "<p class='cw-quiet'>Reasons are worked out for the first ten only.</p>"
        st.html(
            f"<section class='cw-why' aria-label='Why this hypothesis'><div class='cw-name'>"
            f"{esc(belief.hypothesis.name)}</div><div class='cw-quiet'>{esc(place_words(at, belief))}</div>"
            f"{lines or none}{_treated(at, belief)}</section>"
        )
    with right:
        config = SgurConfig.model_validate(trace.config)
        st.html(
            f"<section class='cw-why' aria-label='Distance and probability'>"
            f"{equations(why_believed(at.belief, belief, config))}</section>"
        )
        if not belief.aligned:
            st.html(
                "<p class='cw-note cw-quiet'>It was too far away to be aligned node by node: its distance is a bound "
                "in closed form.</p>"
            )
    if belief.reasons:
        with st.expander("The reasons as a table", key="sgur_reasons_twin"):
            twins.draw(reasons_table(belief), key="sgur_reasons")


def place_words(at: Round, belief: Belief) -> str:
    """Where a hypothesis stands, with whom, and how much is known of it."""
    total = at.candidates.total if at.candidates is not None else 0
    place = f"Place {belief.place:g} of {total:,}" if total else f"Place {belief.place:g}"
    if belief.twins:
        place += f", shared with {many(belief.twins, 'other')} at the same distance"
    probability = percent(belief.probability)
    known = f"{many(belief.observations, 'observation is', 'observations are')} reported with it"
    return f"{place}; probability {probability}. In the data, {known}."


def draw_alignment(trace: Trace, at: Round) -> None:
    """Both graphs, and the plan between them."""
    belief = choose(at)
    if belief is None:
        return
    found = alignment_of(at.alignment, belief.hypothesis.id)
    if found is None or at.alignment is None:
        kept = len(at.alignment.alignments) if at.alignment is not None else 0
        st.html(f"<p class='cw-quiet'>The plans of the first {kept} are kept. Choose one of them.</p>")
        return
    st.html(f"<p class='cw-note cw-quiet'>{esc(_said(found))}</p>")
    charts.draw(alignment_picture(at.alignment, found, bridge.theme()), key="sgur_alignment")
    left, right = st.columns([1.2, 1], gap="medium")
    with left:
        charts.draw(alignment_heat_map(at.alignment, found, bridge.theme()), key="sgur_plan")
    with right:
        twins.draw(alignment_table(at.alignment, found), key="sgur_plan_table")


def _said(found: Alignment) -> str:
    more = (
        f" {many(found.more_nodes, 'node')} of the candidate received nothing and are not drawn."
        if found.more_nodes
        else ""
    )
    return (
        f"The query's mass is 1; {found.moved:.2f} of it moved in {many(found.iterations, 'step')} of the solver. A "
        f"solid link joins equal nodes, a dashed one costs something; the wider, the more mass. Circles are "
        f"observations, triangles localisations.{more}"
    )


def _reason(reason: Reason) -> str:
    name = ("not " if reason.denied else "") + reason.observation.name
    share = min(max(reason.frequency or 0.0, 0.0), 1.0)
    bar = (
        f"<i aria-hidden='true'><i style='width:{100 * share:.0f}%'></i></i>"
        if reason.frequency is not None
        else "<span></span>"
    )
    return (
        f"<div class='cw-eq'><span>{esc(name)}</span>{bar}<span>{esc(reason.words)} "
        f"<span class='cw-quiet cw-num'>weighs {reason.weight:.2f}, adds {reason.cost:.4f}</span></span></div>"
    )


def _treated(at: Round, belief: Belief) -> str:
    found = alignment_of(at.alignment, belief.hypothesis.id)
    names = "; ".join(t.name for t in found.treatments[:8]) if found is not None else ""
    return f"<div><span class='cw-quiet'>What helps:</span> {esc(names)}</div>" if names else ""
