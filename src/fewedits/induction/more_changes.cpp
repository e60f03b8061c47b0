// SPDX-License-Identifier: MIT
#include "fewedits/induction/more_changes.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "fewedits/induction/generalise.hpp"

namespace fewedits {
namespace {

double share_of(const RuleEntry& entry) {
  return static_cast<double>(entry.works) / static_cast<double>(entry.places);
}

/// One view's choice of whom to have children, and of which children to keep.
class Breeding {
 public:
  Breeding(std::size_t view, const PlaceTable& table, const std::vector<ViewSet>& known,
           const RuleViews& views, const MoreChangesOptions& options)
      : view_(view), table_(table), known_(known), views_(views), options_(options) {
    std::vector<double> best(table.graphs().size(), 0);
    for (std::size_t r = 0; r < table.rules().size(); ++r) {
      if (!known[r][view]) continue;
      for (const RuleEntry& entry : table.rules()[r].entries()) {
        best[entry.graph] = std::max(best[entry.graph], share_of(entry));
      }
    }
    in_need_.assign(best.size(), false);
    std::size_t count = 0;
    for (const std::uint32_t input : views.order()) {
      if (!views.has(view, input) || best[input] >= options.well_served) continue;
      in_need_[input] = true;
      if (count++ < options.sample) sample_.push_back(input);
    }
    if (count < least_support(options.min_support, views.num_inputs(view))) sample_.clear();
  }

  /// Some of the inputs that are not well served; empty: there are too few.
  [[nodiscard]] const std::vector<std::uint32_t>& sample() const { return sample_; }

  /// Rules of the table; they are noted as used.
  [[nodiscard]] std::vector<std::size_t> parents(std::vector<ViewSet>& used) const {
    if (sample_.empty()) return {};
    struct Ranked {
      double in_need = 0;
      double all = 0;  // what works elsewhere may, with more, work where nothing does yet
      std::size_t rule = 0;
    };
    std::vector<Ranked> ranked;
    for (std::size_t r = 0; r < table_.rules().size(); ++r) {
      if (!known_[r][view_] || used[r][view_]) continue;
      Ranked one{0, 0, r};
      for (const RuleEntry& entry : table_.rules()[r].entries()) {
        if (!views_.has(view_, entry.graph)) continue;
        one.all += share_of(entry);
        if (in_need_[entry.graph]) one.in_need += share_of(entry);
      }
      if (one.all > 0) ranked.push_back(one);
    }
    std::sort(ranked.begin(), ranked.end(), [&](const Ranked& a, const Ranked& b) {
      if (a.in_need != b.in_need) return a.in_need > b.in_need;
      return a.all != b.all ? a.all > b.all : rule(a.rule) < rule(b.rule);
    });
    if (ranked.size() > options_.parents) ranked.resize(options_.parents);
    std::vector<std::size_t> out;
    for (const Ranked& one : ranked) {
      used[one.rule][view_] = true;
      out.push_back(one.rule);
    }
    return out;
  }

 private:
  [[nodiscard]] const Rule& rule(std::size_t r) const { return table_.rules()[r].rule(); }

  std::size_t view_;
  const PlaceTable& table_;
  const std::vector<ViewSet>& known_;
  const RuleViews& views_;
  const MoreChangesOptions& options_;
  std::vector<bool> in_need_;
  std::vector<std::uint32_t> sample_;
};

class Variants {
 public:
  Variants(const Rule& rule, std::size_t num_labels, std::size_t num_edge_labels)
      : rule_(rule),
        num_labels_(static_cast<Label>(num_labels)),
        num_kinds_(static_cast<Label>(std::max<std::size_t>(1, num_edge_labels))) {}

  std::vector<Rule> all() {
    for (Node v = 0; v < rule_.size(); ++v) {
      if (rule_.nodes()[v].goes()) continue;
      add_leaves(v);
      add_labels(v);
      for (Node w = v + 1; w < rule_.size(); ++w) add_edges(v, w);
    }
    for (std::size_t e = 0; e < rule_.edges().size(); ++e) change_edge(e);
    std::sort(out_.begin(), out_.end());
    out_.erase(std::unique(out_.begin(), out_.end()), out_.end());
    return std::move(out_);
  }

 private:
  void note(const RuleDraft& draft) {
    if (draft.nodes.size() > Rule::kMostNodes) return;
    if (auto one = rule_of(draft)) out_.push_back(std::move(*one));
  }
  [[nodiscard]] RuleDraft start() const { return {rule_.nodes(), rule_.edges()}; }

  void add_leaves(Node v) {
    for (Label label = 0; label < num_labels_; ++label) {
      for (Label kind = 0; kind < num_kinds_; ++kind) {
        RuleDraft draft = start();
        const auto leaf = static_cast<Node>(draft.nodes.size());
        draft.nodes.push_back({kAbsent, label});
        draft.edges.push_back({v, leaf, kAbsent, kind});
        note(draft);
      }
    }
  }
  void add_labels(Node v) {
    const RuleNode& node = rule_.nodes()[v];
    if (node.comes() || node.changes()) return;
    for (Label label = 0; label < num_labels_; ++label) {
      if (label == node.before) continue;
      RuleDraft draft = start();
      draft.nodes[v].after = label;
      note(draft);
    }
  }
  void add_edges(Node v, Node w) {
    if (rule_.nodes()[w].goes()) return;
    const bool is_there = std::any_of(rule_.edges().begin(), rule_.edges().end(),
                                      [&](const RuleEdge& e) { return e.u == v && e.v == w; });
    if (is_there) return;
    for (Label kind = 0; kind < num_kinds_; ++kind) {
      RuleDraft draft = start();
      draft.edges.push_back({v, w, kAbsent, kind});
      note(draft);
    }
  }
  void change_edge(std::size_t e) {
    const RuleEdge& edge = rule_.edges()[e];
    if (edge.comes() || edge.changes()) return;
    RuleDraft draft = start();
    draft.edges[e].after = kAbsent;
    note(draft);
    for (Label kind = 0; kind < num_kinds_; ++kind) {
      if (kind == edge.before) continue;
      draft.edges[e].after = kind;
      note(draft);
    }
  }

  const Rule& rule_;
  Label num_labels_;
  Label num_kinds_;
  std::vector<Rule> out_;
};

}  // namespace

std::vector<Rule> with_one_change_more(const Rule& rule, std::size_t num_labels,
                                       std::size_t num_edge_labels) {
  return Variants(rule, num_labels, num_edge_labels).all();
}

std::vector<ViewedRule> rules_with_more_changes(const PlaceTable& table,
                                                const std::vector<ViewSet>& known,
                                                std::vector<ViewSet>& used, const RuleViews& views,
                                                const RuleMaterial& material, const RuleTask& task,
                                                const MoreChangesOptions& options,
                                                ThreadPool& pool) {
  std::vector<Breeding> breedings;
  std::map<std::size_t, ViewSet> parents;
  std::vector<std::uint32_t> sample;
  for (std::size_t v = 0; v < views.size(); ++v) {
    const Breeding& one = breedings.emplace_back(v, table, known, views, options);
    sample.insert(sample.end(), one.sample().begin(), one.sample().end());
    for (const std::size_t r : one.parents(used)) {
      parents.try_emplace(r, ViewSet(views.size(), false)).first->second[v] = true;
    }
  }
  std::sort(sample.begin(), sample.end());
  sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
  std::vector<ViewedRule> children;
  for (const auto& [r, of] : parents) {
    for (Rule& child : with_one_change_more(table.rules()[r].rule(), material.num_labels,
                                            material.num_edge_labels)) {
      children.push_back({std::move(child), of});
    }
  }
  children = merged(std::move(children));
  std::vector<Rule> rules;
  for (const ViewedRule& child : children) rules.push_back(child.rule);
  std::vector<Graph> graphs;
  for (const std::uint32_t input : sample) graphs.push_back(table.graphs()[input]);
  const RuleCounts counts = count_rules(rules, graphs, task, pool);

  std::vector<ViewedRule> out;
  for (std::size_t v = 0; v < views.size(); ++v) {
    std::vector<bool> counts_here(table.graphs().size(), false);
    for (const std::uint32_t input : breedings[v].sample()) counts_here[input] = true;
    std::vector<std::pair<double, std::size_t>> ranked;
    for (std::size_t c = 0; c < children.size(); ++c) {
      if (!children[c].views[v]) continue;
      double sum = 0;
      for (std::size_t i = 0; i < sample.size(); ++i) {
        if (counts_here[sample[i]]) sum += counts[c][i].share();
      }
      if (sum > 0) ranked.emplace_back(-sum, c);
    }
    std::sort(ranked.begin(), ranked.end());
    if (ranked.size() > options.children) ranked.resize(options.children);
    for (const auto& [rank, c] : ranked) out.push_back({rules[c], views.only(v)});
  }
  return merged(std::move(out));
}

}  // namespace fewedits
