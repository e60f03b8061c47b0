// SPDX-License-Identifier: MIT
// The case study: which inputs are chosen, that every distance is the edit distance, and what the
// page makes of them.
#include "fewedits/evaluate/case_study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "fewedits/fewedits.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/report/case_study_page.hpp"
#include "fewedits/report/marks.hpp"
#include "support/explained.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Graph path(const std::vector<Label>& labels) {
  std::vector<Edge> edges;
  for (Node v = 1; v < labels.size(); ++v) edges.push_back({v - 1, v});
  return {labels, edges};
}

/// Inputs and counterfactuals of one's own, with the labels A, B, C.
struct World {
  Dataset data;
  Explanation explanation;
  ThreadPool pool{1};

  World(const std::vector<Graph>& inputs, const std::vector<Graph>& counterfactuals) {
    data.name = "WORLD";
    data.domain = "generic";
    data.graphs = inputs;
    data.node_labels = {{0, "A"}, {1, "B"}, {2, "C"}};
    explanation.theta = 0.3;
    explanation.distance = "certified";
    explanation.meaning = DistanceMeaning::kProven;
    explanation.label_names = label_names(data).nodes;
    for (std::uint32_t i = 0; i < inputs.size(); ++i) {
      explanation.inputs.push_back(i);
      explanation.recourse.push_back({.input = i});
    }
    for (const Graph& graph : counterfactuals) {
      explanation.counterfactuals.emplace_back();
      explanation.counterfactuals.back().graph = graph;
      explanation.counterfactuals.back().probability = 0.75;
    }
  }

  void cover(std::size_t counterfactual, std::vector<std::uint32_t> inputs) {
    explanation.counterfactuals[counterfactual].covers = std::move(inputs);
  }
  [[nodiscard]] CaseCandidates candidates(const CaseOptions& options) {
    return {explanation, data, options, pool};
  }
  [[nodiscard]] CaseStudy choose(const CaseOptions& options) {
    return candidates(options).choose({});
  }
};

Graph with_labels(const std::vector<std::pair<Node, Label>>& changes) {
  std::vector<Label> labels(9, 0);
  for (const auto& [node, label] : changes) labels[node] = label;
  return path(labels);
}

TEST(CaseStudyTest, TakesTheCounterfactualThatCoversMostOrTheOneAskedFor) {
  World world({with_labels({{0, 1}}), with_labels({{1, 1}}), with_labels({{2, 1}})},
              {with_labels({}), with_labels({}), with_labels({})});
  world.cover(0, {2});
  world.cover(1, {0, 1});
  world.cover(2, {1, 2});
  EXPECT_EQ(world.choose({}).counterfactual, 1U);
  EXPECT_THAT(world.choose({}).inputs, ElementsAre(0, 1));
  EXPECT_THAT(world.choose({.counterfactual = 2}).inputs, ElementsAre(1, 2));
  EXPECT_THROW(world.choose({.counterfactual = 3}), Error);
  world.cover(2, {});
  EXPECT_THROW(world.choose({.counterfactual = 2}), Error);
  world.explanation.counterfactuals.clear();
  EXPECT_THROW(world.choose({}), Error);
}

TEST(CaseStudyTest, TakesInputsThatAreCloseAndDifferFromEachOther) {
  World world({with_labels({{0, 1}, {1, 1}, {2, 1}, {3, 1}}),  // many edits
               with_labels({{0, 1}}),                          // one edit: the first
               with_labels({{0, 2}}),                          // one edit at the same place
               with_labels({{8, 1}}),                          // the first one, turned round
               with_labels({{4, 2}})},                         // one edit elsewhere
              {with_labels({})});
  world.cover(0, {0, 1, 2, 3, 4});
  EXPECT_THAT(world.candidates({.inputs = 2}).inputs(), ElementsAre(1, 2, 4, 0));
  EXPECT_THAT(world.choose({.inputs = 2}).inputs, ElementsAre(1, 4));
  // The same graph twice would show nothing new.
  EXPECT_THAT(world.choose({.inputs = 5}).inputs, ElementsAre(0, 1, 2, 4));
}

TEST(CaseStudyTest, InputsForWhichMethodsFindSomethingComeFirst) {
  World world({with_labels({{0, 1}}), with_labels({{2, 1}}), with_labels({{3, 2}})},
              {with_labels({})});
  world.cover(0, {0, 1, 2});
  const CaseCandidates candidates = world.candidates({.inputs = 2});
  ASSERT_THAT(candidates.inputs(), ElementsAre(0, 1, 2));
  const CaseGraph found{with_labels({{1, 1}}), 0.6, {GedBounds{0, 1, {}}}};
  const CaseStudy study =
      candidates.choose({{.method = "first", .graphs = {std::nullopt, found, found}},
                         {.method = "second", .graphs = {std::nullopt, std::nullopt, found}},
                         {.method = "third", .reason = "it cannot"}});
  EXPECT_THAT(study.inputs, ElementsAre(1, 2));
  EXPECT_EQ(study.asked, 3U);
  ASSERT_EQ(study.locals.size(), 3U);
  EXPECT_EQ(study.locals[0].found, 2U);
  EXPECT_EQ(study.locals[1].found, 1U);
  EXPECT_FALSE(study.locals[1].graphs[0]);
  EXPECT_TRUE(study.locals[1].graphs[1]);
  EXPECT_TRUE(study.locals[2].graphs.empty());
  // What is known of a graph and its own input is where that input is.
  EXPECT_EQ(study.locals[0].graphs[1]->distances[1].upper, 1);
}

/// Small graphs around one, and others beside them as what methods found.
struct Measured {
  explicit Measured(std::uint64_t seed, int threads = 1, GedBudget budget = {})
      : world(inputs_around(seed), {target(seed)}) {
    world.cover(0, world.explanation.inputs);
    Rng rng(seed, 5);
    LocalCases local{.method = "near", .graphs = {}};
    const CaseCandidates candidates = world.candidates({});
    for (const std::uint32_t i : candidates.inputs()) {
      auto made = test::edited(world.data.graphs[i], 3, rng);
      local.graphs.emplace_back();
      if (i % 3 == 1) continue;
      local.graphs.back() = CaseGraph{
          made.graph, 0.5, {{0, 0, inverse_map(made.map, world.data.graphs[i].num_nodes())}}};
    }
    study = candidates.choose({std::move(local), {.method = "none", .reason = "it says why"}});
    ThreadPool pool(threads);
    measure_cases(world.data, budget, pool, {}, study);
  }

  static Graph target(std::uint64_t seed) {
    Rng rng(seed, 1);
    return test::random_graph(rng, 9, 4, 3);
  }
  static std::vector<Graph> inputs_around(std::uint64_t seed) {
    Rng rng(seed, 2);
    std::vector<Graph> out;
    for (int i = 0; i < 12; ++i) out.push_back(test::edited(target(seed), 3, rng).graph);
    return out;
  }
  [[nodiscard]] SimplePage page(const CaseStudyFrame& frame = {.file = "why.json"}) const {
    return case_study_page(study, world.explanation, world.data, frame);
  }
  /// Every graph with its distances.
  [[nodiscard]] std::vector<const CaseGraph*> rows() const {
    std::vector<const CaseGraph*> out{&study.global};
    for (const auto& graph : study.locals[0].graphs) {
      if (graph) out.push_back(&*graph);
    }
    return out;
  }
  [[nodiscard]] const Graph& input(std::size_t i) const {
    return world.data.graphs[study.inputs[i]];
  }

  World world;
  CaseStudy study;
};

TEST(CaseStudyTest, EveryDistanceOnThePageIsTheEditDistance) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Measured made(seed);
    const SimplePage page = made.page();
    const PageTable* table = nullptr;
    for (const PageBlock& block : page.blocks) {
      if (const auto* found = std::get_if<PageTable>(&block)) table = found;
    }
    ASSERT_NE(table, nullptr);
    const auto rows = made.rows();
    ASSERT_EQ(table->rows.size(), rows.size() + 1);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t i = 0; i < made.study.inputs.size(); ++i) {
        const GedBounds exact = edit_distance(made.input(i), rows[r]->graph);
        ASSERT_TRUE(exact.exact());
        EXPECT_EQ(table->rows[r + 1][i + 1].text, std::to_string(exact.upper));
        EXPECT_EQ(induced_cost(made.input(i), rows[r]->graph, rows[r]->distances[i].map),
                  exact.upper);
      }
    }
  }
}

TEST(CaseStudyTest, ThreadsChangeNothingAndWithoutWorkBoundsRemain) {
  const Measured one(3);
  const Measured three(3, 3);
  EXPECT_EQ(one.study.inputs, three.study.inputs);
  EXPECT_EQ(markdown_of(one.page(), "x"), markdown_of(three.page(), "x"));
  const Measured hasty(3, 1, {.work = 0});
  bool open = false;
  for (std::size_t r = 0; r < one.rows().size(); ++r) {
    for (std::size_t i = 0; i < one.study.inputs.size(); ++i) {
      const GedBounds& bounds = hasty.rows()[r]->distances[i];
      const std::int64_t exact = one.rows()[r]->distances[i].upper;
      EXPECT_LE(bounds.lower, exact);
      EXPECT_GE(bounds.upper, exact);
      open = open || !bounds.exact();
    }
  }
  const std::string text = markdown_of(hasty.page(), "x");
  EXPECT_EQ(open, text.find("a lower and an upper bound") != std::string::npos);
}

TEST(CaseStudyTest, AMapThatIsKnownIsNotLost) {
  World world({with_labels({{0, 1}})}, {with_labels({})});
  world.cover(0, {0});
  world.explanation.counterfactuals[0].proofs = {{0, 1, {0, 1, 2, 3, 4, 5, 6, 7, 8}}};
  CaseStudy study = world.choose({});
  ASSERT_EQ(study.global.distances[0].upper, 1);
  study.global.distances[0].map = {8, 7, 6, 5, 4, 3, 2, 1, 0};  // costs as little
  measure_cases(world.data, {}, world.pool, {}, study);
  EXPECT_EQ(study.global.distances[0].map, (NodeMap{8, 7, 6, 5, 4, 3, 2, 1, 0}));
  study.global.distances[0].map = {kUnmatched, 0, 1, 2, 3, 4, 5, 6, 7};
  measure_cases(world.data, {}, world.pool, {}, study);
  EXPECT_EQ(study.global.distances[0].upper, 1);
  EXPECT_TRUE(study.global.distances[0].exact());
}

TEST(CaseStudyTest, AnOverlayHasAllThatGoesAndComes) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Measured made(seed);
    for (const CaseGraph* row : made.rows()) {
      for (std::size_t i = 0; i < made.study.inputs.size(); ++i) {
        const EditScript script = edit_script(made.input(i), row->graph, row->distances[i].map);
        Overlay overlay = overlay_of(made.input(i), script);
        EXPECT_EQ(overlay.marks.nodes.size() + overlay.marks.edges.size(), script.ops.size());
        Graph changed = overlay.graph;
        for (const auto& [node, label] : overlay.becomes) changed = changed.with_label(node, label);
        for (const auto& [edge, mark] : overlay.marks.edges) {
          if (mark == Mark::kRemoved) changed = changed.without_edge(edge.first, edge.second);
        }
        for (Node v = changed.num_nodes(); v-- > 0;) {
          const auto mark = overlay.marks.nodes.find(v);
          const bool gone = mark != overlay.marks.nodes.end() && mark->second == Mark::kRemoved;
          if (gone) changed = changed.without_node(v);
        }
        EXPECT_TRUE(isomorphic(changed, row->graph));
      }
    }
  }
}

/// A study whose figures are given.
CaseStudy study_with(const World& world, const std::vector<GedBounds>& global,
                     const std::vector<std::vector<GedBounds>>& local) {
  CaseStudy out{.inputs = world.explanation.inputs};
  out.global = {with_labels({}), 0.7, global};
  LocalCases cases{.method = "near", .graphs = {}};
  for (const auto& distances : local) {
    cases.graphs.emplace_back();
    if (!distances.empty()) cases.graphs.back() = CaseGraph{with_labels({}), 0.6, distances};
  }
  out.locals = {cases};
  return out;
}

TEST(CaseStudyTest, TheSentencesSayWhatTheFiguresDo) {
  World world({with_labels({{0, 1}}), with_labels({{1, 1}})}, {with_labels({})});
  world.explanation.theta = 4.0 / 34;  // so many edits of two paths of nine nodes
  const auto say = [&](const CaseStudy& study) {
    return case_study_sentences(study, world.explanation, world.data);
  };
  EXPECT_EQ(say(study_with(world, {{3, 3, {}}, {4, 4, {}}},
                           {{{2, 2, {}}, {5, 6, {}}}, {{7, 7, {}}, {1, 3, {}}}})),
            "Counterfactual 1 is at most 4 edits from each of these 2 inputs, within theta "
            "0.11764705882352941. What is found for one of them alone is at most 3 (near) edits "
            "from that input, and at least 5 (near) from the others; 0 of these 2 distances to "
            "other inputs are within theta.");
  // What is not proven is not said.
  const std::string open =
      say(study_with(world, {{3, 5, {}}, {4, 4, {}}}, {{{1, 1, {}}, {4, 6, {}}}, {}}));
  EXPECT_THAT(open, AllOf(HasSubstr("at most 5 edits from each"),
                          HasSubstr("1 of them is proven to be within theta"),
                          HasSubstr("at most 1 (near) edit from that input"),
                          HasSubstr("at least 4 (near) from the others"),
                          HasSubstr("0 to 1 of these 1 distances")));
  const std::string none = say(study_with(world, {{3, 3, {}}, {4, 4, {}}}, {{}, {}}));
  EXPECT_THAT(none, Not(HasSubstr("alone")));
  world.explanation.meaning = DistanceMeaning::kOther;
  EXPECT_THAT(say(study_with(world, {{3, 3, {}}, {4, 4, {}}}, {{}, {}})), Not(HasSubstr("theta")));
}

TEST(CaseStudyTest, ThePageShowsEveryInputAndSaysWhatIsMissing) {
  const Measured made(2);
  const SimplePage page =
      made.page({.file = "why.json", .note = "It's \"here\".", .commands = {"fewedits a", "b"}});
  EXPECT_EQ(page.pictures().size(), made.study.inputs.size() + 1);
  const std::string text = markdown_of(page, "images/of it");
  EXPECT_THAT(text, AllOf(HasSubstr("# Case study: WORLD\n\nIt's \"here\"."),
                          HasSubstr("- none: left out, since it says why\n"),
                          HasSubstr("```\nfewedits a\nb\n```")));
  for (std::size_t i = 0; i < made.study.inputs.size(); ++i) {
    const std::string graph = std::to_string(made.study.inputs[i]);
    EXPECT_THAT(text, AllOf(HasSubstr("## Graph " + graph + "\n"),
                            HasSubstr("(images/of%20it/graph-" + graph + ".svg)")));
    const auto& found = made.study.locals[0].graphs[i];
    const std::string& svg = page.pictures()[i + 1]->svg;
    EXPECT_EQ(svg.find("data-panel=\"3\"") != std::string::npos, found.has_value());
    EXPECT_THAT(svg, AllOf(HasSubstr("data-panel=\"2\""), Not(HasSubstr("data-panel=\"4\""))));
  }
  const std::string html = html_of(page);
  EXPECT_THAT(html, AllOf(HasSubstr("<title>Case study: WORLD</title>"), HasSubstr("<svg"),
                          Not(HasSubstr("src=")), Not(HasSubstr("<script"))));
}

TEST(CaseStudyTest, NamesAreNoMarkup) {
  Measured made(2);
  made.world.data.name = "<script>x</script> a|b *c* [d](e)";
  made.study.locals[0].method = "`<b>`|";
  const SimplePage page = made.page({.file = "<i>why.json"});
  const std::string html = html_of(page);
  EXPECT_THAT(html, AllOf(Not(HasSubstr("<script>x")), Not(HasSubstr("<i>why")),
                          Not(HasSubstr("<b>`")), HasSubstr("&lt;script&gt;x")));
  const std::string text = markdown_of(page, "x");
  EXPECT_THAT(text, AllOf(Not(HasSubstr("<script>")), Not(HasSubstr("<i>")), Not(HasSubstr("<b>")),
                          HasSubstr("a\\|b \\*c\\* \\[d\\](e)")));
}

}  // namespace
}  // namespace fewedits
