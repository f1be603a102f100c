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
    """Positions of observations, each once, in the order in which they became known; none is in both.

    answered: those of the excluded that were asked for and answered with "no". The other ones were denied unasked.
    """

    observed: tuple[int, ...] = ()
    excluded: tuple[int, ...] = ()
    answered: frozenset[int] = frozenset()

    @property
    def unasked(self) -> tuple[int, ...]:
        """The excluded observations that nobody asked for."""
        return tuple(e for e in self.excluded if e not in self.answered)

    def told(self, observed: Iterable[int] = (), excluded: Iterable[int] = ()) -> Query:
        """The query after more was told. What is said last holds: a denied observation that is now seen, is seen."""
        return self._after(observed, excluded, self.answered)

    def answers(self, yes: Iterable[int] = (), no: Iterable[int] = ()) -> Query:
        """The query after questions were answered."""
        no = tuple(no)
        return self._after(yes, no, self.answered | {*no})

    def without(self, observation: int) -> Query:
        """The query as if nothing had been said of this observation."""
        left = [tuple(o for o in held if o != observation) for held in (self.observed, self.excluded)]
        return Query(left[0], left[1], self.answered - {observation})

    def _after(self, observed: Iterable[int], excluded: Iterable[int], answered: frozenset[int]) -> Query:
        seen, denied = dict.fromkeys(self.observed), dict.fromkeys(self.excluded)
        for one in excluded:
            seen.pop(one, None)
            denied[one] = None
        for one in observed:
            denied.pop(one, None)
            seen[one] = None
        return Query(tuple(seen), tuple(denied), answered & {*denied})

    def folded(self, index: ExpertIndex) -> Query:
        """Only the most specific: what is broader than something else observed says nothing more than it [ours].

        Of the denied only the broadest, for the same reason; but what was denied unasked, which weighs less, takes the
        place of no answer.
        """
        answered = {*_unimplied(tuple(e for e in self.excluded if e in self.answered), index.narrower)}
        broadest = {*_unimplied(self.excluded, index.narrower)}
        denied = tuple(e for e in self.excluded if e in answered or (e in broadest and e not in self.answered))
        return Query(_unimplied(self.observed, index.broader), denied, frozenset(answered))


def _unimplied(held: tuple[int, ...], implies: csr_matrix) -> tuple[int, ...]:
    implied: set[int] = set()
    for one in held:
        implied.update(set(implies.indices[implies.indptr[one] : implies.indptr[one + 1]].tolist()) - {one})
    return tuple(one for one in held if one not in implied)
