// SPDX-License-Identifier: MIT
// Edits in the words of their domain ("remove N–O bond"), and which of them a set of recourses uses
// most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "fewedits/proof/edit_script.hpp"

namespace fewedits {

/// Says the same of all edits that do the same to the same labels, so that they can be counted.
class EditWords {
 public:
  /// Where there is one label and its name is but a number, the graphs are unlabelled, and nodes
  /// are just nodes. Labels of edges, if they have names, are told, too: "C=O bond".
  EditWords(std::vector<std::string> label_names, bool molecules,
            std::vector<std::string> edge_label_names = {});

  /// One per step of the script, which leads from a to b: indices into phrases(). Deleted edges are
  /// told by the labels of a, inserted ones by those of b.
  std::vector<std::uint32_t> tell(const Graph& a, const Graph& b, const EditScript& script);

  [[nodiscard]] const std::vector<std::string>& phrases() const { return phrases_; }

  /// How often each label and each kind of edge occurs, by what it is called.
  [[nodiscard]] std::map<std::string, std::int64_t> inventory(const Graph& graph) const;

  /// What a set of nodes is made of: "NO2", "2 helix, sheet", or "2 nodes".
  [[nodiscard]] std::string formula(std::vector<Label> labels) const;

 private:
  [[nodiscard]] std::string text_of(const EditOp& op, const Graph& a, const Graph& b,
                                    const EditScript& script) const;
  [[nodiscard]] std::string node_text(Label label) const;
  /// An edge between labels; `edge` is its own.
  [[nodiscard]] std::string edge_text(Label u, Label v, Label edge) const;
  [[nodiscard]] std::string pair_text(Label u, Label v, Label edge) const;
  [[nodiscard]] std::string relabelled_edge_text(const EditOp& op, const Graph& a) const;
  [[nodiscard]] bool is_before(Label u, Label v) const;

  std::vector<std::string> names_;
  std::vector<std::string> edge_names_;  ///< empty: labels of edges are not told
  bool molecules_;
  bool unlabelled_;
  std::vector<std::string> phrases_;
  std::map<std::string, std::uint32_t> index_;
};

/// How often something happens, and to how many inputs.
struct ChangeCount {
  std::string text;
  EditOp::Kind kind = EditOp::Kind::kRelabelNode;
  std::size_t times = 0;
  std::size_t inputs = 0;
};

/// Of which labels and edges the counterfactuals have more or fewer than the inputs.
struct BalanceCount {
  std::string text;
  std::int64_t net = 0;   ///< over all recourses
  std::size_t fewer = 0;  ///< inputs that lose some
  std::size_t more = 0;   ///< inputs that gain some
};

/// Counts over recourses, added one by one.
class ChangeSummary {
 public:
  explicit ChangeSummary(const EditWords& words) : words_(words) {}

  /// `told` is what the words tell of the script.
  void add(const Graph& a, const Graph& b, const EditScript& script,
           std::span<const std::uint32_t> told);

  /// Single edits, most frequent first.
  [[nodiscard]] std::vector<ChangeCount> edits() const { return sorted(edits_); }
  /// Parts that hang together and go (kDeleteNode) or come (kInsertNode) as a whole.
  [[nodiscard]] std::vector<ChangeCount> parts() const { return sorted(parts_); }
  /// The largest differences first. Depends on the graphs alone, not on which edits were found.
  [[nodiscard]] std::vector<BalanceCount> balance() const;

 private:
  using Key = std::pair<EditOp::Kind, std::string>;
  struct Count {
    std::size_t times = 0;
    std::size_t inputs = 0;
  };
  using Counts = std::map<Key, Count>;
  static void add_to(Counts& counts, const std::vector<Key>& seen);
  static std::vector<ChangeCount> sorted(const Counts& counts);

  const EditWords& words_;
  Counts edits_;
  Counts parts_;
  std::map<std::string, BalanceCount> balance_;
};

}  // namespace fewedits
