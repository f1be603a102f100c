"""Text from data is shown, never interpreted; times and counts read as people say them."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.shared.text import esc, many, md, short
from pages.shared.times import ago

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


@given(st.text(max_size=120))
def test_escaped_html_has_no_mark_of_its_own(text):
    assert not set(esc(text)) & set("<>\"'")


@given(st.text(max_size=120))
def test_every_markdown_mark_is_escaped_and_nothing_else_changes(text):
    escaped, plain, at = md(text), [], 0
    while at < len(escaped):
        if escaped[at] == "\\":
            at += 1
            assert not escaped[at].isalnum()
        else:
            assert escaped[at] not in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
        plain.append(escaped[at])
        at += 1
    assert "".join(plain) == short(text, 300)


@given(st.text(max_size=200), st.integers(2, 50))
def test_short_text_is_one_line_within_its_limit(text, limit):
    line = short(text, limit)
    assert len(line) <= limit
    assert "\n" not in line
    if len(" ".join(text.split())) > limit:
        assert line.endswith("…")


def test_counts():
    assert many(1, "node") == "1 node"
    assert many(1234, "node") == "1,234 nodes"
    assert many(2, "entity", "entities") == "2 entities"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(5, "just now"), (60, "1 minute ago"), (3_599, "59 minutes ago"), (7_200, "2 hours ago"), (200_000, "2 days ago")],
)
def test_times(seconds, words):
    assert ago((NOW - timedelta(seconds=seconds)).isoformat(), NOW) == words


def test_a_time_that_is_none_is_shown_as_it_is():
    assert ago("last spring", NOW) == "last spring"
