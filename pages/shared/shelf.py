"""What a session can choose from: samples, shared by all, and what this person loaded, theirs alone.

One shelf holds graphs, another corpora. A link names a sample by `data=`. Not here: reading either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import streamlit as st

from pages.shared import state
from pages.shared.messages import Message, add, caught


class Kept(Protocol):
    """Something on a shelf. `key` is a sample's name, or the content id of one's own."""

    @property
    def key(self) -> str: ...

    @property
    def title(self) -> str: ...


T = TypeVar("T", bound=Kept)


@dataclass(frozen=True)
class Shelf(Generic[T]):
    """own, current: where the session keeps its own things and the key of the one in use.

    samples: name -> title. open_sample: reads one. newcomers: the name of the sample shown to who has chosen none.
    limit: own things that a session keeps; the one loaded first goes first. others: what stays when one cannot be
    read. missing: what is said of a link to something that is not here.
    """

    own: str
    current: str
    samples: Mapping[str, str]
    open_sample: Callable[[str], T]
    newcomers: str
    limit: int
    others: str
    missing: Message

    def owned(self) -> dict[str, T]:
        """What this person loaded, the oldest first."""
        kept: dict[str, T] = st.session_state.get(self.own, {})
        return kept

    def titles(self) -> dict[str, str]:
        """Key -> title of everything that this session can choose: samples, then its own."""
        return {**self.samples, **{one.key: one.title for one in self.owned().values()}}

    def open(self, key: str) -> T | None:
        """One by key; None when there is none of that key, or it cannot be read (a message says why)."""
        if key in self.owned():
            return self.owned()[key]
        if key in self.samples:
            with caught(kept=self.others):
                return self.open_sample(key)
        return None

    def key_in_use(self) -> str:
        """The one that a link names, else the one chosen last; empty when none was."""
        named = state.param("data")
        if named and named != st.session_state.get(self.current):
            if named in self.titles():
                st.session_state[self.current] = named
            else:
                state.put({"data": None, "go": None})  # what it asks is asked of nothing else
                add(self.missing)
        return str(st.session_state.get(self.current, ""))

    def in_use(self) -> T | None:
        """That one, opened."""
        key = self.key_in_use()
        return self.open(key) if key else None

    def first(self) -> T | None:
        """What a newcomer starts with. It is shown, and not yet chosen."""
        return self.open(self.newcomers if self.newcomers in self.samples else next(iter(self.samples), ""))

    def choose(self, key: str) -> None:
        """Use this one from now on, and say so in the address where a link can carry it."""
        st.session_state[self.current] = key
        state.put({"data": key if key in self.samples else None})

    def keep(self, one: T) -> list[T]:
        """Keep what this person loaded, for this session, and use it; what had to go for it."""
        own: dict[str, T] = st.session_state.setdefault(self.own, {})
        own.pop(one.key, None)
        own[one.key] = one
        gone = [own.pop(next(iter(own))) for _ in range(len(own) - self.limit)]
        self.choose(one.key)
        return gone
