// SPDX-License-Identifier: MIT
#include "fewedits/rules/occurrences.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fewedits {
namespace {

/// The label of the edge, kAbsent if there is none; 0 where edges have no labels.
Label label_between(const Graph& graph, Node u, Node v) {
  const auto row = graph.neighbours(u);
  const auto at = std::lower_bound(row.begin(), row.end(), v);
  if (at == row.end() || *at != v) return kAbsent;
  return graph.has_edge_labels() ? graph.edge_labels(u)[static_cast<std::size_t>(at - row.begin())]
                                 : 0;
}

/// All orders of the nodes that keep labels and edges of the change. A node of L that changes is
/// never more than eight: trying them one after the other is quick.
class Symmetries {
 public:
  explicit Symmetries(const RuleChange& change) : change_(change) {
    image_.assign(change.nodes.size(), kNoNode);
    used_.assign(change.nodes.size(), false);
    extend(0);
  }
  [[nodiscard]] const std::vector<std::vector<Node>>& all() const { return found_; }

 private:
  [[nodiscard]] const RuleEdge* edge(Node a, Node b) const {
    for (const RuleEdge& e : change_.edges) {
      if (e.u == std::min(a, b) && e.v == std::max(a, b)) return &e;
    }
    return nullptr;
  }
  [[nodiscard]] bool agree(Node a, Node b, Node to_a, Node to_b) const {
    const RuleEdge* one = edge(a, b);
    const RuleEdge* other = edge(to_a, to_b);
    if (one == nullptr || other == nullptr) return one == other;
    return one->before == other->before && one->after == other->after;
  }
  void extend(Node v) {
    const auto n = static_cast<Node>(change_.nodes.size());
    if (v == n) {
      found_.push_back(image_);
      return;
    }
    for (Node to = 0; to < n; ++to) {
      if (used_[to] || change_.nodes[v] != change_.nodes[to]) continue;
      bool fits = true;
      for (Node w = 0; w < v && fits; ++w) fits = agree(w, v, image_[w], to);
      if (!fits) continue;
      image_[v] = to;
      used_[to] = true;
      extend(v + 1);
      used_[to] = false;
    }
  }

  const RuleChange& change_;
  std::vector<Node> image_;
  std::vector<bool> used_;
  std::vector<std::vector<Node>> found_;
};

}  // namespace

std::vector<Node> first_twins(const Graph& graph) {
  std::vector<Node> out(graph.num_nodes());
  std::iota(out.begin(), out.end(), Node{0});
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    if (graph.degree(v) != 1) continue;
    const Node at = graph.neighbours(v)[0];
    for (const Node w : graph.neighbours(at)) {
      if (w >= v) break;
      if (graph.degree(w) == 1 && graph.label(w) == graph.label(v) &&
          graph.edge_label(at, w) == graph.edge_label(at, v)) {
        out[v] = w;
        break;
      }
    }
  }
  return out;
}

std::vector<std::uint32_t> label_counts(const Graph& graph) {
  std::vector<std::uint32_t> out;
  for (const Label label : graph.labels()) {
    if (label >= out.size()) out.resize(label + 1, 0);
    ++out[label];
  }
  return out;
}

RuleMatcher::RuleMatcher(Rule rule) : rule_(std::move(rule)), change_(change_of(rule_)) {
  for (const RuleNode& node : rule_.nodes()) {
    if (node.comes()) continue;
    const auto at = std::find_if(needs_.begin(), needs_.end(),
                                 [&](const auto& need) { return need.first == node.before; });
    if (at == needs_.end()) {
      needs_.emplace_back(node.before, 1);
    } else {
      ++at->second;
    }
  }
  order_nodes();
  find_symmetries();
}

void RuleMatcher::order_nodes() {
  const auto& nodes = rule_.nodes();
  const auto& edges = rule_.edges();
  std::vector<bool> placed(nodes.size(), false);
  std::vector<std::size_t> degree(nodes.size(), 0);
  for (const RuleEdge& e : edges) {
    if (e.comes()) continue;
    ++degree[e.u];
    ++degree[e.v];
  }
  const auto joins = [&](const RuleEdge& e, Node v) {
    return (e.u == v && placed[e.v]) || (e.v == v && placed[e.u]);
  };
  while (steps_.size() < rule_.nodes_before()) {
    // What is joined to most of what is placed, then what changes, comes first.
    Node best = kNoNode;
    std::array<std::size_t, 3> best_rank = {};
    for (Node v = 0; v < nodes.size(); ++v) {
      if (placed[v] || nodes[v].comes()) continue;
      std::size_t joined = 0;
      for (const RuleEdge& e : edges) joined += !e.comes() && joins(e, v) ? 1U : 0U;
      if (!steps_.empty() && joined == 0) continue;
      const std::array<std::size_t, 3> rank = {joined, nodes[v].changes() ? 1U : 0U, degree[v]};
      if (best == kNoNode || rank > best_rank) {
        best = v;
        best_rank = rank;
      }
    }
    Step step{best, nodes[best].before, degree[best], nodes[best].goes(), kStart, {}};
    for (const RuleEdge& e : edges) {
      if (!joins(e, best)) continue;
      step.back.push_back({e.u == best ? e.v : e.u, e.comes() ? 0 : e.before, e.comes()});
      if (!e.comes() && step.from == kStart) step.from = step.back.size() - 1;
    }
    placed[best] = true;
    steps_.push_back(std::move(step));
  }
}

void RuleMatcher::find_symmetries() {
  std::vector<std::size_t> place(change_.nodes.size(), 0);
  std::vector<std::size_t> in_key;
  for (std::size_t i = 0; i < change_.nodes.size(); ++i) {
    if (change_.nodes[i].comes()) continue;
    place[i] = key_nodes_.size();
    key_nodes_.push_back(change_.node_of[i]);
    in_key.push_back(i);
  }
  const Symmetries symmetries(change_);
  for (const std::vector<Node>& image : symmetries.all()) {
    std::vector<std::size_t> order;
    order.reserve(in_key.size());
    for (const std::size_t i : in_key) order.push_back(place[image[i]]);
    if (std::find(symmetries_.begin(), symmetries_.end(), order) == symmetries_.end()) {
      symmetries_.push_back(std::move(order));
    }
  }
}

/// One search: what is placed so far.
struct RuleMatcher::Search {
  const Graph& graph;
  const std::vector<Step>& steps;
  const std::function<bool(const Image&)>& visitor;
  Image image = {};
  bool over = false;

  [[nodiscard]] bool is_used(Node v, std::size_t depth) const {
    for (std::size_t i = 0; i < depth; ++i) {
      if (image[steps[i].node] == v) return true;
    }
    return false;
  }

  [[nodiscard]] bool fits(const Step& step, Node v, std::size_t depth) const {
    if (graph.label(v) != step.label || is_used(v, depth)) return false;
    const std::size_t degree = graph.degree(v);
    if (step.goes ? degree != step.degree : degree < step.degree) return false;
    for (const Back& back : step.back) {
      const Label is = label_between(graph, v, image[back.to]);
      if (is != (back.comes ? kAbsent : back.label)) return false;
    }
    return true;
  }

  void extend(std::size_t depth) {
    if (depth == steps.size()) {
      over = !visitor(image);
      return;
    }
    const Step& step = steps[depth];
    const auto place = [&](Node v) {
      if (!fits(step, v, depth)) return;
      image[step.node] = v;
      extend(depth + 1);
    };
    if (step.from == kStart) {
      for (Node v = 0; v < graph.num_nodes() && !over; ++v) place(v);
      return;
    }
    for (const Node v : graph.neighbours(image[step.back[step.from].to])) {
      if (over) return;
      place(v);
    }
  }
};

bool RuleMatcher::may_occur(std::span<const std::uint32_t> labels) const {
  return std::all_of(needs_.begin(), needs_.end(), [&](const auto& need) {
    return need.first < labels.size() && labels[need.first] >= need.second;
  });
}

void RuleMatcher::visit(const Graph& graph,
                        const std::function<bool(const Image&)>& visitor) const {
  Search search{graph, steps_, visitor};
  search.image.fill(kNoNode);
  search.extend(0);
}

bool RuleMatcher::occurs_in(const Graph& graph) const {
  bool found = false;
  visit(graph, [&](const Image&) {
    found = true;
    return false;
  });
  return found;
}

PlaceKey RuleMatcher::key_of(const Image& image, std::span<const Node> twins) const {
  PlaceKey best;
  best.fill(kNoNode);
  bool first = true;
  for (const std::vector<std::size_t>& order : symmetries_) {
    PlaceKey key;
    key.fill(kNoNode);
    for (std::size_t i = 0; i < order.size(); ++i) {
      key[i] = twins[image[key_nodes_[order[i]]]];
    }
    if (first || key < best) best = key;
    first = false;
  }
  return best;
}

std::vector<Place> RuleMatcher::places(const Graph& graph, std::span<const Node> twins) const {
  std::vector<Place> out;
  visit(graph, [&](const Image& image) {
    out.push_back({key_of(image, twins), image});
    return true;
  });
  const auto before = [](const Place& a, const Place& b) {
    return a.key != b.key ? a.key < b.key : a.image < b.image;
  };
  std::sort(out.begin(), out.end(), before);
  out.erase(std::unique(out.begin(), out.end(),
                        [](const Place& a, const Place& b) { return a.key == b.key; }),
            out.end());
  return out;
}

bool is_occurrence(const Graph& graph, const Rule& rule, const Image& image) {
  std::vector<std::size_t> degree(rule.size(), 0);
  for (const RuleEdge& e : rule.edges()) {
    if (rule.nodes()[e.u].comes() || rule.nodes()[e.v].comes()) continue;
    if (image[e.u] >= graph.num_nodes() || image[e.v] >= graph.num_nodes()) return false;
    if (label_between(graph, image[e.u], image[e.v]) != e.before) return false;
    degree[e.u] += e.comes() ? 0U : 1U;
    degree[e.v] += e.comes() ? 0U : 1U;
  }
  std::vector<Node> used;
  for (Node v = 0; v < rule.size(); ++v) {
    const RuleNode& node = rule.nodes()[v];
    if (node.comes()) continue;
    if (image[v] >= graph.num_nodes() || graph.label(image[v]) != node.before) return false;
    if (node.goes() && graph.degree(image[v]) != degree[v]) return false;
    used.push_back(image[v]);
  }
  std::sort(used.begin(), used.end());
  return std::adjacent_find(used.begin(), used.end()) == used.end();
}

bool has_pattern(const Graph& graph, const Graph& pattern) {
  std::vector<RuleNode> nodes;
  for (const Label label : pattern.labels()) nodes.push_back({label, label});
  // Looked for as if it were a rule that puts a node at the first one.
  nodes.push_back({kAbsent, 0});
  std::vector<RuleEdge> edges;
  for (const Edge& e : pattern.edges()) edges.push_back({e.u, e.v, e.label, e.label});
  edges.push_back({0, pattern.num_nodes(), kAbsent, 0});
  return RuleMatcher(Rule(std::move(nodes), std::move(edges))).occurs_in(graph);
}

}  // namespace fewedits
