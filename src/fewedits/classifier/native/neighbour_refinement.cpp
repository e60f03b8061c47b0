// SPDX-License-Identifier: MIT
#include "fewedits/classifier/native/neighbour_refinement.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "fewedits/classifier/native/class_table.hpp"

namespace fewedits {

void NeighbourRefinement::run(const Graph& graph, std::span<const Edit> edits, std::size_t rounds) {
  graph_ = &graph;
  levels_.resize(rounds + 1);
  gone_.resize(rounds + 1);
  come_.resize(rounds + 1);
  order_neighbours();
  reached_.assign(graph.num_nodes() + 1, 0);  // an edit may add a node
  changes_.clear();
  begins_.assign(1, 0);
  changed_.clear();
  counts_.clear();
  for (const Edit& edit : edits) {
    changes_.push_back(change_of(edit));
    explore(changes_.back());
  }
  for (std::size_t l = 0; l <= rounds; ++l) {
    start_level(l);
    if (l == 0) {
      list_labels();
    } else {
      refine(l);
    }
    list_gone(l);
  }
}

NeighbourRefinement::Change NeighbourRefinement::change_of(const Edit& edit) const {
  using Kind = Edit::Kind;
  Change out;
  switch (edit.kind) {
    case Kind::kNone:
    case Kind::kRelabelEdge: break;  // labels of edges are not seen
    case Kind::kRelabel:
      out.labelled = edit.u;
      out.label = edit.label;
      break;
    case Kind::kAddLeaf:
      out.labelled = out.added_v = graph_->num_nodes();
      out.added_u = edit.u;
      out.label = edit.label;
      break;
    case Kind::kRemoveLeaf:
      out.removed = out.cut_u = edit.u;
      out.cut_v = graph_->neighbours(edit.u)[0];
      break;
    case Kind::kAddEdge:
      out.added_u = edit.u;
      out.added_v = edit.v;
      break;
    case Kind::kRemoveEdge:
      out.cut_u = edit.u;
      out.cut_v = edit.v;
      break;
  }
  return out;
}

/// Puts the neighbours of each node into the order in which they are added up, and by which
/// equal rows are recognised: by what they see from level to level, so that nodes with the same
/// surroundings list them alike. It follows from the graph alone, not from the edits of a batch.
/// PERF NOTE: edits leave it as it is. Ordering the neighbours of every changed node at every level
/// finds some more equal rows and costs more than they do.
void NeighbourRefinement::order_neighbours() {
  const std::size_t nodes = graph_->num_nodes();
  const std::size_t rounds = levels_.size() - 1;
  history_.resize(levels_.size() * nodes);
  for (Node v = 0; v < nodes; ++v) history_[v] = label_signature(graph_->label(v));
  for (std::size_t l = 1; l <= rounds; ++l) {
    const std::uint64_t* below = history_.data() + (l - 1) * nodes;
    for (Node v = 0; v < nodes; ++v) {
      std::uint64_t sum = own_share(below[v]);
      for (const Node u : graph_->neighbours(v)) sum += below[u];
      history_[l * nodes + v] = mix_signature(sum);
    }
  }
  const auto is_before = [&](Node a, Node b) {
    for (std::size_t l = 0; l <= rounds; ++l) {
      const std::uint64_t left = history_[l * nodes + a];
      const std::uint64_t right = history_[l * nodes + b];
      if (left != right) return left < right;
    }
    return false;  // rows are equal, too
  };
  ordered_.assign(graph_->targets().begin(), graph_->targets().end());
  for (Node v = 0; v < nodes; ++v) {
    const auto list = neighbours(v);
    const auto begin = ordered_.begin() + (list.data() - ordered_.data());
    std::sort(begin, begin + static_cast<std::ptrdiff_t>(list.size()), is_before);
  }
}

/// The neighbours of v after the change.
template <typename Visit>
void NeighbourRefinement::for_neighbours(const Change& change, Node v, const Visit& visit) const {
  if (v < graph_->num_nodes()) {
    const Node cut = v == change.cut_u ? change.cut_v : v == change.cut_v ? change.cut_u : kNone;
    for (const Node u : neighbours(v)) {
      if (u != cut) visit(u);
    }
  }
  if (v == change.added_u) visit(change.added_v);
  if (v == change.added_v) visit(change.added_u);
}

/// Lists the nodes that a change reaches, level by level.
void NeighbourRefinement::explore(const Change& change) {
  const std::uint32_t begin = begins_.back();
  if (change.labelled != kNone) reach(change.labelled);
  counts_.push_back(static_cast<std::uint32_t>(changed_.size()) - begin);
  std::size_t newest = begin;
  for (std::size_t l = 1; l < levels_.size(); ++l) {
    const std::size_t known = changed_.size();
    if (l == 1) {  // also those whose neighbours are not the same any more
      for (const Node v : {change.added_u, change.added_v, change.cut_u, change.cut_v}) {
        if (v != kNone && v != change.removed) reach(v);
      }
    }
    for (; newest < known; ++newest) {
      for_neighbours(change, changed_[newest], [&](Node u) { reach(u); });
    }
    counts_.push_back(static_cast<std::uint32_t>(changed_.size()) - begin);
  }
  for (std::size_t i = begin; i < changed_.size(); ++i) reached_[changed_[i]] = 0;
  begins_.push_back(static_cast<std::uint32_t>(changed_.size()));
}

void NeighbourRefinement::reach(Node v) {
  if (std::exchange(reached_[v], 1) == 0) changed_.push_back(v);
}

/// Makes room for as many classes as nodes, should they all be different.
void NeighbourRefinement::start_level(std::size_t l) {
  std::swap(nodes_, nodes_below_);
  std::swap(arrivals_, arrivals_below_);
  const std::size_t own = graph_->num_nodes();
  Level& level = levels_[l];
  level.of_node.resize(own);
  nodes_.resize(own + 1);
  Indices& offsets = come_[l].offsets;
  offsets.assign(1, 0);
  // An edit adds one neighbour at most, and one node's may be listed in vain.
  std::size_t ends = 2 * graph_->num_edges() + own + 1;
  for (std::size_t e = 0; e < changes_.size(); ++e) {
    for (const Node v : changed(e, l)) ends += 1 + (v < own ? graph_->degree(v) : 0);
    offsets.push_back(offsets.back() + static_cast<std::uint32_t>(changed(e, l).size()));
  }
  come_[l].classes.resize(offsets.back());
  arrivals_.resize(offsets.back());
  if (l == 0) return;
  const std::size_t rows = own + offsets.back();
  level.parent.resize(rows);
  level.offsets.resize(rows + 1);
  level.targets.resize(ends);
  class_signature_.resize(rows);
  table_.assign(std::bit_ceil(2 * rows + 1), ClassTable::kFree);
}

void NeighbourRefinement::list_labels() {
  const auto state = [](Label label) { return State{label_signature(label), label}; };
  for (Node v = 0; v < graph_->num_nodes(); ++v) {
    nodes_[v] = state(graph_->label(v));
    levels_[0].of_node[v] = nodes_[v].in;
  }
  std::size_t next = 0;
  for (const Change& change : changes_) {
    if (change.labelled == kNone) continue;
    arrivals_[next] = state(change.label);
    come_[0].classes[next++] = change.label;
  }
}

void NeighbourRefinement::refine(std::size_t l) {
  Level& level = levels_[l];
  ClassTable made{table_.data(),        table_.size() - 1,    level.parent.data(),
                  level.offsets.data(), level.targets.data(), class_signature_.data()};
  made.offsets[0] = 0;
  // PERF NOTE: looked up by node alone. Where a neighbour differs from the graph, its nodes take
  // their places here for as long as it is refined.
  State* below = nodes_below_.data();
  const auto refined = [&](Node v, const Change& change) {
    std::uint32_t* const list = made.staged();
    std::uint32_t degree = 0;
    std::uint64_t sum = own_share(below[v].signature);
    for_neighbours(change, v, [&](Node u) {
      sum += below[u].signature;
      list[degree++] = below[u].in;
    });
    const std::uint64_t signature = mix_signature(sum);
    return State{signature, made.intern(signature, below[v].in, degree)};
  };
  for (Node v = 0; v < graph_->num_nodes(); ++v) {
    nodes_[v] = refined(v, {});
    level.of_node[v] = nodes_[v].in;
  }
  for (std::size_t e = 0; e < changes_.size(); ++e) {
    const auto before = changed(e, l - 1);
    replaced_.resize(before.size());
    const State* arrivals = arrivals_below_.data() + come_[l - 1].offsets[e];
    for (std::size_t i = 0; i < before.size(); ++i) {
      replaced_[i] = std::exchange(below[before[i]], arrivals[i]);
    }
    std::size_t next = come_[l].offsets[e];
    for (const Node v : changed(e, l)) {
      arrivals_[next] = refined(v, changes_[e]);
      come_[l].classes[next] = arrivals_[next].in;
      ++next;
    }
    for (std::size_t i = 0; i < before.size(); ++i) below[before[i]] = replaced_[i];
  }
  level.parent.resize(made.classes);
}

void NeighbourRefinement::list_gone(std::size_t l) {
  Lists& gone = gone_[l];
  gone.offsets.assign(1, 0);
  gone.classes.clear();
  for (std::size_t e = 0; e < changes_.size(); ++e) {
    for (const Node v : changed(e, l)) {
      if (v < graph_->num_nodes()) gone.classes.push_back(levels_[l].of_node[v]);
    }
    const Node removed = changes_[e].removed;
    if (removed != kNone) gone.classes.push_back(levels_[l].of_node[removed]);
    gone.offsets.push_back(static_cast<std::uint32_t>(gone.classes.size()));
  }
}

}  // namespace fewedits
