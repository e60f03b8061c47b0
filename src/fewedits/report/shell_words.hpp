// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace fewedits {

/// One word for a shell. Control characters are spelled out: pasted as they are, they are keys.
std::string shell_quoted(const std::string& text);

}  // namespace fewedits
