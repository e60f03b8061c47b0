// SPDX-License-Identifier: MIT
#include "fewedits/formats/molecule_file.hpp"

#include "fewedits/formats/molecule_records.hpp"

namespace fewedits {

RawDataset read_molecules(const std::filesystem::path& path, const MoleculeOptions& options) {
  require_rdkit(path.string());
  RawDataset out = molecules_as_graphs(read_molecule_records(path), path.string(), options);
  out.name = path.stem().string();
  return out;
}

}  // namespace fewedits
