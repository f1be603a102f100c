import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.figures.words import agent_name, count, cut, isolate, listed, named, one_line, relation_words


@given(st.text(max_size=300), st.integers(2, 80))
def test_a_cut_text_is_one_line_and_short_enough(text, length):
    short = cut(text, length)
    assert len(short) <= length
    assert "\n" not in short
    assert short == short.strip()


@given(st.text(alphabet="ab c", max_size=28))
def test_a_short_text_is_kept_whole(text):
    assert cut(text, 28) == " ".join(text.split())


def test_a_long_name_ends_in_an_ellipsis():
    assert cut("W" * 10_000) == "W" * 27 + "…"
    assert cut("a" * 29) == "a" * 27 + "…"
    assert cut("a" * 28) == "a" * 28


def test_line_ends_and_controls_become_spaces():
    assert one_line("a\nb\t\x00c\u2028d") == "a b c d"


def test_right_to_left_names_are_fenced_and_others_are_not():
    assert isolate("Alien") == "Alien"
    assert isolate("שלום") == "\u2068שלום\u2069"
    assert isolate("\u202eevil").startswith("\u2068")
    assert named("") == "(no name)"


@pytest.mark.parametrize(
    ("edge_type", "words"),
    [
        ("directed_by", "directed by"),
        ("people.person.place_of_birth", "place of birth"),
        ("http://example.org/ns#writtenBy", "written by"),
        ("http://example.org/ns/part-of/", "part of"),
        ("ns__has_part", "has part"),
        ("TREATS", "treats"),
        ("hasISBN", "has ISBN"),
        ("", ""),
        ("___", "___"),
    ],
)
def test_relations_in_words(edge_type, words):
    assert relation_words(edge_type) == words


def test_lists_and_counts_in_prose():
    assert listed([]) == ""
    assert listed(["A"]) == "A"
    assert listed(["A", "B"]) == "A and B"
    assert listed(["A", "B", "C"]) == "A, B and C"
    assert listed(["A", "B", "C", "D", "E"]) == "A, B, C and 2 more"
    assert count(1, "node") == "1 node"
    assert count(2623, "node") == "2,623 nodes"
    assert count(2, "class", "classes") == "2 classes"
    assert agent_name(0) == "Agent 1"
