"""Question files: three formats, any encoding, answers tied to nodes, and mistakes told with their line."""

import csv
import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import QuestionError
from core.evaluation.questions import Gold, choose, load_questions, parse_questions, read_questions, strip_brackets


@dataclass
class Names:
    nodes: dict

    @property
    def ids(self):
        return tuple(self.nodes)

    @property
    def names(self):
        return tuple(self.nodes.values())


FILMS = Names({"0": "Kismet", "1": "Ada Lovelace", "2": "Kismet", "3": "1984", "1984": "Zoo", "5": "[REC]"})


def parse(text, graph=FILMS, file="q.txt", **more):
    data = text if isinstance(text, bytes) else text.encode()
    return parse_questions(data, file, graph, **more)


def test_text_lines_lose_the_topics_brackets_and_keep_it_as_mention():
    found = parse("who wrote [Kismet] and when\tAda Lovelace|1984\nwhat is [[REC]] about\tKismet\n").questions
    assert [q.text for q in found] == ["who wrote Kismet and when", "what is [REC] about"]
    assert [q.mention for q in found] == ["Kismet", "[REC]"]
    assert [q.id for q in found] == ["q1", "q2"]
    assert "[" not in found[0].text


def test_a_name_is_preferred_to_an_id_that_looks_like_it():
    (question,) = parse("when was [Kismet] released\t1984\n").questions
    assert question.answers == (Gold(name="1984", ids=("3",)),)


def test_homonyms_are_one_answer_and_repeated_answers_count_once():
    (question,) = parse("what did [Ada Lovelace] write\tKismet|Kismet|1984\n").questions
    assert question.answers == (Gold(name="Kismet", ids=("0", "2")), Gold(name="1984", ids=("3",)))


def test_an_id_serves_where_no_name_is_meant():
    (question,) = parse('{"question": "which?", "answers": ["1", "Zoo"]}', file="q.jsonl").questions
    assert question.answers == (Gold(name="Ada Lovelace", ids=("1",)), Gold(name="Zoo", ids=("1984",)))


def test_a_file_whose_every_answer_is_an_id_speaks_in_ids():
    (question,) = parse('{"question": "which?", "answers": ["1984", "0"]}', file="q.jsonl").questions
    assert [gold.ids for gold in question.answers] == [("1984",), ("0",)]


def test_json_lines_with_all_fields_and_answers_that_are_no_node():
    rows = [
        {"id": "a", "question": "Who?", "answers": ["Ada Lovelace"], "kind": "lookup", "hops": 1, "note": "n",
         "mention": "Kismet", "check": {"ignored": 1}},
        {"question": "How many?", "answers": [2], "kind": "count"},
        {"question": "Is it?", "answers": [], "value": True, "kind": "Yes/No"},
        {"question": "Why did Zoo win?", "answers": [], "kind": "false_premise", "value": "false premise"},
    ]  # fmt: skip
    text = "\n\n".join(map(json.dumps, rows))
    a, b, c, d = parse(text, Names({"n": "Ada Lovelace"}), "q.jsonl").questions
    assert (a.id, a.kind, a.hops, a.note, a.mention) == ("a", "lookup", 1, "n", "Kismet")
    assert (b.literal, b.scored, b.hops) == (("2",), False, None)
    assert (c.literal, d.literal) == (("yes",), ("false premise",))
    assert choose([a, b, c, d]) == [a]


def test_a_json_array_reads_alike():
    rows = [{"question": "Who?", "answer": "Ada Lovelace"}]
    assert parse(json.dumps(rows), file="q.json").questions[0].answers[0].ids == ("1",)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_tables_with_a_header_in_any_order(delimiter):
    head = delimiter.join(["Answers", "QUESTION", "hops", "extra"])
    row = delimiter.join(["Ada Lovelace|1984", '"Who, or; what\twrote ""it""?"', "2", "x"])
    (question,) = parse(f"{head}\r\n\r\n{row}\r\n", file="q.csv").questions
    assert question.text == 'Who, or; what wrote "it"?'
    assert question.hops == 2
    assert len(question.answers) == 2


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_any_encoding(encoding):
    graph = Names({"0": "Amélie Poulain", "1": "Hélène"})
    text = "dans quel film a joué [Amélie Poulain] à côté de la mère\tHélène\n" * 5
    found = parse_questions(text.encode(encoding), "q.txt", graph).questions
    assert found[0].text == "dans quel film a joué Amélie Poulain à côté de la mère"
    assert found[0].answers[0].ids == ("1",)


def test_unknown_answers_are_refused_with_their_line_or_counted():
    text = "who [Kismet]\tAda Lovelace\nwho [Kismet]\tNobody|1984|No One\n"
    with pytest.raises(QuestionError) as caught:
        parse(text)
    assert caught.value.where == "q.txt, line 2"
    assert "'Nobody'" in caught.value.what
    assert "1 more" in caught.value.what
    lenient = parse(text, strict=False)
    assert [(u.line, u.answer) for u in lenient.unresolved] == [(2, "Nobody"), (2, "No One")]
    assert [gold.ids for gold in lenient.questions[1].answers] == [(), ("3",), ()]  # they count as never found


@pytest.mark.parametrize(
    ("text", "file", "where", "what"),
    [
        ("who\tZoo\nno tab here\n", "q.txt", "q.txt, line 2", "no tab"),
        ('{"question": "x", "answers": []}\n{"question": ', "q.jsonl", "q.jsonl, line 2", "not valid JSON"),
        ('{"question": "x"}\n[1]', "q.jsonl", "q.jsonl, line 2", "was expected"),
        ('{"Question": "x"}', "q.jsonl", "q.jsonl, line 1", "was expected"),
        ("[1, ", "q.json", "q.json", "not valid JSON"),
        ("a,b\n1,2\n", "q.csv", "q.csv, line 1", "no column `question`"),
        ("question,answers\n  ,Zoo\n", "q.csv", "q.csv, line 2", "question is empty"),
        ("\n \n", "q.txt", "q.txt", "no question"),
        ("question,answers\n", "q.csv", "q.csv", "no question"),
        ('{"question": ' + "[" * 100_000, "q.jsonl", "q.jsonl, line 1", "not valid JSON"),
    ],
)
def test_mistakes_are_told_with_file_and_line(text, file, where, what):
    with pytest.raises(QuestionError, match=what) as caught:
        parse(text, file=file)
    assert caught.value.where == where


def test_a_field_too_long_for_a_table_is_a_mistake_and_no_crash():
    before = csv.field_size_limit(1000)
    try:
        with pytest.raises(QuestionError, match="cannot be read") as caught:
            parse('question,answers\n"' + "x" * 2000 + '",Zoo\n', file="q.csv")
    finally:
        csv.field_size_limit(before)
    assert caught.value.where == "q.csv, line 2"


def test_files_on_disk(tmp_path):
    path = tmp_path / "q.txt"
    path.write_text("who [Kismet]\tAda Lovelace\n")
    assert read_questions(path, FILMS)[0].text == "who Kismet"
    assert load_questions(str(path), FILMS).name == "q.txt"
    with pytest.raises(QuestionError, match="cannot be read"):
        read_questions(tmp_path / "missing.txt", FILMS)


def test_choosing_takes_the_first_or_a_seeded_order():
    questions = parse("".join(f"q{n}\tZoo\n" for n in range(20))).questions
    assert [q.text for q in choose(questions, 3)] == ["q0", "q1", "q2"]
    shuffled = choose(questions, 5, shuffle=1)
    assert shuffled == choose(questions, 5, shuffle=1) != choose(questions, 5, shuffle=2)
    assert sorted(q.text for q in choose(questions, shuffle=3)) == sorted(q.text for q in questions)


@pytest.mark.parametrize(
    ("text", "plain", "mention"),
    [
        ("a [b] c [d]", "a b c d", "b"),
        ("a [[b] c]", "a [b] c", "[b] c"),
        ("a ]b[", "a ]b[", ""),
        ("a [b", "a [b", ""),
        ("a b", "a b", ""),
        ("[]", "", ""),
    ],
)
def test_brackets(text, plain, mention):
    assert strip_brackets(text) == (plain, mention)


@given(st.text("ab[] ", max_size=12), st.text("ab[]", min_size=1, max_size=6), st.text("ab ", max_size=6))
def test_a_bracketed_topic_comes_out_whole(before, topic, after):
    balanced, depth = True, 0
    for character in topic:
        depth += {"[": 1, "]": -1}.get(character, 0)
        balanced &= depth >= 0
    before = before.replace("[", "").replace("]", "")
    plain, mention = strip_brackets(f"{before}[{topic}]{after}")
    if balanced and depth == 0:
        assert (plain, mention) == (before + topic + after, topic)
    else:
        assert plain.replace("[", "").replace("]", "") == (before + topic + after).replace("[", "").replace("]", "")


def test_the_value_and_the_check_of_a_question_are_read() -> None:
    rows = [
        {"question": "How many?", "answers": ["Zoo"], "kind": "count", "value": 1200, "check": {"op": "count"}},
        {"question": "Is it?", "kind": "yes/no", "value": False, "check": "none"},
        {"question": "Which?", "answers": ["Zoo"]},
        {"question": "Why?", "kind": "False-Premise"},
    ]
    count, polar, plain, trick = parse("\n".join(map(json.dumps, rows)), file="q.jsonl").questions
    assert (count.value, count.check, count.literal) == ("1200", {"op": "count"}, ("1200",))
    assert (polar.value, polar.check) == ("no", {})
    assert (plain.value, plain.check, plain.judged) == ("", {}, True)
    assert (trick.unanswerable, trick.judged, trick.scored) == (True, True, False)
