// SPDX-License-Identifier: MIT
#include "experiment.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "support/published.hpp"

namespace gcfx::bench {
namespace {

bool contains(const auto& list, const auto& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// Explanations of one dataset.
class Experiment {
 public:
  Experiment(const std::string& dataset, const ExperimentOptions& options, Record& record)
      : options_(options),
        record_(record),
        dataset_(dataset),
        pool_(options.threads),
        models_(dataset),
        searches_(dataset, models_, options.folder, pool_) {}

  /// The paper's algorithm; theta and the like are the defaults of ExplainOptions, i.e. the
  /// paper's.
  [[nodiscard]] ExplainOptions paper_mode(double alpha) const {
    ExplainOptions options;
    options.greed = &models_.greed;
    options.steps = options_.steps;
    options.alpha = alpha;
    options.refine = false;
    return options;
  }

  /// One run a seed: those that are known, and the others if they may be searched.
  Sample sample(ExplainOptions options, bool search) {
    Sample out;
    for (const std::uint64_t seed : options_.seeds) {
      options.seed = seed;
      add(options, search, out);
    }
    return out;
  }

  /// Nothing random: one run.
  Sample ground_truth() {
    ExplainOptions options;
    options.greed = &models_.greed;
    options.method = ExplainMethod::kGroundTruth;
    Sample out;
    add(options, !options_.parts.empty(), out);
    return out;
  }

  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  void add(const ExplainOptions& options, bool search, Sample& out) {
    const RunName name{dataset_, name_of(options), options.seed};
    if (const auto found = search ? searches_.find(options) : searches_.known(options)) {
      if (!found->note.empty()) notes_.push_back(found->note);
      const Explanation& e = found->explanation;
      record_[name] = {100 * e.metrics.coverage, e.metrics.cost_median, e.seconds};
    }
    if (const auto run = record_.find(name); run != record_.end()) out.runs.push_back(run->second);
  }

  const ExperimentOptions& options_;
  Record& record_;
  std::string dataset_;
  ThreadPool pool_;
  Published models_;
  Searches searches_;
  std::vector<std::string> notes_;
};

}  // namespace

Sample::Figure Sample::of(double Run::*part) const {
  if (runs.empty()) return {};
  const auto n = static_cast<double>(runs.size());
  double sum = 0;
  for (const Run& run : runs) sum += run.*part;
  double squares = 0;
  for (const Run& run : runs) squares += std::pow(run.*part - sum / n, 2);
  return {sum / n, n > 1 ? std::sqrt(squares / (n - 1)) : 0};
}

Results run_experiment(const PaperDataset& paper, const ExperimentOptions& options,
                       Record& record) {
  const auto part = [&](const std::string& name) { return contains(options.parts, name); };
  Experiment experiment(paper.name, options, record);
  Results out;
  out.paper = paper;
  out.ground_truth = experiment.ground_truth();
  for (std::size_t i = 0; i < kAlphas.size(); ++i) {
    const double alpha = kAlphas.at(i);
    const bool search = part("alphas") && contains(options.alphas, alpha);
    out.by_alpha.at(i) = experiment.sample(experiment.paper_mode(alpha), search);
    const auto rank = [](const Sample& s) { return std::pair(s.runs.size(), s.coverage().mean); };
    if (rank(out.by_alpha.at(i)) > rank(out.best_alpha())) out.best = i;
  }
  for (std::size_t i = 0; i < kAlphas.size(); ++i) {
    ExplainOptions sampled = experiment.paper_mode(kAlphas.at(i));
    sampled.max_neighbours = kPaperSample;
    const bool search = i == kDefaultAlpha
                            ? part("sampled")
                            : part("sampled-alphas") && contains(options.alphas, kAlphas.at(i));
    out.sampled.at(i) = experiment.sample(sampled, search);
  }
  const ExplainOptions best = experiment.paper_mode(kAlphas.at(out.best));
  ExplainOptions longer = best;
  longer.steps = options.longer_steps;
  out.longer = experiment.sample(longer, part("longer"));
  ExplainOptions earliest = best;
  earliest.ties = CandidateTies::kEarliest;
  out.earliest = experiment.sample(earliest, part("earliest"));
  ExplainOptions refined = best;
  refined.refine = true;
  out.refined = experiment.sample(refined, part("refined"));
  std::array<ExplainOptions, 3> ablations{best, best, best};
  ablations[0].reinforcement = false;
  ablations[1].importance = false;
  ablations[2].dynamic_teleport = false;
  for (std::size_t i = 0; i < ablations.size(); ++i) {
    out.ablations.at(i) = experiment.sample(ablations.at(i), part("ablations"));
    ablations.at(i).max_neighbours = kPaperSample;
    out.sampled_ablations.at(i) = experiment.sample(ablations.at(i), part("sampled-ablations"));
  }
  out.notes = experiment.notes();
  return out;
}

}  // namespace gcfx::bench
