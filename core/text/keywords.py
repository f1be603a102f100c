"""Weighted keywords of a text (CAR-2): TF-IDF, TextRank, and a KeyBERT-style extractor over an encoder.

A keyword is one word: a run of letters and digits, or a word of a Chinese text as jieba cuts it (one
character counts). Stop words, single Latin letters and single digits are no keywords. A term is cut to 64
characters. Lists are sorted by (-weight, term) with weights summed over repeats, so they depend on nothing
but the text. Not here: keywords that a language model names.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.text.segment import HAN_RUN, segment
from core.text.tokens import tokenise

TERM_LIMIT = 64
VERSION = "keywords/1"
_ENGLISH = """
a about above after again against all also although am an and any are aren as at be became because been before being
below between both but by can cannot could couldn did didn do does doesn doing don done down during each either else
ever every few for from further get gets got had hadn has hasn have haven having he hence her here hers herself him
himself his how however i if in instead into is isn it its itself just let like ll made make makes may me might mine
more most much must my myself neither no nor not now of off often on once one only onto or other others our ours
ourselves out over own per rather re same shall shan she should shouldn since so some such than that the their theirs
them themselves then there therefore these they this those though through thus to too under until up upon us use used
using ve very via was wasn we were weren what when where whether which while who whom whose why will with within
without won would wouldn yet you your yours yourself yourselves
"""
_CHINESE = """
的 了 和 是 在 就 都 而 及 与 着 或 一个 没有 我们 你们 他们 它们 她们 我 你 他 她 它
这 那 这个 那个 这些 那些 之 其 也 还 又 很 被 把 让 向 从 对 对于 关于 以 以及 为 为了
因为 所以 但 但是 如果 则 并 并且 等 等等 中 上 下 里 时 后 前 吗 呢 吧 啊 哪 哪些 哪个
什么 怎么 怎样 如何 应该 应 可以 可 能 能够 会 要 需 需要 将 已 已经 由 于 或者 而且 不 不是 有
个 各 每 该 此 所 地 得 到 去 来 说 做 用 使用 进行 通过 根据 按照 是否
"""
STOP_WORDS = frozenset(_ENGLISH.split()) | frozenset(_CHINESE.split())


class Keyword(NamedTuple):
    """A term and its weight, above 0."""

    term: str
    weight: float


def terms(text: str) -> list[str]:
    """The candidate keywords of `text`, in order, repeats included."""
    found: list[str] = []
    at = 0
    for run in HAN_RUN.finditer(text):
        found += _words(text[at : run.start()])
        found += [word[:TERM_LIMIT] for word in segment(run[0]) if word not in STOP_WORDS]
        at = run.end()
    return found + _words(text[at:])


def ordered(weights: Iterable[tuple[str, float]]) -> list[Keyword]:
    """A proper set: weights of equal terms summed, those not above 0 left out, sorted by (-weight, term)."""
    total: dict[str, float] = {}
    for term, weight in weights:
        total[term] = total.get(term, 0.0) + weight
    # The sum of floats depends on their order, which must decide nothing: 9 places, then the term.
    kept = [Keyword(term, round(weight, 9)) for term, weight in total.items() if round(weight, 9) > 0]
    return sorted(kept, key=lambda keyword: (-keyword.weight, keyword.term))


@dataclass(frozen=True)
class Idf:
    """Inverse document frequencies of a whole corpus: idf(t) = ln((1 + N) / (1 + df(t))) + 1.

    A term that no document has gets the maximum, ln(1 + N) + 1.
    """

    documents: int
    frequencies: Mapping[str, int]

    @classmethod
    def of(cls, token_lists: Iterable[Sequence[str]]) -> Idf:
        """Counted over the terms of each document."""
        counts: Counter[str] = Counter()
        documents = 0
        for tokens in token_lists:
            documents += 1
            counts.update(set(tokens))
        return cls(documents, dict(counts))

    def __call__(self, term: str) -> float:
        return math.log((1 + self.documents) / (1 + self.frequencies.get(term, 0))) + 1


def tf_idf(tokens: Sequence[str], idf: Idf) -> list[Keyword]:
    """weight(t) = tf(t) idf(t), tf the times `t` occurs."""
    return ordered((term, count * idf(term)) for term, count in Counter(tokens).items())


def text_rank(tokens: Sequence[str], window: int = 4, damping: float = 0.85, rounds: int = 60) -> list[Keyword]:
    """PageRank over the words that stand within `window` of each other (Mihalcea and Tarau, 2004).

    Edges are weighted by how often; the weights sum to 1.
    """
    names = sorted(set(tokens))
    if not names:
        return []
    place = {name: i for i, name in enumerate(names)}
    sequence = [place[token] for token in tokens]
    pairs: Counter[tuple[int, int]] = Counter()
    for i, a in enumerate(sequence):
        for b in sequence[i + 1 : i + window]:
            if a != b:
                pairs[(a, b)] += 1
                pairs[(b, a)] += 1
    n = len(names)
    source = np.array([a for a, _ in pairs], np.int64)
    target = np.array([b for _, b in pairs], np.int64)
    counts = np.array(list(pairs.values()), np.float64)
    out = np.bincount(source, counts, n)  # summed weight of the edges at a node
    share = counts / out[source]
    score = np.full(n, 1 / n)
    for _ in range(rounds):
        alone = score[out == 0].sum() / n  # a word without neighbours passes its rank on to all
        score = (1 - damping) / n + damping * (np.bincount(target, score[source] * share, n) + alone)
    return ordered(zip(names, score.tolist(), strict=True))


def key_bert(text_vector: NDArray[np.float32], names: Sequence[str], vectors: NDArray[np.float32]) -> list[Keyword]:
    """weight(t) = max(cos(E(text), E(t)), 0) over the distinct words of the text (after KeyBERT, single words).

    text_vector (d,), vectors (n, d): rows of norm 1, one for each of `names`.
    """
    cosines = np.einsum("nd,d->n", vectors.astype(np.float64), text_vector.astype(np.float64))
    return ordered((name, round(float(c), 6)) for name, c in zip(names, cosines, strict=True))


def _words(text: str) -> list[str]:
    words = (word[:TERM_LIMIT] for word in tokenise(text))
    return [word for word in words if word not in STOP_WORDS and not (len(word) == 1 and word.isascii())]
