"""When something was, in words a person uses."""

from __future__ import annotations

from datetime import UTC, datetime

UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def ago(iso: str, now: datetime | None = None) -> str:
    """`3 minutes ago` for an ISO 8601 time; the text itself when it is none."""
    try:
        then = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    seconds = ((now or datetime.now(UTC)) - then).total_seconds()
    for length, unit in UNITS:
        count = int(seconds // length)
        if count >= 1:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"
