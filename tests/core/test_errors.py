"""Errors read as sentences, and as the object the command line prints."""

import pytest

from core.errors import CausewayError


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (CausewayError("it broke"), "it broke"),
        (CausewayError("it broke", where="a.csv, line 3"), "a.csv, line 3: it broke"),
        (CausewayError("it broke", hint="Mend it."), "it broke. Mend it."),
        (CausewayError("broke?", where="x", hint="Mend it."), "x: broke? Mend it."),
    ],
)
def test_an_error_reads_as_sentences(error, text):
    assert str(error) == text


def test_as_json_has_the_three_parts():
    assert CausewayError("w", where="x", hint="h").as_json() == {"error": {"what": "w", "where": "x", "hint": "h"}}
