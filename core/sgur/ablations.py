"""The methods that a protocol compares: SGUR, what is left of it when a part is taken away, and its peers, by name.

Each gives a distance of every hypothesis, the smaller the better. Not here: routing, which matters for words alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from core.errors import ConfigError
from core.sgur.belief import places
from core.sgur.engine import Engine
from core.sgur.expert_graph import Floats
from core.sgur.peers import PEERS, ensemble, naive_bayes, peer_distance, resnik
from core.sgur.query import Query
from core.sgur.steps import SgurConfig

Method = Callable[[Engine, Query], Floats]

SETTINGS: dict[str, dict[str, Any]] = {
    "sgur": {},
    "closed-form": {"aligned": 0},  # no node-by-node alignment at all
    "semantic-only": {"alpha": 0.0},
    "structure-only": {"alpha": 1.0, "size_weight": 0.0},
    "uniform": {"specificity": 0.0},
    "full-fgw": {"partial": False},
    "literal": {"literal": True},
}
ENSEMBLE = "ensemble"
NAMES = (*SETTINGS, ENSEMBLE, *PEERS)


def method(name: str, config: SgurConfig | None = None) -> Method:
    """The method of that name; `config` is what the settings of SGUR and its ablations start from. ConfigError else."""
    base = config or SgurConfig()
    if name in SETTINGS:
        settings = SgurConfig.model_validate({**base.model_dump(), **SETTINGS[name]})
        return lambda engine, query: engine.look(query, settings).distance
    if name in PEERS:
        peer = PEERS[name]
        return lambda engine, query: peer_distance(engine, peer(engine, query))
    if name == ENSEMBLE:
        return lambda engine, query: ensemble(
            [
                places(engine.look(query, base).distance),
                *(places(peer_distance(engine, peer(engine, query))) for peer in (naive_bayes, resnik)),
            ]
        )
    raise ConfigError(f"unknown method {name!r}", hint=f"Known: {', '.join(NAMES)}.")


def checked_names(names: Iterable[str]) -> tuple[str, ...]:
    """Names without repeats. ConfigError for an unknown one, or when there is none."""
    chosen = tuple(dict.fromkeys(n.strip() for n in names if n.strip()))
    if not chosen:
        raise ConfigError("no method was named", hint=f"Known: {', '.join(NAMES)}.")
    for name in chosen:
        method(name)
    return chosen
