// SPDX-License-Identifier: MIT
#include "fewedits/distance/step_changes.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace fewedits {

// ---- What steps do --------------------------------------------------------------------------

void StepEffects::list(const Graph& graph, const Moves& moves) {
  start(graph);
  for (std::size_t s = 0; s < moves.size(); ++s) add(moves[s]);
}

void StepEffects::list(const Graph& graph, std::span<const Edit> step) {
  start(graph);
  add(step);
}

StepEffects::Effect StepEffects::operator[](std::size_t step) const {
  const Parts& a = parts_[step];
  const Parts& b = parts_[step + 1];
  const auto part = [](const auto& all, std::uint32_t begin, std::uint32_t end) {
    return std::span(all).subspan(begin, end - begin);
  };
  return {part(relabelled_, a.relabelled, b.relabelled),
          part(removed_, a.removed, b.removed),
          part(bonds_, a.bonds, b.bonds),
          part(arrivals_, a.arrivals, b.arrivals),
          part(new_edges_, a.new_edges, b.new_edges),
          part(touched_twins_, a.touched_twins, b.touched_twins),
          b.size_change};
}

void StepEffects::start(const Graph& graph) {
  graph_ = &graph;
  parts_.assign(1, {});
  relabelled_.clear();
  removed_.clear();
  bonds_.clear();
  arrivals_.clear();
  new_edges_.clear();
  touched_twins_.clear();
  find_twins();
}

void StepEffects::find_twins() {
  twins_.clear();
  twin_begins_.assign(1, 0);
  for (Node u = 0; u < graph_->num_nodes(); ++u) {
    if (graph_->degree(u) == 1) {
      const Node anchor = graph_->neighbours(u)[0];
      const std::size_t before = twins_.size();
      for (const Node v : graph_->neighbours(anchor)) {
        if (graph_->degree(v) == 1 && graph_->label(v) == graph_->label(u) &&
            graph_->edge_label(anchor, v) == graph_->edge_label(anchor, u)) {
          twins_.push_back(v);
        }
      }
      if (twins_.size() == before + 1) twins_.pop_back();
    }
    twin_begins_.push_back(static_cast<std::uint32_t>(twins_.size()));
  }
}

void StepEffects::add(std::span<const Edit> step) {
  gone_.clear();
  labels_.clear();
  edges_.clear();
  new_labels_.clear();
  for (const Edit& edit : step) apply(edit);
  take_step();
}

/// Its number before the step: those that went before it are counted in.
Node StepEffects::before(Node now) const {
  for (const Node gone : gone_) now += gone <= now ? 1U : 0U;
  return now;
}

void StepEffects::set_edge(Node a, Node b, Label to) {
  const auto [u, v] = std::minmax(a, b);
  for (Bond& bond : edges_) {
    if (bond.u != u || bond.v != v) continue;
    bond.to = to;
    return;
  }
  const bool was_there = v < graph_->num_nodes() && graph_->has_edge(u, v);
  edges_.push_back({u, v, was_there ? graph_->edge_label(u, v) : kNoEdge, to});
}

void StepEffects::apply(const Edit& edit) {
  const Node n = graph_->num_nodes();
  const Node u = before(edit.u);
  switch (edit.kind) {
    case Edit::Kind::kNone: return;
    case Edit::Kind::kRelabel: {
      if (u >= n) {
        new_labels_[u - n] = edit.label;
        return;
      }
      const auto known = std::find_if(labels_.begin(), labels_.end(),
                                      [&](const Relabelled& r) { return r.u == u; });
      if (known != labels_.end()) {
        known->to = edit.label;
      } else {
        labels_.push_back({u, graph_->label(u), edit.label});
      }
      return;
    }
    case Edit::Kind::kAddLeaf:
      set_edge(u, n + static_cast<Node>(new_labels_.size()), edit.edge_label);
      new_labels_.push_back(edit.label);
      return;
    case Edit::Kind::kRemoveLeaf: {
      if (u < n) {
        for (const Node v : graph_->neighbours(u)) set_edge(u, v, kNoEdge);
      }
      for (Bond& bond : edges_) {
        if (bond.u == u || bond.v == u) bond.to = kNoEdge;
      }
      gone_.insert(std::upper_bound(gone_.begin(), gone_.end(), u), u);
      return;
    }
    case Edit::Kind::kAddEdge: return set_edge(u, before(edit.v), edit.edge_label);
    case Edit::Kind::kRemoveEdge: return set_edge(u, before(edit.v), kNoEdge);
    case Edit::Kind::kRelabelEdge: return set_edge(u, before(edit.v), edit.label);
  }
}

void StepEffects::touch(Node u) {
  if (twins_of(u).empty()) return;
  const auto begin = touched_twins_.begin() + parts_.back().touched_twins;
  if (std::find(begin, touched_twins_.end(), u) == touched_twins_.end()) {
    touched_twins_.push_back(u);
  }
}

/// The step at hand to the others.
void StepEffects::take_step() {
  const Node n = graph_->num_nodes();
  const auto is_gone = [&](Node u) { return std::binary_search(gone_.begin(), gone_.end(), u); };
  int size_change = 0;
  for (const Node u : gone_) {
    if (u >= n) continue;
    removed_.push_back(u);
    --size_change;
  }
  for (const Relabelled& r : labels_) {
    if (r.from == r.to || is_gone(r.u)) continue;
    relabelled_.push_back(r);
    touch(r.u);
  }
  for (const Bond& bond : edges_) {
    if (bond.v >= n || bond.from == bond.to) continue;
    bonds_.push_back(bond);
    size_change += (bond.to == kNoEdge ? 0 : 1) - (bond.from == kNoEdge ? 0 : 1);
    if (is_gone(bond.u) || is_gone(bond.v)) continue;
    touch(bond.u);
    touch(bond.v);
  }
  for (Node w = n; w < n + static_cast<Node>(new_labels_.size()); ++w) {
    if (is_gone(w)) continue;
    Arrival arrival{new_labels_[w - n], 0};
    for (const Bond& bond : edges_) {
      if (bond.v != w || bond.to == kNoEdge) continue;
      // New nodes that went again leave no gap.
      const auto earlier = static_cast<Node>(
          std::count_if(gone_.begin(), gone_.end(), [&](Node g) { return g >= n && g < bond.u; }));
      new_edges_.push_back({bond.u - (bond.u >= n ? earlier : 0), bond.to});
      if (bond.u < n) touch(bond.u);
      ++arrival.edges;
    }
    size_change += 1 + static_cast<int>(arrival.edges);
    arrivals_.push_back(arrival);
  }
  // What becomes something else wants one image, what goes takes any that is of no use.
  for (const Node u : gone_) {
    if (u < n) touch(u);
  }
  parts_.push_back(
      {static_cast<std::uint32_t>(relabelled_.size()), static_cast<std::uint32_t>(removed_.size()),
       static_cast<std::uint32_t>(bonds_.size()), static_cast<std::uint32_t>(arrivals_.size()),
       static_cast<std::uint32_t>(new_edges_.size()),
       static_cast<std::uint32_t>(touched_twins_.size()), size_change});
}

// ---- What that does to a map ----------------------------------------------------------------

StepChanges::StepChanges(const EditCosts& costs)
    : edge_cost_(std::min(costs.relabel_edge, costs.delete_edge + costs.insert_edge)) {}

void StepChanges::bind(const StepEffects& effects, const Graph& input, std::span<const Node> map) {
  effects_ = &effects;
  input_ = &input;
  map_ = map;
  taken_.assign(input.num_nodes(), 0);
  for (const Node x : map) {
    if (x != kUnmatched) taken_[x] = 1;
  }
  free_.clear();
  for (Node x = 0; x < input.num_nodes(); ++x) {
    if (taken_[x] == 0) free_.push_back(x);
  }
  exchanged_.clear();
}

Node StepChanges::image(Node u) const {
  for (const auto& [node, to] : exchanged_) {
    if (node == u) return to;
  }
  return map_[u];
}

StepChanges::Image StepChanges::edge_between(Node x, Node y) const {
  if (x == kUnmatched || y == kUnmatched) return {};
  const auto row = input_->neighbours(x);
  const auto at = std::find(row.begin(), row.end(), y);  // atoms have few
  if (at == row.end()) return {};
  if (edge_cost_ == 0 || !input_->has_edge_labels()) return {true, 0};
  return {true, input_->edge_labels(x)[static_cast<std::size_t>(at - row.begin())]};
}

int StepChanges::edge_cost(const Image& image, Label ours) const {
  if (ours == StepEffects::kNoEdge) return image.is_there ? 1 : 0;
  return image.is_there ? mismatch(ours, image.label) : 1;
}

/// What the step's changes to a leaf cost if that is its image: the part that a twin's image makes
/// different. New nodes at it are counted as if each found its place.
int StepChanges::cost_of_going(const StepEffects::Effect& e, Node leaf, Node x) const {
  int cost = 0;
  for (const Node u : e.removed) {
    if (u == leaf) cost += x == kUnmatched ? -1 : 1 - label_cost(effects_->graph().label(leaf), x);
  }
  for (const auto& r : e.relabelled) {
    if (r.u == leaf) cost += label_cost(r.to, x) - label_cost(r.from, x);
  }
  for (const auto& b : e.bonds) {
    if (b.u != leaf && b.v != leaf) continue;
    const Image there = edge_between(x, image(b.u == leaf ? b.v : b.u));
    cost += edge_cost(there, b.to) - edge_cost(there, b.from);
  }
  if (x == kUnmatched) return cost;
  int arrivals = 0;
  for (const auto& edge : e.new_edges) arrivals += edge.to == leaf ? 1 : 0;
  for (const Node y : input_->neighbours(x)) {
    if (arrivals == 0) break;
    if (taken_[y] != 0) continue;
    --cost;
    --arrivals;
  }
  return cost;
}

void StepChanges::exchange_twins(const StepEffects::Effect& e) {
  exchanged_.clear();
  for (std::size_t t = 0; t < e.twins.size(); ++t) {
    const Node leaf = e.twins[t];
    const auto settled = e.twins.first(t);
    Node best = leaf;
    int least = cost_of_going(e, leaf, image(leaf));
    for (const Node other : effects_->twins_of(leaf)) {
      if (other == leaf || std::find(settled.begin(), settled.end(), other) != settled.end()) {
        continue;
      }
      const int cost = cost_of_going(e, leaf, image(other));
      if (cost >= least) continue;
      least = cost;
      best = other;
    }
    if (best == leaf) continue;
    const Node ours = image(leaf);
    const Node theirs = image(best);
    std::erase_if(exchanged_, [&](const auto& p) { return p.first == leaf || p.first == best; });
    exchanged_.emplace_back(leaf, theirs);
    exchanged_.emplace_back(best, ours);
  }
}

bool StepChanges::is_free(Node x) const {
  if (std::find(placed_.begin(), placed_.end(), x) != placed_.end()) return false;
  return taken_[x] == 0 || std::find(given_up_.begin(), given_up_.end(), x) != given_up_.end();
}

/// Adds its image to placed_.
int StepChanges::place(const StepEffects::Arrival& arrival,
                       std::span<const StepEffects::NewEdge> edges) {
  const Node n = effects_->graph().num_nodes();
  const auto image_of = [&](Node u) { return u < n ? image(u) : placed_[u - n]; };
  const int unmatched = static_cast<int>(edges.size());  // what its edges cost far from theirs
  Node best = kUnmatched;
  int least = 1 + unmatched;
  const auto offer = [&](Node x, int cost) {
    if (cost >= least || !is_free(x)) return;
    least = cost;
    best = x;
  };
  for (const auto& edge : edges) {
    const Node anchor = image_of(edge.to);
    if (anchor == kUnmatched) continue;
    for (const Node x : input_->neighbours(anchor)) {
      if (!is_free(x)) continue;
      int cost = label_cost(arrival.label, x) - 1;
      for (const auto& other : edges) {
        const Image there = edge_between(x, image_of(other.to));
        cost += edge_cost(there, other.label) - edge_cost(there, StepEffects::kNoEdge);
      }
      offer(x, cost);
    }
  }
  const int anywhere = unmatched - 1;
  for (const std::span<const Node> nodes :
       {std::span<const Node>(free_), std::span<const Node>(given_up_)}) {
    if (least <= anywhere) break;
    for (const Node x : nodes) offer(x, anywhere + label_cost(arrival.label, x));
  }
  placed_.push_back(best);
  return least;
}

int StepChanges::change(std::size_t step) {
  const StepEffects::Effect e = (*effects_)[step];
  if (!e.twins.empty() || !exchanged_.empty()) exchange_twins(e);
  int change = 0;
  for (const auto& r : e.relabelled) {
    const Node x = image(r.u);
    change += label_cost(r.to, x) - label_cost(r.from, x);
  }
  for (const auto& b : e.bonds) {
    const Image there = edge_between(image(b.u), image(b.v));
    change += edge_cost(there, b.to) - edge_cost(there, b.from);
  }
  given_up_.clear();
  for (const Node u : e.removed) {
    const Node x = image(u);
    change += x == kUnmatched ? -1 : 1 - label_cost(effects_->graph().label(u), x);
    if (x != kUnmatched) given_up_.push_back(x);
  }
  placed_.clear();
  std::size_t edge = 0;
  for (const auto& arrival : e.arrivals) {
    change += place(arrival, e.new_edges.subspan(edge, arrival.edges));
    edge += arrival.edges;
  }
  return change;
}

NodeMap StepChanges::map_of(std::size_t step) {
  (void)change(step);
  const StepEffects::Effect e = (*effects_)[step];
  NodeMap map;
  map.reserve(map_.size() + e.arrivals.size());
  for (Node u = 0; u < map_.size(); ++u) {
    if (std::find(e.removed.begin(), e.removed.end(), u) == e.removed.end()) {
      map.push_back(image(u));
    }
  }
  map.insert(map.end(), placed_.begin(), placed_.end());
  return map;
}

}  // namespace fewedits
