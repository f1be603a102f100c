import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.figures.data import degree_histogram, type_bars


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 5000), min_size=1, max_size=60))
def test_the_bars_hold_every_node_once(degrees):
    (bar,) = degree_histogram(degrees).data
    assert sum(bar.y) == len(degrees)
    ranges = [words[0].replace(",", "").split(" to ") for words in bar.customdata]
    for words, n in zip(ranges, bar.y, strict=True):
        low, high = int(words[0]), int(words[-1])
        assert n == sum(low <= d <= high for d in degrees)


def test_isolated_nodes_have_their_own_bar():
    (bar,) = degree_histogram(np.array([0, 0, 1, 3, 900])).data
    assert (bar.x[0], bar.y[0]) == ("0", 2)
    assert bar.customdata[0][0] == "0"
    assert bar.x[-1] == "512+"
    assert degree_histogram([1500]).data[0].x[-1] == "1k+"
    assert list(degree_histogram([]).data[0].y) == [0]


def test_types_by_count_and_the_rest_in_one_bar():
    (bar,) = type_bars({f"t{i:02}": i for i in range(30)}, top=3).data
    assert list(bar.x) == [29, 28, 27, sum(range(27))]
    assert bar.y[-1] == "27 more"
    assert bar.customdata[0][0] == "t29"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_type_names_are_text_and_a_missing_one_is_said(theme):
    (bar,) = type_bars({"<b>x</b>": 2, "": 1}, theme, noun="edges").data
    assert list(bar.y) == ["&lt;b&gt;x&lt;/b&gt;", "no type"]
    assert "edges" in bar.hovertemplate
