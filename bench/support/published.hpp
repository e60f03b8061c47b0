// SPDX-License-Identifier: MIT
// A dataset of the paper with the models its authors published.
#pragma once

#include <array>
#include <string>

#include "fewedits/fewedits.hpp"
#include "support/shared.hpp"

namespace fewedits::bench {

inline const std::array<std::string, 4> kPaperDatasets{"NCI1", "Mutagenicity", "AIDS", "PROTEINS"};

struct Published {
  explicit Published(const std::string& dataset)
      : data(open_dataset(dataset_path(dataset))),
        model(load_classifier(classifier_path(dataset))),
        classifier(data, model),
        greed(load_embedder(greed_path(dataset))) {}
  Published(const Published&) = delete;  // the classifier refers to the model

  Dataset data;
  NativeClassifier model;
  AlignedClassifier classifier;
  GinEmbedder greed;
};

}  // namespace fewedits::bench
