// SPDX-License-Identifier: MIT
#include "fewedits/induction/recorded_options.hpp"

#include <fmt/format.h>

#include "fewedits/graph/index_list.hpp"

namespace fewedits {

RecordedOptions options_of_task(const Acceptance& acceptance,
                                const std::vector<std::string>& constraints,
                                const InputSelection& selection) {
  RecordedOptions out{{"min-lead", fmt::format("{}", acceptance.min_lead)},
                      {"min-probability", fmt::format("{}", acceptance.min_probability)}};
  for (const std::string& text : constraints) out.emplace_back("constraint", text);
  for (const std::string& text : selection.source_classes) out.emplace_back("source-class", text);
  if (selection.only_correct) out.emplace_back("only-correct", "true");
  if (selection.graphs) {
    if (selection.split.empty()) {
      out.emplace_back("graphs", index_list_text(*selection.graphs));
    } else {
      out.emplace_back("split", selection.split);
    }
  }
  return out;
}

RecordedOptions options_of_search(const InduceOptions& options) {
  return {{"rules", std::to_string(options.rules)},
          {"min-support", fmt::format("{}", options.min_support)},
          {"expansions", std::to_string(options.expansions)},
          {"two-steps", std::to_string(options.two_steps)},
          {"more-changes", std::to_string(options.more_changes)}};
}

}  // namespace fewedits
