import itertools

import pytest

from core.causal_attention.dag import EDGES, NODES, STATEMENTS, d_separated, explain
from core.errors import ConfigError
from core.figures.causal_attention_dag import PLACES, answer_in_words, dag_figure


def arrows(figure, width):
    """The arrows of that width, as pairs of variables, found by their ends."""

    def nearest(x, y):
        return min(PLACES, key=lambda n: (PLACES[n][0] - x) ** 2 + (PLACES[n][1] - y) ** 2)

    return {
        (nearest(a.ax, a.ay), nearest(a.x, a.y)) for a in figure.layout.annotations if (a.arrowwidth > 3) == (width > 3)
    }


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_arrow_and_variable_is_drawn(theme):
    figure = dag_figure("q", "B", (), theme)
    assert arrows(figure, 1) | arrows(figure, 4) == set(EDGES)
    assert [trace.customdata[0][0] for trace in figure.data] == list(PLACES)
    assert set(PLACES) == set(NODES)


def test_the_collider_opens_when_the_document_is_known():
    assert arrows(dag_figure("q", "B", ()), 4) == set()
    assert arrows(dag_figure("q", "B", ("d",)), 4) == {("A", "q"), ("A", "d"), ("B", "d")}
    assert arrows(dag_figure("q", "B", ("A", "d")), 4) == set()


def test_shapes_double_the_colours():
    symbols = {t.customdata[0][0]: t.marker.symbol for t in dag_figure("q", "B", ("d",)).data}
    assert symbols == {"A": "circle-open", "B": "star-open", "d": "square", "q": "star", "y": "circle-open"}
    known = {t.customdata[0][0]: t for t in dag_figure("q", "B", ("A",)).data}["A"]
    assert known.marker.symbol == "square"  # what is known is no longer hollow
    assert known.text[0].endswith(", known")


def test_no_pair_is_both_lit_and_separated():
    for x, y in itertools.combinations(NODES, 2):
        rest = [n for n in NODES if n not in (x, y)]
        for size in range(4):
            for given in itertools.combinations(rest, size):
                lit = arrows(dag_figure(x, y, given), 4)
                assert bool(lit) != d_separated(x, y, given)
                words = answer_in_words(x, y, given, explain(x, y, given))
                assert ("says nothing" in words) == d_separated(x, y, given)


def test_the_answer_in_words():
    said = [answer_in_words(s.x, s.y, s.given, explain(s.x, s.y, s.given)) for s in STATEMENTS]
    assert said[0] == "q says nothing about B: every path between them is closed."
    assert said[1] == "q says something about B, once d is known: 1 of 2 paths between them is open."
    assert said[4] == "q says nothing about B, once A and d are known: every path between them is closed."
    assert answer_in_words("q", "y", (), explain("q", "y")).endswith("1 of 2 paths between them is open.")
    assert answer_in_words("q", "y", ("d",), explain("q", "y", ("d",))).endswith("2 of 2 paths between them are open.")


def test_what_is_asked_about_cannot_be_known():
    with pytest.raises(ConfigError):
        dag_figure("q", "B", ("q",))
