// SPDX-License-Identifier: MIT
// The façade's explain(): from a dataset and a classifier to the search and its result.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "fewedits/fewedits.hpp"
#include "fewedits/search/certified_evaluator.hpp"
#include "fewedits/search/climb/certified_search.hpp"
#include "fewedits/search/greed_evaluator.hpp"

namespace fewedits {
namespace {

void check_labels(const Dataset& dataset, std::size_t known, const char* model) {
  if (dataset.node_labels.size() == known) return;
  throw Error(fmt::format("the dataset has {} node labels, the {} knows {}",
                          dataset.node_labels.size(), model, known),
              "use the models that were trained for this dataset");
}

/// The evaluator and the stages that suit it.
struct Search {
  std::unique_ptr<Evaluator> evaluator;
  std::optional<CertifiedStages> certified;
};

Search make_search(const Dataset& dataset, std::span<const std::uint32_t> rejected,
                   const Classifier& classifier, const ExplainOptions& options, ThreadPool& pool) {
  std::vector<Graph> inputs = without_edge_labels(dataset, rejected);
  const auto desired = static_cast<std::size_t>(dataset.desired_class);
  if (options.greed != nullptr) {
    check_labels(dataset, options.greed->num_labels(), "distance model");
    return {std::make_unique<GreedEvaluator>(std::move(inputs), classifier, desired, *options.greed,
                                             pool),
            {}};
  }
  GedOptions ged;
  ged.effort = options.effort;
  ged.seed = options.seed;
  auto evaluator = std::make_unique<CertifiedEvaluator>(
      std::move(inputs), classifier, desired, options.theta, ged, pool, options.prove_work);
  const Terrain terrain{evaluator->prepared(), classifier, desired, options.constraints,
                        refine_options(options)};
  CertifiedStages stages;
  stages.search = [terrain, &options, &pool](std::span<const Choice> chosen,
                                             std::span<const Choice> from,
                                             const CertifiedHooks& hooks) {
    return certified_search(chosen, from, options.k, terrain, pool, hooks);
  };
  stages.covers = [terrain, &options, &pool](std::span<const Choice> choices,
                                             const std::function<bool()>& go_on) {
    return certified_covers(choices, options.k, terrain, pool, go_on);
  };
  return {std::move(evaluator), std::move(stages)};
}

}  // namespace

RejectedGraphs rejected_graphs(const Dataset& dataset, const Classifier& classifier,
                               ThreadPool& pool) {
  check_labels(dataset, classifier.num_labels(), "classifier");
  const std::size_t classes = classifier.num_classes();
  const auto desired = static_cast<std::size_t>(dataset.desired_class);
  if (desired >= classes) {
    throw Error(fmt::format("the classifier tells {} classes apart, the desired class has index {}",
                            classes, desired),
                "use the classifier that was trained for this dataset");
  }
  RejectedGraphs out;
  const auto judged = judge(dataset.graphs, classifier, desired, pool);
  for (std::uint32_t i = 0; i < judged.size(); ++i) {
    (judged[i].accepted ? out.accepted : out.rejected).push_back(i);
  }
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
                    const ExplainOptions& options, ThreadPool& pool, const ExplainHooks& hooks) {
  check(options);
  const RejectedGraphs graphs = rejected_graphs(dataset, classifier, pool);
  const Search search = make_search(dataset, graphs.rejected, classifier, options, pool);
  ExplainTask task{*search.evaluator, dataset.node_labels.size(), graphs.rejected, {}, {},
                   search.certified};
  if (options.method == ExplainMethod::kGroundTruth) {
    task.accepted_indices = graphs.accepted;
    task.accepted = without_edge_labels(dataset, graphs.accepted);
  }
  Explanation out = run_explainer(task, options, pool, hooks);
  out.distance = options.greed != nullptr ? "greed" : "certified";
  out.label_names = label_names(dataset).nodes;
  out.provenance.software = "fewedits " + version();
  out.provenance.dataset_name = dataset.name;
  out.provenance.dataset_hash = dataset_fingerprint(dataset);
  out.provenance.options = describe(options);
  out.provenance.seed = options.seed;
  return out;
}

Explanation explain(const Dataset& dataset, const Classifier& classifier,
                    const ExplainOptions& options) {
  ThreadPool pool;
  return explain(dataset, classifier, options, pool);
}

}  // namespace fewedits
