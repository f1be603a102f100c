"""The settings of a KERAG run, and the kinds of questions; everything else in this room may import them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from core.trace import Frozen

QuestionKind = Literal["lookup", "count", "superlative", "comparison", "yes/no", "set", "multi-hop"]


class Overrule(Frozen):
    """A person's word on a relation at a hop: kept or left out, whatever the planner said (KERAG-1)."""

    hop: int = Field(ge=1)
    relation: str
    direction: Literal["out", "in"]
    kept: bool


class KeragConfig(Frozen):
    """The settings of a run. hops: None plans them, up to `max_hops`; a number fixes them (KERAG-6).

    drop_relations, reason: ablations. budget: triples of the neighbourhood at most. overrules: decisions made by
    hand. without: triples taken away, each as "head id", "relation", "tail id". seed: handed to a model; offline
    nothing is drawn by lot. top: lines of the ranked list.
    """

    max_hops: int = Field(3, ge=1, le=6)
    hops: int | None = Field(None, ge=1, le=6)
    drop_relations: bool = True
    reason: bool = True
    budget: int = Field(100_000, ge=1, le=1_000_000)
    overrules: tuple[Overrule, ...] = ()
    without: tuple[tuple[str, str, str], ...] = ()
    seed: int = 0
    top: int = Field(50, ge=1, le=1000)
