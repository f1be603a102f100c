"""What a node's own words meet."""

import pytest

from core.linking.evidence import TEXT_READ, TEXT_SHARE, met, node_stems

NODE = node_stems("Folding lamp", "device", "Runs on two batteries and was painted in 1999.")


@pytest.mark.parametrize(
    ("need", "value"),
    [("lamps", 1.0), ("devices", 1.0), ("battery", TEXT_SHARE), ("painting", TEXT_SHARE), ("1999", TEXT_SHARE)],
)
def test_met_by_name_type_or_text(need, value):
    assert met([need, "bicycle"], NODE) == (value, 0.0)


def test_function_words_meet_nothing():
    assert met(["on", "and"], NODE) == (0.0, 0.0)


def test_long_texts_are_read_up_to_a_limit():
    assert met(["needle"], node_stems("x", "", "hay " * TEXT_READ + "needle")) == (0.0,)
