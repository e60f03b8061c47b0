// SPDX-License-Identifier: MIT
// The search for rules: what it generalises, counts and chooses, against slow and obvious versions,
// and planted truths that it must find.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "fewedits/base/error.hpp"
#include "fewedits/edit/moves.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/induction/choose.hpp"
#include "fewedits/induction/fragility.hpp"
#include "fewedits/induction/generalise.hpp"
#include "fewedits/induction/grow.hpp"
#include "fewedits/induction/induce.hpp"
#include "fewedits/induction/more_changes.hpp"
#include "fewedits/proof/edit_script.hpp"
#include "fewedits/rules/rule_reading.hpp"
#include "fewedits/rules/rule_text.hpp"
#include "fewedits/synthetic/generator.hpp"
#include "support/fake_classifier.hpp"
#include "support/random_rule.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using test::random_graph;
using test::random_rule;

const RuleNames kNames{{"A", "B", "C", "D"}, {}};

Rule rule(std::string_view text) { return parse_rule(text, kNames); }

/// Yes to what the predicate says yes to.
test::FakeClassifier accepting(std::function<bool(const Graph&)> accepts) {
  return {4, 2, [accepts = std::move(accepts)](const Graph& g) {
            const double p = accepts(g) ? 0.9 : 0.1;
            return std::vector<double>{1 - p, p};
          }};
}

struct World {
  RuleMaterial material;
  RewriteLimits limits;
};

World world_of(std::vector<Graph> graphs, const Classifier& model, double theta) {
  World out;
  ThreadPool pool(1);
  out.material.graphs = std::move(graphs);
  const auto judged = judge(out.material.graphs, model, Goal(1), pool);
  for (std::uint32_t i = 0; i < judged.size(); ++i) {
    (judged[i].predicted ? out.material.accepted : out.material.inputs).push_back(i);
  }
  out.material.num_labels = 4;
  out.limits.theta = theta;
  out.limits.constraints.connected = false;
  return out;
}

std::vector<Graph> random_graphs(std::uint64_t seed, int count, Node nodes, Label labels) {
  Rng rng(seed);
  std::vector<Graph> out;
  for (int i = 0; i < count; ++i) {
    out.push_back(random_graph(rng, nodes + static_cast<Node>(rng.below(4)), rng.below(3), labels));
  }
  return out;
}

// ---- Generalising ------------------------------------------------------------------------------

TEST(Generalised, AStepIsARuleThatMakesIt) {
  Rng rng(1);
  std::size_t rules = 0;
  for (int i = 0; i < 40; ++i) {
    const bool bonds = i % 2 == 1;
    const Graph g = random_graph(rng, 5, 2, 3, bonds ? 2 : 0);
    const NeighbourOptions options{.num_labels = 3, .num_edge_labels = bonds ? 2U : 0U};
    const Moves all = moves(g, options);
    for (std::size_t m = 0; m < all.size(); ++m) {
      const auto draft = draft_of(g, all[m]);
      ASSERT_TRUE(draft.has_value());
      const auto one = rule_of(*draft);
      if (!one) {
        // Nothing stays: a pair of nodes, one of which goes, still has the other.
        ADD_FAILURE() << "no rule";
        continue;
      }
      ++rules;
      EXPECT_EQ(one->cost(), cost_of(all[m]));
      const Graph result = apply_step(g, all[m]);
      bool makes_it = false;
      RuleMatcher(*one).visit(g, [&](const Image& image) {
        makes_it =
            rewritten(g, *one, image) == result || isomorphic(rewritten(g, *one, image), result);
        return !makes_it;
      });
      EXPECT_TRUE(makes_it);
    }
  }
  EXPECT_GT(rules, 500U);
}

TEST(Generalised, SeveralStepsAreOneRule) {
  Rng rng(2);
  std::size_t rules = 0;
  for (int i = 0; i < 300; ++i) {
    const Graph g = random_graph(rng, 5, 1, 3);
    Graph now = g;
    Step both;
    for (int s = 0; s < 3; ++s) {
      const Moves all = moves(now, {.num_labels = 3});
      const auto step = all[rng.below(all.size())];
      both.insert(both.end(), step.begin(), step.end());
      now = apply_step(now, step);
    }
    const auto draft = draft_of(g, both);
    if (!draft) continue;
    const auto one = rule_of(*draft);
    if (!one) continue;
    ++rules;
    EXPECT_LE(one->cost(), cost_of(both));
    bool makes_it = false;
    RuleMatcher(*one).visit(g, [&](const Image& image) {
      makes_it = isomorphic(rewritten(g, *one, image), now);
      return !makes_it;
    });
    EXPECT_TRUE(makes_it) << rule_text(*one, kNames);
  }
  EXPECT_GT(rules, 200U);
}

TEST(Generalised, AMapBetweenTwoGraphsIsARule) {
  Rng rng(3);
  std::size_t rules = 0;
  for (int i = 0; i < 300; ++i) {
    const Graph g = random_graph(rng, 5, 1, 2);
    const Moves all = moves(g, {.num_labels = 2});
    const auto step = all[rng.below(all.size())];
    const Graph result = apply_step(g, step);
    const auto draft = draft_of(g, step);
    NodeMap map(g.num_nodes());
    std::iota(map.begin(), map.end(), Node{0});
    if (step[0].kind == Edit::Kind::kRemoveLeaf) {
      map[step[0].u] = kUnmatched;
      for (Node v = step[0].u + 1; v < map.size(); ++v) --map[v];
    }
    const auto order = test::random_permutation(rng, result.num_nodes());
    for (Node& v : map) v = v == kUnmatched ? v : order[v];
    const auto other = draft_of(g, result.permuted(order), map);
    ASSERT_EQ(draft.has_value(), other.has_value());
    if (!draft) continue;
    EXPECT_EQ(rule_of(*draft), rule_of(*other));
    ++rules;
  }
  EXPECT_GT(rules, 200U);
}

// ---- Context -----------------------------------------------------------------------------------

TEST(Growth, CountsWithoutTheModelWhatTheModelWouldSay) {
  ThreadPool pool(2);
  const auto model = accepting([](const Graph& g) { return Identity(g).hash().low % 2 == 0; });
  const std::vector<Graph> graphs = random_graphs(5, 20, 4, 2);
  RewriteLimits limits;
  limits.theta = 0.5;
  limits.constraints.connected = false;
  const RuleTask task{model, Goal(1, {kSafeLead, 0}), limits};
  const std::vector<Rule> cores{rule("[A>B]"), rule("A-[>B]"), rule("B-[A>]"), rule("A{->}B"),
                                rule("A1-B-A{>-}1")};
  const PlaceTable table(cores, graphs, task, pool);
  std::size_t compared = 0;
  for (std::size_t c = 0; c < cores.size(); ++c) {
    std::vector<RuleCandidate> level{{cores[c], c, table.rules()[c].entries(), false}};
    for (int depth = 0; depth < 3; ++depth) {
      std::vector<RuleCandidate> next;
      for (const RuleCandidate& parent : level) {
        for (RuleCandidate& child : with_one_edge_more(parent, table, 1)) {
          EXPECT_EQ(child.rule.edges().size(), parent.rule.edges().size() + 1);
          EXPECT_EQ(child.rule.cost(), parent.rule.cost());
          const RuleCounts counts = count_rules(std::span(&child.rule, 1), graphs, task, pool);
          std::size_t at = 0;
          for (std::uint32_t g = 0; g < graphs.size(); ++g) {
            const RuleCount& is = counts[0][g];
            if (!is.applies()) continue;
            ASSERT_LT(at, child.entries.size());
            EXPECT_EQ(child.entries[at].graph, g);
            EXPECT_EQ(child.entries[at].places, is.places);
            EXPECT_EQ(child.entries[at].works, is.works);
            ++at;
            ++compared;
          }
          EXPECT_EQ(at, child.entries.size());
          next.push_back(std::move(child));
        }
      }
      if (next.size() > 12) next.erase(next.begin() + 12, next.end());
      level = std::move(next);
    }
  }
  EXPECT_GT(compared, 500U);
}

TEST(Growth, FindsEveryContextOfOneEdge) {
  ThreadPool pool(1);
  const auto model = accepting([](const Graph&) { return false; });
  const Graph g({std::vector<Label>{0, 1, 2}}, std::vector<Edge>{{0, 1}, {1, 2}});
  RewriteLimits limits;
  limits.theta = 1;
  limits.constraints.connected = false;
  const std::vector<Rule> cores{rule("[B>D]")};
  const PlaceTable table(cores, std::span(&g, 1), {model, Goal(1), limits}, pool);
  std::set<std::string> texts;
  for (const auto& child :
       with_one_edge_more({cores[0], 0, table.rules()[0].entries(), false}, table, 1)) {
    texts.insert(rule_text(child.rule, kNames));
  }
  EXPECT_EQ(texts, (std::set<std::string>{rule_text(rule("A-[B>D]"), kNames),
                                          rule_text(rule("C-[B>D]"), kNames)}));
}

// ---- Choosing ----------------------------------------------------------------------------------

std::vector<RuleCandidate> random_candidates(Rng& rng, std::size_t count, std::uint32_t graphs) {
  std::vector<RuleCandidate> out;
  for (std::size_t c = 0; c < count; ++c) {
    RuleCandidate one{random_rule(rng, 4, 0), 0, {}, false};
    for (std::uint32_t g = 0; g < graphs; ++g) {
      if (rng.below(3) == 0) continue;
      const auto places = 1 + static_cast<std::uint32_t>(rng.below(3));
      one.entries.push_back({g, places, static_cast<std::uint32_t>(rng.below(places + 1))});
    }
    out.push_back(std::move(one));
  }
  return out;
}

double slow_worth(const std::vector<RuleCandidate>& candidates,
                  const std::vector<std::size_t>& list, RuleObjective objective,
                  std::uint32_t graphs) {
  RuleCounts counts;
  for (const std::size_t c : list) {
    auto& row = counts.emplace_back(graphs);
    for (const RuleEntry& e : candidates[c].entries) {
      row[e.graph] = {e.places, e.works, e.works > 0 ? 0 : e.places};
    }
  }
  return graphs * figure_of(list_figures(counts, list.size(), graphs), objective);
}

class Choice : public testing::TestWithParam<RuleObjective> {};

TEST_P(Choice, IsTheBestSingleRule) {
  ThreadPool pool(2);
  Rng rng(9);
  for (int i = 0; i < 50; ++i) {
    const auto all = random_candidates(rng, 8, 6);
    double best = 0;
    for (std::size_t c = 0; c < all.size(); ++c) {
      best = std::max(best, slow_worth(all, {c}, GetParam(), 6));
    }
    const auto list = choose_rules(all, GetParam(), 6, 1, 1e-6, pool);
    EXPECT_NEAR(slow_worth(all, list, GetParam(), 6), best, 1e-9);
  }
}

TEST_P(Choice, OfTwoIsNearlyTheBestAndNoExchangeMakesItBetter) {
  ThreadPool pool(2);
  Rng rng(10);
  double sum = 0;
  double best_sum = 0;
  for (int i = 0; i < 40; ++i) {
    const auto all = random_candidates(rng, 8, 8);
    double best = 0;
    for (std::size_t a = 0; a < all.size(); ++a) {
      for (std::size_t b = 0; b < all.size(); ++b) {
        if (a != b) best = std::max(best, slow_worth(all, {a, b}, GetParam(), 8));
      }
    }
    const auto list = choose_rules(all, GetParam(), 8, 2, 1e-6, pool);
    const double is = slow_worth(all, list, GetParam(), 8);
    EXPECT_NEAR(is, worth_of(all, list, GetParam(), 8), 1e-9);
    EXPECT_LE(is, best + 1e-9);
    sum += is;
    best_sum += best;
    for (std::size_t at = 0; at < list.size(); ++at) {
      for (std::size_t c = 0; c < all.size(); ++c) {
        for (std::size_t to = 0; to < list.size(); ++to) {
          auto other = list;
          other.erase(other.begin() + static_cast<std::ptrdiff_t>(at));
          other.insert(other.begin() + static_cast<std::ptrdiff_t>(to), c);
          EXPECT_LE(slow_worth(all, other, GetParam(), 8), is + 1e-9);
        }
      }
    }
  }
  EXPECT_GT(sum, 0.97 * best_sum);
}

TEST_P(Choice, LeavesOutWhatAddsLittle) {
  ThreadPool pool(1);
  Rng rng(11);
  for (int i = 0; i < 30; ++i) {
    const auto all = random_candidates(rng, 10, 6);
    const auto list = choose_rules(all, GetParam(), 6, 10, 1, pool);
    const double is = slow_worth(all, list, GetParam(), 6);
    for (std::size_t at = 0; at < list.size(); ++at) {
      auto less = list;
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(at));
      EXPECT_LE(slow_worth(all, less, GetParam(), 6), is - 1 + 1e-9);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, Choice,
                         testing::Values(RuleObjective::kOnAverage, RuleObjective::kSomewhere,
                                         RuleObjective::kEverywhere));

// ---- The whole ---------------------------------------------------------------------------------

InduceOptions small_options() {
  InduceOptions out;
  out.rules = 5;
  out.expansions = 60;
  out.two_steps = 20;
  out.random_lists = 3;
  return out;
}

bool has_edge_between(const Graph& g, Label a, Label b) {
  return std::ranges::any_of(g.edges(), [&](const Edge& e) {
    return std::minmax(g.label(e.u), g.label(e.v)) == std::minmax(a, b);
  });
}

/// Chains with a few more edges; half of them with a C next to a D.
std::vector<Graph> with_planted_pair(std::uint64_t seed, int count) {
  Rng rng(seed);
  std::vector<Graph> out;
  for (int i = 0; i < count; ++i) {
    Graph g = random_graph(rng, 10 + static_cast<Node>(rng.below(6)), rng.below(3), 3);
    if (i % 2 == 0) {
      const auto at = static_cast<Node>(rng.below(g.num_nodes()));
      g = g.with_label(at, 2).with_leaf(at, 3);
    } else if (i % 4 == 1) {
      // A D that does no harm.
      Node at = 0;
      while (at < g.num_nodes() && g.label(at) == 2) ++at;
      if (at < g.num_nodes()) g = g.with_leaf(at, 3);
    }
    out.push_back(std::move(g));
  }
  return out;
}

TEST(Induction, FindsThePlantedPair) {
  ThreadPool pool(2);
  const auto model = accepting([](const Graph& g) { return !has_edge_between(g, 2, 3); });
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const World w = world_of(with_planted_pair(seed, 120), model, 0.1);
    const RuleTask task{model, Goal(1, {kSafeLead, 0}), w.limits};
    InduceOptions options = small_options();
    options.objective = RuleObjective::kEverywhere;
    const RuleList list = induce(w.material, task, options, pool);
    ASSERT_FALSE(list.rules.empty());
    EXPECT_EQ(list.figures().everywhere, 1) << seed;
    ASSERT_TRUE(list.held_out.has_value());
    EXPECT_GT(list.held_out->figures.everywhere, 0.95) << seed;
    // What it does is to end a pair of C and D.
    const Rule& first = list.rules[0].rule;
    const Graph left = first.left(Graph::EdgeLabels::kAbsent);
    const std::set<Label> labels(left.labels().begin(), left.labels().end());
    EXPECT_TRUE(labels.contains(3)) << rule_text(first, kNames);
    ASSERT_TRUE(list.baselines.has_value());
    EXPECT_GT(list.figures().on_average, 1.5 * list.baselines->random_rules.on_average);
  }
}

TEST(Induction, FindsThePlantedPath) {
  // A–B–A–B in a row is refused: nothing shorter tells.
  const Graph path({std::vector<Label>{0, 1, 2, 1}}, std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}});
  const auto model = accepting([&](const Graph& g) { return !has_pattern(g, path); });
  ThreadPool pool(2);
  Rng rng(4);
  std::vector<Graph> graphs;
  while (graphs.size() < 150) {
    Graph g = random_graph(rng, 12, 0, 3);
    if (graphs.size() % 2 == 0) {
      g = g.with_leaf(0, 0).with_leaf(g.num_nodes(), 1).with_leaf(g.num_nodes() + 1, 2);
      g = g.with_leaf(g.num_nodes() - 1, 1);
    }
    graphs.push_back(g);
  }
  const World w = world_of(graphs, model, 0.1);
  const RuleTask task{model, Goal(1, {kSafeLead, 0}), w.limits};
  const RuleList list = induce(w.material, task, small_options(), pool);
  ASSERT_FALSE(list.rules.empty());
  ASSERT_TRUE(list.held_out.has_value());
  EXPECT_GT(list.held_out->figures.on_average, 2 * list.baselines->random_rules.on_average);
  EXPECT_GT(list.held_out->figures.on_average, 0.6);
  EXPECT_GT(list.figures().somewhere, 0.8);
}

TEST(Induction, FindsThePlantedRing) {
  // Triangles are refused, longer rings are not; all nodes are alike.
  const Graph triangle({std::vector<Label>{0, 0, 0}}, std::vector<Edge>{{0, 1}, {1, 2}, {0, 2}});
  const auto model = accepting([&](const Graph& g) { return !has_pattern(g, triangle); });
  ThreadPool pool(2);
  Rng rng(6);
  std::vector<Graph> graphs;
  for (int i = 0; i < 100; ++i) {
    Graph g = random_graph(rng, 10 + static_cast<Node>(rng.below(5)), 0, 1);
    // A ring of 3 or of 5, and one of 4 to 6 in any case, hung on somewhere.
    for (const Node size : {i % 2 == 0 ? Node{3} : Node{5}, 4 + static_cast<Node>(rng.below(3))}) {
      auto at = static_cast<Node>(rng.below(g.num_nodes()));
      const Node first = at;
      for (Node v = 1; v < size; ++v) {
        g = g.with_leaf(at, 0);
        at = g.num_nodes() - 1;
      }
      g = g.with_edge(first, at);
    }
    graphs.push_back(g);
  }
  const World w = world_of(graphs, model, 0.1);
  ASSERT_EQ(w.material.inputs.size(), 50U);
  const RuleTask task{model, Goal(1, {kSafeLead, 0}), w.limits};
  InduceOptions options = small_options();
  options.objective = RuleObjective::kEverywhere;
  options.rules = 1;
  const RuleList list = induce(w.material, task, options, pool);
  ASSERT_EQ(list.rules.size(), 1U);
  EXPECT_EQ(list.figures().everywhere, 1) << rule_text(list.rules[0].rule, kNames);
  EXPECT_EQ(list.rules[0].rule.cost(), 1);
  ASSERT_TRUE(list.held_out.has_value());
  EXPECT_EQ(list.held_out->figures.everywhere, 1);
  // The pattern is that of a triangle, found nowhere among accepted graphs.
  EXPECT_EQ(list.rules[0].left.rejected, 50U);
  EXPECT_EQ(list.rules[0].left.accepted, 0U);
}

TEST(Induction, SaysNothingWhereNoShortRewriteWorks) {
  // Nothing but the number of nodes counts, and that is far away.
  const auto model = accepting([](const Graph& g) { return g.num_nodes() > 20; });
  ThreadPool pool(1);
  const World w = world_of(random_graphs(8, 30, 8, 2), model, 0.2);
  const RuleTask task{model, Goal(1, {kSafeLead, 0}), w.limits};
  const RuleList list = induce(w.material, task, small_options(), pool);
  EXPECT_TRUE(list.rules.empty());
  EXPECT_TRUE(list.complete);
}

TEST(Induction, TwoStepsHelpWhereOneDoesNot) {
  // Two Ds next to each other are wanted, and there is none.
  const auto model = accepting([](const Graph& g) { return has_edge_between(g, 3, 3); });
  ThreadPool pool(1);
  const World w = world_of(random_graphs(9, 40, 8, 2), model, 0.2);
  const RuleTask task{model, Goal(1, {kSafeLead, 0}), w.limits};
  InduceOptions options = small_options();
  const RuleList list = induce(w.material, task, options, pool);
  EXPECT_EQ(list.figures().everywhere, 1);
  options.two_steps = 0;
  EXPECT_TRUE(induce(w.material, task, options, pool).rules.empty());
}

TEST(Induction, IsTheSameForAnyNumberOfThreads) {
  const auto model = accepting([](const Graph& g) { return Identity(g).hash().low % 5 == 0; });
  const World w = world_of(random_graphs(12, 60, 6, 3), model, 0.2);
  const RuleTask task{model, Goal(1, {kSafeLead, 0}), w.limits};
  ThreadPool one(1);
  ThreadPool three(3);
  const RuleList list = induce(w.material, task, small_options(), one);
  EXPECT_FALSE(list.rules.empty());
  EXPECT_EQ(induce(w.material, task, small_options(), three), list);
}

TEST(Induction, StoppedItSaysSo) {
  const auto model = accepting([](const Graph& g) { return Identity(g).hash().low % 5 == 0; });
  const World w = world_of(random_graphs(13, 60, 6, 3), model, 0.2);
  const RuleTask task{model, Goal(1, {kSafeLead, 0}), w.limits};
  ThreadPool pool(2);
  StopSign sign;
  InduceHooks hooks;
  hooks.stop = &sign;
  hooks.progress = [&](const char* stage, std::size_t, std::size_t) {
    if (std::string_view(stage) == "choose on parts") sign.set();
  };
  const RuleList list = induce(w.material, task, small_options(), pool, hooks);
  EXPECT_FALSE(list.rules.empty());
  EXPECT_FALSE(list.complete);
  EXPECT_FALSE(list.held_out.has_value());
  EXPECT_THROW(induce(w.material, task, small_options(), pool, hooks), Stopped);
}

TEST(Induction, WhatWasHeldOutHadNoSay) {
  // Each part's list is what a search on the other parts alone gives: neither what a graph looks
  // like nor what the model says of it shows, whatever candidates come from. What works somewhere
  // is rare, so that every source of candidates is needed.
  const auto model = accepting([](const Graph& g) {
    return std::ranges::count(g.labels(), Label{2}) >= 4 && Identity(g).hash().low % 3 == 0;
  });
  const World w = world_of(random_graphs(14, 60, 6, 3), model, 0.3);
  const RuleTask task{model, Goal(1, {kSafeLead, 0}), w.limits};
  ThreadPool pool(2);
  InduceOptions options = small_options();
  options.two_steps = 8;
  options.more_changes = 2;
  options.min_support = 0.05;
  // One that a single input has a say in, and one that any may have.
  options.more_candidates = {{rule("[A>C]-[>C]"), w.material.inputs[0]},
                             {rule("[A>C]-[>C]-[>C]"), {}}};
  const RuleList list = induce(w.material, task, options, pool);
  ASSERT_TRUE(list.held_out.has_value());
  std::size_t several = 0;
  const auto part = fold_of_each(w.material.inputs.size(), 5, options.seed);
  for (std::uint32_t f = 0; f < 5; ++f) {
    RuleMaterial others = w.material;
    others.inputs.clear();
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i] != f) others.inputs.push_back(w.material.inputs[i]);
    }
    InduceOptions alone = options;
    alone.folds = 0;
    alone.more_candidates.clear();
    if (part[0] != f) alone.more_candidates.push_back(options.more_candidates[0]);
    const RuleList of_others = induce(others, task, alone, pool);
    std::vector<Rule> rules;
    for (const MeasuredRule& one : of_others.rules) rules.push_back(one.rule);
    EXPECT_EQ(list.held_out->lists[f], rules);
    for (const Rule& one : rules) several += one.cost() > 2 ? 1U : 0U;
  }
  EXPECT_GT(several, 5U);
}

/// What the list's rules that are used for at least a tenth of the inputs are read as.
std::set<RuleReading> readings(const RuleList& list, const RuleMaterial& on) {
  std::set<RuleReading> out;
  double before = 0;
  for (const MeasuredRule& one : list.rules) {
    if (one.list.support - before >= 0.1) {
      out.insert(reading_of(one, on.inputs.size(), on.accepted.size(), 2 * list.rules.size()));
    }
    before = one.list.support;
  }
  return out;
}

TEST(Readings, APlantedShortcutIsCalledOne) {
  // The model looks for a D alone, which correlates with acceptance and does nothing else.
  const auto model = accepting([](const Graph& g) {
    return std::ranges::any_of(g.labels(), [](Label label) { return label == 3; });
  });
  ThreadPool pool(2);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Rng rng(seed);
    std::vector<Graph> graphs;
    for (int i = 0; i < 120; ++i) {
      Graph g = random_graph(rng, 10 + static_cast<Node>(rng.below(5)), rng.below(3), 2);
      if (i % 2 == 1) g = g.with_leaf(static_cast<Node>(rng.below(g.num_nodes())), 3);
      graphs.push_back(g);
    }
    const World w = world_of(graphs, model, 0.1);
    const RuleTask task{model, Goal(1, {kSafeLead, 0}), w.limits};
    const RuleList list = induce(w.material, task, small_options(), pool);
    ASSERT_FALSE(list.rules.empty());
    EXPECT_EQ(list.figures().everywhere, 1);
    EXPECT_THAT(readings(list, w.material), testing::ElementsAre(RuleReading::kAddsMark)) << seed;
  }
}

TEST(Readings, APlantedCauseIsTakenAway) {
  // A C anywhere is refused; accepted graphs have none.
  const auto model = accepting([](const Graph& g) {
    return std::ranges::none_of(g.labels(), [](Label label) { return label == 2; });
  });
  ThreadPool pool(2);
  Rng rng(3);
  std::vector<Graph> graphs;
  for (int i = 0; i < 120; ++i) {
    Graph g = random_graph(rng, 10 + static_cast<Node>(rng.below(5)), rng.below(3), 2);
    if (i % 2 == 0) g = g.with_label(static_cast<Node>(rng.below(g.num_nodes())), 2);
    graphs.push_back(g);
  }
  const World w = world_of(graphs, model, 0.1);
  const RuleTask task{model, Goal(1, {kSafeLead, 0}), w.limits};
  const RuleList list = induce(w.material, task, small_options(), pool);
  for (const RuleReading reading : readings(list, w.material)) {
    EXPECT_TRUE(reading == RuleReading::kTakesAway || reading == RuleReading::kExchanges)
        << in_words(reading);
  }
}

TEST(Readings, WhatTheDataDoesNotHaveIsStrange) {
  // A D is taken for everything, and no graph has one.
  const auto model = accepting([](const Graph& g) {
    return g.num_nodes() > 14 ||
           std::ranges::any_of(g.labels(), [](Label label) { return label == 3; });
  });
  ThreadPool pool(2);
  const World w = world_of(random_graphs(41, 100, 12, 2), model, 0.1);
  ASSERT_FALSE(w.material.accepted.empty());
  const RuleTask task{model, Goal(1, {kSafeLead, 0}), w.limits};
  InduceOptions options = small_options();
  options.rules = 1;
  const RuleList list = induce(w.material, task, options, pool);
  EXPECT_THAT(readings(list, w.material), testing::ElementsAre(RuleReading::kStrange))
      << rule_text(list.rules[0].rule, kNames);
}

// ---- More changes
// --------------------------------------------------------------------------------

TEST(MoreChanges, AreOneChangeMore) {
  // Every one costs more and keeps the pattern; none of what one can write down by hand is missing.
  const Rule parent = rule("A-[B>C]");
  std::set<std::string> texts;
  for (const Rule& one : with_one_change_more(parent, 3, 0)) {
    EXPECT_GT(one.cost(), parent.cost());
    EXPECT_EQ(one.nodes_before(), parent.nodes_before());
    texts.insert(rule_text(one, kNames));
  }
  std::set<std::string> expected;
  for (const char* text :
       {"[A>B]-[B>C]", "[A>C]-[B>C]", "A(-[>A])-[B>C]", "A(-[>B])-[B>C]", "A(-[>C])-[B>C]",
        "A-[B>C]-[>A]", "A-[B>C]-[>B]", "A-[B>C]-[>C]", "A{->}[B>C]"}) {
    expected.insert(rule_text(rule(text), kNames));
  }
  EXPECT_EQ(texts, expected);
}

TEST(MoreChanges, MakeWeakRulesStrong) {
  // Some graphs have a C already, and need one D; the others need both.
  const auto model =
      accepting([](const Graph& g) { return std::ranges::count(g.labels(), Label{3}) >= 3; });
  ThreadPool pool(2);
  Rng rng(19);
  std::vector<Graph> graphs;
  for (int i = 0; i < 90; ++i) {
    Graph g = random_graph(rng, 12, 1, 2);
    for (int d = 0; d < i % 3; ++d) g = g.with_leaf(0, 3);
    graphs.push_back(std::move(g));
  }
  const World w = world_of(graphs, model, 0.3);
  ASSERT_EQ(w.material.inputs.size(), 90U);
  const RuleTask task{model, Goal(1, {kSafeLead, 0}), w.limits};
  InduceOptions options = small_options();
  options.two_steps = 0;
  options.more_changes = 0;
  const RuleList weak = induce(w.material, task, options, pool);
  options.more_changes = 3;
  const RuleList strong = induce(w.material, task, options, pool);
  ASSERT_TRUE(weak.held_out && strong.held_out);
  EXPECT_LT(weak.held_out->figures.on_average, 0.4);
  EXPECT_GT(strong.held_out->figures.on_average, 0.95);
}

// ---- Fragility ---------------------------------------------------------------------------------

TEST(Fragility, IsDecidedByAllSteps) {
  const auto model = accepting([](const Graph& g) { return Identity(g).hash().low % 40 == 0; });
  const World w = world_of(random_graphs(31, 40, 4, 2), model, 0.3);
  const RuleTask task{model, Goal(1, {kSafeLead, 0}), w.limits};
  ThreadPool pool(2);
  std::set<std::uint32_t> fewest;
  for (const bool accepted : {false, true}) {
    const auto& graphs = accepted ? w.material.accepted : w.material.inputs;
    const auto is = fragile_graphs(graphs, accepted, w.material, task, pool);
    ASSERT_EQ(is.size(), graphs.size());
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      const Graph& g = w.material.graphs[graphs[i]];
      EXPECT_EQ(is[i].graph, graphs[i]);
      // All results, each once; two steps may lead to one.
      std::size_t steps = 0;
      bool enough = false;
      const auto all = neighbours(g, {.num_labels = 4, .up_to_symmetry = false});
      for (const Edit& edit : all) {
        const Graph result = apply(g, edit);
        const double both = static_cast<double>(g.size() + result.size());
        if (cost_of(edit.kind) / both > 0.3) continue;
        ++steps;
        enough =
            enough || judge(std::span(&result, 1), model, task.goal, pool)[0].predicted != accepted;
      }
      EXPECT_LE(is[i].steps, steps);
      EXPECT_EQ(is[i].steps == 0, steps == 0);
      EXPECT_EQ(is[i].enough > 0, enough);
      EXPECT_EQ(is[i].fewest_known == 1, enough);
      fewest.insert(is[i].fewest_known);
    }
    EXPECT_EQ(is, fragile_graphs(graphs, accepted, w.material, task, pool));
  }
  EXPECT_TRUE(fewest.contains(1));
  EXPECT_TRUE(fewest.contains(2));
}

// ---- Molecules ---------------------------------------------------------------------------------

/// The demo's molecules with bonds, and a model that knows what was planted.
struct Molecules {
  explicit Molecules(std::uint64_t seed, std::size_t count)
      : data(
            prepare(generate({.graphs = count, .seed = seed, .threads = 1}), generated_metadata())),
        view(data, true),
        model(data.node_labels.size(), 2, [](const Graph& g) {
          const double p = find_motif(g) == Motif::kNone ? 0.9 : 0.1;
          return std::vector<double>{1 - p, p};
        }) {
    ThreadPool pool(1);
    std::vector<std::uint32_t> inputs;
    std::vector<std::uint32_t> accepted;
    for (std::uint32_t i = 0; i < data.size(); ++i) {
      const Graph seen = view(data.graphs[i]);
      (judge(std::span(&seen, 1), model, Goal(1), pool)[0].predicted ? accepted : inputs)
          .push_back(i);
    }
    material = rule_material(data, view, inputs, accepted);
  }

  Dataset data;
  GraphView view;
  test::FakeClassifier model;
  RuleMaterial material;
};

/// Has the pattern a nitrogen with two oxygens, or one at a carbon of a double or aromatic bond?
bool tells_the_motif(const Rule& rule, const RuleNames& names) {
  const Graph left = rule.left(Graph::EdgeLabels::kPresent);
  for (Node v = 0; v < left.num_nodes(); ++v) {
    if (names.nodes[left.label(v)] != "N") continue;
    int oxygens = 0;
    bool ring = false;
    for (const Node w : left.neighbours(v)) {
      oxygens += names.nodes[left.label(w)] == "O" ? 1 : 0;
      for (const Label kind : left.edge_labels(w)) ring = ring || names.edges[kind] == "aromatic";
    }
    if (oxygens > 0 || ring) return true;
  }
  return false;
}

TEST(MoleculeRulesFound, NitroAndAromaticAmineAreAmongTheFirstThree) {
  ThreadPool pool(2);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Molecules world(seed, 160);
    const RuleTask task{world.model, Goal(1, {kSafeLead, 0}),
                        rule_limits(world.view, {}, 0.15, /*plausible=*/true, world.material)};
    InduceOptions options = small_options();
    options.rules = 3;
    options.two_steps = 0;
    options.folds = 0;
    const RuleList list = induce(world.material, task, options, pool);
    const RuleNames names{label_names(world.data).nodes, world.view.edge_label_names()};
    ASSERT_FALSE(list.rules.empty());
    std::string texts;
    bool tells = false;
    for (const MeasuredRule& one : list.rules) {
      texts += rule_text(one.rule, names) + "  ";
      tells = tells || tells_the_motif(one.rule, names);
    }
    EXPECT_TRUE(tells) << seed << ": " << texts;
    // Everything that is made is a molecule.
    for (const MeasuredRule& one : list.rules) {
      const RuleMatcher matcher(one.rule);
      for (const std::uint32_t i : world.material.inputs) {
        for (const auto& places :
             judged_places(world.material.graphs[i], std::span(&matcher, 1), task, pool)) {
          for (const JudgedPlace& place : places) {
            const Graph result = rewritten(world.material.graphs[i], one.rule, place.image);
            EXPECT_EQ(world.view.rules()->why_invalid(result), "");
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace fewedits
