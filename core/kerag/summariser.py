"""The summariser without a model: the question becomes a program, a typed evaluator runs it over the triples (KERAG-3).

Its chain of thought are the numbered lines that the evaluator writes. Where the question cannot be followed, or the
triples do not carry the answer, it says "I don't know" and why. Not here: the model's twin (`summariser_model`).
"""

from __future__ import annotations

import numpy as np

from core.graph.contracts import Graph
from core.kerag.evaluator import DONT_KNOW, Outcome, evaluate
from core.kerag.program import Program
from core.kerag.programs import ProgramBuilder
from core.kerag.question_kind import form_of
from core.kerag.steps import Line, SummaryStep
from core.kerag.subgraph import Neighbourhood
from core.kerag.summary import Asked
from core.kerag.triples import TripleIndex
from core.kerag.ways import SchemaValues, Ways
from core.kerag.working import UnknownError
from core.linking.lens import Lens
from core.llm.exchange import Exchange

DECIDED_BY = "offline evaluator over triples"


class OfflineSummariser:
    """Answers questions on one graph, whose schema it reads through a lens."""

    decided_by = DECIDED_BY
    exchange: Exchange | None = None

    def __init__(self, graph: Graph, lens: Lens) -> None:
        self._graph = graph
        self._lens = lens
        self._values = SchemaValues(graph)

    def summarise(self, asked: Asked, found: Neighbourhood, reason: bool = True) -> SummaryStep:
        """See `Summariser.summarise`."""
        index = TripleIndex(found)
        names = [(t.start, t.end) for t in asked.topics]
        form = form_of(asked.question, names)
        ways = Ways(self._graph, self._lens, self._values, asked.question, index)
        if not reason:
            return self._step(found, self._glance(asked, ways), None)
        builder = ProgramBuilder(ways, asked.question, form, asked.topics)
        try:
            program = builder.build()
        except UnknownError as unknown:
            text = f"{unknown} So the answer is: {DONT_KNOW}."
            return self._step(found, Outcome((Line(number=1, text=text),), known=False), None)
        return self._step(found, evaluate(program, index), program)

    def _glance(self, asked: Asked, ways: Ways) -> Outcome:
        """Without reasoning (KERAG-6): whatever the one relation leads to that the question's words are nearest to."""
        around = ways.around(asked.topics[0], asked.topics) if asked.topics else None
        found = ways.index.found
        if around is None or not len(found):
            return Outcome((Line(number=1, text=f"{DONT_KNOW}."),), known=False)
        said = np.maximum(around.needs.edge, around.needs.arrival) @ around.needs.weight
        code = {name: 2 * t for t, name in enumerate(ways.roles.relations)}
        best = max(
            (code[name] + side for name in found.relations for side in (0, 1)), key=lambda hop: (said[hop], -hop)
        )
        at = np.flatnonzero(found.relation == found.relations.index(ways.roles.relations[best >> 1]))
        nodes = np.unique((found.head if best & 1 else found.tail)[at])
        nodes = nodes[~np.isin(nodes, found.topics)]
        text = f"Read off '{ways.roles.relations[best >> 1]}' without reasoning."
        line = Line(number=1, text=text, triples=tuple(at[:200].tolist()))
        return Outcome((line,), tuple(nodes.tolist()), known=bool(len(nodes)))

    def _step(self, found: Neighbourhood, outcome: Outcome, program: Program | None) -> SummaryStep:
        return SummaryStep(
            decided_by=self.decided_by,
            lines=outcome.lines,
            answers=tuple(found.nodes[i] for i in outcome.answers),
            value=outcome.value,
            known=outcome.known,
            program=program,
        )
