// SPDX-License-Identifier: MIT
// The façade: what most programs need, in one header. Values and one interface, no engine parts;
// fewedits/extend.hpp is for those who bring distances, models or methods of their own.
//
//   const fewedits::Dataset data = fewedits::open_dataset("Mutagenicity");
//   const auto model = fewedits::open_classifier("gcn.pth", data);
//   const fewedits::Explanation why = fewedits::explain(data, *model, {});
//
//   const fewedits::GedBounds d = fewedits::edit_distance(data.graphs[0], data.graphs[1]);
//   for (const auto& op : fewedits::edit_script(data.graphs[0], data.graphs[1], d.map).ops) …
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/base/parallel.hpp"
#include "fewedits/base/version.hpp"
#include "fewedits/classifier/classifier.hpp"
#include "fewedits/classifier/input_selection.hpp"
#include "fewedits/explanation/explanation.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/formats/open_dataset.hpp"
#include "fewedits/ged/edit_distance.hpp"
#include "fewedits/graph/dataset.hpp"
#include "fewedits/graph/fingerprint.hpp"
#include "fewedits/proof/certificate.hpp"
#include "fewedits/proof/edit_script.hpp"
#include "fewedits/search/options.hpp"
#include "fewedits/search/progress.hpp"

namespace fewedits {

/// True if the library was built with that optional component.
bool has_molecules();

struct Predictions {
  std::size_t classes = 0;
  std::vector<float> log_probabilities;  ///< graphs × classes
  std::vector<int> predicted;            ///< class of each graph
  std::vector<std::string> names;        ///< of the classes: the dataset's, else the model's
  /// Against the dataset's classes; unset if it has none, or if nobody knows which of the model's
  /// they are.
  std::optional<double> accuracy;
};

/// A checkpoint (.pt, .pth, .safetensors) or model file (.json), aligned with the dataset: node
/// labels and classes are matched by name where the model knows names; else the number of labels
/// must agree, and the dataset's metadata must say which class is which output. Throws Error if
/// they do not fit.
std::unique_ptr<Classifier> open_classifier(const std::filesystem::path& file,
                                            const Dataset& dataset,
                                            ClassMatch match = ClassMatch::kRequired);

/// Evaluates a whole dataset. The classifier's labels and classes are the dataset's
/// (open_classifier).
Predictions predict(const Dataset& dataset, const Classifier& classifier, ThreadPool& pool);

/// What the classifier makes of a dataset: indices, ascending.
struct RejectedGraphs {
  /// The inputs: not predicted to be in the desired class, and selected.
  std::vector<std::uint32_t> rejected;
  std::vector<std::uint32_t> accepted;  ///< predicted to be in it
  std::vector<std::size_t> predicted;   ///< the class of every graph
  /// dataset_fingerprint() of it, if anybody knows already; explain() records it.
  std::string dataset_hash = {};
};
RejectedGraphs rejected_graphs(const Dataset& dataset, const Classifier& classifier,
                               ThreadPool& pool, const InputSelection& selection = {});

/// What is explained towards what, in classes.
ExplainedClasses explained_classes(const Dataset& dataset, const Classifier& classifier,
                                   const RejectedGraphs& graphs);

std::vector<Graph> without_edge_labels(const Dataset& dataset,
                                       std::span<const std::uint32_t> indices);

/// Explains why the classifier rejects what it rejects: k graphs that it accepts and that are close
/// to as many rejected ones as possible. Whether labels of edges count is ExplainOptions::bonds.
/// The same seed gives the same explanation for any number of threads.
Explanation explain(const Dataset& dataset, const Classifier& classifier,
                    const ExplainOptions& options, ThreadPool& pool,
                    const ExplainHooks& hooks = {});
Explanation explain(const Dataset& dataset, const Classifier& classifier,
                    const ExplainOptions& options);
/// The same where rejected_graphs(…, options.selection) is known already.
Explanation explain(const Dataset& dataset, const Classifier& classifier,
                    const RejectedGraphs& graphs, const ExplainOptions& options, ThreadPool& pool,
                    const ExplainHooks& hooks = {});

/// The inputs of the explanation, in their order, as it sees them: without labels of edges or, if
/// it uses bonds, with them. Scripts start from these, and check_certificate wants
/// costs_of(explanation).
std::vector<Graph> explained_graphs(const Dataset& dataset, const Explanation& explanation);

/// Writes the counterfactuals for other programs, by the file's extension: .graphml (with
/// probability and number of inputs covered); for molecules (`domain` of their dataset) also .smi
/// and .sdf, where all bonds are single unless the explanation uses bonds. Throws the Error of
/// check_export. Returns notes: how many molecules RDKit would refuse to read back.
std::vector<std::string> export_counterfactuals(const Explanation& explanation,
                                                const std::string& domain,
                                                const std::filesystem::path& file);
/// Throws Error for another extension, for other domains, and for builds without RDKit: known
/// before there is anything to export.
void check_export(const std::string& domain, const std::filesystem::path& file);

}  // namespace fewedits
