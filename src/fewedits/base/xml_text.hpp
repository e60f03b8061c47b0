// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace fewedits {

/// Any bytes as text of an XML element or attribute. What XML cannot hold (control characters,
/// bytes that are no UTF-8) is replaced by U+FFFD.
std::string xml_text(const std::string& bytes);

}  // namespace fewedits
