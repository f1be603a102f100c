"""Small graphs of several subjects and manners of naming, for tests of the offline deciders."""

from core.graph.graph import KnowledgeGraph


def from_triples(triples, nodes=None, name="small"):
    """Nodes as {id: (name, type, text)}; ids that are not given are named by themselves, underscores kept."""
    ids = list(dict.fromkeys([*(nodes or {}), *(x for s, _, t in triples for x in (s, t))]))
    at = {i: n for n, i in enumerate(ids)}
    cards = [(nodes or {}).get(i, (i, "", "")) for i in ids]
    relations = list(dict.fromkeys(r for _, r, _ in triples))
    return KnowledgeGraph.from_arrays(
        ids,
        [c[0] for c in cards],
        [c[1] for c in cards],
        [c[2] for c in cards],
        [at[s] for s, _, _ in triples],
        [at[t] for _, _, t in triples],
        [relations.index(r) for _, r, _ in triples],
        relations,
        name=name,
    )


def lamps():
    """Untyped, underscores in names and relations: lamps, their designers and makers, towns, years."""
    return from_triples(
        [
            ("Aurora_Lamp", "designed_by", "Ada_Lund"), ("Borea_Lamp", "designed_by", "Ada_Lund"),
            ("Corona_Lamp", "designed_by", "Bo_Ek"), ("Aurora_Lamp", "made_by", "Lumen_Works"),
            ("Borea_Lamp", "made_by", "Lumen_Works"), ("Corona_Lamp", "made_by", "Glow_Brothers"),
            ("Aurora_Lamp", "first_sold_in_year", "1931"), ("Borea_Lamp", "first_sold_in_year", "1952"),
            ("Corona_Lamp", "first_sold_in_year", "1952"), ("Ada_Lund", "born_in_town", "Oslo"),
            ("Bo_Ek", "born_in_town", "Turku"), ("Lumen_Works", "located_in_town", "Bergen"),
            ("Glow_Brothers", "located_in_town", "Turku"),
        ],
        name="lamps",
    )  # fmt: skip


def people():
    """Namespaced relations, an inverse twin, a self-loop, and answers that are the topic itself."""
    return from_triples(
        [
            ("n1", "people.person.parent", "n2"), ("n1", "people.person.parent", "n3"),
            ("n4", "people.person.parent", "n2"), ("n2", "people.person.parent__inverse", "n1"),
            ("n3", "people.person.parent__inverse", "n1"), ("n2", "people.person.parent__inverse", "n4"),
            ("n2", "people.person.spouse", "n3"), ("n3", "people.person.employer", "n3"),
            ("n1", "org.company.employer", "n5"), ("n2", "org.company.employer", "n5"),
            ("n5", "org.company.headquarters", "n6"),
        ],
        {
            "n1": ("Carl Moe", "person", ""), "n2": ("Dora Moe", "person", ""), "n3": ("Eli Moe", "person", ""),
            "n4": ("Finn Moe", "person", ""), "n5": ("Moe & Sons", "company", ""), "n6": ("Tromsø", "town", ""),
        },
        name="people",
    )  # fmt: skip


def repairs():
    """Typed and with texts: several faults of one symptom differ by their texts alone."""
    return from_triples(
        [
            ("noise", "is caused by", "belt"), ("noise", "is caused by", "bearing"), ("noise", "is caused by", "pump"),
            ("belt", "is repaired by", "new-belt"), ("bearing", "is repaired by", "new-bearing"),
            ("pump", "is repaired by", "new-pump"), ("leak", "is caused by", "pump"), ("leak", "is caused by", "seal"),
            ("seal", "is repaired by", "new-seal"), ("new-pump", "needs tool", "pliers"),
            ("new-belt", "needs tool", "spanner"),
        ],
        {
            "noise": ("Loud noise", "symptom", "The machine can be heard next door."),
            "leak": ("Puddle below", "symptom", "Water on the floor."),
            "belt": ("Loose belt", "fault", "It slips and squeals like rubber."),
            "bearing": ("Worn bearing", "fault", "It rumbles like a train."),
            "pump": ("Dry pump", "fault", "It hums and moves no water."),
            "seal": ("Torn seal", "fault", "Rubber with a crack in it."),
            "new-belt": ("Fit a new belt", "repair", ""), "new-bearing": ("Fit a new bearing", "repair", ""),
            "new-pump": ("Fit a new pump", "repair", ""), "new-seal": ("Fit a new seal", "repair", ""),
            "pliers": ("Pliers", "tool", ""), "spanner": ("Spanner", "tool", ""),
        },
        name="repairs",
    )  # fmt: skip
