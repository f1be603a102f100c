"""How a run was decided: who decided and with what, what departs from the paper, and the offline policy in words."""

from __future__ import annotations

import streamlit as st

from core.figures.explain import reading_of
from core.figures.words import agent_name
from core.trace import Trace
from pages.shared.selection import Selection
from pages.shared.text import esc, short

SETTING_WORDS = {
    "agents": "agents",
    "max_steps": "steps an agent may take",
    "search_k": "nodes GlobalSearch returns",
    "neighbors_k": "neighbours a look returns",
    "lambda_": "λ",
    "alpha": "α",
    "keep": "candidates handed to the agent",
    "assess": "with the causal module",
    "fusion": "fusion",
    "rrf_constant": "RRF constant",
    "seed": "seed",
    "top": "lines of the ranked list",
    "k": "nodes the search asks for",
}


def draw(trace: Trace, at: Selection) -> None:
    """The panel: this run at the left, the policy in general at the right."""
    left, right = st.columns(2, gap="large")
    with left:
        st.html(of_this_run(trace))
    with right:
        if "offline" in trace.decided_by:
            st.markdown(offline_in_words())
        elif trace.method in ("bm25", "dense"):
            st.html("<p>This method decides nothing: it ranks every node by one number, and walks nowhere.</p>")


def of_this_run(trace: Trace) -> str:
    """Who decided, the notices, the encoders and the settings."""
    encoders = []
    for agent in trace.agents:
        reading = reading_of(trace, agent)
        if reading is not None and reading.encoder:
            encoders.append(f"{agent_name(agent)} reads with {reading.encoder}")
    said = "".join(f"<li>{esc(line)}</li>" for line in (*trace.notices, *encoders))
    settings = "".join(
        f"<tr><td>{esc(SETTING_WORDS.get(name, name))}</td><td class='cw-num'>{esc(_in_words(value))}</td></tr>"
        for name, value in trace.config.items()
    )
    return (
        f"<div class='cw-prose'><p>Decided by: <b>{esc(trace.decided_by or 'no one')}</b></p><ul>{said}</ul>"
        f"<table>{settings}</table>"
        f"<p class='cw-quiet'>Causeway {esc(trace.version)}, {esc(trace.started_at)}, "
        f"{esc(trace.dataset.name)} ({esc(short(trace.dataset.content_id, 24))})</p></div>"
    )


def _in_words(value: object) -> str:
    if value is None:
        return "all"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def offline_in_words() -> str:
    """The offline policy and causal module, with the constants that the code uses."""
    from core.cara import offline_reading as o

    return f"""
**The offline policy** stands in for a language model. It knows no data set: everything below follows from the
question, the graph's own names, and two small text encoders.

1. **Reading.** The longest stretch of the question that is a node's name is the anchor. The other words are needs;
   how much a word weighs depends on how well any relation, or any class of nodes, of this graph explains it.
2. **Walking.** It searches for the anchor, looks around it, and goes on from the candidates with the highest scores,
   one hop at a time, as long as a further hop explains more of the question. What the best way ends in goes on its
   list, then the next best ways.
3. **Answering.** It quotes the links that led to the first nodes of the fused list. It counts and compares nothing.

**The causal module, offline.** For a candidate, take the best route through it that the graph's relations offer.

- *c, consequentiality*: the share of the question's need that the route explains.
- *e, essentiality*: how well each hop is licensed by a need that no other hop answers, the mean and
  {o.MIN_SHARE:g} of the weakest hop, divided by {1 + o.MIN_SHARE:g}.
- *p, path consistency*: {o.PATH_MIDDLE:g} + ({o.ANSWER:g} × the answer is of the kind asked for
  − {o.INVERSION:g} × hops against the question's order − {o.BACK:g} × going to and fro
  − {o.HOP:g} × hops − {o.REVERSE:g} × hops against an edge's direction) / {o.PATH_SCALE:g}, kept within 0 and 1.

**Departures from the paper.** There, agents are language models that sample at temperature 1.0, and so is the
causal module's judge. Here the agents differ by encoder, starting mention and the order of equals; and judge and
agent draw on the same quantities, so the scores show how the method works and are no evidence that it judges well.
"""
