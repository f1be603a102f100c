"""A tiny ontology and its annotations, written out as the two files that the real ones come in."""

from __future__ import annotations

from pathlib import Path

OBO = r"""format-version: 1.2
data-version: hp/releases/2030-01-02
synonymtypedef: layperson "layperson term"

[Term]
id: HP:0000001
name: All

[Term]
id: HP:0000118
name: Phenotypic abnormality
is_a: HP:0000001 ! All

[Term]
id: HP:0000005
name: Mode of inheritance
is_a: HP:0000001 ! All

[Term]
id: HP:0000007
name: Autosomal recessive inheritance
is_a: HP:0000005 ! Mode of inheritance

[Term]
id: HP:0000478
name: Abnormality of the eye
is_a: HP:0000118 ! Phenotypic abnormality

[Term]
id: HP:0033127
name: Abnormality of the musculoskeletal system
is_a: HP:0000118 ! Phenotypic abnormality

[Term]
id: HP:0000508
name: Ptosis
alt_id: HP:0009999
def: "The upper lid hangs, so to speak \"low\"." [someone]
synonym: "Blepharoptosis" EXACT []
synonym: "Droopy eyelid" BROAD layperson []
synonym: "Drooping upper eyelid" EXACT layperson [src:1]
synonym: "ptosis" EXACT []
synonym: "Old word" EXACT obsolete_synonym []
is_a: HP:0000478 ! Abnormality of the eye
is_a: HP:0033127 {source="x"} ! Abnormality of the musculoskeletal system

[Term]
id: HP:0001488
name: Bilateral ptosis
is_a: HP:0000508 ! Ptosis

[Term]
id: HP:0003324
name: Muscle weakness
synonym: "Weak muscles" EXACT layperson []
is_a: HP:0033127 ! Abnormality of the musculoskeletal system

[Term]
id: HP:0007777
name: obsolete Weak lids
is_obsolete: true
replaced_by: HP:0009999

[Term]
id: HP:0008888
name: obsolete Nothing
is_obsolete: true

[Term]
id: HP:0003577
name: Congenital onset
is_a: HP:0000001 ! All

[Typedef]
id: part_of
name: part of
"""

HEADER = "database_id disease_name qualifier hpo_id reference evidence onset frequency sex modifier aspect biocuration"
ROWS = (
    ("OMIM:1", "Lid disease", "", "HP:0009999", "HP:0003577", "2/4", "P"),  # by a former id of ptosis
    ("OMIM:1", "Lid disease", "", "HP:0000508", "", "1/6", "P"),
    ("OMIM:1", "Lid disease", "", "HP:0003324", "", "0/5", "P"),
    ("OMIM:1", "Lid disease", "", "HP:0000007", "", "", "I"),
    ("OMIM:2", "Weakness", "", "HP:0003324", "", "HP:0040282", "P"),
    ("OMIM:2", "Weakness", "", "HP:0001488", "", "", "P"),
    ("OMIM:2", "Weakness", "NOT", "HP:0000508", "", "", "P"),
    ("OMIM:3", "Only inherited", "", "HP:0000007", "", "", "I"),
    ("ORPHA:9", "Not of OMIM", "", "HP:0000508", "", "", "P"),
)


def write_small_hpo(folder: Path) -> tuple[Path, Path]:
    """(hp.obo, phenotype.hpoa) in `folder`."""
    ontology, annotations = folder / "hp.obo", folder / "phenotype.hpoa"
    ontology.write_text(OBO, encoding="utf-8")
    lines = ["#version: 2030-01-02", "\t".join(HEADER.split())]
    for id_, name, qualifier, term, onset, share, aspect in ROWS:
        lines.append("\t".join((id_, name, qualifier, term, "PMID:1", "PCS", onset, share, "", "", aspect, "me")))
    annotations.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ontology, annotations
