// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "json_text.hpp"

namespace fewedits::cli {
namespace {

struct Statistics {
  std::vector<std::uint64_t> label_count;
  std::vector<std::uint64_t> class_count;
  std::size_t largest = 0;
  std::size_t disconnected = 0;

  explicit Statistics(const Dataset& data)
      : label_count(data.node_labels.size(), 0), class_count(data.class_labels.size(), 0) {
    for (const Graph& g : data.graphs) {
      for (const Label l : g.labels()) ++label_count[l];
      largest = std::max<std::size_t>(largest, g.num_nodes());
      disconnected += g.is_connected() ? 0U : 1U;
    }
    for (const int c : data.classes) ++class_count[static_cast<std::size_t>(c)];
  }
};

std::string as_json(const Dataset& data) {
  const Statistics stats(data);
  nlohmann::ordered_json json{{"name", data.name},
                              {"domain", data.domain},
                              {"graphs", data.size()},
                              {"nodes", data.total_nodes()},
                              {"edges", data.total_edges()},
                              {"labels", data.node_labels.size()},
                              {"edge_labels", data.edge_labels.size()},
                              {"largest_graph", stats.largest},
                              {"disconnected_graphs", stats.disconnected},
                              {"desired_class", nullptr}};
  if (data.desired_class) json["desired_class"] = *data.desired_class;
  json["classes"] = nlohmann::json::array();
  for (std::size_t c = 0; c < data.class_labels.size(); ++c) {
    json["classes"].push_back({{"class", c},
                               {"tu_label", data.class_labels[c].value},
                               {"name", data.class_labels[c].name},
                               {"count", stats.class_count[c]}});
  }
  json["node_labels"] = nlohmann::json::array();
  for (std::size_t l = 0; l < data.node_labels.size(); ++l) {
    json["node_labels"].push_back({{"label", l},
                                   {"tu_label", data.node_labels[l].value},
                                   {"name", data.node_labels[l].name},
                                   {"count", stats.label_count[l]}});
  }
  json["notes"] = data.notes;
  return json_text(json, 2) + "\n";
}

std::string as_text(const Dataset& data) {
  const Statistics stats(data);
  const double graphs = static_cast<double>(data.size());
  std::string out = table({
      {"dataset", data.name},
      {"graphs", grouped(data.size())},
      {"nodes", grouped(data.total_nodes())},
      {"edges", grouped(data.total_edges())},
      {"node labels", grouped(data.node_labels.size())},
      {"edge labels", grouped(data.edge_labels.size())},
      {"nodes per graph", fmt::format("{:.1f}", static_cast<double>(data.total_nodes()) / graphs)},
      {"edges per graph", fmt::format("{:.1f}", static_cast<double>(data.total_edges()) / graphs)},
      {"largest graph", fmt::format("{} nodes", grouped(stats.largest))},
      {"disconnected graphs", grouped(stats.disconnected)},
  });
  std::vector<std::vector<std::string>> classes{{"class", "in file", "name", "graphs", ""}};
  for (std::size_t c = 0; c < data.class_labels.size(); ++c) {
    classes.push_back({std::to_string(c), std::to_string(data.class_labels[c].value),
                       data.class_labels[c].name, grouped(stats.class_count[c]),
                       static_cast<int>(c) == data.desired_class ? "desired" : ""});
  }
  std::vector<std::vector<std::string>> labels{{"label", "in file", "name", "nodes", "share"}};
  for (std::size_t l = 0; l < data.node_labels.size(); ++l) {
    const double share =
        100.0 * static_cast<double>(stats.label_count[l]) / static_cast<double>(data.total_nodes());
    labels.push_back({std::to_string(l), std::to_string(data.node_labels[l].value),
                      data.node_labels[l].name, grouped(stats.label_count[l]),
                      fmt::format("{:.1f} %", share)});
  }
  if (!data.class_labels.empty()) out += "\n" + table(classes);
  return out + "\n" + table(labels);
}

Dataset opened(const DatasetArguments& arguments, const std::string& save) {
  if (save.empty()) return arguments.open();
  protect_inputs(save, arguments.files());
  return open_and_save_dataset(arguments.path, arguments.options(), save);
}

}  // namespace

void add_dataset_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("dataset", "Show what a dataset holds, or save it in one compact file");
  command->footer(
      "Example:\n  fewedits dataset data/Mutagenicity\n  fewedits dataset molecules.smi --json\n"
      "  fewedits dataset molecules.smi --save molecules.few");
  auto arguments = std::make_shared<DatasetArguments>();
  auto json = std::make_shared<bool>(false);
  command
      ->add_option("path", arguments->path, "TU folder or .zip, or a .smi, .csv, .sdf or .few file")
      ->required();
  arguments->add_to(*command);
  auto save = std::make_shared<std::string>();
  command->add_flag("--json", *json, "print JSON");
  command->add_option(
      "--save", *save,
      "also write the dataset, as it is understood, to this file (.few), which every "
      "command takes in its place and opens faster");
  command->callback([=, &action] {
    action = [=] {
      const Dataset data = opened(*arguments, *save);
      if (!*json) print_notes(data.notes);
      write_output("", *json ? as_json(data) : as_text(data));
      return kFine;
    };
  });
}

}  // namespace fewedits::cli
