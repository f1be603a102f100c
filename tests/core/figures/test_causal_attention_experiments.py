import numpy as np
import pytest

from core.causal_attention.diagnostic import Ranks, Theme
from core.causal_attention.experiment import Experiment
from core.causal_attention.gate import decide
from core.causal_attention.ir_metrics import IrScores
from core.causal_attention.rerank import Statistics
from core.causal_attention.stuffing import Simulation
from core.corpus.document import Document
from core.figures.causal_attention_experiments.answers import SAME, Given, difference_in_words, sides
from core.figures.causal_attention_experiments.curves import LOOKS, mode_curves
from core.figures.causal_attention_experiments.gate import (
    delta_table,
    probes_table,
    reliability_chart,
    reliability_table,
)
from core.figures.causal_attention_experiments.stuffing import (
    place,
    stuffing_chart,
    stuffing_in_words,
    stuffing_table,
)
from core.figures.causal_attention_experiments.themes import themes_chart, themes_in_words, themes_table
from core.trace import Answer, Claim, Evidence, NodeRef

BASE, SEMANTIC, HYBRID = np.array([0.5, 0.2, 0.9]), np.array([0.4, 0.1, 0.9]), np.array([0.6, 0.4, 1.0])
VERDICT = decide("c", BASE, {"semantic": SEMANTIC, "hybrid": HYBRID}, statistics={"overlap": 0.1})
SIMULATION = Simulation(
    "off-topic",
    (0, 1, 5),
    {
        "baseline": (0.8, 0.5, 0.2),
        "semantic": (0.6, 0.6, 0.6),
        "hybrid": (0.9, 0.4, 0.3),
        "gated": (0.9, 0.5, 0.3),
    },
    (True, False, True),
    7,
)


def solid(figure):
    """The strong parts of the lines: name -> y."""
    return {t.name: list(t.y) for t in figure.data if t.opacity == 1.0}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_reliability_is_drawn_for_each_ranking_the_gate_chooses_from(theme):
    figure = reliability_chart(VERDICT, theme)
    assert list(figure.layout.xaxis.ticktext) == [str(n) for n in sorted(VERDICT.reliability)]
    drawn = solid(figure)
    for mode, title in (("semantic", "Causal attention"), ("hybrid", "Hybrid")):
        assert drawn[title] == [VERDICT.reliability[n][mode] for n in sorted(VERDICT.reliability)]
    twin = reliability_table(VERDICT)
    assert [r["Hybrid"] for r in twin.rows] == drawn["Hybrid"]
    low, high = figure.layout.yaxis.range
    assert all(low < v < high for own in drawn.values() for v in own)


def test_the_verdict_as_a_table():
    rows = delta_table(VERDICT).rows
    assert [r["Ranking"] for r in rows] == ["Causal attention", "Hybrid"]
    assert [r["Gate"] for r in rows] == ["off", "on"]
    assert rows[1]["Change of ndcg@10"] == pytest.approx(float((HYBRID - BASE).mean()))


def test_probes_stand_with_what_they_lose_first():
    def scores(values):
        return tuple(IrScores(v, 0, 0) for v in values)

    made = Experiment(
        ("a", "b", "c"),
        {"baseline": scores([0.5, 0.5, 0.5]), "semantic": scores([0.1, 0.2, 0.3]), "hybrid": scores([0.9, 0.4, 0.5])},
        (Statistics(0.1, 0.2, 0.3), Statistics(0.4, 0.5, 0.6), Statistics(0.7, 0.8, 0.9)),
    )
    table = probes_table(made, {"a": "what is a?", "b": "what is b?"})
    assert [r["Query"] for r in table.rows] == ["what is b?", "c", "what is a?"]
    assert [r["Gain of the hybrid"] for r in table.rows] == pytest.approx([-0.1, 0.0, 0.4])
    assert table.rows[0]["Causal attention"] == 0.2
    assert [table.rows[0][name] for name in ("Keyword overlap", "Absorbed", "Top-1 gap")] == [0.4, 0.5, 0.6]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_curves_are_strong_as_far_as_the_slider(theme):
    for at, length in ((0, 1), (1, 2), (3, 2), (5, 3)):
        figure = stuffing_chart(SIMULATION, at, theme)
        drawn = solid(figure)
        assert set(drawn) == {"Similarity", "Causal attention", "Hybrid", "Gated"}
        for mode, title in (("baseline", "Similarity"), ("hybrid", "Hybrid")):
            assert drawn[title] == list(SIMULATION.modes[mode][:length])
        faint = [t for t in figure.data if t.opacity != 1.0]
        assert bool(faint) == (at < 5)
        assert all(not t.showlegend for t in faint)


def test_every_ranking_has_a_look_of_its_own():
    assert len(set(LOOKS.values())) == len(LOOKS)
    modes = list(LOOKS)
    figure = mode_curves([1, 2], dict.fromkeys(modes, (0.1, 0.2)), x_title="x", y_title="y", y_range=(0, 1))
    looks = {(t.line.color, t.line.dash) for t in figure.data}
    assert len(looks) == len(modes)


def test_what_stuffing_did_in_words():
    assert stuffing_in_words(SIMULATION, 0) == "Without stuffing similarity has 0.80. Above it: hybrid 0.90."
    said = stuffing_in_words(SIMULATION, 1)
    assert said == (
        "With 1 stuffed document a query, nDCG@10 goes by similarity from 0.80 to 0.50. "
        "Above similarity: causal attention 0.60."
    )
    assert stuffing_in_words(SIMULATION, 4) == said  # m between two that were tried: the one before
    assert "hybrid 0.30" in stuffing_in_words(SIMULATION, 5)


def test_one_right_answer_is_told_by_its_place():
    one = Simulation(
        "repeated", (0, 2), {"baseline": (1.0, 0.0), "semantic": (0.5, 1 / np.log2(11))}, (False, False), 1
    )
    assert [place(v) for v in (1.0, 1 / np.log2(3), 0.5, 1 / np.log2(11), 0.0)] == ["1", "2", "3", "10", "beyond 10"]
    table = stuffing_table(one, one_answer=True)
    assert [r["Similarity"] for r in table.rows] == ["1", "beyond 10"]
    assert stuffing_in_words(one, 2, one_answer=True) == (
        "With 2 stuffed documents a query, the answer goes by similarity from place 1 to place beyond 10. "
        "Above similarity: causal attention place 10."
    )


def test_the_stuffing_table_is_the_charts_twin():
    table = stuffing_table(SIMULATION)
    assert [r["Stuffed"] for r in table.rows] == [0, 1, 5]
    assert [r["Hybrid"] for r in table.rows] == list(SIMULATION.modes["hybrid"])
    assert [r["Gate"] for r in table.rows] == ["on", "off", "on"]


def themed(name, language, base, semantic):
    ranks = {"baseline": Ranks(*base), "semantic": Ranks(*semantic)}
    return Theme(name, language, "minilm", 0.6, f"about {name}?", ranks)


THEMES = [
    themed("T1", "en", (3, 1.5), (1, 6.0)),
    themed("T2", "en", (2, 1.5), (4, 3.5)),
    themed("T3", "zh", (2, 3.5), (2, 3.5)),
    themed("T4", "zh", (1, 3.5), (1, 3.5)),
]


def test_themes_that_are_not_helped_are_named():
    assert themes_in_words(THEMES, "semantic") == (
        "Causal attention puts the target higher on 1 of 4 themes. It does harm on T2. It does not help on T3. "
        "On T4 the target was first already."
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_ends_of_every_theme_are_drawn(theme):
    figure = themes_chart(THEMES, "semantic", theme)
    marks = {t.name: list(t.x) for t in figure.data if t.mode == "markers"}
    assert marks["target, by similarity"] == [3, 2, 2, 1]
    assert marks["target, by causal attention"] == [1, 4, 2, 1]
    assert marks["stuffed documents, mean, by causal attention"] == [6.0, 3.5, 3.5, 3.5]
    assert list(figure.layout.yaxis.ticktext) == ["T1 (en)", "T2 (en)", "T3 (zh)", "T4 (zh)"]
    assert themes_chart([], "semantic", theme).layout.annotations[0].text == "There is no theme."


def test_means_are_of_all_themes_of_a_language():
    rows = {r["Theme"]: r for r in themes_table(THEMES).rows}
    assert rows["Mean (en)"]["Similarity"] == 2.5
    assert rows["Mean (en)"]["Causal attention"] == 2.5
    assert rows["T2"]["Query"] == "about T2?"
    stuffed = {r["Theme"]: r for r in themes_table(THEMES, stuffed=True).rows}
    assert stuffed["Mean (en)"]["Causal attention"] == 4.75


def answered(title, ids, *sentences):
    documents = [Document(id_, id_.upper(), "") for id_ in ids]
    claims = tuple(
        Claim(text=s, evidence=(Evidence(node=NodeRef(id=ids[0], name=ids[0].upper()), quote=s),)) for s in sentences
    )
    return Given(title, documents, Answer(text=" ".join(sentences), claims=claims, decided_by="quotes"))


def test_answers_are_told_apart_by_documents_and_sentences():
    one = answered("Similarity", ["a", "b"], "It rains.", "It  Snows.")
    other = answered("Hybrid", ["c", "a"], "it snows.", "The sun shines.")
    left, right = sides(one, other, {"c": 2, "a": 1})
    assert [(d.name, d.alone, d.grade) for d in left.documents] == [("A", False, 1), ("B", True, 0)]
    assert [(d.name, d.alone, d.grade) for d in right.documents] == [("C", True, 2), ("A", False, 1)]
    assert [(s.text, s.alone) for s in left.sentences] == [("It rains.", True), ("It  Snows.", False)]
    assert [(s.text, s.alone) for s in right.sentences] == [("it snows.", False), ("The sun shines.", True)]
    assert difference_in_words(one, other, {"c": 2, "a": 1}) == (
        "Hybrid answers from “C”, which similarity does not choose. 1 of its 2 sentences is not in the other answer. "
        "Only hybrid has the document judged best in first place."
    )
    assert sides(one, other)[0].documents[0].grade is None


@pytest.mark.parametrize(
    ("own", "said"),
    [
        (["It snows."], "All that it says is in the other answer, which says more."),
        (["The sun shines."], "Its one sentence is not in the other answer."),
        (["The sun shines.", "It thaws."], "The other answer has none of its sentences."),
        (["It snows.", "It thaws.", "It rains."], "1 of its 3 sentences is not in the other answer."),
    ],
)
def test_how_many_sentences_the_other_answer_lacks(own, said):
    words = difference_in_words(
        answered("Similarity", ["a"], "It rains.", "It snows."), answered("Hybrid", ["b"], *own)
    )
    assert words == f"Hybrid answers from “B”, which similarity does not choose. {said}"


def test_equal_choices_are_said_to_be_equal():
    one, same = answered("Similarity", ["a", "b"], "It rains."), answered("Hybrid", ["a", "b"], "It rains.")
    turned = answered("Hybrid", ["b", "a"], "It rains.")
    assert difference_in_words(one, same) == SAME
    assert difference_in_words(one, turned) == (
        "Both rankings choose the same documents, in another order. The answers are the same."
    )
    nothing = Given("Hybrid", [Document("z", "", "")], Answer(text="Nothing to quote."))
    (said,) = sides(nothing, one)[0].sentences
    assert (said.text, said.alone) == ("Nothing to quote.", True)
    assert sides(nothing, one)[0].documents[0].name == "z"
