// SPDX-License-Identifier: MIT
// The walk against SPEC §6 read again: on edit maps of a few dozen graphs, with made-up
// probabilities and distances, every chance can be computed by brute force.
#include "fewedits/search/walk/walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "fewedits/base/error.hpp"
#include "fewedits/edit/neighbours.hpp"
#include "support/automorphisms.hpp"
#include "support/fake_evaluator.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using test::FakeEvaluator;
using Kind = Edit::Kind;

constexpr Label kLabels = 2;

Constraints at_most(std::uint32_t nodes) {
  Constraints constraints;
  constraints.max_nodes = nodes;
  return constraints;
}

Graph make(const std::vector<Label>& labels, const std::vector<Edge>& edges) {
  return {labels, edges};
}

/// A graph as in a saved state.
VisitedGraph saved(const Graph& graph, std::uint64_t count, std::uint64_t reached) {
  VisitedGraph v;
  v.graph = graph;
  v.count = count;
  v.reached = reached;
  return v;
}

/// Small graphs: connected ones, symmetric ones, one given twice, two that are not connected.
std::vector<Graph> some_inputs() {
  return {make({0}, {}),
          make({0, 1}, {{0, 1}}),
          make({1, 1, 1}, {{0, 1}, {1, 2}}),
          make({0, 0, 0}, {{0, 1}, {1, 2}, {0, 2}}),
          make({1, 0, 1}, {{0, 2}, {1, 2}}),
          make({0, 1}, {{0, 1}}),
          make({0, 0, 1}, {{0, 2}}),
          make({1, 0}, {})};
}

// ---- SPEC §6, slowly ----------------------------------------------------------------------

std::size_t components(const Graph& g) {
  std::vector<Node> part(g.num_nodes());
  std::iota(part.begin(), part.end(), Node{0});
  for (const Edge& e : g.edges()) {
    std::replace(part.begin(), part.end(), Node{part[e.u]}, Node{part[e.v]});
  }
  std::sort(part.begin(), part.end());
  return static_cast<std::size_t>(std::unique(part.begin(), part.end()) - part.begin());
}

using Key = std::tuple<int, Node, Node, Label>;

Key image(const Key& edit, const std::vector<Node>& to) {
  const auto& [kind, u, v, label] = edit;
  if (kind == static_cast<int>(Kind::kAddEdge) || kind == static_cast<int>(Kind::kRemoveEdge)) {
    return {kind, std::min(to[u], to[v]), std::max(to[u], to[v]), label};
  }
  return {kind, to[u], v, label};
}

/// The graph itself and its neighbours; one for each orbit of edits.
std::vector<Graph> brute_force_choices(const Graph& g, std::uint32_t max_nodes) {
  const Node n = g.num_nodes();
  std::map<Key, Graph> built;
  for (Node u = 0; u < n; ++u) {
    for (Label l = 0; l < kLabels; ++l) {
      if (l != g.label(u)) built[{static_cast<int>(Kind::kRelabel), u, 0, l}] = g.with_label(u, l);
      if (n < max_nodes) {
        built[{static_cast<int>(Kind::kAddLeaf), u, 0, l}] = g.with_leaf(u, l);
      }
    }
    if (g.degree(u) == 1) {
      built[{static_cast<int>(Kind::kRemoveLeaf), u, 0, 0}] = g.without_node(u);
    }
    for (Node v = u + 1; v < n; ++v) {
      if (!g.has_edge(u, v)) {
        built[{static_cast<int>(Kind::kAddEdge), u, v, 0}] = g.with_edge(u, v);
      } else if (components(g.without_edge(u, v)) == components(g)) {
        built[{static_cast<int>(Kind::kRemoveEdge), u, v, 0}] = g.without_edge(u, v);
      }
    }
  }
  const auto automorphisms = test::all_automorphisms(g);
  std::vector<Graph> out{g};
  for (const auto& [edit, graph] : built) {
    const bool first =
        std::none_of(automorphisms.begin(), automorphisms.end(),
                     [&, &key = edit](const auto& to) { return image(key, to) < key; });
    if (first) out.push_back(graph);
  }
  return out;
}

struct SlowVisit {
  Graph graph;
  std::uint64_t count = 0;
  std::uint64_t reached = 0;
};

/// Everything a walk remembers, by graph; room for all.
class SlowWalk {
 public:
  SlowWalk(FakeEvaluator& evaluator, const WalkOptions& options, std::uint32_t max_nodes)
      : evaluator_(evaluator), options_(options), max_nodes_(max_nodes) {}

  void visit(const Graph& g) {
    const Identity identity(g);
    if (!evaluator_.accepts(evaluator_.probability(identity.canonical()))) return;
    if (components(g) != 1 || g.num_nodes() > max_nodes_) return;
    SlowVisit& v = visits_[identity.hash()];
    v = {identity.canonical(), v.count + 1, clock_++};
  }

  [[nodiscard]] std::vector<int> cover_counts() const {
    std::vector<SlowVisit> list;
    for (const auto& [hash, v] : visits_) list.push_back(v);
    std::sort(list.begin(), list.end(), [](const SlowVisit& a, const SlowVisit& b) {
      return a.count != b.count ? a.count > b.count : a.reached < b.reached;
    });
    const std::size_t inputs = evaluator_.inputs().size();
    list.resize(std::min(list.size(), options_.candidates == 0 ? inputs : options_.candidates));
    std::vector<int> counts(inputs, 0);
    for (const SlowVisit& v : list) {
      for (const std::uint32_t i : evaluator_.inputs_within(v.graph, options_.theta)) ++counts[i];
    }
    return counts;
  }

  /// Where a move from there leads, and with what chance.
  [[nodiscard]] std::map<Hash128, double> chances(const Graph& from) const {
    const auto counts = cover_counts();
    struct Option {
      Hash128 hash;
      double p;
      double term;
    };
    std::vector<Option> options;
    bool any = false;
    for (const Graph& g : brute_force_choices(from, max_nodes_)) {
      const Identity identity(g);
      const auto covers = evaluator_.inputs_within(identity.canonical(), options_.theta);
      const auto gain = std::count_if(covers.begin(), covers.end(),
                                      [&](std::uint32_t i) { return counts[i] == 0; });
      const double term = options_.alpha * static_cast<double>(covers.size()) +
                          (1 - options_.alpha) * static_cast<double>(gain);
      any = any || term > 0;
      options.push_back({identity.hash(), evaluator_.probability(identity.canonical()), term});
    }
    std::map<Hash128, double> out;
    double total = 0;
    for (const Option& o : options) {
      double weight = options_.importance ? o.p * (any ? o.term : 1.0) : 1.0;
      if (options_.reinforcement && visits_.contains(o.hash)) {
        weight *= static_cast<double>(visits_.at(o.hash).count);
      }
      out[o.hash] += weight;
      total += weight;
    }
    for (auto& [hash, chance] : out) {
      chance = total > 0 ? chance / total : 1.0 / static_cast<double>(options.size());
    }
    return out;
  }

  [[nodiscard]] const std::map<Hash128, SlowVisit>& visits() const { return visits_; }

 private:
  FakeEvaluator& evaluator_;
  WalkOptions options_;
  std::uint32_t max_nodes_;
  std::map<Hash128, SlowVisit> visits_;
  std::uint64_t clock_ = 0;
};

// ---- Statistics ---------------------------------------------------------------------------

/// Exceeded once in ten thousand by chance (Wilson and Hilferty's approximation).
double critical_chi_square(double freedom) {
  const double a = 2 / (9 * freedom);
  return freedom * std::pow(1 - a + 3.719 * std::sqrt(a), 3);
}

template <typename Key>
void expect_drawn_from(const std::map<Key, double>& chances, const std::map<Key, int>& drawn) {
  int total = 0;
  for (const auto& [key, count] : drawn) {
    total += count;
    EXPECT_TRUE(chances.contains(key) && chances.at(key) > 0) << "drawn, but impossible";
  }
  double chi_square = 0;
  int cells = 0;
  double rare_expected = 0;
  double rare_drawn = 0;
  const auto add = [&](double expected, double count) {
    chi_square += (count - expected) * (count - expected) / expected;
    ++cells;
  };
  for (const auto& [key, chance] : chances) {
    const double expected = chance * total;
    const double count = drawn.contains(key) ? drawn.at(key) : 0;
    if (expected >= 5) {
      add(expected, count);
    } else {
      rare_expected += expected;
      rare_drawn += count;
    }
  }
  if (rare_expected >= 1) add(rare_expected, rare_drawn);
  if (cells < 2) return;
  EXPECT_LT(chi_square, critical_chi_square(cells - 1)) << cells << " cells, " << total << " draws";
}

// ---- Tests --------------------------------------------------------------------------------

struct Flavour {
  double alpha;
  bool reinforcement;
  bool importance;
};

std::vector<Flavour> flavours() {
  std::vector<Flavour> out;
  for (const double alpha : {0.0, 0.5, 1.0}) {
    for (const bool reinforcement : {true, false}) {
      out.push_back({alpha, reinforcement, true});
    }
  }
  out.push_back({0.5, true, false});
  out.push_back({0.5, false, false});
  return out;
}

std::string name_of(const Flavour& f) {
  return "alpha " + std::to_string(f.alpha) + (f.reinforcement ? "" : ", no reinforcement") +
         (f.importance ? "" : ", no importance");
}

WalkOptions options_of(const Flavour& f) {
  WalkOptions options;
  options.alpha = f.alpha;
  options.reinforcement = f.reinforcement;
  options.importance = f.importance;
  options.candidates = 3;
  options.capacity = 1000;
  return options;
}

class WalkTest : public testing::Test {
 protected:
  WalkTest() : pool_(1) {}

  /// Chances by graph, as the walk computes them.
  std::map<Hash128, double> chances_of(Walk& walk) {
    const auto per_entry = walk.transition(pool_);
    auto edits = neighbours(walk.current(), {kLabels, {}}, constraints_);
    edits.insert(edits.begin(), Edit{});
    EXPECT_EQ(per_entry.size(), edits.size());
    std::map<Hash128, double> out;
    for (std::size_t e = 0; e < edits.size(); ++e) {
      out[Identity(apply(walk.current(), edits[e])).hash()] += per_entry[e];
    }
    return out;
  }

  /// A walk and the slow one side by side.
  void follow(const WalkOptions& options, int steps) {
    Walk walk = start(options);
    SlowWalk slow(evaluator_, options, 3);
    for (int step = 0; step < steps; ++step) {
      const auto expected = slow.chances(walk.current());
      const auto actual = chances_of(walk);
      ASSERT_EQ(actual.size(), expected.size());
      for (const auto& [hash, chance] : actual) {
        ASSERT_TRUE(expected.contains(hash));
        ASSERT_NEAR(chance, expected.at(hash), 1e-9) << "step " << step;
      }
      const std::uint64_t before = walk.choices();
      walk.step(pool_);
      // A jump chooses among no neighbours, and is no visit.
      if (walk.choices() > before) slow.visit(walk.current());
      ASSERT_EQ(walk.visits().size(), slow.visits().size()) << "step " << step;
      for (const auto& [hash, v] : slow.visits()) ASSERT_EQ(walk.visits().count(hash), v.count);
      const auto counts = walk.visits().cover_counts();
      ASSERT_EQ(std::vector<int>(counts.begin(), counts.end()), slow.cover_counts());
    }
    EXPECT_GT(slow.visits().size(), 3U) << "too few to mean anything";
  }

  Walk start(const WalkOptions& options) { return {evaluator_, constraints_, kLabels, options}; }
  Walk resume(const WalkOptions& options, WalkState state) {
    return {evaluator_, constraints_, kLabels, options, std::move(state)};
  }

  ThreadPool pool_;
  FakeEvaluator evaluator_{some_inputs()};
  Constraints constraints_ = at_most(3);
};

TEST_F(WalkTest, ChancesAndCountsAreThoseOfTheSpecAllAlong) {
  for (const bool one_shape : {false, true}) {
    evaluator_.one_shape = one_shape;
    for (const Flavour& f : flavours()) {
      for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        WalkOptions options = options_of(f);
        options.seed = seed;
        follow(options, 150);
        ASSERT_FALSE(HasFatalFailure()) << name_of(f);
      }
    }
  }
}

TEST_F(WalkTest, TheSameWithMoreInputsThanBitsInAWord) {
  std::vector<Graph> many;
  while (many.size() < 150) {
    for (const Graph& g : some_inputs()) many.push_back(g);
  }
  evaluator_ = FakeEvaluator(many, 2);
  for (const double alpha : {0.0, 0.5}) {
    follow(options_of({alpha, true, true}), 100);
    ASSERT_FALSE(HasFatalFailure()) << alpha;
  }
}

TEST_F(WalkTest, WithoutImportanceOnlyTheGraphItComesToIsEvaluated) {
  WalkOptions options = options_of({0.5, true, false});
  Walk walk = start(options);
  std::uint64_t moves = 0;
  for (int step = 0; step < 100; ++step) {
    const std::uint64_t before = walk.choices();
    walk.step(pool_);
    if (walk.choices() > before) ++moves;
  }
  EXPECT_EQ(evaluator_.evaluated, moves);
  EXPECT_EQ(walk.evaluated(), moves);
}

/// One step, many times, from the same place.
TEST_F(WalkTest, MovesAreDrawnWithThoseChances) {
  for (const Flavour& f : flavours()) {
    WalkOptions options = options_of(f);
    Walk walk = start(options);
    SlowWalk slow(evaluator_, options, 3);
    for (int step = 0; step < 40 || walk.current().num_nodes() < 3; ++step) {
      const std::uint64_t before = walk.choices();
      walk.step(pool_);
      if (walk.choices() > before) slow.visit(walk.current());
    }
    options.teleport = 0;
    WalkState state = walk.state();
    std::map<Hash128, int> drawn;
    for (std::uint64_t sample = 0; sample < 6000; ++sample) {
      state.rng = Rng(sample, 77).state();
      Walk one = resume(options, state);
      one.step(pool_);
      ++drawn[Identity(one.current()).hash()];
    }
    SCOPED_TRACE(name_of(f));
    expect_drawn_from(slow.chances(walk.current()), drawn);
  }
}

TEST_F(WalkTest, WithoutAnyCoverageTheProbabilityDecidesAlone) {
  evaluator_.how_far = [](const Graph&, std::size_t) { return 1.0; };
  WalkOptions options = options_of({0.5, false, true});
  options.teleport = 0;
  Walk walk = start(options);
  std::map<Hash128, std::map<Hash128, int>> moves;
  std::map<Hash128, Graph> graphs;
  for (int step = 0; step < 20'000; ++step) {
    const Graph from = walk.current();
    const Hash128 hash = Identity(from).hash();
    graphs.emplace(hash, from);
    walk.step(pool_);
    ++moves[hash][Identity(walk.current()).hash()];
  }
  EXPECT_GT(moves.size(), 10U);
  for (const auto& [hash, drawn] : moves) {
    std::map<Hash128, double> chances;
    double total = 0;
    for (const Graph& g : brute_force_choices(graphs.at(hash), 3)) {
      const Identity identity(g);
      chances[identity.hash()] += evaluator_.probability(identity.canonical());
      total += evaluator_.probability(identity.canonical());
    }
    for (auto& [to, chance] : chances) chance /= total;
    expect_drawn_from(chances, drawn);
  }
}

TEST_F(WalkTest, WhereTheProbabilityIsZeroAnyChoiceIsAsGood) {
  evaluator_.probability = [](const Graph&) { return 0.0F; };
  Walk walk = start(options_of({0.5, true, true}));
  for (int step = 0; step < 50; ++step) {
    const auto chances = walk.transition(pool_);
    for (const double chance : chances) {
      EXPECT_DOUBLE_EQ(chance, 1.0 / static_cast<double>(chances.size()));
    }
    walk.step(pool_);
  }
  EXPECT_EQ(walk.visits().size(), 0U);
}

/// A state in which candidates cover inputs unevenly.
class TeleportTest : public WalkTest {
 protected:
  void SetUp() override {
    options_ = options_of({0.5, true, true});
    options_.candidates = 5;
    // Graph number a covers the inputs below a.
    const std::vector<Graph> all = test::all_connected_graphs(3, kLabels);
    evaluator_.how_far = [all](const Graph& g, std::size_t input) {
      const auto at = static_cast<std::size_t>(std::find(all.begin(), all.end(), g) - all.begin());
      return input < at ? 0.0 : 1.0;
    };
    for (std::size_t a = 0; a < 7; ++a) {
      state_.visited.push_back(saved(all[a], 10 - a, a));
    }
    state_.rng = Rng(5).state();
    state_.current = evaluator_.inputs()[0];
  }

  Walk resumed() {
    for (VisitedGraph& v : state_.visited) {
      v.covers = evaluator_.inputs_within(v.graph, options_.theta);
    }
    return resume(options_, state_);
  }

  std::map<std::uint32_t, int> jumps(std::size_t times) {
    Walk walk = resumed();
    std::map<std::uint32_t, int> drawn;
    for (std::size_t i = 0; i < times; ++i) {
      walk.step(pool_);
      const WalkState now = walk.state();
      ++drawn[now.origin];
      EXPECT_EQ(walk.current(), Identity(evaluator_.inputs()[now.origin]).canonical());
    }
    return drawn;
  }

  WalkOptions options_;
  WalkState state_;
};

TEST_F(TeleportTest, GoesToInputsThatFewCandidatesCover) {
  options_.teleport = 1;
  // The five candidates are graphs 0 … 4: input i is covered by those above i.
  const std::vector<int> g{4, 3, 2, 1, 0, 0, 0, 0};
  Walk walk = resumed();
  const auto counts = walk.visits().cover_counts();
  ASSERT_EQ(std::vector<int>(counts.begin(), counts.end()), g);
  std::map<std::uint32_t, double> chances;
  double total = 0;
  for (std::uint32_t i = 0; i < 8; ++i) total += chances[i] = std::exp(-g[i]);
  for (auto& [input, chance] : chances) chance /= total;
  expect_drawn_from(chances, jumps(30'000));
}

TEST_F(TeleportTest, CountsFromTheLeastCoveredInput) {
  options_.teleport = 1;
  // All covered at least three times: the same chances as if they were not.
  evaluator_.how_far = [](const Graph& g, std::size_t input) {
    return input < 5 || g.num_nodes() < 3 ? 0.0 : 1.0;
  };
  Walk walk = resumed();
  EXPECT_GT(walk.visits().smallest_cover_count(), 2U);
  const auto counts = walk.visits().cover_counts();
  std::map<std::uint32_t, double> chances;
  double total = 0;
  for (std::uint32_t i = 0; i < 8; ++i) {
    total += chances[i] = std::exp(-static_cast<double>(counts[i]));
  }
  for (auto& [input, chance] : chances) chance /= total;
  expect_drawn_from(chances, jumps(10'000));
}

TEST_F(TeleportTest, GoesAnywhereIfToldTo) {
  options_.teleport = 1;
  options_.dynamic_teleport = false;
  std::map<std::uint32_t, double> chances;
  for (std::uint32_t i = 0; i < 8; ++i) chances[i] = 1.0 / 8;
  expect_drawn_from(chances, jumps(10'000));
}

TEST_F(TeleportTest, HappensAsOftenAsAsked) {
  for (const double teleport : {0.05, 0.1, 0.6}) {
    options_.teleport = teleport;
    Walk walk = resumed();
    std::map<bool, int> drawn;
    for (int i = 0; i < 5000; ++i) {
      const std::uint64_t before = walk.choices();
      walk.step(pool_);
      ++drawn[walk.choices() == before];
    }
    expect_drawn_from(std::map<bool, double>{{true, teleport}, {false, 1 - teleport}}, drawn);
  }
}

TEST_F(WalkTest, StartsOnAnyInput) {
  std::map<std::uint32_t, int> drawn;
  std::map<std::uint32_t, double> chances;
  for (std::uint32_t i = 0; i < 8; ++i) chances[i] = 1.0 / 8;
  WalkOptions options;
  for (options.seed = 1; options.seed <= 2000; ++options.seed)
    ++drawn[start(options).state().origin];
  expect_drawn_from(chances, drawn);
}

TEST_F(WalkTest, OnlyAcceptedAllowedGraphsAreCounted) {
  std::vector<Constraints> kinds(5, at_most(3));
  kinds[1].min_nodes = 2;
  kinds[2].allowed_labels = {true, false};
  kinds[3].max_edges = 2;
  kinds[4].core = make({0, 1}, {{0, 1}});
  for (const Constraints& kind : kinds) {
    constraints_ = kind;
    for (const double least : {0.5, 0.8}) {
      WalkOptions options = options_of({0.5, true, true});
      evaluator_.accepted_from = least;
      Walk walk = start(options);
      std::map<Hash128, std::uint64_t> expected;
      std::uint32_t origin = walk.state().origin;
      for (int step = 0; step < 500; ++step) {
        const std::uint64_t before = walk.choices();
        walk.step(pool_);
        const Graph& g = walk.current();
        if (walk.choices() == before) {
          origin = walk.state().origin;
        } else if (evaluator_.probability(g) >= static_cast<float>(least) &&
                   satisfies(g, constraints_)) {
          ++expected[Identity(g).hash()];
        }
        ASSERT_EQ(walk.state().origin, origin) << "changed without a jump";
      }
      ASSERT_FALSE(expected.empty());
      ASSERT_EQ(walk.visits().size(), expected.size());
      for (const VisitedGraph& v : walk.visits().graphs()) {
        EXPECT_EQ(v.count, expected.at(v.hash));
        EXPECT_EQ(v.error, 0U);
        EXPECT_GE(v.probability, static_cast<float>(least));
        EXPECT_TRUE(v.graph.is_connected());
        EXPECT_TRUE(satisfies(v.graph, constraints_));
        EXPECT_EQ(v.graph, Identity(v.graph).canonical());
        EXPECT_EQ(v.covers, evaluator_.inputs_within(v.graph, options.theta));
        EXPECT_EQ(v.probability, evaluator_.probability(v.graph));
      }
    }
  }
}

TEST_F(WalkTest, ConstraintsThatNothingSatisfiesLeaveNothing) {
  constraints_.min_nodes = 50;
  Walk walk = start(options_of({0.5, true, true}));
  for (int step = 0; step < 200; ++step) walk.step(pool_);
  EXPECT_EQ(walk.visits().size(), 0U);
  constraints_ = {};
  constraints_.predicate = [](const Graph&, const Edit&) { return false; };
  Walk stuck = start(options_of({0.5, true, true}));
  for (int step = 0; step < 200; ++step) stuck.step(pool_);
  EXPECT_LE(stuck.visits().size(), some_inputs().size());
}

// ---- The same walk, whatever happens ------------------------------------------------------

void expect_same(const WalkState& a, const WalkState& b) {
  ASSERT_EQ(a.steps, b.steps);
  ASSERT_EQ(a.choices, b.choices);
  ASSERT_EQ(a.rng, b.rng);
  ASSERT_EQ(a.current, b.current);
  ASSERT_EQ(a.origin, b.origin);
  ASSERT_EQ(a.visited.size(), b.visited.size());
  for (std::size_t i = 0; i < a.visited.size(); ++i) {
    const VisitedGraph& v = a.visited[i];
    const VisitedGraph& w = b.visited[i];
    ASSERT_EQ(v.graph, w.graph);
    ASSERT_EQ(v.hash, w.hash);
    ASSERT_EQ(v.shape, w.shape);
    ASSERT_EQ(v.probability, w.probability);
    ASSERT_EQ(v.covers, w.covers);
    ASSERT_EQ(v.origin, w.origin);
    ASSERT_EQ(v.count, w.count);
    ASSERT_EQ(v.error, w.error);
    ASSERT_EQ(v.reached, w.reached);
  }
}

/// What a file keeps of a state.
WalkState bare(WalkState state) {
  for (VisitedGraph& v : state.visited) {
    VisitedGraph kept = saved(v.graph, v.count, v.reached);
    kept.origin = v.origin;
    kept.error = v.error;
    kept.probability = v.probability;
    kept.covers = v.covers;
    v = kept;
  }
  return state;
}

std::vector<WalkOptions> odd_options() {
  std::vector<WalkOptions> out(5, options_of({0.5, true, true}));
  out[1].capacity = 4;  // so that graphs are forgotten
  out[2].capacity = 1;
  out[3].max_neighbours = 4;
  out[4].candidates = 0;
  out[4].cache_bytes = 0;
  return out;
}

TEST_F(WalkTest, AnInterruptedWalkGoesOnAsIfNothingHadHappened) {
  constraints_ = at_most(4);
  Rng cuts(3);
  for (WalkOptions options : odd_options()) {
    evaluator_.forgetful = !evaluator_.forgetful;
    for (options.seed = 1; options.seed <= 3; ++options.seed) {
      Walk reference = start(options);
      std::vector<WalkState> states{reference.state()};
      constexpr std::size_t kSteps = 150;
      for (std::size_t step = 0; step < kSteps; ++step) {
        reference.step(pool_);
        states.push_back(reference.state());
      }
      for (int round = 0; round < 8; ++round) {
        const std::size_t cut = cuts.below(kSteps);
        Walk again = resume(options, bare(states[cut]));
        expect_same(again.state(), states[cut]);
        for (std::size_t step = cut; step < kSteps; ++step) {
          again.step(pool_);
          expect_same(again.state(), states[step + 1]);
          if (HasFatalFailure()) FAIL() << "cut at " << cut << ", step " << step;
        }
      }
    }
  }
}

TEST_F(WalkTest, AWalkThatIsInterruptedAfterEveryStepIsTheSameWalk) {
  evaluator_.forgetful = true;
  const WalkOptions options = options_of({0.5, true, true});
  Walk reference = start(options);
  WalkState state = reference.state();
  for (int step = 0; step < 200; ++step) {
    reference.step(pool_);
    Walk one = resume(options, bare(state));
    one.step(pool_);
    state = one.state();
    expect_same(state, reference.state());
    ASSERT_FALSE(HasFatalFailure()) << step;
  }
}

TEST_F(WalkTest, AStateMayNumberItsNodesAnyhow) {
  constraints_ = at_most(4);
  const WalkOptions options = options_of({0.5, true, true});
  Walk reference = start(options);
  for (int step = 0; step < 100; ++step) reference.step(pool_);
  WalkState state = bare(reference.state());
  Rng rng(9);
  const auto shuffled = [&](const Graph& g) {
    return g.permuted(test::random_permutation(rng, g.num_nodes()));
  };
  int changed = 0;
  for (VisitedGraph& v : state.visited) {
    const Graph before = v.graph;
    v.graph = shuffled(v.graph);
    changed += v.graph == before ? 0 : 1;
  }
  ASSERT_GT(changed, 2);
  state.current = shuffled(state.current);
  Walk again = resume(options, state);
  for (int step = 0; step < 100; ++step) {
    reference.step(pool_);
    again.step(pool_);
    expect_same(again.state(), reference.state());
    ASSERT_FALSE(HasFatalFailure()) << step;
  }
}

TEST_F(WalkTest, AStateWithAGraphTwiceIsRefused) {
  const WalkOptions options = options_of({0.5, true, true});
  WalkState state = start(options).state();
  state.steps = 5;
  state.visited = {saved(make({0, 1}, {{0, 1}}), 1, 0), saved(make({1, 0}, {{0, 1}}), 1, 1)};
  EXPECT_THROW(resume(options, state), Error) << "isomorphic is the same";
}

TEST_F(WalkTest, MemoryAndThreadsAndShapesChangeNothing) {
  constraints_ = at_most(4);
  for (const std::size_t max_neighbours : {0UL, 5UL}) {
    WalkOptions options = options_of({0.5, true, true});
    options.max_neighbours = max_neighbours;
    WalkOptions small = options;
    small.cache_bytes = 3000;
    WalkOptions none = options;
    none.cache_bytes = 0;
    FakeEvaluator plain(some_inputs());
    plain.one_shape = true;
    Walk walk = start(options);
    Walk walk_small = start(small);
    Walk walk_none = start(none);
    Walk walk_plain(plain, constraints_, kLabels, options);
    for (int step = 0; step < 400; ++step) {
      for (Walk* w : {&walk, &walk_small, &walk_none, &walk_plain}) w->step(pool_);
      expect_same(walk.state(), walk_small.state());
      expect_same(walk.state(), walk_none.state());
      ASSERT_EQ(walk.state().rng, walk_plain.state().rng);
      ASSERT_EQ(walk.current(), walk_plain.current());
      ASSERT_FALSE(HasFatalFailure()) << step;
    }
    EXPECT_LT(walk.evaluated(), walk_small.evaluated());
    EXPECT_LT(walk_small.evaluated(), walk_none.evaluated());
    EXPECT_EQ(walk_none.choices(), walk.choices());
  }
}

TEST_F(WalkTest, TheSeedDecides) {
  WalkOptions options = options_of({0.5, true, true});
  Walk first = start(options);
  Walk same = start(options);
  options.seed = 2;
  Walk other = start(options);
  bool differs = false;
  for (int step = 0; step < 50; ++step) {
    for (Walk* w : {&first, &same, &other}) w->step(pool_);
    expect_same(first.state(), same.state());
    differs = differs || first.current() != other.current();
  }
  EXPECT_TRUE(differs);
}

/// Sees which neighbours are asked for.
class Recorder final : public Evaluator {
 public:
  explicit Recorder(FakeEvaluator& inner) : inner_(inner) {}
  std::map<Hash128, std::vector<std::vector<Edit>>> asked;

  [[nodiscard]] Distance& distance() override { return inner_; }
  Neighbourhood evaluate(const Graph& graph, std::span<const Edit> edits, double theta,
                         ThreadPool& pool) override {
    EXPECT_EQ(graph, Identity(graph).canonical());
    asked[Identity(graph).hash()].emplace_back(edits.begin(), edits.end());
    return inner_.evaluate(graph, edits, theta, pool);
  }
  std::vector<Judgement> judge(std::span<const Graph> graphs, ThreadPool& pool) override {
    return inner_.judge(graphs, pool);
  }

 private:
  FakeEvaluator& inner_;
};

TEST_F(WalkTest, AGraphHasTheSameSampleOfNeighboursWheneverTheWalkIsThere) {
  constraints_ = at_most(4);
  std::map<Hash128, std::vector<Edit>> of_seed_1;
  std::size_t different = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    Recorder recorder(evaluator_);
    WalkOptions options = options_of({0.5, true, true});
    options.max_neighbours = 4;
    options.cache_bytes = 0;
    options.seed = seed;
    Walk walk(recorder, constraints_, kLabels, options);
    std::map<Hash128, Graph> graphs;
    for (int step = 0; step < 500; ++step) {
      graphs.emplace(Identity(walk.current()).hash(), walk.current());
      walk.step(pool_);
    }
    std::size_t came_back = 0;
    for (const auto& [hash, samples] : recorder.asked) {
      const auto all = neighbours(graphs.at(hash), {kLabels, {}}, constraints_);
      came_back += samples.size() > 1 ? 1U : 0U;
      for (const auto& sample : samples) {
        EXPECT_EQ(sample, samples[0]);
        EXPECT_EQ(sample.size(), std::min<std::size_t>(4, all.size()));
        for (const Edit& e : sample) EXPECT_NE(std::find(all.begin(), all.end(), e), all.end());
      }
      if (seed == 1) {
        of_seed_1[hash] = samples[0];
      } else if (of_seed_1.contains(hash)) {
        different += of_seed_1[hash] == samples[0] ? 0U : 1U;
      }
    }
    EXPECT_GT(came_back, 5U);
  }
  EXPECT_GT(different, 5U) << "another seed, other samples";
}

}  // namespace
}  // namespace fewedits
