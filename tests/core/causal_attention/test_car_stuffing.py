from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from car_world import FRUIT, TableEncoder, index_of

from core.causal_attention.experiment import judged_queries, read_queries, run_experiment
from core.causal_attention.stuffing import GENERATORS, REPEATS, Generator, simulate, stuffed_rounds
from core.errors import InputError, StoppedError

QUERIES = {"q1": "apple harvest", "q2": "engine valve", "q3": "cider barrel", "q4": "never judged"}
QRELS = {"q1": {"d1": 2, "d4": 1}, "q2": {"d5": 1, "gone": 1}, "q3": {"d6": 1, "d2": 0}, "q5": {"d1": 1}}
INDEX = index_of(FRUIT)


def test_only_judged_queries_that_are_there_count() -> None:
    assert judged_queries(QUERIES, QRELS) == ["q1", "q2", "q3"]
    with pytest.raises(InputError):
        judged_queries(QUERIES, {"q1": {"d1": 0}})


def test_an_experiment_scores_each_query_in_each_mode() -> None:
    result = run_experiment(INDEX, QUERIES, QRELS)
    assert set(result.scores) == {"baseline", "exact", "semantic", "fallback", "hybrid"}
    assert len(result.values("baseline")) == 3
    for mode, means in result.means().items():
        assert set(means) == {"ndcg@10", "p@5", "mrr@10"}, mode
        assert all(0 <= value <= 1 for value in means.values())
    assert all(0 <= s.overlap <= 1 and 0 <= s.absorbed <= 1 for s in result.statistics)


@pytest.mark.parametrize("generator", GENERATORS)
def test_stuffed_documents_repeat_and_are_seeded(generator: Generator) -> None:
    readings = read_queries(INDEX, {"q1": QUERIES["q1"]}, 10)
    one = stuffed_rounds(INDEX, readings, generator, 3)
    assert one == stuffed_rounds(INDEX, readings, generator, 3)
    assert one[:2] == stuffed_rounds(INDEX, readings, generator, 2)  # the first m of more
    assert one != stuffed_rounds(INDEX, readings, generator, 3, seed=1)
    counts = Counter(one[0][0].text.replace(".", "").split())
    keywords = {k.term for k in readings["q1"].keywords}
    if generator == "synonyms":
        assert not keywords & set(counts)
        assert set(counts) <= set(INDEX.table.terms)
        assert set(counts.values()) == {REPEATS}
    else:
        assert all(counts[word] >= REPEATS for word in keywords)
        assert (set(counts) == keywords) == (generator == "repeated")


@pytest.mark.parametrize("generator", GENERATORS)
def test_the_simulation_starts_from_the_corpus_as_it_is(generator: Generator) -> None:
    done = simulate(INDEX, QUERIES, QRELS, generator, (0, 2, 4))
    assert done.m == (0, 2, 4)
    assert set(done.modes) == {"baseline", "exact", "semantic", "hybrid", "gated"}
    assert done.queries == 3
    plain = run_experiment(INDEX, QUERIES, QRELS).means()
    for mode in ("baseline", "exact", "semantic", "hybrid"):
        assert done.modes[mode][0] == pytest.approx(plain[mode]["ndcg@10"])
    for i, on in enumerate(done.enabled):
        assert done.modes["gated"][i] == done.modes["hybrid" if on else "baseline"][i]
    assert done == simulate(INDEX, QUERIES, QRELS, generator, (0, 2, 4))
    assert len(INDEX.documents) == len(FRUIT)  # in memory, beside the corpus


def test_stuffing_hurts_similarity_and_not_the_exact_split() -> None:
    done = simulate(INDEX, QUERIES, QRELS, "repeated", (0, 10))
    assert done.modes["baseline"][1] < done.modes["baseline"][0]
    assert done.modes["exact"][1] > done.modes["baseline"][1]


def test_a_document_more_has_the_keywords_of_a_fresh_index_but_for_idf() -> None:
    added = index_of({"n": "apple zebra zebra"}).documents
    more = INDEX.with_documents(added, INDEX.encoder.encode([added[0].content]))
    words = more.table.keywords(len(FRUIT))
    assert [k.term for k in words] == ["zebra", "apple"]
    assert words[0].weight == pytest.approx(2 * INDEX.table.idf("zebra"), abs=1e-9)
    assert more.table.keywords(0) == INDEX.table.keywords(0)
    zebra = more.table.terms.index("zebra")
    np.testing.assert_allclose(more.table.vectors[zebra], INDEX.encoder.encode(["zebra"])[0], atol=1e-6)
    assert more.first(len(FRUIT)).documents == INDEX.documents


def test_a_larger_m_encodes_only_what_is_new() -> None:
    seen: list[str] = []

    class Counting(TableEncoder):
        def encode(self, texts, on_progress=None):  # type: ignore[no-untyped-def]
            seen.extend(texts)
            return super().encode(texts, on_progress)

    index = index_of(FRUIT, Counting())
    seen.clear()
    simulate(index, QUERIES, QRELS, "repeated", (0, 2))
    first = len([text for text in seen if len(text.split()) >= REPEATS])
    simulate(index, QUERIES, QRELS, "repeated", (0, 3))
    assert first == 2 * 3
    assert len([text for text in seen if len(text.split()) >= REPEATS]) == first + 3


def test_a_stopped_simulation_says_so() -> None:
    with pytest.raises(StoppedError):
        simulate(INDEX, QUERIES, QRELS, "repeated", (0, 1), should_stop=lambda: True)
