#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What runs would have had if they had ended for lack of patience.

Reads explanation files of certified runs that were made with `--patience 0`, and says for some
patiences what coverage each run had when it would have ended, and after which share of the work:

    bench/patience.py AIDS-*.json NCI1-*.json

The last look at what all searches found comes on top of that, so the losses shown are the most
that can be lost. Files of the same dataset are averaged.
"""
import json
import sys
from collections import defaultdict

PATIENCES = [0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5]


def end_of(points, work, patience):
    """Work and coverage at which a run ends that gained nothing for that share of the work."""
    gained, best = 0, points[0]["coverage"]
    for point in points:
        if point["coverage"] <= best:
            continue
        if point["work"] - gained >= patience * work:
            return gained + patience * work, best
        gained, best = point["work"], point["coverage"]
    return min(work, gained + patience * work), best


def main(files):
    runs = defaultdict(list)
    for name in files:
        with open(name, encoding="utf-8") as file:
            explanation = json.load(file)
        if not explanation.get("complete") or not explanation.get("refinement"):
            print(f"{name}: not a certified run to its end, left out", file=sys.stderr)
            continue
        runs[explanation["dataset"]["name"]].append(explanation)
    print("dataset        runs  patience  loses (points)  most  ends at (of the work)")
    for dataset, explanations in sorted(runs.items()):
        for patience in PATIENCES:
            losses, ends = [], []
            for explanation in explanations:
                points = explanation["refinement"]
                work = float(explanation["options"]["refine-work"])
                end, coverage = end_of(points, work, patience)
                losses.append(100 * (points[-1]["coverage"] - coverage))
                ends.append(end / work)
            count = len(losses)
            print(f"{dataset:<14} {count:>4}  {patience:>8}  {sum(losses) / count:>14.3f}  "
                  f"{max(losses):>4.2f}  {sum(ends) / count:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
