// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace fewedits::cli {

/// JSON for people and programs; names come from files, so bytes that are no UTF-8 are replaced
/// rather than refused.
inline std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace fewedits::cli
