// SPDX-License-Identifier: MIT
#include "experiment.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "support/published.hpp"

namespace fewedits::bench {
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
    ExplainOptions options = models_.greed_options();
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
    ExplainOptions options = models_.greed_options();
    options.method = "ground-truth";
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
  struct Kind {
    Walks& walks;
    std::size_t max_neighbours;
    std::string prefix;  ///< of its parts
  };
  const std::array<Kind, 2> kinds{{{out.full, 0, ""}, {out.sampled, kPaperSample, "sampled-"}}};
  for (const Kind& kind : kinds) {
    for (std::size_t i = 0; i < kAlphas.size(); ++i) {
      ExplainOptions walk = experiment.paper_mode(kAlphas.at(i));
      walk.max_neighbours = kind.max_neighbours;
      const bool search = part(kind.prefix + "alphas") && contains(options.alphas, walk.alpha);
      const bool standard = kind.max_neighbours > 0 && i == kDefaultAlpha && part("sampled");
      kind.walks.by_alpha.at(i) = experiment.sample(walk, search || standard);
    }
  }
  for (std::size_t i = 0; i < kAlphas.size(); ++i) {
    const auto rank = [](const Sample& s) { return std::pair(s.runs.size(), s.coverage().mean); };
    if (rank(out.full.by_alpha.at(i)) > rank(out.best_alpha())) out.best = i;
  }
  const ExplainOptions best = experiment.paper_mode(kAlphas.at(out.best));
  ExplainOptions earliest = best;
  earliest.ties = CandidateTies::kEarliest;
  out.earliest = experiment.sample(earliest, part("earliest"));
  ExplainOptions longer = best;
  longer.steps = options.longer_steps;
  out.longer = experiment.sample(longer, part("longer"));
  for (const Kind& kind : kinds) {
    ExplainOptions walk = best;
    walk.max_neighbours = kind.max_neighbours;
    ExplainOptions refined = walk;
    refined.refine = true;
    kind.walks.refined = experiment.sample(refined, part(kind.prefix + "refined"));
    std::array<ExplainOptions, 3> ablations{walk, walk, walk};
    ablations[0].reinforcement = false;
    ablations[1].importance = false;
    ablations[2].dynamic_teleport = false;
    for (std::size_t i = 0; i < ablations.size(); ++i) {
      kind.walks.ablations.at(i) =
          experiment.sample(ablations.at(i), part(kind.prefix + "ablations"));
    }
  }
  out.notes = experiment.notes();
  return out;
}

}  // namespace fewedits::bench
