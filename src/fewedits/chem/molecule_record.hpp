// SPDX-License-Identifier: MIT
// A molecule as text, before anyone has looked at its chemistry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace fewedits {

struct MoleculeRecord {
  enum class Form { kSmiles, kMolBlock };
  Form form = Form::kSmiles;
  std::string text;
  std::int64_t line = 0;                  ///< where the record starts, from 1
  std::optional<std::string> class_text;  ///< as it is written
  std::string name;                       ///< empty: it has none
};

}  // namespace fewedits
