// SPDX-License-Identifier: MIT
// Limits hold with more than 165,000 inputs: what nobody can stop, the figures of all of them and
// writing them, is short enough, and a page that would take long is left out.
#include <gtest/gtest.h>

#include "fewedits/base/file.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/extend.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "fewedits/formats/open_dataset.hpp"
#include "support/limits.hpp"

namespace fewedits {
namespace {

class ManyInputsTest : public testing::Test {
 protected:
  ManyInputsTest() {
    const test::Outcome made =
        test::fewedits({"generate", "--graphs", "240000", "--seed", "5", "-o", at("data")});
    EXPECT_EQ(made.code, 0) << made.err;
    // Oxygen speaks for the desired class, nitrogen against it.
    const auto names = label_names(open_dataset(at("data"))).nodes;
    std::vector<float> layer(2 * names.size(), 0);
    for (std::size_t l = 0; l < names.size(); ++l) {
      if (names[l] == "N") layer[2 * l] = 4;
      if (names[l] == "O") layer[2 * l + 1] = 4;
    }
    const auto labels = static_cast<std::int64_t>(names.size());
    write_checkpoint(at("model.safetensors"),
                     {{"convs.0.weight", Tensor::from_floats({labels, 2}, std::move(layer))},
                      {"fc.weight", Tensor::from_floats({2, 2}, {1, -1, -1, 1})},
                      {"fc.bias", Tensor::from_floats({2}, {1, 0})}});
  }
  [[nodiscard]] std::string at(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  [[nodiscard]] std::vector<std::string> explain() const {
    return {"explain",         "--dataset", at("data"),    "--model", at("model.safetensors"),
            "--desired-class", "0",         "--threads",   "1",       "-o",
            at("why.json"),    "--report",  at("why.html")};
  }

  test::TemporaryFolder folder_;
};

TEST_F(ManyInputsTest, LimitsHold) {
  for (const double limit : {1.0, 20.0, 60.0}) {
    SCOPED_TRACE(testing::Message() << "limit " << limit << " s");
    test::expect_in_time(explain(), limit);
  }
  ASSERT_TRUE(std::filesystem::exists(at("why.json"))) << "60 s are enough";
  EXPECT_GT(parse_explanation(read_file(at("why.json")), at("why.json")).inputs.size(), 165'000U);
  for (const double delay : {0.0, 3.0, 12.0, 30.0}) test::expect_prompt_end(explain(), delay);
}

}  // namespace
}  // namespace fewedits
