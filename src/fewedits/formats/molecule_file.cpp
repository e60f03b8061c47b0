// SPDX-License-Identifier: MIT
#include "fewedits/formats/molecule_file.hpp"

#include <utility>

#include "fewedits/formats/molecule_classes.hpp"
#include "fewedits/formats/molecule_records.hpp"

namespace fewedits {

RawDataset read_molecules(const std::filesystem::path& path, const MoleculeOptions& options,
                          const std::string& label_column) {
  const std::string file = path.string();
  require_rdkit(file);
  std::vector<MoleculeRecord> records = read_molecule_records(path, label_column);
  RawDataset out;
  take_classes(records, label_column.empty() ? Unclassified::kMistake : Unclassified::kLeftOut,
               file, out);
  RawDataset molecules = molecules_as_graphs(records, file, options);
  out.name = path.stem().string();
  out.graphs = std::move(molecules.graphs);
  out.node_labels = std::move(molecules.node_labels);
  out.edge_labels = std::move(molecules.edge_labels);
  out.notes.insert(out.notes.end(), molecules.notes.begin(), molecules.notes.end());
  return out;
}

}  // namespace fewedits
