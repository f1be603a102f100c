from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from made_files import zip_of

from core.corpus import archive, limits
from core.corpus.readers import read_corpus, read_corpus_upload
from core.errors import InputError


def write(folder: Path, data: bytes, name: str = "docs.zip") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_an_archive_is_its_files(tmp_path: Path) -> None:
    files = {"a/one.txt": "The tide.", "a/two.md": "# Silt\ntext", "__MACOSX/a/x.txt": "no", ".hidden/y.txt": "no"}
    corpus = read_corpus(write(tmp_path, zip_of(files)))
    assert [(d.id, d.title, d.text) for d in corpus] == [
        ("a/one.txt", "one", "The tide."),
        ("a/two.md", "Silt", "Silt\ntext"),
    ]
    assert corpus.name == "docs"
    assert corpus.report.skipped == ()


def test_an_archive_within_an_archive_stays_closed(tmp_path: Path) -> None:
    corpus = read_corpus(write(tmp_path, zip_of({"a.txt": "x", "b.zip": zip_of({"c.txt": "y"})})))
    assert [d.id for d in corpus] == ["a.txt"]
    assert [(s.name, "archive within" in s.reason) for s in corpus.report.skipped] == [("b.zip", True)]


@pytest.mark.parametrize("name", ["../evil.txt", "a/../../evil.txt", "/etc/evil.txt", "C:\\evil.txt", "..\\evil.txt"])
def test_a_path_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="outside of it"):
        read_corpus(write(tmp_path, zip_of({"a.txt": "x", name: "y"})))
    assert not list(tmp_path.parent.rglob("evil.txt"))


def test_a_bomb_by_ratio(tmp_path: Path) -> None:
    data = zip_of({"zeros.txt": b"0" * (limits.RATIO_MATTERS + 1)})
    with pytest.raises(InputError, match="times its size"):
        read_corpus(write(tmp_path, data))
    with pytest.raises(InputError, match="times its size"):  # an office document is a zip file, too
        read_corpus(write(tmp_path, data, "zeros.docx"))


def test_a_bomb_by_size_and_by_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, zip_of({"a.txt": "x" * 300, "b.txt": "y"}))
    monkeypatch.setattr(archive, "MAX_ARCHIVE_BYTES", 300)
    with pytest.raises(InputError, match="unpacks to"):
        read_corpus(path)
    monkeypatch.setattr(archive, "MAX_ARCHIVE_FILES", 1)
    with pytest.raises(InputError, match="holds 2 files; the limit is 1"):
        read_corpus(path)


def test_a_directory_that_lies_about_sizes() -> None:
    data = bytearray(zip_of({"a.txt": b"x" * 5_000}))
    at = data.index(b"PK\x01\x02")
    data[at + 24 : at + 28] = (10).to_bytes(4, "little")
    with pytest.raises(InputError, match="cannot be unpacked"):
        read_corpus_upload({"a.zip": bytes(data)})


def test_a_locked_archive(tmp_path: Path) -> None:
    data = bytearray(zip_of({"a.txt": "x"}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(InputError, match="locked with a password"):
        read_corpus(write(tmp_path, bytes(data)))


def test_a_damaged_and_an_empty_archive(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="damaged"):
        read_corpus(write(tmp_path, zip_of({"a.txt": "x"})[:-10]))
    with pytest.raises(InputError, match="no file"):
        read_corpus(write(tmp_path, zip_of({})))


def test_a_damaged_part_is_skipped(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("a.txt", "the tide")
        packed.writestr("b.txt", "the silt")
    corpus = read_corpus(write(tmp_path, out.getvalue().replace(b"the silt", b"the salt")))
    assert [d.id for d in corpus] == ["a.txt"]
    assert "cannot be unpacked" in corpus.report.skipped[0].reason


def test_a_link_in_an_archive_is_not_followed(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        entry = zipfile.ZipInfo("link.txt")
        entry.external_attr = 0o120777 << 16
        packed.writestr(entry, "/etc/passwd")
        packed.writestr("a.txt", "x")
    assert read_corpus(write(tmp_path, out.getvalue())).report.skipped[0].reason == "it is a link to another file"
