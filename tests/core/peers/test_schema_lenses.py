from __future__ import annotations

import threading
from typing import Any

import pytest
from small_world import small_graph

from core.errors import EncoderError
from core.linking.lenses import GRAPHS_KEPT, Lenses
from core.text.embedding import get_encoder


def test_one_lens_a_graph_also_when_many_ask_at_once() -> None:
    loaded: list[str] = []

    def get(name: str) -> Any:
        loaded.append(name)
        return get_encoder("letters")

    lenses, graph = Lenses(get), small_graph()
    assert lenses.encoder_title == ""
    got: list[Any] = []
    threads = [threading.Thread(target=lambda: got.append(lenses.lens(graph))) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(lens) for lens in got}) == 1
    assert loaded == ["minilm"]
    assert lenses.notices == ()
    assert lenses.encoder_title


def test_only_the_graphs_used_last_are_kept() -> None:
    lenses = Lenses(lambda name: get_encoder("letters"))
    graphs = [small_graph({str(i): (f"A{i}", "", "")}, [(str(i), "r", str(i))]) for i in range(GRAPHS_KEPT + 1)]
    first = lenses.lens(graphs[0])
    for graph in graphs[1:]:
        assert lenses.lens(graphs[0]) is first  # used again, so it stays
        lenses.lens(graph)
    assert lenses.lens(graphs[0]) is first
    second = lenses.lens(graphs[2])
    lenses.lens(graphs[1])  # had been forgotten
    assert lenses.lens(graphs[2]) is second


def test_a_broken_encoder_shows_at_its_first_word() -> None:
    class Broken:
        name = version = "broken"

        def encode(self, texts: Any) -> Any:
            raise EncoderError("the file is damaged")

    lenses = Lenses(lambda name: get_encoder("letters") if name == "letters" else Broken())  # type: ignore[arg-type]
    lenses.lens(small_graph())
    assert lenses.notices[0].startswith("The file is damaged. The file is damaged. The schema is read with")

    none = Lenses(lambda name: Broken())  # type: ignore[arg-type]
    with pytest.raises(EncoderError, match="no encoder can be loaded"):
        none.lens(small_graph())
