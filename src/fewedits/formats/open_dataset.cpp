// SPDX-License-Identifier: MIT
#include "fewedits/formats/open_dataset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  DatasetDescription by;
  std::optional<std::size_t> desired_column;
  std::optional<std::string> desired_name;
};

/// The classes are words, numbered by us: the next file of the same kind may number them otherwise.
void refuse_number(const std::string& desired, const DatasetMetadata& metadata) {
  if (!number_in<std::int64_t>(desired)) return;
  std::vector<std::string_view> names;
  for (const auto& [value, name] : metadata.class_names) names.push_back(name);
  throw Error(fmt::format("the classes of the file are words, and {} is none of them", desired),
              fmt::format("they are: {}", fmt::join(names, ", ")));
}

/// What a person says goes before the metadata.
void choose_desired(const std::string& text, bool may_be_the_models, Described& to) {
  DatasetMetadata& metadata = to.by.metadata;
  metadata.desired_class.reset();
  to.desired_column = model_column(text);
  if (to.desired_column) return;
  if (const auto value = number_in<std::int64_t>(text)) {
    metadata.desired_class = value;
    return;
  }
  auto& names = metadata.class_names;
  // Of data without classes the name is one that the model knows.
  if (to.raw.graph_labels.empty() && names.empty()) names[0] = text;
  std::vector<NamedValue> classes;
  for (const auto& [value, name] : names) classes.push_back({value, name});
  const auto found = find_class(classes, text);
  if (!found && may_be_the_models) {
    to.desired_name = text;
    return;
  }
  if (!found) {
    throw Error(fmt::format("the dataset has no class {}", in_quotes(text)),
                classes.empty() ? "its classes have no names: give the value in the file, or name "
                                  "them in the metadata (\"classes\")"
                                : "its classes are: " + in_words(classes));
  }
  metadata.desired_class = classes[static_cast<std::size_t>(*found)].value;
}

std::optional<DatasetMetadata> find_builtin(const std::filesystem::path& path,
                                            const std::string& file_prefix) {
  // "data/AIDS/" has an empty file name; the folder's name is what counts.
  const auto clean = std::filesystem::absolute(path).lexically_normal();
  const auto last = clean.has_filename() ? clean : clean.parent_path();
  const auto name = std::filesystem::is_directory(path) ? last.filename() : last.stem();
  auto known = builtin_metadata(name.string());
  return known ? known : builtin_metadata(file_prefix);
}

/// The metadata that was given goes before fewedits.json, which is then not even read.
Described read_described_tu(const std::filesystem::path& path, const DatasetOptions& options) {
  const auto refuse = [&](const char* what) { throw Error({path.string()}, what); };
  if (options.explicit_hydrogens) {
    refuse("hydrogens are made nodes of molecule files only, not of TU data");
  }
  if (options.ignore_charges) refuse("only molecule files have charges to ignore, not TU data");
  if (!options.label_column.empty()) {
    refuse("only molecule files have a column of classes to choose, not TU data");
  }
  using From = DatasetDescription::From;
  const TuSource source(path);
  Described out{source.read(), {}, {}, {}};
  out.by.builtin = find_builtin(path, out.raw.name);
  if (options.metadata) return out;
  if (auto beside = source.read_metadata()) {
    out.by.metadata = *std::move(beside);
    out.by.from = From::kBeside;
    out.by.file = source.metadata_file();
  } else if (out.by.builtin) {
    out.by.metadata = *out.by.builtin;
    out.by.from = From::kBuiltin;
  }
  return out;
}

Described read_described(const std::filesystem::path& path, const DatasetOptions& options) {
  Described out;
  if (has_molecule_extension(path)) {
    out.raw = read_molecules(path, {options.explicit_hydrogens, !options.ignore_charges},
                             options.label_column);
  } else {
    out = read_described_tu(path, options);
  }
  if (options.metadata) {
    out.by.file = options.metadata->string();
    out.by.metadata = parse_metadata(read_file(*options.metadata, kMaxMetadataBytes), out.by.file);
    out.by.from = DatasetDescription::From::kGiven;
  }
  if (has_molecule_extension(path)) out.by.metadata.domain = "molecule";
  const bool numbers_are_ours = !out.raw.class_names.empty() && out.by.metadata.class_names.empty();
  number_class_words(out.raw, out.by.metadata);
  if (options.desired_class) {
    if (numbers_are_ours) refuse_number(*options.desired_class, out.by.metadata);
    choose_desired(*options.desired_class, options.desired_may_be_the_models, out);
  }
  if (options.rare_label_threshold) {
    out.by.metadata.rare_label_threshold = options.rare_label_threshold;
  }
  return out;
}

}  // namespace

Dataset open_dataset(const std::filesystem::path& path, const DatasetOptions& options,
                     DatasetDescription* description) {
  refuse_nul(path);
  if (!std::filesystem::exists(path)) {
    throw Error({path.string()}, "there is no such file or folder",
                "a dataset is a TU folder, a TU .zip, or a .smi, .csv or .sdf file");
  }
  Described found = read_described(path, options);
  Dataset out = prepare(std::move(found.raw), found.by.metadata);
  out.desired_column = found.desired_column;
  out.desired_name = std::move(found.desired_name);
  if (description != nullptr) *description = std::move(found.by);
  return out;
}

Dataset described_dataset(RawDataset raw, DatasetMetadata metadata,
                          const std::optional<std::string>& desired_class) {
  Described found{std::move(raw), {}, {}, {}};
  found.by.metadata = std::move(metadata);
  number_class_words(found.raw, found.by.metadata);
  if (desired_class) choose_desired(*desired_class, /*may_be_the_models=*/true, found);
  Dataset out = prepare(std::move(found.raw), found.by.metadata);
  out.desired_column = found.desired_column;
  out.desired_name = std::move(found.desired_name);
  return out;
}

std::vector<std::filesystem::path> dataset_files(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? tu_files(path) : std::vector{path};
}

}  // namespace fewedits
