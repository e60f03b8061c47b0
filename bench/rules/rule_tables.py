#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of rules in docs/results.md: runs `fewedits rules` on the four datasets and prints it as it stands there.

    tools/python bench/rules/rule_tables.py --fewedits build/dev/apps/fewedits/fewedits --out build/rule-tables

One file of rules a run in --out; a run whose file is there is not run again, so that one may stop and go on. --only
picks runs by the beginning of their files' names. Seconds are the wall clock's, with whatever else the machine does,
and, of all threads, the processor's.
"""

import argparse
import json
import math
import pathlib
import resource
import subprocess
import sys
import time

DATASETS = ["NCI1", "Mutagenicity", "AIDS", "PROTEINS"]


def settings():
    """Name of the files, what the table calls it, dataset, flags; what matters most first."""
    for data in DATASETS[::-1]:
        yield f"{data}-average-10", f"{data}, on average, at most 10", data, []
    for data in DATASETS[::-1]:
        yield f"{data}-everywhere-10", f"{data}, everywhere, at most 10", data, ["--objective", "everywhere"]
    for data in DATASETS[::-1]:
        for rules in (1, 3):
            yield f"{data}-average-{rules}", f"{data}, on average, at most {rules}", data, ["-R", str(rules)]
    for data in DATASETS[::-1]:
        yield f"{data}-average-10-theta0.05", f"{data}, on average, at most 10, θ = 0.05", data, ["--theta", "0.05"]
    data = "PROTEINS"
    yield f"{data}-average-10-theta0.15", f"{data}, on average, at most 10, θ = 0.15", data, ["--theta", "0.15"]
    for data in DATASETS[::-1]:
        title = f"{data}, on average, at most 10, plausible results"
        yield f"{data}-average-10-plausible", title, data, ["--plausible"]


def run(arguments, name, data, flags):
    rules = arguments.out / f"{name}.json"
    if (arguments.out / f"{name}.seconds").exists():  # written last
        return
    shared = arguments.shared
    command = [
        str(arguments.fewedits), "rules", "--dataset", str(shared / "datasets" / data),
        "--model", str(shared / "models" / data.lower() / "gcn.pth"), "--bonds", "ignore",
        "--threads", str(arguments.threads), "-o", str(rules), *flags,
    ]  # fmt: skip
    print(name, file=sys.stderr, flush=True)
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    (arguments.out / f"{name}.seconds").write_text(f"{time.monotonic() - start:.0f} | {processor:.0f}\n")


def percent(share):
    return f"{100 * share:.1f}"


def with_interval(share, count):
    """95 %, Wilson's."""
    z = 1.959963984540054
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return f"{percent(share)} ({percent(max(0, centre - half))}–{percent(min(1, centre + half))})"


def written_down(rules):
    """What a reader has to read: nodes and edges of all rules."""
    return sum(len(rule["nodes"]) + len(rule["edges"]) for rule in rules)


def row(name, title, folder):
    found = json.loads((folder / f"{name}.json").read_text())
    rules = found["rules"]
    seconds = (folder / f"{name}.seconds").read_text().strip()
    if not rules or "held_out" not in found:
        return [title, str(len(rules))] + ["–"] * 8 + [seconds]
    held = found["held_out"]["figures"]
    here = rules[-1]["list"]
    random = found["baselines"]["random_rules"]
    lift = here["on_average"] / random["on_average"] if random["on_average"] > 0 else None
    return [
        title,
        str(len(rules)),
        with_interval(held["on_average"], len(found["inputs"])),
        with_interval(held["everywhere"], len(found["inputs"])),
        f"{percent(held['somewhere'])} ({held['calls']:.1f})",
        percent(here["on_average"]),
        percent(random["on_average"]),
        "–" if lift is None else f"{lift:.1f}",
        percent(found["baselines"]["random_edits"]),
        str(written_down(rules)),
        seconds,
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--fewedits", type=pathlib.Path, required=True)
    parser.add_argument("--shared", type=pathlib.Path, default=root.parent / "shared")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", action="append", default=[], metavar="BEGINNING")
    parser.add_argument("--table", action="store_true", help="run nothing: print what there is")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    header = [
        "dataset, chosen for what works", "rules", "on average, held out", "everywhere, held out",
        "somewhere, held out (model calls)", "on average, on the inputs chosen on",
        "random rules of like support, on average", "lift", "random edits, as many calls, somewhere",
        "nodes and edges of the rules", "seconds by the clock", "of the processor",
    ]  # fmt: skip
    wanted = [s for s in settings() if not arguments.only or s[0].startswith(tuple(arguments.only))]
    rows = []
    for name, title, data, flags in wanted:
        if not arguments.table:
            run(arguments, name, data, flags)
        if (arguments.out / f"{name}.seconds").exists():
            rows.append(row(name, title, arguments.out))
    for cells in [header, ["---"] + ["---:"] * (len(header) - 1), *rows]:
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
