"""The offline causal module: its numbers can be computed again from its terms, and what they mean."""

import pytest
from small_graphs import lamps, repairs

from core.cara.contracts import AgentState, CaraConfig
from core.cara.offline import OfflineMinds
from core.cara.offline_assessor import OfflineAssessor
from core.cara.offline_reading import OWN_WORDS, Readings, essentiality, judged_value, path_consistency
from core.cara.retriever import CaraRetriever
from core.cara.scores import candidate_score, causal_relevance
from core.cara.steps import AssessStep, Candidate, Hop, Link, NeighborsStep
from core.graph.contracts import Graph
from core.text.embedding import get_encoder
from core.trace import NodeRef


def ref(graph: Graph, id_: str) -> NodeRef:
    node = graph.node(graph.index_of(id_))
    return NodeRef(id=node.id, name=node.name, type=node.type)


def assess(graph, question, path, candidates):
    """path: [(link, direction, node id)] beginning with ("", "", anchor); candidates: [(id, [(link, direction)])]."""
    reading = Readings().reading(graph, [get_encoder("letters")], question)
    state = AgentState(question, 0, CaraConfig())
    state.positions = {i: n for n, i in enumerate(graph.ids)}
    anchor, hops = path[0][2], path[1:]
    hop = NeighborsStep(
        node=ref(graph, path[-1][2]),
        anchor=ref(graph, anchor),
        path=tuple(Hop(link=Link(type=t, direction=d), node=ref(graph, n)) for t, d, n in hops),
        subquery="",
        k=20,
        candidates=tuple(
            Candidate(node=ref(graph, i), bm25=0.0, links=tuple(Link(type=t, direction=d) for t, d in links))
            for i, links in candidates
        ),
    )
    return OfflineAssessor(reading).assess(state, hop), reading


def test_numbers_follow_from_the_terms():
    minds = OfflineMinds(get_encoder=lambda name: get_encoder("letters"))
    trace = CaraRetriever(lamps(), minds).run("in which town is the maker of the lamps designed by Ada Lund located")
    assessments = [a for s in trace.steps if isinstance(s, AssessStep) for a in s.assessments]
    assert len(assessments) > 10
    for a in assessments:
        t = a.terms
        p = path_consistency(t["answer"], t["inversions"], t["back"], t["hops"], t["reverse"])
        e = essentiality(t["licence_mean"], t["licence_min"])
        if "retraced" in t:
            assert a.essentiality == 0.0
            assert a.path_consistency < p
            assert a.consequentiality <= t["coverage"] + 1e-3
        else:
            assert a.consequentiality == pytest.approx(
                min(1, t["coverage"] + OWN_WORDS * t.get("own_words", 0)), abs=1e-3
            )
            assert a.essentiality == pytest.approx(e, abs=1e-3)
            assert a.path_consistency == pytest.approx(p, abs=1e-3)
        for value in (a.consequentiality, a.essentiality, a.path_consistency, a.causal, a.score):
            assert 0.0 <= value <= 1.0
        assert a.causal == pytest.approx(causal_relevance(a.consequentiality, a.essentiality, 0.5))
        assert a.score == pytest.approx(candidate_score(a.causal, a.path_consistency, 0.5))
        assert a.rationale
        assert not any(word in a.rationale for word in ("nan", "None"))


def test_the_order_of_scores_is_the_order_of_routes():
    graph = lamps()
    candidates = [
        ("Ada_Lund", [("designed_by", "out")]),
        ("Lumen_Works", [("made_by", "out")]),
        ("1931", [("first_sold_in_year", "out")]),
    ]
    found, reading = assess(graph, "who designed Aurora Lamp", [("", "", "Aurora_Lamp")], candidates)
    about = reading.about(graph.index_of("Aurora_Lamp"))
    values = [
        about.way(
            (), reading.view.codes(Link(type=t, direction=d) for t, d in links), reading.view, graph.index_of(i)
        ).value
        for i, links in candidates
    ]
    scores = [0.25 * a.consequentiality + 0.25 * a.essentiality + 0.5 * a.path_consistency for a in found]
    assert scores == pytest.approx(values, abs=1e-3)
    assert scores[0] == max(scores)
    assert found[0].explains == ("designed",)
    assert "explains 'designed'" in found[0].rationale


def test_looking_ahead_says_what_comes_next():
    graph = lamps()
    (found,), _ = assess(
        graph,
        "in which town was the designer of Aurora Lamp born",
        [("", "", "Aurora_Lamp")],
        [("Ada_Lund", [("designed_by", "out")])],
    )
    assert found.terms["ahead"] == 1.0
    assert "then 'born_in_town' would explain" in found.rationale
    assert "in the question's order" in found.rationale


def test_leading_back_adds_nothing():
    graph = lamps()
    path = [("", "", "Aurora_Lamp"), ("designed_by", "out", "Ada_Lund")]
    (back, on), _ = assess(
        graph,
        "which lamps have the same designer as Aurora Lamp",
        path,
        [("Aurora_Lamp", [("designed_by", "in")]), ("Borea_Lamp", [("designed_by", "in")])],
    )
    assert back.essentiality == 0.0
    assert back.consequentiality < on.consequentiality
    assert back.path_consistency < on.path_consistency
    assert "leads back" in back.rationale


def test_only_the_edge_one_came_by_leads_back():
    """A node on the path that another relation leads to is new evidence."""
    graph = lamps()
    path = [("", "", "1952"), ("first_sold_in_year", "in", "Borea_Lamp"), ("made_by", "out", "Lumen_Works")]
    (back, other), _ = assess(
        graph,
        "which lamps are made by the maker of lamps sold in 1952",
        path,
        [("Borea_Lamp", [("made_by", "in")]), ("Borea_Lamp", [("designed_by", "in")])],
    )
    assert "retraced" in back.terms
    assert "retraced" not in other.terms


def test_own_words_are_named():
    graph = repairs()
    found, _ = assess(
        graph,
        "Which fault that rumbles is the Loud noise caused by?",
        [("", "", "noise")],
        [(i, [("is caused by", "out")]) for i in ("belt", "bearing")],
    )
    belt, bearing = found
    assert bearing.consequentiality > belt.consequentiality
    assert bearing.essentiality == belt.essentiality
    assert "own words meet 'rumbles'" in bearing.rationale
    assert "rumbles" in bearing.explains


def test_value_is_s_at_equal_weights():
    class Terms:
        coverage, licence_mean, licence_min, answer, inversions, back, hops, reverse = 0.5, 0.6, 0.3, 1, 0, 0, 2, 1

    c, e = 0.5, (0.6 + 0.15) / 1.5
    p = 0.8 + (0.6 - 0.2 - 0.12) / 2.8
    assert float(judged_value(Terms)) == pytest.approx(0.25 * c + 0.25 * e + 0.5 * p)
