"""The sample graphs that come with Causeway: every folder of sample_data that has a sample.json.

A folder holds nodes.csv (id, name, type, text), edges.csv (source, target, type), questions.jsonl and
sample.json (title, blurb, licence; "first": true for the one to begin with). A further sample is a further folder.
Not here: reading questions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from core.errors import ConfigError, InputError
from core.graph.report import LoadedGraph
from core.retriever import OnProgress

FOLDER = Path(__file__).resolve().parents[2] / "sample_data"


@dataclass(frozen=True, slots=True)
class SampleInfo:
    """What is known of a sample without reading its graph. `suggested`: ids of questions to begin with."""

    name: str
    title: str
    blurb: str
    folder: Path
    questions: Path
    licence: str = ""
    suggested: tuple[str, ...] = ()


def find_samples(folder: Path = FOLDER) -> Mapping[str, SampleInfo]:
    """Name -> sample, the one that says it comes first before the others, these in order of names.

    InputError when a sample.json is not as it should be.
    """
    found: dict[str, SampleInfo] = {}
    first: set[str] = set()
    for about in sorted(folder.glob("*/sample.json")):
        try:
            said = json.loads(about.read_text(encoding="utf-8"))
            sample = SampleInfo(
                name=about.parent.name,
                title=str(said["title"]),
                blurb=str(said["blurb"]),
                folder=about.parent,
                questions=about.parent / "questions.jsonl",
                licence=str(said.get("licence", "")),
                suggested=tuple(map(str, said.get("suggested", ()))),
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"a sample is not described as it should be: {error!r}", where=f"{about.parent.name}/sample.json"
            ) from None
        found[sample.name] = sample
        if said.get("first") is True:
            first.add(sample.name)
    return MappingProxyType(dict(sorted(found.items(), key=lambda pair: pair[0] not in first)))


SAMPLES: Mapping[str, SampleInfo] = find_samples()


def load_sample(name: str, on_progress: OnProgress | None = None) -> LoadedGraph:
    """The graph of a sample, called by its title. ConfigError for an unknown name."""
    from core.graph.readers import read_graph

    if name not in SAMPLES:
        raise ConfigError(f"there is no sample {name!r}", hint=f"There are: {', '.join(SAMPLES)}.")
    sample = SAMPLES[name]
    return read_graph(sample.folder, name=sample.title, on_progress=on_progress)
