// SPDX-License-Identifier: MIT
#include "fewedits/fewedits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "fewedits/base/file.hpp"
#include "fewedits/base/sha256.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/chem/molecule.hpp"
#include "fewedits/formats/graphml.hpp"
#include "fewedits/formats/metadata.hpp"
#include "fewedits/formats/molecule_file.hpp"
#include "fewedits/formats/molecule_records.hpp"
#include "fewedits/formats/tu_reader.hpp"

namespace fewedits {
namespace {

void append(std::span<const std::uint32_t> words, std::string& bytes) {
  for (const std::uint32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(word >> shift);
  }
}

DatasetMetadata resolve_metadata(const std::filesystem::path& path, const DatasetOptions& options,
                                 const std::string& file_prefix, bool molecules) {
  if (options.metadata) {
    return parse_metadata(read_file(*options.metadata, kMaxMetadataBytes),
                          options.metadata->string());
  }
  if (molecules) {
    DatasetMetadata metadata;
    metadata.domain = "molecule";
    return metadata;
  }
  if (const auto text = read_tu_metadata_text(path)) {
    return parse_metadata(*text, (path / "fewedits.json").string());
  }
  // "data/AIDS/" has an empty file name; the folder's name is what counts.
  const auto clean = std::filesystem::absolute(path).lexically_normal();
  const auto last = clean.has_filename() ? clean : clean.parent_path();
  const auto name = std::filesystem::is_directory(path) ? last.filename() : last.stem();
  if (auto known = builtin_metadata(name.string())) return *known;
  return builtin_metadata(file_prefix).value_or(DatasetMetadata{});
}

RawDataset read_raw(const std::filesystem::path& path, const DatasetOptions& options) {
  if (!has_molecule_extension(path)) return read_tu(path);
  return read_molecules(path, {options.explicit_hydrogens});
}

/// Unset where the dataset has no classes, or fewer than the model: which of the model's classes
/// they are is then unknown.
std::optional<double> accuracy_of(const Dataset& dataset, const Predictions& p) {
  if (dataset.classes.empty() || dataset.class_labels.size() != p.classes) return std::nullopt;
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
  return to_graphml(graphs, explanation.label_names, facts);
}

std::string smiles_text(const Explanation& explanation) {
  std::string out;
  for (std::size_t c = 0; c < explanation.counterfactuals.size(); ++c) {
    const Graph& graph = explanation.counterfactuals[c].graph;
    out += fmt::format("{} counterfactual_{}\n", to_smiles(graph, explanation.label_names, {}), c);
  }
  return out;
}

std::string sdf_text(const Explanation& explanation) {
  std::string out;
  for (std::size_t i = 0; i < explanation.counterfactuals.size(); ++i) {
    const Counterfactual& c = explanation.counterfactuals[i];
    // A mol block starts with the line of the molecule's name, which RDKit leaves empty.
    out += fmt::format("counterfactual_{}{}> <probability>\n{}\n\n> <covers>\n{}\n\n$$$$\n", i,
                       to_mol_block(c.graph, explanation.label_names, {}), c.probability,
                       c.covers.size());
  }
  return out;
}

/// What to know about exported molecules.
std::vector<std::string> molecule_notes(const Explanation& explanation,
                                        const std::filesystem::path& file) {
  const auto& all = explanation.counterfactuals;
  const auto impossible = std::ranges::count_if(all, [&](const Counterfactual& c) {
    return !is_possible_molecule(c.graph, explanation.label_names, {});
  });
  if (impossible == 0) return {};
  const auto constraints = explanation.provenance.values_of("constraint");
  const bool constrained = std::ranges::find(constraints, "valence") != constraints.end();
  return {fmt::format("{}: {} of {} are not possible molecules (valence): {}", file.string(),
                      impossible, all.size(),
                      constrained
                          ? "they would need charges, which graphs do not keep"
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

std::string version() { return FEWEDITS_VERSION; }

bool has_molecules() { return has_rdkit(); }

Dataset open_dataset(const std::filesystem::path& path, const DatasetOptions& options) {
  if (!std::filesystem::exists(path)) {
    throw Error({path.string()}, "there is no such file or folder",
                "a dataset is a TU folder, a TU .zip, or a .smi, .csv or .sdf file");
  }
  RawDataset raw = read_raw(path, options);
  DatasetMetadata metadata =
      resolve_metadata(path, options, raw.name, has_molecule_extension(path));
  if (options.desired_class) metadata.desired_class = options.desired_class;
  if (options.rare_label_threshold) metadata.rare_label_threshold = options.rare_label_threshold;
  return prepare(std::move(raw), metadata);
}

Predictions predict(const Dataset& dataset, const Classifier& classifier, ThreadPool& pool) {
  Predictions out;
  out.classes = classifier.num_classes();
  out.log_probabilities.resize(dataset.size() * out.classes);
  classifier.log_probabilities(dataset.graphs, out.log_probabilities, pool);
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    const std::span<const float> row(&out.log_probabilities[i * out.classes], out.classes);
    out.predicted.push_back(static_cast<int>(predicted_class(row)));
  }
  out.accuracy = accuracy_of(dataset, out);
  return out;
}

void check_export(const std::string& domain, const std::filesystem::path& file) {
  const std::string extension = ascii_lower(file.extension().string());
  if (extension == ".graphml") return;
  if (extension != ".smi" && extension != ".sdf") {
    throw Error({file.string()},
                extension.empty() ? "has no ending that says in which format to export"
                                  : quoted(extension) + " is no format to export to",
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

std::string dataset_fingerprint(const Dataset& dataset) {
  Sha256 hash;
  const auto add = [&](const std::string& text) {
    hash.update(fmt::format("{}:{}\n", text.size(), text));
  };
  for (const NamedValue& label : dataset.node_labels) add(label.name);
  // The order of the classes says which of them is desired.
  for (const NamedValue& c : dataset.class_labels) add(fmt::format("{} {}", c.value, c.name));
  add(std::to_string(dataset.desired_class));
  for (const Graph& g : dataset.graphs) {
    std::string bytes;
    append(g.labels(), bytes);
    append(g.offsets(), bytes);
    append(g.targets(), bytes);
    hash.update(bytes);
  }
  return hash.hex();
}

}  // namespace fewedits
