// SPDX-License-Identifier: MIT
// Explains a classifier in thirty lines: explain DATASET MODEL [WORK]
// The default distance is certified: every covered graph comes with the edits that prove it.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fewedits/explanation/figures.hpp>
#include <fewedits/fewedits.hpp>

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: explain DATASET MODEL [WORK]\n");
    return 2;
  }
  try {
    const fewedits::Dataset data = fewedits::open_dataset(argv[1]);
    const auto model = fewedits::open_classifier(argv[2], data);
    fewedits::ExplainOptions options;
    if (argc > 3) options.refine_work = std::strtoull(argv[3], nullptr, 10);
    const fewedits::Explanation why = fewedits::explain(data, *model, options);

    const double most = why.metrics.coverage_upper.value_or(1);
    std::printf("coverage of %zu inputs by %zu graphs of the desired class: %s (%s)\n",
                why.inputs.size(), why.counterfactuals.size(),
                fewedits::coverage_in_words(why.metrics.coverage, most).c_str(),
                why.distance.c_str());
    for (const fewedits::Recourse& r : why.recourse) {
      if (!r.covered) continue;
      const fewedits::Graph input = data.graphs[r.input].without_edge_labels();
      const fewedits::Graph& target = why.counterfactuals[r.counterfactual].graph;
      const bool holds = fewedits::check_certificate(input, target, *r.proof->script).holds;
      std::printf("graph %u becomes number %u by %zu edits: %s\n", r.input, r.counterfactual + 1,
                  r.proof->script->ops.size(), holds ? "proven" : "false");
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "explain: %s\n", error.what());
    return 1;
  }
}
