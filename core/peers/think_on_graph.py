"""Think-on-Graph (Sun et al. 2024; CARA-13): beam search over relations, then entities, with no training.

The paper answers from its paths and ranks nothing; which list is made of them here stands in `think_on_graph_walk`.
Not here: the walk, and who scores (`think_on_graph_offline`, `think_on_graph_model`).
"""

from __future__ import annotations

from core.graph.contracts import Graph
from core.peers.deciders import Deciders
from core.peers.ranking import PeerAnswerer
from core.peers.recorder import Recorder
from core.peers.think_on_graph_contracts import Thinker
from core.peers.think_on_graph_offline import offline_thinkers
from core.peers.think_on_graph_steps import TogConfig
from core.peers.think_on_graph_walk import Walk
from core.peers.walker import Walker


class ThinkOnGraphRetriever(Walker[Thinker, TogConfig]):
    """Think-on-Graph on one graph. `thinkers` decide, offline by default; `answerer`, if given, writes the answer."""

    method = "tog"
    config_model = TogConfig

    def __init__(
        self, graph: Graph, thinkers: Deciders[Thinker] | None = None, answerer: PeerAnswerer | None = None
    ) -> None:
        super().__init__(graph, thinkers or offline_thinkers(), answerer)

    def walk(self, recorder: Recorder, decider: Thinker, question: str, config: TogConfig) -> None:
        """Deeper as long as the paths do not suffice."""
        Walk(recorder, decider, question, config).walk()
