// SPDX-License-Identifier: MIT
// Tables 1, 3, 4, 5 and 6.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "markdown.hpp"
#include "sections.hpp"

namespace fewedits::bench {
namespace {

constexpr std::array<const char*, 3> kAblations{"NVR, no reinforcement", "NIF, no importance",
                                                "NDT, uniform teleport"};

std::size_t usual(const Source& source) { return source.settings().seeds.size(); }

std::string sizes(const Source& source) {
  Table out("Table 1, datasets", "verdict");
  constexpr std::array<const char*, 4> kWhat{"graphs", "nodes", "edges", "labels"};
  for (std::size_t i = 0; i < kWhat.size(); ++i) {
    std::vector<Comparison> all;
    for (const PaperDataset& p : kPaper) {
      all.push_back({p.name, static_cast<double>(p.sizes.at(i)), source.fact(p.name, kWhat.at(i))});
    }
    const auto cell = [&](const PaperDataset& p) {
      return beside(figure_text(source.fact(p.name, kWhat.at(i)), 0, 1), p.sizes.at(i), 0);
    };
    out.row(kWhat.at(i), cell, verdict(all, {0, true, 0}));
  }
  return out.text();
}

/// Of all graphs, as the parts of the paper's split add up.
double accuracy_of_all(const PaperDataset& p) {
  return 0.8 * p.accuracies[0] + 0.1 * p.accuracies[1] + 0.1 * p.accuracies[2];
}

std::string accuracies(const Source& source) {
  Table out("Table 3, accuracy", "verdict");
  constexpr std::array<const char*, 3> kParts{"training", "validation", "testing"};
  const Rule rule{0.03, true, 4};
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    const std::string what = fmt::format("accuracy-{}", kParts.at(i));
    std::vector<Comparison> all;
    for (const PaperDataset& p : kPaper) {
      all.push_back({p.name, p.accuracies.at(i), source.fact(p.name, what)});
    }
    const auto cell = [&](const PaperDataset& p) {
      return beside(figure_text(source.fact(p.name, what), 4, usual(source)), p.accuracies.at(i),
                    4);
    };
    out.row(fmt::format("{}, trained here", kParts.at(i)), cell, verdict(all, rule));
  }
  std::vector<Comparison> all;
  for (const PaperDataset& p : kPaper) {
    all.push_back({p.name, accuracy_of_all(p), source.fact(p.name, "accuracy-published")});
  }
  const auto cell = [&](const PaperDataset& p) {
    return beside(figure_text(source.fact(p.name, "accuracy-published"), 4, 1), accuracy_of_all(p),
                  4);
  };
  out.row("all graphs, published weights (the paper's three parts, added up)", cell,
          verdict(all, {0.001, true, 4}));
  return out.text();
}

std::string text_of(const Source& source, const Source::Walked& ours) {
  return (ours.figure && ours.sampled ? "-S: " : "") + figure_text(ours.figure, 2, usual(source));
}

/// Does coverage fall without that part, by more than seeds differ?
std::string loss_verdict(const Source& source, const std::string& key) {
  std::vector<std::string> falls;
  std::vector<std::string> not_so;
  for (const PaperDataset& p : kPaper) {
    const auto without = source.walked(p.name, key);
    const auto with = source.figure(
        p.name, fmt::format("{}alpha-{}", without.sampled ? "sampled-" : "", kDefaultAlpha),
        Part::kCoverage);
    if (!without.figure || !with) continue;
    const double loss = with->mean - without.figure->mean;
    const double noise = std::max(with->deviation, without.figure->deviation);
    (loss > noise ? falls : not_so).push_back(p.name + " " + signed_text(-loss, 2));
  }
  if (falls.empty() && not_so.empty()) return kNone;
  if (not_so.empty()) return fmt::format("replicated: {}", fmt::join(falls, ", "));
  if (falls.empty()) return fmt::format("not replicated: {}", fmt::join(not_so, ", "));
  return fmt::format("on {}; not on {}", fmt::join(falls, ", "), fmt::join(not_so, ", "));
}

std::string ablations(const Source& source) {
  Table out("Table 4, coverage without a part, %", "does coverage fall, as in the paper?");
  for (std::size_t i = 0; i < kAblations.size(); ++i) {
    const std::string key = fmt::format("ablation-{}", i);
    const auto cell = [&](const PaperDataset& p) {
      return beside(text_of(source, source.walked(p.name, key)), p.ablations.at(i), 2);
    };
    out.row(kAblations.at(i), cell, loss_verdict(source, key));
  }
  const auto all = [&](const PaperDataset& p) {
    const auto ours = source.walked(p.name, fmt::format("alpha-{}", kDefaultAlpha));
    return beside(text_of(source, ours), p.gcfexplainer.coverage, 2);
  };
  return out.row("all parts", all).text();
}

std::string sensitivity(const Source& source) {
  Table out("Table 5, coverage by α, %", "verdict");
  for (std::size_t i = 0; i < kAlphas.size(); ++i) {
    const std::string key = fmt::format("alpha-{}", i);
    std::vector<Comparison> all;
    for (const PaperDataset& p : kPaper) {
      all.push_back({p.name, p.by_alpha.at(i), source.walked(p.name, key).figure});
    }
    const auto cell = [&](const PaperDataset& p) {
      return beside(text_of(source, source.walked(p.name, key)), p.by_alpha.at(i), 2);
    };
    out.row(fmt::format("α = {}", kAlphas.at(i)), cell, verdict(all, {1.0, true, 2}));
  }
  return out.text();
}

/// Of table 6.
constexpr std::array<std::array<const char*, 2>, 4> kTimed{
    {{"RCExplainer", "rcexplainer"},
     {"CFF", "cff"},
     {"GCFExplainer, the paper's walk", "alpha-1"},
     {"GCFExplainer-S", "sampled-alpha-1"}}};

std::string machines(const Source& source) {
  std::map<std::string, std::vector<std::string>> rows;  // by machine
  for (const auto& [title, method] : kTimed) {
    for (const PaperDataset& p : kPaper) {
      const std::string machine = source.machine(p.name, method);
      if (!machine.empty()) rows[machine].push_back(fmt::format("{} on {}", title, p.name));
    }
  }
  if (rows.empty()) return kNone;
  if (rows.size() == 1) return rows.begin()->first;
  std::vector<std::string> out;
  for (const auto& [machine, timed] : rows) {
    out.push_back(fmt::format("{} ({})", machine, fmt::join(timed, ", ")));
  }
  return fmt::format("{}", fmt::join(out, "; "));
}

std::string times(const Source& source) {
  Table out("Table 6, seconds of candidates", "times as fast, other hardware");
  for (std::size_t i = 0; i < kTimed.size(); ++i) {
    std::vector<double> factors;
    const bool is_walk = i >= 2;
    const bool comparable = !is_walk || source.settings().steps == kPaperSteps;
    for (const PaperDataset& p : kPaper) {
      if (!comparable) continue;
      const auto ours = source.seconds(p.name, kTimed.at(i)[1]);
      if (ours && *ours > 0) factors.push_back(p.seconds.at(i) / *ours);
    }
    const auto cell = [&](const PaperDataset& p) {
      const auto ours = source.seconds(p.name, kTimed.at(i)[1]);
      return beside(ours ? fmt::format("{:.{}f}", *ours, *ours < 10 ? 1 : 0) : kNone,
                    p.seconds.at(i), 0);
    };
    const auto range = std::minmax_element(factors.begin(), factors.end());
    out.row(kTimed.at(i)[0], cell,
            factors.empty() ? kNone : fmt::format("{:.0f} to {:.0f}", *range.first, *range.second));
  }
  return out.text();
}

}  // namespace

std::string paper_section(const Source& source) {
  return "\n## 4. The paper's other tables\n\n"
         "<details><summary>Tables 1, 3, 4, 5 and 6</summary>\n\n"
         "In brackets the published figure. Tables 4 and 5: of graphs visited equally often those "
         "that cover more go on; -S: at most 10,000 neighbours a step, where full walks are not on "
         "record. Table 6: the paper's on an RTX 2080; ours, of the first seed, on " +
         machines(source) +
         ", as recorded when it was searched; other work may have shared it.\n\n" + sizes(source) +
         "\n" + accuracies(source) + "\n" + ablations(source) + "\n" + sensitivity(source) + "\n" +
         times(source) + "\n</details>\n";
}

}  // namespace fewedits::bench
