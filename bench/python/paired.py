# SPDX-License-Identifier: MIT
"""A module explained natively and as a black box: paired seeds at the same work, all of them verified.

    PYTHONPATH=build/dev/python .venv/bin/python bench/python/paired.py [--shared ../shared] [--seeds 10]

The module is the published GCN, the dataset AIDS or another of the four (--dataset). Prints coverage for
each seed, whether the counterfactuals are the same, and the mean difference; exit code 1 if that is more than a
point, or if anything does not verify.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from whole import PaperGcn

import fewedits as fe


def graphs_of(why: fe.Explanation) -> list[fe.Graph]:
    return [c.graph for c in why]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--dataset", default="AIDS")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--refine-work", type=int, default=20_000_000)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--prove-work", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=0)
    arguments = parser.parse_args()
    shared = Path(arguments.shared)
    data = fe.open_dataset(shared / "datasets" / arguments.dataset)
    file = shared / "models" / arguments.dataset.lower() / "gcn.pth"
    module = PaperGcn(torch.load(file, map_location="cpu", weights_only=True)).eval()
    options: dict[str, Any] = {
        "bonds": "ignore", "refine_work": arguments.refine_work, "steps": arguments.steps,
        "prove_work": arguments.prove_work, "threads": arguments.threads, "progress": False,
    }  # fmt: skip
    print(f"{arguments.dataset}: {arguments.steps} steps, {arguments.refine_work:,} units of refinement")
    print("| seed | native | black box | the same counterfactuals | both verify |\n|---|---|---|---|---|")
    differences, all_hold = [], True
    for seed in range(1, arguments.seeds + 1):
        native, asked = (fe.explain(data, module, seed=seed, native=kind, **options) for kind in (True, False))
        holds = bool(native.verify()) and bool(asked.verify())
        all_hold &= holds
        differences.append(asked.coverage - native.coverage)
        same = graphs_of(native) == graphs_of(asked)
        print(f"| {seed} | {native.coverage:.2%} | {asked.coverage:.2%} | {same} | {holds} |", flush=True)
    mean = float(np.mean(differences))
    print(f"black box minus native: {mean * 100:+.2f} points on average, from {min(differences) * 100:+.2f} to "
          f"{max(differences) * 100:+.2f}")  # fmt: skip
    sys.exit(0 if all_hold and abs(mean) <= 0.01 else 1)


if __name__ == "__main__":
    main()
