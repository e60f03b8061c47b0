// SPDX-License-Identifier: MIT
// What the page needs of each explanation, as CSV: explanations take hours and megabytes, so the
// figures and curves of each seed are kept beside the page, which is made of them alone.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fewedits::bench {

/// The same ten graphs, whatever they were searched under; coverage in percent.
struct MeasuredAlike {
  double greed = 0;     ///< coverage that the published GREED claims
  double proven = 0;    ///< coverage by edits that are known
  double possible = 0;  ///< coverage that is not excluded
  double cost = 0;      ///< median of the proven distances; infinite: not known
};

struct Run {
  double coverage = 0;  ///< percent, at the search's own theta and distance
  double cost = 0;      ///< median of that distance
  double seconds = 0;
  std::optional<MeasuredAlike> alike = {};
  std::optional<double> summary_seconds = {};  ///< of the greedy choice among the candidates
  std::string note = {};                       ///< what is not as it was asked for
  std::string machine = {};                    ///< that `seconds` are of; empty: see kOldMachine
};

/// Of rows that name none.
inline constexpr const char* kOldMachine =
    "the project's machine of two cores (AMD EPYC, docs/evidence.md)";

struct RunName {
  std::string dataset;
  std::string search;  ///< name_of its options
  std::uint64_t seed = 0;

  friend auto operator<=>(const RunName&, const RunName&) = default;
};

using Record = std::map<RunName, Run>;

/// Empty if there is no such file; files with fewer columns, of earlier versions, are read, too.
/// Throws Error naming the line that makes no sense.
Record read_record(const std::filesystem::path& file);
std::string csv(const Record& record);

/// By name: "coverage-k", "cost-k", "coverage-theta", the first two "proven-…" as well, and
/// "convergence-10" for ten counterfactuals.
using Points = std::vector<std::pair<double, double>>;
using Curves = std::map<std::pair<RunName, std::string>, Points>;

Curves read_curves(const std::filesystem::path& file);
std::string csv(const Curves& curves);

/// Single figures of a dataset that are of no explanation alone: sizes, accuracies, agreement.
struct FactName {
  std::string dataset;
  std::string what;
  std::uint64_t seed = 0;  ///< 0: no chance in it

  friend auto operator<=>(const FactName&, const FactName&) = default;
};
using Facts = std::map<FactName, double>;

Facts read_facts(const std::filesystem::path& file);
std::string csv(const Facts& facts);

}  // namespace fewedits::bench
