"""A schema seen through an encoder: needs, classes, kinds of answer, heads."""

import threading

import numpy as np
import pytest

from core.graph.graph import KnowledgeGraph
from core.linking.lens import HEAD_NEED, LEAST_NEED, Lens
from core.linking.mentions import Mention
from core.linking.question import read_question
from core.text.embedding import get_encoder


def build(typed):
    nodes = {
        "lamp-1": ("Aurora", "lamp"), "lamp-2": ("Borea", "lamp"), "p-1": ("Ada", "person"), "p-2": ("Bo", "person"),
        "t-1": ("Oslo", "town"), "y-1": ("1931", "year"), "y-2": ("1952", "year"),
    }  # fmt: skip
    edges = [
        ("lamp-1", "designed_by", "p-1"), ("lamp-2", "designed_by", "p-2"), ("lamp-1", "sold_by", "p-2"),
        ("lamp-1", "made_in_year", "y-1"), ("lamp-2", "made_in_year", "y-2"), ("p-1", "lives_in", "t-1"),
    ]  # fmt: skip
    ids = list(nodes)
    relations = list(dict.fromkeys(r for _, r, _ in edges))
    return KnowledgeGraph.from_arrays(
        ids,
        [n for n, _ in nodes.values()],
        [t if typed else "" for _, t in nodes.values()],
        [""] * len(ids),
        [ids.index(s) for s, _, _ in edges],
        [ids.index(t) for _, _, t in edges],
        [relations.index(r) for _, r, _ in edges],
        relations,
    )


@pytest.fixture(scope="module")
def typed():
    return Lens(build(True).schema(), [get_encoder("letters")])


@pytest.fixture(scope="module")
def untyped():
    return Lens(build(False).schema(), [get_encoder("letters")])


def needs(lens, text, name):
    start = text.index(name)
    return lens.needs(read_question(text, Mention(start, start + len(name), name, (0,), 0)))


def hop(lens, name, way="out"):
    return 2 * lens.roles.relations.index(name) + (way == "in")


def test_a_need_is_explained_by_its_relation(typed):
    found = needs(typed, "who designed the lamp Aurora", "Aurora")
    assert found.texts == ("designed", "lamp")
    designed = found.edge[:, 0]
    assert designed[hop(typed, "designed_by")] == designed[hop(typed, "designed_by", "in")] == 1.0
    assert designed[hop(typed, "lives_in")] < 0.5
    assert found.edge.shape == found.arrival.shape == (8, 2)


def test_a_type_is_known_by_name_at_arrival_and_departure(typed):
    found = needs(typed, "which lamps did Ada design", "Ada")
    lamps = found.texts.index("lamps")
    assert found.arrival[hop(typed, "designed_by", "in"), lamps] == 1.0
    assert found.arrival[hop(typed, "designed_by"), lamps] < 1.0
    assert found.anchor[hop(typed, "designed_by"), lamps] == 1.0


def test_the_answer_is_fitted_by_kind_and_by_head(typed, untyped):
    for lens in (typed, untyped):
        when = needs(lens, "when was Aurora made", "Aurora")
        assert when.kind == "date"
        assert when.fit[hop(lens, "made_in_year")] == 1.0
        assert when.fit[hop(lens, "designed_by")] < 0.5
        who = needs(lens, "who sold Aurora", "Aurora")
        assert who.fit[hop(lens, "sold_by")] == 1.0  # ".. by" says that people stand there
        assert who.fit[hop(lens, "made_in_year")] < 0.5
    lamps = needs(typed, "which lamps did Ada design", "Ada")
    assert lamps.head == lamps.texts.index("lamps")
    assert lamps.fit[hop(typed, "designed_by", "in")] == max(lamps.fit)


def test_weights_have_their_floors(typed):
    found = needs(typed, "which zyx qqqq Aurora", "Aurora")
    assert found.head == 0
    assert found.weight[0] >= HEAD_NEED
    assert found.weight[1] >= LEAST_NEED
    unknown = needs(typed, "qqqq whatever Aurora", "Aurora")
    assert unknown.answer_known


def test_two_words_together_stand_for_each(typed):
    found = needs(typed, "what is the made in year of Aurora", "Aurora")
    alone = needs(typed, "what is the year of Aurora", "Aurora")
    year = found.texts.index("year")
    assert found.edge[hop(typed, "made_in_year"), year] >= alone.edge[hop(typed, "made_in_year"), 0]


def test_no_needs(typed):
    found = needs(typed, "Aurora", "Aurora")
    assert found.texts == ()
    assert found.edge.shape == (8, 0)
    assert not found.answer_known


def test_what_was_asked_before_changes_nothing():
    schema = build(True).schema()
    one, other = (Lens(schema, [get_encoder("letters")]) for _ in range(2))
    first = needs(one, "who designed the lamp Aurora", "Aurora")
    needs(other, "which towns sold folding chairs to Ada and the designer of a lamp", "Ada")
    again = needs(other, "who designed the lamp Aurora", "Aurora")
    for field in ("edge", "arrival", "anchor", "weight", "fit"):
        assert np.array_equal(getattr(first, field), getattr(again, field))


def test_threads_see_the_same(typed):
    results = []

    def ask():
        results.append(needs(typed, "which lamps did Ada sell in a year", "Ada").weight)

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 6
    assert all(np.array_equal(r, results[0]) for r in results)


def test_a_class_is_meant_by_a_word_near_to_all_its_relations():
    class Concepts:
        """Each word is a bundle of ideas; "vessel" has a bit of all that ships have."""

        name, version = "concepts", "concepts/1"
        ideas = {
            "crew": (0,), "cargo": (1,), "port": (2,), "flag": (3,), "vessel": (0, 1, 2, 3), "vessels": (0, 1, 2, 3),
            "sailors": (0,),
        }  # fmt: skip

        def encode(self, texts):
            rows = np.full((len(texts), 12), 0.05, np.float32)
            for row, text in zip(rows, texts, strict=True):
                own = [i for w in text.replace(",", " ").split() for i in self.ideas.get(w, ())]
                row[own] += 1.0
                if not own:
                    row[4 + sum(map(ord, text)) % 8] += 1.0
            return rows / np.linalg.norm(rows, axis=1, keepdims=True)

        def unknown_share(self, texts):
            return 0.0

    names = ["a", "b", "x", "y", "z", "w"]
    heads, codes, tails = [0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 2, 3, 0, 1, 2, 3], [2, 3, 4, 5, 2, 3, 4, 5]
    relations = ["crew", "cargo", "port", "flag"]
    graph = KnowledgeGraph.from_arrays(names, names, [""] * 6, [""] * 6, heads, tails, codes, relations)
    lens = Lens(graph.schema(), [Concepts()])
    assert lens.word("vessels").role[0] > 0.9
    found = lens.needs(read_question("which vessels"))
    assert found.arrival[1, 0] > 0.9  # against "crew" one arrives at a vessel
    assert found.arrival[0, 0] == 0.0
    assert lens.word("sailors").role[0] < 0.5
    assert lens.word("sailors").relation[0] == 1.0
