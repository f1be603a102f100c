"""How a probability and a session's progress are said in words, the same in steps, pages and reports.

Not here: sentences about evidence (`Reason.words`).
"""

from __future__ import annotations


def percent(share: float) -> str:
    """A share in [0, 1] as `99.78 %`. "100.00 %" and "0.00 %" are said only where nothing, or all, is left."""
    if 0.0 < share < 0.00005:
        return "under 0.01 %"
    if 0.99995 <= share < 1.0:
        return "over 99.99 %"
    return f"{100 * share:.2f} %"


def progress(number: int, planned: int) -> str:
    """Where a session of `planned` rounds stands after round `number`, which may lie beyond them."""
    if number < planned:
        return f"Round {number} of {planned}"
    rounds = "The one round that was" if planned == 1 else f"All {planned} rounds that were"
    if number == planned:
        return f"{rounds} planned {'is' if planned == 1 else 'are'} done"
    return f"Round {number}: {number - planned} more than the {planned} planned"
