// SPDX-License-Identifier: MIT
// What to type to get a result again.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "fewedits/report/page_parts.hpp"
#include "fewedits/report/shell_words.hpp"

namespace fewedits {
namespace {

/// Options that name files to write are never recorded. A file that has them all the same must not
/// make a reader of the page overwrite something.
bool writes(const std::string& option) {
  constexpr auto kWriting =
      std::to_array<std::string_view>({"o", "output", "report", "export", "run-dir"});
  return std::ranges::find(kWriting, option) != kWriting.end();
}

/// As Python spells a text.
std::string python_quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

/// Data or a model that a program had in memory: what to say in Python.
std::string reproducing_call(const Explanation& e) {
  std::string out = "fewedits.explain(data, model, method=" + python_quoted(e.method) +
                    ", distance=" + python_quoted(e.distance);
  out += fmt::format(", seed={}", e.provenance.seed);
  std::vector<std::string> constraints;
  for (const auto& [name, value] : e.provenance.options) {
    if (name == "constraint") {
      constraints.push_back(python_quoted(value));
      continue;
    }
    std::string keyword = name;
    std::ranges::replace(keyword, '-', '_');
    // A name is a file's, too, and must not become code.
    const auto is_fine = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
    if (writes(name) || !std::ranges::all_of(keyword, is_fine)) continue;
    out += ", " + keyword + "=" + (value.empty() ? "True" : python_quoted(value));
  }
  if (!constraints.empty()) {
    out += fmt::format(", constraints=[{}]", fmt::join(constraints, ", "));
  }
  return out + ")";
}

/// A command of the program, word by word: every one as a whole, names too, for they are a file's.
class CommandLine {
 public:
  explicit CommandLine(std::string start) : text_(std::move(start)) {}

  void add(const std::string& name, const std::string& value) {
    const std::string option = "--" + name;
    // Apart, a value like this would be taken for another option.
    const bool joined = value.starts_with('-');
    text_ += " " + shell_quoted(joined ? option + "=" + value : option);
    if (!value.empty() && !joined) text_ += " " + shell_quoted(value);
  }
  [[nodiscard]] std::string to(const std::string& file) const {
    return text_ + " -o " + shell_quoted(file);
  }

 private:
  std::string text_;
};

}  // namespace

std::string reproducing_command(const Explanation& e, const std::string& file) {
  const Provenance& p = e.provenance;
  if (p.dataset_path.empty() || p.model_path.empty()) return reproducing_call(e);
  CommandLine out("fewedits explain");
  out.add("dataset", p.dataset_path);
  out.add("model", p.model_path);
  out.add("method", e.method);
  out.add("distance", e.distance);
  if (!p.distance_model_path.empty()) out.add("greed-model", p.distance_model_path);
  out.add("seed", std::to_string(p.seed));
  for (const auto& [name, value] : p.options) {
    if (!writes(name)) out.add(name, value);
  }
  return out.to(file);
}

std::string reproducing_command(const RuleList& list) {
  const Provenance& p = list.provenance;
  const auto explanation = p.values_of("explanation");
  // Which graphs were chosen, only an explanation can say.
  const bool chosen = !p.values_of("graphs").empty() || !p.values_of("split").empty();
  const bool in_memory = p.dataset_path.empty() || p.model_path.empty();
  if (in_memory || (chosen && explanation.empty())) return "";
  // Of an explanation that is in no file, scripts were tried.
  if (!explanation.empty() && explanation.front().empty()) return "";
  CommandLine out("fewedits rules" +
                  (explanation.empty() ? "" : " " + shell_quoted(explanation.front())));
  out.add("dataset", p.dataset_path);
  out.add("model", p.model_path);
  out.add("theta", fmt::format("{}", list.theta));
  out.add("bonds", list.edge_label_names.empty() ? "ignore" : "use");
  if (list.plausible) out.add("plausible", "");
  if (!list.second_model_path.empty()) out.add("second-model", list.second_model_path);
  out.add("objective", std::string(name_of(list.objective)));
  if (list.held_out) out.add("folds", std::to_string(list.held_out->lists.size()));
  out.add("seed", std::to_string(p.seed));
  constexpr auto kSaidElsewhere =
      std::to_array<std::string_view>({"explanation", "graphs", "split"});
  for (const auto& [name, value] : p.options) {
    if (writes(name) || std::ranges::find(kSaidElsewhere, name) != kSaidElsewhere.end()) continue;
    // Nothing that is asked for is no option.
    if (value == "0" && (name == "min-probability" || name == "min-lead")) continue;
    out.add(name, name == "only-correct" ? "" : value);
  }
  return out.to(list.plausible ? "plausible.json" : "rules.json");
}

}  // namespace fewedits
