// SPDX-License-Identifier: MIT
// The explanations to compare: each is searched once and kept as a file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/published.hpp"

namespace gcfx::bench {

/// A way to come by an explanation.
struct Mode {
  std::string name;  ///< as --modes and the files spell it
  std::string title;
  ExplainMethod method = ExplainMethod::kGcf;
  bool greed = false;  ///< searched under GREED; else under certified distances
  bool refine = true;
  bool every_seed = false;  ///< else seed 1 alone
};

inline const std::array<Mode, 5> kModes{{
    {.name = "ground-truth",
     .title = "GROUND-TRUTH, picked under certified distances",
     .method = ExplainMethod::kGroundTruth},
    {.name = "ground-truth-greed",
     .title = "GROUND-TRUTH, picked under GREED",
     .method = ExplainMethod::kGroundTruth,
     .greed = true},
    {.name = "paper", .title = "the paper's algorithm", .greed = true, .refine = false},
    {.name = "refined", .title = "the paper's algorithm, refined", .greed = true},
    {.name = "certified", .title = "certified search", .every_seed = true},
}};

struct Plan {
  std::vector<std::string> modes{"ground-truth", "ground-truth-greed", "paper", "refined",
                                 "certified"};
  std::vector<std::uint64_t> seeds{1, 2, 3};
  std::uint64_t steps = 50'000;  ///< of the walks under GREED
  std::filesystem::path folder = "build/release/results";

  [[nodiscard]] std::vector<std::uint64_t> seeds_of(const Mode& mode) const;
};

struct Found {
  Explanation explanation;
  std::string note;  ///< what is not as the plan has it; usually empty
};

/// Searches under a plan and keeps what it finds.
class Searches {
 public:
  /// Keeps references. `dataset` is spelled as the paper does.
  Searches(std::string dataset, const Published& models, const Plan& plan, ThreadPool& pool);

  /// From its file; else by a search, if the plan has the mode. Throws Error if the file is of
  /// another dataset, model or mode; other options are only noted, since hours may have gone into
  /// the file.
  std::optional<Found> find(const Mode& mode, std::uint64_t seed) const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const Mode& mode, std::uint64_t seed) const;
  [[nodiscard]] ExplainOptions options_of(const Mode& mode, std::uint64_t seed) const;
  [[nodiscard]] Found read(const std::filesystem::path& file, const Mode& mode,
                           const ExplainOptions& options) const;
  [[nodiscard]] Explanation search(const ExplainOptions& options) const;
  void note_files(const ExplainOptions& options, Provenance& provenance) const;

  std::string dataset_;
  const Published& models_;
  const Plan& plan_;
  ThreadPool& pool_;
};

}  // namespace gcfx::bench
