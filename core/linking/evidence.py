"""What a node's own name, type and text say of the needs that no relation explains: words, not meaning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from core.linking.words import FUNCTION_WORDS, singular, stem

_WORD = re.compile(r"[^\W_]+")
TEXT_SHARE = 0.8  # of a need, that the text meets and neither name nor type does
TEXT_READ = 5_000  # characters of a node's text that are read


class NodeStems(NamedTuple):
    """The stems of a node's name and type, and those of its text."""

    name: frozenset[str]
    text: frozenset[str]


def node_stems(name: str, type_: str, text: str) -> NodeStems:
    """The stems of a node's content words."""
    return NodeStems(_stems(f"{name} {type_}"), _stems(text[:TEXT_READ]))


def met(needs: Sequence[str], node: NodeStems) -> tuple[float, ...]:
    """How far each need is met by the node's own words: 1 by its name or type, 0.8 by its text, else 0."""
    return tuple(_met(need, node) for need in needs)


def _met(need: str, node: NodeStems) -> float:
    own = _stems(need)
    if own & node.name:
        return 1.0
    return TEXT_SHARE if own & node.text else 0.0


def _stems(text: str) -> frozenset[str]:
    words = {w for w in _WORD.findall(text.lower()) if w not in FUNCTION_WORDS}
    return frozenset(stem(form) for w in words for form in (w, singular(w)))
