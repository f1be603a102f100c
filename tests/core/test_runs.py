"""The run manager: at once, in order, stoppable whatever the method does, and never silent about a failure."""

import gc
import json
import logging
import os
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import pytest
from fake_retriever import FakeRetriever, make_trace, search_step

from core.errors import ConfigError, EncoderError, ModelError, StoreError
from core.runs import RunManager, get_manager
from core.store import Store
from core.trace import Price


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "runs")
    yield store
    store.close()


@pytest.fixture
def manager():
    manager = RunManager()
    yield manager
    manager.close()


def test_a_run_goes_to_the_store_and_ends(manager, store):
    run_id = manager.start(FakeRetriever(steps=3), "who?", {"seed": 4}, store, label="mine")
    state = manager.wait(run_id, 60)
    assert (state.status, state.ended, len(state.steps), state.agents) == ("finished", True, 3, {0: 3})
    trace = store.load(run_id)
    assert (trace.status, trace.run_id, len(trace.steps), trace.config) == ("finished", run_id, 3, {"seed": 4})
    assert trace.started_at
    assert store.list(label="mine")[0].run_id == run_id


def test_a_run_that_has_ended_lets_go_of_its_method(manager, store):
    retriever = FakeRetriever(steps=1)
    gone = weakref.ref(retriever)  # it may hold a person's graph, or the key of a server
    run_id = manager.start(retriever, "who?", {}, store, run_id="chosen-id")
    assert run_id == "chosen-id"
    assert manager.wait(run_id, 60).status == "finished"
    del retriever
    deadline = time.monotonic() + 60
    while gone() is not None and time.monotonic() < deadline:  # its thread is about to end
        time.sleep(0.01)
        gc.collect()
    assert gone() is None
    assert len(manager.state(run_id).steps) == 1


def test_start_returns_at_once_and_steps_are_seen_as_they_come(manager, store):
    hold = threading.Event()
    retriever = FakeRetriever(steps=2, hold=hold)
    run_id = manager.start(retriever, "who?", {}, store)
    assert retriever.started.wait(60)
    state = manager.state(run_id)
    assert (state.status, state.ended, state.steps, state.queue) == ("running", False, (), 0)
    assert store.load(run_id).status == "running"
    hold.set()
    assert manager.wait(run_id, 60).status == "finished"


@pytest.mark.parametrize("stopped", [False, True])
def test_what_its_model_costs_stays_with_a_run_however_it_ends(manager, store, stopped):
    retriever = FakeRetriever(steps=10_000 if stopped else 2, pause=0.005 if stopped else 0.0)
    run_id = manager.start(retriever, "who?", {}, store, price=Price(prompt=2.0, completion=8.0))
    assert retriever.started.wait(60)
    if stopped:
        manager.stop(run_id)
    manager.wait(run_id, 60)
    assert store.load(run_id).status == ("stopped" if stopped else "finished")
    assert store.load(run_id).usage.price == Price(prompt=2.0, completion=8.0)


def test_a_method_that_looks_at_its_stop_event_hands_over_its_own_trace(manager, store, monkeypatch):
    monkeypatch.setattr("core.runs.GRACE", 60.0)  # a busy machine may wake it late
    retriever = FakeRetriever(steps=10_000, pause=0.005)
    run_id = manager.start(retriever, "who?", {}, store)
    assert retriever.started.wait(60)
    state = manager.stop(run_id)
    trace = store.load(run_id)
    assert (state.status, trace.status) == ("stopped", "stopped")
    assert trace.ranked  # from the method's own trace
    assert len(trace.steps) == len(state.steps) < 10_000


def test_a_method_that_hardly_looks_is_stopped_all_the_same_and_its_late_steps_are_dropped(manager, store):
    enough = threading.Event()

    class Deaf(FakeRetriever):
        def run(self, question, config=None, on_step=None, should_stop=None):
            self.started.set()
            number = 0
            while not enough.wait(0.005):
                on_step(search_step(number := number + 1))
            self.left.set()
            return make_trace(question, method=self.method)

    retriever = Deaf()
    run_id = manager.start(retriever, "who?", {}, store)
    assert retriever.started.wait(60)
    while not manager.state(run_id).steps:
        time.sleep(0.005)
    state = manager.stop(run_id)
    assert not retriever.left.is_set()  # it answered while the method was still at it
    kept = len(store.load(run_id).steps)
    assert state.status == "stopped"
    assert len(state.steps) == kept > 0
    enough.set()
    assert retriever.left.wait(60)
    time.sleep(0.05)
    trace = store.load(run_id)
    assert (trace.status, len(trace.steps), trace.ranked) == ("stopped", kept, ())
    assert manager.state(run_id).status == "stopped"
    assert trace.seconds > 0


def test_a_call_broken_off_by_stop_is_a_stop_and_no_failure(manager, store):
    class Waiting(FakeRetriever):
        def run(self, question, config=None, on_step=None, should_stop=None):
            on_step(search_step(1))
            self.started.set()
            while not should_stop():
                time.sleep(0.005)
            raise ModelError("the run was stopped while a model was being asked")

    retriever = Waiting()
    run_id = manager.start(retriever, "who?", {}, store)
    assert retriever.started.wait(60)
    assert manager.stop(run_id).status == "stopped"
    trace = store.load(run_id)
    assert (trace.status, trace.error, len(trace.steps)) == ("stopped", "", 1)


def test_a_stuck_run_gives_its_slot_back(store):
    manager = RunManager(slots=1)
    hold = threading.Event()
    stuck = FakeRetriever(hold=hold)
    first = manager.start(stuck, "who?", {}, store)
    assert stuck.started.wait(60)
    second = manager.start(FakeRetriever(), "and?", {}, store)
    assert manager.state(second).status == "queued"
    manager.stop(first)
    assert manager.wait(second, 60).status == "finished"
    hold.set()
    assert stuck.left.wait(60)
    assert store.load(first).status == "stopped"


def test_runs_wait_in_order_and_know_their_place(store):
    manager = RunManager(slots=1)
    hold = threading.Event()
    first = FakeRetriever(hold=hold)
    ids = [manager.start(first, "1", {}, store)]
    later = [FakeRetriever(), FakeRetriever(), FakeRetriever()]
    ids += [manager.start(r, "later", {}, store) for r in later]
    places = [manager.state(i).queue for i in ids]
    assert places == [0, 1, 2, 3]
    assert manager.state(ids[2]).message == "waiting for 2 runs before it"
    assert manager.state(ids[3]).status == "queued"
    assert manager.stop(ids[1]).status == "stopped"  # at once, from the queue
    assert [manager.state(i).queue for i in ids] == [0, 0, 1, 2]
    hold.set()
    assert [manager.wait(i, 60).status for i in ids] == ["finished", "stopped", "finished", "finished"]
    assert later[0].questions == []
    assert store.load(ids[1]).status == "stopped"


def test_a_mistake_of_the_user_is_told_in_its_own_words(manager, store, caplog):
    error = ConfigError("lambda is 3", where="lambda", hint="It lies between 0 and 1.")
    run_id = manager.start(FakeRetriever(error=error), "who?", {}, store)
    state = manager.wait(run_id, 60)
    assert (state.status, state.error) == ("failed", "lambda: lambda is 3. It lies between 0 and 1.")
    trace = store.load(run_id)
    assert (trace.status, trace.error, len(trace.steps)) == ("failed", state.error, 1)  # what was done is kept
    assert caplog.records == []


def test_a_fault_of_the_program_is_logged_and_shown_without_a_traceback(manager, store, caplog):
    with caplog.at_level(logging.ERROR, "core.runs"):
        run_id = manager.start(FakeRetriever(error=ZeroDivisionError("secret detail")), "who?", {}, store)
        state = manager.wait(run_id, 60)
    assert state.status == "failed"
    assert state.error.startswith("ZeroDivisionError: a fault in the program")
    assert "Traceback" not in state.error
    assert "secret detail" not in state.error
    assert "secret detail" in caplog.text


def test_even_an_exit_in_a_method_ends_the_run_and_not_the_process(manager, store):
    run_id = manager.start(FakeRetriever(error=SystemExit(3)), "who?", {}, store)
    assert manager.wait(run_id, 60).status == "failed"


def test_what_prepare_says_is_shown_and_its_failure_told(manager, store):
    gate, seen = threading.Event(), threading.Event()

    class Slow(FakeRetriever):
        def prepare(self, on_progress=None):
            on_progress("loading the encoder", 0.25)
            seen.set()
            gate.wait(60)

    run_id = manager.start(Slow(), "who?", {}, store)
    assert seen.wait(60)
    state = manager.state(run_id)
    assert (state.message, state.progress) == ("loading the encoder", 0.25)
    gate.set()
    assert manager.wait(run_id, 60).message == ""
    failing = FakeRetriever(prepare_error=EncoderError("no encoder is here"))
    assert manager.wait(manager.start(failing, "who?", {}, store), 60).error == "no encoder is here"


def test_a_run_stopped_while_preparing_never_runs(manager, store):
    gate, seen = threading.Event(), threading.Event()

    class Slow(FakeRetriever):
        def prepare(self, on_progress=None):
            seen.set()
            gate.wait(60)

    retriever = Slow()
    run_id = manager.start(retriever, "who?", {}, store)
    assert seen.wait(60)
    assert manager.stop(run_id).status == "stopped"
    gate.set()
    time.sleep(0.05)
    assert retriever.questions == []


def test_a_store_that_fails_midway_ends_the_run_and_says_so(manager, store, monkeypatch):
    def full(run_id, step):
        raise StoreError("the disk is full")

    monkeypatch.setattr(store, "add_step", full)
    run_id = manager.start(FakeRetriever(steps=10_000, pause=0.001), "who?", {}, store)
    state = manager.wait(run_id, 60)
    assert (state.status, state.error) == ("failed", "the disk is full")
    monkeypatch.undo()
    assert store.load(run_id).error == "the disk is full"


def test_an_end_that_cannot_be_stored_still_ends_the_run(manager, store, monkeypatch, caplog):
    def full(*_args, **_more):
        raise StoreError("the disk is full")

    monkeypatch.setattr(store, "finish", full)
    state = manager.wait(manager.start(FakeRetriever(), "who?", {}, store), 60)
    assert (state.status, state.error) == ("failed", "the disk is full")
    assert "could not be stored" in caplog.text


def test_a_store_that_cannot_take_the_run_refuses_it_at_start(manager, store):
    with store._database.reading() as connection:
        connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreError, match="cannot be written"):
        manager.start(FakeRetriever(), "who?", {}, store)


def test_runs_of_other_managers_are_found_in_the_store(manager, store):
    run_id = manager.start(FakeRetriever(), "who?", {}, store)
    manager.wait(run_id, 60)
    stranger = RunManager()
    state = stranger.state(run_id, store)
    assert (state.status, len(state.steps), state.agents) == ("finished", 3, {0: 3})
    assert stranger.stop(run_id, store).status == "finished"
    with pytest.raises(StoreError, match="no run"):
        stranger.state(run_id)
    with pytest.raises(StoreError, match="no run"):
        stranger.state("nonsense", store)


def test_old_runs_leave_memory_and_stay_in_the_store(manager, store, monkeypatch):
    monkeypatch.setattr("core.runs.KEPT", 2)
    ids = [manager.start(FakeRetriever(), "who?", {}, store) for _ in range(4)]
    deadline = time.monotonic() + 60
    # The store knows of an end a moment before the manager does, so the manager is asked.
    while {manager.state(i, store).status for i in ids} != {"finished"} and time.monotonic() < deadline:
        time.sleep(0.01)
    assert {manager.state(i, store).status for i in ids} == {"finished"}
    assert len(manager._ended) == 2


def test_parallel_agents_write_through_one_run(manager, store):
    class Three(FakeRetriever):
        def run(self, question, config=None, on_step=None, should_stop=None):
            def walk(agent):
                for number in range(1, 51):
                    on_step(search_step(number, agent=agent))

            threads = [threading.Thread(target=walk, args=(agent,)) for agent in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return super().run(question, config).model_copy(update={"steps": ()})

    run_id = manager.start(Three(), "who?", {}, store)
    assert manager.wait(run_id, 60).agents == {0: 50, 1: 50, 2: 50}
    assert [len(store.load(run_id).steps_of(agent)) for agent in range(3)] == [50, 50, 50]


def test_one_manager_a_process():
    assert get_manager() is get_manager()


EXIT = """
import sys, json
sys.path[:0] = {paths!r}
from fake_retriever import FakeRetriever
from core.runs import RunManager
from core.store import Store
import concurrent.futures, threading, time
store, manager = Store({folder!r}), RunManager(slots=1)
pool = concurrent.futures.ThreadPoolExecutor(1)

class Pooled(FakeRetriever):  # walks in a pool's thread, which the interpreter waits for when it ends
    def run(self, *args):
        return pool.submit(super().run, *args).result()

running = Pooled(steps=2000, pause=0.01)
ids = [manager.start(running, "one", {{}}, store), manager.start(FakeRetriever(), "two", {{}}, store)]
running.started.wait(60)
while not manager.state(ids[0]).steps:
    time.sleep(0.005)
print(json.dumps(ids))
"""


def test_at_exit_running_and_queued_runs_are_marked_interrupted(tmp_path):
    here = str(Path(__file__).parents[1])
    code = EXIT.format(paths=[os.getcwd(), here], folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    store = Store(tmp_path)
    traces = [store.load(run_id) for run_id in json.loads(done.stdout)]
    assert [t.status for t in traces] == ["interrupted", "interrupted"]
    assert 0 < len(traces[0].steps) < 2000
    with store._database.reading() as connection:  # written down, not only concluded from the dead process
        assert connection.execute("SELECT DISTINCT status FROM runs").fetchall() == [("interrupted",)]
