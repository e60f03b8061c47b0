// SPDX-License-Identifier: MIT
#include "fewedits/classifier/checkpoint_parts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

namespace fewedits {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A run of digits or of other characters.
struct Run {
  bool number;
  std::string text;  ///< of a number: without leading zeros
};

std::vector<Run> runs_of(const std::string& name) {
  std::vector<Run> out;
  for (std::size_t at = 0; at < name.size();) {
    const bool number = is_digit(name[at]);
    std::size_t end = at;
    while (end < name.size() && is_digit(name[end]) == number) ++end;
    std::string text = name.substr(at, end - at);
    if (number) text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
    out.push_back({number, std::move(text)});
    at = end;
  }
  return out;
}

bool has_any(const std::string& text, std::initializer_list<std::string_view> words) {
  std::string lower = text;
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(
      words, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

/// The last part of a dotted name that is more than a number.
std::string own_name(const std::string& prefix) {
  std::string rest = prefix;
  for (;;) {
    const std::string parent = parent_of(rest);
    std::string last = parent.empty() ? rest : rest.substr(parent.size() + 1);
    if (parent.empty() || !std::ranges::all_of(last, is_digit)) return last;
    rest = parent;
  }
}

/// Where shapes leave open whether a matrix is a layer's or the head's, names decide.
bool sounds_like_layer(const std::string& prefix) {
  if (has_any(own_name(prefix), {"conv", "gcn", "gat", "sage"})) return true;
  if (has_any(own_name(prefix), {"out", "final", "cls", "logit", "score"})) return false;
  if (has_any(prefix, {"lin", "fc", "mlp", "head", "classif", "dense", "pred", "readout", "emb"})) {
    return false;
  }
  return has_any(prefix, {"gc", "gnn", "layer", "graph"});
}

/// Takes tensors out of a checkpoint, module by module; what is left belongs to none.
class Sorter {
 public:
  explicit Sorter(const StateDict& weights) : weights_(weights) {}

  CheckpointParts sort() {
    for_each_ending(".att_src", [&](const std::string& p) { take_gat(p); });
    for_each_ending(".lin_l.weight", [&](const std::string& p) { take_sage(p); });
    take_gins();
    for_each_ending(".running_mean", [&](const std::string& p) { take_norm(p); });
    for_each_ending(".lin.weight", [&](const std::string& p) { take_gcn(p); });
    for_each_ending(".weight", [&](const std::string& p) { take_matrix(p); });
    for (const auto& [name, tensor] : weights_) {
      if (!taken_.contains(name)) out_.others.push_back(name);
    }
    std::ranges::sort(out_.convs, counts_before, [](const auto& c) { return c.layer.weights; });
    std::ranges::sort(out_.linears, counts_before, &LinearPart::prefix);
    std::ranges::sort(out_.norms, counts_before, &NormPart::prefix);
    std::ranges::sort(out_.others, counts_before);
    return std::move(out_);
  }

 private:
  template <class Function>
  void for_each_ending(const std::string& ending, const Function& take) {
    for (const auto& [name, tensor] : weights_) {
      if (taken_.contains(name) || !name.ends_with(ending)) continue;
      if (name.size() > ending.size()) take(name.substr(0, name.size() - ending.size()));
    }
  }

  [[nodiscard]] bool has(const std::string& name) const { return weights_.contains(name); }
  /// The shape of a tensor of that rank that is not taken yet and has values.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> shape(const std::string& name,
                                                               std::size_t rank) const {
    const auto it = weights_.find(name);
    if (it == weights_.end() || it->second.shape.size() != rank || taken_.contains(name)) {
      return std::nullopt;
    }
    const auto& found = it->second.shape;
    if (std::ranges::any_of(found, [](std::int64_t n) { return n <= 0; })) return std::nullopt;
    return found;
  }
  void take(const std::string& prefix, std::initializer_list<const char*> endings) {
    for (const char* ending : endings) {
      if (has(prefix + ending)) taken_.insert(prefix + ending);
    }
  }
  void add_conv(LayerSpec layer, std::int64_t inputs, std::int64_t outputs,
                std::int64_t edge_features = 0) {
    out_.convs.push_back({std::move(layer), inputs, outputs, edge_features});
  }

  void take_gat(const std::string& p) {
    const std::string linear = p + (has(p + ".lin_src.weight") ? ".lin_src" : ".lin") + ".weight";
    const auto attention = shape(p + ".att_src", 3);
    const auto matrix = shape(linear, 2);
    if (!attention || !matrix || !shape(p + ".att_dst", 3)) return;
    const std::int64_t heads = (*attention)[1];
    const std::int64_t features = (*attention)[2];
    if (heads > 1024 || features > (*matrix)[0] || heads * features != (*matrix)[0]) return;
    LayerSpec layer{.conv = Conv::kGat, .weights = p, .heads = static_cast<int>(heads)};
    const auto bias = shape(p + ".bias", 1);
    layer.concat_heads = heads == 1 || !bias || (*bias)[0] != features;
    const auto edge = shape(p + ".lin_edge.weight", 2);
    layer.edges = edge && (*edge)[0] == (*matrix)[0] && shape(p + ".att_edge", 3);
    add_conv(layer, (*matrix)[1], layer.concat_heads ? (*matrix)[0] : features,
             layer.edges ? (*edge)[1] : 0);
    if (layer.edges) take(p, {".lin_edge.weight", ".att_edge"});
    take(p, {".att_src", ".att_dst", ".lin.weight", ".lin_src.weight", ".lin_dst.weight", ".bias"});
  }

  void take_sage(const std::string& p) {
    const auto neighbours = shape(p + ".lin_l.weight", 2);
    // A GATv2 has these two and its attention.
    if (!neighbours || shape(p + ".lin_r.weight", 2) != neighbours || has(p + ".att")) return;
    add_conv({.conv = Conv::kSage, .weights = p}, (*neighbours)[1], (*neighbours)[0]);
    take(p, {".lin_l.weight", ".lin_l.bias", ".lin_r.weight", ".lin_r.bias"});
  }

  /// Sequential MLPs under "nn", by prefix: their numbers.
  [[nodiscard]] std::map<std::string, std::set<unsigned long>> mlps() const {
    static const std::string under = ".nn.";
    std::map<std::string, std::set<unsigned long>> out;
    for (const auto& [name, tensor] : weights_) {
      const std::size_t at = name.rfind(under);
      if (at == std::string::npos || at == 0) continue;
      const std::string rest = name.substr(at + under.size());
      const std::size_t digits = rest.find_first_not_of("0123456789");
      if (digits == 0 || digits == std::string::npos || digits > 6 || rest[digits] != '.') continue;
      out[name.substr(0, at)].insert(std::stoul(rest));
    }
    return out;
  }

  void take_gins() {
    for (const auto& [p, numbers] : mlps()) {
      std::int64_t inputs = 0;
      std::int64_t outputs = 0;
      for (const unsigned long number : numbers) {
        const std::string part = p + ".nn." + std::to_string(number);
        const auto matrix = shape(part + ".weight", 2);
        if (matrix) {
          inputs = inputs == 0 ? (*matrix)[1] : inputs;
          outputs = (*matrix)[0];
        }
        if (matrix || has(part + ".running_mean")) take_linear_or_norm(part);
      }
      if (outputs == 0) continue;
      take(p, {".eps"});
      const auto edge = shape(p + ".lin.weight", 2);
      if (edge && (*edge)[0] == inputs) {
        take(p, {".lin.weight", ".lin.bias"});
        add_conv({.conv = Conv::kGine, .weights = p}, inputs, outputs, (*edge)[1]);
      } else {
        add_conv({.conv = Conv::kGin, .weights = p}, inputs, outputs);
      }
    }
  }
  void take_linear_or_norm(const std::string& p) {
    take(p, {".weight", ".bias", ".running_mean", ".running_var", ".num_batches_tracked"});
  }

  void take_norm(const std::string& p) {
    const auto mean = shape(p + ".running_mean", 1);
    if (!mean || !shape(p + ".running_var", 1)) return;
    out_.norms.push_back({p, (*mean)[0]});
    take_linear_or_norm(p);
  }

  /// A map without bias inside a module that has one: a GCNConv.
  void take_gcn(const std::string& p) {
    const auto matrix = shape(p + ".lin.weight", 2);
    if (!matrix || has(p + ".lin.bias")) return;
    const auto bias = shape(p + ".bias", 1);
    if (bias ? (*bias)[0] != (*matrix)[0] : !sounds_like_layer(p)) return;
    add_conv({.conv = Conv::kGcn, .weights = p}, (*matrix)[1], (*matrix)[0]);
    take(p, {".lin.weight", ".bias"});
  }

  /// The older GCNConv stores its matrix inputs × outputs, a Linear outputs × inputs: the length of
  /// the bias tells them apart.
  void take_matrix(const std::string& p) {
    const auto matrix = shape(p + ".weight", 2);
    if (!matrix || is_part_of_a_layer(p)) return;
    const auto bias = shape(p + ".bias", 1);
    const bool fits_layer = !bias || (*bias)[0] == (*matrix)[1];
    const bool fits_linear = !bias || (*bias)[0] == (*matrix)[0];
    if (!fits_layer && !fits_linear) return;
    // An embedding is a matrix alone.
    if (!bias && has_any(own_name(p), {"emb"})) return;
    if (fits_layer && (!fits_linear || sounds_like_layer(p))) {
      add_conv({.conv = Conv::kGcn, .weights = p}, (*matrix)[0], (*matrix)[1]);
    } else {
      out_.linears.push_back({p, (*matrix)[1], (*matrix)[0]});
    }
    take(p, {".weight", ".bias"});
  }

  /// Of one that was recognised without it, or of one that is none of ours.
  [[nodiscard]] bool is_part_of_a_layer(const std::string& p) const {
    static constexpr std::array kOthers{".lin_l",    ".lin_r",     ".lin_rel",   ".lin_root",
                                        ".lin_key",  ".lin_query", ".lin_value", ".lin_skip",
                                        ".lin_edge", ".res"};
    return p.find(".nn.") != std::string::npos || is_hop(p) ||
           std::ranges::any_of(kOthers, [&](const char* end) { return p.ends_with(end); }) ||
           std::ranges::any_of(out_.convs, [&](const ConvPart& conv) {
             return p.starts_with(conv.layer.weights + ".");
           });
  }

  /// "conv.lins.1", which leaves the bias to "conv": of a ChebConv or a TAGConv.
  [[nodiscard]] bool is_hop(const std::string& p) const {
    return parent_of(p).ends_with(".lins") && !has(p + ".bias");
  }

  const StateDict& weights_;
  std::set<std::string> taken_;
  CheckpointParts out_;
};

}  // namespace

CheckpointParts checkpoint_parts(const StateDict& weights) { return Sorter(weights).sort(); }

bool counts_before(const std::string& a, const std::string& b) {
  const auto left = runs_of(a);
  const auto right = runs_of(b);
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    const auto key = [](const Run& run) {
      // Of two numbers the longer is the larger.
      return std::tuple(!run.number, run.number ? run.text.size() : 0, std::string_view(run.text));
    };
    if (key(left[i]) != key(right[i])) return key(left[i]) < key(right[i]);
  }
  return std::tuple(left.size(), std::string_view(a)) <
         std::tuple(right.size(), std::string_view(b));
}

std::string last_number(const std::string& name) {
  const auto runs = runs_of(name);
  const auto it = std::find_if(runs.rbegin(), runs.rend(), [](const Run& r) { return r.number; });
  return it == runs.rend() ? std::string() : it->text;
}

std::string parent_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? std::string() : name.substr(0, dot);
}

}  // namespace fewedits
