"""Opening an extractor by the name of an encoder."""

from __future__ import annotations

import pytest
from small_hpo import write_small_hpo

from core.errors import ConfigError
from core.sgur import readers
from core.sgur.readers import WORDS_ONLY, default_encoder, open_extractor
from core.sgur.sources.hpo import read_hpo
from core.text.embedding import ENCODERS


@pytest.fixture
def graph(tmp_path):
    return read_hpo(*write_small_hpo(tmp_path))


def test_words_alone_need_no_encoder(graph):
    extractor = open_extractor(graph, WORDS_ONLY, routed=True)
    assert extractor.encoder is None
    assert extractor.routing is None
    assert [m.observation.name for m in extractor.read("a droopy eyelid").observed] == ["Ptosis"]


def test_an_encoder_by_its_name_with_routing(graph):
    said = []
    extractor = open_extractor(graph, "letters", routed=True, on_progress=lambda what, share: said.append(what))
    assert extractor.encoder.name == "letters"
    assert "no routing" in extractor.routing.how  # so few observations are all on the list
    assert extractor.read("muscle weakness").shortlist == len(graph.observations)
    with pytest.raises(ConfigError):
        open_extractor(graph, "nonsense")


def test_the_best_encoder_is_the_default(monkeypatch):
    assert default_encoder() in ENCODERS
    monkeypatch.setattr(readers, "available_encoders", lambda: ("letters", "use"))
    assert default_encoder() == "use"
    monkeypatch.setattr(readers, "available_encoders", lambda: ("letters",))
    assert default_encoder() == WORDS_ONLY
