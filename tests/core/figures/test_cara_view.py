import itertools

import pytest
from film_run import big_run, film_run

from core.cara.steps import Appended, AppendStep, AssessStep, Candidate, GlobalSearchStep, Hop, Link, NeighborsStep
from core.figures.cara_view import cara_view
from core.peers.steps import PeerFound, PeerSearchStep
from core.trace import DatasetRef, NodeRef, Ranked, Step, Trace


@pytest.fixture
def film_trace():
    return film_run()


def named(view, positions):
    return [view.nodes[i].name for i in positions]


def frame(view, agent, index):
    return next(f for f in view.frames if (f.agent, f.index) == (agent, index))


def ends(view, edge):
    return view.nodes[view.edges[edge].source].name, view.nodes[view.edges[edge].target].name


def test_a_frame_for_each_step_in_order_of_arrival(film_trace):
    view = cara_view(film_trace)
    assert len(view.frames) == len(film_trace.steps)
    assert [(f.agent, f.index) for f in view.frames[:4]] == [(0, 1), (1, 1), (2, 1), (0, 2)]
    assert view.start == len(view.frames) - 1
    assert view.all_agents == view.agents == (0, 1, 2)
    assert view.agent_notes == ("MiniLM", "MiniLM + USE", "USE")


def test_candidates_are_hollow_until_they_are_weighed(film_trace):
    view = cara_view(film_trace)
    look, weigh = frame(view, 0, 5), frame(view, 0, 6)
    assert look.kind == "look"
    assert look.scores == ()
    assert weigh.kind == "weigh"
    assert set(weigh.candidates) == set(look.candidates)
    assess = next(s for s in film_trace.steps_of(0) if s.index == 6)
    assert isinstance(assess, AssessStep)
    assert weigh.scores == tuple(round(a.score, 4) for a in assess.assessments)
    assert [view.nodes[i].id for i in weigh.candidates] == [a.id for a in assess.assessments]


def test_the_path_to_the_present_node_is_lit(film_trace):
    view = cara_view(film_trace)
    weigh = frame(view, 0, 8)
    assert view.nodes[weigh.at].name == "Blade Runner"
    assert named(view, weigh.walked) == ["Alien", "Ridley Scott", "Blade Runner"]
    assert [ends(view, e) for e in weigh.path] == [("Alien", "Ridley Scott"), ("Blade Runner", "Ridley Scott")]
    assert view.edges[weigh.path[1]].forward == ("directed_by",)


def test_appending_lights_the_path_of_each_node(film_trace):
    view = cara_view(film_trace)
    append = next(f for f in view.frames if f.kind == "append")
    assert named(view, append.appended) == ["Hampton Fancher", "David Peoples"]
    assert named(view, append.walked) == ["Alien", "Ridley Scott", "Blade Runner"]
    assert {ends(view, e)[1] for e in append.path} >= {"Hampton Fancher", "David Peoples"}
    assert append.at is None
    assert "(2 so far)" in append.caption


def test_a_search_shows_what_it_found(film_trace):
    view = cara_view(film_trace)
    assert named(view, frame(view, 0, 2).found) == ["Alien", "Aliens", "Alien Resurrection", "Avatar"]
    alien = next(n for n in view.nodes if n.name == "Alien")
    avatar = next(n for n in view.nodes if n.name == "Avatar")
    assert avatar.x < alien.x  # found and never walked to: left of the walk


def test_a_hop_is_a_column(film_trace):
    at = {n.name: n.x for n in cara_view(film_trace).nodes}
    assert at["Alien"] < at["Ridley Scott"] < at["Gladiator"] == at["Blade Runner"] < at["Hampton Fancher"]


def test_what_is_left_out_is_counted_and_matters_least():
    trace = big_run(3, 20, 20)
    whole, part = cara_view(trace, max_nodes=10_000), cara_view(trace, max_nodes=100)
    assert whole.hidden == 0
    assert len(part.nodes) == 100
    assert part.total_nodes == len(whole.nodes) == 1201
    assert part.shown_words == "100 of 1,201 nodes shown"
    assert whole.shown_words == "1,201 nodes"
    shown = {n.id for n in part.nodes}
    looked_around = {s.node.id for s in trace.steps if isinstance(s, NeighborsStep)}
    assert looked_around <= shown
    best: dict[str, float] = {}
    for step in trace.steps:
        if isinstance(step, AssessStep):
            best |= {a.id: max(a.score, best.get(a.id, 0)) for a in step.assessments}
    left_out = max(score for node, score in best.items() if node not in shown)
    drawn = min(best[node] for node in shown - looked_around)
    assert drawn >= left_out


def test_frames_speak_only_of_drawn_nodes():
    view = cara_view(big_run(2, 12, 20), max_nodes=30)
    for f in view.frames:
        for i in itertools.chain(f.candidates, f.walked, f.found, f.appended, [] if f.at is None else [f.at]):
            assert 0 <= i < 30
        assert all(0 <= e < len(view.edges) for e in f.path)
        assert len(f.scores) in (0, len(f.candidates))


def test_the_selected_node_is_drawn_even_among_few():
    trace = big_run(1, 6, 20)
    view = cara_view(trace, max_nodes=12, selected="0.3.19")
    assert view.selected == "0.3.19"
    assert "0.3.19" in {n.id for n in view.nodes}
    assert cara_view(trace, max_nodes=12, selected="nobody").selected is None


def test_the_view_opens_on_the_asked_step_and_agents(film_trace):
    view = cara_view(film_trace, agents=[2, 9], step=(1, 3))
    assert view.agents == (2,)
    assert view.all_agents == (0, 1, 2)
    assert (view.frames[view.start].agent, view.frames[view.start].index) == (1, 3)
    assert cara_view(film_trace, step=(7, 7)).start == len(view.frames) - 1


def test_the_same_trace_gives_the_same_view(film_trace):
    assert cara_view(film_trace) == cara_view(Trace.from_json(film_trace.to_json()))


def test_an_empty_trace_and_a_trace_without_walks():
    dataset = DatasetRef(content_id="x", name="x")
    assert cara_view(Trace(method="cara", question="?", dataset=dataset)).nodes == ()
    found = tuple(PeerFound(node=NodeRef(id=str(i), name=f"N{i}"), score=9 - i) for i in range(5))
    peer = Trace(method="bm25", question="?", dataset=dataset, steps=(PeerSearchStep(subquery="?", k=5, found=found),))
    view = cara_view(peer)
    assert len(view.nodes) == 5
    assert view.edges == ()
    assert named(view, view.frames[0].found) == ["N0", "N1", "N2", "N3", "N4"]


@pytest.fixture
def tangle():
    """Two nodes linked both ways, a self-loop, a circle in the walk, a re-anchoring, and an unseen appended path."""
    a, b, c, d = (NodeRef(id=i, name=i.upper()) for i in "abcd")

    def cand(node, *links):
        return Candidate(node=node, bm25=1.0, links=tuple(Link(type=t, direction=way) for t, way in links))

    steps = (
        NeighborsStep(
            index=1,
            node=a,
            anchor=a,
            subquery="q",
            k=9,
            total=3,
            candidates=(cand(b, ("r", "out"), ("r", "in"), ("s", "out")), cand(a, ("self", "out"))),
        ),
        NeighborsStep(
            index=2,
            node=b,
            anchor=a,
            path=(Hop(link=Link(type="r", direction="out"), node=b),),
            subquery="q",
            k=9,
            total=2,
            candidates=(cand(a, ("r", "in"), ("r", "out")), cand(c, ("t", "in"))),
        ),
        NeighborsStep(index=3, node=c, anchor=c, subquery="q", k=9, total=1, candidates=(cand(b, ("t", "out")),)),
        GlobalSearchStep(index=4, subquery="q", k=9),
        AppendStep(
            index=5, nodes=(Appended(node=d, anchor=c, path=(Hop(link=Link(type="u", direction="in"), node=d),)),)
        ),
    )
    return Trace(method="cara", question="?", dataset=DatasetRef(content_id="x", name="x"), steps=steps)


def test_links_between_two_nodes_are_one_line_that_knows_both_directions(tangle):
    view = cara_view(tangle)
    lines = {ends(view, i): (e.forward, e.backward) for i, e in enumerate(view.edges)}
    assert lines == {("A", "B"): (("r", "s"), ("r",)), ("C", "B"): (("t",), ()), ("D", "C"): (("u",), ())}
    assert {n.name for n in view.nodes} == {"A", "B", "C", "D"}
    assert next(n for n in view.nodes if n.name == "D").role == "answer"


def test_a_run_of_a_method_not_known_here_shows_what_it_ranked(tangle):
    steps = (Step(kind="other.look", index=1), Step(kind="other.failed", index=2))
    ranked = (Ranked(id="a", name="A", score=2.0), Ranked(id="b", name="B", score=1.0))
    view = cara_view(tangle.model_copy(update={"steps": steps, "ranked": ranked}))
    assert [f.caption for f in view.frames] == ["Agent 1, step 1: other: look", "Agent 1, step 2: other: failed"]
    assert [f.kind for f in view.frames] == ["search", "failed"]
    assert named(view, view.frames[-1].found) == ["A", "B"]


def test_a_lane_names_its_encoder_in_short():
    trace = film_run()
    first = trace.steps_of(0)[0].model_copy(
        update={"encoder": "MiniLM (English, neural) + Universal Sentence Encoder (x)"}
    )
    trace = trace.model_copy(update={"steps": (first, *(s for s in trace.steps if (s.agent, s.index) != (0, 1)))})
    assert cara_view(trace).agent_notes[0] == "MiniLM + USE"
