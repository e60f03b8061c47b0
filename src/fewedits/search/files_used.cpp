// SPDX-License-Identifier: MIT
#include "fewedits/search/files_used.hpp"

#include "fewedits/base/file.hpp"
#include "fewedits/base/sha256.hpp"
#include "fewedits/classifier/model_file.hpp"

namespace fewedits {

void note_files(const std::filesystem::path& dataset, const std::filesystem::path& model,
                const std::filesystem::path& distance_model, Provenance& provenance) {
  provenance.dataset_path = dataset.string();
  provenance.model_path = model.string();
  provenance.model_hash = model_hash(model);
  if (distance_model.empty()) return;
  provenance.distance_model_path = distance_model.string();
  provenance.distance_model_hash = sha256_hex(read_file(distance_model));
}

}  // namespace fewedits
