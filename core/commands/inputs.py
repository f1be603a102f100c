"""What commands are given: a graph or a sample, methods, and their settings. Wrong ones are told before work begins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import ConfigError

if TYPE_CHECKING:
    from core.graph.report import LoadedGraph
    from core.retriever import OnProgress

GraphPath = Annotated[Path | None, typer.Option("--graph", help="A graph file or folder.", metavar="PATH")]
SampleName = Annotated[str | None, typer.Option("--sample", help="A sample graph, by name.", metavar="NAME")]
Engine = Annotated[str, typer.Option(help="BM25: bm25s, or okapi for small graphs.", metavar="ENGINE")]
_VARIANT = re.compile(r"\s*([^\[\],\s]+)\s*(?:\[([^\[\]]*)\])?\s*(?:,|$)")


@dataclass(frozen=True, slots=True)
class Variant:
    """A method with settings of its own. `label` is how it was written: it names it in results."""

    label: str
    method: str
    settings: dict[str, Any]


def open_graph(graph: Path | None, sample: str | None, on_progress: OnProgress, engine: str = "bm25s") -> LoadedGraph:
    """The graph that was asked for. ConfigError unless it is exactly one of a path and a sample."""
    from core.graph.report import LoadedGraph
    from core.graph.samples import SAMPLES, load_sample

    names = ", ".join(SAMPLES)
    if (graph is None) == (sample is None):
        what = "name a graph" if graph is None else "name a graph or a sample, not both"
        raise ConfigError(what, where="--graph, --sample", hint=f"Use --graph PATH, or --sample with one of: {names}.")
    if sample is not None:
        loaded = load_sample(sample, on_progress)
    else:
        from core.graph.readers import read_graph

        assert graph is not None
        loaded = read_graph(graph, on_progress=on_progress)
    return LoadedGraph(loaded.graph.with_engine(engine), loaded.report)


def questions_file(questions: Path | None, sample: str | None) -> Path:
    """The file of questions that was asked for, or the sample's own. ConfigError when there is neither."""
    if questions is not None:
        return questions
    if sample is None:
        raise ConfigError("name a file of questions", where="--questions", hint="Samples have their own.")
    from core.graph.samples import SAMPLES

    return SAMPLES[sample].questions


def variants(text: str, common: Mapping[str, Any]) -> list[Variant]:
    """Methods from a list like `cara,cara[assess=false,lambda=0.9],bm25`; each once.

    `common` settings go to each method that has them. ConfigError for an unknown method, a setting that
    no method of the list has, and a value that is out of range.
    """
    found: dict[str, Variant] = {}
    at = 0
    while at < len(text):
        match = _VARIANT.match(text, at)
        if match is None:
            hint = "Write names with commas between them, e.g. cara,bm25 or cara[assess=false]."
            raise ConfigError(f"{text!r} is not a list of methods", where="--method", hint=hint)
        at = match.end()
        label = match[1] if match[2] is None else f"{match[1]}[{match[2].strip()}]"
        found[label] = _variant(label, match[1], _settings(match[2] or "", label), common)
    if not found:
        raise ConfigError("name a method", where="--method", hint="For instance: --method cara,bm25.")
    _all_used(common, found.values())
    return list(found.values())


def _variant(label: str, method: str, own: Mapping[str, Any], common: Mapping[str, Any]) -> Variant:
    from core.methods import method_info
    from core.settings import checked_settings

    info = method_info(method)
    if info.needs != "graph":
        raise ConfigError(f"{method} ranks the documents of a corpus", where=label, hint="Use: rerank --corpus PATH.")
    model = info.config_model
    shared = {name: value for name, value in common.items() if value is not None and name in model.model_fields}
    settings = {**shared, **own}
    valid = checked_settings(model, settings, label)
    return Variant(label, method, {name: getattr(valid, name) for name in settings})


def _settings(text: str, label: str) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, equals, value = part.partition("=")
        if not equals:
            raise ConfigError(f"{part!r} is no setting", where=label, hint="Write name=value.")
        name = name.strip().replace("-", "_")
        settings["lambda_" if name == "lambda" else name] = value.strip()
    return settings


def _all_used(common: Mapping[str, Any], chosen: Iterable[Variant]) -> None:
    # A seed is given to every evaluation, whether or not its methods draw lots.
    given = {name for name, value in common.items() if value is not None and name != "seed"}
    unused = given - {name for variant in chosen for name in variant.settings}
    if unused:
        options = ", ".join("--" + name.rstrip("_").replace("_", "-") for name in sorted(unused))
        methods = ", ".join(variant.method for variant in chosen)
        raise ConfigError(f"{methods} cannot be set by this", where=options)
