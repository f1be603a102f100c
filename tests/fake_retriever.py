"""Retrievers that do as they are told: for tests of whatever runs methods."""

import threading
import time

from core.cara.steps import FinishStep, GlobalSearchStep
from core.trace import Answer, Claim, DatasetRef, Evidence, NodeRef, Ranked, Trace, Usage

DATASET = DatasetRef(content_id="sha256:fake", name="tiny", size={"nodes": 3, "edges": 2})


def search_step(index, agent=0, subquery="who", at=0.0):
    return GlobalSearchStep(agent=agent, index=index, subquery=subquery, k=3, at=at, seconds=0.001)


def make_trace(question="who?", steps=2, method="fake", **changes):
    node = NodeRef(id="n1", name="Ada", type="person")
    claim = Claim(text="Ada.", evidence=(Evidence(node=node, quote="Ada wrote it."),))
    fields = {
        "method": method,
        "question": question,
        "config": {"seed": 1},
        "dataset": DATASET,
        "decided_by": "offline policy",
        "steps": (*(search_step(i + 1) for i in range(steps - 1)), FinishStep(index=steps)),
        "ranked": (Ranked(id="n1", name="Ada", type="person", score=0.5, ranks={0: 1}),),
        "answer": Answer(text="Ada.", claims=(claim,), decided_by="offline policy"),
        "usage": Usage(calls={"global_search": steps - 1}, nodes_examined=3),
        "started_at": "2026-11-30T10:00:00.000+00:00",
        "seconds": 0.25,
    }
    return Trace(**{**fields, **changes})


class FakeRetriever:
    """Makes `steps` steps, `pause` seconds apart, looking at should_stop after every `poll` of them."""

    method = "fake"
    dataset = DATASET

    def __init__(self, steps=3, pause=0.0, poll=1, error=None, hold=None, prepare_error=None):
        self.steps, self.pause, self.poll, self.error = steps, pause, poll, error
        self.hold = hold
        self.prepare_error = prepare_error
        self.started = threading.Event()
        self.left = threading.Event()
        self.questions = []

    def prepare(self, on_progress=None):
        if on_progress:
            on_progress("warming up", 0.5)
        if self.prepare_error:
            raise self.prepare_error

    def run(self, question, config=None, on_step=None, should_stop=None):
        self.started.set()
        self.questions.append(question)
        if self.hold:
            self.hold.wait(60)
        made, status = [], "finished"
        try:
            for number in range(1, self.steps + 1):
                step = search_step(number, at=number * 0.001)
                made.append(step)
                if on_step:
                    on_step(step)
                if self.error:
                    raise self.error
                if number % self.poll == 0 and should_stop and should_stop():
                    status = "stopped"
                    break
                time.sleep(self.pause)
            return make_trace(question, method=self.method, steps=2).model_copy(
                update={"steps": tuple(made), "status": status, "config": dict(config or {})}
            )
        finally:
            self.left.set()
