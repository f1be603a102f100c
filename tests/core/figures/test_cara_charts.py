import itertools

import pytest
from film_run import film_run, hostile_run

from core.cara.what_if import rescore
from core.figures.cara import candidate_bars, fusion_bars, rank_shift, ranking, scatter_c_e
from core.figures.charts import label
from core.figures.hops import hops
from core.figures.tables import fused_lines
from core.trace import NodeRef


@pytest.fixture
def film_trace():
    return film_run()


@pytest.fixture
def hostile_trace():
    return hostile_run()


def test_fusion_bars_stack_to_the_fused_score(film_trace):
    figure = fusion_bars(film_trace)
    lines = fused_lines(film_trace)
    assert [bar.name for bar in figure.data] == ["Agent 1", "Agent 2", "Agent 3"]
    for i, line in enumerate(lines):
        assert sum(bar.x[i] for bar in figure.data) == pytest.approx(line.fused.score)
        assert all(bar.customdata[i][0] == line.node.id for bar in figure.data)
        assert f"by count {line.count_rank} " in figure.layout.annotations[i].text
    patterns = [bar.marker.pattern.shape for bar in figure.data]
    assert len(set(patterns)) == 3
    assert figure.layout.barmode == "stack"


def test_only_the_top_is_drawn_and_an_empty_list_says_so(film_trace):
    assert len(fusion_bars(film_trace, top=2).data[0].y) == 2
    bare = fusion_bars(film_trace.model_copy(update={"steps": ()}))
    assert "No agent" in bare.layout.annotations[0].text


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_candidate_bars_show_s_and_its_three_parts(film_trace, theme):
    hop, assess = hops(film_trace)[1]
    figure = candidate_bars(assess, hop, theme, selected=assess.assessments[2].id)
    s, c, e, p = figure.data
    assert list(s.x) == [a.score for a in assess.assessments]
    assert list(c.x) == [a.consequentiality for a in assess.assessments]
    assert list(e.x) == [a.essentiality for a in assess.assessments]
    assert list(p.x) == [a.path_consistency for a in assess.assessments]
    assert [d[0] for d in s.customdata] == [a.id for a in assess.assessments]
    assert len({t.marker.symbol for t in (c, e, p)}) == 3
    assert s.marker.opacity[2] == 1.0 > s.marker.opacity[0]


def test_without_a_causal_module_bars_are_bm25(film_trace):
    hop, _ = hops(film_trace)[1]
    (bar,) = candidate_bars(None, hop).data
    assert list(bar.x) == sorted((c.bm25 for c in hop.candidates), reverse=True)
    nothing = hop.model_copy(update={"candidates": ()})
    assert "No neighbour" in candidate_bars(None, nothing).layout.annotations[0].text


def test_scatter_places_each_candidate_and_marks_the_chosen(film_trace):
    hop, assess = hops(film_trace)[1]
    chosen = assess.assessments[4].id
    figure = scatter_c_e(assess, hop, selected=chosen)
    points = figure.data[-1]
    assert list(zip(points.x, points.y, strict=True)) == [
        (a.consequentiality, a.essentiality) for a in assess.assessments
    ]
    assert [d[0] for d in points.customdata] == [a.id for a in assess.assessments]
    assert points.marker.symbol[4] == "star"
    assert points.text[4]
    assert "not asked" in scatter_c_e(None, hop).layout.annotations[0].text


@pytest.mark.parametrize("lambda_", [0.0, 0.3, 0.5, 1.0])
def test_the_lines_of_equal_relevance_are_that(film_trace, lambda_):
    hop, assess = hops(rescore(film_trace, lambda_, 0.5))[1]
    lines = [t for t in scatter_c_e(assess, hop).data if t.mode == "lines"]
    for line, level in zip(lines, (0.2, 0.4, 0.6, 0.8), strict=True):
        for c, e in zip(line.x, line.y, strict=True):
            assert lambda_ * c + (1 - lambda_) * e == pytest.approx(level)
            assert -1e-9 <= c <= 1 + 1e-9
            assert -1e-9 <= e <= 1 + 1e-9


def test_rank_shift_tells_who_rises_and_falls():
    a, b, c = (NodeRef(id=i, name=i.upper()) for i in "abc")
    figure = rank_shift([a, b, c], [c, b, a])
    told = {line.customdata[0][0]: (list(line.y), line.marker.symbol, line.line.dash) for line in figure.data}
    assert told == {
        "a": ([1, 3], "triangle-down", "dash"),
        "b": ([2, 2], "circle", "solid"),
        "c": ([3, 1], "triangle-up", "solid"),
    }
    assert figure.layout.title.text == "2 of 3 candidates change rank"
    assert rank_shift([a, b], [a, b]).layout.title.text == "no candidate changes rank"
    assert "nothing" in rank_shift([], []).layout.annotations[0].text


def test_rank_shift_of_a_what_if_covers_the_top_of_both(film_trace):
    before, after = hops(film_trace)[1], hops(rescore(film_trace, 0.9, 0.1))[1]
    old, new = ranking(before[1], before[0]), ranking(after[1], after[0])
    figure = rank_shift(old, new, top=3)
    assert {line.customdata[0][0] for line in figure.data} == {n.id for n in [*old[:3], *new[:3]]}
    assert max(y for line in figure.data for y in line.y) <= 4


def test_names_are_text_for_plotly(hostile_trace):
    assert label("<b>x</b><a href='y'>") == "&lt;b&gt;x&lt;/b&gt;&lt;a href='y'&gt;"
    hop, assess = hops(hostile_trace)[1]
    for figure in (candidate_bars(assess, hop), scatter_c_e(assess, hop), fusion_bars(hostile_trace)):
        assert "<img" not in figure.to_json().replace("\\u003c", "<")
        assert "<b>" not in figure.to_json().replace("\\u003c", "<")


def test_namesakes_stand_on_lines_of_their_own(film_trace):
    hop, assess = hops(film_trace)[1]
    same = hop.model_copy(
        update={
            "candidates": tuple(
                c.model_copy(update={"node": c.node.model_copy(update={"name": "Same"})}) for c in hop.candidates
            )
        }
    )
    names = list(candidate_bars(assess, same).data[0].y)
    assert len(names) == len(set(names)) == len(hop.candidates)
    assert all(a != b for a, b in itertools.pairwise(names))
