// SPDX-License-Identifier: MIT
// What it costs a certified explanation that bonds count, that counterfactuals are molecules and
// that they write their hydrogens: the same search with the same work under one rule after the
// other. And what the ceiling is: the same without a model, and what counterfactuals that were
// found without bonds cover when bonds count, each with the best bonds that are found for it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fewedits/chem/graph_view.hpp"
#include "fewedits/extend.hpp"
#include "fewedits/ged/batch.hpp"
#include "fewedits/search/bonds.hpp"
#include "fewedits/search/climb/cover_measure.hpp"
#include "fewedits/search/climb/map_keeper.hpp"
#include "fewedits/search/driver.hpp"
#include "fewedits/search/local/local_search.hpp"
#include "fewedits/search/option_table.hpp"
#include "support/clock.hpp"
#include "support/published.hpp"

namespace fewedits::bench {
namespace {

/// What counterfactuals may be, and what a distance counts.
struct Rule {
  std::string name;  ///< as --rules spells it
  std::string title;
  bool bonds = true;
  bool valence = false;   ///< no atom has more neighbours than usual
  bool molecule = false;  ///< valid molecules, all hydrogens written where the data writes them
  bool model = true;      ///< else any graph is a counterfactual
};

const std::vector<Rule> kRules{
    {.name = "blind", .title = "without bonds", .bonds = false},
    {.name = "labels", .title = "bonds count, any graph"},
    {.name = "valence",
     .title = "bonds count, no atom with too many neighbours, hydrogens may lack",
     .valence = true},
    {.name = "molecules", .title = "bonds count, valid molecules", .molecule = true},
    {.name = "blind-ceiling",
     .title = "without bonds, whatever the model says",
     .bonds = false,
     .model = false},
    {.name = "labels-ceiling",
     .title = "bonds count, any graph, whatever the model says",
     .model = false},
    {.name = "molecules-ceiling",
     .title = "bonds count, valid molecules, whatever the model says",
     .molecule = true,
     .model = false},
};

/// Accepts every graph.
class Anything final : public Classifier {
 public:
  Anything(const Classifier& behind, std::size_t desired) : behind_(behind), desired_(desired) {}
  [[nodiscard]] std::size_t num_classes() const override { return behind_.num_classes(); }
  [[nodiscard]] std::size_t num_labels() const override { return behind_.num_labels(); }
  void log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                         ThreadPool& /*pool*/) const override {
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      for (std::size_t c = 0; c < num_classes(); ++c) {
        out[i * num_classes() + c] = c == desired_ ? 0.0F : -HUGE_VALF;
      }
    }
  }

 private:
  const Classifier& behind_;
  std::size_t desired_;
};

/// A dataset whose inputs are those that the published model rejects.
class Material {
 public:
  Material(const std::string& name, ThreadPool& pool)
      : published_(name),
        anything_(*published_.classifier, published_.desired_class()),
        graphs_(rejected_graphs(published_.data, *published_.classifier, pool)) {}

  [[nodiscard]] std::size_t size() const { return graphs_.rejected.size(); }
  [[nodiscard]] const Dataset& data() const { return published_.data; }
  [[nodiscard]] std::vector<Graph> inputs(const GraphView& view) const {
    return view.of(published_.data, graphs_.rejected);
  }
  [[nodiscard]] const Classifier& model(const Rule& rule) const {
    return rule.model ? *published_.classifier : static_cast<const Classifier&>(anything_);
  }

  /// With the rule's costs and constraints.
  [[nodiscard]] ExplainOptions options(const Rule& rule, const GraphView& view) const {
    ExplainOptions options;
    options.bonds = rule.bonds;
    options = with_view(with_defaults(options, builtin_parts()), view);
    if (!rule.molecule) options.constraints.molecule = nullptr;
    if (rule.valence) {
      add_constraint("valence", label_names(published_.data).nodes, options.constraints);
    }
    return options;
  }
  [[nodiscard]] Goal goal(const ExplainOptions& options) const {
    return Goal(published_.desired_class(), {*options.min_lead, 0});
  }

  [[nodiscard]] Explanation explain(const Rule& rule, std::uint64_t work, std::uint64_t seed,
                                    ThreadPool& pool) const {
    const GraphView view(published_.data, rule.bonds);
    ExplainOptions options = this->options(rule, view);
    options.steps = 1;
    options.refine_work = work;
    options.seed = seed;
    const Parts parts = builtin_parts();
    DistanceOptions own = options.distance_options;
    own.theta = kEditTheta;
    own.seed = seed;
    options.theta = kEditTheta;
    options.walk_theta = kEditWalkTheta;
    const auto distance = parts.distances.at("certified")
                              .make(inputs(view), published_.classifier->num_labels(), own, pool);
    ModelEvaluator evaluator(model(rule), goal(options), *distance);
    const ExplainTask task{evaluator,
                           model(rule),
                           goal(options),
                           graphs_.rejected,
                           graphs_.accepted,
                           view.of(published_.data, graphs_.accepted),
                           view.edge_label_names().size()};
    return run_search(task, options, parts, pool);
  }

 private:
  Published published_;
  Anything anything_;
  RejectedGraphs graphs_;
};

struct Arguments {
  std::vector<std::string> datasets{"Mutagenicity", "AIDS"};
  std::vector<std::string> rules{"blind", "labels", "valence", "molecules"};
  std::vector<std::uint64_t> seeds{1};
  std::uint64_t work = 200'000'000;
  int threads = 1;
  bool transfer = false;
  std::size_t local = 0;  ///< of so many inputs one
};

bool is_asked_for(const Rule& rule, const Arguments& a) {
  return std::count(a.rules.begin(), a.rules.end(), rule.name) > 0;
}

std::string listed(const std::vector<double>& values, const char* format) {
  std::vector<std::string> out;
  for (const double v : values) out.push_back(fmt::format(fmt::runtime(format), v));
  return fmt::format("{}", fmt::join(out, ", "));
}

void print_rules(const Arguments& a, ThreadPool& pool) {
  fmt::print(
      "{} units of work a search, seeds {}, 10 counterfactuals, theta {}, no walk, {} threads.\n\n"
      "| dataset | counterfactuals | proven, by seed | mean | of the first row | median cost | "
      "seconds |\n|---|---|---:|---:|---:|---:|---:|\n",
      a.work, fmt::join(a.seeds, ", "), kEditTheta, pool.size());
  for (const std::string& name : a.datasets) {
    const Material material(name, pool);
    double first = 0;
    for (const Rule& rule : kRules) {
      if (!is_asked_for(rule, a)) continue;
      std::vector<double> covered;
      std::vector<double> costs;
      std::vector<double> seconds;
      double sum = 0;
      for (const std::uint64_t seed : a.seeds) {
        const auto start = Clock::now();
        const Explanation why = material.explain(rule, a.work, seed, pool);
        seconds.push_back(seconds_since(start));
        covered.push_back(100 * why.metrics.coverage);
        costs.push_back(why.metrics.cost_median);
        sum += covered.back();
      }
      const double mean = sum / static_cast<double>(covered.size());
      if (first == 0) first = mean;
      fmt::print("| {} | {} | {} | {:.2f} % | {:.0f} % | {} | {} |\n", name, rule.title,
                 listed(covered, "{:.2f} %"), mean, 100 * mean / first, listed(costs, "{:.4f}"),
                 listed(seconds, "{:.0f}"));
      (void)std::fflush(stdout);
    }
  }
}

// ---- counterfactuals found without bonds, when bonds count ----------------------------------

/// Each edge gets the label that most of the covered inputs have there, by the maps that prove it.
Graph with_labels_of_inputs(const Counterfactual& c, std::span<const std::uint32_t> indices,
                            std::span<const PreparedGraph> inputs, std::size_t num_labels) {
  std::vector<Edge> edges = c.graph.edges();
  std::vector<std::vector<std::size_t>> votes(edges.size(), std::vector<std::size_t>(num_labels));
  for (const ProvenPair& pair : c.proofs) {
    if (!std::binary_search(c.covers.begin(), c.covers.end(), pair.input)) continue;
    const auto at = std::lower_bound(indices.begin(), indices.end(), pair.input);
    const Graph& input = inputs[static_cast<std::size_t>(at - indices.begin())].graph();
    const NodeMap image = inverse_map(pair.map, c.graph.num_nodes());
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const Node x = image[edges[e].u];
      const Node y = image[edges[e].v];
      if (x == kUnmatched || y == kUnmatched || !input.has_edge(x, y)) continue;
      ++votes[e][input.edge_label(x, y)];
    }
  }
  for (std::size_t e = 0; e < edges.size(); ++e) {
    edges[e].label =
        static_cast<Label>(std::max_element(votes[e].begin(), votes[e].end()) - votes[e].begin());
  }
  return {c.graph.labels(), edges, Graph::EdgeLabels::kPresent};
}

/// Changes the labels of edges as long as the graph covers more, or nearly covers more.
Graph with_best_bonds(const Graph& start, std::span<const PreparedGraph> inputs,
                      const MapKeeper::Alphabet& alphabet, Rng& rng) {
  constexpr int kSteps = 40;
  MapKeeper keeper(inputs, alphabet);
  keeper.reset(start, {.theta = kEditTheta}, std::vector<std::uint8_t>(inputs.size(), 1), rng);
  keeper.deepen(rng);
  Graph best = start;
  std::size_t most = keeper.num_covered();
  for (int step = 0; step < kSteps; ++step) {
    std::vector<Edit> edits;
    for (const Edge& e : keeper.graph().edges()) {
      for (Label l = 0; l < alphabet.num_edge_labels; ++l) {
        if (l != e.label) edits.push_back({Edit::Kind::kRelabelEdge, e.u, e.v, l});
      }
    }
    const auto values = keeper.values(Moves(edits));
    const auto at = std::max_element(values.begin(), values.end()) - values.begin();
    const Edit& edit = edits[static_cast<std::size_t>(at)];
    keeper.move({&edit, 1}, apply(keeper.graph(), edit), rng);
    keeper.deepen(rng);
    if (keeper.num_covered() <= most) continue;
    most = keeper.num_covered();
    best = keeper.graph();
  }
  return best;
}

void print_transfer(const Arguments& a, ThreadPool& pool) {
  fmt::print(
      "What the ten counterfactuals found without bonds ({} units, seed {}) cover when bonds "
      "count, each with the best labels of bonds found for it; whether those are molecules is not "
      "asked.\n\n| dataset | without bonds, each | together | with bonds, each | together |\n"
      "|---|---|---:|---|---:|\n",
      a.work, a.seeds.front());
  for (const std::string& name : a.datasets) {
    const Material material(name, pool);
    const Explanation why = material.explain(kRules.front(), a.work, a.seeds.front(), pool);
    const GraphView view(material.data(), true);
    const auto inputs = prepare_graphs(material.inputs(view), pool);
    MapKeeper::Alphabet alphabet{material.model(kRules.front()).num_labels(),
                                 view.edge_label_names().size()};
    alphabet.costs.relabel_edge = 1;
    const Constraints none;
    SearchSpace space{inputs, material.model(kRules.front()), Goal(0), none, {}};
    space.costs = alphabet.costs;
    CoverMeasure measure(space, {{4, 40}, 10, 3, 60'000}, pool);
    std::vector<std::size_t> before;
    std::vector<std::size_t> after;
    std::vector<std::uint8_t> any(inputs.size(), 0);
    Rng rng(a.seeds.front());
    for (const Counterfactual& c : why.counterfactuals) {
      Candidate candidate;
      const Graph start = with_labels_of_inputs(c, why.inputs, inputs, alphabet.num_edge_labels);
      candidate.graph = with_best_bonds(start, inputs, alphabet, rng);
      candidate.maps = PackedMaps(candidate.graph.num_nodes());
      measure.extend(candidate, nullptr);
      before.push_back(c.covers.size());
      after.push_back(candidate.covers.size());
      for (const std::uint32_t i : candidate.covers) any[i] = 1;
    }
    const auto together = std::count(any.begin(), any.end(), 1);
    fmt::print("| {} | {} | {:.2f} % | {} | {:.2f} % |\n", name, fmt::join(before, ", "),
               100 * why.metrics.coverage, fmt::join(after, ", "),
               100 * static_cast<double>(together) / static_cast<double>(inputs.size()));
    (void)std::fflush(stdout);
  }
}

// ---- counterfactuals of one input each --------------------------------------------------------

void print_local(const Arguments& a, ThreadPool& pool) {
  fmt::print(
      "Every {}th input alone: has it a counterfactual within theta of its own (a beam of 12, 8 "
      "steps)?\n\n| dataset | counterfactuals | inputs | within theta | median distance |\n"
      "|---|---|---:|---:|---:|\n",
      a.local);
  for (const std::string& name : a.datasets) {
    const Material material(name, pool);
    for (const Rule& rule : kRules) {
      if (!is_asked_for(rule, a)) continue;
      const GraphView view(material.data(), rule.bonds);
      const ExplainOptions options = material.options(rule, view);
      LocalOptions local;
      local.num_edge_labels = view.edge_label_names().size();
      local.ged.costs = options.distance_options.costs;
      std::size_t within = 0;
      std::vector<double> distances;
      const auto inputs = material.inputs(view);
      for (std::size_t i = 0; i < inputs.size(); i += a.local) {
        const auto found =
            local_counterfactual(inputs[i], material.model(rule), material.goal(options),
                                 options.constraints, local, pool);
        const double distance =
            found ? static_cast<double>(found->distance.upper) /
                        static_cast<double>(inputs[i].size() + found->graph.size())
                  : HUGE_VAL;
        distances.push_back(distance);
        within += distance <= kEditTheta ? 1U : 0U;
      }
      std::sort(distances.begin(), distances.end());
      fmt::print("| {} | {} | {} | {:.1f} % | {:.4f} |\n", name, rule.title, distances.size(),
                 100 * static_cast<double>(within) / static_cast<double>(distances.size()),
                 distances[distances.size() / 2]);
      (void)std::fflush(stdout);
    }
  }
}

int run(const Arguments& arguments) {
  if (lacks("datasets") || lacks("models")) return kSkipped;
  ThreadPool pool(arguments.threads);
  if (arguments.transfer) {
    print_transfer(arguments, pool);
  } else if (arguments.local > 0) {
    print_local(arguments, pool);
  } else {
    print_rules(arguments, pool);
  }
  return 0;
}

std::vector<std::string> rule_names() {
  std::vector<std::string> out;
  for (const Rule& rule : kRules) out.push_back(rule.name);
  return out;
}

}  // namespace
}  // namespace fewedits::bench

int main(int argc, char** argv) {
  fewedits::bench::Arguments a;
  CLI::App app{"What bonds, validity and hydrogens cost a certified explanation, at equal work"};
  app.add_option("--datasets", a.datasets, "comma-separated")
      ->check(CLI::IsMember(fewedits::bench::kPaperDatasets))
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--rules", a.rules, "comma-separated")
      ->check(CLI::IsMember(fewedits::bench::rule_names()))
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--seeds", a.seeds, "comma-separated")->delimiter(',')->capture_default_str();
  app.add_option("--work", a.work, "units of the certified refinement")->capture_default_str();
  app.add_option("--threads", a.threads, "0: one per core")->capture_default_str();
  app.add_flag("--transfer", a.transfer,
               "instead: what counterfactuals found without bonds cover when bonds count");
  app.add_option("--local", a.local,
                 "instead: of so many inputs one, and how near its own counterfactual is");
  CLI11_PARSE(app, argc, argv);
  try {
    return fewedits::bench::run(a);
  } catch (const std::exception& error) {
    fmt::print(stderr, "molecules_bench: {}\n", error.what());
    return 1;
  }
}
