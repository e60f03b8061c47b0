#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two builds of fewedits on the same questions: is the explanation the same, and how long did it take?

    bench/side_by_side.py OLD NEW [--seeds 1,2,3] [--datasets AIDS,…] [--runs certified,walk]

OLD and NEW are `fewedits` programs. They run in turn, so that a machine that is busy or throttled is
so for both. Lines that name the software, what was asked for or how long it took are left out of the
comparison; anything else that differs is a difference. Seconds are the wall clock's and, since a
machine is rarely idle, the processor's.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

PAPER_STEPS = {"AIDS": 50_000, "Mutagenicity": 2_000}
IN_EVERY_RUN = ("seconds", "software")


def arguments(run, dataset, seed, options, shared):
    out = ["explain", "--dataset", f"{shared}/datasets/{dataset}",
           "--model", f"{shared}/models/{dataset.lower()}/gcn.pth",
           "--seed", str(seed), "--threads", str(options.threads)]
    if run == "certified":
        return out + ["--refine-work", str(options.work)] + options.extra.split()
    return out + ["--distance", "greed", "--greed-model", f"{shared}/models/{dataset.lower()}/greed.pt",
                  "--no-refine", "--steps", str(PAPER_STEPS[dataset])]


def without(value, keys):
    if isinstance(value, dict):
        return {k: without(v, keys) for k, v in value.items() if k not in keys}
    if isinstance(value, list):
        return [without(v, keys) for v in value]
    return value


def explain(program, args, file):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run([program, *args, "-o", file], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    seconds = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{program} {' '.join(args)}\n{done.stderr}")
    with open(file, encoding="utf-8") as text:
        why = json.load(text)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return why, seconds, cpu


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("old")
    p.add_argument("new")
    p.add_argument("--seeds", default="1,2,3")
    p.add_argument("--datasets", default="AIDS,Mutagenicity,NCI1,PROTEINS")
    p.add_argument("--runs", default="certified,walk")
    p.add_argument("--work", type=int, default=475_000_000, help="of the certified search; a quarter of its default")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--extra", default="", help="further arguments of the certified search, e.g. '--patience 0'")
    p.add_argument("--ignore", default="", help="further keys of the file that are expected to differ")
    p.add_argument("--shared", default=os.environ.get("FEWEDITS_SHARED", "../shared"))
    options = p.parse_args()
    keys = {*IN_EVERY_RUN, *filter(None, options.ignore.split(","))}
    print("| run | dataset | seeds | same file | coverage, old | new | seconds, old | new | processor s, old | new | ratio |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for run in options.runs.split(","):
            for dataset in options.datasets.split(","):
                if run == "walk" and dataset not in PAPER_STEPS:
                    continue
                rows = []
                for seed in map(int, options.seeds.split(",")):
                    args = arguments(run, dataset, seed, options, options.shared)
                    results = [explain(program, args, f"{folder}/{which}.json")
                               for which, program in (("old", options.old), ("new", options.new))]
                    same = without(results[0][0], keys) == without(results[1][0], keys)
                    rows.append((same, results))
                mean = [[statistics.mean(r[1][which][at] if at else 100 * r[1][which][0]["metrics"]["coverage"]
                                         for r in rows) for which in (0, 1)] for at in (0, 1, 2)]
                print(f"| {run} | {dataset} | {len(rows)} | {sum(r[0] for r in rows)} of {len(rows)} "
                      f"| {mean[0][0]:.2f} % | {mean[0][1]:.2f} % | {mean[1][0]:.1f} | {mean[1][1]:.1f} "
                      f"| {mean[2][0]:.1f} | {mean[2][1]:.1f} | {mean[2][1] / mean[2][0]:.3f} |", flush=True)


if __name__ == "__main__":
    main()
