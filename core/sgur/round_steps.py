"""The steps of one round, made of what the engine worked out: candidates, belief, alignments, questions, stop.

Not here: the order of rounds (`session`), and any computation of distances or gains.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from core.sgur.acquisition import batch, gains
from core.sgur.alignment import Aligned
from core.sgur.belief import TIE, entropy_bits, in_bands, places
from core.sgur.engine import Engine, Look
from core.sgur.layered import Layered
from core.sgur.reasons import reasons
from core.sgur.steps import (
    Alignment,
    AlignmentStep,
    Belief,
    BeliefStep,
    CandidatesStep,
    Expectation,
    GraphNode,
    Moved,
    Parts,
    Question,
    QuestionsStep,
    SgurStep,
    StopStep,
)
from core.sgur.wording import percent, progress

SHOWN = 50  # hypotheses that a belief step names
LEADING = 10  # of them with reasons
LAID = 5  # alignments that are kept with their plans
LISTED = 20  # questions
LEAST_MASS = 1e-9


def round_steps(engine: Engine, look: Look, number: int, skip: frozenset[int]) -> tuple[SgurStep, ...]:
    """All steps that follow from a look, in order. skip: positions of observations that were asked for before."""
    questions = questions_step(engine, look, skip)
    belief = belief_step(engine, look)
    steps: list[SgurStep] = [
        candidates_step(engine, look),
        belief,
        alignment_step(engine, look),
        questions,
        stop_step(look, belief, questions, number),
    ]
    return tuple(step.model_copy(update={"round": number}) for step in steps)


def candidates_step(engine: Engine, look: Look) -> CandidatesStep:
    """SGUR-4 in numbers."""
    closed = look.closed
    left = int(closed.compatible.sum())
    return CandidatesStep(
        total=len(engine.graph.hypotheses),
        same=int(closed.same.sum()),
        sharing=int(closed.sharing.sum()),
        compatible=left,
        aligned=len(look.aligned),
        reason="" if left else "Nothing observed is like anything reported, so all remain.",
    )


def belief_step(engine: Engine, look: Look) -> BeliefStep:
    """SGUR-6: the closest hypotheses with their reasons, and the rest in numbers."""
    p, place, order = look.probability, places(look.distance), look.order
    shown = [h for h in order[:SHOWN].tolist() if math.isfinite(look.distance[h])]
    query = look.query
    names = engine.graph.observations
    beliefs = tuple(
        Belief(
            hypothesis=engine.graph.hypotheses.node(h),
            place=float(place[h]),
            probability=float(p[h]),
            distance=float(look.distance[h]),
            parts=_parts(look, h),
            aligned=h in look.aligned,
            twins=int((np.abs(look.distance - look.distance[h]) <= TIE).sum()) - 1,
            observations=int(engine.index.sizes[h]),
            reasons=reasons(engine, look, h) if rank < LEADING else (),
        )
        for rank, h in enumerate(shown)
    )
    rest = np.delete(look.distance, shown)
    return BeliefStep(
        beliefs=beliefs,
        terms=len(query.observed),
        beta=look.config.beta,
        exponent=look.exponent,
        entropy_bits=entropy_bits(p),
        entropy_most=math.log2(len(p)),
        rest=in_bands(rest),
        rest_count=len(rest),
        rest_probability=float(np.delete(p, shown).sum()),
        observed=tuple(names.node(b) for b in query.observed),
        excluded=tuple(names.node(e) for e in query.excluded),
        reason="" if query.observed else "Nothing was observed yet, so every hypothesis is as near as any other.",
    )


def alignment_step(engine: Engine, look: Look) -> AlignmentStep:
    """SGUR-5: the plans of the leading candidates."""
    if look.graph is None:
        return AlignmentStep(alpha=look.config.alpha)
    leaders = [h for h in look.order.tolist() if h in look.aligned][:LAID]
    return AlignmentStep(
        alpha=look.config.alpha,
        query=_nodes(engine, look.graph, range(look.graph.size)),
        links=_links(look.graph, range(look.graph.size)),
        alignments=tuple(_alignment(engine, look.aligned[h]) for h in leaders),
    )


def questions_step(engine: Engine, look: Look, skip: frozenset[int]) -> QuestionsStep:
    """SGUR-7: the most informative questions, with the terms of each sum."""
    found = gains(engine, look, skip)
    chosen, like = batch(engine, found.observation, look.config.batch)
    leaders = look.order[: look.config.kappa].tolist()
    names, implied = engine.graph.observations, engine.index.implied
    questions = []
    for i, s in enumerate(found.observation[: max(LISTED, look.config.batch)].tolist()):
        expectations = []
        for h in leaders:
            implies = s in implied.indices[implied.indptr[h] : implied.indptr[h + 1]]
            own = np.flatnonzero(engine.index.observations_of(h) == s)
            often = float(engine.index.frequencies_of(h)[own[0]]) if len(own) else math.nan
            expectations.append(
                Expectation(
                    hypothesis=engine.graph.hypotheses.node(h),
                    p_yes=look.config.p_implied if implies else look.config.p_otherwise,
                    frequency=None if math.isnan(often) else often,
                )
            )
        questions.append(
            Question(
                observation=names.node(s),
                eig_bits=float(found.eig[i]),
                p_yes=float(found.p_yes[i]),
                entropy_yes=float(found.entropy_yes[i]),
                entropy_no=float(found.entropy_no[i]),
                asked=s in chosen,
                like=names.names[like[s]] if s in like else "",
                expectations=tuple(expectations),
                localisations=tuple(engine.graph.localisations.node(int(x)) for x in engine.index.localisations_of(s)),
            )
        )
    return QuestionsStep(
        entropy_bits=found.entropy,
        considered=len(found.observation),
        p_implied=look.config.p_implied,
        p_otherwise=look.config.p_otherwise,
        questions=tuple(questions),
    )


def stop_step(look: Look, belief: BeliefStep, questions: QuestionsStep, number: int) -> StopStep:
    """SGUR-8: the first rule that holds."""
    leader = belief.beliefs[0]
    output = tuple(b.hypothesis for b in belief.beliefs[: look.config.top])
    if not look.query.observed:
        return StopStep(stop=False, rule="nothing observed", reason="Nothing was observed yet.")
    if leader.probability >= look.config.confident:
        enough = percent(look.config.confident)
        why = f"{leader.hypothesis.name} has {percent(leader.probability)}, and {enough} is enough."
        return StopStep(stop=True, rule="confident", output=output, reason=why)
    where = progress(number, look.config.rounds)
    if number >= look.config.rounds:
        return StopStep(stop=True, rule="rounds", output=output, reason=f"{where}.")
    if not questions.questions:
        return StopStep(
            stop=True, rule="nothing to ask", output=output, reason="Every observation of the leaders is known."
        )
    why = f"{where}, and the leader has {percent(leader.probability)}."
    return StopStep(stop=False, rule="go on", output=output, reason=why)


def _parts(look: Look, h: int) -> Parts:
    if h in look.aligned and not look.config.literal:
        return look.aligned[h].parts
    feature, size, denied = (float(x[h]) for x in (look.closed.feature, look.closed.size, look.closed.denied))
    # Beyond the aligned ones a distance is a bound and what lifts it past them; both are features' cost.
    return Parts(
        feature=max(float(look.distance[h]) - size - denied, 0.0) if look.aligned else feature, size=size, denied=denied
    )


def _alignment(engine: Engine, aligned: Aligned) -> Alignment:
    graph, plan = aligned.graph, aligned.plan.gamma
    rows, columns = np.nonzero(plan > LEAST_MASS)
    kept, places_ = np.unique(rows, return_inverse=True)
    treated = engine.graph.treated
    start, end = treated.indptr[aligned.hypothesis : aligned.hypothesis + 2]
    return Alignment(
        hypothesis=engine.graph.hypotheses.node(aligned.hypothesis),
        nodes=_nodes(engine, graph, kept.tolist()),
        links=_links(graph, kept.tolist()),
        plan=tuple(
            Moved(source=int(b), target=int(a), mass=float(plan[row, b]), cost=float(aligned.costs[row, b]))
            for row, a, b in zip(rows, places_, columns, strict=True)
        ),
        moved=aligned.plan.moved,
        parts=aligned.parts,
        iterations=aligned.plan.iterations,
        treatments=tuple(engine.graph.treatments.node(int(t)) for t in treated.indices[start:end]),
        more_nodes=graph.size - len(kept),
    )


def _nodes(engine: Engine, graph: Layered, chosen: Iterable[int]) -> tuple[GraphNode, ...]:
    n = len(graph.observations)
    return tuple(
        GraphNode(
            node=engine.graph.observations.node(int(graph.observations[i]))
            if i < n
            else engine.graph.localisations.node(int(graph.localisations[i - n])),
            layer="observation" if i < n else "localisation",
            mass=float(graph.mass[i]),
        )
        for i in chosen
    )


def _links(graph: Layered, chosen: Iterable[int]) -> tuple[tuple[int, int, float], ...]:
    place = {node: i for i, node in enumerate(chosen)}
    source, target, weight = (x.tolist() for x in graph.links)
    return tuple(
        (place[a], place[b], float(w))
        for a, b, w in zip(source, target, weight, strict=True)
        if a in place and b in place
    )
