"""A small graph and a scripted CARA run on it, so that pages can be tested without an encoder."""

from __future__ import annotations

from core.cara.contracts import Append, Finish, GlobalSearch, Neighbors, Pick
from core.cara.retriever import CaraRetriever
from core.cara.steps import Assessment, Hop, Link, ReadQuestion, Span
from core.graph.graph import KnowledgeGraph
from core.trace import Answer, Claim, Evidence, NodeRef, Trace

QUESTION = "Who directed the film in which Ada Lund plays?"
NODES = [
    ("p1", "Ada Lund", "person", "Ada Lund is an actor who was born in Bergen."),
    ("f1", "The Long Tide", "film", "The Long Tide (1998) is a drama about a lighthouse."),
    ("f2", "Night Ferry", "film", "Night Ferry (2003) is a thriller set on a ship."),
    ("p2", "Ivo Brandt", "person", "Ivo Brandt makes films by the sea."),
    ("p3", "Mara Quist", "person", "Mara Quist writes for the screen."),
    ("c1", "Bergen", "city", "Bergen is a city."),
    ("y1", "1998", "year", ""),
    ("f3", "How to Be Directed", "film", "A film about who directed the film: the word directed is all over it."),
]
EDGES = [
    ("f1", "starring", "p1"),
    ("f2", "starring", "p1"),
    ("f1", "directed by", "p2"),
    ("f1", "written by", "p3"),
    ("f2", "directed by", "p2"),
    ("p1", "born in", "c1"),
    ("f1", "year", "y1"),
    ("f3", "written by", "p3"),
]
JUDGED = {
    "f1": (0.9, 0.8, 0.9),
    "f2": (0.7, 0.2, 0.9),
    "c1": (0.1, 0.0, 0.2),
    "p2": (0.8, 0.9, 1.0),
    "p3": (0.5, 0.95, 0.3),
    "y1": (0.05, 0.0, 0.1),
    "p1": (0.2, 0.1, 0.4),
}


def graph(nodes=NODES, edges=EDGES, name="made") -> KnowledgeGraph:
    at = {id_: i for i, (id_, *_) in enumerate(nodes)}
    kinds = list(dict.fromkeys(r for _, r, _ in edges))
    return KnowledgeGraph.from_arrays(
        [n[0] for n in nodes],
        [n[1] for n in nodes],
        [n[2] for n in nodes],
        [n[3] for n in nodes],
        [at[s] for s, _, _ in edges],
        [at[t] for _, _, t in edges],
        [kinds.index(r) for _, r, _ in edges],
        kinds,
        name=name,
    )


class Minds:
    """Three scripted walkers: two go by way of The Long Tide, one also looks at Night Ferry."""

    decided_by = "a script"
    notices = ("These agents follow a script.",)
    exchange = None

    def prepare(self, graph, on_progress):
        on_progress("nothing to load", 1.0)

    def for_run(self):
        return self

    def tokens(self):
        return None, None

    def policy(self, graph, question, agent, config):
        return _Walker(graph, agent)

    def assessor(self, graph, question, agent, config):
        return self

    def assess(self, state, hop):
        for c in hop.candidates:
            c_, e, p = JUDGED.get(c.node.id, (0.0, 0.0, 0.0))
            why = f"{c.links[0].type} leads on"
            yield Assessment(
                id=c.node.id, consequentiality=c_, essentiality=e, path_consistency=p, causal=0, score=0,
                rationale=why, terms={"coverage": c_}, explains=("directed",) if e > 0.8 else (),
            )  # fmt: skip

    def answerer(self, graph, question, config):
        return self

    def answer(self, question, ranked, steps, should_stop=None):
        evidence = Evidence(
            node=NodeRef(id="p2", name="Ivo Brandt", type="person"),
            quote="Ivo Brandt makes films by the sea.",
            link="The Long Tide → directed by → Ivo Brandt",
        )
        return Answer(
            text="Ivo Brandt.", claims=(Claim(text="Ivo Brandt.", evidence=(evidence,)),), decided_by="a script"
        )


class _Walker:
    decided_by = "a script"
    exchange = None

    def __init__(self, graph, agent):
        self.at = graph.index_of
        films = ["f1", "f2"] if agent == 1 else ["f1"]
        ada, play, direct = self.at("p1"), Link(type="starring", direction="in"), "directed"
        self.actions = [GlobalSearch("Ada Lund", "the question names a node")]
        self.actions.append(Neighbors(ada, "film plays", anchor=ada, source=2, reason="start at the name"))
        for film in films:
            hop = Hop(link=play, node=_ref(film))
            reason = "the best candidate explains most of what is left"
            self.actions.append(Neighbors(self.at(film), direct, anchor=ada, path=(hop,), source=4, reason=reason))
        picks = [Pick(self.at("p2"), source=6, anchor=ada, path=(hop,), score=0.92)]
        if agent == 2:
            picks.append(Pick(self.at("p3"), source=6, anchor=ada, path=(hop,), score=0.51))
        self.actions += [Append(tuple(picks), "these answer the question"), Finish("nothing is left to explain")]

    def read(self, state):
        spans = (
            Span(start=4, end=12, text="directed", role="need", weight=1.0),
            Span(start=31, end=39, text="Ada Lund", role="mention"),
        )
        return ReadQuestion(encoder="none", spans=spans, expects="a person")

    def next_action(self, state):
        return self.actions.pop(0)


def _ref(id_):
    _, name, kind, _ = next(n for n in NODES if n[0] == id_)
    return NodeRef(id=id_, name=name, type=kind)


def trace(run_id: str = "made1", **config) -> Trace:
    made = CaraRetriever(graph(), Minds()).run(QUESTION, {"agents": 3, **config})
    return made.model_copy(update={"run_id": run_id})
