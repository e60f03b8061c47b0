// SPDX-License-Identifier: MIT
#include "fewedits/ged/swap_descent.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <utility>

#include "fewedits/base/target_clones.hpp"

namespace fewedits {
namespace {

using Word = std::uint64_t;
using Lanes = std::array<Word, PreparedGraph::kBits>;

Word bit(std::size_t at) { return Word{1} << at; }
Word first_bits(std::size_t count) {
  return count == PreparedGraph::kBits ? ~Word{0} : bit(count) - 1;
}

/// A map and what follows from it, a place per node of the graph.
/// PERF NOTE: all of it is looked up anew after an exchange, which takes longer than looking for
/// one; but most maps need none.
struct Mapped {
  std::size_t nodes;
  Lanes labels;
  Lanes image_at;   ///< the image; any if there is none
  Lanes has_image;  ///< 0 or 1
  Lanes wants;      ///< label of the image
  Lanes around;     ///< neighbours of the image
  Lanes images;     ///< images of the neighbours
  Lanes saves;      ///< what mapping the node saves: its label, its edges
  Word free;        ///< nodes of the input that are nobody's image
};

/// What a node saves on an image: nothing is deleted and inserted, nor relabelled if labels agree.
Word node_profit(Word has_image, Word label, Word wanted) {
  return has_image * (label == wanted ? 2 : 1);
}

FEWEDITS_TARGET_CLONES void look_up(const PreparedGraph& graph, const PreparedGraph& input,
                                    const Node* map, Mapped& m) {
  const auto near = input.bit_rows();
  const auto labels = input.graph().labels();
  m.free = first_bits(near.size());
  Lanes image_bit;
  for (std::size_t u = 0; u < m.nodes; ++u) {
    const bool mapped = map[u] != kUnmatched;
    const std::size_t x = mapped ? map[u] : 0;
    m.image_at[u] = x;
    m.has_image[u] = mapped ? 1 : 0;
    m.wants[u] = labels[x];
    m.around[u] = mapped ? near[x] : 0;
    image_bit[u] = mapped ? bit(x) : 0;
    m.free &= ~image_bit[u];
  }
  const auto offsets = graph.graph().offsets();
  const auto targets = graph.graph().targets();
  for (std::size_t u = 0; u < m.nodes; ++u) {
    Word images = 0;
    for (std::size_t e = offsets[u]; e < offsets[u + 1]; ++e) images |= image_bit[targets[e]];
    m.images[u] = images;
  }
  for (std::size_t u = 0; u < m.nodes; ++u) {
    m.saves[u] = 2 * static_cast<Word>(std::popcount(m.images[u] & m.around[u])) +
                 node_profit(m.has_image[u], m.labels[u], m.wants[u]);
  }
}

/// What u and each node would save with their images exchanged, less what that node saves now; the
/// arithmetic is MapSearch's. For u itself that is what it saves.
FEWEDITS_TARGET_CLONES std::int64_t best_exchange(const Mapped& m, Word near, std::size_t u,
                                                  Lanes& offers) {
  const Word label = m.labels[u];
  const Word wants = m.wants[u];
  const Word has_image = m.has_image[u];
  const Word images = m.images[u];
  const Word around = m.around[u];
  std::int64_t best = 0;
  for (std::size_t j = 0; j < m.nodes; ++j) {
    const Word stays = (near >> j) & (around >> m.image_at[j]) & m.has_image[j];
    const Word edges = static_cast<Word>(std::popcount(images & m.around[j])) +
                       static_cast<Word>(std::popcount(m.images[j] & around)) + 2 * stays;
    const Word nodes =
        node_profit(m.has_image[j], label, m.wants[j]) + node_profit(has_image, m.labels[j], wants);
    offers[j] = 2 * edges + nodes - m.saves[j];
    const auto offer = static_cast<std::int64_t>(offers[j]);
    best = offer > best ? offer : best;
  }
  return best;
}

/// The most u would save on an image that is nobody's, and which.
FEWEDITS_TARGET_CLONES std::pair<std::int64_t, std::size_t> best_free_image(
    const Mapped& m, const PreparedGraph& input, std::size_t u) {
  std::pair<std::int64_t, std::size_t> best{0, 0};
  for (Word left = m.free; left != 0; left &= left - 1) {
    const auto x = static_cast<std::size_t>(std::countr_zero(left));
    const auto saves =
        2 * static_cast<std::int64_t>(std::popcount(m.images[u] & input.bit_rows()[x])) +
        (m.labels[u] == input.graph().labels()[x] ? 2 : 1);
    if (saves > best.first) best = {saves, x};
  }
  return best;
}

class Descent {
 public:
  Descent(const PreparedGraph& graph, const PreparedGraph& input, std::span<Node> map)
      : graph_(graph), input_(input), map_(map) {
    m_.nodes = map.size();
    const auto labels = graph.graph().labels();
    for (std::size_t u = 0; u < m_.nodes; ++u) m_.labels[u] = labels[u];
    look_up(graph_, input_, map_.data(), m_);
  }

  std::int32_t run(Word exchange, Word take) {
    std::int64_t gained = 0;
    while ((exchange | take) != 0) {
      const auto u = static_cast<std::size_t>(std::countr_zero(exchange | take));
      const std::int64_t gain = improve(u, (exchange & bit(u)) != 0);
      if (gain == 0) {
        exchange &= ~bit(u);
        take &= ~bit(u);
        continue;
      }
      gained += gain;
      look_up(graph_, input_, map_.data(), m_);
      exchange |= changed_;
      if (m_.free != 0) take = first_bits(m_.nodes);
    }
    return static_cast<std::int32_t>(gained);
  }

 private:
  std::int64_t improve(std::size_t u, bool exchange) {
    const auto saves = static_cast<std::int64_t>(m_.saves[u]);
    const auto [on_free, x] = best_free_image(m_, input_, u);
    const std::int64_t best = exchange ? best_exchange(m_, near(u), u, offers_) : saves;
    if (std::max(on_free, best) <= saves) return 0;
    changed_ = bit(u) | near(u);
    if (on_free >= best) {
      map_[u] = static_cast<Node>(x);
      return on_free - saves;
    }
    std::size_t j = 0;
    while (static_cast<std::int64_t>(offers_[j]) != best) ++j;
    std::swap(map_[u], map_[j]);
    changed_ |= bit(j) | near(j);
    return best - saves;
  }
  [[nodiscard]] Word near(std::size_t u) const { return graph_.bit_rows()[u]; }

  const PreparedGraph& graph_;
  const PreparedGraph& input_;
  std::span<Node> map_;
  Mapped m_;
  Lanes offers_;
  Word changed_ = 0;  ///< by the last exchange
};

}  // namespace

std::int32_t descend_by_swaps(const PreparedGraph& graph, const PreparedGraph& input,
                              std::span<Node> map, std::span<const Node> touched, bool freed) {
  assert(can_descend_by_swaps(graph, input) && map.size() == graph.graph().num_nodes());
  Word exchange = 0;
  for (const Node u : touched) exchange |= bit(u);
  return Descent(graph, input, map).run(exchange, freed ? first_bits(map.size()) : 0);
}

}  // namespace fewedits
