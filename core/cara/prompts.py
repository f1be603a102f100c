"""What a language model is told in a CARA run, in one file, and how a graph is put into words for it.

Everything that comes from the graph stands between fences and is called data; a fence inside the data is
broken up, and the instructions say that nothing between fences is to be obeyed. A text that does not fit
the context is cut by score, and the cut is said in the prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.cara.contracts import AgentState
from core.cara.steps import (
    AppendStep,
    AssessStep,
    CaraStep,
    FailedStep,
    Found,
    GlobalSearchStep,
    Hop,
    Link,
    NeighborsStep,
    path_in_words,
)
from core.graph.contracts import Schema
from core.llm.client import Message
from core.llm.fencing import FENCE_CLOSE as FENCE_CLOSE
from core.llm.fencing import FENCE_OPEN as FENCE_OPEN
from core.llm.fencing import FENCES, system, user
from core.llm.fencing import Budget as Budget
from core.llm.fencing import fenced as fenced
from core.trace import Ranked

NAMES_SHOWN = 40  # types of nodes or of relations that a prompt lists

AGENT = f"""You answer a question by walking a knowledge graph, one action at a time. {FENCES}

Actions:
- global_search: find nodes anywhere by keywords. Fill in "subquery".
- neighbors: look one hop around a node you have seen. Fill in "node" (its handle, such as n3) and "subquery"
  (what you hope to find there); "edge_types" and "node_types" may narrow it to names from the schema.
- append: put nodes you have seen on your list of evidence. Fill in "nodes" (handles, the best first).
- finish: end, when the list holds what answers the question.

Start with a global_search for a name in the question. Follow relations that the question speaks of. Append the nodes
that answer the question, then finish. Where scores are shown they come from an assessor: c is how much a candidate
changes the evidence, e how much would be lost without it, p how well it continues the path, s all of them together.
They inform you; you decide. "reason" is one short sentence."""

ASSESSOR = f"""You assess candidates for the next hop of a walk through a knowledge graph. {FENCES}

Give each candidate three whole numbers from 0 to 10:
- consequentiality: does adding this candidate, with the relation that leads to it, materially change the evidence for
  answering the question? 0: it adds nothing. 10: it advances the answer decisively.
- essentiality: if this candidate and its relation were taken away, would an important part of the evidence be lost
  that the walk so far cannot replace? 0: nothing is lost. 10: it cannot be replaced.
- path_consistency: is the step from the current node to it a coherent continuation of the path toward an answer?
"rationale" is one short sentence. Assess every candidate, by its handle."""

ANSWERER = f"""You answer a question from evidence alone. {FENCES}

Write the answer as a few sentences. For each sentence list the handles of the evidence that supports it (such as e2).
State nothing that the evidence does not support. If it does not answer the question, say so in one sentence."""


class Handles:
    """Short names (n1, n2, ..) for the nodes an agent has seen, in the order of seeing them."""

    def __init__(self) -> None:
        self._of_id: dict[str, str] = {}
        self._ids: dict[str, str] = {}

    def __call__(self, node_id: str) -> str:
        handle = self._of_id.get(node_id)
        if handle is None:
            handle = f"n{len(self._of_id) + 1}"
            self._of_id[node_id] = handle
            self._ids[handle] = node_id
        return handle

    def node_id(self, handle: str) -> str | None:
        """The id behind a handle, forgiving brackets and case; None for one that was never shown."""
        return self._ids.get(handle.strip().strip("[]()<>\"'").lower())


def schema_in_words(schema: Schema) -> str:
    """The types of nodes and relations, the most frequent first; how many are not listed is said."""

    def listed(counts: dict[str, int]) -> str:
        names = sorted((n for n in counts if n), key=lambda n: (-counts[n], n))
        more = f", and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
        return ", ".join(names[:NAMES_SHOWN]) + more if names else "(none)"

    return f"Node types: {listed(schema.node_types)}\nRelations: {listed(schema.edge_types)}"


def agent_prompt(state: AgentState, schema: Schema, handles: Handles, budget: Budget) -> list[Message]:
    """The next-action prompt: question, schema, what was done, the last observation in full, the list so far."""
    parts = [
        f"Question: {state.question}",
        fenced(schema_in_words(schema)),
        f"Actions left: {state.steps_left}",
        "So far:\n" + (fenced("\n".join(_history(state.steps, handles, budget.characters // 3))) or "nothing"),
        _observation(state, handles, budget.characters // 2),
        _retrieved(state, handles),
        "Your next action?",
    ]
    return [system(AGENT), user("\n\n".join(p for p in parts if p))]


def assessor_prompt(
    question: str, hop: NeighborsStep, path: Sequence[Hop], handles: Handles, budget: Budget
) -> tuple[list[Message], tuple[str, ...]]:
    """The one batched call of a hop, and the ids of the candidates that fitted into it, the best by BM25 first."""
    lines, shown = [], []
    room = budget.characters
    for c in sorted(hop.candidates, key=lambda c: -c.bm25):
        line = f"{handles(c.node.id)}: {_node(c.node.name, c.node.type)} | {_links(c.links)} | {c.text}"
        if room < len(line):
            line = line[: max(room, 80)]
        if room <= 0:
            break
        room -= len(line)
        lines.append(line)
        shown.append(c.node.id)
    left_out = len(hop.candidates) - len(shown)
    cut = f"\n({left_out} candidates of lower BM25 score did not fit and are not shown)" if left_out else ""
    so_far = path_in_words(hop.anchor, tuple(path))
    text = (
        f"Question: {question}\n\nThe walk so far, and the current node:\n{fenced(so_far)}\n\n"
        f"Candidates: handle: name (type) | relation | text\n{fenced(chr(10).join(lines) + cut)}\n\nAssess each."
    )
    return [system(ASSESSOR), user(text)], tuple(shown)


def answer_prompt(
    question: str, evidence: Iterable[tuple[str, Ranked, str, str]], budget: Budget
) -> tuple[list[Message], dict[str, str]]:
    """The answer's prompt, and handle -> node id of the evidence in it.

    Evidence: (node id, line of the fused list, how it was reached, its text), best first.
    """
    lines: list[str] = []
    handles: dict[str, str] = {}
    room = budget.characters
    for number, (node_id, ranked, link, text) in enumerate(evidence, 1):
        line = f"e{number}: {_node(ranked.name, ranked.type)} | {link} | {text}"
        if len(line) > room:
            lines.append("(more evidence, ranked lower, did not fit)")
            break
        room -= len(line)
        lines.append(line)
        handles[f"e{number}"] = node_id
    body = fenced("\n".join(lines)) if lines else "(no evidence was found)"
    return [system(ANSWERER), user(f"Question: {question}\n\nEvidence, best first:\n{body}")], handles


def _history(steps: Sequence[CaraStep], handles: Handles, room: int) -> list[str]:
    """A line per action, the latest kept when they do not all fit."""
    lines = []
    for step in steps:
        if isinstance(step, GlobalSearchStep):
            lines.append(f"global_search {step.subquery!r}: {len(step.found)} nodes")
        elif isinstance(step, NeighborsStep):
            along = f" along {', '.join(step.edge_types)}" if step.edge_types else ""
            lines.append(f"neighbors of {handles(step.node.id)} {step.node.name}{along}: {step.total} nodes")
        elif isinstance(step, AppendStep):
            lines.append("append " + ", ".join(handles(n.node.id) for n in step.nodes))
        elif isinstance(step, FailedStep):
            lines.append(f"failed: {step.error}")
    kept: list[str] = []
    for line in reversed(lines):
        room -= len(line)
        if room < 0:
            kept.append(f"({len(lines) - len(kept)} earlier actions not shown)")
            break
        kept.append(line)
    return kept[::-1]


def _observation(state: AgentState, handles: Handles, room: int) -> str:
    """What the last tool call returned, best first; what does not fit is counted."""
    step = state.last
    lines: list[str] = []
    title = ""
    if isinstance(step, AssessStep):
        hop = next(s for s in state.steps if s.index == step.source)
        assert isinstance(hop, NeighborsStep)
        cards = {c.node.id: c for c in hop.candidates}
        title = f"Neighbors of {hop.node.name}, assessed"
        for a in step.assessments[: step.kept]:
            c = cards[a.id]
            scores = f"c {a.consequentiality:.1f} e {a.essentiality:.1f} p {a.path_consistency:.1f} s {a.score:.2f}"
            lines.append(
                f"{handles(a.id)}: {_node(c.node.name, c.node.type)} | {_links(c.links)} | {scores} | {c.text}"
            )
    elif isinstance(step, NeighborsStep):
        title = f"Neighbors of {step.node.name}"
        lines = [
            f"{handles(c.node.id)}: {_node(c.node.name, c.node.type)} | {_links(c.links)} | {c.text}"
            for c in step.candidates
        ]
    elif isinstance(step, GlobalSearchStep):
        title = f"Found by global_search {step.subquery!r}"
        lines = [_found(f, handles) for f in step.found]
    elif isinstance(step, FailedStep):
        return f"The last action failed: {step.error}"
    if not title:
        return ""
    kept: list[str] = []
    for line in lines:
        room -= len(line)
        if room < 0 and kept:
            kept.append(f"({len(lines) - len(kept)} more with lower scores not shown)")
            break
        kept.append(line)
    return fenced(title + ":\n" + ("\n".join(kept) or "nothing"))


def _found(found: Found, handles: Handles) -> str:
    return f"{handles(found.node.id)}: {_node(found.node.name, found.node.type)} | {found.text}"


def _retrieved(state: AgentState, handles: Handles) -> str:
    nodes = [n.node for s in state.steps if isinstance(s, AppendStep) for n in s.nodes]
    if not nodes:
        return "Your list is empty."
    return "Your list:\n" + fenced("\n".join(f"{handles(n.id)} {n.name}" for n in nodes[:50]))


def _arrow(link: Link) -> str:
    return f"-[{link.type}]->" if link.direction == "out" else f"<-[{link.type}]-"


def _links(links: Sequence[Link]) -> str:
    return " ".join(_arrow(link) for link in links)


def _node(name: str, type_: str) -> str:
    return f"{name} ({type_})" if type_ else name
