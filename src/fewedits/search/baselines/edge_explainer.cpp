// SPDX-License-Identifier: MIT
#include "fewedits/search/baselines/edge_explainer.hpp"

#include "fewedits/base/error.hpp"

namespace fewedits {
namespace {

[[noreturn]] void refuse(const Classifier& classifier) {
  throw Error({classifier.origin()},
              "the method needs the derivatives of the model by its edges, which only models that "
              "fewedits evaluates itself give",
              "use a model file of a GCN, GIN, GraphSAGE or GAT, or another method");
}

}  // namespace

void check_gradients(const Classifier& classifier) {
  if (classifier.weighted() == nullptr) refuse(classifier);
}

WeightedModels::WeightedModels(const Classifier& classifier, const ThreadPool& pool) {
  for (int worker = 0; worker < pool.size(); ++worker) {
    models_.push_back(classifier.weighted());
    if (models_.back() == nullptr) refuse(classifier);
  }
}

}  // namespace fewedits
