# SPDX-License-Identifier: MIT
"""tools/check_rooms on small trees: each thing it must find is found, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent.parent / "tools" / "check_rooms"

PLAN = """
[may link]
base:
graph: base
proof: graph
search: proof
fewedits: search
apps/support: base
apps/verify: apps/support proof
[hands on]
fewedits -> search: programs search
[exceptions]
"""

CMAKE = """
fewedits_library(base SOURCES base/error.cpp PUBLIC Threads::Threads)
fewedits_library(graph  # a comment (with brackets)
  SOURCES graph/graph.cpp
  PUBLIC fewedits::base
  PRIVATE fmt::fmt)
if(SYSTEM MATCHES "^(x86|arm)$")
  fewedits_library(proof SOURCES proof/proof.cpp PUBLIC fewedits::graph)
endif()
fewedits_library(search SOURCES search/walk/walk.cpp PUBLIC fewedits::proof)
fewedits_library(fewedits SOURCES fewedits.cpp PUBLIC fewedits::search)
"""

# A tree that keeps to its plan.
TREE = {
    "src/fewedits/rooms.ini": PLAN,
    "src/fewedits/CMakeLists.txt": CMAKE,
    "src/fewedits/base/error.hpp": "// SPDX\n// Errors.\n#pragma once\n",
    "src/fewedits/base/error.cpp": '#include "fewedits/base/error.hpp"\n',
    "src/fewedits/graph/graph.hpp": '#include <vector>\n#include "fewedits/base/error.hpp"\n',
    "src/fewedits/graph/packed.hpp": "// SPDX\n// Bits. Internal\n// to graph.\n#pragma once\n",
    "src/fewedits/graph/graph.cpp": '#include "fewedits/graph/packed.hpp"\n',
    "src/fewedits/proof/proof.hpp": '#include "fewedits/graph/graph.hpp"\n',
    "src/fewedits/proof/proof.cpp": '// #include "fewedits/search/walk/walk.hpp"\n',
    "src/fewedits/search/walk/walk.hpp": '#include "fewedits/proof/proof.hpp"\n',
    "src/fewedits/search/walk/walk.cpp": '#include "fewedits/base/error.hpp"\n',
    "src/fewedits/fewedits.hpp": "#pragma once\n",
    "apps/support/CMakeLists.txt": """
add_library(support STATIC arguments.cpp)
target_link_libraries(support PRIVATE fewedits::base)
""",
    "apps/support/arguments.hpp": "#include <string>\n",
    "apps/support/arguments.cpp": '#include "fewedits/base/error.hpp"\n',
    "apps/verify/CMakeLists.txt": """
add_executable(verify main.cpp)
target_link_libraries(verify PRIVATE support fewedits::proof)
""",
    "apps/verify/main.cpp": '#include "arguments.hpp"\n#include "checks.hpp"\n',
    "apps/verify/checks.hpp": "#include <fewedits/proof/proof.hpp>\n",
}

INCLUDES_WALK = '#include "fewedits/search/walk/walk.hpp"\n'


class CheckRooms(unittest.TestCase):
    def check(self, changes: dict[str, str]) -> tuple[int, str, str]:
        """On TREE with some files replaced or added: exit code, output, errors."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (TREE | changes).items():
                file = Path(folder) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            command = [sys.executable, str(PROGRAM), "--root", folder]
            done = subprocess.run(command, check=False, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def assert_passes(self, changes: dict[str, str], *output: str) -> None:
        code, printed, errors = self.check(changes)
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(printed.splitlines()[:-1], list(output))

    def assert_fails(self, changes: dict[str, str], *messages: str) -> None:
        code, _, errors = self.check(changes)
        self.assertEqual((code, errors.splitlines()), (1, list(messages)))

    def test_a_tree_that_keeps_to_its_plan_passes(self) -> None:
        self.assert_passes({})
        self.assertEqual(self.check({})[1], "rooms: 10 includes follow the arrows of 7 rooms\n")

    def test_an_include_that_no_link_leads_to(self) -> None:
        self.assert_fails(
            {"src/fewedits/proof/proof.cpp": "\n" + INCLUDES_WALK},
            "src/fewedits/proof/proof.cpp:2: search/walk/walk.hpp: proof does not link search, "
            "nor anything that does",
        )

    def test_the_same_by_a_relative_path(self) -> None:
        self.assert_fails(
            {"src/fewedits/proof/proof.cpp": '#include "../search/walk/walk.hpp"\n'},
            "src/fewedits/proof/proof.cpp:1: search/walk/walk.hpp: proof does not link search, "
            "nor anything that does",
        )

    def test_a_room_that_includes_the_facade(self) -> None:
        self.assert_fails(
            {"src/fewedits/search/walk/walk.cpp": '#include "fewedits/fewedits.hpp"\n'},
            "src/fewedits/search/walk/walk.cpp:1: fewedits.hpp: search does not link fewedits, "
            "nor anything that does",
        )

    def test_a_program_that_includes_what_it_does_not_link(self) -> None:
        self.assert_fails(
            {"apps/verify/main.cpp": '#include "arguments.hpp"\n' + INCLUDES_WALK},
            "apps/verify/main.cpp:2: search/walk/walk.hpp: apps/verify does not link search, "
            "nor anything that does",
        )

    def test_a_text_of_the_library_that_names_a_flag(self) -> None:
        talks = 'throw Error("too many", "pass --max-work or {}");  // not --this\n'
        self.assert_fails(
            {"src/fewedits/proof/proof.cpp": "// --comment\n" + talks},
            "src/fewedits/proof/proof.cpp:2: names the command-line flag --max-work; say it in words",
        )
        self.assert_passes({"apps/verify/checks.hpp": TREE["apps/verify/checks.hpp"] + talks})

    def test_a_header_that_needs_a_private_link(self) -> None:
        self.assert_fails(
            {"apps/support/arguments.hpp": '#include "fewedits/base/error.hpp"\n'},
            "apps/support/arguments.hpp:1: base/error.hpp: a header needs it, but apps/support "
            "links it PRIVATE only",
        )

    def test_a_link_that_nothing_uses(self) -> None:
        unused = CMAKE.replace("PUBLIC fewedits::proof", "PUBLIC fewedits::proof fewedits::graph")
        self.assert_fails(
            {"src/fewedits/CMakeLists.txt": unused},
            "search links graph but includes nothing of it: remove the link",
        )

    def test_a_link_that_the_plan_does_not_allow(self) -> None:
        link = CMAKE.replace("PUBLIC fewedits::graph", "PUBLIC fewedits::graph fewedits::search")
        changes = {
            "src/fewedits/CMakeLists.txt": link,
            "src/fewedits/proof/proof.cpp": INCLUDES_WALK,
        }
        message = "proof links search, which src/fewedits/rooms.ini does not allow"
        self.assert_fails(changes, message)

        changes["src/fewedits/rooms.ini"] = PLAN + "proof -> search: until Friday\n"
        self.assert_passes(changes, f"note: {message}; for now: until Friday")

    def test_an_exception_that_is_no_longer_needed(self) -> None:
        self.assert_fails(
            {"src/fewedits/rooms.ini": PLAN + "proof -> search: until Friday\n"},
            "src/fewedits/rooms.ini: [exceptions] proof -> search: no longer needed, "
            "remove the entry",
        )

    def test_a_link_handed_on_that_is_gone(self) -> None:
        self.assert_fails(
            {"src/fewedits/rooms.ini": PLAN.replace("[exc", "fewedits -> proof: why\n[exc")},
            "src/fewedits/rooms.ini: [hands on] fewedits -> proof: no such link, remove the entry",
        )

    def test_an_internal_header_of_another_room(self) -> None:
        changes = {"src/fewedits/proof/proof.cpp": '#include "fewedits/graph/packed.hpp"\n'}
        message = "src/fewedits/proof/proof.cpp:1: graph/packed.hpp: is internal to graph"
        self.assert_fails(changes, message)

        changes["src/fewedits/rooms.ini"] = PLAN + "proof -> graph/packed.hpp: measured\n"
        self.assert_passes(changes, f"note: {message}; for now: measured")

    def test_a_room_that_nobody_declared(self) -> None:
        self.assert_fails(
            {"src/fewedits/cellar/wine.cpp": '#include "fewedits/base/error.hpp"\n'},
            "src/fewedits/rooms.ini: [may link] does not know the room cellar",
            "src/fewedits/cellar/wine.cpp: CMake declares no library cellar",
        )

    def test_a_plan_that_goes_in_circles(self) -> None:
        code, _, errors = self.check(
            {"src/fewedits/rooms.ini": PLAN.replace("base:", "base: proof")}
        )
        self.assertEqual(code, 1)
        self.assertIn("the arrows lead from proof back to it", errors)


if __name__ == "__main__":
    unittest.main()
