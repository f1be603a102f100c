"""`corpus info`: what documents a file, folder or archive holds, and what reading it found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.commands.reply import Json, Reply, plain, progress, table

if TYPE_CHECKING:
    from core.corpus.document import Corpus

app = typer.Typer(help="Look at corpora.", no_args_is_help=True)
_SHOWN = 10


@app.callback()
def _group() -> None:
    """Look at corpora."""


@app.command()
def info(
    path: Annotated[Path, typer.Argument(help="A file of documents, a folder, a zip archive, or a BEIR folder.")],
    as_json: Json = False,
) -> Reply:
    """Say what a corpus holds: files, characters, chunks, languages, what was skipped and why, duplicates."""
    from core.corpus.readers import read_corpus

    with progress() as shown:
        corpus = read_corpus(path, on_progress=shown)
    body = _body(corpus)
    return Reply(body, _text(body), as_json)


def _body(corpus: Corpus) -> dict[str, Any]:
    from core.corpus.vectors import choose_encoder

    choice = choose_encoder(corpus)
    report = corpus.report
    return {
        "name": corpus.name,
        "content_id": corpus.content_id,
        "documents": len(corpus),
        "characters": report.characters,
        "chunks": report.chunks,
        "languages": report.languages,
        "encoder": {"name": choice.name, "reason": choice.reason},
        "report": report.model_dump(mode="json"),
    }


def _text(body: dict[str, Any]) -> str:
    from core.corpus.report import cleaning_in_words
    from core.figures.words import count

    report = body["report"]
    files = report["files"]
    languages = ", ".join(f"{code or 'unknown'} {n:,}" for code, n in body["languages"].items())
    size = ", ".join(count(body[f"{noun}s"], noun) for noun in ("document", "character", "chunk"))
    lines = [
        f"{plain(body['name'])}: {size} ({report['format']})",
        f"Languages: {languages}",
        f"Encoder: {plain(body['encoder']['reason'])}",
        "",
        table(
            ["file", "format", "documents", "characters", "encoding"],
            [(f["name"], f["format"], f["documents"], f["characters"], f["encoding"] or None) for f in files[:_SHOWN]],
        ),
    ]
    if len(files) > _SHOWN:
        lines.append(f"... and {len(files) - _SHOWN:,} more files")
    if cleaning := cleaning_in_words(report["cleaning"]):
        lines += ["", f"Cleaned: {cleaning}."]
    lines += _listed("Skipped", report["skipped_total"], [f"{s['name']}: {s['reason']}" for s in report["skipped"]])
    same = [f"{d['id']} is the same as {d['same_as']}" for d in report["duplicates"]]
    lines += _listed("Duplicates", report["duplicates_total"], same)
    lines += [f"Note: {plain(notice)}" for notice in report["notices"]]
    return "\n".join(lines)


def _listed(title: str, total: int, items: list[str]) -> list[str]:
    if not total:
        return []
    more = [f"  ... and {total - _SHOWN:,} more"] if total > _SHOWN else []
    return ["", f"{title}: {total:,}", *(f"  {plain(item, 160)}" for item in items[:_SHOWN]), *more]
