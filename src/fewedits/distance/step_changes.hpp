// SPDX-License-Identifier: MIT
// The same as distance/map_changes for steps of several edits, and for leaves that are one of
// several alike.
//
// A step is first put together to what it does as a whole, once for all inputs: labels that become
// others, nodes that go and come, edges that change. Its change of a map's cost is then a sum over
// these. Leaves that are twins (the hydrogens of an atom) may exchange their images at no cost
// before one of them goes or becomes something else: the one is taken whose change costs least. A
// new node takes the free image that saves most, also one that a node of the same step gives up;
// next to its neighbours' images first. Which it is depends on the order in which nodes come, so a
// search may find a better map; never a worse one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fewedits/edit/moves.hpp"
#include "fewedits/graph/graph.hpp"
#include "fewedits/proof/edit_costs.hpp"
#include "fewedits/proof/node_map.hpp"

namespace fewedits {

/// Of all steps of a list: what each does as a whole. Nodes have the numbers that they have in the
/// graph; new ones come after those, in their order.
class StepEffects {
 public:
  static constexpr Label kNoEdge = ~Label{0};

  struct Relabelled {
    Node u;
    Label from;
    Label to;
  };
  /// Between two nodes of the graph.
  struct Bond {
    Node u;
    Node v;
    Label from;  ///< kNoEdge: it comes
    Label to;    ///< kNoEdge: it goes
  };
  /// From the new node that was named last to one of the graph or a new one.
  struct NewEdge {
    Node to;
    Label label;
  };
  struct Arrival {
    Label label;
    std::uint32_t edges;  ///< so many of the step's new edges are its own, in order
  };
  struct Effect {
    std::span<const Relabelled> relabelled;
    std::span<const Node> removed;
    std::span<const Bond> bonds;  ///< those of removed nodes, too
    std::span<const Arrival> arrivals;
    std::span<const NewEdge> new_edges;
    std::span<const Node> twins;  ///< touched leaves that have others like them
    int size_change = 0;
    /// Twins change at the edge to their only neighbour, if at one of the graph at all.
    bool has_plain_twins = true;
    /// New nodes have one label and edges to nodes of the graph only; nothing is removed.
    bool has_like_arrivals = true;
  };

  /// Keeps a reference to the graph until the next call.
  void list(const Graph& graph, const Moves& moves);
  void list(const Graph& graph, std::span<const Edit> step);

  [[nodiscard]] const Graph& graph() const { return *graph_; }
  [[nodiscard]] std::size_t size() const { return effects_.size(); }
  [[nodiscard]] const Effect& operator[](std::size_t step) const { return effects_[step]; }
  /// The leaves that are like this one, itself among them; empty if there are no others.
  [[nodiscard]] std::span<const Node> twins_of(Node leaf) const {
    return {twins_.data() + twin_begins_[leaf], twin_begins_[leaf + 1] - twin_begins_[leaf]};
  }
  /// One of each kind of leaves that have others like them.
  [[nodiscard]] std::span<const Node> first_twins() const { return first_twins_; }

 private:
  /// Where the parts of each step begin.
  struct Parts {
    std::uint32_t relabelled = 0;
    std::uint32_t removed = 0;
    std::uint32_t bonds = 0;
    std::uint32_t arrivals = 0;
    std::uint32_t new_edges = 0;
    std::uint32_t touched_twins = 0;
    int size_change = 0;
  };

  void start(const Graph& graph);
  void find_twins();
  void add(std::span<const Edit> step);
  void apply(const Edit& edit);
  void take_step();
  void set_effects();
  void touch(Node u);
  [[nodiscard]] Node before(Node now) const;
  void set_edge(Node a, Node b, Label to);

  const Graph* graph_ = nullptr;
  std::vector<Parts> parts_;
  std::vector<Effect> effects_;  ///< made of the parts in the end
  std::vector<Relabelled> relabelled_;
  std::vector<Node> removed_;
  std::vector<Bond> bonds_;
  std::vector<Arrival> arrivals_;
  std::vector<NewEdge> new_edges_;
  std::vector<Node> touched_twins_;
  std::vector<std::uint32_t> twin_begins_;
  std::vector<Node> twins_;
  std::vector<Node> first_twins_;
  // Of the step at hand:
  std::vector<Node> gone_;  ///< ascending; of the graph and new ones
  std::vector<Relabelled> labels_;
  std::vector<Bond> edges_;  ///< u < v, of new nodes, too
  std::vector<Label> new_labels_;
};

class StepChanges {
 public:
  /// Costs as for MapChanges.
  explicit StepChanges(const EditCosts& costs = {});

  /// For a few steps of `effects`. Keeps references until the next call.
  void bind(const StepEffects& effects, const Graph& input, std::span<const Node> map);
  /// For many: tabulates what most of them ask, O(nodes + edges).
  void prepare(const StepEffects& effects, const Graph& input, std::span<const Node> map);

  /// Cost of the neighbour's map less that of the graph's.
  [[nodiscard]] int change(std::size_t step);
  /// The neighbour's map; its cost is the graph's plus change(step).
  [[nodiscard]] NodeMap map_of(std::size_t step);

 private:
  struct Image {
    bool is_there = false;
    Label label = 0;
  };
  static constexpr Label kNoImage = ~Label{0};
  [[nodiscard]] Image edge_between(Node x, Node y) const;
  [[nodiscard]] Node image(Node u) const;
  [[nodiscard]] int mismatch(Label ours, Label of_image) const {
    return edge_cost_ != 0 && ours != of_image ? edge_cost_ : 0;
  }
  [[nodiscard]] int label_cost(Label ours, Node x) const {
    return x == kUnmatched || input_->label(x) == ours ? 0 : 1;
  }
  [[nodiscard]] int edge_cost(const Image& image, Label ours) const {
    if (ours == StepEffects::kNoEdge) return image.is_there ? 1 : 0;
    return image.is_there ? mismatch(ours, image.label) : 1;
  }
  [[nodiscard]] int cost_of_going(const StepEffects::Effect& e, Node leaf, Node x) const;
  void exchange_twins(const StepEffects::Effect& e);
  int placed_change(const StepEffects::Effect& e);
  int place_all(const StepEffects::Effect& e);
  void tabulate_nodes();
  void tabulate_edges();
  [[nodiscard]] bool are_alike(std::span<const Node> twins) const;
  [[nodiscard]] bool has_odd_twins(const StepEffects::Effect& e) const;
  [[nodiscard]] bool has_free_near(const StepEffects::Effect& e) const;
  [[nodiscard]] int tabulated_change(const StepEffects::Effect& e);
  [[nodiscard]] int change_of_arrivals(const StepEffects::Effect& e) const;
  [[nodiscard]] bool is_free(Node x) const;
  int place(const StepEffects::Arrival& arrival, std::span<const StepEffects::NewEdge> edges);

  int edge_cost_ = 0;
  const StepEffects* effects_ = nullptr;
  const Graph* input_ = nullptr;
  std::span<const Node> map_;
  std::vector<std::uint8_t> taken_;  ///< nodes of the input that are images
  std::vector<Node> free_;           ///< those that are not
  // Tables, if it is prepared. Kept from one call to the next, so that little has to be cleared.
  bool is_prepared_ = false;
  std::vector<Label> wanted_;        ///< by node: the label of its image; kNoImage
  std::vector<Label> there_;         ///< by pair of nodes: that of the edge between their images
  std::vector<std::size_t> filled_;  ///< the pairs that have such an edge
  std::vector<Node> preimage_;
  std::vector<std::uint32_t> free_near_;   ///< by node: free neighbours of its image
  std::vector<std::uint8_t> odd_;          ///< by leaf that has twins: their images differ
  std::vector<std::uint32_t> free_label_;  ///< by label: free nodes
  // Of the step at hand:
  std::vector<std::pair<Node, Node>> exchanged_;  ///< nodes and their images instead
  std::vector<Node> given_up_;                    ///< images of removed nodes
  std::vector<Node> placed_;                      ///< images of the new nodes
};

}  // namespace fewedits
