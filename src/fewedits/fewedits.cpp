// SPDX-License-Identifier: MIT
#include "fewedits/fewedits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "fewedits/base/file.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/chem/molecule.hpp"
#include "fewedits/classifier/class_choice.hpp"
#include "fewedits/formats/graphml.hpp"

namespace fewedits {
namespace {

std::optional<double> accuracy_of(const Dataset& dataset, const Predictions& p) {
  if (dataset.classes.empty()) return std::nullopt;
  std::size_t right = 0;
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    right += p.predicted[i] == dataset.classes[i] ? 1U : 0U;
  }
  return static_cast<double>(right) / static_cast<double>(dataset.size());
}

std::string graphml_text(const Explanation& explanation) {
  std::vector<Graph> graphs;
  std::vector<GraphFacts> facts;
  for (const Counterfactual& c : explanation.counterfactuals) {
    graphs.push_back(c.graph);
    facts.push_back({c.probability, c.covers.size()});
  }
  return to_graphml(graphs, explanation.label_names, facts, explanation.edge_label_names);
}

std::string smiles_text(const Explanation& explanation) {
  std::string out;
  for (std::size_t c = 0; c < explanation.counterfactuals.size(); ++c) {
    const Graph& graph = explanation.counterfactuals[c].graph;
    out += fmt::format("{} counterfactual_{}\n",
                       to_smiles(graph, explanation.label_names, explanation.edge_label_names), c);
  }
  return out;
}

std::string sdf_text(const Explanation& explanation) {
  std::string out;
  for (std::size_t i = 0; i < explanation.counterfactuals.size(); ++i) {
    const Counterfactual& c = explanation.counterfactuals[i];
    // A mol block starts with the line of the molecule's name, which RDKit leaves empty.
    out += fmt::format("counterfactual_{}{}> <probability>\n{}\n\n> <covers>\n{}\n\n$$$$\n", i,
                       to_mol_block(c.graph, explanation.label_names, explanation.edge_label_names),
                       c.probability, c.covers.size());
  }
  return out;
}

/// What to know about exported molecules.
std::vector<std::string> molecule_notes(const Explanation& explanation,
                                        const std::filesystem::path& file) {
  const auto& all = explanation.counterfactuals;
  const auto impossible = std::ranges::count_if(all, [&](const Counterfactual& c) {
    return !is_possible_molecule(c.graph, explanation.label_names, explanation.edge_label_names);
  });
  if (impossible == 0) return {};
  const auto constraints = explanation.provenance.values_of("constraint");
  const bool constrained = std::ranges::find(constraints, "valence") != constraints.end();
  return {fmt::format("{}: {} of {} are not possible molecules (valence): {}", file.string(),
                      impossible, all.size(),
                      constrained
                          ? "they would need charges that their labels do not tell"
                          : "the constraint valence avoids all but those that need charges")};
}

/// The extension is one that check_export lets pass.
std::string export_text(const Explanation& explanation, const std::string& extension) {
  if (extension == ".smi") return smiles_text(explanation);
  if (extension == ".sdf") return sdf_text(explanation);
  assert(extension == ".graphml");
  return graphml_text(explanation);
}

}  // namespace

bool has_molecules() { return has_rdkit(); }

Predictions predict(const Dataset& dataset, const Classifier& classifier, ThreadPool& pool) {
  Predictions out;
  out.classes = classifier.num_classes();
  out.log_probabilities = checked_log_probabilities(dataset, classifier, pool);
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    const std::span<const float> row(&out.log_probabilities[i * out.classes], out.classes);
    out.predicted.push_back(static_cast<int>(predicted_class(row)));
  }
  for (std::size_t c = 0; c < out.classes; ++c) {
    out.names.push_back(class_name(c, dataset, classifier));
  }
  if (classifier.knows_classes()) out.accuracy = accuracy_of(dataset, out);
  return out;
}

void check_export(const std::string& domain, const std::filesystem::path& file) {
  const std::string extension = ascii_lower(file.extension().string());
  if (extension == ".graphml") return;
  if (extension != ".smi" && extension != ".sdf") {
    throw Error({file.string()},
                extension.empty() ? "has no ending that says in which format to export"
                                  : in_quotes(extension) + " is no format to export to",
                "name the file .graphml, .smi or .sdf");
  }
  if (domain != "molecule") {
    throw Error({file.string()}, "the graphs are no molecules",
                "export to .graphml; if they are, set \"domain\": \"molecule\" in the dataset's "
                "metadata");
  }
  require_rdkit(file.string());
}

std::vector<std::string> export_counterfactuals(const Explanation& explanation,
                                                const std::string& domain,
                                                const std::filesystem::path& file) {
  check_export(domain, file);
  const std::string extension = ascii_lower(file.extension().string());
  write_file_atomically(file, export_text(explanation, extension));
  return extension == ".graphml" ? std::vector<std::string>() : molecule_notes(explanation, file);
}

}  // namespace fewedits
