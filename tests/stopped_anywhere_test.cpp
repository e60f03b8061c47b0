// SPDX-License-Identifier: MIT
// Runs that are ended at any moment, by the clock or by a signal, and then resumed with less time:
// the file says at least what the saved run held and what was written before, and the checker
// accepts it. FEWEDITS_STOPS says how often; fifty times is among the long tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "fewedits/base/rng.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/extend.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "fewedits/formats/open_dataset.hpp"
#include "fewedits/search/kept.hpp"
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
  std::size_t edge_labels = 0;  ///< if they are used
  std::size_t inputs = 0;
};

/// What ends a run.
enum class End { kTime, kInt, kTerm, kHup, kKill };
constexpr std::array<int, 5> kSignals{0, SIGINT, SIGTERM, SIGHUP, SIGKILL};

/// What runs differ in: some have no refinement, the walk of some is too long for their time, and
/// those that use bonds have no walk.
const std::vector<Arguments> kKinds{
    {"--bonds", "ignore", "--steps", "40"},
    {"--bonds", "ignore", "--steps", "1000", "--no-refine"},
    {"--bonds", "use"},
    {"--bonds", "ignore", "--steps", "100000"},
    {"--bonds", "ignore", "--steps", "100000", "--no-refine"},
};

const Arguments& kind_of(int run) {
  return kKinds[static_cast<std::size_t>(run / 5 + 2 * run) % kKinds.size()];
}

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
      m.edge_labels = GraphView(open_dataset(m.data), true).edge_label_names().size();
      m.inputs = num_inputs(m);
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

  static std::size_t num_inputs(const Material& m) {
    const Dataset data = open_dataset(m.data);
    ThreadPool pool(1);
    return rejected_graphs(data, *open_classifier(m.model, data), pool).rejected.size();
  }

  [[nodiscard]] Arguments explain(const Material& m, int run, const Arguments& rest) const {
    Arguments out{"explain",
                  "--dataset",
                  m.data,
                  "--model",
                  m.model,
                  "-o",
                  output(run),
                  "--run-dir",
                  at("run" + std::to_string(run)),
                  "--save-seconds",
                  "0",
                  "--patience",
                  "0",
                  "--refine-work",
                  "60000000",  // saved every sixteenth of it
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

  [[nodiscard]] std::string saved(int run) const {
    return fs::exists(run_file(run)) ? read_file(run_file(run)) : std::string();
  }

  /// Inputs that the members which the saved run holds cover, whether they are those of a
  /// refinement or what was kept.
  [[nodiscard]] std::size_t held(const Material& m, int run) const {
    const std::string bytes = saved(run);
    if (bytes.empty()) return 0;
    const bool bonds = kind_of(run).at(1) == "use";
    const SavedSearch search =
        parse_run_file(bytes, "run", m.inputs, m.labels, bonds ? m.edge_labels : 0).search;
    const SearchState& state = search.state();
    std::size_t most = covered_by(state.kept, m.inputs);
    if (state.refinement) {
      const CertifiedSearchState& s = state.refinement->search;
      most =
          std::max({most, s.found.covered(s.best), s.search.archive.covered(s.search.incumbent)});
    }
    return most;
  }

  /// Inputs that the file covers, none if there is none; what it says is verified.
  [[nodiscard]] std::size_t written(int run) const {
    if (!fs::exists(output(run))) return 0;
    const Outcome verified =
        Command({output(run)}, test::OnTerminal::kNothing, FEWEDITS_VERIFY).wait();
    EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
    const Explanation e = parse_explanation(read_file(output(run)), output(run));
    EXPECT_EQ(e.complete, e.ended != RunEnd::kTimeLimit && e.ended != RunEnd::kInterrupted);
    return static_cast<std::size_t>(std::count_if(e.recourse.begin(), e.recourse.end(),
                                                  [](const Recourse& r) { return r.covered; }));
  }

  /// Runs it until it is ended that way, after a moment or at a limit.
  void stop(const Material& m, int run, End end, std::chrono::milliseconds after,
            const Arguments& more) const {
    if (end == End::kTime) {
      Arguments limited = more;
      const double limit = 2 + 0.001 * static_cast<double>(after.count());
      limited.insert(limited.end(), {"--time-limit", std::to_string(limit)});
      const test::StopWatch watch;
      const Outcome outcome = Command(explain(m, run, limited)).wait();
      EXPECT_LE(watch.seconds(), test::end_of_limit(limit));
      EXPECT_TRUE(outcome.code == 0 || held(m, run) == 0) << outcome.err;
      return;
    }
    Command command(explain(m, run, more));
    ASSERT_TRUE(test::is_at_work(command));
    std::this_thread::sleep_for(after);
    Outcome outcome;
    EXPECT_LE(test::seconds_to_end(command, kSignals[static_cast<std::size_t>(end)], outcome),
              test::kEndOfCtrlC);
    EXPECT_THAT(outcome.code, testing::AnyOf(130, 0, 1000 + SIGKILL)) << outcome.err;
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
    const Arguments& kind = kind_of(run);
    SCOPED_TRACE(testing::Message()
                 << "run " << run << " on " << m.data << " with " << testing::PrintToString(kind));
    stop(m, run, end, std::chrono::milliseconds(rng.below(1500)), kind);
    const std::size_t before = std::max(held(m, run), written(run));
    EXPECT_GE(written(run), end == End::kKill ? 0 : held(m, run));
    if (!fs::exists(run_file(run))) continue;  // it was ended before anything was saved
    // Resumed with less time than it had, and most often than it needs.
    Arguments more = kind;
    more.insert(more.end(), {"--resume", "--time-limit", "1.5"});
    const Outcome resumed = Command(explain(m, run, more)).wait();
    if (resumed.err.find("was over before the search began") != std::string::npos) continue;
    EXPECT_TRUE(resumed.code == 0 || before == 0) << resumed.err;
    EXPECT_GE(written(run), before);
    EXPECT_GE(written(run), held(m, run));
    held_something += before > 0 ? 1 : 0;
  }
  EXPECT_GT(held_something, stops / 4) << "most runs held nothing that could be lost";
}

}  // namespace
}  // namespace fewedits
