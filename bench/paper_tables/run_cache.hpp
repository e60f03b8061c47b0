// SPDX-License-Identifier: MIT
// Runs that are done already, one a line of a JSON file, so that an interrupted table goes on where
// it was. A line that was cut off counts as not done.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "gcfx/explain/explainer.hpp"

namespace gcfx::bench {

struct Run {
  double coverage = 0;  ///< percent
  double cost = 0;      ///< median
  double seconds = 0;
  int threads = 0;  ///< for the seconds only: the rest does not depend on it
};

/// All that a run's answer depends on: dataset, options, seed, version of gcfx.
std::string run_key(const std::string& dataset, const ExplainOptions& options);

class RunCache {
 public:
  /// No path: remembers for this process alone.
  explicit RunCache(std::filesystem::path path);

  [[nodiscard]] const Run* find(const std::string& key) const;
  void add(const std::string& key, const Run& run);

 private:
  std::filesystem::path path_;
  std::map<std::string, Run> runs_;
  bool cut_off_ = false;  ///< the file does not end with a line break
};

}  // namespace gcfx::bench
