"""What a language model is told in a Think-on-Graph run, in one file. Scores are whole numbers from 0 to 10."""

from __future__ import annotations

from collections.abc import Sequence

from core.graph.contracts import RelationCount
from core.llm.client import Message
from core.llm.fencing import FENCES, Budget, fenced, system, user
from core.peers.paths import PeerLink, PeerPath, arrow, node_in_words
from core.peers.recorder import Card

TOPICS = f"""A question is to be answered by walking a knowledge graph. {FENCES}

The options are nodes of the graph. Give each a whole number from 0 to 10: how surely is it one of the things that the
question names, and from which the walk should start? 10: the question names exactly this node. 0: it is something else.
A node that would be the answer is no start. Score the options by their handles (such as o1)."""

RELATIONS = f"""A question is to be answered by walking a knowledge graph. {FENCES}

You are shown the path walked so far. The options are the relations that leave its last node, with their direction and
how many edges there are. Give each a whole number from 0 to 10: how much will following it contribute to answering the
question, given what the path already covers? 10: the question asks for exactly this next. 0: it has nothing to do with
it. Score the options by their handles (such as o1)."""

ENTITIES = f"""A question is to be answered by walking a knowledge graph. {FENCES}

You are shown the path walked so far and the relation that is followed now. The options are the nodes it leads to. Give
each a whole number from 0 to 10: how much does it contribute to answering the question, as the answer or as the next
step towards it? Nodes that serve alike get the same number. Score the options by their handles (such as o1)."""

REASON = f"""A question is to be answered from paths through a knowledge graph. {FENCES}

Decide whether these paths, with what you know, suffice to answer the question. "enough": true if the answer stands at
the end of one of them, false if a further hop is needed. "reason": one short sentence."""


def question_in_words(question: str) -> str:
    """How every prompt opens."""
    return f"Question: {question}"


def topic_option(card: Card) -> str:
    """A node that may be a topic entity."""
    return f"{node_in_words(card.ref)} | {card.text}" if card.text else node_in_words(card.ref)


def before_relations(question: str, path: PeerPath) -> str:
    """Question and path."""
    return f"{question_in_words(question)}\n\nThe path so far:\n{fenced(path.in_words())}"


def relation_option(relation: RelationCount) -> str:
    """A relation, seen from the node one stands on."""
    link = PeerLink(type=relation.type, direction=relation.direction)
    return f"{arrow(link)} ({relation.edges} edge{'s' if relation.edges != 1 else ''})"


def before_entities(question: str, path: PeerPath, link: PeerLink) -> str:
    """Question, path, and the relation followed."""
    return f"{question_in_words(question)}\n\nThe path so far:\n{fenced(f'{path.in_words()} {arrow(link)} ?')}"


def entity_option(card: Card) -> str:
    """An entity and its text."""
    return topic_option(card)


def reason_prompt(question: str, paths: Sequence[tuple[PeerPath, str]], budget: Budget) -> list[Message]:
    """The paths of the beam, best first, each with the text of its end; what does not fit is counted."""
    room = budget.characters
    lines: list[str] = []
    for number, (path, text) in enumerate(paths, 1):
        line = " ".join(f"{number}. {path.in_words()} | {text}".split())
        if len(line) > room and lines:
            lines.append(f"({len(paths) - len(lines)} more paths did not fit)")
            break
        lines.append(line[:room])
        room -= len(line)
    told = fenced("\n".join(lines))
    return [system(REASON), user(f"{question_in_words(question)}\n\nPaths, best first:\n{told}\n\nDo they suffice?")]
