"""What a language model is told in a KAR run, in one file. Scores are whole numbers from 0 to 10."""

from __future__ import annotations

from collections.abc import Sequence

from core.graph.contracts import RelationCount
from core.llm.client import Message
from core.llm.fencing import FENCES, Budget, fenced, system, user
from core.peers.kar_steps import KarTriple
from core.peers.paths import PeerLink, arrow, node_in_words
from core.peers.recorder import Card

TYPES_SHOWN = 60

LINK = f"""A search query is to be expanded with what a knowledge graph knows of the things it names. {FENCES}

The options are nodes of the graph. Give each a whole number from 0 to 10: how surely is it one of the things that the
query names? 10: the query names exactly this node. 0: it is something else, or would be an answer. Score the options by
their handles (such as o1)."""

RELATIONS = f"""A search query is to be expanded with what a knowledge graph knows of the things it names. {FENCES}

You are shown a node that the query names. The options are the types of its relations, with their direction and how many
edges there are. Give each a whole number from 0 to 10: how well does this type of relation fit what the query asks?
10: the query speaks of this relation. 0: it has nothing to do with it. Score the options by their handles (such as
o1)."""

EXPAND = f"""A search query is to be expanded, so that a keyword search finds the nodes that answer it. {FENCES}

You are shown what a knowledge graph knows of the things the query names. Write into "expansion" a short passage, as a
text about the answer would read: use the names and words from the facts that fit the query, leave out what does not
fit, and add nothing that you do not know. Put into "answer_types" the types, out of those listed, that an answer to the
query may have; leave it empty if any may."""


def topic_option(card: Card) -> str:
    """A node that the query may name."""
    return f"{node_in_words(card.ref)} | {card.text}" if card.text else node_in_words(card.ref)


def query_in_words(question: str) -> str:
    """How every prompt opens."""
    return f"Query: {question}"


def before_relations(question: str, card: Card) -> str:
    """Query and node."""
    return f"{query_in_words(question)}\n\nThe node:\n{fenced(topic_option(card))}"


def relation_option(relation: RelationCount) -> str:
    """A type of relation, seen from the node."""
    link = PeerLink(type=relation.type, direction=relation.direction)
    return f"{arrow(link)} ({relation.edges} edge{'s' if relation.edges != 1 else ''})"


def expand_prompt(
    question: str, triples: Sequence[KarTriple], node_types: Sequence[str], budget: Budget
) -> list[Message]:
    """The facts, best first, as many as fit; how many do not is said."""
    room = budget.characters
    lines: list[str] = []
    for triple in triples:
        node = f"{node_in_words(triple.node)}{' | ' + triple.text if triple.text else ''}"
        line = " ".join(f"{triple.entity.name} {arrow(triple.link)} {node}".split())
        if len(line) > room and lines:
            lines.append(f"({len(triples) - len(lines)} more facts did not fit)")
            break
        lines.append(line[:room])
        room -= len(line)
    types = f"\n\nTypes of nodes:\n{fenced(', '.join(node_types[:TYPES_SHOWN]))}" if node_types else ""
    facts = fenced("\n".join(lines))
    return [
        system(EXPAND),
        user(f"{query_in_words(question)}\n\nFacts, best first:\n{facts}{types}\n\nExpand the query."),
    ]
