// SPDX-License-Identifier: MIT
// Runs that are ended at any moment, by the clock or by a signal: the file says at least what the
// saved run held, and the checker accepts it. FEWEDITS_STOPS says how often; fifty times is among
// the long tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "fewedits/base/rng.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/extend.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "fewedits/formats/open_dataset.hpp"
#include "fewedits/search/run_file.hpp"
#include "fewedits/search/state.hpp"
#include "support/limits.hpp"

namespace fewedits {
namespace {

namespace fs = std::filesystem;
using test::Command;
using test::Outcome;
using Arguments = std::vector<std::string>;

struct Material {
  std::string data;
  std::string model;
  std::size_t labels = 0;
};

/// What ends a run.
enum class End { kTime, kInt, kTerm, kHup, kKill };
constexpr std::array<int, 5> kSignals{0, SIGINT, SIGTERM, SIGHUP, SIGKILL};

class StoppedAnywhereTest : public testing::Test {
 protected:
  StoppedAnywhereTest() {
    for (const int graphs : {150, 300, 600}) {
      Material m;
      m.data = at("data" + std::to_string(graphs));
      const std::string count = std::to_string(graphs);
      const Outcome made =
          test::fewedits({"generate", "--graphs", count, "--seed", count, "-o", m.data});
      EXPECT_EQ(made.code, 0) << made.err;
      m.model = at("model" + count + ".safetensors");
      m.labels = write_model(m.data, m.model);
      materials_.push_back(std::move(m));
    }
  }

  [[nodiscard]] std::string at(const std::string& name) const {
    return (folder_.path() / name).string();
  }

  /// A layer that prefers nitrogen to oxygen; returns how many labels it knows.
  static std::size_t write_model(const std::string& data, const std::string& file) {
    const auto names = label_names(open_dataset(data)).nodes;
    std::vector<float> layer(2 * names.size(), 0);
    for (std::size_t l = 0; l < names.size(); ++l) {
      if (names[l] == "O") layer[2 * l] = 4;
      if (names[l] == "N") layer[2 * l + 1] = 4;
    }
    const auto labels = static_cast<std::int64_t>(names.size());
    write_checkpoint(file, {{"convs.0.weight", Tensor::from_floats({labels, 2}, std::move(layer))},
                            {"fc.weight", Tensor::from_floats({2, 2}, {1, -1, -1, 1})}});
    return names.size();
  }

  [[nodiscard]] Arguments explain(const Material& m, int run, const Arguments& rest) const {
    Arguments out{"explain",
                  "--dataset",
                  m.data,
                  "--model",
                  m.model,
                  "-o",
                  output(run),
                  "--bonds",
                  "ignore",  // with them, there is no walk
                  "--run-dir",
                  at("run" + std::to_string(run)),
                  "--save-seconds",
                  "0",
                  "--patience",
                  "0",
                  "--refine-work",
                  "60000000",  // saved every sixteenth of it
                  "--steps",
                  "40",
                  "--k",
                  "5",
                  "--threads",
                  "1"};
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
  }
  [[nodiscard]] std::string output(int run) const {
    return at("why" + std::to_string(run) + ".json");
  }

  [[nodiscard]] fs::path run_file(int run) const {
    return fs::path(at("run" + std::to_string(run))) / "run.fewedits";
  }

  /// Inputs that the members which the saved run holds cover.
  static std::size_t held(const Material& m, const std::string& saved, std::size_t inputs) {
    const RunFile run = parse_run_file(saved, "run", inputs, m.labels);
    const auto& refinement = run.search.state().refinement;
    if (!refinement) return 0;
    const CertifiedSearchState& s = refinement->search;
    return std::max(s.found.covered(s.best), s.search.archive.covered(s.search.incumbent));
  }

  /// Also after it was killed and resumed: what was held before must not be lost. True if something
  /// was held that could have been.
  bool check(const Material& m, int run, const std::string& before) const {
    const Outcome verified =
        Command({output(run)}, test::OnTerminal::kNothing, FEWEDITS_VERIFY).wait();
    EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
    const Explanation e = parse_explanation(read_file(output(run)), output(run));
    EXPECT_EQ(e.complete, e.ended != RunEnd::kTimeLimit && e.ended != RunEnd::kInterrupted);
    const std::size_t kept = std::max(held(m, read_file(run_file(run)), e.inputs.size()),
                                      before.empty() ? 0 : held(m, before, e.inputs.size()));
    const auto written = static_cast<std::size_t>(std::count_if(
        e.recourse.begin(), e.recourse.end(), [](const Recourse& r) { return r.covered; }));
    EXPECT_GE(written, kept);
    return kept > 0;
  }

  test::TemporaryFolder folder_;
  std::vector<Material> materials_;
};

TEST_F(StoppedAnywhereTest, TheFileSaysWhatTheRunHeldAndTheCheckerAcceptsIt) {
  const char* const asked = std::getenv("FEWEDITS_STOPS");
  const int stops = asked == nullptr ? 10 : std::atoi(asked);
  ASSERT_GT(stops, 0);
  Rng rng(18);
  int held_something = 0;
  for (int run = 0; run < stops; ++run) {
    const auto end = static_cast<End>(run % 5);
    const Material& m = materials_[static_cast<std::size_t>(run / 5 + run) % materials_.size()];
    SCOPED_TRACE(testing::Message() << "run " << run << " on " << m.data);
    std::string killed;  // the run file, then
    const std::chrono::milliseconds delay(rng.below(2500));
    const std::string limit = std::to_string(3 + 0.001 * static_cast<double>(delay.count()));
    if (end == End::kTime) {
      const test::StopWatch watch;
      const Outcome outcome = Command(explain(m, run, {"--time-limit", limit})).wait();
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      EXPECT_LE(watch.seconds(), test::end_of_limit(std::stod(limit)));
    } else {
      Command command(explain(m, run, {}));
      ASSERT_TRUE(test::is_at_work(command));
      std::this_thread::sleep_for(delay);
      Outcome outcome;
      EXPECT_LE(test::seconds_to_end(command, kSignals[static_cast<std::size_t>(end)], outcome),
                test::kEndOfCtrlC);
      if (end == End::kKill) {
        const Arguments more{"--resume", "--time-limit", limit};
        if (!fs::exists(run_file(run))) continue;
        killed = read_file(run_file(run));
        const Outcome resumed = Command(explain(m, run, more)).wait();
        ASSERT_EQ(resumed.code, 0) << resumed.err;
      } else {
        ASSERT_THAT(outcome.code, testing::AnyOf(130, 0)) << outcome.err;
        if (!fs::exists(output(run))) continue;  // "interrupted too early"
      }
    }
    held_something += check(m, run, killed) ? 1 : 0;
  }
  EXPECT_GT(held_something, stops / 4) << "most runs held nothing that could be lost";
}

}  // namespace
}  // namespace fewedits
