"""Expert graphs on disk, as plain arrays and JSON, so that one opens in well under a second the next time.

Not here: where the cache folder is and how large it may grow (`core.disk_cache`), and reading a source.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from core.disk_cache import DiskCache
from core.errors import StoreError
from core.graph.columns import PackedColumn, pack
from core.sgur.building import LAYERS, MATRICES
from core.sgur.expert_graph import ExpertGraph, Layer
from core.trace import DatasetRef

KIND = "expert-graph"
_COLUMNS = ("ids", "names", "texts")


def kept(key: str, make: Callable[[], ExpertGraph]) -> ExpertGraph:
    """The graph under `key`; made and kept when there is none. A disk that cannot be written is passed over."""
    cache = DiskCache()
    folder = cache.get_folder(KIND, key)
    if folder is not None:
        try:
            return _load(folder)
        except (OSError, ValueError, KeyError, BadZipFile):
            cache.remove(KIND, key)
    graph = make()
    with suppress(StoreError):
        cache.put_folder(KIND, key, lambda draft: _save(graph, draft))
    return graph


def files_key(recipe: str, files: Sequence[Path]) -> str:
    """A key that changes with the bytes of any of the files, or with `recipe` (reader and its version)."""
    digest = hashlib.sha256(recipe.encode())
    for file in files:
        with file.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()


def _save(graph: ExpertGraph, folder: Path) -> None:
    arrays: dict[str, Any] = {}
    for which in LAYERS:
        part: Layer = getattr(graph, which)
        for column in _COLUMNS:
            _add(arrays, f"{which}.{column}", getattr(part, column))
        _add(arrays, f"{which}.synonyms", [other for own in part.synonyms for other in own])
        arrays[f"{which}.synonyms.counts"] = np.fromiter(map(len, part.synonyms), np.int64, len(part))
    for which in MATRICES:
        matrix: Any = getattr(graph, which)
        for name in ("data", "indices", "indptr"):
            arrays[f"{which}.{name}"] = getattr(matrix, name)
    np.savez(folder / "arrays.npz", **arrays)
    about = {
        "dataset": graph.dataset.model_dump(mode="json"),
        "kinds": {which: getattr(graph, which).kind for which in LAYERS},
        "shapes": {which: getattr(graph, which).shape for which in MATRICES},
        "replaced": dict(graph.replaced),
        "notices": graph.notices,
        "source": graph.source,
    }
    (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")


def _add(arrays: dict[str, Any], name: str, column: Sequence[str]) -> None:
    arrays[f"{name}.data"], arrays[f"{name}.offsets"] = pack(column)


def _load(folder: Path) -> ExpertGraph:
    """Read what `_save` wrote. OSError, ValueError, KeyError or BadZipFile when it is damaged."""
    from scipy.sparse import csr_matrix

    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    with np.load(folder / "arrays.npz", allow_pickle=False) as arrays:

        def column(name: str) -> tuple[str, ...]:
            return PackedColumn(arrays[f"{name}.data"], arrays[f"{name}.offsets"]).unpack()

        parts: dict[str, Any] = {}
        for which in LAYERS:
            flat = column(f"{which}.synonyms")
            bounds = accumulate(arrays[f"{which}.synonyms.counts"].tolist(), initial=0)
            synonyms = tuple(flat[a:b] for a, b in pairwise(bounds))
            ids, names, texts = (column(f"{which}.{c}") for c in _COLUMNS)
            if not len(ids) == len(names) == len(texts) == len(synonyms):
                raise ValueError(f"the columns of {which} differ in length")
            parts[which] = Layer(str(about["kinds"][which]), ids, names, synonyms, texts)
        for which in MATRICES:
            values = tuple(arrays[f"{which}.{name}"] for name in ("data", "indices", "indptr"))
            parts[which] = csr_matrix(values, shape=tuple(about["shapes"][which]))
    return ExpertGraph(
        dataset=DatasetRef.model_validate(about["dataset"]),
        replaced=about["replaced"],
        notices=tuple(about["notices"]),
        source=about["source"],
        **parts,
    )
