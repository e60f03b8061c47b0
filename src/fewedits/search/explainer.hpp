// SPDX-License-Identifier: MIT
// The stages in a row: walk, greedy summary, refinement, metrics (paper §4, SPEC §6). Knows nothing
// of files and terminals: whoever calls it watches, stops, saves and resumes it through hooks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fewedits/classifier/native/gin_embedder.hpp"
#include "fewedits/edit/constraints.hpp"
#include "fewedits/explanation/explanation.hpp"
#include "fewedits/ged/solver.hpp"
#include "fewedits/search/climb/certified_search.hpp"
#include "fewedits/search/improve/refine.hpp"
#include "fewedits/search/neighbourhood.hpp"
#include "fewedits/search/walk/walk.hpp"

namespace fewedits {

enum class ExplainMethod {
  kGcf,         ///< the paper's: candidates from the walk
  kGroundTruth  ///< the baseline: graphs of the dataset that are predicted desired
};

/// Most graphs are visited once, more than there are places for candidates. Which are candidates?
enum class CandidateTies {
  kCoverage,  ///< those that cover more, where that is quickly known: not with certified distances
  kEarliest
};

struct ExplainOptions : WalkOptions {
  ExplainMethod method = ExplainMethod::kGcf;
  /// The paper's neural distance; must outlive the call. Null: certified distances.
  const GinEmbedder* greed = nullptr;
  MapEffort effort{2, 8};  ///< certified: for each input within reach of a graph
  std::size_t k = 10;
  double theta = RefineOptions{}.theta;
  /// Of the walk; unset: 50,000, or 300 where they only supply the certified refinement with
  /// graphs to start from.
  std::optional<std::uint64_t> steps;
  std::uint64_t patience = 0;  ///< end after so many steps without a newly covered input; 0: never
  /// Seconds, 0: none. Walk and refinement end then; every pair is still looked at once.
  double time_limit = 0;
  CandidateTies ties = CandidateTies::kCoverage;
  bool refine = true;
  /// Neighbours to evaluate with GREED, unset: 4 million; units of GedBudget (about 0.1 µs) with
  /// certified distances, unset: 1.9 billion.
  std::optional<std::uint64_t> refine_work;
  /// Units of GedBudget for each of two questions about a pair of a counterfactual and an input,
  /// when the result is proven; what is undecided then stays open.
  std::uint64_t prove_work = CertifiedOptions{}.ged.budget.work;
  Constraints constraints;

  [[nodiscard]] std::uint64_t walk_steps() const;
  [[nodiscard]] std::uint64_t refinement_work() const;
};

RefineOptions refine_options(const ExplainOptions& options);

/// Throws Error naming the option that makes no sense.
void check(const ExplainOptions& options);

/// All options that the result depends on, but for models and constraints, as the command line
/// spells them.
std::vector<std::pair<std::string, std::string>> describe(const ExplainOptions& options);

/// How far a search is; enough to go on exactly as if it had not been interrupted.
struct SearchState {
  WalkState walk;
  std::vector<TracePoint> trace;
  std::size_t most_covered = 0;     ///< for `patience`
  std::uint64_t last_progress = 0;  ///< step at which it was reached
  /// The certified refinement, once it is under way.
  struct Refinement {
    CertifiedSearchState search;
    std::vector<RefinementPoint> trace;
  };
  std::optional<Refinement> refinement;
};

struct ExplainProgress {
  enum class Stage { kWalk, kMeasure, kRefine, kProve };
  Stage stage = Stage::kWalk;
  /// Steps of the walk, graphs of the dataset measured, work of the refinement, pairs proven.
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  std::uint64_t evaluated = 0;  ///< neighbours in this stage and process
  /// By all candidates at the walk's theta; by the set at theta.
  std::optional<double> coverage;
};

struct ExplainHooks {
  /// Called often; false: stop here and give the best so far.
  std::function<bool(const ExplainProgress&)> progress;
  /// Called every `save_seconds`, but in the certified refinement at a sixteenth of its work at
  /// the earliest; at the end of the walk, and when the certified refinement is stopped. The
  /// refinement by GREED is not saved: it begins anew from the walk.
  std::function<void(const SearchState&)> save;
  double save_seconds = 30;
  /// Go on from here.
  std::optional<SearchState> resume;
};

/// certified_search and certified_covers, with their terrain.
struct CertifiedStages {
  std::function<std::vector<Choice>(std::span<const Choice> chosen, std::span<const Choice> pool,
                                    const CertifiedHooks& hooks)>
      search;
  std::function<std::vector<Choice>(std::span<const Choice> choices,
                                    const std::function<bool()>& go_on)>
      covers;
};

/// What is explained. `inputs` are the dataset indices of evaluator.inputs(); `accepted` the graphs
/// predicted desired and theirs, needed for kGroundTruth only.
struct ExplainTask {
  Evaluator& evaluator;
  std::size_t num_labels = 0;
  std::vector<std::uint32_t> inputs;
  std::vector<std::uint32_t> accepted_indices;
  std::vector<Graph> accepted;
  /// For certified distances. None: refine() on the evaluator, and its covers() as they are.
  std::optional<CertifiedStages> certified;
};

/// Fills everything but provenance, names and seconds. Throws Error if there is no input, or fewer
/// than k counterfactuals were found by a search that was not cut short.
Explanation run_explainer(const ExplainTask& task, const ExplainOptions& options, ThreadPool& pool,
                          const ExplainHooks& hooks = {});

}  // namespace fewedits
