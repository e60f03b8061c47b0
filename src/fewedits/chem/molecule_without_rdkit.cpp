// SPDX-License-Identifier: MIT
// Stands in for molecule.cpp in builds without RDKit.
#include "fewedits/base/error.hpp"
#include "fewedits/chem/molecule.hpp"

namespace fewedits {
namespace {

[[noreturn]] void fail(const std::string& file = {}) {
  throw Error({file}, "molecule files need RDKit, which this build leaves out",
              "install librdkit-dev and build with -DFEWEDITS_WITH_RDKIT=ON");
}

}  // namespace

bool has_rdkit() { return false; }

void require_rdkit(const std::string& file) { fail(file); }

RawDataset molecules_as_graphs(std::span<const MoleculeRecord> /*records*/, const std::string& file,
                               const MoleculeOptions& /*options*/) {
  fail(file);
}

std::string to_smiles(const Graph& /*graph*/, const std::vector<std::string>& /*atom_names*/,
                      const std::vector<std::string>& /*bond_names*/) {
  fail();
}

bool is_possible_molecule(const Graph& /*graph*/, const std::vector<std::string>& /*atom_names*/,
                          const std::vector<std::string>& /*bond_names*/) {
  fail();
}

std::string to_mol_block(const Graph& /*graph*/, const std::vector<std::string>& /*atom_names*/,
                         const std::vector<std::string>& /*bond_names*/) {
  fail();
}

Positions layout_molecule(const Graph& /*graph*/, const std::vector<std::string>& /*atom_names*/,
                          const std::vector<std::string>& /*bond_names*/,
                          const Anchors& /*anchors*/) {
  fail();
}

}  // namespace fewedits
