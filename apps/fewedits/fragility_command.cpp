// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "console.hpp"
#include "fewedits/base/terminal_text.hpp"
#include "fewedits/induction/fragility.hpp"
#include "fewedits/rules/figures.hpp"
#include "json_text.hpp"
#include "rule_arguments.hpp"

namespace fewedits::cli {
namespace {

using Json = nlohmann::ordered_json;

struct FragilityArguments {
  RuleArguments on;
  double time_limit = 0;
  std::string output;
  bool json = false;
};

struct Side {
  const char* name;
  std::vector<FragileGraph> graphs;

  [[nodiscard]] std::size_t with(std::uint32_t fewest) const {
    return static_cast<std::size_t>(
        std::count_if(graphs.begin(), graphs.end(),
                      [&](const FragileGraph& one) { return one.fewest_known == fewest; }));
  }
};

std::string share(std::size_t part, std::size_t all) {
  if (all == 0) return "–";
  const double is = static_cast<double>(part) / static_cast<double>(all);
  const Interval interval = interval_of(is, all);
  return fmt::format("{:.1f} ({:.1f}–{:.1f})", 100 * is, 100 * interval.low, 100 * interval.high);
}

std::string as_text(const RuleSources& sources, const std::vector<Side>& sides) {
  std::vector<std::vector<std::string>> rows{{"% of the graphs that are", "graphs",
                                              "one step is enough", "two are, not one", "not known",
                                              "steps of a graph that are enough"}};
  for (const Side& side : sides) {
    double sum = 0;
    for (const FragileGraph& one : side.graphs) {
      if (one.steps > 0) sum += static_cast<double>(one.enough) / static_cast<double>(one.steps);
    }
    const std::size_t n = side.graphs.size();
    rows.push_back({side.name, grouped(n), share(side.with(1), n), share(side.with(2), n),
                    share(side.with(0), n),
                    n == 0 ? "–" : fmt::format("{:.1f}", 100 * sum / static_cast<double>(n))});
  }
  return printable_lines(fmt::format(
      "{}: desired class {}, theta {}, {}{}.\n\n{}\n"
      "All steps of the edit map were asked: where one is not said to be enough, none is. Of two\n"
      "steps, only the neighbours of the best {} neighbours were.\n",
      sources.data.name,
      explained_classes(sources.data, *sources.classifier, sources.graphs).desired,
      sources.limits.theta, sources.view.has_bonds() ? "bonds used" : "bonds ignored",
      sources.limits.known ? ", plausible results only" : "", table(std::move(rows)),
      kFragileBeam));
}

std::string as_json(const RuleSources& sources, const std::vector<Side>& sides) {
  Json json{{"dataset", sources.data.name},
            {"theta", sources.limits.theta},
            {"bonds", sources.view.has_bonds()},
            {"plausible", sources.limits.known != nullptr}};
  for (const Side& side : sides) {
    Json list = Json::array();
    for (const FragileGraph& one : side.graphs) {
      Json row{{"graph", one.graph}, {"steps", one.steps}, {"enough", one.enough}};
      row["fewest_known"] = one.fewest_known == 0 ? Json() : Json(one.fewest_known);
      list.push_back(std::move(row));
    }
    json[side.name] = {{"graphs", side.graphs.size()},
                       {"one_step", side.with(1)},
                       {"two_steps", side.with(2)},
                       {"each", std::move(list)}};
  }
  return json_text(json, 1) + "\n";
}

int run(FragilityArguments arguments) {
  if (!arguments.output.empty()) {
    check_writable(arguments.output);
    protect_inputs(arguments.output, arguments.on.files());
  }
  std::optional<ReadingLimit> reading(arguments.time_limit);
  ThreadPool pool(arguments.on.threads);
  const RuleSources sources = open_rule_sources(arguments.on, pool);
  const InterruptGuard guard;
  reading.reset();
  StopSign sign(&InterruptGuard::sign());
  if (arguments.time_limit > 0) {
    sign.set_at(program_start() + std::chrono::duration_cast<StopSign::Clock::duration>(
                                      std::chrono::duration<double>(arguments.time_limit)));
  }
  std::vector<Side> sides{{"rejected", {}}, {"accepted", {}}};
  try {
    const StopScope scope(pool, &sign);
    ProgressLine line;
    const std::size_t all = sources.graphs.rejected.size() + sources.graphs.accepted.size();
    std::size_t before = 0;
    for (Side& side : sides) {
      const bool accepted = &side == &sides.back();
      const auto& graphs = accepted ? sources.graphs.accepted : sources.graphs.rejected;
      side.graphs =
          fragile_graphs(graphs, accepted, sources.material, sources.task(), pool,
                         [&](std::size_t done) { line.update(before + done, all, side.name); });
      before += graphs.size();
    }
  } catch (const Stopped&) {
    fmt::print(stderr, "fewedits: ended before all graphs were asked\n");
    return InterruptGuard::interrupted() ? kInterrupted : kFailed;
  }
  write_output(arguments.output,
               arguments.json ? as_json(sources, sides) : as_text(sources, sides));
  return kFine;
}

}  // namespace

void add_fragility_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "fragility", "Is one step of the edit map enough to change the model's verdict?");
  command->footer(
      "Asks the model about every graph one step away, of rejected and of accepted graphs; where "
      "none\n"
      "is enough, two steps are tried.\n\n"
      "Example:\n"
      "  fewedits fragility --dataset data/AIDS --model gcn.pth");
  auto arguments = std::make_shared<FragilityArguments>();
  FragilityArguments& a = *arguments;
  a.on.add_to(*command);
  command->add_option("--time-limit", a.time_limit, "end after so many seconds; 0: never")
      ->check(check_not_negative)
      ->capture_default_str();
  command->add_option("-o,--output", a.output, "file to write (default: standard output)");
  command->add_flag("--json", a.json, "JSON, graph by graph, instead of a table");
  command->callback([=, &action] { action = [=] { return run(*arguments); }; });
}

}  // namespace fewedits::cli
