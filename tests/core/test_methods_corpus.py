"""The method that needs a corpus stands in the one list, and is not built on a graph."""

import pytest
from dict_graph import DictGraph

from core.commands.inputs import variants
from core.errors import ConfigError
from core.methods import GRAPH_METHODS, METHODS, at_most, build, build_on_corpus, method_info

NAME = "causal-attention"


def test_it_is_listed_for_corpora_alone():
    assert method_info(NAME).needs == "corpus"
    assert NAME not in GRAPH_METHODS
    assert all(info.needs == "graph" for info in GRAPH_METHODS.values())


def test_on_a_graph_it_is_refused_in_words():
    with pytest.raises(ConfigError, match="ranks the documents of a corpus"):
        build(NAME, DictGraph([], []))
    with pytest.raises(ConfigError, match="ranks the documents of a corpus") as refused:
        variants(f"bm25,{NAME}", {})
    assert "rerank --corpus" in refused.value.hint


def test_a_model_writes_its_answer_in_one_call():
    from core.llm.endpoint import Endpoint

    endpoint = Endpoint(base_url="http://127.0.0.1:9/v1", model="m")
    assert at_most(NAME, {}, endpoint).calls == 1
    assert at_most(NAME, {"answer": False}, endpoint).calls == 0


def test_it_is_built_on_an_index_with_the_corpuss_verdict(private_home):
    from core.causal_attention.gate import decide, keep_verdict
    from core.causal_attention.index import build_index
    from core.causal_attention.steps import GateStep
    from core.corpus.readers import read_corpus_upload
    from core.text.embedding import get_encoder

    corpus = read_corpus_upload({"a.txt": b"Apples are red.", "b.txt": b"Pears are green."})
    index = build_index(corpus, get_encoder("letters"))
    assert not [s for s in build_on_corpus(index).run("red apples").steps if isinstance(s, GateStep)]
    keep_verdict(decide(corpus.content_id, [0.0, 0.1], {"semantic": [1.0, 1.0], "hybrid": [0.5, 0.5]}))
    trace = METHODS[NAME].make(index, None).run("red apples", {"mode": "gated"})
    gate = next(s for s in trace.steps if isinstance(s, GateStep))
    assert (gate.known, gate.enable, gate.mode) == (True, True, "semantic")
