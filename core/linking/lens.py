"""A graph's schema seen through encoders: what a word says of each relation, of each class, of a kind of answer.

One lens per schema and set of encoders; it remembers words, so a second question costs little.
Not here: routes through the schema (`routes`), or the text of single nodes (`evidence`).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.graph.contracts import Schema
from core.linking.question import Question
from core.linking.roles import Roles
from core.linking.similarity import Encoder, Floats, LabelSpace, Vectors, forms_of, label_text, ramp, similarity
from core.linking.words import KIND_WORDS, kind_of_noun, looks_like_agent

LEAST_NEED = 0.05  # weight of a need that the graph cannot explain at all
HEAD_NEED = 0.3  # least weight of the word that names the answer
HEAD_SEEN = 0.25  # weight from which a word of the head's noun group is taken for the head
KIND_NOUN_SHARE = 0.3  # of a head that only names a kind ("which person ..")
SPAN_GAIN = 0.05  # by which a span must beat its words
SPAN_WORDS = (2, 3)
CLASS_RELATIONS = 2  # relations a class needs before words are compared with it
TYPE_NAME_SHARE = 0.5  # of its similarity to relations that a word keeps when it is the name of a node type
DESCRIBED_BY = 12  # relations, the most frequent ones, that describe a class
CLASS_GAIN = (-0.5, 2.5)  # by how much (in z) a class must be nearer than any relation to be meant, and surely meant
CLASS_NEAR = (2.0, 4.0)  # how near (in z) it must be
HEAD_CONFIDENCE = 0.6  # best similarity from which a head counts as much as the question word
WORDS_KEPT = 50_000
UNKNOWN_KIND = 0.15  # of a class that no relation names


class WordReading(NamedTuple):
    """A text against the schema: relation (T,) in [0, 1], role (2T,) affinity of each role's class, type (2T,)."""

    relation: Floats
    role: Floats
    type: Floats


@dataclass(frozen=True, eq=False)
class Needs:
    """The needs of a question (n of them) against the hops (2T) of a schema, all in [0, 1].

    edge (2T, n): how well a hop's relation explains a need; arrival (2T, n): how well the class it arrives in does;
    anchor (2T, n): the same for the class a hop leaves; weight (n,); fit (2T,): how well the hop's arrival fits
    the expected answer; head: the need that names the answer; kind: person, place, date, number or "".
    """

    question: Question
    texts: tuple[str, ...]
    edge: Floats
    arrival: Floats
    anchor: Floats
    weight: Floats
    distance: Floats
    adjacent: NDArray[np.bool_]  # (n,) whether need i + 1 is the very next word
    fit: Floats
    head: int | None
    kind: str

    @property
    def answer_known(self) -> bool:
        """Whether the question says anything of its answer."""
        return self.head is not None or bool(self.kind)


class Lens:
    """A schema through encoders. Asking is safe from any thread."""

    def __init__(self, schema: Schema, encoders: Sequence[Encoder], roles: Roles | None = None) -> None:
        self.roles = roles or Roles(schema)
        self._encoders = tuple(encoders)
        self._relations = LabelSpace([label_text(r) for r in self.roles.relations], encoders)
        self._node_types = [t for t in schema.node_types if t]
        self._types = LabelSpace([label_text(t) for t in self._node_types], encoders)
        self._type_share = self._shares()
        self._class_roles, descriptions = self._describe_classes()
        self._classes = LabelSpace(descriptions, encoders, parts=False)
        self._known: dict[str, WordReading] = {}
        self._lock = threading.Lock()
        self.learn([word for words in KIND_WORDS.values() for word in words])
        self._kinds = self._kind_fits()

    def _shares(self) -> Floats:
        """(2T, Y) 1 for a role's most frequent node type, less for the next ones."""
        at = {t: i for i, t in enumerate(self._node_types)}
        share = np.zeros((self.roles.hops, len(at)))
        for role, types in enumerate(self.roles.types):
            for rank, node_type in enumerate(t for t in types if t):
                share[role, at[node_type]] = 1.0 / (1 + rank)
        return share

    def _describe_classes(self) -> tuple[list[NDArray[np.int64]], list[str]]:
        """The roles of each class that relations leave, and the class described by the names of those relations."""
        roles, relations = self.roles, np.arange(len(self.roles.relations))
        members, descriptions = [], []
        for c in np.unique(roles.class_of):
            leaving = relations[roles.kept[::2] & (roles.class_of[::2] == c)]
            if len(leaving) >= CLASS_RELATIONS:
                frequent = sorted(leaving[np.argsort(-roles.frequency[leaving], kind="stable")][:DESCRIBED_BY].tolist())
                members.append(np.flatnonzero(roles.class_of == c))
                descriptions.append(", ".join(self._relations.texts[r] for r in frequent))
        return members, descriptions

    # --- one word -----------------------------------------------------------------------------------

    def word(self, text: str) -> WordReading:
        """What a word or span says of each relation, class and node type."""
        known = self._known.get(text)
        return known if known is not None else self.learn([text])[text]

    def learn(self, texts: Sequence[str]) -> dict[str, WordReading]:
        """Read many words and spans at once: the encoders are asked only once for all that are new."""
        known = {t: self._known[t] for t in dict.fromkeys(texts) if t in self._known}
        new = [t for t in dict.fromkeys(texts) if t not in known]
        if not new:
            return known
        forms = list(dict.fromkeys(form for text in new for form in forms_of(text)))
        rows = [encoder.encode(forms) for encoder in self._encoders]
        vectors = {form: [own[i] for own in rows] for i, form in enumerate(forms)}
        readings = {text: self._read(text, vectors) for text in new}
        with self._lock:
            if len(self._known) > WORDS_KEPT:
                self._known = {}
            self._known.update(readings)
        return known | readings

    def _read(self, text: str, vectors: Vectors) -> WordReading:
        z = self._relations.z(text, vectors)
        typed = similarity(self._types.z(text, vectors))
        by_type = (self._type_share * typed).max(axis=1) if len(typed) else np.zeros(self.roles.hops)
        role = self._class_affinity(z, self._classes.z(text, vectors))
        relation = similarity(z)
        named = self._types.named(text)
        if named:  # the very name of a type: it speaks of no relation that is not called so as well
            others = np.ones(len(relation), dtype=bool)
            others[list(self._relations.named(text))] = False
            relation = np.where(others, relation * TYPE_NAME_SHARE, relation)
        return WordReading(relation, role, by_type)

    def _class_affinity(self, z: Floats, of_class: Floats) -> Floats:
        """(2T,) how surely a word means the class of each role: nearer to all its relations together than to any one.

        z (T,) is the word's against relations, of_class (C,) against the classes' descriptions.
        """
        affinity = np.zeros(self.roles.hops)
        best = float(z.max(initial=0.0))
        clearly = ramp(of_class - best, *CLASS_GAIN) * ramp(of_class, *CLASS_NEAR)
        for members, value in zip(self._class_roles, clearly.tolist(), strict=True):
            affinity[members] = value
        return affinity

    # --- kinds of answer ----------------------------------------------------------------------------

    def _kind_fits(self) -> dict[str, Floats]:
        """kind -> (2T,) how well the arrival of each hop fits it."""
        roles = self.roles
        relations = len(roles.relations)
        if not relations:
            return {kind: np.zeros(0) for kind in KIND_WORDS}
        readings = {kind: [self.word(w) for w in words] for kind, words in KIND_WORDS.items()}
        named = {kind: np.max([r.relation for r in rs], axis=0) for kind, rs in readings.items()}
        named = {kind: values / max(float(values.max()), 1e-6) for kind, values in named.items()}
        numeric = roles.numeric[1::2]  # of the tails
        agents = np.array([_names_agents(text) for text in self._relations.texts], dtype=np.float64)
        named["person"] = np.maximum(named["person"], agents) * (1 - numeric)
        named["place"] = named["place"] * (1 - numeric)
        if numeric.max() > 0.5:
            named["date"] = np.maximum(named["date"] * 0.5, numeric)
        named["number"] = np.maximum(named["number"] * 0.5, numeric)
        fits = {}
        for kind, values in named.items():
            tails = ramp(values, 0.15, 0.5)
            by_class = np.full(roles.hops, -1.0)  # best over the relations whose tails lie in the class
            np.maximum.at(by_class, roles.class_of[1::2], tails)
            fit = np.empty(roles.hops)
            arrival = by_class[roles.arrival]
            fit[0::2] = np.maximum(tails, 0.8 * np.maximum(arrival[0::2], 0.0))
            fit[1::2] = np.where(arrival[1::2] >= 0, arrival[1::2], UNKNOWN_KIND)
            by_type = np.max([r.type for r in readings[kind]], axis=0)[np.arange(roles.hops) ^ 1]
            fits[kind] = np.maximum(fit, by_type)
        return fits

    # --- a whole question ---------------------------------------------------------------------------

    def needs(self, question: Question) -> Needs:
        """The question's needs against every hop."""
        roles = self.roles
        texts = question.need_texts
        n, hops = len(texts), roles.hops
        spans = _spans(question)
        self.learn([*texts, *(span for _, _, span in spans)])
        readings = [self.word(t) for t in texts]
        relation = np.array([r.relation for r in readings]).reshape(n, len(roles.relations))
        role = np.array([r.role for r in readings]).reshape(n, hops)
        typed = np.array([r.type for r in readings]).reshape(n, hops)
        relation = self._with_spans(spans, relation)
        arrive = np.arange(hops) ^ 1
        edge = np.repeat(relation, 2, axis=1)
        # The name of a relation speaks of its tails; its heads are known by their class or type only.
        arrival = typed[:, arrive]
        arrival[:, 1::2] = np.maximum(arrival[:, 1::2], role[:, arrive][:, 1::2])
        strength = np.maximum(relation.max(axis=1, initial=0.0), role.max(axis=1, initial=0.0))
        strength = np.maximum(strength, typed.max(axis=1, initial=0.0))
        weight = np.maximum(strength, LEAST_NEED)
        head, kind, only_kind = _choose_head(question, weight)
        if head is not None:
            weight[head] = max(weight[head], HEAD_NEED)
        named = head
        if only_kind and head is not None:
            weight[head] *= KIND_NOUN_SHARE
            named = question.predicate_heads[0] if question.predicate_heads else None
        fit = self._answer_fit(named, kind, question.counts, relation, np.maximum(role, typed), strength)
        leaving = np.maximum(role, typed)
        leaving[:, 1::2] = np.maximum(leaving[:, 1::2], relation)  # who stands at a tail is named by the relation
        positions = np.array(question.needs, dtype=np.int64)
        return Needs(
            question=question,
            texts=texts,
            edge=np.ascontiguousarray(edge.T),
            arrival=np.ascontiguousarray(arrival.T),
            anchor=np.ascontiguousarray(leaving.T),
            weight=weight,
            distance=np.array(question.distance, dtype=np.float64),
            adjacent=np.append(np.diff(positions) == 1, False)[:n],
            fit=fit,
            head=head if not question.predicate_heads else named,
            kind=kind,
        )

    def _with_spans(self, spans: list[tuple[int, int, str]], relation: Floats) -> Floats:
        """Two or three words in a row stand for each of them where together they are clearly nearer."""
        out = relation.copy()
        for first, last, span in spans:
            together = self.word(span).relation
            better = together > relation[first:last].max(axis=0) + SPAN_GAIN
            out[first:last] = np.where(better, np.maximum(out[first:last], together), out[first:last])
        return out

    def _answer_fit(
        self, head: int | None, kind: str, counts: bool, relation: Floats, role: Floats, strength: Floats
    ) -> Floats:
        """(2T,) the arrival's fit: the head noun's match and the kind's, averaged; the head less when it is faint."""
        hops = self.roles.hops
        if head is None:
            return self._kinds[kind] if kind else np.zeros(hops, dtype=np.float64)
        best = max(float(strength[head]), 0.1)
        match: Floats = role[head][np.arange(hops) ^ 1]
        match[0::2] = np.maximum(match[0::2], relation[head])
        match = match / best
        if not kind:
            return match
        if counts:  # "how many x": either the number itself, or the x to be counted
            return np.maximum(match, self._kinds[kind])
        confidence = min(1.0, best / HEAD_CONFIDENCE)
        return (match * confidence + self._kinds[kind]) / (confidence + 1.0)


def _spans(question: Question) -> list[tuple[int, int, str]]:
    """Two or three needs that stand side by side: first, one past the last, their text."""
    needs, texts = question.needs, question.need_texts
    return [
        (first, first + length, " ".join(texts[first : first + length]))
        for first in range(len(needs))
        for length in SPAN_WORDS
        if first + length <= len(needs) and needs[first + length - 1] - needs[first] == length - 1
    ]


def _choose_head(question: Question, weight: Floats) -> tuple[int | None, str, bool]:
    """The need that names the answer, the kind of answer, and whether that need only names the kind."""
    kind = question.kind
    head: int | None = None
    only_kind = False
    for need in question.heads:
        says = kind_of_noun(question.need_texts[need])
        kind = kind or says
        if says or weight[need] >= HEAD_SEEN:
            head, only_kind = need, bool(says)
            break
    if head is None and question.heads:
        head = question.heads[0]
    return head, kind, only_kind


def _names_agents(label: str) -> bool:
    """Whether a relation's name says that its tails are people: "... by", or an agent noun."""
    words = label.split()
    participle = len(words) > 1 and words[-1] == "by" and words[-2].endswith(("ed", "en", "n", "t"))
    return participle or any(looks_like_agent(w) for w in words)
