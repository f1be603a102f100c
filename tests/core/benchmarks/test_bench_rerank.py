from __future__ import annotations

import json

import pytest

from core.__main__ import main


def test_bench_rerank_measures_each_stage_beside_its_peer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "rerank", "--documents", "60", "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["bench"] == "rerank"
    assert body["documents"] == 60
    for name in ("similarity_median_ms", "rerank_20_median_ms", "slider_median_ms", "megabytes"):
        assert body["ours"][name] > 0
    (peer,) = body["peers"].values()
    assert body["ratio"]["similarity"] == pytest.approx(
        peer["similarity_median_ms"] / body["ours"]["similarity_median_ms"]
    )
