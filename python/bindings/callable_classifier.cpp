// SPDX-License-Identifier: MIT
#include "callable_classifier.hpp"

#include <algorithm>
#include <chrono>

#include "fewedits/base/error.hpp"
#include "fewedits/base/text.hpp"
#include "interrupts.hpp"

namespace fewedits::python {
namespace {

using Rows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Of the graph with its nodes in this order: two of them have the same answer anyway, but for
/// rounding.
Hash128 key_of(const Graph& graph, std::vector<std::uint32_t>& words) {
  words.assign(graph.offsets().begin(), graph.offsets().end());
  words.insert(words.end(), graph.targets().begin(), graph.targets().end());
  words.insert(words.end(), graph.labels().begin(), graph.labels().end());
  if (graph.has_edge_labels()) {
    for (Node v = 0; v < graph.num_nodes(); ++v) {
      const auto labels = graph.edge_labels(v);
      words.insert(words.end(), labels.begin(), labels.end());
    }
  }
  return hash_words(words, graph.has_edge_labels() ? 1 : 0);
}

void check_shape(const Rows& rows, std::size_t graphs, std::size_t classes) {
  if (rows.shape(0) == graphs && rows.shape(1) == classes) return;
  throw Error("the model gave " + std::to_string(rows.shape(0)) + " rows of " +
                  std::to_string(rows.shape(1)) + " values for " + counted(graphs, "graph") +
                  ", and " + std::to_string(graphs) + " of " + std::to_string(classes) +
                  " were expected",
              "it must give one row for each graph of the batch, always of as many classes");
}

/// Lets others wait for the thread pool no longer than the batch is asked about.
struct PoolLease {
  std::shared_ptr<Batch> batch;
  ~PoolLease() { batch->release_pool(); }
};

}  // namespace

CallableClassifier::CallableClassifier(nb::object ask, std::size_t classes, std::size_t labels,
                                       std::size_t graphs_at_once, std::size_t nodes_at_once,
                                       const std::string& name, BondWriter bonds)
    : ask_(std::move(ask)),
      classes_(classes),
      labels_(labels),
      graphs_at_once_(std::max<std::size_t>(graphs_at_once, 1)),
      nodes_at_once_(nodes_at_once),
      bonds_(std::move(bonds)) {
  set_origin(name);
}

CallableClassifier::~CallableClassifier() {
  const nb::gil_scoped_acquire held;
  ask_.reset();
}

void CallableClassifier::ask(std::span<const Graph> graphs, std::span<float> out,
                             ThreadPool& pool) const {
  pool.check_stop();
  std::vector<Graph> written;
  written.reserve(graphs.size());
  for (const Graph& graph : graphs) written.push_back(bonds_(graph));
  const PoolLease lease{std::make_shared<Batch>(std::move(written), &pool)};
  const auto start = std::chrono::steady_clock::now();
  const nb::gil_scoped_acquire held;
  try {
    const Rows rows = nb::cast<Rows>(ask_(lease.batch));
    check_shape(rows, graphs.size(), classes_);
    std::copy_n(rows.data(), out.size(), out.begin());
  } catch (nb::python_error& error) {
    Interrupts* const running = Interrupts::current();
    if (!is_interrupt(error) || running == nullptr) throw;
    // Not an error: what was found by now is the result.
    running->sign().set();
    throw Stopped();
  } catch (const nb::cast_error&) {
    throw Error("the model's answer is no array of float32 with a row for each graph");
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  counts_->asked += graphs.size();
  ++counts_->batches;
  counts_->seconds += took.count();
}

void CallableClassifier::log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                                           ThreadPool& pool) const {
  const std::lock_guard lock(mutex_);
  counts_->graphs += graphs.size();
  // Each graph that is new, once.
  std::vector<Hash128> keys;
  std::vector<std::uint32_t> words;
  std::vector<Graph> fresh;
  std::unordered_map<Hash128, std::uint32_t> fresh_places;
  keys.reserve(graphs.size());
  for (const Graph& graph : graphs) {
    const Hash128& key = keys.emplace_back(key_of(graph, words));
    if (places_.contains(key)) continue;
    const auto next = static_cast<std::uint32_t>(fresh.size());
    if (fresh_places.try_emplace(key, next).second) fresh.push_back(graph);
  }
  std::vector<float> answers(fresh.size() * classes_);
  for (std::size_t begin = 0; begin < fresh.size();) {
    std::size_t end = begin;
    std::size_t nodes = 0;
    while (end < fresh.size() && end - begin < graphs_at_once_ &&
           (end == begin || nodes + fresh[end].num_nodes() <= nodes_at_once_)) {
      nodes += fresh[end++].num_nodes();
    }
    const std::size_t count = end - begin;
    ask(std::span(fresh).subspan(begin, count),
        std::span(answers).subspan(begin * classes_, count * classes_), pool);
    begin = end;
  }
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const auto known = places_.find(keys[i]);
    const float* const row = known != places_.end() ? &kept_[known->second * classes_]
                                                    : &answers[fresh_places.at(keys[i]) * classes_];
    std::copy_n(row, classes_, &out[i * classes_]);
  }
  for (const auto& [key, place] : fresh_places) {
    if (places_.size() >= kKept) break;
    places_.emplace(key, static_cast<std::uint32_t>(kept_.size() / classes_));
    const auto row = answers.begin() + static_cast<std::ptrdiff_t>(place * classes_);
    kept_.insert(kept_.end(), row, row + static_cast<std::ptrdiff_t>(classes_));
  }
}

}  // namespace fewedits::python
