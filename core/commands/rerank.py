"""`rerank`: one query, one corpus, every ranking of the same candidates; the run is saved where the app finds it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.commands.corpora import (
    CorpusPath,
    CrossEncoderFolder,
    EncoderName,
    ExtractorName,
    SharedWeight,
    Tau,
    Weight,
    Window,
    open_index,
    settings,
)
from core.commands.model import (
    CONTEXT,
    BaseUrl,
    ContextTokens,
    ModelName,
    PricePrompt,
    PriceReply,
    Record,
    Replay,
    model_source,
    price_of,
    priced,
    spent_in_words,
)
from core.commands.reply import Json, Reply, plain, progress, say, stop_on_interrupt, table
from core.errors import ConfigError, QuestionError, StoreError

if TYPE_CHECKING:
    from core.causal_attention.index import CausalIndex
    from core.trace import Trace

SHOWN = 10
_RANKINGS = "baseline, exact, semantic, fallback, hybrid, maxsim, cross-encoder or gated."


def rerank(
    corpus: CorpusPath,
    query: Annotated[str, typer.Option(help="What is looked for, in quotes.")],
    mode: Annotated[str, typer.Option(help=f"The ranking that is the result: {_RANKINGS}")] = "hybrid",
    encoder: EncoderName = None,
    extractor: ExtractorName = "tf-idf",
    tau: Tau = None,
    window: Window = None,
    theta: Annotated[float | None, typer.Option(help="Least similarity of a candidate.")] = None,
    keywords: Annotated[int | None, typer.Option("--per-document", help="Keywords a document (default 15).")] = None,
    weight: Weight = None,
    shared_weight: SharedWeight = None,
    cross_encoder: CrossEncoderFolder = None,
    model: ModelName = None,
    base_url: BaseUrl = None,
    context: ContextTokens = CONTEXT,
    price_prompt: PricePrompt = None,
    price_reply: PriceReply = None,
    record: Record = None,
    replay: Replay = None,
    model_keywords: Annotated[
        bool, typer.Option("--model-keywords", help="Let the model name the keywords, too.")
    ] = False,
    save: Annotated[bool, typer.Option(help="Keep the run in the run store, where the app lists it.")] = True,
    as_json: Json = False,
) -> Reply:
    """Rank a corpus for a query by similarity and by causal attention; print both, and why."""
    config = settings(
        mode=mode,
        tau=tau,
        window=window,
        theta=theta,
        keywords=keywords,
        weight=weight,
        shared_weight=shared_weight,
    )
    if mode == "cross-encoder" and cross_encoder is None:
        raise ConfigError("cross-encoder needs a folder", where="--cross-encoder", hint="maxsim needs none.")
    if not query.strip():
        raise QuestionError("the query is empty", where="--query", hint="Write what you look for.")
    source = model_source(model, base_url, context, record, replay)
    price = price_of(source, price_prompt, price_reply)
    if model_keywords and source is None:
        raise ConfigError("no model is named to choose keywords", where="--model-keywords", hint="Add --model.")
    from core.causal_attention.gate import known_verdict
    from core.causal_attention.neural import CrossEncoder, NeuralScorer, max_sim
    from core.causal_attention.retriever import CausalAttentionRetriever
    from core.corpus.readers import read_corpus
    from core.graph.columns import clean

    neural: list[NeuralScorer] = [max_sim()] if mode == "maxsim" else []
    if cross_encoder is not None:
        neural.append(CrossEncoder(cross_encoder))
    with progress() as shown, stop_on_interrupt() as stop:
        read = read_corpus(corpus, on_progress=shown)
        index = open_index(read, encoder, extractor, shown)
        verdict = known_verdict(index.dataset.content_id)
        retriever = CausalAttentionRetriever(
            index,
            neural,
            verdict.step() if verdict else None,
            source.make_asker if source else None,
            source.context_tokens if source else CONTEXT,
            model_keywords,
        )
        trace = priced(retriever.run(clean(query)[0], config.model_dump(), should_stop=stop.is_set), price)
    code = 130 if trace.status == "stopped" else 0
    if save:
        trace = _saved(trace)
    return Reply(_body(trace, index), _text(trace), as_json, code=code)


def _saved(trace: Trace) -> Trace:
    from core.store import Store

    try:
        store = Store()
        return trace.model_copy(update={"run_id": store.save(trace)})
    except StoreError as error:
        say(f"The run was not saved: {error}")
        return trace


def _body(trace: Trace, index: CausalIndex) -> dict[str, Any]:
    from core.causal_attention.steps import RankingStep

    return {
        "ranked": [{"id": r.id, "name": r.name, "type": r.type, "score": r.score} for r in trace.ranked],
        "answer": trace.answer.text if trace.answer else "",
        "citations": list(trace.answer.citations) if trace.answer else [],
        "rankings": {
            step.mode: [{"id": p.id, "score": p.score, "rank": p.rank} for p in step.places]
            for step in trace.steps
            if isinstance(step, RankingStep)
        },
        "duplicates": [{"id": copy.id, "same_as": copy.same_as} for copy in index.duplicates],
        "notices": list(trace.notices),
        "trace": json.loads(trace.to_json()),
    }


def _text(trace: Trace) -> str:
    from core.causal_attention.steps import SplitStep

    splits = {d.id: d for s in trace.steps if isinstance(s, SplitStep) and s.how == "semantic" for d in s.documents}
    rows = []
    for rank, ranked in enumerate(trace.ranked[:SHOWN], 1):
        split = splits.get(ranked.id)
        rest = ", ".join(split.rest[:5]) if split else ""
        shared = ", ".join(split.shared[:5]) if split else ""
        why = split.empty if split and split.empty else rest
        rows.append([rank, ranked.ranks[0], ranked.score, ranked.name, shared, why])
    head = table(["rank", "by similarity", "score", "document", "A (shared)", "B (left)"], rows) if rows else "Nothing."
    lines = [head, ""]
    if trace.answer:
        lines += [plain(claim.text, 300) for claim in trace.answer.claims] or [plain(trace.answer.text)]
    lines += filter(None, [spent_in_words(trace)])
    return "\n".join([*lines, *(plain(notice) for notice in trace.notices)])
