// SPDX-License-Identifier: MIT
// What an explanation is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fewedits/classifier/input_selection.hpp"
#include "fewedits/distance/distance_options.hpp"
#include "fewedits/edit/constraints.hpp"
#include "fewedits/search/baselines/local_options.hpp"

namespace fewedits {

/// Steps of the paper's walks.
inline constexpr std::uint64_t kPaperSteps = 50'000;
inline constexpr std::size_t kMostCounterfactuals = 1'000'000;
/// The walk's theta under distances that count edits; theta is kEditTheta.
inline constexpr double kEditWalkTheta = 0.05;

/// Most graphs are visited once, more than there are places for candidates. Which are candidates?
enum class CandidateTies {
  kCoverage,  ///< those that cover more, where that is quickly known
  kEarliest
};

/// Unset ones get a default that depends on the distance; see search/option_table.
struct ExplainOptions {
  std::string method = "gcf";          ///< where candidates come from, see search/parts.hpp
  std::string distance = "certified";  ///< see distance/distances.hpp
  DistanceOptions distance_options;    ///< its theta and seed are those below
  std::size_t k = 10;
  /// Counterfactuals that add nothing are listed, too. Under distances without proofs, and if they
  /// are graphs of the dataset, they always are: published costs rest on all k.
  bool fill = false;
  std::optional<double> theta;
  std::uint64_t seed = 1;
  Constraints constraints;
  /// Do bonds count, that is labels of edges? Counterfactuals of molecules are valid ones then.
  /// Unset: as the dataset and the method allow (search/bonds).
  std::optional<bool> bonds;
  InputSelection selection;        ///< which graphs are explained
  std::string graphs_file;         ///< that lists them; whoever opens the files reads it
  std::optional<double> min_lead;  ///< of a counterfactual's class over the next one
  double min_probability = 0;      ///< of a counterfactual's class

  // Limits.
  double time_limit = 0;  ///< seconds, 0: none
  /// End the search once nothing was gained during that share of its work; 0: never.
  std::optional<double> patience;
  std::size_t cache_bytes = std::size_t{1} << 30;  ///< for graphs seen before

  // The paper's walk.
  std::optional<double> walk_theta;
  std::optional<std::uint64_t> steps;
  double alpha = 0.5;
  double teleport = 0.1;
  std::size_t candidates = 0;      ///< the paper's n; 0: as many as inputs
  std::size_t capacity = 100'000;  ///< graphs whose visits are counted
  /// At most so many neighbours of a graph, drawn once for each graph; 0: all.
  std::size_t max_neighbours = 0;
  bool reinforcement = true;     ///< false: the paper's ablation NVR
  bool importance = true;        ///< false: NIF
  bool dynamic_teleport = true;  ///< false: NDT
  CandidateTies ties = CandidateTies::kCoverage;

  // Methods that cut edges.
  /// Nodes that lost all edges stay, and what was cut off; else the largest connected part counts.
  bool keep_isolated = false;
  LocalSettings local;

  // The refinement.
  bool refine = true;
  /// Neighbours to evaluate; under distances with proofs units of GedBudget.
  std::optional<std::uint64_t> refine_work;
  /// Under distances with proofs: climbs side by side, whose questions are one batch for the model.
  std::size_t climbs = 8;
  /// Under distances with proofs: the search stands on so many inputs, drawn by the seed, and the
  /// result is measured against all; 0: on all. Unset: as many as search/sample.hpp says.
  std::optional<std::size_t> sample;
};

/// Throws Error naming the option that makes no sense.
void check_options(const ExplainOptions& options);

}  // namespace fewedits
