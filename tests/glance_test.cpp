// SPDX-License-Identifier: MIT
// Why, at a glance: planted truths come out, chance does not, and what is counted is what a slow
// and obvious version counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "fewedits/base/error.hpp"
#include "fewedits/glance/glance_json.hpp"
#include "fewedits/glance/pattern_table.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/rules/occurrences.hpp"
#include "fewedits/synthetic/generator.hpp"
#include "support/glance_world.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using test::GlanceWorld;
using test::lettered;
using test::random_graph;
using test::text_of;
using testing::HasSubstr;
using SentenceKind = GlanceSentence::Kind;
using PatternKind = PatternShare::Kind;

InduceOptions small_options() {
  InduceOptions out;
  out.rules = 5;
  out.expansions = 60;
  out.two_steps = 20;
  out.random_lists = 3;
  return out;
}

bool has(const Glance& glance, SentenceKind kind) {
  return std::ranges::any_of(glance.opening, [&](const auto& one) { return one.kind == kind; });
}

// ---- Small patterns ----------------------------------------------------------------------------

std::set<PatternKey> keys_of(const Graph& graph) {
  std::set<PatternKey> out;
  for (const SeenPattern& seen : small_patterns(graph, kLongestPath, true)) out.insert(seen.key);
  return out;
}

TEST(SmallPatterns, PathsAndStarsAreThoseThatAMatcherFinds) {
  Rng rng(1);
  std::size_t yes = 0;
  std::size_t no = 0;
  for (int i = 0; i < 40; ++i) {
    const Label bonds = i % 2 == 0 ? 0 : 2;
    const auto kind = bonds == 0 ? Graph::EdgeLabels::kAbsent : Graph::EdgeLabels::kPresent;
    const Graph g = random_graph(rng, 9, 3, 3, bonds);
    const std::set<PatternKey> known = keys_of(g);
    for (const PatternKey& key : known) {
      if (key.kind == PatternKind::kRingSize || key.kind == PatternKind::kDegree) continue;
      EXPECT_TRUE(has_pattern(g, graph_of(key, kind)));
    }
    // Patterns of other graphs: found here or not, as the matcher says.
    for (const PatternKey& key : keys_of(random_graph(rng, 9, 3, 3, bonds))) {
      if (key.kind != PatternKind::kPath && key.kind != PatternKind::kStar) continue;
      const bool found = has_pattern(g, graph_of(key, kind));
      EXPECT_EQ(known.contains(key), found);
      ++(found ? yes : no);
    }
  }
  EXPECT_GT(yes, 200U);
  EXPECT_GT(no, 200U);
}

/// Paths of k nodes by trying all orders; each counted once.
std::size_t num_paths(const Graph& g, std::size_t nodes) {
  std::size_t ways = 0;
  std::vector<Node> way;
  const std::function<void()> extend = [&] {
    if (way.size() == nodes) {
      ++ways;
      return;
    }
    for (Node v = 0; v < g.num_nodes(); ++v) {
      if (std::ranges::count(way, v) > 0) continue;
      if (!way.empty() && !g.has_edge(way.back(), v)) continue;
      way.push_back(v);
      extend();
      way.pop_back();
    }
  };
  extend();
  return ways / 2;
}

TEST(SmallPatterns, PlacesAreCountedOnce) {
  Rng rng(2);
  for (int i = 0; i < 20; ++i) {
    const Graph g = random_graph(rng, 8, 4, 2);
    std::map<std::size_t, std::size_t> paths;
    std::size_t stars = 0;
    std::size_t labels = 0;
    for (const SeenPattern& seen : small_patterns(g, kLongestPath, true)) {
      if (seen.key.kind == PatternKind::kPath) {
        paths[(seen.key.words.size() + 1) / 2] += seen.places;
      }
      if (seen.key.kind == PatternKind::kStar) stars += seen.places;
      if (seen.key.kind == PatternKind::kLabel) labels += seen.places;
    }
    for (std::size_t nodes = 2; nodes <= kLongestPath; ++nodes) {
      EXPECT_EQ(paths[nodes], num_paths(g, nodes));
    }
    std::size_t threes = 0;
    for (Node v = 0; v < g.num_nodes(); ++v) {
      const std::size_t d = g.degree(v);
      threes += d < 3 ? 0 : d * (d - 1) * (d - 2) / 6;
    }
    EXPECT_EQ(stars, threes);
    EXPECT_EQ(labels, g.num_nodes());
  }
}

TEST(SmallPatterns, DependOnTheGraphAlone) {
  Rng rng(3);
  for (int i = 0; i < 30; ++i) {
    const Graph g = random_graph(rng, 12, 5, 3, 2);
    std::vector<Node> to(g.num_nodes());
    std::iota(to.begin(), to.end(), Node{0});
    rng.shuffle(std::span(to));
    const auto one = small_patterns(g, kLongestPath, true);
    const auto other = small_patterns(g.permuted(to), kLongestPath, true);
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t p = 0; p < one.size(); ++p) {
      EXPECT_EQ(one[p].key, other[p].key);
      EXPECT_EQ(one[p].places, other[p].places);
    }
  }
}

Graph ring_of(Node size) {
  std::vector<Edge> edges;
  for (Node v = 0; v < size; ++v) edges.push_back({v, (v + 1) % size});
  return {std::vector<Label>(size, 0), edges};
}

TEST(SmallPatterns, RingsHaveTheirSizes) {
  for (Node size = 3; size <= kLargestRing + 1; ++size) {
    const std::set<PatternKey> keys = keys_of(ring_of(size));
    for (std::uint32_t other = 3; other <= kLargestRing; ++other) {
      EXPECT_EQ(keys.contains({PatternKind::kRingSize, {other}}), other == size);
    }
  }
  // Two rings that share an edge have no outline of their own.
  const Graph fused({std::vector<Label>(6, 0)},
                    std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}, {0, 3}, {3, 4}, {4, 5}, {2, 5}});
  const std::set<PatternKey> keys = keys_of(fused);
  EXPECT_TRUE(keys.contains({PatternKind::kRingSize, {4}}));
  EXPECT_FALSE(keys.contains({PatternKind::kRingSize, {6}}));
}

// ---- Shares ------------------------------------------------------------------------------------

TEST(TwoSharesTest, IntervalsAreNewcombes) {
  // Newcombe 1998, table II, method 10: 56/70 - 48/80 and 9/10 - 3/10.
  const double z = corrected_quantile(1);
  EXPECT_NEAR(z, 1.959964, 1e-6);
  const Interval a = TwoShares{56, 70, 48, 80}.interval(z);
  EXPECT_NEAR(a.low, 0.0524, 5e-5);
  EXPECT_NEAR(a.high, 0.3339, 5e-5);
  const Interval b = TwoShares{9, 10, 3, 10}.interval(z);
  EXPECT_NEAR(b.low, 0.1705, 5e-5);
  EXPECT_NEAR(b.high, 0.8090, 5e-5);
  EXPECT_EQ((TwoShares{56, 70, 48, 80}).margin(z), a.low);
  EXPECT_EQ((TwoShares{48, 80, 56, 70}).margin(z), a.low);
  EXPECT_EQ((TwoShares{5, 10, 4, 10}).margin(z), 0);
}

std::vector<Graph> random_graphs(std::uint64_t seed, int count, Node nodes, Label labels) {
  Rng rng(seed);
  std::vector<Graph> out;
  for (int i = 0; i < count; ++i) {
    out.push_back(random_graph(rng, nodes + static_cast<Node>(rng.below(4)), rng.below(3), labels));
  }
  return out;
}

TEST(GlanceTest, CountsWhatAMatcherCounts) {
  const GlanceWorld world(lettered(random_graphs(5, 120, 8, 3), 3), false,
                          [](const Graph& g) { return label_counts(g)[0] > 3; });
  ThreadPool pool(2);
  GlanceOptions options;
  options.most = 1000;
  GlanceMaterial material = world.glance_material();
  material.counterfactuals = world.material.of(std::span(world.material.accepted).first(7));
  const Glance seen = glance(material, options, pool);
  EXPECT_GT(seen.tried, 50U);
  std::size_t checked = 0;
  for (const PatternShare& one : seen.patterns) {
    const auto shares = [&](std::size_t count, std::size_t all) {
      return static_cast<double>(count) / static_cast<double>(all);
    };
    EXPECT_EQ(one.rejected, shares(one.counts.rejected, seen.rejected));
    EXPECT_EQ(one.accepted, shares(one.counts.accepted, seen.accepted));
    EXPECT_EQ(one.difference, one.rejected - one.accepted);
    EXPECT_EQ(one.tells, one.interval.low > 0 || one.interval.high < 0);
    if (!one.pattern || one.kind == PatternKind::kRing) continue;
    const auto count = [&](const std::vector<Graph>& graphs) {
      return num_with_pattern(graphs, *one.pattern, pool);
    };
    EXPECT_EQ(one.counts.rejected, count(world.material.of(world.material.inputs)));
    EXPECT_EQ(one.counts.accepted, count(world.material.of(world.material.accepted)));
    EXPECT_EQ(one.counts.counterfactuals, count(material.counterfactuals));
    ++checked;
  }
  EXPECT_GT(checked, 3U);
}

TEST(GlanceTest, IsTheSameForAnyNumberOfThreads) {
  const GlanceWorld world(lettered(random_graphs(6, 150, 8, 3), 3), false, [](const Graph& g) {
    return label_counts(g).size() < 3 || label_counts(g)[2] > 2;
  });
  ThreadPool one(1);
  ThreadPool three(3);
  const RuleList list = world.rules(0.15, false, small_options(), one);
  const GlanceMaterial material = world.glance_material({&list});
  EXPECT_EQ(glance(material, {}, one), glance(material, {}, three));
}

// ---- Planted truths ----------------------------------------------------------------------------

TEST(PlantedGlance, NitroAndAromaticAmineOpenTheDemo) {
  ThreadPool pool(2);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Dataset data =
        prepare(generate({.graphs = 240, .seed = seed, .threads = 1}), generated_metadata());
    // The motif is defined on single and double bonds.
    const auto rules = GraphView(data, true).rules();
    const GlanceWorld world(data, true, [&](const Graph& g) {
      const auto kekule = rules->kekule_form(g);
      return !kekule || find_motif(*kekule) == Motif::kNone;
    });
    InduceOptions options = small_options();
    options.rules = 3;
    options.two_steps = 0;
    const RuleList list = world.rules(0.15, true, options, pool);
    const Glance seen = glance(world.glance_material({&list}), {}, pool);
    const std::string text = text_of(seen);
    EXPECT_THAT(text, testing::AllOf(HasSubstr("Nitro groups"), HasSubstr("aromatic amines")))
        << seed;
    ASSERT_FALSE(seen.opening.empty());
    EXPECT_EQ(seen.opening[0].kind, SentenceKind::kPattern) << text;
    ASSERT_TRUE(seen.opening[0].pattern.has_value());
    EXPECT_EQ(seen.patterns[*seen.opening[0].pattern].kind, PatternKind::kGroup) << text;
    EXPECT_LE(seen.opening.size(), 3U);
    // One of the first three plausible rules takes a motif away.
    EXPECT_TRUE(std::ranges::any_of(seen.opening, [](const auto& one) {
      return one.rule.has_value();
    })) << text;
  }
}

TEST(GlanceTest, WhereBondsPlayNoPartGroupsAreStillSeenInTheData) {
  const Dataset data =
      prepare(generate({.graphs = 200, .seed = 3, .threads = 1}), generated_metadata());
  const auto has_nitro = [](const Graph& g) {
    for (Node v = 0; v < g.num_nodes(); ++v) {
      const auto row = g.neighbours(v);
      const auto ends =
          std::ranges::count_if(row, [&](Node w) { return g.label(w) == 1 && g.degree(w) == 1; });
      if (g.label(v) == 4 && ends == 2) return true;
    }
    return false;
  };
  const GlanceWorld world(data, false, [&](const Graph& g) { return !has_nitro(g); });
  ThreadPool pool(2);
  GlanceMaterial material = world.glance_material();
  material.counterfactuals = world.material.of(std::span(world.material.accepted).first(3));
  const Glance seen = glance(material, {}, pool);
  EXPECT_THAT(text_of(seen), HasSubstr("Nitro groups: in 100 % of rejected and 0 % of accepted"));
  // Counterfactuals have no bonds: groups cannot be seen in them, labels can.
  bool some = false;
  for (const PatternShare& one : seen.patterns) {
    EXPECT_EQ(one.counterfactuals.has_value(), one.kind != PatternKind::kGroup) << one.name;
    some = some || one.counterfactuals.has_value();
  }
  EXPECT_TRUE(some);
  // Nobody knows the bonds: what can be said without them, and a note.
  RawDataset raw = generate({.graphs = 200, .seed = 3, .threads = 1});
  for (Graph& graph : raw.graphs) graph = graph.without_edge_labels();
  raw.edge_labels.clear();
  DatasetMetadata metadata = generated_metadata();
  metadata.edge_label_names.clear();
  const GlanceWorld blind(prepare(std::move(raw), std::move(metadata)), false,
                          [&](const Graph& g) { return !has_nitro(g); });
  const Glance less = glance(blind.glance_material(), {}, pool);
  EXPECT_THAT(text_of(less), HasSubstr("Nitro groups: in 100 % of rejected and 0 % of accepted"));
  EXPECT_THAT(less.notes, testing::Contains(HasSubstr("bonds are not known")));
}

/// Random graphs with a ring of 3 or of 5, and one of 4 to 6 in any case.
std::vector<Graph> with_rings(std::uint64_t seed, int count) {
  Rng rng(seed);
  std::vector<Graph> out;
  for (int i = 0; i < count; ++i) {
    Graph g = random_graph(rng, 10 + static_cast<Node>(rng.below(5)), 0, 1);
    for (const Node size : {i % 2 == 0 ? Node{3} : Node{5}, 4 + static_cast<Node>(rng.below(3))}) {
      auto at = static_cast<Node>(rng.below(g.num_nodes()));
      const Node first = at;
      for (Node v = 1; v < size; ++v) {
        g = g.with_leaf(at, 0);
        at = g.num_nodes() - 1;
      }
      g = g.with_edge(first, at);
    }
    out.push_back(std::move(g));
  }
  return out;
}

TEST(PlantedGlance, ARingSizeIsNamed) {
  const Graph triangle = ring_of(3);
  ThreadPool pool(2);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const GlanceWorld world(lettered(with_rings(seed, 120), 1), false,
                            [&](const Graph& g) { return !has_pattern(g, triangle); });
    const RuleList list = world.rules(0.1, false, small_options(), pool);
    const Glance seen = glance(world.glance_material({&list}), {}, pool);
    const std::string text = text_of(seen);
    EXPECT_THAT(text, HasSubstr("Rings of 3 nodes: in 100 % of rejected and 0 % of accepted"))
        << seed;
    // And what takes it away, by itself or as the next sentence.
    ASSERT_TRUE(seen.opening[0].rule.has_value()) << text;
    EXPECT_THAT(text, HasSubstr("cutting the edge")) << seed;
  }
}

TEST(PlantedGlance, APathOfLabelsIsNamed) {
  const Graph path({std::vector<Label>{0, 1, 2, 1}}, std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}});
  ThreadPool pool(2);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Rng rng(seed);
    std::vector<Graph> graphs;
    while (graphs.size() < 200) {
      Graph g = random_graph(rng, 10, 0, 3);
      if (has_pattern(g, path)) continue;
      if (graphs.size() % 2 == 0) {
        g = g.with_leaf(0, 0).with_leaf(g.num_nodes(), 1).with_leaf(g.num_nodes() + 1, 2);
        g = g.with_leaf(g.num_nodes() - 1, 1);
      }
      graphs.push_back(g);
    }
    const GlanceWorld world(lettered(std::move(graphs), 3), false,
                            [&](const Graph& g) { return !has_pattern(g, path); });
    const RuleList list = world.rules(0.1, false, small_options(), pool);
    const Glance seen = glance(world.glance_material({&list}), {}, pool);
    const std::string text = text_of(seen);
    EXPECT_THAT(seen.opening[0].text,
                testing::AnyOf(HasSubstr("A-B-C-B: in 100 %"), HasSubstr("B-C-B-A: in 100 %")))
        << text;
    EXPECT_THAT(text, HasSubstr("0 % of accepted")) << text;
  }
}

TEST(PlantedGlance, AShortcutIsCalledOne) {
  // A D that does nothing but come with the desired class, and a model that looks for it alone.
  ThreadPool pool(2);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Rng rng(seed);
    std::vector<Graph> graphs;
    for (int i = 0; i < 120; ++i) {
      Graph g = random_graph(rng, 10 + static_cast<Node>(rng.below(5)), rng.below(3), 2);
      if (i % 2 == 1) g = g.with_leaf(static_cast<Node>(rng.below(g.num_nodes())), 3);
      graphs.push_back(g);
    }
    const GlanceWorld world(lettered(std::move(graphs), 4), false, [](const Graph& g) {
      return std::ranges::count(g.labels(), Label{3}) > 0;
    });
    const RuleList list = world.rules(0.1, false, small_options(), pool);
    const Glance seen = glance(world.glance_material({&list}), {}, pool);
    const std::string text = text_of(seen);
    ASSERT_TRUE(has(seen, SentenceKind::kShortcut)) << text;
    EXPECT_THAT(text, HasSubstr("learned shortcut"));
    EXPECT_THAT(text, HasSubstr("odes D: in 0 % of rejected and 100 % of accepted")) << text;
  }
}

TEST(PlantedGlance, ARobustModelHasNoShortRule) {
  // Nothing but the number of nodes counts, and that is far away.
  ThreadPool pool(2);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    std::vector<Graph> graphs = random_graphs(seed, 60, 8, 2);
    for (Graph& large : random_graphs(seed + 100, 60, 30, 2)) graphs.push_back(std::move(large));
    const GlanceWorld world(lettered(std::move(graphs), 2), false,
                            [](const Graph& g) { return g.num_nodes() > 20; });
    const RuleList plain = world.rules(0.1, false, small_options(), pool);
    const RuleList plausible = world.rules(0.1, true, small_options(), pool);
    GlanceMaterial material = world.glance_material({&plain, &plausible});
    material.fragility = world.fragility(0.1, pool);
    const Glance seen = glance(material, {}, pool);
    const std::string text = text_of(seen);
    ASSERT_TRUE(has(seen, SentenceKind::kNoRule)) << text;
    EXPECT_THAT(text, HasSubstr("No short rule"));
    EXPECT_THAT(text, HasSubstr("one step is enough for 0 %"));
    EXPECT_FALSE(has(seen, SentenceKind::kShortcut)) << text;
    EXPECT_FALSE(has(seen, SentenceKind::kFragile)) << text;
  }
}

TEST(PlantedGlance, OfRandomClassesNothingIsSaid) {
  // Every graph has a class of its own by chance: patterns tell nothing, however many are tried.
  ThreadPool pool(2);
  std::size_t tried = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const GlanceWorld world(lettered(random_graphs(seed, 200, 9, 3), 3), false,
                            [](const Graph& g) { return Identity(g).hash().low % 2 == 0; });
    InduceOptions options = small_options();
    options.expansions = 20;
    const RuleList list = world.rules(0.1, false, options, pool);
    GlanceMaterial material = world.glance_material({&list});
    material.fragility = world.fragility(0.1, pool);
    const Glance seen = glance(material, {}, pool);
    const std::string text = text_of(seen);
    tried += seen.tried;
    EXPECT_FALSE(has(seen, SentenceKind::kPattern)) << seed << "\n" << text;
    EXPECT_FALSE(has(seen, SentenceKind::kShortcut)) << seed << "\n" << text;
    EXPECT_TRUE(has(seen, SentenceKind::kNothing)) << seed << "\n" << text;
    for (const PatternShare& one : seen.patterns) {
      EXPECT_FALSE(one.tells) << seed << " " << one.name;
    }
    // What is true of such a model may be said: it is fooled by anything.
    EXPECT_TRUE(has(seen, SentenceKind::kFragile)) << text;
    for (const GlanceSentence& one : seen.opening) EXPECT_FALSE(one.rule) << text;
  }
  EXPECT_GT(tried, 1000U);
}

TEST(PlantedGlance, OfMoleculesWithRandomClassesNothingIsSaid) {
  ThreadPool pool(2);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const GlanceWorld world(
        prepare(generate({.graphs = 400, .seed = seed, .threads = 1}), generated_metadata()), true,
        [](const Graph& g) { return Identity(g).hash().low % 2 == 0; });
    const Glance seen = glance(world.glance_material(), {}, pool);
    EXPECT_GT(seen.tried, 300U);
    ASSERT_EQ(seen.opening.size(), 1U) << text_of(seen);
    EXPECT_EQ(seen.opening[0].kind, SentenceKind::kNothing) << text_of(seen);
  }
}

// ---- What is missing, and the file -------------------------------------------------------------

TEST(GlanceTest, SaysWhatIsMissing) {
  RawDataset raw;
  raw.graphs = random_graphs(1, 60, 8, 3);
  raw.node_labels = {{5, "5"}, {6, "6"}, {9, "9"}};
  const GlanceWorld world(prepare(std::move(raw), {}), false,
                          [](const Graph& g) { return g.num_edges() % 2 == 0; });
  ThreadPool pool(1);
  const Glance seen = glance(world.glance_material(), {}, pool);
  EXPECT_THAT(seen.notes, testing::Contains(HasSubstr("node_labels")));
  EXPECT_THAT(seen.notes, testing::Contains(HasSubstr("no rules were given")));
  // Too few on one side: that, and nothing else.
  GlanceMaterial few = world.glance_material();
  few.accepted.resize(5);
  const Glance less = glance(few, {}, pool);
  EXPECT_TRUE(less.patterns.empty());
  ASSERT_EQ(less.opening.size(), 1U);
  EXPECT_THAT(less.opening[0].text, HasSubstr("Too few"));
  few.accepted = {1000};
  EXPECT_THROW(glance(few, {}, pool), Error);
}

TEST(GlanceTest, IsWrittenAsJson) {
  const GlanceWorld world(lettered(with_rings(1, 120), 1), false,
                          [](const Graph& g) { return !has_pattern(g, ring_of(3)); });
  ThreadPool pool(1);
  const RuleList list = world.rules(0.1, false, small_options(), pool);
  const Glance seen = glance(world.glance_material({&list}), {}, pool);
  const auto json = nlohmann::json::parse(glance_json(seen));
  EXPECT_EQ(json["format"], kGlanceFormat);
  EXPECT_EQ(json["tried"], seen.tried);
  ASSERT_EQ(json["opening"].size(), seen.opening.size());
  EXPECT_EQ(json["opening"][0]["text"], seen.opening[0].text);
  EXPECT_EQ(json["opening"][0]["figures"].size(), seen.opening[0].figures.size());
  ASSERT_EQ(json["patterns"].size(), seen.patterns.size());
  const auto place = json["opening"][0]["pattern"].get<std::size_t>();
  EXPECT_EQ(json["patterns"][place]["kind"], "ring size");
  EXPECT_EQ(json["patterns"][place]["counts"]["rejected"], 60);
}

}  // namespace
}  // namespace fewedits
