// SPDX-License-Identifier: MIT
// A search on a sample, and its result on all inputs: the same as a plain recount, for any number
// of threads, stopped and resumed, with the edits in the explanation's own file or beside it.
#include "fewedits/distance/many_inputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/sha256.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/extend.hpp"
#include "fewedits/search/run_file.hpp"
#include "fewedits/search/sample.hpp"
#include "fewedits/search/state.hpp"
#include "fewedits/synthetic/generator.hpp"
#include "fewedits/verification/verifier.hpp"
#include "support/fake_classifier.hpp"
#include "support/ged.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using testing::HasSubstr;

std::vector<Graph> random_graphs(std::size_t count, Rng& rng) {
  std::vector<Graph> out;
  for (std::size_t i = 0; i < count; ++i) {
    const auto nodes = static_cast<Node>(3 + rng.below(9));
    out.push_back(test::random_graph(rng, nodes, nodes - 1 + rng.below(3), 3, 0));
  }
  return out;
}

// ---- The sample

TEST(SampleTest, TakesOneOfEveryStretchBySize) {
  Rng rng(2);
  const std::vector<Graph> graphs = random_graphs(500, rng);
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < graphs.size(); ++i) {
    if (rng.chance(0.7)) chosen.push_back(i);
  }
  const auto sizes_of = [&](const std::vector<std::uint32_t>& places) {
    std::vector<std::size_t> sizes;
    for (const std::uint32_t p : places) sizes.push_back(graphs[chosen[p]].size());
    std::sort(sizes.begin(), sizes.end());
    return sizes;
  };
  std::vector<std::uint32_t> everything(chosen.size());
  for (std::uint32_t i = 0; i < chosen.size(); ++i) everything[i] = i;
  const auto all = sizes_of(everything);
  constexpr std::size_t kSize = 40;
  const auto sample = stratified_sample(graphs, chosen, kSize, 7);
  ASSERT_EQ(sample.size(), kSize);
  EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end(), std::less_equal<>()));
  const auto some = sizes_of(sample);
  for (std::size_t s = 0; s < kSize; ++s) {
    EXPECT_GE(some[s], all[s * chosen.size() / kSize]);
    EXPECT_LE(some[s], all[(s + 1) * chosen.size() / kSize - 1]);
  }
  EXPECT_EQ(stratified_sample(graphs, chosen, kSize, 7), sample);
  EXPECT_NE(stratified_sample(graphs, chosen, kSize, 8), sample);
  EXPECT_EQ(stratified_sample(graphs, chosen, chosen.size() + 1, 7), everything);
}

TEST(SampleTest, IsDecidedByTheNumberOfInputsOrByTheOptions) {
  const Parts parts = builtin_parts();
  ExplainOptions options;
  EXPECT_FALSE(with_sample_decided(options, kAutomaticSample, parts).sample);
  EXPECT_EQ(with_sample_decided(options, kAutomaticSample + 1, parts).sample, kAutomaticSample);
  options.sample = 0;
  EXPECT_EQ(num_searched(with_sample_decided(options, 100'000, parts), 100'000), 100'000U);
  options.sample = 70;
  EXPECT_EQ(num_searched(with_sample_decided(options, 100, parts), 100), 70U);
  EXPECT_EQ(num_searched(with_sample_decided(options, 50, parts), 50), 50U);
  options.distance = "greed";
  EXPECT_THROW((void)with_sample_decided(options, 100, parts), Error);
  options.sample.reset();
  EXPECT_FALSE(with_sample_decided(options, 100'000, parts).sample);
}

// ---- Measuring

class ManyInputsTest : public testing::Test {
 protected:
  ManyInputsTest()
      : rng_(11), inputs_(random_graphs(1300, rng_)), queries_(random_graphs(9, rng_)) {
    options_.theta = 0.2;
  }

  [[nodiscard]] std::vector<ManyInputs::Query> queries() const {
    std::vector<ManyInputs::Query> out;
    for (const Graph& graph : queries_) out.push_back({&graph, {}});
    return out;
  }
  [[nodiscard]] std::int64_t limit(std::size_t q, std::size_t i) const {
    return distance_limit(options_.theta, inputs_[i], queries_[q]);
  }
  static std::set<std::uint32_t> places(const ManyInputs& all, BitRow row) {
    std::set<std::uint32_t> out;
    for_each_bit(row, [&](std::size_t p) { out.insert(all.place(p)); });
    return out;
  }

  Rng rng_;
  std::vector<Graph> inputs_;
  std::vector<Graph> queries_;
  ManyInputsOptions options_;
};

TEST_F(ManyInputsTest, CoverWhatAPlainLoopOverAllPairsFinds) {
  GedSolver solver(options_.ged);
  std::vector<std::set<std::uint32_t>> plain(queries_.size());
  std::size_t total = 0;
  for (std::size_t q = 0; q < queries_.size(); ++q) {
    const PreparedGraph to(queries_[q]);
    for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
      const GedBounds found = solver.look_for(PreparedGraph(inputs_[i]), to, limit(q, i), 8);
      if (found.upper <= limit(q, i)) plain[q].insert(i);
    }
    total += plain[q].size();
  }
  ASSERT_GT(total, 100U);
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    ManyInputs all(inputs_, options_, pool);
    for (const bool keep : {false, true}) {
      const auto looked = all.look(queries(), keep, pool, {});
      EXPECT_TRUE(looked.complete);
      for (std::size_t q = 0; q < queries_.size(); ++q) {
        EXPECT_EQ(places(all, looked.covers[q]), plain[q]) << threads << " threads, graph " << q;
      }
    }
  }
}

TEST_F(ManyInputsTest, TakeOverMapsWithinThetaAndNothingElse) {
  ThreadPool pool(1);
  ManyInputs all(inputs_, options_, pool);
  auto known = queries();
  GedSolver solver(options_.ged);
  const PreparedGraph to(queries_[0]);
  std::size_t true_ones = 0;
  for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
    NodeMap map = solver.upper(PreparedGraph(inputs_[i]), to).map;
    const bool near = induced_cost(inputs_[i], queries_[0], map) <= limit(0, i);
    true_ones += near ? 1U : 0U;
    if (i % 5 == 0) map.push_back(0);  // no map at all
    known[0].known.push_back({i, 0, std::move(map)});
  }
  known[0].known.push_back({static_cast<std::uint32_t>(inputs_.size()), 0, {}});
  ASSERT_GT(true_ones, 5U);
  // Stopped before it begins: what is known is all there is.
  StopSign sign;
  sign.set();
  const StopScope scope(pool, &sign);
  const auto looked = all.look(known, true, pool, {});
  EXPECT_FALSE(looked.complete);
  for (const std::uint32_t i : places(all, looked.covers[0])) {
    EXPECT_NE(i % 5, 0U);
    EXPECT_LE(solver.upper(PreparedGraph(inputs_[i]), to).upper, limit(0, i));
  }
  EXPECT_GT(count_bits(looked.covers[0]), true_ones / 2);
}

TEST_F(ManyInputsTest, ProveEveryInputAndTheSameOnAnyNumberOfThreads) {
  const std::vector<std::size_t> order{4, 0, 7, 2};
  std::vector<ManyInputs::Proven> found;
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    ManyInputs all(inputs_, options_, pool);
    auto looked = all.look(queries(), true, pool, {});
    const std::size_t before = count_bits(looked.covers[4]);
    all.decide(queries(), 100'000'000, looked, pool);
    EXPECT_GE(count_bits(looked.covers[4]), before);
    found.push_back(all.prove(queries(), order, looked, nullptr, pool));
  }
  const ManyInputs::Proven& proven = found[0];
  EXPECT_EQ(found[1].proofs, proven.proofs);
  EXPECT_EQ(found[1].distances, proven.distances);
  EXPECT_EQ(found[1].lower, proven.lower);
  EXPECT_EQ(found[1].open, proven.open);
  std::vector<double> nearest(inputs_.size(), 2);
  for (std::size_t c = 0; c < order.size(); ++c) {
    const Graph& to = queries_[order[c]];
    for (const ProvenPair& proof : proven.proofs[c]) {
      const Graph& from = inputs_[proof.input];
      ASSERT_TRUE(is_node_map(from, to, proof.map));
      EXPECT_EQ(induced_cost(from, to, proof.map), proof.edits);
      const double distance = normalized_distance(proof.edits, from, to);
      EXPECT_EQ(distance, proven.distances[c][proof.input]);
      nearest[proof.input] = std::min(nearest[proof.input], distance);
    }
  }
  GedOptions thorough;
  thorough.budget.work = 1'000'000;
  GedSolver exact(thorough);
  for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
    EXPECT_LE(nearest[i], 1) << "no proof leads from input " << i;
    const bool covered = nearest[i] <= options_.theta;
    EXPECT_FALSE(covered && proven.open[i] != 0);
    if (covered || proven.open[i] != 0 || i % 20 != 0) continue;
    for (const std::size_t q : order) {
      const Within answer =
          exact.within(PreparedGraph(inputs_[i]), PreparedGraph(queries_[q]), limit(q, i));
      EXPECT_NE(answer.answer, Answer::kYes) << "input " << i << " is within theta of " << q;
    }
  }
}

// ---- Explanations of samples

/// The model accepts graphs with an odd number of nodes.
class SampledTest : public testing::Test {
 protected:
  SampledTest()
      : data_(prepare(generate({.graphs = 400, .seed = 8, .undesired_share = 0.5, .threads = 1}),
                      generated_metadata())),
        model_(data_.node_labels.size(), 2, [](const Graph& g) {
          const double yes = g.num_nodes() % 2 == 1 ? 0.9 : 0.1;
          return std::vector{1 - yes, yes};
        }) {
    options_.k = 5;
    options_.bonds = false;
    options_.steps = 300;
    options_.refine_work = 5'000'000;
    options_.sample = 40;
  }

  Explanation run(int threads = 1, const ExplainHooks& hooks = {}) {
    ThreadPool pool(threads);
    return explain(data_, model_, options_, pool, hooks);
  }
  verify::Report report(const Explanation& e) {
    ThreadPool pool(1);
    return verify::verify(e, {data_, &model_, e.provenance.dataset_hash, e.provenance.model_hash},
                          pool);
  }
  /// As two files in the folder; returns the first.
  std::filesystem::path write(const Explanation& e) {
    const std::filesystem::path file = folder_.path() / "why.json";
    const ExplanationFiles files = explanation_files(e, file, 0);
    EXPECT_EQ(files.scripts_name, "why.scripts");
    write_file_atomically(folder_.path() / files.scripts_name, files.scripts);
    write_file_atomically(file, files.json);
    return file;
  }

  test::TemporaryFolder folder_;
  Dataset data_;
  test::FakeClassifier model_;
  ExplainOptions options_;
};

TEST_F(SampledTest, AreOfAllInputsRecordedAndTrue) {
  const Explanation e = run();
  ThreadPool pool(1);
  EXPECT_EQ(e.inputs, rejected_graphs(data_, model_, pool).rejected);
  ASSERT_GT(e.inputs.size(), 150U);
  EXPECT_EQ(e.searched, 40U);
  EXPECT_EQ(e.provenance.values_of("sample"), std::vector<std::string>{"40"});
  EXPECT_TRUE(e.costs_are_bounds);
  EXPECT_TRUE(e.complete);
  std::size_t covered = 0;
  for (const Recourse& r : e.recourse) {
    covered += r.covered ? 1U : 0U;
    EXPECT_EQ(r.covered, r.proof->script.has_value());
  }
  EXPECT_GT(covered, 10U);
  EXPECT_DOUBLE_EQ(e.metrics.coverage,
                   static_cast<double>(covered) / static_cast<double>(e.inputs.size()));
  const verify::Report checked = report(e);
  EXPECT_TRUE(checked.holds()) << testing::PrintToString(checked.listed);
  EXPECT_EQ(checked.scripts, covered);
}

TEST_F(SampledTest, AreTheSameForAnyNumberOfThreads) {
  EXPECT_EQ(explanation_json(run(1)), explanation_json(run(3)));
}

TEST_F(SampledTest, CoverAsManyAsTheirGraphsDoByAPlainRecount) {
  const Explanation e = run();
  const std::vector<Graph> inputs = explained_graphs(data_, e);
  GedSolver solver;
  for (const Counterfactual& c : e.counterfactuals) {
    const PreparedGraph to(c.graph);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::int64_t limit = distance_limit(e.theta, inputs[i], c.graph);
      const GedBounds found = solver.look_for(PreparedGraph(inputs[i]), to, limit, 8);
      if (found.upper > limit) continue;
      EXPECT_TRUE(std::ranges::binary_search(c.covers, e.inputs[i]));
    }
  }
}

TEST_F(SampledTest, AreResumedAsTheyWouldHaveEnded) {
  const std::string whole = explanation_json(run());
  std::optional<SavedSearch> saved;
  ExplainHooks hooks;
  hooks.save_seconds = 0;
  hooks.save = [&](const SavedSearch& search) { saved = search; };
  hooks.progress = [&](const ExplainProgress& p) {
    return p.stage != ExplainProgress::Stage::kRefine || p.done < 3'500'000;
  };
  const Explanation part = run(1, hooks);
  EXPECT_FALSE(part.complete);
  EXPECT_TRUE(report(part).holds()) << testing::PrintToString(report(part).listed);
  ASSERT_TRUE(saved && saved->state().refinement);
  const RunSettings settings{{"sample", "40"}};
  const std::string bytes = run_file_bytes({settings, *saved});
  ExplainHooks again;
  again.resume = parse_run_file(bytes, "run", 40, data_.node_labels.size()).search;
  EXPECT_EQ(explanation_json(run(1, again)), whole);
}

TEST_F(SampledTest, AreWhatTheyAreAtWhateverMomentTheyEnd) {
  for (const int calls : {1, 20, 200}) {
    ExplainHooks hooks;
    hooks.progress = [&, left = calls](const ExplainProgress& p) mutable {
      return p.stage == ExplainProgress::Stage::kWalk || --left > 0;
    };
    try {
      const Explanation e = run(1, hooks);
      EXPECT_EQ(e.inputs.size(), e.recourse.size());
      const verify::Report checked = report(e);
      EXPECT_TRUE(checked.holds()) << calls << " " << testing::PrintToString(checked.listed);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("no counterfactual was found")) << calls;
    }
  }
}

TEST_F(SampledTest, TellTheirSampleToWhoChecksThem) {
  Explanation e = run();
  const auto is_false = [&](const Explanation& changed) { return !report(changed).holds(); };
  Explanation other = e;
  other.searched = 41;
  EXPECT_TRUE(is_false(other));
  other = e;
  other.searched.reset();
  EXPECT_TRUE(is_false(other));
  other = e;
  other.costs_are_bounds = false;
  EXPECT_TRUE(is_false(other));
  other = e;
  other.provenance.options.emplace_back("sample", "40");  // twice
  EXPECT_TRUE(is_false(other));
}

// ---- Edits in a file beside

TEST_F(SampledTest, AreReadBackFromTwoFiles) {
  const Explanation e = run();
  const auto file = write(e);
  EXPECT_EQ(parse_explanation(read_file(file), file.string()), e);
  EXPECT_THAT(read_file(file), testing::Not(HasSubstr("proofs")));
  EXPECT_LT(std::filesystem::file_size(folder_.path() / "why.scripts"),
            explanation_json(e).size() / 4);
  EXPECT_TRUE(explanation_files(e, file).scripts.empty());  // not so many of them
  EXPECT_EQ(explanation_files(e, "a.scripts", 0).scripts_name, "a.scripts.scripts");
}

TEST_F(SampledTest, AreRefusedWithAFileThatIsAnother) {
  const Explanation e = run();
  const auto file = write(e);
  const auto beside = folder_.path() / "why.scripts";
  const std::string text = read_file(file);
  const std::string truth = read_file(beside);
  const auto refuses = [&] {
    try {
      (void)parse_explanation(text, file.string());
      return false;
    } catch (const Error&) {
      return true;
    }
  };
  ASSERT_FALSE(refuses());
  Rng rng(5);
  for (int round = 0; round < 200; ++round) {
    std::string other = truth;
    other[rng.below(other.size())] ^= static_cast<char>(1U << rng.below(8));
    write_file_atomically(beside, other);
    EXPECT_TRUE(refuses());
  }
  write_file_atomically(beside, truth.substr(0, truth.size() - 1));
  EXPECT_TRUE(refuses());
  write_file_atomically(beside, truth + '\0');
  EXPECT_TRUE(refuses());
  std::filesystem::remove(beside);
  EXPECT_TRUE(refuses());
  ASSERT_EQ(::mkfifo(beside.c_str(), 0600), 0);  // nobody writes to it
  EXPECT_TRUE(refuses());
}

TEST_F(SampledTest, AreReadOrRefusedWhateverTheBytesBesideAre) {
  const Explanation e = run();
  const ExplanationFiles files = explanation_files(e, "why.json", 0);
  const auto beside = folder_.path() / "why.scripts";
  Rng rng(6);
  std::size_t read = 0;
  for (int round = 0; round < 150; ++round) {
    std::string bytes = files.scripts;
    for (std::uint64_t changes = 1 + rng.below(3); changes > 0; --changes) {
      const std::size_t at = rng.below(bytes.size());
      switch (rng.below(8)) {
        case 0: bytes.erase(at, 1 + rng.below(4)); break;
        case 1: bytes.insert(at, 1, static_cast<char>(rng.next())); break;
        default: bytes[at] ^= 1; break;
      }
    }
    // With the right hash: whoever makes the one file can make the other.
    write_file_atomically(beside, bytes);
    const std::string text = explanation_json(e, {"why.scripts", sha256_hex(bytes), bytes.size()});
    try {
      const Explanation other = parse_explanation(text, (folder_.path() / "why.json").string());
      ++read;
      if (other == e) continue;
      // Lower bounds and what is open are no claims that can be checked, and one set of edits has
      // several scripts.
      bool same = true;
      for (std::size_t i = 0; i < e.recourse.size(); ++i) {
        const Recourse& now = other.recourse[i];
        const Recourse& then = e.recourse[i];
        same = same && now.counterfactual == then.counterfactual &&
               std::abs(now.distance - then.distance) < 1e-12 &&
               now.proof->edits == then.proof->edits;
      }
      EXPECT_TRUE(same || !report(other).holds());
    } catch (const Error&) {
    }
  }
  EXPECT_GT(read, 5U);
}

TEST_F(SampledTest, NameNoFileElsewhere) {
  const Explanation e = run();
  const ExplanationFiles files = explanation_files(e, "why.json", 0);
  for (const char* name : {"../why.scripts", "/etc/passwd", "a/b", "..", ".", ""}) {
    const std::string text =
        explanation_json(e, {name, sha256_hex(files.scripts), files.scripts.size()});
    EXPECT_THROW((void)parse_explanation(text, (folder_.path() / "why.json").string()), Error)
        << name;
  }
}

}  // namespace
}  // namespace fewedits
