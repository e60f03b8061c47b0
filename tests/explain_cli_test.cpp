// SPDX-License-Identifier: MIT
// `fewedits explain` as a user meets it: the same answer whatever happens on the way, nothing lost,
// nothing overwritten, and words for everything that cannot work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "fewedits/classifier/model_file.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "fewedits/search/baselines/local_state.hpp"
#include "fewedits/search/option_table.hpp"
#include "fewedits/search/run_file.hpp"
#include "fewedits/search/state.hpp"
#include "support/command.hpp"
#include "support/planted.hpp"

namespace fewedits {
namespace {

using std::chrono::milliseconds;
using test::Command;
using test::fewedits;
using test::on_a_terminal;
using test::Outcome;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Words = std::vector<std::string>;

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The same command with other options: what is given again replaces what was given before.
Words changed(Words words, const Words& more) {
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (!more[i].starts_with("--") || more[i] == "--constraint") continue;
    const auto at = std::find(words.begin(), words.end(), more[i]);
    if (at != words.end()) words.erase(at, at + 2);
  }
  return words + more;
}

/// Waits for a file of at least so many bytes.
bool appears(const std::filesystem::path& file, std::uintmax_t bytes) {
  return test::eventually([&] {
    std::error_code absent;
    const auto size = std::filesystem::file_size(file, absent);
    return !absent && size >= bytes;
  });
}

/// What is saved there; nothing if there is none.
std::string saved_state(const std::filesystem::path& run) {
  return std::filesystem::exists(run) ? read_file(run) : "";
}

// ---- Generated data -------------------------------------------------------------------------

class ExplainTest : public testing::Test {
 protected:
  static Words models(const test::Planted& planted = test::planted()) {
    return {"--dataset",     planted.dataset.string(),  "--model",    planted.model.string(),
            "--greed-model", planted.distance.string(), "--distance", "greed"};
  }
  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  /// A run of a second or two.
  static Words short_run() {
    return Words{"explain"} + models() +
           Words{"--steps", "1500", "--k", "5", "--refine-work", "3000"};
  }
  Words with_output(const std::string& name, const Words& more = {}) const {
    return changed(short_run() + Words{"-o", file(name)}, more);
  }
  Words saved_run(const std::string& name, const Words& more = {}) const {
    return changed(with_output(name, {"--run-dir", file("run"), "--save-seconds", "0.01"}), more);
  }

  /// A limit of so many seconds for the search: reading takes longer on some machines.
  Words time_limit(double seconds) const {
    using Seconds = std::chrono::duration<double>;
    const auto start = std::chrono::steady_clock::now();
    (void)fewedits(with_output("read.json", {"--constraint", "min-nodes=1000", "--steps", "1"}));
    const Seconds reading = std::chrono::steady_clock::now() - start;
    return {"--time-limit", std::to_string(seconds + 1.5 * reading.count())};
  }

  /// What an uninterrupted run writes; computed once.
  /// Of a run that goes on to its end after Ctrl-C or a limit, which may have shortened its walk:
  /// what an uninterrupted run gives, or what was held if that covers more.
  void expect_the_result_unless_more_was_held(const Explanation& part) const {
    const std::string text = read_file(file("e.json"));
    if (text == expected()) return;
    const double coverage = parse_explanation(text, "e.json").metrics.coverage;
    EXPECT_GT(coverage, parse_explanation(expected(), "expected").metrics.coverage);
    EXPECT_GE(coverage, part.metrics.coverage);
  }
  static const std::string& expected() {
    static const std::string kText = [] {
      const test::TemporaryFolder folder;
      const std::string out = (folder.path() / "e.json").string();
      const Outcome outcome = fewedits(short_run() + Words{"-o", out});
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      return read_file(out);
    }();
    return kText;
  }

  test::TemporaryFolder folder_;
};

TEST_F(ExplainTest, TheNumberOfThreadsChangesNoByte) {
  for (const std::string threads : {"1", "2", "4"}) {
    const Outcome outcome = fewedits(with_output("e.json", {"--threads", threads}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(read_file(file("e.json")), expected()) << threads << " threads";
  }
  const Explanation e = parse_explanation(expected(), "e.json");
  EXPECT_TRUE(e.complete);
  EXPECT_EQ(e.steps, 1500U);
  EXPECT_EQ(e.counterfactuals.size(), 5U);
}

TEST_F(ExplainTest, MemoryAndSavingChangeNoByteButTheSeedDoes) {
  const Words few{"--steps", "400", "--k", "1", "--no-refine"};
  ASSERT_EQ(fewedits(with_output("e.json", few)).code, 0);
  const Words slow{"--cache-mb", "0", "--save-seconds", "0"};
  ASSERT_EQ(fewedits(saved_run("slow.json", few + slow)).code, 0);
  EXPECT_EQ(read_file(file("e.json")), read_file(file("slow.json")));
  ASSERT_EQ(fewedits(with_output("other.json", few + Words{"--seed", "2"})).code, 0);
  EXPECT_NE(read_file(file("e.json")), read_file(file("other.json")));
}

TEST_F(ExplainTest, TheFileSaysWhatTheModelsSay) {
  const Explanation e = parse_explanation(expected(), "e.json");
  const Dataset data = open_dataset(test::planted().dataset);
  const auto model = open_classifier(test::planted().model, data);
  ThreadPool pool(2);
  const Predictions predicted = predict(data, *model, pool);
  std::vector<std::uint32_t> rejected;
  for (std::uint32_t i = 0; i < data.size(); ++i) {
    if (predicted.predicted[i] != data.desired_class) rejected.push_back(i);
  }
  EXPECT_EQ(e.inputs, rejected);
  ASSERT_EQ(e.counterfactuals.size(), 5U);
  std::vector<bool> covered(data.size(), false);
  for (const Counterfactual& c : e.counterfactuals) {
    EXPECT_GE(c.probability, 0.5);
    EXPECT_TRUE(c.graph.is_connected());
    std::vector<float> logs(2);
    model->log_probabilities({&c.graph, 1}, logs, pool);
    EXPECT_NEAR(std::exp(logs[static_cast<std::size_t>(data.desired_class.value())]), c.probability,
                1e-6);
    std::size_t gain = 0;
    for (const std::uint32_t i : c.covers) {
      gain += covered[i] ? 0U : 1U;
      covered[i] = true;
    }
    EXPECT_EQ(gain, c.gain);
  }
  const auto all = static_cast<double>(std::count(covered.begin(), covered.end(), true));
  EXPECT_DOUBLE_EQ(e.metrics.coverage, all / static_cast<double>(rejected.size()));
}

TEST_F(ExplainTest, KilledAtAnyMomentItGoesOnAsIfNothingHadHappened) {
  Rng rng(2026);
  const auto run = folder_.path() / "run" / "run.fewedits";
  const auto resume = [&] { return std::filesystem::exists(run) ? Words{"--resume"} : Words{}; };
  int resumed = 0;
  for (int kills = 0; kills < 20;) {
    const std::string before = saved_state(run);
    Command command(saved_run("e.json", resume()));
    // Mostly once it got any further, at any moment after that; sometimes before.
    const auto saves = [&] { return command.ended() || saved_state(run) != before; };
    if (kills > 0 && rng.chance(0.8)) {
      ASSERT_TRUE(test::eventually(saves));
    }
    std::this_thread::sleep_for(milliseconds(rng.below(100)));
    command.signal(SIGKILL);
    const Outcome outcome = command.wait();
    if (outcome.code == 1000 + SIGKILL) {
      ++kills;
      resumed += before.empty() || saved_state(run) == before ? 0 : 1;
      continue;
    }
    // It was quicker: once more from the beginning.
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(read_file(file("e.json")), expected());
    std::filesystem::remove_all(file("run"));
  }
  EXPECT_GT(resumed, 5) << "or this says nothing";
  const Outcome last = fewedits(saved_run("e.json", resume()));
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(read_file(file("e.json")), expected());
  // What is done can be resumed too.
  ASSERT_EQ(fewedits(saved_run("again.json", {"--resume"})).code, 0);
  EXPECT_EQ(read_file(file("again.json")), expected());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file("run")), {}), 1)
      << "something was left behind";
}

/// The methods that cut edges, from the data to the check, for any threads, stopped and resumed.
class CutEdgesTest : public ExplainTest {
 protected:
  /// A model that likes what the usual one does not: a nitrogen or an oxygen that has lost its
  /// other neighbours scores high, too, so that cuts lead there.
  CutEdgesTest() {
    test::write_planted_classifier(file("likes.json"), open_dataset(test::planted().dataset), -1);
  }
  [[nodiscard]] Words search(const std::string& method, const Words& settings) const {
    return Words{"explain",
                 "--dataset",
                 test::planted().dataset.string(),
                 "--model",
                 file("likes.json"),
                 "--method",
                 method,
                 "--k",
                 "3",
                 "--prove-work",
                 "20000"} +
           settings;
  }
};

TEST_F(CutEdgesTest, AreCheckedAndResumed) {
  const std::map<std::string, Words> methods{{"cff", {"--cff-steps", "200"}},
                                             {"rcexplainer", {"--rc-epochs", "8"}}};
  for (const auto& [method, settings] : methods) {
    SCOPED_TRACE(method);
    const Words words = search(method, settings);
    for (const Words& isolated : {Words{}, Words{"--keep-isolated"}}) {
      // A mask of cff rarely leaves a part that is accepted.
      if (method == "cff" && isolated.empty()) continue;
      const Words named = words + isolated + Words{"-o", file("e.json")};
      const Outcome outcome = fewedits(named + Words{"--threads", "2"});
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      const Outcome checked =
          Command({file("e.json")}, test::OnTerminal::kNothing, FEWEDITS_VERIFY).wait();
      EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
      const Explanation e = parse_explanation(read_file(file("e.json")), "e.json");
      EXPECT_EQ(e.method, method);
      EXPECT_GE(e.counterfactuals.size(), isolated.empty() ? 1U : 3U)
          << "what adds nothing is listed, too";
      EXPECT_EQ(e.provenance.values_of("keep-isolated").size(), isolated.size());
      EXPECT_EQ(e.provenance.values_of(settings.front().substr(2)), Words{settings.back()});
      EXPECT_EQ(e.steps, 0U);
    }
    // A limit that is over somewhere on the way; then the rest.
    const std::string whole = read_file(file("e.json"));
    const Words run =
        words + Words{"--keep-isolated", "-o", file("part.json"), "--run-dir", file(method),
                      "--save-seconds",  "0",  "--threads",       "1"};
    (void)fewedits(run + time_limit(0.05));
    const bool begun = std::filesystem::exists(folder_.path() / method / "run.fewedits");
    const Outcome rest = fewedits(run + (begun ? Words{"--resume"} : Words{}));
    ASSERT_EQ(rest.code, 0) << rest.err;
    EXPECT_EQ(read_file(file("part.json")), whole);
    if (begun) {
      const Outcome other = fewedits(run + Words{"--resume", "--seed", "9"});
      EXPECT_EQ(other.code, 1);
      EXPECT_THAT(other.err, HasSubstr("another seed"));
    }
  }
}

/// Between two slices of inputs.
TEST_F(CutEdgesTest, CtrlCWritesWhatWasFoundAndTheRestFollows) {
  const Words words = search("cff", {"--cff-steps", "3000", "--keep-isolated", "--threads", "1"});
  ASSERT_EQ(fewedits(words + Words{"-o", file("whole.json")}).code, 0);
  const Explanation whole = parse_explanation(read_file(file("whole.json")), "whole.json");
  const Words run =
      words + Words{"-o", file("part.json"), "--run-dir", file("run"), "--save-seconds", "0"};
  const auto saved = folder_.path() / "run" / "run.fewedits";
  const auto found = [&] {
    const std::string state = saved_state(saved);
    if (state.empty()) return false;
    const RunFile file =
        parse_run_file(state, "run.fewedits", whole.inputs.size(), whole.label_names.size());
    const auto& local = file.search.state().local;
    return local && !local->found.empty();
  };
  Command command(run);
  ASSERT_TRUE(test::eventually([&] { return command.ended() || found(); }));
  const Outcome outcome = test::interrupted(command);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("interrupted; this is the best so far"), HasSubstr("--resume")));
  const Explanation part = parse_explanation(read_file(file("part.json")), "part.json");
  EXPECT_FALSE(part.complete);
  EXPECT_GT(part.counterfactuals.size(), 0U);
  const Outcome checked =
      Command({file("part.json")}, test::OnTerminal::kNothing, FEWEDITS_VERIFY).wait();
  EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
  const Outcome rest = fewedits(run + Words{"--resume"});
  ASSERT_EQ(rest.code, 0) << rest.err;
  EXPECT_EQ(read_file(file("part.json")), read_file(file("whole.json")));
}

TEST_F(CutEdgesTest, GiveAGraphAloneItsRecourse) {
  const Words words =
      search("cff", {"--cff-steps", "200", "--keep-isolated", "-o", file("e.json")});
  const Outcome explained = fewedits(words);
  ASSERT_EQ(explained.code, 0) << explained.err;
  const Explanation e = parse_explanation(read_file(file("e.json")), "e.json");
  const Dataset data = open_dataset(test::planted().dataset);
  const std::uint32_t origin = e.counterfactuals.front().origin.value();
  const Words alone{"recourse", file("e.json"), "--graph", std::to_string(origin), "--script"};
  const Outcome outcome = fewedits(alone + Words{"--json", "--local", "cff"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report["local_method"], "cff");
  const auto& local = report["recourse"][0]["local"];
  // What explain gave that graph: settings, seed and keep-isolated are the file's.
  const Graph& found = e.counterfactuals.front().graph;
  EXPECT_EQ(local["labels"].get<std::vector<Label>>(),
            std::vector<Label>(found.labels().begin(), found.labels().end()));
  std::vector<Edge> edges;
  for (const auto& edge : local["edges"]) edges.push_back({edge[0], edge[1], 0});
  EXPECT_EQ(edges, found.edges());
  EXPECT_LE(local["edits"].get<std::size_t>(), data.graphs[origin].num_edges() - found.num_edges());
  EXPECT_LE(local["edits_lower"], local["edits"]);
  EXPECT_EQ(local["script"].size(), local["edits"].get<std::size_t>());

  EXPECT_THAT(fewedits(alone + Words{"--local", "rcexplainer"}).out, HasSubstr("  alone: "));
  EXPECT_THAT(fewedits(alone + Words{"--local"}).out, HasSubstr("  alone: "));
  EXPECT_THAT(fewedits(alone + Words{"--local", "search"}).out,
              testing::Eq(fewedits(alone + Words{"--local"}).out));
  const Outcome frozen = fewedits(alone + Words{"--freeze", "0", "--local", "cff"});
  EXPECT_EQ(frozen.code, 1);
  EXPECT_THAT(frozen.err, HasSubstr("--freeze does not go with --local cff"));
  EXPECT_EQ(fewedits(alone + Words{"--local", "guess"}).code, 2);
}

TEST_F(ExplainTest, CtrlCWritesTheBestSoFar) {
  Command command(saved_run("part.json"));
  ASSERT_TRUE(appears(folder_.path() / "run/run.fewedits", 3000));
  command.signal(SIGINT);
  const Outcome outcome = command.wait();
  ASSERT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("interrupted after"), HasSubstr("--resume")));
  const Explanation part = parse_explanation(read_file(file("part.json")), "part.json");
  EXPECT_FALSE(part.complete);
  EXPECT_LT(part.steps, 1500U);
  EXPECT_GT(part.counterfactuals.size(), 0U);
  const Outcome rest = fewedits(saved_run("e.json", {"--resume"}));
  ASSERT_EQ(rest.code, 0) << rest.err;
  expect_the_result_unless_more_was_held(part);
}

/// What a graph is found to cover depends on where it is seen from: all the more must be saved.
TEST_F(ExplainTest, ACertifiedSearchIsTheSameForAnyThreadsAndAfterEveryResume) {
  const Words certified{"--distance", "certified", "--steps", "300", "--no-refine", "--k", "2"};
  ASSERT_EQ(fewedits(with_output("e.json", certified + Words{"--threads", "1"})).code, 0);
  ASSERT_EQ(fewedits(with_output("more.json", certified + Words{"--threads", "3"})).code, 0);
  EXPECT_EQ(read_file(file("e.json")), read_file(file("more.json")));
  int rounds = 0;
  for (bool complete = false; !complete && rounds < 50; ++rounds) {
    const Words resume = rounds > 0 ? Words{"--resume"} : Words{};
    const Words limit = rounds < 20 ? time_limit(0.1) : Words{};
    const Outcome outcome = fewedits(saved_run("part.json", certified + limit + resume));
    if (outcome.code != 0) {
      ASSERT_THAT(outcome.err, HasSubstr("no counterfactual was found"));
      continue;
    }
    complete = parse_explanation(read_file(file("part.json")), "part.json").complete;
  }
  EXPECT_GT(rounds, 1);
  ASSERT_EQ(fewedits(saved_run("part.json", certified + Words{"--resume"})).code, 0);
  EXPECT_EQ(read_file(file("e.json")), read_file(file("part.json")));
  const Words greed{"--distance", "greed", "--steps", "300", "--no-refine", "--k", "2", "--resume"};
  const Outcome other = fewedits(saved_run("part.json", greed));
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, HasSubstr("another distance"));
}

/// The default: certified, refined, proven.
TEST_F(ExplainTest, ProofsAreTheSameForAnyNumberOfThreads) {
  const Words certified{"--distance", "certified", "--steps", "100", "--refine-work", "30000000"};
  ASSERT_EQ(fewedits(with_output("e.json", certified + Words{"--threads", "1"})).code, 0);
  for (const char* const threads : {"2", "4"}) {
    ASSERT_EQ(fewedits(with_output("more.json", certified + Words{"--threads", threads})).code, 0);
    EXPECT_EQ(read_file(file("e.json")), read_file(file("more.json"))) << threads;
  }
  const Explanation e = parse_explanation(read_file(file("e.json")), "e.json");
  ASSERT_TRUE(e.metrics.coverage_upper);
  EXPECT_GT(e.metrics.coverage, 0.1);
  EXPECT_LE(e.metrics.coverage, *e.metrics.coverage_upper);
  ASSERT_EQ(e.recourse.size(), e.inputs.size());
  for (const Recourse& r : e.recourse) {
    ASSERT_TRUE(r.proof);
    EXPECT_EQ(r.proof->script.has_value(), r.covered);
  }
}

/// From the data to the page. Searches of seconds: that something is covered, not how much.
TEST_F(ExplainTest, EveryDistanceCoversSomethingAndOnlyCertifiedSaysProven) {
  const std::map<std::string, Words> searches{
      {"certified", {"--steps", "50", "--refine-work", "5000000"}},
      {"greed", {"--steps", "600", "--refine-work", "1000"}},
      {"wl", {"--steps", "100", "--refine-work", "300", "--max-neighbours", "100"}},
      {"rw", {"--steps", "100", "--refine-work", "300", "--max-neighbours", "100"}},
      {"nspd", {"--steps", "40", "--refine-work", "100", "--max-neighbours", "50"}}};
  for (const auto& [distance, search] : searches) {
    SCOPED_TRACE(distance);
    const auto says = distance == "certified"
                          ? testing::Matcher<std::string>(
                                AllOf(HasSubstr(" % proven"), Not(HasSubstr("claimed"))))
                          : AllOf(HasSubstr(" % claimed"), Not(HasSubstr("proven")));
    const Outcome explained =
        fewedits(with_output("e.json", search + Words{"--distance", distance, "--k", "2"}));
    ASSERT_EQ(explained.code, 0) << explained.err;
    EXPECT_THAT(explained.out, says);
    const Explanation e = parse_explanation(read_file(file("e.json")), "e.json");
    EXPECT_EQ(e.distance, distance);
    EXPECT_GT(e.metrics.coverage, 0);
    EXPECT_EQ(e.metrics.coverage_upper.has_value(), distance == "certified");

    const Words evaluate{"evaluate", file("e.json"), "--distance", distance};
    EXPECT_THAT(fewedits(evaluate).out, says);
    const Outcome evaluated = fewedits(evaluate + Words{"--json"});
    ASSERT_EQ(evaluated.code, 0) << evaluated.err;
    const auto figures = nlohmann::json::parse(evaluated.out);
    EXPECT_EQ(figures["theta"], e.theta);
    if (distance == "certified") {
      EXPECT_GE(figures["metrics"]["coverage"], e.metrics.coverage);
    } else {
      EXPECT_EQ(figures["metrics"]["coverage"], e.metrics.coverage);
    }

    const Outcome reported = fewedits({"report", file("e.json"), "-o", file("e.html")});
    ASSERT_EQ(reported.code, 0) << reported.err;
    // Of the page, what its words follow from; the page itself would be a long message.
    const std::string proven = R"("distance_meaning":"proven edits")";
    EXPECT_EQ(read_file(file("e.html")).find(proven) != std::string::npos, distance == "certified");
  }
}

bool is_refining(const std::string& run, const Explanation& of) {
  if (run.empty()) return false;
  const RunFile parsed =
      parse_run_file(run, "run.fewedits", of.inputs.size(), of.label_names.size());
  return parsed.search.state().refinement.has_value();
}

TEST_F(ExplainTest, ARefinementStoppedAtAnyMomentGoesOnAsIfNothingHadHappened) {
  const Words certified{"--distance",    "certified", "--steps",        "50",
                        "--refine-work", "40000000",  "--save-seconds", "0"};
  ASSERT_EQ(fewedits(with_output("whole.json", certified)).code, 0);
  const Explanation whole = parse_explanation(read_file(file("whole.json")), "whole.json");
  Rng rng(5);
  const auto run = folder_.path() / "run" / "run.fewedits";
  // A run that is killed before it saves anything goes on from where the last one was: some may be.
  int refining = 0;
  std::string before;
  for (int kills = 0; kills < 20; ++kills) {
    const bool begun = std::filesystem::exists(run);
    Command command(saved_run("e.json", certified + (begun ? Words{"--resume"} : Words{})));
    const auto refines = [&] {
      const std::string state = saved_state(run);
      return command.ended() || (state != before && is_refining(state, whole));
    };
    if (kills < 2 || rng.chance(0.8)) {
      ASSERT_TRUE(test::eventually(refines));
    }
    std::this_thread::sleep_for(milliseconds(rng.below(60)));
    constexpr std::array kSignals{SIGKILL, SIGINT, SIGHUP};
    command.signal(kSignals[rng.below(kSignals.size())]);
    if (command.wait().code == 0) break;
    before = saved_state(run);
    if (is_refining(before, whole)) ++refining;
  }
  EXPECT_GT(refining, 3) << "or this says nothing";
  const Words resume = std::filesystem::exists(run) ? certified + Words{"--resume"} : certified;
  ASSERT_EQ(fewedits(saved_run("e.json", resume)).code, 0);
  // What was held at a stop, its proofs made better there, is kept where it is more.
  const std::string resumed = read_file(file("e.json"));
  if (parse_explanation(resumed, "e.json").metrics.coverage <= whole.metrics.coverage) {
    EXPECT_EQ(resumed, read_file(file("whole.json")));
  }
}

TEST_F(ExplainTest, CtrlCBeforeAnythingWasFoundIsNoFailure) {
  Command command(saved_run("e.json", {"--constraint", "min-nodes=500", "--steps", "100000000"}));
  ASSERT_TRUE(appears(folder_.path() / "run/run.fewedits", 1));
  command.signal(SIGTERM);
  const Outcome outcome = command.wait();
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("interrupted"), HasSubstr("no counterfactual was found")));
  EXPECT_FALSE(std::filesystem::exists(file("e.json")));
}

TEST_F(ExplainTest, ATimeLimitEndsTheWalkAndLaterItGoesOn) {
  // Until something was found; how many steps that takes depends on the machine.
  Outcome limited;
  for (int round = 0; round < 20 && !std::filesystem::exists(file("part.json")); ++round) {
    limited = fewedits(
        saved_run("part.json", time_limit(0.3) + (round > 0 ? Words{"--resume"} : Words{})));
    ASSERT_TRUE(limited.code == 0 ||
                limited.err.find("no counterfactual was found") != std::string::npos)
        << limited.err;
  }
  const Explanation part = parse_explanation(read_file(file("part.json")), "part.json");
  EXPECT_FALSE(part.complete);
  EXPECT_LT(part.steps, 1500U);
  EXPECT_EQ(limited.code, 0);
  ASSERT_EQ(fewedits(saved_run("e.json", {"--resume"})).code, 0);
  expect_the_result_unless_more_was_held(part);
}

TEST_F(ExplainTest, ARunIsNeverOverwrittenOrMixedWithAnother) {
  ASSERT_EQ(fewedits(saved_run("first.json", {"--steps", "400", "--no-refine", "--k", "1"})).code,
            0);
  const auto run = folder_.path() / "run" / "run.fewedits";
  const std::string before = read_file(run);
  const auto refuse = [&](const Words& arguments, const std::string& why) {
    const Outcome outcome = fewedits(arguments);
    EXPECT_EQ(outcome.code, 1) << why;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("run.fewedits"), HasSubstr(why)));
    EXPECT_EQ(read_file(run), before);
    EXPECT_FALSE(std::filesystem::exists(file("e.json")));
  };
  const Words same{"--steps", "400", "--no-refine", "--k", "1"};
  refuse(saved_run("e.json", same), "resume it, or choose another folder");
  refuse(saved_run("e.json", same + Words{"--resume", "--seed", "2"}), "another seed");
  refuse(saved_run("e.json", {"--steps", "401", "--no-refine", "--k", "1", "--resume"}),
         "another steps: '400' then, '401' now");
  refuse(saved_run("e.json", same + Words{"--resume", "--alpha", "0.25"}), "another alpha");
  refuse(saved_run("e.json", same + Words{"--resume", "--no-importance"}), "no-importance");
  refuse(saved_run("e.json", same + Words{"--resume", "--constraint", "max-nodes=90"}),
         "another constraint");
  refuse(saved_run("e.json", same + Words{"--resume", "--desired-class", "0"}), "another dataset");
  const Words run_options{"-o", file("e.json"), "--run-dir", file("run"), "--resume"};
  std::filesystem::create_directory(file("others"));
  const test::Planted others = test::make_planted(file("others"), {.seed = 2});
  refuse(Words{"explain"} + models(others) + same + run_options, "another dataset");
  // A classifier of the same shape, one weight of it changed.
  LoadedModel loaded = load_model(test::planted().model);
  loaded.weights.at("fc.bias") = Tensor::from_floats({2}, {-17.875F, 0.0F});
  write_checkpoint(folder_.path() / "other.pt", loaded.weights);
  folder_.write("other.json", to_json({loaded.spec, "other.pt"}));
  refuse(saved_run("e.json", same + Words{"--resume", "--model", file("other.pt")}),
         "another model");
}

TEST_F(ExplainTest, ADamagedRunIsRefused) {
  const Words few{"--steps", "400", "--no-refine", "--k", "1"};
  ASSERT_EQ(fewedits(saved_run("first.json", few)).code, 0);
  const std::string good = read_file(folder_.path() / "run/run.fewedits");
  std::string flipped = good;
  flipped[good.size() / 2] ^= 1;
  for (const std::string& bad : {flipped, good.substr(0, good.size() / 2), std::string("no run"),
                                 std::string(), good + "x"}) {
    folder_.write("run/run.fewedits", bad);
    const Outcome outcome = fewedits(saved_run("e.json", few + Words{"--resume"}));
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("run.fewedits"));
    EXPECT_EQ(read_file(folder_.path() / "run/run.fewedits"), bad);
  }
  folder_.write("run/run.fewedits", good);
  EXPECT_EQ(fewedits(saved_run("e.json", few + Words{"--resume"})).code, 0);
  const Outcome none =
      fewedits(with_output("e.json", {"--run-dir", file("elsewhere"), "--resume"}));
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("no run to resume"));
  EXPECT_FALSE(std::filesystem::exists(file("elsewhere")));
}

TEST_F(ExplainTest, AFullDiskIsToldAndTheWalkGoesOn) {
  // Files of the program may have 1 KiB at most; what it says goes through pipes.
  std::string command = "( ( trap '' XFSZ; ulimit -f 2; exec " + std::string(FEWEDITS_CLI);
  for (const std::string& word : saved_run("-", {"--steps", "400", "--k", "1", "--no-refine"})) {
    command += " '" + (word == file("-") ? std::string("-") : word) + "'";
  }
  command +=
      " 2>&3; echo $? >&3 ) | cat > '" + file("out") + "' ) 3>&1 | cat > '" + file("err") + "'";
  // exec ends the shell before its echo; a subshell keeps it.
  command.replace(command.find("exec "), 5, "");
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string err = read_file(file("err"));
  EXPECT_THAT(
      err, AllOf(HasSubstr("run.fewedits"), HasSubstr("could not be saved"), HasSubstr("\n0\n")));
  EXPECT_EQ(err.find("could not be saved"), err.rfind("could not be saved")) << "once is enough";
  const Explanation e = parse_explanation(read_file(file("out")), "out");
  EXPECT_TRUE(e.complete);
  EXPECT_EQ(e.steps, 400U);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "run")) {
    EXPECT_THAT(entry.path().string(), Not(testing::EndsWith(".tmp")));
  }
}

TEST_F(ExplainTest, TwoRunsDoNotShareAFolder) {
  const Words hours{"--steps", "1000000000"};
  Command first(saved_run("e.json", hours));
  EXPECT_TRUE(appears(folder_.path() / "run/run.fewedits", 1));
  for (const Words& more : {Words{}, Words{"--resume"}}) {
    const Outcome second = fewedits(saved_run("other.json", hours + more));
    EXPECT_EQ(second.code, 1);
    EXPECT_THAT(second.err, AllOf(HasSubstr(file("run")), HasSubstr("another fewedits")));
    EXPECT_FALSE(std::filesystem::exists(file("other.json")));
  }
  first.signal(SIGKILL);
  first.wait();
  const Outcome later =
      fewedits(saved_run("other.json", hours + Words{"--resume"} + time_limit(1)));
  EXPECT_TRUE(later.code == 0 || later.err.find("no counterfactual was found") != std::string::npos)
      << later.err;
}

TEST_F(ExplainTest, ARunFolderThatVanishesIsToldAndTheSearchGoesOn) {
  Command command(saved_run("e.json"));
  ASSERT_TRUE(appears(folder_.path() / "run/run.fewedits", 1));
  // The program may be writing at this moment.
  std::error_code busy;
  for (int i = 0; i < 100 && std::filesystem::exists(file("run")); ++i) {
    std::filesystem::remove_all(file("run"), busy);
  }
  const Outcome outcome = command.wait();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("could not be saved"));
  EXPECT_EQ(read_file(file("e.json")), expected());
}

TEST_F(ExplainTest, OnATerminalItTellsHowFarItIs) {
  const Words a_second{"--steps", "1000000000", "--time-limit", "1", "--k", "1", "--no-refine"};
  const std::string shown = on_a_terminal(with_output("e.json", a_second));
  EXPECT_THAT(shown, AllOf(HasSubstr("░ "), HasSubstr(" left, "),
                           HasSubstr(" % covered by candidates"), Not(HasSubstr("steps"))));
  // Of the whole run: it goes up, and to the end.
  int last = 0;
  const std::regex percent("[█░] ([0-9]+) %, ");
  for (std::sregex_iterator it(shown.begin(), shown.end(), percent), end; it != end; ++it) {
    EXPECT_GE(std::stoi((*it)[1]), last);
    last = std::stoi((*it)[1]);
  }
  EXPECT_GE(last, 60);
  const Outcome piped = fewedits(with_output("e.json", a_second));
  EXPECT_THAT(piped.err, Not(HasSubstr(" left, ")));
}

TEST_F(ExplainTest, TiesAreAnOptionLikeOthers) {
  const Words plain{"--no-refine", "--k", "2"};
  for (const std::string ties : {"coverage", "earliest"}) {
    ASSERT_EQ(fewedits(with_output("e.json", plain + Words{"--ties", ties})).code, 0);
    const Explanation e = parse_explanation(read_file(file("e.json")), "e.json");
    EXPECT_EQ(std::count(e.provenance.options.begin(), e.provenance.options.end(),
                         std::pair<std::string, std::string>("ties", "earliest")),
              ties == "earliest" ? 1 : 0);
  }
}

TEST_F(ExplainTest, AModelOfAnotherDatasetIsDoubted) {
  // The same labels, so that nothing else gives it away; k ends the run before it searches.
  const Dataset data = open_dataset(test::planted().dataset);
  test::write_planted_classifier(folder_.path() / "opposite.json", data, -1);
  const auto outcome = [&](const Words& more) {
    return fewedits(with_output("e.json", Words{"--k", "1000000"} + more));
  };
  EXPECT_THAT(outcome({"--model", file("opposite.json")}).err,
              HasSubstr("Is it the model of this dataset?"));
  EXPECT_THAT(outcome({}).err, Not(HasSubstr("Is it the model of this dataset?")));
}

TEST_F(ExplainTest, MoreThanIsKeptCannotBeChosen) {
  const Outcome outcome = fewedits(with_output("e.json", {"--k", "1000000"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("k is 1000000, and the walk keeps"), HasSubstr("smaller k")));
  EXPECT_FALSE(std::filesystem::exists(file("e.json")));
}

TEST_F(ExplainTest, FewerThanKAreAResultWithANote) {
  const Outcome outcome = fewedits(with_output("e.json", {"--k", "250", "--steps", "300"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Explanation e = parse_explanation(read_file(file("e.json")), "e.json");
  ASSERT_GT(e.counterfactuals.size(), 0U);
  EXPECT_LT(e.counterfactuals.size(), 250U);
  EXPECT_THAT(outcome.err, HasSubstr("instead of 250: no other accepted graph was found"));
}

TEST_F(ExplainTest, NumbersThatMakeNoSenseAreRefusedAtOnce) {
  const double before = test::computed_by_commands();
  const std::vector<std::pair<Words, int>> wrong{{{"--theta", "0"}, 2},
                                                 {{"--theta", "1"}, 2},
                                                 {{"--theta", "-0.1"}, 2},
                                                 {{"--theta", "nan"}, 2},
                                                 {{"--theta", "inf"}, 2},
                                                 {{"--theta", "many"}, 2},
                                                 {{"--walk-theta", "nan"}, 2},
                                                 {{"--walk-theta", "0"}, 2},
                                                 {{"--alpha", "1.5"}, 2},
                                                 {{"--alpha", "nan"}, 2},
                                                 {{"--teleport", "0"}, 2},
                                                 {{"--teleport", "nan"}, 2},
                                                 {{"--min-probability", "1"}, 2},
                                                 {{"--k", "0"}, 2},
                                                 {{"--k", "-3"}, 2},
                                                 {{"--steps", "0"}, 2},
                                                 {{"--steps", "1e6"}, 2},
                                                 {{"--steps", "99999999999999999999999"}, 2},
                                                 {{"--capacity", "0"}, 2},
                                                 {{"--time-limit", "-1"}, 2},
                                                 {{"--time-limit", "nan"}, 2},
                                                 {{"--time-limit", "long"}, 2},
                                                 {{"--refine-work", "-1"}, 2},
                                                 {{"--ties", "never"}, 2},
                                                 {{"--wl-iterations", "1.5"}, 2},
                                                 {{"--save-seconds", "nan"}, 2},
                                                 {{"--seed", "-1"}, 2},
                                                 {{"--method", "magic"}, 2},
                                                 {{"--distance", "ruler"}, 2},
                                                 {{"--threads", "-1"}, 2},
                                                 {{"--constraint", "max-nodes=few"}, 2},
                                                 {{"--constraint", "labels=Xx"}, 1},
                                                 {{"--resume"}, 1}};
  for (const auto& [words, code] : wrong) {
    const Outcome outcome = fewedits(with_output("e.json", words));
    EXPECT_EQ(outcome.code, code) << testing::PrintToString(words) << outcome.err;
    EXPECT_FALSE(outcome.err.empty());
    EXPECT_FALSE(std::filesystem::exists(file("e.json")));
  }
  EXPECT_LT(test::computed_by_commands() - before, 60);
}

TEST_F(ExplainTest, AConstraintThatForbidsEverythingLeavesNothing) {
  const std::vector<std::pair<std::string, std::string>> forbidding{
      {"min-nodes=1000", "no counterfactual was found"},
      {"max-degree=0", "no counterfactual was found"},
      {"max-nodes=0", "leaves no graph"},
      {"labels=Cu", "names a label"}};
  for (const std::string distance : {"greed", "certified"}) {
    for (const auto& [constraint, message] : forbidding) {
      const Outcome outcome =
          fewedits(with_output("e.json", {"--distance", distance, "--steps", "100", "--refine-work",
                                          "1000000", "--constraint", constraint}));
      EXPECT_EQ(outcome.code, 1) << constraint;
      EXPECT_THAT(outcome.err, HasSubstr(message));
      EXPECT_FALSE(std::filesystem::exists(file("e.json")));
    }
  }
}

TEST_F(ExplainTest, ConstraintsHold) {
  ASSERT_EQ(fewedits(with_output("e.json", {"--constraint", "max-nodes=12", "--constraint",
                                            "labels=C,N,O", "--k", "2"}))
                .code,
            0);
  const Explanation e = parse_explanation(read_file(file("e.json")), "e.json");
  ASSERT_EQ(e.counterfactuals.size(), 2U);
  for (const Counterfactual& c : e.counterfactuals) {
    EXPECT_LE(c.graph.num_nodes(), 12U);
    for (const Label l : c.graph.labels()) {
      EXPECT_THAT((Words{"C", "N", "O"}), testing::Contains(e.label_names[l]));
    }
  }
}

TEST_F(ExplainTest, DegreesFitTheirElementsUnderTheValenceConstraint) {
  const Words certified{"--distance", "certified", "--steps", "50", "--refine-work", "5000000"};
  ASSERT_EQ(fewedits(with_output("e.json", certified + Words{"--constraint", "valence"})).code, 0);
  const Explanation e = parse_explanation(read_file(file("e.json")), "e.json");
  ASSERT_EQ(e.counterfactuals.size(), 5U);
  const std::map<std::string, std::size_t> most{{"C", 4}, {"N", 3}, {"O", 2},
                                                {"H", 1}, {"F", 1}, {"Cl", 1}};
  std::size_t known = 0;
  for (const Counterfactual& c : e.counterfactuals) {
    for (Node v = 0; v < c.graph.num_nodes(); ++v) {
      const auto it = most.find(e.label_names[c.graph.label(v)]);
      if (it == most.end()) continue;
      ++known;
      // Nitrogen may carry a charge.
      EXPECT_LE(c.graph.degree(v), it->second + (it->first == "N" ? 1 : 0)) << it->first;
    }
  }
  EXPECT_GT(known, 20U);
}

TEST_F(ExplainTest, ModelsOfOtherDataAreRefused) {
  // Made for a dataset with fewer labels.
  Dataset fewer = open_dataset(test::planted().dataset);
  fewer.node_labels.pop_back();
  test::write_planted_classifier(folder_.path() / "fewer.json", fewer);
  std::filesystem::remove(file("fewer.json"));
  test::write_planted_distance(folder_.path() / "fewer.pt", fewer.node_labels.size());
  const auto refuse = [&](const Words& more, const std::string& message) {
    const Outcome outcome = fewedits(with_output("e.json", more));
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr(message));
  };
  refuse({"--greed-model", file("fewer.pt")}, "node labels");
  refuse({"--model", file("fewer.safetensors")}, "node labels");
  // A distance model is no classifier, and the other way round.
  refuse({"--model", test::planted().distance.string()}, test::planted().distance.string());
  std::filesystem::path weights = test::planted().model;
  weights.replace_extension(".safetensors");
  refuse({"--greed-model", weights.string()}, weights.string());
  EXPECT_FALSE(std::filesystem::exists(file("e.json")));
}

TEST_F(ExplainTest, WhereItCannotWriteItDoesNotStart) {
  const double before = test::computed_by_commands();
  const auto refuse = [&](const Words& arguments, const std::string& what) {
    const Outcome outcome = fewedits(arguments);
    EXPECT_EQ(outcome.code, 1) << what;
    EXPECT_THAT(outcome.err, HasSubstr(what));
  };
  refuse(with_output("no/such/e.json"), "no such folder");
  std::filesystem::create_directory(file("folder"));
  refuse(with_output("folder"), "is a folder");
  refuse(with_output("e.json", {"--export", file("no/such/e.graphml")}), "no such folder");
  folder_.write("taken", "a file");
  refuse(with_output("e.json", {"--run-dir", file("taken")}), "taken");
  refuse(with_output("e.json", {"--run-dir", file("taken/deeper")}), "taken");
  refuse(with_output("run/run.fewedits", {"--run-dir", file("run")}), "run.fewedits");
  std::filesystem::create_directory(file("run"));
  refuse(with_output("run/run.fewedits", {"--run-dir", file("run")}), "where the run is saved");
  refuse(with_output("run/../run/run.fewedits", {"--run-dir", file("./run")}),
         "where the run is saved");
  EXPECT_LT(test::computed_by_commands() - before, 30);
}

TEST_F(ExplainTest, JsonOnStdoutIsAlone) {
  const Words few{"--steps", "400", "--k", "1", "--no-refine"};
  ASSERT_EQ(fewedits(with_output("e.json", few)).code, 0);
  const Outcome outcome = fewedits(changed(short_run(), few) + Words{"-o", "-"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, read_file(file("e.json")));
  EXPECT_THAT(outcome.err, HasSubstr("coverage"));
}

TEST_F(ExplainTest, TheBaselineTakesGraphsOfTheData) {
  const Outcome outcome =
      fewedits(with_output("e.json", {"--method", "ground-truth", "--k", "10"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Explanation e = parse_explanation(read_file(file("e.json")), "e.json");
  EXPECT_EQ(e.method, "ground-truth");
  const Dataset data = open_dataset(test::planted().dataset);
  ASSERT_EQ(e.counterfactuals.size(), 10U);
  for (const Counterfactual& c : e.counterfactuals) {
    EXPECT_EQ(c.graph, data.graphs[c.origin.value()].without_edge_labels());
  }
}

TEST_F(ExplainTest, TheBaselineKeepsToTheMarginAndCanBeStopped) {
  const Words certified{"--method", "ground-truth", "--distance", "certified"};
  const Words sure{"--min-probability", "0.9", "--k", "3"};
  ASSERT_EQ(fewedits(with_output("e.json", certified + sure)).code, 0);
  const Explanation e = parse_explanation(read_file(file("e.json")), "e.json");
  ASSERT_EQ(e.counterfactuals.size(), 3U);
  for (const Counterfactual& c : e.counterfactuals) EXPECT_GE(c.probability, 0.9);
  EXPECT_THAT(e.provenance.values_of("min-probability"), testing::ElementsAre("0.9"));
  const Outcome limited =
      fewedits(with_output("part.json", certified + sure + Words{"--time-limit", "0.000001"}));
  EXPECT_FALSE(limited.code == 0 &&
               parse_explanation(read_file(file("part.json")), "part.json").complete);
  const Outcome saved = fewedits(saved_run("other.json", certified));
  EXPECT_EQ(saved.code, 1);
  EXPECT_THAT(saved.err, HasSubstr("--run-dir does not go with --method ground-truth"));
}

TEST_F(ExplainTest, MoreWorkOnProofsIsRecorded) {
  const Words certified{"--distance", "certified", "--steps", "50", "--refine-work", "1000000"};
  ASSERT_EQ(fewedits(with_output("little.json", certified + Words{"--prove-work", "1"})).code, 0);
  ASSERT_EQ(fewedits(with_output("standard.json", certified)).code, 0);
  const Explanation little = parse_explanation(read_file(file("little.json")), "little.json");
  const Explanation standard = parse_explanation(read_file(file("standard.json")), "standard.json");
  EXPECT_THAT(little.provenance.values_of("prove-work"), testing::ElementsAre("1"));
  EXPECT_TRUE(standard.provenance.values_of("prove-work").empty());
  EXPECT_LE(little.metrics.coverage, standard.metrics.coverage);
  EXPECT_GE(*little.metrics.coverage_upper, *standard.metrics.coverage_upper);
}

// ---- Models made by hand ----------------------------------------------------------------------

class ExplainHandMadeTest : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome made = fewedits({"generate", "--graphs", "40", "-o", data_.string()});
    ASSERT_EQ(made.code, 0) << made.err;
    labels_ = open_dataset(data_).node_labels.size();
    write_distance_model();
  }

  /// Class 1 where some node and its neighbourhood score above a limit; without scores, where the
  /// limit is below 0.
  void write_classifier(float limit, bool scores = false) {
    const auto labels = static_cast<std::int64_t>(labels_);
    std::vector<float> values;
    for (std::size_t l = 0; l < labels_; ++l)
      values.push_back(1.0F + 0.37F * static_cast<float>(l));
    StateDict weights;
    weights["convs.0.weight"] = Tensor::from_floats({labels, 1}, values);
    weights["convs.0.bias"] = Tensor::from_floats({1}, {0});
    weights["fc.weight"] = Tensor::from_floats({2, 1}, {0, scores ? 1.0F : 0.0F});
    weights["fc.bias"] = Tensor::from_floats({2}, {0, -limit});
    write_checkpoint(model_, weights);
  }

  /// So that a quarter of the graphs are in class 1.
  float write_useful_classifier() {
    write_classifier(0, true);
    ThreadPool pool(1);
    const Dataset data = open_dataset(data_);
    const auto logs = predict(data, *open_classifier(model_, data), pool).log_probabilities;
    std::vector<float> scores;
    for (std::size_t i = 0; i < logs.size(); i += 2) scores.push_back(logs[i + 1] - logs[i]);
    std::sort(scores.begin(), scores.end());
    const float limit = scores[scores.size() * 3 / 4] - 1e-3F;
    write_classifier(limit, true);
    return limit;
  }

  /// Any weights that fit.
  void write_distance_model() {
    Rng rng(4);
    StateDict weights;
    const auto fill = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
      std::vector<float> values(
          static_cast<std::size_t>(Tensor{DType::kFloat32, shape, {}}.numel()));
      for (float& x : values) x = static_cast<float>(rng.uniform() - 0.5);
      weights["embed_model." + name] = Tensor::from_floats(shape, values);
    };
    fill("pre.weight", {4, static_cast<std::int64_t>(labels_)});
    fill("pre.bias", {4});
    for (const std::string nn : {"convs.0.nn.0", "convs.0.nn.2"}) {
      fill(nn + ".weight", {4, 4});
      fill(nn + ".bias", {4});
    }
    fill("post.0.weight", {4, 8});
    fill("post.0.bias", {4});
    fill("post.2.weight", {4, 4});
    fill("post.2.bias", {4});
    write_checkpoint(greed_, weights);
  }

  Outcome explain(const Words& more = {}) const {
    return fewedits(changed({"explain", "--dataset", data_.string(), "--model", model_.string(),
                             "--distance", "greed", "--greed-model", greed_.string(), "--output",
                             out_.string(), "--steps", "200", "--k", "2", "--refine-work", "2000"},
                            more));
  }

  test::TemporaryFolder folder_;
  std::filesystem::path data_ = folder_.path() / "planted";
  std::filesystem::path model_ = folder_.path() / "model.pt";
  std::filesystem::path greed_ = folder_.path() / "greed.pt";
  std::filesystem::path out_ = folder_.path() / "e.json";
  std::size_t labels_ = 0;
};

TEST_F(ExplainHandMadeTest, WhereNothingIsRejectedThereIsNothingToExplain) {
  write_classifier(-10);
  for (const Words& more : {Words{}, Words{"--run-dir", (folder_.path() / "run").string()},
                            Words{"--method", "ground-truth"}}) {
    const Outcome outcome = explain(more);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("nothing to explain"));
    EXPECT_FALSE(std::filesystem::exists(out_));
  }
}

TEST_F(ExplainHandMadeTest, WhereEverythingIsRejectedNothingIsFound) {
  write_classifier(10);
  for (const Words& more : {Words{}, Words{"--method", "ground-truth"}}) {
    const Outcome outcome = explain(more);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("no counterfactual was found"));
    EXPECT_FALSE(std::filesystem::exists(out_));
  }
}

TEST_F(ExplainHandMadeTest, ASmallSearchGoesThroughAndExports) {
  write_useful_classifier();
  const std::string graphml = (folder_.path() / "e.graphml").string();
  const std::string page = (folder_.path() / "e.html").string();
  const Outcome outcome = explain({"--export", graphml, "--report", page});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("coverage"), HasSubstr(out_.string()), HasSubstr(page)));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr(" % claimed, median cost"), Not(HasSubstr("proven"))))
      << "an estimate proves nothing";
  EXPECT_EQ(parse_explanation(read_file(out_), "e.json").counterfactuals.size(), 2U);
  EXPECT_THAT(read_file(graphml), HasSubstr("<graphml"));
  EXPECT_THAT(read_file(page), AllOf(HasSubstr("fewedits.report/3"), HasSubstr("\"seconds\"")));
}

TEST_F(ExplainHandMadeTest, AListThatCannotBeReadIsToldOnce) {
  write_useful_classifier();
  const Outcome missing = explain({"--graphs", "nofile.txt"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, HasSubstr("nofile.txt"));
  EXPECT_EQ(missing.err.find("nofile.txt"), missing.err.rfind("nofile.txt")) << missing.err;
  const std::string list = (folder_.path() / "list.txt").string();
  folder_.write("list.txt", "all of them");
  EXPECT_THAT(explain({"--graphs", list}).err,
              AllOf(HasSubstr("list.txt"), HasSubstr("is no index of a graph")));
  folder_.write("list.txt", "\n");
  EXPECT_THAT(explain({"--graphs", list}).err, HasSubstr("lists no graph"));
}

TEST_F(ExplainHandMadeTest, ProvenCoverageIsCalledProven) {
  write_useful_classifier();
  const Outcome outcome = explain({"--distance", "certified", "--steps", "20", "--refine-work",
                                   "1000000", "--prove-work", "1000"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(testing::ContainsRegex(" % proven(, and no more| .at most )"),
                                 Not(HasSubstr("claimed"))));
  EXPECT_THAT(outcome.err, HasSubstr("--greed-model is not needed"));
}

/// Kernels are on scales of their own: which theta goes with them is found, recorded and the same
/// again.
TEST_F(ExplainHandMadeTest, KernelsGetAThetaThatFitsThem) {
  write_useful_classifier();
  const std::string again = (folder_.path() / "again.json").string();
  for (const auto& [distance, option] : std::map<std::string, std::string>{
           {"wl", "wl-iterations"}, {"rw", "rw-decay"}, {"nspd", "nspd-radius"}}) {
    const Words kernel{"--distance",       distance, "--steps",       "200",
                       "--max-neighbours", "20",     "--refine-work", "100"};
    const Outcome outcome = explain(kernel);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(" % claimed, "));
    const Explanation e = parse_explanation(read_file(out_), "e.json");
    EXPECT_EQ(e.distance, distance);
    EXPECT_GT(e.theta, 0);
    EXPECT_LT(e.theta, 1);
    const Words theta = e.provenance.values_of("theta");
    const Words walk_theta = e.provenance.values_of("walk-theta");
    ASSERT_EQ(theta.size(), 1U);
    ASSERT_EQ(walk_theta.size(), 1U);
    EXPECT_EQ(std::stod(theta[0]), e.theta);
    EXPECT_LE(std::stod(walk_theta[0]), e.theta);
    EXPECT_EQ(e.provenance.values_of(option).size(), 1U);
    const Words said{"--theta", theta[0], "--walk-theta", walk_theta[0], "--threads", "1"};
    ASSERT_EQ(explain(kernel + said + Words{"--output", again}).code, 0);
    EXPECT_EQ(read_file(again), read_file(out_));
    const Outcome measured =
        fewedits({"evaluate", out_.string(), "--distance", distance, "--json"});
    ASSERT_EQ(measured.code, 0) << measured.err;
    const auto figures = nlohmann::json::parse(measured.out);
    EXPECT_EQ(figures["theta"], e.theta);
    EXPECT_EQ(figures["metrics"]["coverage"], e.metrics.coverage);
    EXPECT_GT(e.metrics.coverage, 0) << "or the comparison says nothing";
  }
}

TEST_F(ExplainHandMadeTest, OptionsOfKernelsAreCheckedByThem) {
  write_useful_classifier();
  const auto refuse = [&](const Words& more, const std::string& message) {
    const Outcome outcome = explain(more);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_FALSE(std::filesystem::exists(out_));
  };
  refuse({"--distance", "wl", "--wl-iterations", "21"}, "iterations is 21");
  refuse({"--distance", "rw", "--rw-length", "0"}, "length of the random walks is 0");
  refuse({"--distance", "rw", "--rw-decay", "2"}, "decay of the random walks is 2");
  refuse({"--distance", "nspd", "--nspd-radius", "11"}, "radius of the neighbourhoods is 11");
  refuse({"--distance", "nspd", "--nspd-distance", "21"}, "distance of the neighbourhoods is 21");
}

TEST(ExplainHelpTest, EveryOptionStandsInItsGroup) {
  const Outcome help = fewedits({"explain", "--help"});
  ASSERT_EQ(help.code, 0);
  // Where a group begins: its title alone on a line.
  const auto begin_of = [&](const std::string& title) {
    const std::size_t at = help.out.find("\n" + title + ":");
    EXPECT_NE(at, std::string::npos) << title;
    return at;
  };
  using Group = OptionGroup;
  const std::vector<std::pair<Group, std::size_t>> groups{
      {Group::kEveryday, begin_of("Everyday")},
      {Group::kDomain, begin_of("Domain")},
      {Group::kLimits, begin_of("Limits")},
      {Group::kPaper, begin_of("The paper's")},
      {Group::kCuts, begin_of("Methods that cut edges")}};
  const auto group_at = [&](std::size_t place) {
    auto found = groups.end();
    for (auto it = groups.begin(); it != groups.end(); ++it) {
      if (it->second < place && (found == groups.end() || it->second > found->second)) found = it;
    }
    return found == groups.end() ? std::string("none") : std::string(title_of(found->first));
  };
  for (const OptionRow& row : option_table()) {
    const std::size_t at = help.out.find("\n  --" + row.name + " ");
    ASSERT_NE(at, std::string::npos) << row.name;
    EXPECT_EQ(group_at(at), title_of(row.group)) << row.name;
  }
}

TEST_F(ExplainHandMadeTest, OneOutputDoesNotTakeThePlaceOfAnother) {
  write_useful_classifier();
  const std::string again = (folder_.path() / "." / "e.json").string();
  const std::string graphml = (folder_.path() / "e.graphml").string();
  for (const Words& more :
       {Words{"--report", out_.string()}, Words{"--report", again},
        Words{"--export", graphml, "--report", graphml}, Words{"--report", "-"}}) {
    const Outcome outcome = explain(more);
    EXPECT_EQ(outcome.code, 2) << testing::PrintToString(more);
    EXPECT_THAT(outcome.err, HasSubstr("--report"));
    EXPECT_FALSE(std::filesystem::exists(out_));
  }
}

/// While alive, temporary files are made in that folder.
class TemporaryFilesIn {
 public:
  explicit TemporaryFilesIn(const std::filesystem::path& folder) {
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  ~TemporaryFilesIn() {
    if (before_) {
      ::setenv("TMPDIR", before_->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
  }
  TemporaryFilesIn(const TemporaryFilesIn&) = delete;
  TemporaryFilesIn& operator=(const TemporaryFilesIn&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST_F(ExplainHandMadeTest, AResultThatCannotBeWrittenIsKeptElsewhere) {
  write_useful_classifier();
  ASSERT_EQ(explain().code, 0);
  const auto rescue = folder_.path() / "rescue";
  std::filesystem::create_directory(rescue);
  const std::string page = (folder_.path() / "e.html").string();
  Outcome outcome;
  {
    const TemporaryFilesIn here(rescue);
    outcome =
        explain({"--output", "/dev/full", "--report", page, "--export", "/dev/full/x.graphml"});
    EXPECT_EQ(outcome.code, 1) << "a device is no folder";
    EXPECT_THAT(outcome.err, Not(HasSubstr("instead")));
    outcome = explain({"--output", "/dev/full", "--report", page});
  }
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("/dev/full: cannot write"), Not(HasSubstr("--resume"))));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("coverage"), HasSubstr(page)));
  std::vector<std::filesystem::path> kept;
  for (const auto& entry : std::filesystem::directory_iterator(rescue)) {
    if (entry.path().extension() == ".json") kept.push_back(entry.path());
  }
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(read_file(kept[0]), read_file(out_));
  EXPECT_THAT(outcome.err, HasSubstr("is in " + kept[0].string() + " instead"));
  EXPECT_TRUE(std::filesystem::exists(page));
}

TEST_F(ExplainHandMadeTest, WhatCouldNotBeWrittenIsStillInTheRun) {
  write_useful_classifier();
  const TemporaryFilesIn nowhere(folder_.path() / "absent");
  const Words run{"--run-dir", (folder_.path() / "run").string()};
  // Without a place for temporary files, a Command of the test has none either.
  const std::string err = (folder_.path() / "err").string();
  std::string command = std::string(FEWEDITS_CLI) + " explain --dataset " + data_.string() +
                        " --model " + model_.string() +
                        " --steps 50 --k 2 --no-refine --prove-work 1000 -o /dev/full --run-dir " +
                        run[1] + " > " + (folder_.path() / "out").string() + " 2> " + err;
  EXPECT_NE(std::system(command.c_str()), 0);
  EXPECT_THAT(read_file(err), AllOf(HasSubstr("the explanation could not be written"),
                                    HasSubstr("--resume with another --output writes it again")));
  EXPECT_THAT(read_file(folder_.path() / "out"), HasSubstr("coverage"));
  command.replace(command.find("/dev/full"), 9, out_.string() + " --resume");
  EXPECT_EQ(std::system(command.c_str()), 0) << read_file(err);
  EXPECT_EQ(parse_explanation(read_file(out_), "e.json").counterfactuals.size(), 2U);
}

/// That the dataset or the model is missing would be said otherwise.
TEST_F(ExplainHandMadeTest, WhatCannotBeWrittenIsKnownBeforeAnythingIsRead) {
  const Outcome proc = explain({"--output", "/proc/e.json", "--dataset", "/no/such/data"});
  EXPECT_EQ(proc.code, 1);
  EXPECT_THAT(proc.err, HasSubstr("/proc/e.json: cannot write"));
}

TEST_F(ExplainHandMadeTest, ABadExportIsKnownBeforeTheModelIsRead) {
  const auto refuse = [&](const Words& more, const std::string& message) {
    const Outcome outcome =
        explain(more + Words{"--model", "/no/such/model.pt", "--desired-class", "1"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr(message));
  };
  const auto file = [&](const char* name) { return (folder_.path() / name).string(); };
  refuse({"--export", file("e.xyz")}, "'.xyz' is no format to export to");
  refuse({"--export", "-"}, "has no ending");
  const std::string plain =
      folder_.write("plain.json", R"({"format": "fewedits.dataset/2", "name": "plain"})").string();
  refuse({"--export", file("e.smi"), "--metadata", plain}, "no molecules");
  refuse({"--export", file("e.graphml"), "--metadata", plain}, "/no/such/model.pt");
  if (!has_molecules()) refuse({"--export", file("e.sdf")}, "RDKit");
}

TEST_F(ExplainHandMadeTest, TheDistanceModelIsTheOneThatTheFileNames) {
  write_useful_classifier();
  ASSERT_EQ(explain().code, 0);
  for (const std::string command : {"evaluate", "recourse"}) {
    const Outcome outcome = fewedits({command, out_.string(), "--distance", "greed"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, fewedits({command, out_.string(), "--distance", "greed", "--greed-model",
                                     greed_.string()})
                               .out);
  }
  std::filesystem::remove(greed_);
  const Outcome gone = fewedits({"evaluate", out_.string(), "--distance", "greed"});
  EXPECT_EQ(gone.code, 1);
  EXPECT_THAT(gone.err,
              AllOf(HasSubstr("e.json: names the greed-model"), HasSubstr("--greed-model PATH")));
}

TEST_F(ExplainHandMadeTest, HowTheDatasetWasReadIsRecorded) {
  write_useful_classifier();
  const auto options = [&](const Words& more) {
    const Outcome outcome = explain(more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return parse_explanation(read_file(out_), "e.json").provenance.options;
  };
  using Option = std::pair<std::string, std::string>;
  const auto plain = options({});
  EXPECT_THAT(plain, testing::Contains(Option("k", "2")));
  for (const Option& option : plain) {
    EXPECT_THAT(option.first,
                testing::AllOf(testing::Ne("desired-class"), testing::Ne("metadata"),
                               testing::Ne("rare-label-threshold"), testing::Ne("hydrogens")));
  }
  const std::string metadata = (data_ / "fewedits.json").string();
  EXPECT_THAT(
      options({"--metadata", metadata, "--rare-label-threshold", "0", "--desired-class", "1",
               "--constraint", "max-nodes=99"}),
      testing::IsSupersetOf({Option("metadata", metadata), Option("rare-label-threshold", "0"),
                             Option("desired-class", "1"), Option("constraint", "max-nodes=99")}));
}

TEST_F(ExplainHandMadeTest, BothHalvesOfAModelCount) {
  const float limit = write_useful_classifier();
  const Dataset data = open_dataset(data_);
  ModelFile description{infer_model(load_model(model_).weights, "test"), "model.pt"};
  for (const auto& label : data.node_labels) description.spec.node_labels.push_back(label.name);
  const auto json = folder_.write("model.json", to_json(description));
  const Words run{"--run-dir", (folder_.path() / "run").string(), "--no-refine"};
  // Named by its description: other weights are another model.
  const auto by_description = [&](const Words& more) {
    return fewedits(Words{"explain", "--dataset", data_.string(), "--model", json.string(),
                          "--distance", "greed", "--greed-model", greed_.string(), "-o",
                          out_.string(), "--steps", "200", "--k", "1"} +
                    run + more);
  };
  ASSERT_EQ(by_description({}).code, 0);
  write_classifier(limit + 0.01F, true);
  const Outcome other = by_description({"--resume"});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, HasSubstr("another model"));
  write_classifier(limit, true);
  EXPECT_EQ(by_description({"--resume"}).code, 0);
}

}  // namespace
}  // namespace fewedits
