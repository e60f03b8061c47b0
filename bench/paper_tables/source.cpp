// SPDX-License-Identifier: MIT
#include "source.hpp"

#include <algorithm>
#include <cmath>

#include "support/searches.hpp"

namespace fewedits::bench {
namespace {

std::optional<double> part_of(const Run& run, Part part) {
  const auto alike = [&](double MeasuredAlike::*what) -> std::optional<double> {
    if (!run.alike || !std::isfinite((*run.alike).*what)) return std::nullopt;
    return (*run.alike).*what;
  };
  switch (part) {
    case Part::kCoverage: return run.coverage;
    case Part::kCost: return std::isfinite(run.cost) ? std::optional(run.cost) : std::nullopt;
    case Part::kSeconds: return run.seconds;
    case Part::kSummarySeconds: return run.summary_seconds;
    case Part::kGreed: return alike(&MeasuredAlike::greed);
    case Part::kProven: return alike(&MeasuredAlike::proven);
    case Part::kPossible: return alike(&MeasuredAlike::possible);
    case Part::kProvenCost: return alike(&MeasuredAlike::cost);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Figure> figure_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  double squares = 0;
  for (const double value : values) squares += std::pow(value - sum / n, 2);
  return Figure{sum / n, n > 1 ? std::sqrt(squares / (n - 1)) : 0, values.size()};
}

Source::Source(const Settings& settings, const Records& records, const Optima& optima)
    : settings_(settings), records_(records), optima_(optima) {
  for (const PaperDataset& paper : kPaper) {
    methods_[paper.name] = methods_for(paper.name, settings);
  }
}

std::vector<RunName> Source::names(const std::string& dataset, const std::string& method) const {
  std::vector<RunName> out;
  for (const Method& m : methods_.at(dataset)) {
    if (m.key != method) continue;
    const std::vector<std::uint64_t> one{1};
    for (const std::uint64_t seed : m.random ? settings_.seeds : one) {
      out.push_back({dataset, name_of(m.options), seed});
    }
  }
  return out;
}

std::map<std::uint64_t, double> Source::by_seed(const std::string& dataset,
                                                const std::string& method, Part part) const {
  std::map<std::uint64_t, double> out;
  for (const RunName& name : names(dataset, method)) {
    const auto run = records_.runs.find(name);
    if (run == records_.runs.end()) continue;
    if (const auto value = part_of(run->second, part)) out[name.seed] = *value;
  }
  return out;
}

std::optional<Figure> Source::figure(const std::string& dataset, const std::string& method,
                                     Part part) const {
  std::vector<double> values;
  for (const auto& [seed, value] : by_seed(dataset, method, part)) values.push_back(value);
  return figure_of(values);
}

std::pair<std::optional<Figure>, std::optional<Figure>> Source::same_seeds(
    const std::string& dataset, const Asked& a, const Asked& b) const {
  const auto of_b = by_seed(dataset, b.method, b.part);
  std::vector<double> first;
  std::vector<double> second;
  for (const auto& [seed, value] : by_seed(dataset, a.method, a.part)) {
    const auto other = of_b.find(seed);
    if (other == of_b.end()) continue;
    first.push_back(value);
    second.push_back(other->second);
  }
  return {figure_of(first), figure_of(second)};
}

Source::Walked Source::walked(const std::string& dataset, const std::string& key) const {
  if (auto full = figure(dataset, key, Part::kCoverage)) return {full, false};
  return {figure(dataset, "sampled-" + key, Part::kCoverage), true};
}

const Run* Source::first_run(const std::string& dataset, const std::string& method) const {
  for (const RunName& name : names(dataset, method)) {
    if (const auto run = records_.runs.find(name); run != records_.runs.end()) return &run->second;
  }
  return nullptr;
}

std::optional<double> Source::seconds(const std::string& dataset, const std::string& method) const {
  const Run* run = first_run(dataset, method);
  return run != nullptr ? std::optional(run->seconds) : std::nullopt;
}

std::string Source::machine(const std::string& dataset, const std::string& method) const {
  const Run* run = first_run(dataset, method);
  if (run == nullptr) return "";
  return run->machine.empty() ? kOldMachine : run->machine;
}

std::optional<Figure> Source::fact(const std::string& dataset, const std::string& what) const {
  std::vector<double> values;
  for (const auto& [name, value] : records_.facts) {
    if (name.dataset == dataset && name.what == what) values.push_back(value);
  }
  return figure_of(values);
}

Points Source::curve(const std::string& dataset, const std::string& method,
                     const std::string& name) const {
  std::map<double, std::vector<double>> by_x;
  std::size_t runs = 0;
  for (const RunName& run : names(dataset, method)) {
    const auto found = records_.curves.find({run, name});
    if (found == records_.curves.end()) continue;
    ++runs;
    for (const auto& [x, y] : found->second) by_x[x].push_back(y);
  }
  Points out;
  for (const auto& [x, ys] : by_x) {
    if (ys.size() == runs) out.emplace_back(x, figure_of(ys)->mean);
  }
  return out;
}

std::size_t Source::curve_seeds(const std::string& dataset, const std::string& method,
                                const std::string& name) const {
  std::size_t out = 0;
  for (const RunName& run : names(dataset, method)) {
    out += records_.curves.contains({run, name}) ? 1U : 0U;
  }
  return out;
}

std::optional<TunedTrial> Source::tuned(const std::string& dataset,
                                        const std::string& method) const {
  for (const Method& m : methods_.at(dataset)) {
    if (m.key == method) return trial_of(records_.trials, dataset, method, m.options.local);
  }
  return std::nullopt;
}

Optima Source::optima(const std::string& dataset, const std::string& method) const {
  const std::vector<RunName> wanted = names(dataset, method);
  Optima out;
  for (const Optimum& o : optima_) {
    const RunName name{o.dataset, o.search, o.seed};
    if (std::find(wanted.begin(), wanted.end(), name) != wanted.end()) out.push_back(o);
  }
  return out;
}

std::vector<std::string> Source::notes() const {
  std::vector<std::string> out;
  for (const auto& [name, run] : records_.runs) {
    if (!run.note.empty()) out.push_back(run.note);
  }
  return out;
}

bool Source::knows(const std::string& method) const {
  return std::any_of(kPaper.begin(), kPaper.end(), [&](const PaperDataset& paper) {
    return figure(paper.name, method, Part::kCoverage).has_value();
  });
}

}  // namespace fewedits::bench
