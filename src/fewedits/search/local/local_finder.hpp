// SPDX-License-Identifier: MIT
// Ways to find a graph's own counterfactual, by name: the search, and the explainers that cut
// edges.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fewedits/base/registry.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/graph/dataset.hpp"
#include "fewedits/search/baselines/edge_explainer.hpp"
#include "fewedits/search/local/local_search.hpp"

namespace fewedits {

struct Parts;

/// Called with what is done; false: stop.
using LocalWatch = std::function<bool(std::uint64_t done, std::uint64_t total)>;

class LocalFinder {
 public:
  virtual ~LocalFinder() = default;
  /// Trains what has to be trained. Throws Stopped, as find() may, once LocalOptions' sign is set.
  /// False if the watch said stop; then there is nothing to find.
  virtual bool prepare(ThreadPool& /*pool*/, const LocalWatch& /*watch*/) { return true; }
  /// `number` is that of the graph in its dataset. The graph itself if it is accepted already.
  virtual std::optional<LocalCounterfactual> find(const Graph& input, std::uint32_t number,
                                                  ThreadPool& pool) = 0;
};

/// All that is referred to must outlive the finder.
struct LocalTask {
  EdgeTask task;           ///< rules, and what is trained on
  LocalSettings settings;  ///< of explainers that cut edges
  LocalOptions search;     ///< of the search; its `ged` is for all
};

struct LocalFinderKind {
  std::string about;
  std::string subject;  ///< for sentences: "… finds no accepted graph"
  std::function<std::unique_ptr<LocalFinder>(const LocalTask&, ThreadPool&)> make;
  bool freezes = false;          ///< LocalOptions::frozen is obeyed
  bool cuts_edges = false;       ///< CutRules::keep_isolated is
  bool needs_gradients = false;  ///< Classifier::weighted()
};

/// For a graph alone.
struct LocalAnswer {
  std::optional<LocalCounterfactual> found;
  bool searched = true;  ///< to the end; false if somebody said stop first
};

/// Each may be empty.
struct LocalWatches {
  LocalWatch training;
  LocalWatch searching;
};

/// For each of the graphs, in order, whose numbers in their dataset are these. Not searched to the
/// end are those that were not reached when a watch said stop, or when LocalOptions' sign was set.
std::vector<LocalAnswer> find_for_each(const LocalFinderKind& kind, const LocalTask& task,
                                       std::span<const Graph> graphs,
                                       std::span<const std::uint32_t> numbers, ThreadPool& pool,
                                       const LocalWatches& watches);

/// What graphs of a dataset are searched with, one by one.
struct LocalRequest {
  std::span<const std::uint32_t> rejected;  ///< that are explained, and trained on
  std::span<const std::uint32_t> accepted;
  CutRules rules;
  LocalSettings settings = {};
  std::uint64_t seed = 1;
  std::vector<Node> frozen = {};
  const StopSign* stop = nullptr;
};
/// The same for graphs of a dataset as `view` sees them.
std::vector<LocalAnswer> find_for_each(const LocalFinderKind& kind, const Dataset& dataset,
                                       const GraphView& view, const Classifier& classifier,
                                       const LocalRequest& request,
                                       std::span<const std::uint32_t> inputs, ThreadPool& pool,
                                       const LocalWatches& watches);

/// The search comes first.
Registry<LocalFinderKind> local_finders(const Parts& parts);

}  // namespace fewedits
