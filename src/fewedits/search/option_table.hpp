// SPDX-License-Identifier: MIT
// The one table of options: the command line, the recorded options, the check of a saved run and
// the reference in docs/options.md are made from it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fewedits/distance/distances.hpp"
#include "fewedits/search/options.hpp"
#include "fewedits/search/parts.hpp"

namespace fewedits {

/// All that is unset and does not depend on the data is set: steps, work, the least lead and, under
/// distances that count edits, the two thetas.
ExplainOptions with_defaults(ExplainOptions options, const Parts& parts);

/// What the options chose by name.
struct ChosenParts {
  const DistanceKind& distance;
  const SourceKind& source;
};

enum class OptionGroup { kEveryday, kDomain, kLimits, kPaper, kCuts };
const char* title_of(OptionGroup group);

/// A row of the table.
struct OptionRow {
  std::string name;  ///< as the command line spells it, without dashes
  OptionGroup group = OptionGroup::kEveryday;
  std::string type;     ///< "number", "flag" or the words it may be
  std::string initial;  ///< its default, in words where it depends on others; empty: none
  std::string help;
  /// Throws Error unless the text is a value of that type. A flag's text is not looked at. What is
  /// repeatable adds to what is there.
  std::function<void(const std::string& text, ExplainOptions& options)> set;
  /// As a result records it; none where it makes no difference to the result, several of what is
  /// repeatable.
  std::function<std::vector<std::string>(const ExplainOptions& options, const ChosenParts& parts)>
      recorded;
  bool free_to_change = false;  ///< a run that is resumed may have another
  std::string distance = {};    ///< whose option it is; empty: of all
  std::string method = {};      ///< the same of methods
  bool repeatable = false;      ///< may be given several times

  [[nodiscard]] bool is_flag() const { return type == "flag"; }
};
const std::vector<OptionRow>& option_table();

/// {"k", "10"} …, in the order of the table, of options with all defaults; models, constraints and
/// the seed are recorded elsewhere.
std::vector<std::pair<std::string, std::string>> recorded_options(const ExplainOptions& options,
                                                                  const Parts& parts);

/// The other way: sets what is recorded of the rows that are wanted.
void set_recorded(const Provenance& recorded, const std::function<bool(const OptionRow&)>& wanted,
                  ExplainOptions& options);

/// Those of them that a run must have in common with one that it resumes.
std::vector<std::pair<std::string, std::string>> shared_options(const ExplainOptions& options,
                                                                const Parts& parts);

/// The table as a page of documentation.
std::string options_reference();

}  // namespace fewedits
