// SPDX-License-Identifier: MIT
#include "local_searches.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "console.hpp"
#include "fewedits/search/option_table.hpp"
#include "option_rows.hpp"

namespace fewedits::cli {
namespace {

/// A name, or nothing for the search.
CLI::Option* add_local(CLI::App& command, std::string& local) {
  const auto names = local_finders().names();
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

/// The settings that the explanation was made with, if it was by the same method.
ExplainOptions recorded_settings(const ComparisonMaterial& material) {
  ExplainOptions out;
  if (!material.provenance) return out;
  for (const OptionRow& row : option_table()) {
    if (row.group != OptionGroup::kCuts) continue;
    for (const std::string& value : material.provenance->values_of(row.name)) row.set(value, out);
  }
  out.seed = material.provenance->seed;
  return out;
}

class LocalSearches {
 public:
  LocalSearches(const LocalArguments& arguments, const ComparisonMaterial& material,
                const CutRules& rules, const RejectedGraphs& graphs, ThreadPool& pool)
      : kind_(local_finders().at(arguments.method)),
        material_(material),
        trained_on_(material.view.of(material.data, graphs.rejected)),
        accepted_(material.view.of(material.data, graphs.accepted)),
        pool_(pool) {
    const ExplainOptions settings = recorded_settings(material);
    task_.emplace(LocalTask{
        {*material.classifier, rules, trained_on_, graphs.rejected, accepted_, settings.seed},
        settings.local,
        {}});
    task_->search.frozen = arguments.frozen;
    task_->search.ged.budget.stop = &InterruptGuard::sign();
    task_->search.ged.costs.relabel_edge = material.view.has_bonds() ? 1 : 0;
    task_->search.num_edge_labels = material.view.edge_label_names().size();
  }

  std::vector<LocalAnswer> find(std::span<const std::uint32_t> inputs) {
    const InterruptGuard guard;
    std::vector<LocalAnswer> out;
    try {
      find(inputs, out);
    } catch (const Stopped&) {
      if (!out.empty()) out.back() = {.found = {}, .searched = false};
    }
    out.resize(inputs.size(), {.found = {}, .searched = false});
    return out;
  }

 private:
  void find(std::span<const std::uint32_t> inputs, std::vector<LocalAnswer>& out) {
    ProgressLine line;
    const auto finder = kind_.make(*task_, pool_);
    const bool ready = finder->prepare(pool_, [&](std::uint64_t done, std::uint64_t total) {
      line.update(done, total, "training");
      return !InterruptGuard::interrupted();
    });
    if (!ready) return;
    const auto graphs = material_.view.of(material_.data, inputs);
    for (std::size_t i = 0; i < graphs.size() && !InterruptGuard::interrupted(); ++i) {
      LocalAnswer& answer = out.emplace_back();
      answer.found = finder->find(graphs[i], inputs[i], pool_);
      answer.searched = !InterruptGuard::interrupted();
      line.update(out.size(), inputs.size(), "searching for each alone");
    }
  }

  const LocalFinderKind& kind_;
  const ComparisonMaterial& material_;
  std::vector<Graph> trained_on_;
  std::vector<Graph> accepted_;
  ThreadPool& pool_;
  std::optional<LocalTask> task_;
};

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
  const LocalFinderKind& finder = local_finders().at(method);
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
  return given() ? local_finders().at(method).subject : "";
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
      local_finders().at(arguments.method).cuts_edges) {
    throw Error(
        fmt::format("--local {} knows no bonds, which the explanation uses", arguments.method),
        "take --local search");
  }
  double& least = out.goal.acceptance.min_probability;
  least = arguments.min_probability.value_or(least);
  out.keep_isolated = arguments.keep_isolated || !recorded.values_of("keep-isolated").empty();
  return out;
}

std::vector<LocalAnswer> find_for_each(const LocalArguments& arguments,
                                       const ComparisonMaterial& material, const CutRules& rules,
                                       const RejectedGraphs& graphs,
                                       std::span<const std::uint32_t> inputs, ThreadPool& pool) {
  return LocalSearches(arguments, material, rules, graphs, pool).find(inputs);
}

}  // namespace fewedits::cli
