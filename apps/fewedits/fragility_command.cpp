// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <memory>

#include "console.hpp"
#include "fewedits/base/terminal_text.hpp"
#include "fewedits/induction/fragility.hpp"
#include "fewedits/rules/figures.hpp"
#include "rule_arguments.hpp"

namespace fewedits::cli {
namespace {

struct FragilityArguments {
  RuleArguments on;
  double time_limit = 0;
  std::string output;
  bool json = false;
};

std::string share(std::size_t part, std::size_t all) {
  if (all == 0) return "–";
  const double is = static_cast<double>(part) / static_cast<double>(all);
  const Interval interval = interval_of(is, all);
  return fmt::format("{:.1f} ({:.1f}–{:.1f})", 100 * is, 100 * interval.low, 100 * interval.high);
}

std::vector<std::string> row_of(const char* name, const std::vector<FragileGraph>& graphs) {
  const std::size_t n = graphs.size();
  return {name,
          grouped(n),
          share(num_with_fewest(graphs, 1), n),
          share(num_with_fewest(graphs, 2), n),
          share(num_with_fewest(graphs, 0), n),
          n == 0 ? "–" : fmt::format("{:.1f}", 100 * mean_share_enough(graphs))};
}

std::string as_text(const FragilityList& list) {
  std::vector<std::vector<std::string>> rows{{"% of the graphs that are", "graphs",
                                              "one step is enough", "two are, not one", "not known",
                                              "steps of a graph that are enough"}};
  rows.push_back(row_of("rejected", list.rejected));
  rows.push_back(row_of("accepted", list.accepted));
  return printable_lines(fmt::format(
      "{}: desired class {}, theta {}, {}{}.\n\n{}\n"
      "All steps of the edit map were asked: where one is not said to be enough, none is. Of two\n"
      "steps, only the neighbours of the best {} neighbours were.\n",
      list.provenance.dataset_name, list.desired, list.theta,
      list.bonds ? "bonds used" : "bonds ignored", list.plausible ? ", plausible results only" : "",
      table(std::move(rows)), kFragileBeam));
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
  FragilityList list;
  list.provenance = provenance_of(arguments.on, sources);
  list.desired = explained_classes(sources.data, *sources.classifier, sources.graphs).desired;
  list.theta = sources.limits.theta;
  list.bonds = sources.view.has_bonds();
  list.plausible = sources.limits.known != nullptr;
  try {
    const StopScope scope(pool, &sign);
    ProgressLine line;
    const std::vector<std::uint32_t>& rejected = sources.graphs.rejected;
    const std::vector<std::uint32_t>& accepted = sources.graphs.accepted;
    const auto asked = [&](const std::vector<std::uint32_t>& graphs, bool are_accepted,
                           std::size_t before) {
      return fragile_graphs(graphs, are_accepted, sources.material, sources.task(), pool,
                            [&](std::size_t done) {
                              line.update(before + done, rejected.size() + accepted.size(),
                                          are_accepted ? "accepted" : "rejected");
                            });
    };
    list.rejected = asked(rejected, false, 0);
    list.accepted = asked(accepted, true, rejected.size());
  } catch (const Stopped&) {
    fmt::print(stderr, "fewedits: ended before all graphs were asked\n");
    return InterruptGuard::interrupted() ? kInterrupted : kFailed;
  }
  write_output(arguments.output, arguments.json ? fragility_json(list) : as_text(list));
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
