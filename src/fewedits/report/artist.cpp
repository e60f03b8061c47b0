// SPDX-License-Identifier: MIT
#include "fewedits/report/artist.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <utility>

#include "fewedits/chem/molecule.hpp"
#include "fewedits/proof/edit_script.hpp"
#include "fewedits/report/layout.hpp"

namespace fewedits {
namespace {

Anchors anchors_for(const Positions& target, std::span<const Node> map) {
  Anchors out(map.size());
  for (std::size_t v = 0; v < map.size(); ++v) {
    if (map[v] != kUnmatched) out[v] = target[map[v]];
  }
  return out;
}

using Complex = std::complex<double>;
Complex number(Point p) { return {p.x, p.y}; }

/// Turns, mirrors and shifts a picture so that the squares of the ways to the anchors are least.
Positions aligned(const Positions& at, const Anchors& anchors) {
  Complex from_mean;
  Complex to_mean;
  double count = 0;
  for (std::size_t v = 0; v < at.size(); ++v) {
    if (!anchors[v]) continue;
    from_mean += number(at[v]);
    to_mean += number(*anchors[v]);
    ++count;
  }
  if (count == 0) return at;
  from_mean /= count;
  to_mean /= count;
  Complex turn;
  Complex mirror;
  for (std::size_t v = 0; v < at.size(); ++v) {
    if (!anchors[v]) continue;
    const Complex from = number(at[v]) - from_mean;
    const Complex to = number(*anchors[v]) - to_mean;
    turn += std::conj(from) * to;
    mirror += from * to;
  }
  const bool mirrored = std::abs(mirror) > std::abs(turn);
  const Complex best = mirrored ? mirror : turn;
  const Complex rotation = std::abs(best) < 1e-9 ? Complex(1) : best / std::abs(best);
  Positions out;
  for (const Point p : at) {
    const Complex from = number(p) - from_mean;
    const Complex z = rotation * (mirrored ? std::conj(from) : from) + to_mean;
    out.push_back({z.real(), z.imag()});
  }
  return out;
}

double distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

double distance_to_line(Point p, Point a, Point b) {
  const double squared = (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y);
  if (squared < 1e-12) return distance(p, a);
  const double along = ((p.x - a.x) * (b.x - a.x) + (p.y - a.y) * (b.y - a.y)) / squared;
  const double t = std::clamp(along, 0.0, 1.0);
  return distance(p, {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)});
}

bool cross(Point a, Point b, Point c, Point d) {
  const auto side = [](Point p, Point q, Point r) {
    return (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
  };
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

bool share_node(const Edge& a, const Edge& b) {
  return a.u == b.u || a.u == b.v || a.v == b.u || a.v == b.v;
}

double crowding(const Positions& at) {
  constexpr double kTooClose = 0.5;
  double sum = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double d = distance(at[i], at[j]);
      if (d < kTooClose) sum += 1 + 4 * (kTooClose - d) / kTooClose;
    }
  }
  return sum;
}

double edge_flaws(const Edge& e, const Graph& graph, const Positions& at) {
  constexpr double kTooLong = 1.7;
  constexpr double kOnEdge = 0.2;
  double sum = std::max(0.0, distance(at[e.u], at[e.v]) - kTooLong);
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    if (v != e.u && v != e.v && distance_to_line(at[v], at[e.u], at[e.v]) < kOnEdge) ++sum;
  }
  return sum;
}

double displacement(const Positions& at, const Anchors& anchors) {
  constexpr double kNear = 0.3;
  double sum = 0;
  for (std::size_t v = 0; v < anchors.size(); ++v) {
    if (anchors[v] && distance(at[v], *anchors[v]) > kNear) sum += 0.7;
  }
  return sum;
}

/// Keeps the picture with the fewest flaws, the first among equals.
class Candidate {
 public:
  Candidate(const Graph& graph, const Anchors& anchors) : graph_(graph), anchors_(anchors) {}

  /// `more` is what else is wrong with the picture.
  void consider(Positions at, double more = 0) {
    const bool judged = at.size() <= kLargestDrawnWell;
    const double score = judged ? flaws(graph_, at, anchors_) + more : 0;
    if (least_ && score >= *least_) return;
    best_ = std::move(at);
    least_ = score;
  }
  /// One more attempt is not worth its time.
  [[nodiscard]] bool good() const { return least_ && *least_ < 0.5; }
  Positions best() && { return std::move(best_); }

 private:
  const Graph& graph_;
  const Anchors& anchors_;
  Positions best_;
  std::optional<double> least_;
};

/// The largest part of the start that hangs together by edges that are in the target, too.
std::vector<bool> kept_part(const Graph& start, const Graph& target, std::span<const Node> map) {
  const auto is_kept = [&](Node v, Node w) {
    return map[v] != kUnmatched && map[w] != kUnmatched && target.has_edge(map[v], map[w]);
  };
  std::vector<bool> seen(start.num_nodes(), false);
  std::vector<Node> largest;
  for (Node v = 0; v < start.num_nodes(); ++v) {
    if (seen[v] || map[v] == kUnmatched) continue;
    std::vector<Node> part{v};
    seen[v] = true;
    for (std::size_t i = 0; i < part.size(); ++i) {
      for (const Node w : start.neighbours(part[i])) {
        if (seen[w] || !is_kept(part[i], w)) continue;
        seen[w] = true;
        part.push_back(w);
      }
    }
    if (part.size() > largest.size()) largest = std::move(part);
  }
  std::vector<bool> out(start.num_nodes(), false);
  for (const Node v : largest) out[v] = true;
  return out;
}

/// How far edges are from the length that they should have.
double strain(const Graph& graph, const Positions& at, double edge) {
  constexpr double kAllowed = 0.25;
  double sum = 0;
  for (const Edge& e : graph.edges()) {
    sum += std::max(0.0, std::abs(distance(at[e.u], at[e.v]) / edge - 1) - kAllowed);
  }
  return sum;
}

/// Molecules whose labels have no names, as in NCI1: few neighbours, few rings. RDKit draws such
/// graphs best, whatever the labels mean.
bool looks_like_molecules(const Dataset& dataset) {
  const auto fits = [](const Graph& g) {
    for (Node v = 0; v < g.num_nodes(); ++v) {
      if (g.degree(v) > 4) return false;
    }
    return 4 * g.num_edges() <= 5 * std::size_t{g.num_nodes()};
  };
  const auto fitting = std::count_if(dataset.graphs.begin(), dataset.graphs.end(), fits);
  return 20 * static_cast<std::size_t>(fitting) >= 19 * dataset.size();
}

/// Edges between filled nodes need more room to be seen than bonds.
constexpr double kGenericEdge = 1.4;

}  // namespace

double flaws(const Graph& graph, const Positions& at, const Anchors& anchors) {
  const std::vector<Edge> edges = graph.edges();
  double sum = crowding(at) + displacement(at, anchors);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    sum += edge_flaws(edges[i], graph, at);
    for (std::size_t j = 0; j < i; ++j) {
      if (share_node(edges[i], edges[j])) continue;
      sum += cross(at[edges[i].u], at[edges[i].v], at[edges[j].u], at[edges[j].v]) ? 0.7 : 0;
    }
  }
  return sum;
}

Artist::Artist(const Dataset& dataset)
    : molecules_(dataset.is_molecular()),
      use_rdkit_(has_rdkit() && (molecules_ || looks_like_molecules(dataset))),
      edge_(use_rdkit_ || molecules_ ? 1 : kGenericEdge) {
  elements_ = molecules_ ? label_names(dataset).nodes
                         : std::vector<std::string>(dataset.node_labels.size(), "C");
}

Positions Artist::by_rdkit(const Graph& graph, const Anchors& anchors) const {
  if (graph.num_nodes() > kLargestDrawnWell) return layout_graph(graph, anchors, edge_);
  Anchors scaled = anchors;
  for (auto& anchor : scaled) {
    if (anchor) anchor = Point{kBondLength * anchor->x, kBondLength * anchor->y};
  }
  // Bond orders hardly change the picture, and a dataset may name them as it likes.
  Positions at = layout_molecule(graph.without_edge_labels(), elements_, {}, scaled);
  for (Point& p : at) p = {p.x / kBondLength, p.y / kBondLength};
  return at;
}

Positions Artist::draw(const Graph& graph) const {
  const Anchors none;
  Candidate choice(graph, none);
  if (use_rdkit_) choice.consider(by_rdkit(graph, {}));
  if (!choice.good()) choice.consider(layout_graph(graph, {}, edge_));
  return std::move(choice).best();
}

Positions Artist::draw_like(const Graph& graph, const Positions& target,
                            std::span<const Node> map) const {
  const Anchors anchors = anchors_for(target, map);
  Candidate choice(graph, anchors);
  if (use_rdkit_) choice.consider(by_rdkit(graph, anchors));
  if (!choice.good()) choice.consider(layout_graph(graph, anchors, edge_));
  if (!choice.good())
    choice.consider(
        aligned(use_rdkit_ ? by_rdkit(graph, {}) : layout_graph(graph, {}, edge_), anchors));
  return std::move(choice).best();
}

Positions Artist::draw_changed(const Graph& start, const Positions& start_at, const Graph& target,
                               std::span<const Node> map) const {
  const std::vector<bool> kept = kept_part(start, target, map);
  Anchors all(target.num_nodes());
  Anchors core(target.num_nodes());
  for (Node v = 0; v < start.num_nodes(); ++v) {
    if (map[v] == kUnmatched) continue;
    all[map[v]] = start_at[v];
    if (kept[v]) core[map[v]] = start_at[v];
  }
  // Of structural formulas one that looks like its molecule goes before one in the same place;
  // edges of other graphs may have any length.
  const double strained = use_rdkit_ ? 3 : 0;
  const double most_moved = use_rdkit_ ? 1.2 : 2;
  const Anchors none;
  Candidate choice(target, none);
  const auto consider = [&](Positions at) {
    const double more =
        strained * strain(target, at, edge_) + std::min(most_moved, displacement(at, core));
    choice.consider(std::move(at), more);
  };
  const auto drawn = [&](const Anchors& anchors) {
    return use_rdkit_ ? by_rdkit(target, anchors) : layout_graph(target, anchors, edge_);
  };
  consider(drawn(all));
  if (!choice.good()) consider(drawn(core));
  if (!choice.good()) consider(aligned(draw(target), core));
  if (!choice.good() && use_rdkit_) consider(layout_graph(target, all, edge_));
  return std::move(choice).best();
}

}  // namespace fewedits
