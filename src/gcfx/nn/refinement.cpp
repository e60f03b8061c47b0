// SPDX-License-Identifier: MIT
#include "gcfx/nn/refinement.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

namespace gcfx {
namespace {

std::uint64_t mix(std::uint64_t x) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(x ^ 0x9e3779b97f4a7c15ULL) * 0xd1342543de82ef95ULL;
  return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
}

constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

/// One round of refinement. PERF NOTE: plain pointers in a local object, which the compiler keeps
/// in registers; vectors it would have to look up again after every store, a tenth of all time.
struct Round {
  const std::uint32_t* ends;    ///< where each node's neighbours begin, and one past the last
  std::uint32_t* neighbours;    ///< each node's in the order in which they are added up
  const std::uint32_t* before;  ///< the nodes' classes two levels below,
  const std::uint32_t* below;   ///< and one level below
  const std::uint64_t* signature;
  std::uint64_t* next_signature;
  std::uint32_t* table;  ///< open addressing: class by signature
  std::size_t mask;
  // The level that is made.
  std::uint32_t* of_node;
  std::uint32_t* parent;
  std::uint32_t* offsets;
  std::uint32_t* targets;
  std::uint64_t* class_signature;
  std::uint32_t classes = 0;

  void run(std::size_t nodes) {
    offsets[0] = 0;
    for (std::size_t v = 0; v < nodes; ++v) {
      sort_neighbours(v);
      next_signature[v] = list_neighbours(v);
      of_node[v] = intern(v);
    }
  }

  /// Orders neighbours by the history of their signatures, earliest first. They are in order up
  /// to the level before; only those that were equal there can have to change places.
  /// PERF NOTE: sorting anew by the last signature alone costs a misprediction or two a node.
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

  /// Lists the classes of v's neighbours behind those of the last class; returns v's signature.
  [[nodiscard]] std::uint64_t list_neighbours(std::size_t v) const {
    std::uint32_t* list = targets + offsets[classes];
    std::uint64_t sum = signature[v] * 0xa54ff53a5f1d36f1ULL;
    for (std::uint32_t i = ends[v]; i < ends[v + 1]; ++i) {
      sum += signature[neighbours[i]];
      *list++ = below[neighbours[i]];
    }
    return mix(sum);
  }

  /// The class of v, a new one if there is none yet. Equal signatures are only a hint.
  std::uint32_t intern(std::size_t v) {
    std::size_t slot = next_signature[v] & mask;
    for (; table[slot] != kFree; slot = (slot + 1) & mask) {
      if (belongs_to(v, table[slot])) return table[slot];
    }
    table[slot] = classes;
    class_signature[classes] = next_signature[v];
    parent[classes] = below[v];
    offsets[classes + 1] = offsets[classes] + ends[v + 1] - ends[v];
    return classes++;
  }

  [[nodiscard]] bool belongs_to(std::size_t v, std::uint32_t known) const {
    const std::uint32_t degree = ends[v + 1] - ends[v];
    if (class_signature[known] != next_signature[v] || parent[known] != below[v] ||
        offsets[known + 1] - offsets[known] != degree) {
      return false;
    }
    // Two or three entries: a loop, where std::equal would call memcmp.
    std::uint32_t same = 0;
    while (same < degree && targets[offsets[known] + same] == targets[offsets[classes] + same]) {
      ++same;
    }
    return same == degree;
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
  for (std::size_t v = 0; v < labels.size(); ++v) signature_[v] = mix(labels[v] + 1ULL);
}

void Refinement::refine(const Indices& before, const Indices& below, Level& level) {
  const std::size_t nodes = below.size();
  level.of_node.resize(nodes);
  level.parent.resize(nodes);
  level.offsets.resize(nodes + 1);
  level.targets.resize(neighbours_.size());
  table_.assign(std::bit_ceil(2 * nodes + 1), kFree);
  Round round{ends_.data(),           neighbours_.data(),   before.data(),
              below.data(),           signature_.data(),    next_signature_.data(),
              table_.data(),          table_.size() - 1,    level.of_node.data(),
              level.parent.data(),    level.offsets.data(), level.targets.data(),
              class_signature_.data()};
  round.run(nodes);
  level.parent.resize(round.classes);
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

}  // namespace gcfx
