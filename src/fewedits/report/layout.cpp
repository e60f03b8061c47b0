// SPDX-License-Identifier: MIT
#include "fewedits/report/layout.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <utility>

namespace fewedits {
namespace {

constexpr int kSweeps = 120;
constexpr double kGoldenAngle = 2.399963;

Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
Point operator*(double s, Point p) { return {s * p.x, s * p.y}; }
double length(Point p) { return std::hypot(p.x, p.y); }

/// Distance along edges of every node to `from`; the nodes in the order in which they are reached.
std::vector<Node> breadth_first(const Graph& g, Node from, std::vector<std::uint32_t>& steps) {
  constexpr auto kUnseen = std::numeric_limits<std::uint32_t>::max();
  steps.assign(g.num_nodes(), kUnseen);
  steps[from] = 0;
  std::vector<Node> order{from};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const Node w : g.neighbours(order[i])) {
      if (steps[w] != kUnseen) continue;
      steps[w] = steps[order[i]] + 1;
      order.push_back(w);
    }
  }
  return order;
}

std::vector<std::vector<Node>> components(const Graph& g) {
  std::vector<std::vector<Node>> out;
  std::vector<bool> seen(g.num_nodes(), false);
  std::vector<std::uint32_t> steps;
  for (Node v = 0; v < g.num_nodes(); ++v) {
    if (seen[v]) continue;
    out.push_back(breadth_first(g, v, steps));
    for (const Node w : out.back()) seen[w] = true;
    std::sort(out.back().begin(), out.back().end());
  }
  return out;
}

/// One connected component, its nodes numbered from 0.
class Stress {
 public:
  Stress(const Graph& g, std::span<const Node> nodes) : n_(nodes.size()), distance_(n_ * n_) {
    std::vector<std::uint32_t> steps;
    for (std::size_t i = 0; i < n_; ++i) {
      breadth_first(g, nodes[i], steps);
      for (std::size_t j = 0; j < n_; ++j) distance_[i * n_ + j] = steps[nodes[j]];
    }
  }

  /// The two main axes of the distances (classical scaling), by power iteration.
  [[nodiscard]] Positions start() const {
    std::vector<double> inner = inner_products();
    Positions out(n_);
    for (int axis = 0; axis < 2; ++axis) {
      std::vector<double> v(n_);
      for (std::size_t i = 0; i < n_; ++i) v[i] = std::cos(1.0 + 2.3 * static_cast<double>(i));
      double value = 0;
      for (int round = 0; round < 60; ++round) value = power_step(inner, v);
      for (std::size_t i = 0; i < n_; ++i) {
        (axis == 0 ? out[i].x : out[i].y) = std::sqrt(std::max(value, 0.0)) * v[i];
        for (std::size_t j = 0; j < n_; ++j) inner[i * n_ + j] -= value * v[i] * v[j];
      }
    }
    // Twins, e.g. two leaves of one node, would start in the same place and stay there.
    for (std::size_t i = 0; i < n_; ++i) {
      const double angle = kGoldenAngle * static_cast<double>(i);
      out[i] = out[i] + 0.05 * Point{std::cos(angle), std::sin(angle)};
    }
    return out;
  }

  void relax(const std::vector<bool>& fixed, Positions& at) const {
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      double moved = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        if (fixed[i]) continue;
        const Point to = wanted(i, at);
        moved = std::max(moved, length(to - at[i]));
        at[i] = to;
      }
      if (moved < 1e-3) return;
    }
  }

 private:
  [[nodiscard]] std::vector<double> inner_products() const {
    std::vector<double> squares(n_ * n_);
    std::vector<double> mean(n_, 0);
    double total = 0;
    const auto n = static_cast<double>(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) {
        const double d = distance_[i * n_ + j];
        squares[i * n_ + j] = d * d;
        mean[i] += d * d / n;
      }
      total += mean[i] / n;
    }
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) {
        double& entry = squares[i * n_ + j];
        entry = -0.5 * (entry - mean[i] - mean[j] + total);
      }
    }
    return squares;
  }

  double power_step(const std::vector<double>& matrix, std::vector<double>& v) const {
    std::vector<double> next(n_, 0);
    double norm = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) next[i] += matrix[i * n_ + j] * v[j];
      norm += next[i] * next[i];
    }
    norm = std::sqrt(norm);
    if (norm < 1e-9) {
      v.assign(n_, 0);
      return 0;
    }
    for (std::size_t i = 0; i < n_; ++i) v[i] = next[i] / norm;
    return norm;
  }

  /// Where node i is under the least stress while the others stay.
  [[nodiscard]] Point wanted(std::size_t i, const Positions& at) const {
    Point sum;
    double weights = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      if (j == i) continue;
      const double d = distance_[i * n_ + j];
      const Point apart = at[i] - at[j];
      const double weight = 1 / (d * d);
      sum = sum + weight * (at[j] + (d / std::max(length(apart), 1e-9)) * apart);
      weights += weight;
    }
    return weights > 0 ? (1 / weights) * sum : at[i];
  }

  std::size_t n_;
  std::vector<double> distance_;
};

/// Rings around the first node, one for each distance from it.
void place_in_rings(const Graph& g, std::span<const Node> nodes, const Anchors& anchors,
                    Positions& at) {
  std::vector<std::uint32_t> steps;
  const std::vector<Node> order = breadth_first(g, nodes.front(), steps);
  double radius = 0;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && steps[order[end]] == steps[order[begin]]) ++end;
    const auto count = static_cast<double>(end - begin);
    if (begin > 0) radius = std::max(radius + 1, count / (2 * std::numbers::pi));
    for (std::size_t i = begin; i < end; ++i) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(i - begin) / count;
      at[order[i]] = radius * Point{std::cos(angle), std::sin(angle)};
    }
    begin = end;
  }
  for (const Node v : nodes) {
    if (!anchors.empty() && anchors[v]) at[v] = *anchors[v];
  }
}

/// Gives every free node a first place: beside a neighbour that has one, away from the middle.
void start_from_anchors(const Graph& g, std::span<const Node> nodes, const Anchors& anchors,
                        Positions& at) {
  Point middle;
  double anchored = 0;
  std::vector<bool> placed(g.num_nodes(), false);
  std::vector<Node> order;
  for (const Node v : nodes) {
    if (!anchors[v]) continue;
    at[v] = *anchors[v];
    placed[v] = true;
    order.push_back(v);
    middle = middle + at[v];
    ++anchored;
  }
  middle = (1 / anchored) * middle;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const Node w : g.neighbours(order[i])) {
      if (placed[w]) continue;
      const Point outwards = at[order[i]] - middle;
      const double angle = std::atan2(outwards.y, outwards.x) +
                           0.7 * std::sin(kGoldenAngle * static_cast<double>(w));
      at[w] = at[order[i]] + Point{std::cos(angle), std::sin(angle)};
      placed[w] = true;
      order.push_back(w);
    }
  }
}

bool has_anchor(std::span<const Node> nodes, const Anchors& anchors) {
  return !anchors.empty() &&
         std::any_of(nodes.begin(), nodes.end(), [&](Node v) { return anchors[v].has_value(); });
}

void place_component(const Graph& g, std::span<const Node> nodes, const Anchors& anchors,
                     Positions& at) {
  if (nodes.size() > kLargestDrawnWell) return place_in_rings(g, nodes, anchors, at);
  const Stress stress(g, nodes);
  Positions local;
  std::vector<bool> fixed(nodes.size(), false);
  if (has_anchor(nodes, anchors)) {
    start_from_anchors(g, nodes, anchors, at);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      local.push_back(at[nodes[i]]);
      fixed[i] = anchors[nodes[i]].has_value();
    }
  } else {
    local = stress.start();
  }
  stress.relax(fixed, local);
  for (std::size_t i = 0; i < nodes.size(); ++i) at[nodes[i]] = local[i];
}

struct Box {
  Point low{std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  Point high{std::numeric_limits<double>::lowest(), std::numeric_limits<double>::lowest()};

  void add(Point p) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
};

Box box_of(std::span<const Node> nodes, const Positions& at) {
  Box box;
  for (const Node v : nodes) box.add(at[v]);
  return box;
}

/// Free components, largest first, in rows below what has its place already.
void pack(std::vector<std::vector<Node>> free, std::span<const Node> taken, Positions& at) {
  constexpr double kApart = 1.2;
  std::stable_sort(free.begin(), free.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  const Box anchored = box_of(taken, at);
  const bool alone = taken.empty();
  double area = 0;
  for (const auto& nodes : free) {
    const Box box = box_of(nodes, at);
    area += (box.high.x - box.low.x + kApart) * (box.high.y - box.low.y + kApart);
  }
  const Point corner = alone ? Point{} : Point{anchored.low.x, anchored.high.y + kApart};
  const double width =
      std::max(1.6 * std::sqrt(area), alone ? 0.0 : anchored.high.x - anchored.low.x);
  Point next = corner;
  double row = 0;
  for (const auto& nodes : free) {
    const Box box = box_of(nodes, at);
    if (next.x > corner.x && next.x + box.high.x - box.low.x > corner.x + width) {
      next = {corner.x, next.y + row + kApart};
      row = 0;
    }
    for (const Node v : nodes) at[v] = at[v] + (next - box.low);
    next.x += box.high.x - box.low.x + kApart;
    row = std::max(row, box.high.y - box.low.y);
  }
}

/// Pushes nodes apart that are nearer than kNodeGap; anchored ones stay.
void separate(const Anchors& anchors, Positions& at) {
  const auto held = [&](std::size_t v) { return !anchors.empty() && anchors[v].has_value(); };
  for (int round = 0; round < 200; ++round) {
    bool moved = false;
    for (std::size_t i = 0; i < at.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        Point apart = at[i] - at[j];
        const double d = length(apart);
        if (d >= kNodeGap || (held(i) && held(j))) continue;
        const double angle = kGoldenAngle * static_cast<double>(i + 7 * j);
        apart = d < 1e-6 ? Point{std::cos(angle), std::sin(angle)} : (1 / d) * apart;
        const double push = 1.02 * kNodeGap - d;
        const double share = held(j) ? 1 : (held(i) ? 0 : 0.5);
        at[i] = at[i] + (share * push) * apart;
        at[j] = at[j] - ((1 - share) * push) * apart;
        moved = true;
      }
    }
    if (!moved) return;
  }
}

}  // namespace

Positions layout_graph(const Graph& graph, const Anchors& wanted, double edge) {
  Anchors anchors = wanted;
  for (auto& anchor : anchors) {
    if (anchor) anchor = (1 / edge) * *anchor;
  }
  Positions at(graph.num_nodes());
  std::vector<std::vector<Node>> free;
  std::vector<Node> taken;
  for (std::vector<Node>& nodes : components(graph)) {
    place_component(graph, nodes, anchors, at);
    if (has_anchor(nodes, anchors)) {
      taken.insert(taken.end(), nodes.begin(), nodes.end());
    } else {
      free.push_back(std::move(nodes));
    }
  }
  pack(std::move(free), taken, at);
  // Rings have room enough.
  if (at.size() <= 2 * kLargestDrawnWell) separate(anchors, at);
  for (Point& p : at) p = edge * p;
  return at;
}

}  // namespace fewedits
