"""The agent, offline: which action comes next, from what the walk has shown (CARA-5).

It searches for the nodes that the question names and explores from them (`offline_walk`), following the candidates
that the causal module puts first; without the module, those of the plainest similarity. What a way ends in is
appended. When the question names several nodes, what is found from more than one of them comes first. Not here:
scores (`offline_reading`), the loop (`agent`).
"""

from __future__ import annotations

import zlib
from collections.abc import Generator, Sequence

from core.cara.contracts import Action, AgentState, Append, CaraConfig, Finish, GlobalSearch, Pick
from core.cara.offline_reading import OPEN_NEED, Reading
from core.cara.offline_walk import FILL, Arrival, Exploration, Way, said
from core.cara.steps import Exchange, GlobalSearchStep, ReadQuestion, Span
from core.linking.lens import Needs
from core.linking.mentions import Mention, find_mentions, partial_mentions, subqueries
from core.linking.question import Question, Word, read_question

DECIDED_BY = "offline policy"
FURTHER_WAYS = 3  # walked at most after the best one
FURTHER_WAYS_OF_MANY = 1  # the same, from each of several mentions
APPENDED = 100  # nodes of one way that are appended at most
MENTIONS = 3  # mentions explored at most
MENTION_MARGIN = 0.1  # how far behind the best anchor's way (in s) another mention's may lie

Steps = Generator[Action, None, None]


class OfflinePolicy:
    """One agent's policy on one question."""

    decided_by = DECIDED_BY
    exchange: Exchange | None = None

    def __init__(self, reading: Reading, config: CaraConfig, agent: int, encoder: str) -> None:
        self._reading = reading
        self._view = reading.view
        self._config = config
        self._agent = agent
        self._encoder = encoder
        self._state: AgentState | None = None
        self._walk: Steps | None = None
        self._appended: set[int] = set()

    # --- the contract -------------------------------------------------------------------------------

    def read(self, state: AgentState) -> ReadQuestion:
        """How the question is understood before any search: names, needs, and what is asked for."""
        text = state.question
        parsed, needs = self._provisional(text)
        head = needs.texts[needs.head] if needs.head is not None else ""
        return ReadQuestion(
            encoder=self._encoder,
            spans=_spans(text, parsed, needs.weight.tolist()),
            expects=_expectation(needs.kind, head),
            reason="read by closed word classes and by similarity to the graph's relations and types",
        )

    def next_action(self, state: AgentState) -> Action:
        """The next action of the walk."""
        self._state = state
        if self._walk is None:
            self._walk = self._steps()
        return next(self._walk, Finish("nothing is left to do"))

    # --- the walk -----------------------------------------------------------------------------------

    def _now(self) -> AgentState:
        if self._state is None:
            raise RuntimeError("the walk has not begun")
        return self._state

    def _steps(self) -> Steps:
        yield from self._search()
        anchors = self._anchors()
        held: list[Way] = []
        further = FURTHER_WAYS if len(anchors) == 1 else FURTHER_WAYS_OF_MANY
        for anchor in anchors:
            for step in Exploration(self._reading, self._config, anchor, self._now, further).walk():
                if not isinstance(step, Way):
                    yield step
                elif len(anchors) == 1:
                    yield from self._append(step.arrivals, [step])
                else:
                    held.append(step)
        if held:
            yield from self._append_joint(anchors, held)
        if not self._appended and self._now().steps_left > 0:
            yield from self._append_hits(anchors)
        if self._appended:
            count = len(self._appended)
            yield Finish(f"{count} node{'s' if count > 1 else ''} appended; no further way is worth its steps")
        yield Finish("nothing that the graph holds matches the question")

    # --- where to start -----------------------------------------------------------------------------

    def _search(self) -> Steps:
        """Search until the question's names are found: every sure subquery, the others only while none is.

        Words in a row that no relation or type explains may name something, too.
        """
        queries = subqueries(self._now().question)
        wanted = [(q.text, "written like a name") for q in queries if q.sure]
        wanted += [(text, "no relation or type explains these words") for text in self._unexplained()]
        wanted += [(q.text, "no name found yet") for q in queries if not q.sure]
        for text, why in wanted:
            found = self._mentions()
            if any(text in m.text for m in found) or (found and why == "no name found yet"):
                continue
            if self._now().steps_left <= 1 and self._names():
                return
            yield GlobalSearch(text, reason=why)

    def _unexplained(self) -> list[str]:
        """Runs of two or more content words that the graph's relations and types do not explain."""
        text = self._now().question
        parsed, needs = self._provisional(text)
        runs: list[list[int]] = []
        for n, i in enumerate(parsed.needs):
            if needs.weight[n] >= OPEN_NEED:
                continue
            if runs and runs[-1][-1] == i - 1:
                runs[-1].append(i)
            else:
                runs.append([i])
        return [text[parsed.words[r[0]].start : parsed.words[r[-1]].end] for r in runs if len(r) > 1]

    def _provisional(self, text: str) -> tuple[Question, Needs]:
        """The question read around the likeliest name, before any search."""
        named = next((q.text for q in subqueries(text) if q.sure), "")
        start = text.find(named) if named else -1
        mention = Mention(start, start + len(named), named, (), 0) if start >= 0 else None
        parsed = read_question(text, mention)
        return parsed, self._reading.lens.needs(parsed)

    def _names(self) -> list[tuple[int, str]]:
        steps = self._now().steps
        found = [f.node for step in steps if isinstance(step, GlobalSearchStep) for f in step.found]
        return [(self._now().positions[node.id], node.name) for node in found]

    def _mentions(self) -> tuple[Mention, ...]:
        return find_mentions(self._now().question, self._names())

    def _anchors(self) -> list[int]:
        """The nodes to start from: those of the surest mentions, the agent's own first.

        Of nodes of one name the one that leads to the best way is taken; a mention that leads to none as good is left.
        """
        mentions = self._mentions() or partial_mentions(self._now().question, self._names())
        rated: list[tuple[float, int]] = []
        for mention in mentions:
            if mention.tier <= max(1, mentions[0].tier):
                promise, position = max(((self._promise(p), p) for p in mention.nodes), key=lambda x: (x[0], -x[1]))
                if position not in (p for _, p in rated):
                    rated.append((promise, position))
        if not rated:
            return []
        best = max(promise for promise, _ in rated)
        good = [position for promise, position in rated if promise >= best - MENTION_MARGIN][:MENTIONS]
        first = self._agent % len(good)
        return good[first:] + good[:first]

    def _promise(self, position: int) -> float:
        """The value of the best route from a node; -1 for a node without links."""
        best = self._reading.about(position, self._config.assess).plan.best()
        return best.value if best else -1.0

    # --- appending ----------------------------------------------------------------------------------

    def _append(self, arrivals: Sequence[Arrival], ways: Sequence[Way], reason: str = "") -> Steps:
        """Append nodes that are new: higher scores first, then better paths, then those that more paths lead to."""
        anchor = {id(a): way.anchor for way in ways for a in way.arrivals}
        new = [a for a in arrivals if a.position not in self._appended]
        if not new or self._now().steps_left <= 0:
            return
        new.sort(key=lambda a: (-round(a.score, 6), -round(a.walked, 6), -a.paths, self._tie(a.node.id)))
        picks = tuple(Pick(a.position, a.source, anchor[id(a)], a.path, a.score) for a in new[:APPENDED])
        self._appended.update(p.node for p in picks)
        names = self._view.roles.relations
        route = " > ".join(said(names[code >> 1], code) for code in ways[0].route)
        yield Append(picks, reason or f"they end the way {route}")

    def _append_joint(self, anchors: Sequence[int], ways: Sequence[Way]) -> Steps:
        """First what was found from several of the nodes named, or is one of them; then the rest, way by way."""
        question = read_question(self._now().question)
        polar, offered = question.polar, question.offers and not question.polar
        found_from: dict[int, set[int]] = {anchor: {anchor} for anchor in anchors}
        for way in ways:
            if not polar:  # "does .. have ..?": that one name leads to the other is the answer; else it is no answer
                way.arrivals = [a for a in way.arrivals if a.position not in anchors] or way.arrivals
            for arrival in way.arrivals:
                found_from.setdefault(arrival.position, set()).add(way.anchor)
        if offered:
            picks = tuple(Pick(anchor) for anchor in anchors if anchor not in self._appended)
            self._appended.update(anchors)
            yield Append(picks, "the question offers these as its answers")
        joint: dict[int, Arrival] = {}
        for arrival in (a for way in ways for a in way.arrivals):
            if len(found_from[arrival.position]) > 1:
                joint.setdefault(arrival.position, arrival)
        if joint:
            yield from self._append(list(joint.values()), ways, "found from more than one of the nodes named")
        for way in sorted(ways, key=lambda w: -round(w.score, 4)):
            yield from self._append(way.arrivals, [way])

    def _append_hits(self, anchors: Sequence[int]) -> Steps:
        """Nothing was reached: the nodes named are kept, or, without any, what the searches found, best first."""
        if anchors:
            picks = tuple(Pick(anchor) for anchor in anchors)
            self._appended.update(anchors)
            yield Append(picks, "no way leads on, so the node that the question names is kept")
            return
        found: dict[int, Pick] = {}
        for step in self._now().steps:
            if isinstance(step, GlobalSearchStep):
                for hit in step.found:
                    position = self._now().positions[hit.node.id]
                    found.setdefault(position, Pick(position, source=step.index, score=hit.score))
        if found:
            self._appended.update(list(found)[:FILL])
            reason = "the question names no node of the graph; these match its words best"
            yield Append(tuple(found.values())[:FILL], reason)

    def _tie(self, id_: str) -> int:
        """An order among equals that differs by agent and seed."""
        return zlib.crc32(f"{self._config.seed}/{self._agent}/{id_}".encode("utf-8", "replace"))


def _spans(text: str, parsed: Question, weights: Sequence[float]) -> tuple[Span, ...]:
    """The parts of the question that matter, in its order."""

    def span(word: Word, role: str, weight: float = 0.0) -> Span:
        return Span.model_validate(
            {"start": word.start, "end": word.end, "text": text[word.start : word.end], "role": role, "weight": weight}
        )

    spans = [span(parsed.words[i], "need", round(w, 4)) for i, w in zip(parsed.needs, weights, strict=True)]
    spans += [span(word, word.part) for word in parsed.words if word.part in ("mention", "cue")]
    return tuple(sorted(spans, key=lambda s: s.start))


def _expectation(kind: str, head: str) -> str:
    """What the question looks for, in words."""
    article = f"a {kind}" if kind else ""
    if article and head:
        return f"{article}, named by {head!r}"
    return article or (f"what {head!r} names" if head else "")
