// SPDX-License-Identifier: MIT
// Limits hold with a hundred thousand inputs: what nobody can stop, the figures of all of them and
// writing them, is short enough.
#include <gtest/gtest.h>

#include "fewedits/classifier/model_file.hpp"
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
        test::fewedits({"generate", "--graphs", "120000", "--seed", "5", "-o", at("data")});
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
    return {"explain",   "--dataset", at("data"), "--model",      at("model.safetensors"),
            "--threads", "1",         "-o",       at("why.json"), "--steps",
            "2"};
  }

  test::TemporaryFolder folder_;
};

TEST_F(ManyInputsTest, LimitsHold) {
  for (const double limit : {1.0, 20.0}) {
    SCOPED_TRACE(testing::Message() << "limit " << limit << " s");
    test::expect_in_time(explain(), limit);
  }
  for (const double delay : {0.0, 3.0, 12.0, 30.0}) test::expect_prompt_end(explain(), delay);
}

}  // namespace
}  // namespace fewedits
