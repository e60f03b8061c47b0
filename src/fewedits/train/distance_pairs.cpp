// SPDX-License-Identifier: MIT
#include "fewedits/train/distance_pairs.hpp"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "fewedits/ged/batch.hpp"
#include "fewedits/ged/lower_bound.hpp"
#include "fewedits/ged/solver_pool.hpp"

namespace fewedits {
namespace {

/// A similar graph is the closest of this many by label counts. Then 5 to 10% of the pairs of
/// molecules are within θ = 0.1, where 1% of random pairs are.
constexpr std::size_t kSimilarChoices = 64;

/// Does v still reach u when their edge is gone?
bool on_cycle(const Graph& g, Node u, Node v) {
  std::vector<bool> seen(g.num_nodes(), false);
  std::vector<Node> open{v};
  seen[v] = true;
  while (!open.empty()) {
    const Node at = open.back();
    open.pop_back();
    for (const Node next : g.neighbours(at)) {
      if (seen[next] || (at == v && next == u)) continue;
      if (next == u) return true;
      seen[next] = true;
      open.push_back(next);
    }
  }
  return false;
}

Node random_node(const Graph& g, Rng& rng) { return static_cast<Node>(rng.below(g.num_nodes())); }

Label random_label(Label labels, Rng& rng) { return static_cast<Label>(rng.below(labels)); }

using MaybeStep = std::optional<EditStep>;

MaybeStep relabel(const Graph& g, Label labels, Rng& rng) {
  const Node v = random_node(g, rng);
  const Label label = random_label(labels, rng);
  if (label == g.label(v)) return {};
  return EditStep{g.with_label(v, label), 1};
}

MaybeStep add_edge(const Graph& g, Rng& rng) {
  const Node u = random_node(g, rng);
  const Node v = random_node(g, rng);
  if (u == v || g.has_edge(u, v)) return {};
  return EditStep{g.with_edge(u, v), 1};
}

MaybeStep remove_edge(const Graph& g, Rng& rng) {
  if (g.num_edges() == 0) return {};
  const auto edges = g.edges();
  const Edge e = edges[rng.below(edges.size())];
  if (!on_cycle(g, e.u, e.v)) return {};
  return EditStep{g.without_edge(e.u, e.v), 1};
}

MaybeStep remove_leaf(const Graph& g, Rng& rng) {
  const Node v = random_node(g, rng);
  if (g.degree(v) != 1) return {};
  return EditStep{g.without_node(v), 2};
}

MaybeStep try_edit(const Graph& g, Label labels, Rng& rng) {
  switch (rng.below(5)) {
    case 0: return relabel(g, labels, rng);
    case 1: return add_edge(g, rng);
    case 2: return remove_edge(g, rng);
    case 3: return remove_leaf(g, rng);
    default: return EditStep{g.with_leaf(random_node(g, rng), random_label(labels, rng)), 2};
  }
}

struct Group {
  PairKind kind = PairKind::kRandom;
  std::vector<PreparedGraph> graphs;
  std::vector<std::int64_t> costs;  ///< edited: of the steps to each graph from the one before

  /// A distance that is not exceeded because of how the group was made.
  [[nodiscard]] std::int64_t known_upper(std::size_t a, std::size_t b) const {
    std::int64_t most = largest_distance(graphs[a].graph(), graphs[b].graph(), {});
    if (kind != PairKind::kEdited) return most;
    std::int64_t path = 0;
    for (std::size_t i = a + 1; i <= b; ++i) path += costs[i];
    return std::min(most, path);
  }
};

class PairMaker {
 public:
  PairMaker(std::span<const PreparedGraph> source, const PairOptions& options)
      : source_(source), options_(options) {}

  [[nodiscard]] Group group(std::size_t index) const {
    Rng rng(options_.seed, index);
    const double draw = rng.uniform();
    if (draw < options_.edited_share) return edited(rng);
    if (draw < options_.edited_share + options_.similar_share) return similar(rng);
    return random(rng);
  }

 private:
  [[nodiscard]] const PreparedGraph& any(Rng& rng) const {
    return source_[rng.below(source_.size())];
  }

  [[nodiscard]] Group edited(Rng& rng) const {
    Group out{PairKind::kEdited, {any(rng)}, {0}};
    const auto most = 2 * static_cast<std::size_t>(options_.max_edits) / options_.group_size;
    while (out.graphs.size() < options_.group_size) {
      EditStep last{out.graphs.back().graph(), 0};
      for (std::size_t k = 1 + rng.below(std::max<std::size_t>(1, most)); k > 0; --k) {
        EditStep next = random_edit(last.graph, options_.labels, rng);
        last = {std::move(next.graph), last.cost + next.cost};
      }
      out.graphs.emplace_back(std::move(last.graph));
      out.costs.push_back(last.cost);
    }
    return out;
  }

  /// Different places of the source, the first `count` of a random order.
  [[nodiscard]] std::vector<std::size_t> draw(std::size_t count, Rng& rng) const {
    std::vector<std::size_t> out;
    while (out.size() < std::min(count, source_.size())) {
      const std::size_t i = rng.below(source_.size());
      if (std::find(out.begin(), out.end(), i) == out.end()) out.push_back(i);
    }
    return out;
  }

  [[nodiscard]] Group random(Rng& rng) const {
    Group out{PairKind::kRandom, {}, {}};
    for (const std::size_t i : draw(options_.group_size, rng)) out.graphs.push_back(source_[i]);
    return out;
  }

  [[nodiscard]] Group similar(Rng& rng) const {
    std::vector<std::size_t> chosen = draw(std::max(kSimilarChoices, options_.group_size), rng);
    const PreparedGraph& anchor = source_[chosen.front()];
    std::vector<std::pair<double, std::size_t>> others;
    for (const std::size_t i : std::span(chosen).subspan(1)) {
      const std::int64_t bound = label_bound(anchor.profile(), source_[i].profile(), {});
      others.emplace_back(normalized_distance(bound, anchor.graph(), source_[i].graph()), i);
    }
    std::sort(others.begin(), others.end());
    Group out{PairKind::kSimilar, {anchor}, {}};
    for (std::size_t k = 0; k + 1 < options_.group_size; ++k) {
      out.graphs.push_back(source_[others[k].second]);
    }
    return out;
  }

  std::span<const PreparedGraph> source_;
  const PairOptions& options_;
};

/// Writes group `index` to its place in the set.
void label_group(const Group& group, std::size_t index, GedSolver& solver, PairSet& set) {
  const std::size_t first = index * set.group_size;
  std::size_t at = index * set.pairs_per_group();
  for (std::size_t a = 0; a < set.group_size; ++a) {
    set.graphs[first + a] = group.graphs[a].graph();
    for (std::size_t b = a + 1; b < set.group_size; ++b) {
      const GedBounds bounds = solver.exact(group.graphs[a], group.graphs[b]);
      set.pairs[at++] = {static_cast<std::uint32_t>(first + a),
                         static_cast<std::uint32_t>(first + b), bounds.lower,
                         std::min(bounds.upper, group.known_upper(a, b)), group.kind};
    }
  }
}

}  // namespace

std::size_t PairSet::num_exact() const {
  return static_cast<std::size_t>(
      std::count_if(pairs.begin(), pairs.end(), [](const LabelledPair& p) { return p.exact(); }));
}

EditStep random_edit(const Graph& graph, Label labels, Rng& rng) {
  // Most tries succeed; only graphs without any edit (no nodes, or too few labels) use them up.
  constexpr int kTries = 100;
  for (int i = 0; i < kTries && graph.num_nodes() > 0; ++i) {
    if (MaybeStep step = try_edit(graph, labels, rng)) return std::move(*step);
  }
  return {graph, 0};
}

PairSet make_pairs(std::span<const Graph> source, const PairOptions& options, ThreadPool& pool,
                   const PairProgress& progress) {
  assert(options.group_size >= 2 && source.size() >= options.group_size);
  const std::vector<PreparedGraph> prepared = prepare_graphs(source, pool);
  const PairMaker maker(prepared, options);
  GedOptions ged;
  ged.budget = options.budget;
  SolverPool solvers(ged, pool);

  PairSet set;
  set.group_size = options.group_size;
  const std::size_t groups = (options.pairs + set.pairs_per_group() - 1) / set.pairs_per_group();
  set.graphs.resize(groups * set.group_size);
  set.pairs.resize(groups * set.pairs_per_group());
  // Between two calls of `progress`: a tenth of a second for molecules, a few for large graphs.
  const std::size_t block = 16 * static_cast<std::size_t>(pool.size());
  std::size_t done = 0;
  while (done < groups) {
    const std::size_t count = std::min(block, groups - done);
    pool.for_chunks(count, 1, [&](std::size_t begin, std::size_t end, int worker) {
      for (std::size_t g = done + begin; g < done + end; ++g) {
        label_group(maker.group(g), g, solvers[worker], set);
      }
    });
    done += count;
    if (progress && !progress(done * set.pairs_per_group())) break;
  }
  set.graphs.resize(done * set.group_size);
  set.pairs.resize(done * set.pairs_per_group());
  return set;
}

}  // namespace fewedits
