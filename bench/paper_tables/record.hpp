// SPDX-License-Identifier: MIT
// What the tables need of each explanation, as CSV: explanations take hours and megabytes, so the
// figures of each seed are kept beside the tables.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace fewedits::bench {

/// What the tables need of an explanation.
struct Run {
  double coverage = 0;  ///< percent
  double cost = 0;      ///< median
  double seconds = 0;
};

struct RunName {
  std::string dataset;
  std::string search;  ///< name_of its options
  std::uint64_t seed = 0;

  friend auto operator<=>(const RunName&, const RunName&) = default;
};

using Record = std::map<RunName, Run>;

/// Empty if there is no such file. Throws Error naming the line that makes no sense.
Record read_record(const std::filesystem::path& file);

std::string csv(const Record& record);

}  // namespace fewedits::bench
