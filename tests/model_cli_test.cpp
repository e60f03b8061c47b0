// SPDX-License-Identifier: MIT
// Models as a user meets them: what does not fit is said with file, tensor and remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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

/// Of a training checkpoint the optimiser's tensors are left out, and named; what may well be a
/// part of the model is not.
TEST_F(ModelCliTest, NothingOfATrainingCheckpointIsLeftOutInSilence) {
  StateDict weights;
  for (auto& [name, tensor] : gcn(1, 0.5F)) weights["model_state_dict." + name] = tensor;
  weights["optimizer_state_dict.state.0.exp_avg"] = Tensor::from_floats({1}, {1});
  weights["ema.convs.0.weight"] = Tensor::from_floats({1}, {1});
  write_checkpoint(model_, weights);
  const std::vector<std::string> predict{"predict", "--dataset", data_.string(), "--model",
                                         model_.string()};
  const Outcome fine = fewedits(predict);
  EXPECT_EQ(fine.code, 0) << fine.err;
  EXPECT_THAT(fine.err,
              AllOf(HasSubstr("2 tensors of the training"), HasSubstr("'ema.convs.0.weight'"),
                    HasSubstr("'optimizer_state_dict.state.0.exp_avg'")));

  weights["encoder.weight"] = weights["classifier.weight"] = Tensor::from_floats({1}, {1});
  write_checkpoint(model_, weights);
  const Outcome refused = fewedits(predict);
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("'encoder.weight'"), HasSubstr("'classifier.weight'")));
  const Outcome listed = fewedits({"model", model_.string()});
  EXPECT_THAT(listed.out, AllOf(HasSubstr("'encoder.weight'"), HasSubstr("'classifier.weight'"),
                                HasSubstr("left out"), HasSubstr("'ema.convs.0.weight'")));
  ModelFile description{infer_model(gcn(1, 0.5F), "test"), "model.pt"};
  const auto file = folder_.write("model.json", to_json(description));
  EXPECT_THAT(fewedits(predict).err,
              AllOf(HasSubstr("'encoder.weight'"), HasSubstr("'classifier.weight'")));
  description.spec.ignore = {"encoder", "classifier"};
  folder_.write("model.json", to_json(description));
  const Outcome ignored = fewedits(predict);
  EXPECT_EQ(ignored.code, 0) << ignored.err;
  EXPECT_THAT(ignored.err, HasSubstr("ignores 2"));
  // Two of one name: neither is taken for the other.
  weights["fc.weight"] = Tensor::from_floats({1}, {1});
  write_checkpoint(model_, weights);
  EXPECT_EQ(fewedits(predict).code, 1);
  EXPECT_THAT(fewedits({"model", model_.string()}).out,
              AllOf(HasSubstr("'model_state_dict.fc.weight'"), HasSubstr("'fc.weight'")));
}

TEST_F(ModelCliTest, NamesInOtherScriptsAreReadable) {
  StateDict weights = gcn(1, 0.5F);
  weights["слой.weight"] = Tensor::from_floats({1}, {1});
  write_checkpoint(model_, weights);
  EXPECT_THAT(fewedits({"model", model_.string()}).out, HasSubstr("'слой.weight'"));
}

/// A GraphSAGE that nothing describes.
StateDict sage(std::int64_t inputs) {
  const auto filled = [](const std::vector<std::int64_t>& shape, float from) {
    std::vector<float> values(static_cast<std::size_t>(Tensor{DType::kFloat32, shape, {}}.numel()));
    for (float& x : values) x = from += 0.125F;
    return Tensor::from_floats(shape, values);
  };
  return {{"gnn.conv1.lin_l.weight", filled({2, inputs}, -1)},
          {"gnn.conv1.lin_l.bias", filled({2}, 0)},
          {"gnn.conv1.lin_r.weight", filled({2, inputs}, -0.5F)},
          {"gnn.out.weight", filled({2, 2}, -0.3F)}};
}

TEST_F(ModelCliTest, ADraftedModelFilePredicts) {
  write_checkpoint(model_, sage(static_cast<std::int64_t>(labels_.size())));
  const std::vector<std::string> predict{"predict", "--dataset", data_.string(), "--model",
                                         model_.string()};
  const Outcome before = fewedits(predict);
  EXPECT_EQ(before.code, 1);
  EXPECT_THAT(before.err,
              AllOf(HasSubstr("'gnn.conv1': GraphSAGE"), HasSubstr("'gnn.out.weight' [2, 2]"),
                    HasSubstr("`fewedits model " + model_.string() + "` drafts a model file")));

  const std::string file = (folder_.path() / "model.json").string();
  const Outcome shown = fewedits({"model", model_.string()});
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("'gnn.conv1.lin_l.weight'"), HasSubstr("float32"),
                               HasSubstr("\"pooling\": mean was supposed"),
                               HasSubstr("\"format\": \"fewedits.model/2\"")));
  EXPECT_FALSE(std::filesystem::exists(file));

  const Outcome written = fewedits({"model", model_.string(), "-o", file});
  ASSERT_EQ(written.code, 0) << written.err;
  EXPECT_THAT(written.out, HasSubstr("wrote " + file));
  EXPECT_THAT(shown.out, HasSubstr(read_file(file)));
  const Outcome after = fewedits(predict);
  EXPECT_EQ(after.code, 0) << after.err;

  const Outcome again = fewedits({"model", model_.string(), "-o", file});
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.err, HasSubstr("exists already"));
  const auto json = nlohmann::json::parse(fewedits({"model", model_.string(), "--json"}).out);
  EXPECT_EQ(json["tensors"].size(), 4U);
  EXPECT_EQ(json["tensors"][0]["shape"], nlohmann::json::array({2}));
  EXPECT_EQ(json["problems"].size(), 0U);
  EXPECT_EQ(json["model_file"], nlohmann::json::parse(read_file(file)));
}

TEST_F(ModelCliTest, WhatCannotBeDraftedIsToldAndNotWritten) {
  StateDict weights = gcn(1, 1);
  weights["convs.0.weight"] = Tensor::from_floats({16, 2}, std::vector<float>(32, 1));
  weights["pre.weight"] = Tensor::from_floats({16, 7}, std::vector<float>(112, 1));
  weights["pre.bias"] = Tensor::from_floats({16}, std::vector<float>(16, 1));
  write_checkpoint(model_, weights);
  const std::string file = (folder_.path() / "model.json").string();
  const std::string reason = "'convs.0' expects 16 inputs; 'pre.weight' [16, 7] is not used";
  const Outcome outcome = fewedits({"model", model_.string(), "-o", file});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("no model file can be drafted"), HasSubstr(reason)));
  EXPECT_THAT(outcome.out, HasSubstr("'convs.0': GCN, 16 → 2"));
  EXPECT_FALSE(std::filesystem::exists(file));
  const Outcome json = fewedits({"model", model_.string(), "--json"});
  EXPECT_EQ(json.code, 1);
  EXPECT_TRUE(nlohmann::json::parse(json.out)["model_file"].is_null());
  const Outcome predict =
      fewedits({"predict", "--dataset", data_.string(), "--model", model_.string()});
  EXPECT_EQ(predict.code, 1);
  EXPECT_THAT(predict.err, HasSubstr(reason));
}

TEST_F(ModelCliTest, ADraftIsWrittenBesideItsWeightsAndOverNothing) {
  write_checkpoint(model_, sage(5));
  const std::string before = read_file(model_);
  const auto refuse = [&](const std::string& output, const std::string& message) {
    const Outcome outcome = fewedits({"model", model_.string(), "-o", output});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr(message));
  };
  refuse(model_.string(), "overwrite");
  refuse((folder_.path() / "model.txt").string(), "ends in .json");
  refuse((data_ / "model.json").string(), "beside its weights");
  EXPECT_EQ(read_file(model_), before);
  const Outcome description = fewedits({"model", folder_.write("d.json", "{}").string()});
  EXPECT_EQ(description.code, 1);
  EXPECT_THAT(description.err, HasSubstr("is a model file"));
  EXPECT_EQ(fewedits({"model"}).code, 2);
}

}  // namespace
}  // namespace fewedits
