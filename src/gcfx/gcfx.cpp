// SPDX-License-Identifier: MIT
#include "gcfx/gcfx.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gcfx/base/file.hpp"
#include "gcfx/input/metadata.hpp"
#include "gcfx/input/molecule_records.hpp"
#include "gcfx/input/tu_reader.hpp"
#ifdef GCFX_WITH_RDKIT
#include "gcfx/chem/molecule.hpp"
#endif

namespace gcfx {
namespace {

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
    return parse_metadata(*text, (path / "gcfx.json").string());
  }
  // "data/AIDS/" has an empty file name; the folder's name is what counts.
  const auto clean = std::filesystem::absolute(path).lexically_normal();
  const auto last = clean.has_filename() ? clean : clean.parent_path();
  const auto name = std::filesystem::is_directory(path) ? last.filename() : last.stem();
  if (auto known = builtin_metadata(name.string())) return *known;
  return builtin_metadata(file_prefix).value_or(DatasetMetadata{});
}

RawDataset read_raw(const std::filesystem::path& path,
                    [[maybe_unused]] const DatasetOptions& options) {
  if (!has_molecule_extension(path)) return read_tu(path);
#ifdef GCFX_WITH_RDKIT
  return read_molecules(path, {options.explicit_hydrogens});
#else
  throw Error({path.string()}, "molecule files need RDKit, which this build leaves out",
              "install librdkit-dev and build with -DGCFX_WITH_RDKIT=ON");
#endif
}

std::string joined(const std::vector<NamedValue>& values) {
  std::vector<std::string> names;
  names.reserve(values.size());
  for (const NamedValue& v : values) names.push_back(v.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Index in the model of each of the dataset's labels.
std::vector<Label> match_labels(const Dataset& dataset, const NativeClassifier& model) {
  const auto& known = model.spec().node_labels;
  std::vector<Label> to(dataset.node_labels.size());
  if (known.empty()) {
    if (dataset.node_labels.size() != model.num_labels()) {
      throw Error(
          fmt::format("the dataset has {} node labels ({}), the model was trained on {}",
                      dataset.node_labels.size(), joined(dataset.node_labels), model.num_labels()),
          "use the dataset and the rare-label filter the model was trained with");
    }
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<Label>(i);
    return to;
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto it = std::find(known.begin(), known.end(), dataset.node_labels[i].name);
    if (it == known.end()) {
      throw Error(fmt::format("the model does not know the node label {}",
                              quoted(dataset.node_labels[i].name)),
                  fmt::format("it was trained on: {}", fmt::join(known, ", ")));
    }
    to[i] = static_cast<Label>(it - known.begin());
  }
  return to;
}

/// Column of the model's output for each of the dataset's classes; empty: as they are.
std::vector<std::size_t> match_classes(const Dataset& dataset, const NativeClassifier& model) {
  const auto& known = model.spec().classes;
  if (dataset.class_labels.size() > model.num_classes()) {
    throw Error(fmt::format("the dataset has {} classes ({}), the model tells {} apart",
                            dataset.class_labels.size(), joined(dataset.class_labels),
                            model.num_classes()));
  }
  if (known.empty() || dataset.class_labels.size() != known.size()) return {};
  std::vector<std::size_t> column;
  for (const NamedValue& c : dataset.class_labels) {
    const auto it = std::find(known.begin(), known.end(), c.name);
    if (it == known.end()) {
      throw Error(fmt::format("the model does not know the class {}", gcfx::quoted(c.name)),
                  fmt::format("it was trained on: {}", fmt::join(known, ", ")));
    }
    column.push_back(static_cast<std::size_t>(it - known.begin()));
  }
  return column;
}

void reorder_columns(const std::vector<std::size_t>& column, std::vector<float>& values) {
  std::vector<float> row(column.size());
  for (std::size_t at = 0; at < values.size(); at += row.size()) {
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = values[at + column[c]];
    std::copy(row.begin(), row.end(), values.begin() + static_cast<std::ptrdiff_t>(at));
  }
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

}  // namespace

std::string version() { return GCFX_VERSION; }

bool has_molecules() {
#ifdef GCFX_WITH_RDKIT
  return true;
#else
  return false;
#endif
}

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

Predictions predict(const Dataset& dataset, const NativeClassifier& model, ThreadPool& pool) {
  const auto to = match_labels(dataset, model);
  const auto column = match_classes(dataset, model);
  const bool identity = [&] {
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (to[i] != i) return false;
    }
    return true;
  }();
  const auto renamed = [&] {
    std::vector<Graph> graphs;
    graphs.reserve(dataset.size());
    for (const Graph& g : dataset.graphs) graphs.push_back(g.relabelled(to));
    return graphs;
  };

  Predictions out;
  out.classes = model.num_classes();
  out.log_probabilities.resize(dataset.size() * out.classes);
  const std::vector<Graph> copies = identity ? std::vector<Graph>{} : renamed();
  model.log_probabilities(identity ? dataset.graphs : copies, out.log_probabilities, pool);
  if (!column.empty()) reorder_columns(column, out.log_probabilities);
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    const std::span<const float> row(&out.log_probabilities[i * out.classes], out.classes);
    out.predicted.push_back(static_cast<int>(predicted_class(row)));
  }
  out.accuracy = accuracy_of(dataset, out);
  return out;
}

}  // namespace gcfx
