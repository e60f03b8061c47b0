// SPDX-License-Identifier: MIT
// A classifier that says what a test wants it to say.
#pragma once

#include <cassert>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "fewedits/classifier/classifier.hpp"

namespace fewedits::test {

class FakeClassifier : public Classifier {
 public:
  /// `probabilities` gives one for each class.
  FakeClassifier(std::size_t num_labels, std::size_t num_classes,
                 std::function<std::vector<double>(const Graph&)> probabilities)
      : labels_(num_labels), classes_(num_classes), probabilities_(std::move(probabilities)) {}

  [[nodiscard]] std::size_t num_classes() const override { return classes_; }
  [[nodiscard]] std::size_t num_labels() const override { return labels_; }
  void log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                         ThreadPool& /*pool*/) const override {
    std::size_t at = 0;
    for (const Graph& g : graphs) {
      const std::vector<double> row = probabilities_(g);
      assert(row.size() == classes_);
      for (const double p : row) out[at++] = static_cast<float>(std::log(p));
    }
  }

 private:
  std::size_t labels_;
  std::size_t classes_;
  std::function<std::vector<double>(const Graph&)> probabilities_;
};

}  // namespace fewedits::test
