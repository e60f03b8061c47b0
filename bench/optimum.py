#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How far the greedy summary is from the best one: pools of candidates, as paper_tables_bench writes
them, solved to optimality as maximum coverage (HiGHS through scipy).

    bench/optimum.py build/release/results/*.pool --output docs/paper-tables/optimum.csv

Of each pool the first candidates are taken (--candidates; those of a walk come by visits), so that the
solver ends. A pool that is in the output with as many candidates is not solved again. What was not
proven optimal within --seconds has a bound above its best value.
"""
import argparse
import csv
import os
import time
from pathlib import Path

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_matrix, hstack, identity, vstack

FIELDS = ["dataset", "search", "seed", "candidates", "inputs", "k", "greedy", "best", "bound", "seconds"]


def read_pool(path, most):
    """Name, number of inputs, k and the first candidates' covers."""
    with open(path, encoding="utf-8") as file:
        dataset, search, seed, inputs, k = file.readline().split()
        covers = [frozenset(map(int, line.split())) for line in file]
    return (dataset, search, seed), int(inputs), int(k), covers[:most]


def greedy(covers, k):
    """Inputs covered by the choice of the largest gain, the first among equals."""
    covered = set()
    for _ in range(min(k, len(covers))):
        covered |= max(covers, key=lambda c: len(c - covered))
    return len(covered)


def undominated(covers):
    """No cover that another one contains: the optimum needs none of them."""
    kept = []
    for cover in sorted(set(covers), key=len, reverse=True):
        if cover and not any(cover < other for other in kept):
            kept.append(cover)
    return kept


def optimum(covers, k, seconds):
    """The best coverage that was found, and what is proven not to be exceeded."""
    covers = undominated(covers)
    if not covers:
        return 0, 0
    # Inputs that the same candidates cover are one, with a weight.
    groups = {}
    for place in frozenset().union(*covers):
        key = tuple(c for c, cover in enumerate(covers) if place in cover)
        groups[key] = groups.get(key, 0) + 1
    members, weights = list(groups), np.array(list(groups.values()), dtype=float)
    rows = [r for r, group in enumerate(members) for _ in group]
    columns = [c for group in members for c in group]
    covered_by = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(members), len(covers)))
    # Covered only if a chosen candidate covers it; at most k are chosen.
    reach = hstack([covered_by, -identity(len(members))])
    choice = hstack([csr_matrix(np.ones((1, len(covers)))), csr_matrix((1, len(members)))])
    low = np.append(np.zeros(len(members)), 0)
    high = np.append(np.full(len(members), np.inf), k)
    result = milp(
        c=np.append(np.zeros(len(covers)), -weights),
        constraints=LinearConstraint(vstack([reach, choice]).tocsr(), low, high),
        integrality=np.append(np.ones(len(covers)), np.zeros(len(members))),
        bounds=Bounds(0, 1),
        options={"time_limit": seconds, "mip_rel_gap": 0},
    )
    best = 0 if result.x is None else count(covers, result.x[: len(covers)])
    bound = int(np.floor(-result.mip_dual_bound + 1e-6))
    return best, max(best, bound)


def count(covers, chosen):
    """Counted anew, so that a solver's tolerances make no claim."""
    return len(frozenset().union(*(cover for cover, x in zip(covers, chosen) if x > 0.5)))


def read_results(path):
    if not path.exists():
        return {}
    with open(path, newline="", encoding="utf-8") as file:
        return {(r["dataset"], r["search"], r["seed"]): r for r in csv.DictReader(file)}


def write_results(path, results):
    part = path.with_suffix(".part")
    with open(part, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(results[name] for name in sorted(results))
    os.replace(part, path)


def main():
    parser = argparse.ArgumentParser(description="Greedy summaries against the best ones.")
    parser.add_argument("pools", nargs="*", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--candidates", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=60, help="for each pool")
    arguments = parser.parse_args()
    results = read_results(arguments.output)
    for path in arguments.pools:
        name, inputs, k, covers = read_pool(path, arguments.candidates)
        if name in results and int(results[name]["candidates"]) == len(covers):
            continue
        start = time.monotonic()
        best, bound = optimum(covers, k, arguments.seconds)
        by_greed = greedy(covers, k)
        assert by_greed <= bound, f"{path}: greedy covers {by_greed}, more than {bound}"
        values = [*name, len(covers), inputs, k, by_greed, max(best, by_greed), bound,
                  f"{time.monotonic() - start:.2f}"]
        results[name] = dict(zip(FIELDS, values))
        print(f"{' '.join(name)}: greedy {by_greed}, best {best} (at most {bound})", flush=True)
        write_results(arguments.output, results)


if __name__ == "__main__":
    main()
