// SPDX-License-Identifier: MIT
#include "fewedits/search/climb/certified_search.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "fewedits/cover/greedy.hpp"

namespace fewedits {
namespace {

constexpr std::uint64_t kParts = 3;   ///< searches of their own, before the first that goes on
constexpr double kPartShare = 0.15;   ///< of the work
constexpr double kClimbShare = 0.95;  ///< the rest is for a last look at what was found
constexpr std::uint64_t kSaves = 16;
constexpr std::size_t kFound = 20'000;  ///< graphs that are kept for later searches

/// Some searches of their own, then one that goes on with what all of them found; when that one
/// comes to nothing for a while, another of its own, and so on.
class Portfolio {
 public:
  Portfolio(std::span<const Candidate> chosen, std::span<const Candidate> pool, std::size_t k,
            const SearchSpace& space, ThreadPool& threads, const CertifiedHooks& hooks)
      : k_(k),
        space_(space),
        threads_(threads),
        hooks_(hooks),
        share_(static_cast<std::uint64_t>(kPartShare * static_cast<double>(work()))),
        start_(space.inputs.size()),
        found_(space.inputs.size()) {
    for (const Candidate& c : pool) start_.add(c);
    for (const Candidate& c : chosen) {
      const std::size_t at = start_.add(c);
      if (std::find(start_set_.begin(), start_set_.end(), at) == start_set_.end()) {
        start_set_.push_back(at);
      }
    }
    found_ = start_;
    best_ = start_set_;
    most_ever_ = found_.covered(best_);
  }

  CertifiedResult run() {
    try {
      search();
    } catch (const Stopped&) {
      stopped_ = true;
      if (search_) finish();
    }
    Rng rng(space_.options.seed);
    fill_up(found_.table(), best_, k_, &rng);
    std::vector<Candidate> out;
    for (const std::size_t c : best_) out.push_back(found_[c]);
    return {std::move(out), ended(), shortlist()};
  }

 private:
  void search() {
    if (hooks_.resume != nullptr) go_on_from(*hooks_.resume);
    while (spent_ + share_ / 2 < work() && !stopped_ && !is_settled()) {
      is_pooled() ? go_on_with_all() : begin_anew();
      // Nothing that the model accepts was ever met: it will not be.
      if (found_.size() == 0) break;
    }
    // A last look at what all searches found, unless it was just taken.
    const bool taken = part_ > kParts && (part_ - 1 - kParts) % 2 == 0;
    if (is_settled() && !all_covered() && !taken && !stopped_) go_on_with_all();
  }

  /// Set after set, each of what those before it left over.
  [[nodiscard]] std::vector<Candidate> shortlist() const {
    const std::size_t most = space_.options.shortlist;
    std::vector<Candidate> out;
    if (most == 0) return out;
    std::vector<std::vector<std::uint32_t>> covers;
    for (std::size_t c = 0; c < found_.size(); ++c) covers.push_back(found_[c].covers);
    for (const std::size_t c : best_) covers[c].clear();
    for (bool any = true; any && out.size() < most;) {
      any = false;
      for (const Pick& p : greedy_summary(covers, space_.inputs.size(), k_)) {
        if (p.gain == 0 || out.size() == most) break;
        out.push_back(found_[p.candidate]);
        covers[p.candidate].clear();
        any = true;
      }
    }
    return out;
  }

  [[nodiscard]] bool all_covered() const { return most_ever_ == space_.inputs.size(); }
  /// Nothing is to be gained, or was for a long time.
  [[nodiscard]] bool is_settled() const {
    const double patience = space_.options.patience * static_cast<double>(work());
    return all_covered() || (patience > 0 && static_cast<double>(now_ - last_gain_) >= patience);
  }
  [[nodiscard]] RunEnd ended() const {
    if (all_covered()) return RunEnd::kAllCovered;
    return is_settled() || found_.size() == 0 ? RunEnd::kConverged : RunEnd::kWorkDone;
  }
  void note_gain(std::size_t covered) {
    if (covered <= most_ever_) return;
    most_ever_ = covered;
    last_gain_ = now_;
  }

  [[nodiscard]] std::uint64_t work() const { return space_.options.work; }
  [[nodiscard]] bool is_pooled() const { return part_ >= kParts && (part_ - kParts) % 2 == 0; }

  void begin_anew() {
    search_.emplace(start_, start_set_, k_, space_, threads_, part_);
    advance();
  }

  void go_on_with_all() {
    search_.emplace(found_, best_, k_, space_, threads_, part_);
    search_->choose_again();
    search_->reconsider(SolutionSearch::Care::kMeasure, [&] { return go_on(); });
    advance();
  }

  void go_on_from(const CertifiedSearchState& state) {
    part_ = state.part;
    spent_ = state.spent;
    most_ = state.most;
    last_rise_ = state.last_rise;
    most_ever_ = state.most_ever;
    last_gain_ = state.last_gain;
    found_ = state.found;
    best_ = state.best;
    SolutionSearchState search = state.search;
    cut_down(found_.table(), best_, k_);  // there may have been more to choose then
    cut_down(search.archive.table(), search.incumbent, k_);
    search_.emplace(std::move(search), k_, space_, threads_, part_);
    advance();
  }

  /// A search of its own: its share. The one that goes on: until nothing came of a share, if enough
  /// is left for others.
  [[nodiscard]] bool is_over() const {
    if (!is_pooled()) return now_ >= std::min(work(), spent_ + share_);
    const auto for_climbs = static_cast<std::uint64_t>(kClimbShare * static_cast<double>(work()));
    return now_ >= for_climbs || (now_ - last_rise_ > share_ && now_ + 2 * share_ < work());
  }

  /// The search at hand to its end.
  void advance() {
    now_ = spent_ + search_->work();
    while (go_on() && !is_over() && !is_settled()) {
      if (search_->set().covered() > most_) {
        most_ = search_->set().covered();
        last_rise_ = now_;
      }
      search_->round([&] { return go_on(); });
      const std::uint64_t then = std::exchange(now_, spent_ + search_->work());
      note_gain(search_->set().covered());
      if (!stopped_ && now_ / save_every() > then / save_every()) save();
    }
    if (is_pooled() && !all_covered()) {
      for (int again = 0; again < 2 && !stopped_; ++again) {
        search_->reconsider(SolutionSearch::Care::kMeasure, [&] { return go_on(); });
      }
    }
    finish();
  }

  bool go_on() {
    if (!hooks_.go_on) return true;
    const std::size_t covered = std::max(found_.covered(best_), search_->set().covered());
    stopped_ = stopped_ || !hooks_.go_on({now_, work(), covered});
    return !stopped_;
  }

  [[nodiscard]] std::uint64_t save_every() const {
    return std::max<std::uint64_t>(1, work() / kSaves);
  }
  /// Whether or not anyone takes the state: a search that is resumed from it must not differ.
  void save() {
    search_->forget_maps();
    if (!hooks_.save) return;
    hooks_.save({part_, spent_, most_, last_rise_, most_ever_, last_gain_, found_, best_,
                 search_->state()});
  }

  void finish() {
    spent_ += search_->work();
    now_ = spent_;
    note_gain(search_->set().covered());
    const std::size_t before = found_.covered(best_);
    found_.add_all(search_->archive());
    if (search_->set().covered() > before) {
      best_.clear();
      for (std::size_t s = 0; s < search_->set().size(); ++s) {
        best_.push_back(found_.add(search_->set()[s]));
      }
    }
    found_.shrink(kFound, best_);
    search_.reset();
    ++part_;
    most_ = 0;
    last_rise_ = spent_;
  }

  std::size_t k_;
  const SearchSpace& space_;
  ThreadPool& threads_;
  const CertifiedHooks& hooks_;
  std::uint64_t share_;
  CandidateArchive start_;  ///< what searches of their own begin with
  SolutionSet start_set_;
  CandidateArchive found_;  ///< by all searches that are over
  SolutionSet best_;        ///< of it
  std::optional<SolutionSearch> search_;
  std::uint64_t part_ = 0;
  std::uint64_t spent_ = 0;      ///< by searches that are over
  std::uint64_t now_ = 0;        ///< work when the last round was over
  std::size_t most_ = 0;         ///< inputs that the search at hand covers
  std::uint64_t last_rise_ = 0;  ///< work when it last rose
  std::size_t most_ever_ = 0;    ///< inputs that any search covered
  std::uint64_t last_gain_ = 0;  ///< work when that last rose
  bool stopped_ = false;
};

}  // namespace

CertifiedResult certified_search(std::span<const Candidate> chosen, std::span<const Candidate> pool,
                                 std::size_t k, const SearchSpace& space, ThreadPool& threads,
                                 const CertifiedHooks& hooks) {
  return Portfolio(chosen, pool, k, space, threads, hooks).run();
}

std::vector<Candidate> certified_covers(std::span<const Candidate> choices, std::size_t k,
                                        const SearchSpace& space, ThreadPool& threads,
                                        const std::function<bool()>& go_on) {
  constexpr int kTimes = 3;
  CandidateArchive archive(space.inputs.size());
  for (const Candidate& c : choices) archive.add(c);
  SolutionSearch search(std::move(archive), {}, k, space, threads, 0);
  search.choose_again();
  for (int t = 0; t < kTimes && go_on(); ++t) {
    search.reconsider(SolutionSearch::Care::kDecide, go_on);
  }
  std::vector<Candidate> out;
  for (std::size_t c = 0; c < search.archive().size(); ++c) out.push_back(search.archive()[c]);
  return out;
}

}  // namespace fewedits
