// SPDX-License-Identifier: MIT
#include "support/libtorch_info.hpp"

#include <torch/torch.h>

namespace fewedits::bench {

std::string libtorch_description() {
  std::string config = torch::show_config();
  const auto at = config.find("CPU capability usage: ");
  const std::string isa =
      at == std::string::npos ? "?" : config.substr(at + 22, config.find('\n', at) - at - 22);
  return std::string("libtorch ") + TORCH_VERSION + ", " + isa;
}

void set_libtorch_threads(int threads) { torch::set_num_threads(threads); }

const char* name_of(Aggregator aggregator) {
  switch (aggregator) {
    case Aggregator::kScatter: return "scatter";
    case Aggregator::kSparseMatrix: return "sparse";
    case Aggregator::kEmbeddingBag: return "embedding bag";
  }
  return "";
}

}  // namespace fewedits::bench
