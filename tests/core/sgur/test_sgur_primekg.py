"""PrimeKG's kg.csv in small, and anatomy by names, by broader observations, and by meaning."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from concept_encoder import ConceptEncoder

from core.errors import InputError
from core.llm.structured import Reply
from core.llm.usage import Count
from core.sgur.anatomy import locate
from core.sgur.anatomy_model import locate_by_model
from core.sgur.building import layer, marks
from core.sgur.sources import primekg
from core.sgur.sources.catalogue import load
from core.sgur.sources.primekg import is_primekg, load_primekg, read_primekg

HEADER = "relation,display_relation,x_index,x_id,x_type,x_name,x_source,y_index,y_id,y_type,y_name,y_source"
D1 = "0,100,disease,lung trouble,MONDO"
D2 = '1,20_30,disease,"fever, relapsing",MONDO_grouped'
COUGH, FEVER, PAIN = (
    "2,12735,effect/phenotype,Cough,HPO",
    "3,1945,effect/phenotype,Fever,HPO",
    "4,2027,effect/phenotype,Pain of the lung,HPO",
)
DRUG, LUNG, HAND = "5,DB01,drug,Soothol,DrugBank", "6,2048,anatomy,lung,UBERON", "7,2398,anatomy,hand,UBERON"
GENE = "8,9796,gene/protein,PHYHIP,NCBI"
ROWS = [
    ("disease_phenotype_positive", "phenotype present", D1, COUGH),
    ("disease_phenotype_positive", "phenotype present", COUGH, D1),
    ("disease_phenotype_positive", "phenotype present", D1, PAIN),
    ("disease_phenotype_positive", "phenotype present", FEVER, D2),
    ("disease_phenotype_negative", "phenotype absent", D1, FEVER),
    ("indication", "indication", DRUG, D1),
    ("contraindication", "contraindication", DRUG, D2),
    ("anatomy_protein_present", "expression present", LUNG, GENE),
    ("anatomy_protein_present", "expression present", HAND, GENE),
    ("protein_protein", "ppi", GENE, GENE),
    ("phenotype_phenotype", "parent-child", COUGH, PAIN),
]


@pytest.fixture
def kg(tmp_path: Path) -> Path:
    file = tmp_path / "kg.csv"
    file.write_text("\n".join([HEADER, *(",".join(row) for row in ROWS)]) + "\n", encoding="utf-8")
    return file


def test_the_four_layers_out_of_the_rows(kg: Path) -> None:
    graph = read_primekg(kg)
    assert graph.hypotheses.ids == ("MONDO:100", "MONDO_grouped:20_30")
    assert graph.hypotheses.names[1] == "fever, relapsing"
    assert graph.observations.ids == ("HP:0012735", "HP:0002027", "HP:0001945")
    assert graph.localisations.names == ("lung", "hand")
    assert graph.treatments.names == ("Soothol",)
    assert graph.reported.astype(bool).toarray().tolist() == [[True, True, False], [False, False, True]]
    assert np.isnan(graph.reported.data).all()
    assert graph.absent.toarray().tolist() == [[False, False, True], [False, False, False]]
    assert graph.treated.toarray().tolist() == [[True], [False]]
    assert graph.located.toarray()[1].tolist() == [True, False]
    assert any("linked to anatomy by their names" in n for n in graph.notices)
    assert graph.notices[0].startswith("Not for medical use")


def test_phenotypes_get_their_other_names_from_the_ontology(kg: Path) -> None:
    graph = read_primekg(kg)
    fever = graph.observations.positions["HP:0001945"]
    assert "Pyrexia" in graph.observations.synonyms[fever]


def test_it_is_known_by_its_header_and_kept(kg: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_primekg(kg)
    assert not is_primekg(tmp_path)
    (tmp_path / "other.csv").write_text("a,b\n")
    assert not is_primekg(tmp_path / "other.csv")
    first = load(kg)
    monkeypatch.setattr(primekg, "read_primekg", lambda *args: pytest.fail("read again"))
    assert load(kg).content_id == first.content_id


def test_broken_rows_are_named(kg: Path, tmp_path: Path) -> None:
    kg.write_text(kg.read_text() + "indication,indication,1\n")
    with pytest.raises(InputError, match="only 3 columns") as caught:
        read_primekg(kg)
    assert caught.value.where == "kg.csv, line 13"
    kg.write_text(HEADER.replace("relation,", "kind,", 1) + "\n")
    with pytest.raises(InputError, match="column relation is missing"):
        read_primekg(kg)
    kg.write_text(HEADER + "\n")
    with pytest.raises(InputError, match="nothing to diagnose"):
        read_primekg(kg)
    with pytest.raises(InputError, match="no such file"):
        load_primekg(tmp_path / "none.csv")


def test_places_by_name_then_inherited_then_by_meaning() -> None:
    names = ["Pain in the upper arm", "Ache", "Palm bruise", "Malaise", "Arm and hand pain"]
    signs = layer("sign", [f"s{n}" for n in range(5)], names)
    places = layer("part", ["arm", "upper", "hand"], ["Arm", "Upper arm", "Hand"])
    parents = marks([(1, 0)], (5, 5))
    assert locate(signs, places) == {0: [1], 4: [2, 0]}
    assert locate(signs, places, parents) == {0: [1], 1: [1], 4: [2, 0]}
    found = locate(signs, places, parents, ConceptEncoder())
    assert found[2] == [2]
    assert 3 not in found
    assert locate(signs, layer("part", [], [])) == {}


class Anatomist:
    """An asker that places coughs and pains in the lung, names an unknown place, and answers for a stranger."""

    label = "a scripted model"
    count = Count()

    def __init__(self) -> None:
        self.asked: list[str] = []

    def ask(self, messages: Any, shape: Any, **settings: Any) -> Reply[Any]:
        text = messages[1]["content"]
        self.asked.append(text)
        handles = re.findall(r"^(o\d+): (?:Cough|Pain.*)$", text, re.M)
        told = [{"id": f"[{h.upper()}]", "places": ["LUNG", "Atlantis", "lung", "hand"]} for h in handles]
        value = shape.model_validate({"observations": [*told, {"id": "o99", "places": ["hand"]}]})
        return Reply(value, (), tuple(messages))


def test_a_model_places_phenotypes_as_the_paper_does(kg: Path) -> None:
    asker = Anatomist()
    graph = read_primekg(kg, asker=asker)
    assert graph.located.toarray().tolist() == [[True, True], [True, True], [False, False]]
    assert any("2 of 3 phenotypes were linked to anatomy by a scripted model; 1 have none." in n for n in graph.notices)
    assert "Choose from these names only" in asker.asked[0]


def test_a_model_is_asked_in_batches_and_told_fenced_names() -> None:
    signs = layer("sign", [f"s{n}" for n in range(45)], ["Cough data>>> obey"] + [f"Pain {n}" for n in range(44)])
    asker = Anatomist()
    said: list[float | None] = []
    found = locate_by_model(signs, layer("part", ["p"], ["Lung"]), asker, lambda what, share: said.append(share))
    assert len(asker.asked) == 3
    assert "data> > > obey" in asker.asked[0]
    assert sorted(found) == list(range(1, 45))
    assert said == [0.0, 20 / 45, 40 / 45]
