// SPDX-License-Identifier: MIT
// Rules, where they apply, what they make and how they are counted, against slow and obvious
// versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "fewedits/base/error.hpp"
#include "fewedits/edit/moves.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/rules/figures.hpp"
#include "fewedits/rules/measure.hpp"
#include "fewedits/rules/rule_json.hpp"
#include "fewedits/rules/rule_text.hpp"
#include "fewedits/rules/rule_words.hpp"
#include "support/fake_classifier.hpp"
#include "support/random_rule.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using test::random_graph;
using test::random_rule;

const RuleNames kNames{{"A", "B", "C", "D"}, {}};
const RuleNames kBondNames{{"A", "B", "C", "D"}, {"single", "double", "strange bond"}};

Rule rule(std::string_view text) { return parse_rule(text, kNames); }

Graph graph(std::vector<Label> labels, std::vector<Edge> edges) { return {labels, edges}; }

// ---- The slow, obvious versions ----------------------------------------------------------------

/// Every map of L into the graph, one to one, that is an occurrence.
std::vector<Image> all_occurrences(const Graph& g, const Rule& r) {
  std::vector<Node> before;
  for (Node v = 0; v < r.size(); ++v) {
    if (!r.nodes()[v].comes()) before.push_back(v);
  }
  std::vector<Image> out;
  Image image;
  image.fill(kNoNode);
  const auto is_occurrence = [&] {
    for (const Node v : before) {
      if (g.label(image[v]) != r.nodes()[v].before) return false;
      std::size_t edges = 0;
      for (const RuleEdge& e : r.edges()) edges += (e.u == v || e.v == v) && !e.comes() ? 1U : 0U;
      if (r.nodes()[v].goes() && g.degree(image[v]) != edges) return false;
    }
    for (const RuleEdge& e : r.edges()) {
      if (r.nodes()[e.u].comes() || r.nodes()[e.v].comes()) continue;
      const Node a = image[e.u];
      const Node b = image[e.v];
      if (g.has_edge(a, b) == e.comes()) return false;
      if (!e.comes() && g.edge_label(a, b) != e.before) return false;
    }
    return true;
  };
  const std::function<void(std::size_t)> place = [&](std::size_t i) {
    if (i == before.size()) {
      if (is_occurrence()) out.push_back(image);
      return;
    }
    for (Node v = 0; v < g.num_nodes(); ++v) {
      if (std::find(image.begin(), image.end(), v) != image.end()) continue;
      image[before[i]] = v;
      place(i + 1);
      image[before[i]] = kNoNode;
    }
  };
  place(0);
  return out;
}

/// What comes out, by the numbers that nodes had.
struct Numbered {
  std::map<Node, Label> nodes;
  std::map<std::pair<Node, Node>, Label> edges;
  friend auto operator<=>(const Numbered&, const Numbered&) = default;
};

Numbered slow_result(const Graph& g, const Rule& r, const Image& image,
                     const std::vector<Node>& order_of_new) {
  Numbered out;
  for (Node v = 0; v < g.num_nodes(); ++v) out.nodes[v] = g.label(v);
  for (const Edge& e : g.edges()) out.edges[{e.u, e.v}] = e.label;
  Image now = image;
  std::size_t come = 0;
  for (Node v = 0; v < r.size(); ++v) {
    if (r.nodes()[v].comes()) now[v] = g.num_nodes() + order_of_new[come++];
    out.nodes[now[v]] = r.nodes()[v].after;
  }
  for (const RuleEdge& e : r.edges()) out.edges[std::minmax(now[e.u], now[e.v])] = e.after;
  std::erase_if(out.nodes, [](const auto& node) { return node.second == kAbsent; });
  std::erase_if(out.edges, [](const auto& edge) { return edge.second == kAbsent; });
  return out;
}

/// All orders of the graph's nodes that only exchange leaves which are alike.
std::vector<std::vector<Node>> twin_orders(const Graph& g) {
  std::vector<Node> order(g.num_nodes());
  std::iota(order.begin(), order.end(), Node{0});
  std::vector<std::vector<Node>> out;
  do {
    bool fits = true;
    for (Node v = 0; v < order.size() && fits; ++v) {
      const Node w = order[v];
      if (w == v) continue;
      fits = g.degree(v) == 1 && g.degree(w) == 1 && g.label(v) == g.label(w) &&
             g.neighbours(v)[0] == g.neighbours(w)[0] && g.neighbours(v)[0] != w &&
             g.edge_label(v, g.neighbours(v)[0]) == g.edge_label(w, g.neighbours(w)[0]);
    }
    if (fits) out.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return out;
}

/// Of each occurrence, something that those at one place share and no others.
std::map<Image, Numbered> slow_places(const Graph& g, const Rule& r) {
  const auto twins = twin_orders(g);
  std::size_t come = 0;
  for (const RuleNode& v : r.nodes()) come += v.comes() ? 1U : 0U;
  std::map<Image, Numbered> out;
  for (const Image& image : all_occurrences(g, r)) {
    std::vector<Numbered> same;
    for (const std::vector<Node>& order : twins) {
      Image moved = image;
      for (Node& v : moved) v = v == kNoNode ? v : order[v];
      std::vector<Node> of_new(come);
      std::iota(of_new.begin(), of_new.end(), Node{0});
      do {
        same.push_back(slow_result(g, r, moved, of_new));
      } while (std::next_permutation(of_new.begin(), of_new.end()));
    }
    out[image] = *std::min_element(same.begin(), same.end());
  }
  return out;
}

Graph as_graph(const Numbered& numbered, bool has_labels) {
  std::map<Node, Node> place;
  std::vector<Label> labels;
  for (const auto& [v, label] : numbered.nodes) {
    place[v] = static_cast<Node>(labels.size());
    labels.push_back(label);
  }
  std::vector<Edge> edges;
  for (const auto& [ends, label] : numbered.edges) {
    edges.push_back({place.at(ends.first), place.at(ends.second), label});
  }
  return {labels, edges, has_labels ? Graph::EdgeLabels::kPresent : Graph::EdgeLabels::kAbsent};
}

// ---- The value ---------------------------------------------------------------------------------

TEST(Rule, TheNumbersOfItsNodesMakeNoDifference) {
  Rng rng(1);
  for (int i = 0; i < 500; ++i) {
    const Rule one = random_rule(rng, 3, i % 2 == 0 ? 0 : 2);
    const auto order = test::random_permutation(rng, static_cast<Node>(one.size()));
    std::vector<RuleNode> nodes(one.size());
    for (Node v = 0; v < one.size(); ++v) nodes[order[v]] = one.nodes()[v];
    std::vector<RuleEdge> edges = one.edges();
    for (RuleEdge& e : edges) e = {order[e.u], order[e.v], e.before, e.after};
    rng.shuffle(std::span(edges));
    EXPECT_EQ(Rule(nodes, edges), one);
  }
}

TEST(Rule, RulesThatDoDifferentThingsDiffer) {
  EXPECT_EQ(rule("A-[B>C]"), rule("[B>C]-A"));
  EXPECT_NE(rule("A-[B>C]"), rule("A-[C>B]"));
  EXPECT_NE(rule("A-[B>C]"), rule("[A>C]-B"));
  EXPECT_NE(rule("A-[>B]"), rule("A-[B>]"));
  EXPECT_NE(rule("A-A-[A>B]"), rule("A-[A>B]-A"));
}

TEST(Rule, CostsWhatItEdits) {
  const Rule swap = rule("A-[B>C]");
  EXPECT_EQ(swap.cost(), 1);
  EXPECT_EQ(swap.size_change(), 0);
  EXPECT_FALSE(swap.removes());
  const Rule grow = rule("A(-[>B]-[>C])-[D>]");
  EXPECT_EQ(grow.cost(), 6);
  EXPECT_EQ(grow.size_change(), 2);
  EXPECT_TRUE(grow.removes());
  EXPECT_EQ(grow.nodes_before(), 2U);
  const Rule bond = parse_rule("A{=>-}B", kBondNames);
  EXPECT_EQ(bond.cost(), 1);
  EXPECT_EQ(bond.size_change(), 0);
}

TEST(Rule, TheWayBackOfTheWayBackIsTheRule) {
  Rng rng(2);
  int checked = 0;
  for (int i = 0; i < 400; ++i) {
    const Rule one = random_rule(rng, 3, 2);
    try {
      EXPECT_EQ(one.inverse().inverse(), one);
      EXPECT_EQ(one.inverse().cost(), one.cost());
      EXPECT_EQ(one.inverse().size_change(), -one.size_change());
      ++checked;
    } catch (const Error&) {
      // R is not connected.
      EXPECT_FALSE(one.right(Graph::EdgeLabels::kAbsent).is_connected());
    }
  }
  EXPECT_GT(checked, 100);
}

TEST(Rule, RefusesWhatIsNone) {
  const auto why = [](std::vector<RuleNode> nodes, std::vector<RuleEdge> edges) -> std::string {
    try {
      Rule(std::move(nodes), std::move(edges));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  using testing::HasSubstr;
  EXPECT_THAT(why({{1, 1}}, {}), HasSubstr("changes nothing"));
  EXPECT_THAT(why({{kAbsent, 1}}, {}), HasSubstr("nothing that it applies to"));
  EXPECT_THAT(why({{1, kAbsent}}, {}), HasSubstr("nothing stays"));
  EXPECT_THAT(why({{1, 2}, {1, 1}}, {}), HasSubstr("not connected"));
  EXPECT_THAT(why({{1, 1}, {1, 1}}, {{0, 1, kAbsent, 0}}), HasSubstr("not connected"));
  EXPECT_THAT(why({{1, 1}, {kAbsent, 1}}, {}), HasSubstr("joined to nothing"));
  EXPECT_THAT(why({{1, 1}, {1, kAbsent}}, {{0, 1, 0, 0}}), HasSubstr("stays without"));
  EXPECT_THAT(why({{1, 1}, {kAbsent, 1}}, {{0, 1, 0, 0}}), HasSubstr("before one of its nodes"));
  EXPECT_THAT(why({{1, 1}, {1, 2}}, {{0, 1, 0, 0}, {1, 0, 0, 0}}), HasSubstr("twice"));
  EXPECT_THAT(why({{1, 1}, {kAbsent, kAbsent}}, {}), HasSubstr("neither"));
  std::vector<RuleNode> nine(9, {0, 0});
  nine[0].after = 1;
  std::vector<RuleEdge> chain;
  for (Node v = 1; v < 9; ++v) chain.push_back({v - 1, v, 0, 0});
  EXPECT_THAT(why(nine, chain), HasSubstr("more than 8"));
}

TEST(RuleText, IsReadAsItIsWritten) {
  Rng rng(3);
  for (int i = 0; i < 1000; ++i) {
    const bool bonds = i % 2 == 0;
    const Rule one = random_rule(rng, 4, bonds ? 3 : 0);
    const RuleNames& names = bonds ? kBondNames : kNames;
    EXPECT_EQ(parse_rule(rule_text(one, names), names), one) << rule_text(one, names);
  }
  const RuleNames odd{{"1", "a>b]", "x\\"}, {}};
  for (int i = 0; i < 200; ++i) {
    const Rule one = random_rule(rng, 3, 0);
    EXPECT_EQ(parse_rule(rule_text(one, odd), odd), one) << rule_text(one, odd);
  }
}

TEST(RuleText, SaysWhatIsWrong) {
  for (const auto& [text, why] :
       std::vector<std::pair<std::string, std::string>>{{"A-X", "no label 'X'"},
                                                        {"A-[B>C", "not closed"},
                                                        {"A(-[B>C]", "not closed"},
                                                        {"A1-[B>C]", "ring 1 is not closed"},
                                                        {"A-B", "changes nothing"},
                                                        {"-A", "begins with a bond"},
                                                        {"A=[B>C]", "no labels here"},
                                                        {"", "nothing that it applies to"},
                                                        {"A-[B>C])", "what is"}}) {
    try {
      rule(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(why)) << text;
    }
  }
}

TEST(RuleWords, SayWhatIsDone) {
  const RuleNames atoms{{"C", "O", "N", "H", "Na", "Cl", "N+"}, {"single", "double"}};
  const auto words = [&](std::string_view text) {
    return rule_words(parse_rule(text, atoms), atoms, true);
  };
  EXPECT_EQ(words("O-[>Na]"), "attach sodium to an oxygen");
  EXPECT_EQ(words("C=[>O]"), "attach oxygen to a carbon by a double bond");
  EXPECT_EQ(words("[C>N]"), "turn a carbon into nitrogen");
  EXPECT_EQ(words("N-[H>Cl]"), "replace hydrogen at a nitrogen by chlorine");
  EXPECT_EQ(words("C-[Cl>H]"), "replace chlorine at a carbon by hydrogen");
  EXPECT_EQ(words("C-[Cl>]"), "remove chlorine from a carbon");
  EXPECT_EQ(words("C(-[Cl>])-[>O]"), "replace chlorine at a carbon by oxygen");
  EXPECT_EQ(words("C-[>O]-[>Na]"), "attach O-Na to a carbon");
  // Hydrogens are told with their atoms, or follow.
  EXPECT_EQ(words("C-[H>O]-[>H]"), "replace hydrogen at a carbon by OH");
  EXPECT_EQ(words("C-[>N](-[>H])-[>H]"), "attach NH2 to a carbon");
  EXPECT_EQ(words("[H>]-[C>N]"), "turn a carbon into nitrogen");
  EXPECT_EQ(words("C-[H>C](-[>H])-[>O]-[>H]"),
            "replace hydrogen at a carbon by CH and attach OH to the new carbon");
  EXPECT_EQ(words("C{=>-}O"), "make the double bond between a carbon and an oxygen single");
  EXPECT_EQ(words("C1-C-C{>-}1"), "join a carbon and a carbon (in C-C-C)");
  EXPECT_EQ(words("C{->}N"), "cut the bond between a carbon and a nitrogen");
  EXPECT_EQ(words("[N+>N]"), "turn a nitrogen (N+) into nitrogen");
  EXPECT_EQ(words("C-N-[H>Cl]").substr(0, 42), "replace hydrogen at a nitrogen by chlorine");
  EXPECT_THAT(words("C-N-[H>Cl]"), testing::EndsWith("(in C-N-H)"));
  EXPECT_EQ(words("C1-C-C{->}1"),
            "cut the bond between a carbon and a carbon (in the ring C1-C-C-1)");
  EXPECT_EQ(rule_words(rule("A1-A-B{->}1"), kNames, false),
            "cut the edge between a node A and a node B (in the ring A1-A-B-1)");
  EXPECT_EQ(rule_words(rule("A-[>B]"), kNames, false), "attach B to a node A");
  EXPECT_EQ(rule_words(rule("A-[B>C]"), kNames, false), "relabel a node B at a node A as C");
}

TEST(RuleWords, NameGroups) {
  const RuleNames written{{"C", "O", "N", "H", "N+", "O-"}, {"single", "double", "triple"}};
  const auto words = [&](std::string_view text) {
    return rule_words(parse_rule(text, written), written, true);
  };
  EXPECT_EQ(words("C-[N>H](=[O>])=[O>]"), "replace nitro at a carbon by hydrogen");
  EXPECT_EQ(words("C-[N+>H](=[O>])-[O->]"), "replace nitro at a carbon by hydrogen");
  EXPECT_EQ(words("C-[N>H](-[H>])-[H>]"), "replace NH2 at a carbon by hydrogen");
  EXPECT_EQ(words("C-[>N](=[>O])=[>O]"), "attach nitro to a carbon");
  EXPECT_EQ(words("C(-[H>])-[>N](=[>O])=[>O]"), "replace hydrogen at a carbon by nitro");
  EXPECT_EQ(words("C-[O>](-[C>](-[H>])(-[H>])-[H>])"), "remove methoxy from a carbon");
  EXPECT_EQ(words("C-[H>C](-[>H])=[>O]"), "replace hydrogen at a carbon by formyl");
  EXPECT_EQ(words("C-C-[>N](=[>O])=[>O]"), "attach nitro to a carbon (in C-C)");
  // What else hangs on the part: it is no nitro group.
  EXPECT_THAT(words("C-[N>H](=[O>])-O"), testing::Not(testing::HasSubstr("nitro at")));
  // Where hydrogens are implied, a part has those that it needs.
  const RuleNames implied{{"C", "O", "N"}, {"single", "double"}};
  EXPECT_EQ(rule_words(parse_rule("C-[>O]-[>C]", implied), implied, true),
            "attach methoxy to a carbon");
  EXPECT_EQ(rule_words(parse_rule("C=[>C]-[>O]", implied), implied, true),
            "attach C-O to a carbon");
}

// ---- Where it applies, and what it makes -------------------------------------------------------

class AgainstTheSlowVersion : public testing::TestWithParam<int> {};

TEST_P(AgainstTheSlowVersion, OccurrencesPlacesAndResultsAreTheSame) {
  const bool bonds = GetParam() % 2 == 1;
  Rng rng(100, static_cast<std::uint64_t>(GetParam()));
  std::size_t found = 0;
  for (int i = 0; i < 400; ++i) {
    const Graph g =
        random_graph(rng, 3 + static_cast<Node>(rng.below(4)), rng.below(4), 2, bonds ? 2 : 0);
    const RuleMatcher matcher(random_rule(rng, 2, bonds ? 2 : 0, 4));
    const Rule& r = matcher.rule();
    std::set<Image> is;
    matcher.visit(g, [&](const Image& image) {
      EXPECT_TRUE(is.insert(image).second) << "twice";
      return true;
    });
    const auto slow = all_occurrences(g, r);
    EXPECT_EQ(is, std::set<Image>(slow.begin(), slow.end()));
    Image any;
    any.fill(kNoNode);
    for (int t = 0; t < 50; ++t) {
      for (Node v = 0; v < r.size(); ++v) {
        if (!r.nodes()[v].comes()) any[v] = static_cast<Node>(rng.below(g.num_nodes()));
      }
      EXPECT_EQ(is_occurrence(g, r, any), is.contains(any));
    }
    for (const Image& image : is) EXPECT_TRUE(is_occurrence(g, r, image));
    EXPECT_EQ(matcher.occurs_in(g), !slow.empty());

    // Occurrences have one key if and only if they are one place.
    const auto twins = first_twins(g);
    std::map<PlaceKey, Numbered> of_key;
    std::map<Numbered, PlaceKey> of_place;
    for (const auto& [image, place] : slow_places(g, r)) {
      const PlaceKey key = matcher.key_of(image, twins);
      EXPECT_EQ(of_key.try_emplace(key, place).first->second, place);
      EXPECT_EQ(of_place.try_emplace(place, key).first->second, key);
      EXPECT_TRUE(isomorphic(rewritten(g, r, image), as_graph(place, bonds)));
    }
    const auto places = matcher.places(g, twins);
    EXPECT_EQ(places.size(), of_key.size());
    EXPECT_TRUE(std::is_sorted(places.begin(), places.end(),
                               [](const Place& a, const Place& b) { return a.key < b.key; }));
    for (const Place& place : places) {
      const auto edit = as_single_edit(g, r, place.image);
      const int changes = static_cast<int>(std::count_if(
          r.nodes().begin(), r.nodes().end(), [](const RuleNode& v) { return v.changes(); }));
      if (edit) {
        EXPECT_EQ(apply(g, *edit), rewritten(g, r, place.image));
      } else {
        EXPECT_GT(r.cost(), 1) << "one edit, with " << changes << " changed nodes";
      }
    }
    found += places.size();
  }
  EXPECT_GT(found, 200U) << "too few to tell";
}

INSTANTIATE_TEST_SUITE_P(Rules, AgainstTheSlowVersion, testing::Range(0, 6));

TEST(Occurrences, AreNotInducedButForWhatComesAndGoes) {
  const Graph triangle = graph({0, 1, 2}, {{0, 1}, {1, 2}, {0, 2}});
  const auto places = [&](std::string_view text) {
    return RuleMatcher(rule(text)).places(triangle, first_twins(triangle)).size();
  };
  EXPECT_EQ(places("A-B-[C>D]"), 1U);    // the third edge does no harm
  EXPECT_EQ(places("A1-B-C{>-}1"), 0U);  // it is there already
  EXPECT_EQ(places("A-[B>]"), 0U);       // it has another edge
  EXPECT_EQ(places("A1-[B>]-C1"), 1U);
}

TEST(Places, HydrogensOfOneAtomAreOne) {
  // A methyl group and a lone hydrogen elsewhere.
  const Graph g = graph({0, 1, 1, 1, 0, 1}, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {4, 5}});
  const RuleMatcher one(rule("[B>C]"));
  EXPECT_EQ(one.places(g, first_twins(g)).size(), 2U);
  const RuleMatcher two(rule("[B>C]-A-[B>C]"));
  EXPECT_EQ(two.places(g, first_twins(g)).size(), 1U);
}

TEST(Places, ContextMakesNoneMore) {
  // The middle node has two neighbours of one label: one place, two occurrences.
  const Graph g = graph({1, 0, 1, 2}, {{0, 1}, {1, 2}, {2, 3}});
  const RuleMatcher matcher(rule("B-[A>C]"));
  EXPECT_EQ(all_occurrences(g, matcher.rule()).size(), 2U);
  EXPECT_EQ(matcher.places(g, first_twins(g)).size(), 1U);
}

TEST(HasPattern, FindsWhatIsThere) {
  const Graph g = graph({0, 1, 1, 2}, {{0, 1}, {1, 2}, {2, 3}});
  EXPECT_TRUE(has_pattern(g, graph({1, 1}, {{0, 1}})));
  EXPECT_TRUE(has_pattern(g, graph({2}, {})));
  EXPECT_FALSE(has_pattern(g, graph({0, 2}, {{0, 1}})));
  EXPECT_FALSE(has_pattern(g, graph({1, 1, 1}, {{0, 1}, {1, 2}})));
}

// ---- Counting ----------------------------------------------------------------------------------

/// Says yes to graphs by a hash of their shape: no rule to be found, every place counts.
test::FakeClassifier moody(std::uint64_t seed) {
  return {4, 2, [seed](const Graph& g) {
            const auto word = static_cast<std::uint32_t>(Identity(g).hash().low ^ seed);
            const double p = word % 3 == 0 ? 0.9 : 0.1;
            return std::vector<double>{1 - p, p};
          }};
}

TEST(JudgedPlaces, AreThoseOfASlowRecount) {
  ThreadPool pool(1);
  const auto model = moody(5);
  Rng rng(7);
  std::size_t counted = 0;
  for (int i = 0; i < 1000; ++i) {
    const Graph g = random_graph(rng, 3 + static_cast<Node>(rng.below(4)), rng.below(3), 2);
    RewriteLimits limits;
    limits.theta = 0.3;
    limits.constraints.connected = false;
    limits.constraints.max_degree = {3, 2, 3, 3};
    const RuleTask task{model, Goal(1, {kSafeLead, 0}), limits};
    const std::vector<RuleMatcher> matchers{RuleMatcher(random_rule(rng, 2, 0, 4)),
                                            RuleMatcher(random_rule(rng, 2, 0, 3))};
    const auto is = judged_places(g, matchers, task, pool);
    for (std::size_t m = 0; m < matchers.size(); ++m) {
      const Rule& r = matchers[m].rule();
      std::set<Numbered> places;
      for (const auto& [image, place] : slow_places(g, r)) places.insert(place);
      std::size_t all = 0;
      std::size_t works = 0;
      for (const Numbered& place : places) {
        const Graph result = as_graph(place, false);
        const auto both = static_cast<double>(g.size() + result.size());
        const auto parts = [](const Graph& of) { return num_components(of); };
        if (r.cost() / both > 0.3 || parts(result) > parts(g)) continue;
        bool degrees = true;
        for (Node v = 0; v < result.num_nodes(); ++v) {
          degrees = degrees && result.degree(v) <= (result.label(v) == 1 ? 2U : 3U);
        }
        if (!degrees) continue;
        ++all;
        works += judge(std::span(&result, 1), model, task.goal, pool)[0].accepted ? 1U : 0U;
      }
      const RuleCount count = count_of(is[m]);
      EXPECT_EQ(count.places, all);
      EXPECT_EQ(count.works, works);
      std::uint32_t before = 0;
      while (before < is[m].size() && !is[m][before].works) ++before;
      EXPECT_EQ(count.before_first, before);
      counted += all;
    }
  }
  EXPECT_GT(counted, 200U);
}

TEST(Components, AreThoseOfTheGraph) {
  EXPECT_EQ(num_components(Graph()), 0U);
  EXPECT_EQ(num_components(graph({0, 0, 0}, {{0, 2}})), 2U);
}

TEST(Figures, AreWhatTheirWordsSay) {
  Rng rng(11);
  for (int i = 0; i < 300; ++i) {
    const std::size_t rules = 1 + rng.below(4);
    const std::size_t graphs = 1 + rng.below(6);
    RuleCounts counts(rules, std::vector<RuleCount>(graphs));
    for (auto& row : counts) {
      for (RuleCount& one : row) {
        one.places = static_cast<std::uint32_t>(rng.below(4));
        one.works = static_cast<std::uint32_t>(rng.below(one.places + 1));
        one.before_first = one.works == 0
                               ? one.places
                               : static_cast<std::uint32_t>(rng.below(one.places - one.works + 1));
      }
    }
    RuleFigures slow;
    for (std::size_t g = 0; g < graphs; ++g) {
      std::vector<RuleCount> applies;
      for (std::size_t r = 0; r < rules; ++r) {
        if (counts[r][g].places > 0) applies.push_back(counts[r][g]);
      }
      if (applies.empty()) continue;
      slow.support += 1;
      slow.on_average += static_cast<double>(applies[0].works) / applies[0].places;
      slow.everywhere += applies[0].works == applies[0].places ? 1 : 0;
      double none = 1;
      for (const RuleCount& one : applies) {
        none *= 1 - static_cast<double>(one.works) / one.places;
      }
      slow.one_try += 1 - none;
      for (const RuleCount& one : applies) {
        slow.calls += one.works > 0 ? one.before_first + 1 : one.places;
        if (one.works == 0) continue;
        slow.somewhere += 1;
        break;
      }
    }
    const RuleFigures is = list_figures(counts, rules, graphs);
    const auto n = static_cast<double>(graphs);
    EXPECT_NEAR(is.support, slow.support / n, 1e-12);
    EXPECT_NEAR(is.somewhere, slow.somewhere / n, 1e-12);
    EXPECT_NEAR(is.calls, slow.calls / n, 1e-12);
    EXPECT_NEAR(is.on_average, slow.on_average / n, 1e-12);
    EXPECT_NEAR(is.everywhere, slow.everywhere / n, 1e-12);
    EXPECT_NEAR(is.one_try, slow.one_try / n, 1e-12);
    EXPECT_LE(is.everywhere, is.on_average + 1e-12);
    EXPECT_LE(is.on_average, is.one_try + 1e-12);
    EXPECT_LE(is.one_try, is.somewhere + 1e-12);
  }
}

TEST(Figures, IntervalsHaveKnownEnds) {
  // Wilson's, from tables: 8 of 10, and none of 20.
  EXPECT_NEAR(interval_of(0.8, 10).low, 0.4902, 5e-5);
  EXPECT_NEAR(interval_of(0.8, 10).high, 0.9433, 5e-5);
  EXPECT_NEAR(interval_of(0, 20).low, 0, 1e-12);
  EXPECT_NEAR(interval_of(0, 20).high, 0.1611, 5e-5);
  EXPECT_EQ(interval_of(0, 0), (Interval{0, 1}));
}

TEST(Folds, AreOfOneSizeAndDependOnTheSeedAlone) {
  const auto folds = fold_of_each(103, 5, 3);
  std::map<std::uint32_t, int> sizes;
  for (const std::uint32_t f : folds) ++sizes[f];
  EXPECT_EQ(sizes.size(), 5U);
  for (const auto& [fold, size] : sizes) EXPECT_TRUE(size == 20 || size == 21) << fold;
  EXPECT_EQ(folds, fold_of_each(103, 5, 3));
  EXPECT_NE(folds, fold_of_each(103, 5, 4));
}

TEST(KnownNeighbourhoods, AreThoseOfTheDataset) {
  const Graph chain = graph({0, 0, 1, 0, 0}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  const KnownNeighbourhoods known(std::span(&chain, 1));
  EXPECT_TRUE(known.contain_all_of(chain));
  EXPECT_EQ(known.size(), 3U);  // the ends, what is next to them, and the middle
  EXPECT_TRUE(known.contain_all_of(graph({0, 1, 0, 0, 0}, {{0, 2}, {2, 1}, {1, 3}, {3, 4}})));
  EXPECT_FALSE(known.contain_all_of(graph({0, 0, 1, 0}, {{0, 1}, {1, 2}, {2, 3}})));
  EXPECT_FALSE(known.contain_all_of(graph({0, 0, 2, 0, 0}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}})));
}

// ---- Measured lists ----------------------------------------------------------------------------

struct World {
  RuleMaterial material;
  test::FakeClassifier model = moody(3);
  RewriteLimits limits;
};

World world(std::uint64_t seed) {
  World out;
  Rng rng(seed);
  ThreadPool pool(1);
  for (int i = 0; i < 60; ++i) {
    out.material.graphs.push_back(random_graph(rng, 3 + static_cast<Node>(rng.below(3)), 1, 2));
    out.material.classes.push_back(static_cast<int>(rng.below(2)));
  }
  const auto judged = judge(out.material.graphs, out.model, Goal(1), pool);
  for (std::uint32_t i = 0; i < judged.size(); ++i) {
    (judged[i].predicted ? out.material.accepted : out.material.inputs).push_back(i);
  }
  out.material.num_labels = 4;
  out.limits.theta = 0.5;
  out.limits.constraints.connected = false;
  return out;
}

TEST(Measured, EveryFigureIsThatOfASlowRecount) {
  ThreadPool pool(2);
  const World w = world(21);
  const RuleTask task{w.model, Goal(1, {kSafeLead, 0}), w.limits};
  const std::vector<Rule> rules{rule("[A>B]"), rule("A-[B>]"), rule("B-[>A]"),
                                rule("A1-B-[A>B]{>-}1")};
  const auto is = measured(rules, w.material, task, pool);
  ASSERT_EQ(is.size(), rules.size());
  const auto accepts = [&](const Graph& g) {
    return judge(std::span(&g, 1), w.model, task.goal, pool)[0].accepted;
  };
  const auto results_of = [&](const Rule& r, const Graph& g) {
    std::set<Numbered> places;
    for (const auto& [image, place] : slow_places(g, r)) places.insert(place);
    std::vector<Graph> out;
    for (const Numbered& place : places) {
      Graph result = as_graph(place, false);
      const bool near = r.cost() / static_cast<double>(g.size() + result.size()) <= 0.5;
      if (near && num_components(result) <= num_components(g)) out.push_back(std::move(result));
    }
    return out;
  };
  const auto use = [&](const Rule& r, const std::vector<std::uint32_t>& on) {
    RuleUse out;
    for (const std::uint32_t i : on) {
      const auto results = results_of(r, w.material.graphs[i]);
      out.graphs += results.empty() ? 0U : 1U;
      out.places += results.size();
      for (const Graph& g : results) out.accepted += accepts(g) ? 1U : 0U;
    }
    return out;
  };
  for (std::size_t r = 0; r < rules.size(); ++r) {
    SCOPED_TRACE(rule_text(rules[r], kNames));
    std::map<std::uint32_t, InputCount> listed;
    for (const InputCount& one : is[r].inputs) listed[one.input] = one;
    for (const std::uint32_t i : w.material.inputs) {
      const auto results = results_of(rules[r], w.material.graphs[i]);
      ASSERT_EQ(listed.count(i), results.empty() ? 0U : 1U);
      if (results.empty()) continue;
      const InputCount& one = listed[i];
      EXPECT_EQ(one.count.places, results.size());
      EXPECT_EQ(one.count.works, std::count_if(results.begin(), results.end(), accepts));
      EXPECT_EQ(one.image.empty(), one.count.works == 0);
      if (one.image.empty()) continue;
      Image image;
      image.fill(kNoNode);
      std::size_t at = 0;
      for (Node v = 0; v < rules[r].size(); ++v) {
        if (!rules[r].nodes()[v].comes()) image[v] = one.image[at++];
      }
      EXPECT_TRUE(accepts(rewritten(w.material.graphs[i], rules[r], image)));
    }
    EXPECT_EQ(is[r].on_accepted, use(rules[r], w.material.accepted));
    ASSERT_TRUE(is[r].inverse_on_accepted.has_value());
    EXPECT_EQ(*is[r].inverse_on_accepted, use(rules[r].inverse(), w.material.accepted));
    std::size_t pairs = 0;
    std::size_t other = 0;
    for (std::size_t i = 0; i < w.material.graphs.size(); ++i) {
      const auto results = results_of(rules[r], w.material.graphs[i]);
      for (std::size_t j = 0; j < w.material.graphs.size(); ++j) {
        const bool pair = std::any_of(results.begin(), results.end(), [&](const Graph& g) {
          return isomorphic(g, w.material.graphs[j]);
        });
        pairs += pair ? 1U : 0U;
        other += pair && w.material.classes[i] != w.material.classes[j] ? 1U : 0U;
      }
    }
    EXPECT_EQ(is[r].pairs, pairs);
    EXPECT_EQ(is[r].pairs_other_class, other);
  }
  EXPECT_GT(is[0].pairs, 0U);
}

TEST(RuleList, IsReadAsItIsWritten) {
  ThreadPool pool(1);
  const World w = world(22);
  const RuleTask task{w.model, Goal(1, {kSafeLead, 0}), w.limits};
  RuleList list;
  list.provenance = {.software = "fewedits",
                     .dataset_name = "d",
                     .dataset_path = "p",
                     .dataset_hash = "h",
                     .model_path = "m",
                     .model_hash = "n",
                     .distance_model_path = "",
                     .distance_model_hash = "",
                     .options = {{"rules", "2"}, {"constraint", "a"}, {"constraint", "b"}},
                     .seed = 7};
  list.classes = {.desired = "yes", .column = 1, .predicted = {"no"}};
  list.label_names = kNames.nodes;
  list.theta = 0.5;
  list.inputs = w.material.inputs;
  list.rules = measured(std::vector{rule("[A>B]"), rule("A-[B>]")}, w.material, task, pool);
  list.held_out = HeldOut{{{rule("[A>B]")}, {}}, list.rules[0].list};
  list.baselines = RuleBaselines{{{rule("A-[>C]")}}, list.rules[1].alone, 0.25};
  const std::string text = rules_json(list);
  EXPECT_EQ(parse_rules(text, "file"), list);
  EXPECT_EQ(rules_json(parse_rules(text, "file")), text);
  EXPECT_TRUE(is_rules_json(text));
}

// ---- A second model ---------------------------------------------------------------------------

TEST(SecondModels, APlaceWorksWhereBothAccept) {
  const auto by = [](std::uint64_t rest) {
    return test::FakeClassifier(4, 2, [rest](const Graph& g) {
      const double p = Identity(g).hash().low % rest == 0 ? 0.9 : 0.1;
      return std::vector<double>{1 - p, p};
    });
  };
  const auto first = by(2);
  const auto second = by(3);
  const auto neither = by(6);  // both at once
  Rng rng(51);
  std::vector<Graph> graphs;
  for (int i = 0; i < 40; ++i) graphs.push_back(random_graph(rng, 7, 2, 3));
  RewriteLimits limits;
  limits.theta = 0.5;
  limits.constraints.connected = false;
  const Goal goal(1, {kSafeLead, 0});
  RuleTask both{first, goal, limits};
  both.second.emplace(second, goal);
  const std::vector<Rule> rules{rule("[A>B]"), rule("A-[>C]"), rule("A-[>C]-[>B]")};
  ThreadPool pool(2);
  const RuleCounts is = count_rules(rules, graphs, both, pool);
  EXPECT_EQ(is, count_rules(rules, graphs, {neither, goal, limits}, pool));
  EXPECT_NE(is, count_rules(rules, graphs, {first, goal, limits}, pool));
}

// ---- The paper's two sentences, as rules that a user writes -------------------------------------

const RuleNames kMolecules{{"C", "O", "H"}, {"single", "double"}};

/// Atoms by letter; bonds as pairs, double ones with a third number of 1.
Graph molecule_of(std::string_view atoms, std::vector<Edge> bonds) {
  std::vector<Label> labels;
  for (const char atom : atoms) labels.push_back(atom == 'C' ? 0 : atom == 'O' ? 1 : 2);
  return {labels, bonds, Graph::EdgeLabels::kPresent};
}

/// What the rule makes of the molecule, at its first place; and how many there are.
std::pair<Graph, std::size_t> made_of(const Graph& molecule, std::string_view text) {
  const RuleMatcher matcher(parse_rule(text, kMolecules));
  const auto places = matcher.places(molecule, first_twins(molecule));
  if (places.empty()) return {molecule, 0};
  return {rewritten(molecule, matcher.rule(), places.front().image), places.size()};
}

TEST(PaperSentences, AKetoneBecomesAnAldehyde) {
  const Graph acetone = molecule_of(
      "CCCOHHHHHH", {{0, 1}, {1, 2}, {1, 3, 1}, {0, 4}, {0, 5}, {0, 6}, {2, 7}, {2, 8}, {2, 9}});
  const Graph acetaldehyde =
      molecule_of("CCOHHHH", {{0, 1}, {1, 2, 1}, {1, 3}, {0, 4}, {0, 5}, {0, 6}});
  const auto [made, places] = made_of(acetone, "C-C(=O)-[C>H](-[H>])(-[H>])-[H>]");
  EXPECT_EQ(places, 2U);
  EXPECT_TRUE(isomorphic(made, acetaldehyde));
  // An aldehyde is no ketone.
  EXPECT_EQ(made_of(acetaldehyde, "C-C(=O)-[C>H](-[H>])(-[H>])-[H>]").second, 0U);
}

TEST(PaperSentences, AMethylEtherBecomesAnAldehyde) {
  const Graph ether =
      molecule_of("COCHHHHHH", {{0, 1}, {1, 2}, {0, 3}, {0, 4}, {0, 5}, {2, 6}, {2, 7}, {2, 8}});
  const Graph formaldehyde = molecule_of("COHH", {{0, 1, 1}, {0, 2}, {0, 3}});
  const auto [made, places] = made_of(ether, "C(-[H>]){->=}O-[C>](-[H>])(-[H>])-[H>]");
  EXPECT_EQ(places, 2U);
  EXPECT_TRUE(isomorphic(made, formaldehyde));
}

TEST(PaperSentences, ACarbonylGetsAHydroxyGroup) {
  const Graph acetaldehyde =
      molecule_of("CCOHHHH", {{0, 1}, {1, 2, 1}, {1, 3}, {0, 4}, {0, 5}, {0, 6}});
  const Graph acetic_acid =
      molecule_of("CCOOHHHH", {{0, 1}, {1, 2, 1}, {1, 3}, {3, 4}, {0, 5}, {0, 6}, {0, 7}});
  const auto [made, places] = made_of(acetaldehyde, "C(=O)-[H>O]-[>H]");
  EXPECT_EQ(places, 1U);
  EXPECT_TRUE(isomorphic(made, acetic_acid));
}

}  // namespace
}  // namespace fewedits
