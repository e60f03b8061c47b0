# SPDX-License-Identifier: MIT
"""Fails if a program contains functions of libraries that it must do without. Inline functions are
everyone's and do not count."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

# "libx.a:solver.cpp.o:0000 T name(…)": T is a function that only one object may define.
LINE = re.compile(r"^.*?(?:\.a:(?P<object>[^:]+))?:[0-9a-f]+ T (?P<name>.+)$")


def functions(nm: str, file: Path) -> dict[str, str]:
    """By name, with the object of the library that defines them."""
    command = [nm, "--defined-only", "--demangle", "--print-file-name", str(file)]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    matches = map(LINE.match, listing.splitlines())
    found = {match["name"]: match["object"] or "" for match in matches if match}
    if not found:
        sys.exit(f"{file} defines no functions: the test says nothing")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nm", required=True)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--library", type=Path, action="append", required=True, dest="libraries")
    arguments = parser.parse_args()

    program = functions(arguments.nm, arguments.program)
    wrong: list[str] = []
    for library in arguments.libraries:
        for name, origin in functions(arguments.nm, library).items():
            if name in program:
                wrong.append(f"  {library.name}, {origin}: {name}")
    if wrong:
        sys.exit(f"{arguments.program} contains search code:\n" + "\n".join(sorted(wrong)))
    print(f"{len(program)} functions, none of {len(arguments.libraries)} libraries")


if __name__ == "__main__":
    main()
