// SPDX-License-Identifier: MIT
// How many counterfactuals of explanations are molecules, as RDKit judges: a row of Markdown for
// each file. Graphs without bonds are judged as they are exported, with single bonds, and with the
// bond orders that suit them best, for which all are tried.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "fewedits/base/file.hpp"
#include "fewedits/chem/molecule.hpp"
#include "fewedits/chem/molecule_rules.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "support/rdkit_referee.hpp"

namespace fewedits::bench {
namespace {

std::vector<std::string> all_bonds() { return {kBondNames.begin(), kBondNames.end()}; }

/// Looks for orders of all bonds with which a graph is a valid molecule.
class BestBonds {
 public:
  BestBonds(const Graph& graph, const MoleculeRules& rules)
      : graph_(graph), rules_(rules), edges_(ordered(graph)), at_(graph.num_nodes()) {
    for (const Edge& e : edges_) {
      ++at_[e.u].open;
      ++at_[e.v].open;
    }
  }

  /// Unset: there are none. Throws if that takes too long to say.
  std::optional<Graph> find() { return place(0) ? found_ : std::nullopt; }

 private:
  struct Atom {
    std::uint32_t open = 0;  ///< bonds without an order
    std::uint32_t sum = 0;   ///< of the others' orders
  };

  /// Each next to those before it, so that atoms are complete soon.
  static std::vector<Edge> ordered(const Graph& graph) {
    std::vector<Edge> rest = graph.edges();
    std::vector<Edge> out;
    std::vector<std::uint32_t> open(graph.num_nodes(), 0);
    for (const Edge& e : rest) {
      ++open[e.u];
      ++open[e.v];
    }
    while (!rest.empty()) {
      const auto next = std::ranges::min_element(
          rest, {}, [&](const Edge& e) { return std::min(open[e.u], open[e.v]); });
      --open[next->u];
      --open[next->v];
      out.push_back(*next);
      rest.erase(next);
    }
    return out;
  }

  /// Could it be an atom with so many bonds? The carbon of an isonitrile, too, with three.
  [[nodiscard]] bool fits(Node v) const {
    const Label label = graph_.label(v);
    const auto allowed = [&](std::uint32_t sum) {
      return rules_.state(label, sum).possible ||
             (sum == 3 && rules_.atom(label).element->symbol == "C");
    };
    if (at_[v].open == 0) return allowed(at_[v].sum);
    for (std::uint32_t sum = at_[v].sum + at_[v].open; sum <= at_[v].sum + 3 * at_[v].open; ++sum) {
      if (allowed(sum)) return true;
    }
    return false;
  }

  bool place(std::size_t i) {
    constexpr std::size_t kMost = 20'000'000;
    if (++tried_ > kMost) throw std::runtime_error("too many bond orders to try");
    if (i == edges_.size()) {
      found_ = rules_.canonical({graph_.labels(), edges_, Graph::EdgeLabels::kPresent});
      return rules_.is_valid(*found_);
    }
    constexpr std::array<Bond, 3> kOrders = {Bond::kSingle, Bond::kDouble, Bond::kTriple};
    Edge& edge = edges_[i];
    --at_[edge.u].open;
    --at_[edge.v].open;
    for (std::uint32_t order = 1; order <= kOrders.size(); ++order) {
      edge.label = *rules_.label_of(kOrders.at(order - 1));
      at_[edge.u].sum += order;
      at_[edge.v].sum += order;
      if (fits(edge.u) && fits(edge.v) && place(i + 1)) return true;
      at_[edge.u].sum -= order;
      at_[edge.v].sum -= order;
    }
    ++at_[edge.u].open;
    ++at_[edge.v].open;
    return false;
  }

  const Graph& graph_;
  const MoleculeRules& rules_;
  std::vector<Edge> edges_;
  std::vector<Atom> at_;
  std::optional<Graph> found_;
  std::size_t tried_ = 0;
};

bool is_accepted(const Graph& canonical, const MoleculeRules& rules, std::string& why) {
  const test::RdkitVerdict verdict =
      test::rdkit_verdict(rules.kekule_form(canonical).value_or(canonical), rules);
  why = verdict.why;
  return verdict.is_accepted;
}

Graph with_single_bonds(const Graph& graph, const MoleculeRules& rules) {
  std::vector<Edge> edges = graph.edges();
  for (Edge& e : edges) e.label = *rules.label_of(Bond::kSingle);
  return {graph.labels(), edges, Graph::EdgeLabels::kPresent};
}

struct Counts {
  std::size_t graphs = 0;
  std::size_t read = 0;      ///< RDKit sanitises what is exported
  std::size_t accepted = 0;  ///< and finds no unpaired electrons and no charge
  std::size_t best = 0;      ///< with the best bond orders
  std::map<std::string, std::size_t> reasons;
};

Counts judge(const Explanation& e) {
  const bool has_bonds = !e.edge_label_names.empty();
  const std::vector<std::string> bonds = has_bonds ? e.edge_label_names : all_bonds();
  const auto rules = MoleculeRules::of(e.label_names, bonds);
  if (!rules) throw std::runtime_error("its labels are no elements");
  Counts out;
  for (const Counterfactual& c : e.counterfactuals) {
    ++out.graphs;
    out.read += is_possible_molecule(c.graph, e.label_names, e.edge_label_names) ? 1U : 0U;
    std::string why;
    const bool as_is =
        is_accepted(has_bonds ? c.graph : with_single_bonds(c.graph, *rules), *rules, why);
    out.accepted += as_is ? 1U : 0U;
    if (!as_is) ++out.reasons[why];
    std::optional<Graph> best = c.graph;
    if (!has_bonds) best = BestBonds(c.graph, *rules).find();
    out.best += best && is_accepted(*best, *rules, why) ? 1U : 0U;
  }
  return out;
}

/// What the file says of how it was made.
std::string described(const Explanation& e) {
  const auto option = [&](const std::string& name) {
    const auto values = e.provenance.values_of(name);
    return values.empty() ? std::string() : values.front();
  };
  std::string out = fmt::format("{} under {}", e.method, e.distance);
  if (!e.provenance.values_of("no-refine").empty()) out += fmt::format(", {} steps", e.steps);
  if (!option("refine-work").empty()) out += fmt::format(", work {}", option("refine-work"));
  const std::string bonds = option("bonds");
  return out + (bonds == "use" ? ", bonds used" : ", bonds left out");
}

std::string dataset_of(const Explanation& e) {
  const std::string& path = e.provenance.dataset_path;
  return path.substr(path.find_last_of('/') + 1);
}

int run(const std::vector<std::string>& files) {
  fmt::print(
      "| data | explained by | seed | RDKit reads it | and it is neutral, without radicals | with "
      "the "
      "best bond orders |\n|---|---|---:|---:|---:|---:|\n");
  std::map<std::string, std::size_t> reasons;
  for (const std::string& file : files) {
    const Explanation e = parse_explanation(read_file(file, kMaxExplanationBytes), file);
    const Counts c = judge(e);
    const auto of = [&](std::size_t count) { return fmt::format("{} of {}", count, c.graphs); };
    fmt::print("| {} | {} | {} | {} | {} | {} |\n", dataset_of(e), described(e), e.provenance.seed,
               of(c.read), of(c.accepted), of(c.best));
    for (const auto& [why, count] : c.reasons) reasons[why] += count;
  }
  fmt::print("\n");
  for (const auto& [why, count] : reasons) fmt::print(stderr, "{:4}  {}\n", count, why);
  return 0;
}

}  // namespace
}  // namespace fewedits::bench

int main(int argc, char** argv) {
  std::vector<std::string> files;
  CLI::App app{"How many counterfactuals are molecules"};
  app.add_option("explanations", files, "files that fewedits explain wrote")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    return fewedits::bench::run(files);
  } catch (const std::exception& error) {
    fmt::print(stderr, "validity_bench: {}\n", error.what());
    return 1;
  }
}
