// SPDX-License-Identifier: MIT
// The explanations that tables are made of: each is searched once and kept as a file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "support/published.hpp"

namespace fewedits::bench {

inline constexpr const char* kResultsFolder = "build/release/results";

struct Found {
  Explanation explanation;
  std::string note;  ///< what is not as it was asked for; usually empty
};

/// What the options ask for, as files are named: "certified", "paper-alpha-0", "refined-nvr".
std::string name_of(const ExplainOptions& options);

/// Searches with the published models of one dataset: certified, or Published::greed_options.
class Searches {
 public:
  /// Keeps references. `dataset` is spelled as the paper does.
  Searches(std::string dataset, const Published& models, std::filesystem::path folder,
           ThreadPool& pool);

  /// None if it was not searched yet. Throws Error if the file is of another dataset, model or
  /// method; other options are only noted, since hours may have gone into the file.
  [[nodiscard]] std::optional<Found> known(const ExplainOptions& options) const;
  /// From its file; else by a search.
  [[nodiscard]] Found find(const ExplainOptions& options) const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const ExplainOptions& options,
                                              const char* ending) const;
  [[nodiscard]] Explanation search(const ExplainOptions& options) const;
  /// None if it was not kept.
  [[nodiscard]] std::optional<SavedSearch> end_of_walk(const ExplainOptions& options,
                                                       std::size_t num_inputs) const;

  std::string dataset_;
  const Published& models_;
  std::filesystem::path folder_;
  ThreadPool& pool_;
};

}  // namespace fewedits::bench
