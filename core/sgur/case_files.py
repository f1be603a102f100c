"""Patients out of files: Causeway's case format and GA4GH phenopackets (versions 1 and 2), as JSON or one a line.

A case is {"id", "observed": [id or {"id", "label"}], "excluded": [...], "disease_id", "disease_name", "pmid"}; a
phenopacket has "phenotypicFeatures". A file holds one of them, a list of them, or one a line. Ids that the graph
gave up are mapped; those that it does not know are kept apart. Not here: words (`core.sgur.extraction`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.graph.columns import clean
from core.sgur.expert_graph import ExpertGraph
from core.sgur.patients import Patient

LARGEST = 200 * 1024**2  # bytes of a file
_SHAPE = 'It should be a phenopacket, or {"id": .., "observed": [..], "excluded": [..], "disease_id": ..}.'


@dataclass(frozen=True, slots=True)
class CaseFile:
    """The patients of a file, and what a reader of the results must know."""

    patients: tuple[Patient, ...]
    notices: tuple[str, ...] = ()


def read_cases(path: Path, graph: ExpertGraph) -> CaseFile:
    """The patients in a file. InputError names the file and the line (or the place in a list) that is wrong."""
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(f"it is larger than {LARGEST // 1024**2} MB", where=path.name)
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}", where=path.name) from None
    return parse_cases(raw, path.name, graph)


def parse_cases(raw: bytes, name: str, graph: ExpertGraph) -> CaseFile:
    """The same for an upload: its bytes and its name."""
    text = clean(raw.decode("utf-8-sig", errors="replace"))[0]
    patients: list[Patient] = []
    for where, value in _objects(text, name):
        try:
            patients.append(_patient(value, len(patients) + 1, graph))
        except _WrongError as error:
            raise InputError(str(error), where=where, hint=_SHAPE) from None
    if not patients:
        raise InputError("there is no case in it", where=name, hint=_SHAPE)
    return CaseFile(tuple(patients), tuple(_notices(patients, graph)))


class _WrongError(Exception):
    """What is wrong with one case."""


def _objects(text: str, name: str) -> Iterator[tuple[str, Any]]:
    """(where it stands, value) of each case: the whole is one value, a list of them, or one on each line."""
    if not text.strip():
        return
    try:
        whole = json.loads(text)
    except RecursionError:
        raise InputError("it is nested too deeply", where=name) from None
    except json.JSONDecodeError as error:
        lines = text.splitlines()
        if not _starts_with_a_value(lines):
            raise InputError(f"it is not JSON: {error.msg}", where=f"{name}, line {error.lineno}") from None
        for number, line in enumerate(lines, 1):
            if line.strip():
                where = f"{name}, line {number}"
                try:
                    yield where, json.loads(line)
                except (json.JSONDecodeError, RecursionError) as broken:
                    why = broken.msg if isinstance(broken, json.JSONDecodeError) else "nested too deeply"
                    raise InputError(f"the line is not JSON: {why}", where=where, hint=_SHAPE) from None
        return
    if isinstance(whole, list):
        yield from ((f"{name}, case {n}", value) for n, value in enumerate(whole, 1))
    else:
        yield name, whole


def _starts_with_a_value(lines: list[str]) -> bool:
    """Whether the first line that is not blank is JSON of its own: then the file has one case a line."""
    first = next((line for line in lines if line.strip()), "")
    try:
        return isinstance(json.loads(first), dict)
    except (json.JSONDecodeError, RecursionError):
        return False


def _patient(value: Any, number: int, graph: ExpertGraph) -> Patient:
    if not isinstance(value, dict):
        raise _WrongError(f"a case should be an object, not {_kind(value)}")
    if "phenotypicFeatures" in value or "phenotypic_features" in value:
        observed, excluded = _features(value)
        diagnosis, diagnosis_name = _diagnosis(value)
        source = _reference(value)
    elif "observed" in value:
        observed, excluded = _ids(value, "observed"), _ids(value, "excluded")
        diagnosis, diagnosis_name = _text(value, "disease_id"), _text(value, "disease_name")
        source = _text(value, "pmid") or _text(value, "source")
    else:
        raise _WrongError('it has neither "observed" nor "phenotypicFeatures"')
    known, strange = _known(observed, graph)
    denied, strange_too = _known(excluded, graph)
    diagnosis = diagnosis.strip()
    return Patient(
        id=_text(value, "id") or f"case {number}",
        observed=known,
        excluded=tuple(o for o in denied if o not in known),
        diagnosis=diagnosis,
        diagnosis_name=_name(graph, diagnosis) or diagnosis_name,
        unknown=(*strange, *strange_too),
        source=source,
    )


def _features(packet: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    observed: list[str] = []
    excluded: list[str] = []
    for n, feature in enumerate(_list(packet, "phenotypicFeatures", "phenotypic_features"), 1):
        kind = feature.get("type") if isinstance(feature, dict) else None
        if not isinstance(kind, dict) or not isinstance(kind.get("id"), str):
            raise _WrongError(f"phenotypic feature {n} has no type with an id")
        denied = feature.get("excluded", feature.get("negated", False))  # version 1 said "negated"
        (excluded if denied is True else observed).append(kind["id"])
    return observed, excluded


def _diagnosis(packet: Mapping[str, Any]) -> tuple[str, str]:
    """(id, label) of the interpreted diagnosis, else of the first disease that is not excluded."""
    for interpretation in _list(packet, "interpretations"):
        diagnosis = interpretation.get("diagnosis") if isinstance(interpretation, dict) else None
        disease = diagnosis.get("disease") if isinstance(diagnosis, dict) else None
        if isinstance(disease, dict) and isinstance(disease.get("id"), str):
            return disease["id"], _text(disease, "label")
    for disease in _list(packet, "diseases"):
        term = disease.get("term") if isinstance(disease, dict) and disease.get("excluded") is not True else None
        if isinstance(term, dict) and isinstance(term.get("id"), str):
            return term["id"], _text(term, "label")
    return "", ""


def _reference(packet: Mapping[str, Any]) -> str:
    about = packet.get("metaData", packet.get("meta_data"))
    references = about.get("externalReferences", []) if isinstance(about, dict) else []
    first = references[0] if isinstance(references, list) and references else None
    return _text(first, "id") if isinstance(first, dict) else ""


def _list(value: Mapping[str, Any], *names: str) -> list[Any]:
    for name in names:
        if value.get(name) is not None:
            if not isinstance(value[name], list):
                raise _WrongError(f'"{name}" should be a list, not {_kind(value[name])}')
            return list(value[name])
    return []


def _ids(value: Mapping[str, Any], name: str) -> list[str]:
    found = []
    for n, entry in enumerate(_list(value, name), 1):
        id_ = entry.get("id") if isinstance(entry, dict) else entry
        if not isinstance(id_, str):
            raise _WrongError(f'entry {n} of "{name}" has no id')
        found.append(id_)
    return found


def _known(ids: list[str], graph: ExpertGraph) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(ids of the graph, in order and once each; ids that it does not have)."""
    known: dict[str, None] = {}
    unknown: dict[str, None] = {}
    for id_ in ids:
        now = graph.replaced.get(id_.strip(), id_.strip())
        (known if now in graph.observations.positions else unknown)[now] = None
    return tuple(known), tuple(unknown)


def _name(graph: ExpertGraph, diagnosis: str) -> str:
    place = graph.hypotheses.positions.get(diagnosis)
    return "" if place is None else graph.hypotheses.names[place]


def _notices(patients: list[Patient], graph: ExpertGraph) -> Iterator[str]:
    unknown = {id_ for patient in patients for id_ in patient.unknown}
    if unknown:
        examples = ", ".join(sorted(unknown)[:3])
        what = f"no {graph.observations.kind} of {graph.dataset.name}"
        yield f"Ids that are {what} were left out, {len(unknown):,} in all: {examples}."
    if silent := sum(1 for patient in patients if not patient.observed):
        yield f"Cases without an observation that is known: {silent:,} of {len(patients):,}."
    if foreign := sum(1 for p in patients if p.diagnosis and p.diagnosis not in graph.hypotheses.positions):
        yield f"Cases with a diagnosis that {graph.dataset.name} does not hold: {foreign:,} of {len(patients):,}."


def _text(value: Mapping[str, Any], name: str) -> str:
    found = value.get(name)
    return found.strip() if isinstance(found, str) else ""


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "nothing"}
    return kinds.get(type(value), "a number")
