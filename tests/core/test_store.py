"""The run store: nothing that happened is lost, nothing that is read changes, and errors say what to do."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from fake_retriever import DATASET, make_trace, search_step
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core import owner
from core.cara.steps import Found, GlobalSearchStep
from core.database import Database
from core.errors import StoreError
from core.owner import Heart, current_owner, is_alive
from core.store import FILE_NAME, Store, default_folder, new_run_id
from core.store_tables import MIGRATIONS
from core.trace import NodeRef, Trace

HEAD = Trace(method="cara", question="who?", dataset=DATASET, status="running")


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "runs")
    yield store
    store.close()


def test_a_run_is_readable_while_it_happens_and_whole_after(store):
    trace = make_trace(steps=3)
    store.begin("r1", HEAD)
    for step in trace.steps:
        assert store.add_step("r1", step)
    now = store.load("r1")
    assert (now.status, now.steps, now.run_id) == ("running", trace.steps, "r1")
    assert store.finish("r1", trace)
    assert store.load("r1").to_json() == trace.model_copy(update={"run_id": "r1"}).to_json()
    assert Trace.from_json(store.export("r1")).same_content(trace)


def test_steps_keep_their_order_of_arrival_and_can_be_followed(store):
    store.begin("r1", HEAD)
    first = [search_step(1, agent=1), search_step(1, agent=0)]
    for step in first:
        store.add_step("r1", step)
    arrival, steps = store.steps_after("r1")
    assert list(steps) == first
    assert store.steps_after("r1", arrival) == (arrival, ())
    store.add_step("r1", search_step(2, agent=0))
    assert store.steps_after("r1", arrival)[1] == (search_step(2, agent=0),)


def test_finish_adds_steps_that_were_not_emitted_and_takes_none_away(store):
    store.begin("r1", HEAD)
    store.add_step("r1", search_step(1))
    store.add_step("r1", search_step(7))
    store.finish("r1", make_trace(steps=2))
    assert [(s.kind, s.index) for s in store.load("r1").steps] == [
        ("cara.global_search", 1),
        ("cara.global_search", 7),
        ("cara.finish", 2),
    ]


def test_an_ended_run_takes_no_more_steps_and_no_second_end(store):
    store.begin("r1", HEAD)
    store.add_step("r1", search_step(1))
    assert store.end("r1", "stopped", seconds=1.5)
    assert not store.add_step("r1", search_step(2))
    assert not store.finish("r1", make_trace(steps=4))
    kept = store.load("r1")
    assert (kept.status, kept.seconds, len(kept.steps)) == ("stopped", 1.5, 1)
    assert not store.add_step("nobody", search_step(1))


def test_a_failed_run_keeps_its_error(store):
    store.begin("r1", HEAD)
    store.end("r1", "failed", error="the index is gone")
    assert store.load("r1").error == "the index is gone"
    assert store.list()[0].error == "the index is gone"


def test_run_ids_are_checked_and_never_taken_twice(store):
    store.begin("r1", HEAD)
    with pytest.raises(StoreError, match="a run r1 already"):
        store.begin("r1", HEAD)
    for bad in ("", "../up", "a b", "x" * 65, "-rf"):
        with pytest.raises(StoreError, match="cannot be a run's id"):
            store.begin(bad, HEAD)
    ids = {new_run_id() for _ in range(200)}
    assert len(ids) == 200
    store.begin(ids.pop(), HEAD)


def test_list_filters_and_counts_newest_first(store):
    store.save(make_trace("Who wrote ÄPFEL?", method="ark"), run_id="a")
    store.save(make_trace("100% sure_", method="cara"), run_id="b", label="mine")
    store.begin("c", HEAD)
    assert [r.run_id for r in store.list()] == ["c", "b", "a"]
    assert [r.run_id for r in store.list(limit=1)] == ["c"]
    assert [r.run_id for r in store.list(method="ark")] == ["a"]
    assert [r.run_id for r in store.list(status="running")] == ["c"]
    assert [r.run_id for r in store.list(text="äpfel")] == ["a"]
    assert [r.run_id for r in store.list(text="0% SURE_")] == ["b"]
    assert [r.run_id for r in store.list(text="_")] == ["b"]  # no wildcard
    assert [r.run_id for r in store.list(label="mine")] == ["b"]
    assert [r.run_id for r in store.list(label="")] == ["c", "a"]
    line = store.list(method="ark")[0]
    assert (line.steps, line.top, line.dataset, line.seconds) == (2, "Ada", "tiny", 0.25)


def test_delete_takes_steps_and_notes_along(store):
    store.save(make_trace(), run_id="a")
    with sqlite3.connect(store.path) as other:
        other.execute("INSERT INTO annotations (run_id, tag, created) VALUES ('a', 'wrong hop', 0)")
    other.close()
    store.delete("a")
    with sqlite3.connect(store.path) as other:
        left = [other.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in ("runs", "steps", "annotations")]
    other.close()
    assert left == [0, 0, 0]
    for call in (store.load, store.delete, store.export):
        with pytest.raises(StoreError, match="no run a"):
            call("a")


def test_a_running_run_is_not_deleted(store):
    store.begin("r1", HEAD)
    with pytest.raises(StoreError, match="still running"):
        store.delete("r1")


def test_a_later_state_takes_the_place_of_an_earlier_one(store):
    store.save(make_trace(steps=3), label="mine", run_id="r1")
    shorter = make_trace(steps=1).model_copy(update={"question": "another"})
    store.replace("r1", shorter)
    assert store.load("r1").to_json() == shorter.model_copy(update={"run_id": "r1"}).to_json()
    assert [(line.run_id, line.question) for line in store.list(label="mine")] == [("r1", "another")]
    with pytest.raises(StoreError, match="no run r2"):
        store.replace("r2", shorter)
    store.begin("r3", HEAD)
    with pytest.raises(StoreError, match="still running"):
        store.replace("r3", shorter)
    assert store.load("r3").status == "running"


def test_import_keeps_an_id_recognises_content_and_avoids_taken_ids(store):
    trace = make_trace(run_id="abc")
    assert store.import_trace(trace) == "abc"
    assert store.import_trace(trace) == "abc"
    assert store.import_trace(trace.model_copy(update={"run_id": "other", "seconds": 9.0})) == "abc"
    different = make_trace(run_id="abc", steps=4)
    renamed = store.import_trace(different)
    assert renamed != "abc"
    assert store.load(renamed).same_content(different)
    assert store.import_trace(different) == renamed
    assert len(store.list()) == 2


def test_import_does_not_trust_ids_and_ends_what_was_running(store):
    run_id = store.import_trace(make_trace(run_id="../../etc", status="running"))
    assert "/" not in run_id
    assert store.load(run_id).status == "interrupted"


def test_lone_surrogates_become_replacement_characters(store):
    found = Found(node=NodeRef(id="n", name="a\ud800b"), score=float("nan"))
    trace = make_trace("why \udfff?", run_id="s").model_copy(
        update={"steps": (GlobalSearchStep(subquery="\ud800", k=1, found=(found,)),)}
    )
    assert store.import_trace(trace) == "s"
    kept = store.load("s")
    assert kept.question == "why \ufffd?"
    assert kept.steps[0].subquery == "\ufffd"
    assert kept.steps[0].found[0].node.name == "a\ufffdb"
    assert kept.steps[0].found[0].score != kept.steps[0].found[0].score  # NaN is kept as NaN
    assert store.import_trace(trace) == "s"
    store.begin("t", HEAD, label="\ud800")
    store.add_step("t", trace.steps[0])
    assert store.load("t").steps[0].subquery == "\ufffd"
    assert [r.run_id for r in store.list(label="\ud800")] == ["t"]


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    question=st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    agents=st.lists(st.integers(0, 3), max_size=12),
)
def test_what_goes_in_comes_out(store, question, agents):
    steps = tuple(search_step(i + 1, agent=a, subquery=question) for i, a in enumerate(agents))
    trace = make_trace(question).model_copy(update={"steps": steps})
    run_id = new_run_id()
    store.begin(run_id, trace.model_copy(update={"steps": ()}))
    for step in steps:
        store.add_step(run_id, step)
    store.finish(run_id, trace)
    assert store.load(run_id).to_json() == trace.model_copy(update={"run_id": run_id}).to_json()


# --- other processes --------------------------------------------------------------------------------------------

CHILD = """
import sys
sys.path[:0] = [{root!r}, {tests!r}]
from fake_retriever import DATASET, search_step
from core.store import Store
from core.trace import Trace
store = Store({folder!r})
store.begin({run_id!r}, Trace(method="cara", question="who?", dataset=DATASET, status="running"))
for number in range(1, {steps} + 1):
    assert store.add_step({run_id!r}, search_step(number))
    print(number, flush=True)
"""


def start_child(folder, run_id, steps, then=""):
    here = str(Path(__file__).parents[1])
    code = CHILD.format(root=os.path.dirname(os.path.dirname(here)), tests=here, folder=str(folder), run_id=run_id,
                        steps=steps)  # fmt: skip
    return subprocess.Popen([sys.executable, "-c", code + then], stdout=subprocess.PIPE, text=True)


def test_kill_9_loses_no_finished_step(tmp_path):
    child = start_child(tmp_path, "victim", 10**9)
    try:
        said = [int(child.stdout.readline()) for _ in range(50)]
        store = Store(tmp_path)
        assert store.load("victim").status == "running"
        assert store.list(status="running")[0].run_id == "victim"
    finally:
        child.send_signal(signal.SIGKILL)
        rest = child.stdout.read()
        child.wait()
        child.stdout.close()
    last = int(rest.split("\n")[-2]) if rest.count("\n") else said[-1]
    trace = store.load("victim")
    assert trace.status == "interrupted"
    assert [s.index for s in trace.steps] == list(range(1, len(trace.steps) + 1))
    assert len(trace.steps) >= last  # at most one more: stored, and killed before it was said
    assert [r.status for r in store.list(status="interrupted")] == ["interrupted"]
    assert store.list(status="running") == []
    store.delete("victim")
    assert store.list() == []


def test_two_processes_write_at_once(tmp_path):
    store = Store(tmp_path)
    children = [start_child(tmp_path, f"r{n}", 300) for n in range(2)]
    store.begin("own", HEAD)
    for number in range(1, 301):
        assert store.add_step("own", search_step(number))
    for child in children:
        child.communicate(timeout=60)
        assert child.returncode == 0
    for run_id in ("r0", "r1", "own"):
        assert [s.index for s in store.load(run_id).steps] == list(range(1, 301))


def test_many_threads_and_two_stores_of_one_file(tmp_path):
    stores = [Store(tmp_path), Store(tmp_path)]
    stores[0].begin("r", HEAD)
    failures = []

    def write(agent):
        try:
            for number in range(1, 101):
                stores[agent % 2].add_step("r", search_step(number, agent=agent))
                if number % 25 == 0:
                    stores[agent % 2].list()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(agent,)) for agent in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    trace = stores[1].load("r")
    assert [len(trace.steps_of(agent)) for agent in range(4)] == [100] * 4


def test_a_forked_child_opens_its_own_connection(tmp_path):
    store = Store(tmp_path)
    store.begin("r", HEAD)
    code = f"""
import os, sys
sys.path[:0] = {[os.getcwd(), str(Path(__file__).parents[1])]!r}
from fake_retriever import search_step
from core.store import Store
store = Store({str(tmp_path)!r})
parent = store._database._connection
pid = os.fork()
if pid == 0:
    ok = store.add_step("r", search_step(1)) and store._database._connection is not parent
    os._exit(0 if ok else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert len(store.load("r").steps) == 1


# --- who owns a run ---------------------------------------------------------------------------------------------


def test_liveness_by_process_and_by_heartbeat(monkeypatch):
    mine = current_owner()
    host, pid, start = mine.split("|")
    assert is_alive(mine, heartbeat=0.0)
    if start != "?":
        assert not is_alive(f"{host}|{pid}|{int(start) + 1}", time.time())  # the id was used again
        assert not is_alive(f"{host}|999999999|{start}", time.time())
    elsewhere = "another host|1|5"
    assert is_alive(elsewhere, 1000.0, now=1000.0 + owner.SILENCE - 1)
    assert not is_alive(elsewhere, 1000.0, now=1000.0 + owner.SILENCE + 1)
    monkeypatch.setattr(owner, "_started", lambda pid: None)  # a platform without /proc
    assert is_alive(current_owner(), time.time())
    assert not is_alive(current_owner(), time.time() - owner.SILENCE - 1)


def test_a_run_of_another_host_is_alive_while_its_heart_beats(store):
    store.begin("far", HEAD)
    with sqlite3.connect(store.path) as other:
        other.execute("UPDATE runs SET owner = 'another host|1|5', heartbeat = ?", (time.time() - 1000,))
    other.close()
    assert store.load("far").status == "interrupted"
    store._heart._beat(["far"])
    assert store.load("far").status == "running"


def test_the_heart_beats_for_what_is_watched_and_then_rests(monkeypatch):
    monkeypatch.setattr(owner, "BEAT", 0.01)
    beats, beaten = [], threading.Event()

    def beat(runs):
        beats.append(runs)
        beaten.set()

    heart = Heart(beat)
    heart.watch("a")
    heart.watch("b")
    assert beaten.wait(60)
    heart.forget("a")
    heart.forget("b")
    assert heart._end is None
    assert all(set(runs) <= {"a", "b"} for runs in beats)


# --- what can go wrong with the file ----------------------------------------------------------------------------


def test_the_folder_is_looked_up_at_call_time(monkeypatch, tmp_path):
    monkeypatch.setenv("CAUSEWAY_HOME", str(tmp_path / "one"))
    assert Store().path == tmp_path / "one" / FILE_NAME
    monkeypatch.setenv("CAUSEWAY_HOME", str(tmp_path / "two"))
    assert Store().folder == tmp_path / "two"
    monkeypatch.delenv("CAUSEWAY_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    assert "causeway" in str(default_folder())


def test_an_older_file_is_brought_up_to_date_with_its_runs(tmp_path):
    older = Database(tmp_path / FILE_NAME, MIGRATIONS[:1])
    head = make_trace(run_id="old").model_copy(update={"steps": ()}).to_json()
    with older.writing() as connection:
        connection.execute(
            "INSERT INTO runs VALUES ('old', 'fake', 'who?', '', 'tiny', 'sha256:fake', 'finished', 1, '', 1, ?)",
            (head,),
        )
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    older.close()
    store = Store(tmp_path)
    assert store.load("old").question == "who?"
    with store._database.reading() as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
        assert connection.execute("SELECT count(*) FROM annotations").fetchone() == (0,)


def test_a_failing_migration_leaves_the_older_file_as_it_was(tmp_path):
    Database(tmp_path / FILE_NAME, MIGRATIONS[:1]).close()

    def half(connection):
        connection.execute("CREATE TABLE half (x)")
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        Database(tmp_path / FILE_NAME, [MIGRATIONS[0], half])
    with sqlite3.connect(tmp_path / FILE_NAME) as other:
        assert other.execute("PRAGMA user_version").fetchone() == (1,)
        assert other.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'").fetchone() == (0,)
    other.close()


def test_a_newer_file_is_refused_untouched(tmp_path):
    with sqlite3.connect(tmp_path / FILE_NAME) as other:
        other.execute("CREATE TABLE future (x)")
        other.execute("PRAGMA user_version = 99")
    other.close()
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(StoreError, match="schema version 99") as caught:
        Store(tmp_path)
    assert caught.value.hint
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_a_damaged_file_is_reported_and_not_touched(tmp_path):
    (tmp_path / FILE_NAME).write_bytes(b"this is no database at all, but long enough to be looked at" * 20)
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(StoreError, match="damaged or not a database") as caught:
        Store(tmp_path)
    assert "Move the file" in caught.value.hint
    assert caught.value.where.endswith(FILE_NAME)
    assert (tmp_path / FILE_NAME).read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_file()) == [FILE_NAME]


def test_damage_in_the_middle_is_reported_when_met(tmp_path):
    store = Store(tmp_path)
    for number in range(30):
        store.save(make_trace("a long question " * 50, steps=20), run_id=f"r{number}")
    with store._database.reading() as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    content = bytearray((tmp_path / FILE_NAME).read_bytes())
    content[4096 * 3 : -4096] = b"\xff" * (len(content) - 4096 * 4)
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        [Store(tmp_path).load(f"r{number}") for number in range(30)]


def test_a_full_disk_is_an_error_that_keeps_what_was_there(store):
    store.begin("r", HEAD)
    store.add_step("r", search_step(1))
    with store._database.reading() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
    big = search_step(2, subquery="x" * 100_000)
    with pytest.raises(StoreError, match="disk is full"):
        store.add_step("r", big)
    with pytest.raises(StoreError, match="disk is full"):
        store.finish("r", make_trace().model_copy(update={"steps": (big,)}))
    assert [s.index for s in store.load("r").steps] == [1]
    assert store.load("r").status == "running"
    with store._database.reading() as connection:
        connection.execute("PRAGMA max_page_count = 1000000")
    assert store.finish("r", make_trace())


def test_a_read_only_file_is_an_error_on_writing_alone(store):
    store.save(make_trace(), run_id="a")
    with store._database.reading() as connection:
        connection.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreError, match="cannot be written"):
        store.save(make_trace(), run_id="b")
    assert [r.run_id for r in store.list()] == ["a"]


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be made") as caught:
        Store(tmp_path / "file" / "runs")
    assert "CAUSEWAY_HOME" in caught.value.hint


def test_another_process_that_holds_the_lock_is_named_after_a_while(store, monkeypatch):
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with store._database.reading() as connection:
        connection.execute("PRAGMA busy_timeout = 20")
    with pytest.raises(StoreError, match="locked"):
        store.begin("r", HEAD)
    other.execute("ROLLBACK")
    other.close()
    store.begin("r", HEAD)
    assert store.load("r").status == "running"


def test_summaries_and_exports_are_plain_json(store):
    store.save(make_trace(), run_id="a")
    line = json.loads(store.list()[0].model_dump_json())
    assert line["run_id"] == "a"
    assert json.loads(store.export("a"))["format"] == "causeway.trace/1"
