// SPDX-License-Identifier: MIT
// The parts a search is put together from, each behind a small interface and chosen by name: where
// candidates come from, and what improves a choice among them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/base/registry.hpp"
#include "fewedits/classifier/classifiers.hpp"
#include "fewedits/cover/candidate.hpp"
#include "fewedits/distance/distances.hpp"
#include "fewedits/explanation/explanation.hpp"
#include "fewedits/search/baselines/edge_explainer.hpp"
#include "fewedits/search/evaluator.hpp"
#include "fewedits/search/options.hpp"
#include "fewedits/search/progress.hpp"

namespace fewedits {

class RunControl;  // what others need of it is SearchContext::goes_on()

/// Inputs of a run that searches on some of them only.
struct AllInputs {
  std::vector<std::uint32_t> indices;   ///< into the dataset, ascending
  std::vector<Graph> graphs;            ///< as the explanation sees them
  std::vector<std::uint32_t> searched;  ///< places among these of ExplainTask::inputs, ascending
};

/// What is explained. `inputs` are the dataset indices of evaluator.inputs(), `accepted` those of
/// `accepted_graphs`, which are predicted desired; methods that walk do not get those.
struct ExplainTask {
  Evaluator& evaluator;
  const Classifier& classifier;
  Goal goal;
  std::vector<std::uint32_t> inputs;
  std::vector<std::uint32_t> accepted;
  std::vector<Graph> accepted_graphs;
  std::size_t num_edge_labels = 0;  ///< that edges may get; 0: they have none
  /// Set if the inputs above are a sample: what is found is measured against all of these.
  std::shared_ptr<const AllInputs> all = {};
};

/// What the parts share while a search runs.
struct SearchContext {
  const ExplainTask& task;
  const ExplainOptions& options;  ///< with all defaults, both thetas too
  ThreadPool& threads;
  RunControl& control;
  SearchState& state;   ///< what would be saved
  Explanation& result;  ///< traces are written into it on the way
  /// Of a sampled search: candidates beside the set that may cover more of all inputs. An improver
  /// puts up to `most_shortlisted` there, the most useful first.
  std::size_t most_shortlisted = 0;
  std::vector<Candidate> shortlist = {};

  [[nodiscard]] double theta() const { return *options.theta; }
  [[nodiscard]] std::size_t num_inputs() const { return task.inputs.size(); }
  [[nodiscard]] double share(std::size_t inputs) const {
    return static_cast<double>(inputs) / static_cast<double>(num_inputs());
  }
  /// Reports; false once the stage is to end: somebody said so, or its time is up. Then what was
  /// found so far is the result. Ask often: between two questions nobody can end the search, but by
  /// the sign that the pool obeys (StopSign, Stopped).
  [[nodiscard]] bool goes_on(const ExplainProgress& progress) const;
  /// A point of the improvement's curve; the last one moves on until the coverage rises.
  void note_improvement(std::uint64_t work, std::size_t covered) const;
};

/// The inputs within theta of a graph, and under distances with proofs the maps to them.
struct Measured {
  std::vector<std::uint32_t> covers;
  PackedMaps maps;
};
/// Of the first graphs only, if the stage has to end.
std::vector<Measured> measure_covers(std::span<const Graph> graphs, const SearchContext& context);

class CandidateSource {
 public:
  virtual ~CandidateSource() = default;
  /// Throws Error if the options ask for more than it can give, before anything is searched.
  virtual void check(const SearchContext& /*context*/) const {}
  /// Accepted graphs with what they cover at theta.
  virtual std::vector<Candidate> find(SearchContext& context) = 0;
  /// The dataset index that Candidate::origin stands for.
  [[nodiscard]] virtual std::uint32_t origin(const SearchContext& context,
                                             const Candidate& candidate) const = 0;
};

class Improver {
 public:
  virtual ~Improver() = default;
  /// `pool` are all candidates, the chosen ones among them. What it returns covers at least as
  /// much.
  virtual std::vector<Candidate> improve(const std::vector<Candidate>& chosen,
                                         const std::vector<Candidate>& pool,
                                         SearchContext& context) = 0;
  /// It may find more graphs than it is given, so that fewer than k candidates are no reason to
  /// give up.
  [[nodiscard]] virtual bool finds_more() const { return false; }
};

struct SourceKind {
  std::string about;
  std::function<std::unique_ptr<CandidateSource>()> make;
  bool walks = false;        ///< the walk's options are its options
  bool is_improved = false;  ///< what is chosen among them goes to the improver
  bool is_saved = false;     ///< a run can be saved on the way, and resumed
  /// Its candidates are graphs of the dataset as they are, and not made by edits.
  bool from_dataset = false;
  /// Its candidates are inputs without some of their edges: a baseline, whose costs rest on all k.
  bool cuts_edges = false;
  /// That they are of; it also explains graphs alone. See edge_cutting_source().
  std::optional<EdgeExplainerKind> explainer = {};
};
/// Each input's own counterfactual is a candidate.
SourceKind edge_cutting_source(const EdgeExplainerKind& explainer);  // search/baselines

/// Of those that suit the distance, the one that was added last is taken.
struct ImproverKind {
  std::string about;
  std::function<std::unique_ptr<Improver>()> make;
  bool needs_proofs = false;  ///< for distances that prove; else for those that do not
};

/// All that is chosen by name.
struct Parts {
  ClassifierRegistry classifiers{"kind of model"};
  DistanceRegistry distances{"distance"};
  Registry<SourceKind> sources{"method"};
  Registry<ImproverKind> improvers{"improver"};
};
Parts builtin_parts();

/// The explainers that sources are made of, by the names of these.
Registry<EdgeExplainerKind> edge_explainers(const Parts& parts);

// The built-in ones.
SourceKind walk_source();          // search/walk
SourceKind ground_truth_source();  // search/baselines
ImproverKind climb_improver();     // search/climb
ImproverKind refine_improver();    // search/improve

}  // namespace fewedits
