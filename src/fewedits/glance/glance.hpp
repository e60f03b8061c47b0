// SPDX-License-Identifier: MIT
// Why, at a glance: what tells rejected graphs from accepted ones, and the one to three sentences
// that a report opens with. Every sentence names the figures that it rests on; what they do not
// carry is not said. Nothing here knows a dataset or how it was made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fewedits/base/parallel.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/graph/dataset.hpp"
#include "fewedits/rules/figures.hpp"
#include "fewedits/rules/rule_list.hpp"

namespace fewedits {

/// A share of graphs, with its interval (95 %).
struct GlanceFigure {
  std::string about;  ///< "rejected molecules with a nitro group"
  double share = 0;
  std::size_t of = 0;  ///< graphs that it is a share of
  Interval interval;
  friend bool operator==(const GlanceFigure&, const GlanceFigure&) = default;
};

/// One sentence of the opening.
struct GlanceSentence {
  enum class Kind : std::uint8_t {
    kPattern,   ///< a pattern tells rejected from accepted, maybe with the rule that takes it away
    kRule,      ///< a rule works, whatever the patterns say
    kShortcut,  ///< a rule works by adding what accepted graphs have
    kFragile,   ///< one step is enough for most
    kNoRule,    ///< there is no short rule
    kNothing    ///< no pattern tells the two apart
  };
  Kind kind = Kind::kNothing;
  std::string text;                   ///< plain, with a capital and a full stop
  std::vector<GlanceFigure> figures;  ///< on graphs that had no say in the choice
  /// The pattern spoken of, as a place in Glance::patterns, and the rule: its list and its place.
  std::optional<std::size_t> pattern = {};
  std::optional<std::size_t> list = {};  ///< place in GlanceMaterial::rules
  std::optional<std::size_t> rule = {};  ///< place in that list
  friend bool operator==(const GlanceSentence&, const GlanceSentence&) = default;
};
/// "pattern", "rule", "shortcut", "fragile", "no rule", "nothing".
std::string_view name_of(GlanceSentence::Kind kind);

/// How many graphs of each kind have a pattern.
struct GlanceCounts {
  std::size_t rejected = 0;
  std::size_t accepted = 0;
  /// Unset: it cannot be seen in them (groups, where bonds play no part).
  std::optional<std::size_t> counterfactuals = {};
  friend bool operator==(const GlanceCounts&, const GlanceCounts&) = default;
};

/// A place where a pattern is found, for drawings.
struct PatternExample {
  std::uint32_t graph = 0;  ///< of the dataset; a rejected one if there is one
  std::vector<Node> nodes;  ///< ascending
  friend bool operator==(const PatternExample&, const PatternExample&) = default;
};

/// A pattern and who has it.
struct PatternShare {
  enum class Kind : std::uint8_t {
    kGroup,     ///< a functional group, or a ring that chemists have a name for
    kLabel,     ///< a node of a label
    kPath,      ///< labels in a row
    kStar,      ///< a node with three neighbours
    kRing,      ///< a ring of labels
    kRingSize,  ///< a ring of a size, whatever its labels
    kDegree     ///< a node with at least so many neighbours
  };
  Kind kind = Kind::kGroup;
  std::string name;  ///< "nitro group", "ring of 5 nodes", "O=C-N"
  std::string text;  ///< as a pattern: SMARTS-like for groups, rule text else; may be empty
  /// With labels of the view; unset for groups, ring sizes and degrees, which have no labels.
  std::optional<Graph> pattern = {};
  std::optional<PatternExample> example = {};
  GlanceCounts counts;
  double rejected = 0;  ///< shares
  double accepted = 0;
  std::optional<double> counterfactuals = {};
  double difference = 0;  ///< rejected - accepted
  /// Of the difference: 95 % for all patterns tried together (Bonferroni).
  Interval interval = {-1, 1};
  /// The interval leaves 0 out.
  bool tells = false;
  friend bool operator==(const PatternShare&, const PatternShare&) = default;
};
/// "group", "label", "path", "star", "ring", "ring size", "degree".
std::string_view name_of(PatternShare::Kind kind);

struct Glance {
  std::vector<GlanceSentence> opening;  ///< one to three
  /// Those first that tell most; what tells nothing beyond chance is at the end, if at all.
  std::vector<PatternShare> patterns;
  std::size_t tried = 0;  ///< patterns that were looked at, different ones
  std::size_t rejected = 0;
  std::size_t accepted = 0;
  std::size_t counterfactuals = 0;
  std::vector<std::string> notes;  ///< what would make it say more: names of labels, bonds, rules
  friend bool operator==(const Glance&, const Glance&) = default;
};

/// How many inputs one step of the edit map is enough for (induction/fragility).
struct FragilityFigures {
  std::size_t graphs = 0;  ///< that were asked
  std::size_t one_step = 0;
  friend bool operator==(const FragilityFigures&, const FragilityFigures&) = default;
};

/// What a glance is made from.
struct GlanceMaterial {
  const Dataset& dataset;
  const GraphView& view;
  std::vector<std::uint32_t> rejected;      ///< by the model; of the dataset, ascending
  std::vector<std::uint32_t> accepted;      ///< ascending
  std::vector<Graph> counterfactuals = {};  ///< as the view shows graphs
  std::vector<const RuleList*> rules = {};  ///< plain ones, plausible ones; measured held out
  std::optional<FragilityFigures> fragility = {};
};

struct GlanceOptions {
  std::uint64_t seed = 1;   ///< which half of the graphs patterns are chosen on
  std::size_t most = 40;    ///< patterns that are listed
  double min_share = 0.02;  ///< of rejected or of accepted graphs that a pattern must be in
};

/// The same for any number of threads. Throws Stopped if the pool is told to stop.
Glance glance(const GlanceMaterial& material, const GlanceOptions& options, ThreadPool& pool);

}  // namespace fewedits
