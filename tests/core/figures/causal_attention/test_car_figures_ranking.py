"""What became of each document, in numbers and words, on a ranking made by hand."""

from math import sqrt

import pytest
from ranked_orchard import DOCUMENTS, QUERY, VECTORS, dot, ranked

from core.causal_attention.steps import GateStep
from core.figures.causal_attention.ranking import fallen, headline, note, ranking_of, sentence, signed
from core.trace import Trace


def centroid(weights):
    """s_c of a set of words, from the vectors themselves: cos(E(q), sum of lambda_t E(t))."""
    total = [sum(w * VECTORS[t][i] for t, w in weights.items()) for i in range(3)]
    norm = sqrt(dot(total, total))
    return dot(QUERY, total) / norm if norm else None


def test_each_document_is_divided_and_scored_as_its_vectors_say():
    ranking = ranking_of(ranked("semantic"))
    assert ranking.size == 6
    assert [line.id for line in ranking.lines] == list(DOCUMENTS)
    stuffed, guide = ranking.line("stuffed"), ranking.line("guide")
    assert (stuffed.shared, stuffed.rest) == (("apple", "pruned"), ("quiz",))
    assert stuffed.absorbed == pytest.approx(0.9)
    assert stuffed.causal == pytest.approx(centroid({"quiz": 1.0}), abs=1e-6)
    assert stuffed.whole == pytest.approx(centroid(DOCUMENTS["stuffed"][2]), abs=1e-6)
    assert (guide.shared, guide.rest) == (("branch", "apple"), ("saw",))
    assert guide.causal == pytest.approx(centroid({"saw": 3.0}), abs=1e-6)
    assert ranking.line("nobody") is None


def test_places_with_all_keywords_are_those_of_the_centroids():
    ranking = ranking_of(ranked("semantic"))
    scores = {id_: centroid(w) for id_, (_, _, w, _) in DOCUMENTS.items() if id_ != "beyond"}
    known = sorted((id_ for id_, s in scores.items() if s is not None), key=lambda id_: -scores[id_])
    assert [ranking.line(id_).whole_place for id_ in known] == [1, 2, 3, 4]
    assert ranking.line("blank").whole is None


@pytest.mark.parametrize(
    ("id_", "cause", "told"),
    [
        ("echo", "all absorbed", "nothing of its own is left"),
        ("blank", "no keywords", "no keyword, only common words"),
        ("blind", "unknown language", "encoder does not know its words"),
    ],
)
def test_an_empty_b_is_explained_by_its_cause(id_, cause, told):
    ranking = ranking_of(ranked("semantic"))
    line = ranking.line(id_)
    assert line.empty == cause
    assert told in sentence(line, ranking)
    assert note(line, ranking)


def test_the_fallback_says_that_it_gave_similarity_back():
    ranking = ranking_of(ranked("fallback"))
    assert "the fallback gives it its similarity" in sentence(ranking.line("echo"), ranking)


def test_a_shift_names_the_words_and_both_scores():
    ranking = ranking_of(ranked("semantic"))
    line = ranking.line("stuffed")
    assert line.shift("semantic") == 1 - line.places["semantic"] < 0
    told = sentence(line, ranking)
    assert told.startswith(f"Falls {-line.shift('semantic')} places, from 1 to {line.places['semantic']}.")
    assert "90% of its keyword weight" in told
    assert "“apple” and “pruned”" in told
    assert f"would score {signed(line.whole)}, place {line.whole_place} of 6" in told
    assert note(line, ranking) == f"90% absorbed, {signed(line.whole)} → 0.00"
    assert "place" in sentence(ranking.line("beyond"), ranking)
    assert note(ranking.line("beyond"), ranking) == "beyond the window"


def test_the_headline_leads_with_what_was_judged_then_who_rose_and_fell():
    ranking = ranking_of(ranked("semantic"))
    first, rose, fell = headline(ranking, {"guide": 2, "other": 1})
    assert first == "The document that was judged to answer best, “Winter work”, goes from 3 to 1."
    assert rose.startswith("“Winter work” rises 2 places, from 3 to 1: ")
    assert fell.startswith(f"“{fallen(ranking).name}” falls")
    assert len(headline(ranking)) == 2
    same = ranking_of(ranked("baseline"))
    assert headline(same) == ["No document changes its place: this is the ranking by similarity itself."]
    assert fallen(same) is None
    assert "lower θ" in headline(ranking_of(ranked("semantic", theta=1.0)))[0]


def test_the_hybrid_tells_its_weights():
    ranking = ranking_of(ranked("hybrid", weight=0.25))
    assert "similarity 25% of the say and this 75%" in sentence(ranking.line("guide"), ranking)


def test_a_gate_decides_which_ranking_is_explained():
    off = ranking_of(ranked("gated", gate=GateStep(known=False)))
    assert off.decider == "baseline"
    assert "no verdict" in headline(off)[0]
    assert "gate is off" in sentence(off.line("guide"), off)
    assert "is off for this corpus" in headline(ranking_of(ranked("gated", gate=GateStep(known=True))))[0]
    on = ranking_of(ranked("gated", gate=GateStep(known=True, enable=True, mode="semantic")))
    assert on.decider == "semantic"
    assert on.splits
    assert "keyword weight" in sentence(on.line("stuffed"), on)


def test_a_neural_reranker_is_not_explained_by_a_and_b():
    ranking = ranking_of(ranked("maxsim", neural={"guide": 0.9, "stuffed": 0.5}))
    told = sentence(ranking.line("guide"), ranking)
    assert "knows no A and B" in told
    assert "It scored 0.90." in told
    assert note(ranking.line("guide"), ranking) == "scored 0.90 by the reranker"
    assert note(ranking.line("blank"), ranking) == "not scored"
    assert not ranking.splits


def test_a_ranking_that_the_trace_lacks_gives_its_own_and_an_unfinished_trace_gives_none():
    trace = ranked("semantic")
    assert ranking_of(trace, "maxsim").mode == "semantic"
    assert ranking_of(trace, "exact").mode == "exact"
    assert ranking_of(trace.model_copy(update={"steps": trace.steps[:2]})) is None
    assert ranking_of(trace.model_copy(update={"steps": trace.steps[:4]})) is None
    assert ranking_of(Trace.from_json(trace.to_json())) == ranking_of(trace)


@pytest.mark.parametrize(("value", "told"), [(0.126, "0.13"), (-0.126, "−0.13"), (-0.004, "0.00"), (0, "0.00")])
def test_numbers_have_two_decimals_and_a_true_minus(value, told):
    assert signed(value) == told
