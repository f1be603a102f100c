"""Real files in odd formats, encodings and states: each is read rightly, or refused with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.corpus.document import Corpus, Document
from core.corpus.readers import read_corpus
from core.errors import EmptyCorpusError, InputError

pytestmark = pytest.mark.shared


@pytest.fixture(scope="session")
def odd(shared_data: Path) -> Path:
    return shared_data / "odd_documents"


def only(path: Path) -> tuple[Document, Corpus]:
    corpus = read_corpus(path)
    assert len(corpus) == 1
    assert corpus.documents[0].source == path.name
    return corpus.documents[0], corpus


def test_a_pdf_of_one_page(odd: Path) -> None:
    document, corpus = only(odd / "01_minimal.pdf")
    assert document.text.startswith("Lorem ipsum dolor sit amet, consetetur sadipscing elitr")
    assert document.text.endswith("sit\namet.")  # the page number below is gone
    assert corpus.report.files[0].pages == 1
    assert corpus.report.cleaning["page numbers"] == 1
    assert document.language == ""  # Latin is none of the languages told apart


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("03_password.pdf", "protected by a password"),
        ("04_images_only_no_text.pdf", "its pages are pictures without text: 6 pages"),
        ("16_random_bin.txt", "binary data"),
        ("27_empty.txt", "the file is empty"),
        ("34_not_a_pdf.pdf", "named .pdf, and is a web page"),
        ("36_blank_page.pdf", "its pages are blank"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(odd: Path, name: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        read_corpus(odd / name)
    assert caught.value.where == name
    assert isinstance(caught.value, EmptyCorpusError) == (name == "27_empty.txt")


def test_a_word_document(odd: Path) -> None:
    document, _ = only(odd / "09_test.docx")
    assert document.title == "AutoGen: Enabling Next-Gen LLM Applications via Multi-Agent Conversation"
    assert "AutoGen is an open-source framework that allows developers to build LLM applications" in document.text
    assert document.language == "en"


def test_a_saved_web_page(odd: Path) -> None:
    document, _ = only(odd / "14_blog.html")
    assert document.title.startswith("Does Model and Inference Parameter Matter in LLM Applications?")
    assert "the tuned gpt-3.5-turbo model vastly outperformed untuned gpt-4" in document.text
    assert "<" not in document.text.replace("<=", "")
    assert "function(" not in document.text
    assert "{" not in document.text.split("\n")[0]


def test_japanese_in_an_old_encoding(odd: Path) -> None:
    corpus = read_corpus(odd / "15_mskanji_cp932.csv")
    assert corpus.report.files[0].encoding == "cp932"
    assert [document.text.split("\n")[0] for document in corpus] == ["名前: 佐藤太郎", "名前: 三木英子", "名前: 髙橋淳"]
    assert "guess" in corpus.report.notices[0]


def test_chinese_in_an_old_encoding(odd: Path) -> None:
    document, corpus = only(odd / "19_chinese_big5_or_gb.txt")
    assert document.text.startswith("維基大典（Wikipedia）者，網路為礎")
    assert (corpus.report.files[0].encoding, document.language) == ("big5", "zh")


def test_arabic(odd: Path) -> None:
    document, corpus = only(odd / "20_arabic_rtl_cp1256.txt")
    assert document.text.startswith("بالموازاة مع ذلك")  # the name says cp1256, the bytes are UTF-8
    assert (corpus.report.files[0].encoding, document.language) == ("utf-8", "ar")


def test_a_table_with_mark_quotes_and_an_empty_row(odd: Path) -> None:
    corpus = read_corpus(odd / "26_bom_crlf.csv")
    first, second = corpus.documents
    assert (first.id, first.title, first.text) == ("1", "Café, crème", 'line one\nline two with "quotes"')
    assert (second.id, second.title, second.text) == ("2", "数据", "😀 emoji")
    assert [(s.name, s.reason) for s in corpus.report.skipped] == [("26_bom_crlf.csv, line 5", "it holds no text")]


def test_utf_16(odd: Path) -> None:
    document, corpus = only(odd / "29_utf16le.txt")
    assert document.text == "数据出境安全评估指南 – data export guide\n第二行"
    assert corpus.report.files[0].encoding == "utf-16-le"


def test_dot_leaders_addresses_and_cut_words(odd: Path) -> None:
    document, corpus = only(odd / "31_dot_leaders.txt")
    head = "Table of contents\n1 Introduction\n2 Methods\n第一章 总则\n\nAnnex hyphenated words\nThe of and to in is."
    assert document.text.startswith(head)
    assert corpus.report.cleaning == {"addresses": 1, "dot leaders": 3, "joined words": 2}


def test_the_whole_folder(odd: Path) -> None:
    report = read_corpus(odd).report
    assert {one.name.split("_")[0] for one in report.skipped if "," not in one.name} == {
        *("03", "04", "16", "27", "34", "36")
    }
    assert report.documents == 13
    assert report.skipped_total == len(report.skipped) == 7
    assert all(one.reason for one in report.skipped)
