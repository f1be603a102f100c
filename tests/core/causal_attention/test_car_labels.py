from concurrent.futures import ThreadPoolExecutor

import pytest
from car_world import FRUIT, index_of

from core.causal_attention.gate import Probe, decide_from_labels
from core.causal_attention.labels import keep_label, keep_labels, read_labels
from core.causal_attention.probing import probe
from core.errors import InputError, StoreError


def test_labels_survive_and_belong_to_content_and_owner(private_home):
    keep_label("c1", "apple?", "d1", 1)
    keep_label("c1", "apple?", "d2", 0)
    keep_label("c1", "pear?", "d2", 0)
    found = read_labels("c1")
    assert found.queries == {"apple?": {"d1": 1, "d2": 0}, "pear?": {"d2": 0}}
    assert found.qrels == {"apple?": {"d1": 1, "d2": 0}}  # a query without a relevant document says nothing
    assert (found.grade("apple?", "d1"), found.grade("apple?", "d9"), found.grade("?", "d1")) == (1, None, None)
    assert read_labels("c2").queries == {}
    assert read_labels("c1", "somebody else").queries == {}
    assert list(private_home.rglob("*.tmp")) == []


def test_a_label_is_changed_and_taken_back():
    keep_label("c", "q", "d", 1)
    assert keep_label("c", "q", "d", 0).grade("q", "d") == 0
    assert keep_label("c", "q", "d", None).queries == {}
    assert keep_label("c", "q", "d", None).queries == {}
    assert keep_label("c", "q", "d", 3).grade("q", "d") == 1


def test_a_damaged_file_is_as_good_as_none(private_home):
    keep_label("c", "q", "d", 1)
    (file,) = private_home.rglob("labels/*.json")
    file.write_text("{", encoding="utf-8")
    assert read_labels("c").queries == {}
    file.write_text('{"content_id": "another", "queries": {"q": {"d": 1}}}', encoding="utf-8")
    assert read_labels("c").queries == {}


def test_what_cannot_be_kept_is_said(tmp_path):
    (tmp_path / "labels").write_text("a file where a folder should be", encoding="utf-8")
    with pytest.raises(StoreError):
        keep_label("c", "q", "d", 1, folder=tmp_path)


def test_a_query_with_half_a_letter_harms_no_other():
    keep_label("c", "q", "d", 1)
    keep_label("c", "half \ud800", "d", 1)
    assert read_labels("c").grade("q", "d") == 1


def test_labels_set_at_the_same_time_are_all_kept():
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: keep_label("c", f"q{n % 4}", f"d{n}", 1), range(40)))
    assert sum(map(len, read_labels("c").queries.values())) == 40


def test_probing_decides_as_the_gate_does_from_the_same_labels():
    index = index_of(FRUIT)
    queries = {"apple harvest": "apple harvest", "engine valve": "engine valve"}
    qrels = {"apple harvest": {"d1": 1, "d4": 1}, "engine valve": {"d5": 1}}
    verdict, experiment = probe(index, queries, qrels, labelled_by="a person")
    assert (verdict.probes, verdict.labelled_by) == (2, "a person")
    assert verdict.content_id == index.dataset.content_id
    for mode in ("semantic", "hybrid"):
        gains = experiment.values(mode) - experiment.values("baseline")
        assert verdict.delta[mode] == pytest.approx(float(gains.mean()))
    assert set(verdict.statistics) == {"overlap", "absorbed", "gap"}
    with pytest.raises(InputError):
        probe(index, queries, {"apple harvest": {"d1": 0}})
    rankings = {"baseline": ["d1", "d2"], "semantic": ["d2", "d1"]}
    assert not decide_from_labels("c", [Probe({"d1"}, rankings)]).enable["semantic"]


def test_what_a_model_labelled_is_told_apart():
    keep_labels("c", "q1", {"d1": 1, "d2": 0}, by_model=True)
    assert read_labels("c").labelled_by == "a model"
    keep_label("c", "q1", "d2", 1)  # a person's second look does not make it a person's
    assert read_labels("c").labelled_by == "a model"
    keep_label("c", "q2", "d1", 1)
    found = read_labels("c")
    assert found.labelled_by == "a person and a model"
    assert found.by_model == ("q1",)
    keep_labels("c", "q1", {"d1": None, "d2": None})
    assert read_labels("c").labelled_by == "a person"
    assert read_labels("c").by_model == ()
