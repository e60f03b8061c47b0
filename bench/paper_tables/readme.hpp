// SPDX-License-Identifier: MIT
// The tables of the project's first page, kept there word for word.
#pragma once

#include <filesystem>
#include <string>

namespace fewedits::bench {

/// Puts the text between the two lines of that file that say where it begins and ends. Throws Error
/// if they are not there.
void put_into(const std::filesystem::path& file, const std::string& text);

}  // namespace fewedits::bench
