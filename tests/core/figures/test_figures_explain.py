import re

import pytest
from film_run import film_run
from hypothesis import given
from hypothesis import strategies as st

from core.cara.fusion import fuse
from core.cara.steps import Assessment, AssessStep, Candidate, Link, NeighborsStep, ReadQuestion, Span
from core.figures.explain import (
    highlight,
    key_phrases,
    link_sentences,
    path_sentence,
    question_segments,
    reading_of,
    why_fused,
    why_score,
    why_terms,
)
from core.figures.hops import hops
from core.trace import NodeRef

A, B = NodeRef(id="a", name="A"), NodeRef(id="b", name="B")
HOP = NeighborsStep(
    node=A,
    anchor=A,
    subquery="who wrote it",
    k=9,
    candidates=(
        Candidate(node=B, bm25=3.21, links=(Link(type="made_by", direction="out"), Link(type="r", direction="in"))),
    ),
)
ASSESS = AssessStep(
    lambda_=0.5,
    alpha=0.25,
    kept=1,
    assessments=(
        Assessment(
            id="b",
            consequentiality=0.8,
            essentiality=0.6,
            path_consistency=0.4,
            causal=0.7,
            score=0.475,
            terms={"gain": 0.8},
            explains=("wrote",),
        ),
    ),
)


@pytest.fixture
def film_trace():
    return film_run()


def test_the_equations_have_the_numbers_put_in():
    lines = {e.label: (e.text, e.value) for e in why_score(ASSESS, HOP, "b")}
    assert lines["Causal relevance"] == ("cau = λ·c + (1 − λ)·e = 0.50 × 0.80 + 0.50 × 0.60 = 0.70", 0.7)
    assert lines["Score"] == ("s = α·cau + (1 − α)·p = 0.25 × 0.70 + 0.75 × 0.40 = 0.47", 0.475)
    assert lines["Text match"] == ("BM25 = 3.21", 3.21)
    assert why_terms(ASSESS.assessments[0]) == [("gain", "gain = 0.80", 0.8)]


def test_every_equation_of_a_run_adds_up(film_trace):
    checked = 0
    for hop, assess in hops(film_trace):
        for candidate in hop.candidates:
            for equation in why_score(assess, hop, candidate.node.id):
                parts = re.search(r"= ([\d.]+) × ([\d.]+) \+ ([\d.]+) × ([\d.]+) = ([\d.]+)$", equation.text)
                if parts:
                    a, x, b, y, total = map(float, parts.groups())
                    assert a * x + b * y == pytest.approx(total, abs=0.011)  # each number is rounded to 0.005
                    checked += 1
    assert checked > 100


def test_what_is_not_known_is_not_explained():
    assert why_score(ASSESS, HOP, "nobody") == []
    assert [e.label for e in why_score(None, HOP, "b")] == ["Text match"]
    assert why_score(None, None, "b") == []


def test_the_fused_score_is_written_out_by_agent():
    fused = next(f for f in fuse({0: ["x", "b"], 2: ["b"]}) if f.id == "b")
    equation = why_fused(fused)
    assert equation.text == "RRF = 1/(60 + 2) + 1/(60 + 1) = 0.0325"
    assert equation.label == "RRF over Agent 1 rank 2, Agent 3 rank 1"
    assert equation.value == pytest.approx(fused.score)


def test_links_and_paths_are_said_in_the_direction_of_the_data(film_trace):
    assert link_sentences(HOP, HOP.candidates[0]) == ["A → made by → B", "B → r → A"]
    hop = next(h for h, _ in hops(film_trace) if len(h.path) == 2)
    assert path_sentence(hop).startswith("Alien → directed by → Ridley Scott ← directed by ←")


def test_the_question_is_marked_by_role(film_trace):
    reading = reading_of(film_trace, 0)
    segments = question_segments(film_trace.question, reading, explains=["Wrote"])
    assert "".join(s.text for s in segments) == film_trace.question
    marked = {s.text: s.mark for s in segments if s.mark}
    assert marked == {"wrote": "explained", "films": "need", "director": "need", "Alien": "mention"}
    assert reading_of(film_trace, 9) is None
    assert [s.text for s in question_segments("abc", None)] == ["abc"]


def test_spans_of_another_text_or_inside_each_other_mark_nothing():
    def span(start, end, text):
        return Span(start=start, end=end, text=text, role="need")

    reading = ReadQuestion(spans=(span(0, 3, "abc"), span(1, 2, "b"), span(4, 5, "x"), span(90, 95, "fifth")))
    segments = question_segments("abc d", reading)
    assert [(s.text, s.mark) for s in segments] == [("abc", "need"), (" d", "")]


@given(st.text(max_size=80), st.lists(st.text(max_size=8), max_size=6))
def test_highlighting_changes_no_text(text, phrases):
    assert "".join(s.text for s in highlight(text, phrases)) == text


def test_whole_words_are_marked_and_the_longest_wins():
    marked = [
        s.text for s in highlight("She wrote (rewrote) a Film noir film.", ["wrote", "film", "film noir"]) if s.mark
    ]
    assert marked == ["wrote", "Film noir", "film"]
    assert [s.text for s in highlight("a.b a+b", ["a+b"]) if s.mark] == ["a+b"]


def test_key_phrases_start_with_what_the_candidate_explains(film_trace):
    phrases = key_phrases(HOP, ASSESS.assessments[0], reading_of(film_trace, 0))
    assert phrases[0] == "wrote"
    assert {"films", "director", "Alien", "A"} <= set(phrases)
    assert "it" not in phrases
    assert len(phrases) == len(set(phrases))
