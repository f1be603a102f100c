"""`cache`: what is kept on disk to be quick the second time. Nothing in it is the only copy of anything."""

from __future__ import annotations

import datetime
from typing import Annotated

import typer

from core.commands.reply import Json, Reply, plain, table

app = typer.Typer(help="Look at the cache of indexes and vectors, or clear it.", no_args_is_help=True)


@app.command()
def info(as_json: Json = False) -> Reply:
    """Say what the cache holds, and where."""
    from core.caches import WORD_VECTORS, cache_sizes
    from core.disk_cache import DiskCache

    cache = DiskCache()
    entries = cache.entries()
    words = cache_sizes().get(WORD_VECTORS, 0)
    total = sum(e.bytes for e in entries) + words
    body = {
        "folder": str(cache.root),
        "bytes": total,
        "word_vectors_bytes": words,
        "limit_bytes": cache.limit_bytes,
        "entries": [{"kind": e.kind, "key": e.key, "bytes": e.bytes, "used_at": e.used_at} for e in entries],
    }
    rows = [
        (
            e.kind,
            plain(e.key, 40),
            f"{e.bytes / 1e6:,.1f} MB",
            f"{datetime.datetime.fromtimestamp(e.used_at):%Y-%m-%d %H:%M}",
        )
        for e in entries
    ]
    if words:
        rows.append((WORD_VECTORS, "", f"{words / 1e6:,.1f} MB", ""))
    line = f"{total / 1e6:,.1f} of at most {cache.limit_bytes / 1e6:,.0f} MB in {cache.root}"
    text = [table(["kind", "key", "size", "last used"], rows), ""] if rows else []
    return Reply(body, "\n".join([*text, line]), as_json)


@app.command()
def clear(
    kind: Annotated[str | None, typer.Option(help="Only entries of this kind, e.g. bm25.")] = None,
    as_json: Json = False,
) -> Reply:
    """Remove what the cache holds. It is made anew when it is needed."""
    from core.caches import clear_caches

    freed = clear_caches(kind)
    return Reply({"freed_bytes": freed}, f"Freed {freed / 1e6:,.1f} MB.", as_json)
