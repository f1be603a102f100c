"""The settings that rank a stored run again, from what its trace keeps: no encoder and no model is asked.

They live in the address, so a link shows the same ranking; an absent one is as the run was made. Not here: what a new
run is made with (query_settings.py), and the arithmetic (core.causal_attention.rescore).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.causal_attention.rescore import rescore
from core.causal_attention.steps import CarConfig, Mode, RankingStep, ReadQuery
from core.errors import CausewayError
from core.figures.causal_attention.ranking import MEANINGS, TITLES
from core.trace import Trace
from pages.shared import rerank_guess, state

# Address name -> name in the configuration.
NUMBERS = {
    "tau": "tau",
    "weight": "weight",
    "k": "keywords",
    "window": "window",
    "theta": "theta",
    "shared": "shared_weight",
}
ADDRESS = (*NUMBERS, "ranking", "between", "look", "document", "guess")
LOOKS = {"chart": "Chart", "table": "Table"}
OF_RUN = "rerank_of"  # in the session: the run that the settings are about
LONGEST = 12  # characters of a number in the address


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a slider may be moved to, and how it is written."""

    least: float
    most: float
    step: float

    @property
    def whole(self) -> bool:
        return self.step == 1

    def held(self, value: float) -> float | int:
        """The value within the bounds, whole where they are."""
        inside = min(max(value, self.least), self.most)
        return round(inside) if self.whole else round(inside, 3)


def bounds_of(trace: Trace) -> dict[str, Bounds]:
    """The bounds of each setting: no more keywords and candidates than the run kept."""
    config = CarConfig.model_validate(trace.config)
    return {
        "tau": Bounds(min(0.0, tau_of(trace)), 1.0, 0.01),
        "weight": Bounds(0.0, 1.0, 0.05),
        "k": Bounds(1, config.kept, 1),
        "window": Bounds(1, config.pool, 1),
        "theta": Bounds(-1.0, 1.0, 0.05),
        "shared": Bounds(-1.0, 1.0, 0.05),
    }


def tau_of(trace: Trace) -> float:
    """The threshold that the run was made with."""
    return next((s.tau for s in trace.steps if isinstance(s, ReadQuery)), 0.0)


def made_with(trace: Trace) -> dict[str, float]:
    """The settings as the run was made."""
    config = CarConfig.model_validate(trace.config).model_dump()
    return {name: tau_of(trace) if name == "tau" else config[setting] for name, setting in NUMBERS.items()}


def follow(trace: Trace) -> None:
    """Begin anew with another run; the settings of a link are kept."""
    before = st.session_state.get(OF_RUN)
    if before is not None and before != trace.run_id:
        state.put(dict.fromkeys(name for name in ADDRESS if name != "guess"))  # a game goes on with the next run
    st.session_state[OF_RUN] = trace.run_id


def chosen(trace: Trace) -> dict[str, float]:
    """The settings in force: the address's, else the run's. What is no number there is dropped."""
    own, bounds = made_with(trace), bounds_of(trace)
    for name in NUMBERS:
        text = state.param(name)
        if not text:
            continue
        value = _number(text)
        if value is None:
            state.put({name: None})
        else:
            own[name] = bounds[name].held(value)
    return own


def _number(text: str) -> float | None:
    try:
        value = float(text) if len(text) <= LONGEST else float("nan")
    except ValueError:
        return None
    return value if abs(value) <= 1_000 else None  # NaN, too, is no number here


def ranked_again(trace: Trace) -> Trace:
    """The trace under the settings in force; itself when they are the run's own."""
    own, now = made_with(trace), chosen(trace)
    changes: dict[str, Any] = {NUMBERS[name]: value for name, value in now.items() if value != own[name]}
    mode = mode_of(trace)
    if mode != trace.config.get("mode") and any(isinstance(s, RankingStep) and s.mode == mode for s in trace.steps):
        changes["mode"] = mode
    if not changes:
        return trace
    try:
        return rescore(trace, **changes)
    except CausewayError:
        return trace  # a trace without what is needed; the panel says that it ended early


def mode_of(trace: Trace) -> Mode | None:
    """The ranking to look at: the address's where it names one, else the run's own."""
    named = state.param("ranking")
    found: Mode | None = next((m for m in TITLES if m == named), None)
    return found or next((m for m in TITLES if m == trace.config.get("mode")), None)


def between(modes: tuple[Mode, ...]) -> tuple[Mode, ...]:
    """The rankings to draw between similarity and the chosen one."""
    named = state.param("between").split(",")
    return tuple(m for m in modes if m in named and m != "baseline")


def draw(trace: Trace, modes: tuple[Mode, ...], shown: Mode) -> None:
    """The row of widgets. modes: the rankings that the run holds; shown: the one looked at."""
    own, now, bounds = made_with(trace), chosen(trace), bounds_of(trace)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="rerank_first"):
        tip = "What the right side of the chart shows."
        _one_of("ranking", "From similarity to", modes[1:], TITLES, shown, trace.config.get("mode"), tip)
        _one_of("look", "Shown as", tuple(LOOKS), LOOKS, state.param("look"), next(iter(LOOKS)))
        with st.popover("More settings", key="rerank_more"):
            _slider("theta", "θ: least similarity of a candidate", now, own, bounds)
            _slider("shared", "Weight of |A| in the hybrid, signed", now, own, bounds, disabled=shown != "hybrid")
            _columns(modes, shown)
        changed = any(now[name] != own[name] for name in NUMBERS)
        st.button("As it was run", key="rerank_reset", disabled=not changed, on_click=_reset)
        st.button(
            "Guess first",
            key="rerank_guess",
            on_click=rerank_guess.start,
            help="Hide the rankings and guess which document answers best.",
        )
    st.html(f"<p class='cw-quiet cw-note'>{MEANINGS[shown]}</p>")
    first, second, third, fourth = st.columns(4, gap="medium")
    with first:
        auto = next((s.tau_auto for s in trace.steps if isinstance(s, ReadQuery)), None)
        tip = "How alike (cosine) a word must be to a query word to count as shared, and be taken out."
        if auto is not None:
            tip += f" The encoder's own: {auto:.2f}, the 99th percentile of random pairs of words."
        _slider("tau", "τ: alike enough to be taken out", now, own, bounds, tip, disabled=shown == "exact")
    with second:
        _slider("weight", "w: say of similarity in the hybrid", now, own, bounds, disabled=shown != "hybrid")
    with third:
        _slider("k", "k: keywords of a document", now, own, bounds)
    with fourth:
        _slider("window", "Candidates ranked again", now, own, bounds)


def _slider(
    name: str,
    label: str,
    now: dict[str, float],
    made: dict[str, float],
    bounds: dict[str, Bounds],
    tip: str = "",
    disabled: bool = False,
) -> None:
    own, key = bounds[name], f"rerank_{name}"
    kind: Callable[[float], float | int] = int if own.whole else float
    if own.least >= own.most:
        return  # nothing to choose
    value = kind(own.held(now[name]))
    state.fill(key, value)
    st.slider(
        label,
        kind(own.least),
        kind(own.most),
        value,
        step=kind(own.step),
        format="%d" if own.whole else "%.2f",
        key=key,
        help=tip or None,
        disabled=disabled,
        on_change=_keep,
        args=(name, key, kind(own.held(made[name]))),
    )


def _keep(name: str, key: str, made: float) -> None:
    """Put a moved slider into the address; the run's own value needs no place there."""
    value = st.session_state[key]
    state.put({name: None if value == made else f"{value:g}"})


def _one_of(
    name: str, label: str, options: tuple[str, ...], titles: Any, current: str, own: object, tip: str = ""
) -> None:
    """One of several, in the address where it is not the one that is shown without it (`own`)."""
    key = f"rerank_{name}"
    state.fill(key, current if current in options else options[0])

    def keep() -> None:
        if st.session_state[key]:
            state.put({name: None if st.session_state[key] == own else st.session_state[key]})

    st.segmented_control(
        label, options, format_func=lambda option: titles[option], key=key, help=tip or None, on_change=keep
    )


def _columns(modes: tuple[Mode, ...], shown: Mode) -> None:
    options = [m for m in modes if m not in ("baseline", shown)]
    state.fill("rerank_between", [m for m in between(modes) if m in options])

    def keep() -> None:
        state.put({"between": ",".join(st.session_state["rerank_between"])})

    st.multiselect(
        "Rankings drawn in between",
        options,
        format_func=lambda mode: TITLES[mode],
        key="rerank_between",
        placeholder="none",
        on_change=keep,
    )


def _reset() -> None:
    state.put(dict.fromkeys(NUMBERS))
