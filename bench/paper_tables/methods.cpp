// SPDX-License-Identifier: MIT
#include "methods.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace fewedits::bench {
namespace {

class List {
 public:
  List(const std::string& dataset, const Settings& settings)
      : dataset_(dataset), settings_(settings) {}

  std::vector<Method> all() && {
    add_baselines();
    add_walks();
    add_certified();
    add_own();
    if (dataset_ == "AIDS") add_kernels();
    return std::move(out_);
  }

 private:
  [[nodiscard]] ExplainOptions plain() const {
    ExplainOptions options;
    options.distance_options.prove_work = settings_.prove_work;
    return options;
  }
  [[nodiscard]] ExplainOptions under_greed(bool refine) const {
    ExplainOptions options = plain();
    options.distance = "greed";
    options.steps = settings_.steps;
    options.refine = refine;
    if (refine) options.refine_work = settings_.refine_work;
    return options;
  }
  /// The paper's rule for graphs visited equally often is the first come.
  static ExplainOptions earliest(ExplainOptions options) {
    options.ties = CandidateTies::kEarliest;
    return options;
  }
  Method& add(std::string key, std::string part, ExplainOptions options) {
    return out_.emplace_back(Method{std::move(key), std::move(part), std::move(options)});
  }
  Method& add_main(std::string key, std::string part, ExplainOptions options) {
    Method& method = add(std::move(key), std::move(part), std::move(options));
    method.alike = true;
    method.curves = true;
    return method;
  }

  void add_baselines() {
    ExplainOptions options = under_greed(false);
    options.method = "ground-truth";
    Method& real = add_main("ground-truth-greed", "baselines", options);
    real.random = false;
    real.summary = true;
    options.distance = ExplainOptions{}.distance;
    add_main("ground-truth", "baselines", options).random = false;
    for (const char* method : {"cff", "rcexplainer"}) {
      ExplainOptions local = under_greed(false);
      const bool known = set_local_explainer(method, dataset_, settings_.tuning, local);
      Method& added = add_main(method, "baselines", local);
      added.summary = true;
      if (!known) added.lacks = fmt::format("a library with {}", method);
    }
  }

  void add_walks() {
    add("walk-by-coverage", "walk", under_greed(false));
    add_main("walk", "walk", earliest(under_greed(false))).summary = true;
    add_main("refined", "refined", under_greed(true));
    for (std::size_t i = 0; i < kAlphas.size(); ++i) {
      for (const bool sampled : {false, true}) add_variants(i, sampled);
    }
    // A minute and a half on AIDS, days elsewhere.
    if (dataset_ != "AIDS") return;
    ExplainOptions longer = under_greed(false);
    longer.steps = settings_.longer_steps;
    add("longer", "longer", longer);
  }
  void add_variants(std::size_t alpha, bool sampled) {
    ExplainOptions walk = under_greed(false);
    walk.alpha = kAlphas.at(alpha);
    walk.max_neighbours = sampled ? kPaperSample : 0;
    const std::string prefix = sampled ? "sampled-" : "";
    const bool standard = alpha == kDefaultAlpha;
    add(fmt::format("{}alpha-{}", prefix, alpha),
        sampled ? (standard ? "sampled" : "sampled-alphas") : "alphas", walk);
    if (!standard) return;
    std::array<ExplainOptions, 3> ablations{walk, walk, walk};
    ablations[0].reinforcement = false;
    ablations[1].importance = false;
    ablations[2].dynamic_teleport = false;
    for (std::size_t i = 0; i < ablations.size(); ++i) {
      add(fmt::format("{}ablation-{}", prefix, i), prefix + "ablations", ablations.at(i));
    }
    if (!sampled) return;
    ExplainOptions refined = walk;
    refined.refine = true;
    refined.refine_work = settings_.refine_work;
    add("sampled-refined", "sampled-refined", refined);
  }

  void add_certified() {
    ExplainOptions options = plain();
    options.refine_work = settings_.certified_work;
    add_main("certified", "certified", options);
    options.theta = kEditWalkTheta;
    options.fill = true;  // ten graphs, as the others have
    add_main("certified-theta", "certified-theta", options);
    ExplainOptions walk = plain();
    walk.refine = false;
    walk.steps = settings_.steps;
    add_main("certified-walk", "certified-walk", walk);
  }

  void add_own() {
    const auto model = settings_.own_models / (dataset_ + ".safetensors");
    for (const bool refine : {false, true}) {
      ExplainOptions options = under_greed(refine);
      options.distance_options.model = model.string();
      if (!refine) options.ties = CandidateTies::kEarliest;
      Method& added = add_main(refine ? "own-refined" : "own-walk", "own", options);
      if (!std::filesystem::exists(model)) {
        added.lacks = fmt::format("models in {}: make distances", settings_.own_models.string());
      }
    }
  }

  /// The same walk under each metric.
  void add_kernels() {
    for (const char* metric : kMetrics) {
      ExplainOptions options = plain();
      options.distance = metric;
      options.refine = false;
      options.steps = settings_.kernel_steps;
      const bool certified = options.distance == ExplainOptions{}.distance;
      add(fmt::format("kernel-{}", metric), "kernels", certified ? options : earliest(options));
    }
  }

  const std::string& dataset_;
  const Settings& settings_;
  std::vector<Method> out_;
};

}  // namespace

std::vector<Method> methods_for(const std::string& dataset, const Settings& settings) {
  return List(dataset, settings).all();
}

const std::vector<std::string>& part_names() {
  static const std::vector<std::string> names{"sizes",
                                              "baselines",
                                              "certified",
                                              "certified-theta",
                                              "kernels",
                                              "certified-walk",
                                              "walk",
                                              "refined",
                                              "own",
                                              "ablations",
                                              "alphas",
                                              "sampled",
                                              "longer",
                                              "sampled-alphas",
                                              "sampled-refined",
                                              "sampled-ablations"};
  return names;
}

}  // namespace fewedits::bench
