"""Protocols on the page: patients with a known diagnosis are told round by round to several methods, with progress.

They are drawn here, or come out of a case file. Whole protocols with every ablation run on the command line.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from core.errors import CausewayError
from core.figures.sgur.measured import NAMES
from core.figures.sgur.protocol import protocol_table
from pages.shared import job as jobs
from pages.shared import messages, twins
from pages.shared.job import Job
from pages.shared.messages import Message
from pages.shared.text import esc, many

if TYPE_CHECKING:
    from core.retriever import OnProgress, ShouldStop
    from core.sgur.engine import Engine
    from core.sgur.patients import Patient
    from core.sgur.protocol import Places

KEPT = "sgur_protocol"  # in the session: what was begun last
EXACT, NOISY, CASES = "Simulated, exact terms", "Simulated, told inexactly", "Cases of a file"
METHODS = ("sgur", "closed-form", "shared-terms", "ic-overlap", "resnik", "naive-bayes", "pagerank", "ensemble")
FIRST = ("sgur", "shared-terms", "ic-overlap", "naive-bayes")
MOST, LIMIT_MB = 600, 20


class _Begun(NamedTuple):
    about: Hashable
    job: Job[Places]


def draw(engine: Engine) -> None:
    """Choose patients and methods, run, and read the table."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        kind = st.segmented_control(
            "Patients", [EXACT, NOISY, CASES], default=NOISY, required=True, key="sgur_protocol_kind", width="content"
        )
        n = int(st.number_input("At most", 5, MOST, 30, key="sgur_protocol_n", width=110))
        seed = int(st.number_input("Seed", 0, 9999, 0, key="sgur_protocol_seed", width=110))
    cases = _cases(engine) if kind == CASES else None
    chosen = st.multiselect(
        "Methods, the first of them beside each other one",
        METHODS,
        FIRST,
        key="sgur_protocol_methods",
        format_func=lambda name: NAMES.get(name, name),
    )
    about = (engine.graph.content_id, kind, n, seed, tuple(chosen), tuple(p.id for p in cases or ()))
    begun: _Begun | None = st.session_state.get(KEPT)
    running = begun is not None and begun.about == about and not begun.job.ended
    ready = bool(chosen) and (kind != CASES or bool(cases))
    st.button(
        "Run the protocol",
        key="sgur_protocol_run",
        disabled=running or not ready,
        on_click=_begin,
        args=(engine, str(kind), n, seed, tuple(chosen), cases, about),
    )
    if begun is not None and begun.about == about:
        _outcome(begun.job)


def _cases(engine: Engine) -> tuple[Patient, ...]:
    """The cases of an uploaded file; none before there is one, and of a file that cannot be used."""
    file = st.file_uploader(
        "Ids of what was observed, and the diagnosis, or GA4GH phenopackets, as JSON, one or many",
        type=["json", "jsonl"],
        key="sgur_protocol_file",
        max_upload_size=LIMIT_MB,
    )
    if file is None:
        return ()
    from core.sgur.case_files import parse_cases

    try:
        read = parse_cases(file.getvalue(), file.name, engine.graph)
    except CausewayError as error:
        refused = Message(error.what, error.where, kept="the page as it was", hint=error.hint)
        messages.draw(refused, key="sgur_protocol_refused")
        return ()
    for notice in read.notices:
        st.html(f"<p class='cw-note cw-quiet'>{esc(notice)}</p>")
    return tuple(p for p in read.patients if p.observed)


def _begin(
    engine: Engine,
    kind: str,
    n: int,
    seed: int,
    names: tuple[str, ...],
    cases: tuple[Patient, ...] | None,
    about: Hashable,
) -> None:
    """Start it; one that still runs is stopped."""

    def work(on_progress: OnProgress, should_stop: ShouldStop) -> Places:
        from core.sgur.ablations import method
        from core.sgur.patients import BATCH, ROUNDS, draw_patients, in_drawn_order
        from core.sgur.patients import EXACT as AS_IT_IS
        from core.sgur.patients import NOISY as INEXACT
        from core.sgur.protocol import CASE_ROUNDS, run_protocol

        if cases is not None:
            told, rounds = in_drawn_order(cases[:n], seed), CASE_ROUNDS
        else:
            how = INEXACT if kind == NOISY else AS_IT_IS
            told = draw_patients(engine.graph, n, "complex", how, seed)
            rounds = tuple(BATCH["complex"] * (i + 1) for i in range(ROUNDS))
        methods = {name: method(name) for name in names}
        return run_protocol(engine, told, methods, rounds, on_progress=on_progress, should_stop=should_stop)

    before: _Begun | None = st.session_state.get(KEPT)
    if before is not None and not before.job.ended:
        before.job.stop()
    st.session_state[KEPT] = _Begun(about, Job(work, "drawing patients"))


def _outcome(job: Job[Places]) -> None:
    if not job.ended:
        jobs.watch(job, "sgur_protocol")
        return
    result = job.result()
    if result is None:
        jobs.draw_failed(job)
        if job.state().stopped:
            st.html("<p class='cw-note' role='status'>Stopped. The patient at work is brought to an end first.</p>")
            st.button("Show what was done", key="sgur_protocol_look")
        return
    table = protocol_table(result)
    if not table.rows:
        st.html("<p class='cw-note' role='status'>It was stopped before a patient was done.</p>")
        return
    twins.draw(table, key="sgur_protocol_table")
    st.html(
        f"<p class='cw-note cw-quiet'>{many(len(result.patients), 'patient')}. “First ahead” is by how many points of "
        "Hit@3 the first method leads, with its paired 95 % interval; one that holds 0 shows no difference. MTTC: the "
        "mean round in which the truth is first among three, one more than there are for never.</p>"
    )
