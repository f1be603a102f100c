"""The chapter on KERAG. Its lessons gather and reason over a few bridges, with the method's own functions."""

from __future__ import annotations

import streamlit as st

from core.figures.words import listed
from core.kerag.evaluator import Outcome, evaluate
from core.kerag.miniature import PROGRAM, QUESTION, RELATIONS, TOPIC, gathered
from core.kerag.subgraph import Neighbourhood
from core.kerag.triples import TripleIndex
from pages.shared.learn.lesson import Chapter, Lesson, Place
from pages.shared.text import esc, many

HERE = "pages/kerag.py"
COUNT = {"data": "films", "q": "How many films won the Palme d'Or?", "go": "1"}
OPENING = ("crosses", "is long")


def plan() -> None:
    """Relations kept by hand and the number of hops; the answer that what was gathered carries."""
    left, right = st.columns([1.3, 1], gap="medium")
    with left:
        kept = st.multiselect("Relations kept", RELATIONS, list(OPENING), key="learn_kerag_kept")
        hops = st.slider("Hops, h", 1, 3, 2, key="learn_kerag_hops")
    found = gathered(tuple(kept), hops)
    with left:
        _triples(found)
    with right:
        _reasoned(evaluate(PROGRAM, TripleIndex(found)), found)


def whole() -> None:
    """A budget: what does not fit is left out, and the answer may go with it."""
    left, right = st.columns([1.3, 1], gap="medium")
    most = len(gathered(RELATIONS, 3))
    budget = left.slider("Triples at most", 1, most, most, key="learn_kerag_budget")
    found = gathered(RELATIONS, 3, budget)
    with left:
        _triples(found)
    with right:
        missing = most - len(found)
        said = f"{many(missing, 'triple')} in scope did not fit." if missing else "Everything in scope fits."
        st.html(f"<p class='cw-note cw-num'>{esc(said)}</p>")
        _reasoned(evaluate(PROGRAM, TripleIndex(found)), found)


def reason() -> None:
    """Triples taken away by hand; the lines are written again from what is left."""
    left, right = st.columns([1.3, 1], gap="medium")
    found = gathered(OPENING, 2)
    words = {place: _words(found, place) for place in range(len(found))}
    gone = left.multiselect("Take away", list(words), format_func=words.__getitem__, key="learn_kerag_gone")
    with left:
        _triples(found, gone)
    with right:
        _reasoned(evaluate(PROGRAM, TripleIndex(found, gone)), found)


def truth() -> None:
    """A hundred questions, answered, passed over, or answered wrongly."""
    left, right = st.columns(2, gap="medium")
    accurate = left.slider("Of 100 questions, answered rightly", 0, 100, 60, key="learn_kerag_right")
    rest = 100 - accurate
    wrong = right.slider("Answered wrongly", 0, rest, min(15, rest), key="learn_kerag_wrong") if rest else 0
    missing = 100 - accurate - wrong
    score = (accurate - wrong) / 100
    st.html(
        f"<div class='cw-answer cw-num' role='status'>T = {accurate / 100:.2f} − {wrong / 100:.2f} = {score:.2f}</div>"
        f"<p class='cw-note cw-num'>{many(missing, 'time')} “I don't know”. Had all of them been guessed wrongly, "
        f"T would be {(accurate - wrong - missing) / 100:.2f}.</p>"
    )


def _words(found: Neighbourhood, place: int) -> str:
    head, tail = (found.nodes[int(column[place])].name for column in (found.head, found.tail))
    return f"{head} {found.relations[int(found.relation[place])]} {tail}"


def _triples(found: Neighbourhood, gone: list[int] | tuple[int, ...] = ()) -> None:
    rows = "".join(
        f"<tr><td>[{place + 1}]</td><td>{'<s>' if place in gone else ''}{esc(_words(found, place))}"
        f"{'</s>' if place in gone else ''}</td></tr>"
        for place in range(len(found))
    )
    st.html(
        f"<p class='cw-note cw-num'>{many(len(found), 'triple')} around {esc(TOPIC)}</p>"
        f"<div class='cw-prose'><table aria-label='Triples'>{rows}</table></div>"
    )


def _reasoned(outcome: Outcome, found: Neighbourhood) -> None:
    lines = "".join(
        f"<li>{esc(line.text)} <span class='cw-quiet'>{''.join(f'[{t + 1}]' for t in line.triples)}</span></li>"
        for line in outcome.lines
    )
    names = listed([found.nodes[i].name for i in outcome.answers], 3)
    answer = (outcome.value or names) if outcome.known else "I don't know"
    st.html(
        f"<div class='cw-quiet'>{esc(QUESTION)}</div><div class='cw-answer' role='status'>{esc(answer)}</div>"
        f"<div class='cw-prose'><ol>{lines}</ol></div>"
    )


CHAPTER = Chapter(
    "kerag",
    "KERAG",
    (
        Lesson(
            "plan",
            "What to look at, before looking",
            "KERAG, planning",
            (
                "The schema around the topic is seen one hop at a time. Relations that the question does not speak of "
                "are left out; when what is kept covers every part of the question, the plan is made.",
                "Leave out “is long”, or stay at one hop: the evidence no longer carries an answer. Keep everything, "
                "and the answer stays, among more triples.",
            ),
            r"\mathrm{plan}(q) = (D, E, \bar{R}, h)",
            plan,
            Place(HERE, "Overrule a relation on a real graph", COUNT),
        ),
        Lesson(
            "neighbourhood",
            "A whole neighbourhood, not one path",
            "KERAG, retrieval",
            (
                "Everything in scope is fetched: no path is chosen, so no early mistake loses the answer. The price is "
                "size, and so there is a budget.",
                "Lower it: what does not fit is counted and said.",
            ),
            r"N_h(E) = \{(s, r, o) : r \notin \bar{R},\ \mathrm{dist}(E, \{s, o\}) < h\}",
            whole,
        ),
        Lesson(
            "reasoning",
            "Each line rests on triples",
            "KERAG, summarisation",
            (
                "The reasoning follows, filters, counts and compares, and every line cites what it used. Offline a "
                "small typed evaluator does it: it knows that 0.4 km is more than 310 m.",
                "Take away the length of the Iron Bridge, then what crosses the river.",
            ),
            r"(q, N_h(E)) \longrightarrow (\ell_1, \dots, \ell_n, a), \qquad \ell_i \mapsto \{(s, r, o)\}",
            reason,
            Place(HERE, "Take a triple away on a real graph", COUNT),
        ),
        Lesson(
            "truth",
            "Not knowing beats guessing",
            "KERAG, evaluation",
            (
                "An answer is accurate, missing (“I don't know”) or hallucinated. Truthfulness takes hallucinations "
                "off what is accurate, so a guess that may be wrong is worth less than silence.",
            ),
            r"T = A - H",
            truth,
        ),
    ),
)
