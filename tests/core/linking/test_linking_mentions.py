"""Which words name which nodes, and what is searched for to find them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.linking.mentions import SUBQUERIES, find_mentions, partial_mentions, subqueries


def names_found(question, *names):
    return [(m.text, m.nodes, m.tier) for m in find_mentions(question, list(enumerate(names)))]


def test_the_longest_exact_name_wins():
    assert names_found("who owns The Old Mill Inn?", "Mill", "The Old Mill", "Old Mill Inn", "The Old Mill Inn") == [
        ("The Old Mill Inn", (3,), 0)
    ]


def test_exact_case_before_any_case():
    found = names_found("who painted Her and when", "her", "HER", "Her")
    assert found == [("Her", (2,), 0)]
    assert names_found("who knows ada lovelace", "Ada Lovelace") == [("ada lovelace", (0,), 1)]


def test_homonyms_stay_together_in_order():
    assert names_found("where is Springfield", "Springfield", "Springfield") == [("Springfield", (0, 1), 0)]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("what are Ada Byron's works", "Ada_Byron"),
        ("is it 'L.A. Without a Map'?", "L.A. Without a Map"),
        ("works of José Núñez", "Jose Nunez"),
        ("the town of St. John’s, where is it", "St. John's"),
        ("burning smells at the back", "Burning smell"),
        ("who lives in Żółw", "Żółw"),
        ("谁写了 红楼梦 这本书", "红楼梦"),
    ],
)
def test_punctuation_accents_and_number_do_not_matter(question, name):
    assert [nodes for _, nodes, _ in names_found(question, name)] == [(0,)]


def test_function_words_are_no_names_unless_written_so():
    assert names_found("what is it made of", "It", "What", "Of") == []
    assert names_found("who wrote It", "It") == [("It", (0,), 0)]
    assert names_found("What is this", "What") == []


def test_mentions_do_not_overlap_and_are_sorted():
    found = find_mentions("Anna met Bo and the red car", [(0, "Bo"), (1, "Anna"), (2, "red car"), (3, "car")])
    assert [(m.text, m.tier) for m in found] == [("Anna", 0), ("Bo", 0), ("red car", 1)]


def test_a_name_without_letters_is_never_found():
    assert names_found("what costs 5 $ ?", "$", "?", "") == []


def test_partial_mentions_need_most_of_the_name_close_together():
    names = [(0, "Video calls freeze and drop"), (1, "Paper jam"), (2, "Calls")]
    (found,) = partial_mentions("my video calls drop all the time", names)
    assert (found.nodes, found.tier) == ((0,), 3)
    assert found.text == "video calls drop"
    assert partial_mentions("the video of a jam", names) == ()
    far = "video " + "of " * 20 + "calls"
    assert partial_mentions(far, [(0, "Video calls")]) == ()


def texts(question, sure=None):
    return [q.text for q in subqueries(question) if sure is None or q.sure is sure]


def test_subqueries_begin_with_what_looks_like_a_name():
    assert texts("who runs the House of Blue Leaves in Bergen?", sure=True) == ["House of Blue Leaves in Bergen"]
    assert texts("Which towns lie near Bergen?", sure=True) == ["Bergen"]
    assert texts("The Old Mill was built when", sure=True) == ["The Old Mill"]
    assert texts('what is "grinding noise" a sign of', sure=True) == ["grinding noise"]
    assert texts("what did 3 Strikes cost", sure=True) == ["3 Strikes"]


def test_a_question_without_capitals_is_searched_whole_then_in_parts():
    assert texts("who knows ada lovelace") == [
        "who knows ada lovelace",
        "knows ada lovelace",
        "lovelace",
        "knows",
        "ada",
    ]


@given(st.text(max_size=80))
def test_subqueries_are_few_distinct_and_never_blank(question):
    found = texts(question)
    assert len(found) == len(set(found)) <= SUBQUERIES
    assert all(q.strip() for q in found)


@given(st.lists(st.text(alphabet="abcXYZ é", min_size=1, max_size=8), min_size=1, max_size=4), st.text(max_size=30))
def test_mentions_lie_in_the_question(names, question):
    for mention in find_mentions(question, list(enumerate(names))):
        assert question[mention.start : mention.end] == mention.text
        assert mention.nodes


@given(st.lists(st.sampled_from(["Oak", "Blue", "Mill", "Inn", "Sea"]), min_size=1, max_size=4, unique=True))
def test_an_inserted_name_is_found(words):
    name = " ".join(words)
    question = f"who has ever seen {name} at night?"
    (mention,) = find_mentions(question, [(7, name)])
    assert (mention.text, mention.nodes, mention.tier) == (name, (7,), 0)
