import math

import pytest

from core.figures.causal_attention_plane import Arrow, plane_figure

WORDS = {"cough": 0.0, "thyme": 60.0, "quiz": 150.0}


def named(figure):
    return {t.name: [word.strip() for word in t.text] for t in figure.data if t.mode == "markers+text"}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_stand_at_their_angles_and_sides_have_shapes(theme):
    figure = plane_figure(WORDS, [], {"cough": "A", "thyme": "B"}, 0.8, ["cough"], theme)
    assert named(figure) == {"A, taken out": ["cough"], "B, scored": ["thyme"], "not in this text": ["quiz"]}
    marks = {t.name: t for t in figure.data if t.mode == "markers+text"}
    assert len({m.marker.symbol for m in marks.values()} | {m.marker.size for m in marks.values()}) > 2
    thyme = marks["B, scored"]
    assert (thyme.x[0], thyme.y[0]) == pytest.approx((math.cos(math.radians(60)), math.sin(math.radians(60))))


def test_the_wedge_ends_where_the_cosine_is_tau():
    figure = plane_figure(WORDS, [], {}, 0.5, ["cough"])
    (wedge,) = [t for t in figure.data if t.fill == "toself"]
    for x, y in ((wedge.x[1], wedge.y[1]), (wedge.x[-2], wedge.y[-2])):
        assert x / math.hypot(x, y) == pytest.approx(0.5)  # the cosine with the word at 0 degrees
    assert not [t for t in plane_figure(WORDS, []).data if t.fill == "toself"]


def test_arrows_point_where_their_texts_do_and_nothing_points_nowhere():
    arrows = [Arrow("query", (0.0, 2.0), "current", True), Arrow("<b>x</b>", (1.0, 1.0), "document")]
    figure = plane_figure(WORDS, [*arrows, Arrow("blank", (0.0, 0.0), "document")])
    heads = [a for a in figure.layout.annotations if a.showarrow]
    assert [(a.x == pytest.approx(0.0), a.y > 0) for a in heads[:1]] == [(True, True)]
    assert heads[1].x == pytest.approx(heads[1].y)
    assert len(heads) == 2
    assert [a.text for a in figure.layout.annotations if a.text] == ["query", "&lt;b&gt;x&lt;/b&gt;"]
    assert heads[0].arrowwidth > heads[1].arrowwidth


def test_without_sides_all_words_are_alike():
    (words,) = named(plane_figure(WORDS, [])).values()
    assert words == ["cough", "thyme", "quiz"]
