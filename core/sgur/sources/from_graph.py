"""Any knowledge graph as an expert graph: a map says which of its types and relations stand for which layer.

`guess_layers` proposes a map from the names of types; a person may change it. Not here: reading the graph's files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import nan

import numpy as np
from numpy.typing import NDArray

from core.errors import ConfigError
from core.graph.contracts import Schema
from core.graph.graph import KnowledgeGraph
from core.retriever import OnProgress
from core.sgur.building import Draft, layer
from core.sgur.expert_graph import ExpertGraph, Layer
from core.sgur.extraction_words import words_of
from core.trace import Frozen

FEW = 12  # names that a hint lists
PHRASE_WORDS = 6  # of a text that are still another name

# What people call the types of the four layers.
_KINDS = {
    "observation": "observation symptom sign phenotype finding complaint manifestation indicator evidence",
    "localisation": "location localisation localization anatomy organ part site component region place system",
    "hypothesis": "hypothesis disease diagnosis disorder fault cause failure condition syndrome defect problem",
    "treatment": "treatment drug fix remedy therapy medication repair solution medicine measure action",
}
_AGAINST = frozenset("negative absent no not without never excluded excludes".split())
_NO_HELP = re.compile(r"contra|adverse|side[ _-]?effect", re.I)
_BROADER = re.compile(r"\b(?:is a|isa|subclass|sub class|kind of|type of|broader|parent)\b", re.I)


class LayerMap(Frozen):
    """Which node type stands for which layer, and which relations link them; a relation counts in both directions.

    observation and hypothesis are needed, the rest may be blank. absent: relations that say that an observation is
    not seen with a hypothesis. broader: relations from an observation to a broader one. names_in_text: whether the
    phrases of an observation's text (up to six words) are other names for it.
    """

    observation: str = ""
    hypothesis: str = ""
    localisation: str = ""
    treatment: str = ""
    reported: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    located: tuple[str, ...] = ()
    treated: tuple[str, ...] = ()
    broader: tuple[str, ...] = ()
    names_in_text: bool = False

    @property
    def missing(self) -> str:
        """What still has to be chosen, in words; "" when nothing has to."""
        for name, value in (
            ("the type of the observations", self.observation),
            ("the type of the hypotheses", self.hypothesis),
            ("a relation between hypotheses and observations", self.reported),
        ):
            if not value:
                return name
        return ""


def guess_layers(schema: Schema) -> LayerMap:
    """A map by what types and relations are called; what cannot be guessed is left blank."""
    chosen = {kind: _type_for(words, schema.node_types) for kind, words in _KINDS.items()}
    observation, hypothesis = chosen["observation"], chosen["hypothesis"]
    between = {
        name: (set(schema.roles[2 * code].node_types), set(schema.roles[2 * code + 1].node_types))
        for code, name in enumerate(schema.edge_types)
    }

    def linking(a: str, b: str) -> list[str]:
        if not a or not b:
            return []
        return [n for n, (h, t) in between.items() if (a in h and b in t) or (b in h and a in t)]

    shown = linking(hypothesis, observation)
    against = [name for name in shown if _AGAINST & set(re.split(r"[\W_]+", name.lower()))]
    return LayerMap(
        **chosen,
        reported=tuple(name for name in shown if name not in against),
        absent=tuple(against),
        located=tuple(linking(observation, chosen["localisation"])),
        treated=tuple(name for name in linking(hypothesis, chosen["treatment"]) if not _NO_HELP.search(name)),
        broader=tuple(n for n in linking(observation, observation) if _BROADER.search(re.sub(r"[\W_]+", " ", n))),
    )


def expert_graph(graph: KnowledgeGraph, layers: LayerMap, on_progress: OnProgress | None = None) -> ExpertGraph:
    """The expert graph of a knowledge graph. ConfigError for a map that is incomplete or names what it lacks;
    EmptyGraphError when no hypothesis has an observation.
    """
    _check(graph, layers)
    if on_progress:
        on_progress("Sorting the graph into layers", 0.0)
    columns = {kind: _members(graph, getattr(layers, kind)) for kind in _KINDS}
    heads, codes, tails = graph.edges()

    def pairs(relations: Sequence[str], rows: str, others: str) -> set[tuple[int, int]]:
        """(place in the layer `rows`, place in the layer `others`) of all edges of these types, either way round."""
        wanted = np.isin(codes, [graph.edge_type_names.index(name) for name in relations])
        place, other = columns[rows][1], columns[others][1]
        found: set[tuple[int, int]] = set()
        for start, end in ((heads[wanted], tails[wanted]), (tails[wanted], heads[wanted])):
            both = (place[start] >= 0) & (other[end] >= 0)
            found.update(zip(place[start[both]].tolist(), other[end[both]].tolist(), strict=True))
            if rows == others:
                break  # broader runs one way
        return found

    def part(kind: str) -> Layer:
        nodes = columns[kind][0]
        texts = [graph.texts[n] for n in nodes]
        own = [phrases(text) for text in texts] if kind == "observation" and layers.names_in_text else ()
        return layer(
            getattr(layers, kind) or kind, [graph.ids[n] for n in nodes], [graph.names[n] for n in nodes], own, texts
        )

    shown = pairs(layers.reported, "hypothesis", "observation")
    bare = len(columns["hypothesis"][0]) - len({row for row, _ in shown})
    notices = (
        [f"{bare:,} of type {layers.hypothesis} have no {layers.observation} and cannot be found."] if bare else []
    )
    return Draft(
        name=graph.name,
        source=f"{graph.name}: {layers.hypothesis} and {layers.observation}, as mapped",
        observations=part("observation"),
        localisations=part("localisation"),
        hypotheses=part("hypothesis"),
        treatments=part("treatment"),
        reported=dict.fromkeys(sorted(shown), nan),
        absent=pairs(layers.absent, "hypothesis", "observation") - shown,
        parents={(a, b) for a, b in pairs(layers.broader, "observation", "observation") if a != b},
        located=pairs(layers.located, "observation", "localisation"),
        treated=pairs(layers.treated, "hypothesis", "treatment"),
        notices=tuple(notices),
    ).finish()


def phrases(text: str) -> tuple[str, ...]:
    """The stretches of a text between punctuation that are short enough to be another name, once each."""
    found: dict[str, None] = {}
    for piece in re.split(r"[.;:,!?\n()]+", text):
        words = words_of(piece)
        if 1 <= len(words) <= PHRASE_WORDS and sum(w.telling or w.turns for w in words) >= 2:
            found[piece.strip()] = None
    return tuple(found)


def _check(graph: KnowledgeGraph, layers: LayerMap) -> None:
    if layers.missing:
        has = f"types {_few(graph.type_names)}; relations {_few(graph.edge_type_names)}"
        hint = f"Map the graph's types to layers (--layers on the command line). It has: {has}."
        raise ConfigError(f"{layers.missing} is not chosen", where=graph.name, hint=hint)
    chosen = [getattr(layers, kind) for kind in _KINDS if getattr(layers, kind)]
    _known(chosen, graph.type_names, "type", graph.name)
    if len(set(chosen)) < len(chosen):
        raise ConfigError("two layers have the same type", where=graph.name, hint="Choose another type for one.")
    for field in ("reported", "absent", "located", "treated", "broader"):
        _known(getattr(layers, field), graph.edge_type_names, "relation", graph.name)


def _known(chosen: Iterable[str], there: Sequence[str], what: str, name: str) -> None:
    for one in chosen:
        if one not in there:
            raise ConfigError(f"the graph has no {what} {one!r}", where=name, hint=f"It has: {_few(there)}.")


def _few(names: Iterable[str]) -> str:
    """The first names in order, the rest as a count."""
    ordered = sorted(names)
    more = f" and {len(ordered) - FEW:,} more" if len(ordered) > FEW else ""
    return ", ".join(ordered[:FEW]) + more


def _members(graph: KnowledgeGraph, type_name: str) -> tuple[list[int], NDArray[np.int64]]:
    """(nodes of the type, for each node of the graph its place among them or -1)."""
    code = graph.type_names.index(type_name) if type_name else -1
    nodes = np.flatnonzero(graph.type_codes == code)
    place = np.full(len(graph), -1, np.int64)
    place[nodes] = np.arange(len(nodes))
    return nodes.tolist(), place


def _type_for(words: str, types: dict[str, int]) -> str:
    """The most frequent type that is called by one of the words, the earlier word first."""
    for word in words.split():
        for name in types:
            parts = re.split(r"[\W_]+", name.lower())
            if any(part.removesuffix("s") == word.removesuffix("s") for part in parts):
                return name
    return ""
