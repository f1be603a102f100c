"""A patient whose diagnosis is known: simulated, or out of a case file; answers questions, and keeps a running score.

A simulated one is in the address, so that a link brings them along: the place of the diagnosis in its layer, the
seed, and whether they tell things as inexactly as people do. A case out of a file stays in this browser's session.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.errors import CausewayError
from core.figures.tables import Cell, Table
from core.sgur.steps import QuestionsStep, Reply
from pages.shared import messages, state, twins
from pages.shared.messages import Message, caught
from pages.shared.sgur import engines, questions, readers
from pages.shared.sgur.questions import Give
from pages.shared.text import esc, many, md, short

if TYPE_CHECKING:
    from core.sgur.case_files import CaseFile
    from core.sgur.engine import Engine
    from core.sgur.patients import Patient
    from core.sgur.session import Session

CASES, SHOWN = "sgur_cases", "sgur_shown"  # in the session: cases of files by run; runs whose diagnosis was shown
TOLD = 2  # terms that a simulated patient begins with
LIMIT_MB = 20
Begin = Callable[["Patient", str], None]


@dataclass(frozen=True, slots=True)
class Sim:
    """A simulated patient as the address names them."""

    place: int
    seed: int
    noisy: bool

    def __str__(self) -> str:
        return f"{self.place}.{self.seed}.{int(self.noisy)}"


def current(engine: Engine, run_id: str) -> Patient | None:
    """The patient of this session; None when somebody typed."""
    sim = _named(state.param("patient"))
    if sim is not None and _can_be(engine, sim):
        return _simulated(engine, sim)
    cases: dict[str, Patient] = st.session_state.get(CASES, {})
    return cases.get(run_id)


def is_known(engine: Engine) -> bool:
    """Whether the address names somebody who can be simulated here."""
    sim = _named(state.param("patient"))
    return sim is not None and _can_be(engine, sim)


def _can_be(engine: Engine, sim: Sim) -> bool:
    return sim.place < len(engine.graph.hypotheses) and bool(engine.index.sizes[sim.place])


def begin(engine: Engine, told: Begin) -> None:
    """Simulate somebody, or open a case: the session then begins with what they tell first."""
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True, height="stretch", key="sgur_simulate"):
        st.html(
            "<div class='cw-card'><b>Simulate a patient</b><span class='cw-quiet'>Somebody with a known diagnosis "
            "tells two things, answers your questions, and the score runs along.</span></div>"
        )
        noisy = st.toggle("Tells things inexactly, as people do", key="sgur_noisy")
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            st.button("Surprise me", key="sgur_surprise", on_click=_begin_any, args=(engine, noisy, told))
            text = st.text_input("Or with this diagnosis", key="sgur_diagnosis", placeholder="a few letters of it")
        places = [p for p in readers.search(engine.graph.hypotheses, text, 24) if engine.index.sizes[p]][:8]
        if text.strip() and not places:
            st.html("<span class='cw-quiet'>No diagnosis with observations is called so.</span>")
        for place in places:
            name = engine.graph.hypotheses.names[place]
            args = (engine, Sim(place, 0, noisy), told)
            st.button(md(name, 90), key=f"sgur_sim_{place}", type="tertiary", on_click=_begin, args=args)
    with right, st.container(border=True, height="stretch", key="sgur_case_file"):
        st.html(
            "<div class='cw-card'><b>Open a case file</b><span class='cw-quiet'>Ids of what was observed and excluded, "
            "or a GA4GH phenopacket, as JSON, one or many.</span></div>"
        )
        _case_file(engine, told)


def remember(patient: Patient, run_id: str) -> None:
    """Keep the case of a session."""
    st.session_state.setdefault(CASES, {})[run_id] = patient


def draw(session: Session, patient: Patient, give: Give, run_id: str) -> None:
    """The patient's part of the page: let them answer, and how near the truth the belief is, round by round."""
    step = session.questions
    asked = step.asked if step is not None else ()
    shown = run_id in st.session_state.get(SHOWN, set())
    known = patient.diagnosis in session.engine.graph.hypotheses.positions
    with st.container(border=True, key="sgur_patient"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            who = patient.diagnosis_name if shown else "diagnosis hidden" if known else "diagnosis not known here"
            kind = "Simulated patient" if patient.truth else f"Case {patient.id}"
            st.html(f"<span><b>{esc(kind)}</b>: {esc(who)}</span>", width="stretch")
            if asked:
                st.button(
                    "Let the patient answer",
                    key="sgur_patient_answers",
                    on_click=give,
                    args=(_replies(session, patient, step),),
                )
            if known and not shown:
                st.button("Show the diagnosis", key="sgur_reveal", on_click=_reveal, args=(run_id,))
        if shown:
            st.html(f"<p class='cw-note cw-num'>{esc(score_words(session, patient.diagnosis))}</p>")
            twins.draw(score_table(session, patient.diagnosis), key="sgur_score")


def score_table(session: Session, diagnosis: str) -> Table:
    """Where the diagnosis stood after each round."""
    from core.sgur.session import running_score

    rows: list[dict[str, Cell]] = []
    for one in _rounds(session):
        place, at = running_score(one, diagnosis), session.engine.graph.hypotheses.positions.get(diagnosis)
        if place is None or at is None or one.look is None:
            continue
        rows.append(
            {
                "Round": one.round,
                "Place of the diagnosis": int(place) if place == int(place) else place,
                "Its probability, %": round(100 * float(one.look.probability[at]), 4),
                "Entropy, bits": round(one.belief.entropy_bits, 4) if one.belief is not None else None,
                "Answers so far": len(one.asked),
            }
        )
    columns = ("Round", "Place of the diagnosis", "Its probability, %", "Entropy, bits", "Answers so far")
    return Table("Running score", columns, tuple(rows), tuple(str(r["Round"]) for r in rows))


def score_words(session: Session, diagnosis: str) -> str:
    """The last round's score in a sentence."""
    from core.sgur.session import running_score

    place = running_score(session, diagnosis)
    if place is None:
        return ""
    total = len(session.engine.graph.hypotheses)
    return f"It stands at place {place:g} of {total:,} after {many(session.round, 'round')}."


def _rounds(session: Session) -> list[Session]:
    found: list[Session] = []
    at: Session | None = session
    while at is not None and at.round:
        found.append(at)
        at = at.before
    return found[::-1]


def _replies(session: Session, patient: Patient, step: QuestionsStep | None) -> dict[str, Reply]:
    from core.sgur.patients import reply_of

    asked = step.asked if step is not None else ()
    return {q.observation.id: reply_of(session.engine.graph, patient, q.observation.id) for q in asked}


def _begin_any(engine: Engine, noisy: bool, told: Begin) -> None:
    from core.sgur.patients import FEWEST

    pool = np.flatnonzero(np.asarray(engine.index.sizes) >= FEWEST)
    pool = pool if len(pool) else np.flatnonzero(np.asarray(engine.index.sizes))
    _begin(engine, Sim(int(pool[secrets.randbelow(len(pool))]), secrets.randbelow(1000), noisy), told)


def _begin(engine: Engine, sim: Sim, told: Begin) -> None:
    with caught(kept="the page as it was"):
        state.put({"patient": sim})
        told(_simulated(engine, sim), "simulated patient")


def _simulated(engine: Engine, sim: Sim) -> Patient:
    from core.sgur.patients import EXACT, NOISY, simulate

    return simulate(engine.graph, sim.place, TOLD, NOISY if sim.noisy else EXACT, sim.seed)


def _named(text: str) -> Sim | None:
    parts = text.split(".")
    if len(parts) != 3 or not all(p.isascii() and p.isdigit() and len(p) < 7 for p in parts):
        return None
    return Sim(int(parts[0]), int(parts[1]), parts[2] == "1")


def _case_file(engine: Engine, told: Begin) -> None:
    file = st.file_uploader(
        "A case file", type=["json", "jsonl"], key="sgur_cases_file", max_upload_size=LIMIT_MB,
        label_visibility="collapsed",
    )  # fmt: skip
    if file is None:
        return
    from core.sgur.case_files import parse_cases

    try:
        read = parse_cases(file.getvalue(), file.name, engine.graph)
    except CausewayError as error:
        refused = Message(error.what, error.where, kept="the page as it was", hint=error.hint)
        messages.draw(refused, key="sgur_case_refused")
        return
    for notice in read.notices:
        st.html(f"<p class='cw-note cw-quiet'>{esc(notice)}</p>")
    _offer_other_source(engine, read)
    usable = [p for p in read.patients if p.observed]
    if not usable:
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        n = st.selectbox(
            "Case",
            range(len(usable)),
            key="sgur_case",
            format_func=lambda i: short(f"{usable[i].id}: {many(len(usable[i].observed), 'observation')}", 90),
        )
        few = st.selectbox("Tell", ["All", "The first 3"], key="sgur_case_terms", width=130)
        patient = usable[n]
        chosen = patient if few == "All" else patient.after(3)
        st.button("Begin", key="sgur_case_begin", on_click=told, args=(chosen, f"case file {file.name}"))


def _offer_other_source(engine: Engine, read: CaseFile) -> None:
    """Where the ids of a file are another source's: say which, and a button that opens it."""
    from core.sgur.sources.elsewhere import source_of

    other = source_of((id_ for p in read.patients for id_ in (*p.observed, *p.excluded, *p.unknown)), engine.graph)
    if other is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="sgur_case_elsewhere"):
        said = f"These are ids of {other.title}. Open it, then choose the file again."
        st.html(f"<span role='status'><b>{esc(said)}</b></span>", width="stretch")
        st.button(f"Open {md(other.title)}", key="sgur_case_switch", on_click=engines.choose, args=(other.name,))


def _reveal(run_id: str) -> None:
    shown: set[str] = st.session_state.setdefault(SHOWN, set())
    shown.add(run_id)
    questions.stop_preview()
