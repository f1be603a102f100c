"""Learn in a real browser: a link opens a lesson, a miniature answers by itself, and the graph is clicked."""

import re

import pytest
from conftest import settle, visit
from playwright.sync_api import expect
from pointing import click_point

pytestmark = pytest.mark.browser


def test_a_lesson_is_linked_to_tried_and_turned(page):
    visit(page, "/learn?chapter=causal-attention&lesson=split")
    expect(page.get_by_role("heading", name="Shared with the query, or its own")).to_be_visible()
    expect(page.locator(".katex").first).to_be_visible()  # the equation, from no server but ours
    taken_out = page.locator("table[aria-label='The split'] b", has_text="A")
    expect(taken_out).to_have_count(1)
    slider = page.get_by_role("slider", name=re.compile("τ"))
    slider.focus()
    page.keyboard.press("Home")
    expect(taken_out.nth(1)).to_be_visible()
    settle(page)
    page.locator(".st-key-lesson_next button").click()
    settle(page)
    expect(page).to_have_url(re.compile("lesson=score"))
    page.locator(".st-key-lesson_cara_fusion button").click()
    settle(page)
    expect(page.get_by_role("heading", name="Three lists become one")).to_be_visible()
    expect(page).to_have_url(re.compile("chapter=cara&lesson=fusion|lesson=fusion&chapter=cara"))


def test_a_click_in_the_causal_graph_makes_a_variable_known_and_a_link_keeps_it(page):
    visit(page, "/learn?chapter=causal-attention&lesson=d-separation")
    said = page.locator("#root .cw-answer")
    expect(said).to_contain_text("q says something about B, once d is known")
    shared = page.locator(".js-plotly-plot .scatterlayer .trace").filter(has_text="shared keywords").locator(".point")
    click_point(page, shared, page.locator(".hoverlayer").get_by_text("A: "))
    expect(said).to_contain_text("q says nothing about B, once A and d are known")
    settle(page)
    expect(page).to_have_url(re.compile("learn_dag_given="))
    visit(page, page.url)
    expect(said).to_contain_text("q says nothing about B, once A and d are known")
