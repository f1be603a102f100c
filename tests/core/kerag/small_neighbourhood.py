"""A hand-made neighbourhood: bridges, rivers and towns, with lengths, dates and prices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.kerag.subgraph import Neighbourhood
from core.trace import NodeRef

Triple = tuple[str, str, str]
TRIPLES: list[Triple] = [
    ("Old Bridge", "crosses", "Aare"),
    ("New Bridge", "crosses", "Aare"),
    ("Rail Bridge", "crosses", "Rhine"),
    ("Rail Bridge", "crosses", "Aare"),
    ("Old Bridge", "stands in", "Bern"),
    ("New Bridge", "stands in", "Thun"),
    ("Rail Bridge", "stands in", "Thun"),
    ("Old Bridge", "opened in", "1461"),
    ("New Bridge", "opened in", "3 May 1882"),
    ("Rail Bridge", "opened in", "1912"),
    ("Old Bridge", "is long", "1,100 m"),
    ("New Bridge", "is long", "0.9 km"),
    ("Rail Bridge", "is long", "320 m"),
    ("Old Bridge", "built by", "Ada"),
    ("New Bridge", "built by", "Ada"),
    ("Rail Bridge", "built by", "Bo"),
    ("Old Bridge", "cost", "$20"),
    ("New Bridge", "cost", "€20"),
    ("Bern", "has", "toll"),
]


def neighbourhood(triples: Sequence[Triple] = TRIPLES) -> Neighbourhood:
    """Ids are the names in lower case; nodes and relations are numbered as they come."""
    names = list(dict.fromkeys(n for h, _, t in triples for n in (h, t)))
    relations = list(dict.fromkeys(r for _, r, _ in triples))
    return Neighbourhood(
        nodes=tuple(NodeRef(id=n.lower(), name=n) for n in names),
        positions=np.arange(len(names)),
        hop=np.zeros(len(names), dtype=np.int16),
        relations=tuple(relations),
        head=np.array([names.index(h) for h, _, _ in triples], dtype=np.int64),
        relation=np.array([relations.index(r) for _, r, _ in triples], dtype=np.int64),
        tail=np.array([names.index(t) for _, _, t in triples], dtype=np.int64),
        total=len(triples),
    )
