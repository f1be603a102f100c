"""What CI demands: a thing named in CAUSEWAY_REQUIRE must be there, else the test fails instead of being skipped."""

from __future__ import annotations

import os

import pytest


def require_or_skip(thing: str, reason: str) -> None:
    """Skip, unless CAUSEWAY_REQUIRE names `thing`: then its absence is a failure."""
    if thing in os.environ.get("CAUSEWAY_REQUIRE", "").split(","):
        pytest.fail(f"CAUSEWAY_REQUIRE names {thing!r}, but {reason}")
    pytest.skip(reason)
