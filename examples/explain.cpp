// SPDX-License-Identifier: MIT
// Explains a classifier in forty lines: explain DATASET MODEL [WORK]
// The default distance is certified: every covered graph comes with the edits that prove it.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fewedits/explanation/figures.hpp>
#include <fewedits/fewedits.hpp>
#include <vector>

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
    const std::vector<fewedits::Graph> inputs = fewedits::explained_graphs(data, why);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const fewedits::Recourse& r = why.recourse[i];
      if (!r.covered) continue;
      const fewedits::Graph& target = why.counterfactuals[r.counterfactual].graph;
      const bool holds =
          fewedits::check_certificate(inputs[i], target, *r.proof->script, fewedits::costs_of(why))
              .holds;
      std::printf("graph %u becomes number %u by %zu edits: %s\n", r.input, r.counterfactual + 1,
                  r.proof->script->ops.size(), holds ? "proven" : "false");
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "explain: %s\n", error.what());
    return 1;
  }
}
