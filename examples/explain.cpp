// SPDX-License-Identifier: MIT
// Explains a classifier in thirty lines: explain DATASET MODEL GREED-MODEL [STEPS]
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fewedits/fewedits.hpp>

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: explain DATASET MODEL GREED-MODEL [STEPS]\n");
    return 2;
  }
  try {
    const fewedits::Dataset data = fewedits::open_dataset(argv[1]);
    const fewedits::NativeClassifier model = fewedits::load_classifier(argv[2]);
    const fewedits::GinEmbedder greed = fewedits::load_embedder(argv[3]);

    fewedits::ExplainOptions options;
    options.greed = &greed;
    options.steps = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 5000;
    options.refine_work = 200'000;
    const auto why = fewedits::explain(data, fewedits::AlignedClassifier(data, model), options);

    std::printf("%zu graphs are close to %.1f %% of the %zu rejected ones\n",
                why.counterfactuals.size(), 100 * why.metrics.coverage, why.inputs.size());
    for (const fewedits::Counterfactual& c : why.counterfactuals) {
      std::printf("  %u nodes, p = %.2f, covers %zu\n", c.graph.num_nodes(), c.probability,
                  c.covers.size());
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "explain: %s\n", error.what());
    return 1;
  }
}
