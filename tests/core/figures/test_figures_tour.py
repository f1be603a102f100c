"""The tour's file: every stop is a link that its page can open, and a broken file says so."""

import json

import pytest

from core.corpus.samples import CORPUS_SAMPLES
from core.errors import InputError
from core.figures.tour import read_tour
from core.graph.samples import SAMPLES


def test_each_stop_is_a_link_to_a_sample_with_words_to_read():
    stops = read_tour()
    assert 6 <= len(stops) <= 12
    for stop in stops:
        assert stop.query["data"] in (CORPUS_SAMPLES if stop.page == "causal_attention" else SAMPLES)
        assert stop.query["go"] == "1"  # a fresh server makes the run
        assert "tour" not in stop.query
        assert "run" not in stop.query
        assert 40 < len(stop.caption) < 400
    assert {stop.query["data"] for stop in stops} == {"films", "devices", "literature", "company"}
    assert {stop.page for stop in stops} == {"cara", "causal_attention", "kerag", "sgur"}  # every method is seen


def test_each_question_of_the_tour_is_one_of_its_sample():
    for stop in (stop for stop in read_tour() if stop.page == "cara"):
        lines = SAMPLES[stop.query["data"]].questions.read_text(encoding="utf-8").splitlines()
        assert stop.query["q"] in {json.loads(line)["question"] for line in lines if line}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"stops": []}',
        '{"stops": [{"page": "cara"}]}',
        '{"stops": [{"page": "../x", "query": {}, "title": "", "caption": ""}]}',
    ],
)
def test_a_broken_file_is_refused(tmp_path, text):
    file = tmp_path / "tour.json"
    file.write_text(text)
    with pytest.raises(InputError, match="tour"):
        read_tour(file)
