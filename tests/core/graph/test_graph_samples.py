"""Samples are found by their sample.json; what is in them is tested beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import ConfigError, InputError
from core.graph.samples import FOLDER, SAMPLES, find_samples, load_sample


def test_every_folder_with_a_sample_json_is_a_sample(tmp_path: Path) -> None:
    for name in ("b", "a", "no-sample"):
        (tmp_path / name).mkdir()
    for name in ("b", "a"):
        (tmp_path / name / "sample.json").write_text(json.dumps({"title": name.upper(), "blurb": "x", "licence": "l"}))
    found = find_samples(tmp_path)
    assert [(s.name, s.title) for s in found.values()] == [("a", "A"), ("b", "B")]
    assert found["a"].questions == tmp_path / "a" / "questions.jsonl"


def test_the_sample_that_says_so_comes_first(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        about = {"title": name, "blurb": "x", "first": name == "b"}
        (tmp_path / name / "sample.json").write_text(json.dumps(about))
    assert list(find_samples(tmp_path)) == ["b", "a", "c"]
    assert next(iter(SAMPLES)) == "films"


@pytest.mark.parametrize("text", ["{", "[]", '{"title": "x"}'])
def test_a_broken_description_says_where(tmp_path: Path, text: str) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "sample.json").write_text(text)
    with pytest.raises(InputError) as caught:
        find_samples(tmp_path)
    assert caught.value.where == "a/sample.json"


def test_the_samples_of_the_project_load_whole() -> None:
    assert set(SAMPLES) == {path.parent.name for path in FOLDER.glob("*/sample.json")}
    for name, sample in SAMPLES.items():
        loaded = load_sample(name)
        assert loaded.graph.name == sample.title
        assert loaded.report.rejected == ()
        assert loaded.report.nodes_from_edges == 0


def test_an_unknown_sample_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match="no sample 'atlantis'"):
        load_sample("atlantis")
