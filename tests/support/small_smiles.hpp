// SPDX-License-Identifier: MIT
// Molecules for tests, written as SMILES: enough of the language for that, and no RDKit. What the
// text calls aromatic is perceived anew by the rules.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "fewedits/chem/atom_label.hpp"
#include "fewedits/chem/molecule_rules.hpp"

namespace fewedits::test {

/// Names of labels, and the rules that follow.
struct MoleculeWorld {
  std::vector<std::string> atoms;
  std::vector<std::string> bonds = {"single", "double", "triple", "aromatic"};
  MoleculeRules rules = *MoleculeRules::of(atoms, bonds);

  [[nodiscard]] Label atom(const std::string& name) const {
    const auto at = std::find(atoms.begin(), atoms.end(), name);
    if (at == atoms.end()) throw std::invalid_argument("no label " + name);
    return static_cast<Label>(at - atoms.begin());
  }
};

inline MoleculeWorld implied_hydrogens() {
  return {{"C", "N", "O", "S", "P", "F", "Cl", "Br", "I", "Na", "B", "Si"}};
}
inline MoleculeWorld written_hydrogens() {
  return {{"C", "O", "Cl", "H", "N", "F", "Br", "S", "P", "I", "Na", "B"}};
}
inline MoleculeWorld labelled_charges() {
  return {{"C", "N", "O", "S", "F", "Cl", "N+", "O-", "S-", "Na+", "C-"}};
}

/// The atoms by name, with edge labels 0 to 3: single, double, triple, aromatic.
struct SmilesText {
  std::vector<std::string> names;
  std::vector<Edge> edges;
};

inline SmilesText parse_smiles(const std::string& text) {
  SmilesText found;
  std::vector<bool> lower;
  std::vector<Node> branch;
  std::map<char, std::pair<Node, int>> open;
  int previous = -1;
  int bond = -1;
  const auto join = [&](Node u, Node v, int order) {
    if (order < 0) order = lower[u] && lower[v] ? 3 : 0;
    found.edges.push_back({u, v, static_cast<Label>(order)});
  };
  const auto add = [&](std::string name, bool is_lower) {
    name[0] = static_cast<char>(std::toupper(name[0]));
    const auto v = static_cast<Node>(found.names.size());
    found.names.push_back(std::move(name));
    lower.push_back(is_lower);
    if (previous >= 0) join(static_cast<Node>(previous), v, bond);
    previous = static_cast<int>(v);
    bond = -1;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string two = text.substr(i, 2);
    if (c == '(') {
      branch.push_back(static_cast<Node>(previous));
    } else if (c == ')') {
      previous = static_cast<int>(branch.back());
      branch.pop_back();
    } else if (c == '.') {
      previous = -1;
    } else if (const auto order = std::string("-=#:").find(c); order != std::string::npos) {
      bond = static_cast<int>(order);
    } else if (std::isdigit(c) != 0) {
      const auto here = static_cast<Node>(previous);
      if (const auto at = open.find(c); at != open.end()) {
        join(at->second.first, here, std::max(bond, at->second.second));
        open.erase(at);
      } else {
        open[c] = {here, bond};
      }
      bond = -1;
    } else if (c == '[') {
      const std::size_t end = text.find(']', i);
      std::string inside = text.substr(i + 1, end - i - 1);
      const bool is_lower = std::islower(inside[0]) != 0;
      const std::size_t sign = std::min(inside.find_first_of("+-"), inside.size());
      std::string symbol = inside.substr(0, sign);
      if (const auto h = symbol.find('H', 1); h != std::string::npos) symbol.resize(h);
      add(symbol + inside.substr(sign), is_lower);
      i = end;
    } else if (two == "Cl" || two == "Br" || two == "Si") {
      add(two, false);
      ++i;
    } else {
      add(std::string(1, c), std::islower(c) != 0);
    }
  }
  return found;
}

/// The canonical graph of the text. In worlds without charged labels charges are left out.
inline Graph molecule(const std::string& text, const MoleculeWorld& world) {
  const SmilesText parsed = parse_smiles(text);
  std::vector<std::string> all = parsed.names;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  // First as SMILES sees it: with its own labels, charges in them, hydrogens implied.
  MoleculeWorld own{all, world.bonds,
                    *MoleculeRules::of(all, world.bonds, MoleculeRules::Charges::kInLabels)};
  std::vector<Label> labels;
  for (const auto& name : parsed.names) labels.push_back(own.atom(name));
  const Graph read = own.rules.canonical({labels, parsed.edges, Graph::EdgeLabels::kPresent},
                                         MoleculeRules::Aromatic::kForeign);
  const std::vector<int> hydrogens = own.rules.implied_hydrogens(read);
  const bool keeps_charges = world.rules.charges() == MoleculeRules::Charges::kInLabels;
  std::vector<Edge> edges = read.edges();
  for (Node v = 0; v < read.num_nodes(); ++v) {
    const std::string name = own.rules.name(read.label(v));
    labels[v] = world.atom(keeps_charges ? name : std::string(element_of(name)));
  }
  for (Node v = 0; v < read.num_nodes() && world.rules.writes_hydrogens(); ++v) {
    for (int h = 0; h < hydrogens[v]; ++h) {
      edges.push_back({v, static_cast<Node>(labels.size()), 0});
      labels.push_back(*world.rules.hydrogen());
    }
  }
  return {labels, edges, Graph::EdgeLabels::kPresent};
}

}  // namespace fewedits::test
