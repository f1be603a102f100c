"""Comparing two runs: where agents part, against hand-made walks; ranks and costs; the ghost path on the graph."""

import pytest
from film_run import film_run

from core.cara.steps import Appended, AppendStep, Hop, Link, NeighborsStep
from core.figures.cara_view import cara_view
from core.figures.compare import (
    comparable,
    compare_tables,
    cost_table,
    first_parting,
    in_words,
    partings,
    ranked_table,
    ranks_chart,
    title,
    titles,
    walked_in_words,
    where_they_part,
)
from core.figures.graph_page import page_data
from core.figures.walks import moves, walked_path
from core.peers.kar_steps import KarExpandStep, KarGatherStep, KarTriple
from core.peers.paths import PeerHop, PeerLink, PeerPath
from core.peers.steps import PeerFound, PeerSearchStep
from core.peers.think_on_graph_steps import TogEntitiesStep, TogNode, TogTopicsStep
from core.trace import DatasetRef, NodeRef, Price, Ranked, Trace, Usage

DATA = DatasetRef(content_id="sha256:x", name="made", size={"nodes": 9})
OUT = Link(type="leads to", direction="out")


def n(name):
    return NodeRef(id=name.lower(), name=name, type="thing")


def look(name, index, agent=0, path="A"):
    hops = tuple(Hop(link=OUT, node=n(x)) for x in path[1:])
    return NeighborsStep(agent=agent, index=index, node=n(name), anchor=n(path[0]), path=hops, subquery="", k=5)


def append(names, index, agent=0):
    line = tuple(Appended(node=n(x), anchor=n("A"), path=(Hop(link=OUT, node=n(x)),)) for x in names)
    return AppendStep(agent=agent, index=index, nodes=line)


def run(*steps, ranked="", method="cara", **more):
    lines = tuple(Ranked(id=x.lower(), name=x, score=1 / i) for i, x in enumerate(ranked, 1))
    return Trace(method=method, question="Where?", dataset=DATA, steps=steps, ranked=lines, **more)


ONE = run(look("A", 1), look("B", 3, path="AB"), append("CD", 5), ranked="CDE")
TWO = run(look("A", 1), look("B", 3, path="AB"), append("DC", 5), look("F", 7, path="AF"), ranked="DCF")
BM25 = run(
    PeerSearchStep(subquery="Where?", k=5, found=(PeerFound(node=n("Z"), score=2.0),)), ranked="ZC", method="bm25"
)


def test_moves_are_the_nodes_each_step_went_to():
    assert [(m.index, [x.id for x in m.nodes]) for m in moves(ONE)[0]] == [(1, ["a"]), (3, ["b"]), (5, ["c", "d"])]
    assert moves(BM25) == {}


def test_the_order_within_one_move_is_no_parting_and_the_next_move_is():
    (parting,) = partings(ONE, TWO)
    assert [m.index for m in parting.shared] == [1, 3, 5]
    assert parting.here is None
    assert [x.id for x in parting.there.nodes] == ["f"]
    assert where_they_part(ONE, TWO) == (
        "Agent 1 goes the same way in both for 3 moves, up to C and D. Then CARA, this run ends, "
        "while CARA, the other run looks around F (step 7)."
    )


def test_an_agent_is_compared_with_the_one_that_goes_with_it_longest():
    other = run(look("X", 1, agent=0), look("A", 1, agent=1), look("B", 3, agent=1, path="AB"), look("A", 1, agent=2))
    (parting,) = partings(ONE, other)
    assert (parting.agent, parting.other_agent, len(parting.shared)) == (0, 1, 2)
    tie = run(look("A", 1, agent=0), look("A", 1, agent=1))
    assert [p.other_agent for p in partings(tie, tie)] == [0, 1]  # its own number first


def test_the_first_parting_is_the_one_with_the_fewest_moves_in_common():
    one = run(look("A", 1), look("B", 2), look("X", 1, agent=1))
    other = run(look("A", 1), look("C", 2))
    found = partings(one, other)
    assert [len(p.shared) for p in found] == [1, 0]
    assert first_parting(found).agent == 1
    assert in_words(found[1], ("one", "two")) == (
        "Agent 2 parts at the first move: one looks around X (step 1), while two looks around A (step 1)."
    )
    assert first_parting(partings(one, one)) is None
    assert where_they_part(one, one).startswith("They never part")


def test_a_method_that_does_not_walk_parts_at_once():
    words = where_they_part(ONE, BM25)
    assert words == (
        "They part at once: BM25 ranks all nodes without a walk, while CARA goes to A, then B, then C and D. "
        "The first that BM25 ranks is Z."
    )
    assert where_they_part(BM25, ONE) == words
    assert "Neither" in where_they_part(BM25, BM25)
    assert walked_in_words(ONE, BM25) == ""


def test_paths_united_in_words():
    assert walked_in_words(ONE, TWO) == (
        "Both went to 4 nodes. CARA, this run alone: none. CARA, the other run alone: F."
    )


def test_titles_tell_runs_of_one_method_apart():
    assert title(run(config={"assess": False})) == "CARA without C"
    assert title(run(config={"lambda_": 0.8, "alpha": 0.5})) == "CARA (λ 0.8, α 0.5)"
    assert titles(ONE, BM25) == ("CARA", "BM25")
    assert titles(ONE, ONE) == ("CARA, this run", "CARA, the other run")


def test_only_runs_of_the_same_question_and_data_are_comparable():
    assert comparable(ONE, TWO)
    assert not comparable(ONE, TWO.model_copy(update={"question": "When?"}))
    assert not comparable(ONE, TWO.model_copy(update={"dataset": DATA.model_copy(update={"content_id": "y"})}))


def test_ranked_lists_side_by_side():
    table = ranked_table(ONE, BM25)
    assert table.keys == ("c", "d", "e", "z")
    assert [tuple(row.values())[2:] for row in table.rows] == [
        ("1", "2", "+1"), ("2", "", "only here"), ("3", "", "only here"), ("", "1", "only there"),
    ]  # fmt: skip
    assert ranked_table(ONE, TWO).rows[1]["Shift"] == "-1"


def test_costs_side_by_side_name_tokens_only_where_a_model_was_asked():
    counted = ONE.model_copy(update={"usage": Usage(calls={"neighbors": 2}, nodes_examined=7, prompt_tokens=5)})
    rows = {row["Cost"]: tuple(row.values())[1:] for row in cost_table(counted, BM25).rows}
    assert rows["Nodes seen"] == ("7", "0")
    assert rows["Calls: neighbors"] == ("2", "0")
    assert rows["Tokens"] == ("5", "none")
    assert "Tokens" not in [row["Cost"] for row in cost_table(ONE, BM25).rows]


def test_what_is_exported_of_a_comparison():
    lists, costs, parting = compare_tables(ONE, TWO)
    assert len(lists.rows) == 4  # C D E of one, F of the other alone
    assert costs.csv().splitlines()[0] == 'Cost,"CARA, this run","CARA, the other run"'
    assert parting.rows == (
        {
            "Agent": "Agent 1", "Matched with": "Agent 1", "Moves alike": 3,
            "Then: CARA, this run": "ends", "Then: CARA, the other run": "looks around F (step 7)",
        },
    )  # fmt: skip
    assert compare_tables(ONE, BM25)[2].rows == ()


def test_the_cost_of_tokens_is_told_at_each_runs_own_price():
    priced = Usage(prompt_tokens=1_000_000, completion_tokens=0, price=Price(prompt=2.0))
    rows = {r["Cost"]: r for r in cost_table(ONE.model_copy(update={"usage": priced}), BM25).rows}
    assert (rows["Cost of tokens"]["CARA"], rows["Cost of tokens"]["BM25"]) == ("2.00", "not known")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_slope_chart_has_a_line_for_nodes_in_both_lists_and_a_point_for_others(theme):
    figure = ranks_chart(ONE, BM25, theme, selected="c")
    assert {t.customdata[0][0]: tuple(t.y) for t in figure.data} == {"c": (2, 1), "d": (2,), "e": (3,), "z": (1,)}
    assert figure.layout.title.text == "1 of 4 nodes in both lists"
    assert "Neither run" in ranks_chart(run(), run()).layout.annotations[0].text


def test_a_path_of_each_method():
    link = PeerLink(type="leads to", direction="out")
    path = PeerPath(start=n("A"), hops=(PeerHop(link=link, node=n("B")),))
    kept = (TogNode(node=n("C"), kept=True), TogNode(node=n("R")))
    beam = run(
        TogTopicsStep(index=1, offered=(TogNode(node=n("A"), kept=True), TogNode(node=n("Q")))),
        TogEntitiesStep(index=2, path=path, link=link, k=5, entities=kept),
        method="tog",
    )  # fmt: skip
    assert [x.id for x in walked_path(beam).nodes] == ["a", "b", "c"]
    assert [(x.near.id, x.far.id) for x in walked_path(beam).links] == [("a", "b"), ("b", "c")]
    expanded = run(
        KarGatherStep(index=1, node=n("A"), k=5),
        KarExpandStep(index=2, triples=(KarTriple(entity=n("A"), link=link, node=n("B")),)),
        method="kar",
    )
    assert [(x.near.id, x.far.id) for x in walked_path(expanded).links] == [("a", "b")]
    assert [m.verb for m in moves(expanded)[0]] == ["looks around"]
    assert [x.id for x in walked_path(BM25).nodes] == ["z", "c"]  # its list, without links


def test_the_ghost_marks_what_the_other_run_alone_visited():
    view = cara_view(ONE, ghost=walked_path(TWO), ghost_name="the other")
    ghosts = {node.id: node.ghost for node in view.nodes}
    assert ghosts == {"a": "both", "b": "both", "c": "both", "d": "both", "f": "other"}
    lines = {(view.nodes[e.source].id, view.nodes[e.target].id): e.ghost for e in view.edges}
    assert lines[("a", "f")] == "other"
    assert lines[("a", "b")] == "both"
    assert view.legend[-1].label == "only the other"
    data = page_data(view, "light")
    assert [view.edges[e].ghost for e in data["ghosts"]] == ["other"]
    assert [f["ghost"] for f in data["facts"]] == list(ghosts.values())


def test_a_ghost_changes_no_frame_and_without_one_nothing_is_marked():
    trace = film_run()
    plain, haunted = cara_view(trace), cara_view(trace, ghost=walked_path(trace))
    assert [f.caption for f in plain.frames] == [f.caption for f in haunted.frames]
    assert not any(x.ghost for x in (*plain.nodes, *plain.edges))
    assert "other" not in {x.ghost for x in (*haunted.nodes, *haunted.edges)}
    assert {x.id for x in plain.nodes} == {x.id for x in haunted.nodes}


def test_a_ranking_run_keeps_its_own_finds_when_a_ghost_is_laid_over_it():
    view = cara_view(run(ranked="CD", method="unheard of"), ghost=walked_path(ONE))
    assert {x.id for x in view.nodes} == {"a", "b", "c", "d"}
