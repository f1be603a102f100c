"""How fast a large graph is read and how fast a hub is looked up, beside networkx in the same run.

The graph is synthetic: edge ends drawn from a heavy-tailed law, one hub of degree 16,000, ten edge types,
five node types. Not here: search (its own benchmark) and the command line.
"""

from __future__ import annotations

import ctypes
import gc
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

HUB_DEGREE = 16_000
EDGE_TYPES, NODE_TYPES = 10, 5
PEER_EDGES = 400_000  # networkx takes about a minute and two gigabytes for ten times as many
REPEATS = 101


def bench_graph(nodes: int = 130_000, edges: int = 4_000_000, seed: int = 0) -> dict[str, Any]:
    """Build from Parquet, measure the structure, look up a hub by edge type; the same with networkx.

    Seconds, megabytes (10^6 bytes) and milliseconds (median of 101). `arrays_mb` is the adjacency,
    `structure_mb` that and the strings of all nodes; `resident_mb` is what the process grew by, once the
    allocator gave back what it could. networkx gets about 400,000 of the edges, without names and texts; its
    seconds and megabytes for all are these, scaled up.
    """
    from core.graph.readers import read_graph

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "synthetic"
        path.mkdir()
        hub = write_synthetic(path, nodes, edges, seed)
        before = resident_mb()
        begin = time.perf_counter()
        graph = read_graph(path).graph
        read_seconds = time.perf_counter() - begin
        grown = resident_mb() - before
        begin = time.perf_counter()
        graph = read_graph(path).graph
        again_seconds = time.perf_counter() - begin
    position = graph.index_of(hub)
    wanted = [graph.edge_type_names[1]]
    arrays = graph.adjacency.nbytes + graph.type_codes.nbytes
    strings = sum(sys.getsizeof(text) + 8 for column in (graph.ids, graph.names, graph.texts) for text in column)
    ours = {
        "nodes": len(graph),
        "edges": graph.edge_count,
        "read_seconds": round(read_seconds, 2),
        "read_again_seconds": round(again_seconds, 2),
        "arrays_mb": round(arrays / 1e6, 1),
        "structure_mb": round((arrays + strings) / 1e6, 1),
        "resident_mb": round(grown, 1),
        "hub_degree": int(graph.degree[position]),
        "hub_filtered": len(graph.neighbor_positions(position, edge_types=wanted)),
        "hub_filtered_ms": _median_ms(lambda: graph.neighbor_positions(position, edge_types=wanted)),
        "hub_all_ms": _median_ms(lambda: graph.neighbor_positions(position)),
    }
    peer = _networkx(graph, position, wanted[0])
    return {
        "bench": "graph",
        "ours": ours,
        "peers": {"networkx": peer},
        "ratio": {
            "read": round(peer["build_seconds_scaled"] / read_seconds, 1),
            "memory": round(peer["structure_mb_scaled"] / ours["structure_mb"], 1),
            "hub": round(peer["hub_filtered_ms"] / max(ours["hub_filtered_ms"], 1e-6), 1),
        },
    }


def write_synthetic(folder: Path, nodes: int, edges: int, seed: int) -> str:
    """Write nodes.parquet and edges.parquet; returns the id of the hub."""
    import pyarrow
    import pyarrow.parquet

    rng = np.random.default_rng(seed)
    hub_degree = min(HUB_DEGREE, edges // 2)
    heads = rng.integers(0, nodes, edges)
    tails = ((nodes - 1) * rng.random(edges) ** 2).astype(np.int64)
    side = rng.random(hub_degree) < 0.5
    others = rng.choice(nodes, hub_degree, replace=hub_degree > nodes)
    heads[:hub_degree] = np.where(side, nodes - 1, others)
    tails[:hub_degree] = np.where(side, others, nodes - 1)
    ids = np.array([f"n{i}" for i in range(nodes)])
    kinds = np.array([f"relation {i}" for i in range(EDGE_TYPES)])
    node_table = {
        "id": ids,
        "name": [f"Node number {i}" for i in range(nodes)],
        "type": np.array([f"kind {i}" for i in range(NODE_TYPES)])[rng.integers(0, NODE_TYPES, nodes)],
        "text": [f"The node with the number {i}" for i in range(nodes)],
    }
    edge_table = {"source": ids[heads], "target": ids[tails], "type": kinds[rng.integers(0, EDGE_TYPES, edges)]}
    pyarrow.parquet.write_table(pyarrow.table(node_table), folder / "nodes.parquet")
    pyarrow.parquet.write_table(pyarrow.table(edge_table), folder / "edges.parquet")
    return str(ids[nodes - 1])


def resident_mb() -> float:
    """The memory of this process in 10^6 bytes, after free memory was given back; 0 where nothing tells."""
    import pyarrow

    gc.collect()
    pyarrow.default_memory_pool().release_unused()
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * 4096 / 1e6


def _networkx(graph: Any, hub: int, wanted: str) -> dict[str, Any]:
    """The peer: a MultiDiGraph of the same edges (all of the hub's, and others up to the limit)."""
    import networkx

    heads, codes, tails = graph.edges()
    at_hub = (heads == hub) | (tails == hub)
    rest = np.flatnonzero(~at_hub)
    step = max(1, len(rest) // max(PEER_EDGES - int(at_hub.sum()), 1))
    chosen = np.concatenate([np.flatnonzero(at_hub), rest[::step]])
    scale = len(heads) / len(chosen)
    names = graph.edge_type_names
    rows = zip(heads[chosen].tolist(), tails[chosen].tolist(), codes[chosen].tolist(), strict=True)
    before = resident_mb()
    begin = time.perf_counter()
    peer = networkx.MultiDiGraph()
    peer.add_edges_from((head, tail, {"type": names[code]}) for head, tail, code in rows)
    seconds = time.perf_counter() - begin
    grown = resident_mb() - before

    def lookup() -> set[int]:
        out = {v for _, v, kind in peer.out_edges(hub, data="type") if kind == wanted}
        back = {u for u, _, kind in peer.in_edges(hub, data="type") if kind == wanted}
        return out | back - {hub}

    return {
        "edges": len(chosen),
        "build_seconds": round(seconds, 2),
        "build_seconds_scaled": round(seconds * scale, 1),
        "resident_mb": round(grown, 1),
        "structure_mb_scaled": round(grown * scale, 1),
        "hub_filtered": len(lookup()),
        "hub_filtered_ms": _median_ms(lookup, 11),
        "scaled": "all edges" if scale == 1 else f"measured on 1 edge in {scale:.1f}, the hub's all among them",
    }


def _median_ms(call: Callable[[], object], repeats: int = REPEATS) -> float:
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return round(1000 * statistics.median(times), 4)
