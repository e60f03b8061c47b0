// SPDX-License-Identifier: MIT
// Proven distances of all inputs to one graph that moves along the edit map.
//
// Every input within reach has a node map of its own, and its cost is a proven upper bound. When
// the graph moves by an edit, maps are carried along, their costs follow by counting
// (distance/map_changes), and what the edit spoilt is mended (ged/swap_descent). Those just outside
// theta are kicked now and then and get a fresh start every few steps. An input without a map has a
// lower bound; a move lowers that by what the edit costs, so an input that could be covered is
// never overlooked.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fewedits/base/rng.hpp"
#include "fewedits/distance/map_changes.hpp"
#include "fewedits/edit/edit.hpp"
#include "fewedits/ged/assignment.hpp"
#include "fewedits/ged/map_search.hpp"
#include "fewedits/ged/prepared_graph.hpp"
#include "fewedits/search/climb/known_maps.hpp"
#include "fewedits/search/climb/neighbour_worth.hpp"
#include "fewedits/search/climb/worth_table.hpp"

namespace fewedits {

class MapKeeper {
 public:
  /// What steps may bring in, and what they cost: 1 each, but for an edge's label.
  struct Alphabet {
    std::size_t num_labels = 0;
    std::size_t num_edge_labels = 0;  ///< 0: edges have none
    EditCosts costs = {};
  };

  /// Keeps the span. Once `stop` is set, what takes long throws Stopped, and only reset() makes the
  /// keeper whole again.
  MapKeeper(std::span<const PreparedGraph> inputs, const Alphabet& alphabet,
            const StopSign* stop = nullptr);
  MapKeeper(std::span<const PreparedGraph> inputs, std::size_t num_labels)
      : MapKeeper(inputs, Alphabet{num_labels}) {}

  /// Starts anew. Only the inputs that count (a flag each) are worth anything; the others are
  /// carried along with less care. `known`: of this very graph, to begin with.
  void reset(const Graph& graph, const SoftCover& soft, std::vector<std::uint8_t> counts, Rng& rng,
             const KnownMaps* known = nullptr);
  [[nodiscard]] KnownMaps known() const;
  /// The graph becomes `moved`, which is apply_step(graph, step).
  void move(std::span<const Edit> step, Graph moved, Rng& rng);
  /// Tries harder for the inputs just outside theta.
  void deepen(Rng& rng);

  [[nodiscard]] const Graph& graph() const { return graph_->graph(); }
  /// Is there a map within theta in hand?
  [[nodiscard]] bool covers(std::size_t input) { return cost(input) <= limit(input); }
  /// Of the inputs that count.
  [[nodiscard]] std::size_t num_covered();
  /// From the graph to an input; empty: none.
  [[nodiscard]] const NodeMap& map(std::size_t input) const { return state_[input].map; }
  /// Its cost; that of an input without a map is larger than any other.
  [[nodiscard]] std::int64_t cost(std::size_t input) const { return state_[input].cost; }

  /// What the inputs are worth together to each step's neighbour, by the maps as they are.
  std::vector<float> values(const Moves& moves);

  /// Work done so far, in the units of GedBudget.
  [[nodiscard]] std::uint64_t work() const { return work_; }

 private:
  static constexpr std::int32_t kNoMap = 1 << 28;
  struct Input {
    std::int32_t lower = 0;        ///< of the distance
    std::int32_t cost = kNoMap;    ///< of the map
    std::uint32_t failures = 0;    ///< of fresh starts in a row
    std::uint32_t next_start = 0;  ///< step of the next one
    NodeMap map;                   ///< from the graph to the input; empty: none
  };

  [[nodiscard]] std::size_t sizes(std::size_t input) const {
    return graph().size() + inputs_[input].graph().size();
  }
  std::int32_t limit(std::size_t input) { return worth_.limit(sizes(input)); }
  std::int32_t reach(std::size_t input) { return worth_.reach(sizes(input)); }
  void check_stop() const {
    if (stop_ != nullptr) stop_->check();
  }
  /// The same in a loop over inputs, most of which take less than a look at the clock.
  void check_stop_at(std::size_t input) const {
    if (input % 1024 == 0) check_stop();
  }
  void raise_lower(std::size_t input, std::int64_t bound);
  void raise_by_branches(std::size_t input);
  void admit(std::size_t input, Rng& rng);
  void improve(std::size_t input, Rng& rng);
  bool forget(std::size_t input);
  void take_over(const KnownMaps& known);
  void mend(std::size_t input, Rng& rng);
  void start_anew(std::size_t input, Rng& rng);
  void carry(const Edit& edit);
  void carry(std::span<const Edit> step);
  void search(std::size_t input, bool fresh, int kicks, Rng& rng);

  std::span<const PreparedGraph> inputs_;
  EditCosts costs_;
  const StopSign* stop_;
  std::vector<std::uint8_t> counts_;
  WorthTable worth_;
  std::shared_ptr<const PreparedGraph> graph_;  ///< shared with what is known of it
  std::vector<Input> state_;
  std::vector<Node> touched_;  ///< nodes that the last step touched
  bool freed_ = false;         ///< it removed a node: an image may be free
  std::uint32_t step_ = 0;
  std::uint64_t work_ = 0;
  MapSearch search_;
  Assignment assignment_;
  MapChanges changes_;
  StepEffects effects_;
  StepChanges step_changes_;
  std::vector<std::int32_t> columns_;
  NeighbourWorth neighbours_;
};

}  // namespace fewedits
