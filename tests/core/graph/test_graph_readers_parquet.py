"""Parquet: the fast way of edges gives what the row-by-row way gives."""

from __future__ import annotations

import io
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.graph.readers import ColumnMap, inspect_table, read_upload


def parquet(columns: dict[str, Any], rows_per_group: int = 1000) -> bytes:
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), buffer, row_group_size=rows_per_group)
    return buffer.getvalue()


ID = st.sampled_from(["a", "b", "c", " d ", "", "é"])


@settings(max_examples=50)
@given(st.lists(st.tuples(ID, st.sampled_from(["r", "s", "", None]), ID), min_size=1, max_size=30))
def test_edges_equal_those_of_a_csv(rows: list[tuple[str, str | None, str]]) -> None:
    rows = [row for row in rows if any(row)]  # an empty line of a CSV is no row
    usable = [row for row in rows if row[0] and row[2]]
    if len(usable) * 2 < len(rows) or not usable:
        return
    source, kind, target = zip(*rows, strict=True)
    data = parquet({"source": source, "type": kind, "target": target}, rows_per_group=3)
    text = "source,type,target\n" + "".join(f"{s},{k or ''},{t}\n" for s, k, t in rows)
    fast = read_upload({"edges.parquet": data})
    slow = read_upload({"edges.csv": text.encode()})
    assert fast.graph.content_id == slow.graph.content_id
    assert fast.report.rejected_by_reason == slow.report.rejected_by_reason
    assert (fast.report.duplicate_edges, fast.report.rows) == (slow.report.duplicate_edges, slow.report.rows)
    assert [r.line + 1 for r in fast.report.rejected] == [r.line for r in slow.report.rejected]


def test_nodes_with_every_kind_of_column() -> None:
    nodes = parquet(
        {
            "id": [1, 2],
            "name": ["Ann", None],
            "type": pyarrow.array(["person", "person"]).dictionary_encode(),
            "score": [0.5, None],
            "tags": [["x", "y"], []],
            "nested": [{"a": 1}, {"a": 2}],
            "raw": [b"\xff", b""],
            "good": [True, False],
        }
    )
    loaded = read_upload({"nodes.parquet": nodes, "edges.parquet": parquet({"source": [1, 1], "target": [2, 3]})})
    ann = loaded.graph.node(0)
    assert (ann.id, ann.name, ann.type, ann.text) == ("1", "Ann", "person", "score: 0.5\ntags: x, y\ngood: true")
    assert loaded.graph.names == ("Ann", "2", "3")
    assert loaded.graph.edge_type_names == ("related to",)


def test_ids_of_every_kind_and_a_relation_that_is_always_missing() -> None:
    data = parquet({"source": [[1, 2], [3]], "target": [1.5, 2.5], "type": [None, None], "weight": [1, 2]})
    loaded = read_upload({"g.parquet": data})
    assert set(loaded.graph.ids) == {"1, 2", "3", "1.5", "2.5"}
    assert loaded.graph.edge_type_names == ("related to",)
    assert loaded.report.ignored == ("g.parquet: column weight",)


def test_bytes_that_are_no_utf8() -> None:
    bad = pyarrow.array([b"a\xff", b"b"]).view(pyarrow.string())
    assert read_upload({"g.parquet": parquet({"source": bad, "target": ["x", "y"]})}).graph.ids == (
        "a\ufffd",
        "b",
        "x",
        "y",
    )


def test_ends_described_in_edge_rows_go_the_slow_way() -> None:
    data = parquet({"source": ["a"], "target": ["b"], "source_type": ["x"], "target_name": ["Bob"]})
    graph = read_upload({"g.parquet": data}).graph
    assert (graph.types, graph.names) == (("x", ""), ("a", "Bob"))


def test_unknown_columns_ask_for_a_map() -> None:
    data = parquet({"uno": ["a", "b"], "dos": ["b", "c"]})
    with pytest.raises(InputError, match="the columns are: uno, dos"):
        read_upload({"g.parquet": data})
    assert read_upload({"g.parquet": data}, columns=ColumnMap(source="uno", target="dos")).report.edges == 2
    summary = inspect_table(data, "g.parquet")
    assert (summary.columns, summary.sample) == (("uno", "dos"), (("a", "b"), ("b", "c")))


@pytest.mark.parametrize("cut", [20, 200])
def test_a_cut_file_is_refused(cut: int) -> None:
    with pytest.raises(InputError, match="cannot be read") as caught:
        read_upload({"g.parquet": parquet({"source": ["a"] * 99, "target": ["b"] * 99})[:cut]})
    assert caught.value.where == "g.parquet"


def test_known_by_its_first_bytes() -> None:
    assert read_upload({"graph": parquet({"head": ["a"], "tail": ["b"]})}).report.format == "Parquet"
