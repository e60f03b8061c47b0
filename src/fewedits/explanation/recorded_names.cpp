// SPDX-License-Identifier: MIT
#include "fewedits/explanation/recorded_names.hpp"

#include <cmath>

#include "fewedits/base/text.hpp"
#include "fewedits/graph/index_list.hpp"

namespace fewedits {
namespace {

constexpr RecordedOption kOptions[] = {
    // Of the table of options.
    {"k", "number"},
    {"fill", "flag"},
    {"theta", "number"},
    {"prove-work", "number"},
    {"walk-theta", "number"},
    {"steps", "number"},
    {"alpha", "number"},
    {"teleport", "number"},
    {"candidates", "number"},
    {"capacity", "number"},
    {"max-neighbours", "number"},
    {"bonds", "use|ignore"},
    {"source-class", "class", true},
    {"only-correct", "flag"},
    {"graphs", "list|file"},
    {"split", "train|validation|test"},
    {"min-lead", "number"},
    {"min-probability", "number"},
    {"no-reinforcement", "flag"},
    {"no-importance", "flag"},
    {"uniform-teleport", "flag"},
    {"ties", "coverage|earliest"},
    {"patience", "number"},
    {"time-limit", "number"},
    {"refine-work", "number"},
    {"climbs", "number"},
    {"sample", "number"},
    {"no-refine", "flag"},
    {"wl-iterations", "number"},
    {"rw-length", "number"},
    {"rw-decay", "number"},
    {"nspd-radius", "number"},
    {"nspd-distance", "number"},
    {"keep-isolated", "flag"},
    {"cff-lambda", "number"},
    {"cff-alpha", "number"},
    {"cff-gamma", "number"},
    {"cff-rate", "number"},
    {"cff-steps", "number"},
    {"rc-lambda", "number"},
    {"rc-size", "number"},
    {"rc-entropy", "number"},
    {"rc-rate", "number"},
    {"rc-epochs", "number"},
    // What a program says beside it: constraints, and how it read the dataset.
    {"constraint", "text", true},
    {"metadata", "text"},
    {"desired-class", "text"},
    {"rare-label-threshold", "number"},
    {"label-column", "text"},
    {"hydrogens", "flag"},
    {"no-charges", "flag"},
};

constexpr RecordedMethod kMethods[] = {
    {.name = "gcf", .walks = true},
    {.name = "ground-truth", .from_dataset = true},
    {.name = "cff", .cuts_edges = true},
    {.name = "rcexplainer", .cuts_edges = true},
};

constexpr RecordedDistance kDistances[] = {
    {"certified", DistanceMeaning::kProven, false}, {"greed", DistanceMeaning::kEstimate, true},
    {"wl", DistanceMeaning::kOther, false},         {"rw", DistanceMeaning::kOther, false},
    {"nspd", DistanceMeaning::kOther, false},
};

bool is_one_of(std::string_view words, std::string_view text) {
  while (true) {
    const auto end = words.find('|');
    if (words.substr(0, end) == text) return true;
    if (end == std::string_view::npos) return false;
    words.remove_prefix(end + 1);
  }
}

}  // namespace

std::span<const RecordedOption> recorded_option_names() { return kOptions; }
std::span<const RecordedMethod> recorded_methods() { return kMethods; }
std::span<const RecordedDistance> recorded_distances() { return kDistances; }

bool is_value_of(const RecordedOption& option, std::string_view text) {
  if (option.type == "text") return true;
  if (option.type == "class") return !text.empty();
  if (option.type == "list|file") return looks_like_index_list(text);  // never the file
  if (option.type == "flag") return text.empty();
  if (option.type != "number") return is_one_of(option.type, text);
  const auto number = number_in<double>(text);
  return number && std::isfinite(*number) && *number >= 0;
}

}  // namespace fewedits
