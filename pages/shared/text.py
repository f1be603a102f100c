"""Text from data, made safe to show. Names and texts come from files: they are shown, never interpreted.

Not here: HTML pages (core/figures escapes its own).
"""

from __future__ import annotations

import html
import re

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def esc(text: object) -> str:
    """For st.html: the text as HTML shows it, letter by letter, with its own reading direction."""
    return html.escape(str(text), quote=True)


def md(text: object, limit: int = 300) -> str:
    """For labels and st.markdown: one line, every Markdown mark escaped, cut at `limit` characters."""
    return _PUNCTUATION.sub(r"\\\1", short(text, limit))


def short(text: object, limit: int = 80) -> str:
    """One line of at most `limit` characters; an ellipsis says that something is missing."""
    line = " ".join(str(text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def many(count: int, noun: str, plural: str = "") -> str:
    """`1,234 nodes`, `1 node`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
