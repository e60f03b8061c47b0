// SPDX-License-Identifier: MIT
#include "fewedits/formats/open_dataset.hpp"

#include <string>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/formats/metadata.hpp"
#include "fewedits/formats/molecule_file.hpp"
#include "fewedits/formats/molecule_records.hpp"
#include "fewedits/formats/tu_reader.hpp"

namespace fewedits {
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

}  // namespace

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

}  // namespace fewedits
