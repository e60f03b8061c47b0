// SPDX-License-Identifier: MIT
#include "fewedits/verification/recorded_rules.hpp"

#include <fmt/format.h>

#include <optional>

#include "fewedits/base/error.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/classifier/input_selection.hpp"
#include "fewedits/graph/index_list.hpp"

namespace fewedits {
namespace {

/// What an option that is given once was given as.
std::optional<std::string> single(const Provenance& recorded, const char* option,
                                  const std::string& file) {
  const auto values = recorded.values_of(option);
  if (values.size() > 1) throw Error({file}, fmt::format("options: {} is there twice", option));
  return values.empty() ? std::nullopt : std::optional(values.front());
}

double share(const Provenance& recorded, const char* option, const std::string& file) {
  const auto text = single(recorded, option, file);
  if (!text) return 0;
  const auto value = number_in<double>(*text);
  if (value && *value >= 0 && *value < 1) return *value;
  throw Error({file}, fmt::format("options: {} is {}, which is no number from 0 to below 1", option,
                                  in_quotes(*text)));
}

}  // namespace

InputSelection recorded_selection(const Provenance& recorded, const Dataset& data,
                                  const std::string& model, const std::string& file) {
  InputSelection out;
  out.source_classes = recorded.values_of("source-class");
  out.only_correct = single(recorded, "only-correct", file).has_value();
  const auto graphs = single(recorded, "graphs", file);
  const auto split = single(recorded, "split", file);
  if (graphs && split) throw Error({file}, "options: graphs and split exclude each other");
  if (graphs) out.graphs = parse_index_list(*graphs);
  if (split) {
    out.split = *split;
    out.graphs = part_of_split(model, data, *split);
  }
  return out;
}

Acceptance recorded_acceptance(const Provenance& recorded, const std::string& file) {
  return {share(recorded, "min-lead", file), share(recorded, "min-probability", file)};
}

}  // namespace fewedits
