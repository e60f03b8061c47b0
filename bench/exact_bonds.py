#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exact edit distances that count bonds, against an integer program.

    bench/exact_bonds.py --fewedits build/release/apps/fewedits/fewedits data/AIDS data/Mutagenicity

Of each dataset random pairs of small molecules are taken. This script reads the TU files itself,
finds the aromatic bonds itself (docs/adr/0016: those whose order differs between two Kekulé forms;
here by trying perfect matchings) and solves each pair as an integer program (HiGHS through scipy).
It shares nothing with what it checks: `fewedits distance --bonds use`. A pair that either side leaves
open is checked by the bounds of both and counted apart. Exit status 1: there is a disagreement.
"""
import argparse
import csv
import io
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_matrix

AROMATIC = "aromatic"


class Molecule:
    """Labels of atoms, and of bonds by their ends, the lesser first."""

    def __init__(self, labels, bonds):
        self.labels = labels
        self.bonds = bonds

    def __len__(self):
        return len(self.labels)


def read_tu(folder):
    """The molecules as they are written; bonds as the orders 1, 2 and 3."""
    name = folder.name

    def numbers(what):
        with open(folder / f"{name}_{what}.txt", encoding="utf-8") as file:
            return [[int(word) for word in line.split(",")] for line in file if line.strip()]

    graph_of = [row[0] - 1 for row in numbers("graph_indicator")]
    labels = [row[0] for row in numbers("node_labels")]
    first, molecules = {}, [Molecule([], {}) for _ in range(max(graph_of) + 1)]
    for node, graph in enumerate(graph_of):
        first.setdefault(graph, node)
        molecules[graph].labels.append(labels[node])
    for (u, v), (label,) in zip(numbers("A"), numbers("edge_labels")):
        graph = graph_of[u - 1]
        ends = sorted((u - 1 - first[graph], v - 1 - first[graph]))
        # Both datasets number their bonds so: 0 single, 1 double, 2 triple.
        molecules[graph].bonds[tuple(ends)] = label + 1
    return molecules


def has_perfect_matching(points, lines):
    """Can all points be paired along lines? By trying; the point with the fewest lines first."""
    if not points:
        return True
    near = {p: [q for q in lines[p] if q in points] for p in points}
    p = min(points, key=lambda point: len(near[point]))
    return any(has_perfect_matching(points - {p, q}, lines) for q in near[p])


def with_aromatic_bonds(molecule):
    """Bonds whose order differs between two Kekulé forms are called aromatic."""
    doubles = Counter()
    for ends, order in molecule.bonds.items():
        for atom in ends:
            doubles[atom] += {1: 0, 2: 1, 3: 2}[order]
    # Atoms with exactly one double bond, to another such atom; forms are their perfect matchings.
    matched = {
        atom
        for ends, order in molecule.bonds.items()
        if order == 2 and all(doubles[a] == 1 for a in ends)
        for atom in ends
    }
    inside = [e for e in molecule.bonds if set(e) <= matched and molecule.bonds[e] < 3]
    lines = {p: set() for p in matched}
    for u, v in inside:
        lines[u].add(v)
        lines[v].add(u)
    bonds = dict(molecule.bonds)
    for u, v in inside:
        if molecule.bonds[(u, v)] == 1:  # in another form it is double
            differs = has_perfect_matching(matched - {u, v}, lines)
        else:  # in another form it is single
            without = {p: lines[p] - {v} if p == u else lines[p] - {u} if p == v else lines[p] for p in lines}
            differs = has_perfect_matching(matched, without)
        if differs:
            bonds[(u, v)] = AROMATIC
    return Molecule(molecule.labels, bonds)


def solve(a, b, seconds):
    """Bounds on the number of edits: atoms and bonds added, removed or given another label.

    x[i,k]: atom i becomes atom k. y[e,f]: bond e, walked in one direction, becomes bond f, walked in
    one of its two. All that is in neither is removed from a and added from b.
    """
    n, m = len(a), len(b)
    if n == 0 or m == 0:
        total = n + m + len(a.bonds) + len(b.bonds)
        return total, total
    walks = [(k, l, f) for (k, l), f in b.bonds.items()] + [(l, k, f) for (k, l), f in b.bonds.items()]
    atoms = n * m
    cost = np.empty(atoms + len(a.bonds) * len(walks))
    for i in range(n):
        for k in range(m):
            cost[i * m + k] = (a.labels[i] != b.labels[k]) - 2
    rows, columns, values, high = [], [], [], []

    def at_most(terms, limit):
        for column, value in terms:
            rows.append(len(high))
            columns.append(column)
            values.append(value)
        high.append(limit)

    for i in range(n):
        at_most([(i * m + k, 1) for k in range(m)], 1)
    for k in range(m):
        at_most([(i * m + k, 1) for i in range(n)], 1)
    into = {}  # of each bond of b
    for e, ((i, j), order) in enumerate(a.bonds.items()):
        start, end = {}, {}
        for w, (k, l, other) in enumerate(walks):
            column = atoms + e * len(walks) + w
            cost[column] = (order != other) - 2
            start.setdefault(k, []).append(column)
            end.setdefault(l, []).append(column)
            into.setdefault((min(k, l), max(k, l)), []).append(column)
        # A bond goes where its atoms go.
        for k, used in start.items():
            at_most([(c, 1) for c in used] + [(i * m + k, -1)], 0)
        for l, used in end.items():
            at_most([(c, 1) for c in used] + [(j * m + l, -1)], 0)
    for used in into.values():
        at_most([(c, 1) for c in used], 1)
    # The same from the other side: it cuts the relaxation.
    for k, l, _ in walks:
        for i in range(n):
            used = []
            for e, (start, end) in enumerate(a.bonds):
                for w, (p, q, _) in enumerate(walks):
                    if (start == i and (p, q) == (k, l)) or (end == i and (p, q) == (l, k)):
                        used.append(atoms + e * len(walks) + w)
            at_most([(c, 1) for c in used] + [(i * m + k, -1)], 0)
    matrix = coo_matrix((values, (rows, columns)), shape=(len(high), len(cost))).tocsr()
    result = milp(
        c=cost,
        constraints=LinearConstraint(matrix, -np.inf, np.array(high, dtype=float)),
        integrality=np.ones(len(cost)),
        bounds=Bounds(0, 1),
        options={"time_limit": seconds, "mip_rel_gap": 0},
    )
    everything = n + m + len(a.bonds) + len(b.bonds)
    lower = 0 if result.mip_dual_bound is None else int(np.ceil(everything + result.mip_dual_bound - 1e-6))
    if result.x is None:
        return lower, everything
    image = [next((k for k in range(m) if result.x[i * m + k] > 0.5), None) for i in range(n)]
    return max(lower, 0), edits_of(a, b, image)


def edits_of(a, b, image):
    """Counted anew from where the atoms go, so that a solver's tolerances make no claim."""
    kept = [k for k in image if k is not None]
    assert len(set(kept)) == len(kept), "two atoms in one place"
    edits = len(a) + len(b) - 2 * len(kept)
    edits += sum(k is not None and a.labels[i] != b.labels[k] for i, k in enumerate(image))
    shared = 0
    for (i, j), order in a.bonds.items():
        if image[i] is None or image[j] is None:
            continue
        other = b.bonds.get((min(image[i], image[j]), max(image[i], image[j])))
        if other is not None:
            shared += 1
            edits += order != other
    return edits + len(a.bonds) + len(b.bonds) - 2 * shared


def unlike(a, b):
    """A simple measure of how far two molecules are apart: atoms and bonds that only one has."""
    parts = [Counter(map(str, m.labels)) + Counter(f"bond {order}" for order in m.bonds.values()) for m in (a, b)]
    return sum(((parts[0] - parts[1]) + (parts[1] - parts[0])).values())


def random_pairs(molecules, count, most_nodes, seed):
    """Different ones; in every other pair the second is the one of 100 that is most like the first."""
    small = [i for i, m in enumerate(molecules) if 2 <= len(m) <= most_nodes and m.bonds]
    pick = random.Random(seed)
    pairs = set()
    while len(pairs) < min(count, len(small) * (len(small) - 1) // 4):
        a, *others = pick.sample(small, min(len(small), 101 if len(pairs) % 2 else 2))
        b = min(others, key=lambda other: unlike(molecules[a], molecules[other]))
        pairs.add((min(a, b), max(a, b)))
    return sorted(pairs)


def measured(program, folder, pairs, work):
    """(lower, upper) of each pair, by the program that is checked. No graph is filtered out, so that
    its numbers are those of the files."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "pairs.csv"
        file.write_text("graph_a,graph_b\n" + "".join(f"{a},{b}\n" for a, b in pairs), encoding="utf-8")
        command = [program, "distance", "--dataset", folder, "--rare-label-threshold", "0", "--bonds", "use",
                   "--pairs", file, "--method", "exact", "--budget-work", str(work), "--threads", "1"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(int(r["graph_a"]), int(r["graph_b"])) for r in rows] == pairs, "other pairs than asked for"
    return [(int(float(r["lower"])), int(float(r["upper"]))) for r in rows]


def check(program, folder, arguments):
    molecules = [with_aromatic_bonds(m) for m in read_tu(folder)]
    pairs = random_pairs(molecules, arguments.pairs, arguments.nodes, arguments.seed)
    start = time.process_time()
    ours = measured(program, folder, pairs, arguments.work)
    counts = Counter()
    wrong = []
    for (a, b), (lower, upper) in zip(pairs, ours):
        least, most = solve(molecules[a], molecules[b], arguments.seconds)
        aromatic = AROMATIC in {*molecules[a].bonds.values(), *molecules[b].bonds.values()}
        if lower == upper and least >= most:
            counts["both exact"] += 1
            counts["aromatic"] += aromatic
            right = upper == most
        else:
            counts["open"] += 1
            right = lower <= most and least <= upper
        if not right:
            wrong.append((a, b))
            print(f"{folder.name} {a} {b}: fewedits {lower} to {upper}, HiGHS {least} to {most}", flush=True)
    sizes = [len(molecules[g]) for pair in pairs for g in pair]
    print(
        f"{folder.name}: {len(pairs)} pairs of molecules with {min(sizes)} to {max(sizes)} atoms, "
        f"{counts['both exact']} solved by both ({counts['aromatic']} with aromatic bonds), {counts['open']} open; "
        f"{len(wrong)} disagreements; distances {min(u for _, u in ours)} to {max(u for _, u in ours)}; "
        f"{time.process_time() - start:.0f} s of processor time for HiGHS",
        flush=True,
    )
    return counts["both exact"], len(wrong)


def main():
    parser = argparse.ArgumentParser(description="Exact distances with bonds against an integer program.")
    parser.add_argument("datasets", nargs="+", type=Path, help="TU folders: AIDS, Mutagenicity")
    parser.add_argument("--fewedits", required=True, help="the program that is checked")
    parser.add_argument("--pairs", type=int, default=150, help="of each dataset")
    parser.add_argument("--nodes", type=int, default=18, help="most atoms of a molecule")
    parser.add_argument("--seconds", type=float, default=120, help="most for HiGHS and one pair")
    parser.add_argument("--work", type=int, default=20_000_000, help="most for fewedits and one pair")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    totals = [check(arguments.fewedits, folder.resolve(), arguments) for folder in arguments.datasets]
    solved, wrong = map(sum, zip(*totals))
    print(f"{solved} distances solved by both, {wrong} disagreements")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
