"""The entities a question names (KERAG-1, step 1), found by search and by the words of their names.

Of nodes of one name, the one from which the question can be followed best is the topic, and the others are told.
A name that goes on where a node's name ends ("Rome Open" where the graph has "Rome") names nothing. Not here: what
leads on from a topic (`planner`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.graph.contracts import Graph
from core.kerag.reading import Reading
from core.kerag.steps import Topic
from core.linking.lens import Needs
from core.linking.mentions import Mention, find_mentions, partial_mentions, subqueries
from core.linking.question import Question, read_question
from core.linking.similarity import label_text
from core.linking.words import singular
from core.trace import NodeRef

SEARCH_K = 30
SURE_TIER = 1  # up to which a mention counts as a name beside a surer one
MOST_TOPICS = 8
MOST_OF_CLASS = 300  # nodes of a type that a question without a name may be about
MOST_LOOKED_THROUGH = 20_000  # nodes of a graph that are looked through for them
SINGLE_WORDS = 3  # everyday words that no relation explains, which are searched for
LETTERS = 4  # that such a word has at least
SAME_WORD = 0.9  # similarity from which a word is a relation's or a type's own
OPEN_NEED = 0.5  # weight below which no relation or type explains a word

_QUOTED = re.compile(r"[\"“«]([^\"”»]{2,120})[\"”»]")
_NEXT_WORD = re.compile(r"[ \t]+([^\W_]+)")
_LAST_WORD = re.compile(r"([^\W_]+)[ \t]+$")


@dataclass(frozen=True)
class Named:
    """What a question names. mentions: of the topics, in their order. other: names that stand in it, too, as everyday
    words. unknown: what is written like a name and names no node. why: in words, where a topic needs it.
    """

    topics: tuple[Topic, ...] = ()
    positions: tuple[int, ...] = ()
    mentions: tuple[Mention, ...] = ()
    other: tuple[Mention, ...] = ()
    unknown: tuple[str, ...] = ()
    why: tuple[str, ...] = ()


class TopicFinder:
    """Finds the topics of one question."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._graph: Graph = reading.graph
        self._question = reading.question
        self._names: dict[int, str] = {}

    def find(self) -> Named:
        """Search until the question's names are found: all that is written like one, the rest while none is."""
        queries = subqueries(self._question)
        wanted = [(q.text, False) for q in queries if q.sure]
        wanted += [(text, False) for text in self._unexplained()]
        wanted += [(q.text, True) for q in queries if not q.sure]
        mentions: tuple[Mention, ...] = ()
        for text, only_without in wanted:
            if any(text in m.text for m in mentions) or (mentions and only_without):
                continue
            for hit in self._graph.search(text, SEARCH_K):
                if hit.position not in self._names:
                    self._names[hit.position] = self._graph.node(hit.position).name
            mentions = find_mentions(self._question, self._names.items())
        unknown = self._unknown(mentions)
        whole = tuple(m for m in mentions if not any(_inside(m, place) for place in unknown))
        told = tuple(dict.fromkeys(self._question[a:b] for a, b in sorted(unknown)))
        if not whole and not unknown:
            whole = partial_mentions(self._question, self._names.items())
        if not whole and not unknown:
            return self._whole_class()
        return self._chosen(whole, told)

    def _whole_class(self) -> Named:
        """All nodes of the type that a question is about which names none: "which of all the lamps is the oldest?"."""
        types = self._graph.schema().node_types
        nodes = sum(types.values())
        for word in read_question(self._question).words:
            meant = next((t for t in types if t and types[t] <= MOST_OF_CLASS and _same(word.text, t)), "")
            if meant and word.part == "need" and nodes <= MOST_LOOKED_THROUGH:
                positions = tuple(p for p in range(nodes) if self._graph.node(p).type == meant)
                mention = Mention(word.start, word.end, self._question[word.start : word.end], positions, SURE_TIER)
                return Named(
                    topics=tuple(self._topic(mention, position, ()) for position in positions),
                    positions=positions,
                    mentions=(mention,) * len(positions),
                    why=(f"it names no single node, so all {len(positions)} of the type “{meant}” are meant",),
                )
        return Named()

    def _chosen(self, mentions: Sequence[Mention], unknown: tuple[str, ...]) -> Named:
        """The topics among the mentions, the surest first."""
        if not mentions:
            return Named(unknown=unknown)
        sure = [m for m in mentions if m.tier <= SURE_TIER or self._is_written_so(m)]
        rated = [(m, *self._best_of(m, sure)) for m in sure or mentions[:1]]
        kept = [(m, position) for m, position, _ in rated][:MOST_TOPICS]
        topics, why = [], []
        for mention, position in kept:
            rivals = tuple(p for p in mention.nodes if p != position)
            topics.append(self._topic(mention, position, rivals))
            if rivals:
                namesakes = f"{len(rivals) + 1} nodes are called {mention.text}"
                why.append(f"{namesakes}; from this one the question can be followed best")
        chosen = {m for m, _ in kept}
        return Named(
            topics=tuple(topics),
            positions=tuple(position for _, position in kept),
            mentions=tuple(m for m, _ in kept),
            other=tuple(m for m in mentions if m not in chosen),
            unknown=unknown,
            why=tuple(why),
        )

    def _is_written_so(self, mention: Mention) -> bool:
        """Whether an everyday word is a node's name letter by letter, and no relation's or type's."""
        if not any(self._names[p] == mention.text for p in mention.nodes):
            return False
        reading = self._reading.lens.word(mention.text.lower())
        strongest = (part.max(initial=0.0) for part in (reading.relation, reading.role, reading.type))
        return max(map(float, strongest)) < SAME_WORD

    def _best_of(self, mention: Mention, others: Sequence[Mention]) -> tuple[int, float]:
        """Of the nodes of one name: the one with the most promising routes, then that of most edges."""
        rated = [
            (self._reading.about(p, mention, others).promise, self._degree(p), -p) for p in dict.fromkeys(mention.nodes)
        ]
        promise, _, place = max(rated)
        return -place, promise

    def _topic(self, mention: Mention, position: int, rivals: Iterable[int]) -> Topic:
        return Topic(
            node=self._ref(position),
            start=mention.start,
            end=mention.end,
            degree=self._degree(position),
            rivals=tuple(map(self._ref, rivals)),
        )

    def _ref(self, position: int) -> NodeRef:
        node = self._graph.node(position)
        return NodeRef(id=node.id, name=node.name, type=node.type)

    def _degree(self, position: int) -> int:
        return sum(r.edges for r in self._graph.node(position).relations)

    # --- what names nothing -------------------------------------------------------------------------

    def _unexplained(self) -> list[str]:
        """Content words that no relation or type explains, those in a row together: they may name something."""
        parsed, needs = self._provisional()
        runs: list[list[int]] = []
        for n, i in enumerate(parsed.needs):
            if needs.weight[n] >= SAME_WORD:
                continue
            if runs and runs[-1][-1] == i - 1:
                runs[-1].append(i)
            else:
                runs.append([i])
        words = parsed.words
        together = [self._question[words[r[0]].start : words[r[-1]].end] for r in runs if len(r) > 1]
        single = [words[r[0]].text for r in runs if len(r) == 1 and len(words[r[0]].text) >= LETTERS]
        return together + single[:SINGLE_WORDS]

    def _provisional(self) -> tuple[Question, Needs]:
        """The question read around the likeliest name, before any search."""
        named = next((q.text for q in subqueries(self._question) if q.sure), "")
        start = self._question.find(named) if named else -1
        mention = Mention(start, start + len(named), named, (), 0) if start >= 0 else None
        parsed = read_question(self._question, mention)
        return parsed, self._reading.lens.needs(parsed)

    def _unknown(self, mentions: Sequence[Mention]) -> list[tuple[int, int]]:
        """Places of names that no node has: quoted ones, and those that go on before or after a node's name."""
        question = self._question
        covered = {i for m in mentions for i in range(m.start, m.end)}
        places = []
        for quoted in _QUOTED.finditer(question):
            letters = [i for i in range(quoted.start(1), quoted.end(1)) if question[i].isalnum()]
            if not covered.issuperset(letters):
                places.append((quoted.start(1), quoted.end(1)))
        for m in mentions:
            start, end = m.start, m.end
            after = _NEXT_WORD.match(question, m.end)
            if after and self._goes_on(after.group(1), after.start(1), covered):
                end = after.end(1)
            before = _LAST_WORD.search(question[: m.start])
            if before and before.start(1) > 0 and self._goes_on(before.group(1), before.start(1), covered):
                start = before.start(1)
            if (start, end) != (m.start, m.end):
                places.append((start, end))
        for query in subqueries(question) if not mentions else ():
            start = question.find(query.text)
            if query.sure and start > 0 and not any(a < start + len(query.text) and start < b for a, b in places):
                places.append((start, start + len(query.text)))
        return places

    def _goes_on(self, word: str, start: int, covered: set[int]) -> bool:
        """Whether a word beside a name is written like a part of it and means nothing that the graph relates."""
        if start in covered or not word[0].isupper() or word.isupper():
            return False
        return float(self._reading.lens.word(word.lower()).relation.max(initial=0.0)) < OPEN_NEED


def _same(word: str, node_type: str) -> bool:
    """Whether a word is a type's name, in the singular or plural."""
    own = label_text(node_type)
    return word in (own, f"{own}s", f"{own}es") or singular(word) == own


def _inside(mention: Mention, place: tuple[int, int]) -> bool:
    return place[0] <= mention.start and mention.end <= place[1]
