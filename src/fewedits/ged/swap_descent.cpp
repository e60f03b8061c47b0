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

// ---- The same where labels of edges count ---------------------------------------------------

/// A common edge saves 2, less what another label costs: `any` for each, `same` more if the labels
/// agree.
struct LabelledMapped : Mapped {
  static constexpr std::size_t kLayers = PreparedGraph::kEdgeLabels;
  Word any;
  Word same;
  std::size_t layers;  ///< labels that both graphs may have
  std::array<Lanes, kLayers> around_by;
  std::array<Lanes, kLayers> images_by;
  std::array<Lanes, kLayers> near_by;  ///< neighbours of the node
};

inline Word common_edges(const LabelledMapped& m, Word images, Word around, std::size_t u,
                         const Word* around_by, std::size_t stride) {
  Word same = 0;
  for (std::size_t l = 0; l < m.layers; ++l) {
    same += static_cast<Word>(std::popcount(m.images_by[l][u] & around_by[l * stride]));
  }
  return m.any * static_cast<Word>(std::popcount(images & around)) + m.same * same;
}

void start_layers(const PreparedGraph& graph, const PreparedGraph& input, Word relabel,
                  LabelledMapped& m) {
  m.any = 2 - relabel;
  m.same = relabel;
  m.layers = std::min(graph.num_edge_labels(), input.num_edge_labels());
  const auto near = graph.labelled_bit_rows();
  for (std::size_t u = 0; u < m.nodes; ++u) {
    for (std::size_t l = 0; l < m.layers; ++l) {
      m.near_by[l][u] = near[u * graph.num_edge_labels() + l];
    }
  }
}

FEWEDITS_TARGET_CLONES void look_up(const PreparedGraph& graph, const PreparedGraph& input,
                                    const Node* map, LabelledMapped& m) {
  look_up(graph, input, map, static_cast<Mapped&>(m));
  const auto near = input.labelled_bit_rows();
  const std::size_t labels = input.num_edge_labels();
  for (std::size_t l = 0; l < m.layers; ++l) {
    for (std::size_t u = 0; u < m.nodes; ++u) {
      m.around_by[l][u] = m.has_image[u] != 0 ? near[m.image_at[u] * labels + l] : 0;
      Word images = 0;
      for (Word left = m.near_by[l][u]; left != 0; left &= left - 1) {
        const auto v = static_cast<std::size_t>(std::countr_zero(left));
        images |= m.has_image[v] << m.image_at[v];
      }
      m.images_by[l][u] = images;
    }
  }
  for (std::size_t u = 0; u < m.nodes; ++u) {
    m.saves[u] =
        common_edges(m, m.images[u], m.around[u], u, &m.around_by[0][u], PreparedGraph::kBits) +
        node_profit(m.has_image[u], m.labels[u], m.wants[u]);
  }
}

/// What is said of the edges in best_exchange, of those of one layer.
FEWEDITS_TARGET_CLONES void add_layer(const Mapped& m, Word weight, Word near, std::size_t u,
                                      const Lanes& images, const Lanes& around, Lanes& offers) {
  const Word images_u = images[u];
  const Word around_u = around[u];
  for (std::size_t j = 0; j < m.nodes; ++j) {
    const Word stays = (near >> j) & (around_u >> m.image_at[j]) & m.has_image[j];
    offers[j] += weight * (static_cast<Word>(std::popcount(images_u & around[j])) +
                           static_cast<Word>(std::popcount(images[j] & around_u)) + 2 * stays);
  }
}

/// The exact offers only where one could be better than what u saves: if all labels agreed, they
/// would be those of best_exchange without labels. What is no better is not exact.
std::int64_t best_exchange(const LabelledMapped& m, Word near, std::size_t u, Lanes& offers) {
  const auto saves = static_cast<std::int64_t>(m.saves[u]);
  const std::int64_t most = best_exchange(static_cast<const Mapped&>(m), near, u, offers);
  if (most <= saves) return saves;
  const Word label = m.labels[u];
  const Word wants = m.wants[u];
  const Word has_image = m.has_image[u];
  for (std::size_t j = 0; j < m.nodes; ++j) {
    offers[j] = node_profit(m.has_image[j], label, m.wants[j]) +
                node_profit(has_image, m.labels[j], wants) - m.saves[j];
  }
  if (m.any != 0) add_layer(m, m.any, near, u, m.images, m.around, offers);
  for (std::size_t l = 0; l < m.layers; ++l) {
    add_layer(m, m.same, m.near_by[l][u], u, m.images_by[l], m.around_by[l], offers);
  }
  std::int64_t best = 0;
  for (std::size_t j = 0; j < m.nodes; ++j) {
    best = std::max(best, static_cast<std::int64_t>(offers[j]));
  }
  return best;
}

FEWEDITS_TARGET_CLONES std::pair<std::int64_t, std::size_t> best_free_image(
    const LabelledMapped& m, const PreparedGraph& input, std::size_t u) {
  std::pair<std::int64_t, std::size_t> best{0, 0};
  for (Word left = m.free; left != 0; left &= left - 1) {
    const auto x = static_cast<std::size_t>(std::countr_zero(left));
    const auto saves = static_cast<std::int64_t>(common_edges(
                           m, m.images[u], input.bit_rows()[x], u,
                           &input.labelled_bit_rows()[x * input.num_edge_labels()], 1)) +
                       (m.labels[u] == input.graph().labels()[x] ? 2 : 1);
    if (saves > best.first) best = {saves, x};
  }
  return best;
}

// ---- Either ---------------------------------------------------------------------------------

void start_layers(const PreparedGraph& /*graph*/, const PreparedGraph& /*input*/, Word /*relabel*/,
                  Mapped& /*m*/) {}

template <typename State>
class Descent {
 public:
  Descent(const PreparedGraph& graph, const PreparedGraph& input, std::span<Node> map, Word relabel)
      : graph_(graph), input_(input), map_(map) {
    m_.nodes = map.size();
    const auto labels = graph.graph().labels();
    for (std::size_t u = 0; u < m_.nodes; ++u) m_.labels[u] = labels[u];
    start_layers(graph, input, relabel, m_);
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
  State m_;
  Lanes offers_;
  Word changed_ = 0;  ///< by the last exchange
};

}  // namespace

std::int32_t descend_by_swaps(const PreparedGraph& graph, const PreparedGraph& input,
                              std::span<Node> map, std::span<const Node> touched, bool freed,
                              std::int32_t relabel_edge) {
  assert(can_descend_by_swaps(graph, input) && map.size() == graph.graph().num_nodes());
  Word exchange = 0;
  for (const Node u : touched) exchange |= bit(u);
  const Word take = freed ? first_bits(map.size()) : 0;
  const auto relabel = static_cast<Word>(std::min(relabel_edge, 2));
  const bool labelled = relabel > 0 && graph.graph().has_edge_labels();
  return labelled ? Descent<LabelledMapped>(graph, input, map, relabel).run(exchange, take)
                  : Descent<Mapped>(graph, input, map, 0).run(exchange, take);
}

}  // namespace fewedits
