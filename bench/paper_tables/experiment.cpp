// SPDX-License-Identifier: MIT
#include "experiment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "agreement.hpp"
#include "fewedits/base/error.hpp"
#include "support/clock.hpp"
#include "support/yardstick.hpp"

namespace fewedits::bench {
namespace {

bool contains(const auto& list, const auto& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// Counterfactuals that the convergence is drawn for.
constexpr std::array<std::size_t, 4> kTracedK{1, 2, 5, 10};

Points by_k(const Metrics& metrics, double PrefixMetrics::*part) {
  Points out;
  for (const PrefixMetrics& m : metrics.by_k) {
    if (std::isfinite(m.*part)) out.emplace_back(m.k, m.*part);
  }
  return out;
}
Points by_theta(const Metrics& metrics) {
  Points out;
  for (const ThetaMetrics& m : metrics.by_theta) out.emplace_back(m.theta, m.coverage);
  return out;
}
Points convergence(const Explanation& explanation, std::size_t k) {
  Points out;
  for (const TracePoint& point : explanation.trace) {
    if (point.summary_coverage.size() >= k) {
      out.emplace_back(point.step, point.summary_coverage[k - 1]);
    }
  }
  return out;
}

/// What is needed of one dataset, opened once something is searched on it.
class Laboratory {
 public:
  Laboratory(const std::string& dataset, const ExperimentOptions& options, ThreadPool& pool)
      : models_(dataset),
        searches_(dataset, models_, options.folder, pool),
        pool_(pool),
        prove_work_(options.settings.prove_work) {}

  [[nodiscard]] const Published& models() const { return models_; }
  [[nodiscard]] const Searches& searches() const { return searches_; }
  Yardstick& yardstick() {
    if (!yardstick_) yardstick_ = std::make_unique<Yardstick>(models_, pool_, prove_work_);
    return *yardstick_;
  }

 private:
  Published models_;
  Searches searches_;
  ThreadPool& pool_;
  std::uint64_t prove_work_;
  std::unique_ptr<Yardstick> yardstick_;
};

std::vector<std::uint64_t> seeds_of(const Method& method, const Settings& settings) {
  return method.random ? settings.seeds : std::vector<std::uint64_t>{1};
}

/// With the figures that tables show.
bool is_shown(const Records& records, const RunName& name, const Method& method) {
  const auto run = records.runs.find(name);
  return run != records.runs.end() && (!method.alike || run->second.alike);
}

/// What "seconds" were measured on.
std::string this_machine(int threads) {
  std::string model = "unknown processor";
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    model = line.substr(std::min(line.size(), line.find(':') + 2));
    break;
  }
  return fmt::format("{}, {} of {} threads", model, threads, std::thread::hardware_concurrency());
}

class Experiment {
 public:
  Experiment(const ExperimentOptions& options, Records& records, const std::function<void()>& keep)
      : options_(options), records_(records), keep_(keep), pool_(options.threads) {}

  std::vector<std::string> run() && {
    note_sizes();
    for (const std::string& part : part_names()) {
      if (!contains(options_.parts, part)) continue;
      for (const std::string& dataset : options_.datasets) run_part(part, dataset);
      if (part == "kernels") compare_metrics();
    }
    return std::move(failed_);
  }

 private:
  void run_part(const std::string& part, const std::string& dataset) {
    for (const Method& method : methods_for(dataset, options_.settings)) {
      if (method.part != part || !method.lacks.empty()) continue;
      for (const std::uint64_t seed : seeds_of(method, options_.settings)) {
        run_one(dataset, method, seed);
      }
    }
  }

  void run_one(const std::string& dataset, const Method& method, std::uint64_t seed) {
    ExplainOptions options = method.options;
    options.seed = seed;
    const RunName name{dataset, name_of(options), seed};
    if (is_on_record(name, method)) return;
    if (is_over()) return;
    try {
      search(name, method, options);
    } catch (const Error& error) {
      // The others are worth their hours all the same.
      fmt::print(stderr, "{} {} seed {}: {}\n", dataset, name.search, seed, error.what());
      failed_.push_back(fmt::format("{} {} seed {} (it failed)", dataset, name.search, seed));
    }
  }
  void search(const RunName& name, const Method& method, const ExplainOptions& options) {
    const Found found = laboratory(name.dataset).searches().find(options, method.summary);
    note(name, found);
    if (method.curves) note_curves(name, found.explanation);
    if (method.alike) measure(name, name.dataset, found.explanation);
    keep_();
  }
  [[nodiscard]] bool is_on_record(const RunName& name, const Method& method) const {
    if (!is_shown(records_, name, method)) return false;
    if (method.summary && !records_.runs.at(name).summary_seconds) return false;
    if (!method.curves) return true;
    return records_.curves.contains({name, "coverage-k"}) &&
           (!method.alike || records_.curves.contains({name, "proven-coverage-k"}));
  }
  [[nodiscard]] bool is_over() const {
    return options_.minutes > 0 && seconds_since(start_) > 60 * options_.minutes;
  }

  void note(const RunName& name, const Found& found) {
    const Explanation& e = found.explanation;
    Run& run = records_.runs[name];
    run.coverage = 100 * e.metrics.coverage;
    run.cost = e.metrics.cost_median;
    run.seconds = e.seconds;
    if (found.is_new) run.machine = this_machine(pool_.size());
    run.note = found.note;
    if (found.pool) run.summary_seconds = found.pool->summary_seconds;
  }
  void note_curves(const RunName& name, const Explanation& e) {
    const auto put = [&](const std::string& curve, Points points) {
      if (!points.empty()) records_.curves[{name, curve}] = std::move(points);
    };
    put("coverage-k", by_k(e.metrics, &PrefixMetrics::coverage));
    put("cost-k", by_k(e.metrics, &PrefixMetrics::cost_median));
    put("coverage-theta", by_theta(e.metrics));
    for (const std::size_t k : kTracedK) {
      put(fmt::format("convergence-{}", k), convergence(e, k));
    }
  }
  void measure(const RunName& name, const std::string& dataset, const Explanation& e) {
    const Figures f = laboratory(dataset).yardstick().measure(e);
    fmt::print(stderr,
               "{} {}, seed {}: GREED claims {:.2f} %; certified {:.2f} to {:.2f} %, median "
               "{:.4f}\n",
               name.dataset, name.search, name.seed, f.claimed, f.proven, f.possible, f.cost);
    records_.runs[name].alike = {f.claimed, f.proven, f.possible, f.cost};
    records_.curves[{name, "proven-coverage-k"}] = by_k(f.by_proof, &PrefixMetrics::coverage);
    records_.curves[{name, "proven-cost-k"}] = by_k(f.by_proof, &PrefixMetrics::cost_median);
    records_.curves[{name, "proven-coverage-theta"}] = by_theta(f.by_proof);
  }

  /// Tables 1 and 3: what there is to know of data and published classifiers.
  void note_sizes() {
    for (const std::string& name : options_.datasets) {
      if (records_.facts.contains({name, "inputs", 0})) continue;
      const Published& models = laboratory(name).models();
      const Dataset& data = models.data;
      const auto put = [&](const char* what, double value) {
        records_.facts[{name, what, 0}] = value;
      };
      put("graphs", static_cast<double>(data.size()));
      put("nodes", static_cast<double>(data.total_nodes()));
      put("edges", static_cast<double>(data.total_edges()));
      put("labels", static_cast<double>(data.node_labels.size()));
      put("accuracy-published", predict(data, *models.classifier, pool_).accuracy.value());
      const auto judged = rejected_graphs(data, *models.classifier, pool_);
      put("inputs", static_cast<double>(judged.rejected.size()));
      keep_();
    }
  }

  /// Once all metrics have been walked under with a seed.
  void compare_metrics() {
    const std::string dataset = "AIDS";
    if (!contains(options_.datasets, dataset)) return;
    for (const std::uint64_t seed : options_.settings.seeds) {
      std::vector<MetricChoice> choices;
      for (const Method& method : methods_for(dataset, options_.settings)) {
        if (method.part != "kernels") continue;
        ExplainOptions options = method.options;
        options.seed = seed;
        if (auto found = laboratory(dataset).searches().known(options)) {
          choices.push_back({options.distance, std::move(found->explanation)});
        }
      }
      note_agreement(dataset, seed, choices, records_.facts);
      keep_();
    }
  }

  Laboratory& laboratory(const std::string& dataset) {
    auto& found = laboratories_[dataset];
    if (!found) found = std::make_unique<Laboratory>(dataset, options_, pool_);
    return *found;
  }

  const ExperimentOptions& options_;
  Records& records_;
  const std::function<void()>& keep_;
  ThreadPool pool_;
  Clock::time_point start_ = Clock::now();
  std::map<std::string, std::unique_ptr<Laboratory>> laboratories_;
  std::vector<std::string> failed_;
};

}  // namespace

std::vector<std::string> run_experiment(const ExperimentOptions& options, Records& records,
                                        const std::function<void()>& keep) {
  return Experiment(options, records, keep).run();
}

std::vector<std::string> missing_parts(const Settings& settings,
                                       const std::vector<std::string>& parts,
                                       const Records& records) {
  std::vector<std::string> out;
  for (const std::string& part : parts) {
    std::vector<std::string> where;
    std::string lacks;
    for (const PaperDataset& paper : kPaper) {
      std::set<std::uint64_t> seeds;
      std::size_t known = 0;
      for (const Method& method : methods_for(paper.name, settings)) {
        if (method.part != part) continue;
        for (const std::uint64_t seed : seeds_of(method, settings)) {
          if (is_shown(records, {paper.name, name_of(method.options), seed}, method)) {
            ++known;
            continue;
          }
          seeds.insert(seed);
          if (!method.lacks.empty()) lacks = method.lacks;
        }
      }
      if (seeds.empty()) continue;
      where.push_back(known == 0 ? paper.name
                                 : fmt::format("{} (seed {})", paper.name, fmt::join(seeds, ", ")));
    }
    if (where.empty()) continue;
    out.push_back(fmt::format("{}: {}{}", part, fmt::join(where, ", "),
                              lacks.empty() ? "" : fmt::format(" (needs {})", lacks)));
  }
  return out;
}

}  // namespace fewedits::bench
