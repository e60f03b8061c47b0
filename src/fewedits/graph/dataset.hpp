// SPDX-License-Identifier: MIT
// A set of labelled graphs with classes, ready for a classifier, and the steps that make
// one from what a reader found: rare-label filter, class mapping, splits (SPEC §2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fewedits/graph/graph.hpp"

namespace fewedits {

/// A value as written in the source file with a name for people ("0" → "C").
struct NamedValue {
  std::int64_t value = 0;
  std::string name;
  friend bool operator==(const NamedValue&, const NamedValue&) = default;
};

/// What a reader found, nothing dropped. Node and edge labels of the graphs are indices into
/// the value tables, which are ascending.
struct RawDataset {
  std::string name;
  std::vector<Graph> graphs;
  std::vector<std::int64_t> graph_labels;  ///< empty: the source has no classes
  /// The words that the source has for its classes, which then have no values of their own but are
  /// numbered from 0 in the order of the words; empty: the classes are values.
  std::vector<NamedValue> class_names;
  std::vector<std::string> names;  ///< of the graphs; empty: none has one
  /// Where in the source the graphs are, from 0 and ascending; empty: they are all of it.
  std::vector<std::int64_t> source_index;
  std::size_t left_out = 0;  ///< graphs of the source that are not among these
  std::vector<NamedValue> node_labels;
  std::vector<NamedValue> edge_labels;
  /// What was normalised or ignored, in words, for the user.
  std::vector<std::string> notes;
};

/// The declarative description of a dataset: built in for the paper's four
/// (formats/datasets.json), or the user's own JSON file in the same form.
struct DatasetMetadata {
  std::string name;
  std::string domain = "generic";  ///< "molecule" or "generic"
  std::map<std::int64_t, std::string> node_label_names;
  std::map<std::int64_t, std::string> edge_label_names;
  std::map<std::int64_t, std::string> class_names;
  /// File value of the desired class; unset: none is.
  std::optional<std::int64_t> desired_class;
  /// File values in the order of the outputs of models that do not name their classes; empty: such
  /// models cannot be matched.
  std::vector<std::int64_t> model_columns;
  /// A node label stays only if it occurs more often than this over all nodes, and graphs
  /// with another label are dropped; unset: no filter.
  std::optional<std::int64_t> rare_label_threshold;
};

struct Dataset {
  std::string name;
  std::string domain;
  std::vector<Graph> graphs;
  /// Class index of each graph. With two classes the desired one is 1, as in the paper;
  /// with more, classes are indexed by ascending file value. Empty: the source has no classes.
  std::vector<int> classes;
  /// Position of each graph in the unfiltered source, from 0 ("tu_graph").
  std::vector<std::int64_t> source_index;
  std::vector<std::string> names;  ///< of the graphs in the source; empty: none has one
  std::vector<NamedValue> node_labels;
  std::vector<NamedValue> edge_labels;
  /// Indexed by class: those that occur and those the metadata names.
  std::vector<NamedValue> class_labels;
  std::optional<int> desired_class;  ///< unset: nobody said which
  /// Said instead of a class: the output of the model that is desired, whatever it stands for.
  std::optional<std::size_t> desired_column;
  /// Said instead of a class: the name of one that only the model has.
  std::optional<std::string> desired_name;
  /// Classes in the order of the outputs of models that do not name theirs; empty: unknown.
  std::vector<int> model_columns;
  std::size_t dropped = 0;  ///< graphs of the source that are not among these
  std::vector<std::string> notes;

  [[nodiscard]] std::size_t size() const { return graphs.size(); }
  [[nodiscard]] bool is_molecular() const { return domain == "molecule"; }
  [[nodiscard]] std::uint64_t total_nodes() const;
  [[nodiscard]] std::uint64_t total_edges() const;
  /// Is any class desired, or an output of the model?
  [[nodiscard]] bool has_desired() const { return desired_class || desired_column || desired_name; }
};

/// "0 (mutagen), 1 (nonmutagen)": values in the file with their names, for messages.
std::string in_words(const std::vector<NamedValue>& classes);

/// The class that a person means: a number is the value in the file, and nothing else; other text
/// is a name. None if there is no such class.
std::optional<int> find_class(const std::vector<NamedValue>& classes, const std::string& text);

/// N of the text "model:N", a class by its place among the outputs of a model, from 0; none for
/// other texts. Throws Error if what follows is no number.
std::optional<std::size_t> model_column(const std::string& text);

/// Gives classes that are words the values that the metadata has for these names; if it has none,
/// it takes over the words with the numbers that they have. Afterwards all classes are values.
/// Throws Error for a word that the metadata does not have.
void number_class_words(RawDataset& raw, DatasetMetadata& metadata);

/// Filters, re-indexes labels in ascending order of file value and maps classes.
/// Throws Error if nothing is left, if the desired class neither occurs nor has a name, or if a
/// class has two model columns.
Dataset prepare(RawDataset raw, DatasetMetadata metadata);

/// Disjoint index sets, each ascending.
struct Split {
  std::vector<std::size_t> train;
  std::vector<std::size_t> validation;
  std::vector<std::size_t> test;
};

/// Shuffles 0…count-1 by the seed and cuts: the first ⌊train·count⌋, the next
/// ⌊validation·count⌋, the rest. Throws Error unless the shares are in [0,1] and sum ≤ 1.
Split split_dataset(std::size_t count, double train, double validation, std::uint64_t seed);

}  // namespace fewedits
