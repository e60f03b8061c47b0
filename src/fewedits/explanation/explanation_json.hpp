// SPDX-License-Identifier: MIT
// Explanations as files, "fewedits.explanation/2" in docs/formats.md, and lists of graphs to
// evaluate.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fewedits/explanation/explanation.hpp"
#include "fewedits/explanation/scripts_file.hpp"

namespace fewedits {

inline constexpr const char* kExplanationFormat = "fewedits.explanation/2";

/// A file is read into memory and takes up to twenty times its size there.
inline constexpr std::uint64_t kMaxExplanationBytes = std::uint64_t{256} << 20;

/// The same text for equal explanations. `seconds` alone depends on the machine: set it to 0 to
/// leave it out. Infinite distances and costs are null; bytes that are no UTF-8 are replaced.
std::string explanation_json(const Explanation& explanation);

/// The same without proofs and recourse, which are in the file that it names (scripts_file.hpp).
std::string explanation_json(const Explanation& explanation, const ScriptsFile& scripts);

/// "why.scripts" for "why.json": what would lie beside it.
std::string scripts_name(const std::filesystem::path& json_file);

/// As one file, or as two if the maps and scripts are many: then they go beside `json_file`.
struct ExplanationFiles {
  std::string json;
  std::string scripts;       ///< empty: all is in the first
  std::string scripts_name;  ///< of the file beside it
};
ExplanationFiles explanation_files(const Explanation& explanation,
                                   const std::filesystem::path& json_file,
                                   std::uint64_t most_numbers = kMostScriptNumbers);

/// The explanation that was written, bit for bit, with what it names beside `file`. Nothing in the
/// text is trusted: throws Error with the file and the place in it ("counterfactuals[3].edges[7]")
/// unless all of it fits together. Unknown keys are ignored.
Explanation parse_explanation(std::string_view text, const std::string& file);

struct GraphList {
  std::vector<Graph> graphs;  ///< with edge labels if those have names
  std::vector<std::string>
      label_names;  ///< by label index; empty: unknown, labels may be any number
  std::vector<std::string> edge_label_names = {};  ///< empty: edges have none
  // Of an explanation:
  std::optional<Provenance> provenance;
  std::optional<ExplainedClasses> classes;
  std::optional<double> theta;
  std::string distance;  ///< that theta is about
  DistanceMeaning meaning = DistanceMeaning::kOther;
  ProvenPairs proofs;  ///< of each graph; empty: there are none
};

/// The counterfactuals of an explanation; or {"graphs": [{"labels": …, "edges": …}, …]}, where
/// "node_labels" may name the labels; or such a list alone.
GraphList parse_graph_list(std::string_view text, const std::string& file);

}  // namespace fewedits
