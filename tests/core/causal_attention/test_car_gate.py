from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.causal_attention.gate import (
    DRAWS,
    Probe,
    Verdict,
    decide,
    decide_from_labels,
    keep_verdict,
    known_verdict,
    regime,
)
from core.errors import InputError


def test_delta_and_the_decision() -> None:
    assert regime(np.array([0.5, -0.1])).delta == pytest.approx(0.2)
    assert regime(np.array([0.5, -0.1])).enable
    assert not regime(np.array([-0.5, 0.1])).enable
    assert not regime(np.zeros(5)).enable  # on if and only if delta > 0


def test_reliability_of_one_probe_is_the_share_that_agrees() -> None:
    # One probe drawn from {+1 three times, -2}: the mean is positive, and three draws in four say so.
    reliability = regime(np.array([1.0, 1.0, 1.0, -2.0]), sizes=(1, 50)).reliability
    assert reliability[1] == pytest.approx(0.75, abs=0.04)
    assert set(reliability) == {1, 50}


def test_reliability_grows_with_probes_and_repeats_with_its_seed() -> None:
    gains = np.random.default_rng(1).normal(-0.1, 0.3, 200)
    curve = regime(gains, sizes=(1, 30, 120)).reliability
    assert curve[1] < curve[30] <= curve[120]
    assert curve[120] > 0.95
    assert regime(gains, sizes=(30,)).reliability[30] == curve[30]
    assert regime(gains, sizes=(30,), seed=1).reliability[30] == pytest.approx(curve[30], abs=0.03)
    assert DRAWS == 2000


def test_reliability_against_a_slower_program() -> None:
    gains = [0.3, -0.2, 0.1, -0.15]
    lots = np.random.default_rng(9)
    right = sum(np.mean([gains[lots.integers(4)] for _ in range(8)]) > 0 for _ in range(4000)) / 4000
    assert regime(np.array(gains), sizes=(8,)).reliability[8] == pytest.approx(right, abs=0.04)


def test_no_probe_is_refused() -> None:
    with pytest.raises(InputError):
        regime(np.zeros(0))


def verdict(hybrid: list[float], semantic: list[float] | None = None) -> Verdict:
    base = [0.5] * len(hybrid)
    modes = {"semantic": np.array(semantic or base) - 0.3, "hybrid": np.array(hybrid)}
    return decide("sha256:x", np.array(base), modes)  # type: ignore[arg-type]


def test_the_verdict_in_a_sentence() -> None:
    on, off = verdict([0.7, 0.6]), verdict([0.4, 0.3])
    assert on.sentence.startswith("On: over 2 probe queries, hybrid changes ndcg@10 by +0.150")
    assert off.sentence.startswith("Off: over 2 probe queries, re-ranking changes ndcg@10 by -0.150 at best (hybrid)")
    assert on.chosen == "hybrid"
    assert on.step().enable
    assert off.chosen is None
    assert not off.step().enable


def test_it_is_remembered_for_its_corpus_alone(private_home: Path) -> None:
    assert known_verdict("sha256:x") is None
    own = verdict([0.7, 0.6])
    keep_verdict(own)
    assert known_verdict("sha256:x") == own
    assert known_verdict("sha256:x, with a document more") is None
    keep_verdict(verdict([0.1, 0.1]))
    assert known_verdict("sha256:x") == verdict([0.1, 0.1]).model_copy(
        update={"made_at": known_verdict("sha256:x").made_at}
    )  # type: ignore[union-attr]
    (file,) = (private_home / "gates").iterdir()
    file.write_text("{", encoding="utf-8")
    assert known_verdict("sha256:x") is None


def test_labels_of_a_person() -> None:
    good = Probe({"b"}, {"baseline": ["a", "b"], "semantic": ["b", "a"], "hybrid": ["a", "b"]})
    silent = Probe((), {"baseline": ["a"], "semantic": ["a"], "hybrid": ["a"]})
    made = decide_from_labels("sha256:x", [good, silent])
    assert made.probes == 1
    assert made.enable == {"semantic": True, "hybrid": False}
    assert made.delta["semantic"] == pytest.approx(1 - 1 / np.log2(3))
    assert made.labelled_by == "a person"
    with pytest.raises(InputError, match="no probe"):
        decide_from_labels("sha256:x", [silent])
