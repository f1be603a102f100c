"""Traces to draw: a small film graph walked by three agents, a big one, and a hostile one, of real step types."""

from __future__ import annotations

from collections.abc import Sequence

from core.cara.scores import candidate_score, causal_relevance
from core.cara.steps import (
    Appended,
    AppendStep,
    Assessment,
    AssessStep,
    Candidate,
    CaraStep,
    FinishStep,
    Found,
    GlobalSearchStep,
    Hop,
    Link,
    NeighborsStep,
    ReadQuestion,
    Span,
)
from core.trace import Answer, Claim, DatasetRef, Evidence, NodeRef, Ranked, Trace, Usage

QUESTION = "Who wrote the films directed by the director of Alien?"
FILMS = {
    "Alien": ("Ridley Scott", ["Dan O'Bannon"], ["Sigourney Weaver", "Tom Skerritt", "John Hurt", "Ian Holm"], "1979"),
    "Blade Runner": ("Ridley Scott", ["Hampton Fancher", "David Peoples"], ["Harrison Ford", "Rutger Hauer"], "1982"),
    "Gladiator": ("Ridley Scott", ["David Franzoni", "John Logan"], ["Russell Crowe", "Joaquin Phoenix"], "2000"),
    "Thelma & Louise": ("Ridley Scott", ["Callie Khouri"], ["Susan Sarandon", "Geena Davis"], "1991"),
    "The Martian": ("Ridley Scott", ["Drew Goddard"], ["Matt Damon", "Jessica Chastain"], "2015"),
    "Prometheus": ("Ridley Scott", ["Jon Spaihts", "Damon Lindelof"], ["Noomi Rapace"], "2012"),
    "Black Hawk Down": ("Ridley Scott", ["Ken Nolan"], ["Josh Hartnett"], "2001"),
    "Kingdom of Heaven": ("Ridley Scott", ["William Monahan"], ["Orlando Bloom", "Eva Green"], "2005"),
    "American Gangster": ("Ridley Scott", ["Steven Zaillian"], ["Denzel Washington", "Russell Crowe"], "2007"),
    "Legend": ("Ridley Scott", ["William Hjortsberg"], ["Tom Cruise", "Mia Sara"], "1985"),
    "The Duellists": ("Ridley Scott", ["Gerald Vaughan-Hughes"], ["Keith Carradine", "Harvey Keitel"], "1977"),
    "Aliens": ("James Cameron", ["James Cameron"], ["Sigourney Weaver", "Michael Biehn"], "1986"),
    "Alien Resurrection": ("Jean-Pierre Jeunet", ["Joss Whedon"], ["Sigourney Weaver", "Winona Ryder"], "1997"),
    "Avatar": ("James Cameron", ["James Cameron"], ["Sigourney Weaver", "Sam Worthington"], "2009"),
}
PEOPLE_RELATIONS = ("directed_by", "written_by", "starred_actors")
Edge = tuple[str, str, str]


def _edges() -> list[Edge]:
    edges: list[Edge] = []
    for film, (director, writers, actors, year) in FILMS.items():
        edges += [(film, "directed_by", director), (film, "release_year", year)]
        edges += [(film, "written_by", w) for w in writers] + [(film, "starred_actors", a) for a in actors]
    return edges


EDGES = _edges()


def ref(name: str) -> NodeRef:
    kind = "film" if name in FILMS else "year" if name.isdigit() else "person"
    return NodeRef(id=f"n:{name}", name=name, type=kind)


def _number(*parts: str) -> float:
    """A repeatable number in [0, 1] without Python's salted hash."""
    total = 7
    for character in "|".join(parts):
        total = (total * 131 + ord(character)) % 1_000_003
    return total / 1_000_003


class Walker:
    """Writes the steps of one agent over the film graph."""

    def __init__(self, agent: int, clock: list[float], names: dict[str, str] | None = None) -> None:
        self.agent, self.clock, self.steps = agent, clock, list[CaraStep]()
        self.names = names or {}

    def ref(self, name: str) -> NodeRef:
        plain = ref(name)
        return plain.model_copy(update={"name": self.names.get(name, name)})

    def _next(self) -> dict[str, object]:
        self.clock[0] += 0.004
        return {
            "agent": self.agent,
            "index": len(self.steps) + 1,
            "at": round(self.clock[0], 4),
            "seconds": 0.004,
            "decided_by": "offline policy",
        }

    def read(self, encoder: str) -> None:
        def span(text: str, role: str, weight: float) -> Span:
            start = QUESTION.index(text)
            return Span(start=start, end=start + len(text), text=text, role=role, weight=weight)  # type: ignore[arg-type]

        spans = (span("wrote", "need", 0.9), span("films", "need", 0.5), span("director", "need", 0.8))
        mention = span("Alien", "mention", 0.0)
        self.steps.append(ReadQuestion(encoder=encoder, spans=(*spans, mention), expects="a person", **self._next()))

    def search(self, query: str, names: Sequence[str]) -> None:
        found = tuple(Found(node=self.ref(n), score=9.1 - i, text=f"{n}, a film") for i, n in enumerate(names))
        step = GlobalSearchStep(subquery=query, k=30, found=found, reason="no anchor yet", **self._next())
        self.steps.append(step)

    def look(self, path: Sequence[str], along: str = "", good: Sequence[str] = (), assess: bool = True) -> int:
        """Look around the end of `path` and weigh what is there; `good` are the candidates that serve the question."""
        at = path[-1]
        links: dict[str, list[Link]] = {}
        for head, relation, tail in EDGES:
            if along and relation != along:
                continue
            if head == at:
                links.setdefault(tail, []).append(Link(type=relation, direction="out"))
            elif tail == at:
                links.setdefault(head, []).append(Link(type=relation, direction="in"))
        candidates = tuple(
            Candidate(
                node=self.ref(n), bm25=round(4 * _number(n), 2), links=tuple(ls), text=f"{n}. {at} and {n} are linked."
            )
            for n, ls in links.items()
        )
        step = NeighborsStep(
            node=self.ref(at),
            anchor=self.ref(path[0]),
            path=self.hops(path),
            subquery=QUESTION,
            edge_types=(along,) if along else (),
            k=20,
            total=len(candidates) + (14 if at == "Ridley Scott" else 0),
            candidates=candidates[:20],
            reason=f"“{along or 'any relation'}” is still to be explained",
            **self._next(),  # type: ignore[arg-type]
        )
        self.steps.append(step)
        if assess:
            self.weigh(step, good)
        return step.index

    def weigh(self, hop: NeighborsStep, good: Sequence[str], lambda_: float = 0.5, alpha: float = 0.5) -> None:
        rows = []
        for candidate in hop.candidates:
            name = candidate.node.id[2:]
            base = 0.7 if name in good else 0.1
            c, e, p = (round(min(1.0, base + 0.3 * _number(name, part, str(self.agent))), 3) for part in "cep")
            cau = causal_relevance(c, e, lambda_)
            rows.append(
                Assessment(
                    id=candidate.node.id,
                    consequentiality=c,
                    essentiality=e,
                    path_consistency=p,
                    causal=cau,
                    score=candidate_score(cau, p, alpha),
                    rationale="explains “wrote” by written by" if name in good else "explains nothing new",
                    terms={"coverage gain": c, "licence": e, "order": p},
                    explains=("wrote",) if name in good else (),
                )
            )
        rows.sort(key=lambda a: -a.score)
        step = AssessStep(
            lambda_=lambda_, alpha=alpha, kept=len(rows), assessments=tuple(rows), source=hop.index, **self._next()
        )
        self.steps.append(step)

    def hops(self, path: Sequence[str]) -> tuple[Hop, ...]:
        found = []
        for near, far in zip(path, path[1:], strict=False):
            head, relation, tail = next(e for e in EDGES if {e[0], e[2]} == {near, far})
            direction = "out" if head == near else "in"
            found.append(Hop(link=Link(type=relation, direction=direction), node=self.ref(far)))
            assert tail in (near, far)
        return tuple(found)

    def append(self, paths: Sequence[Sequence[str]], source: int) -> None:
        nodes = tuple(
            Appended(
                node=self.ref(p[-1]),
                source=source,
                anchor=self.ref(p[0]),
                path=self.hops(p),
                text=f"{p[-1]}. Wrote {p[-2]}.",
                score=round(0.9 - 0.05 * i, 3),
            )
            for i, p in enumerate(paths)
        )
        self.steps.append(AppendStep(nodes=nodes, reason="they complete the path", **self._next()))

    def finish(self, spent: bool = False) -> None:
        self.steps.append(FinishStep(budget_spent=spent, reason="nothing is left to be explained", **self._next()))


def _walk(walker: Walker, encoder: str, films: Sequence[str], rerank: int) -> None:
    walker.read(encoder)
    walker.search("alien director", ["Alien", "Aliens", "Alien Resurrection", "Avatar"][: 4 - rerank])
    walker.look(["Alien"], good=["Ridley Scott"])
    walker.look(["Alien", "Ridley Scott"], "directed_by", good=list(FILMS))
    for film in films:
        writers = FILMS[film][1]
        source = walker.look(["Alien", "Ridley Scott", film], good=writers)
        walker.append([["Alien", "Ridley Scott", film, w] for w in writers], source + 1)
    walker.finish(spent=walker.agent == 2)


def film_run(names: dict[str, str] | None = None, question: str = QUESTION) -> Trace:
    """Three agents, interleaved in time, each after other films; `names` replaces names by hostile ones."""
    from core.cara.fusion import agent_lists, fuse

    clocks = [[0.0], [0.0015], [0.003]]
    walkers = [Walker(agent, clocks[agent], names) for agent in range(3)]
    _walk(walkers[0], "MiniLM", ["Blade Runner", "Gladiator", "Thelma & Louise"], 0)
    _walk(walkers[1], "MiniLM + USE", ["Gladiator", "Blade Runner", "Prometheus"], 1)
    _walk(walkers[2], "USE", ["The Martian", "Blade Runner"], 2)
    steps = sorted((s for w in walkers for s in w.steps), key=lambda s: s.at)
    trace = Trace(
        run_id="run-7",
        method="cara",
        question=question,
        config={"agents": 3, "lambda_": 0.5, "alpha": 0.5, "rrf_constant": 60.0},
        dataset=DatasetRef(content_id="sha256:films", name="Films", size={"nodes": 64, "edges": len(EDGES)}),
        decided_by="offline policy",
        notices=("The agents differ in their encoders; the paper samples at temperature 1.0.",),
        steps=tuple(steps),
        usage=Usage(calls={"global_search": 3, "neighbors": 14, "assess": 14}, nodes_examined=58),
        seconds=0.21,
        started_at="2026-11-30T12:00:00Z",
    )
    by_id = {r.id: r for refs in agent_lists(trace).values() for r in refs}
    lists = {agent: [r.id for r in refs] for agent, refs in agent_lists(trace).items()}
    ranked = tuple(
        Ranked(id=f.id, name=by_id[f.id].name, type=by_id[f.id].type, score=f.score, ranks=f.ranks) for f in fuse(lists)
    )
    first, second = by_id[ranked[0].id], by_id[ranked[1].id]
    answer = Answer(
        text=f"{first.name} and {second.name} wrote films by the director of Alien.",
        claims=(
            Claim(
                text=f"{first.name} wrote a film.",
                evidence=(Evidence(node=first, quote="Wrote it.", link="written_by"),),
            ),
            Claim(text=f"{second.name} did, too.", evidence=(Evidence(node=second, quote="Wrote it, too."),)),
        ),
        decided_by="offline answerer",
    )
    return trace.model_copy(update={"ranked": ranked, "answer": answer})


HOSTILE = {
    "Alien": "</script><script>alert(1)</script>",
    "Ridley Scott": '<img src=x onerror="alert(2)"><a href="javascript:alert(3)">x</a>',
    "Blade Runner": "'\"><b>quote</b> {{ 7*7 }} ${7*7} <!-- -->",
    "Gladiator": "\u202eevil\u202c שלום עולם",
    "Hampton Fancher": "W" * 10_000,
    "David Peoples": "__proto__",
    "Thelma & Louise": "]]> &lt;i&gt; \u2028 line\nbreak",
}


def hostile_run() -> Trace:
    """The same run with names and a question that try to be markup, script, or longer than any screen."""
    return film_run(HOSTILE, question="<script>alert('q')</script> " + QUESTION)


def big_run(agents: int, hops: int, width: int) -> Trace:
    """Each agent looks around `hops` nodes of `width` fresh candidates."""
    steps: list[CaraStep] = []
    for agent in range(agents):
        path: list[Hop] = []
        anchor = NodeRef(id="root", name="Root", type="thing")
        at, index = anchor, 0
        for hop in range(hops):
            found = [NodeRef(id=f"{agent}.{hop}.{i}", name=f"Node {agent} {hop} {i}") for i in range(width)]
            links = (Link(type="part_of", direction="out"),)
            cands = tuple(Candidate(node=f, bm25=1.0, links=links) for f in found)
            common = {"agent": agent, "at": 0.01 * hop + 0.001 * agent + 0.0001}
            steps.append(
                NeighborsStep(
                    **common,
                    index=index + 1,
                    node=at,
                    anchor=anchor,
                    path=tuple(path),
                    subquery="q",
                    k=width,
                    total=width,
                    candidates=cands,
                )
            )
            rows = tuple(
                Assessment(
                    id=f.id,
                    consequentiality=0.5,
                    essentiality=0.5,
                    path_consistency=0.5,
                    causal=0.5,
                    score=round(1 - i / width, 3),
                )
                for i, f in enumerate(found)
            )
            steps.append(
                AssessStep(
                    **common,
                    index=index + 2,
                    lambda_=0.5,
                    alpha=0.5,
                    kept=width,
                    assessments=rows,
                    source=index + 1,
                )
            )
            at, index = found[0], index + 2
            if len(path) < 4:
                path.append(Hop(link=links[0], node=at))
            else:
                path, at = path[:1], path[0].node
    dataset = DatasetRef(content_id="sha256:big", name="Big", size={"nodes": 9999, "edges": 99999})
    return Trace(method="cara", question="big?", dataset=dataset, steps=tuple(steps))
