// SPDX-License-Identifier: MIT
// A pair of graphs as one maximisation problem, the form in which bounds and searches see it.
//
// Rows are the nodes of the graph with fewer nodes, columns those of the other. A row's column
// saves `node_profit`, two adjacent rows on adjacent columns save `edge_profit`, and
//   edit cost of a map = (total − everything saved) · grain.
// Profits and total are in units of `grain`, what all edit costs have in common: costs that are ten
// times as large make the same problem.
//
// As long as no node profit is negative, giving another row a column never costs anything, so
// every row gets one (`may_skip` is false). Reading the problem backwards exchanges insertion
// and deletion, of which only the sum matters here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "fewedits/ged/prepared_graph.hpp"
#include "fewedits/proof/node_map.hpp"

namespace fewedits {

/// What mapping saves under a cost model.
struct Profits {
  std::int32_t equal_node = 2;
  std::int32_t other_node = 1;  ///< negative if relabelling costs more than deleting and inserting
  std::int32_t equal_edge = 2;
  std::int32_t other_edge = 2;  ///< edges with different labels

  explicit Profits(const EditCosts& costs)
      : equal_node(costs.delete_node + costs.insert_node),
        other_node(equal_node - costs.relabel_node),
        equal_edge(costs.delete_edge + costs.insert_edge),
        other_edge(std::max(0, equal_edge - costs.relabel_edge)) {}
};

/// For every row its column, or kSkipped.
using Columns = std::span<const std::int32_t>;
inline constexpr std::int32_t kSkipped = -1;

class MatchProblem {
 public:
  MatchProblem(const PreparedGraph& a, const PreparedGraph& b, const EditCosts& costs);

  [[nodiscard]] const PreparedGraph& prepared_rows() const { return *rows_; }
  [[nodiscard]] const PreparedGraph& prepared_columns() const { return *columns_; }
  [[nodiscard]] const Graph& rows() const { return rows_->graph(); }
  [[nodiscard]] const Graph& columns() const { return columns_->graph(); }
  [[nodiscard]] std::size_t num_rows() const { return rows().num_nodes(); }
  [[nodiscard]] std::size_t num_columns() const { return columns().num_nodes(); }
  [[nodiscard]] const Profits& profits() const { return profits_; }
  [[nodiscard]] std::int64_t total() const { return total_; }
  /// The greatest common divisor of the edit costs.
  [[nodiscard]] std::int64_t grain() const { return grain_; }
  [[nodiscard]] bool may_skip() const { return profits_.other_node < 0; }
  [[nodiscard]] bool edge_labels_count() const {
    return profits_.other_edge != profits_.equal_edge;
  }

  [[nodiscard]] std::int32_t node_profit(Node row, Node column) const {
    return rows().label(row) == columns().label(column) ? profits_.equal_node : profits_.other_node;
  }
  [[nodiscard]] std::int32_t edge_profit(Label row_edge, Label column_edge) const {
    return row_edge == column_edge ? profits_.equal_edge : profits_.other_edge;
  }
  /// The edit cost of a map, in the user's units.
  [[nodiscard]] std::int64_t cost(Columns map) const;
  /// The map in the direction a → b.
  [[nodiscard]] NodeMap node_map(Columns map) const;
  /// The way back: a map a → b as columns.
  void columns_of(std::span<const Node> map, std::vector<std::int32_t>& out) const;

 private:
  std::int64_t grain_;
  Profits profits_;
  bool swapped_;
  const PreparedGraph* rows_;
  const PreparedGraph* columns_;
  std::int64_t total_;
};

}  // namespace fewedits
