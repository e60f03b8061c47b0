// SPDX-License-Identifier: MIT
// The explanations that tables are made of: each is searched once and kept as a file, .json, with
// what it was chosen from, .pool.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "support/candidate_pool.hpp"
#include "support/published.hpp"

namespace fewedits::bench {

inline constexpr const char* kResultsFolder = "build/release/results";

struct Found {
  Explanation explanation;
  std::string note;  ///< what is not as it was asked for; usually empty
  /// What the ten were chosen from, if that was kept or it was searched just now.
  std::optional<CandidatePool> pool = {};
  bool is_new = false;  ///< it was searched just now
};

/// What the options ask for, as files are named: "certified", "paper-alpha-0", "refined-nvr",
/// "wl-walk". Under GREED, options that name a model are of one trained here: "own-paper".
std::string name_of(const ExplainOptions& options);

/// Searches with the published classifier of one dataset, under any distance; under GREED with the
/// published model, unless the options name another one.
class Searches {
 public:
  /// Keeps references. `dataset` is spelled as the paper does.
  Searches(std::string dataset, const Published& models, std::filesystem::path folder,
           ThreadPool& pool);

  /// None if it was not searched yet. Throws Error if the file is of another dataset, model or
  /// method; other options are only noted, since hours may have gone into the file.
  [[nodiscard]] std::optional<Found> known(const ExplainOptions& options) const;
  /// From its file; else by a search. With `need_pool`, a search too if there is no file of what
  /// the ten were chosen from; a walk that was kept is not walked again for it.
  [[nodiscard]] Found find(const ExplainOptions& options, bool need_pool = false) const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const ExplainOptions& options,
                                              const char* ending) const;
  [[nodiscard]] Explanation search(const ExplainOptions& options, CandidatePool& candidates) const;
  [[nodiscard]] RejectedGraphs inputs() const;
  /// How far a walk got, its end if it was searched. None if it was not kept.
  [[nodiscard]] std::optional<SavedSearch> saved_walk(const ExplainOptions& options,
                                                      std::size_t num_inputs) const;
  [[nodiscard]] double saved_seconds(const ExplainOptions& options) const;

  std::string dataset_;
  const Published& models_;
  std::filesystem::path folder_;
  ThreadPool& pool_;
};

}  // namespace fewedits::bench
