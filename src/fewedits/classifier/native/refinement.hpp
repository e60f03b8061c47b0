// SPDX-License-Identifier: MIT
// Weisfeiler-Lehman refinement of a set of graphs taken together: which nodes have the same
// surroundings up to l hops, in whatever graph they are. After l layers of a GIN those have equal
// rows (Xu et al. 2019), so native inference and training compute one row per class: this header
// is for the room train, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/classifier/native/kernels.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits {

class Refinement {
 public:
  using Indices = std::vector<std::uint32_t>;

  /// The classes of all nodes after a number of refinements. Class c consists of the nodes that
  /// were in class parent[c] and had neighbours in the classes targets[offsets[c]] …
  /// targets[offsets[c+1]-1], both counted one level below. Level 0: the labels, of_node alone.
  /// offsets and targets may be longer than size() asks for.
  struct Level {
    Indices of_node;
    Indices parent;
    Indices offsets;
    Indices targets;

    [[nodiscard]] std::size_t size() const { return parent.size(); }
    [[nodiscard]] Rows rows(std::size_t begin, std::size_t count) const {
      return {count, offsets.data() + begin, targets.data(), parent.data() + begin};
    }
  };

  /// Levels 0 to `rounds`. Classes are exact: hashes only say where to look.
  void run(std::span<const Graph> graphs, std::size_t rounds);

  [[nodiscard]] const Level& level(std::size_t l) const { return levels_[l]; }
  /// Where each graph's nodes begin, and one past the last.
  [[nodiscard]] const Indices& begins() const { return begins_; }
  /// The nodes graph by graph, those of a graph in an order that its numbering does not change
  /// (nodes that are equal after the last round are interchangeable).
  [[nodiscard]] const Indices& order() const { return order_; }

 private:
  void start(std::span<const Graph> graphs);
  void refine(const Indices& before, const Indices& below, Level& level);
  void order_nodes();

  std::vector<Level> levels_;
  Indices begins_;
  Indices order_;
  Indices zeros_;
  Indices ends_;
  Indices neighbours_;
  /// A hash of each node's surroundings, the same in every set of graphs and numbering.
  std::vector<std::uint64_t> signature_;
  std::vector<std::uint64_t> next_signature_;
  std::vector<std::uint64_t> class_signature_;
  Indices table_;
};

}  // namespace fewedits
