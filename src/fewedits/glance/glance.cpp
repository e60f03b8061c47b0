// SPDX-License-Identifier: MIT
#include "fewedits/glance/glance.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/glance/opening.hpp"
#include "fewedits/glance/pattern_table.hpp"

namespace fewedits {
namespace {

/// Fewer graphs than that on one side, and nothing is said of patterns.
constexpr std::size_t kFewestGraphs = 20;
/// A pattern must be in so many graphs to be looked at.
constexpr std::size_t kFewestWithPattern = 10;
/// Patterns that are in nearly the same graphs as one that is listed are not listed.
constexpr double kNearlyTheSame = 0.8;
/// If fewer tell, some others are listed.
constexpr std::size_t kListedAnyway = 10;

class Whole {
 public:
  Whole(const GlanceMaterial& material, const GlanceOptions& options, ThreadPool& pool)
      : material_(material),
        options_(options),
        reader_(material.dataset, material.view),
        table_(reader_, rejected(), accepted(), least(), pool),
        quantile_(corrected_quantile(std::max<std::size_t>(1, table_.rows().size()))) {}

  Glance make() {
    out_.rejected = material_.rejected.size();
    out_.accepted = material_.accepted.size();
    out_.counterfactuals = material_.counterfactuals.size();
    out_.tried = table_.rows().size();
    std::vector<OpeningSentence> sentences =
        opening(material_, options_, reader_, table_, fitting_lists());
    list_patterns(sentences);
    count_in_counterfactuals();
    for (OpeningSentence& one : sentences) {
      if (one.row) {
        const auto at = std::find(listed_.begin(), listed_.end(), *one.row);
        one.sentence.pattern = static_cast<std::size_t>(at - listed_.begin());
      }
      out_.opening.push_back(std::move(one.sentence));
    }
    say_what_is_missing();
    return std::move(out_);
  }

 private:
  /// Where one side has too few graphs, the table stays empty.
  [[nodiscard]] bool has_enough() const {
    return material_.rejected.size() >= kFewestGraphs && material_.accepted.size() >= kFewestGraphs;
  }
  [[nodiscard]] std::span<const std::uint32_t> rejected() const {
    return has_enough() ? std::span(material_.rejected) : std::span<const std::uint32_t>{};
  }
  [[nodiscard]] std::span<const std::uint32_t> accepted() const {
    return has_enough() ? std::span(material_.accepted) : std::span<const std::uint32_t>{};
  }
  [[nodiscard]] std::size_t least() const {
    const auto smaller = std::min(material_.rejected.size(), material_.accepted.size());
    return std::max(
        kFewestWithPattern,
        static_cast<std::size_t>(std::ceil(options_.min_share * static_cast<double>(smaller))));
  }

  /// Rules are carried out on graphs as the view shows them: those of another view are left out.
  std::vector<std::size_t> fitting_lists() {
    std::vector<std::size_t> out;
    for (std::size_t l = 0; l < material_.rules.size(); ++l) {
      const RuleList& list = *material_.rules[l];
      if (list.edge_label_names != material_.view.edge_label_names() ||
          list.label_names != reader_.names().nodes) {
        out_.notes.emplace_back(
            "a list of rules has other labels than the graphs here, and is left out");
        continue;
      }
      if (!list.complete) {
        out_.notes.emplace_back("a search for rules was ended early: there may be better ones");
      }
      if (!list.held_out) {
        out_.notes.emplace_back(
            "a list of rules was not measured on inputs that it was not chosen on: the opening "
            "says nothing of its rules");
      }
      out.push_back(l);
    }
    return out;
  }

  /// Row numbers: what is spoken of, what tells, and a few others; those first that tell most.
  void list_patterns(const std::vector<OpeningSentence>& sentences) {
    const auto& rows = table_.rows();
    std::vector<double> margin;
    std::vector<double> difference;
    for (const PatternRow& row : rows) {
      const TwoShares shares = table_.shares(row);
      margin.push_back(shares.margin(quantile_));
      difference.push_back(std::abs(shares.difference()));
    }
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto tells_more = [&](std::size_t a, std::size_t b) {
      if (margin[a] != margin[b]) return margin[a] > margin[b];
      return difference[a] != difference[b] ? difference[a] > difference[b] : a < b;
    };
    std::sort(order.begin(), order.end(), tells_more);
    for (const OpeningSentence& one : sentences) {
      if (one.row && std::find(listed_.begin(), listed_.end(), *one.row) == listed_.end()) {
        listed_.push_back(*one.row);
      }
    }
    const std::size_t spoken_of = listed_.size();
    // Groups that tell have half of the places to themselves: they are what chemists know.
    for (const std::size_t row : order) {
      const bool is_group = rows[row].key.kind == PatternShare::Kind::kGroup;
      if (is_group && margin[row] > 0 && 2 * listed_.size() < options_.most) add(row, spoken_of);
    }
    for (const std::size_t row : order) {
      const std::size_t most = margin[row] > 0 ? options_.most : kListedAnyway;
      if (listed_.size() < most) add(row, spoken_of);
    }
    std::sort(listed_.begin(), listed_.end(), tells_more);
    for (const std::size_t row : listed_) out_.patterns.push_back(share_of(rows[row]));
  }

  /// Unless one is listed that is in nearly the same graphs; the first ones stay as they are, of
  /// others the simpler one does.
  void add(std::size_t row, std::size_t spoken_of) {
    const auto& rows = table_.rows();
    const auto same = std::find_if(listed_.begin(), listed_.end(), [&](std::size_t other) {
      return overlap(rows[row], rows[other]) >= kNearlyTheSame;
    });
    if (same == listed_.end()) {
      listed_.push_back(row);
    } else if (row < *same && same >= listed_.begin() + static_cast<std::ptrdiff_t>(spoken_of)) {
      *same = row;
    }
  }

  [[nodiscard]] PatternShare share_of(const PatternRow& row) const {
    const TwoShares shares = table_.shares(row);
    PatternShare out;
    out.kind = row.key.kind;
    out.name = reader_.name(row.key);
    out.text = reader_.text(row.key);
    out.pattern = reader_.pattern(row.key);
    out.example = row.example;
    out.counts = {shares.rejected, shares.accepted, std::nullopt};
    out.rejected = shares.among_rejected();
    out.accepted = shares.among_accepted();
    out.difference = shares.difference();
    out.interval = shares.interval(quantile_);
    out.tells = shares.margin(quantile_) > 0;
    return out;
  }

  void count_in_counterfactuals() {
    if (material_.counterfactuals.empty()) return;
    std::map<PatternKey, std::size_t> with;
    for (const Graph& graph : material_.counterfactuals) {
      for (const SeenPattern& seen : reader_.in_view(graph)) ++with[seen.key];
    }
    for (std::size_t i = 0; i < listed_.size(); ++i) {
      const PatternKey& key = table_.rows()[listed_[i]].key;
      if (key.kind == PatternShare::Kind::kGroup && !reader_.sees_groups_in_view()) continue;
      const auto found = with.find(key);
      const std::size_t count = found == with.end() ? 0 : found->second;
      out_.patterns[i].counts.counterfactuals = count;
      out_.patterns[i].counterfactuals =
          static_cast<double>(count) / static_cast<double>(material_.counterfactuals.size());
    }
  }

  void say_what_is_missing() {
    if (!has_enough()) {
      out_.notes.emplace_back(
          "fewer than 20 graphs are rejected, or accepted: too few to say what tells them apart");
    }
    if (!reader_.has_names()) {
      out_.notes.emplace_back(
          "labels have no names, and are shown as the values in the file: name them under "
          "\"node_labels\" in the dataset's metadata (fewedits.json beside the data)");
    }
    if (reader_.is_blind()) {
      out_.notes.emplace_back(
          "bonds are not known, so only groups are named that can be told without them: give the "
          "bonds names under \"edge_labels\" in the dataset's metadata");
    } else if (reader_.has_molecules() && !reader_.knows_groups()) {
      out_.notes.emplace_back(
          "some labels are no symbols of atoms, so functional groups are not named");
    }
    if (material_.rules.empty()) {
      out_.notes.emplace_back(
          "no rules were given: the opening says nothing of what changes the "
          "verdict");
    }
  }

  const GlanceMaterial& material_;
  const GlanceOptions& options_;
  PatternReader reader_;
  PatternTable table_;
  double quantile_;
  std::vector<std::size_t> listed_;
  Glance out_;
};

void check(const std::vector<std::uint32_t>& indices, std::size_t graphs) {
  if (std::any_of(indices.begin(), indices.end(), [&](std::uint32_t i) { return i >= graphs; })) {
    throw Error("a graph that is spoken of is not in the dataset",
                "give the dataset that was explained, read in the same way");
  }
}

}  // namespace

std::string_view name_of(GlanceSentence::Kind kind) {
  switch (kind) {
    case GlanceSentence::Kind::kPattern: return "pattern";
    case GlanceSentence::Kind::kRule: return "rule";
    case GlanceSentence::Kind::kShortcut: return "shortcut";
    case GlanceSentence::Kind::kFragile: return "fragile";
    case GlanceSentence::Kind::kNoRule: return "no rule";
    case GlanceSentence::Kind::kNothing: return "nothing";
  }
  return "";
}

std::string_view name_of(PatternShare::Kind kind) {
  switch (kind) {
    case PatternShare::Kind::kGroup: return "group";
    case PatternShare::Kind::kLabel: return "label";
    case PatternShare::Kind::kPath: return "path";
    case PatternShare::Kind::kStar: return "star";
    case PatternShare::Kind::kRing: return "ring";
    case PatternShare::Kind::kRingSize: return "ring size";
    case PatternShare::Kind::kDegree: return "degree";
  }
  return "";
}

Glance glance(const GlanceMaterial& material, const GlanceOptions& options, ThreadPool& pool) {
  check(material.rejected, material.dataset.size());
  check(material.accepted, material.dataset.size());
  return Whole(material, options, pool).make();
}

}  // namespace fewedits
