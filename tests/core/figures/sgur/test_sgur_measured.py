"""The tables of what was measured read their file as it is, and claim nothing more."""

import json

from core.figures.sgur.measured import FILE, measured

ENTRIES = json.loads(FILE.read_text(encoding="utf-8"))


def test_every_number_of_the_tables_stands_in_the_file() -> None:
    assert ENTRIES
    for entry, one in zip(ENTRIES, measured(), strict=True):
        assert entry["command"].startswith("evaluate-sgur")
        assert (one.title, one.command, one.day) == (entry["title"], entry["command"], entry["measured_on"])
        for row, method in zip(one.table.rows, entry["methods"], strict=True):
            shown = [row[f"Hit@{entry['k']} after {r} {entry['unit']}, %"] for r in entry["rounds"]]
            assert shown == [round(100 * value, 1) for value in method["hits"]]
            assert row["MRR"] == method["mrr"]


def test_every_round_has_the_interval_of_its_difference() -> None:
    for entry, one in zip(ENTRIES, measured(), strict=True):
        assert [m["method"] for m in entry["methods"] if not m["ahead_by"]] == [entry["ours"]]
        for row, method in zip(one.table.rows, entry["methods"], strict=True):
            shown = [row[f"Ours ahead after {r}"] for r in entry["rounds"]]
            assert shown == [
                f"{100 * mean:+.1f} [{100 * low:+.1f}, {100 * high:+.1f}]" for mean, low, high in method["ahead_by"]
            ] or (not method["ahead_by"] and not any(shown))
