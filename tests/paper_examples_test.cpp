// SPDX-License-Identifier: MIT
// What the paper shows and proves on paper: its pictures of edits, and the reduction that makes its
// problem NP-hard (its theorem 1), carried out on instances small enough to know the best answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "fewedits/base/rng.hpp"
#include "fewedits/edit/edit.hpp"
#include "fewedits/extend.hpp"
#include "support/fake_classifier.hpp"

namespace fewedits {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

// ---- Its figure 1: from formaldehyde to formic acid -----------------------------------------

constexpr Label kC = 0;
constexpr Label kO = 1;
constexpr Label kH = 2;

Graph molecule(const std::vector<Label>& atoms, const std::vector<Edge>& bonds) {
  return Graph(atoms, bonds);
}

/// C with O, H, H.
Graph formaldehyde() { return molecule({kC, kO, kH, kH}, {{0, 1}, {0, 2}, {0, 3}}); }
/// C with O, H and the O of a hydroxyl, which has the other H.
Graph formic_acid() { return molecule({kC, kO, kH, kH, kO}, {{0, 1}, {0, 2}, {0, 4}, {3, 4}}); }

std::map<EditOp::Kind, int> kinds(const EditScript& script) {
  std::map<EditOp::Kind, int> out;
  for (const EditOp& op : script.ops) ++out[op.kind];
  return out;
}

TEST(PaperFigure1Test, TheCaptionsEditsAreOneRemovalOneNodeAndTwoEdges) {
  // The caption keeps all four atoms: the hydrogen leaves the carbon for the new oxygen.
  const NodeMap kept{0, 1, 2, 3};
  const EditScript script = edit_script(formaldehyde(), formic_acid(), kept);
  EXPECT_THAT(kinds(script), UnorderedElementsAre(Pair(EditOp::Kind::kDeleteEdge, 1),
                                                  Pair(EditOp::Kind::kInsertNode, 1),
                                                  Pair(EditOp::Kind::kInsertEdge, 2)));
  EXPECT_EQ(induced_cost(formaldehyde(), formic_acid(), kept), 4);
}

TEST(PaperFigure1Test, ThreeEditsAreEnoughSinceAHydrogenCanBecomeTheOxygen) {
  const GedBounds found = edit_distance(formaldehyde(), formic_acid());
  ASSERT_TRUE(found.exact());
  EXPECT_EQ(found.upper, 3);
  EXPECT_THAT(
      kinds(edit_script(formaldehyde(), formic_acid(), found.map)),
      UnorderedElementsAre(Pair(EditOp::Kind::kRelabelNode, 1), Pair(EditOp::Kind::kInsertNode, 1),
                           Pair(EditOp::Kind::kInsertEdge, 1)));
}

TEST(PaperFigure1Test, WithoutRelabellingTheCaptionIsShortest) {
  GedOptions options;
  options.costs.relabel_node = 3;
  const GedBounds found = edit_distance(formaldehyde(), formic_acid(), options);
  ASSERT_TRUE(found.exact());
  EXPECT_EQ(found.upper, 4);
}

// ---- Its figure 2: every kind of edit ---------------------------------------------------------
// The picture is not part of the paper's source; the text lists the edits: nodes and edges come and
// go, labels change, each counts one.

struct Step {
  const char* what;
  Graph to;
  int edits;
};

TEST(PaperFigure2Test, EveryEditCountsOne) {
  const Graph start = molecule({kC, kC, kO}, {{0, 1}, {1, 2}, {0, 2}});
  const std::vector<Step> steps{
      {"an edge goes", molecule({kC, kC, kO}, {{0, 1}, {1, 2}}), 1},
      {"a label changes", molecule({kC, kC, kH}, {{0, 1}, {1, 2}, {0, 2}}), 1},
      {"a node comes", molecule({kC, kC, kO, kH}, {{0, 1}, {1, 2}, {0, 2}}), 1},
      {"a node comes with its edge", molecule({kC, kC, kO, kH}, {{0, 1}, {1, 2}, {0, 2}, {2, 3}}),
       2}};
  for (const Step& step : steps) {
    SCOPED_TRACE(step.what);
    for (const bool back : {false, true}) {
      const GedBounds found = back ? edit_distance(step.to, start) : edit_distance(start, step.to);
      ASSERT_TRUE(found.exact());
      EXPECT_EQ(found.upper, step.edits);
    }
  }
}

TEST(PaperFigure2Test, AStepOfTheEditMapIsWhatItsEditsCount) {
  const Graph start = molecule({kC, kC, kO, kH}, {{0, 1}, {1, 2}, {0, 2}, {2, 3}});
  using Kind = Edit::Kind;
  for (const Edit& edit : {Edit{Kind::kRelabel, 0, 0, kH}, Edit{Kind::kAddLeaf, 1, 0, kO},
                           Edit{Kind::kRemoveLeaf, 3, 0, 0}, Edit{Kind::kAddEdge, 0, 3, 0},
                           Edit{Kind::kRemoveEdge, 0, 1, 0}}) {
    const GedBounds found = edit_distance(start, apply(start, edit));
    ASSERT_TRUE(found.exact());
    EXPECT_EQ(found.upper, cost_of(edit.kind)) << static_cast<int>(edit.kind);
  }
}

// ---- Its theorem 1: maximum coverage becomes counterfactual explanation -----------------------

/// Elements are 0 … elements − 1.
struct MaximumCoverage {
  std::size_t elements = 0;
  std::vector<std::set<std::size_t>> sets;
  std::size_t budget = 1;
};

std::size_t covered_by(const MaximumCoverage& problem, std::uint32_t chosen) {
  std::set<std::size_t> all;
  for (std::size_t s = 0; s < problem.sets.size(); ++s) {
    if ((chosen >> s & 1U) != 0) all.insert(problem.sets[s].begin(), problem.sets[s].end());
  }
  return all.size();
}

/// The largest value of all choices of that many out of `things`.
template <typename Value>
std::size_t best_choice(std::size_t things, std::size_t budget, const Value& value) {
  std::size_t best = 0;
  for (std::uint32_t chosen = 0; chosen < (1U << things); ++chosen) {
    if (static_cast<std::size_t>(std::popcount(chosen)) > budget) continue;
    best = std::max(best, value(chosen));
  }
  return best;
}

constexpr Label kEmpty = 0;
constexpr Label kGamma = 1;

Label label_of(std::size_t element) { return static_cast<Label>(2 + element); }

/// A centre with as many leaves as there are elements; those beyond the labels given have none.
Graph star(Label centre, const std::set<std::size_t>& elements, std::size_t leaves) {
  std::vector<Label> labels{centre};
  for (const std::size_t e : elements) labels.push_back(label_of(e));
  labels.resize(1 + leaves, kEmpty);
  std::vector<Edge> edges;
  for (Node v = 1; v <= leaves; ++v) edges.push_back({0, v});
  return Graph(labels, edges);
}

std::set<Label> labels_of(const Graph& star) {
  std::set<Label> out(star.labels().begin(), star.labels().end());
  out.erase(kEmpty);
  return out;
}

/// One edit adds a set of labels, or deletes one.
int label_edits(const Graph& a, const Graph& b) {
  const std::set<Label> x = labels_of(a);
  const std::set<Label> y = labels_of(b);
  const bool adds = !std::includes(x.begin(), x.end(), y.begin(), y.end());
  const bool deletes = !std::includes(y.begin(), y.end(), x.begin(), x.end());
  return (adds ? 1 : 0) + (deletes ? 1 : 0);
}

/// Of two edits at most, so that one is half.
constexpr double kOneEdit = 0.5;

class LabelEdits final : public Distance {
 public:
  explicit LabelEdits(std::vector<Graph> graphs) : graphs_(std::move(graphs)) {}

  [[nodiscard]] std::span<const Graph> graphs() const override { return graphs_; }
  void measure(std::span<const GraphPair> pairs, std::span<Measure> out, ThreadPool& /*pool*/,
               const DistanceWatch& /*watch*/) override {
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const double d = label_edits(graphs_[pairs[p].a], graphs_[pairs[p].b]);
      out[p] = {.distance = d, .normalized = kOneEdit * d, .lower = d, .upper = d};
    }
  }
  std::vector<std::vector<double>> rows(std::span<const Graph> queries,
                                        ThreadPool& /*pool*/) override {
    std::vector<std::vector<double>> out;
    for (const Graph& query : queries) {
      auto& row = out.emplace_back();
      for (const Graph& graph : graphs_) row.push_back(kOneEdit * label_edits(query, graph));
    }
    return out;
  }

 private:
  std::vector<Graph> graphs_;
};

/// The instance that the proof makes: a star for every element and one for every set, of which the
/// model accepts those of the sets.
class Reduction {
 public:
  explicit Reduction(const MaximumCoverage& problem)
      : problem_(problem), model_(2 + problem.elements, 2, [this](const Graph& g) {
          return accepts(g) ? std::vector<double>{0.1, 0.9} : std::vector<double>{0.9, 0.1};
        }) {
    data_.name = "reduction";
    for (std::size_t l = 0; l < 2 + problem.elements; ++l) {
      data_.node_labels.push_back({static_cast<std::int64_t>(l), std::to_string(l)});
    }
    data_.class_labels = {{0, "rejected"}, {1, "accepted"}};
    data_.desired_class = 1;
    for (std::size_t e = 0; e < problem.elements; ++e) add(star(kEmpty, {e}, problem.elements), 0);
    for (const auto& set : problem.sets) add(star(kGamma, set, problem.elements), 1);
    parts_.distances.add("labels", {.about = "edits of label sets",
                                    .counts_edits = true,
                                    .make = [](std::vector<Graph> graphs, std::size_t,
                                               const DistanceOptions&, ThreadPool&) {
                                      return std::make_unique<LabelEdits>(std::move(graphs));
                                    }});
  }

  /// The stars of the sets are all that is accepted, so that a choice among them is as good as any.
  Explanation explain_by_greedy_choice() {
    ExplainOptions options;
    options.method = "ground-truth";
    options.distance = "labels";
    options.theta = kOneEdit;
    options.walk_theta = kOneEdit;
    options.k = problem_.budget;
    return explain(data_, model_, rejected_graphs(data_, model_, pool_), options, pool_, {},
                   parts_);
  }

  /// Inputs that the chosen stars cover together.
  [[nodiscard]] std::size_t coverage(std::uint32_t chosen) const {
    std::size_t out = 0;
    for (std::size_t e = 0; e < problem_.elements; ++e) {
      bool near = false;
      for (std::size_t s = 0; s < problem_.sets.size(); ++s) {
        const Graph& of_set = data_.graphs[problem_.elements + s];
        near = near || ((chosen >> s & 1U) != 0 && label_edits(data_.graphs[e], of_set) <= 1);
      }
      out += near ? 1U : 0U;
    }
    return out;
  }

 private:
  void add(Graph graph, int of_class) {
    data_.graphs.push_back(std::move(graph));
    data_.classes.push_back(of_class);
    data_.source_index.push_back(static_cast<std::int64_t>(data_.source_index.size()));
  }
  [[nodiscard]] bool accepts(const Graph& g) const {
    const std::size_t leaves = problem_.elements;
    const bool is_star = g.num_nodes() == leaves + 1 && g.num_edges() == leaves &&
                         g.degree(0) == leaves && g.label(0) == kGamma;
    std::set<Label> labels = labels_of(g);
    labels.erase(kGamma);
    return is_star && std::any_of(problem_.sets.begin(), problem_.sets.end(), [&](const auto& set) {
             std::set<Label> of_set;
             for (const std::size_t e : set) of_set.insert(label_of(e));
             return labels == of_set;
           });
  }

  const MaximumCoverage& problem_;
  test::FakeClassifier model_;
  Dataset data_;
  Parts parts_ = builtin_parts();
  ThreadPool pool_{2};
};

MaximumCoverage random_instance(std::uint64_t seed) {
  Rng rng(seed);
  MaximumCoverage out;
  out.elements = 4 + rng.below(7);
  out.budget = 1 + rng.below(3);
  const std::size_t sets = out.budget + 2 + rng.below(5);
  for (std::size_t s = 0; s < sets; ++s) {
    auto& set = out.sets.emplace_back();
    set.insert(rng.below(out.elements));
    for (std::size_t e = 0; e < out.elements; ++e) {
      if (rng.chance(0.3)) set.insert(e);
    }
  }
  return out;
}

TEST(PaperTheorem1Test, TheBestExplanationIsTheBestCover) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const MaximumCoverage problem = random_instance(seed);
    const Reduction reduction(problem);
    const std::size_t sets = problem.sets.size();
    for (std::uint32_t chosen = 0; chosen < (1U << sets); ++chosen) {
      ASSERT_EQ(reduction.coverage(chosen), covered_by(problem, chosen)) << "seed " << seed;
    }
  }
}

TEST(PaperTheorem1Test, OnTheReductionTheGreedyChoiceKeepsItsPromise) {
  std::size_t below_best = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const MaximumCoverage problem = random_instance(seed);
    Reduction reduction(problem);
    const Explanation found = reduction.explain_by_greedy_choice();
    ASSERT_EQ(found.inputs.size(), problem.elements);
    for (const Counterfactual& c : found.counterfactuals) {
      const auto& set = problem.sets.at(*c.origin - problem.elements);
      EXPECT_THAT(c.covers, testing::ElementsAreArray(set)) << "seed " << seed;
    }
    const std::size_t best =
        best_choice(problem.sets.size(), problem.budget,
                    [&](std::uint32_t chosen) { return covered_by(problem, chosen); });
    const double share = found.metrics.coverage * static_cast<double>(problem.elements);
    EXPECT_GE(share + 1e-9, (1 - std::exp(-1)) * static_cast<double>(best)) << "seed " << seed;
    EXPECT_LE(share, static_cast<double>(best) + 1e-9) << "seed " << seed;
    below_best += share < static_cast<double>(best) - 0.5 ? 1U : 0U;
  }
  EXPECT_GT(below_best, 0U) << "else these instances are too easy to say anything";
}

TEST(PaperTheorem1Test, TheGreedyChoiceIsNotAlwaysBest) {
  // The large set in the middle tempts; the two beside it cover everything.
  const MaximumCoverage problem{8, {{0, 1, 2, 3}, {4, 5, 6, 7}, {1, 2, 3, 4, 5}}, 2};
  Reduction reduction(problem);
  EXPECT_EQ(best_choice(3, 2, [&](std::uint32_t c) { return reduction.coverage(c); }), 8U);
  EXPECT_NEAR(reduction.explain_by_greedy_choice().metrics.coverage, 7.0 / 8, 1e-12);
}

}  // namespace
}  // namespace fewedits
