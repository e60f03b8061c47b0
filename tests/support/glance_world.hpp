// SPDX-License-Identifier: MIT
// A dataset, a model that somebody brings, and what a glance is made from: rules found and measured
// as the program does it. What is planted in the data stands in the tests alone.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fewedits/glance/glance.hpp"
#include "fewedits/induction/fragility.hpp"
#include "fewedits/induction/induce.hpp"
#include "fewedits/proof/edit_script.hpp"
#include "support/fake_classifier.hpp"

namespace fewedits::test {

/// Graphs whose labels are called A, B, …
inline Dataset lettered(std::vector<Graph> graphs, Label labels) {
  RawDataset raw;
  raw.name = "planted";
  raw.graphs = std::move(graphs);
  DatasetMetadata metadata;
  for (Label label = 0; label < labels; ++label) {
    raw.node_labels.push_back({label, std::to_string(label)});
    metadata.node_label_names[label] = std::string(1, static_cast<char>('A' + label));
  }
  return prepare(std::move(raw), std::move(metadata));
}

class GlanceWorld {
 public:
  GlanceWorld(Dataset dataset, bool bonds, const std::function<bool(const Graph&)>& accepts)
      : data(std::move(dataset)),
        view(bonds ? GraphView(data, true) : GraphView()),
        model(data.node_labels.size(), 2, [accepts](const Graph& g) {
          const double p = accepts(g) ? 0.9 : 0.1;
          return std::vector<double>{1 - p, p};
        }) {
    ThreadPool pool(1);
    std::vector<std::uint32_t> inputs;
    std::vector<std::uint32_t> accepted;
    for (std::uint32_t i = 0; i < data.size(); ++i) {
      const Graph seen = view(data.graphs[i]);
      const bool is = judge(std::span(&seen, 1), model, Goal(1), pool)[0].predicted;
      (is ? accepted : inputs).push_back(i);
    }
    material = rule_material(data, view, std::move(inputs), std::move(accepted));
  }
  GlanceWorld(const GlanceWorld&) = delete;
  GlanceWorld& operator=(const GlanceWorld&) = delete;

  [[nodiscard]] RuleTask task(double theta, bool plausible) const {
    Constraints constraints;
    constraints.connected = false;
    return {model, Goal(1, {kSafeLead, 0}),
            rule_limits(view, std::move(constraints), theta, plausible, material)};
  }

  /// With the names and the seed that a file of rules has.
  [[nodiscard]] RuleList rules(double theta, bool plausible, InduceOptions options,
                               ThreadPool& pool) const {
    RuleList out = induce(material, task(theta, plausible), options, pool);
    out.provenance.seed = options.seed;
    out.label_names = label_names(data).nodes;
    out.edge_label_names = view.edge_label_names();
    out.theta = theta;
    out.plausible = plausible;
    return out;
  }

  [[nodiscard]] FragilityFigures fragility(double theta, ThreadPool& pool) const {
    FragilityFigures out;
    for (const FragileGraph& one :
         fragile_graphs(material.inputs, false, material, task(theta, false), pool)) {
      ++out.graphs;
      out.one_step += one.fewest_known == 1 ? 1U : 0U;
    }
    return out;
  }

  [[nodiscard]] GlanceMaterial glance_material(std::vector<const RuleList*> lists = {}) const {
    GlanceMaterial out{data, view, material.inputs, material.accepted};
    out.rules = std::move(lists);
    return out;
  }

  Dataset data;
  GraphView view;
  FakeClassifier model;
  RuleMaterial material;
};

inline std::string text_of(const Glance& glance) {
  std::string out;
  for (const GlanceSentence& one : glance.opening) {
    out += "[" + std::string(name_of(one.kind)) + "] " + one.text + "\n";
  }
  return out;
}

}  // namespace fewedits::test
