"""The sample corpora that come with Causeway: every folder of sample_data/corpora that has a sample.json.

A folder is in the format of BEIR, with title, blurb, licence and suggested queries beside it. A further sample
is a further folder. Not here: reading a BEIR folder (beir.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from core.corpus.beir import BeirSet, read_beir
from core.errors import ConfigError, InputError
from core.retriever import OnProgress

FOLDER = Path(__file__).resolve().parents[2] / "sample_data" / "corpora"


@dataclass(frozen=True, slots=True)
class CorpusSample:
    """What is known of a sample without reading its texts. `suggested`: ids of queries to begin with."""

    name: str
    title: str
    blurb: str
    folder: Path
    licence: str = ""
    suggested: tuple[str, ...] = ()


def find_corpus_samples(folder: Path = FOLDER) -> Mapping[str, CorpusSample]:
    """Name -> sample, in order of names. InputError when a sample.json is not as it should be."""
    found: dict[str, CorpusSample] = {}
    for about in sorted(folder.glob("*/sample.json")):
        try:
            said = json.loads(about.read_text(encoding="utf-8"))
            sample = CorpusSample(
                name=about.parent.name,
                title=str(said["title"]),
                blurb=str(said["blurb"]),
                folder=about.parent,
                licence=str(said.get("licence", "")),
                suggested=tuple(map(str, said.get("suggested", ()))),
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"a sample is not described as it should be: {error!r}", where=f"{about.parent.name}/sample.json"
            ) from None
        found[sample.name] = sample
    return MappingProxyType(found)


CORPUS_SAMPLES: Mapping[str, CorpusSample] = find_corpus_samples()


def load_corpus_sample(name: str, on_progress: OnProgress | None = None) -> BeirSet:
    """A sample's corpus, called by its title, with its queries and judgements. ConfigError for an unknown name."""
    if name not in CORPUS_SAMPLES:
        raise ConfigError(f"there is no sample corpus {name!r}", hint=f"There are: {', '.join(CORPUS_SAMPLES)}.")
    sample = CORPUS_SAMPLES[name]
    return read_beir(sample.folder, name=sample.title, on_progress=on_progress)
