// SPDX-License-Identifier: MIT
#include "fewedits/distance/kernel_distance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string>

#include "fewedits/base/error.hpp"
#include "fewedits/distance/distances.hpp"
#include "fewedits/distance/ged_distance.hpp"
#include "fewedits/edit/neighbours.hpp"
#include "fewedits/graph/identity.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using Graphs = std::vector<Graph>;

// The three kernels under one signature, for what holds for all of them.
struct Kernel {
  std::string name;
  std::function<std::unique_ptr<Distance>(const Graphs&, ThreadPool&)> make;
};

Kernel wl_kernel(const WlOptions& options) {
  return {"wl", [=](const Graphs& graphs, ThreadPool& pool) {
            return make_wl_distance(graphs, options, pool);
          }};
}
Kernel rw_kernel(const RwOptions& options) {
  return {"rw", [=](const Graphs& graphs, ThreadPool& pool) {
            return make_rw_distance(graphs, options, pool);
          }};
}
Kernel nspd_kernel(const NspdOptions& options) {
  return {"nspd", [=](const Graphs& graphs, ThreadPool& pool) {
            return make_nspd_distance(graphs, options, pool);
          }};
}

std::vector<GraphPair> all_pairs(std::size_t graphs) {
  std::vector<GraphPair> pairs;
  for (std::uint32_t a = 0; a < graphs; ++a) {
    for (std::uint32_t b = 0; b < graphs; ++b) pairs.push_back({a, b});
  }
  return pairs;
}

std::vector<Measure> measures(const Kernel& kernel, const Graphs& graphs, int threads = 1) {
  ThreadPool pool(threads);
  const auto pairs = all_pairs(graphs.size());
  std::vector<Measure> out(pairs.size());
  kernel.make(graphs, pool)->measure(pairs, out, pool);
  return out;
}

// Row-major, graphs × graphs.
std::vector<double> distances(const Kernel& kernel, const Graphs& graphs, int threads = 1) {
  std::vector<double> matrix;
  for (const Measure& m : measures(kernel, graphs, threads)) matrix.push_back(m.distance);
  return matrix;
}

double distance(const Kernel& kernel, const Graph& a, const Graph& b) {
  return distances(kernel, {a, b})[1];
}

Graphs random_graphs(std::uint64_t seed, int count, Node max_nodes, Label labels) {
  Rng rng(seed);
  Graphs graphs;
  for (int i = 0; i < count; ++i) {
    const auto nodes = static_cast<Node>(1 + rng.below(max_nodes));
    graphs.push_back(test::random_graph(rng, nodes, rng.below(6), labels, i % 3 == 0 ? 2 : 0));
  }
  return graphs;
}

Graph disjoint_union(const Graph& a, const Graph& b) {
  std::vector<Label> labels(a.labels().begin(), a.labels().end());
  labels.insert(labels.end(), b.labels().begin(), b.labels().end());
  std::vector<Edge> edges = a.edges();
  for (const Edge& e : b.edges()) edges.push_back({e.u + a.num_nodes(), e.v + a.num_nodes()});
  return {labels, edges};
}

Graph path(Node nodes) {
  const std::vector<Label> labels(nodes, 0);
  std::vector<Edge> edges;
  for (Node v = 1; v < nodes; ++v) edges.push_back({v - 1, v});
  return {labels, edges};
}

Graph complete(Node nodes) {
  const std::vector<Label> labels(nodes, 0);
  std::vector<Edge> edges;
  for (Node v = 0; v < nodes; ++v) {
    for (Node u = 0; u < v; ++u) edges.push_back({u, v});
  }
  return {labels, edges};
}

// --- The slow, obvious versions -----------------------------------------------------------------

template <typename Key>
using Counts = std::map<Key, double>;

template <typename Key>
double dot(const Counts<Key>& a, const Counts<Key>& b) {
  double sum = 0;
  for (const auto& [key, count] : a) {
    const auto other = b.find(key);
    if (other != b.end()) sum += count * other->second;
  }
  return sum;
}

template <typename Key>
double slow_distance(const Counts<Key>& a, const Counts<Key>& b) {
  return std::sqrt(std::max(0.0, 1 - dot(a, b) / std::sqrt(dot(a, a) * dot(b, b))));
}

// A node's colour after some rounds is the tree unfolded around it, written out.
std::string unfolded(const Graph& g, Node v, int rounds) {
  if (rounds == 0) return std::to_string(g.label(v));
  std::vector<std::string> around;
  for (const Node w : g.neighbours(v)) around.push_back(unfolded(g, w, rounds - 1));
  std::sort(around.begin(), around.end());
  std::string text = unfolded(g, v, rounds - 1) + "(";
  for (const std::string& part : around) text += part + ",";
  return text + ")";
}

Counts<std::string> slow_subtrees(const Graph& g, const WlOptions& options) {
  Counts<std::string> counts;
  for (int round = 0; round <= options.iterations; ++round) {
    for (Node v = 0; v < g.num_nodes(); ++v) ++counts[unfolded(g, v, round)];
  }
  return counts;
}

void add_walks(const Graph& g, Node at, std::vector<Label>& walk, const RwOptions& options,
               Counts<std::vector<Label>>& counts) {
  walk.push_back(g.label(at));
  const auto steps = static_cast<int>(walk.size()) - 1;
  // A feature weighted by w shows up in the kernel as w².
  counts[walk] += std::sqrt(std::pow(options.decay, steps));
  if (steps < options.length) {
    for (const Node next : g.neighbours(at)) add_walks(g, next, walk, options, counts);
  }
  walk.pop_back();
}

Counts<std::vector<Label>> slow_walks(const Graph& g, const RwOptions& options) {
  Counts<std::vector<Label>> counts;
  std::vector<Label> walk;
  for (Node v = 0; v < g.num_nodes(); ++v) add_walks(g, v, walk, options, counts);
  return counts;
}

std::vector<std::vector<int>> shortest_paths(const Graph& g) {
  constexpr int kFar = 1000;
  const std::size_t n = g.num_nodes();
  std::vector<std::vector<int>> d(n, std::vector<int>(n, kFar));
  for (std::size_t v = 0; v < n; ++v) d[v][v] = 0;
  for (const Edge& e : g.edges()) d[e.u][e.v] = d[e.v][e.u] = 1;
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) d[i][j] = std::min(d[i][j], d[i][k] + d[k][j]);
    }
  }
  return d;
}

// Numbers balls by comparing each with those seen before.
class BallTypes {
 public:
  std::size_t type_of(const Graph& ball) {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (isomorphic(seen_[i], ball)) return i;
    }
    seen_.push_back(ball);
    return seen_.size() - 1;
  }

 private:
  Graphs seen_;
};

// Removes what is outside; the root is told by its odd label.
Graph slow_ball(const Graph& g, const std::vector<std::vector<int>>& d, Node root, int radius) {
  std::vector<Label> twice(10);
  for (Label l = 0; l < 10; ++l) twice[l] = 2 * l;
  Graph ball = g.without_edge_labels().relabelled(twice);
  ball = ball.with_label(root, ball.label(root) + 1);
  for (Node v = g.num_nodes(); v-- > 0;) {
    if (d[root][v] > radius) ball = ball.without_node(v);
  }
  return ball;
}

using PairFeature = std::pair<std::size_t, std::size_t>;
using PairBlocks = std::map<std::pair<int, int>, Counts<PairFeature>>;

PairBlocks slow_pairs(const Graph& g, const NspdOptions& options, BallTypes& types) {
  PairBlocks blocks;
  const auto d = shortest_paths(g);
  for (int r = 0; r <= options.radius; ++r) {
    std::vector<std::size_t> type;
    for (Node v = 0; v < g.num_nodes(); ++v) type.push_back(types.type_of(slow_ball(g, d, v, r)));
    for (Node u = 0; u < g.num_nodes(); ++u) {
      for (Node v = u; v < g.num_nodes(); ++v) {
        if (d[u][v] <= options.distance) ++blocks[{r, d[u][v]}][std::minmax(type[u], type[v])];
      }
    }
  }
  return blocks;
}

double slow_pairs_distance(const PairBlocks& a, const PairBlocks& b) {
  double sum = 0;
  for (const auto& [block, counts] : a) {
    const auto other = b.find(block);
    if (other == b.end()) continue;
    const double norms =
        std::sqrt(dot(counts, counts)) * std::sqrt(dot(other->second, other->second));
    sum += dot(counts, other->second) / norms;
  }
  const auto blocks = static_cast<double>(a.size()) * static_cast<double>(b.size());
  return std::sqrt(std::max(0.0, 1 - sum / std::sqrt(blocks)));
}

// Both may round 1 − k̂ ≈ 0 on their own: squares are compared.
void expect_same_square(double fast, double slow) { EXPECT_NEAR(fast * fast, slow * slow, 1e-12); }

TEST(WeisfeilerLehmanTest, AgreesWithUnfoldedTrees) {
  const Graphs graphs = random_graphs(21, 25, 8, 3);
  for (const int iterations : {0, 1, 3}) {
    const WlOptions options{iterations};
    const auto fast = distances(wl_kernel(options), graphs);
    for (std::size_t a = 0; a < graphs.size(); ++a) {
      for (std::size_t b = 0; b < graphs.size(); ++b) {
        expect_same_square(
            fast[a * graphs.size() + b],
            slow_distance(slow_subtrees(graphs[a], options), slow_subtrees(graphs[b], options)));
      }
    }
  }
}

TEST(RandomWalkTest, AgreesWithEnumeratedWalks) {
  const Graphs graphs = random_graphs(22, 20, 8, 3);
  for (const RwOptions options : {RwOptions{1, 1}, RwOptions{3, 0.3}, RwOptions{5, 0.1}}) {
    const auto fast = distances(rw_kernel(options), graphs);
    std::vector<Counts<std::vector<Label>>> slow;
    for (const Graph& g : graphs) slow.push_back(slow_walks(g, options));
    for (std::size_t a = 0; a < graphs.size(); ++a) {
      for (std::size_t b = 0; b < graphs.size(); ++b) {
        expect_same_square(fast[a * graphs.size() + b], slow_distance(slow[a], slow[b]));
      }
    }
  }
}

TEST(NeighbourhoodPairsTest, AgreesWithExplicitBalls) {
  const Graphs graphs = random_graphs(23, 20, 9, 3);
  for (const NspdOptions options : {NspdOptions{0, 0}, NspdOptions{2, 3}, NspdOptions{4, 1}}) {
    const auto fast = distances(nspd_kernel(options), graphs);
    BallTypes types;
    std::vector<PairBlocks> slow;
    for (const Graph& g : graphs) slow.push_back(slow_pairs(g, options, types));
    for (std::size_t a = 0; a < graphs.size(); ++a) {
      for (std::size_t b = 0; b < graphs.size(); ++b) {
        expect_same_square(fast[a * graphs.size() + b], slow_pairs_distance(slow[a], slow[b]));
      }
    }
  }
}

// --- Values worked out by hand ------------------------------------------------------------------

TEST(KernelDistanceTest, OneNodeAgainstTwo) {
  const Graph one = path(1);
  const Graph two = path(2);
  // Colours: one has {x, x()}, two has 2·{x, x(x)}: 2 / sqrt(2·8).
  EXPECT_DOUBLE_EQ(distance(wl_kernel({1}), one, two), std::sqrt(0.5));
  // Labels alone are proportional.
  EXPECT_EQ(distance(wl_kernel({0}), one, two), 0);
  // Walks: one has x; two has 2·x and 2·xx, the latter at half the weight: 2 / sqrt(1·(4 + 4/2)).
  EXPECT_DOUBLE_EQ(distance(rw_kernel({1, 0.5}), one, two), std::sqrt(1 - 2 / std::sqrt(6)));
  // Blocks: one fills (0,0) only, two also (0,1), and they agree on (0,0).
  EXPECT_DOUBLE_EQ(distance(nspd_kernel({0, 1}), one, two), std::sqrt(1 - 1 / std::sqrt(2)));
}

TEST(KernelDistanceTest, WhoTellsARingFromTwoTriangles) {
  const std::vector<Label> labels(6, 0);
  const Graph ring(labels, std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}});
  const Graph triangles(labels, std::vector<Edge>{{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}});
  EXPECT_EQ(distance(wl_kernel({20}), ring, triangles), 0);
  EXPECT_EQ(distance(rw_kernel({50, 1}), ring, triangles), 0);
  EXPECT_GT(distance(nspd_kernel({1, 0}), ring, triangles), 0.1);
}

TEST(NeighbourhoodPairsTest, BallsAreComparedRootOnRoot) {
  const Graph two(std::vector<Label>{0, 1}, std::vector<Edge>{{0, 1}});
  const Graph three(std::vector<Label>{0, 1, 0}, std::vector<Edge>{{0, 1}, {1, 2}});
  // Radius 0: {x, y} against {2·x, y}. Radius 1: {xy seen from x, xy seen from y} against
  // {2·(xy seen from x), xyx seen from y}. Without roots the latter would be 4 / sqrt(4·5).
  const double expected = (3 / std::sqrt(2 * 5) + 2 / std::sqrt(2 * 5)) / 2;
  EXPECT_DOUBLE_EQ(distance(nspd_kernel({1, 0}), two, three), std::sqrt(1 - expected));
}

TEST(RandomWalkTest, LongWalksOfDenseGraphsDoNotOverflow) {
  // Walks without an end in sight: (599²)^50 of them, whose square no double holds.
  const RwOptions longest{50, 1};
  // In a complete graph a walk is free in every step: k is a geometric sum, and k̂ → 1.
  const double d = distance(rw_kernel(longest), complete(600), complete(599));
  EXPECT_TRUE(std::isfinite(d));
  double k = 0;
  double k_600 = 0;
  double k_599 = 0;
  for (int l = 0; l <= 50; ++l) {  // counts relative to 599^l and 598^l
    const double ratio = l - 50;
    k += std::pow(599.0 * 598.0, ratio);
    k_600 += std::pow(599.0 * 599.0, ratio);
    k_599 += std::pow(598.0 * 598.0, ratio);
  }
  EXPECT_NEAR(d, std::sqrt(1 - k / std::sqrt(k_600 * k_599)), 1e-7);
}

// Walks on the product graph, pair of nodes by pair of nodes.
double slow_walk_kernel(const Graph& a, const Graph& b, const RwOptions& options) {
  const auto sum_of = [](const std::vector<std::vector<double>>& walks) {
    double sum = 0;
    for (const auto& row : walks) sum = std::accumulate(row.begin(), row.end(), sum);
    return sum;
  };
  std::vector walks(a.num_nodes(), std::vector<double>(b.num_nodes(), 0));
  for (Node u = 0; u < a.num_nodes(); ++u) {
    for (Node v = 0; v < b.num_nodes(); ++v) walks[u][v] = a.label(u) == b.label(v) ? 1 : 0;
  }
  double kernel = sum_of(walks);
  for (int l = 1; l <= options.length; ++l) {
    std::vector longer(a.num_nodes(), std::vector<double>(b.num_nodes(), 0));
    for (Node u = 0; u < a.num_nodes(); ++u) {
      for (Node v = 0; v < b.num_nodes(); ++v) {
        if (a.label(u) != b.label(v)) continue;
        for (const Node s : a.neighbours(u)) {
          for (const Node t : b.neighbours(v)) longer[u][v] += walks[s][t];
        }
      }
    }
    walks = longer;
    kernel += std::pow(options.decay, l) * sum_of(walks);
  }
  return kernel;
}

TEST(RandomWalkTest, RescalingChangesNothing) {
  // About 2^450 walks of this length: more than are counted without rescaling, less than a double
  // holds.
  const RwOptions options{50, 1};
  Rng rng(24);
  const Graph a = test::random_graph(rng, 30, 800, 2);
  const Graph b = test::random_graph(rng, 25, 300, 2);
  const Graph c = test::random_graph(rng, 20, 5, 2);
  for (const auto& [x, y] : {std::pair(a, b), std::pair(a, c), std::pair(b, c)}) {
    const double slow =
        slow_walk_kernel(x, y, options) /
        (std::sqrt(slow_walk_kernel(x, x, options)) * std::sqrt(slow_walk_kernel(y, y, options)));
    const double d = distance(rw_kernel(options), x, y);
    EXPECT_NEAR(1 - d * d, slow, 1e-12);
  }
  EXPECT_GT(slow_walk_kernel(a, a, options), std::ldexp(1, 310)) << "the test says nothing";
}

// --- What holds for each of them ----------------------------------------------------------------

class EachKernelTest : public ::testing::TestWithParam<Kernel> {};

INSTANTIATE_TEST_SUITE_P(, EachKernelTest,
                         ::testing::Values(wl_kernel({}), rw_kernel({}), nspd_kernel({})),
                         [](const auto& instance) { return instance.param.name; });

TEST_P(EachKernelTest, IsExactlyZeroForPermutedGraphs) {
  Rng rng(31);
  const Graph third = test::random_graph(rng, 25, 4, 4);
  for (int round = 0; round < 40; ++round) {
    const auto nodes = static_cast<Node>(1 + rng.below(40));
    const Graph g = test::random_graph(rng, nodes, rng.below(12), 4);
    const Graph h = g.permuted(test::random_permutation(rng, nodes));
    const auto d = distances(GetParam(), {g, h, third});
    EXPECT_EQ(d[1], 0);
    EXPECT_EQ(d[2], d[5]) << "to a third graph";
  }
}

TEST_P(EachKernelTest, IsASymmetricExactMeasureInUnitRange) {
  const Graphs graphs = random_graphs(32, 30, 20, 3);
  const auto all = measures(GetParam(), graphs);
  for (std::size_t a = 0; a < graphs.size(); ++a) {
    EXPECT_EQ(all[a * graphs.size() + a].distance, 0);
    for (std::size_t b = 0; b < graphs.size(); ++b) {
      const Measure& m = all[a * graphs.size() + b];
      EXPECT_GE(m.distance, 0);
      EXPECT_LE(m.distance, 1);
      EXPECT_EQ(m.distance, all[b * graphs.size() + a].distance);
      EXPECT_EQ(m.normalized, m.distance);
      EXPECT_EQ(m.lower, m.distance);
      EXPECT_EQ(m.upper, m.distance);
      EXPECT_EQ(m.status, PairStatus::kExact);
    }
  }
}

TEST_P(EachKernelTest, HoldsTheTriangleInequality) {
  const Graphs graphs = random_graphs(33, 30, 12, 2);
  const std::size_t n = graphs.size();
  const auto d = distances(GetParam(), graphs);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      for (std::size_t c = 0; c < n; ++c) {
        EXPECT_LE(d[a * n + c], d[a * n + b] + d[b * n + c] + 1e-7);
      }
    }
  }
}

// The smallest pivot of a Cholesky factorisation that goes on over pivots of 0.
double smallest_pivot(std::vector<double> m, std::size_t n) {
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = m[k * n + k];
    smallest = std::min(smallest, pivot);
    if (pivot < 1e-9) continue;
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j < n; ++j) {
        m[i * n + j] -= m[i * n + k] * m[k * n + j] / pivot;
      }
    }
  }
  return smallest;
}

TEST_P(EachKernelTest, HasAPositiveSemidefiniteGramMatrix) {
  const Graphs graphs = random_graphs(34, 25, 10, 2);
  std::vector<double> gram = distances(GetParam(), graphs);
  for (double& entry : gram) entry = 1 - entry * entry;
  EXPECT_GT(smallest_pivot(gram, graphs.size()), -1e-9);
  gram[1] = gram[graphs.size()] = 1.5;
  EXPECT_LT(smallest_pivot(gram, graphs.size()), -0.1) << "the test says nothing";
}

TEST_P(EachKernelTest, TellsOneEditApart) {
  Rng rng(35);
  for (int round = 0; round < 20; ++round) {
    const Graph g = test::random_graph(rng, 20, 4, 3);
    const auto d = distances(GetParam(), {g, g.with_label(5, g.label(5) + 1), g.with_leaf(3, 0),
                                          g.without_edge(g.edges()[0].u, g.edges()[0].v)});
    EXPECT_GT(d[1], 1e-3);
    EXPECT_GT(d[2], 1e-3);
    EXPECT_GT(d[3], 1e-3);
  }
}

TEST_P(EachKernelTest, IgnoresEdgeLabels) {
  Rng rng(36);
  const Graph g = test::random_graph(rng, 20, 5, 3, 3);
  EXPECT_EQ(distance(GetParam(), g, g.without_edge_labels()), 0);
}

TEST_P(EachKernelTest, DoesNotDependOnTheThreads) {
  const Graphs graphs = random_graphs(37, 40, 15, 3);
  EXPECT_EQ(distances(GetParam(), graphs, 1), distances(GetParam(), graphs, 4));
}

TEST_P(EachKernelTest, DoesNotDependOnTheOtherGraphs) {
  const Graphs graphs = random_graphs(38, 12, 15, 3);
  const auto together = distances(GetParam(), graphs);
  for (std::size_t a = 0; a < graphs.size(); ++a) {
    for (std::size_t b = 0; b < graphs.size(); ++b) {
      EXPECT_EQ(distance(GetParam(), graphs[b], graphs[a]), together[a * graphs.size() + b]);
    }
  }
}

TEST_P(EachKernelTest, DefinesTheEmptyGraph) {
  const auto d = distances(GetParam(), {Graph(), Graph(), path(1), path(5)});
  EXPECT_EQ(d[1], 0);
  EXPECT_EQ(d[2], 1);
  EXPECT_EQ(d[3], 1);
}

TEST_P(EachKernelTest, HandlesSingleNodes) {
  const std::vector<Label> x{0};
  const std::vector<Label> y{7};
  const auto d = distances(GetParam(), {Graph(x, {}), Graph(x, {}), Graph(y, {})});
  EXPECT_EQ(d[1], 0);
  EXPECT_EQ(d[2], 1);
}

TEST_P(EachKernelTest, HandlesDisconnectedGraphs) {
  Rng rng(39);
  const Graph g = test::random_graph(rng, 12, 3, 3);
  const Graph h = test::random_graph(rng, 9, 2, 3);
  const auto d = distances(GetParam(), {g, disjoint_union(g, h), disjoint_union(h, g), h});
  EXPECT_EQ(d[1 * 4 + 2], 0);
  EXPECT_LT(d[0 * 4 + 1], d[0 * 4 + 3]) << "a part is nearer than another graph";
  EXPECT_NEAR(distance(GetParam(), g, disjoint_union(g, g)), 0, 1e-7);
}

TEST_P(EachKernelTest, HandlesLargeGraphs) {
  Rng rng(40);
  const Graph g = test::random_graph(rng, 600, 300, 5);
  const Graph h = test::random_graph(rng, 620, 100, 5);
  const auto d = distances(
      GetParam(), {g, g.permuted(test::random_permutation(rng, 600)), h, path(600), path(500)});
  EXPECT_EQ(d[1], 0);
  EXPECT_GT(d[2], 0);
  EXPECT_LT(d[2], 1);
  EXPECT_GT(d[3 * 5 + 4], 0);
  EXPECT_LT(d[3 * 5 + 4], 0.1);
}

TEST_P(EachKernelTest, TakesNoGraphsAndNoPairs) {
  ThreadPool pool(2);
  GetParam().make({}, pool)->measure({}, {}, pool);
  const Graphs one{path(2)};
  GetParam().make(one, pool)->measure({}, {}, pool);
}

// --- Stored graphs and others -------------------------------------------------------------------

TEST_P(EachKernelTest, RowsOfStoredGraphsAreTheirMeasures) {
  const Graphs graphs = random_graphs(42, 300, 6, 3);
  ThreadPool pool(3);
  const auto kernel = GetParam().make(graphs, pool);
  ASSERT_EQ(kernel->graphs().size(), graphs.size());
  EXPECT_TRUE(std::equal(graphs.begin(), graphs.end(), kernel->graphs().begin()));
  const Graphs queries(graphs.end() - 5, graphs.end());
  const auto rows = kernel->rows(queries, pool);
  ASSERT_EQ(rows.size(), queries.size());
  for (std::uint32_t q = 0; q < queries.size(); ++q) {
    std::vector<GraphPair> pairs;
    for (std::uint32_t i = 0; i < graphs.size(); ++i) pairs.push_back({295 + q, i});
    std::vector<Measure> measured(pairs.size());
    kernel->measure(pairs, measured, pool);
    ASSERT_EQ(rows[q].size(), graphs.size());
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      EXPECT_TRUE(measured[i].done);
      EXPECT_EQ(rows[q][i], measured[i].normalized) << "query " << q << ", graph " << i;
    }
  }
}

TEST_P(EachKernelTest, WithinIsWhatTheRowsSay) {
  const Graphs graphs = random_graphs(43, 25, 8, 2);
  // More than are measured at a time.
  const Graphs queries = random_graphs(44, 300, 8, 2);
  ThreadPool pool(2);
  const auto kernel = GetParam().make(graphs, pool);
  const auto rows = kernel->rows(queries, pool);
  const double theta = rows[7][7];
  const auto near = kernel->within(queries, theta, pool);
  ASSERT_EQ(near.size(), queries.size());
  for (std::size_t q = 0; q < queries.size(); ++q) {
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < graphs.size(); ++i) {
      if (rows[q][i] <= theta) expected.push_back(i);
    }
    EXPECT_EQ(near[q], expected) << q;
  }
}

std::vector<std::uint32_t> listed(const NearRows& near, std::size_t row) {
  std::vector<std::uint32_t> out;
  for_each_bit(near.rows[row], [&](std::size_t j) { out.push_back(near.active.at(j)); });
  return out;
}

// The graph itself and all of its neighbours.
std::vector<Edit> with_itself(const Graph& graph, std::size_t labels) {
  std::vector<Edit> edits = neighbours(graph, {labels, {}});
  edits.insert(edits.begin(), Edit{});
  return edits;
}

TEST_P(EachKernelTest, NeighboursAreNearWhatTheyAreNearOnceBuilt) {
  constexpr Label kLabels = 2;
  Rng rng(45);
  Graphs stored = random_graphs(46, 60, 9, kLabels);
  for (Graph& g : stored) g = g.without_edge_labels();
  stored.emplace_back();
  ThreadPool pool(2);
  const auto kernel = GetParam().make(stored, pool);
  std::size_t near_pairs = 0;
  std::size_t far_pairs = 0;
  std::size_t newly_near = 0;
  for (int round = 0; round < 12; ++round) {
    // One of the stored graphs, or another.
    const auto nodes = static_cast<Node>(1 + rng.below(8));
    const Graph graph = round % 2 == 0 ? stored[rng.below(60)]
                                       : test::random_graph(rng, nodes, rng.below(4), kLabels);
    std::vector<double> sorted = kernel->rows({&graph, 1}, pool)[0];
    std::sort(sorted.begin(), sorted.end());
    const double theta = sorted[rng.below(30)];
    std::vector<Edit> edits = with_itself(graph, kLabels);
    if (round % 3 == 0) rng.shuffle(std::span(edits));
    Graphs built;
    for (const Edit& edit : edits) built.push_back(apply(graph, edit));
    const NearRows near = kernel->neighbourhood(graph, edits, theta, pool);
    const auto expected = kernel->within(built, theta, pool);
    const auto itself = kernel->within({&graph, 1}, theta, pool)[0];
    ASSERT_EQ(near.rows.size(), edits.size());
    EXPECT_TRUE(std::is_sorted(near.active.begin(), near.active.end()));
    for (std::size_t e = 0; e < edits.size(); ++e) {
      ASSERT_EQ(listed(near, e), expected[e]) << "round " << round << ", entry " << e;
      near_pairs += expected[e].size();
      far_pairs += stored.size() - expected[e].size();
      for (const std::uint32_t i : expected[e]) {
        newly_near += std::binary_search(itself.begin(), itself.end(), i) ? 0U : 1U;
      }
    }
  }
  EXPECT_GT(near_pairs, 200U) << "the test says nothing";
  EXPECT_GT(far_pairs, 200U) << "the test says nothing";
  EXPECT_GT(newly_near, 20U) << "the test says nothing";
}

TEST_P(EachKernelTest, NeighbourhoodsDoNotDependOnTheThreads) {
  const Graphs stored = random_graphs(47, 40, 10, 2);
  ThreadPool one(1);
  ThreadPool four(4);
  const auto kernel = GetParam().make(stored, one);
  const Graph& graph = stored[3];
  const auto edits = with_itself(graph, 2);
  const NearRows a = kernel->neighbourhood(graph, edits, 0.4, one);
  const NearRows b = kernel->neighbourhood(graph, edits, 0.4, four);
  EXPECT_EQ(a.active, b.active);
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t e = 0; e < edits.size(); ++e) EXPECT_EQ(listed(a, e), listed(b, e)) << e;
  EXPECT_EQ(kernel->neighbourhood(graph, {}, 0.4, one).rows.size(), 0U);
}

TEST(DistanceTest, RowsAreMadeFromLists) {
  const std::vector<std::vector<std::uint32_t>> lists{{5, 130}, {}, {0, 5, 199}};
  const NearRows near = near_rows(lists, 200);
  EXPECT_EQ(near.active, (std::vector<std::uint32_t>{0, 5, 130, 199}));
  ASSERT_EQ(near.rows.size(), 3U);
  for (std::size_t row = 0; row < lists.size(); ++row) EXPECT_EQ(listed(near, row), lists[row]);
  EXPECT_EQ(near_rows({}, 7).rows.size(), 0U);
}

// --- The theta that goes with a distance --------------------------------------------------------

// Some graphs with one that is an edit away and one that is two away.
Graphs families(std::uint64_t seed, int count, Label labels) {
  Rng rng(seed);
  Graphs out;
  for (int i = 0; i < count; ++i) {
    const auto nodes = static_cast<Node>(4 + rng.below(5));
    out.push_back(test::random_graph(rng, nodes, rng.below(4), labels));
    for (int more = 0; more < 2; ++more) {
      const auto edits = neighbours(out.back(), {labels, {}});
      out.push_back(apply(out.back(), edits[rng.below(edits.size())]));
    }
  }
  return out;
}

std::vector<double> pairwise(Distance& distance, ThreadPool& pool) {
  std::vector<GraphPair> pairs;
  const auto graphs = static_cast<std::uint32_t>(distance.graphs().size());
  for (std::uint32_t a = 0; a < graphs; ++a) {
    for (std::uint32_t b = a + 1; b < graphs; ++b) pairs.push_back({a, b});
  }
  std::vector<Measure> measured(pairs.size());
  distance.measure(pairs, measured, pool);
  std::vector<double> out;
  for (const Measure& m : measured) out.push_back(m.normalized);
  return out;
}

std::size_t num_within(const std::vector<double>& values, double theta) {
  return static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [=](double value) { return value <= theta; }));
}

TEST_P(EachKernelTest, AsManyPairsAreNearAtTheComparableTheta) {
  const Graphs graphs = families(48, 25, 3);
  ThreadPool pool(2);
  const auto kernel = GetParam().make(graphs, pool);
  GedDistance edits(graphs, {.method = GedMethod::kExact, .ged = {}}, pool);
  const auto edit_distances = pairwise(edits, pool);
  const auto kernel_distances = pairwise(*kernel, pool);
  double last = 0;
  for (const double edit_theta : {0.07, 0.1, 0.15, 0.25, 0.4}) {
    const std::size_t near = num_within(edit_distances, edit_theta);
    ASSERT_GT(near, 5U) << "the test says nothing";
    const double theta = comparable_thetas(*kernel, {edit_theta}, 1, pool)[0];
    EXPECT_GT(theta, 0);
    EXPECT_LT(theta, 1);
    EXPECT_GE(theta, last) << "a larger theta is not smaller elsewhere";
    last = theta;
    // The same number, but for pairs that are equally far apart.
    EXPECT_GE(num_within(kernel_distances, theta), near);
    EXPECT_LT(num_within(kernel_distances, std::nextafter(theta, 0)), near);
  }
}

TEST(ComparableThetaTest, TheEditDistanceIsComparableToItself) {
  ThreadPool pool(2);
  GedDistance edits(families(49, 20, 2), {.method = GedMethod::kExact, .ged = {}}, pool);
  const auto distances = pairwise(edits, pool);
  for (const double edit_theta : {0.1, 0.2, 0.3}) {
    const double theta = comparable_thetas(edits, {edit_theta}, 1, pool)[0];
    EXPECT_LE(theta, edit_theta);
    EXPECT_EQ(num_within(distances, theta), num_within(distances, edit_theta));
  }
}

TEST_P(EachKernelTest, ComparableThetasAreSharesWhateverTheGraphs) {
  ThreadPool pool(2);
  const auto theta_of = [&](const Graphs& graphs, double edit_theta) {
    return comparable_thetas(*GetParam().make(graphs, pool), {edit_theta}, 1, pool)[0];
  };
  // Nothing to compare.
  EXPECT_EQ(theta_of({}, 0.1), 0.1);
  EXPECT_EQ(theta_of({path(3)}, 0.1), 0.1);
  const Graph other(std::vector<Label>{1, 1}, std::vector<Edge>{{0, 1}});
  for (const double edit_theta : {0.01, 0.1, 0.99}) {
    // All the same; all as far apart as can be; some of each.
    for (const Graphs& graphs : {Graphs{path(4), path(4), path(4)}, Graphs{path(2), other},
                                 Graphs{path(2), path(2), other}, Graphs{Graph(), path(2)}}) {
      const double theta = theta_of(graphs, edit_theta);
      EXPECT_GT(theta, 0);
      EXPECT_LT(theta, 1);
    }
  }
}

TEST(ComparableThetaTest, DrawsPairsByTheSeedAlone) {
  // 22,155 pairs, more than are looked at.
  Graphs graphs = random_graphs(50, 211, 5, 2);
  for (Graph& g : graphs) g = g.without_edge_labels();
  ThreadPool one(1);
  ThreadPool three(3);
  const auto kernel = make_wl_distance(graphs, {}, one);
  const double theta = comparable_thetas(*kernel, {0.1}, 7, one)[0];
  EXPECT_EQ(comparable_thetas(*kernel, {0.1}, 7, three)[0], theta);
  // Nine tenths of all pairs, and a sample says about the same of the rest.
  GedDistance edits(graphs, {.method = GedMethod::kExact, .ged = {}}, three);
  const auto near = static_cast<double>(num_within(pairwise(edits, three), 0.1));
  const auto values = pairwise(*kernel, three);
  EXPECT_GT(static_cast<double>(num_within(values, theta)), 0.8 * near);
  EXPECT_LT(static_cast<double>(num_within(values, std::nextafter(theta, 0))), 1.2 * near);
}

// --- The registry -------------------------------------------------------------------------------

TEST(DistancesTest, KnowsTheBuiltInOnesByName) {
  const DistanceRegistry distances = builtin_distances();
  EXPECT_EQ(distances.names(),
            (std::vector<std::string>{"certified", "greed", "wl", "rw", "nspd"}));
  for (const std::string& name : distances.names()) {
    const DistanceKind& kind = distances.at(name);
    EXPECT_FALSE(kind.about.empty()) << name;
    EXPECT_EQ(kind.proves, name == "certified");
    EXPECT_EQ(kind.needs_model, name == "greed");
    EXPECT_EQ(kind.counts_edits, name == "certified" || name == "greed");
  }
  try {
    (void)distances.at("hamming");
    ADD_FAILURE() << "there is none";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("hamming"));
    EXPECT_THAT(error.remedy(), ::testing::HasSubstr("certified, greed, wl, rw, nspd"));
  }
  DistanceRegistry more = builtin_distances();
  EXPECT_THROW(more.add("wl", {}), Error);
  more.add("mine", DistanceKind{});
  EXPECT_TRUE(more.contains("mine"));
}

TEST(DistancesTest, MakesThemWithTheirOptions) {
  const Graphs graphs = random_graphs(51, 12, 8, 3);
  ThreadPool pool(1);
  DistanceOptions options;
  options.wl.iterations = 1;
  options.rw = {2, 0.5};
  options.nspd = {1, 1};
  const DistanceRegistry distances = builtin_distances();
  const auto rows = [&](const char* name) {
    return distances.at(name).make(graphs, 3, options, pool)->rows(graphs, pool);
  };
  EXPECT_EQ(rows("wl"), make_wl_distance(graphs, options.wl, pool)->rows(graphs, pool));
  EXPECT_EQ(rows("rw"), make_rw_distance(graphs, options.rw, pool)->rows(graphs, pool));
  EXPECT_EQ(rows("nspd"), make_nspd_distance(graphs, options.nspd, pool)->rows(graphs, pool));
  for (const std::string& name : distances.names()) {
    if (name == "greed") continue;
    const auto distance = distances.at(name).make(graphs, 3, options, pool);
    EXPECT_EQ(distance->prover() != nullptr, distances.at(name).proves) << name;
    EXPECT_EQ(distance->graphs().size(), graphs.size()) << name;
  }
  EXPECT_THROW((void)distances.at("greed").make(graphs, 3, options, pool), Error);
}

// --- Options ------------------------------------------------------------------------------------

void expect_refused(const Kernel& kernel, const std::string& words) {
  try {
    (void)distances(kernel, {});
    ADD_FAILURE() << "accepted: " << words;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(words));
    EXPECT_THAT(error.remedy(), ::testing::HasSubstr("give a number"));
  }
}

TEST(KernelDistanceTest, RefusesOptionsOutOfRange) {
  expect_refused(wl_kernel({-1}), "iterations is -1");
  expect_refused(wl_kernel({21}), "iterations is 21");
  expect_refused(rw_kernel({0, 0.5}), "length of the random walks is 0");
  expect_refused(rw_kernel({51, 0.5}), "length of the random walks is 51");
  expect_refused(rw_kernel({3, 0}), "decay of the random walks is 0");
  expect_refused(rw_kernel({3, 1.5}), "decay of the random walks is 1.5");
  expect_refused(rw_kernel({3, std::nan("")}), "decay of the random walks is nan");
  expect_refused(nspd_kernel({-1, 2}), "radius of the neighbourhoods is -1");
  expect_refused(nspd_kernel({11, 2}), "radius of the neighbourhoods is 11");
  expect_refused(nspd_kernel({2, -1}), "distance of the neighbourhoods is -1");
  expect_refused(nspd_kernel({2, 21}), "distance of the neighbourhoods is 21");
}

TEST(KernelDistanceTest, TakesTheLimitsOfTheOptions) {
  const Graphs graphs = random_graphs(41, 6, 12, 3);
  for (const Kernel& kernel : {wl_kernel({0}), wl_kernel({20}), rw_kernel({1, 1e-300}),
                               rw_kernel({50, 1}), nspd_kernel({0, 0}), nspd_kernel({10, 20})}) {
    for (const double d : distances(kernel, graphs)) {
      EXPECT_GE(d, 0);
      EXPECT_LE(d, 1);
    }
  }
}

TEST(DistanceTest, NamesEveryStatus) {
  EXPECT_EQ(name_of(PairStatus::kExact), "exact");
  EXPECT_EQ(name_of(PairStatus::kBounds), "bounds");
  EXPECT_EQ(name_of(PairStatus::kYes), "yes");
  EXPECT_EQ(name_of(PairStatus::kNo), "no");
  EXPECT_EQ(name_of(PairStatus::kUnknown), "unknown");
}

}  // namespace
}  // namespace fewedits
