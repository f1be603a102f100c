"""The causal graph of retrieval: choose what is known, and see which paths open and close, and what follows of it."""

from __future__ import annotations

import streamlit as st

from core.causal_attention.dag import (
    ASSUMPTIONS,
    LATENT,
    NODES,
    STATEMENTS,
    Statement,
    d_separated,
    explain,
    write_path,
)
from core.causal_attention.index import CausalIndex
from core.figures.causal_attention_dag import answer_in_words, dag_figure
from core.trace import Trace
from pages.shared import bridge
from pages.shared.charts import CONFIG
from pages.shared.text import esc

FIRST = STATEMENTS[1]  # the collider opens: what retrieval does
CAVEAT = (
    "The last statement is a caveat: the score reads A and d at once, and given both the graph says that q and B are "
    "independent. The method is licensed by the graph only while A is latent, as it is for whoever sees d alone."
)


def draw(trace: Trace | None = None, index: CausalIndex | None = None) -> None:
    """The whole panel. The graph is the same for every query and corpus."""
    graph()
    st.html("<div class='cw-name'>What the method rests on</div>")
    with st.container(gap="small"):
        for number, statement in enumerate(STATEMENTS):
            _statement(number, statement)
    st.html(f"<p class='cw-note cw-prose'>{esc(CAVEAT)}</p>")
    rows = "".join(f"<tr><td>{esc(name)}</td><td>{esc(said)}</td></tr>" for name, said in ASSUMPTIONS.items())
    with st.expander("Four assumptions"):
        st.html(f"<div class='cw-prose'><table>{rows}</table></div>")


def graph(key: str = "dag") -> None:
    """The graph alone, with its question and answer; used by the Learn page, too."""
    st.fragment(_graph)(key)


def _graph(key: str) -> None:
    left, right = st.columns([1.2, 1], gap="medium")
    with right:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            _keep_apart(key)
            x = _variable("What does", list(NODES), FIRST.x, f"{key}_x")
            y = _variable("say about", [node for node in NODES if node != x], FIRST.y, f"{key}_y")
        free = [node for node in NODES if node not in (x, y)]
        given = st.pills(
            "once these are known?",
            free,
            selection_mode="multi",
            default=[node for node in FIRST.given if node in free],
            key=f"{key}_given",
            bind="query-params",
            help="Or click a variable in the graph.",
        )
        reply = explain(x, y, given)
        st.html(f"<div class='cw-answer' role='status'>{esc(answer_in_words(x, y, given, reply))}</div>")
        rows = "".join(
            f"<tr><td><code>{esc(arrows(write_path(nodes)))}</code></td><td>{'<b>' if is_open else ''}{esc(why)}"
            f"{'</b>' if is_open else ''}</td></tr>"
            for nodes, is_open, why in reply.paths
        )
        st.html(f"<div class='cw-prose'><table aria-label='Paths'>{rows}</table></div>")
        st.html(f"<p class='cw-quiet'>Nobody observes {', '.join(LATENT)}: they are hollow.</p>")
    with left:
        chart = f"{key}_chart_{x}{y}{''.join(given)}"  # a new chart has no point selected

        def clicked() -> None:
            points = st.session_state[chart]["selection"]["points"]
            node = str(points[0]["customdata"][0]) if points else ""
            if node in free:
                st.session_state[f"{key}_given"] = [n for n in free if (n in given) != (n == node)]

        figure = dag_figure(x, y, given, bridge.theme())
        st.plotly_chart(figure, key=chart, theme=None, config=CONFIG, on_select=clicked, selection_mode="points")


def arrows(path: str) -> str:
    """A path with the arrows of print."""
    return path.replace("->", "→").replace("<-", "←")


def _variable(label: str, choices: list[str], first: str, key: str) -> str:
    at = choices.index(first) if first in choices else 0
    return str(st.selectbox(label, choices, at, key=key, bind="query-params"))


def _keep_apart(key: str) -> None:
    """After a change, no variable is asked about twice, or asked about and known."""
    now = st.session_state
    x, y = now.get(f"{key}_x", FIRST.x), now.get(f"{key}_y", FIRST.y)
    if x == y:
        y = now[f"{key}_y"] = next(node for node in NODES if node != x)
    given = now.get(f"{key}_given", [])
    if x in given or y in given:
        now[f"{key}_given"] = [node for node in given if node not in (x, y)]


def _statement(number: int, statement: Statement) -> None:
    holds = d_separated(statement.x, statement.y, statement.given)
    said = "independent" if holds else "not independent"
    with st.container(horizontal=True, vertical_alignment="center", key=f"dag_row_{number}", wrap=False):
        st.button("Show", key=f"dag_show_{number}", type="tertiary", on_click=_show, args=(statement,))
        st.html(
            f"<div><b class='cw-num'>{esc(statement.formula)}</b> <span class='cw-quiet'>{said}</span> "
            f"{esc(arrows(statement.meaning))}</div>",
            width="stretch",
        )


def _show(statement: Statement) -> None:
    now = st.session_state
    now["dag_x"], now["dag_y"], now["dag_given"] = statement.x, statement.y, list(statement.given)
