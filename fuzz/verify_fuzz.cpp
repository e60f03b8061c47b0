// SPDX-License-Identifier: MIT
// Any text as an explanation of a small dataset: the check ends, in little time, and of what it
// accepts no figure can be changed. Where it says that its dataset and model are, is looked up,
// too: in a folder with a dataset, and a link that leads back to where it is.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/formats/tu_writer.hpp"
#include "fewedits/verification/verifier.hpp"
#include "sources.hpp"

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
  const auto report = fewedits::verify::verify(explanation, {data, &model, "data", "model"}, pool,
                                               {.max_work = 10'000'000});
  return report.holds() && report.all_checked() && report.certified;
}

/// Where paths of explanations are looked up: "small", "weights" and "loop" are there.
const std::filesystem::path& folder() {
  static const std::filesystem::path path = [] {
    const auto out = std::filesystem::temp_directory_path() / "fewedits_verify_fuzz";
    std::filesystem::remove_all(out);
    std::filesystem::create_directories(out / "loop");
    std::filesystem::create_symlink(".", out / "loop" / "raw");
    const fewedits::Dataset data = small_dataset();
    fewedits::RawDataset raw;
    raw.name = data.name;
    raw.graphs = data.graphs;
    raw.graph_labels = {0, 0, 1};
    raw.node_labels = data.node_labels;
    fewedits::DatasetMetadata metadata;
    metadata.desired_class = 1;
    fewedits::write_tu(out / "small", raw, metadata);
    fewedits::write_file_atomically(out / "weights", "none");
    return out;
  }();
  return path;
}

/// Only what lies there: other folders of the machine are nobody's business.
bool stays_inside(const std::string& path) {
  return !path.starts_with("/") && path.find("..") == std::string::npos;
}

void look_up(const fewedits::Explanation& explanation) {
  const fewedits::Provenance& p = explanation.provenance;
  for (const auto& value : p.values_of("metadata")) {
    if (!stays_inside(value)) return;
  }
  if (!stays_inside(p.dataset_path) || !stays_inside(p.model_path)) return;
  try {
    std::filesystem::current_path(folder());
    (void)fewedits::verify::find_sources(p, !explanation.edge_label_names.empty(),
                                         (folder() / "fuzz.json").string(), {}, "");
  } catch (const fewedits::Error&) {
    // Nothing there, or nothing that can be read.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    fewedits::Explanation explanation = fewedits::parse_explanation(text, "fuzz.json");
    look_up(explanation);
    if (!holds(explanation)) return 0;
    explanation.metrics.coverage = explanation.metrics.coverage == 0 ? 1 : 0;
    if (holds(explanation)) std::abort();
  } catch (const fewedits::Error&) {
    // The expected answer to nonsense.
  }
  return 0;
}
