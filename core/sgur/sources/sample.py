"""The sample graphs that can be diagnosed: those whose folder has a layers.json, which maps their types to layers."""

from __future__ import annotations

from pydantic import ValidationError

from core.errors import InputError
from core.graph.samples import SAMPLES, SampleInfo, load_sample
from core.retriever import OnProgress
from core.sgur.expert_graph import ExpertGraph
from core.sgur.sources.from_graph import LayerMap, expert_graph

FILE = "layers.json"


def diagnosable_samples() -> tuple[SampleInfo, ...]:
    """In order of names."""
    return tuple(sample for sample in SAMPLES.values() if (sample.folder / FILE).is_file())


def sample_layers(sample: SampleInfo) -> LayerMap:
    """The sample's own map. InputError when it is not as it should be."""
    try:
        return LayerMap.model_validate_json((sample.folder / FILE).read_bytes())
    except (OSError, ValidationError) as error:
        raise InputError(f"the map of layers cannot be read: {error}", where=f"{sample.name}/{FILE}") from None


def load_sample_layers(name: str, on_progress: OnProgress | None = None) -> ExpertGraph:
    """The expert graph of a sample. ConfigError for an unknown name."""
    loaded = load_sample(name, on_progress)
    return expert_graph(loaded.graph, sample_layers(SAMPLES[name]), on_progress)
