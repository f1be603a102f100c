"""The benchmarks of questions and of the start: the object they give, on small data. No time is asserted."""

import contextlib
import json
import os
import re

import pytest
from fake_retriever import FakeRetriever

from core import methods
from core.benchmarks import start
from core.benchmarks.cara import bench_cara
from core.cara.contracts import CaraConfig
from core.errors import ConfigError, QuestionError


class Walker(FakeRetriever):
    method = "cara"

    def __init__(self, graph, source=None):
        super().__init__()
        self.dataset = graph.dataset
        Walker.asked = self.questions


@pytest.fixture(autouse=True)
def fake_methods(monkeypatch):
    for name in ("cara", "dense"):
        info = methods.MethodInfo(name, name, "", "graph", CaraConfig, Walker)
        monkeypatch.setitem(methods.METHODS, name, info)


def test_cara_is_measured_beside_its_peers_on_the_same_questions(private_home):
    result = bench_cara(sample="literature", n=3)
    assert set(result) == {"bench", "graph", "ours", "peers", "ratio"}
    assert list(result["peers"]) == ["bm25", "dense"]
    for side in (result["ours"], *result["peers"].values()):
        assert side["questions"] == 3  # one more was asked, to warm up
        assert {"median_seconds", "mean_seconds", "p95_seconds", "prepare_seconds", "hit@1"} <= set(side)
    assert {"open_seconds", "open_again_seconds", "nodes"} <= set(result["ours"])
    assert len(Walker.asked) == 4
    assert result["ratio"]["bm25"] == pytest.approx(
        result["peers"]["bm25"]["median_seconds"] / result["ours"]["median_seconds"]
    )
    assert os.environ["CAUSEWAY_HOME"] == str(private_home)  # the empty cache was for the opening alone
    json.dumps(result, allow_nan=False)


def test_a_graph_on_disk_needs_its_questions(tmp_path):
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "edges.csv").write_text("source,target,type\nAda,Engine,described\n")
    with pytest.raises(ConfigError, match="needs its questions"):
        bench_cara(folder)
    with pytest.raises(ConfigError, match="no sample 'x'"):
        bench_cara(sample="x")
    (tmp_path / "q.txt").write_text("who described the [Engine]\tAda\n")
    result = bench_cara(folder, tmp_path / "q.txt", n=5)
    assert result["ours"]["questions"] == 1  # the only question is its own warm-up
    (tmp_path / "q.txt").write_text("who described the [Engine]\tAda|Nobody\n")
    assert bench_cara(folder, tmp_path / "q.txt", n=5)["ours"]["questions"] == 1  # an answer that is no node is left
    (tmp_path / "q.txt").write_text("who described the [Engine]\tNobody\n")
    with pytest.raises(QuestionError, match="no question of the file"):
        bench_cara(folder, tmp_path / "q.txt", n=5)


@pytest.fixture
def app(tmp_path, monkeypatch):
    """A stand-in for the app, so that this test does not depend on the pages."""
    (tmp_path / "app.py").write_text(start.PEER + "import decimal\n")
    monkeypatch.setattr(start, "ROOT", tmp_path)
    monkeypatch.setattr(start, "HEAVY", ("decimal", "streamlit", "a_module_that_is_not_there"))
    return tmp_path


@pytest.mark.browser
def test_a_start_is_measured_in_a_browser_with_what_was_imported(app, browser, monkeypatch):
    monkeypatch.setattr(start, "_browser", lambda: contextlib.nullcontext(browser))  # one playwright a process
    result = start.bench_start(repeats=1)
    assert result["browser"]
    for side in (result["ours"], result["peers"]["one line"]):
        assert side["title_seconds"] <= side["page_seconds"] <= side["slowest_seconds"]
        assert "streamlit" in side["imported"]
        assert "a_module_that_is_not_there" not in side["imported"]
    assert "decimal" in result["ours"]["imported"]
    assert set(result["ratio"]) == {"reply", "title", "page", "slowest"}


def test_without_a_browser_reply_and_script_are_measured(app, monkeypatch):
    monkeypatch.setattr(start, "_browser", contextlib.nullcontext)
    result = start.bench_start(repeats=1)
    assert not result["browser"]
    assert {"reply_seconds", "script_seconds"} <= set(result["ours"])


def test_an_app_that_does_not_start_is_told_with_its_last_words(app, monkeypatch):
    (app / "app.py").unlink()
    monkeypatch.setattr(start, "_browser", contextlib.nullcontext)
    with pytest.raises(ConfigError, match="did not start") as caught:
        start.bench_start(repeats=1)
    assert re.search("app.py", caught.value.hint)
