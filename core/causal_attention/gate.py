"""The regime gate (CAR-7): whether re-ranking helps on this corpus, measured on labelled probe queries.

delta = metric(re-ranked) - metric(baseline), averaged over the probes; on if and only if delta > 0. How far to
trust it is measured by drawing n probes again and again. A verdict belongs to a corpus's content id.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from pydantic import ValidationError

from core.causal_attention.ir_metrics import ndcg
from core.causal_attention.scores import Floats
from core.causal_attention.steps import GateStep, Mode
from core.errors import InputError, StoreError
from core.trace import Frozen

DRAWS = 2_000
TOLD = 30  # probes of which the sentence tells the reliability
SIZES = (4, 8, 15, 30, 60, 120)
GATED_MODES: tuple[Mode, ...] = ("semantic", "hybrid")
_NOISE = 1e-12  # sums of equal metrics may differ by as much
STATISTICS_NOTE = (
    "Keyword overlap, the share of weight absorbed in A and the top-1 gap are shown beside it; they do not decide, "
    "since whether keywords mislead cannot be seen without knowing what is relevant."
)


class Regime(NamedTuple):
    """What probes say of one mode. reliability: n -> share of draws of n probes that decide as all of them do."""

    delta: float
    enable: bool
    reliability: dict[int, float]


class Verdict(Frozen):
    """A gate's decision for the corpus `content_id`, in one sentence too. `labelled_by`: qrels, a person, a model."""

    format: Literal["causeway.gate/1"] = "causeway.gate/1"
    content_id: str
    probes: int
    metric: str = "ndcg@10"
    delta: dict[str, float]
    enable: dict[str, bool]
    reliability: dict[int, dict[str, float]]
    statistics: dict[str, float] = {}
    labelled_by: str = "qrels"
    made_at: str = ""

    @property
    def sentence(self) -> str:
        """The verdict for people."""
        mode: str = self.chosen or max(self.delta, key=lambda m: self.delta[m])
        gain = self.delta[mode]
        n = TOLD if TOLD in self.reliability else max(self.reliability, default=0)
        sure = self.reliability[n].get(mode, 0.0) if n else 0.0
        probes = f"{self.probes} probe quer{'y' if self.probes == 1 else 'ies'}"
        trust = f"with {n} probes {sure:.0%} of the draws decide so"
        if self.chosen:
            return f"On: over {probes}, {mode} changes {self.metric} by {gain:+.3f}; {trust}."
        return f"Off: over {probes}, re-ranking changes {self.metric} by {gain:+.3f} at best ({mode}); {trust}."

    @property
    def chosen(self) -> Mode | None:
        """The enabled mode that gains most, None when the gate is off."""
        enabled = [mode for mode in GATED_MODES if self.enable.get(mode)]
        enabled.sort(key=lambda mode: -self.delta[mode])
        return enabled[0] if enabled else None

    def step(self) -> GateStep:
        """The verdict as a run records it."""
        return GateStep(known=True, enable=self.chosen is not None, mode=self.chosen or "hybrid")


def regime(gains: Floats, sizes: Sequence[int] = SIZES, seed: int = 0, draws: int = DRAWS) -> Regime:
    """Decide from (n,) per-probe differences, and how reliably fewer or more probes would have decided so.

    Probes are drawn with replacement. InputError without a probe.
    """
    gains = np.asarray(gains, np.float64)
    if not len(gains):
        raise InputError("the gate needs at least one labelled probe", hint="Label a document of some query.")
    delta = float(gains.mean())
    enable = delta > _NOISE
    reliability = {}
    for n in sizes:
        generator = np.random.default_rng([seed, n])  # one size's draws do not depend on which others are asked for
        means = gains[generator.integers(0, len(gains), (draws, n))].mean(axis=1)
        reliability[n] = float(((means > _NOISE) == enable).mean())
    return Regime(delta, enable, reliability)


def decide(
    content_id: str,
    baseline: Floats,
    modes: Mapping[Mode, Floats],
    *,
    sizes: Sequence[int] = SIZES,
    seed: int = 0,
    statistics: Mapping[str, float] | None = None,
    labelled_by: str = "qrels",
    metric: str = "ndcg@10",
) -> Verdict:
    """The verdict from each probe's metric under the baseline and under each mode, all (n,)."""
    own = {mode: regime(np.asarray(values) - np.asarray(baseline), sizes, seed) for mode, values in modes.items()}
    return Verdict(
        content_id=content_id,
        probes=len(baseline),
        metric=metric,
        delta={mode: r.delta for mode, r in own.items()},
        enable={mode: r.enable for mode, r in own.items()},
        reliability={n: {mode: r.reliability[n] for mode, r in own.items()} for n in sizes},
        statistics=dict(statistics or {}),
        labelled_by=labelled_by,
        made_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    )


class Probe(NamedTuple):
    """A query that a person or a model labelled: ids of the documents called relevant, and each mode's ranking."""

    relevant: Collection[str]
    rankings: Mapping[Mode, Sequence[str]]


def decide_from_labels(
    content_id: str, probes: Sequence[Probe], seed: int = 0, labelled_by: str = "a person"
) -> Verdict:
    """The verdict from labelled probes by nDCG@10; those without a relevant document say nothing and are left out."""
    useful = [probe for probe in probes if probe.relevant]
    if not useful:
        raise InputError("no probe has a relevant document", hint="Mark at least one document of a query as relevant.")

    def values(mode: Mode) -> Floats:
        return np.array([ndcg(p.rankings[mode], dict.fromkeys(p.relevant, 1), 10) for p in useful], np.float64)

    modes = {mode: values(mode) for mode in GATED_MODES if all(mode in p.rankings for p in useful)}
    return decide(content_id, values("baseline"), modes, seed=seed, labelled_by=labelled_by)


# --- remembered, one file a corpus -----------------------------------------------------------------------------


def keep_verdict(verdict: Verdict, folder: Path | None = None) -> None:
    """Remember it for its corpus; a later one takes its place. StoreError when it cannot be written."""
    path = _path(verdict.content_id, folder)
    draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(verdict.model_dump_json(indent=1), encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise StoreError(f"the verdict cannot be kept: {error.strerror or error}", where=path.name) from None


def known_verdict(content_id: str, folder: Path | None = None) -> Verdict | None:
    """What was remembered for exactly this content; None when there is nothing, or it cannot be read."""
    try:
        body = json.loads(_path(content_id, folder).read_text(encoding="utf-8"))
        verdict = Verdict.model_validate(body)
    except (OSError, ValueError, ValidationError):
        return None
    return verdict if verdict.content_id == content_id else None


def _path(content_id: str, folder: Path | None) -> Path:
    return (folder or home_folder()) / "gates" / f"{hashlib.sha256(content_id.encode()).hexdigest()[:40]}.json"


def home_folder() -> Path:
    """Where verdicts and labels are kept: CAUSEWAY_HOME, else the platform's folder for a user's data."""
    home = os.environ.get("CAUSEWAY_HOME")
    if home:
        return Path(home)
    import platformdirs

    return Path(platformdirs.user_data_dir("causeway", appauthor=False))
