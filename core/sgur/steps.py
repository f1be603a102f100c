"""The settings of a diagnosis in rounds, and its steps as a trace stores them.

A round is: what was told or answered, the candidates, the belief, the alignments behind it, the questions worth
asking, and whether to stop. All that a page draws of a session is here; `round` counts from 1.
Not here: how any of it is computed.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from core.llm.exchange import Exchange
from core.trace import Evidence, Frozen, NodeRef, Step, register_step

Share = Annotated[float, Field(ge=-1e-9, le=1 + 1e-9, allow_inf_nan=False)]  # in [0, 1], but for rounding
Finite = Annotated[float, Field(ge=-1e6, le=1e6, allow_inf_nan=False)]
Reply = Literal["yes", "no", "unknown"]
How = Literal["id", "replaced id", "name", "synonym", "words", "meaning", "model", "hand"]
Likeness = Literal["same", "broader", "narrower", "similar", "never reported"]
LayerName = Literal["observation", "localisation"]


class SgurConfig(Frozen):
    """Settings of a session. What is not in the paper is marked [ours].

    alpha: share of structure in the alignment (SGUR-5). beta: temperature of the belief (SGUR-6); the exponent is n D
    / beta for n observed terms [ours], D / beta where `literal`; .15 lies between what made the truth most likely for
    exact terms (.07), noisy ones (.12) and real cases (.3). size_weight: of the term that keeps a hypothesis with
    hundreds of observations from matching everything [ours]. specificity: exponent of an observation's idf in its
    mass; 0 is uniform. power: of the similarity of two observations in the feature cost 1 - similarity ** power
    [ours]. no_weight: of an observation that was denied unasked, beside one that was seen [ours]. answer_weight: of a
    "no" to a question; over beta it is what the answer costs in nats, and .45 / .15 is what the answer model says,
    ln((1 - p_otherwise) / (1 - p_implied)) [ours]. mismatch: c_mis. partial: partial transport; without, all mass
    must move (full FGW). literal: the paper's formulas as they stand: costs of 0 or 1, no cost of unmatched evidence,
    no size term. aligned: how many of the closest hypotheses are aligned node by node. kappa: candidates whose
    observations may be asked for (SGUR-7). batch: questions a round (b). rounds: T. top: hypotheses put out (k).
    p_implied, p_otherwise: the answer model, p("yes") where a hypothesis implies the observation and where it does
    not [ours]. confident: the probability of the leader at which a session may stop [ours].
    """

    alpha: float = Field(0.5, ge=0.0, le=1.0)
    beta: float = Field(0.15, gt=0.0, le=100.0)
    size_weight: float = Field(0.4, ge=0.0, le=5.0)
    specificity: float = Field(1.0, ge=0.0, le=4.0)
    power: float = Field(4.0, ge=0.5, le=16.0)
    no_weight: float = Field(0.05, ge=0.0, le=5.0)
    answer_weight: float = Field(0.45, ge=0.0, le=5.0)
    mismatch: float = Field(1.0, ge=0.0, le=10.0)
    partial: bool = True
    literal: bool = False
    aligned: int = Field(50, ge=0, le=500)
    kappa: int = Field(5, ge=1, le=100)
    batch: int = Field(2, ge=1, le=20)
    rounds: int = Field(3, ge=1, le=50)
    top: int = Field(3, ge=1, le=50)
    p_implied: float = Field(0.95, gt=0.0, lt=1.0)
    p_otherwise: float = Field(0.02, gt=0.0, lt=1.0)
    confident: float = Field(0.9, gt=0.0, le=1.0)


class SgurStep(Step):
    """What every step of this method has: its round, why it was taken, and the exchange where a model decided."""

    round: int = Field(1, ge=1)
    reason: str = ""
    exchange: Exchange | None = None


class Match(Frozen):
    """An observation that was recognised, and the words behind it: `words[start:end]` of the message.

    how: by its id, a name, a synonym, its words, its meaning (embedding), a model, or by hand. similarity in [0, 1].
    `said` is the stretch of the message, or the id that was given.
    """

    observation: NodeRef
    said: str = ""
    start: int = 0
    end: int = 0
    how: How = "id"
    similarity: float = 1.0
    localisations: tuple[NodeRef, ...] = ()


class Unmatched(Frozen):
    """A stretch of the message, or an id, that stands for no known observation, and why."""

    text: str
    start: int = 0
    end: int = 0
    why: str = ""


class Reading(Frozen):
    """What a message, a list of ids or a case file says: observed, denied, and not understood (SGUR-3).

    shortlist: how many observations the routing layer left to choose from; 0 where nothing was routed.
    """

    words: str = ""
    observed: tuple[Match, ...] = ()
    excluded: tuple[Match, ...] = ()
    unmatched: tuple[Unmatched, ...] = ()
    shortlist: int = 0
    encoder: str = ""


@register_step
class ToldStep(SgurStep):
    """Something was told: the reading of it, as it entered the session."""

    kind: Literal["sgur.told"] = "sgur.told"
    reading: Reading


class Given(Frozen):
    """An answer to a question. `overrules`: what was held of the observation before, if it said otherwise."""

    observation: NodeRef
    reply: Reply
    overrules: Literal["", "yes", "no"] = ""


@register_step
class AnswerStep(SgurStep):
    """The questions of the round before were answered. "unknown" is no information and changes nothing."""

    kind: Literal["sgur.answer"] = "sgur.answer"
    answers: tuple[Given, ...] = ()


@register_step
class CandidatesStep(SgurStep):
    """How far the hypotheses were narrowed down (SGUR-4), as counts.

    sharing: have an observation like an observed one; same: have an observed one itself; compatible: of the sharing,
    those with a path observation -> localisation -> hypothesis for it; they are the candidates. aligned: of these, the
    closest, compared node by node.
    """

    kind: Literal["sgur.candidates"] = "sgur.candidates"
    total: int
    same: int
    sharing: int
    compatible: int
    aligned: int


class Reason(Frozen):
    """What one observation of the query says of one hypothesis.

    match: the hypothesis's observation most like it. weight: the observation's share of the query's mass.
    frequency: of the match with the hypothesis, in (0, 1]; None when unknown. cost: what it adds to the distance.
    denied: the observation was answered with "no"; then `match` is what would be expected all the same.
    """

    observation: NodeRef
    match: NodeRef | None = None
    likeness: Likeness = "never reported"
    similarity: float = 0.0
    frequency: float | None = None
    weight: float = 0.0
    cost: float = 0.0
    denied: bool = False

    @property
    def words(self) -> str:
        """For people: "seen in 80 % of patients", "never reported"."""
        if self.match is None or self.likeness == "never reported":
            return "never reported" if not self.denied else "not expected"
        often = "reported" if self.frequency is None else f"seen in {100 * self.frequency:.0f} % of cases"
        if self.denied:
            return f"denied, though {often}"
        if self.likeness == "same":
            return often
        if self.likeness == "similar":
            return f"the nearest is {self.match.name}: {often}"
        return f"as {self.match.name}, which is {self.likeness}: {often}"


class Parts(Frozen):
    """The terms of a distance: D = feature + structure + unmatched + size + denied.

    feature = (1 - alpha) <gamma, M>; structure = alpha times the sum over pairs; unmatched = c_mis times the mass
    that did not move; size and denied are [ours].
    """

    feature: float = 0.0
    structure: float = 0.0
    unmatched: float = 0.0
    size: float = 0.0
    denied: float = 0.0

    @property
    def total(self) -> float:
        """D."""
        return self.feature + self.structure + self.unmatched + self.size + self.denied


class Belief(Frozen):
    """One hypothesis: its place (from 1; equals share the mean of their places), D and its parts, and P.

    aligned: its distance comes from an alignment node by node, else from the closed form.
    twins: how many others are at the same distance.
    """

    hypothesis: NodeRef
    place: float
    probability: Share
    distance: Finite
    parts: Parts
    aligned: bool = True
    twins: int = 0
    observations: int = 0  # that it has
    reasons: tuple[Reason, ...] = ()


@register_step
class BeliefStep(SgurStep):
    """The belief over all hypotheses (SGUR-6), the closest first.

    exponent: what a distance is multiplied with, n / beta. rest: the distances of those not shown, ascending, as
    (distance, how many): near ones each, far ones by the mean of a narrow band. rest_probability: of all of them.
    """

    kind: Literal["sgur.belief"] = "sgur.belief"
    beliefs: tuple[Belief, ...] = ()
    terms: int = 0  # n, the observed observations
    beta: float = 1.0
    exponent: float = 1.0
    entropy_bits: Finite = 0.0
    entropy_most: float = 0.0  # of a belief without any evidence
    rest: tuple[tuple[float, int], ...] = ()
    rest_count: int = 0
    rest_probability: Share = 0.0
    observed: tuple[NodeRef, ...] = ()  # all that is held so far
    excluded: tuple[NodeRef, ...] = ()

    def evidence(self) -> tuple[Evidence, ...]:
        """The leading hypotheses, each with what speaks for it."""
        return tuple(
            Evidence(node=b.hypothesis, quote="; ".join(f"{r.observation.name}: {r.words}" for r in b.reasons))
            for b in self.beliefs[:3]
        )


class GraphNode(Frozen):
    """A node of a query graph or of a hypothesis graph, with its layer and its mass."""

    node: NodeRef
    layer: LayerName
    mass: float


class Moved(Frozen):
    """An entry of the transport plan: mass moved from a node of the query to one of the hypothesis (places).

    cost: of the features, in [0, 1]; 0 for the same node.
    """

    source: int
    target: int
    mass: float
    cost: float


class Alignment(Frozen):
    """The query graph laid on one hypothesis graph: its nodes, the links L1 -> L2 (places), and the plan.

    structure: each link of the query and what its counterpart under the plan costs is summed here, not listed.
    more_nodes: nodes of the hypothesis that received no mass and are not listed.
    """

    hypothesis: NodeRef
    nodes: tuple[GraphNode, ...] = ()
    links: tuple[tuple[int, int, float], ...] = ()  # observation, localisation, weight w_uv
    plan: tuple[Moved, ...] = ()
    moved: float = 0.0  # m
    parts: Parts = Parts()
    iterations: int = 0
    treatments: tuple[NodeRef, ...] = ()  # L4
    more_nodes: int = 0


@register_step
class AlignmentStep(SgurStep):
    """The alignments of the leading candidates with the query graph (SGUR-5)."""

    kind: Literal["sgur.alignment"] = "sgur.alignment"
    alpha: float
    query: tuple[GraphNode, ...] = ()
    links: tuple[tuple[int, int, float], ...] = ()
    alignments: tuple[Alignment, ...] = ()


class Expectation(Frozen):
    """What a leading hypothesis expects of a question: p("yes"), and its frequency where one is known."""

    hypothesis: NodeRef
    p_yes: Share
    frequency: float | None = None


class Question(Frozen):
    """A question and its expected information gain, term by term (SGUR-7), in bits.

    EIG = H - p_yes H_yes - (1 - p_yes) H_no. asked: it is in this round's batch. like: the name of the asked question
    that it was too much alike to stand beside.
    """

    observation: NodeRef
    eig_bits: float
    p_yes: Share
    entropy_yes: float
    entropy_no: float
    asked: bool = False
    like: str = ""
    expectations: tuple[Expectation, ...] = ()
    localisations: tuple[NodeRef, ...] = ()


@register_step
class QuestionsStep(SgurStep):
    """The questions worth asking, the most informative first, out of `considered` observations."""

    kind: Literal["sgur.questions"] = "sgur.questions"
    entropy_bits: Finite = 0.0  # H
    considered: int = 0
    p_implied: float
    p_otherwise: float
    questions: tuple[Question, ...] = ()

    @property
    def asked(self) -> tuple[Question, ...]:
        """The batch of the round."""
        return tuple(q for q in self.questions if q.asked)


@register_step
class StopStep(SgurStep):
    """Whether the session may end here (SGUR-8), by which rule, and the hypotheses it would put out."""

    kind: Literal["sgur.stop"] = "sgur.stop"
    stop: bool
    rule: Literal["go on", "rounds", "confident", "nothing to ask", "nothing observed"]
    output: tuple[NodeRef, ...] = ()
