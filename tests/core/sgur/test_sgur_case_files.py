"""Case files: their own format, phenopackets old and new, in one piece, as a list, or one a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from real_hpo import real_hpo
from small_hpo import write_small_hpo

from core.errors import InputError
from core.sgur.case_files import parse_cases, read_cases
from core.sgur.expert_graph import ExpertGraph
from core.sgur.sources.hpo import read_hpo

CASE = {
    "id": "one",
    "observed": [{"id": "HP:0009999", "label": "by a former id"}, "HP:0000508", "HP:0003324", "HP:1234567"],
    "excluded": ["HP:0001488", "HP:0003324"],
    "disease_id": "OMIM:1",
    "pmid": "PMID:7",
}
PACKET: dict[str, Any] = {
    "id": "two",
    "subject": {"id": "someone"},
    "phenotypicFeatures": [
        {"type": {"id": "HP:0000508", "label": "Ptosis"}},
        {"type": {"id": "HP:0003324"}, "excluded": True},
        {"type": {"id": "HP:0001488"}, "negated": True},
    ],
    "interpretations": [{"diagnosis": {"disease": {"id": "OMIM:2", "label": "x"}}}],
    "metaData": {"externalReferences": [{"id": "PMID:9"}]},
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ExpertGraph:
    return read_hpo(*write_small_hpo(tmp_path_factory.mktemp("hpo")))


def parse(graph: ExpertGraph, value: Any, name: str = "cases.json") -> Any:
    return parse_cases((value if isinstance(value, str) else json.dumps(value)).encode("utf-8"), name, graph)


def test_a_case_keeps_what_the_graph_knows_and_maps_what_it_gave_up(graph: ExpertGraph) -> None:
    found = parse(graph, CASE)
    (patient,) = found.patients
    assert patient.observed == ("HP:0000508", "HP:0003324")
    assert patient.excluded == ("HP:0001488",)  # what is both observed and excluded was observed
    assert patient.unknown == ("HP:1234567",)
    assert (patient.diagnosis, patient.diagnosis_name, patient.source) == ("OMIM:1", "Lid disease", "PMID:7")
    assert found.notices == (
        "Ids that are no phenotype of Human Phenotype Ontology were left out, 1 in all: HP:1234567.",
    )


def test_phenopackets_of_both_versions(graph: ExpertGraph) -> None:
    (patient,) = parse(graph, PACKET).patients
    assert patient.observed == ("HP:0000508",)
    assert patient.excluded == ("HP:0003324", "HP:0001488")
    assert (patient.diagnosis, patient.diagnosis_name, patient.source) == ("OMIM:2", "Weakness", "PMID:9")
    diseases = [{"term": {"id": "OMIM:2"}, "excluded": True}, {"term": {"id": "OMIM:77", "label": "Another"}}]
    old = {k: v for k, v in PACKET.items() if k != "interpretations"} | {"diseases": diseases}
    found = parse(graph, old)
    assert (found.patients[0].diagnosis, found.patients[0].diagnosis_name) == ("OMIM:77", "Another")
    assert found.notices[0].startswith("Cases with a diagnosis that ")
    assert found.notices[0].endswith("1 of 1.")


@pytest.mark.parametrize("shape", ["list", "lines", "lines with a byte-order mark"])
def test_many_cases(graph: ExpertGraph, shape: str) -> None:
    both = [CASE, PACKET]
    text = json.dumps(both) if shape == "list" else "\n\n".join(map(json.dumps, both)) + "\n"
    mark = "\ufeff" if "mark" in shape else ""
    assert [p.id for p in parse(graph, mark + text).patients] == ["one", "two"]


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("", "x.jsonl", "no case"),
        ("[]", "x.jsonl", "no case"),
        ("{", "x.jsonl, line 1", "not JSON"),
        (json.dumps(CASE) + "\n{broken", "x.jsonl, line 2", "not JSON"),
        (json.dumps(CASE) + '\n{"id": "z"}', "x.jsonl, line 2", "neither"),
        (json.dumps([CASE, 7]), "x.jsonl, case 2", "an object, not a number"),
        ('{"observed": "HP:1"}', "x.jsonl", "should be a list, not a text"),
        ('{"observed": [{"label": "x"}]}', "x.jsonl", "has no id"),
        ('{"phenotypicFeatures": [{"type": "x"}]}', "x.jsonl", "feature 1"),
        ("[" * 100_000, "x.jsonl", "nested"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(graph: ExpertGraph, text: str, where: str, what: str) -> None:
    with pytest.raises(InputError, match=what) as caught:
        parse(graph, text, "x.jsonl")
    assert caught.value.where == where


def test_silent_cases_are_said(graph: ExpertGraph, tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_text('{"observed": [], "disease_id": "OMIM:1"}')
    assert read_cases(file, graph).notices == ("Cases without an observation that is known: 1 of 1.",)
    with pytest.raises(InputError, match="cannot be read"):
        read_cases(tmp_path / "none", graph)


@pytest.mark.shared
def test_published_cases_are_read_whole(shared_data: Path) -> None:
    found = read_cases(shared_data / "cases" / "phenopackets_dev.jsonl", real_hpo())
    assert len(found.patients) == 279
    assert found.notices == ()
    assert sum(len(p.observed) for p in found.patients) > 1_000
    assert any(p.excluded for p in found.patients)
