"""The chapter on SGUR without a browser: its lessons answer to what the reader does, by the engine itself."""

import math

import pytest
from test_apptest_pages import open_page, warm_server, words  # noqa: F401

from core.sgur.belief import entropy_bits, exponent, probabilities
from pages.shared.learn import sgur


def lesson(name):
    return open_page("learn", chapter="sgur", lesson=name)


def test_a_sign_that_an_ailment_has_not_costs_its_mass():
    at = lesson("alignment")
    assert "c (1 − m) = 0.0000" in words(at)
    whole = words(at)
    at.pills(key="learn_seen").set_value(["Yellow leaves", "Wet soil", "Slime trails"]).run()
    assert words(at) != whole
    at.selectbox(key="learn_laid_on").select("Mildew").run()
    assert "cw-message" not in words(at)
    at.pills(key="learn_seen").set_value(["Dry soil"]).run()
    assert "is no candidate" in words(at)
    at.pills(key="learn_seen").set_value([]).run()
    assert "Choose what is seen" in words(at)


@pytest.mark.parametrize("beta", [0.02, 1.0])
def test_a_cold_belief_is_surer(beta):
    at = lesson("belief")
    at.slider(key="learn_beta").set_value(beta).run()
    p = probabilities(sgur.np.array(list(sgur.DISTANCES.values())), exponent(3, beta, False))
    assert f"/ Z<br>= {p[0]:.2f}" in words(at)
    assert f"H = {entropy_bits(p):.2f} bits" in words(at)


def test_two_equals_leave_one_bit_and_certainty_none():
    at = lesson("entropy")
    at.slider(key="learn_leader").set_value(0.5)
    at.slider(key="learn_others").set_value(1).run()
    assert "H = 1.00 bits" in words(at)
    at.slider(key="learn_leader").set_value(1.0).run()
    assert "H = 0.00 bits" in words(at)
    at.slider(key="learn_leader").set_value(0.0)
    at.slider(key="learn_others").set_value(31).run()
    assert f"H = {math.log2(31):.2f} bits" in words(at)


def test_answers_that_are_less_sure_gain_less():
    at = lesson("gain")
    sure = sgur._told(("Yellow leaves",), p_implied=0.95).questions.questions[0].eig_bits
    assert f"= {sure:.2f} bits" in words(at)
    at.slider(key="learn_p_implied").set_value(0.5).run()
    unsure = sgur._told(("Yellow leaves",), p_implied=0.5).questions.questions[0].eig_bits
    assert unsure < sure
    assert f"= {unsure:.2f} bits" in words(at)
