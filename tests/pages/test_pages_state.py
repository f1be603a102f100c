"""What a page puts into its address, and what a message that knew nothing of it may not take back."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import state


def script():
    import streamlit as st

    from pages.shared import state

    state.catch_up()
    if st.session_state.pop("put", None):
        state.put({"guess": 1, "document": "new", "look": None})


@pytest.fixture
def changed():
    at = AppTest.from_function(script, default_timeout=120)
    at.query_params["document"], at.query_params["look"] = "old", "table"
    at.session_state["put"] = True
    at.run()
    assert (at.query_params["guess"], at.query_params["document"]) == ("1", "new")
    assert "look" not in at.query_params
    return at


def stale(at):
    """A message of the browser that was sent before it heard of the change."""
    at.query_params["document"], at.query_params["look"] = "old", "table"
    del at.query_params["guess"]
    return at


def test_a_message_from_before_a_change_does_not_take_it_back(changed):
    at = stale(changed).run()
    assert (at.query_params["guess"], at.query_params["document"]) == ("1", "new")
    assert "look" not in at.query_params


def test_a_later_choice_and_an_old_change_stand_as_they_are(changed, monkeypatch):
    changed.query_params["document"] = "chosen since"
    assert changed.run().query_params["document"] == "chosen since"
    monkeypatch.setattr(state, "UNHEARD", 0.0)
    at = stale(changed).run()
    assert at.query_params["document"] == "old"
    assert "guess" not in at.query_params


def on_two_pages():
    import streamlit as st

    from pages.shared import state

    state.keep_address(st.session_state["page"], ("go",))
    state.catch_up()
    if st.session_state["page"] == "first":
        state.put({"go": None})


def test_what_was_changed_on_one_page_does_not_change_the_link_to_another():
    at = AppTest.from_function(on_two_pages, default_timeout=120)
    at.session_state["page"] = "first"
    at.query_params["go"] = "1"
    at.run()
    assert "go" not in at.query_params
    at.session_state["page"] = "second"
    at.query_params["go"] = "1"
    at.run()
    assert at.query_params["go"] == "1"
