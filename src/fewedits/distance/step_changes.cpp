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
  set_effects();
}

void StepEffects::list(const Graph& graph, std::span<const Edit> step) {
  start(graph);
  add(step);
  set_effects();
}

void StepEffects::set_effects() {
  effects_.clear();
  const auto part = [](const auto& all, std::uint32_t begin, std::uint32_t end) {
    return std::span(all).subspan(begin, end - begin);
  };
  const Node n = graph_->num_nodes();
  for (std::size_t s = 0; s + 1 < parts_.size(); ++s) {
    const Parts& a = parts_[s];
    const Parts& b = parts_[s + 1];
    Effect e{part(relabelled_, a.relabelled, b.relabelled),
             part(removed_, a.removed, b.removed),
             part(bonds_, a.bonds, b.bonds),
             part(arrivals_, a.arrivals, b.arrivals),
             part(new_edges_, a.new_edges, b.new_edges),
             part(touched_twins_, a.touched_twins, b.touched_twins),
             b.size_change};
    for (const Node leaf : e.twins) {
      const Node anchor = graph_->neighbours(leaf)[0];
      for (const Bond& bond : e.bonds) {
        if (bond.u != leaf && bond.v != leaf) continue;
        e.has_plain_twins = e.has_plain_twins && (bond.u == anchor || bond.v == anchor);
      }
    }
    e.has_like_arrivals = e.arrivals.empty() || e.removed.empty();
    for (const Arrival& arrival : e.arrivals) {
      const bool is_like = arrival.label == e.arrivals.front().label;
      e.has_like_arrivals = e.has_like_arrivals && is_like;
    }
    for (const NewEdge& edge : e.new_edges)
      e.has_like_arrivals = e.has_like_arrivals && edge.to < n;
    effects_.push_back(e);
  }
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
  first_twins_.clear();
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
      if (twins_.size() > before && twins_[before] == u) first_twins_.push_back(u);
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
  is_prepared_ = false;
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

void StepChanges::prepare(const StepEffects& effects, const Graph& input,
                          std::span<const Node> map) {
  bind(effects, input, map);
  is_prepared_ = true;
  tabulate_nodes();
  tabulate_edges();
  odd_.assign(map.size(), 0);
  for (const Node first : effects.first_twins()) {
    const auto twins = effects.twins_of(first);
    if (are_alike(twins)) continue;
    for (const Node u : twins) odd_[u] = 1;
  }
}

void StepChanges::tabulate_nodes() {
  const Graph& input = *input_;
  wanted_.clear();
  free_near_.assign(map_.size(), 0);
  preimage_.assign(input.num_nodes(), kUnmatched);
  for (Node u = 0; u < map_.size(); ++u) {
    const Node x = map_[u];
    wanted_.push_back(x == kUnmatched ? kNoImage : input.label(x));
    if (x != kUnmatched) preimage_[x] = u;
  }
  std::fill(free_label_.begin(), free_label_.end(), 0);
  for (const Node x : free_) {
    const Label label = input.label(x);
    if (free_label_.size() <= label) free_label_.resize(label + std::size_t{1}, 0);
    ++free_label_[label];
    for (const Node y : input.neighbours(x)) {
      if (preimage_[y] != kUnmatched) ++free_near_[preimage_[y]];
    }
  }
}

void StepChanges::tabulate_edges() {
  const std::size_t n = map_.size();
  for (const std::size_t at : filled_) there_[at] = kNoImage;
  filled_.clear();
  if (there_.size() < n * n) there_.resize(n * n, kNoImage);
  const bool labelled = edge_cost_ != 0 && input_->has_edge_labels();
  for (Node u = 0; u < n; ++u) {
    if (map_[u] == kUnmatched) continue;
    const auto near = input_->neighbours(map_[u]);
    const auto labels = labelled ? input_->edge_labels(map_[u]) : std::span<const Label>();
    for (std::size_t i = 0; i < near.size(); ++i) {
      const Node v = preimage_[near[i]];
      if (v == kUnmatched) continue;
      const std::size_t at = u * n + v;
      there_[at] = labelled ? labels[i] : 0;
      filled_.push_back(at);
    }
  }
}

/// Nothing that steps do to one of these leaves at its only edge costs less on another's image.
bool StepChanges::are_alike(std::span<const Node> twins) const {
  const std::size_t n = map_.size();
  const Node first = twins.front();
  const Node anchor = effects_->graph().neighbours(first)[0];
  return std::all_of(twins.begin() + 1, twins.end(), [&](Node u) {
    return wanted_[u] == wanted_[first] && free_near_[u] == free_near_[first] &&
           there_[u * n + anchor] == there_[first * n + anchor];
  });
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

int StepChanges::place_all(const StepEffects::Effect& e) {
  placed_.clear();
  int change = 0;
  std::size_t edge = 0;
  for (const auto& arrival : e.arrivals) {
    change += place(arrival, e.new_edges.subspan(edge, arrival.edges));
    edge += arrival.edges;
  }
  return change;
}

int StepChanges::change(std::size_t step) {
  const StepEffects::Effect& e = (*effects_)[step];
  if (is_prepared_ && !has_odd_twins(e)) return tabulated_change(e);
  return placed_change(e);
}

/// With images for the new nodes.
int StepChanges::placed_change(const StepEffects::Effect& e) {
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
  return change + place_all(e);
}

bool StepChanges::has_odd_twins(const StepEffects::Effect& e) const {
  if (e.twins.empty()) return false;
  return !e.has_plain_twins ||
         std::any_of(e.twins.begin(), e.twins.end(), [&](Node u) { return odd_[u] != 0; });
}

bool StepChanges::has_free_near(const StepEffects::Effect& e) const {
  return std::any_of(e.new_edges.begin(), e.new_edges.end(),
                     [&](const auto& edge) { return free_near_[edge.to] != 0; });
}

/// The same for steps after which twins keep their images.
int StepChanges::tabulated_change(const StepEffects::Effect& e) {
  exchanged_.clear();
  const std::size_t n = map_.size();
  int change = 0;
  for (const auto& r : e.relabelled) {
    const Label wanted = wanted_[r.u];
    if (wanted != kNoImage) change += (wanted == r.to ? 0 : 1) - (wanted == r.from ? 0 : 1);
  }
  for (const auto& b : e.bonds) {
    const Label label = there_[b.u * n + b.v];
    const Image there{label != kNoImage, label};
    change += edge_cost(there, b.to) - edge_cost(there, b.from);
  }
  for (const Node u : e.removed) {
    const Label wanted = wanted_[u];
    change += wanted == kNoImage ? -1 : wanted == effects_->graph().label(u) ? 1 : 0;
  }
  if (e.arrivals.empty()) return change;
  if (e.has_like_arrivals && !has_free_near(e)) return change + change_of_arrivals(e);
  given_up_.clear();
  for (const Node u : e.removed) {
    if (map_[u] != kUnmatched) given_up_.push_back(map_[u]);
  }
  return change + place_all(e);
}

/// Of new nodes with one label, none of which can come next to a free node: those with that label
/// are taken first, then others. Their edges have to be deleted in any case.
int StepChanges::change_of_arrivals(const StepEffects::Effect& e) const {
  const Label label = e.arrivals.front().label;
  const std::size_t count = e.arrivals.size();
  const std::size_t same = label < free_label_.size() ? free_label_[label] : 0;
  const std::size_t on_same = std::min(count, same);
  const std::size_t on_others = std::min(count, free_.size()) - on_same;
  return static_cast<int>(e.new_edges.size() - count + on_others) +
         2 * static_cast<int>(count - on_same - on_others);
}

NodeMap StepChanges::map_of(std::size_t step) {
  const StepEffects::Effect& e = (*effects_)[step];
  (void)placed_change(e);
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
