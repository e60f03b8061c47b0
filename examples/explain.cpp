// SPDX-License-Identifier: MIT
// Explains a classifier in thirty lines: explain DATASET MODEL [WORK]
#include <cstdio>
#include <cstdlib>
#include <exception>
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

    std::printf("%zu graphs are close to %.1f %% of the %zu rejected ones\n",
                why.counterfactuals.size(), 100 * why.metrics.coverage, why.inputs.size());
    for (const fewedits::Counterfactual& c : why.counterfactuals) {
      std::printf("  %u nodes, p = %.2f, covers %zu\n", c.graph.num_nodes(), c.probability,
                  c.covers.size());
    }
    for (const fewedits::Recourse& r : why.recourse) {  // proven: the edits are in hand
      if (!r.covered) continue;
      std::printf("edits from graph %u to number %u: %zu\n", r.input, r.counterfactual + 1,
                  r.proof->script->ops.size());
      break;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "explain: %s\n", error.what());
    return 1;
  }
}
