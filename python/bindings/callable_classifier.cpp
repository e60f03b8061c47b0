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

constexpr std::size_t kChunk = 64;

std::vector<Hash128> keys_of(std::span<const Graph> graphs, ThreadPool& pool) {
  std::vector<Hash128> keys(graphs.size());
  pool.for_chunks(graphs.size(), kChunk, [&](std::size_t begin, std::size_t end, int) {
    std::vector<std::uint32_t> words;
    for (std::size_t i = begin; i < end; ++i) keys[i] = key_of(graphs[i], words);
  });
  return keys;
}

std::size_t num_nodes(std::span<const Graph> graphs) {
  std::size_t nodes = 0;
  for (const Graph& graph : graphs) nodes += graph.num_nodes();
  return nodes;
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
      bonds_(std::move(bonds)),
      kept_(classes) {
  set_origin(name);
}

CallableClassifier::~CallableClassifier() {
  const nb::gil_scoped_acquire held;
  ask_.reset();
}

void CallableClassifier::ask(std::vector<Graph> graphs, std::span<float> out,
                             ThreadPool& pool) const {
  pool.check_stop();
  const std::size_t count = graphs.size();
  if (bonds_.changes()) {
    pool.for_chunks(count, kChunk, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) graphs[i] = bonds_(graphs[i]);
    });
  }
  const PoolLease lease{std::make_shared<Batch>(std::move(graphs), &pool)};
  const auto start = std::chrono::steady_clock::now();
  const nb::gil_scoped_acquire held;
  try {
    const Rows rows = nb::cast<Rows>(ask_(lease.batch));
    check_shape(rows, count, classes_);
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
  counts_->asked += count;
  ++counts_->batches;
  counts_->seconds += took.count();
}

void CallableClassifier::ask_all(std::vector<Graph> graphs, std::span<float> out,
                                 ThreadPool& pool) const {
  if (graphs.size() <= graphs_at_once_ && num_nodes(graphs) <= nodes_at_once_) {
    if (!graphs.empty()) ask(std::move(graphs), out, pool);
    return;
  }
  for (std::size_t begin = 0; begin < graphs.size();) {
    std::size_t end = begin;
    std::size_t nodes = 0;
    while (end < graphs.size() && end - begin < graphs_at_once_ &&
           (end == begin || nodes + graphs[end].num_nodes() <= nodes_at_once_)) {
      nodes += graphs[end++].num_nodes();
    }
    ask({graphs.begin() + static_cast<std::ptrdiff_t>(begin),
         graphs.begin() + static_cast<std::ptrdiff_t>(end)},
        out.subspan(begin * classes_, (end - begin) * classes_), pool);
    begin = end;
  }
}

void CallableClassifier::log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                                           ThreadPool& pool) const {
  const std::lock_guard lock(mutex_);
  counts_->graphs += graphs.size();
  if (is_asking_) return ask_all({graphs.begin(), graphs.end()}, out, pool);
  const std::vector<Hash128> keys = keys_of(graphs, pool);
  // Each graph that is new, once; their rows are the last ones.
  const std::size_t known = kept_.size();
  std::vector<KeptAnswers::Place> places;
  std::vector<Graph> fresh;
  std::vector<Hash128> fresh_keys;
  places.reserve(graphs.size());
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const auto [place, is_new] = kept_.find_or_add(keys[i]);
    places.push_back(place);
    if (!is_new) continue;
    fresh.push_back(graphs[i]);
    fresh_keys.push_back(keys[i]);
  }
  std::vector<float> answers(fresh.size() * classes_);
  is_asking_ = true;
  try {
    ask_all(std::move(fresh), answers, pool);
  } catch (...) {
    is_asking_ = false;
    kept_.forget_last(fresh_keys);
    throw;
  }
  is_asking_ = false;
  std::ranges::copy(answers, kept_.rows(known, fresh_keys.size()).begin());
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    std::ranges::copy(kept_.row(places[i]), &out[i * classes_]);
  }
  const std::size_t most = std::max(known, kKept);
  if (kept_.size() > most) {
    kept_.forget_last(std::span(fresh_keys).last(kept_.size() - most));
  }
}

}  // namespace fewedits::python
