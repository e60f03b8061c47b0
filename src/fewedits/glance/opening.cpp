// SPDX-License-Identifier: MIT
#include "fewedits/glance/opening.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "fewedits/glance/rule_effects.hpp"
#include "fewedits/rules/rule_reading.hpp"
#include "fewedits/rules/rule_words.hpp"

namespace fewedits {
namespace {

using Kind = GlanceSentence::Kind;

/// Of a pattern that is spoken of: how often it is where it is more frequent, and by how much.
constexpr double kLeastShare = 0.05;
constexpr std::size_t kLeastGraphs = 5;
constexpr double kLeastDifference = 0.1;
/// Of a rule that is spoken of: the share of inputs that it makes accepted.
constexpr double kLeastOfRule = 0.05;
/// From here on one step is enough for most.
constexpr double kMostAreFragile = 0.5;
/// Patterns may be asked about on the second half so often; its intervals are corrected for that.
constexpr std::size_t kAsked = 8;
constexpr std::size_t kMostPatterns = 2;
/// Random rules that do so well, for what chosen ones do, show that the choice does not matter.
constexpr double kNearlyAsGood = 0.8;
constexpr std::size_t kRulesLookedAt = 10;
/// Chemists know groups: the margin of any other pattern of a molecule counts so much.
constexpr double kGroupsFirst = 0.5;

/// Nothing is rounded to all or to none.
std::string percent(double share) {
  const double of_hundred = 100 * share;
  if (share > 0 && of_hundred < 1) return "less than 1 %";
  if (share < 1 && of_hundred > 99) return "more than 99 %";
  return fmt::format("{:.0f} %", of_hundred);
}

/// "attach X to Y and remove Z" as "attaching X to Y and removing Z".
std::string as_doing(const std::string& words) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kVerbs = {
      {{"attach", "attaching"},
       {"remove", "removing"},
       {"replace", "replacing"},
       {"turn", "turning"},
       {"relabel", "relabelling"},
       {"join", "joining"},
       {"cut", "cutting"},
       {"make", "making"}}};
  std::string out;
  std::size_t at = 0;
  while (at < words.size()) {
    const bool begins = at == 0 || (at >= 5 && words.compare(at - 5, 5, " and ") == 0);
    const auto verb = std::find_if(kVerbs.begin(), kVerbs.end(), [&](const auto& one) {
      return begins && words.compare(at, one.first.size() + 1, std::string(one.first) + " ") == 0;
    });
    if (verb != kVerbs.end()) {
      out += verb->second;
      at += verb->first.size();
    } else {
      out += words[at++];
    }
  }
  return out;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

/// A rule that may be spoken of.
struct RuleFact {
  std::size_t list = 0;
  std::size_t rule = 0;
  bool plausible = false;
  HeldOutRule figures;
  PatternMoves moves;
  RuleReading reading = RuleReading::kUnclear;
  std::string doing;  ///< "attaching sodium to an oxygen"
};

class Opening {
 public:
  Opening(const GlanceMaterial& material, const GlanceOptions& options, const PatternReader& reader,
          const PatternTable& table, const std::vector<std::size_t>& lists)
      : material_(material),
        reader_(reader),
        table_(table),
        lists_(lists),
        graphs_(reader.has_molecules() ? "molecules" : "graphs"),
        to_choose_(corrected_quantile(std::max<std::size_t>(1, table.rows().size()))),
        to_confirm_(corrected_quantile(kAsked)) {
    halve(options.seed);
    gather_rules();
  }

  std::vector<OpeningSentence> write() {
    say_patterns();
    if (out_.empty()) say_that_nothing_tells();
    if (auto last = about_rules()) {
      // A model that is fooled, or has learned a shortcut, is the first thing to know.
      out_.insert(is_fooled_ || comes_first_ ? out_.begin() : out_.end(), std::move(*last));
    }
    return std::move(out_);
  }

 private:
  void halve(std::uint64_t seed) {
    for (const std::size_t count : {table_.num_rejected(), table_.num_accepted()}) {
      for (const std::uint32_t half : fold_of_each(count, 2, seed)) {
        chosen_on_.push_back(half == 0);
        shown_on_.push_back(half == 1);
      }
    }
  }

  void gather_rules() {
    for (const std::size_t l : lists_) {
      const RuleList& list = *material_.rules[l];
      for (std::size_t r = 0; r < std::min(list.rules.size(), kRulesLookedAt); ++r) {
        const auto figures = held_out(list, r);
        if (!figures || figures->on_average < kLeastOfRule) continue;
        RuleFact fact;
        fact.list = l;
        fact.rule = r;
        fact.plausible = list.plausible;
        fact.figures = *figures;
        fact.moves = pattern_moves(list, r, material_.dataset, material_.view, reader_);
        fact.reading = reading_of(list.rules[r], list.inputs.size(), material_.accepted.size(),
                                  kPatternsOfARule * list.rules.size());
        fact.doing =
            as_doing(rule_words(list.rules[r].rule, list.names(), reader_.has_molecules()));
        facts_.push_back(std::move(fact));
      }
    }
    // Plausible ones first, then the best.
    std::stable_sort(facts_.begin(), facts_.end(), [](const RuleFact& a, const RuleFact& b) {
      return a.plausible != b.plausible ? a.plausible : a.figures.on_average > b.figures.on_average;
    });
  }

  /// Does the rule add the pattern, or take it away? Patterns in the same graphs stand for it:
  /// groups are not seen where bonds play no part.
  static bool moves(const RuleFact& fact, const PatternRow& row, bool added) {
    const auto is_moved = [&](const PatternKey& key) {
      return added ? fact.moves.adds(key) : fact.moves.takes_away(key);
    };
    return is_moved(row.key) || std::any_of(row.same.begin(), row.same.end(), is_moved);
  }

  // ---- Patterns

  [[nodiscard]] std::vector<bool> without(std::vector<bool> graphs,
                                          const std::vector<std::size_t>& rows) const {
    for (const std::size_t row : rows) {
      for (const std::uint32_t i : table_.rows()[row].graphs) graphs[i] = false;
    }
    return graphs;
  }

  /// Does it tell on the half that had no say, enough to be spoken of?
  [[nodiscard]] bool is_confirmed(const TwoShares& shown,
                                  double least_difference = kLeastDifference) const {
    const bool rejected = shown.difference() > 0;
    const std::size_t count = rejected ? shown.rejected : shown.accepted;
    const double share = rejected ? shown.among_rejected() : shown.among_accepted();
    return shown.margin(to_confirm_) > 0 && std::abs(shown.difference()) >= least_difference &&
           count >= kLeastGraphs && share >= kLeastShare;
  }

  /// The row that tells most among those graphs of the first half; groups before others.
  [[nodiscard]] std::optional<std::size_t> best_row(const std::vector<bool>& graphs) const {
    std::optional<std::size_t> best;
    double best_margin = 0;
    for (std::size_t row = 0; row < table_.rows().size(); ++row) {
      double margin = table_.shares(table_.rows()[row], graphs).margin(to_choose_);
      if (table_.rows()[row].key.kind != PatternShare::Kind::kGroup && reader_.knows_groups()) {
        margin *= kGroupsFirst;
      }
      if (margin > best_margin + 1e-12) {
        best = row;
        best_margin = margin;
      }
    }
    return best;
  }

  void say_patterns() {
    std::vector<std::size_t> said;
    while (said.size() < kMostPatterns) {
      // What the patterns so far explain is left out: the next one tells something else.
      const auto row = best_row(without(chosen_on_, said));
      if (!row || !is_confirmed(table_.shares(table_.rows()[*row], without(shown_on_, said)))) {
        return;
      }
      const TwoShares shown = table_.shares(table_.rows()[*row], shown_on_);
      if (!is_confirmed(shown)) return;
      out_.push_back(pattern_sentence(*row, shown));
      said.push_back(*row);
    }
  }

  [[nodiscard]] std::vector<GlanceFigure> figures_of(const std::string& name,
                                                     const TwoShares& shown) const {
    const auto about = [&](const char* kind) {
      return fmt::format("{} {} with: {}", kind, graphs_, name);
    };
    return {{about("rejected"), shown.among_rejected(), shown.of_rejected,
             interval_of(shown.among_rejected(), shown.of_rejected)},
            {about("accepted"), shown.among_accepted(), shown.of_accepted,
             interval_of(shown.among_accepted(), shown.of_accepted)}};
  }
  void add_rule(const RuleFact& fact, GlanceSentence& sentence) const {
    sentence.list = fact.list;
    sentence.rule = fact.rule;
    sentence.figures.push_back(
        {fmt::format("rejected {} that become accepted by {}, mean over the places", graphs_,
                     fact.doing),
         fact.figures.on_average, fact.figures.inputs,
         interval_of(fact.figures.on_average, fact.figures.inputs)});
  }

  [[nodiscard]] OpeningSentence pattern_sentence(std::size_t row, const TwoShares& shown) {
    const PatternKey& key = table_.rows()[row].key;
    GlanceSentence out;
    out.kind = Kind::kPattern;
    out.figures = figures_of(reader_.name(key), shown);
    out.text =
        fmt::format("{}: in {} of rejected and {} of accepted {}", reader_.subject(key),
                    percent(shown.among_rejected()), percent(shown.among_accepted()), graphs_);
    const bool of_rejected = shown.difference() > 0;
    const auto fact = std::find_if(facts_.begin(), facts_.end(), [&](const RuleFact& one) {
      return moves(one, table_.rows()[row], !of_rejected);
    });
    if (fact != facts_.end()) {
      add_rule(*fact, out);
      told_.emplace_back(fact->list, fact->rule);
      out.text += fmt::format("; {} makes {} of the rejected ones accepted, checked one by one",
                              fact->doing, percent(fact->figures.on_average));
      if (!of_rejected) {
        out.kind = Kind::kShortcut;
        out.text += ": it adds what accepted ones have, a cause or a learned shortcut";
      }
    }
    out.text += ".";
    return {std::move(out), row};
  }

  void say_that_nothing_tells() {
    if (table_.num_rejected() == 0) {
      out_.push_back({{Kind::kNothing,
                       fmt::format("Too few {} are rejected, or accepted, to say what tells them "
                                   "apart.",
                                   graphs_),
                       {}},
                      std::nullopt});
      return;
    }
    const double all = corrected_quantile(std::max<std::size_t>(1, table_.rows().size()));
    const bool some = std::any_of(table_.rows().begin(), table_.rows().end(), [&](const auto& row) {
      return table_.shares(row).margin(all) > 0;
    });
    GlanceSentence out;
    out.kind = Kind::kNothing;
    const std::string what = reader_.knows_groups() ? "group or small pattern" : "small pattern";
    out.text = some ? fmt::format(
                          "No {} tells rejected from accepted {} so well that it holds on "
                          "both halves of the data ({} tried).",
                          what, graphs_, table_.rows().size())
                    : fmt::format("No {} tells rejected from accepted {} beyond chance ({} tried).",
                                  what, graphs_, table_.rows().size());
    out_.push_back({std::move(out), std::nullopt});
  }

  // ---- Rules

  /// Does the rule's list do better than random rules on inputs that it was not chosen on?
  [[nodiscard]] bool beats_chance(const RuleFact& fact) const {
    const RuleList& list = *material_.rules[fact.list];
    if (!list.held_out || !list.baselines) return false;
    return interval_of(list.held_out->figures.on_average, list.inputs.size()).low >
           list.baselines->random_rules.on_average;
  }
  /// Were rules held against random ones, and these do nearly as well?
  [[nodiscard]] bool is_chance() const {
    return std::any_of(facts_.begin(), facts_.end(), [&](const RuleFact& fact) {
      const RuleList& list = *material_.rules[fact.list];
      return list.held_out && list.baselines &&
             list.baselines->random_rules.on_average >=
                 kNearlyAsGood * list.held_out->figures.on_average;
    });
  }
  /// The best rule, whether or not it is plausible.
  [[nodiscard]] const RuleFact* best_fact() const {
    const RuleFact* best = nullptr;
    for (const RuleFact& fact : facts_) {
      if (best == nullptr || fact.figures.on_average > best->figures.on_average) best = &fact;
    }
    return best;
  }
  [[nodiscard]] bool is_told(const RuleFact& fact) const {
    return std::find(told_.begin(), told_.end(), std::pair(fact.list, fact.rule)) != told_.end();
  }

  /// Is what it makes in hardly any accepted graph?
  [[nodiscard]] bool is_unseen(const RuleFact& fact) const {
    const auto& right = material_.rules[fact.list]->rules[fact.rule].right;
    return right && static_cast<double>(right->accepted) <
                        kSeldomAccepted * static_cast<double>(material_.accepted.size());
  }

  /// A pattern that accepted graphs have more often and that the rule adds, or that rejected ones
  /// have and it takes away; chosen and confirmed like any other.
  [[nodiscard]] std::optional<std::size_t> mark_of(const RuleFact& fact, bool added) const {
    const auto is_strong = [](const TwoShares& shares) {
      return shares.among_accepted() >= kStrongMark * shares.among_rejected();
    };
    // What many graphs of both kinds have is no mark in a place where none has it.
    const bool must_be_strong = added && is_unseen(fact);
    std::optional<std::size_t> best;
    double best_margin = 0;
    for (std::size_t row = 0; row < table_.rows().size(); ++row) {
      const PatternRow& is = table_.rows()[row];
      if (!moves(fact, is, added)) continue;
      const TwoShares chosen = table_.shares(is, chosen_on_);
      if ((chosen.difference() < 0) != added) continue;
      if (must_be_strong && !is_strong(chosen)) continue;
      const double margin = chosen.margin(to_choose_);
      if (margin > best_margin + 1e-12) {
        best = row;
        best_margin = margin;
      }
    }
    if (!best) return best;
    const TwoShares shown = table_.shares(table_.rows()[*best], shown_on_);
    const bool is_strongly_added = added && is_strong(shown);
    if ((must_be_strong && !is_strongly_added) ||
        !is_confirmed(shown, is_strongly_added ? 0 : kLeastDifference)) {
      best.reset();
    }
    return best;
  }

  [[nodiscard]] std::optional<OpeningSentence> about_rules() {
    const RuleFact* best = best_fact();
    if (best != nullptr && !is_told(*best) && beats_chance(*best)) {
      for (const bool added : {true, false}) {
        if (auto row = mark_of(*best, added)) return mark_sentence(*best, *row, added);
      }
      return is_fragile() ? fooled_sentence(best) : rule_sentence(*best);
    }
    if (is_fragile()) return fooled_sentence(nullptr);
    return no_rule_sentence();
  }

  [[nodiscard]] OpeningSentence mark_sentence(const RuleFact& fact, std::size_t row, bool added) {
    const PatternKey& key = table_.rows()[row].key;
    const TwoShares shown = table_.shares(table_.rows()[row], shown_on_);
    GlanceSentence out;
    out.kind = added ? Kind::kShortcut : Kind::kRule;
    add_rule(fact, out);
    for (GlanceFigure& figure : figures_of(reader_.name(key), shown)) {
      out.figures.push_back(std::move(figure));
    }
    const std::string where =
        fmt::format("{}, in {} of rejected and {} of accepted ones", reader_.name(key),
                    percent(shown.among_rejected()), percent(shown.among_accepted()));
    out.text =
        fmt::format("{} makes {} of the rejected {} accepted, checked one by one: ",
                    capitalised(fact.doing), percent(fact.figures.on_average), graphs_) +
        (added ? fmt::format("it adds what accepted ones have ({}), a cause or a learned shortcut.",
                             where)
               : fmt::format("it takes away what rejected ones have ({}).", where));
    if (is_fragile()) {
      add_fragility(out);
      out.text.pop_back();
      out.text +=
          fmt::format("; one step of some kind is enough for {}.", percent(share_of_fragile()));
    }
    comes_first_ = added && fact.figures.on_average >= kMostAreFragile;
    return {std::move(out), row};
  }

  [[nodiscard]] std::string reading_words(const RuleFact& fact) const {
    return is_unseen(fact) ? fmt::format("hardly any accepted {} has what this makes",
                                         graphs_.substr(0, graphs_.size() - 1))
                           : fmt::format("it touches nothing that tells the {} apart", graphs_);
  }

  [[nodiscard]] OpeningSentence rule_sentence(const RuleFact& fact) {
    GlanceSentence out;
    out.kind = Kind::kRule;
    add_rule(fact, out);
    out.text = fmt::format("{} makes {} of the rejected {} accepted, checked one by one",
                           capitalised(fact.doing), percent(fact.figures.on_average), graphs_);
    if (is_odd(fact)) {
      is_fooled_ = fact.figures.on_average >= kMostAreFragile;
      out.text +=
          fmt::format("{}{}", is_fooled_ ? ": this model is easily fooled, as " : ", though ",
                      reading_words(fact));
    }
    out.text += ".";
    return {std::move(out), std::nullopt};
  }
  /// Of a rule without a mark.
  [[nodiscard]] bool is_odd(const RuleFact& fact) const {
    return is_unseen(fact) || fact.reading == RuleReading::kUnclear;
  }

  /// Is one step known to be enough for most?
  [[nodiscard]] bool is_fragile() const {
    return material_.fragility && material_.fragility->graphs > 0 &&
           share_of_fragile() >= kMostAreFragile;
  }
  [[nodiscard]] double share_of_fragile() const {
    return static_cast<double>(material_.fragility->one_step) /
           static_cast<double>(material_.fragility->graphs);
  }
  void add_fragility(GlanceSentence& sentence) const {
    sentence.figures.push_back(
        {fmt::format("rejected {} for which one step is enough, all steps tried", graphs_),
         share_of_fragile(), material_.fragility->graphs,
         interval_of(share_of_fragile(), material_.fragility->graphs)});
  }

  /// `fact`: the best rule, if it may be spoken of.
  [[nodiscard]] OpeningSentence fooled_sentence(const RuleFact* fact) {
    GlanceSentence out;
    out.kind = Kind::kFragile;
    add_fragility(out);
    out.text = fmt::format("One step is enough for {} of the rejected {}",
                           percent(share_of_fragile()), graphs_);
    // Where a sentence before has said why, one step is no sign of a fool.
    const bool has_cause = !told_.empty();
    if (fact != nullptr) {
      add_rule(*fact, out);
      is_fooled_ = is_odd(*fact);
      if (fact->figures.on_average > share_of_fragile()) {
        // The rule is no single step: it comes first.
        out.text = fmt::format(
            "{} makes {} of the rejected {} accepted, checked one by one, and "
            "one step of some kind is enough for {}",
            capitalised(fact->doing), percent(fact->figures.on_average), graphs_,
            percent(share_of_fragile()));
      } else {
        // Which may take more than one step.
        out.text += fmt::format("; {} makes {} of them accepted", fact->doing,
                                percent(fact->figures.on_average));
      }
      if (is_fooled_) {
        out.text += fmt::format(": this model is easily fooled, as {}", reading_words(*fact));
      }
    } else if (!has_cause && is_chance()) {
      is_fooled_ = true;
      out.text +=
          ", and random rules do nearly as well as chosen ones: this model is easily fooled";
    }
    out.text += ".";
    return {std::move(out), std::nullopt};
  }

  [[nodiscard]] std::optional<OpeningSentence> no_rule_sentence() const {
    if (lists_.empty()) return std::nullopt;
    double most = 0;
    const RuleList* least_asked = nullptr;
    for (const std::size_t l : lists_) {
      const RuleList& list = *material_.rules[l];
      if (!list.complete || list.inputs.empty()) return std::nullopt;
      const RuleFigures figures = list.held_out ? list.held_out->figures : list.figures();
      most = std::max(most, figures.on_average);
      if (least_asked == nullptr || list.inputs.size() < least_asked->inputs.size()) {
        least_asked = &list;
      }
    }
    if (most >= kLeastOfRule) return std::nullopt;
    GlanceSentence out;
    out.kind = Kind::kNoRule;
    out.figures.push_back({fmt::format("rejected {} that short rules make accepted", graphs_), most,
                           least_asked->inputs.size(),
                           interval_of(most, least_asked->inputs.size())});
    out.text =
        fmt::format("No short rule: within theta = {} no few rewrites were found that make more ",
                    least_asked->theta) +
        fmt::format("than {} of the rejected {} accepted", percent(most), graphs_);
    if (material_.fragility && material_.fragility->graphs > 0) {
      add_fragility(out);
      out.text += fmt::format(", and one step is enough for {}", percent(share_of_fragile()));
    }
    out.text += ".";
    return OpeningSentence{std::move(out), std::nullopt};
  }

  const GlanceMaterial& material_;
  const PatternReader& reader_;
  const PatternTable& table_;
  const std::vector<std::size_t>& lists_;
  std::string graphs_;
  double to_choose_;
  double to_confirm_;
  std::vector<bool> chosen_on_;  ///< by place in the table
  std::vector<bool> shown_on_;
  std::vector<RuleFact> facts_;
  std::vector<std::pair<std::size_t, std::size_t>> told_;  ///< rules, by list and place
  bool is_fooled_ = false;
  bool comes_first_ = false;
  std::vector<OpeningSentence> out_;
};

}  // namespace

std::vector<OpeningSentence> opening(const GlanceMaterial& material, const GlanceOptions& options,
                                     const PatternReader& reader, const PatternTable& table,
                                     const std::vector<std::size_t>& lists) {
  return Opening(material, options, reader, table, lists).write();
}

}  // namespace fewedits
