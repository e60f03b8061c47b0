// SPDX-License-Identifier: MIT
#include "common_recourse.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "console.hpp"
#include "fewedits/base/terminal_text.hpp"
#include "json_text.hpp"

namespace fewedits::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Measured {
  CommonRecourseOptions options;
  CommonRecourses found;
  std::size_t inputs = 0;
  std::size_t counterfactuals = 0;
};

Measured measure(const ComparisonArguments& arguments, const CommonRecourseArguments& more,
                 const ComparisonMaterial& material, const std::vector<std::uint32_t>& inputs,
                 ThreadPool& pool) {
  Measured out;
  out.options.theta = arguments.theta.value_or(kEditTheta);
  out.options.delta = more.delta;
  out.options.recourses = more.recourses;
  out.inputs = inputs.size();
  const auto judged = judge(material.graphs, *material.classifier, material.goal, pool);
  std::vector<Graph> accepted;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (judged[i].accepted) accepted.push_back(material.graphs[i].without_edge_labels());
  }
  out.counterfactuals = accepted.size();
  const GinEmbedder embedder = load_embedder(arguments.distance_options.model);
  check_labels(embedder, material.data.node_labels.size(), arguments.distance_options.model);
  const auto vectors = recourse_vectors(without_edge_labels(material.data, inputs), accepted,
                                        embedder, out.options.theta, pool);
  out.found = common_recourses(vectors, out.options, pool);
  return out;
}

/// 1, 3, 10, … and all.
std::vector<std::size_t> rows_of(std::size_t all) {
  std::vector<std::size_t> out;
  for (std::size_t k = 1; k < all; k = out.size() % 2 == 1 ? 3 * k : 10 * (k / 3)) out.push_back(k);
  if (all > 0) out.push_back(all);
  return out;
}

std::string as_text(const ComparisonMaterial& material, const Measured& m) {
  std::vector<std::vector<std::string>> rows{{"recourses", "coverage %", "cost"}};
  for (const std::size_t k : rows_of(m.found.chosen.size())) {
    rows.push_back({std::to_string(k), fmt::format("{:.1f}", 100 * m.found.coverage(k, m.inputs)),
                    fmt::format("{:.3f}", m.found.cost(k))});
  }
  return printable_lines(fmt::format(
      "{}: {} inputs, {} accepted by the model. theta {}, radius {}, GREED's space.\n"
      "{} recourses within theta, {} clusters.\n\n{}\n"
      "Coverage: the share of inputs with a recourse in one of the balls. Cost: the sum of the\n"
      "centroids' lengths. A recourse is a vector: nobody has carried it out on a graph.\n",
      material.data.name, grouped(m.inputs), counted(m.counterfactuals, "counterfactual"),
      m.options.theta, m.options.delta, grouped(m.found.vectors), grouped(m.found.clusters),
      table(std::move(rows))));
}

std::string as_json(const ComparisonArguments& arguments, const ComparisonMaterial& material,
                    const Measured& m) {
  Json list = Json::array();
  for (std::size_t i = 0; i < m.found.chosen.size(); ++i) {
    const CommonRecourse& one = m.found.chosen[i];
    list.push_back({{"length", one.length},
                    {"serves", one.serves.size()},
                    {"gain", one.gain},
                    {"coverage", m.found.coverage(i + 1, m.inputs)},
                    {"cost", m.found.cost(i + 1)}});
  }
  const std::size_t all = m.found.chosen.size();
  return json_text(Json{{"dataset", material.data.name},
                        {"model", arguments.model},
                        {"theta", m.options.theta},
                        {"delta", m.options.delta},
                        {"inputs", m.inputs},
                        {"counterfactuals", m.counterfactuals},
                        {"vectors", m.found.vectors},
                        {"clusters", m.found.clusters},
                        {"coverage", m.found.coverage(all, m.inputs)},
                        {"cost", m.found.cost(all)},
                        {"recourses", std::move(list)}},
                   1) +
         "\n";
}

}  // namespace

void CommonRecourseArguments::add_to(CLI::App& command) {
  command.add_flag("--common-recourse", wanted,
                   "instead: how many inputs a few common recourses serve, as COMRECGC measures it "
                   "(needs --greed-model)");
  command.add_option("--delta", delta, "common recourse: radius of a ball")
      ->check(number_from(0, 1))
      ->capture_default_str();
  command.add_option("--recourses", recourses, "common recourse: balls to choose, at most")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
}

int run_common_recourse(const ComparisonArguments& arguments, const CommonRecourseArguments& more,
                        const ComparisonMaterial& material,
                        const std::vector<std::uint32_t>& inputs, ThreadPool& pool) {
  const InterruptGuard guard;
  const StopSign sign(&InterruptGuard::sign());
  const StopScope scope(pool, &sign);
  try {
    const Measured measured = measure(arguments, more, material, inputs, pool);
    write_output(arguments.output, arguments.json ? as_json(arguments, material, measured)
                                                  : as_text(material, measured));
    return kFine;
  } catch (const Stopped&) {
    fmt::print(stderr, "fewedits: ended before all recourses were compared\n");
    return kInterrupted;
  }
}

}  // namespace fewedits::cli
