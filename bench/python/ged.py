# SPDX-License-Identifier: MIT
"""The edit distance of pairs of graphs, beside networkx's, in one run.

    PYTHONPATH=build/dev/python .venv/bin/python bench/python/ged.py [--limit 20] [--page docs/ged.md]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import networkx as nx
import numpy as np

import fewedits as fe


def pairs_of_size(nodes: int, count: int, seed: int) -> list[tuple[nx.Graph, nx.Graph]]:
    """Trees with a few rings and labels, as molecules are."""
    rng = np.random.default_rng(seed * 1000 + nodes)

    def one() -> nx.Graph:
        graph = nx.Graph()
        for node in range(nodes):
            graph.add_node(node, label=int(rng.choice(3, p=[0.7, 0.2, 0.1])))
            if node:
                graph.add_edge(node, int(rng.integers(max(0, node - 4), node)))
        for _ in range(max(1, nodes // 8)):
            u, v = rng.integers(nodes, size=2)
            if u != v:
                graph.add_edge(int(u), int(v))
        return graph

    return [(one(), one()) for _ in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[6, 8, 10, 12, 16, 20, 30])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--limit", type=float, default=10, help="seconds that networkx may take for a pair")
    parser.add_argument("--page", default="")
    arguments = parser.parse_args()
    lines = [
        "| nodes | fewedits: solved | fewedits: seconds a pair | networkx: solved | networkx: seconds a pair |",
        "| --- | --- | --- | --- | --- |",
    ]
    gave_up = False
    for nodes in arguments.sizes:
        ours, theirs, solved, their_solved = [], [], 0, 0
        for a, b in pairs_of_size(nodes, arguments.pairs, 1):
            start = time.perf_counter()
            found = fe.ged(a, b)
            ours.append(time.perf_counter() - start)
            solved += found.is_exact
            if gave_up:
                continue
            start = time.perf_counter()
            distance = nx.graph_edit_distance(
                a, b, node_match=lambda p, q: p["label"] == q["label"], timeout=arguments.limit
            )
            theirs.append(time.perf_counter() - start)
            if theirs[-1] < arguments.limit:
                their_solved += 1
                if found.is_exact:
                    assert distance == found.distance, (nodes, distance, found)
        their_text = "not asked any more" if gave_up else f"{their_solved} of {arguments.pairs}"
        limit = "" if gave_up else f"{np.median(theirs):.3g}" if their_solved == len(theirs) else f"over {arguments.limit:g}"
        lines.append(
            f"| {nodes} | {solved} of {arguments.pairs} | {np.median(ours):.2g} | {their_text} | {limit} |"
        )
        print(lines[-1], flush=True)
        gave_up = gave_up or their_solved == 0
    if arguments.page:
        page = Path(arguments.page)
        begin, end = "<!-- begin: written by bench/python/ged.py -->", "<!-- end: written by bench/python/ged.py -->"
        text = page.read_text(encoding="utf-8")
        head, rest = text.split(begin)
        note = f"\nMedians of {arguments.pairs} pairs; networkx had {arguments.limit:g} seconds for each, on one core.\n"
        page.write_text(head + begin + "\n" + "\n".join(lines) + "\n" + note + end + rest.split(end)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
