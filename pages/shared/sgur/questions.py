"""The questions of a round: the most informative first, each with its sum written out, its answers, and a preview.

Not here: the gain (core/sgur/acquisition.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from core.sgur.steps import Question, QuestionsStep, Reply
from pages.shared.text import esc, many

if TYPE_CHECKING:
    from core.sgur.session import Session

PREVIEW = "sgur_preview"
ANSWERS: dict[Reply, str] = {"yes": "Yes", "no": "No", "unknown": "Don't know"}
OTHERS = 12  # questions listed below the batch

Give = Callable[[str, Reply], None]


def draw(session: Session, step: QuestionsStep | None, give: Give) -> None:
    """The batch, each question a card; then the next best ones as a table."""
    if step is None or not step.questions:
        st.html(
            "<p class='cw-quiet'>Nothing is left to ask: no observation would tell the leading hypotheses apart.</p>"
        )
        return
    asked = step.asked or step.questions[:1]
    st.html(
        f"<p class='cw-quiet'>Out of {many(step.considered, 'observation')}, these are expected to take away most of "
        f"the {step.entropy_bits:.2f} bits. Answer any, in any order.</p>"
    )
    for question in asked:
        _card(step, question, give)
    others = [q for q in step.questions if q not in asked][:OTHERS]
    if others:
        with st.expander(f"The next {len(others)} questions", key="sgur_more_questions"):
            for question in others:
                _card(step, question, give)


def preview_of(session: Session) -> tuple[Session, str] | None:
    """The session as it would be after the answer that is being previewed, and that answer in words."""
    chosen: tuple[str, Reply] | None = st.session_state.get(PREVIEW)
    if chosen is None:
        return None
    observation, reply = chosen
    place = session.engine.graph.observations.positions.get(observation)
    if place is None:
        st.session_state.pop(PREVIEW, None)
        return None
    name = session.engine.graph.observations.names[place]
    return session.preview({observation: reply}), f"{name}: {ANSWERS[reply].lower()}"


def _card(step: QuestionsStep, question: Question, give: Give) -> None:
    node = question.observation
    with st.container(border=True, key=f"sgur_question_{node.id}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(
                f"<span><b>{esc(node.name)}?</b> "
                f"<span class='cw-quiet cw-num'>gains {question.eig_bits:.2f} bits</span></span>",
                width="stretch",
            )
            for reply, label in ANSWERS.items():
                st.button(label, key=f"sgur_{reply}_{node.id}", on_click=give, args=(node.id, reply))
            _preview(node.id)
        with st.expander("Why this question", key=f"sgur_why_{node.id}"):
            st.html(sum_written_out(step, question))


def _preview(observation: str) -> None:
    with st.popover("Preview", key=f"sgur_preview_{observation}"):
        for reply, label in ANSWERS.items():
            if st.button(f"If {label.lower()}", key=f"sgur_if_{reply}_{observation}"):
                st.session_state[PREVIEW] = (observation, reply)
                st.rerun()


def sum_written_out(step: QuestionsStep, question: Question) -> str:
    """The expected information gain with this question's numbers, and who expects what."""
    no = 1 - question.p_yes
    expected = "".join(
        f"<tr><td>{esc(e.hypothesis.name)}</td><td class='cw-num'>{100 * e.p_yes:.0f} %</td><td>"
        + ("not known" if e.frequency is None else f"{100 * e.frequency:.0f} % of cases")
        + "</td></tr>"
        for e in question.expectations
    )
    return (
        "<div class='cw-why'>"
        "<p>EIG = H − p(yes) · H after yes − p(no) · H after no</p>"
        f"<p class='cw-num'>= {step.entropy_bits:.2f} − {question.p_yes:.2f} · {question.entropy_yes:.2f} "
        f"− {no:.2f} · {question.entropy_no:.2f} = <b>{question.eig_bits:.2f} bits</b></p>"
        f"<p class='cw-quiet'>“Yes” is expected with {step.p_implied:.2f} where a hypothesis implies it, else with "
        f"{step.p_otherwise:.2f}. “Don't know” is no information.</p>"
        f"<table><tr><th>hypothesis</th><th>expects yes</th><th>reported in</th></tr>{expected}</table></div>"
    )
