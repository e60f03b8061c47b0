// SPDX-License-Identifier: MIT
// The visit counts against a slow, obvious version that keeps a list and sorts it.
#include "fewedits/search/walk/visits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "fewedits/base/error.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

constexpr std::size_t kInputs = 12;

/// Graph number i: one node. Few shapes, so that many graphs share one.
VisitedGraph numbered(std::uint32_t i) {
  VisitedGraph v;
  const std::vector<Label> label{i};
  const Identity identity{Graph(label, {})};
  v.graph = identity.canonical();
  v.hash = identity.hash();
  v.shape = i % 5;
  v.probability = 0.5F + 0.001F * static_cast<float>(i);
  Rng rng(99, i);
  for (std::uint32_t input = 0; input < kInputs; ++input) {
    if (rng.chance(0.3)) v.covers.push_back(input);
  }
  v.origin = i % kInputs;
  return v;
}

std::uint32_t number_of(const VisitedGraph& v) { return v.graph.label(0); }

/// Space-Saving as the paper's authors would write it on a board.
class SlowVisits {
 public:
  SlowVisits(std::size_t capacity, std::size_t top) : capacity_(capacity), top_(top) {}

  void visit(std::uint32_t graph) {
    ++truth_[graph];
    auto it = std::find_if(list_.begin(), list_.end(), [&](const auto& e) { return e.n == graph; });
    if (it == list_.end() && list_.size() < capacity_) {
      list_.push_back({graph, 0, 0, 0});
      it = list_.end() - 1;
    } else if (it == list_.end()) {
      std::sort(list_.begin(), list_.end(), better);
      it = list_.end() - 1;
      *it = {graph, it->count, it->count, 0};
    }
    ++it->count;
    it->reached = clock_++;
  }

  struct Entry {
    std::uint32_t n;
    std::uint64_t count;
    std::uint64_t error;
    std::uint64_t reached;
  };
  static bool better(const Entry& a, const Entry& b) {
    return a.count != b.count ? a.count > b.count : a.reached < b.reached;
  }
  [[nodiscard]] std::vector<Entry> sorted() const {
    auto list = list_;
    std::sort(list.begin(), list.end(), better);
    return list;
  }
  [[nodiscard]] std::vector<Entry> candidates() const {
    auto list = sorted();
    list.resize(std::min(list.size(), top_));
    return list;
  }
  [[nodiscard]] const std::map<std::uint32_t, std::uint64_t>& truth() const { return truth_; }
  [[nodiscard]] std::uint64_t total() const { return clock_; }

 private:
  std::size_t capacity_;
  std::size_t top_;
  std::vector<Entry> list_;
  std::map<std::uint32_t, std::uint64_t> truth_;
  std::uint64_t clock_ = 0;
};

std::vector<std::uint32_t> numbers(const Visits& visits, std::span<const std::uint32_t> indices) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t i : indices) out.push_back(number_of(visits.graphs()[i]));
  return out;
}

std::vector<std::uint32_t> candidate_numbers(const Visits& visits) {
  return numbers(visits, visits.candidates());
}

/// What the candidates cover, counted anew.
void expect_cover_counts(const Visits& visits) {
  std::vector<std::uint32_t> counts(kInputs, 0);
  for (const std::uint32_t n : candidate_numbers(visits)) {
    for (const std::uint32_t input : numbered(n).covers) ++counts[input];
  }
  ASSERT_EQ(std::vector<std::uint32_t>(visits.cover_counts().begin(), visits.cover_counts().end()),
            counts);
  ASSERT_EQ(visits.smallest_cover_count(), *std::min_element(counts.begin(), counts.end()));
  ASSERT_EQ(visits.covered(),
            kInputs - static_cast<std::size_t>(std::count(counts.begin(), counts.end(), 0U)));
}

void expect_same(const Visits& visits, const SlowVisits& slow) {
  const auto expected = slow.sorted();
  ASSERT_EQ(visits.size(), expected.size());
  std::set<std::uint64_t> shapes;
  for (const auto& e : expected) {
    const VisitedGraph probe = numbered(e.n);
    ASSERT_EQ(visits.count(probe.hash), e.count);
    shapes.insert(probe.shape);
  }
  for (std::uint64_t shape = 0; shape < 5; ++shape) {
    ASSERT_EQ(visits.knows_shape(shape), shapes.contains(shape));
  }
  for (const VisitedGraph& v : visits.graphs()) {
    const auto it = std::find_if(expected.begin(), expected.end(),
                                 [&](const auto& e) { return e.n == number_of(v); });
    ASSERT_NE(it, expected.end());
    ASSERT_EQ(v.count, it->count);
    ASSERT_EQ(v.error, it->error);
    ASSERT_EQ(v.reached, it->reached);
    const VisitedGraph probe = numbered(it->n);
    ASSERT_EQ(v.covers, probe.covers);
    ASSERT_EQ(v.origin, probe.origin);
    ASSERT_EQ(v.probability, probe.probability);
  }
  std::vector<std::uint32_t> top;
  for (const auto& e : slow.candidates()) top.push_back(e.n);
  ASSERT_EQ(candidate_numbers(visits), top);
  ASSERT_EQ(visits.num_candidates(), top.size());
  std::vector<std::uint32_t> equals;
  for (std::size_t i = top.size(); i < expected.size(); ++i) {
    if (expected[i].count == expected[top.size() - 1].count) equals.push_back(expected[i].n);
  }
  ASSERT_EQ(numbers(visits, visits.runners_up()), equals);
}

/// Some graphs are visited much more often than others, as a reinforced walk does.
std::uint32_t draw_graph(Rng& rng, std::uint32_t graphs) {
  const double x = rng.uniform();
  return static_cast<std::uint32_t>(x * x * graphs);
}

struct Sizes {
  std::size_t capacity;
  std::size_t top;
  std::uint32_t graphs;
};

const std::vector<Sizes> kSizes{{1, 1, 5},   {2, 1, 6},   {7, 7, 20},   {7, 3, 20},
                                {20, 5, 20}, {40, 1, 30}, {40, 40, 30}, {64, 9, 200}};

TEST(VisitsTest, AgreeWithTheObviousVersionAfterEveryVisit) {
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    const Sizes& s = kSizes[i];
    for (std::uint64_t round = 0; round < 4; ++round) {
      Rng rng(round, i);
      Visits visits(s.capacity, s.top, kInputs);
      SlowVisits slow(s.capacity, s.top);
      expect_same(visits, slow);
      for (int step = 0; step < 400; ++step) {
        const std::uint32_t n = draw_graph(rng, s.graphs);
        visits.visit(numbered(n));
        slow.visit(n);
        expect_same(visits, slow);
        expect_cover_counts(visits);
        if (testing::Test::HasFatalFailure()) FAIL() << "sizes " << i << ", step " << step;
      }
    }
  }
}

TEST(VisitsTest, CountsAreExactWithRoomAndBoundedWithout) {
  for (const Sizes& s : kSizes) {
    Rng rng(7, s.capacity);
    Visits visits(s.capacity, s.top, kInputs);
    std::map<std::uint32_t, std::uint64_t> truth;
    constexpr std::uint64_t kVisits = 5000;
    for (std::uint64_t step = 0; step < kVisits; ++step) {
      const std::uint32_t n = draw_graph(rng, s.graphs);
      visits.visit(numbered(n));
      ++truth[n];
    }
    std::uint64_t sum = 0;
    std::uint64_t least = kVisits;
    for (const VisitedGraph& v : visits.graphs()) {
      const std::uint64_t real = truth[number_of(v)];
      EXPECT_GE(v.count, real);
      EXPECT_GE(real, v.count - v.error);
      EXPECT_LT(v.error, v.count);
      if (s.capacity >= s.graphs) {
        EXPECT_EQ(v.count, real);
      }
      sum += v.count;
      least = std::min(least, v.count);
    }
    // Metwally et al.: counts sum to the visits, and whoever was visited more often than the least
    // count is there.
    EXPECT_EQ(sum, kVisits);
    for (const auto& [n, real] : truth) {
      if (real > least) {
        EXPECT_GE(visits.count(numbered(n).hash), real) << "graph " << n;
      }
    }
    EXPECT_EQ(visits.count(numbered(1000).hash), 0U);
  }
}

TEST(VisitsTest, ACandidateVisitedLongAgoGivesWay) {
  Visits visits(10, 1, kInputs);
  visits.visit(numbered(1));
  visits.visit(numbered(2));
  EXPECT_EQ(candidate_numbers(visits), std::vector<std::uint32_t>{1}) << "the first among equals";
  visits.visit(numbered(2));
  EXPECT_EQ(candidate_numbers(visits), std::vector<std::uint32_t>{2});
  visits.visit(numbered(1));
  EXPECT_EQ(candidate_numbers(visits), std::vector<std::uint32_t>{2}) << "it had two visits first";
}

TEST(VisitsTest, RestoredInAnyOrderTheyGoOnAlike) {
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    const Sizes& s = kSizes[i];
    Rng rng(31, i);
    Visits visits(s.capacity, s.top, kInputs);
    SlowVisits slow(s.capacity, s.top);
    for (int cut = 0; cut < 12; ++cut) {
      const std::uint64_t more = rng.below(60);
      for (std::uint64_t step = 0; step < more; ++step) {
        const std::uint32_t n = draw_graph(rng, s.graphs);
        visits.visit(numbered(n));
        slow.visit(n);
      }
      std::vector<VisitedGraph> saved(visits.graphs().begin(), visits.graphs().end());
      rng.shuffle(std::span(saved));
      // Only on the restored one does the next round go on.
      Visits again(s.capacity, s.top, kInputs);
      for (const VisitedGraph& v : saved) again.restore(v);
      expect_same(again, slow);
      expect_cover_counts(again);
      visits = std::move(again);
    }
  }
}

TEST(VisitsTest, WhatCannotHaveBeenSavedIsRefused) {
  Visits full(2, 1, kInputs);
  full.visit(numbered(1));
  full.visit(numbered(2));
  const std::vector<VisitedGraph> saved(full.graphs().begin(), full.graphs().end());
  Visits visits(2, 1, kInputs);
  visits.restore(saved[0]);
  EXPECT_THROW(visits.restore(saved[0]), Error) << "twice the same graph";
  visits.restore(saved[1]);
  VisitedGraph third = numbered(3);
  third.count = 1;
  third.reached = 2;
  EXPECT_THROW(visits.restore(third), Error) << "more than there is room for";
  EXPECT_EQ(candidate_numbers(visits), std::vector<std::uint32_t>{1}) << "as before";
  expect_cover_counts(visits);
}

}  // namespace
}  // namespace fewedits
