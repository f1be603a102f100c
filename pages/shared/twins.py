"""A chart's table twin on a page: two decimals, no index column; the table's own menu downloads it as CSV."""

from __future__ import annotations

import streamlit as st

from core.figures.tables import Table

ROW_HEIGHT = 34  # px
MOST = 16  # rows shown without scrolling


def draw(table: Table, *, key: str, decimals: int = 2, signed: bool = False) -> None:
    """The table; numbers that are no counts with so many decimals, and a sign when `signed`."""
    style = f"%{'+' if signed else ''}.{decimals}f"
    fractions = [
        column
        for column in table.columns
        if column in table.numeric and any(_is_fraction(r[column]) for r in table.rows)
    ]
    st.dataframe(
        table.frame(),
        key=key,
        hide_index=True,
        row_height=ROW_HEIGHT,
        placeholder="",
        height=ROW_HEIGHT * (min(MOST, len(table.rows)) + 1) + 3,
        column_config={column: st.column_config.NumberColumn(format=style) for column in fractions},
    )


def _is_fraction(cell: object) -> bool:
    return isinstance(cell, float)
