// SPDX-License-Identifier: MIT
// Any text as an explanation of a small dataset: the check ends, in little time, and of what it
// accepts no figure can be changed.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fewedits/base/error.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "verifier.hpp"

namespace {

using fewedits::Edge;
using fewedits::Graph;
using fewedits::Label;

/// Accepts what has a node of label 1.
class OneIsGood final : public fewedits::Classifier {
 public:
  [[nodiscard]] std::size_t num_classes() const override { return 2; }
  [[nodiscard]] std::size_t num_labels() const override { return 2; }
  void log_probabilities(std::span<const Graph> graphs, std::span<float> out,
                         fewedits::ThreadPool& /*pool*/) const override {
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      bool good = false;
      for (const Label label : graphs[g].labels()) good = good || label == 1;
      out[2 * g] = std::log(good ? 0.25F : 0.75F);
      out[2 * g + 1] = std::log(good ? 0.75F : 0.25F);
    }
  }
};

/// Two that are rejected, a path and a triangle, and one that is accepted.
fewedits::Dataset small_dataset() {
  fewedits::Dataset out;
  out.name = "small";
  const std::vector<Edge> path{{0, 1}, {1, 2}};
  const std::vector<Edge> triangle{{0, 1}, {1, 2}, {0, 2}};
  out.graphs = {Graph(std::vector<Label>{0, 0, 0}, path),
                Graph(std::vector<Label>{0, 0, 0}, triangle),
                Graph(std::vector<Label>{1, 0, 0}, path)};
  out.node_labels = {{0, "C"}, {1, "O"}};
  out.class_labels = {{0, "bad"}, {1, "good"}};
  out.desired_class = 1;
  return out;
}

bool holds(const fewedits::Explanation& explanation) {
  static const fewedits::Dataset data = small_dataset();
  static const OneIsGood model;
  static fewedits::ThreadPool pool(1);
  const auto report = fewedits::verify::verify(explanation, {data, model, "data", "model"}, pool,
                                               {.max_work = 10'000'000});
  return report.holds() && report.all_checked() && report.certified;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    fewedits::Explanation explanation = fewedits::parse_explanation(text, "fuzz.json");
    if (!holds(explanation)) return 0;
    explanation.metrics.coverage = explanation.metrics.coverage == 0 ? 1 : 0;
    if (holds(explanation)) std::abort();
  } catch (const fewedits::Error&) {
    // The expected answer to nonsense.
  }
  return 0;
}
