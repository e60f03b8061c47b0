// SPDX-License-Identifier: MIT
#include "searches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gcfx/base/file.hpp"
#include "gcfx/base/sha256.hpp"
#include "gcfx/nn/model_file.hpp"
#include "gcfx/output/explanation_json.hpp"
#include "support/clock.hpp"
#include "support/search_progress.hpp"

namespace gcfx::bench {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// What is in the first list only, as the command line spells it.
std::string extra(const Settings& settings, const Settings& known) {
  std::vector<std::string> words;
  for (const auto& setting : settings) {
    if (std::find(known.begin(), known.end(), setting) != known.end()) continue;
    const auto& [name, value] = setting;
    words.push_back(value.empty() ? "--" + name : fmt::format("--{} {}", name, value));
  }
  return words.empty() ? "nothing" : fmt::format("{}", fmt::join(words, " "));
}

std::string note_on(const Explanation& found, const std::filesystem::path& file,
                    const ExplainOptions& planned) {
  const Settings settings = describe(planned);
  const Settings& used = found.provenance.options;
  std::vector<std::string> out;
  if (used != settings) {
    out.push_back(fmt::format("was searched with {} where now {} is planned", extra(used, settings),
                              extra(settings, used)));
  }
  if (!found.complete) out.emplace_back("is of a search that was cut short");
  if (std::filesystem::last_write_time(file) < std::filesystem::last_write_time("/proc/self/exe")) {
    out.emplace_back("is older than this program");
  }
  if (out.empty()) return "";
  return fmt::format("{} {}", file.filename().string(), fmt::join(out, " and "));
}

}  // namespace

std::vector<std::uint64_t> Plan::seeds_of(const Mode& mode) const {
  return mode.every_seed ? seeds : std::vector<std::uint64_t>{1};
}

Searches::Searches(std::string dataset, const Published& models, const Plan& plan, ThreadPool& pool)
    : dataset_(std::move(dataset)), models_(models), plan_(plan), pool_(pool) {}

std::optional<Found> Searches::find(const Mode& mode, std::uint64_t seed) const {
  const std::filesystem::path file = file_of(mode, seed);
  const ExplainOptions options = options_of(mode, seed);
  if (std::filesystem::exists(file)) return read(file, mode, options);
  if (std::count(plan_.modes.begin(), plan_.modes.end(), mode.name) == 0) return std::nullopt;
  fmt::print(stderr, "{} {}, seed {}: searching …\n", dataset_, mode.name, seed);
  Explanation found = search(options);
  std::filesystem::create_directories(plan_.folder);
  write_file_atomically(file, explanation_json(found));
  fmt::print(stderr, "    {:.1f} s, wrote {}\n", found.seconds, file.string());
  return Found{std::move(found), ""};
}

std::filesystem::path Searches::file_of(const Mode& mode, std::uint64_t seed) const {
  return plan_.folder / fmt::format("{}-{}-{}.json", dataset_, mode.name, seed);
}

ExplainOptions Searches::options_of(const Mode& mode, std::uint64_t seed) const {
  ExplainOptions options;
  options.method = mode.method;
  options.refine = mode.refine;
  options.seed = seed;
  if (mode.greed) {
    options.greed = &models_.greed;
    options.steps = plan_.steps;
  }
  return options;
}

Found Searches::read(const std::filesystem::path& file, const Mode& mode,
                     const ExplainOptions& options) const {
  fmt::print(stderr, "{} {}, seed {}: from {}\n", dataset_, mode.name, options.seed, file.string());
  Explanation found = parse_explanation(read_file(file, kMaxExplanationBytes), file.string());
  const auto need = [&](bool holds, const char* what) {
    if (holds) return;
    throw Error({file.string()}, fmt::format("is of another {}", what),
                "delete it or give another --folder");
  };
  need(found.provenance.dataset_hash == dataset_fingerprint(models_.data), "dataset");
  need(found.provenance.model_hash == model_hash(classifier_path(dataset_)), "model");
  need(found.method == (mode.method == ExplainMethod::kGcf ? "gcf" : "ground-truth"), "method");
  need(found.distance == (mode.greed ? "greed" : "certified"), "distance");
  need(found.provenance.seed == options.seed, "seed");
  std::string note = note_on(found, file, options);
  return {std::move(found), std::move(note)};
}

Explanation Searches::search(const ExplainOptions& options) const {
  ExplainHooks hooks;
  hooks.progress = SearchProgress();
  const auto start = Clock::now();
  Explanation found = explain(models_.data, models_.classifier, options, pool_, hooks);
  found.seconds = seconds_since(start);
  note_files(options, found.provenance);
  return found;
}

void Searches::note_files(const ExplainOptions& options, Provenance& provenance) const {
  provenance.dataset_path = dataset_path(dataset_);
  provenance.model_path = classifier_path(dataset_);
  provenance.model_hash = model_hash(provenance.model_path);
  if (options.greed == nullptr) return;
  provenance.distance_model_path = greed_path(dataset_);
  provenance.distance_model_hash = sha256_hex(read_file(provenance.distance_model_path));
}

}  // namespace gcfx::bench
