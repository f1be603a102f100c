"""Predict, then reveal: turns against a hand-made walk; nothing of the answer shows before the guess."""

import pytest
from film_run import film_run

from core.cara.steps import Appended, AppendStep, Assessment, AssessStep, Candidate, Link, NeighborsStep
from core.figures.cara_view import cara_view
from core.figures.predict import after, before, question, tally, turns, verdict
from core.trace import DatasetRef, NodeRef, Ranked, Trace

OUT = (Link(type="leads to", direction="out"),)


def n(name):
    return NodeRef(id=name.lower(), name=name)


def look(index, name, seen, source=None):
    """`seen`: names of the candidates, the best by BM25 first."""
    candidates = tuple(Candidate(node=n(x), bm25=10.0 - i, links=OUT) for i, x in enumerate(seen))
    at = n(name)
    return NeighborsStep(index=index, node=at, anchor=at, subquery="", k=9, candidates=candidates, source=source)


def judge(index, source, *scores):
    rows = tuple(
        Assessment(id=i, consequentiality=s, essentiality=s, path_consistency=s, causal=s, score=s) for i, s in scores
    )
    return AssessStep(index=index, lambda_=0.5, alpha=0.5, kept=len(rows), source=source, assessments=rows)


RUN = Trace(
    method="cara",
    question="Where?",
    dataset=DatasetRef(content_id="x", name="made"),
    steps=(
        look(1, "A", "BCD"),
        judge(2, 1, ("c", 0.9), ("b", 0.4), ("d", 0.1)),
        look(3, "C", "E", source=2),  # nothing to choose from
        look(4, "B", "FGH", source=2),
        judge(5, 4, ("f", 0.8), ("h", 0.7), ("g", 0.1)),
        look(6, "Z", "XY"),  # led nowhere
        AppendStep(index=7, nodes=(Appended(node=n("F"), source=5), Appended(node=n("H"), source=5))),
    ),
    ranked=(Ranked(id="f", name="F", score=1.0),),
)


def test_a_turn_is_a_hop_with_a_choice_that_was_drawn_on():
    one, two = turns(RUN, 0)
    assert (one.hop.index, one.until, one.followed, one.at_once, one.by_words) == (1, 3, ("c", "b"), 1, ("b",))
    assert (two.hop.index, two.until, two.followed, two.at_once, two.by_words) == (4, 7, ("f", "h"), 2, ("f",))
    assert one.is_right("b")  # it took that way too, later
    assert not one.is_right("d")
    assert two.is_right("h")  # one of several appended at once
    assert turns(RUN, 1) == ()


def test_a_walk_without_the_causal_module_draws_on_the_look_itself():
    bare = RUN.model_copy(update={"steps": (look(1, "A", "BC"), look(2, "C", "D", source=1))})
    (turn,) = turns(bare, 0)
    assert turn.by_words_right == 0
    assert (turn.followed, turn.judged) == (("c",), None)
    assert verdict(turn, "b") == (
        "Not this time: you chose B. The agent followed C. Picking by BM25 alone would have chosen B."
    )


def test_candidates_are_shuffled_alike_each_time_and_always_hold_what_was_followed():
    one, _ = turns(RUN, 0)
    assert sorted(c.node.id for c in one.offered) == ["b", "c", "d"]
    assert turns(RUN, 0) == turns(RUN, 0)
    orders = {tuple(c.node.id for c in turns(RUN, 0, seed=s)[0].offered) for s in range(20)}
    assert len(orders) > 1
    (few, _) = turns(RUN, 0, most=2)
    assert {c.node.id for c in few.offered} == {"b", "c"}
    (one_more, _) = turns(RUN, 0, most=1)
    assert one_more.is_right(one_more.offered[0].node.id)


def test_before_the_guess_nothing_of_the_choice_is_there():
    one, two = turns(RUN, 0)
    shown = before(RUN, one)
    assert [s.index for s in shown.steps] == [1]
    assert shown.ranked == ()
    assert [s.index for s in before(RUN, two).steps] == [1, 2, 3, 4]
    assert [s.index for s in after(RUN, one).steps] == [1, 2, 3]


@pytest.mark.parametrize("agent", [0, 1])
def test_the_graph_of_a_real_run_gives_nothing_away(agent):
    trace = film_run()
    found = turns(trace, agent)
    assert found
    for turn in found:
        last = cara_view(before(trace, turn)).frames[-1]
        assert (last.kind, last.index, last.scores) == ("look", turn.hop.index, ())
        assert set(turn.followed) <= {c.node.id for c in turn.offered}


def test_the_score_counts_both_guessers():
    assert tally([]).in_words() == "No guess yet."
    assert tally([(True, False), (False, False), (True, True)]).in_words() == (
        "2 of 3 right; picking by BM25 alone would have got 1."
    )


def test_equals_by_bm25_are_picked_by_lot():
    seen = RUN.steps[0].candidates
    level = RUN.steps[0].model_copy(update={"candidates": tuple(c.model_copy(update={"bm25": 0.0}) for c in seen)})
    (turn, _) = turns(RUN.model_copy(update={"steps": (level, *RUN.steps[1:])}), 0)
    assert turn.by_words == ("b", "c", "d")
    assert turn.by_words_right == pytest.approx(2 / 3)
    assert verdict(turn, "c").endswith("To BM25 3 of them are equally good; 2 of these would have been right.")
    assert tally([(True, 2 / 3), (True, 0.0)]).in_words().endswith("would have got 0.7.")


def test_words_of_a_turn():
    one, two = turns(RUN, 0)
    assert question(one, 1, 2) == ("Hop 1 of 2: the agent stands at A and sees 3 neighbours. Which one will it follow?")
    assert verdict(one, "c") == (
        "Right. The agent followed C (s = 0.90), and later B (s = 0.40). "
        "Picking by BM25 alone would have been right too."
    )
    assert verdict(two, "f").endswith("Picking by BM25 alone would have been right too.")
