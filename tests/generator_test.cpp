// SPDX-License-Identifier: MIT
#include "fewedits/synthetic/generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>
#include <unordered_set>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/graph/identity.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

// The label table, said again: the generator's own header is internal.
enum : Label { kC, kO, kCl, kH, kN, kF, kBr, kS, kP, kI, kElements };
enum : Label { kSingle, kDouble, kTriple };

RawDataset generated(std::size_t graphs, std::uint64_t seed = 1, double share = 0.55,
                     int threads = 0) {
  return generate({.graphs = graphs, .seed = seed, .undesired_share = share, .threads = threads});
}

std::vector<std::size_t> element_counts(const Graph& g) {
  std::vector<std::size_t> count(kElements, 0);
  for (const Label l : g.labels()) ++count[l];
  return count;
}

TEST(GeneratorTest, SameGraphsWhateverTheThreads) {
  const RawDataset one = generated(1500, 7, 0.55, 1);
  for (const int threads : {2, 5}) {
    const RawDataset many = generated(1500, 7, 0.55, threads);
    EXPECT_EQ(one.graphs, many.graphs);
    EXPECT_EQ(one.graph_labels, many.graph_labels);
  }
}

TEST(GeneratorTest, LongerDatasetStartsWithTheShorter) {
  const RawDataset shorter = generated(300);
  RawDataset longer = generated(1000);
  longer.graphs.resize(300);
  longer.graph_labels.resize(300);
  EXPECT_EQ(shorter.graphs, longer.graphs);
  EXPECT_EQ(shorter.graph_labels, longer.graph_labels);
}

TEST(GeneratorTest, SeedsDiffer) { EXPECT_NE(generated(50, 1).graphs, generated(50, 2).graphs); }

TEST(GeneratorTest, ClassIsTheMotifWithAndWithoutEdgeLabels) {
  const RawDataset raw = generated(5000);
  std::map<Motif, int> seen;
  for (std::size_t i = 0; i < raw.graphs.size(); ++i) {
    const Motif motif = find_motif(raw.graphs[i]);
    ++seen[motif];
    ASSERT_EQ(raw.graph_labels[i] == 0, motif != Motif::kNone) << "graph " << i;
    ASSERT_EQ(motif, find_motif(raw.graphs[i].without_edge_labels())) << "graph " << i;
  }
  EXPECT_GT(seen[Motif::kNitro], 500);
  EXPECT_GT(seen[Motif::kAromaticAmine], 500);
  EXPECT_GT(seen[Motif::kBoth], 50);
}

std::uint32_t bond_orders(const Graph& g, Node v) {
  std::uint32_t sum = 0;
  for (const Label l : g.edge_labels(v)) sum += l + 1;
  return sum;
}

std::size_t terminal_oxygens(const Graph& g, Node v) {
  return static_cast<std::size_t>(std::ranges::count_if(
      g.neighbours(v), [&](Node u) { return g.label(u) == kO && g.degree(u) == 1; }));
}

TEST(GeneratorTest, ValencesAreExactAndGraphsConnected) {
  const std::map<Label, std::set<std::uint32_t>> allowed = {
      {kC, {4}}, {kO, {2}},  {kCl, {1}},   {kH, {1}},    {kN, {3, 5}},
      {kF, {1}}, {kBr, {1}}, {kS, {2, 6}}, {kP, {3, 5}}, {kI, {1}}};
  std::set<Label> seen;
  for (const Graph& g : generated(5000).graphs) {
    ASSERT_TRUE(g.is_connected());
    ASSERT_TRUE(g.has_edge_labels());
    for (Node v = 0; v < g.num_nodes(); ++v) {
      const std::uint32_t orders = bond_orders(g, v);
      seen.insert(g.label(v));
      ASSERT_TRUE(allowed.at(g.label(v)).contains(orders))
          << "element " << g.label(v) << " has bond orders " << orders;
      // Pentavalent nitrogen is how the nitro group is written, and nothing else.
      ASSERT_EQ(g.label(v) == kN && orders == 5, g.label(v) == kN && terminal_oxygens(g, v) == 2);
    }
  }
  EXPECT_EQ(seen.size(), std::size_t{kElements}) << "every element occurs";
}

// Measured on Mutagenicity without its rare-label graphs: 30.2 nodes, 30.7 edges; connected
// graphs have 2.0 independent rings.
TEST(GeneratorTest, LooksLikeMutagenicity) {
  const RawDataset raw = generated(5000);
  const std::array<double, kElements> percent = {41.1, 8.0, 1.0, 44.4, 4.6, 0.2, 0.2, 0.5, 0.1, 0};
  std::array<double, kElements> count{};
  double nodes = 0;
  double edges = 0;
  for (const Graph& g : raw.graphs) {
    nodes += g.num_nodes();
    edges += static_cast<double>(g.num_edges());
    for (const Label l : g.labels()) count[l] += 1;
  }
  const auto graphs = static_cast<double>(raw.graphs.size());
  EXPECT_NEAR(nodes / graphs, 30.2, 3.0);
  EXPECT_NEAR(edges / graphs, 30.7, 3.0);
  EXPECT_NEAR((edges - nodes) / graphs + 1, 1.8, 0.4);
  for (Label l = 0; l < kElements; ++l) {
    EXPECT_NEAR(100 * count[l] / nodes, percent[l], percent[l] > 2 ? 2.5 : 0.3) << "element " << l;
  }
}

TEST(GeneratorTest, UndesiredShareIsKept) {
  for (const double share : {0.0, 0.25, 0.55, 1.0}) {
    const RawDataset raw = generated(4000, 3, share);
    const auto undesired = std::ranges::count(raw.graph_labels, 0);
    EXPECT_NEAR(static_cast<double>(undesired) / 4000, share, 0.03);
  }
}

// Accuracy of the best rule "undesired when value >= t" or its opposite.
double best_threshold_accuracy(const std::vector<std::size_t>& values,
                               const std::vector<std::int64_t>& classes) {
  const std::size_t most = *std::ranges::max_element(values);
  double best = 0;
  for (std::size_t t = 0; t <= most + 1; ++t) {
    double right = 0;
    for (std::size_t i = 0; i < values.size(); ++i) right += (values[i] >= t) == (classes[i] == 0);
    const double accuracy = right / static_cast<double>(values.size());
    best = std::max({best, accuracy, 1 - accuracy});
  }
  return best;
}

TEST(GeneratorTest, CountingOneElementDoesNotSolveTheTask) {
  const RawDataset raw = generated(2000);
  for (Label l = 0; l < kElements; ++l) {
    std::vector<std::size_t> values;
    for (const Graph& g : raw.graphs) values.push_back(element_counts(g)[l]);
    EXPECT_LT(best_threshold_accuracy(values, raw.graph_labels), 0.75) << "element " << l;
  }
}

// Colours of nodes after `rounds` of Weisfeiler–Leman refinement: all that a message-passing
// network of that many layers can know.
std::vector<std::size_t> refined_colours(const Graph& g, int rounds) {
  std::vector<std::size_t> colour(g.labels().begin(), g.labels().end());
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::size_t> next(colour.size());
    for (Node v = 0; v < g.num_nodes(); ++v) {
      std::vector<std::size_t> around;
      for (const Node u : g.neighbours(v)) around.push_back(colour[u]);
      std::ranges::sort(around);
      std::size_t mixed = colour[v] * 0x9e3779b97f4a7c15ULL;
      for (const std::size_t c : around)
        mixed = (mixed ^ c) * 0xbf58476d1ce4e5b9ULL + (mixed >> 29);
      next[v] = mixed;
    }
    colour = std::move(next);
  }
  return colour;
}

// A network with three layers and max pooling can solve the task only if each undesired graph has
// a node whose three-hop surroundings occur in no desired graph.
TEST(GeneratorTest, ThreeHopsTellTheClassesApart) {
  const RawDataset raw = generated(3000);
  std::unordered_set<std::size_t> harmless;
  for (std::size_t i = 0; i < raw.graphs.size(); ++i) {
    if (raw.graph_labels[i] == 0) continue;
    for (const std::size_t c : refined_colours(raw.graphs[i], 3)) harmless.insert(c);
  }
  for (std::size_t i = 0; i < raw.graphs.size(); ++i) {
    if (raw.graph_labels[i] != 0) continue;
    const Graph& g = raw.graphs[i];
    const auto colours = refined_colours(g, 3);
    bool told = false;
    for (Node v = 0; v < g.num_nodes(); ++v) {
      told |= g.label(v) == kN && !harmless.contains(colours[v]);
    }
    ASSERT_TRUE(told) << "graph " << i;
  }
}

TEST(GeneratorTest, FewDuplicates) {
  std::unordered_set<Identity> distinct;
  for (const Graph& g : generated(1000).graphs) distinct.emplace(g);
  // Nitromethane, aniline and other small molecules come up more than once, as in real data.
  EXPECT_GT(distinct.size(), 900U);
}

TEST(GeneratorTest, BadOptionsAreErrors) {
  EXPECT_THROW((void)generated(0), Error);
  EXPECT_THROW((void)generated(1, 1, -0.1), Error);
  EXPECT_THROW((void)generated(1, 1, 1.1), Error);
  EXPECT_THROW((void)generated(1, 1, std::nan("")), Error);
}

TEST(GeneratorTest, PreparesIntoTwoClassesWithNames) {
  const Dataset data = prepare(generated(200), generated_metadata());
  EXPECT_EQ(data.size(), 200U);
  EXPECT_EQ(data.domain, "molecule");
  EXPECT_EQ(data.desired_class, 1);
  EXPECT_EQ(data.class_labels[1].value, 1);
  EXPECT_EQ(data.node_labels[kCl].name, "Cl");
  EXPECT_EQ(data.edge_labels[kTriple].name, "triple");
}

// Molecules by hand, as a list of atoms and of bonds.
struct Molecule {
  std::vector<Label> labels;
  std::vector<Edge> edges;

  Node add(Label element, Node to, Label bond = kSingle) {
    const auto v = static_cast<Node>(labels.size());
    labels.push_back(element);
    edges.push_back({to, v, bond});
    return v;
  }
  void add_all(std::initializer_list<Label> elements, Node to) {
    for (const Label element : elements) add(element, to);
  }
  [[nodiscard]] Graph graph() const { return {labels, edges, Graph::EdgeLabels::kPresent}; }
};

// Carbons 0…5 with alternating bonds and hydrogens on 1…5; atom 0 is free for a group.
Molecule phenyl() {
  Molecule m;
  m.labels.assign(6, kC);
  for (Node v = 0; v < 6; ++v) m.edges.push_back({v, (v + 1) % 6, v % 2 == 0 ? kDouble : kSingle});
  for (Node v = 1; v < 6; ++v) m.add(kH, v);
  return m;
}

Molecule methyl() {
  Molecule m;
  m.labels.push_back(kC);
  m.add_all({kH, kH, kH}, 0);
  return m;
}

void add_nitro(Molecule& m, Node to) {
  const Node n = m.add(kN, to);
  m.add(kO, n, kDouble);
  m.add(kO, n, kDouble);
}

Node add_amine(Molecule& m, Node to) {
  const Node n = m.add(kN, to);
  m.add_all({kH, kH}, n);
  return n;
}

// With edge labels, without them, and with the nodes in other orders.
void expect_motif(const Graph& g, Motif expected) {
  EXPECT_EQ(find_motif(g), expected);
  EXPECT_EQ(find_motif(g.without_edge_labels()), expected);
  Rng rng(5);
  for (int i = 0; i < 10; ++i) {
    const Graph other = g.permuted(test::random_permutation(rng, g.num_nodes()));
    EXPECT_EQ(find_motif(other), expected);
  }
}

TEST(FindMotifTest, Nitro) {
  Molecule nitrobenzene = phenyl();
  add_nitro(nitrobenzene, 0);
  expect_motif(nitrobenzene.graph(), Motif::kNitro);
  Molecule nitromethane = methyl();
  add_nitro(nitromethane, 0);
  expect_motif(nitromethane.graph(), Motif::kNitro);
}

TEST(FindMotifTest, AromaticAmine) {
  Molecule aniline = phenyl();
  add_amine(aniline, 0);
  expect_motif(aniline.graph(), Motif::kAromaticAmine);
}

TEST(FindMotifTest, Both) {
  Molecule m = phenyl();
  add_amine(m, 0);
  // Nitro on a methyl that takes the place of a ring hydrogen.
  m.labels[6] = kC;
  m.add_all({kH, kH}, 6);
  add_nitro(m, 6);
  expect_motif(m.graph(), Motif::kBoth);
}

TEST(FindMotifTest, BenzylamineIsNone) {
  Molecule m = phenyl();
  const Node carbon = m.add(kC, 0);
  m.add_all({kH, kH}, carbon);
  add_amine(m, carbon);
  expect_motif(m.graph(), Motif::kNone);
}

TEST(FindMotifTest, AcetanilideIsNone) {
  Molecule m = phenyl();
  const Node n = m.add(kN, 0);
  m.add(kH, n);
  const Node carbonyl = m.add(kC, n);
  m.add(kO, carbonyl, kDouble);
  m.add_all({kH, kH, kH}, m.add(kC, carbonyl));
  expect_motif(m.graph(), Motif::kNone);
}

TEST(FindMotifTest, DimethylanilineIsNone) {
  Molecule m = phenyl();
  const Node n = m.add(kN, 0);
  m.add_all({kH, kH, kH}, m.add(kC, n));
  m.add_all({kH, kH, kH}, m.add(kC, n));
  expect_motif(m.graph(), Motif::kNone);
}

TEST(FindMotifTest, NitriteEsterIsNone) {
  Molecule m = methyl();
  const Node n = m.add(kN, m.add(kO, 0));
  m.add(kO, n, kDouble);
  expect_motif(m.graph(), Motif::kNone);
}

TEST(FindMotifTest, AminopyridineIsNone) {
  Molecule m = phenyl();
  add_amine(m, 0);
  m.labels[3] = kN;
  expect_motif(m.graph(), Motif::kNone);
}

TEST(FindMotifTest, CyclohexylamineIsNone) {
  Molecule m = phenyl();
  add_amine(m, 0);
  for (Edge& e : m.edges) e.label = kSingle;
  for (Node v = 0; v < 6; ++v) m.add(kH, v);
  expect_motif(m.graph(), Motif::kNone);
}

TEST(FindMotifTest, EdgeLabelsDecideWhereTheyAreKnown) {
  Molecule m = phenyl();
  add_amine(m, 0);
  m.edges[2].label = kSingle;  // one double bond less: no longer alternating
  EXPECT_EQ(find_motif(m.graph()), Motif::kNone);
  EXPECT_EQ(find_motif(m.graph().without_edge_labels()), Motif::kAromaticAmine);
}

TEST(FindMotifTest, TakesAnyGraphHoweverNumbered) {
  EXPECT_EQ(find_motif(Graph()), Motif::kNone);
  Rng rng(9);
  for (int i = 0; i < 500; ++i) {
    const auto nodes = static_cast<Node>(1 + rng.below(40));
    for (const Label bonds : {3U, 0U}) {
      const Graph g = test::random_graph(rng, nodes, rng.below(200), kElements, bonds);
      EXPECT_EQ(find_motif(g.permuted(test::random_permutation(rng, nodes))), find_motif(g));
    }
  }
}

}  // namespace
}  // namespace fewedits
