"""Word classes and the small morphology."""

import pytest

from core.linking.words import (
    AUXILIARIES,
    CUES,
    EVERYDAY_WORDS,
    FUNCTION_WORDS,
    QUESTION_WORDS,
    STRONG_CUES,
    agent_nouns,
    kind_of_noun,
    lemma,
    looks_like_agent,
    roots,
    singular,
    stem,
    stems,
)


def test_a_word_has_one_part():
    classes = [FUNCTION_WORDS, AUXILIARIES, QUESTION_WORDS, CUES]
    for i, one in enumerate(classes):
        for other in classes[i + 1 :]:
            assert not one & other
    assert STRONG_CUES < CUES


def test_everyday_words_are_distinct():
    assert len(set(EVERYDAY_WORDS)) == len(EVERYDAY_WORDS) > 300


@pytest.mark.parametrize(
    ("word", "one"),
    [("cities", "city"), ("lamps", "lamp"), ("glass", "glass"), ("bus", "bus"), ("children", "child"), ("is", "is")],
)
def test_singular(word, one):
    assert singular(word) == one


def test_agent_nouns():
    assert "painter" in agent_nouns("painted")
    assert agent_nouns("driven") == ("driver",)
    assert agent_nouns("lamp") == ()
    assert looks_like_agent("painters")
    assert not looks_like_agent("lamp")


def test_stems_leave_function_words_out():
    assert stems("the painted doors of") == {stem("painted"), stem("doors")}
    assert stems("of the") == frozenset()


def test_verbs_and_agent_nouns_share_a_root():
    assert roots("painted") == roots("painters")
    assert roots("inventor") == roots("invented")
    assert roots("lamp") != roots("lamb")


def test_kinds_and_lemmas():
    assert kind_of_noun("people") == "person"
    assert kind_of_noun("years") == "date"
    assert kind_of_noun("lamp") == ""
    assert lemma("written") == "write"
