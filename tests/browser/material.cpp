// SPDX-License-Identifier: MIT
// Writes explanations for the browser test into a folder: FOLDER/NAME.json and the dataset
// FOLDER/NAME. Usage: report_material FOLDER
#include <cstdio>
#include <exception>
#include <functional>

#include "fewedits/base/file.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "support/explained.hpp"

namespace {

void write(const std::filesystem::path& folder, const std::string& name,
           const fewedits::test::ExplainedOptions& options,
           const std::function<void(fewedits::Explanation&)>& change = {}) {
  auto made = fewedits::test::make_explained(folder / name, options);
  if (change) change(made.explanation);
  fewedits::write_file_atomically(folder / (name + ".json"),
                                  fewedits::explanation_json(made.explanation));
}

/// Names that would be markup if they were not taken as text.
void make_hostile(fewedits::DatasetMetadata& metadata) {
  metadata.domain = "generic";
  metadata.name = "</script><script>window.broken = 1</script>";
  metadata.node_label_names[0] = "<script>window.broken = 1</script>";
  metadata.node_label_names[1] = "<img src=x onerror=\"window.broken = 1\">";
  metadata.node_label_names[2] = "it's \"quoted\" & <b>bold</b>";
}

/// A name that a spreadsheet would take for a formula.
void make_formula(fewedits::Explanation& explanation) { explanation.distance = "=1+1"; }

/// A refinement that has nothing left to gain.
void make_flat(fewedits::Explanation& explanation) {
  for (fewedits::RefinementPoint& point : explanation.refinement) point.coverage = 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder);
    write(folder, "made", {.inputs = 240, .k = 6});
    write(folder, "other", {.inputs = 240, .k = 6, .seed = 2});
    write(folder, "full", {.inputs = 30, .k = 2, .theta = 0.875}, make_flat);
    write(folder, "hostile", {.inputs = 24, .k = 3, .metadata = make_hostile}, make_formula);
    write(folder, "large", {.inputs = 5000, .k = 10});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "report_material: %s\n", error.what());
    return 1;
  }
  return 0;
}
