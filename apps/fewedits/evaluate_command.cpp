// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "common_recourse.hpp"
#include "comparison.hpp"
#include "console.hpp"
#include "explain_report.hpp"
#include "fewedits/explanation/figures.hpp"
#include "fewedits/explanation/input_words.hpp"
#include "json_text.hpp"

namespace fewedits::cli {
namespace {

using Json = nlohmann::ordered_json;

struct EvaluateArguments {
  ComparisonArguments comparison;
  std::string curves;
  CommonRecourseArguments common;
};

/// It was ended early: not all pairs were asked for the cheapest edits.
bool has_bounds_only(const Evaluation& c) { return c.possible && !c.proof.complete; }

std::string by_k_table(const Evaluation& c) {
  std::vector<std::vector<std::string>> rows{{"k", "coverage"}};
  if (c.possible) rows[0].push_back("at most");
  rows[0].insert(rows[0].end(),
                 {"median cost", "mean cost", "graph", "covers", "new", "probability"});
  for (std::size_t i = 0; i < c.places.size(); ++i) {
    const PrefixMetrics& m = c.result.metrics.by_k[i];
    const Counterfactual& graph = c.result.counterfactuals[i];
    auto& row = rows.emplace_back(
        std::vector<std::string>{fmt::format("{}", m.k), at_least_text(m.coverage)});
    if (c.possible) {
      row.push_back(at_most_text(c.possible->metrics.by_k[i].coverage, m.coverage));
    }
    row.insert(row.end(), {cost_text(m.cost_median, has_bounds_only(c)),
                           cost_text(m.cost_mean, has_bounds_only(c)),
                           fmt::format("{}", c.places[i] + 1), grouped(graph.covers.size()),
                           grouped(graph.gain), probability_text(graph.probability)});
  }
  return table(rows);
}

std::string by_theta_table(const Evaluation& c) {
  std::vector<std::vector<std::string>> rows{{"theta", "coverage"}};
  if (c.possible) rows[0].push_back("at most");
  for (std::size_t i = 0; i < c.result.metrics.by_theta.size(); ++i) {
    const ThetaMetrics& m = c.result.metrics.by_theta[i];
    auto& row = rows.emplace_back(
        std::vector<std::string>{fmt::format("{:.2f}", m.theta), at_least_text(m.coverage)});
    if (c.possible) {
      row.push_back(at_most_text(c.possible->metrics.by_theta[i].coverage, m.coverage));
    }
  }
  return table(rows);
}

/// The options that say which graphs are explained: nothing for other data.
Provenance rules_of(const ComparisonMaterial& material) {
  return material.is_of_the_data ? *material.provenance : Provenance{};
}

std::string as_text(const ComparisonArguments& arguments, const ComparisonMaterial& material,
                    const Evaluation& c) {
  const Metrics& m = c.result.metrics;
  const std::string coverage = c.possible
                                   ? coverage_in_words(m.coverage, c.possible->metrics.coverage)
                                   : at_least_text(m.coverage) + " claimed";
  return fmt::format(
      "{}: {}.\n"
      "{}, theta {}, {} distance: coverage {}, median cost {}, mean cost {}.\n"
      "{}\n{}\n{}",
      material.data.name,
      inputs_in_words(*c.result.classes, rules_of(material), c.result.inputs.size(),
                      material.data.size()),
      counted(c.places.size(), "counterfactual"), theta_text(c.result.theta), arguments.distance,
      coverage, cost_text(m.cost_median, has_bounds_only(c)),
      cost_text(m.cost_mean, has_bounds_only(c)), smallest_lead_in_words(m), by_k_table(c),
      by_theta_table(c));
}

/// Costs that are not known are infinite, and null in JSON.
Json metrics_json(const Evaluation& c) {
  const Metrics& m = c.result.metrics;
  const auto row = [&](double coverage, double possible) {
    Json json{{"coverage", coverage}};
    if (c.possible) json["coverage_upper"] = possible;
    return json;
  };
  const Metrics& possible = c.possible ? c.possible->metrics : m;
  Json json = row(m.coverage, possible.coverage);
  json["cost_median"] = m.cost_median;
  json["cost_mean"] = m.cost_mean;
  if (m.smallest_lead) json["smallest_lead"] = *m.smallest_lead;
  json["by_k"] = Json::array();
  for (std::size_t i = 0; i < m.by_k.size(); ++i) {
    Json k{{"k", m.by_k[i].k}};
    k.update(row(m.by_k[i].coverage, possible.by_k[i].coverage));
    k["cost_median"] = m.by_k[i].cost_median;
    k["cost_mean"] = m.by_k[i].cost_mean;
    json["by_k"].push_back(std::move(k));
  }
  json["by_theta"] = Json::array();
  for (std::size_t i = 0; i < m.by_theta.size(); ++i) {
    Json theta{{"theta", m.by_theta[i].theta}};
    theta.update(row(m.by_theta[i].coverage, possible.by_theta[i].coverage));
    json["by_theta"].push_back(std::move(theta));
  }
  return json;
}

Json graphs_json(const Evaluation& c) {
  Json list = Json::array();
  for (const Judgement& judged : c.judged) {
    list.push_back({{"probability", judged.probability},
                    {"lead", judged.lead()},
                    {"accepted", judged.accepted}});
  }
  for (std::size_t i = 0; i < c.places.size(); ++i) {
    Json& json = list[c.places[i]];
    json["covers"] = c.result.counterfactuals[i].covers.size();
    json["gain"] = c.result.counterfactuals[i].gain;
    if (c.possible) json["covers_upper"] = c.possible->counterfactuals[i].covers.size();
  }
  return list;
}

std::string as_json(const ComparisonArguments& arguments, const Dataset& data,
                    const Evaluation& c) {
  return json_text(Json{{"dataset", data.name},
                        {"model", arguments.model},
                        {"distance", arguments.distance},
                        {"theta", c.result.theta},
                        {"desired_class", c.result.classes->desired},
                        {"inputs", c.result.inputs.size()},
                        {"complete", c.proof.complete},
                        {"metrics", metrics_json(c)},
                        {"graphs", graphs_json(c)}},
                   1) +
         "\n";
}

/// What does not apply or is not known is left empty.
std::string as_csv(const Metrics& metrics) {
  const auto field = [](double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : std::string();
  };
  std::string out = "kind,x,coverage,cost_median,cost_mean\n";
  for (const PrefixMetrics& m : metrics.by_k) {
    out +=
        fmt::format("k,{},{},{},{}\n", m.k, m.coverage, field(m.cost_median), field(m.cost_mean));
  }
  for (const ThetaMetrics& m : metrics.by_theta) {
    out += fmt::format("theta,{},{},,\n", m.theta, m.coverage);
  }
  return out;
}

int run(EvaluateArguments all) {
  ComparisonArguments& arguments = all.comparison;
  if (all.common.wanted) arguments.distance = "greed";
  GraphList list = arguments.read_graphs();
  arguments.check();
  arguments.check_output(all.curves);
  const ComparisonMaterial material = open_material(arguments, std::move(list));
  note_other_data(arguments, material);
  const Dataset& data = material.data;
  ThreadPool pool(arguments.threads);
  const RejectedGraphs graphs =
      rejected_graphs(data, *material.classifier, pool, material.selection);
  const ExplainedClasses classes = explained_classes(data, *material.classifier, graphs);
  if (graphs.rejected.empty()) {
    throw Error(fmt::format("no graph is predicted anything but the desired class {}: there is "
                            "nothing to cover",
                            classes.desired),
                "check the desired class (--desired-class) and that the model fits the dataset");
  }
  if (all.common.wanted) {
    return run_common_recourse(arguments, all.common, material, graphs.rejected, pool);
  }
  Evaluation comparison = compare(arguments, material, graphs.rejected, pool);
  comparison.result.classes = classes;
  if (!all.curves.empty()) write_output(all.curves, as_csv(comparison.result.metrics));
  write_output(arguments.output, arguments.json ? as_json(arguments, data, comparison)
                                                : as_text(arguments, material, comparison));
  return finish(comparison);
}

}  // namespace

void add_evaluate_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "evaluate", "Measure anew how many of its inputs an explanation covers, and at what cost");
  command->footer(
      "Nothing in FILE is believed but its graphs: the model judges them from scratch, and those\n"
      "it does not accept do not count. With --distance certified, an input counts as covered only "
      "if\n"
      "edits in hand prove it; \"at most\" is the coverage that no bound excludes.\n\n"
      "Dataset and models are those that an explanation names; a list of graphs needs the "
      "flags.\n\n"
      "Examples:\n"
      "  fewedits evaluate explanation.json\n"
      "  fewedits evaluate graphs.json --dataset data/AIDS --model gcn.pth --distance greed \\\n"
      "      --greed-model greed.pt --json -o report.json --curves curves.csv\n"
      "  fewedits evaluate explanation.json --common-recourse --greed-model greed.pt");
  auto arguments = std::make_shared<EvaluateArguments>();
  arguments->comparison.add_to(*command);
  command->add_option("--curves", arguments->curves,
                      "also write CSV: coverage and cost by k, coverage by theta");
  arguments->common.add_to(*command);
  command->callback([=, &action] {
    if (arguments->common.wanted && !arguments->curves.empty()) {
      throw CLI::ValidationError("--curves", "does not go with --common-recourse");
    }
    if (!arguments->curves.empty()) {
      check_outputs_differ(
          {{"--output", arguments->comparison.output}, {"--curves", arguments->curves}});
    }
    action = [=] { return run(*arguments); };
  });
}

}  // namespace fewedits::cli
