// SPDX-License-Identifier: MIT
// Where the benchmarks find the published data, weights and golden values.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "fewedits/base/text.hpp"

namespace fewedits::bench {

/// $FEWEDITS_SHARED, else ../shared.
inline std::string shared_root() {
  const char* configured = std::getenv("FEWEDITS_SHARED");
  return configured != nullptr ? configured : "../shared";
}

/// `dataset` is spelled as the paper does: "NCI1".
inline std::string dataset_path(const std::string& dataset) {
  return shared_root() + "/datasets/" + dataset;
}
inline std::string classifier_path(const std::string& dataset) {
  return shared_root() + "/models/" + ascii_lower(dataset) + "/gcn.pth";
}
inline std::string greed_path(const std::string& dataset) {
  return shared_root() + "/models/" + ascii_lower(dataset) + "/greed.pt";
}

/// Exit code of a benchmark that found nothing to run on; CTest shows it as skipped.
inline constexpr int kSkipped = 77;

/// True, after saying so, if that part of the shared folder is not there.
inline bool lacks(const std::string& folder) {
  if (std::filesystem::exists(shared_root() + "/" + folder)) return false;
  fmt::print(stderr, "skipped: needs {}/{}; set FEWEDITS_SHARED\n", shared_root(), folder);
  return true;
}

}  // namespace fewedits::bench
