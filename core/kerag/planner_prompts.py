"""What a language model is told when it plans a KERAG run, in one file; what is shown of the graph stands in fences."""

from __future__ import annotations

from collections.abc import Sequence

from core.kerag.steps import SchemaStep, SeenRelation
from core.llm.client import Message
from core.llm.fencing import FENCES, Budget, fenced, system, user
from core.trace import NodeRef

LEAST_LINE = 60  # characters below which a line is not worth showing
NAMES_SHOWN = 6  # topics that later prompts name
KINDS = "lookup, count, superlative, comparison, yes/no, set, multi-hop"

TOPICS = f"""A question is to be answered from a knowledge graph, starting from the things that it names. {FENCES}

The options are nodes of the graph that a search for the question's words brought. Decide
- entities: the handles (such as o1) of the nodes that the question names, the most important first; all of those that
  it names, as in a comparison, and none that would be the answer. Empty, if no option is what the question names.
- domain: the kind of thing that the question is about, in one or two words.
- question_kind: one of {KINDS}.
- reason: one short sentence."""

RELATIONS = f"""A question is to be answered from a knowledge graph. Around its topic a whole neighbourhood will be \
retrieved, hop by hop; someone else then reasons over it. {FENCES}

You are shown what is in the scope so far and the relations that lead on from there. Decide
- irrelevant: the handles (such as r1) of the relations that have absolutely nothing to do with the question. Leave out
  only those: one that might help stays. A relation marked "decided by hand" is not yours to decide.
- enough: true, if the relations that stay, with those of the hops before, hold all that the question needs; false, if
  something about the nodes they lead to must be known, too.
- missing: what is still missing, in a few words; empty if nothing is.
- reason: one short sentence."""


def topics_prompt(question: str, options: Sequence[str], budget: Budget) -> tuple[list[Message], int]:
    """The options as they fit; how many are shown."""
    lines = _numbered("o", options, budget)
    text = f"Question: {question}\n\nOptions:\n{fenced(chr(10).join(lines) or '(none)')}\n\nWhich does it name?"
    return [system(TOPICS), user(text)], len(lines)


def topic_option(node: NodeRef, text: str) -> str:
    """A node that may be a topic."""
    named = f"{node.name} ({node.type})" if node.type else node.name
    return f"{named} | {text}" if text and text != node.name else named


def relations_prompt(
    question: str,
    topics: Sequence[NodeRef],
    earlier: Sequence[SchemaStep],
    seen: Sequence[SeenRelation],
    observation: str,
    budget: Budget,
) -> tuple[list[Message], int]:
    """The schema at a hop; how many of its relations are shown."""
    names = ", ".join(topic_option(t, "") for t in topics[:NAMES_SHOWN])
    more = f" and {len(topics) - NAMES_SHOWN} more" if len(topics) > NAMES_SHOWN else ""
    scope = [f"Topic: {names}{more}"]
    for step in earlier:
        kept = [way(s) for s in step.relations if s.kept]
        scope.append(f"Hop {step.hop} follows: {', '.join(kept) or 'nothing'}")
    before = fenced("\n".join(scope))
    lines = _numbered("r", [_relation(s) for s in seen], Budget(budget.characters - len(before)))
    left = len(seen) - len(lines)
    cut = f"\n({left} more did not fit; they stay)" if left else ""
    told = f"\n\n{observation}" if observation else ""
    text = (
        f"Question: {question}\n\nIn scope so far:\n{before}\n\nRelations at hop {len(earlier) + 1}:\n"
        f"{fenced(chr(10).join(lines) + cut)}{told}\n\nWhich are irrelevant, and is it enough?"
    )
    return [system(RELATIONS), user(text)], len(lines)


def unknown_observation(handles: Sequence[str]) -> str:
    """What the model is told of relations that it named and that are not in view."""
    named = ", ".join(" ".join(h.split())[:40] for h in handles[:5])
    return f"Your last reply named relations that were not in view:\n{fenced(named)}\nName only handles that are shown."


def way(seen: SeenRelation) -> str:
    """A relation, seen from where one stands."""
    return f"-[{seen.relation}]->" if seen.direction == "out" else f"<-[{seen.relation}]-"


def _relation(seen: SeenRelation) -> str:
    kinds = f" to {', '.join(seen.node_types)}" if seen.node_types else ""
    examples = f", e.g. {', '.join(seen.examples)}" if seen.examples else ""
    by_hand = f" | decided by hand: {'stays' if seen.kept else 'left out'}" if seen.by == "hand" else ""
    return f"{way(seen)}{kinds} ({seen.edges} triple{'s' if seen.edges != 1 else ''}{examples}){by_hand}"


def _numbered(letter: str, options: Sequence[str], budget: Budget) -> list[str]:
    """Numbered options, one a line, as many as fit; line ends inside an option become spaces."""
    room, lines = budget.characters, []
    for number, option in enumerate(options, 1):
        line = f"{letter}{number}: {' '.join(option.split())}"
        if len(line) > room:
            if room < LEAST_LINE:
                break
            line = line[:room]
        room -= len(line) + 1
        lines.append(line)
    return lines
