"""A question taken apart: order, kind, head, cues."""

import pytest

from core.linking.mentions import Mention
from core.linking.question import NEEDS_READ, read_question


def read(text):
    """Read with the mention marked by [ ]."""
    if "[" not in text:
        return read_question(text)
    start, end = text.index("["), text.index("]") - 1
    plain = text.replace("[", "").replace("]", "")
    return read_question(plain, Mention(start, end, plain[start:end], (0,), 0))


def by_distance(question):
    return [t for _, t in sorted(zip(question.distance, question.need_texts, strict=True))]


def heads(question):
    return [question.need_texts[i] for i in question.heads]


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("who designed the ships owned by [Maersk]", ["owned", "ships", "designed"]),
        ("what are [Maersk]'s ships' engines made of", ["ships", "engines", "made"]),
        ("[Ada] painted pictures hang in which towns", ["painted", "pictures", "hang", "towns"]),
        ("when did the ships built in [Gdansk] sink", ["built", "ships", "sink"]),
        ("who wrote the book on which [Metropolis] was based", ["based", "book", "wrote"]),
        ("who made the engine that [Concorde] needs", ["needs", "engine", "made"]),
    ],
)
def test_needs_in_order_of_distance_from_the_mention(text, order):
    assert by_distance(read(text)) == order


def test_without_a_mention_no_order_is_known():
    assert set(read("which ships sank").distance) == {0.0}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("who built [X]", "person"),
        ("where is [X]", "place"),
        ("when was [X] built", "date"),
        ("how many doors has [X]", "number"),
        ("how long is [X]", "number"),
        ("how is [X] repaired", ""),
        ("which doors has [X]", ""),
        ("the ships built by [X] sank when", "date"),
    ],
)
def test_kind(text, kind):
    assert read(text).kind == kind


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("which old doors has [X]", ["old", "doors"]),
        ("what are the doors of [X]", ["doors"]),
        ("what kind of doors has [X]", ["doors"]),
        ("what are [X]'s brothers", ["brothers"]),
        ("list doors of [X]", ["doors"]),
        ("[X] doors", ["doors"]),
        ("the maker of [X] also sold which lamps", ["lamps"]),
        ("the maker of [X] also sold lamps", ["lamps", "maker"]),
        ("how many lamps did [X] sell", ["lamps"]),
        ("who built [X]", []),
    ],
)
def test_heads(text, head):
    assert heads(read(text))[: len(head)] == head


def test_which_person_is_the_maker():
    question = read("which person is the maker of [X]")
    assert heads(question) == ["person"]
    assert [question.need_texts[i] for i in question.predicate_heads] == ["maker"]


@pytest.mark.parametrize(
    ("text", "strong", "target"),
    [
        ("which ships have the same owner as [X]", True, "owner"),
        ("who worked together with [X]", True, "worked"),
        ("who are co-owners of [X]", True, "co-owners"),
        ("the owner of [X] also bought which ships", False, "bought"),
        ("which other ships are owned by the owner of [X]", False, "ships"),
    ],
)
def test_cues(text, strong, target):
    question = read(text)
    assert question.cue
    assert question.strong_cue is strong
    assert question.cue_target is not None
    assert question.need_texts[question.cue_target] == target


def test_no_cue():
    question = read("which ships has [X]")
    assert not question.cue
    assert question.cue_target is None


def test_flags():
    assert read("is [X] a ship").polar
    assert not read("which is a ship").polar
    assert read("which is older, [X] or Y").offers
    assert read("how many ships").counts
    assert not read("how long is it").counts


def test_apposition_is_the_word_before_the_mention():
    question = read("who sails the ship [X]")
    assert question.apposition is not None
    assert question.need_texts[question.apposition] == "ship"
    assert read("who sails to [X]").apposition is None


def test_words_lie_in_the_text():
    question = read("What's José's \"big\" idea, [Żółw]?")
    for word in question.words:
        assert question.text[word.start : word.end].lower() == word.text.lower()


def test_an_empty_question():
    question = read_question("")
    assert question.words == ()
    assert question.needs == ()


def test_a_pasted_page_is_read_in_part():
    text = "which lamp " + " ".join(f"word{i}" for i in range(500)) + " has"
    question = read_question(text)
    assert len(question.needs) == NEEDS_READ
    assert heads(question)[0] == "lamp"
