"""How a lesson looks: the list of lessons at the left; words, equation and miniature at the right."""

from __future__ import annotations

import streamlit as st

from pages.shared import state
from pages.shared.learn.chapters import CHAPTERS, neighbours
from pages.shared.learn.lesson import Chapter, Lesson
from pages.shared.messages import caught
from pages.shared.text import esc, md

ADDRESS = ("chapter", "lesson")


def contents(at: Lesson) -> None:
    """Every chapter with its lessons; the open one is marked."""
    with st.container(gap="small", key="contents"):
        for chapter in CHAPTERS:
            with st.container(gap=None):
                st.html(f"<div class='cw-name'>{esc(chapter.title)}</div>")
                for lesson in chapter.lessons:
                    st.button(
                        f"**{md(lesson.title)}**" if lesson is at else md(lesson.title),
                        key=f"lesson_{chapter.name}_{lesson.name}",
                        type="tertiary",
                        on_click=go,
                        args=(chapter, lesson),
                    )


def draw(chapter: Chapter, lesson: Lesson) -> None:
    """One lesson, and the way to the next."""
    st.subheader(lesson.title, anchor=False)
    st.html(f"<p class='cw-under'>{esc(lesson.source)}</p>")
    st.html(f"<div class='cw-prose'>{''.join(f'<p>{esc(words)}</p>' for words in lesson.words)}</div>")
    st.latex(lesson.equation)
    with st.container(border=True, key="miniature"):
        _miniature(lesson)
    with st.container(horizontal=True, vertical_alignment="center", key="turn_page"):
        before, after = neighbours(chapter, lesson)
        if before is not None:
            st.button("Back", key="lesson_back", on_click=go, args=before)
        if after is not None:
            st.button(md(f"Next: {after[1].title}"), key="lesson_next", type="primary", on_click=go, args=after)
        if lesson.place is not None:
            st.page_link(
                lesson.place.page,
                label=lesson.place.label,
                icon=":material/arrow_forward:",
                icon_position="right",
                query_params=dict(lesson.place.address),
            )


@st.fragment
def _miniature(lesson: Lesson) -> None:
    with caught(kept="the other lessons"):
        lesson.draw()


def go(chapter: Chapter, lesson: Lesson) -> None:
    """Open a lesson."""
    state.put({"chapter": chapter.name, "lesson": lesson.name})
    state.save_address("learn", ADDRESS)
