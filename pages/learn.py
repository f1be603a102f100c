"""Learn: one short lesson an equation, each with a miniature of it that runs."""

from __future__ import annotations

import streamlit as st

from pages.shared import shell, state
from pages.shared.learn import frame
from pages.shared.learn.chapters import find

shell.begin()
state.keep_address("learn", frame.ADDRESS)
shell.head("Learn", decided_by="")
chapter, lesson = find(state.param("chapter"), state.param("lesson"))
left, right = st.columns([1, 3.2], gap="large")
with left:
    frame.contents(lesson)
with right:
    frame.draw(chapter, lesson)
