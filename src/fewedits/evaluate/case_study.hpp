// SPDX-License-Identifier: MIT
// Chooses the inputs of a case study, and measures all distances in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/explanation/case_study.hpp"
#include "fewedits/explanation/explanation.hpp"
#include "fewedits/ged/options.hpp"
#include "fewedits/ged/prepared_graph.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits {

struct CaseOptions {
  std::size_t inputs = 4;
  /// Unset: the one that covers most, the first among equals.
  std::optional<std::uint32_t> counterfactual = {};
};

/// Inputs that the counterfactual covers and that people can read: no two of them the same graph,
/// and few edits and few nodes first.
class CaseCandidates {
 public:
  /// Throws Error if there is no such counterfactual or it covers nothing. Keeps no reference.
  CaseCandidates(const Explanation& explanation, const Dataset& dataset, const CaseOptions& options,
                 ThreadPool& pool);

  [[nodiscard]] std::uint32_t counterfactual() const { return counterfactual_; }
  /// Indices into the dataset: what methods for one input alone are to be asked about.
  [[nodiscard]] const std::vector<std::uint32_t>& inputs() const { return inputs_; }

  /// What methods found for each of inputs(), of which `distances` has only the one to that input;
  /// or nothing, with a reason. Those for which most methods find something are chosen first; of
  /// equals, each next one is as far as possible from those before it, less the edits that it takes
  /// itself. Fewer if there are not as many. Distances hold what is known of them, to be measured.
  [[nodiscard]] CaseStudy choose(std::vector<LocalCases> locals) const;

 private:
  struct Candidate {
    PreparedGraph graph;
    GedBounds to_counterfactual;  ///< what is known or quickly found
  };
  void add(const Counterfactual& counterfactual, const Dataset& dataset, const GraphView& view,
           ThreadPool& pool);
  [[nodiscard]] std::vector<std::size_t> spread_out(const std::vector<std::size_t>& found) const;

  CaseOptions options_;
  EditCosts costs_;
  std::uint32_t counterfactual_;
  CaseGraph global_;
  std::vector<std::uint32_t> inputs_;
  std::vector<Candidate> candidates_;  ///< parallel to inputs_
};

/// Called with what is done on the calling thread.
using CaseWatch = std::function<void(std::size_t done, std::size_t total)>;

/// Bounds the distance of every graph of the study to every input: exact where the budget, which
/// each pair has for itself, suffices. Maps that the study brings along are kept where they are
/// cheaper than what is found. `view` is the explanation's. Throws Stopped as the pool does.
void measure_cases(const Dataset& dataset, const GedBudget& budget, ThreadPool& pool,
                   const CaseWatch& watch, CaseStudy& study, const GraphView& view = {});

}  // namespace fewedits
