#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a sample costs: fewedits explain on a share of the inputs against all of them, seed by seed.

    bench/sampling.py build/dev/apps/fewedits/fewedits ../shared --seeds 3 --work 300000000

Both cover all inputs in the end, or not, and that is what is compared: proven coverage of all inputs. Times are
processor seconds of the whole program, which a busy machine changes least.
"""
import argparse
import json
import os
import subprocess
import tempfile


def explain(program, shared, dataset, seed, sample, work, folder):
    """Proven coverage in percent, processor seconds, inputs."""
    out = os.path.join(folder, "e.json")
    command = [program, "explain", "--dataset", f"{shared}/datasets/{dataset}",
               "--model", f"{shared}/models/{dataset.lower()}/gcn.pth", "-o", out, "--seed", str(seed),
               "--refine-work", str(work), "--sample", str(sample)]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"failed: {' '.join(command)}")
    with open(out, encoding="utf-8") as file:
        explanation = json.load(file)
    return (100 * explanation["metrics"]["coverage"], usage.ru_utime + usage.ru_stime,
            len(explanation["inputs"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("shared", help="folder with datasets/ and models/")
    parser.add_argument("--datasets", nargs="+", default=["NCI1", "Mutagenicity"])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--work", type=int, default=1_900_000_000)
    parser.add_argument("--share", type=float, default=0.25)
    arguments = parser.parse_args()
    print(f"{arguments.work} units of work, a sample of {arguments.share} of the inputs")
    print("| dataset | seed | all, % | sample, % | points | all, processor s | sample, processor s |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for dataset in arguments.datasets:
            rows = []
            for seed in range(1, arguments.seeds + 1):
                whole = explain(arguments.program, arguments.shared, dataset, seed, 0, arguments.work, folder)
                size = round(arguments.share * whole[2])
                some = explain(arguments.program, arguments.shared, dataset, seed, size, arguments.work, folder)
                rows.append((whole, some))
                print(f"| {dataset} | {seed} | {whole[0]:.2f} | {some[0]:.2f} | {some[0] - whole[0]:+.2f} | "
                      f"{whole[1]:.0f} | {some[1]:.0f} |", flush=True)
            means = [sum(row[side][i] for row in rows) / len(rows) for side in (0, 1) for i in (0, 1)]
            print(f"| {dataset} | mean of {len(rows)} | {means[0]:.2f} | {means[2]:.2f} | {means[2] - means[0]:+.2f} | "
                  f"{means[1]:.0f} | {means[3]:.0f} |", flush=True)


if __name__ == "__main__":
    main()
