// SPDX-License-Identifier: MIT
#include "fewedits/proof/edit_script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/proof/certificate.hpp"
#include "support/ged.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using Kind = EditOp::Kind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// ---- Random cases -------------------------------------------------------------------------

NodeMap random_map(Rng& rng, const Graph& a, const Graph& b, double share) {
  const auto order = test::random_permutation(rng, b.num_nodes());
  NodeMap map(a.num_nodes(), kUnmatched);
  std::size_t used = 0;
  for (Node& image : map) {
    if (used < order.size() && rng.chance(share)) image = order[used++];
  }
  return map;
}

/// From free to far more than deleting and inserting.
std::int32_t random_cost(Rng& rng) {
  static constexpr std::int32_t kChoices[] = {0, 1, 1, 2, 3, 7, 50};
  return kChoices[rng.below(std::size(kChoices))];
}

EditCosts random_costs(Rng& rng) {
  EditCosts costs;
  for (std::int32_t* cost : {&costs.insert_node, &costs.delete_node, &costs.relabel_node,
                             &costs.insert_edge, &costs.delete_edge, &costs.relabel_edge}) {
    *cost = random_cost(rng);
  }
  return costs;
}

struct Case {
  Graph a;
  Graph b;
  NodeMap map;
  EditCosts costs;
};

/// Up to eight nodes, with or without edge labels, connected or not.
Graph random_part(Rng& rng) {
  const auto nodes = static_cast<Node>(rng.below(9));
  Graph g = test::random_graph(rng, nodes, rng.below(8), 3, rng.chance(0.5) ? 3 : 0);
  if (rng.chance(0.7)) return g;
  for (const Edge& e : g.edges()) {
    if (rng.chance(0.4)) g = g.without_edge(e.u, e.v);
  }
  return g;
}

Case random_case(Rng& rng) {
  static constexpr double kShares[] = {0.0, 0.5, 0.8, 1.0};
  Case c{random_part(rng), random_part(rng), {}, random_costs(rng)};
  c.map = random_map(rng, c.a, c.b, kShares[rng.below(std::size(kShares))]);
  return c;
}

// ---- Slow, obvious versions ---------------------------------------------------------------

/// The nodes of both graphs in one numbering, mapped ones shared, and every pair compared.
struct Dense {
  static constexpr std::int64_t kNone = -1;
  std::vector<std::int64_t> nodes;
  std::vector<std::vector<std::int64_t>> pairs;

  Dense(const Graph& g, const std::vector<std::size_t>& place, std::size_t places)
      : nodes(places, kNone), pairs(places, std::vector<std::int64_t>(places, kNone)) {
    for (Node u = 0; u < g.num_nodes(); ++u) {
      nodes[place[u]] = g.label(u);
      for (Node v = 0; v < g.num_nodes(); ++v) {
        if (g.has_edge(u, v)) pairs[place[u]][place[v]] = g.edge_label(u, v);
      }
    }
  }
};

std::int64_t dense_cost(const Case& c) {
  std::vector<std::size_t> place_of_a(c.a.num_nodes());
  std::vector<std::size_t> place_of_b(c.b.num_nodes());
  std::size_t places = c.b.num_nodes();
  for (std::size_t j = 0; j < place_of_b.size(); ++j) place_of_b[j] = j;
  for (std::size_t i = 0; i < place_of_a.size(); ++i) {
    place_of_a[i] = c.map[i] == kUnmatched ? places++ : c.map[i];
  }
  const Dense from(c.a, place_of_a, places);
  const Dense to(c.b, place_of_b, places);
  const auto price = [](std::int64_t x, std::int64_t y, std::int64_t remove, std::int64_t add,
                        std::int64_t change) {
    if (x == y) return std::int64_t{0};
    if (y == Dense::kNone) return remove;
    return x == Dense::kNone ? add : change;
  };
  const std::int64_t change_edge =
      std::min(c.costs.relabel_edge, c.costs.delete_edge + c.costs.insert_edge);
  std::int64_t cost = 0;
  for (std::size_t i = 0; i < places; ++i) {
    cost += price(from.nodes[i], to.nodes[i], c.costs.delete_node, c.costs.insert_node,
                  c.costs.relabel_node);
    for (std::size_t j = 0; j < i; ++j) {
      cost += price(from.pairs[i][j], to.pairs[i][j], c.costs.delete_edge, c.costs.insert_edge,
                    change_edge);
    }
  }
  return cost;
}

/// With edge labels, zero where there were none; or without.
Graph comparable(const Graph& g, bool with_edge_labels) {
  if (!with_edge_labels) return g.without_edge_labels();
  return {g.labels(), g.edges(), Graph::EdgeLabels::kPresent};
}

bool same_graph(const Graph& x, const Graph& y, const EditCosts& costs) {
  const bool with_edge_labels = costs.relabel_edge > 0;
  return isomorphic(comparable(x, with_edge_labels), comparable(y, with_edge_labels));
}

/// Carries edits out with the graph's own operations, one new graph per edit.
class ObviousReplay {
 public:
  explicit ObviousReplay(const Graph& start) : graph_(comparable(start, true)) {
    for (Node u = 0; u < start.num_nodes(); ++u) ids_.push_back(u);
    next_ = start.num_nodes();
  }

  bool carry_out(const EditOp& op) {
    if (op.kind > Kind::kInsertEdge) return false;
    if (op.kind == Kind::kInsertNode) return insert_node(op);
    const auto u = place(op.u);
    if (!u) return false;
    if (op.kind == Kind::kRelabelNode) return relabel_node(*u, op.label);
    if (op.kind == Kind::kDeleteNode) return delete_node(*u);
    const auto v = place(op.v);
    if (!v || *u == *v) return false;
    const bool present = graph_.has_edge(*u, *v);
    if (present == (op.kind == Kind::kInsertEdge)) return false;
    if (op.kind == Kind::kRelabelEdge && graph_.edge_label(*u, *v) == op.label) return false;
    if (present) graph_ = graph_.without_edge(*u, *v);
    if (op.kind != Kind::kDeleteEdge) graph_ = graph_.with_edge(*u, *v, op.label);
    return true;
  }

  [[nodiscard]] Replayed result() const { return {graph_, ids_}; }

 private:
  [[nodiscard]] std::optional<Node> place(Node id) const {
    const auto it = std::find(ids_.begin(), ids_.end(), id);
    if (it == ids_.end()) return std::nullopt;
    return static_cast<Node>(it - ids_.begin());
  }

  bool insert_node(const EditOp& op) {
    if (op.u != next_) return false;
    std::vector<Label> labels(graph_.labels().begin(), graph_.labels().end());
    labels.push_back(op.label);
    graph_ = Graph(labels, graph_.edges(), Graph::EdgeLabels::kPresent);
    ids_.push_back(next_++);
    return true;
  }

  bool relabel_node(Node u, Label label) {
    if (graph_.label(u) == label) return false;
    graph_ = graph_.with_label(u, label);
    return true;
  }

  bool delete_node(Node u) {
    if (graph_.degree(u) > 0) return false;
    graph_ = graph_.without_node(u);
    ids_.erase(ids_.begin() + static_cast<std::ptrdiff_t>(u));
    return true;
  }

  Graph graph_;
  std::vector<Node> ids_;
  Node next_ = 0;
};

std::optional<Replayed> obvious_replay(const Graph& start, std::span<const EditOp> ops) {
  ObviousReplay replayer(start);
  for (const EditOp& op : ops) {
    if (!replayer.carry_out(op)) return std::nullopt;
  }
  return replayer.result();
}

std::int64_t sum_of_costs(const EditScript& script, const EditCosts& costs) {
  std::int64_t sum = 0;
  for (const EditOp& op : script.ops) sum += cost_of(op, costs);
  return sum;
}

Graph path(Node nodes) {
  std::vector<Edge> edges;
  for (Node v = 1; v < nodes; ++v) edges.push_back({v - 1, v, 0});
  return {std::vector<Label>(nodes, 0), edges};
}

// ---- Costs --------------------------------------------------------------------------------

TEST(EditCostsTest, RefusesCostsOutOfRangeByName) {
  EXPECT_NO_THROW(EditCosts{}.check());
  const auto message = [](EditCosts costs) -> std::string {
    try {
      costs.check();
    } catch (const Error& e) {
      return e.what();
    }
    return {};
  };
  EXPECT_THAT(message({.insert_node = -1}), HasSubstr("insert_node"));
  EXPECT_THAT(message({.delete_node = 1001}), HasSubstr("delete_node"));
  EXPECT_THAT(message({.relabel_node = -5}), HasSubstr("relabel_node"));
  EXPECT_THAT(message({.insert_edge = 1001}), HasSubstr("insert_edge"));
  EXPECT_THAT(message({.delete_edge = -1}), HasSubstr("delete_edge"));
  EXPECT_THAT(message({.relabel_edge = std::numeric_limits<std::int32_t>::max()}),
              HasSubstr("relabel_edge"));
  EXPECT_THAT(message({0, 1000, 0, 1000, 0, 1000}), IsEmpty());
}

TEST(EditCostsTest, NormaliserIsDeletingOneAndBuildingTheOther) {
  const Graph a = path(4);
  const Graph b = path(6);
  EXPECT_EQ(largest_distance(a, b, {}), static_cast<std::int64_t>(a.size() + b.size()));
  const EditCosts costs{.insert_node = 2, .delete_node = 3, .insert_edge = 5, .delete_edge = 7};
  EXPECT_EQ(largest_distance(a, b, costs), 4 * 3 + 3 * 7 + 6 * 2 + 5 * 5);
  EXPECT_EQ(largest_distance(b, a, test::reversed(costs)), largest_distance(a, b, costs));
  EXPECT_DOUBLE_EQ(normalized_distance(9, a, b), 0.5);
  EXPECT_EQ(normalized_distance(0, {}, {}), 0.0);
}

TEST(EditCostsTest, ThetaMeansTheDecimalNumber) {
  EXPECT_EQ(distance_limit(0.1, path(8), path(8)), 3);          // of 30
  EXPECT_EQ(distance_limit(0.29, path(25), path(26)), 29);      // of 100; 0.29 · 100 rounds down
  EXPECT_EQ(distance_limit(0.1 - 1e-12, path(8), path(8)), 2);  // 3 of 30 are more than that
  EXPECT_EQ(distance_limit(0.0999, path(8), path(8)), 2);
  EXPECT_EQ(distance_limit(0.0, path(8), path(8)), 0);
  EXPECT_EQ(distance_limit(1.0, path(8), path(8)), 30);
  EXPECT_EQ(distance_limit(0.5, {}, {}), 0);
}

TEST(EditCostsTest, TheLimitIsTheLargestDistanceWithinTheta) {
  Rng rng(2);
  for (int round = 0; round < 2000; ++round) {
    const Graph g = path(1 + static_cast<Node>(rng.below(60)));
    const double theta =
        rng.chance(0.5) ? rng.uniform() : 0.01 * static_cast<double>(rng.below(100));
    const std::int64_t limit = distance_limit(theta, g, g);
    EXPECT_LE(normalized_distance(limit, g, g), theta);
    EXPECT_GT(normalized_distance(limit + 1, g, g), theta);
  }
}

TEST(EditCostsTest, EveryNormalisedDistanceIsWithinItself) {
  Rng rng(1);
  const EditCosts heavy{1000, 1000, 1000, 1000, 1000, 0};
  for (const auto& [nodes, costs] :
       {std::pair{13U, EditCosts{}}, {5001U, EditCosts{}}, {700U, heavy}, {70001U, heavy}}) {
    const Graph g = path(nodes);
    const auto largest = static_cast<std::uint64_t>(largest_distance(g, g, costs));
    for (int round = 0; round < 500; ++round) {
      const auto distance = static_cast<std::int64_t>(rng.below(largest + 1));
      const double theta = normalized_distance(distance, g, g, costs);
      EXPECT_EQ(distance_limit(theta, g, g, costs), distance) << "of " << largest;
    }
  }
}

TEST(EditCostsTest, RefusesThetaOutOfRange) {
  for (const double theta : {-0.001, 1.001, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(static_cast<void>(distance_limit(theta, {}, {})), Error) << theta;
  }
}

// ---- Node maps ----------------------------------------------------------------------------

TEST(NodeMapTest, KnowsWhatAMapIs) {
  const Graph a = path(3);
  const Graph b = path(2);
  EXPECT_TRUE(is_node_map(a, b, NodeMap{1, kUnmatched, 0}));
  EXPECT_TRUE(is_node_map(a, b, NodeMap{kUnmatched, kUnmatched, kUnmatched}));
  EXPECT_FALSE(is_node_map(a, b, NodeMap{1, kUnmatched, 1})) << "twice the same image";
  EXPECT_FALSE(is_node_map(a, b, NodeMap{2, kUnmatched, 0})) << "no such image";
  EXPECT_FALSE(is_node_map(a, b, NodeMap{1, 0})) << "too short";
  EXPECT_FALSE(is_node_map(a, b, NodeMap{1, 0, kUnmatched, kUnmatched})) << "too long";
  EXPECT_TRUE(is_node_map({}, {}, {}));
}

TEST(NodeMapTest, InverseTwiceIsTheMapAgain) {
  Rng rng(2);
  for (int round = 0; round < 200; ++round) {
    const Case c = random_case(rng);
    const NodeMap back = inverse_map(c.map, c.b.num_nodes());
    EXPECT_TRUE(is_node_map(c.b, c.a, back));
    EXPECT_EQ(inverse_map(back, c.a.num_nodes()), c.map);
  }
}

TEST(NodeMapTest, InducedCostEqualsTheDenseVersionInBothDirections) {
  Rng rng(3);
  for (int round = 0; round < 3000; ++round) {
    const Case c = random_case(rng);
    const std::int64_t cost = induced_cost(c.a, c.b, c.map, c.costs);
    ASSERT_EQ(cost, dense_cost(c)) << "round " << round;
    const NodeMap back = inverse_map(c.map, c.b.num_nodes());
    ASSERT_EQ(induced_cost(c.b, c.a, back, test::reversed(c.costs)), cost) << "round " << round;
  }
}

TEST(NodeMapTest, NodeOfDegreeDCostsOnePlusDToDelete) {
  const Graph star({{0, 0, 0, 0}}, {{Edge{0, 1}, Edge{0, 2}, Edge{0, 3}}});
  const Graph leaves({{0, 0, 0}}, {});
  EXPECT_EQ(induced_cost(star, leaves, NodeMap{kUnmatched, 0, 1, 2}), 4);
}

TEST(NodeMapTest, NoMapIsTheLargestDistanceAndIdentityCostsNothing) {
  Rng rng(4);
  for (int round = 0; round < 200; ++round) {
    const Case c = random_case(rng);
    const NodeMap none(c.a.num_nodes(), kUnmatched);
    EXPECT_EQ(induced_cost(c.a, c.b, none, c.costs), largest_distance(c.a, c.b, c.costs));
    const auto order = test::random_permutation(rng, c.a.num_nodes());
    EXPECT_EQ(induced_cost(c.a, c.a.permuted(order), order, c.costs), 0);
  }
}

// ---- Scripts ------------------------------------------------------------------------------

TEST(EditScriptTest, CostsWhatItsMapInducesAndReplaysToTheTarget) {
  Rng rng(5);
  for (int round = 0; round < 3000; ++round) {
    const Case c = random_case(rng);
    const EditScript script = edit_script(c.a, c.b, c.map, c.costs);
    const std::int64_t cost = induced_cost(c.a, c.b, c.map, c.costs);
    ASSERT_EQ(sum_of_costs(script, c.costs), cost) << "round " << round;
    ASSERT_TRUE(same_graph(replay(c.a, script.ops).graph, c.b, c.costs)) << "round " << round;

    const Verdict verdict = check_certificate(c.a, c.b, script, c.costs, cost);
    ASSERT_TRUE(verdict.holds) << "round " << round << ": " << verdict.reason;
    EXPECT_EQ(verdict.cost, cost);
    EXPECT_THAT(verdict.reason, IsEmpty());
  }
}

TEST(EditScriptTest, HasOneEditAUnitOfCost) {
  Rng rng(6);
  for (int round = 0; round < 500; ++round) {
    const Case c = random_case(rng);
    const EditCosts unit{.relabel_edge = round % 2};
    const EditScript script = edit_script(c.a, c.b, c.map, unit);
    EXPECT_EQ(static_cast<std::int64_t>(script.ops.size()), induced_cost(c.a, c.b, c.map, unit));
  }
}

TEST(EditScriptTest, GroupsComeInOrderAndAscend) {
  Rng rng(7);
  const auto key = [](const EditOp& op) { return std::tuple(op.kind, op.u, op.v); };
  for (int round = 0; round < 500; ++round) {
    const Case c = random_case(rng);
    const EditScript script = edit_script(c.a, c.b, c.map, c.costs);
    EXPECT_TRUE(std::is_sorted(script.ops.begin(), script.ops.end(),
                               [&](const EditOp& x, const EditOp& y) { return key(x) < key(y); }));
    for (const EditOp& op : script.ops) {
      const bool edge = op.kind == Kind::kRelabelEdge || op.kind == Kind::kDeleteEdge ||
                        op.kind == Kind::kInsertEdge;
      EXPECT_TRUE(edge ? op.u < op.v : op.v == 0);
    }
  }
}

TEST(EditScriptTest, DearRelabellingOfAnEdgeBecomesDeletionAndInsertion) {
  const Graph a({{0, 0}}, {{Edge{0, 1, 1}}}, Graph::EdgeLabels::kPresent);
  const Graph b({{0, 0}}, {{Edge{0, 1, 2}}}, Graph::EdgeLabels::kPresent);
  const NodeMap map{1, 0};
  const EditOp relabel{Kind::kRelabelEdge, 0, 1, 2};
  EXPECT_THAT(edit_script(a, b, map, {.relabel_edge = 0}).ops, IsEmpty());
  EXPECT_THAT(edit_script(a, b, map, {.relabel_edge = 1}).ops, ElementsAre(relabel));
  EXPECT_THAT(edit_script(a, b, map, {.relabel_edge = 2}).ops, ElementsAre(relabel));
  EXPECT_THAT(edit_script(a, b, map, {.relabel_edge = 3}).ops,
              ElementsAre(EditOp{Kind::kDeleteEdge, 0, 1, 0}, EditOp{Kind::kInsertEdge, 0, 1, 2}));
}

TEST(EditScriptTest, LabelsNotComparedAreKeptAndInsertedOnesCopied) {
  const Graph a({{0, 0, 0}}, {{Edge{0, 1, 1}}}, Graph::EdgeLabels::kPresent);
  const Graph b({{0, 0, 0}}, {{Edge{0, 1, 2}, Edge{1, 2, 3}}}, Graph::EdgeLabels::kPresent);
  const EditScript script = edit_script(a, b, NodeMap{0, 1, 2});
  EXPECT_THAT(script.ops, ElementsAre(EditOp{Kind::kInsertEdge, 1, 2, 3}));
  const Graph result = replay(a, script.ops).graph;
  EXPECT_EQ(result.edge_label(0, 1), 1U);
  EXPECT_EQ(result.edge_label(1, 2), 3U);
  EXPECT_TRUE(check_certificate(a, b, script).holds);
  EXPECT_FALSE(check_certificate(a, b, script, {.relabel_edge = 1}).holds);
}

TEST(EditScriptTest, EmptyGraphsAndSingleNodes) {
  const Graph none;
  const Graph one({{4}}, {});
  const EditScript nothing = edit_script(none, none, {});
  EXPECT_THAT(nothing.ops, IsEmpty());
  EXPECT_TRUE(check_certificate(none, none, nothing, {}, 0).holds);

  const EditScript built = edit_script(none, one, {});
  EXPECT_THAT(built.ops, ElementsAre(EditOp{Kind::kInsertNode, 0, 0, 4}));
  EXPECT_THAT(built.map, ElementsAre(0U));
  EXPECT_TRUE(check_certificate(none, one, built, {}, 1).holds);

  const EditScript razed = edit_script(one, none, NodeMap{kUnmatched});
  EXPECT_THAT(razed.ops, ElementsAre(EditOp{Kind::kDeleteNode, 0, 0, 0}));
  EXPECT_TRUE(check_certificate(one, none, razed, {}, 1).holds);
  EXPECT_EQ(replay(one, razed.ops).graph, none);

  const EditScript rebuilt = edit_script(one, one, NodeMap{kUnmatched});
  EXPECT_THAT(rebuilt.map, ElementsAre(kUnmatched, 0U));
  EXPECT_TRUE(check_certificate(one, one, rebuilt, {}, 2).holds);
}

// ---- Text ---------------------------------------------------------------------------------

/// A molecule with every kind of edit: C-C=O, whose map spells out N=C-C.
struct Example {
  static constexpr Label kC = 0;
  static constexpr Label kN = 1;
  static constexpr Label kO = 2;
  Graph a{{{kC, kC, kO}}, {{Edge{0, 1, 0}, Edge{1, 2, 1}}}, Graph::EdgeLabels::kPresent};
  Graph b{{{kN, kC, kC}}, {{Edge{0, 1, 1}, Edge{1, 2, 0}}}, Graph::EdgeLabels::kPresent};
  EditCosts costs{.relabel_edge = 1};
  EditScript script = edit_script(a, b, NodeMap{0, 1, kUnmatched}, costs);
};

TEST(DescribeTest, NamesLabels) {
  const Example e;
  EXPECT_THAT(script_in_words(e.a, e.script, {{"C", "N", "O"}, {"single", "double"}}),
              ElementsAre("relabel node 0 from C to N",              //
                          "relabel edge 0–1 from single to double",  //
                          "remove edge 1–2",                         //
                          "remove node 2 (O)",                       //
                          "add node 3 (C)",                          //
                          "add edge 1–3 (single)"));
}

TEST(DescribeTest, MoleculesHaveAtomsAndBonds) {
  const Example e;
  EXPECT_THAT(script_in_words(e.a, e.script, {{"C", "N", "O"}, {"single", "double"}, true}),
              ElementsAre("relabel atom 0 from C to N",              //
                          "relabel bond 0–1 from single to double",  //
                          "remove bond 1–2",                         //
                          "remove atom 2 (O)",                       //
                          "add atom 3 (C)",                          //
                          "add bond 1–3 (single)"));
}

TEST(DescribeTest, LabelsWithoutANameAreNumbers) {
  const Example e;
  EXPECT_THAT(
      script_in_words(e.a, e.script, {{"", "N"}, {}}),
      ElementsAre("relabel node 0 from 0 to N", "relabel edge 0–1 from 0 to 1", "remove edge 1–2",
                  "remove node 2 (2)", "add node 3 (0)", "add edge 1–3 (0)"));
}

TEST(DescribeTest, EdgesWithoutLabelsAreNotSaidToHaveAny) {
  const Example e;
  const EditScript script = edit_script(e.a.without_edge_labels(), e.b.without_edge_labels(),
                                        NodeMap{0, 1, kUnmatched}, e.costs);
  EXPECT_THAT(script_in_words(e.a.without_edge_labels(), script, {{"C", "N", "O"}, {"single"}}),
              ElementsAre("relabel node 0 from C to N", "remove edge 1–2", "remove node 2 (O)",
                          "add node 3 (C)", "add edge 1–3"));
}

TEST(DescribeTest, TellsLabelsAsTheyAreByThen) {
  const EditScript script{{{Kind::kRelabelNode, 0, 0, 5},
                           {Kind::kRelabelNode, 0, 0, 6},
                           {Kind::kInsertNode, 2, 0, 7},
                           {Kind::kRelabelNode, 2, 0, 8},
                           {Kind::kRelabelEdge, 1, 0, 2},
                           {Kind::kRelabelEdge, 0, 1, 3},
                           {Kind::kDeleteEdge, 0, 1, 0},
                           {Kind::kInsertEdge, 1, 0, 4},
                           {Kind::kRelabelEdge, 0, 1, 1}},
                          {0, 1, 2}};
  EXPECT_THAT(script_in_words(path(2), script, {}),
              ElementsAre("relabel node 0 from 0 to 5", "relabel node 0 from 5 to 6",
                          "add node 2 (7)", "relabel node 2 from 7 to 8",
                          "relabel edge 1–0 from 0 to 2", "relabel edge 0–1 from 2 to 3",
                          "remove edge 0–1", "add edge 1–0 (4)", "relabel edge 0–1 from 4 to 1"));
}

TEST(DescribeTest, RefusesAScriptOfAnotherGraph) {
  const Example e;
  EXPECT_THROW(static_cast<void>(script_in_words(path(2), e.script, {})), Error);
}

TEST(DescribeTest, DatasetGivesNamesOrTheValuesOfItsSource) {
  Dataset dataset;
  dataset.node_labels = {{0, "C"}, {7, ""}};
  dataset.edge_labels = {{-1, ""}, {2, "double"}};
  const LabelNames names = label_names(dataset);
  EXPECT_THAT(names.nodes, ElementsAre("C", "7"));
  EXPECT_THAT(names.edges, ElementsAre("-1", "double"));
  EXPECT_FALSE(names.molecules);
  dataset.domain = "molecule";
  EXPECT_TRUE(label_names(dataset).molecules);
}

// ---- Replaying ----------------------------------------------------------------------------

std::string refusal(const Graph& start, const std::vector<EditOp>& ops) {
  try {
    static_cast<void>(replay(start, ops));
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

TEST(ReplayTest, NamesTheEditThatCannotBeCarriedOut) {
  const Graph g = path(3);
  const EditOp fine{Kind::kRelabelNode, 0, 0, 1};
  constexpr Node kHuge = ~Node{0};
  const auto after_fine = [&](EditOp op) { return refusal(g, {fine, op}); };
  EXPECT_THAT(refusal(g, {fine}), IsEmpty());
  EXPECT_THAT(after_fine({Kind::kRelabelNode, 3, 0, 1}), HasSubstr("edit 2"));
  EXPECT_THAT(after_fine({Kind::kRelabelNode, 3, 0, 1}), HasSubstr("no node 3"));
  EXPECT_THAT(after_fine({Kind::kRelabelNode, kHuge, 0, 1}), HasSubstr("no node 4294967295"));
  EXPECT_THAT(after_fine({Kind::kRelabelNode, 0, 0, 1}), HasSubstr("already"));
  EXPECT_THAT(after_fine({Kind::kRelabelEdge, 0, 1, 0}), HasSubstr("already"));
  EXPECT_THAT(after_fine({Kind::kRelabelEdge, 0, 2, 1}), HasSubstr("no edge 0-2"));
  EXPECT_THAT(after_fine({Kind::kRelabelEdge, kHuge, kHuge, 1}), HasSubstr("no edge"));
  EXPECT_THAT(after_fine({Kind::kDeleteEdge, 0, 2, 0}), HasSubstr("no edge 0-2"));
  EXPECT_THAT(after_fine({Kind::kDeleteEdge, 1, 1, 0}), HasSubstr("no edge 1-1"));
  EXPECT_THAT(after_fine({Kind::kDeleteEdge, 0, kHuge, 0}), HasSubstr("no edge"));
  EXPECT_THAT(after_fine({Kind::kDeleteNode, 1, 0, 0}), HasSubstr("still has edges (2)"));
  EXPECT_THAT(after_fine({Kind::kDeleteNode, kHuge, 0, 0}), HasSubstr("no node"));
  EXPECT_THAT(after_fine({Kind::kInsertNode, 4, 0, 0}), HasSubstr("next free id is 3"));
  EXPECT_THAT(after_fine({Kind::kInsertNode, 0, 0, 0}), HasSubstr("next free id is 3"));
  EXPECT_THAT(after_fine({Kind::kInsertNode, kHuge, 0, 0}), HasSubstr("next free id is 3"));
  EXPECT_THAT(after_fine({Kind::kInsertEdge, 1, 1, 0}), HasSubstr("self loop"));
  EXPECT_THAT(after_fine({Kind::kInsertEdge, 1, 0, 0}), HasSubstr("there already"));
  EXPECT_THAT(after_fine({Kind::kInsertEdge, 0, 3, 0}), HasSubstr("no node 3"));
  EXPECT_THAT(after_fine({Kind::kInsertEdge, kHuge, 0, 0}), HasSubstr("no node"));
  EXPECT_THAT(after_fine({static_cast<Kind>(17), 0, 0, 0}), HasSubstr("kind 17"));
  EXPECT_THROW(static_cast<void>(cost_of({static_cast<Kind>(17), 0, 0, 0}, {})), Error);
}

TEST(ReplayTest, IdsOfDeletedNodesAreNotUsedAgain) {
  const Graph g({{0, 0}}, {});
  const EditOp remove{Kind::kDeleteNode, 1, 0, 0};
  EXPECT_THAT(refusal(g, {remove, {Kind::kInsertNode, 1, 0, 0}}), HasSubstr("next free id is 2"));
  EXPECT_THAT(refusal(g, {remove, remove}), HasSubstr("deleted"));
  EXPECT_THAT(refusal(g, {remove, {Kind::kRelabelNode, 1, 0, 3}}), HasSubstr("deleted"));
  EXPECT_THAT(refusal(g, {remove, {Kind::kInsertEdge, 0, 1, 0}}), HasSubstr("deleted"));
  const std::vector<EditOp> fine{
      remove, {Kind::kInsertNode, 2, 0, 9}, {Kind::kInsertEdge, 2, 0, 0}};
  const Replayed result = replay(g, fine);
  EXPECT_EQ(result.graph, Graph({{0, 9}}, {{Edge{0, 1}}}));
  EXPECT_THAT(result.ids, ElementsAre(0U, 2U));
}

TEST(ReplayTest, ResultHasEdgeLabelsIfSomethingGivesThem) {
  const Graph g = path(2);
  const auto labelled = [](const Graph& start, std::vector<EditOp> ops) {
    return replay(start, ops).graph.has_edge_labels();
  };
  const EditOp cut{Kind::kDeleteEdge, 0, 1, 0};
  EXPECT_FALSE(labelled(g, {}));
  EXPECT_FALSE(labelled(g, {cut, {Kind::kInsertEdge, 0, 1, 0}}));
  EXPECT_TRUE(labelled(g, {cut, {Kind::kInsertEdge, 0, 1, 2}}));
  EXPECT_TRUE(labelled(g, {{Kind::kRelabelEdge, 0, 1, 2}}));
  EXPECT_TRUE(labelled(comparable(g, true), {cut}));
}

TEST(ReplayTest, LongScriptsTakeTimeInProportion) {
  // A star of many leaves built and razed: moments; anything quadratic would take minutes.
  constexpr Node kLeaves = 300'000;
  const auto begin = std::chrono::steady_clock::now();
  std::vector<EditOp> ops;
  for (Node v = 1; v <= kLeaves; ++v) ops.push_back({Kind::kInsertNode, v, 0, v % 5});
  for (Node v = 1; v <= kLeaves; ++v) ops.push_back({Kind::kInsertEdge, v, 0, 0});
  const Graph seed({{0}}, {});
  EXPECT_EQ(replay(seed, ops).graph.num_edges(), kLeaves);
  for (Node v = 1; v <= kLeaves; ++v) ops.push_back({Kind::kDeleteEdge, 0, v, 0});
  for (Node v = kLeaves; v >= 1; --v) ops.push_back({Kind::kDeleteNode, v, 0, 0});
  EXPECT_EQ(replay(seed, ops).graph, seed);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

// ---- The certificate refuses --------------------------------------------------------------

std::string fault(const Example& e, const EditScript& script) {
  const Verdict verdict = check_certificate(e.a, e.b, script, e.costs);
  EXPECT_EQ(verdict.holds, verdict.reason.empty());
  return verdict.reason;
}

TEST(CertificateTest, RefusesAHigherCostThanTheLimit) {
  const Example e;
  const auto cost = static_cast<std::int64_t>(e.script.ops.size());
  EXPECT_TRUE(check_certificate(e.a, e.b, e.script, e.costs, cost).holds);
  const Verdict verdict = check_certificate(e.a, e.b, e.script, e.costs, cost - 1);
  EXPECT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.cost, cost);
  EXPECT_THAT(verdict.reason, HasSubstr("cost 6, more than 5"));
  EXPECT_FALSE(check_certificate({}, {}, {}, {}, -1).holds);
}

TEST(CertificateTest, RefusesBadCosts) {
  const Example e;
  const Verdict verdict = check_certificate(e.a, e.b, e.script, {.insert_node = -5}, 0);
  EXPECT_FALSE(verdict.holds);
  EXPECT_THAT(verdict.reason, HasSubstr("insert_node"));
}

TEST(CertificateTest, RefusesAChangedMap) {
  const Example e;
  const auto with = [&](std::vector<Node> map) { return fault(e, {e.script.ops, std::move(map)}); };
  EXPECT_THAT(e.script.map, ElementsAre(0U, 1U, kUnmatched, 2U));
  EXPECT_THAT(with({0, 1, kUnmatched, 2}), IsEmpty());
  EXPECT_THAT(with({1, 0, kUnmatched, 2}), HasSubstr("label"));
  EXPECT_THAT(with({0, 2, kUnmatched, 1}), HasSubstr("not in the target"));
  EXPECT_THAT(with({0, 1, kUnmatched}), HasSubstr("3 entries for 4 nodes"));
  EXPECT_THAT(with({0, 1, kUnmatched, 2, kUnmatched}), HasSubstr("5 entries for 4 nodes"));
  EXPECT_THAT(with({}), HasSubstr("0 entries"));
  EXPECT_THAT(with({0, 1, 2, kUnmatched}), HasSubstr("deleted node 2"));
  EXPECT_THAT(with({0, 1, 2, 2}), HasSubstr("deleted node 2"));
  EXPECT_THAT(with({0, 1, kUnmatched, 1}), HasSubstr("two nodes"));
  EXPECT_THAT(with({0, 1, kUnmatched, 3}), HasSubstr("no node of the target"));
  EXPECT_THAT(with({0, 1, kUnmatched, kUnmatched}), HasSubstr("no node of the target"));
}

TEST(CertificateTest, RefusesAChangedEdit) {
  const Example e;
  const auto with = [&](std::size_t at, EditOp op) {
    EditScript script = e.script;
    script.ops.at(at) = op;
    return fault(e, script);
  };
  EXPECT_THAT(with(0, {Kind::kRelabelNode, 0, 0, 2}), HasSubstr("label 2"));
  EXPECT_THAT(with(0, {Kind::kRelabelNode, 1, 0, 1}), HasSubstr("label"));
  EXPECT_THAT(with(0, {Kind::kRelabelNode, 9, 0, 1}), HasSubstr("edit 1"));
  EXPECT_THAT(with(1, {Kind::kRelabelEdge, 0, 1, 2}), HasSubstr("edge 0-1 ends with label 2"));
  EXPECT_THAT(with(1, {Kind::kRelabelEdge, 1, 2, 0}), HasSubstr("edge 0-1 ends with label 0"));
  EXPECT_THAT(with(2, {Kind::kDeleteEdge, 0, 1, 0}), HasSubstr("node 2 still has edges"));
  EXPECT_THAT(with(3, {Kind::kDeleteNode, 1, 0, 0}), HasSubstr("node 1 still has edges"));
  EXPECT_THAT(with(4, {Kind::kInsertNode, 2, 0, 0}), HasSubstr("next free id"));
  EXPECT_THAT(with(4, {Kind::kInsertNode, 3, 0, 1}), HasSubstr("label 1"));
  EXPECT_THAT(with(5, {Kind::kInsertEdge, 0, 3, 0}), HasSubstr("not in the target"));
  EXPECT_THAT(with(5, {Kind::kInsertEdge, 1, 2, 0}), HasSubstr("deleted"));
  EXPECT_THAT(with(5, {Kind::kInsertEdge, 3, 3, 0}), HasSubstr("self loop"));
  EXPECT_THAT(with(5, {Kind::kInsertEdge, 1, 3, 1}), HasSubstr("ends with label 1"));
}

TEST(CertificateTest, RefusesAScriptTooShortOrForAnotherTarget) {
  const Example e;
  EditScript script = e.script;
  script.ops.pop_back();
  EXPECT_THAT(fault(e, script), HasSubstr("edge 1-2 of the target is missing"));
  EXPECT_THAT(check_certificate(e.a, path(2), e.script).reason, HasSubstr("3 nodes, the target 2"));
  EXPECT_FALSE(check_certificate(e.b, e.b, e.script).holds);
  EXPECT_FALSE(check_certificate(e.a, e.b, {}).holds);
}

TEST(CertificateTest, RefusesEveryDroppedAndEveryRepeatedEdit) {
  Rng rng(8);
  for (int round = 0; round < 300; ++round) {
    const Case c = random_case(rng);
    const EditScript script = edit_script(c.a, c.b, c.map, c.costs);
    for (std::size_t i = 0; i < script.ops.size(); ++i) {
      const auto at = static_cast<std::ptrdiff_t>(i);
      EditScript dropped = script;
      dropped.ops.erase(dropped.ops.begin() + at);
      EXPECT_FALSE(check_certificate(c.a, c.b, dropped, c.costs).holds);
      EditScript repeated = script;
      repeated.ops.insert(repeated.ops.begin() + at, script.ops[i]);
      EXPECT_FALSE(check_certificate(c.a, c.b, repeated, c.costs).holds);
    }
  }
}

// ---- Mutations ----------------------------------------------------------------------------

/// Mostly near what the script uses, sometimes far out.
std::uint32_t random_word(Rng& rng) {
  if (rng.chance(0.1)) return ~std::uint32_t{0} - static_cast<std::uint32_t>(rng.below(2));
  return static_cast<std::uint32_t>(rng.below(14));
}

EditOp random_op(Rng& rng) {
  return {static_cast<Kind>(rng.below(6)), random_word(rng), random_word(rng), random_word(rng)};
}

template <typename T>
auto random_place(Rng& rng, std::vector<T>& items) {
  return items.begin() + static_cast<std::ptrdiff_t>(rng.below(items.size()));
}

void mutate_op(Rng& rng, EditOp& op) {
  switch (rng.below(5)) {
    case 0: op.kind = static_cast<Kind>(rng.below(7)); break;
    case 1: op.u = random_word(rng); break;
    case 2: op.v = random_word(rng); break;
    case 3: op.label = random_word(rng); break;
    default: std::swap(op.u, op.v);
  }
}

void mutate_ops(Rng& rng, std::vector<EditOp>& ops) {
  if (ops.empty() || rng.chance(0.1)) {
    ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(rng.below(ops.size() + 1)),
               random_op(rng));
    return;
  }
  const auto at = random_place(rng, ops);
  switch (rng.below(6)) {
    case 0: ops.erase(at); break;
    case 1: ops.push_back(*at); break;
    case 2: std::swap(*at, *random_place(rng, ops)); break;
    case 3: ops.erase(at, ops.end()); break;
    default: mutate_op(rng, *at);
  }
}

void mutate_map(Rng& rng, std::vector<Node>& map) {
  if (map.empty() || rng.chance(0.1)) return map.push_back(random_word(rng));
  const auto at = random_place(rng, map);
  switch (rng.below(4)) {
    case 0: map.erase(at); break;
    case 1: std::swap(*at, *random_place(rng, map)); break;
    case 2: *at = kUnmatched; break;
    default: *at = random_word(rng);
  }
}

TEST(CertificateTest, NoMutationMakesItHoldFalsely) {
  Rng rng(9);
  int held = 0;
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    const Case c = random_case(rng);
    EditScript script = edit_script(c.a, c.b, c.map, c.costs);
    const std::int64_t limit = sum_of_costs(script, c.costs);
    if (rng.chance(0.7)) {
      mutate_ops(rng, script.ops);
    } else {
      mutate_map(rng, script.map);
    }
    const Verdict verdict = check_certificate(c.a, c.b, script, c.costs, limit);
    ASSERT_EQ(verdict.holds, verdict.reason.empty());
    ++(verdict.holds ? held : refused);
    if (!verdict.holds) continue;
    const auto result = obvious_replay(c.a, script.ops);
    ASSERT_TRUE(result.has_value()) << "round " << round;
    ASSERT_TRUE(same_graph(result->graph, c.b, c.costs)) << "round " << round;
    ASSERT_EQ(verdict.cost, sum_of_costs(script, c.costs));
    ASSERT_LE(verdict.cost, limit);
  }
  // Some mutations change nothing that counts (order of edits, an unused field); most do.
  EXPECT_GT(held, 100);
  EXPECT_GT(refused, 10'000);
}

TEST(ReplayTest, AgreesWithTheObviousVersionOnMutatedScripts) {
  Rng rng(10);
  for (int round = 0; round < 5000; ++round) {
    const Case c = random_case(rng);
    EditScript script = edit_script(c.a, c.b, c.map, c.costs);
    mutate_ops(rng, script.ops);
    const auto expected = obvious_replay(c.a, script.ops);
    const std::string wrong = refusal(c.a, script.ops);
    ASSERT_EQ(wrong.empty(), expected.has_value()) << "round " << round << ": " << wrong;
    if (!expected) continue;
    const Replayed result = replay(c.a, script.ops);
    ASSERT_EQ(comparable(result.graph, true), expected->graph) << "round " << round;
    ASSERT_EQ(result.ids, expected->ids) << "round " << round;
  }
}

}  // namespace
}  // namespace fewedits
