// SPDX-License-Identifier: MIT
// What inputs are worth together to each neighbour of a graph, by the graph's maps to them.
//
// All neighbours at once: what an edit does to a map is the same for nearly all edits of a kind, so
// a total per kind and a few deviations per input give the worth of every neighbour in
// O(nodes + edges) per input; labels of edges, if they count, are a few deviations more. Steps of
// several edits are counted one by one, on what each does as a whole. The worth is that of explicit
// maps, hence never overstated.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/distance/map_changes.hpp"
#include "fewedits/distance/step_changes.hpp"
#include "fewedits/edit/edit.hpp"
#include "fewedits/ged/prepared_graph.hpp"
#include "fewedits/proof/node_map.hpp"
#include "fewedits/search/climb/worth_table.hpp"

namespace fewedits {

class NeighbourWorth {
 public:
  /// `num_labels`, `num_edge_labels`: those that neighbours may have.
  explicit NeighbourWorth(std::size_t num_labels, std::size_t num_edge_labels = 0,
                          const EditCosts& costs = {});

  /// Starts anew, with no inputs. Keeps all until the last call of worth_of().
  void start(const Graph& graph, const Moves& moves, WorthTable& table);
  /// One more input, by a map from the graph to it of that cost.
  void add(const PreparedGraph& input, const NodeMap& map, std::int32_t cost);
  /// Of the graph's neighbours, in the order of the moves, to all inputs that were added.
  [[nodiscard]] std::vector<float> worth_of() const;

 private:
  /// An input that is being added.
  struct Mapped {
    const PreparedGraph& input;
    const NodeMap& map;
    std::int32_t cost;
    std::size_t sizes;  ///< of the graph and the input
  };
  /// Over the inputs. The worth of an edit is its kind's total and what deviates from it.
  struct Sums {
    double relabel = 0;
    double add_leaf = 0;
    double add_edge = 0;
    double remove_edge = 0;
    std::vector<float> relabel_node;  ///< to whatever label
    std::vector<float> relabel_to;    ///< by node and label
    std::vector<float> leaf_label;    ///< at whatever anchor
    std::vector<float> leaf_at;       ///< by anchor, label and label of the edge
    std::vector<float> remove_leaf;   ///< by node, all of it
    std::vector<float> edge;          ///< by pair of nodes u < v, to be added or removed
    // Where labels of edges count:
    double relabel_edge = 0;
    std::vector<float> relabel_pair;  ///< by pair, to whatever label
    std::vector<float> edge_to;       ///< by pair and label, to be added or to be relabelled
  };

  /// Where an edit changes the sizes and the cost by so much.
  [[nodiscard]] float worth(const Mapped& m, int size_change, int cost_change);
  void add_relabellings(const Mapped& m);
  void add_edges(const Mapped& m);
  void add_labelled_edges(const Mapped& m);
  void add_leaves_to_remove(const Mapped& m);
  void add_leaves_to_add(const Mapped& m);
  void add_labelled_leaves(const Mapped& m);
  void add_steps(const Mapped& m);
  [[nodiscard]] float value_of(const Edit& edit) const;

  std::size_t num_labels_;
  std::size_t num_edge_labels_;  ///< 0: they do not count
  int edge_cost_;                ///< of another label of an edge
  const Graph* graph_ = nullptr;
  const Moves* moves_ = nullptr;
  WorthTable* table_ = nullptr;
  std::size_t num_nodes_ = 0;  ///< of the graph
  Sums sums_;
  std::vector<std::uint8_t> adjacent_;  ///< by pair of nodes u < v
  MapChanges changes_;
  StepEffects effects_;
  StepChanges step_changes_;
  std::vector<double> steps_;   ///< worth of each step of several edits
  std::vector<Node> preimage_;  ///< of the input's nodes
  std::vector<std::uint8_t> free_label_;
  /// A free neighbour of an image.
  struct Wanted {
    Label label;
    Label edge;
  };
  std::vector<Wanted> wanted_;
};

}  // namespace fewedits
