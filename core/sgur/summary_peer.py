"""The peer that asks a model (SGUR-11): retrieval, and in each round the model's own last summary once more.

The model sees what is new, its summary of the rounds before, and hypotheses retrieved by the terms they share. A
reply that cannot be used leaves the last ranking as it was. Not here: the prompts (`summary_prompts`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from core.errors import ModelError, StoppedError
from core.llm.exchange import Exchange, ask_and_keep
from core.llm.replay import Asker
from core.llm.structured import ReplyError
from core.retriever import OnProgress, ShouldStop
from core.sgur.asked import Asked
from core.sgur.belief import place_of
from core.sgur.engine import Engine
from core.sgur.expert_graph import Floats
from core.sgur.patients import Patient
from core.sgur.peers import peer_distance, shared_terms
from core.sgur.protocol import Places, query_of
from core.sgur.query import Query
from core.sgur.summary_prompts import REPLY_TOKENS, SummaryReply, round_prompt

SHORTLIST = 30
SIGNS_SHOWN = 12  # of a hypothesis, those that were observed first
LLM_SUMMARY = "llm-summary"


class SummaryPeer:
    """One patient's rounds with a model."""

    def __init__(self, engine: Engine, asker: Asker, asked: Asked, context_tokens: int = 8192) -> None:
        self.summary = ""
        self.ranking: tuple[int, ...] = ()  # hypotheses, the likeliest first
        self._engine, self._asker, self._asked, self._context = engine, asker, asked, context_tokens

    def round(self, number: int, query: Query, new: Sequence[int], should_stop: ShouldStop | None = None) -> Floats:
        """(H,) a distance: the model's ranking, then all others as retrieved. query: all told; new: in this round.

        A round without a usable reply keeps the ranking before it. ModelError when the server has not answered for
        some rounds; StoppedError.
        """
        graph = self._engine.graph
        retrieved = peer_distance(self._engine, shared_terms(self._engine, query))
        listed = np.argsort(retrieved, kind="stable")[:SHORTLIST].tolist()
        shown = [(graph.hypotheses.names[h], self._signs(h, query)) for h in listed]
        names = [graph.observations.names[o] for o in new]
        messages, many = round_prompt(self.summary, names, shown, self._context)
        offered = {f"h{n}": h for n, h in enumerate(listed[:many], 1)}

        def check(reply: SummaryReply) -> str:
            if any(_bare(handle) in offered for handle in reply.ranking):
                return ""
            return f"its ranking names no handle on the list ({', '.join(list(offered)[:3])}, ..)"

        kept: list[Exchange] = []
        try:
            reply, exchange = ask_and_keep(
                self._asker,
                messages,
                SummaryReply,
                agent=-1,
                temperature=0.0,
                max_tokens=REPLY_TOKENS,
                seed=None,
                check=check,
                should_stop=should_stop,
                keep=kept.append,
            )
        except ReplyError as error:
            self._asked.add(number, kept[-1])
            self._asked.fail(error.what)
        except StoppedError:
            raise
        except ModelError as error:
            self._asked.no_reply(error)
        else:
            self._asked.add(number, exchange)
            handles = list(dict.fromkeys(_bare(handle) for handle in reply.value.ranking))
            self._asked.refused += sum(handle not in offered for handle in handles)
            self.summary = reply.value.summary
            self.ranking = tuple(offered[handle] for handle in handles if handle in offered)
        distance = retrieved + len(self.ranking)
        distance[list(self.ranking)] = np.arange(len(self.ranking))
        return distance

    def _signs(self, hypothesis: int, query: Query) -> list[str]:
        own = self._engine.index.observations_of(hypothesis).tolist()
        first = sorted(own, key=lambda o: o not in query.observed)
        return [self._engine.graph.observations.names[o] for o in first[:SIGNS_SHOWN]]


def run_summaries(
    engine: Engine,
    patients: Sequence[Patient],
    asker: Asker,
    rounds: Sequence[int],
    name: str = LLM_SUMMARY,
    context_tokens: int = 8192,
    on_progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
) -> tuple[Places, Asked]:
    """The places after so many terms by this peer, and what it cost.

    Stopped, or when the server does not answer any more (`Asked.ended`), it keeps the patients that were done.
    """
    report = on_progress or (lambda message, share: None)
    asked = Asked.nothing(len(rounds))
    found: list[list[float]] = []
    took: list[list[float]] = []
    for number, patient in enumerate(patients):
        report(f"{asker.label}: patient {number + 1:,} of {len(patients):,}", number / len(patients))
        truth = engine.graph.hypotheses.positions[patient.diagnosis]
        peer, held = SummaryPeer(engine, asker, asked, context_tokens), Query()
        row, times = [], []
        try:
            for n, terms in enumerate(rounds):
                query = query_of(engine, patient, terms)
                new = [o for o in query.observed if o not in held.observed]
                began = time.perf_counter()
                row.append(place_of(peer.round(n, query, new, should_stop), truth))
                times.append(time.perf_counter() - began)
                held = query
        except ModelError:  # a stop, or a server that is gone: `asked.ended` tells
            break
        found.append(row)
        took.append(times)
    shape = (-1, len(rounds))
    places, seconds = np.array(found).reshape(shape), np.array(took).reshape(shape)
    return Places(tuple(patients[: len(found)]), tuple(rounds), {name: places}, {name: seconds}), asked


def _bare(handle: str) -> str:
    return handle.strip("[]() ").lower().split(":")[0]
