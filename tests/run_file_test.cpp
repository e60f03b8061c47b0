// SPDX-License-Identifier: MIT
// Saved runs: what was written comes back, and nothing else is accepted. With them the two hashes
// they rest on.
#include "fewedits/search/run_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "fewedits/base/sha256.hpp"
#include "fewedits/edit/neighbours.hpp"
#include "fewedits/graph/shape_hash.hpp"
#include "fewedits/search/state.hpp"
#include "support/fake_evaluator.hpp"
#include "support/ged.hpp"
#include "support/hostile_files.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using test::error_of;
using test::put;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t kInputs = 6;
constexpr std::size_t kLabels = 3;
constexpr std::string_view kHead = "fewedits.run";  // docs/formats.md

CandidateArchive some_archive(Rng& rng) {
  CandidateArchive archive(kInputs);
  for (Node i = 0; i < 8; ++i) {
    Candidate c{
        test::random_graph(rng, 3 + i, rng.below(4), kLabels), 0.75F, {}, rng.next(), i % 5};
    for (std::uint32_t input = 0; input < kInputs; ++input) {
      if (rng.chance(0.4)) c.covers.push_back(input);
    }
    archive.add(c, static_cast<std::uint32_t>(rng.below(6)));
  }
  return archive;
}

SearchState::Refinement some_refinement(Rng& rng) {
  SolutionSearchState search{some_archive(rng), {3, 0, 7}, Rng(rng.next()).state(), 44, 500};
  return {{4, 1000, 5, 1200, 6, 1100, some_archive(rng), {7, 2}, std::move(search)},
          {{0, 0.25}, {700, rng.uniform()}}};
}

RunFile some_run(std::uint64_t seed) {
  Rng rng(seed);
  RunFile run;
  SearchState state;
  run.settings = {{"dataset", "0123abcd"},
                  {"seed", "1"},
                  {"no-refine", ""},
                  {"constraint", "valence"},
                  {"constraint", "max-nodes=9"},
                  {"odd", std::string("a\0b\n\xff", 5)}};
  state.most_covered = rng.below(kInputs + 1);
  state.walk.steps = 1000 + rng.below(1000);
  state.last_progress = rng.below(1000);
  for (std::uint64_t i = 1; i <= rng.below(5); ++i) {
    state.trace.push_back({10 * i, i, rng.uniform(), {rng.uniform(), 0.1 + 0.2, 0, 1}});
  }
  state.walk.choices = rng.next();
  state.walk.rng = Rng(seed, 1).state();
  state.walk.current = test::random_graph(rng, 7, 3, kLabels);
  state.walk.origin = static_cast<std::uint32_t>(rng.below(kInputs));
  std::uint64_t visits = 0;
  for (Node i = 0; i < 12; ++i) {
    VisitedGraph v;
    v.graph = test::random_graph(rng, 3 + i, rng.below(4), kLabels);
    v.origin = static_cast<std::uint32_t>(rng.below(kInputs));
    v.count = 1 + rng.below(20);
    v.error = rng.below(v.count);
    visits += v.count;
    v.reached = visits - 1;
    v.probability = static_cast<float>(rng.uniform());
    for (std::uint32_t input = 0; input < kInputs; ++input) {
      if (rng.chance(0.4)) v.covers.push_back(input);
    }
    state.walk.visited.push_back(v);
  }
  if (rng.chance(0.5)) state.refinement = some_refinement(rng);
  if (rng.chance(0.5)) {
    const CandidateArchive kept = some_archive(rng);
    for (std::size_t c = 0; c < kept.size(); ++c) state.kept.push_back(kept[c]);
  }
  run.search = SavedSearch(std::move(state));
  return run;
}

RunFile parse(std::string_view bytes) {
  return parse_run_file(bytes, "run.fewedits", kInputs, kLabels);
}

/// Of a walk alone.
RunFile run_of(WalkState walk) {
  SearchState state;
  state.walk = std::move(walk);
  return {{}, SavedSearch(std::move(state))};
}

void expect_same(const RunFile& one, const RunFile& other) {
  EXPECT_EQ(one.settings, other.settings);
  const SearchState& a = one.search.state();
  const SearchState& b = other.search.state();
  EXPECT_EQ(a.trace, b.trace);
  EXPECT_EQ(a.most_covered, b.most_covered);
  EXPECT_EQ(a.last_progress, b.last_progress);
  ASSERT_EQ(a.kept.size(), b.kept.size());
  for (std::size_t i = 0; i < a.kept.size(); ++i) {
    EXPECT_EQ(a.kept[i].graph, b.kept[i].graph);
    EXPECT_EQ(a.kept[i].covers, b.kept[i].covers);
    EXPECT_EQ(a.kept[i].visits, b.kept[i].visits);
  }
  EXPECT_EQ(a.walk.steps, b.walk.steps);
  EXPECT_EQ(a.walk.choices, b.walk.choices);
  EXPECT_EQ(a.walk.rng, b.walk.rng);
  EXPECT_EQ(a.walk.current, b.walk.current);
  EXPECT_EQ(a.walk.origin, b.walk.origin);
  ASSERT_EQ(a.walk.visited.size(), b.walk.visited.size());
  for (std::size_t i = 0; i < a.walk.visited.size(); ++i) {
    const VisitedGraph& v = a.walk.visited[i];
    const VisitedGraph& w = b.walk.visited[i];
    EXPECT_EQ(v.graph, w.graph);
    EXPECT_EQ(v.origin, w.origin);
    EXPECT_EQ(v.count, w.count);
    EXPECT_EQ(v.error, w.error);
    EXPECT_EQ(v.reached, w.reached);
    EXPECT_EQ(v.probability, w.probability);
    EXPECT_EQ(v.covers, w.covers);
  }
}

// ---- What comes back ----------------------------------------------------------------------

TEST(RunFileTest, WhatWasWrittenIsRead) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RunFile run = some_run(seed);
    const std::string bytes = run_file_bytes(run);
    expect_same(parse(bytes), run);
    EXPECT_EQ(parse(bytes).search.state().refinement.has_value(),
              run.search.state().refinement.has_value());
    EXPECT_EQ(run_file_bytes(parse(bytes)), bytes);
    EXPECT_EQ(parse_run_settings(bytes, "run.fewedits"), run.settings);
  }
  WalkState walk;
  walk.rng = Rng(1).state();
  const RunFile empty = run_of(walk);
  expect_same(parse(run_file_bytes(empty)), empty);
}

TEST(RunFileTest, AWalkGoesOnFromTheFile) {
  test::FakeEvaluator evaluator(test::all_connected_graphs(3, 2));
  Constraints constraints;
  constraints.max_nodes = 4;
  WalkOptions options;
  options.capacity = 9;
  ThreadPool pool(1);
  Walk reference(evaluator, constraints, 2, options);
  for (int round = 0; round < 20; ++round) {
    for (int step = 0; step < 15; ++step) reference.step(pool);
    const std::string bytes = run_file_bytes(run_of(reference.state()));
    Walk again(evaluator, constraints, 2, options,
               parse_run_file(bytes, "", evaluator.inputs().size(), 2).search.state().walk);
    Walk uninterrupted(evaluator, constraints, 2, options, reference.state());
    for (int step = 0; step < 15; ++step) {
      again.step(pool);
      uninterrupted.step(pool);
    }
    EXPECT_EQ(run_file_bytes(run_of(again.state())), run_file_bytes(run_of(uninterrupted.state())));
  }
}

// ---- Damage -------------------------------------------------------------------------------

TEST(RunFileTest, EveryCutIsRefused) {
  const std::string bytes = run_file_bytes(some_run(1));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const std::string error = error_of([&] { (void)parse(bytes.substr(0, length)); });
    EXPECT_THAT(error, HasSubstr("run.fewedits"));
    EXPECT_THAT(error, testing::Not(HasSubstr("download")));
    EXPECT_THROW(parse_run_settings(bytes.substr(0, length), "run.fewedits"), Error);
  }
  EXPECT_THROW(parse(bytes + '\0'), Error);
  EXPECT_THROW(parse(bytes + bytes), Error);
  EXPECT_THROW(parse(std::string_view("\0", 1)), Error);
}

TEST(RunFileTest, ChangedBytesAreRefused) {
  const std::string bytes = run_file_bytes(some_run(2));
  Rng rng(7);
  for (int round = 0; round < 1000; ++round) {
    std::string bad = bytes;
    const std::size_t at = rng.below(bad.size());
    bad[at] = static_cast<char>(bad[at] ^ (1 << rng.below(8)));
    EXPECT_THROW(parse(bad), Error) << "byte " << at;
  }
  for (std::size_t at = 0; at < 100; ++at) {
    std::string bad = bytes;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    EXPECT_THROW(parse(bad), Error) << "byte " << at;
  }
}

TEST(RunFileTest, OtherFilesAndVersionsAreNamed) {
  EXPECT_THAT(error_of([] { (void)parse("PK\x03\x04 and so on"); }), HasSubstr("no run file"));
  std::string other = run_file_bytes(some_run(3));
  other[kHead.size()] = 1;
  EXPECT_THAT(error_of([&] { (void)parse(other); }),
              AllOf(HasSubstr("version 1"), HasSubstr("writes 6")));
}

// ---- Other settings -----------------------------------------------------------------------

TEST(RunFileTest, TheSettingThatDiffersIsNamed) {
  const RunSettings saved{{"dataset", "aa"},
                          {"seed", "1"},
                          {"no-refine", ""},
                          {"constraint", "valence"},
                          {"constraint", "max-nodes=9"},
                          {"steps", "5"}};
  const auto complaint = [&](const RunSettings& now) {
    return error_of([&] { check_settings(saved, now, "run.fewedits"); });
  };
  EXPECT_NO_THROW(check_settings(saved, saved, "run.fewedits"));
  RunSettings now = saved;
  now[1].second = "2";
  EXPECT_THAT(complaint(now), AllOf(HasSubstr("run.fewedits"), HasSubstr("seed"), HasSubstr("'1'"),
                                    HasSubstr("'2'")));
  now = saved;
  now[0].second = "bb";
  now[1].second = "2";
  EXPECT_THAT(complaint(now), HasSubstr("dataset")) << "the first one";
  now = saved;
  now.erase(now.begin() + 2);
  EXPECT_THAT(complaint(now), HasSubstr("no-refine"));
  now = saved;
  now.emplace_back("no-importance", "");
  EXPECT_THAT(complaint(now), HasSubstr("no-importance"));
  // Of an option that is given several times all values count, and their number.
  now = saved;
  now[4].second = "max-nodes=8";
  EXPECT_THAT(complaint(now), AllOf(HasSubstr("constraint"), HasSubstr("max-nodes=8")));
  now = saved;
  now.erase(now.begin() + 4);
  EXPECT_THAT(complaint(now), HasSubstr("constraint"));
  now = saved;
  now.emplace_back("constraint", "max-edges=3");
  EXPECT_THAT(complaint(now), HasSubstr("max-edges=3"));
}

// ---- Lies with a checksum that fits ---------------------------------------------------------

/// A run file written by hand: whatever it says, the checksum fits.
std::string sealed(const std::string& payload, std::uint32_t version = 6) {
  std::string out(kHead);
  put(out, version);
  put(out, std::uint64_t{payload.size()});
  return out + sha256_hex(payload) + payload;
}

struct RawGraph {
  std::vector<std::uint32_t> labels{0, 1};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges{{0, 1}};
  std::uint32_t nodes = static_cast<std::uint32_t>(labels.size());
  std::uint32_t num_edges = static_cast<std::uint32_t>(edges.size());

  void write(std::string& out) const {
    put(out, nodes);
    put(out, num_edges);
    for (const auto label : labels) put(out, label);
    for (const auto& [u, v] : edges) {
      put(out, u);
      put(out, v);
    }
  }
};

struct RawVisit {
  RawGraph graph = {};
  std::uint32_t origin = 0;
  std::uint64_t count = 1;
  std::uint64_t error = 0;
  std::uint64_t reached = 0;
  float probability = 0.75F;
  std::vector<std::uint32_t> covers{0, 2};
  std::uint64_t num_covers = covers.size();
};

struct RawChoice {
  RawGraph graph = {};
  float probability = 0.75F;
  std::uint32_t origin = 0;
  std::vector<std::uint32_t> covers{0, 2};
  std::uint64_t num_covers = covers.size();
  std::vector<std::uint32_t> mapped{0, 2};
  std::uint64_t num_mapped = mapped.size();
  std::uint8_t width = 1;
  std::uint32_t rounds = 3;

  void write(std::string& out) const {
    graph.write(out);
    put(out, std::bit_cast<std::uint32_t>(probability));
    put(out, std::uint64_t{9});
    put(out, origin);
    put(out, rounds);
    put(out, num_covers);
    for (const std::uint32_t input : covers) put(out, input);
    put(out, num_mapped);
    for (const std::uint32_t input : mapped) put(out, input);
    put(out, width);
    out.append(graph.labels.size() * mapped.size() * width, '\0');
  }
};

struct RawArchive {
  std::vector<RawChoice> choices{{}, {.graph = {{0, 0}, {{0, 1}}}}};
  std::uint64_t num_choices = choices.size();
  std::vector<std::uint64_t> team{1, 0};
  std::uint64_t num_members = team.size();

  void write(std::string& out) const {
    put(out, num_choices);
    for (const RawChoice& c : choices) c.write(out);
    put(out, num_members);
    for (const std::uint64_t place : team) put(out, place);
  }
};

struct RawRefinement {
  std::uint64_t num_points = 1;
  double coverage = 0.5;
  std::uint64_t part = 3;
  std::uint64_t spent = 1000;
  std::uint64_t most = 4;
  std::uint64_t risen = 1100;
  std::uint64_t most_ever = 4;
  std::uint64_t gained = 1100;
  RawArchive found;
  RawArchive archive;
  std::uint64_t rng = 7;
  std::uint64_t climbs = 16;
  std::uint64_t work = 200;

  void write(std::string& out) const {
    put(out, num_points);
    put(out, std::uint64_t{50});
    put(out, std::bit_cast<std::uint64_t>(coverage));
    for (const std::uint64_t number : {part, spent, most, risen, most_ever, gained})
      put(out, number);
    found.write(out);
    archive.write(out);
    for (int word = 0; word < 4; ++word) put(out, rng);
    put(out, climbs);
    put(out, work);
  }
};

/// Sound as it is; every field can be changed.
struct RawRun {
  std::uint64_t num_settings = 0;
  std::uint64_t most_covered = 0;
  std::uint64_t last_progress = 0;
  std::uint64_t num_points = 1;
  std::uint64_t point_step = 10;
  double coverage = 0.5;
  std::uint64_t num_shares = 1;
  double share = 0.25;
  std::vector<RawChoice> kept{{.rounds = 0}, {.graph = {{1, 1}, {{0, 1}}}, .rounds = 0}};
  std::uint64_t num_kept = kept.size();
  std::uint8_t kind = 0;  ///< 1: one of a method that explains each input alone
  std::uint64_t steps = 100;
  std::uint64_t rng = 7;
  RawGraph current;
  std::uint32_t origin = 0;
  std::vector<RawVisit> visited{{}, {.graph = {{0, 0}, {{0, 1}}}, .reached = 1}};
  std::uint64_t num_visited = visited.size();
  std::uint8_t refinements = 1;
  RawRefinement refinement;
  std::string tail;

  [[nodiscard]] std::string bytes() const {
    std::string out;
    put(out, num_settings);
    put(out, most_covered);
    put(out, last_progress);
    put(out, num_points);
    put(out, point_step);
    put(out, std::uint64_t{3});
    put(out, std::bit_cast<std::uint64_t>(coverage));
    put(out, num_shares);
    put(out, std::bit_cast<std::uint64_t>(share));
    put(out, num_kept);
    for (const RawChoice& c : kept) c.write(out);
    put(out, kind);
    put(out, steps);
    put(out, std::uint64_t{1234});
    for (int word = 0; word < 4; ++word) put(out, rng);
    current.write(out);
    put(out, origin);
    put(out, num_visited);
    for (const RawVisit& v : visited) {
      v.graph.write(out);
      put(out, v.origin);
      put(out, v.count);
      put(out, v.error);
      put(out, v.reached);
      put(out, std::bit_cast<std::uint32_t>(v.probability));
      put(out, v.num_covers);
      for (const std::uint32_t input : v.covers) put(out, input);
    }
    put(out, refinements);
    if (refinements > 0) refinement.write(out);
    return sealed(out + tail);
  }
};

struct RawFind {
  RawGraph graph = {};
  float probability = 0.75F;
  std::uint32_t origin = 1;
};

/// The same for a method that explains each input alone.
struct RawLocalRun {
  std::vector<float> parameters{0.5F, -2};
  std::uint64_t num_parameters = parameters.size();
  std::vector<float> second{0.25F, 0};
  std::uint64_t done = 4;
  std::vector<RawFind> found{{}, {.origin = 3}};
  std::uint64_t num_found = found.size();

  [[nodiscard]] std::string bytes() const {
    std::string out;
    for (int zero = 0; zero < 5; ++zero) put(out, std::uint64_t{0});  // settings to what is kept
    put(out, std::uint8_t{1});
    put(out, std::uint64_t{7});
    put(out, std::uint64_t{700});
    write(parameters, num_parameters, out);
    write(parameters, parameters.size(), out);
    write(second, second.size(), out);
    put(out, done);
    put(out, num_found);
    for (const RawFind& f : found) {
      f.graph.write(out);
      put(out, std::bit_cast<std::uint32_t>(f.probability));
      put(out, f.origin);
    }
    return sealed(out);
  }

 private:
  static void write(const std::vector<float>& values, std::uint64_t count, std::string& out) {
    put(out, count);
    for (const float value : values) put(out, std::bit_cast<std::uint32_t>(value));
  }
};

TEST(RunFileTest, ARunOfALocalMethodIsReadAndItsLiesAreRefused) {
  const RawLocalRun raw;
  const RunFile run = parse(raw.bytes());
  const auto& local = run.search.state().local;
  ASSERT_TRUE(local);
  EXPECT_EQ(local->training.rounds, 7U);
  EXPECT_EQ(local->training.adam.steps, 700U);
  EXPECT_EQ(local->training.adam.second, (std::vector<float>{0.25F, 0}));
  EXPECT_EQ(local->done, 4U);
  ASSERT_EQ(local->found.size(), 2U);
  EXPECT_EQ(local->found[1].origin, 3U);
  EXPECT_EQ(run_file_bytes(run), raw.bytes());

  const auto refused = [](const std::function<void(RawLocalRun&)>& lie, const char* what) {
    RawLocalRun bad;
    lie(bad);
    const std::string bytes = bad.bytes();
    EXPECT_THAT(error_of([&] { (void)parse(bytes); }), HasSubstr("run.fewedits")) << what;
  };
  refused([](auto& r) { r.num_parameters = std::numeric_limits<std::uint64_t>::max() / 4 + 2; },
          "parameters");
  refused([](auto& r) { r.num_parameters = 3; }, "one parameter too many");
  refused([](auto& r) { r.parameters[1] = std::nanf(""); }, "not a number");
  refused([](auto& r) { r.parameters[0] = INFINITY; }, "infinite");
  refused([](auto& r) { r.second[0] = -1; }, "a mean square");
  refused([](auto& r) { r.done = kInputs + 1; }, "done");
  refused([](auto& r) { r.done = 3; }, "an input that is not done");
  refused([](auto& r) { r.found[1].origin = 1; }, "an input twice");
  refused([](auto& r) { r.found[0].origin = kInputs; }, "no input");
  refused([](auto& r) { r.found[0].probability = -0.5F; }, "probability");
  refused([](auto& r) { r.found[0].graph.labels[0] = kLabels; }, "label");
  refused([](auto& r) { r.num_found = std::uint64_t{1} << 60; }, "found");
  RawRun odd;
  odd.kind = 2;
  const std::string bytes = odd.bytes();
  EXPECT_THAT(error_of([&] { (void)parse(bytes); }), HasSubstr("what kind of run"));
}

const std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();

TEST(RunFileTest, TheRunByHandIsSound) {
  const RunFile run = parse(RawRun{}.bytes());
  EXPECT_EQ(run.search.state().walk.steps, 100U);
  EXPECT_EQ(run.search.state().walk.visited.size(), 2U);
  EXPECT_EQ(run.search.state().trace.size(), 1U);
  ASSERT_TRUE(run.search.state().refinement);
  EXPECT_EQ(run.search.state().refinement->search.search.archive.size(), 2U);
  EXPECT_EQ(run.search.state().refinement->search.best, (SolutionSet{1, 0}));
  ASSERT_EQ(run.search.state().kept.size(), 2U);
  EXPECT_EQ(run.search.state().kept[1].maps.size(), 2U);
  EXPECT_EQ(run_file_bytes(run), RawRun{}.bytes());
}

void expect_refused(const RawRun& run, const std::string& what) {
  const std::string bytes = run.bytes();
  const std::int64_t grown = test::peak_growth([&] {
    EXPECT_THAT(error_of([&] { (void)parse(bytes); }), HasSubstr("run.fewedits")) << what;
  });
  EXPECT_LT(grown, 16 << 20) << what;
}

TEST(RunFileTest, NumbersThatPromiseTooMuchAreRefused) {
  for (const std::uint64_t many : {kHuge, kHuge / 8, kHuge / 36 + 2, std::uint64_t{1} << 40,
                                   std::uint64_t{1} << 32, std::uint64_t{5}}) {
    RawRun run;
    run.num_settings = many;
    expect_refused(run, "settings");
    EXPECT_THROW(parse_run_settings(run.bytes(), "run.fewedits"), Error);
    run = {};
    run.num_points = many;
    expect_refused(run, "trace");
    run = {};
    run.num_shares = many;
    expect_refused(run, "shares");
    run = {};
    run.num_visited = many;
    expect_refused(run, "visited");
    run = {};
    run.visited[1].num_covers = many;
    expect_refused(run, "covers");
    run = {};
    run.num_kept = many;
    expect_refused(run, "kept");
    run = {};
    run.kept[1].num_covers = many;
    expect_refused(run, "covers of what is kept");
    run = {};
    run.kept[0].num_mapped = many;
    expect_refused(run, "maps of what is kept");
    run = {};
    run.refinement.num_points = many;
    expect_refused(run, "refinement's trace");
    run = {};
    run.refinement.found.num_choices = many;
    expect_refused(run, "found");
    run = {};
    run.refinement.archive.num_members = many;
    expect_refused(run, "team");
    run = {};
    run.refinement.archive.choices[1].num_covers = many;
    expect_refused(run, "covers of the archive");
    run = {};
    run.refinement.archive.choices[1].num_mapped = many;
    expect_refused(run, "maps of the archive");
  }
  for (const std::uint32_t many : {0xffffffffU, 0x80000000U, 0x40000000U, 0x3fffffffU, 100U}) {
    RawRun run;
    run.current.nodes = many;
    expect_refused(run, "nodes");
    run = {};
    run.visited[1].graph.num_edges = many;
    expect_refused(run, "edges");
    run = {};
    run.current.num_edges = many;
    run.current.nodes = many;
    expect_refused(run, "both");
  }
  std::string text;
  put(text, std::uint64_t{1});
  put(text, kHuge);
  text += "key";
  EXPECT_THROW(parse_run_settings(sealed(text), "run.fewedits"), Error);
}

TEST(RunFileTest, MapsThatCannotBeAreRefused) {
  for (const int width : {0, 3, 5, 255}) {
    RawRun run;
    run.refinement.found.choices[0].width = static_cast<std::uint8_t>(width);
    expect_refused(run, "width");
  }
  RawRun run;
  run.refinement.found.choices[0].mapped = {0, 1000};
  expect_refused(run, "an input that does not exist");
  run.refinement.found.choices[0].mapped = {2, 0};
  expect_refused(run, "inputs that do not ascend");
}

TEST(RunFileTest, GraphsThatCannotBeAreRefused) {
  using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  for (const Edges& edges : {Edges{{0, 0}}, Edges{{1, 0}}, Edges{{0, 2}}, Edges{{0, 0xffffffff}},
                             Edges{{0, 1}, {0, 1}}, Edges{{5, 6}}}) {
    RawRun run;
    run.current = {{0, 1}, edges};
    expect_refused(run, "edge");
    run = {};
    run.visited[1].graph = {{0, 1}, edges};
    expect_refused(run, "edge");
  }
  RawRun run;
  run.current = {{0, 1, 2}, {{0, 2}, {0, 1}}};
  expect_refused(run, "edges that do not ascend");
  for (const std::uint32_t label : {3U, 0xffffffffU}) {
    run = {};
    run.visited[0].graph.labels[1] = label;
    expect_refused(run, "label");
    run = {};
    run.current.labels[0] = label;
    expect_refused(run, "label");
  }
}

TEST(RunFileTest, CountsThatCannotBeAreRefused) {
  const auto refuse = [](const std::string& what, const auto& change) {
    RawRun run;
    change(run);
    expect_refused(run, what);
  };
  refuse("no visit", [](RawRun& r) { r.visited[0].count = 0; });
  refuse("error as large as the count", [](RawRun& r) { r.visited[0].error = 1; });
  refuse("two at the same moment", [](RawRun& r) { r.visited[1].reached = 0; });
  refuse("a moment to come", [](RawRun& r) { r.visited[1].reached = 2; });
  refuse("the last moment there is", [](RawRun& r) { r.visited[1].reached = kHuge; });
  refuse("more visits than steps", [](RawRun& r) { r.visited[1].count = 100; });
  refuse("sums that wrap around", [](RawRun& r) {
    r.visited[0].count = kHuge;
    r.visited[1].count = 2;
  });
  refuse("visits without steps", [](RawRun& r) {
    r.steps = 0;
    r.num_points = 0;
  });
  refuse("origin", [](RawRun& r) { r.visited[0].origin = kInputs; });
  refuse("origin", [](RawRun& r) { r.origin = 0xffffffff; });
  refuse("covered input", [](RawRun& r) { r.visited[0].covers[1] = kInputs; });
  refuse("covered inputs that do not ascend", [](RawRun& r) { r.visited[0].covers = {2, 0}; });
  refuse("an input covered twice", [](RawRun& r) { r.visited[1].covers = {2, 2}; });
  for (const float bad : {-0.5F, 2.0F, std::nanf(""), HUGE_VALF}) {
    refuse("probability", [&](RawRun& r) { r.visited[0].probability = bad; });
  }
  refuse("dead generator", [](RawRun& r) { r.rng = 0; });
  refuse("more covered than there are", [](RawRun& r) { r.most_covered = kInputs + 1; });
  refuse("progress to come", [](RawRun& r) { r.last_progress = 101; });
  refuse("trace of the future", [](RawRun& r) { r.point_step = 101; });
  refuse("trace at no step", [](RawRun& r) { r.point_step = 0; });
  for (const double bad : {-0.1, 1.1, std::nan(""), HUGE_VAL}) {
    refuse("share", [&](RawRun& r) { r.share = bad; });
    refuse("coverage", [&](RawRun& r) { r.coverage = bad; });
  }
  refuse("two refinements", [](RawRun& r) { r.refinements = 2; });
  refuse("refinement's coverage", [](RawRun& r) { r.refinement.coverage = 1.5; });
  refuse("work beyond all bounds", [](RawRun& r) { r.refinement.spent = kHuge; });
  refuse("climbs beyond all bounds", [](RawRun& r) { r.refinement.climbs = kHuge; });
  refuse("a rise to come", [](RawRun& r) { r.refinement.risen = 1201; });
  refuse("a gain to come", [](RawRun& r) { r.refinement.gained = 1201; });
  refuse("more than all", [](RawRun& r) { r.refinement.most_ever = 1U << 30; });
  refuse("more covered than there are", [](RawRun& r) { r.refinement.most = kInputs + 1; });
  refuse("dead generator", [](RawRun& r) { r.refinement.rng = 0; });
  refuse("member of nowhere", [](RawRun& r) { r.refinement.found.team = {1, 2}; });
  refuse("member twice", [](RawRun& r) { r.refinement.archive.team = {1, 1}; });
  refuse("graph twice", [](RawRun& r) { r.refinement.found.choices[1].graph = {}; });
  refuse("graph twice, seen from its other end", [](RawRun& r) {
    r.refinement.found.choices[1].graph = {{1, 0}, {{0, 1}}};
  });
  refuse("origin", [](RawRun& r) { r.refinement.found.choices[0].origin = kInputs; });
  refuse("covered input", [](RawRun& r) { r.refinement.archive.choices[0].covers = {0, kInputs}; });
  refuse("more at the end", [](RawRun& r) { r.tail = "x"; });
  refuse("less at the end", [](RawRun& r) { r.num_visited = 1; });
}

TEST(RunFileTest, WhatIsKeptIsReadAndItsLiesAreRefused) {
  const auto refused = [](const std::function<void(RawRun&)>& lie, const char* what) {
    RawRun bad;
    lie(bad);
    expect_refused(bad, what);
  };
  refused([](auto& r) { r.kept[1].graph = {{1, 0}, {{0, 1}}}; }, "a graph twice");
  refused([](auto& r) { r.kept[0].rounds = 1; }, "rounds");
  refused([](auto& r) { r.kept[0].origin = kInputs; }, "no input");
  refused([](auto& r) { r.kept[0].probability = -1; }, "probability");
  refused([](auto& r) { r.kept[0].covers = {2, 0}; }, "covers that do not ascend");
  refused([](auto& r) { r.kept[0].mapped = {0, kInputs}; }, "a map to no input");
  refused([](auto& r) { r.kept[0].width = 3; }, "width");
  refused([](auto& r) { r.kept[0].graph.labels[0] = kLabels; }, "label");
}

/// The parser cannot see it; the walk does.
TEST(RunFileTest, AGraphListedTwiceIsRefusedAtTheLatestByTheWalk) {
  test::FakeEvaluator evaluator(std::vector<Graph>(kInputs, test::all_connected_graphs(2, 2)[0]));
  const Constraints constraints;
  ThreadPool pool(1);
  for (const RawGraph& twin : {RawGraph{{0, 1}, {{0, 1}}}, RawGraph{{1, 0}, {{0, 1}}}}) {
    RawRun run;
    run.visited[1].graph = twin;
    EXPECT_THROW(Walk(evaluator, constraints, kLabels, {}, parse(run.bytes()).search.state().walk),
                 Error);
  }
}

/// Any change of the payload with a checksum that fits: an Error, or a walk that can go on.
TEST(RunFileTest, ChangedPayloadsNeverDoHarm) {
  test::FakeEvaluator evaluator(test::all_connected_graphs(2, 2));
  ASSERT_LE(evaluator.inputs().size(), kInputs);
  Constraints constraints;
  constraints.max_nodes = 5;
  ThreadPool pool(1);
  Rng rng(11);
  // Behind the version, the length and the checksum.
  const std::string payload = RawRun{}.bytes().substr(kHead.size() + 4 + 8 + 64);
  int accepted = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string bad = payload;
    for (std::uint64_t changes = 1 + rng.below(3); changes > 0; --changes) {
      bad[rng.below(bad.size())] = static_cast<char>(rng.below(rng.chance(0.5) ? 4 : 256));
    }
    if (rng.chance(0.1)) bad.resize(rng.below(bad.size()));
    try {
      const RunFile run = parse_run_file(sealed(bad), "", evaluator.inputs().size(), 2);
      Walk walk(evaluator, constraints, 2, {}, run.search.state().walk);
      for (int step = 0; step < 3; ++step) walk.step(pool);
      ++accepted;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(accepted, 100);
}

// ---- SHA-256 --------------------------------------------------------------------------------

TEST(Sha256Test, KnownAnswers) {
  // FIPS 180-2, appendix B, and the boundaries of padding (from sha256sum).
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(sha256_hex(std::string(1, 'x')),
            "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881");
  EXPECT_EQ(sha256_hex(std::string(54, 'x')),
            "45f316e10b2c99abf374b22bda893cf3300d77263f1e272349ed414680522952");
  EXPECT_EQ(sha256_hex(std::string(55, 'x')),
            "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  EXPECT_EQ(sha256_hex(std::string(56, 'x')),
            "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
  EXPECT_EQ(sha256_hex(std::string(57, 'x')),
            "ae14a2563ccf969d99aca69ce6bb74981f734bbf9f655f73b8f06db68cab5217");
  EXPECT_EQ(sha256_hex(std::string(63, 'x')),
            "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2");
  EXPECT_EQ(sha256_hex(std::string(64, 'x')),
            "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
  EXPECT_EQ(sha256_hex(std::string(65, 'x')),
            "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9");
  EXPECT_EQ(sha256_hex(std::string(119, 'x')),
            "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c");
  EXPECT_EQ(sha256_hex(std::string(120, 'x')),
            "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98");
  EXPECT_EQ(sha256_hex(std::string(127, 'x')),
            "70156a14adbabf98cff3a71c7084b417abf057a8efd27329ca36b7202c87d81f");
  EXPECT_EQ(sha256_hex(std::string(128, 'x')),
            "24da1b81d0b16df6428eee73c69fcb2a93c76bc6df706f0c6670fe6bfe800464");
}

TEST(Sha256Test, PiecesAddUp) {
  Rng rng(1);
  for (int round = 0; round < 200; ++round) {
    std::string bytes(rng.below(400), '\0');
    for (char& c : bytes) c = static_cast<char>(rng.next());
    Sha256 pieces;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t length = rng.below(150);
      pieces.update(std::string_view(bytes).substr(at, length));
      at += length;
    }
    EXPECT_EQ(pieces.hex(), sha256_hex(bytes));
  }
}

// ---- The shape hash -------------------------------------------------------------------------

TEST(ShapeHashTest, NumberingDoesNotMatterAndNeighboursDiffer) {
  Rng rng(21);
  std::size_t compared = 0;
  std::size_t collisions = 0;
  for (int round = 0; round < 120; ++round) {
    const auto nodes = static_cast<Node>(1 + rng.below(25));
    const Graph g = test::random_graph(rng, nodes, rng.below(6), 4);
    const std::uint64_t shape = shape_hash(g);
    for (int again = 0; again < 4; ++again) {
      EXPECT_EQ(shape_hash(g.permuted(test::random_permutation(rng, nodes))), shape);
    }
    for (const Edit& edit : neighbours(g, {4, {}})) {
      const Graph h = apply(g, edit);
      ++compared;
      if (isomorphic(g, h)) {
        EXPECT_EQ(shape_hash(h), shape);
      } else {
        collisions += shape_hash(h) == shape ? 1U : 0U;
      }
    }
  }
  EXPECT_GT(compared, 10'000U);
  EXPECT_EQ(collisions, 0U) << "of a graph and its neighbour";
}

TEST(ShapeHashTest, TellsAllSmallGraphsApart) {
  // Regular graphs aside, Weisfeiler-Lehman sees every difference this small.
  std::set<std::uint64_t> shapes;
  const auto all = test::all_connected_graphs(5, 2);
  for (const Graph& g : all) shapes.insert(shape_hash(g));
  EXPECT_EQ(shapes.size(), all.size());
  EXPECT_FALSE(shapes.contains(shape_hash(Graph())));
}

TEST(ShapeHashTest, EdgeLabelsCountWhereThereAreAny) {
  Rng rng(23);
  for (int round = 0; round < 50; ++round) {
    const Graph g = test::random_graph(rng, 12, 4, 3, 4);
    EXPECT_EQ(shape_hash(g), shape_hash(test::shuffled(rng, g)));
    const Edge edge = g.edges()[rng.below(g.num_edges())];
    const Graph other = g.with_edge_label(edge.u, edge.v, edge.label == 0 ? 1 : 0);
    EXPECT_NE(shape_hash(g), shape_hash(other));
  }
}

}  // namespace
}  // namespace fewedits
