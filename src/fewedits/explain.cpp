// SPDX-License-Identifier: MIT
// The façade's explain(): from a dataset and a classifier to the search and its result.
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "fewedits/classifier/class_choice.hpp"
#include "fewedits/classifier/input_rule.hpp"
#include "fewedits/extend.hpp"
#include "fewedits/search/bonds.hpp"
#include "fewedits/search/driver.hpp"
#include "fewedits/search/evaluator.hpp"
#include "fewedits/search/option_table.hpp"
#include "fewedits/search/run_control.hpp"
#include "fewedits/search/sample.hpp"

namespace fewedits {
namespace {

void check_labels(const Dataset& dataset, std::size_t known, const char* model) {
  if (dataset.node_labels.size() == known) return;
  throw Error(fmt::format("the dataset has {} node labels, the {} knows {}",
                          dataset.node_labels.size(), model, known),
              "use the models that were trained for this dataset");
}

DistanceMeaning meaning_of(const DistanceKind& kind) {
  if (kind.proves) return DistanceMeaning::kProven;
  return kind.counts_edits ? DistanceMeaning::kEstimate : DistanceMeaning::kOther;
}

/// With both thetas: the given ones, or those that go with the distance on these graphs.
ExplainOptions with_thetas(ExplainOptions options, Distance& distance, ThreadPool& pool) {
  if (options.theta && options.walk_theta) return options;
  const auto thetas = comparable_thetas(distance, {kEditTheta, kEditWalkTheta}, options.seed, pool);
  if (!options.theta) options.theta = thetas[0];
  if (!options.walk_theta) options.walk_theta = thetas[1];
  return options;
}

std::unique_ptr<Distance> make_distance(const DistanceKind& kind, std::vector<Graph> inputs,
                                        std::size_t num_labels, const ExplainOptions& options,
                                        const StopSign& sign, ThreadPool& pool) {
  DistanceOptions own = options.distance_options;
  own.stop = &sign;
  own.theta = options.theta.value_or(kEditTheta);
  own.seed = options.seed;
  auto out = kind.make(std::move(inputs), num_labels, own, pool);
  if (kind.proves != (out->prover() != nullptr)) {
    throw Error(fmt::format("the distance {} is registered as one that {}, and does not",
                            options.distance, kind.proves ? "proves" : "only claims"),
                "this is a fault of whoever registered it");
  }
  return out;
}

/// GraphView::of, on all threads: perceiving the aromatic bonds of a million molecules takes a
/// while.
std::vector<Graph> seen_through(const GraphView& view, const Dataset& dataset,
                                std::span<const std::uint32_t> indices, ThreadPool& pool) {
  constexpr std::size_t kChunk = 256;
  std::vector<Graph> out(indices.size());
  pool.for_chunks(indices.size(), kChunk, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) out[i] = view(dataset.graphs[indices[i]]);
  });
  return out;
}

/// What comes before the search may take long, too, and there is nothing to show for it yet.
void prepare_in_time(const std::function<void()>& prepare, double time_limit,
                     const ExplainHooks& hooks, StopSign& sign, ThreadPool& pool) {
  RunControl(time_limit, hooks, sign).begin_stage(1);
  const StopScope scope(pool, &sign);
  try {
    prepare();
  } catch (const Stopped&) {
    if (hooks.stop == nullptr || !hooks.stop->is_set()) throw over_before_it_began(time_limit);
    throw Error("it was ended before the search began");
  }
}

}  // namespace

RejectedGraphs rejected_graphs(const Dataset& dataset, const Classifier& classifier,
                               ThreadPool& pool, const InputSelection& selection) {
  check_labels(dataset, classifier.num_labels(), "classifier");
  const InputRule rule(dataset, classifier, selection);
  const std::size_t classes = classifier.num_classes();
  const auto logs = checked_log_probabilities(dataset, classifier, pool);
  RejectedGraphs out;
  for (std::uint32_t i = 0; i < dataset.size(); ++i) {
    const std::size_t predicted = predicted_class(std::span(logs).subspan(i * classes, classes));
    out.predicted.push_back(predicted);
    if (predicted == rule.desired()) out.accepted.push_back(i);
    if (rule.admits(i, predicted)) out.rejected.push_back(i);
  }
  return out;
}

ExplainedClasses explained_classes(const Dataset& dataset, const Classifier& classifier,
                                   const RejectedGraphs& graphs) {
  const std::size_t desired = desired_class(dataset, classifier);
  ExplainedClasses out{class_name(desired, dataset, classifier), classifier.column_of(desired), {}};
  if (graphs.predicted.empty()) return out;
  out.not_desired = dataset.size() - graphs.accepted.size();
  std::set<std::size_t> predicted;
  for (const std::uint32_t i : graphs.rejected) predicted.insert(graphs.predicted[i]);
  for (const std::size_t c : predicted) out.predicted.push_back(class_name(c, dataset, classifier));
  return out;
}

std::vector<Graph> without_edge_labels(const Dataset& dataset,
                                       std::span<const std::uint32_t> indices) {
  std::vector<Graph> out;
  out.reserve(indices.size());
  for (const std::uint32_t i : indices) out.push_back(dataset.graphs[i].without_edge_labels());
  return out;
}

Explanation explain(const Dataset& dataset, const Classifier& classifier,
                    const RejectedGraphs& graphs, const ExplainOptions& given, ThreadPool& pool,
                    const ExplainHooks& hooks, const Parts& parts) {
  check_options(given);
  const DistanceKind& kind = parts.distances.at(given.distance);
  ExplainOptions options =
      with_defaults(with_bonds_decided(given, dataset, classifier, parts), parts);
  const GraphView view(dataset, options.bonds.value_or(false));
  options = with_view(std::move(options), view);
  options = with_sample_decided(std::move(options), graphs.rejected.size(), parts);
  StopSign sign(hooks.stop);
  std::unique_ptr<Distance> distance;
  std::vector<std::uint32_t> searched = graphs.rejected;
  std::shared_ptr<AllInputs> all;
  std::string fingerprint;  // now: who asks for the end has no time for it
  const auto prepare = [&] {
    fingerprint = graphs.dataset_hash.empty() ? dataset_fingerprint(dataset, view.has_bonds())
                                              : graphs.dataset_hash;
    std::vector<Graph> inputs = seen_through(view, dataset, graphs.rejected, pool);
    if (num_searched(options, inputs.size()) < inputs.size()) {
      all = std::make_shared<AllInputs>();
      all->indices = graphs.rejected;
      all->searched = stratified_sample(dataset.graphs, graphs.rejected,
                                        num_searched(options, inputs.size()), options.seed);
      searched.clear();
      std::vector<Graph> some;
      for (const std::uint32_t place : all->searched) {
        searched.push_back(graphs.rejected[place]);
        some.push_back(inputs[place]);
      }
      all->graphs = std::exchange(inputs, std::move(some));
    }
    distance =
        make_distance(kind, std::move(inputs), dataset.node_labels.size(), options, sign, pool);
    options = with_thetas(std::move(options), *distance, pool);
  };
  prepare_in_time(prepare, options.time_limit, hooks, sign, pool);
  const Goal goal(desired_class(dataset, classifier), {*options.min_lead, options.min_probability});
  ModelEvaluator evaluator(classifier, goal, *distance);
  const ExplainTask task{evaluator,
                         classifier,
                         goal,
                         std::move(searched),
                         graphs.accepted,
                         parts.sources.at(options.method).walks
                             ? std::vector<Graph>()
                             : seen_through(view, dataset, graphs.accepted, pool),
                         view.edge_label_names().size(),
                         std::move(all)};
  Explanation out = run_search(task, options, parts, pool, hooks, sign);
  out.classes = explained_classes(dataset, classifier, graphs);
  out.distance = options.distance;
  out.meaning = meaning_of(kind);
  out.label_names = label_names(dataset).nodes;
  out.edge_label_names = view.edge_label_names();
  out.provenance.software = "fewedits " + version();
  out.provenance.dataset_name = dataset.name;
  out.provenance.dataset_hash = std::move(fingerprint);
  out.provenance.options = recorded_options(options, parts);
  if (options.constraints.molecule) out.provenance.options.emplace_back("constraint", "molecule");
  out.provenance.seed = options.seed;
  return out;
}

Explanation explain(const Dataset& dataset, const Classifier& classifier,
                    const RejectedGraphs& graphs, const ExplainOptions& options, ThreadPool& pool,
                    const ExplainHooks& hooks) {
  return explain(dataset, classifier, graphs, options, pool, hooks, builtin_parts());
}

Explanation explain(const Dataset& dataset, const Classifier& classifier,
                    const ExplainOptions& options, ThreadPool& pool, const ExplainHooks& hooks) {
  check_options(options);
  return explain(dataset, classifier, rejected_graphs(dataset, classifier, pool, options.selection),
                 options, pool, hooks);
}

Explanation explain(const Dataset& dataset, const Classifier& classifier,
                    const ExplainOptions& options) {
  ThreadPool pool;
  return explain(dataset, classifier, options, pool);
}

std::vector<Graph> explained_graphs(const Dataset& dataset, const Explanation& explanation) {
  return GraphView(dataset, explanation.edge_label_names, "the explanation")
      .of(dataset, explanation.inputs);
}

std::unique_ptr<Classifier> open_classifier(const std::filesystem::path& file,
                                            const Dataset& dataset, const Parts& parts) {
  return open_classifier(file, dataset, parts.classifiers);
}

std::unique_ptr<Classifier> open_classifier(const std::filesystem::path& file,
                                            const Dataset& dataset, ClassMatch match) {
  return open_classifier(file, dataset, builtin_classifiers(), match);
}

}  // namespace fewedits
