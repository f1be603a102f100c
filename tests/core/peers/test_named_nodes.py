from __future__ import annotations

from core.graph.contracts import Hit
from core.peers.named_nodes import OFFERED, find_named_nodes, score_by_name

NAMES = ["Low Tide", "Tide Tables", "Low Tide", "Work", "Plain"]


def searched(question: str, names: list[str] = NAMES) -> tuple[list[str], object]:
    asked: list[str] = []

    def search(query: str, k: int) -> list[Hit]:
        asked.append(query)
        words = query.lower().split()
        scores = [sum(name.lower().split().count(w) for w in words) for name in names]
        order = sorted((i for i, s in enumerate(scores) if s), key=lambda i: (-scores[i], i))
        return [Hit(i, float(scores[i])) for i in order[:k]]

    return asked, find_named_nodes(question, search, names.__getitem__)


def test_names_in_the_question_come_first_homonyms_together() -> None:
    asked, named = searched("who made Low Tide?")
    assert asked == ["Low Tide"]  # found: nothing else has to be searched for
    assert named.offered == (0, 2, 1)
    assert {p: m.text for p, m in named.mention_of.items()} == {0: "Low Tide", 2: "Low Tide"}
    assert named.surest == {0, 2}
    assert named.bm25 == {0: 2.0, 2: 2.0, 1: 1.0}
    assert score_by_name(named, 3) == [1.0, 1.0, 0.0]


def test_a_surer_mention_leaves_an_everyday_word_behind() -> None:
    _, named = searched("does Low Tide work")
    assert named.surest == {0, 2}
    _, alone = searched("how does work go")
    assert alone.surest == {3}


def test_without_a_name_the_best_matches_share_the_best_ones_score() -> None:
    asked, named = searched("tide", ["Tide Tables", "High Tide", "Nothing"])
    assert asked
    assert named.surest == frozenset()
    assert named.offered == (0, 1)
    assert score_by_name(named, 1) == [1.0, 0.0]
    assert score_by_name(named, 2) == [1.0, 1.0]


def test_no_hit_at_all() -> None:
    _, named = searched("zebra")
    assert named.offered == ()
    assert score_by_name(named, 3) == []


def test_more_homonyms_than_are_offered_are_offered_all() -> None:
    _, named = searched("Low Tide", ["Low Tide"] * 15)
    assert len(named.offered) == 15
    names = [f"Tide {i}" for i in range(60)]
    assert len(searched("about tide", names)[1].offered) == OFFERED  # type: ignore[attr-defined]
