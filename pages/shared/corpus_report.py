"""What was read of a corpus and what was not: numbers, documents, the reader's report, the index, the queries."""

from __future__ import annotations

import streamlit as st

from core.corpus.document import Document
from core.corpus.language import language_name
from core.corpus.report import cleaning_in_words
from pages.shared import data_report, engine_panel, index_job
from pages.shared.corpora import OpenCorpus
from pages.shared.text import esc, many

SHOWN = 200  # documents in the list at a time
READ = 20_000  # characters of a document that are shown
CLEANED = "Taken out while cleaning"
GROUPED = st.column_config.NumberColumn(format="localized")


def facts(corpus: OpenCorpus) -> None:
    """The report in numbers, a line above everything else; what needs care is marked in words."""
    report = corpus.corpus.report
    numbers = [
        (report.documents, "document"),
        (report.characters, "character"),
        (report.chunks, "chunk"),
        (len([code for code in report.languages if code]), "language"),
        (report.skipped_total, "skipped"),
        (report.duplicates_total, "duplicate"),
        (len(corpus.queries), "query"),
        (sum(len(grades) for grades in corpus.qrels.values()), "judgement"),
    ]
    cells = "".join(
        f"<div{'' if n else ' class=cw-none'}><b class='cw-num'>{n:,}</b><span>{_plural(n, noun)}</span></div>"
        for n, noun in numbers
    )
    st.html(f"<div class='cw-stats'>{cells}</div>")
    for notice in report.notices:
        st.html(f"<p class='cw-note'>{esc(notice)}</p>")


def to_ranking(corpus: OpenCorpus) -> None:
    """How the index stands while it is made, and the way to the page that ranks."""
    made = index_job.indexed(corpus)
    index_job.draw(corpus, made)
    if made is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            if made.warning:
                st.html(f"<b role='alert'>{esc(made.warning)}</b>", width="content")
            else:
                st.html("<span class='cw-quiet'>Ready to be ranked.</span>", width="content")
            st.page_link(
                "pages/causal_attention.py",
                label="Ask this corpus",
                icon=":material/arrow_forward:",
                icon_position="right",
                query_params={"data": corpus.key} if corpus.is_sample else None,
            )


def documents(corpus: OpenCorpus) -> None:
    """The documents as a list that can be searched, and the one that is selected, to read."""
    wanted = st.text_input(
        "Find documents", key="find_document", persist_state="session", placeholder="Words of a title or text"
    )
    words = wanted.casefold().split()
    found = [d for d in corpus.corpus if all(word in d.content.casefold() for word in words)]
    shown = found[:SHOWN]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        of = f" of {len(found):,}" if len(found) > SHOWN else ""
        st.html(f"<span class='cw-quiet'>{len(shown):,}{of} {'found' if words else 'documents'}</span>")
        chosen = st.dataframe(
            [
                {
                    "Title": _title(d),
                    "Language": language_name(d.language),
                    "Characters": len(d.text),
                    "File": d.source,
                }
                for d in shown
            ],
            hide_index=True,
            height=480,
            on_select="rerun",
            selection_mode="single-row",
            column_config={"Characters": GROUPED},
            key=f"documents_{hash((corpus.key, wanted))}",
        )
    rows = chosen["selection"]["rows"] if shown else []
    with right:
        if not shown:
            st.html("<p class='cw-quiet'>No document has these words.</p>")
        else:
            _read(shown[rows[0] if rows and rows[0] < len(shown) else 0])


def report(corpus: OpenCorpus) -> None:
    """The reader's report in full: files, what was left out and why, duplicates, languages, cleaning."""
    read = corpus.corpus.report
    st.dataframe(
        [
            {
                "File": f.name,
                "Format": f.format,
                "Documents": f.documents,
                "Characters": f.characters,
                "Pages": f"{f.pages:,}" if f.pages else "",
                "Encoding": f.encoding,
                "Columns": ", ".join(f"{part}: {column}" for part, column in f.columns.items()),
            }
            for f in read.files
        ],
        column_config={"Documents": GROUPED, "Characters": GROUPED},
        hide_index=True,
        height="auto",
    )
    languages = ", ".join(f"{language_name(code)} {n:,}" for code, n in read.languages.items())
    st.html(f"<p class='cw-note'>Languages, by documents: {esc(languages)}.</p>")
    if taken := cleaning_in_words(read.cleaning):
        st.html(f"<p class='cw-note'>{CLEANED}: {esc(taken)}.</p>")
    if read.surrogates_replaced:
        count = many(read.surrogates_replaced, "broken character")
        st.html(f"<p class='cw-note'>{count} replaced by U+FFFD.</p>")
    _listed("skipped", read.skipped_total, [{"What": s.name, "Reason": s.reason} for s in read.skipped])
    names = {d.id: _title(d) for d in corpus.corpus}
    same = [{"Document": d.id, "From": d.source, "Same as": names.get(d.same_as, d.same_as)} for d in read.duplicates]
    _listed("duplicates, indexed once", read.duplicates_total, same)


def index(corpus: OpenCorpus) -> None:
    """With what the corpus is read for ranking, and how that went."""
    left, right = st.columns([1, 2], gap="medium")
    with left:
        engine_panel.draw(corpus)
    with right:
        made = index_job.indexed(corpus)
        if made is not None:
            table = made.index.table
            rows = [
                ("Encoder", f"{made.index.encoder.title}, {made.index.encoder.dimensions} dimensions"),
                ("Why this one", made.reason),
                ("Word pieces it does not know", f"{made.unknown:.2%} of a sample of the texts"),
                ("Its threshold τ", f"{made.index.tau_auto:.2f}: 99 of 100 random pairs of terms are less alike"),
                ("Keywords", f"{len(table.ids):,} by {made.index.extractor}, of {len(table.terms):,} different terms"),
            ]
            cells = "".join(f"<tr><td>{esc(label)}</td><td>{esc(value)}</td></tr>" for label, value in rows)
            st.html(f"<div class='cw-prose'><table>{cells}</table></div>")
    data_report.cache()


def queries(corpus: OpenCorpus) -> None:
    """The queries that came with it, and how many documents are judged for each; each leads to its ranking."""
    if not corpus.queries:
        st.html(
            "<p class='cw-quiet'>No queries came with this corpus. Those of a BEIR collection are in queries.jsonl, "
            "its judgements in qrels/test.tsv.</p>"
        )
        return
    shown = list(corpus.queries.items())[:SHOWN]
    st.dataframe(
        [
            {"Query": text, "Judged documents": len(grades := corpus.qrels.get(id_, {})), "Relevant": _relevant(grades)}
            for id_, text in shown
        ],
        hide_index=True,
        height="auto",
    )
    if len(corpus.queries) > SHOWN:
        st.html(f"<p class='cw-quiet'>The first {SHOWN} of {len(corpus.queries):,} are listed.</p>")


def _relevant(grades: dict[str, int]) -> int:
    return sum(grade > 0 for grade in grades.values())


def _read(document: Document) -> None:
    """A document's text, as it is indexed."""
    about = " · ".join(part for part in (document.source, language_name(document.language)) if part)
    st.html(f"<div class='cw-why'><span class='cw-name' dir='auto'>{esc(_title(document))}</span></div>")
    st.html(f"<span class='cw-quiet'>{esc(about)}</span>")
    with st.container(height=400, border=False):
        st.html(f"<div class='cw-prose' dir='auto' style='white-space: pre-wrap'>{esc(document.text[:READ])}</div>")
        if len(document.text) > READ:
            st.html(f"<span class='cw-quiet'>The first {READ:,} of {len(document.text):,} characters.</span>")


def _title(document: Document) -> str:
    return document.title or " ".join(document.text[:80].split())


def _listed(what: str, total: int, rows: list[dict[str, str]]) -> None:
    if not total:
        return
    st.subheader(f"{total:,} {what}", anchor=False)
    if total > len(rows):
        st.html(f"<p class='cw-quiet'>The first {len(rows)} of {total:,} are listed.</p>")
    st.dataframe(rows, hide_index=True, height="auto")


def _plural(n: int, noun: str) -> str:
    if noun == "skipped":
        return noun
    return noun if n == 1 else "queries" if noun == "query" else f"{noun}s"
