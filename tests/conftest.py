"""Fixtures for every test: private folders for the store and the caches, the shared data, and what CI demands."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def require_or_skip(thing: str, reason: str) -> None:
    """Skip, unless CAUSEWAY_REQUIRE names `thing`: then its absence is a failure."""
    if thing in os.environ.get("CAUSEWAY_REQUIRE", "").split(","):
        pytest.fail(f"CAUSEWAY_REQUIRE names {thing!r}, but {reason}")
    pytest.skip(reason)


@pytest.fixture(autouse=True)
def private_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test touches the real run store, its settings or a real key."""
    home = tmp_path / "causeway-home"
    monkeypatch.setenv("CAUSEWAY_HOME", str(home))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return home


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data that lies beside the project."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        require_or_skip("shared", "../shared/data is not on this machine")
    return folder
