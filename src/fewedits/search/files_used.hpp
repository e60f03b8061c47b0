// SPDX-License-Identifier: MIT
// explain() is given values; whoever read them from files says so with this.
#pragma once

#include <filesystem>

#include "fewedits/explanation/explanation.hpp"

namespace fewedits {

/// Notes where dataset and models are, and the hashes of the models. Without a distance model, its
/// path is empty.
void note_files(const std::filesystem::path& dataset, const std::filesystem::path& model,
                const std::filesystem::path& distance_model, Provenance& provenance);

}  // namespace fewedits
