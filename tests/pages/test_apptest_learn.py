"""Learn without a browser: every lesson opens by its link, and each miniature computes what core computes."""

import pytest
from test_apptest_pages import open_page, warm_server, words  # noqa: F401

from core.cara.fusion import fuse
from pages.shared.learn import cara
from pages.shared.learn.chapters import CHAPTERS, find, neighbours

LESSONS = [(chapter.name, lesson.name) for chapter in CHAPTERS for lesson in chapter.lessons]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("chapter", "lesson"), LESSONS)
def test_every_lesson_opens_by_its_link(chapter, lesson, theme):
    at = open_page("learn", theme, chapter=chapter, lesson=lesson)
    _, opened = find(chapter, lesson)
    assert at.subheader[0].value == opened.title
    assert at.latex[0].value.strip("$\n") == opened.equation
    assert "cw-message" not in words(at)
    assert (at.query_params["chapter"], at.query_params["lesson"]) == (chapter, lesson)


def test_names_are_unique_and_an_unknown_one_opens_the_first():
    assert len(set(LESSONS)) == len(LESSONS)
    assert len({c.name for c in CHAPTERS}) == len(CHAPTERS)
    assert find("nowhere", "")[1] is CHAPTERS[0].lessons[0]
    assert find(CHAPTERS[-1].name, "nothing")[1] is CHAPTERS[-1].lessons[0]


def test_the_pages_turn_from_the_first_lesson_to_the_last_and_back():
    at, seen = open_page("learn"), []
    while "lesson_next" in [b.key for b in at.button]:
        seen.append(at.subheader[0].value)
        at.button(key="lesson_next").click().run()
        assert not at.exception
    seen.append(at.subheader[0].value)
    assert seen == [lesson.title for chapter in CHAPTERS for lesson in chapter.lessons]
    at.button(key="lesson_back").click().run()
    assert at.subheader[0].value == seen[-2]
    first, last = (CHAPTERS[0], CHAPTERS[0].lessons[0]), (CHAPTERS[-1], CHAPTERS[-1].lessons[-1])
    assert (neighbours(*first)[0], neighbours(*last)[1]) == (None, None)


def test_a_page_switch_keeps_the_lesson():
    at = open_page("learn", chapter="cara", lesson="fusion")
    at.switch_page("pages/home.py").run()
    at.switch_page("pages/learn.py").run()
    assert at.subheader[0].value == "Three lists become one"


def test_other_weights_order_the_candidates_anew():
    at = open_page("learn", chapter="cara", lesson="score")
    assert "1. Ivo Brandt" in words(at)
    at.slider(key="learn_lambda").set_value(1.0)
    at.slider(key="learn_alpha").set_value(1.0).run()
    assert "1. Night Ferry" in words(at)  # only what it changes counts now
    assert "0.95" in words(at)


def test_the_fused_list_follows_the_constant_and_the_agents():
    at = open_page("learn", chapter="cara", lesson="fusion")
    for constant in (0, 60):
        at.slider(key="learn_constant").set_value(constant).run()
        names = [one.id for one in fuse(cara.LISTS, "rrf", constant)]
        text = words(at).split("The fused list")[1]
        places = [text.index(f"{place}. {name}<") for place, name in enumerate(names, 1)]
        assert places == sorted(places)
    at.pills(key="learn_agents").set_value([]).run()
    assert "there is nothing to fuse" in words(at)


def test_what_is_known_opens_and_closes_the_path_from_query_to_b():
    at = open_page("learn", chapter="causal-attention", lesson="d-separation")
    assert "q says something about B, once d is known" in words(at)
    assert "q ← A → d ← B" in words(at)
    at.pills(key="learn_dag_given").set_value(["A", "d"]).run()
    assert "q says nothing about B, once A and d are known" in words(at)
    at.selectbox(key="learn_dag_x").set_value("A").run()  # what is asked about is no longer known
    assert not at.exception
    assert at.pills(key="learn_dag_given").value == ["d"]
    at.selectbox(key="learn_dag_x").set_value("B").run()  # and nothing is compared with itself
    assert not at.exception
    assert at.selectbox(key="learn_dag_y").value != "B"


def test_a_stuffed_quiz_overtakes_the_answer_by_similarity():
    at = open_page("learn", chapter="causal-attention", lesson="similarity")
    assert "2. Quiz" in words(at)
    at.slider(key="learn_repeats").set_value(0).run()
    assert "2. Thyme and honey" in words(at)


def test_keywords_of_the_readers_own_text():
    at = open_page("learn", chapter="causal-attention", lesson="keywords")
    at.text_area(key="learn_text").set_value("Zebra <i>zebra</i> gauge").run()
    assert "tf · idf" in words(at)
    assert words(at).index("zebra") < words(at).index("gauge")
    at.segmented_control(key="learn_extractor").set_value("TextRank").run()
    assert "rank<br>" in words(at) or "rank = " in words(at)
    at.text_area(key="learn_text").set_value("and of the, ...").run()
    assert "There is no keyword" in words(at)


def test_a_lower_threshold_takes_more_words_out():
    at = open_page("learn", chapter="causal-attention", lesson="split")
    assert words(at).count("<b>A</b>") == 1
    at.slider(key="learn_split_tau").set_value(0.6).run()
    assert words(at).count("<b>A</b>") > 1
    at.segmented_control(key="learn_split_text").set_value("words").run()
    assert "<b>B</b>" not in words(at)


def test_an_empty_b_has_no_score():
    at = open_page("learn", chapter="causal-attention", lesson="score")
    assert "E(q)·E(t)" in words(at)
    at.segmented_control(key="learn_score_text").set_value("words").run()
    assert "none: B is empty" in words(at)


def test_the_weight_moves_the_order_of_the_hybrid():
    at = open_page("learn", chapter="causal-attention", lesson="hybrid")
    assert "1. Thyme and honey" in words(at)
    at.slider(key="learn_weight").set_value(1.0).run()
    assert "1. Cough, cough" in words(at)


def test_the_gate_follows_the_mean_gain():
    at = open_page("learn", chapter="causal-attention", lesson="gate")
    assert "On: over 60 probe queries" in words(at)
    at.slider(key="learn_gain").set_value(-0.05).run()
    assert "Off: over 60 probe queries" in words(at)
