// SPDX-License-Identifier: MIT
// What comes out: a few accepted graphs, which inputs each of them covers, and how good the set is.
// Written and read as "fewedits.explanation/2" (explanation/explanation_json, docs/formats.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fewedits/graph/graph.hpp"
#include "fewedits/proof/bounds.hpp"
#include "fewedits/proof/edit_costs.hpp"
#include "fewedits/proof/edit_script.hpp"

namespace fewedits {

struct Counterfactual {
  Graph graph;             ///< with edge labels if bonds are used
  double probability = 0;  ///< of the desired class
  /// Inputs within theta: indices into the filtered dataset, ascending.
  std::vector<std::uint32_t> covers;
  std::size_t gain = 0;      ///< of those, how many no earlier counterfactual covers
  std::uint64_t visits = 0;  ///< by the walk; 0 if another stage found it
  /// Where it comes from: the graph of the filtered dataset from which the search set out, or which
  /// it is (Explanation::from_dataset).
  std::optional<std::uint32_t> origin;
  /// Certified distances only: every input it covers, and every one that no earlier counterfactual
  /// is as near to, by index into the filtered dataset, ascending. All figures of the explanation
  /// follow from these.
  std::vector<ProvenPair> proofs = {};
  std::optional<double> lead = {};  ///< of the desired class's probability over the next class's
  friend bool operator==(const Counterfactual&, const Counterfactual&) = default;
};

/// What is known of an input and its nearest counterfactual under certified distances.
struct RecourseProof {
  std::int64_t edits = 0;  ///< what `distance` stands for, not normalised
  std::int64_t lower = 0;  ///< no map has fewer edits
  /// Not covered, but it is not excluded either that some counterfactual is within theta.
  bool open = false;
  /// If covered: from the input to the counterfactual, at the explanation's costs.
  std::optional<EditScript> script;
  friend bool operator==(const RecourseProof&, const RecourseProof&) = default;
};

/// For one input: the nearest counterfactual, or none and an infinite distance if all of them are
/// beyond reach.
struct Recourse {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t input = 0;               ///< index into the filtered dataset
  std::uint32_t counterfactual = kNone;  ///< place in the list; the first among equals
  double distance = std::numeric_limits<double>::infinity();  ///< normalised
  bool covered = false;                                       ///< distance ≤ theta
  std::optional<RecourseProof> proof = {};                    ///< certified distances only
  friend bool operator==(const Recourse&, const Recourse&) = default;
};

/// How good the first k counterfactuals are. A cost is infinite where it is not known: the mean as
/// soon as one input is beyond reach, the median once more than half of them are.
struct PrefixMetrics {
  std::size_t k = 0;
  double coverage = 0;     ///< share of inputs covered at theta
  double cost_median = 0;  ///< over all inputs: distance to the nearest one
  double cost_mean = 0;
  friend bool operator==(const PrefixMetrics&, const PrefixMetrics&) = default;
};

struct ThetaMetrics {
  double theta = 0;
  double coverage = 0;  ///< by all counterfactuals
  friend bool operator==(const ThetaMetrics&, const ThetaMetrics&) = default;
};

struct Metrics {
  double coverage = 0;
  /// Certified distances only: share of inputs that are covered or not excluded; the true coverage
  /// lies between the two.
  std::optional<double> coverage_upper;
  double cost_median = 0;
  double cost_mean = 0;
  std::vector<PrefixMetrics> by_k;      ///< k = 1 … K
  std::vector<ThetaMetrics> by_theta;   ///< ten steps up to twice theta, but at most 1
  std::optional<double> smallest_lead;  ///< of the counterfactuals, if all are known
  friend bool operator==(const Metrics&, const Metrics&) = default;
};

/// How far the walk was, for convergence curves.
struct TracePoint {
  std::uint64_t step = 0;
  std::size_t candidates = 0;
  double coverage = 0;                   ///< of all candidates together, at the walk's theta
  std::vector<double> summary_coverage;  ///< greedy at the evaluation theta, k = 1 … K
  friend bool operator==(const TracePoint&, const TracePoint&) = default;
};

/// How far the refinement was; a point before and after every rise of the coverage.
struct RefinementPoint {
  std::uint64_t work = 0;  ///< in the units of ExplainOptions::refine_work
  double coverage = 0;     ///< of the k graphs, as far as the search knows
  friend bool operator==(const RefinementPoint&, const RefinementPoint&) = default;
};

/// What the figures rest on, so that anyone can repeat them.
struct Provenance {
  std::string software;  ///< "fewedits 0.1.0"
  std::string dataset_name;
  std::string dataset_path;
  std::string dataset_hash;  ///< of the filtered graphs; see dataset_fingerprint
  std::string model_path;
  std::string model_hash;  ///< see classifier/model_file
  std::string distance_model_path;
  std::string distance_model_hash;
  /// The options as the command line would spell them, in order: {"steps", "50000"} … One that is
  /// given several times has its entries side by side.
  std::vector<std::pair<std::string, std::string>> options;
  std::uint64_t seed = 1;
  /// What the model is, in words, if no file holds it: only who has it can check its answers. It
  /// has no path and no hash then.
  std::string black_box = {};

  /// What the option was given as, in order; empty if it was not.
  [[nodiscard]] std::vector<std::string> values_of(std::string_view option) const;
  friend bool operator==(const Provenance&, const Provenance&) = default;
};

/// What the distances of an explanation are.
enum class DistanceMeaning {
  kProven,    ///< edit distances, each with its proof
  kEstimate,  ///< somebody's estimate of them
  kOther      ///< on a scale of their own: nothing follows for edits
};

/// As files spell it.
std::string_view name_of(DistanceMeaning meaning);

/// Why a search ended.
enum class RunEnd {
  kWorkDone,    ///< all that it was allowed
  kConverged,   ///< nothing was gained for a while, or nothing is left to try
  kAllCovered,  ///< there is nothing to gain
  kTimeLimit,   ///< or time ran out while the result was measured
  kInterrupted  ///< somebody asked for it
};
inline constexpr std::size_t kRunEnds = 5;

/// As files spell it.
std::string_view name_of(RunEnd end);

/// What is explained towards what, in classes.
struct ExplainedClasses {
  std::string desired;                 ///< its name
  std::size_t column = 0;              ///< the output of the model that it is
  std::vector<std::string> predicted;  ///< classes that the inputs are predicted, in their order
  /// Graphs of the dataset that are predicted another class than the desired one, chosen or not;
  /// files of earlier versions do not say it.
  std::optional<std::size_t> not_desired = {};
  friend bool operator==(const ExplainedClasses&, const ExplainedClasses&) = default;
};

struct Explanation {
  Provenance provenance;
  std::optional<ExplainedClasses> classes;
  std::string method;  ///< "gcf", "ground-truth", …
  /// The counterfactuals are graphs of the dataset as they are, and `origin` says which; else they
  /// were made by edits.
  bool from_dataset = false;
  std::string distance;  ///< "greed", "certified", …
  DistanceMeaning meaning = DistanceMeaning::kEstimate;
  double theta = 0.1;
  /// The inputs: indices into the filtered dataset of graphs predicted undesired, ascending. All of
  /// them, unless the options choose some.
  std::vector<std::uint32_t> inputs;
  /// On so many of them the search stood, as the options say; what it found was measured against
  /// all. Unset: on all.
  std::optional<std::size_t> searched = {};
  /// Costs are proven, but nobody tried to lower those of inputs that are not covered.
  bool costs_are_bounds = false;
  std::vector<std::string> label_names;  ///< by label index
  /// The same of edges; empty: bonds are not used, and edges have no labels.
  std::vector<std::string> edge_label_names = {};
  std::vector<Counterfactual> counterfactuals;
  std::vector<Recourse> recourse;  ///< one per input, in order
  Metrics metrics;
  std::vector<TracePoint> trace;
  std::vector<RefinementPoint> refinement;  ///< empty without one
  std::uint64_t steps = 0;                  ///< of the walk
  std::uint64_t neighbours = 0;             ///< that the walk chose among, known ones too
  double seconds = 0;
  /// False if the search was ended early (by hand, or for lack of time): the best so far.
  bool complete = true;
  RunEnd ended = RunEnd::kWorkDone;
  friend bool operator==(const Explanation&, const Explanation&) = default;
};

/// What edits cost under certified distances: 1 each, that of an edge's label if bonds are used.
EditCosts costs_of(const Explanation& explanation);

/// Median as the paper takes it (torch.median): the lower of the middle two for an even count.
/// The mean of the two would miss its figure for PROTEINS, 0.2155, by 0.0002. Not empty.
double lower_median(std::vector<double> values);

/// distances[c][i]: normalised distance of counterfactual c to input i; infinite where it is known
/// to be beyond reach only, never NaN. Fills covers, gain, recourse and metrics from them; theta,
/// inputs and the counterfactuals' graphs are set already.
void fill_metrics(std::span<const std::vector<double>> distances, Explanation& explanation);

}  // namespace fewedits
