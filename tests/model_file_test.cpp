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

using testing::AllOf;
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

const char* const kEdges = R"({
  "format": "fewedits.model/2", "weights": "w.safetensors",
  "layers": [{"conv": "gine", "weights": "a"},
             {"conv": "gine", "weights": "b", "edge_embedding": "b.bonds"},
             {"conv": "gat", "weights": "c", "edges": true}],
  "node_embedding": "atoms", "edge_embedding": "bonds",
  "head": [{"weights": "h"}],
  "node_labels": ["C", "N"], "edge_labels": ["single", "double"], "classes": []})";

TEST(ModelFileTest, ReadsAndWritesWhatLayersSeeOfEdges) {
  const ModelFile model = parse_model_file(kEdges, "m.json");
  EXPECT_EQ(model.spec.layers[0].conv, Conv::kGine);
  EXPECT_EQ(model.spec.layers[1].edge_embedding, "b.bonds");
  EXPECT_TRUE(model.spec.layers[2].edges);
  EXPECT_EQ(model.spec.node_embedding, "atoms");
  EXPECT_EQ(model.spec.edge_embedding, "bonds");
  EXPECT_EQ(model.spec.edge_labels, (std::vector<std::string>{"single", "double"}));
  const std::string written = to_json(model);
  EXPECT_EQ(to_json(parse_model_file(written, "again")), written);
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = kEdges;
    return text.replace(text.find(from), from.size(), to);
  };
  expect_error(changed("\"edges\": true", "\"edges\": 1"), "edges");
  expect_error(changed("\"edges\": true", "\"edge_embedding\": \"e\""),
               "has the unknown key 'edge_embedding'");
  expect_error(changed("[\"single\", \"double\"]", "[\"single\", \"single\"]"), "edge_labels");
  expect_error(changed("\"bonds\"", "3"), "edge_embedding");
}

TEST(ModelFileTest, ReadsAndWritesOtherShapes) {
  const std::string text = R"({
    "format": "fewedits.model/2", "weights": "w.pt",
    "layers": [{"conv": "gin", "weights": "a", "batch_norm": "b", "batch_norm_last": true,
                "activation": "gelu", "mlp_activation": "tanh"}],
    "pooling": ["mean", "max"], "leaky_slope": 0.2, "output": "sigmoid",
    "head": [{"weights": "h"}], "head_activation": "leaky_relu"})";
  const ModelSpec spec = parse_model_file(text, "m.json").spec;
  EXPECT_TRUE(spec.layers[0].batch_norm_last);
  EXPECT_EQ(spec.layers[0].activation, Activation::kGelu);
  EXPECT_EQ(spec.layers[0].mlp_activation, Activation::kTanh);
  EXPECT_EQ(spec.pooling, Aggregation::kMean);
  EXPECT_EQ(spec.more_poolings, std::vector<Aggregation>{Aggregation::kMax});
  EXPECT_EQ(spec.output, Output::kSigmoid);
  EXPECT_EQ(spec.head_activation, Activation::kLeakyRelu);
  EXPECT_EQ(spec.leaky_slope, 0.2);
  const std::string written = to_json({spec, "w.pt"});
  EXPECT_EQ(to_json(parse_model_file(written, "again")), written);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    return other.replace(other.find(from), from.size(), to);
  };
  expect_error(changed("[\"mean\", \"max\"]", "[\"mean\", \"mean\"]"), "has 'mean' twice");
  expect_error(changed("[\"mean\", \"max\"]", "[]"), "is an empty list");
  expect_error(changed("\"sigmoid\"", "\"argmax\""), "'argmax'");
  expect_error(changed("\"batch_norm\": \"b\", ", ""), "has the unknown key 'batch_norm_last'");
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

/// What compiling the model says; "none" if it is taken.
std::string complaint(const ModelSpec& spec, const StateDict& weights) {
  try {
    const NativeClassifier model(spec, weights, "m.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

Tensor filled(std::vector<std::int64_t> shape) {
  Tensor out{DType::kFloat32, std::move(shape), {}};
  return Tensor::from_floats(out.shape,
                             std::vector<float>(static_cast<std::size_t>(out.numel()), 0.5F));
}

TEST(UnusedTensorsTest, AreAnErrorThatListsThemAndSaysWhatTheyAre) {
  const StateDict plain = paper_layout(true);
  const ModelSpec spec = infer_model(plain, "");
  EXPECT_EQ(complaint(spec, plain), "none");

  StateDict graph_norm = plain;
  graph_norm["norms.0.weight"] = filled({3});
  graph_norm["norms.0.bias"] = filled({3});
  graph_norm["norms.0.mean_scale"] = filled({3});
  EXPECT_THAT(
      complaint(spec, graph_norm),
      AllOf(HasSubstr("m.json: "), HasSubstr("3 of the 7 tensors"), HasSubstr("'norms.0.bias' [3]"),
            HasSubstr("'norms.0' is a GraphNorm"), HasSubstr("\"ignore\"")));

  StateDict embedding = plain;
  embedding["node_emb.weight"] = filled({7, 2});
  EXPECT_THAT(complaint(spec, embedding),
              AllOf(HasSubstr("'node_emb.weight' [7, 2]"),
                    HasSubstr("'node_emb' may stand before 'convs.0', which expects 2 inputs")));

  StateDict forgotten = plain;
  for (const char* part : {"weight", "bias", "running_mean", "running_var"}) {
    forgotten[std::string("bns.0.") + part] = filled({3});
  }
  EXPECT_THAT(complaint(spec, forgotten), HasSubstr("'bns.0' is a batch norm that no layer names"));
}

TEST(UnusedTensorsTest, CountersAreNone) {
  StateDict weights = paper_layout(true);
  const ModelSpec spec = infer_model(weights, "");
  weights["bns.0.num_batches_tracked"] = Tensor{DType::kInt64, {}, std::vector<std::byte>(8)};
  EXPECT_EQ(complaint(spec, weights), "none");
  weights["bns.0.num_batches_tracked"] = filled({3});
  EXPECT_THAT(complaint(spec, weights), HasSubstr("num_batches_tracked"));
}

/// A GIN of one layer, described.
ModelSpec gin_spec() {
  ModelSpec spec;
  spec.layers = {LayerSpec{.conv = Conv::kGin, .weights = "conv1"}};
  spec.head = {{"lin", ""}};
  return spec;
}

StateDict gin_weights() {
  StateDict weights;
  weights["conv1.nn.0.weight"] = filled({4, 2});
  weights["conv1.nn.0.bias"] = filled({4});
  weights["conv1.nn.2.weight"] = filled({3, 4});
  weights["conv1.eps"] = filled({1});
  weights["lin.weight"] = filled({2, 3});
  return weights;
}

TEST(UnusedTensorsTest, AGineIsNoGin) {
  StateDict weights = gin_weights();
  EXPECT_EQ(complaint(gin_spec(), weights), "none");
  weights["conv1.lin.weight"] = filled({2, 5});
  weights["conv1.lin.bias"] = filled({2});
  EXPECT_THAT(complaint(gin_spec(), weights),
              AllOf(HasSubstr("'conv1.lin.weight' [2, 5]"), HasSubstr("'conv1' is a GINE")));
  ModelSpec gine = gin_spec();
  gine.layers[0].conv = Conv::kGine;
  EXPECT_EQ(complaint(gine, weights), "none");
}

ModelSpec gine_spec() {
  ModelSpec spec = gin_spec();
  spec.layers[0].conv = Conv::kGine;
  spec.edge_embedding = "edge_emb";
  return spec;
}

StateDict gine_weights() {
  StateDict weights = gin_weights();
  weights["conv1.lin.weight"] = filled({2, 5});
  weights["edge_emb.weight"] = filled({4, 5});
  return weights;
}

TEST(EdgesOfModelsTest, MustFitTogether) {
  const ModelSpec spec = gine_spec();
  const StateDict weights = gine_weights();
  EXPECT_EQ(complaint(spec, weights), "none");
  EXPECT_EQ(NativeClassifier(spec, weights, "").num_edge_labels(), 4U);
  const auto said = [&](const auto& change) {
    ModelSpec other = spec;
    StateDict changed = weights;
    change(other, changed);
    return complaint(other, changed);
  };
  EXPECT_THAT(
      said([](ModelSpec&, StateDict& w) {
        w["edge_emb.weight"] = filled({4, 6});
      }),
      HasSubstr("'conv1.lin' takes 5 features of an edge, the embedding 'edge_emb' gives 6"));
  EXPECT_THAT(said([](ModelSpec&, StateDict& w) { w.erase("edge_emb.weight"); }),
              HasSubstr("tensor 'edge_emb.weight' is missing"));
  EXPECT_THAT(said([](ModelSpec& s, StateDict&) { s.edge_embedding.clear(); }),
              HasSubstr("does not use 1 of the 7 tensors: 'edge_emb.weight'"));
  EXPECT_THAT(said([](ModelSpec&, StateDict& w) { w.erase("conv1.lin.weight"); }),
              AllOf(HasSubstr("'conv1' adds 5 features of an edge to 2 of a node"),
                    HasSubstr("edge_embedding")));
  EXPECT_THAT(said([](ModelSpec&, StateDict& w) {
                w["conv1.lin.weight"] = filled({3, 5});
              }),
              HasSubstr("'conv1.lin' gives 3 features of an edge, the nodes have 2"));
  EXPECT_THAT(said([](ModelSpec&, StateDict& w) { w["edge_emb.bias"] = filled({5}); }),
              HasSubstr("'edge_emb' has a bias, which an embedding has not"));
  EXPECT_THAT(said([](ModelSpec& s, StateDict&) {
                s.edge_labels = {"single", "double"};
              }),
              HasSubstr("names 2 edge labels, the weights have 4"));
  EXPECT_THAT(said([](ModelSpec& s, StateDict& w) {
                s = gin_spec();
                s.edge_labels = {"single"};
                w = gin_weights();
              }),
              AllOf(HasSubstr("no layer looks at them"), HasSubstr("\"edges\": true")));
  EXPECT_THAT(said([](ModelSpec& s, StateDict& w) {
                s.node_embedding = "node_emb";
                w["node_emb.weight"] = filled({7, 3});
              }),
              HasSubstr("the embedding 'node_emb' gives 3 features, the first layer takes 2"));
  EXPECT_THAT(said([](ModelSpec& s, StateDict& w) {
                s.layers.push_back({.conv = Conv::kGine, .weights = "conv2"});
                s.layers.back().edge_embedding = "other";
                w["other.weight"] = filled({3, 3});
                w["conv2.nn.0.weight"] = filled({3, 3});
              }),
              HasSubstr("layer 'conv2' knows 3 labels of edges, another layer 4"));
}

TEST(EdgesOfModelsTest, AttentionNeedsBothTensors) {
  ModelSpec spec;
  spec.layers = {LayerSpec{.conv = Conv::kGat, .weights = "c", .heads = 2, .edges = true}};
  spec.head = {{"lin", ""}};
  StateDict weights;
  weights["c.lin.weight"] = filled({6, 4});
  weights["c.att_src"] = weights["c.att_dst"] = weights["c.att_edge"] = filled({1, 2, 3});
  weights["c.lin_edge.weight"] = filled({6, 5});
  weights["lin.weight"] = filled({2, 6});
  EXPECT_EQ(complaint(spec, weights), "none");
  StateDict lacks = weights;
  lacks.erase("c.att_edge");
  EXPECT_THAT(complaint(spec, lacks), HasSubstr("tensor 'c.att_edge' is missing"));
  StateDict narrow = weights;
  narrow["c.lin_edge.weight"] = filled({4, 5});
  EXPECT_THAT(complaint(spec, narrow),
              HasSubstr("'c.lin_edge' gives 4 features, 2 heads × 3 were expected"));
  spec.layers[0].edges = false;
  EXPECT_THAT(complaint(spec, weights),
              AllOf(HasSubstr("does not use 2 of"), HasSubstr("\"edges\": true")));
}

TEST(EdgesOfModelsTest, AGraphMustHaveLabelsThatTheModelKnows) {
  const NativeClassifier model(gine_spec(), gine_weights(), "");
  ThreadPool pool(1);
  std::vector<float> out(2);
  const auto said = [&](const Graph& g) -> std::string {
    try {
      model.log_probabilities({&g, 1}, out, pool);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  const std::vector<Label> labels{0, 1};
  EXPECT_EQ(said(Graph(labels, std::vector<Edge>{{0, 1, 3}}, Graph::EdgeLabels::kPresent)), "none");
  EXPECT_EQ(said(Graph(labels, std::vector<Edge>{})), "none");
  EXPECT_THAT(said(Graph(labels, std::vector<Edge>{{0, 1, 4}}, Graph::EdgeLabels::kPresent)),
              HasSubstr("has edge label 4, the model knows 0 to 3"));
  EXPECT_THAT(said(Graph(labels, std::vector<Edge>{{0, 1}})),
              AllOf(HasSubstr("no labels of edges"), HasSubstr("bonds: use")));
}

TEST(UnusedTensorsTest, TheNumbersOfASequentialSayWhereReluStands) {
  const auto with_norm_at = [](const std::string& norm, const std::string& second) {
    StateDict weights = gin_weights();
    weights[second + ".weight"] = weights.at("conv1.nn.2.weight");
    if (second != "conv1.nn.2") weights.erase("conv1.nn.2.weight");
    for (const char* part : {".weight", ".bias", ".running_mean", ".running_var"}) {
      if (!norm.empty()) weights[norm + part] = filled({4});
    }
    return weights;
  };
  EXPECT_EQ(complaint(gin_spec(), with_norm_at("conv1.nn.1", "conv1.nn.3")), "none");
  EXPECT_EQ(complaint(gin_spec(), with_norm_at("conv1.nn.2", "conv1.nn.3")), "none");
  EXPECT_THAT(complaint(gin_spec(), with_norm_at("conv1.nn.2", "conv1.nn.4")),
              HasSubstr("an activation stands between 'conv1.nn.4' and the batch norm before it"));
  StateDict last = gin_weights();
  for (const char* part : {".weight", ".bias", ".running_mean", ".running_var"}) {
    last[std::string("conv1.nn.4") + part] = filled({3});
  }
  EXPECT_THAT(complaint(gin_spec(), last), HasSubstr("a batch norm comes last under 'conv1.nn'"));
  EXPECT_THAT(complaint(gin_spec(), with_norm_at("", "conv1.nn.1")),
              HasSubstr("no ReLU between 'conv1.nn.1'"));
}

TEST(UnusedTensorsTest, OlderAttentionSavesOneMapTwice) {
  ModelSpec spec = gin_spec();
  spec.layers[0].conv = Conv::kGat;
  StateDict weights;
  weights["conv1.lin_src.weight"] = filled({3, 2});
  weights["conv1.lin_dst.weight"] = filled({3, 2});
  weights["conv1.att_src"] = filled({1, 1, 3});
  weights["conv1.att_dst"] = filled({1, 1, 3});
  weights["lin.weight"] = filled({2, 3});
  EXPECT_EQ(complaint(spec, weights), "none");
  weights["conv1.lin_dst.weight"] = Tensor::from_floats({3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(complaint(spec, weights), HasSubstr("lin_src and lin_dst differ"));
}

TEST(UnusedTensorsTest, WhatTheModelFileIgnoresIsLeftOutAndSaid) {
  StateDict weights = paper_layout(true);
  ModelSpec spec = infer_model(weights, "");
  weights["aux.head.weight"] = filled({2, 3});
  weights["aux.head.bias"] = filled({2});
  weights["auxiliary"] = filled({1});
  spec.ignore = {"aux"};
  EXPECT_THAT(complaint(spec, weights),
              AllOf(HasSubstr("'auxiliary'"), testing::Not(HasSubstr("'aux.head.bias'"))));
  spec.ignore = {"aux", "auxiliary"};
  const NativeClassifier model(spec, weights, "m.json");
  ASSERT_EQ(model.notes().size(), 1U);
  EXPECT_THAT(model.notes()[0],
              AllOf(HasSubstr("ignores 3"), HasSubstr("'aux.head.weight' [2, 3]")));
  spec.ignore = {"aux", "auxiliary", "convs.0"};
  EXPECT_THAT(complaint(spec, weights), HasSubstr("the layers use 'convs.0"));
  spec.ignore = {"aux", "auxiliary", "auxilary"};
  EXPECT_THAT(complaint(spec, weights), HasSubstr("'auxilary', which the checkpoint does not"));
}

TEST(ModelFileTest, WritesWhatIsIgnored) {
  const ModelFile model = parse_model_file(
      with("\"jumping\": true", "\"jumping\": true, \"ignore\": [\"aux\", \"x.weight\"]"),
      "m.json");
  EXPECT_EQ(model.spec.ignore, (std::vector<std::string>{"aux", "x.weight"}));
  EXPECT_EQ(parse_model_file(to_json(model), "again").spec.ignore, model.spec.ignore);
  EXPECT_THAT(to_json(parse_model_file(kSmall, "m.json")), testing::Not(HasSubstr("ignore")));
  expect_error(with("\"jumping\": true", "\"ignore\": [\"\"]"), "ignore");
  expect_error(with("\"jumping\": true", "\"ignore\": [\"a\", \"a\"]"), "ignore");
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
