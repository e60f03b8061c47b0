// SPDX-License-Identifier: MIT
#include "fewedits/classifier/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <set>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/json_reader.hpp"
#include "fewedits/base/sha256.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/classifier/input_selection.hpp"
#include "fewedits/classifier/model_guess.hpp"
#include "fewedits/classifier/tensor_words.hpp"
#include "fewedits/graph/fingerprint.hpp"
#include "fewedits/graph/index_list.hpp"

namespace fewedits {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr const char* kFormat = "fewedits.model/2";
constexpr std::uint64_t kMaxModelFileBytes = 16 << 20;
constexpr std::size_t kMaxLayers = 1000;
constexpr const char* kSeeFormats = "the format is described in docs/formats.md";
constexpr const char* kDescribeIt =
    "describe the architecture in a model file beside the weights, see docs/formats.md";

template <typename T, std::size_t N>
using Names = std::array<std::pair<T, const char*>, N>;

constexpr Names<Conv, 5> kConvNames{{{Conv::kGcn, "gcn"},
                                     {Conv::kGin, "gin"},
                                     {Conv::kSage, "sage"},
                                     {Conv::kGat, "gat"},
                                     {Conv::kGine, "gine"}}};
constexpr Names<Activation, 7> kActivationNames{{{Activation::kRelu, "relu"},
                                                 {Activation::kLeakyRelu, "leaky_relu"},
                                                 {Activation::kElu, "elu"},
                                                 {Activation::kGelu, "gelu"},
                                                 {Activation::kTanh, "tanh"},
                                                 {Activation::kSigmoid, "sigmoid"},
                                                 {Activation::kNone, "none"}}};
constexpr Names<Output, 2> kOutputNames{
    {{Output::kSoftmax, "softmax"}, {Output::kSigmoid, "sigmoid"}}};
constexpr Names<Aggregation, 3> kAggregationNames{
    {{Aggregation::kMean, "mean"}, {Aggregation::kSum, "sum"}, {Aggregation::kMax, "max"}}};

template <typename T, std::size_t N>
std::string name_in(const Names<T, N>& names, T value) {
  const auto it = std::find_if(names.begin(), names.end(),
                               [&](const auto& entry) { return entry.first == value; });
  return it->second;
}

template <typename T, std::size_t N>
std::map<std::string, T> by_name(const Names<T, N>& names) {
  std::map<std::string, T> out;
  for (const auto& [value, name] : names) out.emplace(name, value);
  return out;
}

/// One JSON object being read: hands out its keys and complains about those nobody asked for.
class Reader {
 public:
  Reader(const Json& object, std::string where, const std::string& origin)
      : object_(object), where_(std::move(where)), origin_(origin) {
    if (!object.is_object()) fail("must be an object");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error({origin_}, where_ + " " + what, kSeeFormats);
  }

  [[nodiscard]] const Json* find(const std::string& key) {
    asked_.insert(key);
    const auto it = object_.find(key);
    return it == object_.end() ? nullptr : &*it;
  }

  std::string text(const std::string& key, const std::string& otherwise) {
    const Json* value = find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_string()) fail(fmt::format("key \"{}\" must be a string", key));
    return value->get<std::string>();
  }

  std::string required_text(const std::string& key) {
    if (find(key) == nullptr) fail(fmt::format("lacks the key \"{}\"", key));
    return text(key, {});
  }

  bool flag(const std::string& key, bool otherwise) {
    const Json* value = find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_boolean()) fail(fmt::format("key \"{}\" must be true or false", key));
    return value->get<bool>();
  }

  double number(const std::string& key, double otherwise, double low, double high) {
    const Json* value = find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_number() || value->get<double>() < low || value->get<double>() > high) {
      fail(fmt::format("key \"{}\" must be a number from {} to {}", key, low, high));
    }
    return value->get<double>();
  }

  template <typename T, std::size_t N>
  T choice(const std::string& key, T otherwise, const Names<T, N>& names) {
    return named(key, text(key, name_in(names, otherwise)), names);
  }

  /// One name, or a list of some, each once; what is missing is `otherwise`.
  template <typename T, std::size_t N>
  std::vector<T> choices(const std::string& key, T otherwise, const Names<T, N>& names) {
    const Json* value = find(key);
    if (value == nullptr || !value->is_array()) return {choice(key, otherwise, names)};
    std::vector<T> out;
    for (const std::string& name : texts(key)) {
      out.push_back(named(key, name, names));
      if (std::ranges::count(out, out.back()) > 1) {
        fail(fmt::format("key \"{}\" has {} twice", key, in_quotes(name)));
      }
    }
    if (out.empty()) fail(fmt::format("key \"{}\" is an empty list", key));
    return out;
  }

  template <typename T, std::size_t N>
  T named(const std::string& key, const std::string& given, const Names<T, N>& names) const {
    std::string known;
    for (const auto& [value, name] : names) {
      if (given == name) return value;
      known += known.empty() ? name : fmt::format(", {}", name);
    }
    fail(fmt::format("key \"{}\" is {}, must be one of {}", key, in_quotes(given), known));
  }

  std::vector<std::string> texts(const std::string& key) {
    std::vector<std::string> list;
    const Json* value = find(key);
    if (value == nullptr) return list;
    if (!value->is_array()) fail(fmt::format("key \"{}\" must be a list of strings", key));
    for (const Json& item : *value) {
      if (!item.is_string()) fail(fmt::format("key \"{}\" must be a list of strings", key));
      list.push_back(item.get<std::string>());
    }
    return list;
  }

  /// The objects of a required, non-empty list.
  std::vector<Reader> objects(const std::string& key) {
    const Json* value = find(key);
    if (value == nullptr || !value->is_array() || value->empty() || value->size() > kMaxLayers) {
      fail(fmt::format("needs \"{}\", a list of 1 to {} objects", key, kMaxLayers));
    }
    std::vector<Reader> readers;
    for (std::size_t i = 0; i < value->size(); ++i) {
      readers.emplace_back((*value)[i], fmt::format("{}[{}]", key, i), origin_);
    }
    return readers;
  }

  void reject_unknown_keys() const {
    for (const auto& [key, value] : object_.items()) {
      if (!asked_.contains(key)) fail("has the unknown key " + in_quotes(key));
    }
  }

 private:
  const Json& object_;
  std::string where_;
  const std::string& origin_;
  std::set<std::string> asked_;
};

LayerSpec parse_layer(Reader& in) {
  LayerSpec layer;
  layer.conv = in.choice("conv", layer.conv, kConvNames);
  layer.weights = in.required_text("weights");
  layer.batch_norm = in.text("batch_norm", "");
  if (!layer.batch_norm.empty()) layer.batch_norm_last = in.flag("batch_norm_last", false);
  layer.activation = in.choice("activation", layer.activation, kActivationNames);
  if (layer.conv == Conv::kGin || layer.conv == Conv::kGine) {
    layer.mlp_activation = in.choice("mlp_activation", layer.mlp_activation, kActivationNames);
  }
  if (layer.conv == Conv::kSage) {
    layer.aggregate = in.choice("aggregate", layer.aggregate, kAggregationNames);
  }
  if (layer.conv == Conv::kGat) {
    const double heads = in.number("heads", layer.heads, 1, 1024);
    layer.heads = static_cast<int>(heads);
    if (layer.heads != heads) in.fail("key \"heads\" must be a whole number");
    layer.concat_heads = in.flag("concat_heads", layer.concat_heads);
    layer.negative_slope = in.number("negative_slope", layer.negative_slope, 0, 1);
    layer.edges = in.flag("edges", layer.edges);
  }
  if (layer.reads_edges()) layer.edge_embedding = in.text("edge_embedding", "");
  in.reject_unknown_keys();
  return layer;
}

OrderedJson layer_json(const LayerSpec& layer) {
  OrderedJson json{{"conv", name_in(kConvNames, layer.conv)}, {"weights", layer.weights}};
  if (!layer.batch_norm.empty()) json["batch_norm"] = layer.batch_norm;
  if (layer.batch_norm_last) json["batch_norm_last"] = true;
  json["activation"] = name_in(kActivationNames, layer.activation);
  if (layer.mlp_activation != Activation::kRelu) {
    json["mlp_activation"] = name_in(kActivationNames, layer.mlp_activation);
  }
  if (layer.conv == Conv::kSage) json["aggregate"] = name_in(kAggregationNames, layer.aggregate);
  if (layer.conv == Conv::kGat) {
    json["heads"] = layer.heads;
    json["concat_heads"] = layer.concat_heads;
    json["negative_slope"] = layer.negative_slope;
    if (layer.edges) json["edges"] = true;
  }
  if (!layer.edge_embedding.empty()) json["edge_embedding"] = layer.edge_embedding;
  return json;
}

/// Whether a tensor of that name is one of a model in the paper's layout. Exact names: a prefix
/// would let a GAT (convs.0.lin.weight and convs.0.att_src) pass for a GCN.
bool belongs_to(const ModelSpec& spec, const std::string& name) {
  const auto is_one_of = [&](const std::string& prefix,
                             std::initializer_list<const char*> endings) {
    return std::any_of(endings.begin(), endings.end(),
                       [&](const char* ending) { return name == prefix + "." + ending; });
  };
  const auto in_layer = [&](const LayerSpec& layer) {
    return is_one_of(layer.weights, {"weight", "lin.weight", "bias"}) ||
           is_one_of(layer.batch_norm,
                     {"weight", "bias", "running_mean", "running_var", "num_batches_tracked"});
  };
  return is_one_of(spec.head.front().weights, {"weight", "bias"}) ||
         std::any_of(spec.layers.begin(), spec.layers.end(), in_layer);
}

void refuse_duplicates(const Reader& in, const std::string& key,
                       const std::vector<std::string>& names) {
  const std::set<std::string> distinct(names.begin(), names.end());
  if (distinct.size() != names.size()) {
    in.fail(fmt::format("key \"{}\" has a name twice", key));
  }
}

RecordedSplit parse_split(const Json& json, const std::string& origin) {
  Reader in(json, "split", origin);
  const auto part = [&](const char* key) {
    try {
      return parse_index_list(in.text(key, ""));
    } catch (const Error& error) {
      in.fail(fmt::format("key \"{}\": {}", key, error.what()));
    }
  };
  RecordedSplit out{in.text("graphs", ""), part("train"), part("validation"), part("test")};
  in.reject_unknown_keys();
  return out;
}

}  // namespace

std::map<std::string, Conv> conv_names() { return by_name(kConvNames); }
std::map<std::string, Aggregation> aggregation_names() { return by_name(kAggregationNames); }

ModelFile parse_model_file(const std::string& json, const std::string& origin) {
  const auto root = parse_json<Json>(json, origin, kSeeFormats);
  Reader in(root, "the model file", origin);
  if (in.required_text("format") != kFormat) {
    in.fail(fmt::format("has the format {}, this version reads \"{}\"",
                        in_quotes(in.required_text("format")), kFormat));
  }
  ModelFile model;
  model.weights = in.required_text("weights");
  if (std::filesystem::path(model.weights).is_absolute() ||
      model.weights.find("..") != std::string::npos) {
    in.fail("key \"weights\" must name a file beside the model file");
  }
  for (Reader& layer : in.objects("layers")) model.spec.layers.push_back(parse_layer(layer));
  model.spec.node_embedding = in.text("node_embedding", "");
  model.spec.edge_embedding = in.text("edge_embedding", "");
  model.spec.jumping = in.flag("jumping", false);
  const auto poolings = in.choices("pooling", model.spec.pooling, kAggregationNames);
  model.spec.pooling = poolings.front();
  model.spec.more_poolings.assign(poolings.begin() + 1, poolings.end());
  for (Reader& part : in.objects("head")) {
    model.spec.head.push_back({part.required_text("weights"), part.text("batch_norm", "")});
    part.reject_unknown_keys();
  }
  model.spec.head_activation =
      in.choice("head_activation", model.spec.head_activation, kActivationNames);
  model.spec.output = in.choice("output", model.spec.output, kOutputNames);
  model.spec.leaky_slope = in.number("leaky_slope", model.spec.leaky_slope, 0, 1);
  model.spec.batch_norm_epsilon = in.number("batch_norm_epsilon", 1e-5, 0, 1);
  model.spec.node_labels = in.texts("node_labels");
  model.spec.edge_labels = in.texts("edge_labels");
  model.spec.classes = in.texts("classes");
  refuse_duplicates(in, "node_labels", model.spec.node_labels);
  refuse_duplicates(in, "edge_labels", model.spec.edge_labels);
  refuse_duplicates(in, "classes", model.spec.classes);
  model.spec.ignore = in.texts("ignore");
  refuse_duplicates(in, "ignore", model.spec.ignore);
  if (std::ranges::find(model.spec.ignore, "") != model.spec.ignore.end()) {
    in.fail("key \"ignore\" has an empty name");
  }
  if (const Json* split = in.find("split")) model.split = parse_split(*split, origin);
  (void)in.find("training");  // how it was made: for people
  in.reject_unknown_keys();
  return model;
}

std::string to_json(const ModelFile& model) {
  OrderedJson root{{"format", kFormat}, {"weights", model.weights}};
  for (const LayerSpec& layer : model.spec.layers) root["layers"].push_back(layer_json(layer));
  if (!model.spec.node_embedding.empty()) root["node_embedding"] = model.spec.node_embedding;
  if (!model.spec.edge_embedding.empty()) root["edge_embedding"] = model.spec.edge_embedding;
  root["jumping"] = model.spec.jumping;
  root["pooling"] = name_in(kAggregationNames, model.spec.pooling);
  if (!model.spec.more_poolings.empty()) {
    root["pooling"] = OrderedJson::array({name_in(kAggregationNames, model.spec.pooling)});
    for (const Aggregation more : model.spec.more_poolings) {
      root["pooling"].push_back(name_in(kAggregationNames, more));
    }
  }
  for (const HeadSpec& part : model.spec.head) {
    OrderedJson json{{"weights", part.weights}};
    if (!part.batch_norm.empty()) json["batch_norm"] = part.batch_norm;
    root["head"].push_back(json);
  }
  if (model.spec.head_activation != Activation::kRelu) {
    root["head_activation"] = name_in(kActivationNames, model.spec.head_activation);
  }
  if (model.spec.output != Output::kSoftmax) {
    root["output"] = name_in(kOutputNames, model.spec.output);
  }
  if (model.spec.leaky_slope != ModelSpec{}.leaky_slope) {
    root["leaky_slope"] = model.spec.leaky_slope;
  }
  root["batch_norm_epsilon"] = model.spec.batch_norm_epsilon;
  root["node_labels"] = model.spec.node_labels;
  if (!model.spec.edge_labels.empty()) root["edge_labels"] = model.spec.edge_labels;
  root["classes"] = model.spec.classes;
  if (!model.spec.ignore.empty()) root["ignore"] = model.spec.ignore;
  if (const auto& split = model.split) {
    root["split"] = {{"graphs", split->graphs},
                     {"train", index_list_text(split->train)},
                     {"validation", index_list_text(split->validation)},
                     {"test", index_list_text(split->test)}};
  }
  // Names come from files: bytes that are no UTF-8 are replaced rather than refused.
  return root.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::optional<ModelSpec> paper_model(const StateDict& weights) {
  ModelSpec spec;
  const auto has = [&](const std::string& name) { return weights.contains(name); };
  for (std::size_t l = 0;; ++l) {
    LayerSpec layer;
    layer.weights = fmt::format("convs.{}", l);
    if (!has(layer.weights + ".weight") && !has(layer.weights + ".lin.weight")) break;
    const std::string norm = fmt::format("bns.{}", l);
    if (has(norm + ".running_mean")) layer.batch_norm = norm;
    spec.layers.push_back(layer);
  }
  if (spec.layers.empty() || !has("fc.weight")) return std::nullopt;
  spec.head.push_back({"fc", ""});
  // Nothing may be left over: an extra tensor means another architecture.
  const bool all = std::ranges::all_of(
      weights, [&](const auto& entry) { return belongs_to(spec, entry.first); });
  return all ? std::optional(spec) : std::nullopt;
}

ModelSpec infer_model(const StateDict& weights, const std::string& origin) {
  if (auto spec = paper_model(weights)) return *std::move(spec);
  const ModelGuess guess = guess_model(weights);
  const std::string message =
      fmt::format("is not in the paper's layout (GCN layers convs.N, batch norm bns.N, fc); {}",
                  summary_of(guess, weights));
  if (!guess.problems.empty()) throw Error({origin}, message, kDescribeIt);
  throw Error({origin}, message,
              fmt::format("`fewedits model {}` drafts a model file for it: check that, and save it "
                          "beside the weights, see docs/formats.md",
                          origin));
}

namespace {

std::filesystem::path description_of(std::filesystem::path path) {
  return path.replace_extension(".json");
}

/// The files of a model.
struct ModelPaths {
  std::filesystem::path checkpoint;
  std::optional<ModelFile> description;
  std::string description_text;
};

ModelPaths find_model(const std::filesystem::path& path) {
  const std::filesystem::path description = description_of(path);
  if (path.extension() != ".json" && !std::filesystem::exists(description)) return {path, {}, {}};
  std::string text = read_file(description, kMaxModelFileBytes);
  ModelFile model = parse_model_file(text, description.string());
  const auto checkpoint = path.extension() == ".json" ? path.parent_path() / model.weights : path;
  return {checkpoint, std::move(model), std::move(text)};
}

}  // namespace

LoadedModel load_model(const std::filesystem::path& path) {
  ModelPaths found = find_model(path);
  CheckpointWeights weights = load_weights(found.checkpoint);
  ModelSpec spec = found.description ? std::move(found.description->spec)
                                     : infer_model(weights.model, path.string());
  LoadedModel out{std::move(spec), std::move(weights.model), {}};
  if (!weights.training.empty()) {
    out.notes.push_back(fmt::format(
        "the checkpoint holds {} of the training beside the model, which are left out: {}",
        counted(weights.training.size(), "tensor"),
        listed_tensors(tensor_names(weights.training), weights.training)));
  }
  return out;
}

std::vector<std::filesystem::path> model_files(const std::filesystem::path& path) {
  if (path.extension() == ".json") return {find_model(path).checkpoint, path};
  return {path, description_of(path)};
}

RecordedSplit recorded_split(const Split& split, const Dataset& dataset) {
  const auto indices = [](const std::vector<std::size_t>& part) {
    std::vector<std::uint32_t> out;
    out.reserve(part.size());
    for (const std::size_t i : part) out.push_back(static_cast<std::uint32_t>(i));
    return out;
  };
  return {graphs_fingerprint(dataset), indices(split.train), indices(split.validation),
          indices(split.test)};
}

std::vector<std::uint32_t> part_of_split(const std::filesystem::path& model, const Dataset& dataset,
                                         const std::string& part) {
  const ModelPaths found = find_model(model);
  const auto fail = [&](const std::string& what, const std::string& remedy) {
    throw Error({description_of(model).string()}, what, remedy);
  };
  if (!found.description || !found.description->split) {
    fail("records no split of the graphs",
         "a model from this program's training does; list the graphs instead");
  }
  const RecordedSplit& split = *found.description->split;
  if (!split.graphs.empty() && split.graphs != graphs_fingerprint(dataset)) {
    fail("records the split of other graphs than the dataset's",
         "use the dataset and the rare-label filter that the model was trained with");
  }
  if (part == "train") return split.train;
  if (part == "validation") return split.validation;
  if (part != "test") {
    fail(fmt::format("a split has no part {}", in_quotes(part)),
         "they are train, validation, test");
  }
  return split.test;
}

std::string model_hash(const std::filesystem::path& path) {
  const ModelPaths found = find_model(path);
  const std::string weights = sha256_hex(read_file(found.checkpoint));
  return found.description ? sha256_hex(sha256_hex(found.description_text) + weights) : weights;
}

}  // namespace fewedits
