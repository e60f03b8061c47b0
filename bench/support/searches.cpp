// SPDX-License-Identifier: MIT
#include "support/searches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fewedits/base/file.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/extend.hpp"
#include "fewedits/search/files_used.hpp"
#include "fewedits/search/option_table.hpp"
#include "fewedits/search/run_file.hpp"
#include "support/clock.hpp"
#include "support/search_progress.hpp"

namespace fewedits::bench {
namespace {

/// What is in the first list only, as the command line spells it.
std::string extra(const RunSettings& settings, const RunSettings& known) {
  std::vector<std::string> words;
  for (const auto& setting : settings) {
    if (std::find(known.begin(), known.end(), setting) != known.end()) continue;
    const auto& [name, value] = setting;
    words.push_back(value.empty() ? "--" + name : fmt::format("--{} {}", name, value));
  }
  return words.empty() ? "nothing" : fmt::format("{}", fmt::join(words, " "));
}

RunSettings settings_of(const ExplainOptions& options) {
  const Parts parts = builtin_parts();
  return recorded_options(with_defaults(options, parts), parts);
}

std::string note_on(const Explanation& found, const std::filesystem::path& file,
                    const ExplainOptions& wanted) {
  const RunSettings settings = settings_of(wanted);
  const RunSettings& used = found.provenance.options;
  std::vector<std::string> out;
  if (used != settings) {
    out.push_back(fmt::format("was searched with {} where now {} is asked for",
                              extra(used, settings), extra(settings, used)));
  }
  if (!found.complete) out.emplace_back("is of a search that was cut short");
  if (out.empty()) return "";
  return fmt::format("{} {}", file.filename().string(), fmt::join(out, " and "));
}

bool is_greed(const ExplainOptions& options) { return options.distance == "greed"; }

bool walks_under_greed(const ExplainOptions& options) {
  return options.method == "gcf" && is_greed(options);
}

/// The walk is all there is, or most of it.
bool is_walk(const ExplainOptions& options) {
  return walks_under_greed(options) || (options.method == "gcf" && !options.refine);
}

bool is_own(const ExplainOptions& options) {
  return is_greed(options) && !options.distance_options.model.empty();
}

/// Where the distance's model is; empty: it has none.
std::string distance_model(const std::string& dataset, const ExplainOptions& options) {
  if (!is_greed(options)) return "";
  return is_own(options) ? options.distance_options.model : greed_path(dataset);
}

std::string kind_of(const ExplainOptions& options) {
  if (options.method != "gcf") {
    const bool certified = options.distance == ExplainOptions{}.distance;
    return certified ? options.method : options.method + "-" + options.distance;
  }
  if (is_greed(options)) return options.refine ? "refined" : "paper";
  return options.refine ? options.distance : options.distance + "-walk";
}

/// Explanations that begin where the walk of another one ended: the walk is the same. So is the
/// trace, which has the other one's ties.
bool takes_over_walk(const ExplainOptions& options) {
  return walks_under_greed(options) && (options.refine || options.ties != ExplainOptions{}.ties);
}

}  // namespace

std::string name_of(const ExplainOptions& options) {
  std::string out = (is_own(options) ? "own-" : "") + kind_of(options);
  if (options.theta && *options.theta != kEditTheta)
    out += fmt::format("-theta-{}", *options.theta);
  if (options.method == "gcf") {
    if (options.alpha != ExplainOptions{}.alpha) out += fmt::format("-alpha-{}", options.alpha);
    const std::uint64_t steps = options.steps.value_or(kPaperSteps);
    if (is_walk(options) && steps != kPaperSteps) out += fmt::format("-steps-{}", steps);
    if (options.refine && options.refine_work) out += fmt::format("-work-{}", *options.refine_work);
    if (options.max_neighbours > 0) out += fmt::format("-of-{}", options.max_neighbours);
    if (!options.reinforcement) out += "-nvr";
    if (!options.importance) out += "-nif";
    if (!options.dynamic_teleport) out += "-ndt";
    if (options.ties == CandidateTies::kEarliest) out += "-earliest";
  }
  const std::uint64_t prove_work = options.distance_options.prove_work;
  if (prove_work != kProveWork) out += fmt::format("-prove-{}", prove_work);
  return out;
}

Searches::Searches(std::string dataset, const Published& models, std::filesystem::path folder,
                   ThreadPool& pool)
    : dataset_(std::move(dataset)), models_(models), folder_(std::move(folder)), pool_(pool) {}

std::optional<Found> Searches::known(const ExplainOptions& options) const {
  const std::filesystem::path file = file_of(options, "json");
  if (!std::filesystem::exists(file)) return std::nullopt;
  Explanation found = parse_explanation(read_file(file, kMaxExplanationBytes), file.string());
  const auto need = [&](bool holds, const char* what) {
    if (holds) return;
    throw Error({file.string()}, fmt::format("is of another {}", what),
                "delete it or give another --folder");
  };
  need(found.provenance.dataset_hash == dataset_fingerprint(models_.data), "dataset");
  need(found.provenance.model_hash == model_hash(classifier_path(dataset_)), "model");
  need(found.method == options.method, "method");
  need(found.distance == options.distance, "distance");
  need(found.provenance.seed == options.seed, "seed");
  if (is_own(options)) {
    need(found.provenance.distance_model_hash == model_hash(options.distance_options.model),
         "distance model");
  }
  std::string note = note_on(found, file, options);
  return Found{std::move(found), std::move(note)};
}

Found Searches::find(const ExplainOptions& options, bool need_pool) const {
  const std::filesystem::path pool = file_of(options, "pool");
  const bool has_pool = std::filesystem::exists(pool);
  if (has_pool || !need_pool) {
    if (auto found = known(options)) {
      if (has_pool) found->pool = read_pool(pool);
      return std::move(*found);
    }
  }
  CandidatePool candidates;
  Explanation found = search(models_.with_greed(options), candidates);
  const PoolName name{dataset_, name_of(options), options.seed, options.k};
  write_file_atomically(pool, pool_text(name, candidates));
  const std::filesystem::path file = file_of(options, "json");
  write_file_atomically(file, explanation_json(found));
  fmt::print(stderr, "    {:.2f} % in {:.1f} s, wrote {}\n", 100 * found.metrics.coverage,
             found.seconds, file.string());
  return {std::move(found), "", std::move(candidates), true};
}

std::filesystem::path Searches::file_of(const ExplainOptions& options, const char* ending) const {
  return folder_ / fmt::format("{}-{}-{}.{}", dataset_, name_of(options), options.seed, ending);
}

Explanation Searches::search(const ExplainOptions& options, CandidatePool& candidates) const {
  ExplainHooks hooks;
  hooks.progress = SearchProgress();
  double before = 0;  // seconds
  const auto start = Clock::now();
  if (takes_over_walk(options)) {
    ExplainOptions first = options;
    first.refine = false;
    first.ties = ExplainOptions{}.ties;
    const Explanation walk = find(first).explanation;
    hooks.resume = saved_walk(first, walk.inputs.size());
    if (hooks.resume) before = walk.seconds;
  } else if (is_walk(options)) {
    // Walks take up to an hour: one that was interrupted goes on.
    hooks.resume = saved_walk(options, inputs().rejected.size());
    if (hooks.resume) before = saved_seconds(options);
    hooks.save_seconds = 120;
    hooks.save = [&](const SavedSearch& now) {
      write_file_atomically(file_of(options, "run"), run_file_bytes({settings_of(options), now}));
      write_file_atomically(file_of(options, "seconds"),
                            fmt::format("{:.3f}", before + seconds_since(start)));
    };
  }
  std::filesystem::create_directories(folder_);
  fmt::print(stderr, "{} {}, seed {}: searching …\n", dataset_, name_of(options), options.seed);
  const auto now = Clock::now();
  ExplainOptions blind = options;
  blind.bonds = false;  // as in the paper
  Explanation found = explain(models_.data, *models_.classifier, inputs(), blind, pool_, hooks,
                              parts_that_tell(candidates));
  found.seconds = before + seconds_since(now);
  note_files(dataset_path(dataset_), classifier_path(dataset_), distance_model(dataset_, options),
             found.provenance);
  return found;
}

RejectedGraphs Searches::inputs() const {
  return rejected_graphs(models_.data, *models_.classifier, pool_);
}

double Searches::saved_seconds(const ExplainOptions& options) const {
  const std::filesystem::path file = file_of(options, "seconds");
  if (!std::filesystem::exists(file)) return 0;
  return number_in<double>(read_file(file)).value_or(0);
}

std::optional<SavedSearch> Searches::saved_walk(const ExplainOptions& options,
                                                std::size_t num_inputs) const {
  const std::filesystem::path file = file_of(options, "run");
  if (!std::filesystem::exists(file)) return std::nullopt;
  RunFile run =
      parse_run_file(read_file(file), file.string(), num_inputs, models_.data.node_labels.size());
  check_settings(run.settings, settings_of(options), file.string());
  return std::move(run.search);
}

}  // namespace fewedits::bench
