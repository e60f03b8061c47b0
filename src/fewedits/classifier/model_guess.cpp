// SPDX-License-Identifier: MIT
#include "fewedits/classifier/model_guess.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/classifier/checkpoint_parts.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/classifier/native/native_classifier.hpp"
#include "fewedits/classifier/tensor_words.hpp"

namespace fewedits {
namespace {

/// Orders of more parts than these are not tried one by one.
constexpr std::size_t kMostTried = 7;

std::string kind_in_words(Conv conv) {
  switch (conv) {
    case Conv::kGcn: return "GCN";
    case Conv::kGin: return "GIN";
    case Conv::kSage: return "GraphSAGE";
    case Conv::kGat: return "GAT";
    case Conv::kGine: return "GINE";
  }
  return {};
}

/// Does each take what the one before gives?
template <class Part>
bool is_chain(const std::vector<Part>& parts) {
  return std::adjacent_find(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
           return a.outputs != b.inputs;
         }) == parts.end();
}

/// All orders in which each takes what the one before gives and the first takes one of `starts`,
/// or anything if there are none; no more than two, since two are as good as many.
template <class Part>
std::vector<std::vector<Part>> chains_of(const std::vector<Part>& parts,
                                         const std::vector<std::int64_t>& starts) {
  std::vector<std::vector<Part>> found;
  if (parts.size() > kMostTried) return found;
  std::vector<std::size_t> order(parts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  do {
    std::vector<Part> chain;
    chain.reserve(order.size());
    for (const std::size_t i : order) chain.push_back(parts[i]);
    const bool begins = starts.empty() || chain.empty() ||
                        std::ranges::find(starts, chain.front().inputs) != starts.end();
    if (begins && is_chain(chain)) found.push_back(std::move(chain));
  } while (found.size() < 2 && std::next_permutation(order.begin(), order.end()));
  return found;
}

/// Puts a model together from the parts of a checkpoint.
class Builder {
 public:
  explicit Builder(const StateDict& weights)
      : weights_(weights), parts_(checkpoint_parts(weights)) {}

  ModelGuess build() {
    if (parts_.convs.empty()) {
      out_.problems.emplace_back(
          "no message-passing layer was recognised (GCN, GIN, GINE, GraphSAGE or GAT, with the "
          "tensors "
          "that PyTorch Geometric gives them)");
    } else {
      order_layers();
      place_norms();
      find_head();
      place_embeddings();
    }
    describe_parts();
    name_leftovers();
    if (out_.problems.empty()) load();
    if (out_.problems.empty()) list_suppositions();
    return std::move(out_);
  }

 private:
  void order_layers() {
    if (is_chain(parts_.convs)) return;
    auto chains = chains_of(parts_.convs, {});
    if (chains.size() == 1) {
      parts_.convs = std::move(chains.front());
      out_.to_check.emplace_back("the order of the layers, which follows from their shapes alone");
      return;
    }
    std::vector<std::string> all;
    for (const ConvPart& conv : parts_.convs) {
      all.push_back(
          fmt::format("{} {} → {}", in_quotes(conv.layer.weights), conv.inputs, conv.outputs));
    }
    out_.problems.push_back(
        fmt::format("the layers do not follow one after another: {}", fmt::join(all, ", ")));
  }

  /// A batch norm belongs to the linear map right before it in a Sequential, else to the layer
  /// beside it, else to the layer of the same number, else to the next one in order.
  void place_norms() {
    const bool as_many = parts_.norms.size() == parts_.convs.size();
    for (std::size_t i = 0; i < parts_.norms.size(); ++i) {
      const NormPart& norm = parts_.norms[i];
      if (const LinearPart* linear = linear_before(norm)) {
        head_norms_[linear->prefix] = norm.prefix;
        continue;
      }
      ConvPart* conv = only_fitting(
          norm, [&](const ConvPart& c) { return is_beside(norm.prefix, c.layer.weights); });
      const std::string number = last_number(norm.prefix);
      if (conv == nullptr && !number.empty()) {
        conv = only_fitting(
            norm, [&](const ConvPart& c) { return last_number(c.layer.weights) == number; });
      }
      if (conv == nullptr && as_many && fits(norm, parts_.convs[i])) conv = &parts_.convs[i];
      if (conv != nullptr) {
        conv->layer.batch_norm = norm.prefix;
      } else {
        loose_norms_.push_back(norm);
      }
    }
  }
  static bool fits(const NormPart& norm, const ConvPart& conv) {
    return conv.layer.batch_norm.empty() && conv.outputs == norm.features;
  }
  template <class Condition>
  ConvPart* only_fitting(const NormPart& norm, const Condition& condition) {
    ConvPart* found = nullptr;
    for (ConvPart& conv : parts_.convs) {
      if (!fits(norm, conv) || !condition(conv)) continue;
      if (found != nullptr) return nullptr;
      found = &conv;
    }
    return found;
  }
  /// "layers.0.bn" beside "layers.0.conv", or inside of it; not "bn1" beside "conv1".
  static bool is_beside(const std::string& norm, const std::string& conv) {
    if (norm.starts_with(conv + ".")) return true;
    const std::string parent = parent_of(conv);
    return !last_number(parent).empty() && norm.starts_with(parent + ".") &&
           last_number(conv) == last_number(parent);
  }
  [[nodiscard]] const LinearPart* linear_before(const NormPart& norm) const {
    const std::string parent = parent_of(norm.prefix);
    const std::string number = last_number(norm.prefix);
    if (parent.empty() || norm.prefix != parent + "." + number || number.size() > 6) return nullptr;
    const unsigned long at = std::stoul(number);
    for (const LinearPart& linear : parts_.linears) {
      const bool before = at > 0 && linear.prefix == fmt::format("{}.{}", parent, at - 1);
      if (before && linear.outputs == norm.features) return &linear;
    }
    return nullptr;
  }

  void find_head() {
    const std::int64_t last = parts_.convs.back().outputs;
    std::int64_t all = 0;
    for (const ConvPart& conv : parts_.convs) all += conv.outputs;
    if (parts_.linears.empty()) {
      out_.problems.emplace_back("no linear layer was recognised that could be the head");
      return;
    }
    std::vector<LinearPart> head = parts_.linears;
    drop_map_before_first_layer(head, {last, all});
    if (!is_chain(head)) {
      auto chains = chains_of(head, {last, all});
      if (chains.size() != 1) return refuse_head(head);
      head = std::move(chains.front());
      out_.to_check.emplace_back(
          "the order of the head's linear layers, which follows from their shapes alone");
    }
    if (head.empty()) return;
    if (head.front().inputs != last && head.front().inputs != all) {
      return refuse_features(head.front(), last, all);
    }
    out_.spec.jumping = head.front().inputs != last;
    for (const LinearPart& linear : head) {
      const auto norm = head_norms_.find(linear.prefix);
      out_.spec.head.push_back(
          {linear.prefix, norm == head_norms_.end() ? std::string() : norm->second});
    }
    place_loose_norms(head);
    classes_ = head.back().outputs;
    if (classes_ != 1) return;
    classes_ = 2;
    out_.spec.output = Output::kSigmoid;
    out_.to_check.emplace_back("\"output\": one logit, that of class 1, was supposed");
  }

  /// A map into the first layer's inputs that cannot begin the head stands before the layer.
  void drop_map_before_first_layer(std::vector<LinearPart>& head,
                                   const std::vector<std::int64_t>& starts) {
    const std::int64_t inputs = parts_.convs.front().inputs;
    const auto stands_before = [&](const LinearPart& linear) {
      return linear.outputs == inputs && std::ranges::find(starts, linear.inputs) == starts.end() &&
             std::ranges::none_of(head, [&](const LinearPart& other) {
               return other.prefix != linear.prefix && other.outputs == linear.inputs;
             });
    };
    if (std::ranges::count_if(head, stands_before) != 1) return;
    const auto it = std::ranges::find_if(head, stands_before);
    not_used_before_first(it->prefix + ".weight");
    head.erase(it);
  }

  /// Norms of the head that no Sequential places, by features and in order.
  void place_loose_norms(const std::vector<LinearPart>& head) {
    for (std::size_t i = 0; i + 1 < head.size(); ++i) {
      const auto norm = std::ranges::find(loose_norms_, head[i].outputs, &NormPart::features);
      if (norm == loose_norms_.end() || !out_.spec.head[i].batch_norm.empty()) continue;
      out_.spec.head[i].batch_norm = norm->prefix;
      out_.to_check.push_back(fmt::format("that the batch norm {} follows {}",
                                          in_quotes(norm->prefix), in_quotes(head[i].prefix)));
      loose_norms_.erase(norm);
    }
    for (const NormPart& norm : loose_norms_) {
      out_.problems.push_back(
          fmt::format("the batch norm {} has {} features, and no layer fits it alone",
                      in_quotes(norm.prefix), norm.features));
    }
  }

  void refuse_head(const std::vector<LinearPart>& head) {
    std::vector<std::string> all;
    all.reserve(head.size());
    for (const LinearPart& linear : head) {
      all.push_back(
          fmt::format("{} {} → {}", in_quotes(linear.prefix), linear.inputs, linear.outputs));
    }
    out_.problems.push_back(
        fmt::format("the linear layers make no single head: {}", fmt::join(all, ", ")));
  }

  void refuse_features(const LinearPart& first, std::int64_t last, std::int64_t all) {
    std::string message = fmt::format("{} takes {} features; the last layer gives {}",
                                      in_quotes(first.prefix), first.inputs, last);
    if (all != last) message += fmt::format(", all layers side by side give {}", all);
    for (const std::int64_t times : {2, 3}) {
      if (first.inputs != times * last && first.inputs != times * all) continue;
      message += fmt::format(
          ": perhaps {} poolings side by side, whose kinds and order the weights do not tell: say "
          "them in a model file (\"pooling\": [\"mean\", \"max\"])",
          times);
      break;
    }
    out_.problems.push_back(std::move(message));
  }

  void not_used_before_first(const std::string& name) {
    out_.problems.push_back(fmt::format(
        "{} expects {} inputs; {} {} is not used: it seems to stand before the layer, where a "
        "model file has a place for embeddings only; docs/formats.md says how it becomes one",
        in_quotes(parts_.convs.front().layer.weights), parts_.convs.front().inputs, in_quotes(name),
        shape_in_words(weights_.at(name))));
  }

  /// Matrices alone: of edges by name or because they lie inside a layer, else of nodes.
  void place_embeddings() {
    std::vector<std::string> rest;
    for (const std::string& name : parts_.others) {
      if (!place_embedding(name)) rest.push_back(name);
    }
    parts_.others = std::move(rest);
  }
  bool place_embedding(const std::string& name) {
    static constexpr std::string_view kEnding = ".weight";
    const auto& shape = weights_.at(name).shape;
    if (shape.size() != 2 || !name.ends_with(kEnding)) return false;
    const std::string prefix = name.substr(0, name.size() - kEnding.size());
    if (weights_.contains(prefix + ".bias")) return false;
    for (ConvPart& conv : parts_.convs) {
      if (prefix.starts_with(conv.layer.weights + ".")) return place_in_layer(prefix, shape, conv);
    }
    if (sounds_like(prefix, {"edge", "bond"})) return place_for_edges(prefix, shape);
    if (!sounds_like(prefix, {"emb", "encod"})) return false;
    if (!out_.spec.node_embedding.empty() || shape[1] != parts_.convs.front().inputs) return false;
    out_.spec.node_embedding = prefix;
    describe_embedding(prefix, shape, "node");
    return true;
  }
  static bool sounds_like(const std::string& name, std::initializer_list<const char*> words) {
    const std::string lower = ascii_lower(name);
    return std::ranges::any_of(
        words, [&](const char* word) { return lower.find(word) != std::string::npos; });
  }
  /// Can it be what the layer is given of an edge?
  static bool fits_edges(const ConvPart& conv, std::int64_t features) {
    if (conv.edge_features > 0) return conv.edge_features == features;
    return conv.layer.conv == Conv::kGin && conv.inputs == features;
  }
  /// A GIN to which edges are added is a GINE.
  static void read_edges(ConvPart& conv) {
    if (conv.layer.conv == Conv::kGin) conv.layer.conv = Conv::kGine;
  }
  bool place_in_layer(const std::string& prefix, const std::vector<std::int64_t>& shape,
                      ConvPart& conv) {
    const bool inside = prefix.starts_with(conv.layer.weights + ".nn.");
    const std::string own = prefix.substr(conv.layer.weights.size());
    if (inside || !sounds_like(own, {"edge", "bond", "emb", "encod"}) ||
        !conv.layer.edge_embedding.empty() || !fits_edges(conv, shape[1])) {
      return false;
    }
    conv.layer.edge_embedding = prefix;
    read_edges(conv);
    describe_embedding(prefix, shape, "edge");
    return true;
  }
  bool place_for_edges(const std::string& prefix, const std::vector<std::int64_t>& shape) {
    if (!out_.spec.edge_embedding.empty()) return false;
    bool any = false;
    for (ConvPart& conv : parts_.convs) {
      if (!fits_edges(conv, shape[1])) continue;
      read_edges(conv);
      any = true;
    }
    if (!any) return false;
    out_.spec.edge_embedding = prefix;
    describe_embedding(prefix, shape, "edge");
    return true;
  }
  void describe_embedding(const std::string& prefix, const std::vector<std::int64_t>& shape,
                          const char* of) {
    out_.parts.push_back(fmt::format("{}: embedding of {} {} labels, {} features",
                                     in_quotes(prefix), shape[0], of, shape[1]));
    out_.to_check.push_back(fmt::format("that {} embeds the labels of {}s", in_quotes(prefix), of));
  }

  void describe_parts() {
    for (const ConvPart& conv : parts_.convs) {
      const LayerSpec& layer = conv.layer;
      std::string words = fmt::format("{}: {}, {} → {}", in_quotes(layer.weights),
                                      kind_in_words(layer.conv), conv.inputs, conv.outputs);
      if (layer.edges) words += ", with edges";
      if (layer.conv == Conv::kGat && layer.heads > 1) {
        words += fmt::format(", {} heads, {}", layer.heads,
                             layer.concat_heads ? "side by side" : "their mean");
      }
      if (!layer.batch_norm.empty())
        words += fmt::format(", then batch norm {}", in_quotes(layer.batch_norm));
      out_.parts.push_back(std::move(words));
      out_.spec.layers.push_back(layer);
    }
    if (out_.spec.jumping) out_.parts.emplace_back("pooled outputs of all layers, side by side");
    for (const LinearPart& linear : parts_.linears) {
      std::string words = fmt::format("{}: linear, {} → {}", in_quotes(linear.prefix),
                                      linear.inputs, linear.outputs);
      const auto in_head = std::ranges::find(out_.spec.head, linear.prefix, &HeadSpec::weights);
      if (in_head != out_.spec.head.end() && !in_head->batch_norm.empty()) {
        words += fmt::format(", then batch norm {}", in_quotes(in_head->batch_norm));
      }
      out_.parts.push_back(std::move(words));
    }
  }

  /// Tensors of no part, with what they probably are.
  void name_leftovers() {
    std::vector<std::string> rest;
    const std::int64_t inputs = parts_.convs.empty() ? 0 : parts_.convs.front().inputs;
    for (const std::string& name : parts_.others) {
      if (name.ends_with(".num_batches_tracked")) continue;
      const auto& shape = weights_.at(name).shape;
      const bool inside = name.find(".nn.") != std::string::npos;
      if (inputs > 0 && shape.size() == 2 && shape[1] == inputs && !inside &&
          name.ends_with(".weight")) {
        not_used_before_first(name);
      } else {
        rest.push_back(name);
      }
    }
    if (rest.empty()) return;
    std::string message = fmt::format("not recognised: {}", listed_tensors(rest, weights_));
    for (const std::string& hint :
         hints_about(rest, weights_, out_.spec, static_cast<std::size_t>(inputs))) {
      message += "; " + hint;
    }
    const auto is_mlp = [](const std::string& name) {
      return name.find(".nn.lins.") != std::string::npos;
    };
    if (std::ranges::any_of(rest, is_mlp)) {
      message +=
          "; \"nn\" is an MLP of PyTorch Geometric there, and is read as a Sequential only: rename "
          "its tensors to nn.0, nn.1 and so on in the order in which they are applied";
    }
    out_.problems.push_back(std::move(message));
  }

  /// The engine has the last word: it reads every tensor or says why not.
  void load() {
    suppose();
    try {
      const NativeClassifier model(out_.spec, weights_, "draft");
    } catch (const Error& error) {
      out_.problems.emplace_back(error.what());
    }
  }

  void suppose() {
    const bool gin = std::ranges::any_of(out_.spec.layers, [](const LayerSpec& layer) {
      return layer.conv == Conv::kGin || layer.conv == Conv::kGine;
    });
    out_.spec.pooling = gin ? Aggregation::kSum : Aggregation::kMean;
    if (const auto paper = paper_model(weights_)) out_.spec.pooling = paper->pooling;
    for (LayerSpec& layer : out_.spec.layers) {
      if (layer.conv == Conv::kGat) layer.activation = Activation::kElu;
    }
  }

  void list_suppositions() {
    const auto any = [&](auto condition) {
      return std::ranges::any_of(out_.spec.layers, condition);
    };
    const bool gat = any([](const LayerSpec& l) { return l.conv == Conv::kGat; });
    std::vector<std::string> check;
    check.push_back(fmt::format(
        "\"activation\" of each layer: {} after every one was supposed, after the last as well",
        gat ? "elu after GAT layers and relu after others" : "relu"));
    if (any([](const LayerSpec& l) { return !l.batch_norm.empty(); })) {
      check.emplace_back(
          "batch norms: each was supposed to stand between its layer and the activation, with an "
          "epsilon of 1e-5");
    }
    if (any([](const LayerSpec& l) { return l.conv == Conv::kGin || l.conv == Conv::kGine; })) {
      check.emplace_back("relu between the linear layers inside each GIN");
    }
    if (any([](const LayerSpec& l) { return l.conv == Conv::kSage; })) {
      check.emplace_back("\"aggregate\" of GraphSAGE layers: mean was supposed");
    }
    if (gat) check.emplace_back("\"negative_slope\" of GAT layers: 0.2 was supposed");
    check.push_back(fmt::format("\"pooling\": {} was supposed", pooling_in_words()));
    if (out_.spec.head.size() > 1) {
      check.emplace_back("relu between the linear layers of the head");
    }
    check.push_back(fmt::format(
        "\"node_labels\": the names of the {} labels in the order of the one-hot inputs, or none",
        out_.spec.node_embedding.empty()
            ? parts_.convs.front().inputs
            : weights_.at(out_.spec.node_embedding + ".weight").shape[0]));
    if (any([](const LayerSpec& l) { return l.reads_edges(); })) {
      check.emplace_back(
          "\"edge_labels\": the names of the labels of edges in the order of their one-hot "
          "features or of their embedding, or none");
    }
    check.push_back(
        fmt::format("\"classes\": the names of the {} classes in order, or none", classes_));
    check.insert(check.end(), out_.to_check.begin(), out_.to_check.end());
    out_.to_check = std::move(check);
  }
  [[nodiscard]] std::string pooling_in_words() const {
    for (const auto& [name, value] : aggregation_names()) {
      if (value == out_.spec.pooling) return name;
    }
    return {};
  }

  const StateDict& weights_;
  CheckpointParts parts_;
  std::map<std::string, std::string> head_norms_;  ///< by linear map
  std::vector<NormPart> loose_norms_;
  std::int64_t classes_ = 0;
  ModelGuess out_;
};

}  // namespace

ModelGuess guess_model(const StateDict& weights) { return Builder(weights).build(); }

std::vector<std::string> tensor_names(const StateDict& weights) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : weights) names.push_back(name);
  std::ranges::sort(names, counts_before);
  return names;
}

std::string summary_of(const ModelGuess& guess, const StateDict& weights) {
  const std::vector<std::string> names = tensor_names(weights);
  std::string out = fmt::format("it holds {}: {}", counted(names.size(), "tensor"),
                                listed_tensors(names, weights));
  if (!guess.parts.empty()) out += fmt::format("; recognised: {}", fmt::join(guess.parts, "; "));
  for (const std::string& problem : guess.problems) out += "; " + problem;
  return out;
}

}  // namespace fewedits
