// SPDX-License-Identifier: MIT
// What `evaluate` and `recourse` share: the counterfactuals of a file, judged anew by the
// classifier and compared with graphs of a dataset.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "distance_tools.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/evaluate/evaluation.hpp"
#include "fewedits/evaluate/graph_list.hpp"

namespace fewedits::cli {

struct ComparisonArguments {
  std::string file;
  DatasetArguments dataset;  ///< this, models and theta are those of an explanation unless given
  std::string model;
  std::string distance = "certified";
  DistanceOptions distance_options;
  std::optional<double> theta;  ///< unset: the default of the distance
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
  [[nodiscard]] bool proves() const;
};

/// All that is read from disk. Graphs of the file and of the dataset have the same labels
/// (share_labels).
struct ComparisonMaterial {
  Dataset data;
  std::unique_ptr<const Classifier> classifier;  ///< aligned with the data
  Goal goal;                                     ///< which graphs are counterfactuals
  InputSelection selection;                      ///< which graphs are explained
  std::vector<Graph> graphs;                     ///< of the file
  std::optional<Provenance> provenance;
  ProvenPairs proofs;           ///< that the file has of the graphs, for its data
  bool is_of_the_data = false;  ///< the file, an explanation
  GraphView view = {};          ///< how the file's graphs see the data's: with bonds, if they have
};
/// With the model in that file, and the rules that are recorded, if they are of `file`. Says on
/// stderr what there is to know of the model, and whether it is another than recorded.
ComparisonMaterial material_with(const std::string& model, Dataset data, const std::string& file,
                                 std::optional<Provenance> recorded,
                                 const std::vector<std::string>& edge_label_names,
                                 bool is_of_the_data);
/// Rules are those that an explanation records, but which graphs are explained is its own data's
/// affair. Throws Error naming a node label that only one side knows.
ComparisonMaterial open_material(const ComparisonArguments& arguments, GraphList list);
/// Says so on stderr if the file is an explanation of another dataset.
void note_other_data(const ComparisonArguments& arguments, const ComparisonMaterial& material);

/// `inputs` are indices into the dataset, in any order. Graphs that the model rejects are told on
/// stderr.
Evaluation compare(const ComparisonArguments& arguments, const ComparisonMaterial& material,
                   std::vector<std::uint32_t> inputs, ThreadPool& pool);

/// The exit code; says so on stderr if the comparison was interrupted.
int finish(const Evaluation& evaluation);

}  // namespace fewedits::cli
