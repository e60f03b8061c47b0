// SPDX-License-Identifier: MIT
#include "gcfx/nn/classifier.hpp"

#include <cmath>

namespace gcfx {

std::vector<Judgement> judge(std::span<const Graph> graphs, const Classifier& classifier,
                             std::size_t desired_class, ThreadPool& pool) {
  const std::size_t classes = classifier.num_classes();
  std::vector<float> logs(graphs.size() * classes);
  classifier.log_probabilities(graphs, logs, pool);
  std::vector<Judgement> out;
  out.reserve(graphs.size());
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const std::span<const float> row(&logs[i * classes], classes);
    out.push_back(
        {std::exp(static_cast<double>(row[desired_class])), predicted_class(row) == desired_class});
  }
  return out;
}

}  // namespace gcfx
