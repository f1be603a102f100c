"""`evaluate-ir`: rankings side by side on a judged collection (CAR-9)."""

from __future__ import annotations

from typing import Annotated

import typer

from core.commands.corpora import (
    BeirPath,
    CrossEncoderFolder,
    EncoderName,
    ExtractorName,
    SharedWeight,
    Tau,
    Weight,
    Window,
    modes_of,
    open_index,
    settings,
)
from core.commands.reply import Json, Reply, progress, stop_on_interrupt, table


def evaluate_ir(
    corpus: BeirPath,
    modes: Annotated[str, typer.Option(help="Rankings, with commas.")] = "baseline,exact,semantic,fallback,hybrid",
    encoder: EncoderName = None,
    extractor: ExtractorName = "tf-idf",
    tau: Tau = None,
    window: Window = None,
    weight: Weight = None,
    shared_weight: SharedWeight = None,
    cross_encoder: CrossEncoderFolder = None,
    as_json: Json = False,
) -> Reply:
    """Rank every judged query in each way; print nDCG@10, P@5 and MRR@10."""
    chosen = modes_of(modes)
    config = settings(tau=tau, window=window, weight=weight, shared_weight=shared_weight)
    from core.causal_attention.experiment import run_experiment
    from core.causal_attention.ir_metrics import METRICS
    from core.corpus.beir import read_beir

    with progress() as shown, stop_on_interrupt() as stop:
        judged = read_beir(corpus, on_progress=shown)
        index = open_index(judged.corpus, encoder, extractor, shown)
        result = run_experiment(
            index,
            judged.queries,
            judged.qrels,
            chosen,
            config,
            cross_encoder=cross_encoder,
            on_progress=shown,
            should_stop=stop.is_set,
        )
    means = result.means()
    body = {
        "n": len(result.queries),
        "modes": means,
        "documents": len(index.documents),
        "encoder": index.encoder.name,
        "tau": index.tau_auto if config.tau is None else config.tau,
        "window": config.window,
    }
    rows = [[mode, *(means[mode][name] for name in METRICS)] for mode in chosen]
    text = f"{table(['ranking', *METRICS], rows)}\n\n{len(result.queries)} queries, {len(index.documents)} documents"
    if "maxsim" in chosen:
        text += "\nmaxsim is a training-free stand-in for a cross-encoder."
    return Reply(body, text, as_json)
