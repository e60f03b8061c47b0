// SPDX-License-Identifier: MIT
// Models as a user meets them: what does not fit is said with file, tensor and remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fewedits/classifier/model_file.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "support/command.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using test::fewedits;
using test::Outcome;
using testing::AllOf;
using testing::HasSubstr;

/// A generated dataset, and the names of its labels.
class ModelCliTest : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome made = fewedits({"generate", "--graphs", "30", "-o", data_.string()});
    ASSERT_EQ(made.code, 0) << made.err;
    for (const NamedValue& label : open_dataset(data_).node_labels) labels_.push_back(label.name);
  }

  /// GCN layers of width 2 with the same number everywhere, in the paper's layout.
  [[nodiscard]] StateDict gcn(int layers, float value) const {
    StateDict out;
    auto in = static_cast<std::int64_t>(labels_.size());
    for (int l = 0; l < layers; ++l) {
      out["convs." + std::to_string(l) + ".weight"] =
          Tensor::from_floats({in, 2}, std::vector<float>(static_cast<std::size_t>(2 * in), value));
      in = 2;
    }
    out["fc.weight"] = Tensor::from_floats({2, 2}, {value, -value, -value, value});
    return out;
  }

  test::TemporaryFolder folder_;
  std::filesystem::path data_ = folder_.path() / "planted";
  std::filesystem::path model_ = folder_.path() / "model.pt";
  std::vector<std::string> labels_;
};

TEST_F(ModelCliTest, AModelThatGivesNoNumberIsNamedWithTheGraph) {
  write_checkpoint(model_, gcn(2, 1e30F));  // 1e30 · 1e30 is no float
  for (const std::string command : {"predict", "explain"}) {
    const auto out = folder_.path() / "out";
    const Outcome outcome = fewedits(
        {command, "--dataset", data_.string(), "--model", model_.string(), "-o", out.string()});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("model.pt: the model gives nan"),
                                   HasSubstr("for graph 0 of the dataset")));
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

}  // namespace
}  // namespace fewedits
