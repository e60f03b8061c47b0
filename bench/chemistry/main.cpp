// SPDX-License-Identifier: MIT
// The rules of molecules (chem/molecule_rules) beside RDKit, and the steps that they allow: which
// inputs are valid and why the others are not, agreement on random neighbours with the
// disagreements by kind, charges that are stripped and inferred again, the share of single edits
// that are valid, and how long the steps of a molecule take.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <vector>

#include "fewedits/chem/atom_label.hpp"
#include "fewedits/edit/molecule_steps.hpp"
#include "fewedits/formats/molecule_file.hpp"
#include "fewedits/formats/open_dataset.hpp"
#include "support/clock.hpp"
#include "support/rdkit_referee.hpp"
#include "support/shared.hpp"

namespace fewedits::bench {
namespace {

struct Material {
  std::string name;
  std::vector<Graph> molecules;  ///< canonical
  MoleculeRules rules;
};

std::vector<std::string> names_of(const std::vector<NamedValue>& table) {
  std::vector<std::string> names;
  for (const NamedValue& value : table) names.push_back(value.name);
  return names;
}

std::vector<std::string> bond_names(const std::vector<NamedValue>& table) {
  std::vector<std::string> names = names_of(table);
  for (const auto bond : kBondNames) {
    if (std::find(names.begin(), names.end(), bond) == names.end()) names.emplace_back(bond);
  }
  return names;
}

Material material(const std::string& name, const std::vector<Graph>& graphs,
                  const std::vector<std::string>& atoms, const std::vector<std::string>& bonds) {
  const auto rules = MoleculeRules::of(atoms, bonds);
  if (!rules) throw std::runtime_error(name + " has labels that are no elements or bonds");
  Material found{name, {}, *rules};
  for (const Graph& g : graphs) {
    if (g.num_nodes() > 0) found.molecules.push_back(rules->canonical(g));
  }
  return found;
}

Material of_dataset(const std::string& name, bool all) {
  DatasetOptions options;
  if (all) options.rare_label_threshold = 0;
  const Dataset data = open_dataset(dataset_path(name), options);
  return material(name, data.graphs, names_of(data.node_labels), bond_names(data.edge_labels));
}

void print_kinds(const std::map<std::string, std::size_t>& kinds) {
  std::vector<std::pair<std::size_t, std::string>> sorted;
  for (const auto& [kind, count] : kinds) sorted.emplace_back(count, kind);
  std::sort(sorted.rbegin(), sorted.rend());
  for (const auto& [count, kind] : sorted) fmt::print("  {:7}  {}\n", count, kind);
}

void inputs_section(const Material& m) {
  std::map<std::string, std::size_t> reasons;
  std::size_t valid = 0;
  test::Agreement agreement;
  for (const Graph& g : m.molecules) {
    const std::string why = m.rules.why_invalid(g);
    valid += why.empty() ? 1U : 0U;
    const auto at = why.find('(');
    if (!why.empty()) ++reasons[at == why.npos ? why : why.substr(at)];
    test::judge(m.rules.kekule_form(g).value_or(g), m.rules, agreement);
  }
  fmt::print("\n## {}: {} inputs, {} valid for us, {} for RDKit; the judges agree on {}\n", m.name,
             m.molecules.size(), valid, agreement.accepted, agreement.agree);
  print_kinds(reasons);
  print_kinds(agreement.disagreements);
}

std::size_t aromatic_bonds(const std::vector<Edge>& edges, const MoleculeRules& rules) {
  return static_cast<std::size_t>(std::count_if(edges.begin(), edges.end(), [&](const Edge& e) {
    return rules.bond(e.label) == Bond::kAromatic;
  }));
}

/// How many bonds are aromatic for us and for RDKit, and how long it takes to find out.
void perception_section(const Material& m) {
  std::vector<Graph> forms;
  std::size_t bonds = 0;
  std::size_t ours = 0;
  std::size_t rdkit = 0;
  for (const Graph& g : m.molecules) {
    const auto form = m.rules.kekule_form(g);
    if (!form || !m.rules.is_valid(g)) continue;
    forms.push_back(*form);
    bonds += g.num_edges();
    ours += aromatic_bonds(g.edges(), m.rules);
    rdkit += aromatic_bonds(test::rdkit_aromatic_edges(*form, m.rules), m.rules);
  }
  double perceiving = std::numeric_limits<double>::infinity();
  double judging = perceiving;
  double writing = perceiving;
  for (int round = 0; round < 5; ++round) {
    const auto start = Clock::now();
    std::vector<Graph> canonical;
    for (const Graph& g : forms) canonical.push_back(m.rules.canonical(g));
    perceiving = std::min(perceiving, seconds_since(start));
    const auto middle = Clock::now();
    std::size_t valid = 0;
    for (const Graph& g : canonical) valid += m.rules.is_valid(g) ? 1U : 0U;
    if (valid != forms.size()) throw std::runtime_error("a Kekulé form is another molecule");
    judging = std::min(judging, seconds_since(middle));
    const auto last = Clock::now();
    for (const Graph& g : canonical) {
      if (!m.rules.canonical_kekule_form(g)) throw std::runtime_error("it has no Kekulé form");
    }
    writing = std::min(writing, seconds_since(last));
  }
  const double count = static_cast<double>(forms.size());
  fmt::print(
      "{}: of {} bonds {} are aromatic, {} for RDKit; perceiving takes {:.1f} µs a molecule, "
      "judging {:.1f} µs, the canonical Kekulé form {:.1f} µs\n",
      m.name, bonds, ours, rdkit, perceiving / count * 1e6, judging / count * 1e6,
      writing / count * 1e6);
}

void agreement_section(const Material& m, std::size_t count, std::uint64_t seed) {
  const auto found = test::judge_neighbours(m.molecules, m.rules, count, seed);
  fmt::print(
      "{}: {} random neighbours, {} valid for us, {} for RDKit; agreement {:.4f} %, other "
      "hydrogens "
      "on {}\n",
      m.name, found.graphs, found.valid, found.accepted, 100 * found.share(),
      found.other_hydrogens);
  print_kinds(found.disagreements);
}

/// Rings as RDKit names them, with its own idea of what is aromatic, become ours again.
void foreign_section(const Material& m) {
  std::size_t same = 0;
  std::size_t total = 0;
  for (const Graph& g : m.molecules) {
    const auto form = m.rules.kekule_form(g);
    if (!form || !m.rules.is_valid(g)) continue;
    const std::vector<Edge> edges = test::rdkit_aromatic_edges(*form, m.rules);
    const Graph foreign(g.labels(), edges, Graph::EdgeLabels::kPresent);
    if (edges.size() != g.num_edges()) continue;
    ++total;
    same += m.rules.canonical(foreign, MoleculeRules::Aromatic::kForeign) == g ? 1U : 0U;
  }
  fmt::print("{}: rings named aromatic by RDKit become the same graph for {} of {}\n", m.name, same,
             total);
}

/// Of all single edits of valid molecules; the bonds of new graphs perceived anew.
void single_edits_section(const Material& m) {
  std::size_t all = 0;
  std::size_t valid = 0;
  std::size_t molecules = 0;
  for (std::size_t i = 0; i < m.molecules.size() && molecules < 50; i += 7) {
    const Graph& g = m.molecules[i];
    const auto form = m.rules.kekule_form(g);
    if (!form || !m.rules.is_valid(g)) continue;
    ++molecules;
    NeighbourOptions options;
    options.num_labels = m.rules.num_labels();
    options.num_edge_labels = 3;
    for (const Edit& edit : neighbours(*form, options)) {
      ++all;
      valid += m.rules.is_valid(m.rules.canonical(apply(*form, edit))) ? 1U : 0U;
    }
  }
  fmt::print("{}: of {} single edits of {} valid molecules, {:.2f} % are valid\n", m.name, all,
             molecules, 100.0 * static_cast<double>(valid) / static_cast<double>(all));
}

void steps_section(const Material& m) {
  std::vector<Graph> thirty;
  for (const Graph& g : m.molecules) {
    if (g.num_nodes() >= 28 && g.num_nodes() <= 32 && m.rules.is_valid(g)) thirty.push_back(g);
    if (thirty.size() == 100) break;
  }
  if (thirty.empty()) return;
  std::size_t steps = 0;
  std::size_t edits = 0;
  int cost = 0;
  test::Agreement agreement;
  for (const Graph& g : thirty) {
    for (const Step& step : molecule_steps(g, m.rules)) {
      ++steps;
      edits += step.size();
      cost += cost_of(step);
      const Graph after = apply_step(g, step);
      if (!m.rules.is_valid(after) || m.rules.canonical(after) != after) {
        throw std::runtime_error("a step leads to what is no canonical molecule");
      }
      if (steps % 10 == 0) {
        test::judge(*m.rules.kekule_form(after), m.rules, agreement);
      }
    }
  }
  const auto count = static_cast<double>(thirty.size());
  fmt::print(
      "{}: {:.0f} steps for a molecule of 28 to 32 nodes, up to symmetry, {:.2f} edits of "
      "cost {:.2f} each; RDKit accepts {} of {} results\n",
      m.name, static_cast<double>(steps) / count,
      static_cast<double>(edits) / static_cast<double>(steps),
      static_cast<double>(cost) / static_cast<double>(steps), agreement.accepted, agreement.graphs);
  print_kinds(agreement.disagreements);
  std::vector<Generators> generators;
  for (const Graph& g : thirty) generators.push_back(automorphism_generators(g));
  for (const bool symmetry : {true, false}) {
    double best = std::numeric_limits<double>::infinity();
    std::size_t listed = 0;
    for (int round = 0; round < 5; ++round) {
      const auto start = Clock::now();
      listed = 0;
      for (std::size_t i = 0; i < thirty.size(); ++i) {
        NeighbourOptions options;
        options.up_to_symmetry = symmetry;
        options.generators = &generators[i];
        listed += molecule_steps(thirty[i], m.rules, options).size();
      }
      best = std::min(best, seconds_since(start));
    }
    fmt::print("  {} symmetry: {:.3f} ms for {:.0f} steps\n", symmetry ? "up to" : "without",
               best / count * 1e3, static_cast<double>(listed) / count);
  }
}

/// The same molecules with labels that say nothing of charges.
void charges_section(const RawDataset& charged) {
  const std::vector<std::string> names = names_of(charged.node_labels);
  const auto own =
      MoleculeRules::of(names, bond_names(charged.edge_labels), MoleculeRules::Charges::kInLabels);
  std::vector<std::string> plain;
  std::vector<Label> to;
  for (const std::string& name : names) {
    const std::string element(element_of(name));
    const auto at = std::find(plain.begin(), plain.end(), element);
    to.push_back(static_cast<Label>(at - plain.begin()));
    if (at == plain.end()) plain.push_back(element);
  }
  const auto rules = MoleculeRules::of(plain, bond_names(charged.edge_labels));
  if (!own || !rules) throw std::runtime_error("labels that are no elements or bonds");
  std::size_t neutral = 0;
  std::size_t with_charges = 0;
  std::size_t same = 0;
  std::size_t valid = 0;
  for (const Graph& raw : charged.graphs) {
    const Graph g = own->canonical(raw);
    if (raw.num_nodes() == 0 || !own->is_valid(g)) continue;
    ++neutral;
    const std::vector<int> known = own->charges(g);
    const bool has = std::any_of(known.begin(), known.end(), [](int q) { return q != 0; });
    with_charges += has ? 1U : 0U;
    const Graph stripped = rules->canonical(raw.relabelled(to));
    valid += rules->is_valid(stripped) ? 1U : 0U;
    const bool equal = rules->charges(stripped) == known;
    same += equal ? 1U : 0U;
    if (!equal) fmt::print("  {}\n", to_smiles(g, names, bond_names(charged.edge_labels)));
  }
  fmt::print(
      "charges stripped and inferred: {} molecules with net charge 0, {} of them with charges; all "
      "charges are found for {}, {} are valid\n",
      neutral, with_charges, same, valid);
}

int run(int argc, char** argv) {
  std::size_t neighbours = 100'000;
  std::uint64_t seed = 1;
  bool all = false;
  std::vector<std::string> files;
  CLI::App app{"The rules of molecules beside RDKit, and the steps that they allow"};
  app.add_option("--neighbours", neighbours, "random neighbours of each dataset")
      ->capture_default_str();
  app.add_option("--seed", seed)->capture_default_str();
  app.add_flag("--all", all, "graphs with rare labels, too");
  app.add_option("--smiles", files, "molecule files beside AIDS and Mutagenicity");
  CLI11_PARSE(app, argc, argv);
  if (lacks("datasets/AIDS") || lacks("datasets/Mutagenicity")) return kSkipped;
  std::vector<Material> materials = {of_dataset("AIDS", all), of_dataset("Mutagenicity", all)};
  for (const std::string& file : files) {
    for (const bool hydrogens : {false, true}) {
      const RawDataset raw = read_molecules(file, {.explicit_hydrogens = hydrogens});
      charges_section(raw);
      materials.push_back(material(raw.name + (hydrogens ? " with hydrogens" : ""), raw.graphs,
                                   names_of(raw.node_labels), bond_names(raw.edge_labels)));
    }
  }
  for (const Material& m : materials) {
    inputs_section(m);
    perception_section(m);
    foreign_section(m);
    single_edits_section(m);
    steps_section(m);
    agreement_section(m, neighbours, seed);
  }
  return 0;
}

}  // namespace
}  // namespace fewedits::bench

int main(int argc, char** argv) {
  try {
    return fewedits::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "chemistry_bench: {}\n", error.what());
    return 1;
  }
}
