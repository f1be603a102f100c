"""What a model was asked for the selected step, and what it replied: plain text, folded away."""

from __future__ import annotations

import streamlit as st

from core.figures.exchanges import Part, Talk, answer_step, talks
from core.figures.hops import step_at
from core.trace import Trace
from pages.shared import selection
from pages.shared.selection import Selection
from pages.shared.text import esc


def draw(trace: Trace, at: Selection) -> None:
    """The exchanges of the selected step, of its hop, of the causal module, and of the answer; none without a model."""
    steps = (step_at(trace, at.agent, at.step), *selection.hop_at(trace, at), answer_step(trace))
    for number, talk in enumerate(talks(steps)):
        with st.expander(f"Asked and replied, {_lower(talk.title)}", key=f"exchange_{number}"):
            st.html(as_html(talk))


def as_html(talk: Talk) -> str:
    """The exchange's text, letter by letter."""
    parts = "".join(_part(part) for part in talk.parts)
    return f"<section class='cw-talk'><div class='cw-quiet'>{esc(talk.facts)}</div>{parts}</section>"


def _part(part: Part) -> str:
    problem = f" <span>could not be used: {esc(part.problem)}</span>" if part.problem else ""
    text = esc(part.text) if part.text.strip() else "<i>nothing came</i>"
    return f"<div><b>{esc(part.label)}</b>{problem}</div><pre dir='auto' tabindex='0'>{text}</pre>"


def _lower(title: str) -> str:
    return title[:1].lower() + title[1:]
