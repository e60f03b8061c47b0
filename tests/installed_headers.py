# SPDX-License-Identifier: MIT
"""Installs the headers into a fresh folder and compiles each alone, with nothing of ours in sight
but what was installed. Holds cmake/installed_headers.txt against the includes first: what the
offered headers need is installed, and no more."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^">\n]+)[">]', re.MULTILINE)
# Other people's headers that ours may include: users would have to install those, too.
THIRD_PARTY: set[str] = set()


def sections(file: Path) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    name = ""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
        elif line and not line.startswith("#"):
            out.setdefault(name, []).append(line)
    return out


def included_by(header: Path) -> list[str]:
    return INCLUDE.findall(header.read_text(encoding="utf-8"))


def needed_by(offered: list[str], sources: Path) -> set[str]:
    """What the offered headers include, and what that includes."""
    found: set[str] = set()
    ahead = list(offered)
    while ahead:
        header = ahead.pop()
        if header not in found:
            found.add(header)
            ours = [name for name in included_by(sources / header) if name.startswith("fewedits/")]
            ahead += [name.removeprefix("fewedits/") for name in ours]
    return found - set(offered)


def check_list(file: Path, sources: Path) -> list[str]:
    listed = sections(file)
    offered, needed = listed["offered"], listed["needed by those"]
    reached = needed_by(offered, sources)
    missing, idle = sorted(reached - set(needed)), sorted(set(needed) - reached)
    wrong = [f"{file}: add {header}, an installed header includes it" for header in missing]
    wrong += [f"{file}: remove {header}, no offered header needs it" for header in idle]
    if len(needed) != len(set(needed)):
        wrong.append(f"{file}: a header is listed twice")
    for header in [*offered, *sorted(reached)]:
        for name in included_by(sources / header):
            is_standard = re.fullmatch(r"[a-z_]+", name) is not None
            if not (is_standard or name.startswith("fewedits/") or name in THIRD_PARTY):
                wrong.append(f"{header}: includes {name}, which users may not have")
    return wrong


def compile_alone(compiler: str, include: Path, header: str) -> str:
    """What the compiler has to say; nothing if all is well."""
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    command = [compiler, "-std=c++20", "-fsyntax-only", *warnings, f"-I{include}", "-x", "c++", "-"]
    source = f"#include <fewedits/{header}>\n"
    done = subprocess.run(command, check=False, input=source, capture_output=True, text=True)
    if done.returncode == 0:
        return ""
    return f"fewedits/{header} does not compile alone:\n{done.stderr}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--source", type=Path, required=True, help="root of the repository")
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="folder to install into")
    arguments = parser.parse_args()
    file = arguments.source / "cmake" / "installed_headers.txt"

    wrong = check_list(file, arguments.source / "src" / "fewedits")
    shutil.rmtree(arguments.work, ignore_errors=True)
    command = [arguments.cmake, "--install", arguments.build, "--component", "fewedits_headers"]
    subprocess.run([*command, "--prefix", arguments.work], check=True, stdout=subprocess.DEVNULL)
    include = arguments.work / "include"
    ours = include / "fewedits"
    installed = sorted(str(header.relative_to(ours)) for header in ours.glob("**/*.hpp"))
    listed = sections(file)
    if installed != sorted(listed["offered"] + listed["needed by those"]):
        wrong.append(f"{include} has other headers than {file} lists")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = pool.map(
            lambda header: compile_alone(arguments.compiler, include, header), installed
        )
        wrong += filter(None, complaints)
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{len(installed)} headers installed, {len(wrong)} complaints")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
