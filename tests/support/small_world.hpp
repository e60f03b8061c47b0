// SPDX-License-Identifier: MIT
// A generated dataset and a model that rejects three quarters of it, in a folder of their own.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "fewedits/classifier/model_file.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "fewedits/formats/tu_writer.hpp"
#include "fewedits/synthetic/generator.hpp"
#include "support/shared.hpp"

namespace fewedits::test {

class SmallWorld {
 public:
  SmallWorld() {
    write_tu(data_path, generate({.graphs = 40, .threads = 1}), generated_metadata());
    data = open_dataset(data_path);
    write_model(model_file, limit());
    classifier = open_classifier(model_file, data);
    model_hash = fewedits::model_hash(model_file);
  }

  /// Class 1 where some node and its neighbourhood score above a limit.
  void write_model(const std::filesystem::path& file, float limit) const {
    write_model(file, limit, data.node_labels.size());
  }
  static void write_model(const std::filesystem::path& file, float limit, std::size_t labels) {
    std::vector<float> scores;
    for (std::size_t l = 0; l < labels; ++l) {
      scores.push_back(1.0F + 0.37F * static_cast<float>(l));
    }
    StateDict weights;
    weights["convs.0.weight"] =
        Tensor::from_floats({static_cast<std::int64_t>(scores.size()), 1}, scores);
    weights["convs.0.bias"] = Tensor::from_floats({1}, {0});
    weights["fc.weight"] = Tensor::from_floats({2, 1}, {0, 1});
    weights["fc.bias"] = Tensor::from_floats({2}, {0, -limit});
    write_checkpoint(file, weights);
  }

  /// Three quarters of the graphs score less.
  float limit() {
    const auto file = folder.path() / "unlimited.pt";
    write_model(file, 0);
    const auto model = open_classifier(file, data);
    const auto logs = predict(data, *model, pool).log_probabilities;
    std::vector<float> scores;
    for (std::size_t i = 0; i < logs.size(); i += 2) scores.push_back(logs[i + 1] - logs[i]);
    std::sort(scores.begin(), scores.end());
    return scores[scores.size() * 3 / 4] - 1e-3F;
  }

  TemporaryFolder folder;
  ThreadPool pool{1};
  std::filesystem::path data_path = folder.path() / "planted";
  std::filesystem::path model_file = folder.path() / "model.pt";
  Dataset data;
  std::unique_ptr<const Classifier> classifier;
  std::string model_hash;
};

}  // namespace fewedits::test
