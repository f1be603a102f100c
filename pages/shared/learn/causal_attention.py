"""The chapter on causal attention. Its lessons run the method on a world in a plane, where a cosine is an angle."""

from __future__ import annotations

from collections import Counter

import streamlit as st

from core.causal_attention.gate import decide
from core.causal_attention.index import CausalIndex
from core.causal_attention.miniature import ANGLES, MOST_REPEATS, QUERY, TAU, gains, miniature, residual
from core.causal_attention.rescore import rescore
from core.corpus.samples import load_corpus_sample
from core.figures.causal_attention.ranking import Ranking, ranking_of
from core.figures.causal_attention.why import Why, why_rank
from core.figures.causal_attention_experiments.gate import reliability_chart
from core.figures.causal_attention_plane import Arrow, Side, plane_figure
from core.figures.explain import Equation
from core.text.keywords import Idf, Keyword, terms, text_rank, tf_idf
from core.trace import Trace
from pages.shared import bridge, charts, dag_panel
from pages.shared.learn.lesson import Chapter, Lesson, Place
from pages.shared.text import esc
from pages.shared.why_panel import equations

HERE = "pages/causal_attention.py"
ASKED = {"data": "company", "q": "How do I get my travel expenses reimbursed?", "go": "1"}
SHOWN = 12  # keywords of a text that are listed


def similarity() -> None:
    """Four texts and a query as arrows; one text can be stuffed."""
    repeats = st.slider("How often the quiz says “cough remedy”", 0, MOST_REPEATS, 4, key="learn_repeats")
    trace, index = miniature(repeats)
    ranking = _ranking(trace, "semantic")
    left, right = st.columns([1.3, 1], gap="medium")
    with left:
        charts.draw(plane_figure(ANGLES, _texts(index), theme=bridge.theme()), key="learn_plane")
    with right:
        lines = [
            Equation(f"{place}. {line.name}", f"cos(E(q), E(d)) = {line.similarity:.2f}", max(0.0, line.similarity))
            for place, line in enumerate(sorted(ranking.lines, key=lambda one: one.places["baseline"]), 1)
        ]
        _why("By similarity", lines)


def keywords() -> None:
    """The reader's own text, and the weights of its words against a sample's."""
    left, right = st.columns([1.3, 1], gap="medium")
    text = left.text_area("A text of yours", _quiz(), height=200, max_chars=4000, key="learn_text")
    how = left.segmented_control(
        "Weighed by", ["TF-IDF", "TextRank"], default="TF-IDF", required=True, key="learn_extractor"
    )
    tokens, idf = terms(text), _idf()
    found = tf_idf(tokens, idf) if how == "TF-IDF" else text_rank(tokens)
    with right:
        if not found:
            st.html("<p class='cw-quiet'>There is no keyword, only common words or signs.</p>")
            return
        lines = [_weighed(keyword, tokens, idf, how == "TF-IDF", found[0].weight) for keyword in found[:SHOWN]]
        _why("Keywords by weight", lines)


def split() -> None:
    """The words of one text, taken out where they are near enough to a query word."""
    trace, index, ranking, chosen = _at_tau("learn_split")
    why = why_rank(trace, ranking, chosen)
    left, right = st.columns([1.3, 1], gap="medium")
    with left:
        _draw_split(trace, index, why, [], "learn_split_plane")
    with right:
        rows = "".join(
            f"<tr><td>{esc(w.term)}</td><td><b>{w.side}</b></td><td>{esc(w.reason)}</td></tr>" for w in why.words
        )
        st.html(f"<div class='cw-prose'><table aria-label='The split'>{rows}</table></div>")


def score() -> None:
    """What is left of a text, as one arrow, and its angle to the query."""
    trace, index, ranking, chosen = _at_tau("learn_score")
    why = why_rank(trace, ranking, chosen)
    rest = residual(trace, index, chosen)
    left, right = st.columns([1.3, 1], gap="medium")
    with left:
        arrows = [Arrow("query", _vector(index, QUERY), "current", True)]
        if rest is not None:
            arrows.append(Arrow("what is left of it, v_B", (float(rest[0]), float(rest[1])), "visited", True))
        _draw_split(trace, index, why, arrows, "learn_score_plane")
    with right:
        _why("The score", [line for line in why.equations if line.label != "Similarity"])


def hybrid() -> None:
    """Both scores, weighed; the order follows."""
    left, right = st.columns(2, gap="medium")
    weight = left.slider("w: similarity (1) against causal attention (0)", 0.0, 1.0, 0.5, 0.05, key="learn_weight")
    repeats = right.slider("How often the quiz says “cough remedy”", 0, MOST_REPEATS, 4, key="learn_hybrid_repeats")
    trace = rescore(miniature(repeats)[0], weight=weight, mode="hybrid")
    ranking = _ranking(trace, "hybrid")
    lines = sorted(ranking.lines, key=lambda one: one.places["hybrid"])
    for column, (place, line) in zip(st.columns(len(lines), gap="medium"), enumerate(lines, 1), strict=True):
        with column:
            st.html(f"<div class='cw-name'>{place}. {esc(line.name)}</div>")
            parts = [e for e in why_rank(trace, ranking, line.id).equations if e.label.endswith(("0 to 1", "Score"))]
            short = [e if e.label == "Score" else Equation(e.label, f"{e.value:.2f}", e.value) for e in parts]
            _why(line.name, short)


def gate() -> None:
    """Gains drawn by lot: how many probes it takes until their mean can be trusted."""
    left, right = st.columns(2, gap="medium")
    mean = left.slider("Mean gain of re-ranking", -0.2, 0.2, 0.05, 0.01, key="learn_gain")
    spread = right.slider("How much it differs from query to query", 0.05, 0.5, 0.25, 0.05, key="learn_spread")
    made = gains(mean, spread)
    verdict = decide("", made * 0.0, {"hybrid": made})
    st.html(f"<div class='cw-answer cw-long' role='status'>{esc(verdict.sentence)}</div>")
    charts.draw(reliability_chart(verdict, bridge.theme()), key="learn_gate")


def _at_tau(key: str) -> tuple[Trace, CausalIndex, Ranking, str]:
    """The two widgets of a split, and the miniature as they say."""
    left, right = st.columns(2, gap="medium")
    tau = left.slider("τ: how near to a query word is near enough", 0.3, 1.0, TAU, 0.01, key=f"{key}_tau")
    made, index = miniature()
    names = {document.id: document.title for document in index.documents}
    chosen = right.segmented_control(
        "Text", list(names), default="drinks", required=True, format_func=names.__getitem__, key=f"{key}_text"
    )
    trace = rescore(made, tau=tau)
    return trace, index, _ranking(trace, "semantic"), chosen or "drinks"


def _draw_split(trace: Trace, index: CausalIndex, why: Why, arrows: list[Arrow], key: str) -> None:
    sides: dict[str, Side] = {w.term: "A" if w.side == "A" else "B" for w in why.words}
    tau = float(trace.config["tau"])
    figure = plane_figure(
        ANGLES, arrows or [Arrow("query", _vector(index, QUERY), "current", True)], sides, tau, terms(QUERY),
        bridge.theme(),
    )  # fmt: skip
    charts.draw(figure, key=key)


def _texts(index: CausalIndex) -> list[Arrow]:
    own = [Arrow(d.title, _vector(index, d.content), "document") for d in index.documents]
    return [Arrow("query", _vector(index, QUERY), "current", True), *own]


def _vector(index: CausalIndex, text: str) -> tuple[float, float]:
    x, y = index.encoder.encode([text])[0].tolist()
    return x, y


def _ranking(trace: Trace, mode: str) -> Ranking:
    found = ranking_of(trace, "hybrid" if mode == "hybrid" else "semantic")
    assert found is not None  # the miniature always ranks
    return found


def _why(name: str, lines: list[Equation]) -> None:
    st.html(f"<section class='cw-why' aria-label='{esc(name)}'>{equations(lines)}</section>")


def _weighed(keyword: Keyword, tokens: list[str], idf: Idf, by_idf: bool, most: float) -> Equation:
    count = Counter(tokens)[keyword.term]
    parts = f"tf · idf = {count} × {idf(keyword.term):.2f}" if by_idf else "rank"
    return Equation(keyword.term, f"{parts} = {keyword.weight:.2f}", keyword.weight / most)


@st.cache_resource(show_spinner=False)
def _idf() -> Idf:
    return Idf.of(terms(document.content) for document in load_corpus_sample("company").corpus)


@st.cache_resource(show_spinner=False)
def _quiz() -> str:
    """A text to begin with: the sample's that repeats a question's words most."""
    documents = load_corpus_sample("company").corpus.documents
    return next((d.content for d in documents if "quiz" in d.title.lower()), documents[0].content)[:900]


CHAPTER = Chapter(
    "causal-attention",
    "Causal attention",
    (
        Lesson(
            "similarity",
            "What similarity rewards",
            "Causal attention, the first stage",
            (
                "A world of a dozen words, each a direction; a text points where the mean of its words points, and two "
                "texts are as alike as their angle is small. The method runs here as it does on any corpus.",
                "“Thyme and honey” answers the query in words of its own. The quiz answers nothing. Let it repeat the "
                "query's words, and watch it turn.",
            ),
            r"S_1 = \operatorname{top-}k\ \cos\big(E(q), E(d)\big)",
            similarity,
            Place(HERE, "See a stuffed newsletter win on a real corpus", ASKED),
        ),
        Lesson(
            "keywords",
            "The words that carry a text",
            "Causal attention, keyword extraction",
            (
                "A word weighs much when this text has it often and few other texts have it. The others are here the "
                "forty documents of the sample knowledge base; a word that none of them has counts as the rarest.",
                "Change the text. Common words and signs are no keywords; TextRank needs no other texts, and weighs a "
                "word by its neighbours.",
            ),
            r"\lambda_t = \mathrm{tf}(t, d)\left(\ln\frac{1+N}{1+\mathrm{df}(t)} + 1\right)",
            keywords,
        ),
        Lesson(
            "split",
            "Shared with the query, or its own",
            "Causal attention, sets A and B",
            (
                "A keyword goes to A when the query has it, or when it is near enough to one of the query's words: "
                "within the wedge. All others are B, the document's own.",
                "Lower τ and the wedge takes in what answers the query, too; at 1 only equal words are taken out.",
            ),
            r"A(d) = \Big\{t \in K_d : t \in K_q \ \text{or} \max_{u \in K_q} \cos\big(E(t), E(u)\big) \ge \tau\Big\}"
            r"\qquad B(d) = K_d \setminus A(d)",
            split,
            Place(HERE, "Move τ on a real corpus", ASKED),
        ),
        Lesson(
            "score",
            "What is left, scored",
            "Causal attention, the causal score",
            (
                "The score is the cosine of the query with the weighted mean of B. The quiz without the query's words "
                "points away from the query, so its score is below zero; the drinks still point its way.",
                "“Cough, cough” has nothing of its own: its B is empty, it has no score, and it goes last.",
            ),
            r"v_B(d) = \frac{\sum_{t \in B} \lambda_t E(t)}{\sum_{t \in B} \lambda_t}"
            r"\qquad s_c(d) = \cos\big(E(q), v_B(d)\big)",
            score,
            Place(HERE, "Open a document and see its words", ASKED),
        ),
        Lesson(
            "hybrid",
            "Both, weighed",
            "Causal attention, the hybrid",
            (
                "Where keywords are honest, similarity knows more than what is left without them. The hybrid brings "
                "both scores to 0 to 1 over the candidates and weighs them.",
                "Where all candidates have one score, both ends are equal and that part says nothing.",
            ),
            r"s(d) = w\,\mathrm{minmax}(s_{sim}) + (1-w)\,\mathrm{minmax}(s_c)",
            hybrid,
            Place(HERE, "Move w on a real corpus", ASKED),
        ),
        Lesson(
            "d-separation",
            "What the query says about B",
            "Causal attention, the causal graph and d-separation",
            (
                "A holds the keywords that query and document share, B the document's others. Keywords make "
                "texts: A → q, A → d, B → d; the ideal answer y comes of B and the query.",
                "Before anything is retrieved, q and B have nothing to do with each other. A document that was "
                "retrieved is a common effect of A and B: knowing it opens the path between them. That is what the "
                "score uses. Click a variable to make it known.",
            ),
            r"q \perp B \qquad q \not\perp B \mid d \qquad q \perp d \mid A \qquad d \perp y \mid A, B",
            lambda: dag_panel.graph("learn_dag"),
            Place(HERE, "All five statements, and the four assumptions", {**ASKED, "show": "Causal graph"}),
        ),
        Lesson(
            "gate",
            "When to switch it on",
            "Causal attention, the regime gate",
            (
                "Re-ranking helps where keywords mislead and harms where they do not, and which of the two a corpus is "
                "cannot be seen from outside. So a few queries are labelled, and the mean gain decides.",
                "Here sixty gains are drawn by lot. Bring the mean near zero, or let queries differ more, and see how "
                "many probes it takes until the draws agree.",
            ),
            r"\delta = \frac{1}{n}\sum_{i=1}^{n}\big(\mathrm{nDCG}(r_i) - \mathrm{nDCG}(b_i)\big)"
            r"\qquad \text{on} \iff \delta > 0",
            gate,
            Place(HERE, "Measure a real corpus", {**ASKED, "show": "Does it help here?"}),
        ),
    ),
)
