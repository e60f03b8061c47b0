// SPDX-License-Identifier: MIT
#include "experiment.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "support/clock.hpp"
#include "support/published.hpp"
#include "support/search_progress.hpp"

namespace gcfx::bench {
namespace {

/// Runs on one dataset, which is read when the first run needs it.
class Experiment {
 public:
  Experiment(std::string dataset, const ExperimentOptions& options, RunCache& cache)
      : dataset_(std::move(dataset)), options_(options), cache_(cache), pool_(options.threads) {}

  /// The paper's algorithm; steps and theta are the defaults of ExplainOptions, i.e. the paper's.
  [[nodiscard]] ExplainOptions paper_mode(double alpha) const {
    ExplainOptions options;
    options.steps = options_.steps;
    options.alpha = alpha;
    options.refine = false;
    return options;
  }

  Sample sample(const std::string& name, ExplainOptions options) {
    Sample out;
    for (const std::uint64_t seed : options_.seeds) {
      options.seed = seed;
      out.runs.push_back(run(fmt::format("{} {}, seed {}", dataset_, name, seed), options));
    }
    return out;
  }

  /// Nothing random: one run.
  Sample ground_truth() {
    ExplainOptions options;
    options.method = ExplainMethod::kGroundTruth;
    return {{run(dataset_ + " GROUND-TRUTH", options)}};
  }

 private:
  Run run(const std::string& name, ExplainOptions options) {
    const std::string key = run_key(dataset_, options);
    if (const Run* known = cache_.find(key)) return *known;
    fmt::print(stderr, "{} …\n", name);
    if (!models_) models_.emplace(dataset_);
    options.greed = &models_->greed;
    ExplainHooks hooks;
    hooks.progress = SearchProgress();
    const auto start = Clock::now();
    const Explanation found = explain(models_->data, models_->classifier, options, pool_, hooks);
    const Run run{100 * found.metrics.coverage, found.metrics.cost_median, seconds_since(start),
                  pool_.size()};
    fmt::print(stderr, "    {:.2f} % / {:.4f} in {:.1f} s\n", run.coverage, run.cost, run.seconds);
    cache_.add(key, run);
    return run;
  }

  std::string dataset_;
  const ExperimentOptions& options_;
  RunCache& cache_;
  ThreadPool pool_;
  std::optional<Published> models_;
};

}  // namespace

Sample::Figure Sample::of(double Run::*part) const {
  const auto n = static_cast<double>(runs.size());
  double sum = 0;
  for (const Run& run : runs) sum += run.*part;
  double squares = 0;
  for (const Run& run : runs) squares += std::pow(run.*part - sum / n, 2);
  return {sum / n, n > 1 ? std::sqrt(squares / (n - 1)) : 0};
}

Results run_experiment(const PaperDataset& paper, const ExperimentOptions& options,
                       RunCache& cache) {
  Experiment experiment(paper.name, options, cache);
  Results out;
  out.paper = paper;
  out.ground_truth = experiment.ground_truth();
  for (std::size_t i = 0; i < kAlphas.size(); ++i) {
    const double alpha = kAlphas.at(i);
    out.by_alpha.at(i) =
        experiment.sample(fmt::format("alpha {}", alpha), experiment.paper_mode(alpha));
    if (out.by_alpha.at(i).coverage().mean > out.best_alpha().coverage().mean) out.best = i;
  }
  const ExplainOptions best = experiment.paper_mode(kAlphas.at(out.best));
  ExplainOptions refined = best;
  refined.refine = true;
  refined.refine_work = options.refine_work;
  out.refined = experiment.sample("refined", refined);
  std::array<ExplainOptions, 3> ablations{best, best, best};
  ablations[0].reinforcement = false;
  ablations[1].importance = false;
  ablations[2].dynamic_teleport = false;
  out.ablations = {experiment.sample("NVR", ablations[0]), experiment.sample("NIF", ablations[1]),
                   experiment.sample("NDT", ablations[2])};
  return out;
}

}  // namespace gcfx::bench
