// SPDX-License-Identifier: MIT
#include "fewedits/classifier/native/refinement.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "fewedits/classifier/native/class_table.hpp"

namespace fewedits {
namespace {

/// One round of refinement; plain pointers for the reason that ClassTable gives.
struct Round {
  const std::uint32_t* ends;    ///< where each node's neighbours begin, and one past the last
  std::uint32_t* neighbours;    ///< each node's in the order in which they are added up
  const std::uint32_t* before;  ///< the nodes' classes two levels below,
  const std::uint32_t* below;   ///< and one level below
  const std::uint64_t* signature;
  std::uint64_t* next_signature;
  std::uint32_t* of_node;
  ClassTable made;

  void run(std::size_t nodes) {
    made.offsets[0] = 0;
    for (std::size_t v = 0; v < nodes; ++v) {
      sort_neighbours(v);
      next_signature[v] = list_neighbours(v);
      of_node[v] = made.intern(next_signature[v], below[v], ends[v + 1] - ends[v]);
    }
  }

  /// Orders neighbours by the history of their signatures, earliest first. They are in order up
  /// to the level before; only those that were equal there can have to change places.
  /// PERF NOTE: sorting anew by the last signature alone costs a misprediction or two per node.
  void sort_neighbours(std::size_t v) const {
    for (std::uint32_t i = ends[v] + 1; i < ends[v + 1]; ++i) {
      for (std::uint32_t j = i; j > ends[v]; --j) {
        const std::uint32_t left = neighbours[j - 1];
        const std::uint32_t right = neighbours[j];
        if (before[left] != before[right] || signature[left] <= signature[right]) break;
        neighbours[j - 1] = right;
        neighbours[j] = left;
      }
    }
  }

  /// Stages the classes of v's neighbours; returns v's signature.
  [[nodiscard]] std::uint64_t list_neighbours(std::size_t v) const {
    std::uint32_t* list = made.staged();
    std::uint64_t sum = own_share(signature[v]);
    for (std::uint32_t i = ends[v]; i < ends[v + 1]; ++i) {
      sum += signature[neighbours[i]];
      *list++ = below[neighbours[i]];
    }
    return mix_signature(sum);
  }
};

}  // namespace

void Refinement::run(std::span<const Graph> graphs, std::size_t rounds) {
  levels_.resize(rounds + 1);
  start(graphs);
  for (std::size_t l = 1; l <= rounds; ++l) {
    refine(l > 1 ? levels_[l - 2].of_node : zeros_, levels_[l - 1].of_node, levels_[l]);
  }
  order_nodes();
}

/// Copies the graphs into one with consecutive node numbers.
void Refinement::start(std::span<const Graph> graphs) {
  Indices& labels = levels_.front().of_node;
  labels.clear();
  neighbours_.clear();
  begins_.assign(1, 0);
  ends_.assign(1, 0);
  for (const Graph& g : graphs) {
    const std::uint32_t first_node = begins_.back();
    const std::uint32_t first_end = ends_.back();
    labels.insert(labels.end(), g.labels().begin(), g.labels().end());
    for (const Node u : g.targets()) neighbours_.push_back(first_node + u);
    for (Node v = 0; v < g.num_nodes(); ++v) ends_.push_back(first_end + g.offsets()[v + 1]);
    begins_.push_back(first_node + g.num_nodes());
  }
  zeros_.assign(labels.size(), 0);
  next_signature_.resize(labels.size());
  class_signature_.resize(labels.size());
  signature_.resize(labels.size());
  for (std::size_t v = 0; v < labels.size(); ++v) signature_[v] = label_signature(labels[v]);
}

void Refinement::refine(const Indices& before, const Indices& below, Level& level) {
  const std::size_t nodes = below.size();
  level.of_node.resize(nodes);
  level.parent.resize(nodes);
  level.offsets.resize(nodes + 1);
  level.targets.resize(neighbours_.size());
  table_.assign(std::bit_ceil(2 * nodes + 1), ClassTable::kFree);
  Round round{ends_.data(),
              neighbours_.data(),
              before.data(),
              below.data(),
              signature_.data(),
              next_signature_.data(),
              level.of_node.data(),
              {table_.data(), table_.size() - 1, level.parent.data(), level.offsets.data(),
               level.targets.data(), class_signature_.data()}};
  round.run(nodes);
  level.parent.resize(round.made.classes);
  std::swap(signature_, next_signature_);
}

void Refinement::order_nodes() {
  order_.resize(signature_.size());
  std::iota(order_.begin(), order_.end(), 0U);
  for (std::size_t i = 0; i + 1 < begins_.size(); ++i) {
    std::sort(order_.begin() + begins_[i], order_.begin() + begins_[i + 1],
              [&](std::uint32_t a, std::uint32_t b) { return signature_[a] < signature_[b]; });
  }
}

}  // namespace fewedits
