// SPDX-License-Identifier: MIT
// Proofs and recourse of an explanation in a file beside it, "fewedits.scripts" in docs/formats.md:
// some 110 bytes an input instead of 600, read and written from front to end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "fewedits/explanation/explanation.hpp"

namespace fewedits {

/// What the explanation's own file says of the one beside it.
struct ScriptsFile {
  std::string name;  ///< of the file, in the same folder
  std::string hash;  ///< SHA-256
  std::uint64_t bytes = 0;
};

/// Nodes in maps and edits in scripts that go into the explanation's own file; with more, they
/// belong beside it. Some 20 MB of JSON.
inline constexpr std::uint64_t kMostScriptNumbers = 5'000'000;
std::uint64_t num_script_numbers(const Explanation& explanation);

/// Of an explanation with proofs. The same bytes for equal explanations.
std::string scripts_bytes(const Explanation& explanation);

/// Adds proofs and recourse to an explanation that has all the rest. Nothing in the file is
/// trusted: throws Error with the file and the byte unless it is the one that is meant and fits the
/// explanation. Memory: what is added.
void read_scripts(const std::filesystem::path& file, const ScriptsFile& meant,
                  Explanation& explanation);

}  // namespace fewedits
