"""The sample graphs that come with Causeway: every folder of sample_data that has a sample.json.

A folder holds nodes.csv (id, name, type, text), edges.csv (source, target, type), questions.jsonl and
sample.json (title, blurb, licence). A further sample is a further folder. Not here: reading questions.
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
    """Name -> sample, in order of names. InputError when a sample.json is not as it should be."""
    found: dict[str, SampleInfo] = {}
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
    return MappingProxyType(found)


SAMPLES: Mapping[str, SampleInfo] = find_samples()


def load_sample(name: str, on_progress: OnProgress | None = None) -> LoadedGraph:
    """The graph of a sample, called by its title. ConfigError for an unknown name."""
    from core.graph.readers import read_graph

    if name not in SAMPLES:
        raise ConfigError(f"there is no sample {name!r}", hint=f"There are: {', '.join(SAMPLES)}.")
    sample = SAMPLES[name]
    return read_graph(sample.folder, name=sample.title, on_progress=on_progress)
