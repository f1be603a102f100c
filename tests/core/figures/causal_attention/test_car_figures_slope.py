"""The values of the slope chart, its tables, the guessing game, and the file that opens by itself."""

import json
import re

import pytest
from ranked_orchard import DOCUMENTS, ranked

from core.corpus.document import Document
from core.figures.causal_attention.predict import Guess, game_of, score_words, verdict
from core.figures.causal_attention.ranking import TITLES, note, ranking_of, sentence
from core.figures.causal_attention.replay import rerank_html
from core.figures.causal_attention.slope import slope_data
from core.figures.causal_attention.tables import all_tables, query_table, ranking_table, words_table
from core.figures.palette import colours


def test_a_line_goes_from_its_place_by_similarity_to_its_place_in_the_ranking():
    ranking = ranking_of(ranked("semantic"))
    data = slope_data(ranking, "dark", between=("hybrid", "maxsim", "baseline"), selected="guide", judged={"guide": 2})
    assert [c["mode"] for c in data["columns"]] == ["baseline", "hybrid", "semantic"]
    assert data["colours"] == colours("dark")._asdict()
    assert data["rows"] == 6
    by_id = {line["id"]: line for line in data["lines"]}
    assert "beyond" not in by_id
    for id_, line in by_id.items():
        own = ranking.line(id_)
        assert line["places"] == [own.places[m] for m in ("baseline", "hybrid", "semantic")]
        assert line["shift"] == own.places["baseline"] - own.places["semantic"]
        assert (line["note"], line["why"]) == (note(own, ranking), sentence(own, ranking))
    assert by_id["stuffed"]["absorbed"] == pytest.approx(0.9)
    assert by_id["blank"]["absorbed"] is None
    assert (by_id["guide"]["judged"], by_id["echo"]["judged"]) == (2, 0)
    assert data["selected"] == "guide"
    assert data["shown"] == "6 documents ranked again; 1 more is known and keeps its order."
    json.dumps(data)


def test_a_long_ranking_shows_the_first_places_and_says_so():
    ranking = ranking_of(ranked("semantic"))
    data = slope_data(ranking, rows=2)
    assert all(min(line["places"][0], line["places"][-1]) <= 2 for line in data["lines"])
    assert data["rows"] == 2
    assert data["shown"].startswith(f"{len(data['lines'])} of 6 documents that were ranked again")


def test_tables_hold_the_same_numbers():
    trace = ranked("hybrid")
    ranking = ranking_of(trace)
    table = ranking_table(ranking, {"guide": 2})
    assert table.keys == tuple(line.id for line in ranking.ordered)
    row = dict(zip(table.keys, table.rows, strict=True))["guide"]
    own = ranking.line("guide")
    assert row["Place"] == own.places["hybrid"]
    assert row["Judged"] == 2
    assert row["s_c"] == round(own.causal, 4)
    assert [row[f"Place: {TITLES[m].lower()}"] for m in ranking.modes] == [own.places[m] for m in ranking.modes]
    assert "Judged" not in ranking_table(ranking).columns
    words = words_table(trace, ranking, "guide")
    assert [r["Set"] for r in words.rows] == ["B", "A", "A"]
    assert [r["Query word"] for r in query_table(trace).rows] == ["apple", "pruned"]
    names = [t.name for t in all_tables(trace, ranking)]
    assert names == ["Ranking", "Words", "Query", "Evidence"]
    inside = [words for id_, (_, _, words, _) in DOCUMENTS.items() if id_ != "beyond"]
    assert len(all_tables(trace, ranking)[1].rows) == sum(map(len, inside))


def test_a_formula_in_a_title_is_no_formula_in_a_spreadsheet():
    ranking = ranking_of(ranked("hybrid", titles={"guide": "=1+1"}))
    assert "'=1+1" in ranking_table(ranking).csv()


def test_the_game_offers_the_first_of_both_rankings_in_no_order():
    ranking = ranking_of(ranked("semantic"))
    game = game_of(ranking, {"guide": 2, "other": 1})
    assert {line.id for line in game.offered} >= {"guide", "stuffed"}
    assert len({line.id for line in game.offered}) == len(game.offered) <= 8
    assert game.best == ("guide",)
    assert [line.id for line in game_of(ranking).offered] == [line.id for line in game_of(ranking).offered]
    assert game.is_right("guide")
    assert not game.is_right("stuffed")
    told = verdict(game, ranking, "stuffed")
    assert "Judged to answer best is “Winter work”." in told
    assert "You chose “Apple apple”: place 1 by similarity" in told
    assert "Similarity puts “Apple apple” first (cosine 0.90); causal attention puts “Winter work” first." in told
    assert verdict(game, ranking, "guide").startswith("That is the one judged to answer best.")
    assert verdict(game, ranking, "nobody") == ""


def test_without_judgements_nobody_is_right_for_sure():
    ranking = ranking_of(ranked("semantic"))
    game = game_of(ranking)
    assert game.best == ()
    assert "Nobody has judged" in verdict(game, ranking, "guide")
    assert game_of(ranking_of(ranked("semantic", theta=0.85))) is None


def test_guesses_are_counted_beside_both_rankings():
    assert score_words([]) == "No guess yet."
    told = score_words([Guess("a", True, False, True), Guess("b", False, False, True)])
    assert told.startswith("1 of 2 right; the first by similarity would have been right 0 times, ")
    assert told.endswith("the first of the ranking 2 times.")
    assert score_words([Guess("a", None, None, None)]) == "No guess on a judged query yet."


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_file_holds_the_ranking_and_asks_for_nothing(theme):
    trace = ranked("semantic", answer="Cut above a bud.")
    texts = {"guide": Document("guide", "Winter work", "A saw for a branch.")}
    html = rerank_html(trace, theme, documents=texts, judged={"guide": 1}, between=("exact",), selected="guide")
    assert f"color-scheme: {theme}" in html
    assert '<mark class="rr-b">saw</mark>' in html
    assert "Cut above a bud." in html
    assert "goes from 3 to 1" in html
    data = json.loads(re.search(r'<script type="application/json" id="view">(.*?)</script>', html, re.S)[1])
    assert data["selected"] == "guide"
    assert [c["mode"] for c in data["columns"]] == ["baseline", "exact", "semantic"]
    assert html.count("data-document=") == 2 * 6
    assert "default-src &#39;none&#39;; script-src &#39;sha256-" in html
    assert not re.search(r'(?:src|href)="?https?:', html)


def test_a_hostile_trace_is_text_in_the_file():
    evil = "</script><script>alert(1)</script>"
    html = rerank_html(ranked("semantic", titles=dict.fromkeys(DOCUMENTS, evil), question=evil))
    assert "<script>alert" not in html


def test_a_run_that_ended_early_is_a_file_that_says_so():
    trace = ranked("semantic")
    html = rerank_html(trace.model_copy(update={"steps": trace.steps[:2], "ranked": (), "status": "stopped"}))
    assert "ended before it ranked" in html
    assert "stopped by hand" in html
