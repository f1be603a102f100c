"""The offline answer: every claim quotes its evidence; what is not computed is said."""

import pytest

from core.cara.offline_answerer import CLAIMS, OfflineAnswerer, link_in_words
from core.cara.steps import Appended, AppendStep, Hop, Link
from core.trace import NodeRef, Ranked

LAMP = NodeRef(id="l", name="Aurora")
ADA = NodeRef(id="a", name="Ada")
OSLO = NodeRef(id="o", name="Oslo")


def hop(node, type_, direction="out"):
    return Hop(link=Link(type=type_, direction=direction), node=node)


def step(*nodes, agent=0, index=5):
    return AppendStep(agent=agent, index=index, nodes=nodes)


def ranked(*ids):
    return [Ranked(id=i, name=i, score=1.0) for i in ids]


def test_links_read_head_first():
    assert link_in_words(LAMP, hop(ADA, "made by")) == "Aurora → made by → Ada"
    assert link_in_words(ADA, hop(LAMP, "made by", "in")) == "Aurora → made by → Ada"


def test_a_claim_quotes_each_link_of_its_path():
    node = Appended(node=OSLO, anchor=LAMP, path=(hop(ADA, "made by"), hop(OSLO, "born in")), text="A town by a fjord.")
    answer = OfflineAnswerer().answer("where was the maker of Aurora born", ranked("o"), [step(node)])
    (claim,) = answer.claims
    assert claim.text == "Oslo: Aurora → made by → Ada; Ada → born in → Oslo."
    assert [(e.node.id, e.quote, e.link) for e in claim.evidence] == [
        ("a", "Ada", "Aurora → made by → Ada"),
        ("o", "A town by a fjord.", "Ada → born in → Oslo"),
    ]
    assert answer.text == claim.text
    assert answer.citations == ("a", "o")
    assert answer.decided_by == "offline policy"


def test_only_nodes_reached_as_the_first_one_are_claimed():
    one = Appended(node=ADA, anchor=LAMP, path=(hop(ADA, "made by"),))
    other = Appended(node=OSLO, anchor=LAMP, path=(hop(OSLO, "sold in"),))
    answer = OfflineAnswerer().answer("who made Aurora", ranked("a", "o"), [step(one, other)])
    assert [c.text for c in answer.claims] == ["Ada: Aurora → made by → Ada."]


def test_the_first_agents_path_is_quoted():
    first = Appended(node=ADA, anchor=LAMP, path=(hop(ADA, "made by"),))
    later = Appended(node=ADA, anchor=LAMP, path=(hop(ADA, "sold by"),))
    answer = OfflineAnswerer().answer("who", ranked("a"), [step(later, agent=1), step(first, agent=0)])
    assert "made by" in answer.text


def test_many_are_counted_as_more():
    nodes = [
        Appended(
            node=NodeRef(id=str(i), name=f"N{i}"), anchor=LAMP, path=(hop(NodeRef(id=str(i), name=f"N{i}"), "has"),)
        )
        for i in range(CLAIMS + 3)
    ]
    answer = OfflineAnswerer().answer("which", ranked(*(str(i) for i in range(CLAIMS + 3))), [step(*nodes)])
    assert len(answer.claims) == CLAIMS
    assert answer.text.endswith("3 more were reached in the same way.")


def test_a_node_found_by_search_alone_quotes_its_text():
    node = Appended(node=OSLO, text="A town " + "by a long fjord " * 30)
    (claim,) = OfflineAnswerer().answer("a town", ranked("o"), [step(node)]).claims
    assert claim.evidence[0].quote.startswith("A town by a long fjord")
    assert claim.evidence[0].quote.endswith("…")
    assert len(claim.evidence[0].quote) <= 161
    (bare,) = OfflineAnswerer().answer("a town", ranked("o"), [step(Appended(node=OSLO))]).claims
    assert bare.text == "Oslo."


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is Aurora a lamp?", "yes-or-no"),
        ("How many lamps did Ada make?", "counts nothing"),
        ("What is the oldest lamp?", "makes none"),
        ("Who made the largest number of lamps?", "makes none"),
        ("What is the number of lamps?", "counts nothing"),
        ("Which lamp did Ada make?", ""),
    ],
)
def test_what_is_not_computed_is_said(question, said):
    node = Appended(node=ADA, anchor=LAMP, path=(hop(ADA, "made by"),))
    text = OfflineAnswerer().answer(question, ranked("a"), [step(node)]).text
    assert said in text
    assert text.startswith("This") == bool(said)


def test_nothing_found():
    answer = OfflineAnswerer().answer("who", [], [])
    assert "Nothing was found" in answer.text
    assert answer.claims == ()


def test_namesakes_are_told_apart_by_type() -> None:
    book, film = NodeRef(id="b", name="Misery", type="book"), NodeRef(id="f", name="Misery", type="film")
    back = Hop(link=Link(type="adapted from", direction="in"), node=film)
    assert link_in_words(book, back) == "Misery (film) → adapted from → Misery (book)"
