"""The KERAG chapter without a browser: what is kept, what fits and what is taken away decides the answer."""

from test_apptest_pages import open_page, warm_server, words  # noqa: F401


def test_a_relation_left_out_takes_the_answer_along():
    at = open_page("learn", chapter="kerag", lesson="plan")
    assert "<div class='cw-answer' role='status'>Iron Bridge</div>" in words(at)
    at.multiselect(key="learn_kerag_kept").set_value(["crosses"]).run()
    assert "<div class='cw-answer' role='status'>I don&#x27;t know</div>" in words(at)


def test_a_budget_says_what_does_not_fit():
    at = open_page("learn", chapter="kerag", lesson="neighbourhood")
    assert "Everything in scope fits." in words(at)
    at.slider(key="learn_kerag_budget").set_value(4).run()
    assert "in scope did not fit." in words(at)


def test_without_its_length_the_next_longest_bridge_stands_in():
    at = open_page("learn", chapter="kerag", lesson="reasoning")
    length = next(o for o in at.multiselect(key="learn_kerag_gone").options if "0.4 km" in o)
    at.multiselect(key="learn_kerag_gone").select(length).run()
    assert "<div class='cw-answer' role='status'>Mill Bridge</div>" in words(at)


def test_a_wrong_answer_costs_what_a_right_one_brings():
    at = open_page("learn", chapter="kerag", lesson="truth")
    assert "T = 0.60 − 0.15 = 0.45" in words(at)
    at.slider(key="learn_kerag_right").set_value(100).run()
    assert "T = 1.00 − 0.00 = 1.00" in words(at)
