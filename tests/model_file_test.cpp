// SPDX-License-Identifier: MIT
#include "fewedits/classifier/model_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fewedits/base/error.hpp"
#include "fewedits/classifier/native/native_classifier.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using testing::HasSubstr;

const char* const kSmall = R"({
  "format": "fewedits.model/2", "weights": "w.safetensors",
  "layers": [{"conv": "gat", "weights": "a", "heads": 2, "activation": "elu"},
             {"conv": "sage", "weights": "b", "batch_norm": "n", "aggregate": "max"}],
  "jumping": true, "pooling": "mean",
  "head": [{"weights": "h0"}, {"weights": "h1"}],
  "node_labels": ["C", "N"], "classes": ["no", "yes"]})";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kSmall;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

void expect_error(const std::string& json, const std::string& part) {
  try {
    parse_model_file(json, "m.json");
    FAIL() << "accepted: " << json;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("m.json"));
    EXPECT_THAT(error.what(), HasSubstr(part));
  }
}

TEST(ModelFileTest, ReadsAndWritesTheSame) {
  const ModelFile model = parse_model_file(kSmall, "m.json");
  ASSERT_EQ(model.spec.layers.size(), 2U);
  EXPECT_EQ(model.spec.layers[0].conv, Conv::kGat);
  EXPECT_EQ(model.spec.layers[0].heads, 2);
  EXPECT_EQ(model.spec.layers[1].aggregate, Aggregation::kMax);
  EXPECT_EQ(model.spec.layers[1].batch_norm, "n");
  EXPECT_TRUE(model.spec.jumping);
  EXPECT_EQ(model.spec.head.size(), 2U);
  const std::string written = to_json(model);
  EXPECT_EQ(to_json(parse_model_file(written, "again")), written);
}

TEST(ModelFileTest, RefusesWhatItDoesNotKnow) {
  expect_error("{", "is not valid JSON");
  expect_error("[]", "must be an object");
  expect_error(with("fewedits.model/2", "fewedits.model/9"), "fewedits.model/9");
  expect_error(with("\"gat\"", "\"transformer\""), "'transformer'");
  expect_error(with("\"heads\": 2", "\"heads\": 0"), "heads");
  expect_error(with("\"heads\": 2", "\"heads\": 1.5"), "heads");
  expect_error(with("\"heads\": 2", "\"haeds\": 2"), "'haeds'");
  expect_error(with("\"jumping\": true", "\"jumping\": 1"), "jumping");
  expect_error(with("\"pooling\": \"mean\"", "\"pooling\": \"median\""), "'median'");
  expect_error(with("w.safetensors", "../../etc/passwd"), "beside");
  expect_error(with("w.safetensors", "/etc/passwd"), "beside");
  expect_error(with("[\"C\", \"N\"]", "[1]"), "node_labels");
  expect_error(with("[\"C\", \"N\"]", "[\"C\", \"C\"]"), "node_labels");
  expect_error(R"({"format": "fewedits.model/2", "weights": "w", "layers": [], "head": []})",
               "layers");
}

StateDict paper_layout(bool newer) {
  StateDict weights;
  const std::vector<float> w{1, 2, 3, 4, 5, 6};  // in 2 × out 3
  if (newer) {
    weights["convs.0.lin.weight"] = Tensor::from_floats({3, 2}, {1, 4, 2, 5, 3, 6});
  } else {
    weights["convs.0.weight"] = Tensor::from_floats({2, 3}, w);
  }
  weights["convs.0.bias"] = Tensor::from_floats({3}, {0.1F, 0.2F, 0.3F});
  weights["fc.weight"] = Tensor::from_floats({2, 3}, {1, 0, -1, 0.5F, 0.25F, 0});
  weights["fc.bias"] = Tensor::from_floats({2}, {0, 1});
  return weights;
}

std::vector<float> evaluate(const NativeClassifier& model, const Graph& g) {
  ThreadPool pool(1);
  std::vector<float> out(model.num_classes());
  model.log_probabilities({&g, 1}, out, pool);
  return out;
}

TEST(ModelFileTest, InfersThePapersLayoutOldAndNew) {
  const std::vector<Label> labels{0, 1, 1};
  const Graph g(labels, std::vector<Edge>{{0, 1}, {1, 2}});
  const StateDict older = paper_layout(false);
  const StateDict newer = paper_layout(true);
  const NativeClassifier a(infer_model(older, "old"), older, "old");
  const NativeClassifier b(infer_model(newer, "new"), newer, "new");
  EXPECT_EQ(a.num_labels(), 2U);
  EXPECT_EQ(evaluate(a, g), evaluate(b, g));
}

TEST(ModelFileTest, InferenceSaysWhatDoesNotFit) {
  StateDict weights = paper_layout(false);
  weights["attention.weight"] = Tensor::from_floats({1}, {1});
  try {
    infer_model(weights, "x.pt");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("attention.weight"));
    EXPECT_THAT(error.what(), HasSubstr("model file"));
  }
  EXPECT_THROW(infer_model({}, "x.pt"), Error);
  // A GAT of today's PyTorch Geometric has every tensor of a GCN, and two more.
  StateDict gat = paper_layout(true);
  gat["convs.0.att_src"] = Tensor::from_floats({1, 1, 3}, {1, 2, 3});
  gat["convs.0.att_dst"] = Tensor::from_floats({1, 1, 3}, {1, 2, 3});
  EXPECT_THROW(infer_model(gat, "gat.pt"), Error);
}

TEST(ModelFileTest, LoadsWithWrappersAndWithAModelFileBeside) {
  const test::TemporaryFolder folder;
  const StateDict plain = paper_layout(true);
  StateDict wrapped;
  for (const auto& [name, tensor] : plain) wrapped["model_state_dict.module." + name] = tensor;
  wrapped["optimizer_state_dict.state.0.exp_avg"] = Tensor::from_floats({1}, {1});
  write_checkpoint(folder.path() / "plain.pt", plain);
  write_checkpoint(folder.path() / "wrapped.pt", wrapped);
  const std::vector<Label> labels{0, 1};
  const Graph g(labels, std::vector<Edge>{{0, 1}});
  const auto expected = evaluate(load_classifier(folder.path() / "plain.pt"), g);
  EXPECT_EQ(evaluate(load_classifier(folder.path() / "wrapped.pt"), g), expected);

  // The same weights summed instead of max-pooled: the model file decides.
  write_checkpoint(folder.path() / "m.safetensors", plain);
  ModelFile model{infer_model(plain, ""), "m.safetensors"};
  model.spec.pooling = Aggregation::kSum;
  folder.write("m.json", to_json(model));
  EXPECT_NE(evaluate(load_classifier(folder.path() / "m.json"), g), expected);
  EXPECT_EQ(evaluate(load_classifier(folder.path() / "m.json"), g),
            evaluate(load_classifier(folder.path() / "m.safetensors"), g));
}

TEST(ModelFilesTest, AreTheCheckpointAndItsDescriptionWhicheverIsNamed) {
  const test::TemporaryFolder folder;
  using Paths = std::vector<std::filesystem::path>;
  const auto checkpoint = folder.path() / "m.pt";
  EXPECT_EQ(model_files(checkpoint), (Paths{checkpoint, folder.path() / "m.json"}));
  ModelFile model;
  model.spec.layers.push_back({});
  model.spec.layers.back().weights = "a";
  model.spec.head.push_back({"f", ""});
  model.weights = "w.pt";
  const auto description = folder.write("d.json", to_json(model));
  EXPECT_EQ(model_files(description), (Paths{folder.path() / "w.pt", description}));
}

}  // namespace
}  // namespace fewedits
