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

#include "gcfx/ged/edit_script.hpp"

namespace gcfx {

/// Says the same of all edits that do the same to the same labels, so that they can be counted.
class EditWords {
 public:
  EditWords(std::vector<std::string> label_names, bool molecules)
      : names_(std::move(label_names)), molecules_(molecules) {}

  /// One a step of the script, which leads from a to b: indices into phrases(). Deleted edges are
  /// told by the labels of a, inserted ones by those of b.
  std::vector<std::uint32_t> tell(const Graph& a, const Graph& b, const EditScript& script);

  [[nodiscard]] const std::vector<std::string>& phrases() const { return phrases_; }

  /// What a set of nodes is made of: "NO2", or "2 helix, sheet".
  [[nodiscard]] std::string formula(std::vector<Label> labels) const;

 private:
  [[nodiscard]] std::string text_of(const EditOp& op, const Graph& a, const Graph& b,
                                    const EditScript& script) const;
  [[nodiscard]] std::string edge_text(Label u, Label v) const;
  [[nodiscard]] bool is_before(Label u, Label v) const;

  std::vector<std::string> names_;
  bool molecules_;
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

/// Counts over recourses, added one by one.
class ChangeSummary {
 public:
  explicit ChangeSummary(EditWords& words) : words_(words) {}

  void add(const Graph& a, const Graph& b, const EditScript& script);

  /// Single edits, most frequent first.
  [[nodiscard]] std::vector<ChangeCount> edits() const { return sorted(edits_); }
  /// Parts that hang together and go (kDeleteNode) or come (kInsertNode) as a whole.
  [[nodiscard]] std::vector<ChangeCount> parts() const { return sorted(parts_); }

 private:
  using Key = std::pair<EditOp::Kind, std::string>;
  struct Count {
    std::size_t times = 0;
    std::size_t inputs = 0;
  };
  using Counts = std::map<Key, Count>;
  static void add_to(Counts& counts, const std::vector<Key>& seen);
  static std::vector<ChangeCount> sorted(const Counts& counts);

  EditWords& words_;
  Counts edits_;
  Counts parts_;
};

}  // namespace gcfx
