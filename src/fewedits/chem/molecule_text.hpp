// SPDX-License-Identifier: MIT
// What is looked at in a molecule's text before RDKit gets it. Internal to chem, and without RDKit,
// so that builds without it can try it on any bytes.
#pragma once

#include <cstddef>
#include <string_view>

#include "fewedits/base/error.hpp"
#include "fewedits/chem/molecule_record.hpp"

namespace fewedits {

/// Throws Error if the text is empty or announces more than a molecule may have.
void check_molecule_text(const MoleculeRecord& record, const Location& where);

/// Throws Error if there are more of something than there may be.
void check_molecule_size(std::size_t size, std::size_t most, std::string_view of_what,
                         const Location& where);

}  // namespace fewedits
