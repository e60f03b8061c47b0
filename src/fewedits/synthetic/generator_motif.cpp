// SPDX-License-Identifier: MIT
// The planted rule as a property of the graph alone: nothing here knows how graphs are made.
#include <algorithm>
#include <array>
#include <ranges>

#include "fewedits/synthetic/generator.hpp"
#include "fewedits/synthetic/generator_fragments.hpp"

namespace fewedits {
namespace {

using namespace generator;

bool is_nitro(const Graph& g, Node nitrogen) {
  const auto around = g.neighbours(nitrogen);
  const auto carbons = std::ranges::count_if(around, [&](Node v) { return g.label(v) == kC; });
  const auto terminal_oxygens =
      std::ranges::count_if(around, [&](Node v) { return g.label(v) == kO && g.degree(v) == 1; });
  return carbons >= 1 && terminal_oxygens >= 2;
}

// Looks for a six-ring of three-neighbour carbons through a given atom whose bonds, where the
// graph knows them, alternate between single and double. An aromatic carbon has three neighbours
// in either case, which also bounds the search: at most 3 * 2^4 paths, whatever the graph.
class BenzeneSearch {
 public:
  explicit BenzeneSearch(const Graph& g) : g_(g) {}

  bool through(Node start) {
    if (!is_candidate(start)) return false;
    path_[0] = start;
    return extend(1);
  }

 private:
  [[nodiscard]] bool is_candidate(Node v) const { return g_.label(v) == kC && g_.degree(v) == 3; }

  // path_[0 … length-1] is a path and bonds_[i] joins path_[i] and path_[i+1].
  bool extend(std::size_t length) {
    const Node last = path_[length - 1];
    const auto around = g_.neighbours(last);
    const auto bonds = g_.edge_labels(last);
    for (std::size_t i = 0; i < around.size(); ++i) {
      bonds_[length - 1] = bonds.empty() ? Label{kSingle} : bonds[i];
      if (!alternates(length - 1)) continue;
      if (length == path_.size()) {
        if (around[i] == path_[0] && closes()) return true;
        continue;
      }
      if (!is_candidate(around[i]) || on_path(around[i], length)) continue;
      path_[length] = around[i];
      if (extend(length + 1)) return true;
    }
    return false;
  }

  [[nodiscard]] bool alternates(std::size_t bond) const {
    if (!g_.has_edge_labels()) return true;
    if (bonds_[bond] != kSingle && bonds_[bond] != kDouble) return false;
    return bond == 0 || bonds_[bond] != bonds_[bond - 1];
  }
  [[nodiscard]] bool closes() const {
    return !g_.has_edge_labels() || bonds_.front() != bonds_.back();
  }
  [[nodiscard]] bool on_path(Node v, std::size_t length) const {
    const auto end = path_.begin() + static_cast<std::ptrdiff_t>(length);
    return std::find(path_.begin(), end, v) != end;
  }

  const Graph& g_;
  std::array<Node, 6> path_{};
  std::array<Label, 6> bonds_{};
};

bool is_aromatic_amine(const Graph& g, Node nitrogen) {
  if (g.degree(nitrogen) != 3) return false;
  const auto around = g.neighbours(nitrogen);
  const auto hydrogens =
      std::ranges::count_if(around, [&](Node v) { return g.label(v) == kH && g.degree(v) == 1; });
  if (hydrogens != 2) return false;
  return std::ranges::any_of(around, [&](Node v) { return BenzeneSearch(g).through(v); });
}

}  // namespace

Motif find_motif(const Graph& graph) {
  bool nitro = false;
  bool amine = false;
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    if (graph.label(v) != kN) continue;
    nitro = nitro || is_nitro(graph, v);
    amine = amine || is_aromatic_amine(graph, v);
  }
  if (nitro) return amine ? Motif::kBoth : Motif::kNitro;
  return amine ? Motif::kAromaticAmine : Motif::kNone;
}

}  // namespace fewedits
