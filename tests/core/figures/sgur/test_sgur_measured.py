"""The table of what was measured reads its file as it is, and claims nothing more."""

import json

from core.figures.sgur.measured import FILE, measured


def test_every_number_of_the_table_stands_in_the_file() -> None:
    entries = json.loads(FILE.read_text(encoding="utf-8"))
    assert entries
    for entry, one in zip(entries, measured(), strict=True):
        assert entry["command"].startswith("evaluate-sgur")
        assert (one.title, one.command, one.day) == (entry["title"], entry["command"], entry["measured_on"])
        for row, method in zip(one.table.rows, entry["methods"], strict=True):
            shown = [row[f"Hit@3 after {r}, %"] for r in entry["rounds"]]
            assert shown == [round(100 * value, 1) for value in method["hit@3"]]
            assert row["MRR"] == method["mrr"]
            assert (row["Ours ahead by, %"] is None) == (not method["ahead_by"])


def test_an_interval_is_that_of_the_last_round() -> None:
    for entry, one in zip(json.loads(FILE.read_text(encoding="utf-8")), measured(), strict=True):
        for row, method in zip(one.table.rows, entry["methods"], strict=True):
            if method["ahead_by"]:
                _, low, high = method["ahead_by"][-1]
                assert row["95 % interval"] == f"{100 * low:+.1f} to {100 * high:+.1f}"
