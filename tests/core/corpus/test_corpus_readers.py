from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from made_files import pdf_of, pdf_that_claims, zip_of

from core.corpus import assembly, files, limits
from core.corpus.document import Corpus, Document
from core.corpus.readers import DocumentColumns, inspect_document_table, read_corpus, read_corpus_upload
from core.corpus.readers.html import html_text
from core.corpus.readers.markdown import markdown_text
from core.corpus.readers.registry import READERS
from core.errors import EmptyCorpusError, InputError


def one(name: str, data: bytes | str) -> Document:
    corpus = read_corpus_upload({name: data.encode() if isinstance(data, str) else data})
    assert len(corpus) == 1
    return corpus.documents[0]


def table(text: str, columns: DocumentColumns | None = None, name: str = "t.csv") -> Corpus:
    return read_corpus_upload({name: text.encode()}, columns=columns)


# --- PDF -------------------------------------------------------------------------------------------------------


def test_a_pdf_of_several_pages() -> None:
    words = ("Tide", "Silt", "Rope", "Buoy")
    pages = [["Harbour report", f"{word} stands.", "More of it.", "A long-", f"ish {word}.", f"Page {n}"] for n, word in
             enumerate(words, 1)]  # fmt: skip
    document = one("a.pdf", pdf_of(pages, title="On harbours"))
    assert document.title == "On harbours"
    assert document.text.count("stands.") == 4
    assert document.text.count("A longish ") == 4
    assert "Harbour report" not in document.text
    assert "Page" not in document.text


def test_a_pdf_of_100_000_pages_is_refused_before_it_is_read() -> None:
    with pytest.raises(InputError, match="100,000 pages; the limit is 5,000"):
        one("a.pdf", pdf_that_claims(100_000))


def test_locked_pdfs() -> None:
    with pytest.raises(InputError, match="password") as caught:
        one("a.pdf", pdf_of([["secret"]], password="x"))
    assert caught.value.hint.startswith("Save it without")


@pytest.mark.parametrize("data", [b"%PDF-1.4\n", b"%PDF-1.4\n1 0 obj <<>> endobj trailer <</Root 1 0 R>>", b"hello"])
def test_damaged_pdfs(data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        one("a.pdf", data)
    assert caught.value.where == "a.pdf"


def test_a_cut_off_pdf_is_read_or_refused() -> None:
    whole = pdf_of([["The tide comes in twice a day."]])
    for end in range(0, len(whole), 97):
        corpus = read_corpus_upload({"a.pdf": whole[:end], "b.txt": b"beside"})
        texts = {document.id: document.text for document in corpus}
        reasons = {skipped.name: skipped.reason for skipped in corpus.report.skipped}
        assert "tide" in texts.get("a.pdf", "") or reasons["a.pdf"]


# --- Word ------------------------------------------------------------------------------------------------------


def word(*paragraphs: tuple[str, str], rows: int = 0) -> bytes:
    import docx

    document = docx.Document()
    for style, text in paragraphs:
        document.add_paragraph(text, style=style)
    if rows:
        grid = document.add_table(rows, 2)
        for r in range(rows):
            grid.cell(r, 0).text, grid.cell(r, 1).text = f"key {r}", f"value {r}"
        grid.cell(0, 0).merge(grid.cell(0, 1))
        document.add_paragraph("after the table")
    document.core_properties.title = ""
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def test_word_paragraphs_and_tables_in_their_order() -> None:
    document = one("a.docx", word(("Heading 1", "Moorings"), ("Normal", "Use two ropes."), rows=2))
    assert document.title == "Moorings"
    assert document.text == "Moorings\nUse two ropes.\nkey 0\nvalue 0\nkey 1 | value 1\nafter the table"


def test_word_files_that_are_none() -> None:
    for name, data, reason in (
        ("a.docx", b"hello", "no Word document"),
        ("a.docx", zip_of({"x.txt": "y"}), "cannot be read"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 rest", "password"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 rest", "before 2007"),
        ("a.docx", word(("Normal", " ")), "no text"),
    ):
        with pytest.raises(InputError, match=reason):
            one(name, data)


# --- HTML ------------------------------------------------------------------------------------------------------


def test_html_shows_words_and_no_scripts() -> None:
    title, text = html_text(
        "<html><head><title> On\n tides </title><style>p{}</style></head><body><!-- no --><script>alert(1)</script>"
        "<p>The <b>moon</b> pulls.<br>Twice.</p><ul><li>one</li><li>two</li></ul><a>x</a><a>y</a>"
        "<table><tr><td>a</td><td>b</td></tr></table><noscript>off</noscript>&lt;i&gt; &amp; fish</body></html>"
    )
    assert title == "On tides"
    assert text == "The moon pulls.\nTwice.\none\ntwo\nx y\na b\n<i> & fish"


def test_html_in_a_declared_encoding() -> None:
    page = '<html><head><meta charset="windows-1250"></head><body>žluťoučký kůň</body></html>'
    document = one("a.html", page.encode("cp1250"))
    assert document.text == "žluťoučký kůň"


def test_html_is_known_by_how_it_begins_and_a_blank_page_is_refused() -> None:
    assert one("page", "<!DOCTYPE html><p>tide</p>").text == "tide"
    with pytest.raises(InputError, match="shows no text"):
        one("a.html", "<html><script>document.write('x')</script></html>")


def test_deep_html_is_no_trap() -> None:
    assert "tide" in one("a.html", "<div>" * 20_000 + "tide").text


# --- Markdown and text -----------------------------------------------------------------------------------------


def test_markdown_loses_its_marks() -> None:
    title, text = markdown_text(
        "---\ntitle: 'On *tides*'\ntags: x\n---\n# Tides #\n\n> The **moon** _pulls_ the [sea](http://a.b/(c) \"t\").\n"
        "\n![a buoy](b.png)\n\n```python\nx = 2*3*4\n```\n\n| a | b |\n|---|---|\n| 1 | snake_case_name |\n\n"
        "Silt\n====\n\n***\n\n- one `code` <!-- no -->\n[ref]: http://x.y\n[see][ref] H<sub>2</sub>O and 3 < 4"
    )
    assert title == "On *tides*"
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    assert lines == [
        *("Tides", "The moon pulls the sea.", "a buoy", "x = 2*3*4", "| a | b |", "| 1 | snake_case_name |"),
        *("Silt", "- one code", "see H2O and 3 < 4"),
    ]


def test_a_heading_names_a_markdown_file() -> None:
    assert one("a.md", "intro\n\nTides\n-----\n\n## *Silt*\n").title == "Tides"
    assert one("a.md", "intro\n\n## *Silt*\n\nTides\n-----\n").title == "Silt"
    assert one("a.md", "no heading").title == "a"


@pytest.mark.parametrize("unit", ["**", "`", "[", "<!--", "- ", "| ", "#", "_a", "![](", "***a ", "> ", "---\n"])
def test_a_long_line_of_marks_is_no_trap(unit: str) -> None:
    assert markdown_text(unit * 20_000 + "\n\nend") is not None


_FRENCH = "Le port est resté fermé une semaine, et les navires ont dû attendre à l'entrée de la baie."


def test_text_files() -> None:
    document = one("notes/Ropes.txt", b"Rope\r\nand sail\r\n")
    assert (document.id, document.title, document.text) == ("notes/Ropes.txt", "Ropes", "Rope\nand sail")
    assert one("README", "no ending").text == "no ending"
    assert one("a.txt", _FRENCH.encode("cp1252")).text == _FRENCH


# --- tables and JSON -------------------------------------------------------------------------------------------


def test_a_table_with_known_columns() -> None:
    corpus = table("Doc ID,Title,Body,Year\nd1,Tides,The moon.,1990\nd2,,,1991\nd3,Alone,,1992\n")
    assert [(d.id, d.title, d.text) for d in corpus] == [("d1", "Tides", "The moon."), ("d3", "Alone", "")]
    assert corpus.report.files[0].columns == {"id": "Doc ID", "title": "Title", "text": "Body"}
    assert corpus.report.skipped[0].name == "t.csv, line 3"


def test_a_table_with_a_map() -> None:
    text = "a,b,c\nx,The moon.,Sea\ny,The silt.,Mud\nx2,no,title\n"
    chosen = DocumentColumns(id="a", title="c", text=("b",), header=True)
    assert [(d.id, d.title, d.text) for d in table(text, chosen)][:2] == [
        ("x", "Sea", "The moon."),
        ("y", "Mud", "The silt."),
    ]
    several = DocumentColumns(text=("b", "c"), header=True)
    assert table(text, several).documents[0].text == "b: The moon.\nc: Sea"
    with pytest.raises(InputError, match="no column 'z'") as caught:
        table(text, DocumentColumns(text=("z",), header=True))
    assert "a, b, c" in caught.value.hint


def test_a_table_without_a_header() -> None:
    corpus = table("The moon pulls the sea.\nHarbours silt up.\n", name="t.csv")
    assert [d.text for d in corpus] == ["The moon pulls the sea.", "Harbours silt up."]
    assert corpus.documents[0].id == "t.csv:1"


def test_long_and_short_rows() -> None:
    corpus = table("id,text,note\n1,a\n2,b,c,d\n3,c,,\n")
    assert [d.id for d in corpus] == ["1", "3"]
    assert corpus.report.skipped[0].reason == "the line has 4 cells, not 3"


def test_rows_are_cleaned_and_duplicates_listed() -> None:
    corpus = table("id,text\n1,see http://a.b now\n2,see now\n3,see now\n")
    assert [d.text for d in corpus] == ["see now"]
    assert corpus.report.cleaning == {"addresses": 1}
    assert {(d.id, d.same_as) for d in corpus.report.duplicates} == {("2", "1"), ("3", "1")}


def test_json_lines_and_lists() -> None:
    items = [{"_id": 7, "title": "Tides", "text": "The moon."}, {"_id": "8", "text": ["a", "b"]}, {"_id": 9}]
    lines = "\n".join(map(json.dumps, items))
    for name, text in (
        ("a.jsonl", lines),
        ("a.json", lines),
        ("a.json", json.dumps(items)),
        ("a.json", json.dumps({"documents": items})),
    ):
        corpus = read_corpus_upload({name: text.encode()})
        assert [(d.id, d.title, d.text) for d in corpus] == [("7", "Tides", "The moon."), ("8", "", "a\nb")]
        assert corpus.report.skipped_total == 1


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [
        ("a.jsonl", '{"text": "x"}\n{oops', "a.jsonl, line 2"),
        ("a.json", '[{"text": "x"},\n oops]', "a.json, line 2, column 2"),
        ("a.json", "[1, 2]", "a.json"),
        ("a.json", "[" * 100_000, "a.json"),
        ("a.jsonl", "{}", "a.jsonl"),
    ],
)
def test_json_that_is_none(name: str, text: str, where: str) -> None:
    with pytest.raises(InputError) as caught:
        read_corpus_upload({name: text.encode()})
    assert caught.value.where == where


def test_what_a_column_mapper_shows() -> None:
    shown = inspect_document_table(b"id,headline,body\n1,a,b\n", "t.csv")
    assert (shown.columns, shown.has_header, shown.sample) == (("id", "headline", "body"), True, (("1", "a", "b"),))
    assert shown.guess == DocumentColumns(id="id", title="headline", text=("body",))
    shown = inspect_document_table(b'{"q": "a", "n": 1}\n{"q": "b", "x": null}', "t.jsonl")
    assert (shown.columns, shown.sample) == (("q", "n", "x"), (("a", "1", ""), ("b", "", "")))
    assert inspect_document_table(b"a,b\n1,2\n", "t.csv", header=False).columns == ("column 1", "column 2")


# --- folders, uploads, limits ----------------------------------------------------------------------------------


def test_a_folder_with_all_below_it(tmp_path: Path) -> None:
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    folder = tmp_path / "docs"
    (folder / "b.txt").write_text("The tide.")
    (folder / "deep" / "a.txt").write_text("The tide.")
    (folder / "deep" / "c.exe").write_bytes(b"MZ\0\0")
    (folder / "empty.md").write_text(" ")
    (folder / ".hidden.txt").write_text("no")
    (folder / "more.zip").write_bytes(zip_of({"x.txt": "y"}))
    (folder / "link.txt").symlink_to(folder / "b.txt")
    corpus = read_corpus(folder)
    assert (corpus.name, [d.id for d in corpus]) == ("docs", ["b.txt"])
    assert corpus.report.duplicates[0].id == "deep/a.txt"  # the files' names are no part of their content
    assert {one.name: one.reason for one in corpus.report.skipped} == {
        "deep/c.exe": "files of this format are not read",
        "empty.md": "the file is empty",
        "more.zip": "it is an archive among other files, which is not opened",
        "link.txt": "it is a link to another file",
    }


def test_a_file_that_fails_half_way_leaves_nothing_behind() -> None:
    corpus = read_corpus_upload({"a.jsonl": b'{"text": "x http://a.b"}\n{oops', "b.txt": b"y"})
    assert [d.text for d in corpus] == ["y"]
    assert corpus.report.cleaning == {}
    assert [file.name for file in corpus.report.files] == ["b.txt"]


def test_too_many_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembly, "MAX_DOCUMENTS", 2)
    rows = b"id,text\n1,see http://a.b\n2,y\n3,z\n"
    with pytest.raises(InputError, match="more than 2 documents"):
        read_corpus_upload({"a.csv": rows})
    corpus = read_corpus_upload({"a.csv": rows, "b.txt": b"w"})  # what was taken of a.csv is put back
    assert [d.text for d in corpus] == ["w"]
    assert corpus.report.cleaning == {}


def test_uploads(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = read_corpus_upload({"../../a/b.txt": b"x", "z.zip": zip_of({"b.txt": "y"})})
    assert [d.id for d in corpus] == ["a/b.txt", "z/b.txt"]
    with pytest.raises(InputError, match="no file"):
        read_corpus_upload({})
    with pytest.raises(InputError, match="same name"):
        read_corpus_upload({"a.txt": b"x", "/a.txt": b"y"})
    assert limits.MAX_UPLOAD_BYTES == 50 * 1024**2
    monkeypatch.setattr(files, "MAX_UPLOAD_BYTES", 5)
    with pytest.raises(InputError, match="the upload has"):
        read_corpus_upload({"a.txt": b"xxx", "b.txt": b"yyy"})


def test_limits_of_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("x" * 100)
    (tmp_path / "b.txt").write_text("y")
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 50)
    with pytest.raises(InputError, match="limit"):
        read_corpus(tmp_path / "a.txt")
    assert [d.id for d in read_corpus(tmp_path)] == ["b.txt"]
    monkeypatch.setattr(files, "MAX_FILES", 0)
    with pytest.raises(InputError, match="more than 0 files"):
        read_corpus(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        read_corpus(tmp_path / "nowhere")


def test_nothing_readable_says_why(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    (tmp_path / "b.pdf").write_bytes(b"hello")
    with pytest.raises(EmptyCorpusError, match=r"a\.txt: the file is empty; b\.pdf: it is named"):
        read_corpus(tmp_path)


def test_progress_is_told_and_may_end_the_reading(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(name)
    told: list[float | None] = []
    read_corpus(tmp_path, on_progress=lambda what, share: told.append(share))
    assert told == [0.0, pytest.approx(1 / 3), pytest.approx(2 / 3)]

    def stop(what: str, share: float | None) -> None:
        raise RuntimeError(what)

    with pytest.raises(RuntimeError, match=r"Reading a\.txt"):
        read_corpus(tmp_path, on_progress=stop)


def test_each_reader_has_a_name_of_its_own() -> None:
    assert len({reader.name for reader in READERS}) == len({reader.title for reader in READERS}) == len(READERS)
