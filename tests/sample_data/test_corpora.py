"""The sample corpora hold what their READMEs promise, read from the plain files and nothing of the project's own.

What is counted is words, never ranks: whether a method copes with these texts is not for a test to say.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from core.corpus.beir import read_beir
from core.graph.samples import SAMPLES

CORPORA = Path(__file__).resolve().parents[2] / "sample_data" / "corpora"
CHINESE = ("T1", "T2", "T4", "T5", "T7")
ENGLISH = ("T3", "T6", "T8")
LANGUAGES = dict.fromkeys(CHINESE, "zh") | dict.fromkeys(ENGLISH, "en") | {f"{theme}e": "en" for theme in CHINESE}
TARGET, NEAR = 2, 1
FUNCTION_WORDS = frozenset(
    "a an and are be by can did do does for from how i in is it its my of on out s".split()
    + "that the to we what when which with".split()
)
AS_COMMITTED = {
    "eight_themes/corpus.jsonl": "c9fcaaa12a93354bc6f3ba3d748365f39bd047c186fc221d73e71addc31647da",
    "eight_themes/queries.jsonl": "ca7eaf86733fb8ca2b0c373c761562ef57602a71a27e0b7de7a1d6ba81e22c75",
    "eight_themes/qrels/test.tsv": "916bb5adff0a2e281c24c2b0884a81db7974ba37cd89553faee18017773a2423",
    "company/corpus.jsonl": "2748001f0d44576694a2f7f001338bd12cad177c9beee6c954668be8e891fa84",
    "company/queries.jsonl": "60dd393a200183d5f4695ffe50c774728361b409055c22b8774a660fdfcfc2ae",
    "company/qrels/test.tsv": "4513883778bc613674e9dc0f35df4d330bfaba606f64a298cde4e9fd7f50e88b",
}


class Collection(NamedTuple):
    folder: Path
    about: dict[str, Any]
    documents: dict[str, dict[str, Any]]
    queries: dict[str, dict[str, Any]]
    grades: dict[str, dict[str, int]]

    def graded(self, query: str, grade: int) -> list[dict[str, Any]]:
        return [self.documents[name] for name, given in self.grades[query].items() if given == grade]

    def stuffed(self, query: str) -> list[dict[str, Any]]:
        return [row for row in self.documents.values() if query in stuffs(row["metadata"])]


def stuffs(metadata: dict[str, Any]) -> list[str]:
    """The queries whose words a document repeats."""
    if metadata["role"] == "stuffed":
        return [metadata["theme"]]
    return list(metadata.get("stuffs", []))


def rows(path: Path) -> dict[str, dict[str, Any]]:
    read = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    by_id = {row["_id"]: row for row in read}
    assert len(by_id) == len(read), f"an id stands twice in {path.name}"
    return by_id


def read(name: str) -> Collection:
    folder = CORPORA / name
    header, *judged = (folder / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()
    assert header == "query-id\tcorpus-id\tscore"
    grades: dict[str, dict[str, int]] = {}
    for line in judged:
        query, document, grade = line.split("\t")
        assert document not in grades.setdefault(query, {}), line
        grades[query][document] = int(grade)
    about = json.loads((folder / "sample.json").read_text(encoding="utf-8"))
    return Collection(folder, about, rows(folder / "corpus.jsonl"), rows(folder / "queries.jsonl"), grades)


@pytest.fixture(params=["company", "eight_themes"])
def collection(request: pytest.FixtureRequest) -> Collection:
    return read(request.param)


@pytest.fixture
def themes() -> Collection:
    return read("eight_themes")


@pytest.fixture
def company() -> Collection:
    return read("company")


def words(text: str) -> list[str]:
    """English content words, and the pairs of neighbours within Chinese words and phrases."""
    found = [word for word in re.findall(r"[a-z]+", text.lower()) if word not in FUNCTION_WORDS]
    for run in re.split(r"如何|的|[^\u4e00-\u9fff]+", text):
        found += [run[start : start + 2] for start in range(len(run) - 1)]
    return found


def shared(query: str, document: dict[str, Any]) -> tuple[int, int, float]:
    """How often query words stand in a document, how many different ones, and what share of its words they are."""
    of_query = set(words(query))
    of_document = words(f"{document['title']}\n{document['text']}")
    hits = [word for word in of_document if word in of_query]
    return len(hits), len(set(hits)), len(hits) / len(of_document)


def test_words_are_counted_as_by_hand() -> None:
    document = {"title": "Forgotten?", "text": "The password, my password!"}
    assert shared("How do I reset my forgotten password?", document) == (3, 2, 1.0)
    assert words("如何评估数据的安全?") == ["评估", "估数", "数据", "安全"]


def test_the_texts_are_as_they_were_first_committed() -> None:
    found = {
        path: hashlib.sha256((CORPORA / path).read_text(encoding="utf-8").encode()).hexdigest() for path in AS_COMMITTED
    }
    assert found == AS_COMMITTED


def test_corpora_are_not_taken_for_sample_graphs() -> None:
    assert not {"corpora", "company", "eight_themes"} & set(SAMPLES)
    assert all(sample.folder.parent == CORPORA.parent for sample in SAMPLES.values())


def test_rows_are_well_formed(collection: Collection) -> None:
    for name, document in collection.documents.items():
        assert list(document) == ["_id", "title", "text", "metadata"], name
        for field in (document["title"], document["text"]):
            assert field, name
            assert field == field.strip(), name
            assert "\ufffd" not in field, name
    for name, query in collection.queries.items():
        assert list(query) == ["_id", "text", "metadata"], name
        assert query["text"].endswith("?"), name
    for field in ("title", "text"):
        texts = [document[field] for document in collection.documents.values()]
        assert len(set(texts)) == len(texts), f"two documents have the same {field}"


def test_every_query_has_a_target_and_judges_known_documents(collection: Collection) -> None:
    assert collection.grades.keys() == collection.queries.keys()
    for query, grades in collection.grades.items():
        assert grades.keys() <= collection.documents.keys(), query
        assert set(grades.values()) == {TARGET, NEAR}, query
        assert len(collection.graded(query, TARGET)) == 1, query


def test_stuffed_documents_share_more_with_the_query_than_the_target_does(collection: Collection) -> None:
    for name, query in collection.queries.items():
        (target,) = collection.graded(name, TARGET)
        often, different, share = shared(query["text"], target)
        stuffed = collection.stuffed(name)
        assert stuffed, name
        assert not {row["_id"] for row in stuffed} & collection.grades[name].keys(), name
        for document in stuffed:
            found = shared(query["text"], document)
            assert found[0] > 2 * often, document["_id"]
            assert found[1] >= different, document["_id"]
            assert found[2] > 2 * share, document["_id"]


def test_the_card_names_the_corpus(collection: Collection) -> None:
    about = collection.about
    assert set(about) == {"name", "title", "blurb", "licence", "kind", "suggested"}
    assert about["name"] == collection.folder.name
    assert about["kind"] == "corpus"
    assert set(about["suggested"]) <= collection.queries.keys()
    assert len(about["suggested"]) >= 3
    for field in ("title", "blurb", "licence"):
        assert about[field].strip(), field
    assert (collection.folder / "README.md").read_text(encoding="utf-8").strip()


def test_the_reader_of_judged_collections_reads_all_of_it(collection: Collection) -> None:
    beir = read_beir(collection.folder)
    assert {document.id: document.text for document in beir.corpus.documents} == {
        name: document["text"] for name, document in collection.documents.items()
    }
    assert beir.queries == {name: query["text"] for name, query in collection.queries.items()}
    assert beir.qrels == collection.grades


def test_each_theme_has_its_roles(themes: Collection) -> None:
    assert {name: query["metadata"]["language"] for name, query in themes.queries.items()} == LANGUAGES
    for theme, language in LANGUAGES.items():
        own = [row for row in themes.documents.values() if row["metadata"]["theme"] == theme]
        roles = Counter(row["metadata"]["role"] for row in own)
        assert roles == {"target": 1, "near": 2, "stuffed": 2, "unrelated": 3}, theme
        assert {row["metadata"]["language"] for row in own} == {language}, theme
        assert themes.queries[theme]["metadata"]["theme"] == theme
    assert len(themes.documents) == 8 * len(LANGUAGES)


def test_grades_of_a_theme_follow_from_its_roles(themes: Collection) -> None:
    grade = {"target": TARGET, "near": NEAR}
    for theme in LANGUAGES:
        expected = {
            name: grade[row["metadata"]["role"]]
            for name, row in themes.documents.items()
            if row["metadata"]["theme"] == theme and row["metadata"]["role"] in grade
        }
        assert themes.grades[theme] == expected, theme


def test_an_english_counterpart_has_the_roles_of_its_chinese_theme(themes: Collection) -> None:
    for theme in CHINESE:
        for place in range(1, 9):
            chinese, english = (themes.documents[f"{name}-{place}"] for name in (theme, f"{theme}e"))
            assert chinese["metadata"]["role"] == english["metadata"]["role"], english["_id"]


def test_neither_id_nor_place_tells_the_target(themes: Collection) -> None:
    places = {row["_id"].split("-")[1] for row in themes.documents.values() if row["metadata"]["role"] == "target"}
    assert len(places) >= 4


def test_theme_texts_are_short_and_in_their_language(themes: Collection) -> None:
    for name, row in themes.documents.items():
        chinese = len(re.findall(r"[\u4e00-\u9fff]", row["text"]))
        if row["metadata"]["language"] == "zh":
            assert 100 <= len(row["text"]) <= 300, name
            assert chinese > 0.7 * len(row["text"]), name
        else:
            assert 60 <= len(row["text"].split()) <= 200, name
            assert chinese == 0, name


def test_the_company_has_forty_documents_of_four_kinds(company: Collection) -> None:
    roles = Counter(row["metadata"]["role"] for row in company.documents.values())
    assert roles == {"policy": 8, "guide": 12, "report": 6, "newsletter": 14}
    assert len(company.queries) == 10
    for name, row in company.documents.items():
        assert 120 <= len(row["text"].split()) <= 400, name
        assert name.startswith(f"{row['metadata']['role']}-"), name


def test_only_newsletters_are_stuffed_and_only_guidelines_answer(company: Collection) -> None:
    for row in company.documents.values():
        stuffed = stuffs(row["metadata"])
        assert bool(stuffed) == (row["metadata"]["role"] == "newsletter"), row["_id"]
        assert set(stuffed) <= company.queries.keys(), row["_id"]
    for query in company.queries:
        assert {row["metadata"]["role"] for row in company.graded(query, TARGET)} <= {"policy", "guide"}, query
