// SPDX-License-Identifier: MIT
#include "fewedits/formats/open_dataset.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/formats/metadata.hpp"
#include "fewedits/formats/molecule_file.hpp"
#include "fewedits/formats/molecule_records.hpp"
#include "fewedits/formats/tu_reader.hpp"

namespace fewedits {
namespace {

/// What was read, and how it is to be understood.
struct Described {
  RawDataset raw;
  DatasetMetadata metadata;
  std::optional<std::size_t> desired_column;
};

/// What a person says goes before the metadata.
void choose_desired(const std::string& text, Described& to) {
  to.metadata.desired_class.reset();
  to.desired_column = model_column(text);
  if (to.desired_column) return;
  if (const auto value = number_in<std::int64_t>(text)) {
    to.metadata.desired_class = value;
    return;
  }
  auto& names = to.metadata.class_names;
  // Of data without classes the name is one that the model knows.
  if (to.raw.graph_labels.empty() && names.empty()) names[0] = text;
  std::vector<NamedValue> classes;
  for (const auto& [value, name] : names) classes.push_back({value, name});
  const auto found = find_class(classes, text);
  if (!found) {
    throw Error(fmt::format("the dataset has no class {}", in_quotes(text)),
                classes.empty() ? "its classes have no names: give the value in the file, or name "
                                  "them in the metadata (\"classes\")"
                                : "its classes are: " + in_words(classes));
  }
  to.metadata.desired_class = classes[static_cast<std::size_t>(*found)].value;
}

DatasetMetadata builtin_or_none(const std::filesystem::path& path, const std::string& file_prefix) {
  // "data/AIDS/" has an empty file name; the folder's name is what counts.
  const auto clean = std::filesystem::absolute(path).lexically_normal();
  const auto last = clean.has_filename() ? clean : clean.parent_path();
  const auto name = std::filesystem::is_directory(path) ? last.filename() : last.stem();
  if (auto known = builtin_metadata(name.string())) return *known;
  return builtin_metadata(file_prefix).value_or(DatasetMetadata{});
}

/// The metadata that was given goes before fewedits.json, which is then not even read.
Described read_described_tu(const std::filesystem::path& path, bool metadata_given) {
  const TuSource source(path);
  Described out{source.read(), {}, {}};
  if (metadata_given) return out;
  auto beside = source.read_metadata();
  out.metadata = beside ? *std::move(beside) : builtin_or_none(path, out.raw.name);
  return out;
}

Described read_described(const std::filesystem::path& path, const DatasetOptions& options) {
  Described out;
  if (has_molecule_extension(path)) {
    out.raw = read_molecules(path, {options.explicit_hydrogens});
    out.metadata.domain = "molecule";
  } else {
    out = read_described_tu(path, options.metadata.has_value());
  }
  if (options.metadata) {
    out.metadata =
        parse_metadata(read_file(*options.metadata, kMaxMetadataBytes), options.metadata->string());
  }
  if (options.desired_class) choose_desired(*options.desired_class, out);
  if (options.rare_label_threshold) {
    out.metadata.rare_label_threshold = options.rare_label_threshold;
  }
  return out;
}

}  // namespace

Dataset open_dataset(const std::filesystem::path& path, const DatasetOptions& options) {
  if (!std::filesystem::exists(path)) {
    throw Error({path.string()}, "there is no such file or folder",
                "a dataset is a TU folder, a TU .zip, or a .smi, .csv or .sdf file");
  }
  auto [raw, metadata, desired_column] = read_described(path, options);
  Dataset out = prepare(std::move(raw), metadata);
  out.desired_column = desired_column;
  return out;
}

std::vector<std::filesystem::path> dataset_files(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? tu_files(path) : std::vector{path};
}

}  // namespace fewedits
