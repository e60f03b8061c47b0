// SPDX-License-Identifier: MIT
#include "distance_tools.hpp"

#include <fmt/format.h>

#include "commands.hpp"

namespace fewedits::cli {

CLI::Option* add_distance_option(CLI::App& command, std::string& distance) {
  const DistanceRegistry known = builtin_distances();
  std::vector<std::string> lines;
  for (const std::string& name : known.names()) {
    lines.push_back(fmt::format("{} ({})", name, known.at(name).about));
  }
  return command.add_option("--distance", distance, fmt::format("{}", fmt::join(lines, ", ")))
      ->check(CLI::IsMember(known.names()))
      ->capture_default_str();
}

void check_distance_model(const std::string& distance, const std::string& model) {
  if (!builtin_distances().at(distance).needs_model || !model.empty()) return;
  throw CLI::ValidationError("--distance",
                             fmt::format("{} needs a model: give --greed-model FILE (`fewedits "
                                         "train-distance` makes one)",
                                         distance));
}

}  // namespace fewedits::cli
