// SPDX-License-Identifier: MIT
// Model files drafted from checkpoints in many styles: they say what the network says that the
// weights are of, or why there is none.
#include "fewedits/classifier/model_guess.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fewedits/base/error.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/classifier/native/native_classifier.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kLabels = 7;
constexpr std::int64_t kEdgeLabels = 3;

/// A checkpoint being written, with random weights.
class Weights {
 public:
  void add(const std::string& name, const std::vector<std::int64_t>& shape, double low = -1) {
    std::vector<float> values(static_cast<std::size_t>(Tensor{DType::kFloat32, shape, {}}.numel()));
    for (float& x : values) x = static_cast<float>(low + rng_.uniform() * (1 - low));
    all_[name] = Tensor::from_floats(shape, values);
  }
  void linear(const std::string& prefix, std::int64_t in, std::int64_t out) {
    add(prefix + ".weight", {out, in});
    add(prefix + ".bias", {out});
  }
  void gcn(const std::string& prefix, std::int64_t in, std::int64_t out) {
    add(prefix + ".lin.weight", {out, in});
    add(prefix + ".bias", {out});
  }
  /// As PyTorch Geometric stored it before 2.0.
  void old_gcn(const std::string& prefix, std::int64_t in, std::int64_t out) {
    add(prefix + ".weight", {in, out});
    add(prefix + ".bias", {out});
  }
  void norm(const std::string& prefix, std::int64_t features) {
    for (const char* name : {".weight", ".bias", ".running_mean"}) add(prefix + name, {features});
    add(prefix + ".running_var", {features}, 0.5);
    all_[prefix + ".num_batches_tracked"] = {DType::kInt64, {}, std::vector<std::byte>(8)};
  }
  void sage(const std::string& prefix, std::int64_t in, std::int64_t out) {
    linear(prefix + ".lin_l", in, out);
    add(prefix + ".lin_r.weight", {out, in});
  }
  void gat(const std::string& prefix, std::int64_t in, std::int64_t heads, std::int64_t features,
           bool concat) {
    add(prefix + ".lin.weight", {heads * features, in});
    add(prefix + ".att_src", {1, heads, features});
    add(prefix + ".att_dst", {1, heads, features});
    add(prefix + ".bias", {concat ? heads * features : features});
  }
  [[nodiscard]] const StateDict& all() const { return all_; }

 private:
  Rng rng_{5};
  StateDict all_;
};

std::vector<float> answers(const ModelSpec& spec, const StateDict& weights) {
  const NativeClassifier model(spec, weights, "test");
  Rng rng(9);
  std::vector<Graph> graphs;
  for (Node n = 1; n < 20; ++n)
    graphs.push_back(test::random_graph(rng, n, n / 3, kLabels, kEdgeLabels));
  std::vector<float> out(graphs.size() * model.num_classes());
  ThreadPool pool(1);
  model.log_probabilities(graphs, out, pool);
  return out;
}

/// The draft, written and read again, is the network.
ModelGuess expect_same(const ModelSpec& network, const Weights& weights) {
  ModelGuess guess = guess_model(weights.all());
  EXPECT_THAT(guess.problems, IsEmpty());
  if (!guess.problems.empty()) return guess;
  EXPECT_FALSE(guess.to_check.empty());
  const ModelFile draft = parse_model_file(to_json({guess.spec, "w.pt"}), "draft");
  EXPECT_EQ(answers(draft.spec, weights.all()), answers(network, weights.all()));
  return guess;
}

void expect_problem(const Weights& weights, const std::string& part) {
  const ModelGuess guess = guess_model(weights.all());
  EXPECT_THAT(guess.problems, Contains(HasSubstr(part)));
}

ModelSpec network(std::vector<LayerSpec> layers, std::vector<HeadSpec> head,
                  Aggregation pooling = Aggregation::kMean) {
  ModelSpec spec;
  spec.layers = std::move(layers);
  spec.head = std::move(head);
  spec.pooling = pooling;
  return spec;
}

TEST(ModelGuessTest, NumbersInTheNamesAndOldMatrices) {
  Weights w;
  w.old_gcn("conv1", kLabels, 4);
  w.old_gcn("conv2", 4, 4);  // square: nothing but its name says that it is no Linear
  w.norm("bn1", 4);
  w.norm("bn2", 4);
  w.linear("lin", 4, 3);
  const ModelGuess guess = expect_same(network({{.weights = "conv1", .batch_norm = "bn1"},
                                                {.weights = "conv2", .batch_norm = "bn2"}},
                                               {{"lin", ""}}),
                                       w);
  EXPECT_THAT(guess.parts,
              ElementsAre("'conv1': GCN, 7 → 4, then batch norm 'bn1'",
                          "'conv2': GCN, 4 → 4, then batch norm 'bn2'", "'lin': linear, 4 → 3"));
  EXPECT_THAT(guess.to_check, AllOf(Contains(HasSubstr("\"activation\"")),
                                    Contains(HasSubstr("\"pooling\": mean was supposed")),
                                    Contains(HasSubstr("the 7 labels"))));
}

TEST(ModelGuessTest, ListsOfLayersNormsAndAHeadOfTwo) {
  Weights w;
  w.gcn("convs.0", kLabels, 6);
  w.gcn("convs.1", 6, 5);
  w.norm("norms.0.module", 6);
  w.linear("lin1", 5, 4);
  w.linear("lin2", 4, 2);
  expect_same(
      network({{.weights = "convs.0", .batch_norm = "norms.0.module"}, {.weights = "convs.1"}},
              {{"lin1", ""}, {"lin2", ""}}),
      w);
}

TEST(ModelGuessTest, NestedGinWithNormsInsideBesideAndInTheHead) {
  Weights w;
  for (const auto& [layer, in] : {std::pair{"0", kLabels}, std::pair{"1", std::int64_t{4}}}) {
    const std::string at = std::string("gnn.layers.") + layer;
    w.linear(at + ".conv.nn.0", in, 4);
    w.norm(at + ".conv.nn.1", 4);
    w.linear(at + ".conv.nn.3", 4, 4);
    w.add(at + ".conv.eps", {1});
    w.norm(at + ".bn", 4);
  }
  w.linear("classifier.0", 4, 4);
  w.norm("classifier.1", 4);
  w.linear("classifier.3", 4, 2);
  const auto layer = [](const std::string& at) {
    return LayerSpec{.conv = Conv::kGin, .weights = at + ".conv", .batch_norm = at + ".bn"};
  };
  expect_same(network({layer("gnn.layers.0"), layer("gnn.layers.1")},
                      {{"classifier.0", "classifier.1"}, {"classifier.3", ""}}, Aggregation::kSum),
              w);
}

TEST(ModelGuessTest, JumpingSage) {
  Weights w;
  w.sage("encoder.sage_0", kLabels, 4);
  w.sage("encoder.sage_1", 4, 5);
  w.sage("encoder.sage_2", 5, 3);
  w.linear("fc_out", 12, 2);
  ModelSpec spec = network({{.conv = Conv::kSage, .weights = "encoder.sage_0"},
                            {.conv = Conv::kSage, .weights = "encoder.sage_1"},
                            {.conv = Conv::kSage, .weights = "encoder.sage_2"}},
                           {{"fc_out", ""}});
  spec.jumping = true;
  const ModelGuess guess = expect_same(spec, w);
  EXPECT_THAT(guess.to_check, Contains(HasSubstr("\"aggregate\"")));
}

TEST(ModelGuessTest, AttentionWithHeadsSideBySideAndTheirMean) {
  Weights w;
  w.gat("gat1", kLabels, 3, 4, true);
  w.gat("gat2", 12, 2, 5, false);
  w.linear("out", 5, 2);
  expect_same(
      network({{.conv = Conv::kGat, .weights = "gat1", .activation = Activation::kElu, .heads = 3},
               {.conv = Conv::kGat,
                .weights = "gat2",
                .activation = Activation::kElu,
                .heads = 2,
                .concat_heads = false}},
              {{"out", ""}}),
      w);
}

TEST(ModelGuessTest, TenComesAfterTwo) {
  Weights w;
  std::vector<LayerSpec> layers;
  for (int l = 0; l < 12; ++l) {
    const std::string name = "module_" + std::to_string(l);
    w.gcn(name, l == 0 ? kLabels : 4, 4);
    layers.push_back({.weights = name});
  }
  w.linear("module_14", 4, 2);
  expect_same(network(layers, {{"module_14", ""}}), w);
}

TEST(ModelGuessTest, ShapesPutInOrderWhatNamesDoNot) {
  Weights w;
  w.gcn("conv_in", kLabels, 5);
  w.gcn("conv_hidden", 5, 6);
  w.gcn("conv_out", 6, 4);
  w.linear("zz_first", 4, 3);
  w.linear("answer", 3, 2);
  const ModelGuess guess = expect_same(
      network({{.weights = "conv_in"}, {.weights = "conv_hidden"}, {.weights = "conv_out"}},
              {{"zz_first", ""}, {"answer", ""}}),
      w);
  EXPECT_THAT(guess.to_check, AllOf(Contains(HasSubstr("the order of the layers")),
                                    Contains(HasSubstr("the head's linear layers"))));
}

TEST(ModelGuessTest, ThePapersLayoutIsPooledAsInThePaper) {
  Weights w;
  w.old_gcn("convs.0", kLabels, 4);
  w.norm("bns.0", 4);
  w.linear("fc", 4, 2);
  expect_same(infer_model(w.all(), "test"), w);
}

TEST(ModelGuessTest, AnEmbeddingStandsBeforeTheFirstLayer) {
  Weights w;
  w.add("node_emb.weight", {kLabels, 16});
  w.gcn("convs.0", 16, 4);
  w.linear("fc", 4, 2);
  ModelSpec spec = network({{.conv = Conv::kGcn, .weights = "convs.0"}}, {{"fc", ""}});
  spec.node_embedding = "node_emb";
  const ModelGuess guess = expect_same(spec, w);
  EXPECT_THAT(guess.parts, Contains("'node_emb': embedding of 7 node labels, 16 features"));
  EXPECT_THAT(guess.to_check, Contains(HasSubstr("'node_emb' embeds the labels of nodes")));
  EXPECT_THAT(guess.to_check, Contains(HasSubstr("names of the 7 labels")));
  w.add("extra.weight_of_my_own", {3});
  expect_problem(w, "not recognised: 'extra.weight_of_my_own' [3]");
}

TEST(ModelGuessTest, AMapIsNamedWithTheLayerThatExpectsIt) {
  Weights linear;
  linear.linear("pre", kLabels, 16);
  linear.gcn("convs.0", 16, 4);
  linear.linear("post", 4, 2);
  const std::string expected = "'convs.0' expects 16 inputs; 'pre.weight' [16, 7] is not used";
  expect_problem(linear, expected);
  try {
    infer_model(linear.all(), "m.pt");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("m.pt"), HasSubstr(expected),
                                    HasSubstr("it holds 6 tensors: 'convs.0.bias' [4]"),
                                    HasSubstr("recognised: 'convs.0': GCN, 16 → 4")));
  }
}

LayerSpec gine(const std::string& prefix) { return {.conv = Conv::kGine, .weights = prefix}; }

TEST(ModelGuessTest, GineReadsEdgesThroughAMapOrAsTheyAreEmbedded) {
  // One-hot edges through the layer's own map.
  Weights plain;
  plain.linear("convs.0.nn.0", kLabels, 4);
  plain.linear("convs.0.lin", kEdgeLabels, kLabels);
  plain.linear("fc", 4, 2);
  const ModelGuess guess =
      expect_same(network({gine("convs.0")}, {{"fc", ""}}, Aggregation::kSum), plain);
  EXPECT_THAT(guess.parts, Contains("'convs.0': GINE, 7 → 4"));
  EXPECT_THAT(guess.to_check, Contains(HasSubstr("\"edge_labels\"")));
  // One embedding for all layers, and one of nodes.
  Weights shared;
  shared.add("node_emb.weight", {kLabels, 5});
  shared.add("bond_encoder.embedding.weight", {kEdgeLabels, 5});
  for (const char* layer : {"convs.0", "convs.1"}) {
    shared.linear(std::string(layer) + ".nn.0", 5, 5);
    shared.add(std::string(layer) + ".eps", {1});
  }
  shared.linear("fc", 5, 2);
  ModelSpec spec = network({gine("convs.0"), gine("convs.1")}, {{"fc", ""}}, Aggregation::kSum);
  spec.node_embedding = "node_emb";
  spec.edge_embedding = "bond_encoder.embedding";
  expect_same(spec, shared);
  // An embedding inside of each layer.
  Weights own;
  own.linear("convs.0.nn.0", kLabels, 4);
  own.add("convs.0.edge_emb.weight", {kEdgeLabels, kLabels});
  own.linear("fc", 4, 2);
  LayerSpec layer = gine("convs.0");
  layer.edge_embedding = "convs.0.edge_emb";
  expect_same(network({layer}, {{"fc", ""}}, Aggregation::kSum), own);
}

TEST(ModelGuessTest, AttentionToEdges) {
  Weights w;
  w.gat("convs.0", kLabels, 2, 3, true);
  w.add("convs.0.lin_edge.weight", {6, kEdgeLabels});
  w.add("convs.0.att_edge", {1, 2, 3});
  w.linear("fc", 6, 2);
  const ModelGuess guess = expect_same(network({{.conv = Conv::kGat,
                                                 .weights = "convs.0",
                                                 .activation = Activation::kElu,
                                                 .heads = 2,
                                                 .edges = true}},
                                               {{"fc", ""}}),
                                       w);
  EXPECT_THAT(guess.parts, Contains(HasSubstr("GAT, 7 → 6, with edges, 2 heads")));
}

TEST(ModelGuessTest, WhatNoModelFileDescribesIsRefusedWithTheReason) {
  const auto base = [](std::int64_t pooled = 4) {
    Weights w;
    w.gcn("convs.0", kLabels, 4);
    w.linear("fc", pooled, 2);
    return w;
  };
  expect_problem(Weights(), "no message-passing layer was recognised");
  expect_problem(base(8), "perhaps 2 poolings side by side");
  expect_problem(base(9), "'fc' takes 9 features; the last layer gives 4");
  Weights graph_norm = base();
  for (const char* name : {"weight", "bias", "mean_scale"}) {
    graph_norm.add(std::string("norms.0.") + name, {4});
  }
  expect_problem(graph_norm, "'norms.0' is a GraphNorm");
  Weights second = base();
  second.linear("other_head", 4, 5);
  expect_problem(second, "the linear layers make no single head");
  Weights attention;
  attention.add("convs.0.att", {1, 1, 4});
  attention.linear("convs.0.lin_l", kLabels, 4);
  attention.linear("convs.0.lin_r", kLabels, 4);
  attention.linear("fc", 4, 2);
  expect_problem(attention, "'convs.0' is a GATv2");
  Weights mlp = base();
  mlp.norm("lonely", 11);
  expect_problem(mlp, "the batch norm 'lonely' has 11 features");
  Weights one;
  one.gcn("convs.0", kLabels, 4);
  one.linear("fc", 4, 1);
  const ModelGuess logit = guess_model(one.all());
  EXPECT_THAT(logit.problems, IsEmpty());
  EXPECT_EQ(logit.spec.output, Output::kSigmoid);
  EXPECT_THAT(logit.to_check, Contains(HasSubstr("one logit")));
  Weights edge = base();
  edge.add("convs.0.lin_edge.weight", {4, 3});
  expect_problem(edge, "reads edge features");
  Weights bonds = base();
  bonds.add("bond_emb.weight", {3, 4});
  expect_problem(bonds, "not recognised: 'bond_emb.weight' [3, 4]");
  Weights graph_conv;
  graph_conv.linear("convs.0.lin_rel", kLabels, 4);
  graph_conv.add("convs.0.lin_root.weight", {4, kLabels});
  graph_conv.linear("fc", 4, 2);
  expect_problem(graph_conv, "'convs.0' is a GraphConv");
  Weights lins;
  lins.linear("convs.0.nn.lins.0", kLabels, 4);
  lins.gcn("convs.1", 4, 4);
  lins.linear("fc", 4, 2);
  expect_problem(lins, "an MLP of PyTorch Geometric");
  Weights cheb;
  cheb.add("conv1.lins.0.weight", {4, kLabels});
  cheb.add("conv1.lins.1.weight", {4, kLabels});
  cheb.add("conv1.bias", {4});
  cheb.linear("fc", 4, 2);
  expect_problem(cheb, "'conv1' is a ChebConv or a TAGConv");
}

TEST(ModelGuessTest, ACheckpointThatCanBeDraftedSaysHow) {
  Weights w;
  w.sage("conv1", kLabels, 4);
  w.linear("fc", 4, 2);
  try {
    infer_model(w.all(), "sage.pt");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("recognised: 'conv1': GraphSAGE, 7 → 4"));
    EXPECT_THAT(error.remedy(), HasSubstr("`fewedits model sage.pt` drafts a model file"));
  }
}

/// A draft without problems loads; no names and shapes do harm.
TEST(ModelGuessTest, AnyNamesAndShapesAreAnAnswer) {
  const std::vector<std::string> words{"conv",
                                       "convs",
                                       "0",
                                       "1",
                                       "10",
                                       "00",
                                       "99999999999999999999",
                                       "nn",
                                       "lin",
                                       "weight",
                                       "bias",
                                       "eps",
                                       "att_src",
                                       "att",
                                       "running_mean",
                                       "running_var",
                                       "fc",
                                       "lin_l",
                                       "att_dst",
                                       "",
                                       "lin_r",
                                       "emb",
                                       "num_batches_tracked",
                                       "\x01\xff",
                                       "norm",
                                       "lin_src",
                                       "mean_scale"};
  Rng rng(77);
  std::size_t drafted = 0;
  for (int round = 0; round < 20'000; ++round) {
    StateDict weights;
    if (rng.chance(0.5)) {  // something that could be a network, to be disturbed
      weights["conv.lin.weight"] = Tensor::from_floats({2, 2}, {1, 2, 3, 4});
      weights["fc.weight"] = Tensor::from_floats({2, 2}, {1, 2, 3, 4});
    }
    for (std::uint64_t tensors = rng.below(8); tensors > 0; --tensors) {
      std::string name;
      for (std::uint64_t parts = 1 + rng.below(5); parts > 0; --parts) {
        name += words[rng.below(words.size())] + (parts > 1 ? "." : "");
      }
      std::vector<std::int64_t> shape(rng.below(4));
      std::size_t count = 1;
      for (std::int64_t& extent : shape) {
        extent = static_cast<std::int64_t>(rng.below(4));
        count *= static_cast<std::size_t>(extent);
      }
      weights[name] = Tensor::from_floats(shape, std::vector<float>(count, 0.5F));
    }
    const ModelGuess guess = guess_model(weights);
    for (const std::string& part : guess.parts) {
      ASSERT_EQ(part.find('\x01'), std::string::npos) << "a control character";
    }
    if (!guess.problems.empty()) continue;
    ++drafted;
    EXPECT_NO_THROW(NativeClassifier(guess.spec, weights, "test"));
  }
  EXPECT_GT(drafted, 100U);
}

}  // namespace
}  // namespace fewedits
