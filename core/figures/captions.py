"""A step in plain words, as the replay's subtitle and the steps table say it. Text only."""

from __future__ import annotations

from collections.abc import Mapping

from core.cara.steps import (
    AppendStep,
    AssessStep,
    FailedStep,
    FinishStep,
    GlobalSearchStep,
    NeighborsStep,
    ReadQuestion,
)
from core.figures.graph_view import FrameKind
from core.figures.words import agent_name, count, cut, isolate, listed, named, quoted, relation_words
from core.llm.answering import AnswerStep
from core.peers.steps import PeerSearchStep
from core.trace import NodeRef, Step

KINDS: Mapping[str, FrameKind] = {
    "cara.read_question": "read",
    "cara.global_search": "search",
    "cara.neighbors": "look",
    "cara.assess": "weigh",
    "cara.append": "append",
    "cara.finish": "finish",
    "cara.failed": "failed",
    "peer.search": "search",
    "model.answer": "answer",
}
IN_CAPTION = 80
ACTIONS: Mapping[FrameKind, str] = {
    "read": "read the question",
    "search": "GlobalSearch",
    "look": "Neighbors",
    "weigh": "causal module",
    "append": "Append",
    "finish": "Finish",
    "answer": "answer",
    "failed": "failed",
}


def kind_of(step: Step) -> FrameKind:
    """The kind of frame a step makes; a step of another method counts as a search, or as failed."""
    if isinstance(step, AnswerStep) and step.error:
        return "failed"
    return KINDS.get(step.kind, "failed" if step.kind.endswith(".failed") else "search")


def caption(step: Step, hop: NeighborsStep | None = None, on_list: int | None = None) -> str:
    """One sentence on `step`, opened by who and when.

    hop: for an assess step, the Neighbors call whose candidates it weighs. on_list: nodes on the agent's list so far.
    """
    if isinstance(step, AnswerStep):
        return f"Answer: {told(step)}"
    return f"{agent_name(step.agent)}, step {step.index}: {told(step, hop, on_list)}"


def made_by(step: Step) -> str:
    """Whose step it is: the agent's name, or that it is the answer's."""
    return "Answer" if isinstance(step, AnswerStep) else agent_name(step.agent)


def told(step: Step, hop: NeighborsStep | None = None, on_list: int | None = None) -> str:
    """The caption without its opening."""
    if isinstance(step, ReadQuestion):
        return _read(step)
    if isinstance(step, GlobalSearchStep | PeerSearchStep):
        return _searched(step)
    if isinstance(step, NeighborsStep):
        return _looked(step)
    if isinstance(step, AssessStep):
        return _weighed(step, hop)
    if isinstance(step, AppendStep):
        so_far = f" ({on_list:,} so far)" if on_list else ""
        names = [named(a.node.name) for a in step.nodes]
        return f"put {listed(names)} on its list{so_far}" if names else "put nothing on its list"
    if isinstance(step, FinishStep):
        end = "stopped, its budget of steps was spent" if step.budget_spent else "finished"
        return end if on_list is None else f"{end} with {count(on_list, 'node')} on its list"
    if isinstance(step, FailedStep):
        return f"could not do {quoted(step.action)}: {isolate(cut(step.error, 160))}"
    if isinstance(step, AnswerStep):
        who = f"{isolate(cut(step.decided_by, IN_CAPTION))} was asked to write it from the ranked list"
        return f"{who}, and none came: {isolate(cut(step.error, 160))}" if step.error else who
    return _of_another_method(step)


def reason(step: Step) -> str:
    """Why the agent took the step, in its own words; empty when it did not say."""
    why = getattr(step, "reason", "")
    return isolate(cut(why, 240)) if isinstance(why, str) else ""


def _of_another_method(step: Step) -> str:
    """What can be said of a step whose type this room does not know: its name, and the fault it may tell."""
    fault = getattr(step, "error", "")
    name = isolate(cut(step.kind.replace(".", ": ").replace("_", " ")))
    return f"{name}: {isolate(cut(fault, 160))}" if isinstance(fault, str) and fault else name


def _read(step: ReadQuestion) -> str:
    parts = []
    for role, opening in (("mention", "names"), ("need", "to be explained:"), ("cue", "cues:")):
        words = [quoted(s.text, 40) for s in step.spans if s.role == role]
        if words:
            parts.append(f"{opening} {listed(words, 5)}")
    if step.expects:
        parts.append(f"looks for {isolate(cut(step.expects, IN_CAPTION))}")
    return "read the question" + (f"; {'; '.join(parts)}" if parts else "")


def _searched(step: GlobalSearchStep | PeerSearchStep) -> str:
    by = f" by {isolate(cut(step.encoder))} vectors" if isinstance(step, PeerSearchStep) and step.encoder else ""
    opening = f"searched the whole graph for {quoted(step.subquery)}{by}"
    if not step.found:
        return f"{opening}: nothing found"
    return f"{opening}: {len(step.found):,} found; first: {named(step.found[0].node.name)}"


def _looked(step: NeighborsStep) -> str:
    along = f" along {listed([quoted(relation_words(t)) for t in step.edge_types])}" if step.edge_types else ""
    only = f", only {listed([isolate(cut(t)) for t in step.node_types])}" if step.node_types else ""
    opening = f"looked around {named(step.node.name)}{along}{only}"
    shown = len(step.candidates)
    if not step.total:
        return f"{opening}: no neighbours"
    if shown < step.total:
        return f"{opening}: {shown:,} of {count(step.total, 'neighbour')}"
    return f"{opening}: {count(shown, 'neighbour')}"


def _weighed(step: AssessStep, hop: NeighborsStep | None) -> str:
    around = f" of {named(hop.node.name)}" if hop is not None else ""
    n = len(step.assessments)
    if not n:
        return f"weighed the neighbours{around}: none"
    known: dict[str, NodeRef] = {c.node.id: c.node for c in hop.candidates} if hop is not None else {}
    best = step.assessments[0]
    name = named(known[best.id].name) if best.id in known else "score"
    kept = f"; {step.kept:,} handed to the agent" if step.kept < n else ""
    neighbours = "the one neighbour" if n == 1 else f"the {n:,} neighbours"
    return f"weighed {neighbours}{around}; best: {name} ({best.score:.2f}){kept}"
