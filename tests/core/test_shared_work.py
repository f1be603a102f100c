from __future__ import annotations

import threading
import time

import pytest

from core.retriever import OnProgress
from core.shared_work import SharedWork, StoppedError


def test_the_work_is_done_once_for_all_who_wait() -> None:
    calls: list[int] = []
    go = threading.Event()

    def work(report: OnProgress) -> str:
        calls.append(1)
        go.wait(60)
        return "result"

    shared = SharedWork(work)
    got: list[str] = []
    threads = [threading.Thread(target=lambda: got.append(shared.get())) for _ in range(5)]
    for thread in threads:
        thread.start()
    assert not shared.ready
    go.set()
    for thread in threads:
        thread.join()
    assert got == ["result"] * 5
    assert shared.get() == "result"
    assert calls == [1]
    assert shared.ready


def test_one_who_stops_leaves_the_work_to_the_others() -> None:
    go = threading.Event()

    def work(report: OnProgress) -> int:
        while not go.wait(0.01):
            report("working", None)
        return 7

    shared = SharedWork(work)
    got: list[int] = []
    patient = threading.Thread(target=lambda: got.append(shared.get()))
    patient.start()
    with pytest.raises(StoppedError):
        shared.get(should_stop=lambda: True)
    go.set()
    patient.join()
    assert got == [7]


def test_work_that_no_one_waits_for_ends_and_begins_anew_when_asked_again() -> None:
    ended = threading.Event()
    attempts: list[int] = []

    def work(report: OnProgress) -> int:
        attempts.append(1)
        try:
            while len(attempts) == 1:
                report("working", 0.5)
                time.sleep(0.005)
        finally:
            ended.set()
        return len(attempts)

    shared = SharedWork(work)
    with pytest.raises(StoppedError):
        shared.get(should_stop=lambda: True)
    assert ended.wait(60)
    assert shared.get() == 2


def test_an_error_reaches_who_waits_and_is_not_kept() -> None:
    answers: list[Exception | str] = [ValueError("broken"), "whole"]

    def work(report: OnProgress) -> str:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    shared = SharedWork(work)
    with pytest.raises(ValueError, match="broken"):
        shared.get()
    assert not shared.ready
    assert shared.get() == "whole"


def test_progress_is_passed_on_and_what_it_raises_ends_the_waiting() -> None:
    def work(report: OnProgress) -> None:
        for i in range(1_000):
            report("working", i / 1_000)
            time.sleep(0.005)

    told: list[float | None] = []

    def listen(what: str, share: float | None) -> None:
        told.append(share)
        if len(told) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SharedWork(work).get(on_progress=listen)
    assert len(told) == 3
    assert told == sorted(told, key=lambda share: share or 0)
