"""N-Triples: the grammar line by line, and what becomes of types, names, texts and values."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.graph.readers import LoadedGraph, read_upload
from core.graph.readers.ntriples import TRIPLE, last_part, relation_names

A = "http://x.org/"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
COMMENT = "<http://www.w3.org/2000/01/rdf-schema#comment>"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
XSD = "http://www.w3.org/2001/XMLSchema#"


def load(*lines: str) -> LoadedGraph:
    return read_upload({"data.nt": "\n".join(lines).encode()})


@pytest.mark.parametrize(
    "line",
    [
        "<http://a> <http://b> <http://c> .",
        "<http://a><http://b><http://c>.",
        "_:b1 <http://b> _:b-2.x .",
        '\t<http://a>  <http://b> "x"@en-GB . # a comment',
        '<http://a> <http://b> "\\u00E9\\U0001F600\\t\\"\\\\"^^<http://t> .',
        '<http://a> <http://b> "a . b" .',
        '<http://a\\u00E9> <http://b> "" .',
        "<http://a> <http://b> _:x.",
    ],
)
def test_lines_of_the_grammar(line: str) -> None:
    assert TRIPLE.fullmatch(line)


@pytest.mark.parametrize(
    "line",
    [
        "<http://a> <http://b> <http://c>",
        "<http://a> <http://b> .",
        '"x" <http://b> <http://c> .',
        "<http://a> _:b <http://c> .",
        "<http://a b> <http://b> <http://c> .",
        '<http://a> <http://b> "x .',
        '<http://a> <http://b> "x\\q" .',
        '<http://a> <http://b> "x"@ .',
        "<http://a> <http://b> 5 .",
        "<http://a> <http://b> <http://c> <http://graph> .",
        "a <http://b> <http://c> .",
    ],
)
def test_lines_outside_the_grammar_are_rejected_with_their_number(line: str) -> None:
    assert not TRIPLE.fullmatch(line)
    report = load("<http://a> <http://b> <http://c> .", "# comment", line, "<http://c> <http://b> <http://a> .").report
    assert [(r.line, r.excerpt) for r in report.rejected] == [(3, line)]
    assert report.edges == 2


def test_types_names_and_texts_belong_to_the_node() -> None:
    graph = load(
        f"<{A}ann> {TYPE} <{A}class/Person> .",
        f"<{A}ann> {TYPE} <{A}class/Baker> .",
        f'<{A}ann> {LABEL} "Anne"@fr .',
        f'<{A}ann> {LABEL} "Ann"@en .',
        f'<{A}ann> {COMMENT} "Bakes bread." .',
        f"<{A}ann> <{A}p/lives_in> <{A}New%20York_City> .",
    ).graph
    assert len(graph) == 2
    ann = graph.node(graph.index_of(f"{A}ann"))
    assert (ann.name, ann.type) == ("Ann", "Baker")
    assert ann.text == "Bakes bread.\nalso called: Anne\ntype: Person"
    assert graph.names[graph.index_of(f"{A}New%20York_City")] == "New York City"
    assert graph.edge_type_names == ("lives in",)


def test_values_are_nodes_typed_by_their_datatype_and_long_strings_are_text() -> None:
    loaded = load(
        f'<{A}ann> <{A}born> "1990-05-01"^^<{XSD}date> .',
        f'<{A}bob> <{A}born> "1990-05-01"^^<{XSD}date> .',
        f'<{A}bob> <{A}motto> "carpe diem" .',
        f'<{A}bob> <{A}story> "{"word " * 40}" .',
    )
    graph = loaded.graph
    date = graph.index_of(f'"1990-05-01"^^<{XSD}date>')
    assert (graph.names[date], graph.types[date], int(graph.degree[date])) == ("1990-05-01", "date", 2)
    assert graph.types[graph.names.index("carpe diem")] == "string"
    assert graph.texts[graph.index_of(f"{A}bob")].startswith("story: word word")
    assert graph.edge_type_names == ("born", "motto")


def test_properties_that_end_alike_are_told_apart() -> None:
    names = relation_names({"http://a.org/part", "http://b.org/part", "http://a.org/whole"})
    assert names == {
        "http://a.org/part": "part (http://a.org/part)",
        "http://b.org/part": "part (http://b.org/part)",
        "http://a.org/whole": "whole",
    }


@pytest.mark.parametrize(
    ("iri", "part"),
    [
        ("http://x.org/a#b_c", "b c"),
        ("http://x.org/a/", "a"),
        ("urn:isbn:123", "123"),
        ("http://x.org", "x.org"),
        ("http://x.org/caf%C3%A9", "café"),
        ("http://x.org/prefix:thing", "thing"),
        ("_:b0", "_:b0"),
        ("http://x.org/%20", "http://x.org/%20"),
    ],
)
def test_what_people_read_of_an_iri(iri: str, part: str) -> None:
    assert last_part(iri) == part


def test_escaped_surrogates_are_replaced_and_reported() -> None:
    loaded = load('<http://a/x> <http://a/r> "\\uD800" .')
    assert "\ufffd" in loaded.graph.names
    assert loaded.report.surrogates_replaced >= 1


def test_known_by_content_whatever_its_name() -> None:
    text = b"# made by hand\n<http://a/x> <http://a/r> <http://a/y> .\n"
    assert read_upload({"data.txt": text}).report.format == "N-Triples"
    with pytest.raises(InputError, match="Turtle is not read here"):
        read_upload({"data.ttl": text})


def test_the_order_of_lines_changes_nothing() -> None:
    lines = [f"<{A}n{i % 7}> <{A}r{i % 3}> <{A}n{i * 5 % 11}> ." for i in range(60)]
    lines += [f'<{A}n{i}> {LABEL} "name {j}" .' for i in range(5) for j in range(2)]
    lines += [f"<{A}n{i}> {TYPE} <{A}T{j}> ." for i in range(5) for j in range(2)]
    shuffled = random.Random(1).sample(lines, len(lines))
    assert load(*lines).graph.content_id == load(*shuffled).graph.content_id


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60))
def test_a_literal_written_by_the_book_reads_back(text: str) -> None:
    escaped = "".join(f"\\U{ord(c):08X}" if not c.isalnum() else c for c in text)
    graph = load(f'<http://a/x> <http://a/r> "{escaped}"^^<http://a/t> .').graph
    assert f'"{text}"^^<http://a/t>' in graph.ids
