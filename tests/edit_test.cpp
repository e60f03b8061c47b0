// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_set>

#include "fewedits/base/error.hpp"
#include "fewedits/edit/embedding.hpp"
#include "fewedits/edit/neighbours.hpp"
#include "fewedits/graph/identity.hpp"
#include "support/automorphisms.hpp"
#include "support/ged.hpp"

namespace fewedits {

std::ostream& operator<<(std::ostream& out, const Edit& e) {
  return out << '{' << static_cast<int>(e.kind) << ' ' << e.u << ' ' << e.v << ' ' << e.label << ' '
             << e.edge_label << '}';
}

namespace {

using Kind = Edit::Kind;

// ---- The slow, obvious version ------------------------------------------------------------

std::size_t components(const Graph& g) {
  std::vector<Node> part(g.num_nodes());
  std::iota(part.begin(), part.end(), Node{0});
  for (const Edge& e : g.edges()) {
    std::replace(part.begin(), part.end(), Node{part[e.u]}, Node{part[e.v]});
  }
  return std::set<Node>(part.begin(), part.end()).size();
}

/// Every edit of SPEC §6, in the order of `neighbours`.
std::vector<Edit> all_edits(const Graph& g, Label labels, Label edge_labels = 1) {
  std::vector<Edit> edits;
  const Node n = g.num_nodes();
  for (Node u = 0; u < n; ++u) {
    for (Label l = 0; l < labels; ++l) {
      if (g.label(u) != l) edits.push_back({Kind::kRelabel, u, 0, l});
      for (Label e = 0; e < edge_labels; ++e) edits.push_back({Kind::kAddLeaf, u, 0, l, e});
    }
    if (g.degree(u) == 1) edits.push_back({Kind::kRemoveLeaf, u, 0, 0});
    for (Node v = u + 1; v < n; ++v) {
      for (Label e = 0; e < edge_labels; ++e) {
        if (!g.has_edge(u, v)) edits.push_back({Kind::kAddEdge, u, v, 0, e});
        const bool other = g.has_edge(u, v) && g.has_edge_labels() && g.edge_label(u, v) != e;
        if (other && edge_labels > 1) edits.push_back({Kind::kRelabelEdge, u, v, e});
      }
      const bool removable = g.has_edge(u, v) && components(g.without_edge(u, v)) == components(g);
      if (removable) edits.push_back({Kind::kRemoveEdge, u, v, 0});
    }
  }
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
    return std::tuple(a.kind, a.u, a.v, a.label, a.edge_label) <
           std::tuple(b.kind, b.u, b.v, b.label, b.edge_label);
  });
  return edits;
}

bool is_frozen(std::span<const bool> frozen, Node v) { return !frozen.empty() && frozen[v]; }

/// The edits that leave frozen nodes with their labels and the edges between them.
std::vector<Edit> unfrozen(std::vector<Edit> edits, std::span<const bool> frozen) {
  std::erase_if(edits, [&](const Edit& e) {
    if (e.kind == Kind::kRemoveEdge || e.kind == Kind::kRelabelEdge) {
      return is_frozen(frozen, e.u) && is_frozen(frozen, e.v);
    }
    return (e.kind == Kind::kRelabel || e.kind == Kind::kRemoveLeaf) && is_frozen(frozen, e.u);
  });
  return edits;
}

/// The first edit of each orbit.
std::vector<Edit> first_of_orbits(const std::vector<Edit>& edits,
                                  const std::vector<std::vector<Node>>& automorphisms) {
  std::vector<Edit> first;
  for (const Edit& edit : edits) {
    const bool known = std::any_of(automorphisms.begin(), automorphisms.end(), [&](const auto& to) {
      Edit moved = edit;
      moved.u = to[edit.u];
      if (edit.kind == Kind::kAddEdge || edit.kind == Kind::kRemoveEdge ||
          edit.kind == Kind::kRelabelEdge) {
        std::tie(moved.u, moved.v) = std::minmax({to[edit.u], to[edit.v]});
      }
      return std::find(first.begin(), first.end(), moved) != first.end();
    });
    if (!known) first.push_back(edit);
  }
  return first;
}

/// Tries every injective map.
bool contains_by_brute_force(const Graph& g, const Graph& pattern, std::vector<Node> map = {}) {
  const auto p = static_cast<Node>(map.size());
  if (p == pattern.num_nodes()) return true;
  for (Node v = 0; v < g.num_nodes(); ++v) {
    bool fits = g.label(v) == pattern.label(p);
    for (Node q = 0; q < p; ++q) {
      fits = fits && map[q] != v && (!pattern.has_edge(p, q) || g.has_edge(v, map[q]));
    }
    if (!fits) continue;
    map.push_back(v);
    if (contains_by_brute_force(g, pattern, map)) return true;
    map.pop_back();
  }
  return false;
}

/// Compares the graphs before and after, node by node: what is new must respect the constraints.
bool brings_nothing_bad(const Graph& before, const Edit& edit, const Constraints& c) {
  const Graph after = apply(before, edit);
  const auto old_node = [&](Node v) {
    return edit.kind == Kind::kRemoveLeaf && v >= edit.u ? v + 1 : v;
  };
  const auto is_relabelled = [&](Node v) {
    return old_node(v) >= before.num_nodes() || before.label(old_node(v)) != after.label(v);
  };
  for (Node v = 0; v < after.num_nodes(); ++v) {
    const Label l = after.label(v);
    const bool grew = is_relabelled(v) || after.degree(v) > before.degree(old_node(v));
    if (grew && !c.max_degree.empty() && after.degree(v) > c.max_degree[l]) return false;
    if (is_relabelled(v) && !c.allowed_labels.empty() && !c.allowed_labels[l]) return false;
  }
  for (const Edge& e : after.edges()) {
    const bool is_new =
        is_relabelled(e.u) || is_relabelled(e.v) || !before.has_edge(old_node(e.u), old_node(e.v));
    const bool bad =
        !c.allowed_pairs.empty() && !c.allowed_pairs[after.label(e.u)][after.label(e.v)];
    if (is_new && bad) return false;
  }
  const bool grew = after.num_nodes() > before.num_nodes();
  const bool shrank = after.num_nodes() < before.num_nodes();
  if (grew && after.num_nodes() > c.max_nodes) return false;
  if (shrank && after.num_nodes() < c.min_nodes) return false;
  if (after.num_edges() > before.num_edges() && after.num_edges() > c.max_edges) return false;
  return !c.core || !contains_by_brute_force(before, *c.core) ||
         contains_by_brute_force(after, *c.core);
}

// ---- Helpers ------------------------------------------------------------------------------

using Identities = std::unordered_set<Identity>;

Identities identities(const Graph& g, const std::vector<Edit>& edits) {
  Identities found;
  for (const Edit& edit : edits) found.insert(Identity(apply(g, edit)));
  return found;
}

std::vector<Hash128> sorted_hashes(const Graph& g, const std::vector<Edit>& edits) {
  std::vector<Hash128> hashes;
  for (const Edit& edit : edits) hashes.push_back(Identity(apply(g, edit)).hash());
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

NeighbourOptions with_labels(std::size_t num_labels) { return {num_labels, {}}; }

std::size_t count(const std::vector<Edit>& edits, Kind kind) {
  return static_cast<std::size_t>(
      std::count_if(edits.begin(), edits.end(), [&](const Edit& e) { return e.kind == kind; }));
}

/// Relabel, add leaf, remove leaf, add edge, remove edge.
std::array<std::size_t, 5> counts(const Graph& g, std::size_t num_labels) {
  const auto edits = neighbours(g, with_labels(num_labels));
  return {count(edits, Kind::kRelabel), count(edits, Kind::kAddLeaf),
          count(edits, Kind::kRemoveLeaf), count(edits, Kind::kAddEdge),
          count(edits, Kind::kRemoveEdge)};
}
using Counts = std::array<std::size_t, 5>;

Constraints random_constraints(Rng& rng, Label labels) {
  Constraints c;
  if (rng.chance(0.3)) c.min_nodes = static_cast<std::uint32_t>(rng.below(8));
  if (rng.chance(0.3)) c.max_nodes = static_cast<std::uint32_t>(rng.below(8));
  if (rng.chance(0.3)) c.max_edges = static_cast<std::uint32_t>(rng.below(10));
  for (Label l = 0; l < labels && rng.chance(0.6); ++l) {
    c.max_degree.resize(labels, Constraints::kUnlimited);
    c.max_degree[l] = static_cast<std::uint32_t>(rng.below(4));
  }
  for (Label l = 0; l < labels && rng.chance(0.5); ++l) {
    c.allowed_labels.resize(labels, true);
    c.allowed_labels[l] = rng.chance(0.5);
  }
  if (rng.chance(0.5)) {
    c.allowed_pairs.assign(labels, std::vector<bool>(labels, true));
    const auto a = rng.below(labels);
    const auto b = rng.below(labels);
    c.allowed_pairs[a][b] = c.allowed_pairs[b][a] = false;
  }
  if (rng.chance(0.5)) c.core = test::random_part(rng, 1, 4).without_edge_labels();
  return c;
}

std::unique_ptr<bool[]> random_flags(Rng& rng, Node count) {
  auto flags = std::make_unique<bool[]>(count);
  for (Node v = 0; v < count; ++v) flags[v] = rng.chance(0.3);
  return flags;
}

std::string error_of(std::string_view text, const std::vector<std::string>& names,
                     Constraints constraints = {}) {
  try {
    add_constraint(text, names, constraints);
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << text << " was taken";
  return {};
}

// ---- Neighbours ---------------------------------------------------------------------------

TEST(NeighboursTest, AreTheFirstOfEveryOrbit) {
  Rng rng(1);
  std::size_t left_out = 0;
  for (int round = 0; round < 600; ++round) {
    const Graph g = test::random_part(rng, 1, 6);
    const auto all = all_edits(g, 3);
    const auto listed = neighbours(g, with_labels(3));
    ASSERT_EQ(listed, first_of_orbits(all, test::all_automorphisms(g)));
    ASSERT_EQ(identities(g, listed), identities(g, all));
    for (const Edit& edit : listed) {
      ASSERT_LE(components(apply(g, edit)), components(g)) << edit;
    }
    left_out += all.size() - listed.size();
  }
  EXPECT_GT(left_out, 1000U) << "hardly a graph had a symmetry: the test says nothing";
}

TEST(NeighboursTest, HaveEveryLabelOfEdges) {
  Rng rng(12);
  std::size_t relabelled = 0;
  for (int round = 0; round < 600; ++round) {
    const Graph g = test::random_part(rng, 1, 6);
    const Label edge_labels = g.has_edge_labels() ? 3 : 1;
    const auto flags = random_flags(rng, g.num_nodes());
    const std::span<const bool> frozen(flags.get(), round % 2 == 0 ? g.num_nodes() : 0U);
    NeighbourOptions options{3, frozen};
    options.num_edge_labels = 3;  // which graphs without them disregard
    const auto listed = neighbours(g, options);
    ASSERT_EQ(listed, first_of_orbits(unfrozen(all_edits(g, 3, edge_labels), frozen),
                                      test::all_automorphisms(g, frozen)));
    relabelled += count(listed, Kind::kRelabelEdge);
  }
  EXPECT_GT(relabelled, 500U);
}

TEST(NeighboursTest, RespectConstraintsAndFrozenNodes) {
  Rng rng(2);
  std::size_t refused = 0;
  for (int round = 0; round < 1500; ++round) {
    const Graph g = test::random_part(rng, 1, 6);
    const Label labels = 4;
    const Constraints constraints = random_constraints(rng, labels);
    const auto flags = random_flags(rng, g.num_nodes());
    const std::span<const bool> frozen(flags.get(), round % 2 == 0 ? g.num_nodes() : 0U);

    auto expected = unfrozen(all_edits(g, labels), frozen);
    refused += std::erase_if(expected,
                             [&](const Edit& e) { return !brings_nothing_bad(g, e, constraints); });
    ASSERT_EQ(neighbours(g, {labels, frozen}, constraints),
              first_of_orbits(expected, test::all_automorphisms(g, frozen)));
  }
  EXPECT_GT(refused, 1000U);
}

TEST(NeighboursTest, OfASatisfyingGraphSatisfyEverything) {
  Rng rng(3);
  int checked = 0;
  for (int round = 0; round < 4000; ++round) {
    const Graph g = test::random_part(rng, 1, 6);
    const Constraints constraints = random_constraints(rng, 4);
    if (!satisfies(g, constraints)) continue;
    for (const Edit& edit : neighbours(g, with_labels(4), constraints)) {
      ASSERT_TRUE(satisfies(apply(g, edit), constraints)) << edit;
      ++checked;
    }
  }
  EXPECT_GT(checked, 1000);
}

TEST(NeighboursTest, DoNotDependOnTheNumberingOfNodes) {
  Rng rng(4);
  for (int round = 0; round < 60; ++round) {
    const auto nodes = static_cast<Node>(2 + rng.below(14));
    const Graph g = test::random_graph(rng, nodes, rng.below(5), 3, round % 2 == 0 ? 2 : 0);
    const Graph h = test::shuffled(rng, g);
    Constraints constraints;
    if (round % 3 == 0) constraints = random_constraints(rng, 3);
    EXPECT_EQ(sorted_hashes(g, neighbours(g, with_labels(3), constraints)),
              sorted_hashes(h, neighbours(h, with_labels(3), constraints)));
  }
}

TEST(NeighboursTest, OfSymmetricGraphsAreFew) {
  // With two labels: one relabelling and two leaves for each orbit of nodes.
  EXPECT_EQ(counts(test::path(4), 2), (Counts{2, 4, 1, 2, 0}));
  EXPECT_EQ(counts(test::path(5), 2), (Counts{3, 6, 1, 4, 0}));
  EXPECT_EQ(counts(test::cycle(6), 2), (Counts{1, 2, 0, 2, 1}));
  EXPECT_EQ(counts(test::complete(6), 2), (Counts{1, 2, 0, 0, 1}));
  EXPECT_EQ(counts(test::star(5), 2), (Counts{2, 4, 1, 1, 0}));
}

TEST(NeighboursTest, OfDisconnectedGraphsMayJoinThem) {
  // Two edges: every pair across is one orbit; nothing may split, but a leaf may go.
  const Graph edges(std::vector<Label>(4, 0), std::vector<Edge>{{0, 1}, {2, 3}});
  EXPECT_EQ(counts(edges, 2), (Counts{1, 2, 1, 1, 0}));
  // Isolated nodes cannot be removed.
  const Graph nodes(std::vector<Label>(3, 0), {});
  EXPECT_EQ(counts(nodes, 2), (Counts{1, 2, 0, 1, 0}));
}

TEST(NeighboursTest, OfTheSmallestGraphs) {
  EXPECT_TRUE(neighbours(Graph(), with_labels(3)).empty());
  EXPECT_EQ(counts(test::path(1), 3), (Counts{2, 3, 0, 0, 0}));
  EXPECT_EQ(counts(test::path(2), 1), (Counts{0, 1, 1, 0, 0}));
  EXPECT_TRUE(neighbours(test::path(1), with_labels(0)).empty());
}

TEST(NeighboursTest, KeepFrozenNodes) {
  // A triangle 0-1-2 with a leaf 3 at node 0; nodes 0 and 1 are frozen.
  const Graph g(std::vector<Label>(4, 0), std::vector<Edge>{{0, 1}, {1, 2}, {0, 2}, {0, 3}});
  const std::array<bool, 4> frozen{true, true, false, false};
  const std::vector<Edit> expected{
      {Kind::kRelabel, 2, 0, 1}, {Kind::kRelabel, 3, 0, 1},    {Kind::kAddLeaf, 0, 0, 0},
      {Kind::kAddLeaf, 0, 0, 1}, {Kind::kAddLeaf, 1, 0, 0},    {Kind::kAddLeaf, 1, 0, 1},
      {Kind::kAddLeaf, 2, 0, 0}, {Kind::kAddLeaf, 2, 0, 1},    {Kind::kAddLeaf, 3, 0, 0},
      {Kind::kAddLeaf, 3, 0, 1}, {Kind::kRemoveLeaf, 3, 0, 0}, {Kind::kAddEdge, 1, 3, 0},
      {Kind::kAddEdge, 2, 3, 0}, {Kind::kRemoveEdge, 0, 2, 0}, {Kind::kRemoveEdge, 1, 2, 0}};
  EXPECT_EQ(neighbours(g, {2, frozen}), expected);
}

TEST(NeighboursTest, OfLargeGraphsComeQuickly) {
  Rng rng(5);
  std::vector<Edge> pairs;
  for (Node v = 0; v < 620; v += 2) pairs.push_back({v, v + 1});
  const std::vector<Graph> graphs{test::random_graph(rng, 620, 700, 3), test::path(620),
                                  test::cycle(620), test::star(619),
                                  Graph(std::vector<Label>(620, 0), pairs)};
  for (const Graph& g : graphs) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(neighbours(g, with_labels(3)).empty());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_LT(took.count(), 1);
  }
}

// ---- Constraints, one by one --------------------------------------------------------------

TEST(ConstraintsTest, NoneAreTrivial) {
  EXPECT_TRUE(Constraints{}.trivial());
  Constraints c;
  c.max_edges = 3;
  EXPECT_FALSE(c.trivial());
  EXPECT_TRUE(satisfies(test::path(2), {}));
  EXPECT_FALSE(satisfies(Graph(), {})) << "a counterfactual has a node";
  const Graph two_parts(std::vector<Label>(2, 0), {});
  EXPECT_FALSE(satisfies(two_parts, {}));
  c.connected = false;
  EXPECT_TRUE(satisfies(two_parts, c));
}

TEST(ConstraintsTest, LimitSizes) {
  Constraints c;
  c.min_nodes = 4;
  c.max_nodes = 4;
  c.max_edges = 4;
  EXPECT_TRUE(satisfies(test::cycle(4), c));
  EXPECT_FALSE(satisfies(test::cycle(3), c));
  EXPECT_FALSE(satisfies(test::path(5), c));
  EXPECT_FALSE(satisfies(test::complete(4), c));
  // The cycle may lose an edge, the path may get one, neither may change its nodes.
  const std::vector<Edit> of_cycle{{Kind::kRemoveEdge, 0, 1, 0}};
  EXPECT_EQ(neighbours(test::cycle(4), with_labels(1), c), of_cycle);
  const std::vector<Edit> of_path{{Kind::kAddEdge, 0, 2, 0}, {Kind::kAddEdge, 0, 3, 0}};
  EXPECT_EQ(neighbours(test::path(4), with_labels(1), c), of_path);
}

TEST(ConstraintsTest, LimitDegrees) {
  Constraints c;
  c.max_degree = {2, 1};
  EXPECT_TRUE(satisfies(test::cycle(4), c));
  EXPECT_FALSE(satisfies(test::star(3), c));
  // The middle of a star of three has too many neighbours: it may lose one, but nothing else may
  // be done to it. Leaves may get label 1 and a neighbour.
  const std::vector<Edit> expected{{Kind::kRelabel, 1, 0, 1},
                                   {Kind::kAddLeaf, 1, 0, 0},
                                   {Kind::kAddLeaf, 1, 0, 1},
                                   {Kind::kRemoveLeaf, 1, 0, 0},
                                   {Kind::kAddEdge, 1, 2, 0}};
  EXPECT_EQ(neighbours(test::star(3), with_labels(2), c), expected);
  // No leaf gets a label that may have no neighbour.
  c.max_degree = {2, 0};
  EXPECT_EQ(neighbours(test::path(1), with_labels(2), c),
            (std::vector<Edit>{{Kind::kRelabel, 0, 0, 1}, {Kind::kAddLeaf, 0, 0, 0}}));
}

TEST(ConstraintsTest, ForbidLabels) {
  Constraints c;
  c.allowed_labels = {true, false, true};
  const Graph g = test::path(1, 1);
  EXPECT_FALSE(satisfies(g, c));
  const std::vector<Edit> expected{{Kind::kRelabel, 0, 0, 0},
                                   {Kind::kRelabel, 0, 0, 2},
                                   {Kind::kAddLeaf, 0, 0, 0},
                                   {Kind::kAddLeaf, 0, 0, 2}};
  EXPECT_EQ(neighbours(g, with_labels(3), c), expected);
}

TEST(ConstraintsTest, ForbidPairs) {
  Constraints c;
  c.allowed_pairs = {{true, false}, {false, false}};
  const Graph good = test::path(3);
  const Graph bad = good.with_label(0, 1);
  EXPECT_TRUE(satisfies(good, c));
  EXPECT_FALSE(satisfies(bad, c));
  EXPECT_TRUE(satisfies(test::path(1, 1), c));
  const auto of_good = neighbours(good, with_labels(2), c);
  EXPECT_FALSE(of_good.empty());
  for (const Edit& e : of_good) EXPECT_EQ(e.label, 0U) << e;
  // The forbidden edge may go with its leaf, or its end may change; node 0 may get nothing.
  const std::vector<Edit> expected{{Kind::kRelabel, 0, 0, 0},
                                   {Kind::kAddLeaf, 1, 0, 0},
                                   {Kind::kAddLeaf, 2, 0, 0},
                                   {Kind::kRemoveLeaf, 0, 0, 0},
                                   {Kind::kRemoveLeaf, 2, 0, 0}};
  EXPECT_EQ(neighbours(bad, with_labels(2), c), expected);
}

TEST(ConstraintsTest, KeepTheCore) {
  Constraints c;
  c.core = test::cycle(3);
  // A triangle with a tail of two: only the tail may be relabelled or shortened.
  const Graph g(std::vector<Label>(5, 0),
                std::vector<Edge>{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}});
  EXPECT_TRUE(satisfies(g, c));
  const auto edits = neighbours(g, with_labels(2), c);
  EXPECT_EQ(count(edits, Kind::kRelabel), 2U);
  EXPECT_EQ(count(edits, Kind::kRemoveLeaf), 1U);
  EXPECT_EQ(count(edits, Kind::kRemoveEdge), 0U);
  // With a second triangle either may change, and without any there is nothing to keep.
  EXPECT_EQ(count(neighbours(g.with_edge(2, 4), with_labels(2), c), Kind::kRemoveEdge), 2U);
  EXPECT_FALSE(satisfies(test::path(5), c));
  EXPECT_EQ(neighbours(test::path(5), with_labels(2), c),
            neighbours(test::path(5), with_labels(2)));
}

TEST(ConstraintsTest, AskThePredicateLast) {
  Constraints c;
  c.max_nodes = 3;
  c.predicate = [](const Graph& graph, const Edit& edit) {
    EXPECT_EQ(graph, test::path(3));
    EXPECT_NE(edit.kind, Kind::kAddLeaf) << "refused before";
    return edit.kind != Kind::kRemoveLeaf;
  };
  EXPECT_FALSE(c.trivial());
  EXPECT_EQ(neighbours(test::path(3), with_labels(1), c),
            (std::vector<Edit>{{Kind::kAddEdge, 0, 2, 0}}));
}

TEST(EmbeddingTest, AgreesWithBruteForce) {
  Rng rng(6);
  std::size_t found = 0;
  for (int round = 0; round < 5000; ++round) {
    const Graph pattern = test::random_part(rng, 0, 5);
    const Graph g = test::random_part(rng, 1, 8);
    const auto map = find_embedding(pattern, g);
    ASSERT_EQ(map.has_value(), contains_by_brute_force(g, pattern));
    if (!map) continue;
    ++found;
    EXPECT_EQ(std::set<Node>(map->begin(), map->end()).size(), pattern.num_nodes());
    for (Node p = 0; p < pattern.num_nodes(); ++p) {
      EXPECT_EQ(pattern.label(p), g.label((*map)[p]));
    }
    for (const Edge& e : pattern.edges()) EXPECT_TRUE(g.has_edge((*map)[e.u], (*map)[e.v]));
  }
  EXPECT_GT(found, 500U);
  EXPECT_LT(found, 4500U);
}

TEST(EmbeddingTest, FindsALargeGraphInItself) {
  Rng rng(7);
  const Graph g = test::random_graph(rng, 620, 600, 3);
  EXPECT_TRUE(find_embedding(g, test::shuffled(rng, g)).has_value());
  EXPECT_TRUE(find_embedding(test::path(300), test::path(620)).has_value());
}

// ---- Constraints as text ------------------------------------------------------------------

const std::vector<std::string> kElements{"C", "O", "H"};

Constraints parsed(const std::vector<std::string>& texts,
                   const std::vector<std::string>& names = kElements) {
  Constraints c;
  for (const auto& text : texts) add_constraint(text, names, c);
  return c;
}

TEST(ConstraintTextTest, IsUnderstood) {
  const auto unlimited = Constraints::kUnlimited;
  using Limits = std::vector<std::uint32_t>;
  using Flags = std::vector<bool>;
  EXPECT_EQ(parsed({"valence"}).max_degree, (Limits{4, 2, 1}));
  EXPECT_EQ(parsed({"max-degree=3"}).max_degree, (Limits{3, 3, 3}));
  EXPECT_EQ(parsed({"max-degree=O:3"}).max_degree, (Limits{unlimited, 3, unlimited}));
  EXPECT_EQ(parsed({"labels=C,H"}).allowed_labels, (Flags{true, false, true}));
  EXPECT_EQ(parsed({"pairs=C-C,C-O"}).allowed_pairs,
            (std::vector<Flags>{{true, true, false}, {true, false, false}, {false, false, false}}));
  EXPECT_EQ(parsed({"min-nodes=5"}).min_nodes, 5U);
  EXPECT_EQ(parsed({"max-nodes=5"}).max_nodes, 5U);
  EXPECT_EQ(parsed({"max-edges=5"}).max_edges, 5U);
  EXPECT_EQ(parsed({" labels = C , H "}).allowed_labels, (Flags{true, false, true}));
}

TEST(ConstraintTextTest, TightensWhatWasSaidBefore) {
  using Limits = std::vector<std::uint32_t>;
  EXPECT_EQ(parsed({"valence", "max-degree=3", "max-degree=H:2"}).max_degree, (Limits{3, 2, 1}));
  EXPECT_EQ(parsed({"labels=C,H", "labels=C,O"}).allowed_labels,
            (std::vector<bool>{true, false, false}));
  EXPECT_EQ(parsed({"pairs=C-C,C-O", "pairs=O-C"}).allowed_pairs[0],
            (std::vector<bool>{false, true, false}));
  const Constraints c = parsed({"min-nodes=5", "min-nodes=3", "max-nodes=9", "max-nodes=12"});
  EXPECT_EQ(c.min_nodes, 5U);
  EXPECT_EQ(c.max_nodes, 9U);
}

TEST(ConstraintTextTest, TakesNamesAsTheyAre) {
  const std::vector<std::string> names{"-1", "a:b", "x-y", "x"};
  EXPECT_EQ(parsed({"max-degree=a:b:2"}, names).max_degree[1], 2U);
  const auto pairs = parsed({"pairs=-1--1,x-x-y"}, names).allowed_pairs;
  EXPECT_TRUE(pairs[0][0]);
  EXPECT_TRUE(pairs[2][3]);
  EXPECT_FALSE(pairs[2][2]);
  // Two labels of one name are meant both.
  EXPECT_EQ(parsed({"labels=C"}, {"C", "O", "C"}).allowed_labels,
            (std::vector<bool>{true, false, true}));
}

TEST(ConstraintTextTest, IsRefusedWithAReason) {
  const auto expect = [](std::string_view text, std::string_view reason) {
    const std::string message = error_of(text, kElements);
    EXPECT_NE(message.find(in_quotes(std::string(text))), std::string::npos) << message;
    EXPECT_NE(message.find(reason), std::string::npos) << message;
    EXPECT_NE(message.find("max-degree=LABEL:N"), std::string::npos) << message;
  };
  for (const auto* text : {"", "valency", "valence=3", "labels", "max-degree", "nodes=3", "=3"}) {
    expect(text, "is not understood");
  }
  for (const auto* text : {"max-nodes=", "max-nodes=x", "max-nodes=-1", "max-nodes=3.5",
                           "max-nodes=99999999999", "max-degree=C:", "max-degree=C"}) {
    expect(text, "where a whole number belongs");
  }
  expect("labels=C,N", "names a label 'N'; there are C, O, H");
  expect("labels=", "names a label ''");
  expect("labels=C,,O", "names a label ''");
  expect("max-degree=N:3", "names a label 'N'");
  expect("pairs=C-N", "'C-N' where a pair of labels belongs; there are C, O, H");
  expect("pairs=C", "'C' where a pair of labels belongs");
  EXPECT_NE(error_of("valence", {"C", "helix"}).find("'helix' is none"), std::string::npos);
}

/// It is written as it should be: the forms would not help.
TEST(ConstraintTextTest, ThatLeavesNoGraphIsToBeRelaxed) {
  const std::string message = error_of("max-nodes=0", kElements);
  EXPECT_NE(message.find("'max-nodes=0' leaves no graph"), std::string::npos) << message;
  EXPECT_NE(message.find("relax it or one of those before it"), std::string::npos) << message;
  EXPECT_EQ(message.find("max-degree"), std::string::npos) << message;
}

TEST(ConstraintTextTest, ThatIsRefusedChangesNothing) {
  Constraints c = parsed({"labels=C,H", "max-nodes=5"});
  EXPECT_THROW(add_constraint("labels=O", kElements, c), Error);
  EXPECT_THROW(add_constraint("min-nodes=6", kElements, c), Error);
  EXPECT_EQ(c.allowed_labels, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(c.min_nodes, 1U);
}

TEST(ValenceTest, KnowsTheElements) {
  const std::map<std::string, std::uint32_t> expected{{"H", 1}, {"C", 4},  {"N", 4},  {"O", 2},
                                                      {"F", 1}, {"Cl", 1}, {"S", 4},  {"P", 4},
                                                      {"K", 1}, {"Ca", 2}, {"Pt", 6}, {"Tb", 9}};
  for (const auto& [element, valence] : expected) EXPECT_EQ(usual_valence(element), valence);
  EXPECT_EQ(usual_valence("N+"), usual_valence("N"));
  EXPECT_EQ(usual_valence("Fe+2"), usual_valence("Fe"));
  for (const auto* name : {"", " ", "c", "Xx", "helix", "C O", "H F", "7"}) {
    EXPECT_EQ(usual_valence(name), std::nullopt) << name;
  }
}

// ---- Sampling -----------------------------------------------------------------------------

std::vector<Edit> numbered(Node count) {
  std::vector<Edit> edits;
  for (Node u = 0; u < count; ++u) edits.push_back({Kind::kRemoveLeaf, u, 0, 0});
  return edits;
}

TEST(SampleTest, EverySubsetIsEquallyLikely) {
  Rng rng(8);
  std::map<std::vector<Node>, int> seen;
  const int rounds = 20000;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Node> chosen;
    for (const Edit& e : sample(numbered(6), 3, rng)) chosen.push_back(e.u);
    ASSERT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
    ++seen[chosen];
  }
  ASSERT_EQ(seen.size(), 20U);
  double chi_square = 0;
  for (const auto& [subset, times] : seen) {
    const double off = times - rounds / 20.0;
    chi_square += off * off / (rounds / 20.0);
  }
  EXPECT_LT(chi_square, 43.8) << "one in a thousand exceeds this, with 19 degrees of freedom";
}

TEST(SampleTest, TakesAllOrNone) {
  Rng rng(9);
  EXPECT_EQ(sample(numbered(5), 5, rng), numbered(5));
  EXPECT_EQ(sample(numbered(5), 9, rng), numbered(5));
  EXPECT_TRUE(sample(numbered(5), 0, rng).empty());
  EXPECT_TRUE(sample({}, 3, rng).empty());
}

// ---- Edits --------------------------------------------------------------------------------

TEST(EditTest, IsApplied) {
  const Graph g = test::path(3);
  EXPECT_EQ(apply(g, Edit{}), g);
  EXPECT_EQ(apply(g, {Kind::kRelabel, 1, 0, 2}), g.with_label(1, 2));
  EXPECT_EQ(apply(g, {Kind::kAddLeaf, 1, 0, 2}), g.with_leaf(1, 2));
  EXPECT_EQ(apply(g, {Kind::kRemoveLeaf, 0, 0, 0}), test::path(2));
  EXPECT_EQ(apply(g, {Kind::kAddEdge, 0, 2, 0}), test::cycle(3));
  EXPECT_EQ(apply(test::cycle(3), {Kind::kRemoveEdge, 0, 2, 0}), g);
}

TEST(EditTest, CarriesLabelsOfEdges) {
  const auto graph = [](std::vector<Label> labels, std::vector<Edge> edges) {
    return Graph(labels, edges, Graph::EdgeLabels::kPresent);
  };
  const Graph g = graph({0, 0, 0}, {{0, 1, 1}, {1, 2, 2}});
  EXPECT_EQ(apply(g, {Kind::kRelabelEdge, 1, 2, 0}), graph({0, 0, 0}, {{0, 1, 1}, {1, 2, 0}}));
  EXPECT_EQ(apply(g, {Kind::kAddEdge, 0, 2, 0, 3}),
            graph({0, 0, 0}, {{0, 1, 1}, {1, 2, 2}, {0, 2, 3}}));
  EXPECT_EQ(apply(g, {Kind::kAddLeaf, 1, 0, 5, 3}),
            graph({0, 0, 0, 5}, {{0, 1, 1}, {1, 2, 2}, {1, 3, 3}}));
  // What it was like is left as it was.
  EXPECT_EQ(g, graph({0, 0, 0}, {{0, 1, 1}, {1, 2, 2}}));
}

TEST(EditTest, StepsAreAppliedInOrder) {
  const Graph g = test::path(3);
  // Node 0 goes, so that what was node 1 is node 0.
  const Step step{
      {Kind::kRemoveLeaf, 0, 0, 0}, {Kind::kAddLeaf, 0, 0, 4}, {Kind::kRelabel, 2, 0, 1}};
  EXPECT_EQ(apply_step(g, step), g.without_node(0).with_leaf(0, 4).with_label(2, 1));
  EXPECT_EQ(apply_step(g, Step{}), g);
  EXPECT_EQ(cost_of(step), 5);
  EXPECT_EQ(size_change(step), 0);
}

}  // namespace
}  // namespace fewedits
