"""The causal module, offline: c, e and p of each candidate from the routes that the schema offers (CARA-3).

For a candidate u reached from path P by a link, let R be the best route that begins with P and that link,
stopping there or going on. c is the share of the question's need that R explains; e is how well each hop
of R is licensed by a need that no other hop answers (what would be lost without it); p is whether R keeps the
question's order, arrives at what is asked for, and does not go to and fro. A candidate that is on the path
already adds nothing: its c is the path's own, its e is 0. Not here: the walk; what R would find is not looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.cara.contracts import AgentState
from core.cara.offline_reading import About, Judgment, Reading, judge
from core.cara.steps import Assessment, Candidate, Exchange, NeighborsStep
from core.linking.routes import Codes, Route

DECIDED_BY = "offline policy"
SAID = 0.5  # how far a hop must explain a need for the rationale to say so
SEEN_PENALTY = 0.3  # taken from p for a candidate on the path already


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
        self._templates: dict[tuple[int, Codes, Codes], Template] = {}

    def assess(self, state: AgentState, hop: NeighborsStep) -> Sequence[Assessment]:
        """c, e and p of each candidate of `hop`, in its order."""
        view = self._reading.view
        anchor = state.positions[hop.anchor.id]
        about = self._reading.about(anchor)
        path = view.route(hop.path)
        seen = {hop.anchor.id, hop.node.id, *(h.node.id for h in hop.path)}
        out = []
        for candidate in hop.candidates:
            template = self._template(about, anchor, path, candidate, state.positions[candidate.node.id])
            out.append(
                _already_seen(candidate, template, about, path)
                if candidate.node.id in seen
                else _plain(candidate, template)
            )
        return out

    def _template(self, about: About, anchor: int, path: Codes, candidate: Candidate, position: int) -> Template:
        view = self._reading.view
        best = about.way(path, view.codes(candidate.links), view, position)
        key = (anchor, path, best.hops)
        template = self._templates.get(key)
        if template is None:
            template = self._templates[key] = self._describe(about, best, len(path))
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


def _already_seen(candidate: Candidate, template: Template, about: About, path: Codes) -> Assessment:
    """A node on the path: adding it changes nothing and losing it costs nothing."""
    own = about.plan.route(path).coverage if path else 0.0
    j = template.judgment
    return Assessment(
        id=candidate.node.id,
        consequentiality=round(min(own, j.consequentiality), 6),
        essentiality=0.0,
        path_consistency=round(max(0.0, j.path_consistency - SEEN_PENALTY), 6),
        causal=0.0,
        score=0.0,
        rationale="on the path already, so it adds nothing",
        terms={**template.terms, "seen": 1.0},
    )
