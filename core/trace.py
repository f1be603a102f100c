"""The record of one run: typed steps in the order they were made, and what came of them.

Every method writes the same `Trace`; every page, export and command reads it. A method declares its
own step types in its room and registers them by tag (`kind`); reading a trace back is a pydantic
discriminated union over that registry. Not here: how a step is decided, or how it is drawn.

Identity: `Trace.content_id` and `same_content` leave out clock times, the run id, the software
version, prices and the order in which parallel agents' steps arrived, so that a seed repeats a run exactly.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypeVar, Union

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from core import __version__
from core.errors import TraceError

FORMAT: Literal["causeway.trace/1"] = "causeway.trace/1"
Status = Literal["running", "finished", "stopped", "failed", "interrupted"]


class Frozen(BaseModel):
    """A value: immutable, and refusing fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class NodeRef(Frozen):
    """A node as a trace names it. `id` is the id of the data set, unique in it; `name` is for people."""

    id: str
    name: str
    type: str = ""


class Conclusion(Frozen):
    """An answer as nodes, or as a value (a number, a date, yes or no). known False: "I don't know"."""

    nodes: tuple[NodeRef, ...] = ()
    value: str = ""
    known: bool = True


class Step(Frozen):
    """One thing an agent did. `index` counts from 1 within the agent; agents count from 0.

    `decided_by` names who decided: "offline policy", or a model. `at` (seconds since the run began)
    and `seconds` (how long the step took) are clock readings and no part of a trace's identity.
    """

    kind: str
    agent: int = Field(0, ge=0, le=9_999)
    index: int = Field(1, ge=0, le=9_999_999)
    decided_by: str = ""
    at: float = 0.0
    seconds: float = 0.0

    def evidence(self) -> tuple[Evidence, ...]:
        """The nodes that this step puts before an answerer: each with its text, and how it was reached.

        The one way by which an answerer, the same for every method, sees what was found (CARA-8).
        """
        return ()

    def conclusion(self) -> Conclusion | None:
        """The answer that this step comes to, where a judge can hold it against a gold answer (KERAG-5)."""
        return None

    def content(self) -> dict[str, Any]:
        """The step without its clock readings."""
        return self.model_dump(mode="json", exclude={"at", "seconds"})


StepType = TypeVar("StepType", bound=Step)
_STEP_TYPES: dict[str, type[Step]] = {}


def register_step(cls: type[StepType]) -> type[StepType]:
    """Class decorator: make a step type readable from JSON by the tag in its `kind` field."""
    tag = cls.model_fields["kind"].default
    if not isinstance(tag, str) or not tag:
        raise TypeError(f"{cls.__name__} needs `kind: Literal[...] = ...`")
    if _STEP_TYPES.setdefault(tag, cls) is not cls:
        raise TypeError(f"the step tag {tag!r} is already taken by {_STEP_TYPES[tag].__name__}")
    _step_adapter.cache = None
    return cls


class _AdapterCache:
    """The discriminated union, rebuilt only after a registration."""

    cache: TypeAdapter[Step] | None = None

    def __call__(self) -> TypeAdapter[Step]:
        if self.cache is None:
            types = tuple(_STEP_TYPES.values())
            union: Any = types[0] if len(types) == 1 else Annotated[Union[types], Field(discriminator="kind")]  # noqa: UP007
            self.cache = TypeAdapter(union)
        return self.cache


_step_adapter = _AdapterCache()


def step_from_json(text: str | bytes) -> Step:
    """Read one step. TraceError names an unknown tag or the field that is wrong."""
    return step_from_object(_decode(text))


def step_from_object(value: Any) -> Step:
    """Read one step from decoded JSON."""
    tag = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(tag, str) or tag not in _STEP_TYPES:
        raise TraceError(f"unknown step type {tag!r}", hint="It may come from a newer version of Causeway.")
    try:
        return _step_adapter().validate_python(value, strict=False)
    except ValidationError as error:
        first = error.errors()[0]
        raise TraceError(f"a {tag} step is not valid: {first['msg']}", where=".".join(map(str, first["loc"]))) from None


class DatasetRef(Frozen):
    """Which data a run saw. `content_id` is a hash of that data, so another copy of it is recognised."""

    content_id: str
    name: str
    kind: Literal["graph", "corpus", "expert graph"] = "graph"
    size: dict[str, int] = {}  # for a graph: {"nodes": .., "edges": ..}


class Ranked(Frozen):
    """One line of the result. `ranks` holds, for each agent that retrieved it, its rank there (from 1)."""

    id: str
    name: str
    type: str = ""
    score: float
    ranks: dict[int, int] = {}


class Evidence(Frozen):
    """A quoted piece of evidence: a node, the words quoted from it, and the link it was reached by."""

    node: NodeRef
    quote: str
    link: str = ""


class Claim(Frozen):
    """One sentence of an answer and the evidence behind it."""

    text: str
    evidence: tuple[Evidence, ...] = ()


class Answer(Frozen):
    """The answer in words, claim by claim, and who wrote it. `citations` are node ids, in order of first use."""

    text: str
    claims: tuple[Claim, ...] = ()
    decided_by: str = ""

    @property
    def citations(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(e.node.id for c in self.claims for e in c.evidence))


class Price(Frozen):
    """What a million tokens cost, of prompts and of replies, in the person's own currency. None: not known."""

    prompt: float | None = None
    completion: float | None = None


class Usage(Frozen):
    """What a run cost. Tokens stay None when no model was called or the server did not count them.

    `price` is the model's at the time of the run, where it was known; it is no part of a trace's identity.
    """

    calls: dict[str, int] = {}  # tool or call name -> times, e.g. "global_search", "neighbors", "assess"
    nodes_examined: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    price: Price | None = None


class Trace(Frozen):
    """One run of one method on one question. `steps` are in order of arrival."""

    format: Literal["causeway.trace/1"] = FORMAT
    run_id: str = ""
    method: str
    question: str
    config: dict[str, Any] = {}
    dataset: DatasetRef
    decided_by: str = ""  # shown on every page: "offline policy ..." or a model's name
    notices: tuple[str, ...] = ()  # what a reader must know: fall-backs, departures from the paper, cuts
    steps: tuple[Step, ...] = ()
    ranked: tuple[Ranked, ...] = ()
    answer: Answer | None = None
    usage: Usage = Usage()
    status: Status = "finished"
    error: str = ""
    started_at: str = ""  # ISO 8601, UTC
    seconds: float = 0.0
    version: str = __version__

    @property
    def content_id(self) -> str:
        """sha256 over what was asked, decided and found; no clock, run id, version, price or arrival order."""
        left_out = dict.fromkeys(("steps", "run_id", "started_at", "seconds", "version"), True)
        body = self.model_dump(mode="json", exclude={**left_out, "usage": {"price"}})
        body["steps"] = [s.content() for s in sorted(self.steps, key=lambda s: (s.agent, s.index))]
        return "sha256:" + hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()

    def same_content(self, other: Trace) -> bool:
        """Whether both record the same decisions and results."""
        return self.content_id == other.content_id

    def steps_of(self, agent: int) -> tuple[Step, ...]:
        """One agent's steps by index."""
        return tuple(sorted((s for s in self.steps if s.agent == agent), key=lambda s: s.index))

    @property
    def conclusion(self) -> Conclusion | None:
        """The last conclusion of its steps; None for a method that concludes nothing, or a run broken off before."""
        return next((c for step in reversed(self.steps) if (c := step.conclusion()) is not None), None)

    @property
    def agents(self) -> tuple[int, ...]:
        """The agents that made steps, in order."""
        return tuple(sorted({s.agent for s in self.steps}))

    def to_json(self) -> str:
        """The whole trace as JSON; `from_json` reads it back equal."""
        body = self.model_dump(mode="json", exclude={"steps"})
        body["steps"] = [s.model_dump(mode="json") for s in self.steps]
        return json.dumps(body, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str | bytes) -> Trace:
        """Read a trace. TraceError says what is wrong and in which step."""
        body = _decode(text)
        if not isinstance(body, dict) or "format" not in body:
            raise TraceError("this is not a Causeway trace", hint="Choose a file made by Download trace.")
        if body["format"] != FORMAT:
            raise TraceError(f"trace format {body['format']!r} is not known here", hint=f"This version reads {FORMAT}.")
        steps = body.pop("steps", [])
        if not isinstance(steps, list):
            raise TraceError("`steps` is not a list", where="steps")
        try:
            head = cls.model_validate(body)
        except ValidationError as error:
            first = error.errors()[0]
            raise TraceError(f"not valid: {first['msg']}", where=".".join(map(str, first["loc"]))) from None
        return head.model_copy(update={"steps": tuple(_numbered(steps))})


def _numbered(steps: Iterable[Any]) -> Iterable[Step]:
    for number, value in enumerate(steps, 1):
        try:
            yield step_from_object(value)
        except TraceError as error:
            where = f"step {number}" + (f", {error.where}" if error.where else "")
            raise TraceError(error.what, where=where, hint=error.hint) from None


def _decode(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TraceError(f"not valid JSON: {error}") from None
