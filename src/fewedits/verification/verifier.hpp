// SPDX-License-Identifier: MIT
// Checks an explanation against the dataset, the model and the edits it contains. Uses none of the
// code that finds explanations or distances: only readers, the classifier, the constraints, and of
// the edit distance the cost of a map and the replay of a script. What it takes from the file
// without proof is in Report::not_proven.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/classifier/classifier.hpp"
#include "fewedits/classifier/input_selection.hpp"
#include "fewedits/explanation/explanation.hpp"
#include "fewedits/graph/dataset.hpp"

namespace fewedits::verify {

/// What the claims are checked against, read afresh.
struct Material {
  const Dataset& data;
  /// Its labels and classes are the dataset's. Null: nobody has it, and nothing is said of its
  /// answers.
  const Classifier* classifier;
  std::string data_hash;  ///< dataset_fingerprint
  std::string model_hash;
  InputSelection selection = {};  ///< which graphs the explanation says it explains
};

struct Report {
  static constexpr std::size_t kListed = 100;

  bool certified = false;  ///< the figures rest on proofs
  bool model_checked = true;
  std::size_t claims = 0;
  std::size_t false_claims = 0;
  std::vector<std::string> listed;  ///< the first kListed false ones, with their place in the file
  /// What could not be looked into, and why: the first kListed of `left_out`.
  std::vector<std::string> not_checked;
  std::size_t left_out = 0;
  std::vector<std::string> notes;  ///< worth knowing, but no fault
  std::size_t maps = 0;            ///< replayed
  std::size_t scripts = 0;
  /// What is explained towards what, by an evaluation of the dataset; unset: it was not evaluated.
  std::optional<ExplainedClasses> classes;
  /// Certified: the coverage is not above this, by a simple bound of the verifier's own.
  std::optional<double> coverage_at_most;
  /// Of the counterfactuals, by which the model prefers the desired class to the next one.
  std::optional<double> smallest_lead;

  /// Figures that were computed anew, and those only found not to contradict the rest.
  [[nodiscard]] std::vector<std::string> recomputed() const;
  [[nodiscard]] std::vector<std::string> not_proven() const;
  [[nodiscard]] bool holds() const { return false_claims == 0; }
  [[nodiscard]] bool all_checked() const { return left_out == 0; }
};

struct Options {
  /// What one kind of check may take, in nodes and edges looked at: half a minute to a minute. A
  /// file can ask for more than anyone would wait for.
  static constexpr std::uint64_t kMaxWork = 4'000'000'000;

  std::uint64_t max_work = kMaxWork;
  /// Methods and distances that another program registered.
  std::vector<std::string> known_names = {};
};

/// The explanation must be one that parse_explanation takes. Claims that cannot be looked into
/// because the dataset is another one are left out; that it is another one is a false claim. What
/// takes too much work is left out, too, and stands in Report::not_checked.
Report verify(const Explanation& explanation, const Material& material, ThreadPool& pool,
              const Options& options = {});

}  // namespace fewedits::verify
