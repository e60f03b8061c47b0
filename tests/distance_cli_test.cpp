// SPDX-License-Identifier: MIT
// `fewedits distance` as a user meets it: the command contract, edits that replay, bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "fewedits/fewedits.hpp"
#include "fewedits/proof/certificate.hpp"
#include "support/command.hpp"
#include "support/script_json.hpp"

namespace fewedits {
namespace {

using test::Command;
using test::fewedits;
using test::Outcome;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::vector<std::string>> csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
  }
  return rows;
}

class DistanceCliTest : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome made = fewedits({"generate", "--graphs", "40", "-o", data_.string()});
    ASSERT_EQ(made.code, 0) << made.err;
    std::string text = "graph_b,\"a note, quoted\",graph_a\r\n";
    for (int a = 0; a < 6; ++a) {
      for (int b = a; b < 6; ++b)
        text += std::to_string(b) + ",\"7, 8\"," + std::to_string(a) + "\r\n";
    }
    pairs_ = folder_.write("pairs.csv", text).string();
  }

  Outcome distance(std::vector<std::string> more) const {
    more.insert(more.begin(), {"distance", "--dataset", data_.string()});
    return fewedits(std::move(more));
  }

  test::TemporaryFolder folder_;
  std::filesystem::path data_ = folder_.path() / "planted";
  std::string pairs_;
};

TEST_F(DistanceCliTest, EveryMethodKeepsTheContract) {
  const std::string out = (folder_.path() / "out.csv").string();
  for (const std::string method : {"lower", "upper", "exact", "within", "wl", "rw", "nspd"}) {
    const Outcome outcome = distance({"--pairs", pairs_, "--method", method, "--budget-work",
                                      "20000", "--threads", "2", "-o", out});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto rows = csv(read_file(out));
    ASSERT_EQ(rows.size(), 22U);
    EXPECT_EQ(rows[0], (std::vector<std::string>{"graph_a", "graph_b", "distance", "normalized",
                                                 "lower", "upper", "status"}));
    for (std::size_t r = 1; r < rows.size(); ++r) {
      ASSERT_EQ(rows[r].size(), 7U);
      const double lower = std::stod(rows[r][4]);
      const double upper = std::stod(rows[r][5]);
      const double distance = std::stod(rows[r][2]);
      EXPECT_LE(lower, distance);
      EXPECT_LE(distance, upper);
      EXPECT_GE(std::stod(rows[r][3]), 0);
      EXPECT_LE(std::stod(rows[r][3]), 1);
      EXPECT_TRUE(rows[r][6] != "exact" || lower == upper);
      EXPECT_TRUE(rows[r][0] != rows[r][1] || distance == 0) << method;
      const bool decides = method == "within";
      EXPECT_EQ(decides, rows[r][6] == "yes" || rows[r][6] == "no" || rows[r][6] == "unknown");
    }
  }
}

TEST_F(DistanceCliTest, TheNumberOfThreadsChangesNothing) {
  for (const std::string method : {"exact", "within", "upper", "rw"}) {
    const auto with = [&](const std::string& threads) {
      return distance({"--pairs", pairs_, "--method", method, "--budget-work", "20000", "--threads",
                       threads})
          .out;
    };
    EXPECT_EQ(with("1"), with("3")) << method;
  }
}

TEST_F(DistanceCliTest, ScriptsInJsonReplay) {
  const Outcome outcome =
      distance({"--pairs", pairs_, "--script", "--json", "--budget-work", "20000"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Dataset data = open_dataset(data_);
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json["pairs"].size(), 21U);
  for (const auto& pair : json["pairs"]) {
    const EditScript script = test::read_script(pair);
    const Verdict verdict =
        check_certificate(data.graphs[pair["graph_a"].get<std::size_t>()],
                          data.graphs[pair["graph_b"].get<std::size_t>()], script);
    EXPECT_TRUE(verdict.holds) << verdict.reason;
    EXPECT_EQ(static_cast<double>(verdict.cost), pair["upper"].get<double>());
    EXPECT_EQ(static_cast<std::size_t>(verdict.cost), script.ops.size());
  }
}

TEST_F(DistanceCliTest, TwoGraphsWithTheirEditsInWords) {
  const Outcome same = distance({"--pair", "3", "3", "--script"});
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(same.out, "graph 3 to graph 3: exact 0 (exact), normalized 0.0000, between 0 and 0\n");
  const Outcome two = distance({"--pair", "0", "1", "--method", "upper", "--script"});
  EXPECT_EQ(two.code, 0) << two.err;
  EXPECT_THAT(two.out, StartsWith("graph 0 to graph 1: upper "));
  EXPECT_THAT(two.out, HasSubstr("\n  "));
}

TEST_F(DistanceCliTest, APairIsTheSameAloneAndAmongOthers) {
  const std::string list =
      folder_.write("few.csv", "graph_a,graph_b\n38,7\n7,21\n38,38\n").string();
  const std::vector<std::vector<std::string>> pairs = {{"38", "7"}, {"7", "21"}, {"38", "38"}};
  for (const std::string method : {"upper", "wl"}) {
    const auto rows = csv(distance({"--pairs", list, "--method", method}).out);
    ASSERT_EQ(rows.size(), 1 + pairs.size());
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const auto alone =
          csv(distance({"--pair", pairs[p][0], pairs[p][1], "--method", method}).out);
      EXPECT_EQ(rows[p + 1][0], pairs[p][0]);
      EXPECT_EQ(rows[p + 1][1], pairs[p][1]);
      EXPECT_EQ(rows[p + 1], alone.at(1)) << method;
    }
  }
}

TEST_F(DistanceCliTest, CostsCanBeChosen) {
  const auto of = [&](const std::vector<std::string>& costs) {
    std::vector<std::string> arguments{"--pair", "0", "1", "--method", "upper"};
    for (const std::string& cost : costs) arguments.insert(arguments.end(), {"--cost", cost});
    const Outcome outcome = distance(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return std::stod(csv(outcome.out).at(1).at(2));
  };
  const double once = of({});
  EXPECT_EQ(
      of({"insert-node=2", "delete-node=2", "relabel-node=2", "insert-edge=2", "delete-edge=2"}),
      2 * once);
  EXPECT_EQ(
      of({"insert-node=0", "delete-node=0", "relabel-node=0", "insert-edge=0", "delete-edge=0"}),
      0);
}

TEST_F(DistanceCliTest, BadInputIsNamedWithALine) {
  const auto fails = [&](const std::vector<std::string>& arguments, const std::string& message,
                         int code = 1) {
    const Outcome outcome = distance(arguments);
    EXPECT_EQ(outcome.code, code);
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(outcome.out, "");
  };
  const auto file = [&](const std::string& text) {
    return folder_.write("bad.csv", text).string();
  };
  fails({"--pairs", (folder_.path() / "nowhere.csv").string()}, "nowhere.csv");
  fails({"--pairs", file("")}, "empty");
  fails({"--pairs", file("a,b\n1,2\n")}, "bad.csv:1: there is no column graph_a");
  fails({"--pairs", file("graph_a,graph_b\n1,2\n3\n")}, "bad.csv:3: 1 fields");
  fails({"--pairs", file("graph_a,graph_b,graph_a\n1,2,3\n")}, "two columns graph_a");
  fails({"--pairs", file("graph_a,graph_b\n\n1,two\n")}, "bad.csv:3: 'two' is no graph index");
  fails({"--pairs", file("graph_a,graph_b\n1,-2\n")}, "'-2' is no graph index");
  fails({"--pairs", file("graph_a,graph_b\n1,40\n")}, "there is no graph 40");
  fails({"--pairs", file("graph_a,graph_b\n1,99999999999999999999\n")}, "is no graph index");
  fails({"--pair", "0", "40"}, "there is no graph 40");
  fails({}, "--pairs FILE or --pair A B");
  fails({"--pair", "0", "1", "--method", "greed"}, "--greed-model");
  fails({"--pair", "0", "1", "--method", "wl", "--script"}, "makes no edits");
  fails({"--pair", "0", "1", "--cost", "teleport=3"}, "'teleport=3'", 2);
  fails({"--pair", "0", "1", "--cost", "insert-node=x"}, "'insert-node=x'", 2);
  fails({"--pair", "0", "1", "--cost", "insert-node=-1"}, "insert", 2);
  fails({"--pair", "0", "1", "--method", "rw", "--rw-decay", "7"}, "decay", 2);
  fails({"--pair", "0", "1", "--method", "wl", "--cost", "insert-node=2"}, "no edit costs");
  fails({"--pair", "0", "1", "--method", "lower", "--script"}, "makes no edits");
  fails({"--pairs", pairs_, "-o", pairs_}, "overwrite");
  fails({"--pairs", pairs_, "-o", (folder_.path() / "no/such/out.csv").string()},
        "there is no such folder");
}

TEST_F(DistanceCliTest, CtrlCKeepsWhatWasMeasured) {
  std::string text = "graph_a,graph_b\n";
  for (int i = 0; i < 40000; ++i) text += "0,1\n";
  const std::string many = folder_.write("many.csv", text).string();
  const std::string out = (folder_.path() / "part.csv").string();
  Command command({"distance", "--dataset", data_.string(), "--pairs", many, "--method", "upper",
                   "--kicks", "5000", "--threads", "2", "-o", out},
                  test::OnTerminal::kErrors);
  ASSERT_TRUE(command.shows(" %,"));
  const Outcome outcome = test::interrupted(command);
  EXPECT_THAT(outcome.err, HasSubstr("of 40000 pairs"));
  const auto rows = csv(read_file(out));
  EXPECT_GT(rows.size(), 1U);
  EXPECT_LT(rows.size(), 40001U);
}

TEST_F(DistanceCliTest, CtrlCEndsALongPairWithItsBounds) {
  // Two large graphs far apart: hours of search, if nobody stops it.
  std::string edges;
  std::string indicator;
  std::string labels;
  for (int g = 0; g < 2; ++g) {
    for (int v = 0; v < 60; ++v) {
      indicator += std::to_string(g + 1) + "\n";
      labels += std::to_string((v * (g + 1) / 7) % 2) + "\n";
      for (const int step : {1 + g, 5 + 2 * g, 11}) {
        const int w = (v + step) % 60;
        edges += std::to_string(60 * g + v + 1) + ", " + std::to_string(60 * g + w + 1) + "\n";
      }
    }
  }
  const std::filesystem::path hard = folder_.path() / "HARD";
  std::filesystem::create_directory(hard);
  folder_.write("HARD/HARD_A.txt", edges);
  folder_.write("HARD/HARD_graph_indicator.txt", indicator);
  folder_.write("HARD/HARD_graph_labels.txt", "0\n1\n");
  folder_.write("HARD/HARD_node_labels.txt", labels);
  Command command({"distance", "--dataset", hard.string(), "--pair", "0", "1", "--budget-ms",
                   "600000", "--threads", "1"});
  ASSERT_TRUE(test::is_at_work(command));
  const Outcome outcome = test::interrupted(command);
  const auto rows = csv(outcome.out);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1][6], "bounds");
  EXPECT_LT(std::stod(rows[1][4]), std::stod(rows[1][5]));
}

TEST(DistanceCliPublishedTest, GreedByTheCommandContract) {
  FEWEDITS_REQUIRE_SHARED("golden/aids/greed_pairs.csv");
  const auto root = test::shared_root();
  const auto golden = root / "golden/aids/greed_pairs.csv";
  const std::string model = (root / "models/aids/greed.pt").string();
  const Outcome outcome =
      fewedits({"distance", "--dataset", (root / "datasets/AIDS").string(), "--pairs",
                golden.string(), "--method", "greed", "--greed-model", model});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto rows = csv(outcome.out);
  const auto expected = csv(read_file(golden));
  ASSERT_EQ(rows.size(), expected.size());
  for (std::size_t r = 1; r < rows.size(); ++r) {
    EXPECT_EQ(rows[r][0], expected[r][0]);
    const double value = std::stod(expected[r][2]);
    EXPECT_NEAR(std::stod(rows[r][2]), value, std::max(1e-3, 1e-4 * value));
    EXPECT_NEAR(std::stod(rows[r][3]),
                value / (std::stod(expected[r][3]) + std::stod(expected[r][4])), 1e-4);
  }
  const Outcome other = fewedits({"distance", "--dataset", (root / "datasets/PROTEINS").string(),
                                  "--pair", "0", "1", "--method", "greed", "--greed-model", model});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, HasSubstr("the distance model knows 9 node labels, the dataset has 3"));
}

}  // namespace
}  // namespace fewedits
