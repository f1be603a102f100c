from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.disk_cache import MANIFEST, STALE_SECONDS, DiskCache, cache_root
from core.errors import StoreError

ROOT = Path(__file__).resolve().parents[2]


def writing(content: str, name: str = "data.txt") -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).write_text(content, encoding="utf-8")

    return write


def refuse(folder: Path) -> None:
    raise AssertionError("the writer must not be asked")


def used_at(cache: DiskCache, kind: str, key: str, seconds: float) -> None:
    folder = cache.get_folder(kind, key)
    assert folder is not None
    os.utime(folder / MANIFEST, (seconds, seconds))


def leftovers(cache: DiskCache) -> list[Path]:
    return list((cache.root / ".tmp").glob("*"))


def test_an_entry_comes_back(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)
    assert cache.get_folder("bm25", "key") is None
    folder = cache.put_folder("bm25", "key", writing("hello"))
    assert cache.get_folder("bm25", "key") == folder
    assert (folder / "data.txt").read_text() == "hello"
    assert cache.get_folder("bm25", "other") is None
    assert cache.get_folder("vectors", "key") is None
    assert leftovers(cache) == []


@pytest.mark.parametrize("key", ["", "../../etc", "a/b\\c", "x" * 5000, "中文\n", "\ud800"])
def test_any_key_is_a_key(tmp_path: Path, key: str) -> None:
    cache = DiskCache(tmp_path / "cache")
    folder = cache.put_folder("kind", key, writing("x"))
    assert folder.parent == tmp_path / "cache" / "kind"
    assert cache.get_folder("kind", key) == folder
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]


@pytest.mark.parametrize("kind", ["", "../up", "a/b", ".tmp", "Ä"])
def test_a_kind_is_a_plain_word(tmp_path: Path, kind: str) -> None:
    with pytest.raises(ValueError, match="kind"):
        DiskCache(tmp_path).put_folder(kind, "key", refuse)


def test_size_and_entries_count_the_writers_files(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)

    def nested(folder: Path) -> None:
        (folder / "a").write_bytes(b"12345")
        (folder / "deep").mkdir()
        (folder / "deep" / "b").write_bytes(b"678")

    cache.put_folder("one", "k", nested)
    cache.put_folder("two", "k", writing("xy"))
    assert cache.size() == 10
    assert {(e.kind, e.key, e.bytes) for e in cache.entries()} == {("one", "k", 8), ("two", "k", 2)}


def test_the_least_recently_used_go_first_and_reading_is_using(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path, limit_bytes=30)
    for age, key in enumerate("abc"):
        cache.put_folder("kind", key, writing("x" * 10))
        used_at(cache, "kind", key, 1_000_000 + age)
    assert cache.get_folder("kind", "a") is not None
    cache.put_folder("kind", "d", writing("x" * 10))
    assert {entry.key for entry in cache.entries()} == {"a", "c", "d"}
    assert cache.size() == 30
    assert leftovers(cache) == []


def test_the_entry_just_written_stays_even_above_the_limit(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path, limit_bytes=5)
    cache.put_folder("kind", "small", writing("x"))
    folder = cache.put_folder("kind", "large", writing("x" * 100))
    assert [entry.key for entry in cache.entries()] == ["large"]
    assert cache.get_folder("kind", "large") == folder


def test_clear_by_kind_and_of_all(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)
    for kind in ("one", "two"):
        for key in "ab":
            cache.put_folder(kind, key, writing("123"))
    assert cache.clear("one") == 6
    assert {entry.kind for entry in cache.entries()} == {"two"}
    assert cache.clear() == 6
    assert cache.entries() == ()
    assert cache.clear() == 0


def test_remove_one(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)
    cache.put_folder("kind", "a", writing("1"))
    cache.remove("kind", "a")
    cache.remove("kind", "never there")
    assert cache.get_folder("kind", "a") is None


@pytest.mark.parametrize("harm", ["truncated", "missing file", "no manifest", "manifest cut", "manifest odd", "file"])
def test_a_damaged_entry_is_removed_and_can_be_made_again(tmp_path: Path, harm: str) -> None:
    cache = DiskCache(tmp_path)
    folder = cache.put_folder("kind", "key", writing("hello"))
    if harm == "truncated":
        (folder / "data.txt").write_text("hel")
    elif harm == "missing file":
        (folder / "data.txt").unlink()
    elif harm == "no manifest":
        (folder / MANIFEST).unlink()
    elif harm == "manifest cut":
        (folder / MANIFEST).write_text('{"kind": "ki')
    elif harm == "manifest odd":
        (folder / MANIFEST).write_text(json.dumps(["kind"]))
    else:
        cache.remove("kind", "key")
        folder.write_text("a file in the way")
    assert cache.entries() == ()
    assert cache.get_folder("kind", "key") is None
    assert not folder.exists()
    again = cache.put_folder("kind", "key", writing("hello"))
    assert cache.get_folder("kind", "key") == again == folder
    assert (again / "data.txt").read_text() == "hello"


def test_a_damaged_entry_does_not_keep_a_new_one_out(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)
    folder = cache.put_folder("kind", "key", writing("hello"))
    (folder / "data.txt").write_text("hel")
    cache.put_folder("kind", "key", writing("hello"))
    assert (folder / "data.txt").read_text() == "hello"


def test_a_writer_that_fails_leaves_nothing(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)

    def fail(folder: Path) -> None:
        (folder / "half").write_text("x")
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        cache.put_folder("kind", "key", fail)
    assert cache.get_folder("kind", "key") is None
    assert leftovers(cache) == []


def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    cache = DiskCache(tmp_path / "file" / "cache")
    with pytest.raises(StoreError) as caught:
        cache.put_folder("kind", "key", writing("x"))
    assert "CAUSEWAY_HOME" in caught.value.hint
    assert cache.get_folder("kind", "key") is None
    assert cache.entries() == ()


def test_what_dead_processes_left_is_swept_and_what_lives_is_not(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)
    old, young = cache.root / ".tmp" / "old", cache.root / ".tmp" / "young"
    for folder in (old, young):
        folder.mkdir(parents=True)
        (folder / "half").write_text("x")
    past = time.time() - STALE_SECONDS - 60
    os.utime(old, (past, past))
    cache.put_folder("kind", "key", writing("x"))
    assert leftovers(cache) == [young]


def test_the_root_is_asked_of_the_environment_at_each_call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cache = DiskCache()
    monkeypatch.setenv("CAUSEWAY_HOME", str(tmp_path / "one"))
    cache.put_folder("kind", "key", writing("x"))
    assert cache.root == cache_root() == tmp_path / "one" / "cache"
    monkeypatch.setenv("CAUSEWAY_HOME", str(tmp_path / "two"))
    assert cache.get_folder("kind", "key") is None
    monkeypatch.delenv("CAUSEWAY_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "three"))
    assert "causeway" in cache_root().parts
    assert cache_root() != tmp_path / "two" / "cache"


def test_many_threads_write_read_and_evict_at_once(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path, limit_bytes=400)
    faults: list[BaseException] = []
    start = threading.Barrier(8)

    def work(number: int) -> None:
        try:
            start.wait()
            for turn in range(30):
                key = str((number + turn) % 12)
                cache.put_folder("kind", key, writing(key * 50))
                folder = cache.get_folder("kind", key)
                if folder is not None:
                    try:
                        text = (folder / "data.txt").read_text()
                    except FileNotFoundError:
                        continue  # evicted between the two calls, as the module says may happen
                    assert text == key * 50
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    cache.put_folder("kind", "last", writing("x" * 50))
    assert cache.size() <= 400
    assert leftovers(cache) == []


def test_two_processes_write_the_same_keys(tmp_path: Path) -> None:
    script = """
import sys
from pathlib import Path
from core.disk_cache import DiskCache
cache = DiskCache(Path(sys.argv[1]))
for turn in range(60):
    key = str(turn % 10)
    def write(folder, key=key):
        (folder / "a").write_text(key * 1000)
        (folder / "b").write_text(key * 10)
    if turn % 7 == 0:
        cache.remove("kind", key)
    cache.put_folder("kind", key, write)
    folder = cache.get_folder("kind", key)
    if folder is not None:
        try:
            assert (folder / "a").read_text() == key * 1000
        except FileNotFoundError:
            pass
print("done")
"""
    command = [sys.executable, "-W", "error", "-c", script, str(tmp_path)]
    processes = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out.strip()) == (0, "done"), err
    cache = DiskCache(tmp_path)
    for key in map(str, range(10)):
        folder = cache.put_folder("kind", key, writing(key))
        assert (folder / "a").read_text() == key * 1000
        assert (folder / "b").read_text() == key * 10
    assert leftovers(cache) == []
