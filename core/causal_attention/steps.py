"""The settings of a causal-attention run, and its steps as a trace stores them.

The evidence step holds all that a score depends on, so that other settings can be answered from it
without an encoder (rescore.py). All that a page draws of a ranking is here.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from core.llm.exchange import Exchange
from core.trace import Frozen, NodeRef, Step, register_step

Mode = Literal["baseline", "exact", "semantic", "fallback", "hybrid", "maxsim", "cross-encoder", "gated"]
Extractor = Literal["tf-idf", "textrank", "keybert", "llm"]
EmptyB = Literal["", "no keywords", "all absorbed", "unknown language"]
LADDER = 100  # keywords of a document whose values may be kept


class CarConfig(Frozen):
    """Settings of a run (CAR-1 to CAR-5). `tau` None: the encoder's own (CAR-3).

    window: candidates that are re-ranked (the k of top-k); pool: candidates whose values are kept, so that
    the window can be moved; theta: least similarity of a candidate; keywords: of a document; kept: keywords of
    a document whose values are kept; weight: of s_sim in the hybrid; shared_weight: of |A| there, signed.
    """

    mode: Mode = "hybrid"
    window: int = Field(20, ge=1, le=200)
    pool: int = Field(40, ge=1, le=200)
    theta: float = Field(-1.0, ge=-1.0, le=1.0)
    tau: float | None = Field(None, ge=-1.0, le=1.0)
    keywords: int = Field(15, ge=1, le=LADDER)
    kept: int = Field(30, ge=1, le=LADDER)
    query_keywords: int = Field(10, ge=1, le=LADDER)
    weight: float = Field(0.5, ge=0.0, le=1.0)
    shared_weight: float = Field(0.0, ge=-1.0, le=1.0)
    answer: bool = True


class Weighted(Frozen):
    """A keyword and its weight."""

    term: str
    weight: float


class CarStep(Step):
    """What every step of this method has: why it was taken, and the exchange where a model decided."""

    reason: str = ""
    exchange: Exchange | None = None


@register_step
class ReadQuery(CarStep):
    """The query's keywords K_q, and with what the texts are compared."""

    kind: Literal["car.read_query"] = "car.read_query"
    keywords: tuple[Weighted, ...] = ()
    extractor: Extractor = "tf-idf"
    encoder: str = ""
    tau: float  # the one in force
    tau_auto: float  # the encoder's own: 99th percentile of the cosines of random pairs of terms


@register_step
class KeywordsStep(CarStep):
    """A model was given a document of S1 and named its keywords."""

    kind: Literal["car.keywords"] = "car.keywords"
    document: NodeRef
    keywords: tuple[Weighted, ...] = ()


class Similar(Frozen):
    """A candidate: its cosine with the query, and its place by it from 1."""

    document: NodeRef
    score: float
    rank: int


@register_step
class Retrieved(CarStep):
    """The documents most like the query, best first. The first `window` of them, at least theta alike, are S1."""

    kind: Literal["car.retrieve"] = "car.retrieve"
    total: int
    window: int
    theta: float
    candidates: tuple[Similar, ...] = ()


class DocumentEvidence(Frozen):
    """A candidate's keywords K_d, best first, in columns, and what any split and score of it needs.

    exact: whether the term is one of K_q. nearest, nearest_cosine: the query keyword of largest cosine with the
    term, and that cosine ("" and -1 without K_q). query_cosine: E(q) . E(t). gram: E(t) . E(u) for t, u in
    the rows of a lower triangle, diagonal included, k (k + 1) / 2 values. unknown: the share of the
    keywords that the encoder does not know.
    """

    id: str
    terms: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    exact: tuple[bool, ...] = ()
    nearest: tuple[str, ...] = ()
    nearest_cosine: tuple[float, ...] = ()
    query_cosine: tuple[float, ...] = ()
    gram: tuple[float, ...] = ()
    unknown: float = 0.0


@register_step
class EvidenceStep(CarStep):
    """The evidence of each candidate of the pool."""

    kind: Literal["car.evidence"] = "car.evidence"
    documents: tuple[DocumentEvidence, ...] = ()


class Placed(Frozen):
    """A document's place in a ranking, from 1. `score` is None where nothing was left to score: it sorts last."""

    id: str
    score: float | None
    rank: int


@register_step
class NeuralStep(CarStep):
    """Scores of the candidates by a neural reranker, which other settings do not change."""

    kind: Literal["car.neural"] = "car.neural"
    name: Literal["maxsim", "cross-encoder"]
    stand_in: bool = False
    scores: dict[str, float] = {}


@register_step
class GateStep(CarStep):
    """What the regime gate says of this corpus: whether the re-ranker is on. Without a verdict it is off."""

    kind: Literal["car.gate"] = "car.gate"
    known: bool = False
    enable: bool = False
    mode: Mode = "hybrid"


class Split(Frozen):
    """A candidate's keywords divided: A shared with the query, B the rest; the score of B, and why B is empty.

    score: s_c, or s_sim where the document has no usable keyword; None where all were absorbed.
    absorbed: the share of the keywords' weight that is in A.
    """

    id: str
    shared: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()
    score: float | None = None
    absorbed: float = 0.0
    empty: EmptyB = ""


@register_step
class SplitStep(CarStep):
    """The candidates of S1 divided at this tau, or by string match alone (`exact`)."""

    kind: Literal["car.split"] = "car.split"
    how: Literal["exact", "semantic"] = "semantic"
    tau: float
    keywords: int
    documents: tuple[Split, ...] = ()


@register_step
class RankingStep(CarStep):
    """One ranking of the pool: S1 re-ordered, then the others as they were."""

    kind: Literal["car.ranking"] = "car.ranking"
    mode: Mode
    label: str = ""
    places: tuple[Placed, ...] = ()


@register_step
class AnswerStep(CarStep):
    """A model was given these documents, best first, and wrote the answer."""

    kind: Literal["car.answer"] = "car.answer"
    documents: tuple[str, ...] = ()
