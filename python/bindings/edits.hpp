// SPDX-License-Identifier: MIT
// Maps and edits as Python has them: -1 for what there is not.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "fewedits/proof/edit_script.hpp"

namespace fewedits::python {

using Op = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>;

inline std::vector<std::int64_t> map_of(const std::vector<Node>& map) {
  std::vector<std::int64_t> out;
  for (const Node to : map) out.push_back(to == kUnmatched ? -1 : static_cast<std::int64_t>(to));
  return out;
}

inline NodeMap map_from(const std::vector<std::int64_t>& map) {
  NodeMap out;
  for (const std::int64_t to : map) out.push_back(to < 0 ? kUnmatched : static_cast<Node>(to));
  return out;
}

inline std::vector<std::int64_t> script_map_of(const EditScript& script) {
  return map_of(script.map);
}

/// Kinds as in files (docs/formats.md).
std::vector<Op> ops_of(const EditScript& script);
/// And back. Throws Error for a kind that does not exist.
std::vector<EditOp> edit_ops_of(const std::vector<Op>& ops);

}  // namespace fewedits::python
