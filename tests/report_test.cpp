// SPDX-License-Identifier: MIT
// The report: what it says is what the explanation says, what it marks is what the script does, and
// no picture changes its graph.
#include "fewedits/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <numeric>
#include <regex>
#include <set>

#include "fewedits/base/file.hpp"
#include "fewedits/evaluate/recourse_pairs.hpp"
#include "fewedits/proof/certificate.hpp"
#include "fewedits/report/artist.hpp"
#include "fewedits/report/edit_words.hpp"
#include "fewedits/report/label_style.hpp"
#include "fewedits/report/layout.hpp"
#include "fewedits/report/marks.hpp"
#include "fewedits/report/svg.hpp"
#include "support/explained.hpp"
#include "support/hostile_files.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

double distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

// ---- Layout ---------------------------------------------------------------------------------

TEST(LayoutTest, NoNodeLiesOnAnotherAndEveryTimeIsTheSame) {
  Rng rng(3);
  for (int i = 0; i < 60; ++i) {
    const auto nodes = static_cast<Node>(1 + rng.below(40));
    Graph g = test::random_graph(rng, nodes, rng.below(30), 3);
    // Some fall apart.
    for (int cut = 0; cut < 3 && g.num_edges() > 0; ++cut) {
      const Edge edge = g.edges()[rng.below(g.num_edges())];
      g = g.without_edge(edge.u, edge.v);
    }
    const Positions at = layout_graph(g);
    ASSERT_EQ(at.size(), g.num_nodes());
    for (Node u = 0; u < nodes; ++u) {
      ASSERT_TRUE(std::isfinite(at[u].x) && std::isfinite(at[u].y));
      for (Node v = 0; v < u; ++v) EXPECT_GE(distance(at[u], at[v]), 0.99 * kNodeGap);
    }
    EXPECT_EQ(at, layout_graph(g));
  }
  EXPECT_TRUE(layout_graph(Graph()).empty());
}

TEST(LayoutTest, APathIsDrawnLong) {
  std::vector<Edge> edges;
  for (Node v = 1; v < 12; ++v) edges.push_back({v - 1, v});
  const Positions at = layout_graph(Graph(std::vector<Label>(12, 0), edges));
  EXPECT_NEAR(distance(at.front(), at.back()), 11, 0.5);
  EXPECT_NEAR(std::abs(at.front().x - at.back().x), 11, 0.6);
}

TEST(LayoutTest, AnchoredNodesStayWhereTheyAreWanted) {
  Rng rng(5);
  const Graph g = test::random_graph(rng, 20, 5, 2);
  const Positions first = layout_graph(g);
  Anchors anchors(20);
  for (Node v = 0; v < 15; ++v) anchors[v] = Point{first[v].x + 3, first[v].y - 2};
  const Positions at = layout_graph(g, anchors);
  for (Node v = 0; v < 15; ++v) EXPECT_LT(distance(at[v], *anchors[v]), 1e-9);
  for (Node v = 15; v < 20; ++v) {
    for (Node u = 0; u < v; ++u) EXPECT_GE(distance(at[u], at[v]), 0.99 * kNodeGap);
  }
}

TEST(LayoutTest, HugeGraphsAreDrawnInNoTime) {
  Rng rng(5);
  const Graph g = test::random_graph(rng, 50'000, 5'000, 2);
  Dataset data;
  data.domain = "molecule";
  data.node_labels = {{0, "C"}, {1, "N"}};
  const Artist artist(data);
  const auto begin = std::chrono::steady_clock::now();
  const Positions at = artist.draw(g);
  EXPECT_EQ(at.size(), 50'000U);
  std::vector<Node> map(50'000, kUnmatched);
  std::iota(map.begin(), map.begin() + 40'000, Node{0});
  EXPECT_EQ(artist.draw_like(g, at, map).size(), 50'000U);
  // Moments; anything quadratic takes minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

// ---- Words and looks --------------------------------------------------------------------------

TEST(LabelStyleTest, ShortNamesAreShortAndDistinct) {
  const auto styles =
      label_styles(std::vector<std::string>{"helix", "sheet", "turn", "helium", "Ä"}, false);
  std::set<std::string> seen;
  for (const LabelStyle& s : styles) EXPECT_TRUE(seen.insert(s.short_name).second) << s.short_name;
  EXPECT_EQ(styles[1].short_name, "s");
  EXPECT_EQ(styles[0].short_name, "#0");
  EXPECT_EQ(styles[4].short_name, "Ä");
  const auto elements = label_styles(std::vector<std::string>{"C", "O", "Zz"}, true);
  EXPECT_NE(elements[0].light, elements[1].light);
  EXPECT_EQ(elements[2].short_name, "Zz");
}

TEST(LabelStyleTest, ChargesAreWrittenAsChemistsDo) {
  const auto atoms = label_styles(std::vector<std::string>{"C", "N+", "O-", "Fe+2", "Zz-12"}, true);
  EXPECT_EQ(atoms[0].short_name, "C");
  EXPECT_EQ(atoms[1].short_name, "N⁺");
  EXPECT_EQ(atoms[2].short_name, "O⁻");
  EXPECT_EQ(atoms[3].short_name, "Fe²⁺");
  EXPECT_EQ(atoms[4].short_name, "Zz¹²⁻");
}

TEST(LabelStyleTest, ANumberThatAllNodesHaveIsNotShown) {
  EXPECT_EQ(label_styles(std::vector<std::string>{"0"}, false)[0].short_name, "");
  EXPECT_EQ(label_styles(std::vector<std::string>{"person"}, false)[0].short_name, "p");
  EXPECT_EQ(label_styles(std::vector<std::string>{"0", "1"}, false)[0].short_name, "0");
}

/// C–C–N to C–O with the carbon at the end gone.
struct SmallEdit {
  Graph a{std::vector<Label>{0, 0, 1}, std::vector<Edge>{{0, 1}, {1, 2}}};
  Graph b{std::vector<Label>{0, 2, 3}, std::vector<Edge>{{0, 1}, {1, 2}}};
  EditScript script = edit_script(a, b, NodeMap{kUnmatched, 0, 1});
};

TEST(EditWordsTest, SaysWhatHappensToWhichLabels) {
  const SmallEdit e;
  EditWords words({"C", "N", "O", "H"}, true);
  std::vector<std::string> told;
  for (const auto phrase : words.tell(e.a, e.b, e.script)) told.push_back(words.phrases()[phrase]);
  EXPECT_THAT(told,
              ElementsAre("change N to O", "remove C–C bond", "remove C", "add H", "add H–O bond"));
  EditWords generic({"C", "N", "O", "H"}, false);
  told.clear();
  for (const auto p : generic.tell(e.a, e.b, e.script)) told.push_back(generic.phrases()[p]);
  EXPECT_THAT(told, ElementsAre("change N to O", "remove C–C edge", "remove C node", "add H node",
                                "add H–O edge"));
  EXPECT_EQ(words.formula({2, 1, 2}), "NO2");
  EXPECT_EQ(words.formula({3, 0, 3, 3}), "CH3");
  EXPECT_EQ(generic.formula({3, 0, 3}), "C, 2 H");
  EXPECT_EQ(EditWords({"C", "N+", "O", "O-"}, true).formula({1, 2, 3, 3, 0}), "C[N+]O[O-]2");
}

TEST(EditWordsTest, UnlabelledGraphsHaveNodesAndEdges) {
  const Graph a{std::vector<Label>{0, 0, 0}, std::vector<Edge>{{0, 1}, {1, 2}}};
  const Graph b{std::vector<Label>{0, 0}, std::vector<Edge>{{0, 1}}};
  const EditScript shrink = edit_script(a, b, NodeMap{0, 1, kUnmatched});
  const EditScript grow = edit_script(b, a, NodeMap{0, 1});
  EditWords words({"0"}, false);
  std::vector<std::string> told;
  for (const auto phrase : words.tell(a, b, shrink)) told.push_back(words.phrases()[phrase]);
  for (const auto phrase : words.tell(b, a, grow)) told.push_back(words.phrases()[phrase]);
  EXPECT_THAT(told, ElementsAre("remove edge", "remove node", "add node", "add edge"));
  EXPECT_EQ(words.formula({0, 0}), "2 nodes");
  EXPECT_EQ(words.formula({0}), "1 node");
  EXPECT_EQ(words.inventory(a), (std::map<std::string, std::int64_t>{{"nodes", 3}, {"edges", 2}}));
  // A name makes it a label.
  EditWords named({"person"}, false);
  EXPECT_EQ(named.formula({0, 0}), "2 person");
  // As do others: then the number tells them apart.
  EXPECT_EQ(EditWords({"0", "7"}, false).formula({1, 0, 1}),
            "1 node of label 0, 2 nodes of label 7");
}

TEST(EditWordsTest, CountsEditsAndParts) {
  const SmallEdit e;
  EditWords words({"C", "N", "O", "H"}, true);
  ChangeSummary summary(words);
  const auto told = words.tell(e.a, e.b, e.script);
  summary.add(e.a, e.b, e.script, told);
  summary.add(e.a, e.b, e.script, told);
  ASSERT_EQ(summary.edits().size(), 5U);
  for (const ChangeCount& c : summary.edits()) {
    EXPECT_EQ(c.times, 2U);
    EXPECT_EQ(c.inputs, 2U);
  }
  ASSERT_EQ(summary.parts().size(), 2U);
  EXPECT_EQ(summary.parts()[0].text, "C");
  EXPECT_EQ(summary.parts()[1].text, "H");
  std::map<std::string, std::int64_t> net;
  for (const BalanceCount& b : summary.balance()) net[b.text] = b.net;
  const std::map<std::string, std::int64_t> expected{
      {"C", -2},        {"N", -2},        {"O", 2},        {"H", 2},
      {"C–C bond", -2}, {"C–N bond", -2}, {"C–O bond", 2}, {"H–O bond", 2}};
  EXPECT_EQ(net, expected);
}

// ---- Pictures: what is marked is what the script does, on 200 recourses -------------------------

using Parts = std::map<std::string, std::string>;  ///< "node 3" or "edge 1-4" → class, "" if none

Parts parts_in(const std::string& svg) {
  Parts out;
  const std::regex group("<g (?:class=\"([a-z]+)\" )?data-part=\"([^\"]+)\">");
  for (auto it = std::sregex_iterator(svg.begin(), svg.end(), group); it != std::sregex_iterator();
       ++it) {
    EXPECT_TRUE(out.emplace((*it)[2], (*it)[1]).second) << (*it)[2] << " is drawn twice";
  }
  return out;
}

std::string edge_part(Node u, Node v) {
  return "edge " + std::to_string(std::min(u, v)) + "-" + std::to_string(std::max(u, v));
}

Parts unmarked(const Graph& g) {
  Parts out;
  for (Node v = 0; v < g.num_nodes(); ++v) out["node " + std::to_string(v)] = "";
  for (const Edge& e : g.edges()) out[edge_part(e.u, e.v)] = "";
  return out;
}

/// What must be marked, straight from the script.
std::pair<Parts, Parts> expected_parts(const Graph& a, const Graph& b, const EditScript& script) {
  Parts left = unmarked(a);
  Parts right = unmarked(b);
  const auto to = [&](Node id) { return script.map[id]; };
  for (const EditOp& op : script.ops) {
    using Kind = EditOp::Kind;
    if (op.kind == Kind::kRelabelNode) left.at("node " + std::to_string(op.u)) = "relabelled";
    if (op.kind == Kind::kRelabelNode) right.at("node " + std::to_string(to(op.u))) = "relabelled";
    if (op.kind == Kind::kDeleteNode) left.at("node " + std::to_string(op.u)) = "removed";
    if (op.kind == Kind::kInsertNode) right.at("node " + std::to_string(to(op.u))) = "added";
    if (op.kind == Kind::kDeleteEdge) left.at(edge_part(op.u, op.v)) = "removed";
    if (op.kind == Kind::kInsertEdge) right.at(edge_part(to(op.u), to(op.v))) = "added";
  }
  return {left, right};
}

void expect_marks_are_the_scripts(const Dataset& data, const Explanation& e, std::size_t wanted) {
  const Artist artist(data);
  const SvgPainter painter(data);
  ThreadPool pool(1);
  const std::vector<Graph> inputs = without_edge_labels(data, e.inputs);
  const auto pairs = recourse_pairs(e, data, 1'000'000, "e.json", pool);
  ASSERT_GE(pairs.size(), wanted);
  for (std::size_t i = 0; i < wanted; ++i) {
    const RecoursePair& pair = pairs[i * pairs.size() / wanted];
    const Graph& labelled = data.graphs[e.inputs[pair.input]];
    const Graph& target = e.counterfactuals[pair.counterfactual].graph;
    ASSERT_TRUE(check_certificate(inputs[pair.input], target, pair.script).holds);
    const Positions target_at = artist.draw(target);
    const Positions at = artist.draw_like(inputs[pair.input], target_at,
                                          std::span(pair.script.map).first(labelled.num_nodes()));
    ASSERT_EQ(at.size(), labelled.num_nodes());
    const std::string svg =
        painter.pair({labelled, at, "a"}, {target, target_at, "b"}, pair.script);
    const std::size_t middle = svg.find("data-side=\"right\"");
    const auto [left, right] = expected_parts(labelled, target, pair.script);
    EXPECT_EQ(parts_in(svg.substr(0, middle)), left);
    EXPECT_EQ(parts_in(svg.substr(middle)), right);
    EXPECT_EQ(parts_in(painter.graph(target, target_at)), unmarked(target));
  }
}

TEST(SvgTest, MarksAreTheScriptsOf200RecoursesAndGraphsStayWhatTheyAre) {
  const test::TemporaryFolder folder;
  const auto made = test::make_explained(folder.path() / "made", {.inputs = 220, .k = 6});
  expect_marks_are_the_scripts(made.data, made.explanation, 200);
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(SvgTest, BondsThatStayKeepTheirOrderAndAddedOnesAreNotDouble) {
  Dataset data;
  data.domain = "molecule";
  data.node_labels = {{0, "C"}, {1, "O"}};
  data.edge_labels = {{0, "single"}, {1, "double"}};
  const Graph a(std::vector<Label>{0, 1}, std::vector<Edge>{{0, 1, 1}},
                Graph::EdgeLabels::kPresent);
  const Graph b(std::vector<Label>{1, 0, 0}, std::vector<Edge>{{0, 1}, {1, 2}});
  const Positions at{{0, 0}, {1, 0}, {2, 0}};
  const EditScript script = edit_script(a.without_edge_labels(), b, NodeMap{1, 0});
  const std::string svg =
      SvgPainter(data).pair({a, {at.begin(), at.begin() + 2}, "a"}, {b, at, "b"}, script);
  const std::size_t middle = svg.find("data-side=\"right\"");
  const std::string right = svg.substr(middle);
  const auto lines = [&](const std::string& part) {
    const std::size_t begin = right.find("data-part=\"" + part + "\"");
    return times(right.substr(begin, right.find("</g>", begin) - begin), "class=\"bond");
  };
  EXPECT_EQ(lines("edge 0-1"), 2U);  // the double bond that stays
  EXPECT_EQ(lines("edge 1-2"), 1U);  // the added one
  EXPECT_EQ(times(right, "bond thick"), 1U);
  EXPECT_EQ(times(svg, "Bond orders are those of the input"), 1U);
  const std::string plain = SvgPainter(data).pair(
      {a.without_edge_labels(), {at.begin(), at.begin() + 2}, "a"}, {b, at, "b"}, script);
  EXPECT_EQ(times(plain, "Bond orders"), 0U);
}

/// Atoms and bonds with the names that molecules have.
Dataset molecules_of(std::vector<Graph> graphs) {
  Dataset data;
  data.domain = "molecule";
  data.node_labels = {{0, "C"}, {1, "N"}, {2, "O"}};
  data.edge_labels = {{0, "single"}, {1, "double"}, {2, "triple"}, {3, "aromatic"}};
  data.graphs = std::move(graphs);
  return data;
}

/// Of the group of an edge or a node.
std::string part_of(const std::string& svg, const std::string& part) {
  const std::size_t begin = svg.find("data-part=\"" + part + "\"");
  EXPECT_NE(begin, std::string::npos) << part;
  return svg.substr(begin, svg.find("</g>", begin) - begin);
}

TEST(SvgTest, AddedBondsHaveTheirOrderWhereBothSidesHaveOrders) {
  const Graph a(std::vector<Label>{0, 0}, std::vector<Edge>{{0, 1, 0}},
                Graph::EdgeLabels::kPresent);
  const Graph b(std::vector<Label>{0, 0, 0}, std::vector<Edge>{{0, 1, 0}, {1, 2, 1}},
                Graph::EdgeLabels::kPresent);
  EditCosts costs;
  costs.relabel_edge = 1;
  const Positions at{{0, 0}, {1, 0}, {2, 0}};
  const std::string svg = SvgPainter(molecules_of({a, b}))
                              .pair({a, {at.begin(), at.begin() + 2}, "a"}, {b, at, "b"},
                                    edit_script(a, b, NodeMap{0, 1}, costs));
  const std::string right = svg.substr(svg.find("data-side=\"right\""));
  EXPECT_EQ(times(part_of(right, "edge 1-2"), "class=\"bond\""), 2U);
  EXPECT_EQ(times(right, "thick\""), 0U);
}

TEST(SvgTest, SecondLinesOfRingsLieInside) {
  std::vector<Edge> edges;
  Positions at;
  for (Node v = 0; v < 6; ++v) {
    edges.push_back({std::min(v, (v + 1) % 6), std::max(v, (v + 1) % 6), 3});
    const double angle = std::numbers::pi * v / 3;
    at.push_back({std::cos(angle), std::sin(angle)});
  }
  // Cyclohexene's double bond beside benzene.
  const Graph benzene(std::vector<Label>(6, 0), edges, Graph::EdgeLabels::kPresent);
  for (Edge& e : edges) e.label = e.u == 0 && e.v == 1 ? 1 : 0;
  const Graph cyclohexene(std::vector<Label>(6, 0), edges, Graph::EdgeLabels::kPresent);
  const SvgPainter painter(molecules_of({benzene, cyclohexene}));
  const std::regex line(
      R"re(<line class="bond( aromatic)?" x1="([-.\d]+)" y1="([-.\d]+)" x2="([-.\d]+)" y2="([-.\d]+)")re");
  for (const Graph* graph : {&benzene, &cyclohexene}) {
    const std::string svg = painter.graph(*graph, at);
    std::size_t inside = 0;
    std::size_t all = 0;
    for (auto it = std::sregex_iterator(svg.begin(), svg.end(), line); it != std::sregex_iterator();
         ++it) {
      const auto number = [&](int i) { return std::stod((*it)[static_cast<std::size_t>(i)]); };
      const double middle = std::hypot((number(2) + number(4)) / 2, (number(3) + number(5)) / 2);
      ++all;
      const double side = 30 * std::cos(std::numbers::pi / 6);
      EXPECT_LT(middle, side + 0.2) << "nothing lies outside";
      inside += middle < side - 2 ? 1U : 0U;
      const bool aromatic = (*it)[1].matched;
      EXPECT_EQ(aromatic, graph == &benzene && middle < side - 2);
    }
    EXPECT_EQ(inside, graph == &benzene ? 6U : 1U);
    EXPECT_EQ(all, 6 + inside);
  }
}

TEST(SvgTest, ChargesThatBondsTellAreShown) {
  // Nitromethane.
  const Graph nitro(std::vector<Label>{0, 1, 2, 2},
                    std::vector<Edge>{{0, 1, 0}, {1, 2, 1}, {1, 3, 0}},
                    Graph::EdgeLabels::kPresent);
  const std::string svg =
      SvgPainter(molecules_of({nitro})).graph(nitro, {{0, 0}, {1, 0}, {2, 0}, {1, 1}});
  EXPECT_THAT(part_of(svg, "node 1"), testing::HasSubstr(">N⁺<"));
  EXPECT_THAT(part_of(svg, "node 2"), testing::HasSubstr(">O<"));
  EXPECT_THAT(part_of(svg, "node 3"), testing::HasSubstr(">O⁻<"));
}

TEST(SvgTest, MarksAreTheScriptsAlsoWhereLabelsAreNoElements) {
  const test::TemporaryFolder folder;
  const auto made = test::make_explained(
      folder.path() / "made",
      {.inputs = 40, .k = 3, .metadata = [](DatasetMetadata& m) { m.domain = "generic"; }});
  expect_marks_are_the_scripts(made.data, made.explanation, 40);
}

TEST(ArtistTest, WhatStaysIsInTheSamePlace) {
  const test::TemporaryFolder folder;
  const auto made = test::make_explained(folder.path() / "made", {.inputs = 100, .k = 5});
  const Explanation& e = made.explanation;
  const Artist artist(made.data);
  std::size_t kept = 0;
  std::size_t moved = 0;
  for (const Counterfactual& c : e.counterfactuals) {
    const Positions target = artist.draw(c.graph);
    for (const ProvenPair& proof : c.proofs) {
      const Positions at =
          artist.draw_like(made.data.graphs[proof.input].without_edge_labels(), target, proof.map);
      for (std::size_t v = 0; v < proof.map.size(); ++v) {
        if (proof.map[v] == kUnmatched) continue;
        ++kept;
        moved += distance(at[v], target[proof.map[v]]) > 0.3 ? 1U : 0U;
      }
    }
  }
  EXPECT_LT(20 * moved, kept) << moved << " of " << kept;
}

TEST(ArtistTest, WhatStaysOfAnInputIsInTheSamePlaceOfTheCounterfactual) {
  const test::TemporaryFolder folder;
  const auto made = test::make_explained(folder.path() / "made", {.inputs = 100, .k = 5});
  const Artist artist(made.data);
  std::size_t kept = 0;
  std::size_t moved = 0;
  for (const Counterfactual& c : made.explanation.counterfactuals) {
    for (const ProvenPair& proof : c.proofs) {
      const Graph input = made.data.graphs[proof.input].without_edge_labels();
      const Positions from = artist.draw(input);
      const Positions to = artist.draw_changed(input, from, c.graph, proof.map);
      ASSERT_EQ(to.size(), c.graph.num_nodes());
      // Hardly worse than alone.
      EXPECT_LE(flaws(c.graph, to), flaws(c.graph, artist.draw(c.graph)) + 2.5) << proof.input;
      if (!input.is_connected()) continue;  // its parts lie side by side
      for (std::size_t v = 0; v < proof.map.size(); ++v) {
        if (proof.map[v] == kUnmatched) continue;
        ++kept;
        moved += distance(from[v], to[proof.map[v]]) > 0.3 ? 1U : 0U;
      }
    }
  }
  // A ring that closes is drawn anew.
  EXPECT_LT(5 * moved, kept) << moved << " of " << kept;
}

// ---- Data -----------------------------------------------------------------------------------

class ReportTest : public testing::Test {
 protected:
  std::string text(const Explanation& e, const Dataset& data, const std::string& file = "e.json") {
    auto pairs = recourse_pairs(e, data, kMaxReportedNodes, file, pool_);
    return report_json(std::vector<ReportedExplanation>{{e, file, std::move(pairs), {}}}, data,
                       pool_);
  }
  Json report(const Explanation& e, const Dataset& data) { return Json::parse(text(e, data)); }
  std::string error_of_report(const Explanation& e, const Dataset& data) {
    return test::error_of([&] { (void)report(e, data); });
  }

  test::TemporaryFolder folder_;
  ThreadPool pool_{1};
  test::Explained made_ = test::make_explained(folder_.path() / "made", {.inputs = 60, .k = 5});
};

/// Whoever waits for the end of a run does not wait for its page.
TEST_F(ReportTest, APageThatNobodyWaitsForIsNotMade) {
  const Explanation& e = made_.explanation;
  const auto pairs = recourse_pairs(e, made_.data, kMaxReportedNodes, "e.json", pool_);
  StopSign sign;
  sign.set();
  const StopScope scope(pool_, &sign);
  EXPECT_THROW((void)recourse_pairs(e, made_.data, kMaxReportedNodes, "e.json", pool_), Stopped);
  EXPECT_THROW((void)report_json(std::vector<ReportedExplanation>{{e, "e.json", pairs, {}}},
                                 made_.data, pool_),
               Stopped);
}

TEST_F(ReportTest, SaysWhatTheExplanationSays) {
  const Explanation& e = made_.explanation;
  const Json json = report(e, made_.data);
  EXPECT_EQ(json["format"], "fewedits.report/3");
  EXPECT_EQ(json["kind"], "molecule");
  const Json& summary = json["explanations"][0];
  EXPECT_EQ(summary["metrics"]["coverage"], e.metrics.coverage);
  EXPECT_EQ(summary["metrics"]["coverage_upper"], *e.metrics.coverage_upper);
  EXPECT_EQ(summary["metrics"]["by_k"].size(), 5U);
  EXPECT_EQ(summary["inputs"], 60);
  EXPECT_EQ(summary["trace"].size(), e.trace.size());
  EXPECT_EQ(summary["refinement"].size(), e.refinement.size());
  EXPECT_FALSE(summary.contains("seconds"));
  ASSERT_EQ(json["counterfactuals"].size(), 5U);
  for (std::size_t c = 0; c < 5; ++c) {
    const Json& row = json["counterfactuals"][c];
    const Counterfactual& from = e.counterfactuals[c];
    EXPECT_EQ(row["covers"], from.covers.size());
    // Every input has one counterfactual within reach.
    EXPECT_EQ(row["only"], from.covers.size());
    EXPECT_EQ(row["probability"], from.probability);
    EXPECT_EQ(row["labels"].size(), from.graph.num_nodes());
    EXPECT_EQ(row["edges"].size(), 2 * from.graph.num_edges());
    EXPECT_EQ(row["xy"].size(), 2 * from.graph.num_nodes());
    EXPECT_EQ(json["pairs"][c].size(), from.proofs.size());
  }
  EXPECT_EQ(json["inputs"].size(), 60U);
  EXPECT_EQ(json["recourse"].size(), 60U);
  EXPECT_EQ(json["pairs_left_out"], 0);
}

/// Carries the steps of every pair out, as the page tells them.
void expect_pairs_lead_there(const Json& json, const Dataset& data, const Explanation& e) {
  std::size_t pairs = 0;
  for (std::size_t c = 0; c < json["pairs"].size(); ++c) {
    const Graph& target = e.counterfactuals[c].graph;
    double last = 0;
    for (const Json& pair : json["pairs"][c]) {
      const Graph start = data.graphs[e.inputs[pair["input"].get<std::size_t>()]];
      EXPECT_EQ(pair["xy"].size(), 2 * start.num_nodes());
      EditScript script;
      for (const Json& to : pair["map"]) script.map.push_back(static_cast<Node>(to.get<int>()));
      for (const Json& op : pair["ops"]) {
        EditOp edit{static_cast<EditOp::Kind>(op[0].get<int>()), op[1], op[2], 0};
        const bool labels =
            edit.kind == EditOp::Kind::kInsertNode || edit.kind == EditOp::Kind::kRelabelNode;
        if (labels) edit.label = target.label(script.map[edit.u]);
        EXPECT_LT(op[3].get<std::size_t>(), json["phrases"].size());
        script.ops.push_back(edit);
      }
      EXPECT_TRUE(check_certificate(start.without_edge_labels(), target, script).holds);
      if (pair["covered"] == 1 && !pair["distance"].is_null()) {
        EXPECT_GE(pair["distance"].get<double>(), last) << "nearest first";
        last = pair["distance"];
      }
      ++pairs;
    }
  }
  EXPECT_GT(pairs, 0U);
}

TEST_F(ReportTest, ItsStepsLeadFromTheInputsToTheCounterfactuals) {
  expect_pairs_lead_there(report(made_.explanation, made_.data), made_.data, made_.explanation);
}

TEST_F(ReportTest, WithoutProofsItFindsEdits) {
  Explanation e = made_.explanation;
  e.distance = "greed";
  e.meaning = DistanceMeaning::kEstimate;
  for (Counterfactual& c : e.counterfactuals) c.proofs.clear();
  for (Recourse& r : e.recourse) r.proof.reset();
  e.metrics.coverage_upper.reset();
  const Json json = report(e, made_.data);
  expect_pairs_lead_there(json, made_.data, e);
  EXPECT_GT(json["found_coverage"].get<double>(), 0.5);
  EXPECT_FALSE(json["explanations"][0]["metrics"].contains("coverage_upper"));
  e.meaning = DistanceMeaning::kOther;
  EXPECT_FALSE(report(e, made_.data).contains("found_coverage")) << "theta says nothing of edits";
}

TEST_F(ReportTest, ChangesCountTheEditsOfCoveredInputs) {
  const Json json = report(made_.explanation, made_.data);
  std::size_t edits = 0;
  std::size_t covered = 0;
  for (const Recourse& r : made_.explanation.recourse) {
    if (!r.covered) continue;
    edits += r.proof->script->ops.size();
    ++covered;
  }
  std::size_t told = 0;
  for (const Json& row : json["changes"]["edits"]) told += row[2].get<std::size_t>();
  EXPECT_EQ(json["changes"]["recourses"], covered);
  ASSERT_LT(json["changes"]["edits"].size(), 200U) << "the list is cut there";
  EXPECT_EQ(told, edits);
}

TEST_F(ReportTest, TheTraceTellsOfOneOfHalfAndOfAll) {
  for (const auto& [k, sizes] :
       std::map<std::size_t, std::vector<std::size_t>>{{5, {1, 3, 5}}, {2, {1, 2}}, {1, {1}}}) {
    Explanation e = made_.explanation;
    e.trace = {{1000, 9, 0.9, {0.1, 0.2, 0.3, 0.4, 0.5}}};
    while (e.counterfactuals.size() > k) e.counterfactuals.pop_back();
    for (Recourse& r : e.recourse) {
      if (r.counterfactual >= k) r = {r.input, Recourse::kNone, INFINITY, false, {}};
    }
    const Json json = report(e, made_.data)["explanations"][0];
    EXPECT_EQ(json["trace_k"], Json(sizes));
    const Json& row = json["trace"][0];
    ASSERT_EQ(row.size(), 3 + sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_DOUBLE_EQ(row[3 + i].get<double>(), 0.1 * static_cast<double>(sizes[i]));
    }
  }
}

TEST_F(ReportTest, WithoutRecoursesThereIsNoReport) {
  Explanation e = made_.explanation;
  e.recourse.clear();
  EXPECT_THAT(error_of_report(e, made_.data), HasSubstr("0 recourses for 60 inputs"));
}

TEST_F(ReportTest, BeyondTheLimitTheNearestPairsStay) {
  const Explanation& e = made_.explanation;
  const std::vector<Graph> inputs = without_edge_labels(made_.data, e.inputs);
  EXPECT_EQ(recourse_pairs(e, made_.data, 1'000'000, "e", pool_).size(), listed_pairs(e).size());
  EXPECT_EQ(recourse_pairs(e, made_.data, kAllNodes, "e", pool_).size(), listed_pairs(e).size());
  const auto few = recourse_pairs(e, made_.data, 300, "e", pool_);
  std::size_t nodes = 0;
  std::size_t covered = 0;
  double farthest_shown = 0;
  double nearest_hidden = 1;
  for (const RecoursePair& pair : few) {
    EXPECT_TRUE(pair.nearest && pair.covered);
    EXPECT_EQ(static_cast<double>(pair.script.ops.size()),
              std::round(*pair.distance *
                         static_cast<double>(inputs[pair.input].size() +
                                             e.counterfactuals[pair.counterfactual].graph.size())));
    ++covered;
    if (pair.shown) nodes += inputs[pair.input].num_nodes();
    if (pair.shown) farthest_shown = std::max(farthest_shown, *pair.distance);
    if (!pair.shown) nearest_hidden = std::min(nearest_hidden, *pair.distance);
  }
  EXPECT_LE(nodes, 300U);
  EXPECT_GT(nodes, 200U);
  EXPECT_LE(farthest_shown, nearest_hidden);
  // All of them count as changes, shown or not.
  EXPECT_EQ(covered, static_cast<std::size_t>(
                         std::count_if(e.recourse.begin(), e.recourse.end(),
                                       [](const Recourse& recourse) { return recourse.covered; })));
}

TEST_F(ReportTest, ProofsThatAreNotWhatTheyClaimAreNamed) {
  Explanation e = made_.explanation;
  e.counterfactuals[1].proofs[0].edits += 1;
  EXPECT_THAT(error_of_report(e, made_.data),
              AllOf(HasSubstr("e.json"), HasSubstr("graph 1"), HasSubstr("costs something else"),
                    HasSubstr("fewedits-verify")));
  e.counterfactuals[1].proofs[0].map.pop_back();
  EXPECT_THAT(error_of_report(e, made_.data), HasSubstr("does not fit"));
  e.counterfactuals[1].proofs.clear();
  EXPECT_THAT(error_of_report(e, made_.data), HasSubstr("is missing"));
}

TEST_F(ReportTest, ADatasetThatDoesNotFitIsRefused) {
  Dataset small = made_.data;
  small.graphs.resize(3);
  EXPECT_THAT(error_of_report(made_.explanation, small), HasSubstr("the dataset has 3 graphs"));
  Dataset renamed = made_.data;
  renamed.node_labels[0].name = "Xx";
  EXPECT_THAT(error_of_report(made_.explanation, renamed), HasSubstr("other node labels"));
  // Also where no pairs are asked for.
  const std::vector<ReportedExplanation> reported{{made_.explanation, "e.json", {}, {}}};
  const auto error_alone = [&](const Dataset& data) {
    return test::error_of([&] { (void)report_json(reported, data, pool_); });
  };
  EXPECT_THAT(error_alone(small),
              AllOf(HasSubstr("e.json"), HasSubstr("the dataset has 3 graphs")));
  EXPECT_THAT(error_alone(renamed), HasSubstr("other node labels"));
}

TEST_F(ReportTest, WhatIsNotShownIsCounted) {
  const Explanation& e = made_.explanation;
  const auto pairs = recourse_pairs(e, made_.data, 300, "e.json", pool_);
  std::size_t shown = 0;
  for (const RecoursePair& pair : pairs) shown += pair.shown ? 1U : 0U;
  ASSERT_LT(shown, pairs.size());
  const std::vector<ReportedExplanation> reported{{e, "e.json", pairs, {}}};
  const Json json = Json::parse(report_json(reported, made_.data, pool_));
  std::size_t told = 0;
  for (const Json& of_one : json["pairs"]) told += of_one.size();
  EXPECT_EQ(told, shown);
  EXPECT_EQ(json["pairs_left_out"], listed_pairs(e).size() - shown);
}

TEST_F(ReportTest, TheCommandIsQuotedForAShell) {
  Explanation e = made_.explanation;
  e.provenance.dataset_path = "it's here/AIDS";
  e.provenance.options = {{"k", "3"}, {"no-refine", ""}, {"constraint", "labels=C,N"}};
  EXPECT_EQ(
      reproducing_command(e),
      "fewedits explain --dataset 'it'\\''s here/AIDS' --model model.pt --method gcf --distance "
      "certified --seed 1 --k 3 --no-refine --constraint labels=C,N -o explanation.json");
}

TEST_F(ReportTest, NoPartOfTheCommandRunsAnythingElse) {
  const std::string hostile = "x; touch 'made'\n$(touch made)`touch made`";
  const test::TemporaryFolder folder;
  Explanation e = made_.explanation;
  e.method = e.distance = hostile;
  e.provenance.dataset_path = e.provenance.model_path = hostile;
  e.provenance.distance_model_path = hostile;
  e.provenance.options = {{hostile, ""},        {hostile, hostile},
                          {"seed", "--resume"}, {"output", "victim"},
                          {"report", "victim"}, {"constraint", "\x1b[201~\n"}};
  const std::string command = reproducing_command(e);
  EXPECT_THAT(command, Not(HasSubstr("victim")));
  EXPECT_THAT(command, HasSubstr(" --seed=--resume "));
  EXPECT_TRUE(std::ranges::none_of(command, [](char c) { return c >= 0 && c < ' '; })) << command;
  // A shell takes it for one command, whose words are what was recorded.
  folder.write("fewedits", "#!/bin/bash\nprintf '%s\\0' \"$@\" > words\n");
  std::filesystem::permissions(folder.path() / "fewedits", std::filesystem::perms::owner_all);
  const std::string script = "cd '" + folder.path().string() + "'\nPATH=$PWD:$PATH\n" + command;
  ASSERT_EQ(std::system(("bash " + folder.write("script", script).string()).c_str()), 0);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "made"));
  const std::string words = read_file(folder.path() / "words");
  for (const std::string& word : {hostile, "--" + hostile, std::string("\x1b[201~\n")}) {
    EXPECT_THAT(words, HasSubstr('\0' + word + '\0'));
  }
}

// ---- The page -------------------------------------------------------------------------------

TEST_F(ReportTest, NoTextOfAFileBecomesMarkup) {
  const std::string hostile = "</script><script>alert(\"'1'\")</script>";
  const auto made = test::make_explained(
      folder_.path() / "hostile", {.inputs = 20, .k = 2, .metadata = [&](DatasetMetadata& m) {
                                     m.domain = "generic";
                                     for (auto& [value, name] : m.node_label_names) name += hostile;
                                     m.name = hostile;
                                   }});
  const std::string json = text(made.explanation, made.data, hostile + "/*DATA*/.json");
  const std::string page = report_html(json);
  const std::string plain = report_html("{}");
  EXPECT_THAT(page, Not(HasSubstr("alert(\"'1'\")</script>")));
  EXPECT_EQ(times(page, "<script"), times(plain, "<script"));
  EXPECT_EQ(times(page, "</script"), times(plain, "</script"));
  // What the page holds is the same data.
  const std::string open = "id=\"data\">";
  const std::size_t begin = page.find(open) + open.size();
  EXPECT_EQ(Json::parse(page.substr(begin, page.find("</script", begin) - begin)),
            Json::parse(json));
}

/// The number counts neighbours at every step, cached ones too: most were not evaluated then.
TEST_F(ReportTest, NeighboursAreNotCalledEvaluated) {
  const std::string page = report_html("{}");
  EXPECT_EQ(times(page, "neighbours the walk chose among"), 2U);
  EXPECT_THAT(page, Not(HasSubstr("graphs evaluated")));
}

TEST_F(ReportTest, ThePageLoadsNothing) {
  const std::string page = report_html(text(made_.explanation, made_.data));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
  EXPECT_THAT(page, Not(HasSubstr("innerHTML")));
}

}  // namespace
}  // namespace fewedits
