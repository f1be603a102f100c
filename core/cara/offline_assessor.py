"""The causal module, offline: c, e and p of each candidate from the routes that the schema offers (CARA-3).

For a candidate u reached from path P by a link, let R be the best route that begins with P and that link,
stopping there or going on. c is the share of the question's need that R explains, and a little more where the
candidate's own name, type or text meets what R leaves open; e is how well each hop of R is licensed by a need that
no other hop answers (what would be lost without it); p is whether R keeps the question's order, arrives at what is
asked for, and does not go to and fro. A candidate that leads back to the anchor, or over the edge one came by, adds
nothing: its c is the path's own, its e is 0.

Not here: the walk; what R would find is not looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.cara.contracts import AgentState
from core.cara.offline_reading import OWN_WORDS, About, Judgment, Reading, judge
from core.cara.steps import Assessment, Candidate, Exchange, NeighborsStep
from core.linking.routes import Codes, Route

DECIDED_BY = "offline policy"
SAID = 0.5  # how far a hop must explain a need for the rationale to say so
RETRACED_PENALTY = 0.3  # taken from p for a candidate that leads back


@dataclass(frozen=True, slots=True)
class Template:
    """What all candidates of a hop have in common that the same link leads to and the same way leads on from."""

    route: Route
    judgment: Judgment
    terms: dict[str, float]
    rationale: str
    explains: tuple[str, ...]


class OfflineAssessor:
    """Assesses the candidates of one agent's hops. It keeps nothing but what can be computed again."""

    decided_by = DECIDED_BY
    exchange: Exchange | None = None

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._templates: dict[tuple[int, int, Codes], Template] = {}

    def assess(self, state: AgentState, hop: NeighborsStep) -> Sequence[Assessment]:
        """c, e and p of each candidate of `hop`, in its order."""
        view = self._reading.view
        anchor = state.positions[hop.anchor.id]
        about = self._reading.about(anchor)
        path = view.route(hop.path)
        out = []
        for candidate in hop.candidates:
            codes = view.codes(candidate.links)
            fresh = view.fresh(hop.anchor.id, hop.path, path, candidate.node.id, codes)
            best = about.way(path, fresh or codes, view, state.positions[candidate.node.id])
            template = self._template(about, anchor, best, len(path))
            if not fresh:
                out.append(_retraced(candidate, template, about, path))
                continue
            share, said = about.own_words(best, view, state.positions[candidate.node.id])
            out.append(_with_words(candidate, template, share, said) if share else _plain(candidate, template))
        return out

    def _template(self, about: About, anchor: int, route: Route, walked: int) -> Template:
        key = (anchor, walked, route.hops)
        template = self._templates.get(key)
        if template is None:
            template = self._templates[key] = self._describe(about, route, walked)
        return template

    def _describe(self, about: About, route: Route, walked: int) -> Template:
        judgment = judge(route)
        terms = {
            "coverage": round(route.coverage, 4),
            "licence_mean": round(route.licence_mean, 4),
            "licence_min": round(route.licence_min, 4),
            "answer": round(route.answer, 4),
            "inversions": round(route.inversions, 4),
            "back": route.back,
            "hops": float(len(route.hops)),
            "reverse": round(route.reverse, 4),
            "ahead": float(len(route.hops) - walked - 1),
        }
        return Template(
            route, judgment, terms, self._rationale(about, route, walked), self._explains(about, route, walked)
        )

    def _strength(self, about: About, hop: int) -> list[tuple[float, str]]:
        """The needs that a hop explains, by its relation or by the class it arrives in, best first."""
        needs = about.needs
        both = [max(a, b) for a, b in zip(needs.edge[hop].tolist(), needs.arrival[hop].tolist(), strict=True)]
        said = [(value, text) for value, text in zip(both, needs.texts, strict=True) if value >= SAID]
        return sorted(said, key=lambda s: -s[0])

    def _explains(self, about: About, route: Route, walked: int) -> tuple[str, ...]:
        return tuple(dict.fromkeys(text for _, text in self._strength(about, route.hops[walked])))

    def _rationale(self, about: About, route: Route, walked: int) -> str:
        """One sentence for people: what this hop explains, what could come next, and what speaks against it."""
        said = self._strength(about, route.hops[walked])
        parts = [", ".join(f"{text!r} ({value:.2f})" for value, text in said[:2])]
        parts[0] = f"explains {parts[0]}" if said else "explains no word of the question"
        for hop in route.hops[walked + 1 :]:
            parts.append(f"then {self._name(hop)!r} would explain {self._ahead(about, hop)}")
        if route.inversions:
            parts.append("against the question's order")
        elif len(route.hops) > 1:
            parts.append("in the question's order")
        if route.back < 0:
            parts.append("comes back by the same relation, as the question asks")
        elif route.back > 0:
            parts.append(
                "goes to and fro without being asked to"
                if len(route.hops) > 1
                else "does not come back, as the question asks"
            )
        if route.answer >= SAID:
            parts.append(f"arrives at what is asked for ({route.answer:.2f})")
        return "; ".join(parts)

    def _ahead(self, about: About, hop: int) -> str:
        said = self._strength(about, hop)
        return repr(said[0][1]) if said else "nothing more by name"

    def _name(self, hop: int) -> str:
        return self._reading.view.roles.relations[hop >> 1]


def _plain(candidate: Candidate, template: Template) -> Assessment:
    j = template.judgment
    return Assessment.model_construct(
        id=candidate.node.id,
        consequentiality=j.consequentiality,
        essentiality=j.essentiality,
        path_consistency=j.path_consistency,
        causal=0.0,
        score=0.0,
        rationale=template.rationale,
        terms=template.terms,
        explains=template.explains,
    )


def _with_words(candidate: Candidate, template: Template, share: float, said: tuple[str, ...]) -> Assessment:
    """A candidate whose own name, type or text meets needs that the route leaves open: that adds to c."""
    j = template.judgment
    return Assessment(
        id=candidate.node.id,
        consequentiality=round(min(1.0, j.consequentiality + OWN_WORDS * share), 6),
        essentiality=j.essentiality,
        path_consistency=j.path_consistency,
        causal=0.0,
        score=0.0,
        rationale=f"{template.rationale}; its own words meet {', '.join(map(repr, said[:3]))}",
        terms={**template.terms, "own_words": round(share, 4)},
        explains=(*template.explains, *said),
    )


def _retraced(candidate: Candidate, template: Template, about: About, path: Codes) -> Assessment:
    """The anchor again, or the edge one came by: adding it changes nothing and losing it costs nothing."""
    own = about.plan.route(path).coverage if path else 0.0
    j = template.judgment
    return Assessment(
        id=candidate.node.id,
        consequentiality=round(min(own, j.consequentiality), 6),
        essentiality=0.0,
        path_consistency=round(max(0.0, j.path_consistency - RETRACED_PENALTY), 6),
        causal=0.0,
        score=0.0,
        rationale="leads back to where the path came from, so it adds nothing",
        terms={**template.terms, "retraced": 1.0},
    )
