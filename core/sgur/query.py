"""What is held of a case at one moment: the observations seen and those denied, by position.

Not here: how they came to be known (`session`), and what follows from them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.sgur.index import ExpertIndex

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, slots=True)
class Query:
    """Positions of observations, each once, in the order in which they became known; none is in both."""

    observed: tuple[int, ...] = ()
    excluded: tuple[int, ...] = ()

    def told(self, observed: Iterable[int] = (), excluded: Iterable[int] = ()) -> Query:
        """The query after more was told. What is said last holds: a denied observation that is now seen, is seen."""
        seen, denied = dict.fromkeys(self.observed), dict.fromkeys(self.excluded)
        for one in excluded:
            seen.pop(one, None)
            denied[one] = None
        for one in observed:
            denied.pop(one, None)
            seen[one] = None
        return Query(tuple(seen), tuple(denied))

    def folded(self, index: ExpertIndex) -> Query:
        """Only the most specific: what is broader than something else observed says nothing more than it [ours].

        Of the denied only the broadest, for the same reason.
        """
        return Query(_unimplied(self.observed, index.broader), _unimplied(self.excluded, index.narrower))


def _unimplied(held: tuple[int, ...], implies: csr_matrix) -> tuple[int, ...]:
    implied: set[int] = set()
    for one in held:
        implied.update(set(implies.indices[implies.indptr[one] : implies.indptr[one + 1]].tolist()) - {one})
    return tuple(one for one in held if one not in implied)
