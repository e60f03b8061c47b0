// SPDX-License-Identifier: MIT
// Edit scripts as JSON (docs/formats.md, "Distances"). Only sources include this: it brings in
// nlohmann's.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "fewedits/proof/edit_script.hpp"

namespace fewedits {

/// Adds "script" and "map".
void add_script(const EditScript& script, nlohmann::ordered_json& row);

/// What "op" calls it.
std::string_view name_of(EditOp::Kind kind);
/// What "op" names; nothing for another name.
std::optional<EditOp::Kind> edit_kind(std::string_view name);

/// Which keys beside "op" an edit of that kind has: "node", or else "u" and "v"; and "label".
bool names_one_node(EditOp::Kind kind);
bool has_label(EditOp::Kind kind);

}  // namespace fewedits
