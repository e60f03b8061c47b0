// SPDX-License-Identifier: MIT
// The search under certified distances: maps that are carried along never claim too much, the worth
// of all neighbours at once is what each of them is worth alone, and the result is proven, allowed
// and the same for any number of threads.
#include "fewedits/search/climb/certified_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "fewedits/cover/archive.hpp"
#include "fewedits/edit/neighbours.hpp"
#include "fewedits/ged/batch.hpp"
#include "fewedits/ged/solver.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/search/climb/map_keeper.hpp"
#include "fewedits/search/local/local_search.hpp"
#include "support/fake_classifier.hpp"
#include "support/ged.hpp"

namespace fewedits {
namespace {

constexpr std::size_t kLabels = 3;

std::vector<Graph> random_graphs(std::size_t count, Rng& rng) {
  std::vector<Graph> out;
  for (std::size_t i = 0; i < count; ++i) {
    const auto nodes = static_cast<Node>(5 + rng.below(8));
    out.push_back(test::random_graph(rng, nodes, nodes - 1 + rng.below(3), kLabels, 0));
  }
  return out;
}

class MapKeeperTest : public testing::Test {
 protected:
  MapKeeperTest()
      : rng_(7),
        inputs_(random_graphs(40, rng_)),
        pool_(1),
        prepared_(prepare_graphs(inputs_, pool_)),
        keeper_(prepared_, kLabels) {}

  void start() {
    keeper_.reset(inputs_[rng_.below(inputs_.size())], soft_,
                  std::vector<std::uint8_t>(inputs_.size(), 1), rng_);
  }
  /// All neighbours; moves to one of them.
  std::vector<Edit> edits() const { return neighbours(keeper_.graph(), {kLabels, {}, false}); }
  void move() {
    const auto choices = edits();
    const Edit& edit = choices[rng_.below(choices.size())];
    keeper_.move({&edit, 1}, apply(keeper_.graph(), edit), rng_);
  }

  Rng rng_;
  std::vector<Graph> inputs_;
  ThreadPool pool_;
  std::vector<PreparedGraph> prepared_;
  MapKeeper keeper_;
  SoftCover soft_{.theta = 0.3, .width = 0.5};
};

TEST_F(MapKeeperTest, EveryCostIsThatOfItsMapAndNoInputIsOverlooked) {
  std::size_t maps = 0;
  for (int round = 0; round < 5; ++round) {
    start();
    for (int step = 0; step < 30; ++step, move()) {
      const Graph& graph = keeper_.graph();
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        if (keeper_.map(i).empty()) {
          EXPECT_FALSE(keeper_.covers(i));
          // Without a map, because a lower bound excludes it.
          EXPECT_GT(edit_distance(graph, inputs_[i]).upper,
                    distance_limit(soft_.theta, graph, inputs_[i]));
          continue;
        }
        ++maps;
        ASSERT_TRUE(is_node_map(graph, inputs_[i], keeper_.map(i)));
        EXPECT_EQ(induced_cost(graph, inputs_[i], keeper_.map(i)), keeper_.cost(i));
      }
    }
  }
  EXPECT_GT(maps, 1000U);
}

/// More nodes than a word has bits: another way to improve maps.
TEST(LargeMapKeeperTest, EveryCostIsThatOfItsMap) {
  Rng rng(17);
  std::vector<Graph> inputs;
  for (Node i = 0; i < 12; ++i) inputs.push_back(test::random_graph(rng, 66 + i, 70, kLabels, 0));
  // Near ones, so that there are maps to carry along.
  for (std::size_t i = 0; i < 12; ++i) {
    Graph graph = inputs[i];
    for (Node v = 0; v < 4; ++v) graph = graph.with_label(7 * v, static_cast<Label>(v % kLabels));
    inputs.push_back(
        graph.with_leaf(3, 1).permuted(test::random_permutation(rng, graph.num_nodes() + 1)));
  }
  ThreadPool pool(1);
  const auto prepared = prepare_graphs(inputs, pool);
  MapKeeper keeper(prepared, kLabels);
  std::size_t maps = 0;
  for (int round = 0; round < 6; ++round) {
    keeper.reset(inputs[rng.below(inputs.size())], {.theta = 0.2, .width = 0.5},
                 std::vector<std::uint8_t>(inputs.size(), 1), rng);
    for (int step = 0; step < 15; ++step) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (keeper.map(i).empty()) continue;
        ++maps;
        ASSERT_TRUE(is_node_map(keeper.graph(), inputs[i], keeper.map(i)));
        EXPECT_EQ(induced_cost(keeper.graph(), inputs[i], keeper.map(i)), keeper.cost(i));
      }
      const auto choices = neighbours(keeper.graph(), {kLabels, {}, false});
      const Edit& edit = choices[rng.below(choices.size())];
      keeper.move({&edit, 1}, apply(keeper.graph(), edit), rng);
    }
  }
  EXPECT_GT(maps, 200U);
}

/// A million triples of graph, edit and input; every 500th against the exact distance.
TEST_F(MapKeeperTest, WhatANeighbourIsSaidToCostIsTheCostOfAMap) {
  MapChanges changes;
  std::size_t triples = 0;
  std::size_t proven = 0;
  while (triples < 1'000'000) {
    start();
    for (int step = 0; step < 20; ++step, move()) {
      const Graph& graph = keeper_.graph();
      std::vector<Graph> next;
      const auto choices = edits();
      for (const Edit& edit : choices) next.push_back(apply(graph, edit));
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        if (keeper_.map(i).empty()) continue;
        changes.prepare(graph, inputs_[i], keeper_.map(i), kLabels);
        for (std::size_t e = 0; e < choices.size(); ++e) {
          const std::int64_t claimed = keeper_.cost(i) + changes.change(choices[e]);
          ASSERT_EQ(claimed, induced_cost(next[e], inputs_[i], changes.map_of(choices[e])));
          if (++triples % 500 != 0) continue;
          GedOptions options;
          options.budget.work = 2'000'000;
          const GedBounds distance = edit_distance(next[e], inputs_[i], options);
          ASSERT_GE(claimed, distance.lower);
          proven += distance.exact() ? 1U : 0U;
        }
      }
    }
  }
  EXPECT_GT(proven, 1900U);
}

/// What one input is worth to a neighbour, by its sizes and by how far the cost is beyond theta.
class WorthOfOne {
 public:
  explicit WorthOfOne(const SoftCover& soft) : soft_(soft) {}

  void expect(double worth, std::int64_t cost, std::int64_t sizes) {
    const std::int64_t beyond = cost - distance_limit(soft_.theta, sizes);
    if (beyond <= 0) {
      ASSERT_NEAR(worth, 1, kRounding) << "within theta";
      return;
    }
    ASSERT_GE(worth, -kRounding) << beyond << " edits beyond theta";
    ASSERT_LT(worth, 1) << beyond << " edits beyond theta";
    const auto [known, is_new] = seen_[sizes].emplace(beyond, worth);
    if (!is_new) {
      ASSERT_NEAR(worth, known->second, kRounding) << beyond << " edits beyond theta";
    }
  }

  /// The farther, the less: 1/e of it for `width`, until it is nothing. How many were compared.
  [[nodiscard]] std::size_t expect_decay() const {
    std::size_t compared = 0;
    for (const auto& [sizes, by_distance] : seen_) {
      const double width = soft_.width * soft_.theta * static_cast<double>(sizes);
      for (auto far = by_distance.begin(); far != by_distance.end(); ++far) {
        if (far == by_distance.begin()) continue;
        const auto near = std::prev(far);
        const auto edits = static_cast<double>(far->first - near->first);
        const double expected = near->second * std::exp(-edits / width);
        if (std::abs(far->second) <= kRounding) continue;
        EXPECT_NEAR(far->second, expected, kRounding) << far->first << " edits beyond theta";
        ++compared;
      }
    }
    return compared;
  }

 private:
  static constexpr double kRounding = 1e-5;
  SoftCover soft_;
  std::map<std::int64_t, std::map<std::int64_t, double>> seen_;  ///< by sizes, then distance
};

TEST_F(MapKeeperTest, TheWorthOfAllNeighboursIsThatOfEach) {
  MapChanges changes;
  WorthOfOne worth(soft_);
  double most = 0;
  for (int round = 0; round < 4; ++round) {
    start();
    for (int step = 0; step < 5; ++step, move()) {
      // From what is known every input within reach gets a map; whoever starts from that has the
      // same maps, whichever inputs count.
      const std::vector<std::uint8_t> all(inputs_.size(), 1);
      const KnownMaps before = keeper_.known();
      keeper_.reset(before.graph->graph(), soft_, all, rng_, &before);
      const KnownMaps known = keeper_.known();
      const Graph& graph = known.graph->graph();
      const auto choices = edits();
      const auto values_for = [&](const std::vector<std::uint8_t>& counts) {
        keeper_.reset(graph, soft_, counts, rng_, &known);
        return keeper_.values(Moves(choices));
      };
      std::vector<double> sum(choices.size(), 0);
      for (const std::uint32_t i : known.mapped) {
        std::vector<std::uint8_t> alone(inputs_.size(), 0);
        alone[i] = 1;
        const auto values = values_for(alone);
        changes.prepare(graph, inputs_[i], keeper_.map(i), kLabels);
        for (std::size_t e = 0; e < choices.size(); ++e) {
          const auto sizes =
              static_cast<std::int64_t>(apply(graph, choices[e]).size() + inputs_[i].size());
          worth.expect(values[e], keeper_.cost(i) + changes.change(choices[e]), sizes);
          sum[e] += values[e];
        }
        if (HasFatalFailure()) FAIL() << "input " << i;
      }
      const auto values = values_for(all);
      for (std::size_t e = 0; e < choices.size(); ++e) {
        ASSERT_NEAR(values[e], sum[e], 1e-3) << e;
        most = std::max(most, sum[e]);
      }
    }
  }
  EXPECT_GT(worth.expect_decay(), 50U);
  EXPECT_GT(most, 1) << "no neighbour was worth more than an input";
}

TEST_F(MapKeeperTest, WhatIsKnownOfAGraphIsTakenOver) {
  start();
  for (int step = 0; step < 10; ++step) move();
  const KnownMaps known = keeper_.known();
  std::vector<NodeMap> maps;
  for (std::size_t i = 0; i < inputs_.size(); ++i) maps.push_back(keeper_.map(i));
  const std::size_t covered = keeper_.num_covered();
  keeper_.reset(inputs_[0], soft_, std::vector<std::uint8_t>(inputs_.size(), 1), rng_);
  keeper_.reset(known.graph->graph(), soft_, std::vector<std::uint8_t>(inputs_.size(), 1), rng_,
                &known);
  EXPECT_GE(keeper_.num_covered(), covered);
  ASSERT_GT(known.mapped.size(), 5U);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (maps[i].empty()) continue;
    EXPECT_EQ(keeper_.map(i), maps[i]);
    EXPECT_EQ(keeper_.cost(i), induced_cost(known.graph->graph(), inputs_[i], maps[i]));
  }
}

TEST(KnownMapsTest, TakesOverWhatIsCheaperAndForgetsTheOldest) {
  KnownMaps known{{}, {0, 0, 0}, {0, 2}, {5, 6}, {0, 1, 1, 0}};
  const Graph graph(std::vector<Label>{0, 0}, {});
  known.graph = std::make_shared<PreparedGraph>(graph);
  std::vector<GedBounds> found(3);
  found[0] = {0, 5, {1, 0}};
  found[2] = {0, 3, {0, kUnmatched}};
  known.improve(found);
  EXPECT_EQ(known.cost, (std::vector<std::int32_t>{5, 3}));
  EXPECT_EQ(known.images, (std::vector<Node>{0, 1, 0, kUnmatched}));

  MapStore store;
  EXPECT_EQ(store.of(graph), nullptr);
  store.keep(std::make_shared<KnownMaps>(known));
  ASSERT_NE(store.of(graph), nullptr);
  // 32 MB each: the first one has to go some time, though it is looked up again and again.
  const auto of_its_own = [](Label label) { return Graph(std::vector<Label>{label}, {}); };
  Label kept = 0;
  for (; store.of(graph) != nullptr && kept < 64; ++kept) {
    auto large = std::make_shared<KnownMaps>();
    large->graph = std::make_shared<PreparedGraph>(of_its_own(kept));
    large->lower.resize(std::size_t{8} << 20);
    store.keep(std::move(large));
  }
  EXPECT_EQ(store.of(graph), nullptr) << "two gigabytes are kept";
  EXPECT_GE(kept, 2U);
  bool there = false;
  for (Label label = 0; label < kept; ++label) {
    const bool is_there = store.of(of_its_own(label)) != nullptr;
    EXPECT_TRUE(is_there || !there) << label << " was kept after one that is still there";
    there = is_there;
  }
  EXPECT_TRUE(there) << "the last one";
}

// ---- Sets of remembered graphs

/// A graph of its own for each number.
Candidate choice_of(std::uint32_t number, std::vector<std::uint32_t> covers) {
  return {Graph(std::vector<Label>{number}, {}), 0, std::move(covers), number, 0};
}

TEST(CandidateArchiveTest, ShakingFindsTheBestSetOfASmallArchive) {
  Rng rng(3);
  ThreadPool pool(2);
  for (int round = 0; round < 20; ++round) {
    CandidateArchive archive(70);
    for (std::uint32_t c = 0; c < 12; ++c) {
      Candidate choice = choice_of(c, {});
      for (std::uint32_t i = 0; i < 70; ++i) {
        if (rng.chance(0.2)) choice.covers.push_back(i);
      }
      archive.add(choice);
    }
    std::size_t most = 0;
    for (std::size_t a = 0; a < 12; ++a) {
      for (std::size_t b = a + 1; b < 12; ++b) {
        for (std::size_t c = b + 1; c < 12; ++c) {
          most = std::max(most, archive.covered(std::vector<std::size_t>{a, b, c}));
        }
      }
    }
    SolutionSet team{0, 1, 2};
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const std::size_t before = archive.covered(team);
      team = archive.perturbed(team, 3, 16, seed, pool);
      EXPECT_GE(archive.covered(team), before);
    }
    EXPECT_EQ(archive.covered(team), most);
  }
}

TEST(CandidateArchiveTest, ShrinkingKeepsTheTeamAndWhatAddsMost) {
  CandidateArchive archive(20);
  for (std::uint32_t c = 0; c < 10; ++c) archive.add(choice_of(c, {c}));
  archive.add(choice_of(10, {11, 12}), 7);
  for (std::uint32_t c = 11; c < 14; ++c) archive.add(choice_of(c, {c - 10}));
  SolutionSet team{1, 8, 0};
  archive.shrink(5, team);
  ASSERT_EQ(archive.size(), 5U);
  EXPECT_EQ(archive[team[0]].visits, 1U);
  EXPECT_EQ(archive[team[1]].visits, 8U);
  EXPECT_EQ(archive[team[2]].visits, 0U);
  EXPECT_EQ(archive.covered(team), 3U);
  EXPECT_EQ(archive[3].visits, 10U);
  EXPECT_EQ(archive.rounds(3), 7U);
  EXPECT_EQ(archive[4].visits, 13U);  // the last of equals
  archive.shrink(2, team);
  EXPECT_EQ(archive.size(), 3U);
  EXPECT_EQ(archive.covered(team), 3U);
}

TEST(CandidateArchiveTest, IsomorphicGraphsAreOne) {
  CandidateArchive archive(100);
  const std::vector<Edge> edges{{0, 1, 0}, {1, 2, 0}};
  archive.add({Graph(std::vector<Label>{0, 1, 2}, edges), 0.6F, {3, 70}, 5, 0});
  archive.add(choice_of(1, {1}));
  EXPECT_EQ(archive.add({Graph(std::vector<Label>{2, 1, 0}, edges), 0.6F, {2, 70}, 0, 0}, 4), 0U);
  ASSERT_EQ(archive.size(), 2U);
  EXPECT_EQ(archive[0].covers, (std::vector<std::uint32_t>{2, 3, 70}));
  EXPECT_EQ(archive[0].visits, 5U);
  EXPECT_EQ(archive.rounds(0), 4U);
}

TEST(CandidateArchiveTest, NoGraphIsInATeamTwice) {
  ThreadPool pool(1);
  Rng rng(1);
  CandidateArchive archive(10);
  for (std::uint32_t c = 0; c < 6; ++c) archive.add(choice_of(c, {0, 1}));
  SolutionSet team;
  fill_up(archive.table(), team, 9, &rng);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    team = archive.perturbed(team, 9, 4, seed, pool);
    EXPECT_EQ(team.size(), 6U);
    EXPECT_EQ(std::set(team.begin(), team.end()).size(), 6U);
  }
}

// ---- The search

/// Accepts graphs without label 0, the more clearly the fewer there are.
struct NoZero final : test::FakeClassifier {
  NoZero() : FakeClassifier(kLabels, 2, probabilities) {}
  static std::vector<double> probabilities(const Graph& g) {
    const double p =
        1 / (1 + std::exp(2 * static_cast<double>(std::ranges::count(g.labels(), 0U)) - 1));
    return {1 - p, p};
  }
};

void expect_same(const std::vector<Candidate>& a, const std::vector<Candidate>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t c = 0; c < a.size(); ++c) {
    EXPECT_EQ(a[c].graph, b[c].graph);
    EXPECT_EQ(a[c].covers, b[c].covers);
  }
}

class CertifiedSearchTest : public testing::Test {
 protected:
  CertifiedSearchTest() {
    Rng rng(11);
    inputs_ = random_graphs(60, rng);
    options_.theta = 0.25;
    options_.work = 20'000'000;
    // Poor ones to begin with: single nodes.
    for (Label l = 1; l < kLabels; ++l) {
      const std::vector<Label> labels(1, l);
      chosen_.push_back({Graph(labels, {}), 0.7F, {}, 0, 0});
    }
  }
  std::vector<Candidate> search(int threads, const CertifiedHooks& hooks = {}) {
    ThreadPool pool(threads);
    const auto prepared = prepare_graphs(inputs_, pool);
    return certified_search(chosen_, {}, k_, space(prepared), pool, hooks).set;
  }
  [[nodiscard]] SearchSpace space(std::span<const PreparedGraph> inputs) const {
    return {inputs, model_, 1, constraints_, options_};
  }

  NoZero model_;
  std::vector<Graph> inputs_;
  Constraints constraints_;
  ClimbOptions options_;
  std::vector<Candidate> chosen_;
  std::size_t k_ = 2;
};

TEST_F(CertifiedSearchTest, WhatItClaimsIsTrueAndMuch) {
  const auto found = search(2);
  ASSERT_EQ(found.size(), chosen_.size());
  std::set<std::uint32_t> covered;
  for (const Candidate& c : found) {
    EXPECT_TRUE(c.graph.is_connected());
    EXPECT_EQ(std::ranges::count(c.graph.labels(), 0U), 0);
    for (const std::uint32_t i : c.covers) {
      EXPECT_LE(edit_distance(c.graph, inputs_[i]).upper,
                distance_limit(options_.theta, c.graph, inputs_[i]));
      covered.insert(i);
    }
  }
  EXPECT_GT(covered.size(), 5U);
}

TEST_F(CertifiedSearchTest, FillsUpFromNothing) {
  chosen_.clear();
  k_ = 4;
  EXPECT_EQ(search(1).size(), 4U);
}

TEST_F(CertifiedSearchTest, ThreadsMakeNoDifference) {
  options_.work = 5'000'000;
  expect_same(search(3), search(1));
}

TEST_F(CertifiedSearchTest, ConstraintsHold) {
  constraints_.max_nodes = 6;
  constraints_.max_degree.assign(kLabels, 2);
  const auto found = search(1);
  ASSERT_EQ(found.size(), chosen_.size());
  for (const Candidate& c : found) EXPECT_TRUE(satisfies(c.graph, constraints_));
}

TEST_F(CertifiedSearchTest, StopsWhenToldTo) {
  int asked = 0;
  CertifiedHooks hooks;
  hooks.go_on = [&](const ImproveProgress&) { return ++asked < 30; };
  const auto found = search(1, hooks);
  EXPECT_EQ(asked, 30);
  EXPECT_EQ(found.size(), chosen_.size());
}

TEST_F(CertifiedSearchTest, FromAnySavedStateItGoesOnAsIfNothingHadHappened) {
  options_.work = 10'000'000;
  std::vector<CertifiedSearchState> states;
  CertifiedHooks saving;
  saving.save = [&](CertifiedSearchState state) { states.push_back(std::move(state)); };
  const auto whole = search(2, saving);
  expect_same(search(1), whole);
  ASSERT_GT(states.size(), 8U);
  for (const std::size_t from : {std::size_t{0}, states.size() / 2, states.size() - 1}) {
    CertifiedHooks resuming;
    resuming.resume = &states[from];
    std::size_t saves = from + 1;
    resuming.save = [&](const CertifiedSearchState& state) {
      ASSERT_LT(saves, states.size());
      EXPECT_EQ(state.search.work, states[saves].search.work);
      EXPECT_EQ(state.search.incumbent, states[saves].search.incumbent);
      ++saves;
    };
    expect_same(search(1, resuming), whole);
    EXPECT_EQ(saves, states.size());
  }
}

TEST_F(CertifiedSearchTest, MoreGraphsThanAreNeededAreAllDifferent) {
  inputs_.resize(3);
  k_ = 12;
  options_.work = 5'000'000;
  const auto found = search(1);
  ASSERT_EQ(found.size(), 12U);
  for (std::size_t a = 0; a < found.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_FALSE(Identity(found[a].graph) == Identity(found[b].graph)) << a << " and " << b;
    }
  }
}

TEST_F(CertifiedSearchTest, WhereEverythingIsForbiddenItGivesUpEarly) {
  chosen_.clear();
  constraints_.min_nodes = 1000;
  std::uint64_t most = 0;
  CertifiedHooks hooks;
  hooks.go_on = [&](const ImproveProgress& p) {
    most = std::max(most, p.evaluated);
    return true;
  };
  EXPECT_TRUE(search(1, hooks).empty());
  EXPECT_LT(most, options_.work / 4);
}

TEST_F(CertifiedSearchTest, GraphsAtHandCoverWhatIsSaidOfThemAndEachIsMeasuredOnce) {
  ThreadPool pool(2);
  const auto prepared = prepare_graphs(inputs_, pool);
  std::vector<Candidate> choices;
  for (std::uint32_t i = 0; i < 40; ++i) {
    choices.push_back({inputs_[i], 0.9F, {}, 0, i});
    choices.push_back({inputs_[i], 0.9F, {}, 0, i});
  }
  const auto measured = certified_covers(choices, 5, space(prepared), pool, [] { return true; });
  EXPECT_LE(measured.size(), 40U);
  std::size_t covers = 0;
  for (const Candidate& c : measured) {
    for (const std::uint32_t i : c.covers) {
      EXPECT_LE(edit_distance(c.graph, inputs_[i]).upper,
                distance_limit(options_.theta, c.graph, inputs_[i]));
    }
    covers += c.covers.size();
  }
  EXPECT_GE(covers, 5U);
}

// ---- One graph alone

TEST(LocalSearchTest, TheNearestAcceptedGraphRelabelsEveryZero) {
  Rng rng(5);
  ThreadPool pool(2);
  int compared = 0;
  for (const Graph& input : random_graphs(30, rng)) {
    const auto zeros = std::ranges::count(input.labels(), 0U);
    if (zeros == 0 || zeros > 4 || !input.is_connected()) continue;
    const auto found = local_counterfactual(input, NoZero(), 1, {}, {}, pool);
    ASSERT_TRUE(found);
    EXPECT_EQ(std::ranges::count(found->graph.labels(), 0U), 0);
    EXPECT_GE(found->probability, 0.5);
    EXPECT_EQ(found->distance.upper, zeros);
    EXPECT_EQ(induced_cost(input, found->graph, found->distance.map), zeros);
    ++compared;
  }
  EXPECT_GT(compared, 10);
}

TEST(LocalSearchTest, WhatIsForbiddenIsNotFound) {
  const std::vector<Label> labels{0, 0, 0};
  const std::vector<Edge> edges{{0, 1, 0}, {1, 2, 0}};
  const Graph input(labels, edges);
  ThreadPool pool(1);
  Constraints constraints;
  constraints.allowed_labels = {true, false, true};
  const auto found = local_counterfactual(input, NoZero(), 1, constraints, {}, pool);
  ASSERT_TRUE(found);
  EXPECT_EQ(std::ranges::count(found->graph.labels(), 1U), 0);
  constraints.allowed_labels = {true, false, false};
  EXPECT_FALSE(local_counterfactual(input, NoZero(), 1, constraints, {}, pool));
}

/// Three classes; with a zero among the labels, another one is more probable than the desired one.
struct Outvoted final : test::FakeClassifier {
  Outvoted() : FakeClassifier(kLabels, 3, probabilities) {}
  static std::vector<double> probabilities(const Graph& g) {
    if (std::ranges::count(g.labels(), 0U) > 0) return {0.5, 0.4, 0.1};
    return {0.3, 0.45, 0.25};
  }
};

TEST(LocalSearchTest, WhatIsProbableEnoughIsNotTakenWhereAnotherClassIsMoreProbable) {
  const std::vector<Label> labels{0, 1, 1};
  const std::vector<Edge> edges{{0, 1, 0}, {1, 2, 0}};
  ThreadPool pool(1);
  Goal goal(1, {.min_probability = 0.35});
  const auto found = local_counterfactual(Graph(labels, edges), Outvoted(), goal, {}, {}, pool);
  ASSERT_TRUE(found);
  EXPECT_EQ(std::ranges::count(found->graph.labels(), 0U), 0);
  goal.acceptance = {.min_probability = 0.46};
  EXPECT_FALSE(local_counterfactual(Graph(labels, edges), Outvoted(), goal, {}, {}, pool));
  goal.acceptance = {.min_lead = 0.14};
  EXPECT_TRUE(local_counterfactual(Graph(labels, edges), Outvoted(), goal, {}, {}, pool));
  goal.acceptance = {.min_lead = 0.16};
  EXPECT_FALSE(local_counterfactual(Graph(labels, edges), Outvoted(), goal, {}, {}, pool));
}

/// Likes small graphs without zeros: nodes and edges must go, and be relabelled.
struct SmallOnes final : test::FakeClassifier {
  SmallOnes() : FakeClassifier(kLabels, 2, probabilities) {}
  static std::vector<double> probabilities(const Graph& g) {
    const auto zeros = static_cast<double>(std::ranges::count(g.labels(), 0U));
    const double p = 1 / (1 + std::exp(static_cast<double>(g.size()) + zeros - 11.5));
    return {1 - p, p};
  }
};

bool keeps_under(const NodeMap& map, const Graph& a, const Graph& b,
                 const std::vector<Node>& nodes) {
  return std::ranges::all_of(nodes, [&](Node u) {
    return map[u] != kUnmatched && b.label(map[u]) == a.label(u) &&
           std::ranges::all_of(nodes, [&](Node v) {
             return !a.has_edge(u, v) || (map[v] != kUnmatched && b.has_edge(map[u], map[v]));
           });
  });
}

TEST(LocalSearchTest, FrozenNodesKeepTheirLabelsAndTheEdgesAmongThem) {
  Rng rng(8);
  ThreadPool pool(1);
  int found_frozen = 0;
  int would_change = 0;
  for (const Graph& input : random_graphs(150, rng)) {
    if (!input.is_connected() || input.num_nodes() < 6) continue;
    // The last node and its neighbours: those that move up when others go.
    const Node last = input.num_nodes() - 1;
    const auto row = input.neighbours(last);
    LocalOptions options;
    options.frozen.assign(row.begin(), row.end());
    options.frozen.push_back(last);
    const auto free = local_counterfactual(input, SmallOnes(), 1, {}, {}, pool);
    if (free && !keeps_under(free->distance.map, input, free->graph, options.frozen))
      ++would_change;
    const auto found = local_counterfactual(input, SmallOnes(), 1, {}, options, pool);
    if (!found) continue;
    ++found_frozen;
    ASSERT_TRUE(is_node_map(input, found->graph, found->distance.map));
    EXPECT_TRUE(keeps_under(found->distance.map, input, found->graph, options.frozen));
    EXPECT_EQ(induced_cost(input, found->graph, found->distance.map), found->distance.upper);
    EXPECT_LE(found->distance.lower, found->distance.upper);
  }
  EXPECT_GT(found_frozen, 10);
  EXPECT_GT(would_change, 10) << "or the test tests nothing";
}

TEST(LocalSearchTest, AFrozenZeroLeavesNothingToFind) {
  const std::vector<Label> labels{0, 1, 0};
  const std::vector<Edge> edges{{0, 1, 0}, {1, 2, 0}};
  ThreadPool pool(1);
  LocalOptions options;
  options.frozen = {2};
  EXPECT_FALSE(local_counterfactual(Graph(labels, edges), NoZero(), 1, {}, options, pool));
  options.frozen = {1};
  EXPECT_TRUE(local_counterfactual(Graph(labels, edges), NoZero(), 1, {}, options, pool));
}

TEST(LocalSearchTest, StopsWhenToldTo) {
  const std::vector<Label> labels{0, 0};
  const std::vector<Edge> edges{{0, 1, 0}};
  ThreadPool pool(1);
  StopSign stop;
  stop.set();
  LocalOptions options;
  options.ged.budget.stop = &stop;
  EXPECT_FALSE(local_counterfactual(Graph(labels, edges), NoZero(), 1, {}, options, pool));
}

}  // namespace
}  // namespace fewedits
