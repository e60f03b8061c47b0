// SPDX-License-Identifier: MIT
#include "fewedits/chem/molecule_text.hpp"

#include <fmt/format.h>

#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fewedits/base/text.hpp"
#include "fewedits/chem/molecule.hpp"

namespace fewedits {
namespace {

/// The logical lines of a V3000 mol block: one that ends in a hyphen goes on in the next.
std::vector<std::string> v3000_lines(std::string_view block) {
  constexpr std::string_view kStart = "M  V30 ";
  std::vector<std::string> lines;
  bool goes_on = false;
  while (!block.empty()) {
    std::string_view line = block.substr(0, block.find('\n'));
    block.remove_prefix(std::min(line.size() + 1, block.size()));
    if (!line.starts_with(kStart)) continue;
    line.remove_prefix(kStart.size());
    if (!goes_on) lines.emplace_back();
    goes_on = line.ends_with('-');
    if (goes_on) line.remove_suffix(1);
    lines.back() += line;
  }
  return lines;
}

/// RDKit makes room for as many atoms as a V3000 block announces, whether or not they follow.
void check_announced(std::string_view block, const Location& where) {
  for (const std::string& line : v3000_lines(block)) {
    std::istringstream words(ascii_lower(line));
    std::string word;
    if (!(words >> word) || !word.starts_with("counts")) continue;
    for (const auto& [most, what] :
         {std::pair(kMaxMoleculeAtoms, "atoms"), std::pair(kMaxMoleculeBonds, "bonds")}) {
      words >> word;
      const auto announced = number_in<std::uint32_t>(word);
      if (!words || !announced) {
        throw Error(where, "its COUNTS line does not start with the numbers of atoms and bonds",
                    "correct the molecule, or take it out of the file");
      }
      check_molecule_size(*announced, most, what, where);
    }
  }
}

}  // namespace

void check_molecule_size(std::size_t size, std::size_t most, std::string_view of_what,
                         const Location& where) {
  if (size <= most) return;
  throw Error(where, fmt::format("the molecule has {} {}; the limit is {}", size, of_what, most),
              "take the molecule out of the file");
}

void check_molecule_text(const MoleculeRecord& record, const Location& where) {
  if (record.text.empty()) throw Error(where, "the SMILES is empty");
  if (record.form == MoleculeRecord::Form::kMolBlock) {
    check_announced(record.text, where);
  } else {
    check_molecule_size(record.text.size(), kMaxSmilesBytes, "characters in its SMILES", where);
  }
}

}  // namespace fewedits
