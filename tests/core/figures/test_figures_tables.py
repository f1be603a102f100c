import csv
import io

import pytest
from film_run import film_run

from core.cara.fusion import agent_lists, fuse
from core.figures.graph_page import environment
from core.figures.hops import hops, nodes_named
from core.figures.tables import (
    Table,
    all_tables,
    candidates_table,
    cost_rows,
    evidence_table,
    fused_table,
    rrf_constant,
    schema_table,
    steps_table,
)
from core.peers.steps import PeerSearchStep
from core.trace import DatasetRef, Ranked, Trace


@pytest.fixture
def film_trace():
    return film_run()


def test_every_step_is_a_row_and_its_key_finds_it(film_trace):
    table = steps_table(film_trace)
    assert len(table.rows) == len(table.keys) == len(film_trace.steps)
    assert set(table.keys) == {f"{s.agent}.{s.index}" for s in film_trace.steps}
    weighed = table.rows[table.keys.index("0.6")]
    assert weighed["Action"] == "causal module"
    assert weighed["Candidates"] == 11
    assert weighed["Best"] in {c.node.name for h, _ in hops(film_trace) for c in h.candidates}
    assert {r["Agent"] for r in steps_table(film_trace, agent=1).rows} == {"Agent 2"}


def test_candidates_are_in_the_order_of_their_scores(film_trace):
    hop, assess = hops(film_trace)[1]
    table = candidates_table(hop, assess)
    assert list(table.keys) == [a.id for a in assess.assessments]
    assert [r["s"] for r in table.rows] == sorted((r["s"] for r in table.rows), reverse=True)
    assert table.rows[0]["Relation"] == "← directed by"
    assert [r["Rank"] for r in table.rows] == list(range(1, 12))


def test_without_an_assessment_candidates_are_in_the_order_of_bm25(film_trace):
    hop, _ = hops(film_trace)[1]
    table = candidates_table(hop, None)
    assert [r["BM25"] for r in table.rows] == sorted((r["BM25"] for r in table.rows), reverse=True)
    assert table.rows[0]["s"] is None


def test_the_fused_table_has_both_fusions(film_trace):
    table = fused_table(film_trace)
    lists = {a: [n.id for n in nodes] for a, nodes in agent_lists(film_trace).items()}
    assert list(table.keys) == [f.id for f in fuse(lists)]
    by_count = [f.id for f in fuse(lists, "count")]
    assert [r["Rank by count"] for r in table.rows] == [by_count.index(k) + 1 for k in table.keys]
    assert table.rows[0]["Agents"] == 3
    assert table.rows[0]["RRF"] == pytest.approx(
        sum(1 / (60 + table.rows[0][f"Agent {i} rank"]) for i in (1, 2, 3)), abs=1e-5
    )


def test_a_method_without_agents_shows_its_own_ranking():
    trace = Trace(
        method="bm25",
        question="?",
        dataset=DatasetRef(content_id="x", name="x"),
        steps=(PeerSearchStep(subquery="?", k=1),),
        ranked=(Ranked(id="a", name="A", score=1.25),),
    )
    table = fused_table(trace)
    assert table.columns == ("Rank", "Node", "Type", "Score")
    assert table.rows == ({"Rank": 1, "Node": "A", "Type": "", "Score": 1.25},)


@pytest.mark.parametrize(
    ("config", "constant"),
    [({}, 60), ({"rrf_constant": 10}, 10), ({"rrf_constant": "x"}, 60), ({"rrf_constant": -1}, 60)],
)
def test_the_constant_of_an_odd_trace(film_trace, config, constant):
    assert rrf_constant(film_trace.model_copy(update={"config": config})) == constant


def test_cost_and_evidence(film_trace):
    cost = cost_rows(film_trace)
    assert [r["Who"] for r in cost.rows] == ["Agent 1", "Agent 2", "Agent 3", "The run"]
    assert cost.rows[-1]["GlobalSearch"] == sum(r["GlobalSearch"] for r in cost.rows[:-1]) == 3
    evidence = evidence_table(film_trace)
    assert [r["Quote"] for r in evidence.rows] == ["Wrote it.", "Wrote it, too."]
    assert evidence.keys == film_trace.answer.citations


def test_no_table_shows_an_id(film_trace):
    ids = set(nodes_named(film_trace))
    for table in all_tables(film_trace):
        assert table.rows
        cells = {cell for row in table.rows for cell in row.values() if isinstance(cell, str)}
        assert not any(node_id in cell for cell in cells for node_id in ids), table.name


def test_csv_reads_back_and_carries_no_formula():
    table = Table("T", ("a", "b"), ({"a": "=1+1", "b": -2.5}, {"a": 'say "hi"\nthere, you', "b": None}), ("x", "y"))
    rows = list(csv.reader(io.StringIO(table.csv())))
    assert rows == [["a", "b"], ["'=1+1", "-2.5"], ['say "hi"\nthere, you', ""]]
    assert table.numeric == {"b"}


def test_a_frame_keeps_its_columns_without_rows(film_trace):
    empty = steps_table(film_trace.model_copy(update={"steps": ()}))
    assert list(empty.frame().columns) == list(empty.columns)
    assert steps_table(film_trace).frame().shape == (len(film_trace.steps), len(empty.columns))


def test_schema_table_names_inverses():
    table = schema_table({"r": 3, "r_inverse": 3}, {"r_inverse": "r"})
    assert [(r["Relation"], r["Edges"], r["Inverse of"]) for r in table.rows] == [("r", 3, ""), ("r_inverse", 3, "r")]


def test_a_missing_rank_leaves_the_others_whole_numbers():
    rows = ({"Rank": 1, "Name": "a"}, {"Rank": None, "Name": "b"})
    table = Table("ranks", ("Rank", "Name"), rows, ("a", "b"))
    assert str(table.frame()["Rank"].tolist()[0]) == "1"


def test_the_cells_of_a_column_are_written_alike():
    columns = ("Place", "s", "RRF", "Who")
    cells = [(1234, 0.5, 1 / 61, "a"), (None, -0.001, 1 / 62, ""), (3, 1234.5, None, None)]
    table = Table("Made", columns, tuple(dict(zip(columns, row, strict=True)) for row in cells), ("x", "y", "z"))
    written = [[table.written(row, column) for row in range(3)] for column in columns]
    assert written == [["1,234", "", "3"], ["0.50", "0.00", "1,234.50"], ["0.0164", "0.0161", ""], ["a", "", ""]]


def test_a_report_writes_every_cell_through_its_table():
    table = Table("<i>Made</i>", ("What", "s"), ({"What": "<b>", "s": 0.5}, {"What": "c" * 40, "s": None}), ("x", "y"))
    template = "{% import 'table.html' as html %}{{ html.whole(table) }}"
    made = " ".join(environment().from_string(template).render(table=table).split())
    assert '<th scope="col">What</th><th scope="col" class="number">s</th>' in made
    assert '<td dir="auto" class="short">&lt;b&gt;</td><td class="number">0.50</td>' in made
    assert f'<td dir="auto">{"c" * 40}</td><td></td>' in made
    assert 'aria-label="&lt;i&gt;Made&lt;/i&gt;"' in made
