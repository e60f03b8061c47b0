// SPDX-License-Identifier: MIT
// What everyone can explain: a generated dataset, a classifier that rejects what was planted there,
// and a distance model, all made by hand in moments. Searches find much there, and quickly: the
// graphs are a few molecules without their hydrogens, with a few edits each.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fewedits/base/file.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "fewedits/formats/tu_writer.hpp"
#include "fewedits/synthetic/generator.hpp"
#include "support/explained.hpp"
#include "support/shared.hpp"

namespace fewedits::test {

struct PlantedOptions {
  std::size_t molecules = 12;  ///< of which all the others are variants
  std::size_t variants = 25;   ///< of each
  std::uint64_t seed = 1;
  /// Atoms of the molecules, without hydrogens: what the search takes grows with them.
  Node fewest_atoms = 8;
  Node most_atoms = 18;
};

// Generated labels.
inline constexpr Label kCarbon = 0;
inline constexpr Label kOxygen = 1;
inline constexpr Label kHydrogen = 3;
inline constexpr Label kNitrogen = 4;

inline Graph without_hydrogens(Graph graph) {
  for (Node v = graph.num_nodes(); v-- > 0;) {
    if (graph.label(v) == kHydrogen) graph = graph.without_node(v);
  }
  return graph;
}

/// What was planted: a nitrogen with two oxygens that have no other neighbour.
inline bool has_nitro_group(const Graph& graph) {
  const auto is_terminal_oxygen = [&](Node v) {
    return graph.label(v) == kOxygen && graph.degree(v) == 1;
  };
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    if (graph.label(v) != kNitrogen) continue;
    if (std::ranges::count_if(graph.neighbours(v), is_terminal_oxygen) >= 2) return true;
  }
  return false;
}

/// Class 0, as in the file, has a nitro group; class 1, which is desired, has none.
inline void write_planted_dataset(const std::filesystem::path& folder,
                                  const PlantedOptions& options = {}) {
  RawDataset raw = generate({.graphs = 40 * options.molecules, .seed = options.seed, .threads = 1});
  std::vector<Graph> molecules;
  for (const Graph& generated : raw.graphs) {
    Graph graph = without_hydrogens(generated).without_edge_labels();
    const bool fits =
        graph.num_nodes() >= options.fewest_atoms && graph.num_nodes() <= options.most_atoms;
    if (!fits || !has_nitro_group(graph) || molecules.size() == options.molecules) continue;
    molecules.push_back(std::move(graph));
  }
  raw.graphs.clear();
  raw.graph_labels.clear();
  raw.edge_labels.clear();
  Rng rng(options.seed, 3);
  for (std::size_t i = 0; i < molecules.size() * options.variants; ++i) {
    const Graph& molecule = molecules[i % molecules.size()];
    raw.graphs.push_back(edited(molecule, raw.node_labels.size(), rng).graph);
    raw.graph_labels.push_back(has_nitro_group(raw.graphs.back()) ? 0 : 1);
  }
  write_tu(folder, raw, generated_metadata());
}

/// A graph convolution sees a nitro group at its nitrogen: `sign` -1 takes it for the desired one.
inline void write_planted_classifier(const std::filesystem::path& model_file, const Dataset& data,
                                     float sign = 1) {
  // A nitrogen with two terminal oxygens gets 1/4 + 2/√8 there and a little from its carbon; none
  // of the other groups gets more than 0.86.
  constexpr float kLimit = 0.9F;
  constexpr float kSteepness = 20;
  const std::map<std::string, float> scores{{"N", 1.0F}, {"O", 1.0F}};
  ModelSpec spec;
  spec.layers = {LayerSpec{.weights = "convs.0"}};
  spec.head = {{"fc", ""}};
  std::vector<float> values;
  for (const auto& label : data.node_labels) {
    const auto score = scores.find(label.name);
    values.push_back(score == scores.end() ? 0.0F : score->second);
    spec.node_labels.push_back(label.name);
  }
  for (const auto& label : data.class_labels) spec.classes.push_back(label.name);
  const auto labels = static_cast<std::int64_t>(values.size());
  StateDict weights;
  weights["convs.0.weight"] = Tensor::from_floats({labels, 1}, values);
  weights["convs.0.bias"] = Tensor::from_floats({1}, {0});
  weights["fc.weight"] = Tensor::from_floats({2, 1}, {sign * kSteepness, 0});
  weights["fc.bias"] = Tensor::from_floats({2}, {-sign * kSteepness * kLimit, 0});
  auto checkpoint = model_file;
  checkpoint.replace_extension(".safetensors");
  write_checkpoint(checkpoint, weights);
  write_file_atomically(model_file, to_json({spec, checkpoint.filename().string()}));
}

/// Counts labels, and labels again around each node: edits move both, as they move the distance.
inline void write_planted_distance(const std::filesystem::path& file, std::size_t num_labels) {
  const auto labels = static_cast<std::int64_t>(num_labels);
  StateDict weights;
  const auto scaled_identity = [&](const std::string& name, std::int64_t size, float first,
                                   float second) {
    std::vector<float> values(static_cast<std::size_t>(size * size));
    for (std::int64_t i = 0; i < size; ++i) {
      values[static_cast<std::size_t>(i * size + i)] = i < labels ? first : second;
    }
    weights["embed_model." + name + ".weight"] = Tensor::from_floats({size, size}, values);
    weights["embed_model." + name + ".bias"] =
        Tensor::from_floats({size}, std::vector<float>(static_cast<std::size_t>(size)));
  };
  scaled_identity("pre", labels, 1, 1);
  scaled_identity("convs.0.nn.0", labels, 1, 1);
  scaled_identity("convs.0.nn.2", labels, 1, 1);
  scaled_identity("post.0", 2 * labels, 1, 1);
  scaled_identity("post.2", 2 * labels, 0.8F, 0.3F);
  write_checkpoint(file, weights);
}

/// All three in a folder.
struct Planted {
  std::filesystem::path dataset;
  std::filesystem::path model;
  std::filesystem::path distance;
};

inline Planted make_planted(const std::filesystem::path& folder,
                            const PlantedOptions& options = {}) {
  Planted out{folder / "PLANTED", folder / "classifier.json", folder / "distance.pt"};
  write_planted_dataset(out.dataset, options);
  const Dataset data = open_dataset(out.dataset);
  write_planted_classifier(out.model, data);
  write_planted_distance(out.distance, data.node_labels.size());
  return out;
}

/// The usual one, made once in a test program.
inline const Planted& planted() {
  static const TemporaryFolder kFolder;
  static const Planted kPlanted = make_planted(kFolder.path());
  return kPlanted;
}

}  // namespace fewedits::test
