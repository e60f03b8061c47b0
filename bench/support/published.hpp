// SPDX-License-Identifier: MIT
// A dataset of the paper with the models its authors published.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "fewedits/classifier/native/gin_embedder.hpp"
#include "fewedits/fewedits.hpp"
#include "support/shared.hpp"

namespace fewedits::bench {

inline const std::array<std::string, 4> kPaperDatasets{"NCI1", "Mutagenicity", "AIDS", "PROTEINS"};

struct Published {
  explicit Published(const std::string& dataset)
      : data(open_dataset(dataset_path(dataset))),
        classifier(open_classifier(classifier_path(dataset), data)),
        greed(std::make_shared<const GinEmbedder>(load_embedder(greed_path(dataset)))) {}

  [[nodiscard]] std::size_t desired_class() const {
    return static_cast<std::size_t>(data.desired_class.value());
  }
  /// Defaults, but under their distance.
  [[nodiscard]] ExplainOptions greed_options() const {
    ExplainOptions options;
    options.distance = "greed";
    return with_greed(options);
  }
  /// Their distance model, where the options name no other one.
  [[nodiscard]] ExplainOptions with_greed(ExplainOptions options) const {
    if (options.distance == "greed" && options.distance_options.model.empty()) {
      options.distance_options.embedder = greed;
    }
    return options;
  }

  Dataset data;
  std::unique_ptr<const Classifier> classifier;  ///< with the dataset's labels and classes
  std::shared_ptr<const GinEmbedder> greed;
};

}  // namespace fewedits::bench
