// SPDX-License-Identifier: MIT
// Any text as a molecule, the first byte chooses the form: what is looked at before RDKit gets it
// is an Error or nothing.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fewedits/base/error.hpp"
#include "fewedits/chem/molecule_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using fewedits::MoleculeRecord;
  if (size == 0) return 0;
  MoleculeRecord record;
  record.form = data[0] % 2 == 0 ? MoleculeRecord::Form::kSmiles : MoleculeRecord::Form::kMolBlock;
  record.text.assign(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    fewedits::check_molecule_text(record, {"fuzz", 1});
  } catch (const fewedits::Error&) {
    // The expected answer to nonsense.
  }
  return 0;
}
