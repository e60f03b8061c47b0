// SPDX-License-Identifier: MIT
#include "local_searches.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "console.hpp"
#include "fewedits/search/option_table.hpp"
#include "fewedits/search/parts.hpp"
#include "option_rows.hpp"

namespace fewedits::cli {
namespace {

/// A name, or nothing for the search.
CLI::Option* add_local(CLI::App& command, std::string& local) {
  const auto names = local_finders(builtin_parts()).names();
  const auto take = [&local, names](const std::vector<std::string>& given) {
    // What CLI11 gives in place of a value that is left out.
    const bool left_out = given.empty() || given.front().empty() || given.front() == "{}";
    local = left_out ? names.front() : given.front();
    if (std::ranges::find(names, local) != names.end()) return true;
    throw CLI::ValidationError("--local",
                               fmt::format("{} not in {{{}}}", local, fmt::join(names, ",")));
  };
  return command
      .add_option("--local", take,
                  "also find an accepted graph close to each one alone: by a search, which is what "
                  "is meant without a word, or by an explainer that cuts edges")
      ->expected(0, 1)
      ->type_name(fmt::format("{}", fmt::join(names, "|")));
}

/// As the command line says, else the settings that the explanation was made with, if it was by the
/// same method.
ExplainOptions settings_of(const LocalArguments& arguments, const ComparisonMaterial& material) {
  ExplainOptions out;
  if (material.provenance) {
    set_recorded(
        *material.provenance, [&](const OptionRow& row) { return row.method == arguments.method; },
        out);
    out.seed = material.provenance->seed;
  }
  for (const auto& [name, value] : arguments.settings) {
    const auto row = std::ranges::find(option_table(), name, &OptionRow::name);
    if (row != option_table().end() && row->method == arguments.method) row->set(value, out);
  }
  return out;
}

}  // namespace

void LocalArguments::add_to(CLI::App& command) {
  CLI::Option* local = add_local(command, method);
  command
      .add_flag("--keep-isolated", keep_isolated,
                "of --local cff and rcexplainer, as in fewedits explain; without it, as in FILE")
      ->needs(local);
  command
      .add_option("--constraint", constraints,
                  "of --local, as in fewedits explain; without it, those of FILE")
      ->needs(local);
  command
      .add_option("--min-probability", min_probability,
                  "of --local: least probability of the desired class; without it, that of FILE")
      ->check(valid_option("min-probability"))
      ->needs(local);
  command
      .add_option("--freeze", frozen,
                  "of --local: nodes of the graph, from 0, that keep their label and the edges "
                  "among them, e.g. 0,3,7")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(check_unsigned)
      ->needs(local);
}

void LocalArguments::check() const {
  if (!given()) return;
  const LocalFinderKind finder = local_finders(builtin_parts()).at(method);
  if (!frozen.empty() && !finder.freezes) {
    throw Error(fmt::format("--freeze does not go with --local {}", method),
                "leave it out, or take --local search");
  }
  if (keep_isolated && !finder.cuts_edges) {
    throw Error(fmt::format("--keep-isolated does not go with --local {}", method),
                "leave it out, or take a way that cuts edges");
  }
}

/// Numbers of nodes say something of one graph only.
void LocalArguments::check_frozen(const Dataset& data,
                                  std::span<const std::uint32_t> inputs) const {
  if (frozen.empty()) return;
  if (inputs.size() != 1) {
    throw Error(fmt::format("--freeze names nodes of one graph, and these are {}", inputs.size()),
                "say which graph: --graph N");
  }
  const Node nodes = data.graphs[inputs.front()].num_nodes();
  for (const Node node : frozen) {
    if (node < nodes) continue;
    throw Error(fmt::format("graph {} has no node {} to freeze", inputs.front(), node),
                fmt::format("it has {}, counted from 0", counted(nodes, "node")));
  }
}

std::string LocalArguments::subject() const {
  return given() ? local_finders(builtin_parts()).at(method).subject : "";
}

CutRules local_rules(const LocalArguments& arguments, const ComparisonMaterial& material) {
  const Provenance recorded = material.provenance.value_or(Provenance{});
  CutRules out{material.goal, {}};
  const bool given = !arguments.constraints.empty();
  for (const std::string& text : given ? arguments.constraints : recorded.values_of("constraint")) {
    add_constraint(text, label_names(material.data).nodes, out.constraints);
  }
  out.constraints.molecule = material.view.rules();
  if (out.constraints.molecules_only && !out.constraints.molecule) {
    throw Error("the constraint molecule needs an explanation that uses bonds",
                "leave it out, or make the explanation with --bonds use");
  }
  if (material.view.has_bonds() && arguments.given() &&
      local_finders(builtin_parts()).at(arguments.method).cuts_edges) {
    throw Error(
        fmt::format("--local {} knows no bonds, which the explanation uses", arguments.method),
        "take --local search");
  }
  double& least = out.goal.acceptance.min_probability;
  least = arguments.min_probability.value_or(least);
  out.keep_isolated = arguments.keep_isolated || !recorded.values_of("keep-isolated").empty();
  return out;
}

std::string local_settings_in_words(const LocalArguments& arguments,
                                    const ComparisonMaterial& material) {
  const Parts parts = builtin_parts();
  const auto recorded = [&](ExplainOptions options) {
    options.method = arguments.method;
    return recorded_options(with_defaults(std::move(options), parts), parts);
  };
  const auto usual = recorded({});
  std::vector<std::string> words;
  for (const auto& [name, value] : recorded(settings_of(arguments, material))) {
    const auto row = std::ranges::find(option_table(), name, &OptionRow::name);
    if (row == option_table().end() || row->method != arguments.method) continue;
    if (std::ranges::find(usual, std::pair(name, value)) != usual.end()) continue;
    words.push_back(value.empty() ? "--" + name : fmt::format("--{} {}", name, value));
  }
  return words.empty() ? "default settings"
                       : fmt::format("{}, else default settings", fmt::join(words, " "));
}

std::vector<LocalAnswer> find_for_each(const LocalArguments& arguments,
                                       const ComparisonMaterial& material, const CutRules& rules,
                                       const RejectedGraphs& graphs,
                                       std::span<const std::uint32_t> inputs, ThreadPool& pool) {
  const ExplainOptions settings = settings_of(arguments, material);
  const LocalRequest request{graphs.rejected,        graphs.accepted, rules,
                             settings.local,         settings.seed,   arguments.frozen,
                             &InterruptGuard::sign()};
  const InterruptGuard guard;
  ProgressLine line;
  const auto tell = [&line](const char* what) {
    return [&line, what](std::uint64_t done, std::uint64_t total) {
      line.update(done, total, what);
      return !InterruptGuard::interrupted();
    };
  };
  return find_for_each(local_finders(builtin_parts()).at(arguments.method), material.data,
                       material.view, *material.classifier, request, inputs, pool,
                       {tell("training"), tell("searching for each alone")});
}

}  // namespace fewedits::cli
