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
    from core.disk_cache import DiskCache

    cache = DiskCache()
    entries = cache.entries()
    body = {
        "folder": str(cache.root),
        "bytes": sum(e.bytes for e in entries),
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
    total = f"{sum(e.bytes for e in entries) / 1e6:,.1f} of at most {cache.limit_bytes / 1e6:,.0f} MB in {cache.root}"
    text = [table(["kind", "key", "size", "last used"], rows), ""] if rows else []
    return Reply(body, "\n".join([*text, total]), as_json)


@app.command()
def clear(
    kind: Annotated[str | None, typer.Option(help="Only entries of this kind, e.g. bm25.")] = None,
    as_json: Json = False,
) -> Reply:
    """Remove what the cache holds. It is made anew when it is needed."""
    from core.disk_cache import DiskCache

    freed = DiskCache().clear(kind)
    return Reply({"freed_bytes": freed}, f"Freed {freed / 1e6:,.1f} MB.", as_json)
