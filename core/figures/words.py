"""Names and numbers as people read them: cut, kept on one line, and isolated from the text around them.

Everything here returns plain text. Escaping is the template's work.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

LABEL = 28  # characters of a node's label; the whole name is in its tooltip
IN_SENTENCE = 60
_ISOLATED = frozenset({"R", "AL", "AN", "RLO", "RLE", "RLI", "LRO", "LRE", "LRI", "FSI", "PDF", "PDI"})


def one_line(text: str) -> str:
    """`text` with every run of white space, line ends and control characters as one space."""
    return " ".join("".join(c if c.isprintable() or unicodedata.category(c) == "Cf" else " " for c in text).split())


def cut(text: str, length: int = LABEL) -> str:
    """`text` on one line, at most `length` characters, the last an ellipsis when something was cut."""
    head = text[: 4 * length + 64]  # a name of a million characters is not walked through
    line = one_line(head)
    if len(line) <= length and len(head) == len(text):
        return line
    return line[: length - 1].rstrip() + "…"


def isolate(text: str) -> str:
    """`text` fenced by directional isolates when it holds right-to-left or overriding characters."""
    if any(unicodedata.bidirectional(c) in _ISOLATED for c in text):
        return f"\u2068{text}\u2069"
    return text


def named(name: str, length: int = IN_SENTENCE) -> str:
    """A node's name for use in a sentence."""
    return isolate(cut(name, length)) or "(no name)"


def quoted(text: str, length: int = IN_SENTENCE) -> str:
    """Words of the question or of a query, in quotation marks."""
    return f"“{isolate(cut(text, length))}”"


def relation_words(edge_type: str) -> str:
    """An edge type in words: the last segment of an IRI or a dotted name, underscores and camel case as spaces."""
    last = re.split(r"[/#.]|__", edge_type.rstrip("/#._"))[-1]
    spaced = re.sub(r"(?<=[a-z0-9])[A-Z](?=[a-z])", lambda m: f" {m.group().lower()}", re.sub(r"[_-]", " ", last))
    words = one_line(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", spaced))
    return (words.lower() if words.isupper() else words) or one_line(edge_type)


def agent_name(agent: int) -> str:
    """Agents count from 0 in a trace and from 1 on the page."""
    return f"Agent {agent + 1}"


def listed(items: Sequence[str], most: int = 3) -> str:
    """The first items as prose: "A", "A and B", "A, B and 3 more"."""
    shown = list(items[:most])
    if len(items) > most:
        return f"{', '.join(shown)} and {len(items) - most:,} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]])) if shown else ""


def count(n: int, one: str, many: str = "") -> str:
    """A number and its noun: "1 node", "2,623 nodes"."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def money(amount: float) -> str:
    """Two decimals, more for an amount so small that they would hide it."""
    return f"{amount:,.2f}" if amount >= 0.1 or amount == 0 else f"{amount:.2g}"
