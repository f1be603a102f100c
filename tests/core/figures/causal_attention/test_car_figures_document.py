"""One document opened: its equations add up, its text stays its text, and nothing of it is markup."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ranked_orchard import DOCUMENTS, ranked

from core.causal_attention.rescore import rescore
from core.corpus.document import Document
from core.figures.causal_attention.document_view import TEXT, document_html, document_view, pieces, why_html
from core.figures.causal_attention.ranking import ranking_of
from core.figures.causal_attention.tau_curve import place_by_tau
from core.figures.causal_attention.why import why_rank
from core.text.keywords import terms


@pytest.mark.parametrize("mode", ["exact", "semantic", "fallback", "hybrid"])
@pytest.mark.parametrize("id_", ["stuffed", "guide", "other"])
def test_the_parts_of_the_words_sum_to_the_score(mode, id_):
    trace = ranked(mode)
    ranking = ranking_of(trace)
    why = why_rank(trace, ranking, id_)
    assert sum(word.part for word in why.words) == pytest.approx(ranking.line(id_).causal, abs=1e-6)
    assert sum(word.share for word in why.words) == pytest.approx(1.0)
    assert {w.term for w in why.words if w.side == "A"} == set(ranking.line(id_).shared)
    assert all(word.part == 0 for word in why.words if word.side == "A")


def test_the_equations_have_this_documents_numbers():
    trace = ranked("hybrid", weight=0.25, shared_weight=-0.5)
    why = why_rank(trace, ranking_of(trace), "stuffed")
    by_label = {e.label: e for e in why.equations}
    assert by_label["Similarity"].text == "s_sim = cos(E(q), E(d)) = 0.90"
    assert by_label["Absorbed in A"].text.endswith("= 9.00 / 10.00 = 0.90")
    assert by_label["Similarity, 0 to 1"].text.endswith("(0.90 − 0.20) / (0.90 − 0.20) = 1.00")
    score = by_label["Score"]
    assert "a·m(|A|)" in score.text
    assert "(−0.50) × 1.00" in score.text
    assert score.value == pytest.approx(0.25 * 1 + 0.75 * by_label["Causal, 0 to 1"].value - 0.5, abs=1e-4)
    assert score.value == ranking_of(trace).line("stuffed").scores["hybrid"]


def test_many_words_are_written_as_three_and_the_rest():
    trace = ranked("semantic", tau=1.0)
    last = why_rank(trace, ranking_of(trace), "guide").equations[-1]
    assert last.text.startswith("s_c = Σ_B λ E(q)·E(t) / |Σ_B λ E(t)| = (")
    assert "3.00 × 0.60" in last.text


@pytest.mark.parametrize(
    ("mode", "id_", "told"),
    [
        ("semantic", "echo", "B is empty, so it sorts last"),
        ("fallback", "echo", "s_sim stands in = 0.80"),
        ("semantic", "blank", "s_sim stands in = 0.40"),
    ],
)
def test_without_a_score_the_equation_says_why(mode, id_, told):
    trace = ranked(mode)
    assert told in why_rank(trace, ranking_of(trace), id_).equations[-1].text


def test_beyond_the_window_there_is_similarity_alone_and_of_nobody_nothing():
    trace = ranked("semantic")
    ranking = ranking_of(trace)
    assert [e.label for e in why_rank(trace, ranking, "beyond").equations] == ["Similarity"]
    assert why_rank(trace, ranking, "nobody").equations == ()
    assert document_view(trace, ranking, "nobody") is None
    neural = ranked("maxsim", neural={"guide": 0.9})
    assert why_rank(neural, ranking_of(neural), "guide").equations[-1].text == "score of the reranker = 0.90"


def test_the_reason_of_a_side_is_the_nearest_query_word():
    trace = ranked("semantic")
    words = {w.term: w for w in why_rank(trace, ranking_of(trace), "guide").words}
    assert words["apple"].reason == "the query's own word"
    assert words["branch"].reason == "0.80 to pruned"
    assert words["saw"].nearest_cosine == pytest.approx(0.6)


def test_the_place_at_every_tau_is_that_of_a_ranking_made_with_it():
    trace = ranked("hybrid")
    ranking = ranking_of(trace)
    curve = place_by_tau(trace, ranking, "guide")
    for tau, place in zip(curve.taus, curve.places, strict=True):
        assert ranking_of(rescore(trace, tau=tau)).line("guide").places["hybrid"] == place
    assert curve.here == ranking.line("guide").places["hybrid"]
    assert f"at τ = 0.70 it is {curve.here}" in curve.words
    assert place_by_tau(trace, ranking, "beyond") is None
    exact = ranked("exact")
    assert place_by_tau(exact, ranking_of(exact), "guide") is None


@given(st.text(max_size=200))
def test_the_pieces_of_a_text_are_the_text(text):
    sides = {term: "A" if i % 2 else "B" for i, term in enumerate(dict.fromkeys(terms(text)))}
    found = pieces(text, sides)
    assert "".join(piece.text for piece in found) == text
    assert all(piece.side == sides[piece.term] for piece in found if piece.side)


def test_words_are_marked_as_extractors_read_them():
    found = pieces("Café-APPLE, 中医如何治疗咳嗽? apples", {"apple": "A", "café": "B", "咳嗽": "A", "中医": "B"})
    assert [(p.text, p.side) for p in found if p.side] == [
        ("Café", "B"),
        ("APPLE", "A"),
        ("中医", "B"),
        ("咳嗽", "A"),
    ]
    assert pieces("", {"a": "A"}) == []


def test_a_document_is_told_with_its_text_its_judgement_and_what_was_cut():
    trace = ranked("semantic")
    document = Document("stuffed", "Apple apple", "apple pruned quiz " * 1000)
    view = document_view(trace, ranking_of(trace), "stuffed", document, {"guide": 2})
    assert view.grade == 0
    assert view.left_out == len(document.content) - TEXT
    html = document_html(view)
    assert '<mark class="rr-a">apple</mark>' in html
    assert '<mark class="rr-b">quiz</mark>' in html
    assert "more characters" in html
    assert "judged relevant" not in html
    judged = document_view(trace, ranking_of(trace), "guide", None, {"guide": 2})
    assert "judged relevant, grade 2" in document_html(judged)
    assert not judged.pieces
    assert "“Winter work” stands at 1" in why_html(judged)
    assert "Does it hang on τ?" in why_html(judged)


@pytest.mark.parametrize("id_", list(DOCUMENTS))
@pytest.mark.parametrize("mode", ["baseline", "exact", "semantic", "fallback", "hybrid"])
def test_every_document_is_drawn_in_every_ranking(mode, id_):
    trace = ranked(mode)
    view = document_view(trace, ranking_of(trace), id_)
    assert view.title in document_html(view).replace("&#39;", "'")
    assert "s_sim" in why_html(view)


def test_a_hostile_document_is_text():
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    trace = ranked("semantic", titles={"guide": evil})
    view = document_view(trace, ranking_of(trace), "guide", Document("guide", evil, evil))
    html = document_html(view) + why_html(view)
    assert "<script" not in html
    assert "<img" not in html
    assert "&lt;script&gt;" in html
