"""The questions of a round: the most informative first, each with its sum written out, its answers, and a preview.

Not here: the gain (core/sgur/acquisition.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import streamlit as st

from core.figures.sgur.tables import questions_table
from core.figures.sgur.why import gain_terms
from core.sgur.steps import Expectation, Question, QuestionsStep, Reply
from pages.shared import twins
from pages.shared.text import esc, many

if TYPE_CHECKING:
    from core.sgur.session import Session

PREVIEW = "sgur_preview"  # in the session: (observation, reply)
ANSWERS: dict[Reply, str] = {"yes": "Yes", "no": "No", "unknown": "Don't know"}
UNBROKEN = " style='white-space:nowrap'"
OTHERS = 6  # questions that have a card below the batch

Give = Callable[[Mapping[str, Reply]], None]


def draw(step: QuestionsStep | None, give: Give | None) -> None:
    """The batch, each question a card; then the next best ones. give: None where a round that is over is looked at."""
    if step is None:
        st.html("<p class='cw-quiet'>The questions of this round are missing.</p>")
        return
    if not step.questions:
        st.html(
            "<p class='cw-quiet'>Nothing is left to ask: no observation would tell the leading hypotheses apart.</p>"
        )
        return
    asked = step.asked or step.questions[:1]
    st.html(
        f"<p class='cw-note cw-quiet cw-num'>{step.entropy_bits:.2f} bits are open. Out of "
        f"{many(step.considered, 'observation')}, these are expected to tell most.</p>"
    )
    for question in asked:
        _card(step, question, give)
    others = [q for q in step.questions if q not in asked]
    if others:
        with st.expander("Other questions", key="sgur_more_questions"):
            for question in others[:OTHERS] if give is not None else ():
                _card(step, question, give)
            twins.draw(questions_table(step), key="sgur_questions_table")


def preview_of(session: Session) -> tuple[Session, str] | None:
    """The session as it would be after the answer that is being previewed, and that answer in words."""
    chosen: tuple[str, Reply] | None = st.session_state.get(PREVIEW)
    if chosen is None:
        return None
    observation, reply = chosen
    place = session.engine.graph.observations.positions.get(observation)
    if place is None:
        stop_preview()
        return None
    name = session.engine.graph.observations.names[place]
    return session.preview({observation: reply}), f"{name}: {ANSWERS[reply].lower()}"


def previewed() -> tuple[str, Reply] | None:
    """The answer that is being previewed."""
    chosen: tuple[str, Reply] | None = st.session_state.get(PREVIEW)
    return chosen


def stop_preview() -> None:
    """Show the belief as it is."""
    st.session_state.pop(PREVIEW, None)


def _card(step: QuestionsStep, question: Question, give: Give | None) -> None:
    node = question.observation
    where = ", ".join(n.name for n in question.localisations[:2])
    with st.container(border=True, gap="small", key=f"sgur_question_{node.id}"):
        st.html(
            f"<div><b>{esc(node.name)}?</b> <span class='cw-quiet cw-num'>gains {_bits(question.eig_bits)}"
            f"{esc(' · ' + where) if where else ''}</span></div>"
        )
        with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="small"):
            if give is not None:
                for reply, label in ANSWERS.items():
                    st.button(label, key=f"sgur_{reply}_{node.id}", on_click=give, args=({node.id: reply},))
                with st.popover("Preview", type="tertiary", key=f"sgur_preview_{node.id}"):
                    for reply, label in ANSWERS.items():
                        st.button(
                            f"If {label.lower()}",
                            key=f"sgur_if_{reply}_{node.id}",
                            on_click=_preview,
                            args=(node.id, reply),
                            width="stretch",
                        )
            with st.popover("Why this one", type="tertiary", key=f"sgur_why_{node.id}"):
                st.html(sum_written_out(step, question))


def _bits(gain: float) -> str:
    return "under 0.01 bits" if 0.0 < gain < 0.005 else f"{gain:.2f} bits"


def _preview(observation: str, reply: Reply) -> None:
    st.session_state[PREVIEW] = (observation, reply)


def _reported(step: QuestionsStep, expected: Expectation) -> str:
    """What the data say of the observation with a hypothesis: how often, that it is seen, or nothing."""
    if expected.frequency is not None:
        return f"in {100 * expected.frequency:.0f} % of cases"
    near = abs(expected.p_yes - step.p_otherwise) <= abs(expected.p_yes - step.p_implied)
    return "never" if near else "yes, how often is not known"


def sum_written_out(step: QuestionsStep, question: Question) -> str:
    """The expected information gain with this question's numbers, and who expects what."""
    definition, numbers = gain_terms(step, question)
    expected = "".join(
        f"<tr><td>{esc(e.hypothesis.name)}</td><td class='cw-num'>{100 * e.p_yes:.0f} %</td>"
        f"<td{UNBROKEN}>{esc(_reported(step, e))}</td></tr>"
        for e in question.expectations
    )
    return (
        f"<div class='cw-why cw-prose'><p class='cw-note'>{esc(definition)}</p>"
        f"<p class='cw-note cw-num'><b>{esc(numbers)}</b></p>"
        f"<p class='cw-note cw-quiet'>H is what the belief leaves open. “Yes” is expected with {step.p_implied:.2f} "
        f"where a hypothesis implies the observation, else with {step.p_otherwise:.2f}; p(yes) is the mean of this "
        "under the belief. “Don't know” is no information, so it is no part of the sum.</p>"
        f"<table><tr><td><b>Hypothesis</b></td><td{UNBROKEN}><b>Yes expected</b></td><td{UNBROKEN}>"
        "<b>Reported</b></td></tr>"
        f"{expected}</table></div>"
    )
