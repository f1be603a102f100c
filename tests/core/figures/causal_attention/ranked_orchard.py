"""A ranking made by hand: six documents, each with a fate of its own, from vectors that are written down.

`VECTORS` are of three dimensions: near the query's words, about pruning, about something else.
"""

from __future__ import annotations

from math import sqrt

from core.causal_attention.evidence import facts_of
from core.causal_attention.rescore import ranked_of, rankings
from core.causal_attention.steps import (
    CarConfig,
    DocumentEvidence,
    EvidenceStep,
    GateStep,
    NeuralStep,
    ReadQuery,
    Retrieved,
    Similar,
    Weighted,
)
from core.trace import Answer, Claim, DatasetRef, Evidence, NodeRef, Trace

QUESTION = "how are apple trees pruned"
QUERY = (0.8, 0.6, 0.0)
KEYWORDS = {"apple": (1.0, 0.0, 0.0), "pruned": (0.8, 0.6, 0.0)}
VECTORS = {
    **KEYWORDS,
    "apples": (0.9, 0.0, sqrt(0.19)),
    "saw": (0.0, 1.0, 0.0),
    "branch": (0.28, 0.96, 0.0),
    "quiz": (0.0, 0.0, 1.0),
    "cartoon": (0.0, -0.6, 0.8),
    "xyzzy": (0.0, 0.0, 0.0),
}
# id -> (title, similarity, keywords with weights, share unknown)
DOCUMENTS = {
    "stuffed": ("Apple apple", 0.9, {"apple": 6.0, "pruned": 3.0, "quiz": 1.0}, 0.0),
    "echo": ("Only the query's words", 0.8, {"apple": 2.0, "apples": 1.0}, 0.0),
    "guide": ("Winter work", 0.7, {"saw": 3.0, "branch": 2.0, "apple": 1.0}, 0.0),
    "blank": ("Of the and", 0.4, {}, 0.0),
    "blind": ("???", 0.3, {"xyzzy": 2.0}, 1.0),
    "other": ("Cartoons", 0.2, {"cartoon": 2.0, "quiz": 1.0}, 0.0),
    "beyond": ("Too far away", 0.1, {"saw": 1.0}, 0.0),
}
TAU = 0.7


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def evidence(id_: str) -> DocumentEvidence:
    _, _, weights, unknown = DOCUMENTS[id_]
    terms = list(weights)
    nearest = [max(KEYWORDS, key=lambda u: dot(KEYWORDS[u], VECTORS[t])) for t in terms]
    return DocumentEvidence(
        id=id_,
        terms=tuple(terms),
        weights=tuple(weights.values()),
        exact=tuple(t in KEYWORDS for t in terms),
        nearest=tuple(nearest),
        nearest_cosine=tuple(dot(KEYWORDS[u], VECTORS[t]) for u, t in zip(nearest, terms, strict=True)),
        query_cosine=tuple(dot(QUERY, VECTORS[t]) for t in terms),
        gram=tuple(dot(VECTORS[t], VECTORS[u]) for i, t in enumerate(terms) for u in terms[: i + 1]),
        unknown=unknown,
    )


def ranked(
    mode: str = "hybrid",
    *,
    titles: dict[str, str] | None = None,
    neural: dict[str, float] | None = None,
    gate: GateStep | None = None,
    question: str = QUESTION,
    answer: str = "",
    **config: object,
) -> Trace:
    """The trace of a run over DOCUMENTS. The window of six leaves "beyond" out."""
    own = {"mode": mode, "window": 6, "tau": TAU, **config}
    settings = CarConfig.model_validate(own)
    tau = settings.tau if settings.tau is not None else TAU
    candidates = tuple(
        Similar(document=NodeRef(id=id_, name=(titles or {}).get(id_, title), type="document"), score=score, rank=rank)
        for rank, (id_, (title, score, _, _)) in enumerate(DOCUMENTS.items(), 1)
    )
    kept = tuple(evidence(id_) for id_ in DOCUMENTS)
    steps: list = [
        ReadQuery(
            keywords=tuple(Weighted(term=t, weight=3.0 - i) for i, t in enumerate(KEYWORDS)),
            encoder="by hand",
            tau=tau,
            tau_auto=TAU,
        ),
        Retrieved(total=len(DOCUMENTS), window=settings.window, theta=settings.theta, candidates=candidates),
        EvidenceStep(documents=kept),
    ]
    extra = [NeuralStep(name="maxsim", stand_in=True, scores=neural)] if neural else []
    steps += [*extra, *([gate] if gate else [])]
    made = rankings(candidates, facts_of(kept), [d.terms for d in kept], settings, tau, extra, gate)
    numbered = [s.model_copy(update={"index": i, "decided_by": "by hand"}) for i, s in enumerate([*steps, *made], 1)]
    return Trace(
        run_id="by-hand",
        method="causal-attention",
        question=question,
        config=settings.model_dump(),
        dataset=DatasetRef(content_id="sha256:orchard", name="Orchard", kind="corpus", size={"documents": 7}),
        decided_by="cosines written down, no model",
        ranked=ranked_of(made, candidates, settings.mode),
        answer=Answer(
            text=answer, claims=(Claim(text=answer, evidence=(Evidence(node=candidates[2].document, quote=answer),)),)
        )
        if answer
        else None,
    ).model_copy(update={"steps": tuple(numbered)})
