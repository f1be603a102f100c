"""Every figure on runs of the offline agents over the samples: nothing holds for made-up traces alone."""

import pytest

from core.cara.offline import OfflineMinds
from core.cara.retriever import CaraRetriever
from core.cara.steps import AssessStep, NeighborsStep
from core.evaluation.questions import read_questions
from core.figures.cara import candidate_bars, fusion_bars, rank_shift, ranking, scatter_c_e
from core.figures.cara_view import cara_view
from core.figures.explain import why_score
from core.figures.graph_page import graph_page
from core.figures.hops import hops
from core.figures.neighbourhood import neighbourhood_view
from core.figures.replay import replay_html
from core.figures.schema_view import schema_graph
from core.figures.tables import all_tables
from core.graph.samples import SAMPLES, load_sample
from core.text.embedding import get_encoder
from core.trace import Trace


@pytest.fixture(scope="module", params=sorted(SAMPLES))
def sample(request):
    """A sample graph and the trace of a question of several hops; the agents read by letters, which loads at once."""
    graph = load_sample(request.param).graph
    asked = max(read_questions(SAMPLES[request.param].questions, graph), key=lambda q: (q.hops or 0, q.text))
    minds = OfflineMinds(get_encoder=lambda name: get_encoder("letters"))
    return graph, CaraRetriever(graph, minds).run(asked.text, {"agents": 3})


def test_a_real_walk_is_drawn_whole(sample):
    _, trace = sample
    view = cara_view(trace)
    assert len(view.frames) == len(trace.steps)
    drawn = {n.id for n in view.nodes}
    looked = [s for s in trace.steps if isinstance(s, NeighborsStep)]
    assert looked
    assert {s.node.id for s in looked} | {r.id for r in trace.ranked} <= drawn
    for frame in view.frames:
        if frame.kind in ("look", "weigh"):
            assert frame.at == frame.walked[-1]
            assert len(frame.path) == len(frame.walked) - 1
    assert cara_view(Trace.from_json(trace.to_json())) == view


def test_every_figure_takes_a_real_run(sample):
    _, trace = sample
    assert graph_page(cara_view(trace)).startswith("<!doctype html>")
    assert trace.question.replace("'", "&#39;").replace('"', "&#34;")[:20] in replay_html(trace)
    assert fusion_bars(trace).data
    assert all(table.columns for table in all_tables(trace))
    for hop, assess in hops(trace):
        assert isinstance(assess, AssessStep)
        assert candidate_bars(assess, hop).data or not hop.candidates
        assert scatter_c_e(assess, hop) is not None
        assert rank_shift(ranking(assess, hop), ranking(assess, hop)) is not None
        for candidate in hop.candidates:
            assert len(why_score(assess, hop, candidate.node.id)) == 6


def test_every_node_type_of_a_sample_is_in_its_schema_graph(sample):
    graph, _ = sample
    view = schema_graph(graph.schema())
    assert {n.id for n in view.nodes} == {t for t in graph.schema().node_types if t}
    around = neighbourhood_view(graph, [int(graph.degree.argmax())], max_nodes=50)
    assert 1 < len(around.nodes) <= 50
    assert len({(n.x, n.y) for n in around.nodes}) == len(around.nodes)
