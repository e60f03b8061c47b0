// SPDX-License-Identifier: MIT
#include "fewedits/induction/grow.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "fewedits/base/error.hpp"

namespace fewedits {
namespace {

/// One edge of context more: to a new node, or between two nodes of L.
struct Extension {
  Node from = 0;
  Node to = kNoNode;  ///< of the rule; kNoNode: a new one
  Label label = 0;    ///< of the new node
  Label edge_label = 0;
  friend auto operator<=>(const Extension&, const Extension&) = default;
};

bool has_edge(const Rule& rule, Node a, Node b) {
  return std::any_of(rule.edges().begin(), rule.edges().end(), [&](const RuleEdge& e) {
    return e.u == std::min(a, b) && e.v == std::max(a, b);
  });
}

std::vector<RuleEntry> chosen(const std::vector<RuleEntry>& entries,
                              const std::vector<bool>& counts) {
  std::vector<RuleEntry> out;
  for (const RuleEntry& entry : entries) {
    if (counts[entry.graph]) out.push_back(entry);
  }
  return out;
}

/// What a perfect context could add: the places that work could be all that are left.
double promise(const RuleCandidate& candidate) {
  double out = 0;
  for (const RuleEntry& e : candidate.entries) {
    if (e.works > 0) out += 1 - static_cast<double>(e.works) / static_cast<double>(e.places);
  }
  return out;
}

class Expansion {
 public:
  Expansion(const RuleCandidate& candidate, const PlaceTable& table)
      : candidate_(candidate),
        table_(table),
        core_(table.rules()[candidate.core]),
        matcher_(candidate.rule) {}

  std::vector<RuleCandidate> run(std::size_t min_support) {
    for (const RuleEntry& entry : candidate_.entries) {
      look_at(entry.graph);
      if (occurrences_ > kMostOccurrences) return {};
    }
    std::vector<RuleCandidate> out;
    for (auto& [extension, entries] : found_) {
      if (entries.size() < min_support) continue;
      out.push_back({extended(extension), candidate_.core, std::move(entries), false});
    }
    return out;
  }

 private:
  void look_at(std::uint32_t graph) {
    const auto& entries = core_.entries();
    while (entries[entry_].graph != graph) ++entry_;
    const Graph& g = table_.graphs()[graph];
    const auto twins = table_.twins(graph);
    seen_.clear();
    matcher_.visit(g, [&](const Image& image) {
      if (++occurrences_ > kMostOccurrences) return false;
      // The change is the core's, and its nodes have the same order up to a symmetry.
      const auto place = core_.find(entry_, matcher_.key_of(image, twins));
      if (place) note_around(g, image, *place);
      return true;
    });
    std::sort(seen_.begin(), seen_.end());
    seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
    for (const auto& [extension, place] : seen_) {
      auto& of = found_[extension];
      if (of.empty() || of.back().graph != graph) of.push_back({graph, 0, 0});
      ++of.back().places;
      of.back().works += core_.works(entry_, place) ? 1U : 0U;
    }
  }

  void note_around(const Graph& g, const Image& image, std::uint32_t place) {
    const Rule& rule = candidate_.rule;
    for (Node v = 0; v < rule.size(); ++v) {
      const RuleNode& node = rule.nodes()[v];
      if (node.comes() || node.goes()) continue;
      const auto row = g.neighbours(image[v]);
      const auto kinds = g.edge_labels(image[v]);
      for (std::size_t i = 0; i < row.size(); ++i) {
        Extension extension{v, kNoNode, 0, kinds.empty() ? 0 : kinds[i]};
        const auto at = std::find(image.begin(),
                                  image.begin() + static_cast<std::ptrdiff_t>(rule.size()), row[i]);
        if (at == image.begin() + static_cast<std::ptrdiff_t>(rule.size())) {
          if (rule.nodes_before() == Rule::kMostBefore || rule.size() == Rule::kMostNodes) continue;
          extension.label = g.label(row[i]);
        } else {
          extension.to = static_cast<Node>(at - image.begin());
          if (extension.to < v || rule.nodes()[extension.to].goes() ||
              has_edge(rule, v, extension.to)) {
            continue;
          }
        }
        seen_.emplace_back(extension, place);
      }
    }
  }

  [[nodiscard]] Rule extended(const Extension& extension) const {
    std::vector<RuleNode> nodes = candidate_.rule.nodes();
    std::vector<RuleEdge> edges = candidate_.rule.edges();
    Node to = extension.to;
    if (to == kNoNode) {
      to = static_cast<Node>(nodes.size());
      nodes.push_back({extension.label, extension.label});
    }
    edges.push_back({extension.from, to, extension.edge_label, extension.edge_label});
    return {std::move(nodes), std::move(edges)};
  }

  const RuleCandidate& candidate_;
  const PlaceTable& table_;
  const JudgedRule& core_;
  RuleMatcher matcher_;
  std::size_t entry_ = 0;
  std::size_t occurrences_ = 0;
  std::vector<std::pair<Extension, std::uint32_t>> seen_;
  std::map<Extension, std::vector<RuleEntry>> found_;
};

bool is_simpler(const RuleCandidate& a, const RuleCandidate& b) {
  const auto rank = [](const RuleCandidate& c) {
    return std::tuple(c.rule.nodes_before(), c.rule.cost(), c.rule.edges().size());
  };
  return rank(a) != rank(b) ? rank(a) < rank(b) : a.rule < b.rule;
}

}  // namespace

std::vector<RuleCandidate> with_one_edge_more(const RuleCandidate& candidate,
                                              const PlaceTable& table, std::size_t min_support) {
  return Expansion(candidate, table).run(min_support);
}

void GrowthMemory::expand(const std::vector<const RuleCandidate*>& parents, ThreadPool& pool) {
  std::vector<RuleCandidate> whole;
  for (const RuleCandidate* parent : parents) {
    if (children_.contains(parent->rule)) continue;
    const auto born = born_.find(parent->rule);
    if (born == born_.end()) {
      whole.push_back({parent->rule, parent->core, table_.rules()[parent->core].entries(), false});
    } else {
      whole.push_back(children_.at(born->second.first)[born->second.second]);
    }
  }
  std::vector<std::vector<RuleCandidate>> found(whole.size());
  pool.for_chunks(whole.size(), 1, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      found[i] = with_one_edge_more(whole[i], table_, min_support_);
    }
  });
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (std::size_t c = 0; c < found[i].size(); ++c) {
      born_.try_emplace(found[i][c].rule, whole[i].rule, c);
    }
    children_.emplace(whole[i].rule, std::move(found[i]));
  }
}

std::vector<RuleCandidate> grow_rules(GrowthMemory& memory, const std::vector<bool>& counts,
                                      const GrowOptions& options, ThreadPool& pool) {
  const PlaceTable& table = memory.table();
  std::vector<RuleCandidate> all;
  std::set<Rule> known;
  const auto add = [&](RuleCandidate candidate) {
    if (candidate.entries.size() < options.min_support) return;
    if (known.insert(candidate.rule).second) all.push_back(std::move(candidate));
  };
  for (std::size_t r = 0; r < table.rules().size(); ++r) {
    if (!options.without.empty() && options.without[r]) continue;
    const JudgedRule& rule = table.rules()[r];
    add({rule.rule(), r, chosen(rule.entries(), counts), false});
  }
  // Whatever order the table has them in: it may depend on rules that are left out.
  std::sort(all.begin(), all.end(), is_simpler);
  std::vector<double> promises;
  for (std::size_t done = 0; done < options.expansions;) {
    for (std::size_t i = promises.size(); i < all.size(); ++i) promises.push_back(promise(all[i]));
    std::vector<std::size_t> next;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].is_expanded && promises[i] > 0) next.push_back(i);
    }
    const std::size_t count = std::min({next.size(), options.at_a_time, options.expansions - done});
    if (count == 0) break;
    std::partial_sort(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(count), next.end(),
                      [&](std::size_t a, std::size_t b) {
                        return promises[a] != promises[b] ? promises[a] > promises[b] : a < b;
                      });
    std::vector<const RuleCandidate*> parents;
    for (std::size_t i = 0; i < count; ++i) {
      all[next[i]].is_expanded = true;
      parents.push_back(&all[next[i]]);
    }
    memory.expand(parents, pool);
    std::vector<Rule> rules;
    for (const RuleCandidate* parent : parents) rules.push_back(parent->rule);
    for (const Rule& rule : rules) {
      for (const RuleCandidate& child : memory.children(rule)) {
        add({child.rule, child.core, chosen(child.entries, counts), false});
      }
    }
    done += count;
  }
  std::sort(all.begin(), all.end(), is_simpler);
  return all;
}

}  // namespace fewedits
