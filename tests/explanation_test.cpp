// SPDX-License-Identifier: MIT
// What comes out: figures against a slow and obvious version, files that say the same when read
// back, and readers that survive any file.
#include "fewedits/explanation/explanation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/explanation/proofs.hpp"
#include "fewedits/explanation/recourse_pair.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/formats/graphml.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Matrix = std::vector<std::vector<double>>;

// ---- Random explanations ------------------------------------------------------------------

/// On a grid, so that ties occur and distances of exactly theta; some beyond reach.
Matrix random_distances(Rng& rng, std::size_t counterfactuals, std::size_t inputs) {
  const double beyond = rng.chance(0.5) ? 0.0 : rng.uniform();
  Matrix distances(counterfactuals, std::vector<double>(inputs));
  for (auto& row : distances) {
    for (double& d : row) {
      d = rng.chance(beyond) ? kInfinity : static_cast<double>(rng.below(25)) / 100.0;
    }
  }
  return distances;
}

std::string random_text(Rng& rng) {
  static constexpr const char* kPieces[] = {
      "C", "<script>", "\"", "\\", "caf\xC3\xA9", "\xF0\x9F\x98\x80", "&amp;", "/", " "};
  std::string text;
  for (auto n = rng.below(6); n > 0; --n) text += kPieces[rng.below(std::size(kPieces))];
  return text;
}

/// Inputs, labels and counterfactuals, before anything is measured.
Explanation random_start(Rng& rng) {
  Explanation e;
  for (std::uint32_t g = 0; g < 40; ++g) {
    if (rng.chance(0.5)) e.inputs.push_back(g);
  }
  for (auto n = 1 + rng.below(5); n > 0; --n) e.label_names.push_back(random_text(rng));
  for (auto n = rng.below(7); n > 0; --n) {
    Counterfactual c;
    c.graph = test::random_graph(rng, static_cast<Node>(1 + rng.below(12)), rng.below(4),
                                 static_cast<Label>(e.label_names.size()));
    c.probability = rng.chance(0.1) ? 1.0 : rng.uniform();
    c.visits = rng.next() >> rng.below(64);
    if (rng.chance(0.7)) c.origin = static_cast<std::uint32_t>(rng.below(100));
    e.counterfactuals.push_back(std::move(c));
  }
  return e;
}

/// Some of the nodes of a graph in any order, and deleted ones among them.
NodeMap random_map(Rng& rng, Node nodes) {
  NodeMap map = test::random_permutation(rng, nodes);
  map.resize(rng.below(nodes + 1));
  while (rng.chance(0.3)) map.push_back(kUnmatched);
  return map;
}

EditOp random_edit(Rng& rng, std::size_t labels) {
  using Kind = EditOp::Kind;
  static constexpr Kind kKinds[] = {Kind::kRelabelNode, Kind::kDeleteEdge, Kind::kDeleteNode,
                                    Kind::kInsertNode, Kind::kInsertEdge};
  EditOp op{kKinds[rng.below(std::size(kKinds))]};
  op.u = static_cast<Node>(rng.below(100));
  const bool edge = op.kind == Kind::kDeleteEdge || op.kind == Kind::kInsertEdge;
  if (edge) op.v = static_cast<Node>(rng.below(100));
  if (!edge && op.kind != Kind::kDeleteNode) op.label = static_cast<Label>(rng.below(labels));
  return op;
}

/// In form, not in truth: readers check no more.
void add_random_proofs(Rng& rng, Explanation& e) {
  for (Counterfactual& c : e.counterfactuals) {
    for (const std::uint32_t i : e.inputs) {
      if (!std::binary_search(c.covers.begin(), c.covers.end(), i) && rng.chance(0.7)) continue;
      const auto edits = static_cast<std::int64_t>(rng.next() >> (1 + rng.below(62)));
      c.proofs.push_back({i, edits, random_map(rng, c.graph.num_nodes())});
    }
  }
  for (Recourse& r : e.recourse) {
    if (r.counterfactual == Recourse::kNone) continue;
    r.proof = RecourseProof{static_cast<std::int64_t>(rng.below(9)), 3, rng.chance(0.5), {}};
    if (!r.covered) continue;
    r.proof->script.emplace();
    r.proof->script->map = random_map(rng, e.counterfactuals[r.counterfactual].graph.num_nodes());
    for (auto n = rng.below(6); n > 0; --n) {
      r.proof->script->ops.push_back(random_edit(rng, e.label_names.size()));
    }
  }
  e.metrics.coverage_upper = rng.uniform();
}

Explanation random_explanation(Rng& rng) {
  Explanation e = random_start(rng);
  e.theta = rng.chance(0.5) ? 0.1 : rng.uniform();
  fill_metrics(random_distances(rng, e.counterfactuals.size(), e.inputs.size()), e);
  if (rng.chance(0.5)) add_random_proofs(rng, e);
  Provenance& p = e.provenance;
  for (std::string* text : {&p.software, &p.dataset_name, &p.dataset_path, &p.dataset_hash,
                            &p.model_path, &p.model_hash, &e.method, &e.distance}) {
    *text = random_text(rng) + (rng.chance(0.1) ? "\x1b\n" : "");
  }
  if (rng.chance(0.5)) p.distance_model_path = random_text(rng);
  if (rng.chance(0.5)) p.distance_model_hash = "8c";
  for (auto n = rng.below(5); n > 0; --n) {
    const std::string name = "z" + std::to_string(n);  // not in the alphabet's order
    for (auto times = 1 + rng.below(3); times > 0; --times) {
      p.options.emplace_back(name, random_text(rng));
    }
  }
  p.seed = rng.next() >> rng.below(64);
  for (auto n = rng.below(4); n > 0; --n) {
    e.trace.push_back({rng.next(), rng.below(1000), rng.uniform(), {rng.uniform(), 1, 0}});
    e.refinement.push_back({rng.next(), rng.uniform()});
  }
  e.steps = rng.next();
  e.neighbours = rng.below(1000);
  e.seconds = rng.chance(0.5) ? 0 : rng.uniform() * 1e-300;
  e.ended = static_cast<RunEnd>(rng.below(kRunEnds));
  e.complete = e.ended != RunEnd::kTimeLimit && e.ended != RunEnd::kInterrupted;
  return e;
}

// ---- Figures ------------------------------------------------------------------------------

/// Distance of an input to the nearest of the first k counterfactuals.
double nearest(const Matrix& distances, std::size_t k, std::size_t input) {
  double best = kInfinity;
  for (std::size_t c = 0; c < k; ++c) best = std::min(best, distances[c][input]);
  return best;
}

PrefixMetrics slow_metrics(const Matrix& distances, std::size_t k, std::size_t inputs,
                           double theta) {
  std::vector<double> costs;
  for (std::size_t i = 0; i < inputs; ++i) costs.push_back(nearest(distances, k, i));
  double covered = 0;
  double sum = 0;
  for (const double cost : costs) {
    covered += cost <= theta ? 1 : 0;
    sum += cost;
  }
  std::sort(costs.begin(), costs.end());
  const auto n = static_cast<double>(inputs);
  return {k, covered / n, costs[(inputs - 1) / 2], sum / n};
}

void expect_recourse(const Explanation& e, const Matrix& distances) {
  ASSERT_EQ(e.recourse.size(), e.inputs.size());
  for (std::size_t i = 0; i < e.inputs.size(); ++i) {
    Recourse expected{e.inputs[i], Recourse::kNone, nearest(distances, distances.size(), i), false};
    for (std::size_t c = distances.size(); c-- > 0;) {
      const bool is_nearest = distances[c][i] == expected.distance && expected.distance < kInfinity;
      if (is_nearest) expected.counterfactual = static_cast<std::uint32_t>(c);
    }
    expected.covered = expected.distance <= e.theta;
    EXPECT_EQ(e.recourse[i], expected) << "input " << i;
  }
}

void expect_covers(const Explanation& e, const Matrix& distances) {
  std::set<std::uint32_t> earlier;
  for (std::size_t c = 0; c < distances.size(); ++c) {
    std::vector<std::uint32_t> covers;
    for (std::size_t i = 0; i < e.inputs.size(); ++i) {
      if (distances[c][i] <= e.theta) covers.push_back(e.inputs[i]);
    }
    const std::size_t before = earlier.size();
    earlier.insert(covers.begin(), covers.end());
    EXPECT_EQ(e.counterfactuals[c].covers, covers);
    EXPECT_EQ(e.counterfactuals[c].gain, earlier.size() - before);
  }
}

TEST(FillMetricsTest, AgreesWithTheSlowVersion) {
  Rng rng(1);
  for (int round = 0; round < 300; ++round) {
    Explanation e = random_start(rng);
    const std::size_t inputs = e.inputs.size();
    const std::size_t k = e.counterfactuals.size();
    const Matrix distances = random_distances(rng, k, inputs);
    fill_metrics(distances, e);
    expect_recourse(e, distances);
    expect_covers(e, distances);
    ASSERT_EQ(e.metrics.by_k.size(), k);
    for (std::size_t i = 0; i < k; ++i) {
      EXPECT_EQ(e.metrics.by_k[i], slow_metrics(distances, i + 1, inputs, e.theta));
    }
    const PrefixMetrics all = slow_metrics(distances, k, inputs, e.theta);
    EXPECT_EQ(e.metrics.coverage, all.coverage);
    EXPECT_EQ(e.metrics.cost_median, all.cost_median);
    EXPECT_EQ(e.metrics.cost_mean, all.cost_mean);
    const double thetas[] = {0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2};
    ASSERT_EQ(e.metrics.by_theta.size(), std::size(thetas));
    for (std::size_t t = 0; t < std::size(thetas); ++t) {
      EXPECT_EQ(e.metrics.by_theta[t].theta, thetas[t]);
      EXPECT_EQ(e.metrics.by_theta[t].coverage,
                slow_metrics(distances, k, inputs, thetas[t]).coverage);
    }
  }
}

TEST(FillMetricsTest, OtherThetasAreOnTheScaleOfTheOneThatCounts) {
  Rng rng(4);
  Explanation e = random_start(rng);
  const Matrix distances = random_distances(rng, e.counterfactuals.size(), e.inputs.size());
  const auto thetas_for = [&](double theta) {
    e.theta = theta;
    fill_metrics(distances, e);
    std::vector<double> out;
    for (const ThetaMetrics& m : e.metrics.by_theta) out.push_back(m.theta);
    return out;
  };
  EXPECT_THAT(thetas_for(0.005), testing::ElementsAre(0.001, 0.002, 0.003, 0.004, 0.005, 0.006,
                                                      0.007, 0.008, 0.009, 0.01));
  EXPECT_THAT(thetas_for(0.8), testing::ElementsAre(0.16, 0.32, 0.48, 0.64, 0.8, 0.96));
  EXPECT_EQ(thetas_for(1.0 / 3)[4], 1.0 / 3);
}

TEST(FillMetricsTest, ReplacesWhatWasThere) {
  Rng rng(2);
  Explanation e = random_start(rng);
  const Matrix distances = random_distances(rng, e.counterfactuals.size(), e.inputs.size());
  fill_metrics(distances, e);
  const Explanation once = e;
  fill_metrics(distances, e);
  EXPECT_EQ(e, once);
}

TEST(FillMetricsTest, NothingToCoverOrNothingThatCovers) {
  Explanation none;
  none.inputs = {3, 5};
  fill_metrics({}, none);
  EXPECT_EQ(none.metrics.coverage, 0);
  EXPECT_EQ(none.metrics.cost_median, kInfinity);
  EXPECT_THAT(none.recourse, ElementsAre(Recourse{.input = 3}, Recourse{.input = 5}));

  Explanation idle;
  idle.counterfactuals.resize(1);
  fill_metrics(Matrix(1), idle);
  EXPECT_EQ(idle.metrics.coverage, 0);
  EXPECT_EQ(idle.metrics.cost_mean, kInfinity);
  EXPECT_EQ(idle.metrics.by_k.size(), 1U);
}

TEST(FillMetricsTest, OneInputBeyondReachMakesTheMeanInfinite) {
  Explanation e;
  e.inputs = {0, 1, 2};
  e.counterfactuals.resize(1);
  fill_metrics(Matrix{{0.5, 0.25, kInfinity}}, e);
  EXPECT_EQ(e.metrics.cost_median, 0.5);
  EXPECT_EQ(e.metrics.cost_mean, kInfinity);
  EXPECT_EQ(e.recourse[2].counterfactual, Recourse::kNone);
}

// ---- Proofs ---------------------------------------------------------------------------------

TEST(ProofsTest, AScriptIsTakenOnlyIfItReplaysForWhatIsClaimed) {
  Rng rng(21);
  const Graph a = test::random_graph(rng, 7, 2, 3);
  const Graph b = a.with_leaf(3, 1).with_label(0, a.label(0) + 1);
  NodeMap map(a.num_nodes());
  std::iota(map.begin(), map.end(), Node{0});
  const EditScript script = checked_script(a, b, map, {}, 3);
  EXPECT_EQ(script.ops.size(), 3U);
  EXPECT_TRUE(check_certificate(a, b, script).holds);
  // A slip of ours, told as such and never written.
  for (const std::int64_t claimed : {2, 4}) {
    try {
      (void)checked_script(a, b, map, {}, claimed);
      ADD_FAILURE() << claimed << " was believed";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("do not cost what was claimed"));
      EXPECT_THAT(error.remedy(), testing::HasSubstr("report"));
    }
  }
}

TEST(ProofsTest, MapsAreNamedByThePlacesOfTheirInputs) {
  const ProvenPairs proofs{{{2, 1, {0}}, {7, 3, {1, 0}}, {9, 2, {}}}, {}, {{5, 4, {2}}}};
  const std::vector<std::uint32_t> inputs{9, 5, 2};
  const ProvenPairs expected{{{2, 1, {0}}, {0, 2, {}}}, {}, {{1, 4, {2}}}};
  EXPECT_EQ(by_place(proofs, inputs), expected) << "in any order; 7 is none of them";
  EXPECT_EQ(by_place({}, inputs), ProvenPairs{});
  EXPECT_EQ(by_place(proofs, {}), (ProvenPairs{{}, {}, {}}));
}

TEST(ProofsTest, WhatIsFoundOnlyEverNarrowsTheBounds) {
  CertifiedPair pair;
  pair.upper = pair.largest = 20;
  pair.improve({2, 9, {0, 1}}, 5);
  EXPECT_EQ(pair.within, Answer::kUnknown);
  pair.improve({1, 12, {1, 0}}, 5);
  EXPECT_EQ(pair.lower, 2);
  EXPECT_EQ(pair.upper, 9);
  EXPECT_EQ(pair.map, (NodeMap{0, 1}));
  EXPECT_EQ(pair.normalized_lower(), 0.1);
  EXPECT_EQ(pair.normalized_upper(), 0.45);
  CertifiedPair far = pair;
  far.improve({6, 20, {}}, 5);
  EXPECT_EQ(far.within, Answer::kNo);
  EXPECT_EQ(far.map, (NodeMap{0, 1}));
  pair.improve({3, 5, {1, 0}}, 5);
  EXPECT_EQ(pair.within, Answer::kYes);
  EXPECT_EQ(pair.map, (NodeMap{1, 0}));
  EXPECT_FALSE(pair.exact());
  EXPECT_EQ(CertifiedPair{}.normalized_upper(), 0) << "two graphs without nodes";
}

TEST(RecoursePairTest, CoveredPairsAndTheNearestOfTheOthersAreListed) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Explanation e;
  e.theta = 0.1;
  e.inputs = {3, 4, 8, 9};
  e.counterfactuals.resize(2);
  // By counterfactual: near to the first, or to both; near to none; out of reach of all.
  const std::vector<std::vector<double>> distances{{0.05, 0.02, 0.5, kFar}, {0.3, 0.1, 0.4, kFar}};
  fill_metrics(distances, e);
  std::set<std::tuple<std::uint32_t, std::uint32_t, bool, bool>> listed;
  for (const RecoursePair& pair : listed_pairs(e)) {
    EXPECT_TRUE(pair.shown);
    EXPECT_TRUE(listed.emplace(pair.input, pair.counterfactual, pair.covered, pair.nearest).second);
  }
  const decltype(listed) expected{
      {0, 0, true, true}, {1, 0, true, true}, {1, 1, true, false}, {2, 1, false, true}};
  EXPECT_EQ(listed, expected);
}

// ---- Files --------------------------------------------------------------------------------

Explanation small_explanation() {
  Explanation e;
  e.provenance = {"fewedits 0.1.0",
                  "AIDS",
                  "data/AIDS",
                  "17af",
                  "gcn.pth",
                  "90b2",
                  "greed.pt",
                  "c3d4",
                  {{"steps", "50000"},
                   {"constraint", "valence"},
                   {"constraint", "max-nodes=9"},
                   {"alpha", "0.5"}},
                  7};
  e.method = "gcf";
  e.distance = "greed";
  e.inputs = {2, 5, 11};
  e.label_names = {"C", "O"};
  e.counterfactuals.resize(2);
  const std::vector<Label> labels{0, 1, 0};
  e.counterfactuals[0].graph = Graph(labels, std::vector<Edge>{{1, 2}, {0, 1}});
  e.counterfactuals[0].probability = 0.75;
  e.counterfactuals[0].visits = 812;
  e.counterfactuals[0].origin = 5;
  e.counterfactuals[1].graph = Graph(std::vector<Label>{1}, {});
  e.counterfactuals[1].probability = 0.5;
  fill_metrics(Matrix{{0.05, 0.1, kInfinity}, {0.25, 0.1, kInfinity}}, e);
  e.trace.push_back({1000, 3, 0.5, {0.25, 0.5}});
  e.steps = 50000;
  e.neighbours = 123456;
  e.seconds = 1.5;
  return e;
}

const char* const kSmall = R"json({
 "format": "fewedits.explanation/2",
 "software": "fewedits 0.1.0",
 "dataset": {"name": "AIDS", "path": "data/AIDS", "hash": "17af"},
 "model": {"path": "gcn.pth", "hash": "90b2"},
 "distance": "greed",
 "distance_meaning": "estimated edits",
 "distance_model": {"path": "greed.pt", "hash": "c3d4"},
 "method": "gcf",
 "from_dataset": false,
 "theta": 0.1,
 "seed": 7,
 "options": {"steps": "50000", "constraint": ["valence", "max-nodes=9"], "alpha": "0.5"},
 "complete": true,
 "ended": "work done",
 "steps": 50000,
 "neighbours": 123456,
 "seconds": 1.5,
 "inputs": [2, 5, 11],
 "metrics": {
  "coverage": 0.6666666666666666,
  "cost_median": 0.1,
  "cost_mean": null,
  "by_k": [
   {"k": 1, "coverage": 0.6666666666666666, "cost_median": 0.1, "cost_mean": null},
   {"k": 2, "coverage": 0.6666666666666666, "cost_median": 0.1, "cost_mean": null}
  ],
  "by_theta": [
   {"theta": 0.02, "coverage": 0.0},
   {"theta": 0.04, "coverage": 0.0},
   {"theta": 0.06, "coverage": 0.3333333333333333},
   {"theta": 0.08, "coverage": 0.3333333333333333},
   {"theta": 0.1, "coverage": 0.6666666666666666},
   {"theta": 0.12, "coverage": 0.6666666666666666},
   {"theta": 0.14, "coverage": 0.6666666666666666},
   {"theta": 0.16, "coverage": 0.6666666666666666},
   {"theta": 0.18, "coverage": 0.6666666666666666},
   {"theta": 0.2, "coverage": 0.6666666666666666}
  ]
 },
 "node_labels": ["C", "O"],
 "counterfactuals": [
  {
   "labels": [0, 1, 0],
   "label_names": ["C", "O", "C"],
   "edges": [[0, 1], [1, 2]],
   "probability": 0.75,
   "covers": [2, 5],
   "gain": 2,
   "visits": 812,
   "origin": 5
  },
  {"labels": [1], "label_names": ["O"], "edges": [], "probability": 0.5, "covers": [5], "gain": 0, "visits": 0}
 ],
 "recourse": [
  {"graph": 2, "counterfactual": 0, "distance": 0.05, "covered": true},
  {"graph": 5, "counterfactual": 0, "distance": 0.1, "covered": true},
  {"graph": 11, "counterfactual": null, "distance": null, "covered": false}
 ],
 "trace": [
  {"step": 1000, "candidates": 3, "coverage": 0.5, "summary_coverage": [0.25, 0.5]}
 ]
}
)json";

TEST(ExplanationJsonTest, GoldenDocument) {
  EXPECT_EQ(explanation_json(small_explanation()), kSmall);
  EXPECT_EQ(parse_explanation(kSmall, "small.json"), small_explanation());
}

/// The same as if distances were certified; the figures do not fit, which readers need not see.
Explanation certified_explanation() {
  Explanation e = small_explanation();
  e.distance = "certified";
  e.meaning = DistanceMeaning::kProven;
  e.metrics.coverage_upper = 1;
  e.counterfactuals[0].proofs = {{2, 2, {0, 1}}, {5, 1, {2, 1, 0, kUnmatched}}};
  e.counterfactuals[1].proofs = {{5, 5, {kUnmatched, 0}}};
  using Kind = EditOp::Kind;
  e.recourse[0].proof = RecourseProof{
      2, 1, false, EditScript{{{Kind::kInsertNode, 2}, {Kind::kInsertEdge, 1, 2}}, {0, 1, 2}}};
  e.recourse[1].proof = RecourseProof{
      3, 0, false,
      EditScript{{{Kind::kRelabelNode, 1, 0, 1}, {Kind::kDeleteEdge, 2, 3}, {Kind::kDeleteNode, 3}},
                 {2, 1, 0, kUnmatched}}};
  return e;
}

const char* const kCertifiedParts[] = {
    R"("coverage": 0.6666666666666666,
  "coverage_upper": 1.0,
  "cost_median": 0.1,)",
    R"("origin": 5,
   "proofs": [
    [2,2,[0,1]],
    [5,1,[2,1,0,-1]]
   ]
  },)",
    R"("visits": 0,
   "proofs": [
    [5,5,[-1,0]]
   ]
  }
 ],)",
    R"(
  {
   "graph": 2,
   "counterfactual": 0,
   "distance": 0.05,
   "covered": true,
   "ged": 2,
   "normalized": 0.05,
   "lower_bound": 1,
   "open": false,
   "script": [
    {"op": "insert_node", "node": 2, "label": 0},
    {"op": "insert_edge", "u": 1, "v": 2, "label": 0}
   ],
   "map": [0, 1, 2]
  },)",
    R"(
    {"op": "relabel_node", "node": 1, "label": 1},
    {"op": "delete_edge", "u": 2, "v": 3},
    {"op": "delete_node", "node": 3}
   ],
   "map": [2, 1, 0, null]
  },
  {"graph": 11, "counterfactual": null, "distance": null, "covered": false}
)"};

TEST(ExplanationJsonTest, ProofsAreCompactAndScriptsReadable) {
  const Explanation e = certified_explanation();
  const std::string text = explanation_json(e);
  for (const char* part : kCertifiedParts) EXPECT_THAT(text, HasSubstr(part));
  EXPECT_EQ(parse_explanation(text, "x.json"), e);
}

TEST(ExplanationJsonTest, RoundTripIsExact) {
  Rng rng(3);
  for (int round = 0; round < 300; ++round) {
    const Explanation e = random_explanation(rng);
    const std::string text = explanation_json(e);
    const Explanation again = parse_explanation(text, "x.json");
    ASSERT_EQ(again, e) << text;
    EXPECT_EQ(explanation_json(again), text);
  }
  EXPECT_EQ(parse_explanation(explanation_json({}), "x.json"), Explanation{});
}

TEST(ExplanationJsonTest, SecondsAreTheOnlyTime) {
  Explanation e = small_explanation();
  EXPECT_THAT(explanation_json(e), HasSubstr("\"seconds\": 1.5"));
  e.seconds = 0;
  EXPECT_THAT(explanation_json(e), Not(HasSubstr("seconds")));
}

TEST(ExplanationJsonTest, BytesThatAreNoTextAreReplaced) {
  Explanation e = small_explanation();
  e.provenance.dataset_path = "\xFF";
  e.label_names[0] = "\xC3";
  const Explanation again = parse_explanation(explanation_json(e), "x.json");
  EXPECT_EQ(again.provenance.dataset_path, "\xEF\xBF\xBD");
  EXPECT_EQ(again.label_names[0], "\xEF\xBF\xBD");
}

std::string with(const std::string& from, const std::string& to, std::string text = kSmall) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ExplanationJsonTest, UnknownKeysAreIgnored) {
  const auto changed =
      with("\"theta\": 0.1", R"("remarks": {"by": ["me", {"on": null}]}, "theta": 0.1)");
  EXPECT_EQ(parse_explanation(changed, "x.json"), small_explanation());
}

void expect_error(const std::string& text, const std::string& part) {
  try {
    (void)parse_explanation(text, "x.json");
    ADD_FAILURE() << "accepted: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.where().file, "x.json");
    EXPECT_THAT(error.what(), HasSubstr(part));
    EXPECT_FALSE(error.remedy().empty()) << error.what();
  }
}

TEST(ExplanationJsonTest, ErrorsNameThePlace) {
  expect_error("", "the file is empty");
  expect_error("[]", "is not an object but array");
  expect_error("{}", "lacks the key \"format\"");
  expect_error(with("work done", "time limit"), "does not go with what");
  expect_error(with("work done", "bored"), "is no reason to end");
  expect_error(with("fewedits.explanation/2", "fewedits.explanation/3"),
               "format is 'fewedits.explanation/3'");
  expect_error(with("\"theta\": 0.1", "\"theta\": NaN"), "is not valid JSON");
  expect_error(with("\"theta\": 0.1", "\"theta\": 1e999"), "number overflow");
  expect_error(with("\"theta\": 0.1", "\"theta\": 2"), "theta is not a number from 0 to 1 but 2");
  expect_error(with("\"theta\": 0.1", "\"theta\": 0.1, \"theta\": 0.1"), "'theta' occurs twice");
  expect_error(with("\"seed\": 7", "\"seed\": -7"), "seed is not a whole number");
  expect_error(with("\"seed\": 7", "\"seed\": 18446744073709551616"), "seed is not a whole number");
  expect_error(with("\"steps\": 50000", "\"steps\": 5e4"), "steps is not a whole number");
  expect_error(with("\"50000\"", "50000"), "options.'steps' is not a string but 50000");
  expect_error(with("\"complete\": true", "\"complete\": 1"),
               "complete is not true or false but 1");
  expect_error(with("[2, 5, 11]", "[2, 11, 5]"), "inputs is not in ascending order");
  expect_error(with("[2, 5, 11]", "[2, 5, 4294967295]"), "inputs[2] is not a whole number");
  expect_error(with("[\"C\", \"O\"]", "[\"C\", \"\\u001b\"]"), "node_labels[1] has control");
  expect_error(with("[0, 1, 0]", "[0, 2, 0]"),
               "counterfactuals[0].labels[1] is 2, but there are 2");
  expect_error(with("[\"C\", \"O\", \"C\"]", "[\"C\", \"O\", \"N\"]"),
               "counterfactuals[0].label_names");
  expect_error(with("[[0, 1], [1, 2]]", "[[0, 1], [1, 3]]"),
               "counterfactuals[0].edges[1] names node 3");
  expect_error(with("[[0, 1], [1, 2]]", "[[0, 1], [1, 1]]"), "edges[1] joins node 1 to itself");
  expect_error(with("[[0, 1], [1, 2]]", "[[0, 1], [1, 0]]"),
               "counterfactuals[0].edges[1] occurs twice");
  expect_error(with("[[0, 1], [1, 2]]", "[[0, 1], [1]]"), "edges[1] is not a pair of nodes");
  expect_error(with("[[0, 1], [1, 2]]", "[[0, 1], 7]"), "edges[1] is not a list but 7");
  expect_error(with("\"covers\": [5]", "\"covers\": [6]"), "covers names graph 6");
  expect_error(with("\"gain\": 2", "\"gain\": 1"), "counterfactuals[0].gain is 1, but 2");
  expect_error(with("\"graph\": 5", "\"graph\": 6"), "recourse[1] is not that of the next input");
  expect_error(with("\"counterfactual\": 0", "\"counterfactual\": 2"),
               "recourse[0].counterfactual");
  expect_error(with("\"counterfactual\": 0", "\"counterfactual\": null"), "without the other");
  expect_error(with("\"covered\": true", "\"covered\": false"), "recourse[0].covered contradicts");
  expect_error(with("{\"k\": 2,", "{\"k\": 3,"), "metrics.by_k[1].k does not count");
  auto without = nlohmann::ordered_json::parse(kSmall);
  without["recourse"] = nlohmann::ordered_json::array();
  expect_error(without.dump(), "recourse has 0 entries for 3 inputs");
  expect_error(with("\"step\": 1000,", ""), "trace[0] lacks the key \"step\"");
}

TEST(ExplanationJsonTest, ErrorsInProofsNameThePlace) {
  const std::string text = explanation_json(certified_explanation());
  const auto expect = [&](const std::string& from, const std::string& to, const std::string& part) {
    expect_error(with(from, to, text), part);
  };
  expect("\"coverage_upper\": 1.0", "\"coverage_upper\": 1.5", "metrics.coverage_upper is not");
  expect("[5,1,[2,1,0,-1]]", "[5,1]", "counterfactuals[0].proofs[1] is not a list of 3");
  expect("[5,1,[2,1,0,-1]]", "7", "counterfactuals[0].proofs[1] is not a list of 3 but 7");
  expect("[5,1,[2,1,0,-1]]", "[5,-1,[]]", "counterfactuals[0].proofs[1][1] is not a whole number");
  expect("[5,1,[2,1,0,-1]]", "[5,1,[2,1,3,-1]]", "proofs[1][2][2] is 3, but the counterfactual");
  expect("[5,1,[2,1,0,-1]]", "[5,1,[2,1,0,-2]]", "proofs[1][2][3] is not a whole number");
  expect("[5,1,[2,1,0,-1]]", "[5,1,[2,1,0,4294967295]]", "proofs[1][2][3] is not a whole number");
  expect("[5,1,[2,1,0,-1]]", "[5,1,[2,1,0,null]]", "proofs[1][2][3] is not a whole number");
  expect("[5,1,[2,1,0,-1]]", "[5,1,[2,1,2]]", "proofs[1][2] has node 2 twice");
  expect("[5,1,[2,1,0,-1]]", "[6,1,[]]", "counterfactuals[0].proofs names graph 6");
  expect("[5,1,[2,1,0,-1]]", "[11,1,[]]", "proofs has none for graph 5, which is covered");
  expect("[2,2,[0,1]],", "[5,2,[0,1]],", "proofs is not in ascending order");
  expect("\"ged\": 2", "\"ged\": -2", "recourse[0].ged is not a whole number");
  expect("\"normalized\": 0.05", "\"normalized\": 0.06", "recourse[0].normalized is not the");
  expect("\"lower_bound\": 1,", "", "recourse[0] lacks the key \"lower_bound\"");
  expect("\"open\": false", "\"open\": 0", "recourse[0].open is not true or false");
  expect("\"script\": [", "\"scripts\": [", "recourse[0] must have a script");
  expect("\"insert_node\"", "\"magic\"", "recourse[0].script[0].op is 'magic'");
  expect("\"insert_node\"", "\"relabel_edge\"", "recourse[0].script[0].op is an edit of labels");
  expect("\"node\": 2, \"label\": 0", "\"node\": 2, \"label\": 2",
         "recourse[0].script[0].label is 2, but there are 2");
  expect("\"v\": 2, \"label\": 0", "\"v\": 2, \"label\": 1",
         "recourse[0].script[1].label is not 0");
  expect("\"u\": 1, ", "", "recourse[0].script[1] lacks the key \"u\"");
  expect("\"map\": [0, 1, 2]", "\"map\": [0, 1, 3]", "recourse[0].map[2] is 3");
  expect("\"map\": [0, 1, 2]", "\"map\": [0, 1, 1]", "recourse[0].map has node 1 twice");
  expect("\"map\": [0, 1, 2]", "\"map\": [0, 1, -1]", "recourse[0].map[2] is not a whole");
  expect("\"distance\": null, \"covered\": false",
         "\"distance\": null, \"covered\": false, \"ged\": 1",
         "recourse[2].ged is a distance to no counterfactual");
}

TEST(ExplanationJsonTest, DeepNestingIsAnErrorNotACrash) {
  constexpr int kDepth = 1'000'000;
  std::string objects;
  for (int i = 0; i < kDepth; ++i) objects += "{\"a\":";
  for (const std::string& text : {std::string(kDepth, '['), objects}) {
    expect_error(text, "deep");
    expect_error(with("\"theta\": 0.1", "\"remarks\": " + text), "deep");
    EXPECT_THROW((void)parse_graph_list(text, "x.json"), Error);
  }
}

TEST(ExplanationJsonTest, LongListsAndManyKeysTakeNoTime) {
  Explanation e = small_explanation();
  e.inputs.resize(100'000);
  std::iota(e.inputs.begin(), e.inputs.end(), 0U);
  fill_metrics(Matrix(2, std::vector<double>(e.inputs.size(), 0.1)), e);
  EXPECT_EQ(parse_explanation(explanation_json(e), "x.json"), e);

  std::string keys = "{\"k\": 0";
  for (int i = 0; i < 100'000; ++i) keys += ", \"k" + std::to_string(i) + "\": 0";
  expect_error(keys + "}", "an object with more than 256 keys");
}

/// Everything a reader promises of what it accepts.
void expect_valid(const Explanation& e) {
  for (const Counterfactual& c : e.counterfactuals) {
    for (const Label label : c.graph.labels()) ASSERT_LT(label, e.label_names.size());
    ASSERT_TRUE(std::includes(e.inputs.begin(), e.inputs.end(), c.covers.begin(), c.covers.end()));
    for (const ProvenPair& proof : c.proofs) {
      ASSERT_TRUE(std::binary_search(e.inputs.begin(), e.inputs.end(), proof.input));
      ASSERT_TRUE(is_node_map(Graph(std::vector<Label>(proof.map.size()), {}), c.graph, proof.map));
    }
  }
  for (const Recourse& r : e.recourse) {
    ASSERT_TRUE(r.counterfactual == Recourse::kNone || r.counterfactual < e.counterfactuals.size());
  }
  ASSERT_EQ(parse_explanation(explanation_json(e), "again"), e);
}

/// Any answer but an explanation that is one, or an Error, fails. How many were accepted.
std::size_t try_all(const std::vector<std::string>& texts) {
  std::size_t accepted = 0;
  for (const std::string& text : texts) {
    try {
      expect_valid(parse_explanation(text, "x.json"));
      ++accepted;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("x.json"));
    }
  }
  return accepted;
}

TEST(ExplanationJsonTest, DamagedBytesNeverCrash) {
  Rng rng(4);
  std::vector<std::string> texts;
  for (int round = 0; round < 2000; ++round) {
    std::string text = round % 2 == 0 ? explanation_json(certified_explanation())
                                      : explanation_json(random_explanation(rng));
    for (auto n = 1 + rng.below(3); n > 0; --n) {
      const auto at = rng.below(text.size());
      static constexpr char kBytes[] = "0123456789-+.eE[]{},:\"\\nulltrefas \x00\x1b\xff";
      switch (rng.below(4)) {
        case 0: text[at] = static_cast<char>(text[at] ^ (1 << rng.below(8))); break;
        case 1: text[at] = kBytes[rng.below(sizeof kBytes)]; break;
        case 2: text.erase(at, 1 + rng.below(20)); break;
        default: text.insert(at, 1, kBytes[rng.below(sizeof kBytes)]); break;
      }
    }
    texts.push_back(std::move(text));
  }
  const std::size_t accepted = try_all(texts);
  EXPECT_GT(accepted, 0U);
  EXPECT_LT(accepted, texts.size());
}

TEST(ExplanationJsonTest, RemovedKeysAndStrangeValuesNeverCrash) {
  using Json = nlohmann::ordered_json;
  const std::vector<Json> strange{nullptr,
                                  true,
                                  -1,
                                  0,
                                  1,
                                  2,
                                  4294967295U,
                                  18446744073709551615U,
                                  0.5,
                                  -0.0,
                                  1e308,
                                  "",
                                  "C",
                                  Json::array(),
                                  Json::object(),
                                  Json::array({0, 0}),
                                  Json::array({Json::array({0, 1})})};
  Rng rng(5);
  std::vector<std::string> texts;
  for (const std::string& text : {std::string(kSmall), explanation_json(certified_explanation()),
                                  explanation_json(random_explanation(rng))}) {
    const Json whole = Json::parse(text);
    const Json leaves = whole.flatten();
    for (const auto& [place, leaf] : leaves.items()) {
      // The value itself, what holds it, and so on up to the whole.
      for (Json::json_pointer at(place); !at.empty(); at = at.parent_pointer()) {
        Json changed = whole;
        changed[at] = strange[rng.below(strange.size())];
        texts.push_back(changed.dump());
        changed = whole;
        Json& parent = changed[at.parent_pointer()];
        if (parent.is_object()) {
          parent.erase(at.back());
        } else {
          parent.erase(std::stoul(at.back()));
        }
        texts.push_back(changed.dump());
      }
    }
  }
  EXPECT_GT(texts.size(), 500U);
  const std::size_t accepted = try_all(texts);
  EXPECT_GT(accepted, 0U);
  EXPECT_LT(accepted, texts.size());
}

// ---- Lists of graphs ------------------------------------------------------------------------

TEST(GraphListTest, ReadsExplanationsAndPlainLists) {
  const Explanation e = small_explanation();
  const GraphList whole = parse_graph_list(kSmall, "x.json");
  EXPECT_THAT(whole.graphs, ElementsAre(e.counterfactuals[0].graph, e.counterfactuals[1].graph));
  EXPECT_EQ(whole.label_names, e.label_names);
  EXPECT_EQ(whole.theta, e.theta);
  EXPECT_EQ(whole.distance, e.distance) << "what theta is about";

  const std::string list = R"([{"labels": [0, 1, 0], "edges": [[2, 1], [1, 0]]},
                               {"labels": [1], "edges": []}])";
  const GraphList plain = parse_graph_list(list, "x.json");
  EXPECT_EQ(plain.graphs, whole.graphs);
  EXPECT_TRUE(plain.label_names.empty());
  EXPECT_TRUE(plain.distance.empty());
  EXPECT_EQ(parse_graph_list("{\"graphs\": " + list + "}", "x.json").graphs, whole.graphs);
  const GraphList named =
      parse_graph_list(R"({"node_labels": ["C", "O"], "graphs": )" + list + "}", "x.json");
  EXPECT_EQ(named.graphs, whole.graphs);
  EXPECT_EQ(named.label_names, e.label_names);
  EXPECT_TRUE(parse_graph_list("[]", "x.json").graphs.empty());
}

TEST(GraphListTest, ErrorsNameThePlace) {
  const auto error_of = [](const std::string& text) -> std::string {
    try {
      (void)parse_graph_list(text, "x.json");
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(error_of("7"), HasSubstr("neither an explanation nor a list of graphs"));
  EXPECT_THAT(error_of("{}"), HasSubstr("\"graphs\""));
  EXPECT_THAT(error_of(R"({"graphs": {}})"), HasSubstr("graphs is not a list but object"));
  EXPECT_THAT(error_of(R"([{"labels": [0]}])"), HasSubstr("[0] lacks the key \"edges\""));
  EXPECT_THAT(error_of(R"({"graphs": [{"labels": [4294967295], "edges": []}]})"),
              HasSubstr("graphs[0].labels[0] is not a whole number"));
  EXPECT_THAT(error_of(R"({"graphs": [{"labels": [1], "edges": []}], "node_labels": ["C"]})"),
              HasSubstr("graphs[0].labels[0] is 1, but there are 1 node labels"));
  EXPECT_THAT(error_of(R"({"format": "fewedits.model/2", "graphs": []})"), HasSubstr("format is"));
}

// ---- GraphML --------------------------------------------------------------------------------

/// Reads the XML that fewedits writes and complains about anything that is not well formed.
class XmlReader {
 public:
  explicit XmlReader(const std::string& text) : rest_(text) {
    take_until("?>");
    while (!rest_.empty()) rest_.starts_with('<') ? take_tag() : take_text();
    EXPECT_TRUE(open_.empty()) << "left open: " << open_.back();
  }

  std::map<std::string, std::size_t> elements;  ///< how many of each name
  std::vector<std::string> texts;               ///< all text that is not blank, unescaped
  std::set<std::string> ids;

 private:
  std::string take_until(const std::string& end) {
    const auto at = rest_.find(end);
    if (at == std::string::npos) {
      ADD_FAILURE() << "no " << end << " in " << rest_;
      return std::exchange(rest_, {});
    }
    std::string taken = rest_.substr(0, at);
    rest_.erase(0, at + end.size());
    return taken;
  }

  void take_tag() {
    rest_.erase(0, 1);
    std::string tag = take_until(">");
    if (tag.starts_with('/')) {
      ASSERT_FALSE(open_.empty());
      EXPECT_EQ(tag.substr(1), open_.back());
      open_.pop_back();
      return;
    }
    const bool closed = tag.ends_with('/');
    if (closed) tag.pop_back();
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    ++elements[name];
    if (!closed) open_.push_back(name);
    std::swap(rest_, tag);
    rest_.erase(0, name.size());
    while (rest_.find_first_not_of(" \n") != std::string::npos) take_attribute();
    std::swap(rest_, tag);
  }

  void take_attribute() {
    rest_.erase(0, rest_.find_first_not_of(" \n"));
    const std::string name = take_until("=\"");
    const std::string value = unescaped(take_until("\""));
    const bool refers = name == "source" || name == "target";
    EXPECT_TRUE(name != "id" || ids.insert(value).second) << value << " twice";
    EXPECT_TRUE(!refers || ids.contains(value)) << value;
  }

  void take_text() {
    std::string raw = rest_.substr(0, rest_.find('<'));
    rest_.erase(0, raw.size());
    if (raw.find_first_not_of(" \n") != std::string::npos) texts.push_back(unescaped(raw));
  }

  static std::string unescaped(const std::string& raw) {
    static const std::map<std::string, char> kEntities{{"amp", '&'},  {"lt", '<'},    {"gt", '>'},
                                                       {"quot", '"'}, {"apos", '\''}, {"#9", '\t'},
                                                       {"#10", '\n'}, {"#13", '\r'}};
    std::string text;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      EXPECT_GE(static_cast<unsigned char>(raw[i]), 0x20);
      EXPECT_NE(raw[i], '<');
      if (raw[i] != '&') {
        text += raw[i];
        continue;
      }
      const auto end = raw.find(';', i);
      const auto entity = kEntities.find(raw.substr(i + 1, end - i - 1));
      EXPECT_NE(entity, kEntities.end()) << raw;
      if (entity == kEntities.end()) break;
      text += entity->second;
      i = end;
    }
    return text;
  }

  std::string rest_;
  std::vector<std::string> open_;
};

TEST(GraphmlTest, HasEveryNodeAndEdge) {
  Rng rng(6);
  for (int round = 0; round < 50; ++round) {
    const Explanation e = random_start(rng);
    std::vector<Graph> graphs;
    std::vector<GraphFacts> facts;
    std::size_t nodes = 0;
    std::size_t edges = 0;
    for (const Counterfactual& c : e.counterfactuals) {
      graphs.push_back(c.graph);
      facts.push_back({c.probability, 3});
      nodes += c.graph.num_nodes();
      edges += c.graph.num_edges();
    }
    XmlReader plain(to_graphml(graphs, e.label_names));
    EXPECT_EQ(plain.elements["graphml"], 1U);
    EXPECT_EQ(plain.elements["graph"], graphs.size());
    EXPECT_EQ(plain.elements["node"], nodes);
    EXPECT_EQ(plain.elements["edge"], edges);
    EXPECT_EQ(plain.elements["data"], nodes);
    EXPECT_EQ(XmlReader(to_graphml(graphs, e.label_names, facts)).elements["data"],
              nodes + 2 * graphs.size());
  }
}

TEST(GraphmlTest, EscapesWhatXmlWouldMisread) {
  const std::vector<std::string> names{"<script>alert(\"1\")</script>", "a&b'c", "]]>\t\r\n",
                                       "\x1b\x7f", "\xFFx\xEF\xBF\xBF"};
  const std::vector<Label> labels{0, 1, 2, 3, 4, 5};
  const Graph graph(labels, {});
  const std::string xml = to_graphml({&graph, 1}, names);
  EXPECT_THAT(xml, Not(HasSubstr("<script")));
  EXPECT_THAT(XmlReader(xml).texts, ElementsAre(names[0], names[1], names[2], "\xEF\xBF\xBD\x7f",
                                                "\xEF\xBF\xBDx\xEF\xBF\xBD", "5"));
}

// ---- Export -----------------------------------------------------------------------------------

std::string export_error(const std::string& domain, const std::string& file) {
  const test::TemporaryFolder folder;
  try {
    export_counterfactuals(small_explanation(), domain, folder.path() / file);
  } catch (const Error& error) {
    EXPECT_FALSE(std::filesystem::exists(folder.path() / file));
    return error.what();
  }
  return "accepted";
}

TEST(ExportTest, TheExtensionDecides) {
  const test::TemporaryFolder folder;
  export_counterfactuals(small_explanation(), "generic", folder.path() / "c.GraphML");
  XmlReader xml(read_file(folder.path() / "c.GraphML"));
  EXPECT_THAT(xml.texts, ElementsAre("0.75", "2", "C", "O", "C", "0.5", "1", "O"));
  EXPECT_THAT(export_error("molecule", "c.xyz"), HasSubstr("'.xyz' is no format to export to"));
  EXPECT_THAT(export_error("molecule", "c"), HasSubstr(".graphml, .smi or .sdf"));
  EXPECT_THAT(export_error("generic", "c.smi"), HasSubstr("no molecules"));
  EXPECT_NO_THROW(check_export("generic", "c.graphml"));
  EXPECT_THROW(check_export("molecule", "-"), Error);
  EXPECT_THROW(check_export("generic", "c.sdf"), Error);
}

TEST(ExportTest, MoleculesCanBeReadBack) {
  if (!has_molecules()) {
    EXPECT_THAT(export_error("molecule", "c.sdf"), HasSubstr("RDKit"));
    return;
  }
  const test::TemporaryFolder folder;
  for (const char* name : {"c.smi", "c.sdf"}) {
    const auto file = folder.path() / name;
    export_counterfactuals(small_explanation(), "molecule", file);
    EXPECT_THAT(read_file(file), HasSubstr("counterfactual_1"));
    const Dataset data = open_dataset(file);
    ASSERT_EQ(data.size(), 2U);
    EXPECT_EQ(data.graphs[0].num_nodes(), 3U);
    EXPECT_EQ(data.graphs[0].num_edges(), 2U);
    EXPECT_EQ(data.node_labels[data.graphs[1].label(0)].name, "O");
  }
  EXPECT_THAT(read_file(folder.path() / "c.smi"),
              testing::StartsWith("COC counterfactual_0\nO counterfactual_1\n"));
}

TEST(ExportTest, ImpossibleMoleculesAreCounted) {
  if (!has_molecules()) GTEST_SKIP() << "built without RDKit";
  const test::TemporaryFolder folder;
  Explanation e = small_explanation();
  const auto notes = [&](const char* name) {
    return export_counterfactuals(e, "molecule", folder.path() / name);
  };
  EXPECT_THAT(notes("c.smi"), testing::IsEmpty());
  // An oxygen with three neighbours.
  e.counterfactuals[0].graph =
      Graph(std::vector<Label>{1, 0, 0, 0}, std::vector<Edge>{{0, 1, 0}, {0, 2, 0}, {0, 3, 0}});
  EXPECT_THAT(notes("c.graphml"), testing::IsEmpty());
  EXPECT_THAT(notes("c.smi"), ElementsAre(HasSubstr("1 of 2 are not possible molecules")));
  EXPECT_THAT(notes("c.sdf"), ElementsAre(HasSubstr("charges")));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "c.sdf"));
  e.provenance.options.clear();
  EXPECT_THAT(notes("c.sdf"), ElementsAre(HasSubstr("the constraint valence avoids")));
}

}  // namespace
}  // namespace fewedits
