// SPDX-License-Identifier: MIT
// What `evaluate` and `recourse` share: the counterfactuals of a file, judged anew by the
// classifier and compared with graphs of a dataset.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "distance_tools.hpp"
#include "fewedits/distance/certified_distances.hpp"
#include "fewedits/explanation/explanation_json.hpp"

namespace fewedits::cli {

struct ComparisonArguments {
  std::string file;
  DatasetArguments dataset;  ///< this, models and theta are those of an explanation unless given
  std::string model;
  std::string distance = "certified";
  EstimateOptions estimate;
  std::optional<double> given_theta;
  CertifiedOptions certified;  ///< its theta holds for every distance
  std::string output;
  bool json = false;
  int threads = 0;

  void add_to(CLI::App& command);
  /// Reads the file, and takes from it what the command line does not say. Flags that say how to
  /// read the dataset are taken together with its path: other data may need none.
  GraphList read_graphs();
  /// Throws Error for what can be found wrong before the dataset and the model are read.
  void check() const;
  /// Throws Error if the file cannot be written, or would overwrite what is read.
  void check_output(const std::string& path) const;
  [[nodiscard]] double theta() const { return certified.theta; }
  [[nodiscard]] bool proves() const { return distance == "certified"; }
};

/// All that is read from disk. Graphs of the file and of the dataset have the same node labels:
/// those of an explanation, in the order its model knows them, or else the dataset's.
struct ComparisonMaterial {
  Dataset data;
  NativeClassifier model;
  std::vector<Graph> graphs;  ///< of the file
  std::optional<Provenance> provenance;
  std::vector<std::vector<ProvenPair>> proofs;  ///< that the file has of the graphs, for its data
  bool is_of_the_data = false;                  ///< the file, an explanation
};
/// Throws Error naming a node label that only one side knows.
ComparisonMaterial open_material(const ComparisonArguments& arguments, GraphList list);
/// Says so on stderr if the file is an explanation of another dataset.
void note_other_data(const ComparisonArguments& arguments, const ComparisonMaterial& material);

/// Graphs that the classifier rejects are no counterfactuals and left out.
struct Comparison {
  std::vector<Judgement> judged;      ///< each graph of the file
  std::vector<std::uint32_t> places;  ///< of the counterfactuals, in the file
  /// Theta, inputs, counterfactuals with covers and gain, recourse and metrics.
  Explanation result;
  // With --distance certified:
  CertifiedDistances proof;
  std::optional<Explanation> possible;  ///< if every distance were its lower bound
};
/// `inputs` are indices into the dataset, in any order.
Comparison compare(const ComparisonArguments& arguments, const ComparisonMaterial& material,
                   const Classifier& classifier, std::vector<std::uint32_t> inputs,
                   ThreadPool& pool);

/// The exit code; says so on stderr if the comparison was interrupted.
int finish(const Comparison& comparison);

}  // namespace fewedits::cli
