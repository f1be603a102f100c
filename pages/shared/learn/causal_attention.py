"""The chapter on causal attention."""

from __future__ import annotations

from pages.shared import dag_panel
from pages.shared.learn.lesson import Chapter, Lesson

CHAPTER = Chapter(
    "causal-attention",
    "Causal attention",
    (
        Lesson(
            "d-separation",
            "What the query says about B",
            "Causal attention, the causal graph and d-separation",
            (
                "A holds the keywords that query and document share, B the document's others. Keywords make "
                "texts: A → q, A → d, B → d; the ideal answer y comes of B and the query.",
                "Before anything is retrieved, q and B have nothing to do with each other. A document that was "
                "retrieved is a common effect of A and B: knowing it opens the path between them. That is what the "
                "score uses. Click a variable to make it known.",
            ),
            r"q \perp B \qquad q \not\perp B \mid d \qquad q \perp d \mid A \qquad d \perp y \mid A, B",
            lambda: dag_panel.graph("learn_dag"),
        ),
    ),
)
