"""Ids that a graph does not know: which other source they come from, so that a person can be told where to go.

Not here: opening that source. The ontology's ids are known by their form; a sample's are looked up in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.sgur.expert_graph import ExpertGraph
from core.sgur.sources.catalogue import SOURCES, SourceInfo
from core.sgur.sources.sample import diagnosable_samples, load_sample_layers

_ONTOLOGY = re.compile(r"HP:\d{7}")
LOOKED_AT = 200  # ids: more would tell no more


def source_of(ids: Iterable[str], graph: ExpertGraph) -> SourceInfo | None:
    """The source that most of these ids are observations of, if it is another one than this graph; else None."""
    strange = [id_ for id_ in dict.fromkeys(ids) if id_ not in graph.observations.positions][:LOOKED_AT]
    if not strange:
        return None
    others = [source for source in SOURCES.values() if source.title != graph.dataset.name]
    found = max(((_known(source, strange), source) for source in others), key=lambda pair: pair[0], default=None)
    return found[1] if found is not None and 2 * found[0] > len(strange) else None


def _known(source: SourceInfo, ids: list[str]) -> int:
    if source.name in (sample.name for sample in diagnosable_samples()):
        positions = load_sample_layers(source.name).observations.positions
        return sum(id_ in positions for id_ in ids)
    return sum(_ONTOLOGY.fullmatch(id_) is not None for id_ in ids)
