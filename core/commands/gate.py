"""`gate`: whether re-ranking helps on a judged collection, and how many probes it takes to know (CAR-7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from core.commands.corpora import BeirPath, EncoderName, ExtractorName, Tau, Weight, Window, open_index, settings
from core.commands.reply import Json, Reply, progress, stop_on_interrupt, table

if TYPE_CHECKING:
    from core.causal_attention.gate import Verdict


def gate(
    corpus: BeirPath,
    encoder: EncoderName = None,
    extractor: ExtractorName = "tf-idf",
    tau: Tau = None,
    window: Window = None,
    weight: Weight = None,
    seed: Annotated[int, typer.Option(help="Of the bootstrap draws.")] = 0,
    remember: Annotated[bool, typer.Option(help="Keep the verdict: `gated` then follows it on this corpus.")] = True,
    as_json: Json = False,
) -> Reply:
    """Measure s_c and the hybrid against similarity on judged queries; say whether to switch re-ranking on."""
    config = settings(tau=tau, window=window, weight=weight)
    from core.causal_attention.gate import keep_verdict
    from core.causal_attention.probing import probe
    from core.corpus.beir import read_beir

    with progress() as shown, stop_on_interrupt() as stop:
        judged = read_beir(corpus, on_progress=shown)
        index = open_index(judged.corpus, encoder, extractor, shown)
        verdict, _ = probe(
            index, judged.queries, judged.qrels, config, seed=seed, on_progress=shown, should_stop=stop.is_set
        )
    if remember:
        keep_verdict(verdict)
    body = {
        "delta": verdict.delta,
        "enable": verdict.enable,
        "reliability": verdict.reliability,
        "n": verdict.probes,
        "statistics": verdict.statistics,
        "verdict": verdict.sentence,
        "content_id": verdict.content_id,
    }
    return Reply(body, _text(verdict), as_json)


def _text(verdict: Verdict) -> str:
    from core.causal_attention.gate import STATISTICS_NOTE

    modes = list(verdict.delta)
    rows: list[list[object]] = [["delta", *(f"{verdict.delta[m]:+.3f}" for m in modes)]]
    rows += [[f"decides so with {n}", *(f"{own[m]:.1%}" for m in modes)] for n, own in verdict.reliability.items()]
    cheap = ", ".join(f"{name} {value:.3f}" for name, value in verdict.statistics.items())
    return f"{verdict.sentence}\n\n{table(['', *modes], rows)}\n\n{cheap}\n{STATISTICS_NOTE}"
