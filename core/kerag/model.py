"""`ModelKeragMinds`: planner and summariser that ask a language model. `make_asker` gives each run its own asker."""

from __future__ import annotations

from collections.abc import Callable

from core.graph.contracts import Graph
from core.kerag.planner_model import ModelPlanner, planning_calls
from core.kerag.settings import KeragConfig
from core.kerag.summariser_model import ModelSummariser
from core.llm.replay import Asker
from core.retriever import OnProgress, ShouldStop

CONTEXT_TOKENS = 8192  # of a model whose context is not known


class ModelKeragMinds:
    """Makes the model-backed deciders of a run."""

    notices: tuple[str, ...] = ()

    def __init__(self, make_asker: Callable[[], Asker], context_tokens: int = CONTEXT_TOKENS) -> None:
        self._make_asker = make_asker
        self._context_tokens = context_tokens
        self._asker = make_asker()
        self.decided_by = self._asker.label

    def for_run(self) -> ModelKeragMinds:
        """Deciders with counters of their own."""
        return ModelKeragMinds(self._make_asker, self._context_tokens)

    def tokens(self) -> tuple[int | None, int | None]:
        """(prompt, completion) tokens of this run so far; None when the server never counted."""
        count = self._asker.count
        if not count.calls or count.uncounted == count.calls:
            return None, None
        return count.prompt_tokens, count.completion_tokens

    def prepare(self, graph: Graph, on_progress: OnProgress) -> None:
        """Nothing is loaded."""
        on_progress(f"using {self.decided_by}", 1.0)

    def planner(self, graph: Graph, question: str, config: KeragConfig, should_stop: ShouldStop) -> ModelPlanner:
        """See `planner_model`."""
        return ModelPlanner(graph, self._asker, question, config, self._context_tokens, should_stop)

    def summariser(self, graph: Graph, question: str, config: KeragConfig, should_stop: ShouldStop) -> ModelSummariser:
        """See `summariser_model`."""
        return ModelSummariser(self._asker, config, self._context_tokens, should_stop)


def most_calls(config: KeragConfig) -> int:
    """How often a run asks the model at most: for the plan, and once for the reasoning."""
    return planning_calls(config) + 1
