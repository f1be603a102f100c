"""The benchmark of KERAG: the object it gives, on small data. No time is asserted."""

import json

import pytest

from core.__main__ import main
from core.benchmarks.kerag import bench_kerag


@pytest.fixture(scope="module")
def result():
    return bench_kerag(sample="literature", n=2, triples=300)


def test_questions_and_a_large_neighbourhood_are_measured_beside_networkx(result):
    assert set(result) == {"bench", "graph", "ours", "peers", "ratio"}
    ours, peer = result["ours"], result["peers"]["networkx ego_graph"]
    assert ours["questions"] == 2  # one more was asked, to warm up
    assert {"median_seconds", "mean_seconds", "p95_seconds", "hit@1", "nodes"} <= set(ours)
    assert ours["large_peak_mb"] > 0
    assert result["ratio"]["large_seconds"] == pytest.approx(peer["large_seconds"] / ours["large_seconds"])
    json.dumps(result, allow_nan=False)


def test_both_sides_see_the_same_triples_and_ours_finds_every_item(result):
    ours, peer = result["ours"], result["peers"]["networkx ego_graph"]
    assert ours["large_triples"] == peer["large_triples"] == 300
    assert ours["large_answers"] == 300 - 150


def test_the_command_prints_a_table(capsys):
    code = main(["bench", "kerag", "--sample", "literature", "-n", "1", "--triples", "50"])
    assert code == 0
    assert "networkx ego_graph" in capsys.readouterr().out
