// SPDX-License-Identifier: MIT
// The reading half of explanation_json: nothing in the text is trusted.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/flat_json.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/explanation/script_json.hpp"

namespace fewedits {
namespace {

constexpr const char* kRemedy = "docs/formats.md describes the format";
constexpr JsonLimits kLimits{.depth = 64, .keys = 256};
constexpr std::size_t kMaxOptionValues = 1000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// The largest 32-bit number means "none".
constexpr std::uint32_t kMaxIndex = std::numeric_limits<std::uint32_t>::max() - 1;

/// A value of the document and the way to it, which every complaint names. The way is put into
/// words only then: files have millions of values.
class Value {
 public:
  Value(FlatValue json, const std::string& file) : json_(json), file_(file) {}

  [[noreturn]] void fail(const std::string& what, const std::string& remedy = kRemedy) const {
    const std::string path = this->path();
    throw Error(Location{file_, 0}, path.empty() ? what : path + " " + what, remedy);
  }

  [[nodiscard]] bool is_list() const { return json_.is_list(); }
  [[nodiscard]] bool is_null() const { return json_.is_null(); }
  /// Of a list.
  [[nodiscard]] std::size_t size() const {
    if (!json_.is_list()) wrong_type("a list");
    return json_.size();
  }
  [[nodiscard]] bool is_minus_one() const { return json_.is_negative() && json_.negative() == -1; }
  [[nodiscard]] bool has(std::string_view key) const {
    return json_.is_object() && json_.find(key).has_value();
  }
  /// The key must outlive what is returned, as texts of this file do.
  [[nodiscard]] Value operator[](const char* key) const {
    if (!json_.is_object()) wrong_type("an object");
    const auto found = json_.find(key);
    if (!found) fail(fmt::format("lacks the key \"{}\"", key));
    return {*found, *this, key, 0};
  }

  [[nodiscard]] std::string text() const {
    if (!json_.is_text()) wrong_type("a string");
    return std::string(json_.text());
  }
  [[nodiscard]] bool flag() const {
    if (!json_.is_boolean()) wrong_type("true or false");
    return json_.boolean();
  }
  template <std::unsigned_integral T>
  [[nodiscard]] T whole(T most = std::numeric_limits<T>::max()) const {
    if (!json_.is_unsigned() || json_.whole() > most) {
      wrong_type(fmt::format("a whole number from 0 to {}", most));
    }
    return static_cast<T>(json_.whole());
  }
  /// Never NaN, which JSON cannot hold, nor infinite, which does not parse.
  [[nodiscard]] double number(double most = std::numeric_limits<double>::max()) const {
    if (!json_.is_number() || !(json_.number() >= 0 && json_.number() <= most)) {
      wrong_type(most == 1 ? "a number from 0 to 1" : "a number, 0 or more");
    }
    return json_.number();
  }
  [[nodiscard]] double number_or_infinite() const { return is_null() ? kInfinity : number(); }

  /// The item of a list that has so many.
  [[nodiscard]] Value at(std::size_t index, std::size_t size) const {
    if (!json_.is_list() || json_.size() != size) wrong_type(fmt::format("a list of {}", size));
    return {json_.at(index), *this, nullptr, index};
  }
  /// What `read` makes of each item of a list.
  template <typename Read>
  [[nodiscard]] auto list(const Read& read) const {
    std::vector<std::decay_t<std::invoke_result_t<Read, const Value&>>> items;
    items.reserve(size());
    json_.for_items([&](std::size_t i, const FlatValue& item) {
      items.push_back(read(Value(item, *this, nullptr, i)));
    });
    return items;
  }
  /// The same of the values of an object, in the order of the text; `read` gets the key, too.
  template <typename Read>
  void members(const Read& read) const {
    if (!json_.is_object()) wrong_type("an object");
    json_.for_members([&](std::string_view key, const FlatValue& value) {
      const std::string name(key);
      const std::string quoted = in_quotes(name);
      read(name, Value(value, *this, quoted.c_str(), 0));
    });
  }

 private:
  /// Within `parent`, under the key, or the item with that index if that is null. Both must outlive
  /// this: values are passed down and never kept.
  Value(FlatValue json, const Value& parent, const char* key, std::size_t index)
      : json_(json), file_(parent.file_), parent_(&parent), key_(key), index_(index) {}

  [[nodiscard]] std::string path() const {
    if (parent_ == nullptr) return {};
    const std::string before = parent_->path();
    if (key_ == nullptr) return fmt::format("{}[{}]", before, index_);
    return before.empty() ? key_ : before + "." + key_;
  }

  [[noreturn]] void wrong_type(const std::string& expected) const {
    fail(fmt::format("is not {} but {}", expected, json_.described()));
  }

  FlatValue json_;
  const std::string& file_;
  const Value* parent_ = nullptr;
  const char* key_ = nullptr;
  std::size_t index_ = 0;
};

std::uint32_t read_index(const Value& in) { return in.whole(kMaxIndex); }
double read_share(const Value& in) { return in.number(1); }

/// Names are shown on terminals.
std::string read_name(const Value& in) {
  std::string name = in.text();
  const bool printable = std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (!printable) in.fail("has control characters");
  return name;
}

std::vector<std::uint32_t> read_ascending(const Value& in) {
  auto list = in.list(read_index);
  if (std::adjacent_find(list.begin(), list.end(), std::greater_equal<>()) != list.end()) {
    in.fail("is not in ascending order");
  }
  return list;
}

std::int64_t read_count(const Value& in) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(in.whole(kMost));
}

Label read_label(const Value& in, std::size_t num_labels) {
  const std::uint32_t label = read_index(in);
  if (label >= num_labels) {
    in.fail(fmt::format("is {}, but there are {} node labels", label, num_labels));
  }
  return label;
}

std::vector<Label> read_labels(const Value& in, std::size_t num_labels) {
  return in.list([&](const Value& v) { return read_label(v, num_labels); });
}

Edge read_edge(const Value& in, std::size_t nodes) {
  if (in.size() != 2) in.fail("is not a pair of nodes");
  const Node u = read_index(in.at(0, 2));
  const Node v = read_index(in.at(1, 2));
  const auto [low, high] = std::minmax(u, v);
  if (high >= nodes) in.fail(fmt::format("names node {}, but the graph has {}", high, nodes));
  if (low == high) in.fail(fmt::format("joins node {} to itself", low));
  return {low, high, 0};
}

/// Sorted to see that none is there twice: a set takes ten times the room.
std::vector<Edge> read_edges(const Value& in, std::size_t nodes) {
  auto edges = in.list([&](const Value& v) { return read_edge(v, nodes); });
  std::vector<std::size_t> order(edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) { return std::tuple(edges[i].u, edges[i].v, i); };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Edge& before = edges[order[i - 1]];
    const Edge& edge = edges[order[i]];
    if (before.u != edge.u || before.v != edge.v) continue;
    in.at(order[i], edges.size()).fail("occurs twice", "keep one of the two");
  }
  return edges;
}

constexpr std::size_t kAnyLabel = std::numeric_limits<std::size_t>::max();

/// Of so many; with none, edges have no labels.
Label read_edge_label(const Value& in, std::size_t num_edge_labels) {
  const std::uint32_t label = read_index(in);
  if (num_edge_labels == 0 && label != 0) in.fail("is not 0, but edges have no labels here");
  if (label >= std::max<std::size_t>(1, num_edge_labels)) {
    in.fail(fmt::format("is {}, but there are {} edge labels", label, num_edge_labels));
  }
  return label;
}

/// How many labels nodes and edges may have.
struct Alphabet {
  std::size_t nodes = kAnyLabel;
  std::size_t edges = 0;
};

Graph read_graph(const Value& in, const Alphabet& alphabet) {
  const auto labels = read_labels(in["labels"], alphabet.nodes);
  auto edges = read_edges(in["edges"], labels.size());
  if (alphabet.edges == 0) return {labels, edges};
  const Value listed = in["edge_labels"];
  const auto of_edges =
      listed.list([&](const Value& v) { return read_edge_label(v, alphabet.edges); });
  if (of_edges.size() != edges.size()) {
    listed.fail(fmt::format("has {} labels for {} edges", of_edges.size(), edges.size()));
  }
  for (std::size_t e = 0; e < edges.size(); ++e) edges[e].label = of_edges[e];
  return {labels, edges, Graph::EdgeLabels::kPresent};
}

/// The names beside the labels are for people, but whoever reads them must not be misled.
void check_label_names(const Value& in, const Graph& graph, const std::vector<std::string>& names) {
  if (!in.has("label_names")) return;
  const auto given = in["label_names"].list([](const Value& v) { return v.text(); });
  const auto labels = graph.labels();
  if (!std::equal(given.begin(), given.end(), labels.begin(), labels.end(),
                  [&](const std::string& name, Label label) { return name == names[label]; })) {
    in["label_names"].fail("are not the names that node_labels gives the labels",
                           "leave label_names out, or put them right");
  }
}

// ---- Maps and edits

/// Where nodes go in a graph of so many; no two to the same. Sorted to see that, since nothing
/// bounds the number of nodes but the size of the file.
NodeMap read_map(const Value& in, Node nodes, const std::function<bool(const Value&)>& deleted) {
  NodeMap map = in.list([&](const Value& v) {
    const Node to = deleted(v) ? kUnmatched : read_index(v);
    if (to != kUnmatched && to >= nodes) {
      v.fail(fmt::format("is {}, but the counterfactual has {} nodes", to, nodes));
    }
    return to;
  });
  NodeMap images = map;
  std::erase(images, kUnmatched);
  std::sort(images.begin(), images.end());
  const auto twice = std::adjacent_find(images.begin(), images.end());
  if (twice != images.end()) in.fail(fmt::format("has node {} twice", *twice));
  return map;
}

ProvenPair read_proof(const Value& in, Node nodes) {
  return {read_index(in.at(0, 3)), read_count(in.at(1, 3)),
          read_map(in.at(2, 3), nodes, [](const Value& v) { return v.is_minus_one(); })};
}

EditOp read_edit(const Value& in, const Alphabet& alphabet) {
  const auto kind = edit_kind(in["op"].text());
  if (!kind) in["op"].fail(fmt::format("is {}, which is no edit", in_quotes(in["op"].text())));
  if (*kind == EditOp::Kind::kRelabelEdge && alphabet.edges == 0) {
    in["op"].fail("is an edit of labels that edges lack");
  }
  EditOp op{*kind};
  const bool one_node = names_one_node(op.kind);
  op.u = read_index(in[one_node ? "node" : "u"]);
  if (!one_node) op.v = read_index(in["v"]);
  if (!has_label(op.kind)) return op;
  op.label = one_node ? read_label(in["label"], alphabet.nodes)
                      : read_edge_label(in["label"], alphabet.edges);
  return op;
}

EditScript read_script(const Value& in, Node nodes, const Alphabet& alphabet) {
  return {in["script"].list([&](const Value& v) { return read_edit(v, alphabet); }),
          read_map(in["map"], nodes, [](const Value& v) { return v.is_null(); })};
}

// ---- The explanation

/// Inputs, ascending, and which of them the counterfactuals read so far cover.
struct Covered {
  const std::vector<std::uint32_t>& inputs;
  std::vector<bool> flags = std::vector<bool>(inputs.size(), false);

  /// Its place among the inputs.
  [[nodiscard]] std::size_t place(const Value& in, std::uint32_t graph) const {
    const auto it = std::lower_bound(inputs.begin(), inputs.end(), graph);
    if (it == inputs.end() || *it != graph) {
      in.fail(fmt::format("names graph {}, which is not among the inputs", graph));
    }
    return static_cast<std::size_t>(it - inputs.begin());
  }

  /// How many of them are new.
  std::size_t add(const Value& in, const std::vector<std::uint32_t>& covers) {
    std::size_t gain = 0;
    for (const std::uint32_t graph : covers) {
      const std::size_t at = place(in, graph);
      gain += flags[at] ? 0U : 1U;
      flags[at] = true;
    }
    return gain;
  }
};

/// For some of the inputs, all that are covered among them.
std::vector<ProvenPair> read_proofs(const Value& in, const Counterfactual& c,
                                    const Covered& covered) {
  auto proofs = in.list([&](const Value& v) { return read_proof(v, c.graph.num_nodes()); });
  for (std::size_t p = 0; p < proofs.size(); ++p) {
    (void)covered.place(in, proofs[p].input);
    if (p > 0 && proofs[p - 1].input >= proofs[p].input) in.fail("is not in ascending order");
  }
  const auto before = [](const ProvenPair& proof, std::uint32_t graph) {
    return proof.input < graph;
  };
  for (const std::uint32_t graph : c.covers) {
    const auto it = std::lower_bound(proofs.begin(), proofs.end(), graph, before);
    if (it == proofs.end() || it->input != graph) {
      in.fail(fmt::format("has none for graph {}, which is covered", graph));
    }
  }
  return proofs;
}

Alphabet alphabet_of(const Explanation& e) {
  return {e.label_names.size(), e.edge_label_names.size()};
}

Counterfactual read_counterfactual(const Value& in, const Explanation& e, Covered& covered) {
  Counterfactual c;
  c.graph = read_graph(in, alphabet_of(e));
  check_label_names(in, c.graph, e.label_names);
  c.probability = read_share(in["probability"]);
  if (in.has("lead")) c.lead = read_share(in["lead"]);
  c.covers = read_ascending(in["covers"]);
  const std::size_t gain = covered.add(in["covers"], c.covers);
  c.gain = in["gain"].whole<std::size_t>();
  if (c.gain != gain) {
    in["gain"].fail(fmt::format("is {}, but {} inputs are not covered earlier", c.gain, gain));
  }
  c.visits = in["visits"].whole<std::uint64_t>();
  if (in.has("origin")) c.origin = read_index(in["origin"]);
  if (in.has("proofs")) c.proofs = read_proofs(in["proofs"], c, covered);
  return c;
}

/// What goes with "ged"; the rest of the recourse is read already.
RecourseProof read_recourse_proof(const Value& in, const Recourse& r, const Explanation& e) {
  if (r.counterfactual == Recourse::kNone) in["ged"].fail("is a distance to no counterfactual");
  if (in["normalized"].number() != r.distance) in["normalized"].fail("is not the distance");
  RecourseProof proof{read_count(in["ged"]), read_count(in["lower_bound"]), in["open"].flag(), {}};
  if (in.has("script") != r.covered) in.fail("must have a script if it is covered, and only then");
  if (r.covered) {
    const Graph& to = e.counterfactuals[r.counterfactual].graph;
    proof.script = read_script(in, to.num_nodes(), alphabet_of(e));
  }
  return proof;
}

std::vector<Recourse> read_recourse(const Value& in, const Explanation& e) {
  std::size_t next = 0;
  const auto read_one = [&](const Value& v) {
    Recourse r;
    r.input = read_index(v["graph"]);
    if (next >= e.inputs.size() || r.input != e.inputs[next++]) {
      v.fail("is not that of the next input", "list one for each input, in their order");
    }
    r.distance = v["distance"].number_or_infinite();
    if (!v["counterfactual"].is_null()) r.counterfactual = read_index(v["counterfactual"]);
    const bool none = r.counterfactual == Recourse::kNone;
    if (!none && r.counterfactual >= e.counterfactuals.size()) {
      v["counterfactual"].fail(
          fmt::format("is {}, but there are {}", r.counterfactual, e.counterfactuals.size()));
    }
    if (none != std::isinf(r.distance))
      v.fail("has a counterfactual or a distance without the other");
    r.covered = v["covered"].flag();
    if (r.covered != (r.distance <= e.theta)) v["covered"].fail("contradicts distance and theta");
    if (v.has("ged")) r.proof = read_recourse_proof(v, r, e);
    return r;
  };
  auto list = in.list(read_one);
  if (list.size() != e.inputs.size()) {
    in.fail(fmt::format("has {} entries for {} inputs", list.size(), e.inputs.size()));
  }
  return list;
}

Metrics read_metrics(const Value& in, std::size_t counterfactuals) {
  Metrics m;
  m.coverage = read_share(in["coverage"]);
  if (in.has("coverage_upper")) m.coverage_upper = read_share(in["coverage_upper"]);
  m.cost_median = in["cost_median"].number_or_infinite();
  m.cost_mean = in["cost_mean"].number_or_infinite();
  if (in.has("smallest_lead")) m.smallest_lead = read_share(in["smallest_lead"]);
  std::size_t k = 0;
  m.by_k = in["by_k"].list([&](const Value& v) {
    if (v["k"].whole<std::size_t>() != ++k) v["k"].fail("does not count from 1");
    return PrefixMetrics{k, read_share(v["coverage"]), v["cost_median"].number_or_infinite(),
                         v["cost_mean"].number_or_infinite()};
  });
  if (k != 0 && k != counterfactuals) {
    in["by_k"].fail(fmt::format("has {} entries for {} counterfactuals", k, counterfactuals));
  }
  m.by_theta = in["by_theta"].list([](const Value& v) {
    return ThetaMetrics{read_share(v["theta"]), read_share(v["coverage"])};
  });
  return m;
}

TracePoint read_trace_point(const Value& in) {
  return {in["step"].whole<std::uint64_t>(), in["candidates"].whole<std::size_t>(),
          read_share(in["coverage"]), in["summary_coverage"].list(read_share)};
}

RefinementPoint read_refinement_point(const Value& in) {
  return {in["work"].whole<std::uint64_t>(), read_share(in["coverage"])};
}

std::vector<std::pair<std::string, std::string>> read_options(const Value& in) {
  std::vector<std::pair<std::string, std::string>> options;
  in.members([&](const std::string& name, const Value& value) {
    if (!value.is_list()) {
      options.emplace_back(name, value.text());
      return;
    }
    if (value.size() > kMaxOptionValues) {
      value.fail(fmt::format("has more than {} values", kMaxOptionValues));
    }
    for (auto& text : value.list([](const Value& v) { return v.text(); })) {
      options.emplace_back(name, std::move(text));
    }
  });
  return options;
}

Provenance read_provenance(const Value& in) {
  Provenance p;
  p.software = in["software"].text();
  p.dataset_name = in["dataset"]["name"].text();
  p.dataset_path = in["dataset"]["path"].text();
  p.dataset_hash = in["dataset"]["hash"].text();
  if (in["model"].has("black_box")) {
    p.black_box = in["model"]["black_box"].text();
    if (p.black_box.empty()) in["model"]["black_box"].fail("is empty: say what the model is");
  } else {
    p.model_path = in["model"]["path"].text();
    p.model_hash = in["model"]["hash"].text();
  }
  if (in.has("distance_model")) {
    p.distance_model_path = in["distance_model"]["path"].text();
    p.distance_model_hash = in["distance_model"]["hash"].text();
    if (p.distance_model_path.empty() && p.distance_model_hash.empty()) {
      in["distance_model"].fail("names no model");
    }
  }
  p.options = read_options(in["options"]);
  p.seed = in["seed"].whole<std::uint64_t>();
  return p;
}

void check_format(const Value& in) {
  const std::string format = in["format"].text();
  if (format != kExplanationFormat) {
    in["format"].fail(fmt::format("is {}, which this version does not know", in_quotes(format)),
                      fmt::format("it reads \"{}\"", kExplanationFormat));
  }
}

DistanceMeaning read_meaning(const Value& in) {
  for (const auto meaning :
       {DistanceMeaning::kProven, DistanceMeaning::kEstimate, DistanceMeaning::kOther}) {
    if (in.text() == name_of(meaning)) return meaning;
  }
  in.fail("is no meaning of a distance",
          fmt::format("\"{}\", \"{}\" and \"{}\" are", name_of(DistanceMeaning::kProven),
                      name_of(DistanceMeaning::kEstimate), name_of(DistanceMeaning::kOther)));
}

/// Files of earlier versions do not say it.
RunEnd read_end(const Value& in, bool complete) {
  if (!in.has("ended")) return complete ? RunEnd::kWorkDone : RunEnd::kInterrupted;
  const Value ended = in["ended"];
  for (std::size_t e = 0; e < kRunEnds; ++e) {
    const auto end = static_cast<RunEnd>(e);
    if (ended.text() != name_of(end)) continue;
    if (complete != (end != RunEnd::kTimeLimit && end != RunEnd::kInterrupted)) {
      ended.fail("does not go with what \"complete\" says");
    }
    return end;
  }
  ended.fail("is no reason to end");
}

ExplainedClasses read_classes(const Value& in) {
  ExplainedClasses out{read_name(in["desired"]), in["column"].whole<std::size_t>(),
                       in["predicted"].list(read_name)};
  if (in.has("not_desired")) out.not_desired = in["not_desired"].whole<std::size_t>();
  return out;
}

/// In the same folder, so that nobody is led elsewhere.
ScriptsFile read_scripts_file(const Value& in) {
  ScriptsFile out{in["file"].text(), in["hash"].text(), in["bytes"].whole<std::uint64_t>()};
  const bool plain = !out.name.empty() && out.name != "." && out.name != ".." &&
                     out.name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
  if (!plain) in["file"].fail("is no name of a file beside this one");
  return out;
}

Explanation read_explanation(const Value& in, const std::string& file) {
  check_format(in);
  Explanation e;
  e.provenance = read_provenance(in);
  if (in.has("classes")) e.classes = read_classes(in["classes"]);
  e.method = in["method"].text();
  e.from_dataset = in["from_dataset"].flag();
  e.distance = in["distance"].text();
  e.meaning = read_meaning(in["distance_meaning"]);
  e.theta = read_share(in["theta"]);
  e.complete = in["complete"].flag();
  e.ended = read_end(in, e.complete);
  e.steps = in["steps"].whole<std::uint64_t>();
  e.neighbours = in["neighbours"].whole<std::uint64_t>();
  if (in.has("seconds")) e.seconds = in["seconds"].number();
  e.inputs = read_ascending(in["inputs"]);
  if (in.has("searched")) {
    e.searched = in["searched"].whole<std::size_t>();
    if (*e.searched > e.inputs.size()) in["searched"].fail("is more than there are inputs");
  }
  if (in.has("costs_are_bounds")) e.costs_are_bounds = in["costs_are_bounds"].flag();
  e.label_names = in["node_labels"].list(read_name);
  if (in.has("edge_labels")) e.edge_label_names = in["edge_labels"].list(read_name);
  Covered covered{e.inputs};
  e.counterfactuals = in["counterfactuals"].list(
      [&](const Value& v) { return read_counterfactual(v, e, covered); });
  if (in.has("scripts")) {
    const ScriptsFile scripts = read_scripts_file(in["scripts"]);
    if (in.has("recourse")) in.fail("has both recourse and scripts");
    for (Counterfactual& c : e.counterfactuals) {
      if (!c.proofs.empty()) in.fail("has both proofs and scripts");
    }
    read_scripts(std::filesystem::path(file).parent_path() / scripts.name, scripts, e);
  } else {
    e.recourse = read_recourse(in["recourse"], e);
  }
  e.metrics = read_metrics(in["metrics"], e.counterfactuals.size());
  e.trace = in["trace"].list(read_trace_point);
  if (in.has("refinement")) e.refinement = in["refinement"].list(read_refinement_point);
  return e;
}

GraphList read_graph_list(const Value& in, const std::string& file) {
  GraphList out;
  if (in.has("format")) {
    Explanation e = read_explanation(in, file);
    for (Counterfactual& c : e.counterfactuals) {
      out.graphs.push_back(c.graph);
      out.proofs.push_back(std::move(c.proofs));
    }
    out.classes = std::move(e.classes);
    out.theta = e.theta;
    out.distance = e.distance;
    out.meaning = e.meaning;
    out.label_names = std::move(e.label_names);
    out.edge_label_names = std::move(e.edge_label_names);
    out.provenance = std::move(e.provenance);
    return out;
  }
  if (!in.is_list() && !in.has("graphs")) {
    in.fail("is neither an explanation nor a list of graphs",
            R"(write {"graphs": [{"labels": [0, 1], "edges": [[0, 1]]}]}, see docs/formats.md)");
  }
  const bool named = in.has("node_labels");
  if (named) out.label_names = in["node_labels"].list(read_name);
  Alphabet alphabet;
  if (named) alphabet.nodes = out.label_names.size();
  if (in.has("edge_labels")) out.edge_label_names = in["edge_labels"].list(read_name);
  alphabet.edges = out.edge_label_names.size();
  out.graphs = (in.is_list() ? in : in["graphs"]).list([&](const Value& v) {
    return read_graph(v, alphabet);
  });
  return out;
}

}  // namespace

Explanation parse_explanation(std::string_view text, const std::string& file) {
  const FlatJson json(text, file, kRemedy, kLimits);
  return read_explanation(Value(json.root(), file), file);
}

GraphList parse_graph_list(std::string_view text, const std::string& file) {
  const FlatJson json(text, file, kRemedy, kLimits);
  return read_graph_list(Value(json.root(), file), file);
}

}  // namespace fewedits
