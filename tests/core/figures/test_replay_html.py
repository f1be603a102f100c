import json
import re

import pytest
from film_run import big_run, film_run, hostile_run

from core.figures.replay import replay_html
from core.trace import Answer, Claim, DatasetRef, Evidence, Ranked, Trace


@pytest.fixture
def film_trace():
    return film_run()


@pytest.fixture
def hostile_trace():
    return hostile_run()


def data_of(html):
    return json.loads(re.search(r'<script type="application/json" id="view">(.*?)</script>', html, re.S).group(1))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everything_that_a_reader_needs_is_in_the_file(film_trace, theme):
    html = replay_html(film_trace, theme)
    body = html[: html.index('id="view"')]
    for text in (
        "offline policy",
        "Films (64 nodes, 73 edges)",
        "The agents differ in their encoders",
        "3 agents, 45 steps",
    ):
        assert text in body
    for quote in ("Wrote it.", "Wrote it, too."):
        assert quote in body
    assert body.count('data-step="') == 2 * len(film_trace.steps)
    assert "cau = λ·c + (1 − λ)·e" in data_of(html)["equations"]["cau"]
    assert f"color-scheme: {theme}" in html


def test_each_hop_has_its_candidates_with_their_numbers(film_trace):
    data = data_of(replay_html(film_trace))
    hop = data["hops"]["0.5"]
    assert hop["path"] == "Alien → directed by → Ridley Scott"
    assert hop["weighed"] == 6
    assert len(hop["rows"]) == 11
    first = hop["rows"][0]
    assert set(first["numbers"]) == {"lambda", "rest_lambda", "alpha", "rest_alpha", "c", "e", "p", "cau", "s"}
    assert first["links"] == [f"{first['name']} → directed by → Ridley Scott"]


def test_text_of_the_trace_is_never_markup(hostile_trace):
    html = replay_html(hostile_trace)
    assert "<script>alert" not in html
    assert "<img" not in html
    assert 'href="javascript' not in html
    assert "{{ 7*7 }}" in html
    assert "49}" not in html


def test_the_largest_run_stays_below_three_megabytes():
    html = replay_html(big_run(3, 75, 20))
    assert len(html.encode()) < 3_000_000
    assert "keeps the 13 best candidates of each hop" in html


def test_runs_without_an_answer_or_agents():
    dataset = DatasetRef(content_id="x", name="x")
    bare = replay_html(
        Trace(method="bm25", question="?", dataset=dataset, ranked=(Ranked(id="a", name="A", score=1.5),))
    )
    assert "ended without an answer" in bare
    assert ">A</button>" in bare
    failed = replay_html(Trace(method="cara", question="?", dataset=dataset, status="failed", error="no <graph>"))
    assert "no &lt;graph&gt;" in failed
    assert "failed" in failed


def test_an_answer_of_more_than_its_claims_is_shown_whole_and_cites_a_node_once_a_claim(film_trace):
    node = film_trace.answer.claims[0].evidence[0].node
    twice = Claim(text="One claim.", evidence=(Evidence(node=node, quote="first"), Evidence(node=node, quote="second")))
    told = film_trace.model_copy(update={"answer": Answer(text="Before it. One claim.", claims=(twice,))})
    html = replay_html(told)
    assert "Before it. One claim." in html
    assert html.count('class="cite"') == 1
    assert "first" in html
    assert "second" in html
    plain = film_trace.model_copy(update={"answer": Answer(text="One claim.", claims=(twice,))})
    assert replay_html(plain).count("One claim.") == 1
    empty = film_trace.model_copy(update={"answer": Answer(text=" ")})
    assert "ended without an answer" in replay_html(empty)
