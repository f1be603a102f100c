"""What a message says, found without a language model: by the words of names and other names, then by meaning.

A stretch of the message is matched with labels whose words stand in it, all or nearly all; what is left over is
matched by embedding, above tau_sim. Denied observations are excluded [ours]. Everything that was matched names its
words; what was not is said. The twin that asks a model is `core.sgur.extraction_model`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.retriever import OnProgress
from core.sgur.expert_graph import ExpertGraph
from core.sgur.extraction_spans import NOT_NEAR, left_over, said, turned, window, windows
from core.sgur.extraction_words import Stretch, is_denial, stretches
from core.sgur.patients import climb
from core.sgur.routing import Routing
from core.sgur.steps import How, Match, Reading, Unmatched
from core.sgur.vocabulary import Label, LabelVectors, Vocabulary
from core.text.embedding import UNKNOWN_LIMIT, Encoder
from core.trace import NodeRef

Flags = NDArray[np.bool_]
PER_SYMPTOM = 2  # L1 for one symptom (SGUR-3)
TIE = 0.01  # the second of them only when it is as good as the first
COVERAGE = 0.75  # of a label's weight that the words must hold [ours]
LISTED = 500  # observations of a shortlist that was not routed
TOO_LONG = 8_000  # characters of a message that are read
AT_ONCE = 128  # windows that are compared with all labels at once
LENGTH_BONUS = 0.04  # for each telling word: a longer window at the same similarity explains more


class Reads(Protocol):
    """Turns a message into observed and excluded observations; one implementation is offline, one asks a model."""

    decided_by: str

    def read(self, message: str) -> Reading:
        """What the message says. Never raises for any text; a model's failure is a ModelError."""
        ...


@dataclass(frozen=True, slots=True)
class _Find:
    """Words [first, last] of a stretch and the observations they stand for, best first, alike each."""

    stretch: int
    first: int
    last: int
    observations: tuple[int, ...]
    how: How
    similarity: float
    weight: float
    holds_denial: bool = False


class Extractor:
    """Reads messages for one expert graph. Without an encoder only words are matched."""

    def __init__(self, graph: ExpertGraph, encoder: Encoder | None = None, routing: Routing | None = None) -> None:
        self.graph = graph
        self.encoder = encoder
        self.routing = routing
        by = f", then meaning ({encoder.title})" if encoder else ""
        self.decided_by = f"offline extraction: words{by}"

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The labels of all observations."""
        return Vocabulary.of(self.graph.observations)

    @cached_property
    def vectors(self) -> LabelVectors | None:
        """Their vectors; made at the first message unless `prepare` made them."""
        return LabelVectors.of(self.vocabulary, self.encoder, self._say) if self.encoder else None

    _say: OnProgress | None = None

    def prepare(self, on_progress: OnProgress | None = None) -> None:
        """Load what the first message needs, saying what is going on."""
        self._say = on_progress
        if on_progress:
            on_progress("Reading the names of all observations", None)
        _ = self.vocabulary.by_rarest, self.vectors
        self._say = None

    def read(self, message: str) -> Reading:
        """Observed, excluded and not understood, each with its words' places in the message."""
        parts = stretches(message[:TOO_LONG])
        allowed = self._allowed(message, parts)
        taken: dict[tuple[int, int], _Find] = {}
        finds = self._by_words(message, parts, allowed, taken)
        blind = self.encoder is not None and self.encoder.unknown_share([message]) > UNKNOWN_LIMIT
        if self.vectors is not None and not blind:
            finds += self._by_meaning(message, parts, allowed, taken, self.vectors)
        finds.sort(key=lambda find: (find.stretch, find.first))
        observed: dict[int, Match] = {}
        excluded: dict[int, Match] = {}
        unmatched = []
        for find in finds:
            part = parts[find.stretch]
            if part.of_others:
                start, end = part.words[find.first].start, part.words[find.last].end
                unmatched.append(Unmatched(text=message[start:end], start=start, end=end, why="about the family"))
                continue
            into = excluded if part.denied[find.first] and not find.holds_denial else observed
            for observation in find.observations:
                into.setdefault(observation, self._match(message, part, find, observation))
        why = f"{self.encoder.title} does not know this writing" if self.encoder and blind else NOT_NEAR
        if len(message) > TOO_LONG:
            tail = message[TOO_LONG:]
            unmatched.append(
                Unmatched(text=tail, start=TOO_LONG, end=len(message), why=f"only {TOO_LONG:,} characters are read")
            )
        for both in observed.keys() & excluded.keys():  # said and denied: what is said last and in full counts
            del excluded[both]
        return Reading(
            words=message,
            observed=tuple(observed.values()),
            excluded=tuple(excluded.values()),
            unmatched=tuple(sorted([*unmatched, *left_over(message, parts, taken, why)], key=lambda u: u.start)),
            shortlist=0 if allowed is None else int(allowed.sum()),
            encoder=self.encoder.title if self.encoder else "",
        )

    def shortlist(self, message: str) -> list[int]:
        """Observations to choose from (SGUR-2), the likeliest first: the routed ones. Without routing all of a small
        vocabulary, of a large one the nearest by meaning, or without an encoder by shared words.
        """
        parts = stretches(message[:TOO_LONG])
        allowed = self._allowed(message, parts)
        listed = list(range(len(self.graph.observations))) if allowed is None else np.flatnonzero(allowed).tolist()
        if self.vectors is not None and parts:
            texts = [message[p.words[0].start : p.words[-1].end] for p in parts]
            nearness = (self.vectors.names[listed] @ self.vectors.encoder.encode(texts).T).max(axis=1)
            listed = [listed[n] for n in np.argsort(-nearness, kind="stable")]
        elif len(listed) > LISTED:
            listed = self._sharing({w.root for part in parts for w in part.words if w.telling})
        return listed if allowed is not None else listed[:LISTED]

    def _sharing(self, roots: set[str]) -> list[int]:
        """Observations of which a label shares roots, those with the most telling ones first."""
        shared: dict[int, float] = {}
        for one in sorted(roots):
            for place in self.vocabulary.by_root.get(one, ()):
                shared[place] = shared.get(place, 0.0) + self.vocabulary.idf[one]
        best: dict[int, float] = {}
        for place, weight in shared.items():
            observation = self.vocabulary.labels[place].observation
            share = weight * weight / self.vocabulary.weight(self.vocabulary.labels[place].roots)
            best[observation] = max(best.get(observation, 0.0), share)
        return sorted(best, key=lambda o: (-best[o], o))

    def similarity(self, said: str, observation: int) -> float:
        """Of some words with the best label of an observation, in [0, 1]; 1 where there is no encoder to ask."""
        if self.vectors is None or not said.strip():
            return 1.0
        own = np.flatnonzero(self.vocabulary.observation_of == observation)
        best = float((self.vectors.vectors[own] @ self.vectors.encoder.encode([said])[0]).max())
        return round(min(max(best, 0.0), 1.0), 4)

    def _allowed(self, message: str, parts: Sequence[Stretch]) -> Flags | None:
        if self.routing is None or self.encoder is None:
            return None
        texts = [message[p.words[0].start : p.words[-1].end] for p in parts]
        return self.routing.shortlist(self.encoder.encode(texts)) if texts else self.routing.nothing

    # --- words ---------------------------------------------------------------------------------------------------

    def _by_words(
        self, message: str, parts: Sequence[Stretch], allowed: Flags | None, taken: dict[tuple[int, int], _Find]
    ) -> list[_Find]:
        """The heaviest labels first; a word belongs to one label only."""
        found: list[_Find] = []
        for n, part in enumerate(parts):
            roots = [w.root for w in part.words]
            for place in self.vocabulary.candidates(set(roots), COVERAGE):
                label = self.vocabulary.labels[place]
                if allowed is not None and not allowed[label.observation]:
                    continue
                run = window(label, part.words, roots)
                if run is None or turned(part, run):
                    continue
                if not label.exact_case or label.text in message[part.words[run[0]].start : part.words[run[1]].end]:
                    found.append(self._find(n, part, run, label))
        found.sort(key=lambda f: (-f.weight, -f.similarity, f.last - f.first, f.how != "name", f.observations))
        kept = []
        for find in found:
            span = [(find.stretch, i) for i in range(find.first, find.last + 1)]
            if any(place in taken for place in span):
                continue
            alike = {
                f.observations[0]: f
                for f in reversed(found)
                if (f.stretch, f.first, f.last) == (find.stretch, find.first, find.last)
                and abs(f.weight - find.weight) < 1e-9
                and f.how == find.how
                and f.similarity >= find.similarity - TIE
            }
            both = self._broadest((find.observations[0], *(o for o in alike if o != find.observations[0])))
            whole = _Find(find.stretch, find.first, find.last, both, find.how, find.similarity, 0.0, find.holds_denial)
            kept.append(whole)
            taken.update(dict.fromkeys(span, whole))
        return kept

    def _find(self, n: int, part: Stretch, run: tuple[int, int], label: Label) -> _Find:
        first, last = run
        words = part.words[first : last + 1]
        between = sum(1 for w in words if w.root not in label.roots)
        met = tuple(one for one in label.roots if one in {w.root for w in words})
        in_order = tuple(w.root for w in words if w.root in met) == met
        weight = self.vocabulary.weight(met)
        whole = weight / self.vocabulary.weight(label.roots)
        similarity = whole * (1.0 - 0.03 * between - (0.0 if in_order else 0.02))
        how: How = ("name" if label.is_name else "synonym") if similarity == 1.0 else "words"
        denial = any(is_denial([w.text for w in part.words], i) for i in range(first, last + 1))
        return _Find(n, first, last, (label.observation,), how, similarity, weight, denial)

    # --- meaning -------------------------------------------------------------------------------------------------

    def _by_meaning(
        self,
        message: str,
        parts: Sequence[Stretch],
        allowed: Flags | None,
        taken: dict[tuple[int, int], _Find],
        vectors: LabelVectors,
    ) -> list[_Find]:
        """For each run of words that no label took, the windows of it that are nearest to a label."""
        places = [
            (n, first, last)
            for n, part in enumerate(parts)
            for first, last in windows(part.words, {i for s, i in taken if s == n})
        ]
        if not places:
            return []
        found = []
        for start in range(0, len(places), AT_ONCE):
            some = places[start : start + AT_ONCE]
            texts = [said(message, parts[n].words[a : b + 1]) for n, a, b in some]
            similar = vectors.encoder.encode(texts) @ vectors.vectors.T  # (windows, labels)
            similar[:, self.vocabulary.abbreviations] = -1.0  # an encoder knows their letters only
            if allowed is not None:
                similar[:, ~allowed[self.vocabulary.observation_of]] = -1.0
            for (n, first, last), row in zip(some, similar, strict=True):
                words = parts[n].words[first : last + 1]
                # A single word is near to every label that holds it: "fingers" is not yet "Long fingers".
                if sum(w.telling or w.turns for w in words) == 1:
                    row[~self.vocabulary.single] = -1.0
                top = float(row.max())
                if top >= vectors.tau:
                    near = np.flatnonzero(row >= top - TIE)
                    near = self.vocabulary.observation_of[near[np.argsort(-row[near], kind="stable")]]
                    both = self._broadest(tuple(dict.fromkeys(near.tolist())))
                    weight = top + LENGTH_BONUS * sum(w.telling for w in words)
                    found.append(_Find(n, first, last, both, "meaning", min(top, 1.0), weight))
        found.sort(key=lambda f: (-f.weight, f.stretch, f.first))
        kept = []
        for find in found:
            span = [(find.stretch, i) for i in range(find.first, find.last + 1)]
            if not any(place in taken for place in span):
                kept.append(find)
                taken.update(dict.fromkeys(span, find))
        return kept

    def _broadest(self, alike: tuple[int, ...]) -> tuple[int, ...]:
        """At most two of equally good ones; of two where one is the broader, only that one."""
        kept = [o for o in alike if not (climb(self.graph.parents, {o}) - {o}) & set(alike)]
        return tuple(kept[:PER_SYMPTOM])

    def _match(self, message: str, part: Stretch, find: _Find, observation: int) -> Match:
        start, end = part.words[find.first].start, part.words[find.last].end
        return Match(
            observation=self.graph.observations.node(observation),
            said=message[start:end],
            start=start,
            end=end,
            how=find.how,
            similarity=round(find.similarity, 4),
            localisations=self.located(observation),
        )

    def located(self, observation: int) -> tuple[NodeRef, ...]:
        """Where the graph places an observation: all its localisations, since here nothing has to be guessed."""
        located = self.graph.located
        own = located.indices[located.indptr[observation] : located.indptr[observation + 1]]
        return tuple(self.graph.localisations.node(int(place)) for place in own)
