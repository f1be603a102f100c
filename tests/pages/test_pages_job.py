"""Work beside the page: how far it is, how it is stopped, and what comes of it."""

import threading
import time

import pytest

from core.errors import InputError
from pages.shared import job
from pages.shared.job import Job, as_words


def until(condition, seconds=60):
    """Wait for something that happens in another thread."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_quick_work_is_done_before_anything_is_drawn():
    made = Job(lambda progress, stop: 7, "counting")
    until(lambda: made.ended)
    assert made.result() == 7
    assert not made.state().stopped
    assert made.state().failed is None


def test_it_says_how_far_it_is_and_stops_when_it_next_says_so(monkeypatch):
    monkeypatch.setattr(job, "GRACE", 60.0)  # a busy machine may wake it late
    go, seen = threading.Event(), []

    def work(progress, stop):
        for n in range(1000):
            progress("counting sheep", n / 1000)
            seen.append(n)
            go.wait(0.02)

    made = Job(work, "counting")
    until(lambda: len(seen) > 2)
    assert "Counting sheep" in as_words(made.state())
    made.stop()
    assert made.state().stopping
    assert "what was done is kept" in as_words(made.state())
    until(lambda: made.ended)
    now = made.state()
    assert now.stopped
    assert made.result() is None
    assert 0 < now.share < 0.5


def test_work_that_cannot_hear_is_waited_for_no_longer_and_its_late_result_is_taken(monkeypatch):
    monkeypatch.setattr(job, "GRACE", 0.0)
    go = threading.Event()
    made = Job(lambda progress, stop: go.wait(60), "loading")
    made.stop()
    until(lambda: made.ended)
    assert made.state().stopped
    go.set()
    until(lambda: made.result() is not None)
    assert not made.state().stopped


@pytest.mark.parametrize(
    ("error", "said", "hint"),
    [
        (InputError("it is broken", where="a.pdf", hint="Mend it."), "it is broken", "Mend it."),
        (ZeroDivisionError("boom"), "Causeway made a mistake here (ZeroDivisionError)", "server's log"),
    ],
)
def test_an_error_is_kept_in_words(error, said, hint):
    def work(progress, stop):
        raise error

    made = Job(work, "reading")
    until(lambda: made.ended)
    assert made.state().failed.failed == said
    assert hint in made.state().failed.hint
    assert made.result() is None


def test_more_work_than_there_are_slots_waits_its_turn(monkeypatch):
    monkeypatch.setattr(job, "_slots", threading.BoundedSemaphore(1))
    go = threading.Event()
    first = Job(lambda progress, stop: go.wait(60), "first")
    second = Job(lambda progress, stop: "done", "second")
    until(lambda: "waiting for other work" in second.state().message)
    assert not second.ended
    go.set()
    until(lambda: second.ended)
    assert (first.result(), second.result()) == (True, "done")
