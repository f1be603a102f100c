"""Reader of knowledge-graph-completion folders: train, dev and test triples of ids, and files that name the ids.

train/dev/valid/test.tsv (or .txt): head, relation, tail. entity2text.txt and relation2text.txt: id, name.
entity2textlong.txt, where there is one: id, text. The splits are one graph, since they only serve to
test link prediction. An entity without a name is called by its id.
"""

from __future__ import annotations

from core.graph.readers.assembly import Assembly
from core.graph.readers.columns import ColumnChoice
from core.graph.readers.reader import Reader, report_progress
from core.graph.readers.source import Source, stem, suffix
from core.graph.readers.text import decode, split_lines
from core.graph.report import FileReport, LoadedGraph
from core.retriever import OnProgress

SPLITS = ("train", "dev", "valid", "test")
NAMES, LONG_TEXTS, RELATION_NAMES = "entity2text.txt", "entity2textlong.txt", "relation2text.txt"


def claims(source: Source) -> tuple[str, ...]:
    """Train triples with another split or a file of names beside them."""
    splits = tuple(n for n in source.names if suffix(n) in (".tsv", ".txt") and stem(n) in SPLITS)
    texts = tuple(n for n in source.names if n.lower() in (NAMES, LONG_TEXTS, RELATION_NAMES))
    has_train = any(stem(name) == "train" for name in splits)
    return (*texts, *splits) if has_train and len(splits) + len(texts) > 1 else ()


def read(source: Source, choice: ColumnChoice, on_progress: OnProgress | None) -> LoadedGraph:
    """Read the folder as one graph; nodes are in the order of entity2text.txt."""
    assembly = Assembly("knowledge-graph-completion folder", source.name)
    by_name = {name.lower(): name for name in source.names}
    long_texts = _pairs(source, by_name.get(LONG_TEXTS), assembly)
    for id_, (number, name) in _pairs(source, by_name.get(NAMES), assembly).items():
        assembly.add_node(NAMES, number, id_, name, "", long_texts.get(id_, (0, ""))[1])
    relations = {id_: name for id_, (_, name) in _pairs(source, by_name.get(RELATION_NAMES), assembly).items()}
    splits = [name for name in source.names if stem(name) in SPLITS]
    for done, file in enumerate(splits):
        report_progress(on_progress, f"Reading {file}", done / len(splits))
        decoded = decode(source.read(file), file)
        lines = [(number, line) for number, line in enumerate(split_lines(decoded.text), 1) if line.strip()]
        for number, line in lines:
            cells = [cell.strip() for cell in line.split("\t")]
            if len(cells) != 3:
                assembly.reject(file, number, f"the line has {len(cells)} cells, not 3", line)
                continue
            head, relation, tail = cells
            assembly.add_edge(file, number, head, relations.get(relation) or relation, tail)
        assembly.add_file(
            FileReport(name=file, rows=len(lines), encoding=decoded.encoding, delimiter="\t"), decoded.surrogates
        )
    return assembly.finish()


def _pairs(source: Source, file: str | None, assembly: Assembly) -> dict[str, tuple[int, str]]:
    """id -> (line, name). A line without a tab is rejected; the first of two names of an id counts."""
    if file is None:
        return {}
    decoded = decode(source.read(file), file)
    pairs: dict[str, tuple[int, str]] = {}
    lines = [(number, line) for number, line in enumerate(split_lines(decoded.text), 1) if line.strip()]
    for number, line in lines:
        before, tab, after = line.partition("\t")
        id_, name = before.strip(), after.strip()
        if not tab or not id_:
            assembly.reject(file, number, "the line is not an id, a tab and a name", line)
        elif id_ in pairs:
            assembly.reject(file, number, "the id was named on an earlier line", line)
        else:
            pairs[id_] = (number, name)
    assembly.add_file(
        FileReport(name=file, rows=len(lines), encoding=decoded.encoding, delimiter="\t"), decoded.surrogates
    )
    return pairs


READER = Reader(
    "knowledge-graph-completion folder",
    "a folder of train/dev/test.tsv with entity2text.txt and relation2text.txt",
    claims,
    read,
    several=True,
)
