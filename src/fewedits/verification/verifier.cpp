// SPDX-License-Identifier: MIT
#include "fewedits/verification/verifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/classifier/class_choice.hpp"
#include "fewedits/classifier/input_rule.hpp"
#include "fewedits/edit/constraints.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/graph/shape_hash.hpp"
#include "fewedits/proof/certificate.hpp"
#include "fewedits/proof/node_map.hpp"
#include "fewedits/proof/plain_bound.hpp"
#include "fewedits/verification/recorded.hpp"

namespace fewedits::verify {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Models are computed in single precision, by instructions that differ between processors.
constexpr double kProbabilityTolerance = 1e-5;
/// Units of work that a model takes for a node or an edge.
constexpr std::uint64_t kEvaluationWork = 1000;

bool same(double a, double b) { return a == b || std::abs(a - b) <= 1e-12; }

/// The nearest counterfactual so far; the first among equals.
struct Nearest {
  std::uint32_t counterfactual = Recourse::kNone;
  std::int64_t edits = 0;
  double distance = kInfinity;
};

/// Share of distances that are at most theta.
double share_within(double theta, const std::vector<double>& distances) {
  const auto near = std::count_if(distances.begin(), distances.end(),
                                  [&](double distance) { return distance <= theta; });
  return distances.empty() ? 0 : static_cast<double>(near) / static_cast<double>(distances.size());
}

/// The lower of the middle two.
double median_of(std::vector<double> distances) {
  if (distances.empty()) return kInfinity;
  std::sort(distances.begin(), distances.end());
  return distances[(distances.size() - 1) / 2];
}

double mean_of(const std::vector<double>& distances) {
  if (distances.empty()) return kInfinity;
  double sum = 0;
  for (const double distance : distances) sum += distance;
  return sum / static_cast<double>(distances.size());
}

/// Ten steps up to twice theta, but at most 1, each as one would write it.
std::vector<double> steps_of_theta(double theta) {
  std::vector<double> out;
  for (int step = 1; step <= 10; ++step) {
    const double at = std::round(theta * step / 5 * 1e12) / 1e12;
    if (at <= 1) out.push_back(step == 5 ? theta : at);
  }
  return out;
}

bool contains(const std::vector<std::uint32_t>& ascending, std::uint32_t value) {
  return std::binary_search(ascending.begin(), ascending.end(), value);
}

/// What the model says of a graph: a probability for each class, within the tolerance.
struct Evaluation {
  std::vector<double> probabilities;

  /// The most probable of the others.
  [[nodiscard]] double best_but(std::size_t c) const {
    double out = 0;
    for (std::size_t other = 0; other < probabilities.size(); ++other) {
      if (other != c) out = std::max(out, probabilities[other]);
    }
    return out;
  }
  [[nodiscard]] std::size_t predicted() const {
    return static_cast<std::size_t>(std::ranges::max_element(probabilities) -
                                    probabilities.begin());
  }
  [[nodiscard]] double lead(std::size_t c) const { return probabilities[c] - best_but(c); }
  [[nodiscard]] bool may_be(std::size_t c) const { return lead(c) >= -2 * kProbabilityTolerance; }
};

std::vector<Evaluation> evaluations(std::span<const float> logs, std::size_t classes) {
  std::vector<Evaluation> out(logs.size() / classes);
  for (std::size_t at = 0; at < logs.size(); ++at) {
    out[at / classes].probabilities.push_back(std::exp(static_cast<double>(logs[at])));
  }
  return out;
}

class Verifier {
 public:
  Verifier(const Explanation& explanation, const Material& material, ThreadPool& pool,
           const Options& options)
      : e_(explanation),
        material_(material),
        data_(material.data),
        view_(data_, !e_.edge_label_names.empty() && !data_.edge_labels.empty()),
        costs_(costs_of(e_)),
        model_(material.classifier),
        desired_(model_ == nullptr ? 0 : desired_class(data_, *model_)),
        pool_(pool),
        options_(options),
        claims_(report_, options.max_work) {
    report_.certified = e_.meaning == DistanceMeaning::kProven;
    report_.model_checked = model_ != nullptr;
  }

  Report run() {
    check_sources();
    check_recorded(e_, options_.known_names, claims_);
    if (!check_labels() || !check_classes() || !check_inputs()) return std::move(report_);
    if (!check_sizes()) return std::move(report_);
    check_counterfactuals();
    if (!claims_.afford("covers, recourse and metrics", work_on_figures())) {
      return std::move(report_);
    }
    report_.certified ? check_proven() : check_estimated();
    return std::move(report_);
  }

 private:
  template <typename... Args>
  bool claim(bool holds, fmt::format_string<Args...> text, Args&&... args) {
    return claims_.claim(holds, text, std::forward<Args>(args)...);
  }

  // ---- What it is about

  void check_sources() {
    const Provenance& p = e_.provenance;
    claim(p.dataset_hash == material_.data_hash, "dataset: the graphs are other ones: {}, not {}",
          material_.data_hash, in_quotes(p.dataset_hash, 64));
    if (!p.dataset_name.empty() && p.dataset_name != data_.name) {
      claims_.note(fmt::format("the file calls the dataset {}, which reads as {}",
                               in_quotes(p.dataset_name, 64), in_quotes(data_.name, 64)));
    }
    if (model_ == nullptr) return;
    claim(p.model_hash == material_.model_hash, "model: it is another one: {}, not {}",
          material_.model_hash, in_quotes(p.model_hash, 64));
  }

  bool check_labels() {
    const bool nodes = claim(e_.label_names == label_names(data_).nodes,
                             "node_labels: are not those of the dataset");
    const auto bonds = e_.provenance.values_of("bonds");
    const bool used = bonds.size() == 1 && bonds.front() == "use";
    claim(used == !e_.edge_label_names.empty(), "options.bonds: {}",
          used ? "are used, but edges have no labels" : "are not used, but edges have labels");
    return claim(e_.edge_label_names == view_.edge_label_names(),
                 "edge_labels: are not those of the dataset") &&
           nodes;
  }

  bool check_classes() {
    if (!e_.classes) {
      claims_.note("classes is missing: the file does not say which classes it is about");
      return true;
    }
    if (model_ == nullptr) return check_desired();
    const std::string name = class_name(desired_, data_, *model_);
    const bool same_name =
        claim(e_.classes->desired == name, "classes.desired: is {}, the desired class is {}",
              in_quotes(e_.classes->desired), in_quotes(name));
    const std::size_t column = model_->column_of(desired_);
    return claim(e_.classes->column == column,
                 "classes.column: is {}, the desired class is output {} of the model",
                 e_.classes->column, column) &&
           same_name;
  }

  /// As far as the data says which class is desired.
  bool check_desired() {
    if (!data_.desired_class) return true;
    const std::string& name =
        data_.class_labels[static_cast<std::size_t>(*data_.desired_class)].name;
    return claim(e_.classes->desired == name, "classes.desired: is {}, the desired class is {}",
                 in_quotes(e_.classes->desired), in_quotes(name));
  }

  /// False if they are not even graphs of the dataset.
  bool check_inputs() {
    const bool known = e_.inputs.empty() || e_.inputs.back() < data_.size();
    if (!claim(known, "inputs: the dataset has {} graphs only", data_.size())) return false;
    if (model_ == nullptr) return true;
    const InputRule rule(data_, *model_, material_.selection);
    const auto fresh =
        evaluations(checked_log_probabilities(data_, *model_, pool_), model_->num_classes());
    for (std::uint32_t g = 0; g < fresh.size(); ++g) check_input(g, fresh[g], rule);
    if (e_.classes) {
      check_predicted(fresh);
      check_not_desired(fresh);
    }
    report_.classes = classes_by(fresh);
    return true;
  }

  /// By what was evaluated, whatever the file says.
  [[nodiscard]] ExplainedClasses classes_by(const std::vector<Evaluation>& fresh) const {
    const Classifier& model = *model_;
    ExplainedClasses out{class_name(desired_, data_, model), model.column_of(desired_), {}, 0};
    for (const Evaluation& one : fresh) *out.not_desired += one.predicted() == desired_ ? 0U : 1U;
    std::vector<bool> occurs(model.num_classes(), false);
    for (const std::uint32_t input : e_.inputs) occurs[fresh[input].predicted()] = true;
    for (std::size_t c = 0; c < occurs.size(); ++c) {
      if (occurs[c] && c != desired_) out.predicted.push_back(class_name(c, data_, model));
    }
    return out;
  }

  /// Near a tie, either will do.
  void check_not_desired(const std::vector<Evaluation>& fresh) {
    if (!e_.classes->not_desired) return;
    std::size_t least = 0;
    std::size_t most = 0;
    for (const Evaluation& one : fresh) {
      least += one.may_be(desired_) ? 0U : 1U;
      most += one.lead(desired_) > 2 * kProbabilityTolerance ? 0U : 1U;
    }
    const std::size_t said = *e_.classes->not_desired;
    claim(said >= least && said <= most, "classes.not_desired: is {}, counted {}", said, most);
  }

  /// It is listed if the class that the model predicts says so; near a tie, either will do.
  void check_input(std::uint32_t g, const Evaluation& fresh, const InputRule& rule) {
    bool may_be_input = false;
    bool may_be_none = false;
    for (std::size_t c = 0; c < fresh.probabilities.size(); ++c) {
      if (fresh.may_be(c)) (rule.admits(g, c) ? may_be_input : may_be_none) = true;
    }
    const bool listed = contains(e_.inputs, g);
    claim(listed ? may_be_input : may_be_none,
          "inputs: by what the model predicts graph {} is {} of them, but it is {}", g,
          listed ? "none" : "one", listed ? "listed" : "missing");
  }

  /// The classes that the inputs are said to be predicted: each once, in their order, and none that
  /// no input is.
  void check_predicted(const std::vector<Evaluation>& fresh) {
    const std::vector<std::string>& named = e_.classes->predicted;
    std::vector<std::string> possible;
    std::vector<bool> has_named(e_.inputs.size(), false);
    for (std::size_t c = 0; c < model_->num_classes(); ++c) {
      if (c == desired_) continue;
      const std::string name = class_name(c, data_, *model_);
      const bool is_named = std::ranges::find(named, name) != named.end();
      bool occurs = false;
      for (std::size_t i = 0; i < e_.inputs.size(); ++i) {
        if (!fresh[e_.inputs[i]].may_be(c)) continue;
        occurs = true;
        if (is_named) has_named[i] = true;
      }
      if (occurs) possible.push_back(name);
    }
    std::size_t met = 0;
    for (const std::string& name : possible)
      met += met < named.size() && name == named[met] ? 1U : 0U;
    claim(met == named.size(), "classes.predicted: are not classes that inputs are predicted");
    claim(std::ranges::find(has_named, false) == has_named.end(),
          "classes.predicted: lacks a class that an input is predicted");
  }

  // ---- Counterfactuals

  /// Before anything is built from them or evaluated: a graph that somebody made up may be of any
  /// size. False if they are too large to be looked into.
  bool check_sizes() {
    const std::uint64_t most = largest_plausible();
    bool plausible = true;
    std::uint64_t sizes = 0;
    for (std::size_t c = 0; c < e_.counterfactuals.size(); ++c) {
      const std::uint64_t size = e_.counterfactuals[c].graph.size();
      sizes += size;
      if (size <= most) continue;
      claims_.leave_out(
          fmt::format("counterfactuals[{}]: has {} nodes and edges, far more than "
                      "any graph of the dataset: nothing of it was looked into",
                      c, size));
      plausible = false;
    }
    return plausible && claims_.afford("counterfactuals", sizes * kEvaluationWork);
  }

  /// Nodes and edges of what can cover a graph of the dataset, and of what some edits make of one.
  [[nodiscard]] std::uint64_t largest_plausible() const {
    std::uint64_t largest = 0;
    for (const Graph& graph : data_.graphs) {
      largest = std::max<std::uint64_t>(largest, graph.size());
    }
    constexpr std::uint64_t kGrowth = 100;
    // (b - a) / (a + b) ≤ theta, since one has b - a edits at least.
    const double reach = (1 + e_.theta) / std::max(1 - e_.theta, 0.01);
    const auto covering =
        static_cast<std::uint64_t>(std::ceil(reach * static_cast<double>(largest)));
    return std::max(2 * largest, covering) + kGrowth;
  }

  /// Replaying all maps and comparing all figures.
  [[nodiscard]] std::uint64_t work_on_figures() const {
    constexpr std::uint64_t kSorting = 16;
    const std::uint64_t rows = 2 + e_.metrics.by_k.size() + e_.metrics.by_theta.size();
    std::uint64_t work = rows * e_.inputs.size() * kSorting;
    for (const Counterfactual& c : e_.counterfactuals) {
      const std::uint64_t size = c.graph.size();
      for (const ProvenPair& proof : c.proofs) work += size + data_.graphs[proof.input].size();
      work += c.covers.size();
    }
    return work;
  }

  void check_counterfactuals() {
    const Constraints constraints = recorded_constraints();
    const Acceptance rule{number_option(e_, "min-lead").value_or(0),
                          number_option(e_, "min-probability").value_or(0)};
    for (std::size_t c = 0; c < e_.counterfactuals.size(); ++c) {
      const Counterfactual& counterfactual = e_.counterfactuals[c];
      if (!claim(counterfactual.graph.num_nodes() > 0, "counterfactuals[{}]: has no nodes", c)) {
        continue;
      }
      model_ == nullptr ? check_recorded_acceptance(c, rule) : check_acceptance(c, rule);
      claim(constraints.connected ? counterfactual.graph.is_connected() : true,
            "counterfactuals[{}]: is not connected", c);
      claim(satisfies(counterfactual.graph, constraints),
            "counterfactuals[{}]: violates the constraints", c);
      check_origin(c);
    }
    check_smallest_lead();
    check_distinct();
  }

  /// A dataset may have the same graph twice, and so may a choice from it. Canonical forms of
  /// graphs that somebody made up may take for ever: only those that look alike are compared, not
  /// if the file is refused anyway, and not without end.
  void check_distinct() {
    if (e_.from_dataset || !report_.holds()) return;
    std::vector<std::uint64_t> shapes;
    std::unordered_map<std::uint64_t, std::size_t> alike;
    for (const Counterfactual& c : e_.counterfactuals) {
      ++alike[shapes.emplace_back(shape_hash(c.graph))];
    }
    std::unordered_map<Identity, std::size_t> first;
    std::uint64_t work = 0;
    for (std::size_t c = 0; c < shapes.size(); ++c) {
      if (alike[shapes[c]] < 2) continue;
      if (!claims_.affords(work)) {
        claims_.leave_out(
            fmt::format("counterfactuals[{}]: whether it and later ones repeat earlier ones", c));
        return;
      }
      work += check_distinct(c, first);
    }
  }

  /// Returns how much work that was, roughly.
  std::uint64_t check_distinct(std::size_t c, std::unordered_map<Identity, std::size_t>& first) {
    Identity identity(e_.counterfactuals[c].graph);
    const bool complete = identity.complete();
    const auto [it, fresh] = first.try_emplace(std::move(identity), c);
    if (complete || !fresh) {
      claim(fresh, "counterfactuals[{}]: is the same graph as counterfactuals[{}]", c, it->second);
      return Identity::kWork / 10;
    }
    claims_.leave_out(fmt::format(
        "counterfactuals[{}]: whether it repeats an earlier one takes too long to find out", c));
    return Identity::kWork;
  }

  /// That what is said of the model's answers goes with what was asked for.
  void check_recorded_acceptance(std::size_t c, const Acceptance& rule) {
    const Counterfactual& counterfactual = e_.counterfactuals[c];
    claim(counterfactual.probability >= rule.min_probability,
          "counterfactuals[{}]: has probability {:.6f}, less than {}", c,
          counterfactual.probability, rule.min_probability);
    if (!counterfactual.lead) return;
    claim(
        *counterfactual.lead >= rule.min_lead && *counterfactual.lead <= counterfactual.probability,
        "counterfactuals[{}].lead: is {:.6f}, which is not between {} and its probability", c,
        *counterfactual.lead, rule.min_lead);
    report_.smallest_lead =
        std::min(report_.smallest_lead.value_or(*counterfactual.lead), *counterfactual.lead);
  }

  void check_acceptance(std::size_t c, const Acceptance& rule) {
    const Counterfactual& counterfactual = e_.counterfactuals[c];
    const Evaluation fresh =
        evaluations(checked_log_probabilities({&counterfactual.graph, 1}, *model_,
                                              GraphsFrom::kSearch, pool_),
                    model_->num_classes())
            .front();
    const double lead = fresh.lead(desired_);
    const double probability = fresh.probabilities[desired_];
    const auto [min_lead, min_probability] = rule;
    claim(fresh.may_be(desired_), "counterfactuals[{}]: the model predicts another class", c);
    claim(lead >= min_lead - 2 * kProbabilityTolerance,
          "counterfactuals[{}]: its class leads the next by {:.6f}, less than {}", c, lead,
          min_lead);
    claim(probability >= min_probability - kProbabilityTolerance,
          "counterfactuals[{}]: has probability {:.6f}, less than {}", c, probability,
          min_probability);
    claim(std::abs(probability - counterfactual.probability) <= kProbabilityTolerance,
          "counterfactuals[{}].probability: is {:.6f}, recorded as {:.6f}", c, probability,
          counterfactual.probability);
    if (counterfactual.lead) {
      claim(std::abs(std::max(0.0, lead) - *counterfactual.lead) <= 2 * kProbabilityTolerance,
            "counterfactuals[{}].lead: is {:.6f}, recorded as {:.6f}", c, lead,
            *counterfactual.lead);
    }
    report_.smallest_lead = std::min(report_.smallest_lead.value_or(lead), lead);
  }

  /// It follows from the leads that are recorded.
  void check_smallest_lead() {
    std::optional<double> smallest;
    bool all = true;
    for (const Counterfactual& c : e_.counterfactuals) {
      all = all && c.lead.has_value();
      if (c.lead) smallest = std::min(smallest.value_or(*c.lead), *c.lead);
    }
    claim(e_.metrics.smallest_lead == (all ? smallest : std::nullopt),
          "metrics.smallest_lead: is not the smallest lead of the counterfactuals");
  }

  void check_origin(std::size_t c) {
    const auto origin = e_.counterfactuals[c].origin;
    if (!e_.from_dataset) {
      const bool known = claim(!origin || *origin < data_.size(),
                               "counterfactuals[{}].origin: is no graph of the dataset", c);
      if (known && keeps_isolated(e_)) check_cut(c);
      return;
    }
    if (!claim(origin && *origin < data_.size(),
               "counterfactuals[{}].origin: is no graph of the dataset", c)) {
      return;
    }
    claim(e_.counterfactuals[c].graph == graph(*origin),
          "counterfactuals[{}]: is not graph {} of the dataset", c, *origin);
  }

  /// All nodes of an input, and nothing but edges of it.
  void check_cut(std::size_t c) {
    const auto origin = e_.counterfactuals[c].origin;
    if (!claim(origin && contains(e_.inputs, *origin),
               "counterfactuals[{}].origin: is none of the inputs", c)) {
      return;
    }
    const Graph& left = e_.counterfactuals[c].graph;
    const Graph& whole = graph(*origin);
    const bool same_nodes = std::ranges::equal(left.labels(), whole.labels());
    const auto edges = left.edges();
    claim(same_nodes &&
              std::ranges::all_of(edges, [&](const Edge& e) { return whole.has_edge(e.u, e.v); }),
          "counterfactuals[{}]: is not graph {} without some of its edges", c, *origin);
  }

  Constraints recorded_constraints() {
    Constraints out;
    out.connected = !e_.from_dataset && !keeps_isolated(e_);
    for (const std::string& text : e_.provenance.values_of("constraint")) {
      try {
        add_constraint(text, e_.label_names, out);
      } catch (const Error& error) {
        claim(false, "options: {}", error.what());
      }
    }
    if (out.molecules_only) {
      out.molecule = view_.rules();
      claim(out.molecule != nullptr, "options: without bonds nothing is a molecule");
    }
    return out;
  }

  // ---- Certified distances: all figures follow from the maps

  void check_proven() {
    nearest_.assign(e_.inputs.size(), {});
    for (std::size_t c = 0; c < e_.counterfactuals.size(); ++c) {
      check_proofs(c);
      if (!e_.metrics.by_k.empty()) check_prefix(c);
    }
    if (!has_recourse()) return;
    for (std::size_t i = 0; i < e_.inputs.size(); ++i) check_recourse(i);
    check_metrics(nearest_distances());
    check_upper_coverage();
  }

  /// Which inputs the counterfactual covers by its proofs; takes note of those it is nearest to.
  void check_proofs(std::size_t c) {
    const Counterfactual& counterfactual = e_.counterfactuals[c];
    std::vector<std::uint32_t> covers;
    std::size_t gain = 0;
    for (const ProvenPair& proof : counterfactual.proofs) {
      if (!check_map(c, proof)) continue;
      const Graph& input = graph(proof.input);
      const double distance = normalized(proof.edits, input, counterfactual.graph);
      Nearest& nearest = nearest_[place_of(proof.input)];
      if (distance <= e_.theta) {
        covers.push_back(proof.input);
        gain += nearest.distance <= e_.theta ? 0U : 1U;
      }
      if (distance < nearest.distance) {
        nearest = {static_cast<std::uint32_t>(c), proof.edits, distance};
      }
    }
    claim(covers == counterfactual.covers,
          "counterfactuals[{}].covers: are {} inputs, proven are {}", c,
          counterfactual.covers.size(), covers.size());
    claim(gain == counterfactual.gain, "counterfactuals[{}].gain: is {}, proven are {}", c,
          counterfactual.gain, gain);
  }

  bool check_map(std::size_t c, const ProvenPair& proof) {
    const Graph& to = e_.counterfactuals[c].graph;
    const Graph& from = graph(proof.input);
    ++report_.maps;
    if (!claim(is_node_map(from, to, proof.map),
               "counterfactuals[{}].proofs: the map of graph {} is none of its nodes", c,
               proof.input)) {
      return false;
    }
    const std::int64_t cost = induced_cost(from, to, proof.map, costs_);
    return claim(cost == proof.edits, "counterfactuals[{}].proofs: graph {} takes {} edits, not {}",
                 c, proof.input, cost, proof.edits);
  }

  void check_prefix(std::size_t c) {
    const PrefixMetrics& m = e_.metrics.by_k[c];
    const std::vector<double> distances = nearest_distances();
    check_figure("by_k", c, "coverage", m.coverage, share_within(e_.theta, distances));
    check_figure("by_k", c, "cost_median", m.cost_median, median_of(distances));
    check_figure("by_k", c, "cost_mean", m.cost_mean, mean_of(distances));
  }

  void check_recourse(std::size_t i) {
    const Recourse& r = e_.recourse[i];
    const Nearest& nearest = nearest_[i];
    const bool proven = nearest.counterfactual != Recourse::kNone;
    if (!claim(proven || e_.counterfactuals.empty(), "recourse[{}]: no proof leads from graph {}",
               i, r.input)) {
      return;
    }
    claim(r.counterfactual == nearest.counterfactual,
          "recourse[{}].counterfactual: another one is nearer, or as near and earlier", i);
    claim(same(r.distance, nearest.distance), "recourse[{}].distance: is {}, proven is {}", i,
          r.distance, nearest.distance);
    claim(r.covered == (nearest.distance <= e_.theta), "recourse[{}].covered: is wrong", i);
    if (!proven) return;
    if (!claim(r.proof.has_value(), "recourse[{}]: lacks ged and what goes with it", i)) return;
    claim(r.proof->edits == nearest.edits, "recourse[{}].ged: is {}, proven are {}", i,
          r.proof->edits, nearest.edits);
    check_lower_bound(i);
    if (nearest.distance <= e_.theta) check_script(i);
  }

  /// No more than that it contradicts nothing: a bound is no proof.
  void check_lower_bound(std::size_t i) {
    const RecourseProof& proof = *e_.recourse[i].proof;
    const Nearest& nearest = nearest_[i];
    const bool covered = nearest.distance <= e_.theta;
    claim(proof.lower >= 0 && proof.lower <= nearest.edits,
          "recourse[{}].lower_bound: is {}, but {} edits are enough", i, proof.lower,
          nearest.edits);
    claim(!proof.open || !covered, "recourse[{}].open: is true, but the graph is covered", i);
    claim(covered || proof.open || proof.lower > limit(i, nearest),
          "recourse[{}].open: is false, but the lower bound is within theta", i);
  }

  void check_script(std::size_t i) {
    const auto& script = e_.recourse[i].proof->script;
    if (!claim(script.has_value(), "recourse[{}]: lacks the script", i)) return;
    const Nearest& nearest = nearest_[i];
    const Graph& to = e_.counterfactuals[nearest.counterfactual].graph;
    // Before it is replayed: the number of edits is bounded by the map, that of steps is not.
    if (!claim(std::cmp_equal(script->ops.size(), nearest.edits),
               "recourse[{}].script: has {} edits, not {}", i, script->ops.size(), nearest.edits)) {
      return;
    }
    ++report_.scripts;
    const Verdict verdict =
        check_certificate(graph(e_.inputs[i]), to, *script, costs_, limit(i, nearest));
    claim(verdict.holds, "recourse[{}].script: {}", i, verdict.reason);
  }

  void check_upper_coverage() {
    if (!claim(e_.metrics.coverage_upper.has_value(), "metrics: coverage_upper is missing")) return;
    std::vector<double> possible;  // 0: covered or open
    for (std::size_t i = 0; i < nearest_.size(); ++i) {
      const auto& proof = e_.recourse[i].proof;
      const bool may_be = nearest_[i].distance <= e_.theta || (proof && proof->open);
      possible.push_back(may_be ? 0 : 1);
    }
    check_figure("metrics", {}, "coverage_upper", *e_.metrics.coverage_upper,
                 share_within(0, possible));
    if (claims_.affords(work_on_bounds())) {
      report_.coverage_at_most = share_within(0, not_excluded());
    } else {
      claims_.note("there are too many pairs for a bound of the coverage by labels and degrees");
    }
  }

  /// At most: every pair of an input and a counterfactual.
  [[nodiscard]] std::uint64_t work_on_bounds() const {
    std::uint64_t inputs = 0;
    std::uint64_t counterfactuals = 0;
    for (const std::uint32_t input : e_.inputs) inputs += data_.graphs[input].num_nodes();
    for (const Counterfactual& c : e_.counterfactuals) counterfactuals += c.graph.num_nodes();
    return inputs * e_.counterfactuals.size() + counterfactuals * e_.inputs.size();
  }

  /// By place of the input: 0 if it is covered, or if no bound of our own says otherwise.
  [[nodiscard]] std::vector<double> not_excluded() {
    std::vector<PlainShape> shapes;
    for (const Counterfactual& c : e_.counterfactuals) shapes.emplace_back(c.graph);
    std::vector<double> out;
    for (std::size_t i = 0; i < nearest_.size(); ++i) {
      const Graph& input = graph(e_.inputs[i]);
      const PlainShape shape(input);
      bool excluded = nearest_[i].distance > e_.theta;
      for (std::size_t c = 0; c < shapes.size() && excluded; ++c) {
        const std::int64_t least = least_edits(shape, shapes[c]);
        excluded = normalized(least, input, e_.counterfactuals[c].graph) > e_.theta;
      }
      out.push_back(excluded ? 1 : 0);
    }
    return out;
  }

  // ---- Other distances: only that the figures agree with each other

  void check_estimated() {
    std::vector<double> uncovered(e_.inputs.size(), 1);  // 0: covered by an earlier one
    for (std::size_t c = 0; c < e_.counterfactuals.size(); ++c) {
      for (const std::uint32_t input : e_.counterfactuals[c].covers) uncovered[place_of(input)] = 0;
      if (e_.metrics.by_k.empty()) continue;
      check_figure("by_k", c, "coverage", e_.metrics.by_k[c].coverage, share_within(0, uncovered));
    }
    if (!has_recourse()) return;
    std::vector<double> distances;
    for (std::size_t i = 0; i < e_.recourse.size(); ++i) {
      const Recourse& r = e_.recourse[i];
      distances.push_back(r.distance);
      claim(r.covered == (uncovered[i] == 0), "recourse[{}].covered: contradicts covers", i);
      claim(!r.covered || contains(e_.counterfactuals[r.counterfactual].covers, r.input),
            "recourse[{}].counterfactual: does not cover graph {}", i, r.input);
    }
    check_metrics(distances);
  }

  // ---- For both

  bool has_recourse() {
    return claim(e_.recourse.size() == e_.inputs.size(), "recourse: is missing");
  }

  /// No row may be left out, picked, repeated or moved: the curves are drawn from them.
  void check_rows() {
    const Metrics& m = e_.metrics;
    claim(m.by_k.size() == e_.counterfactuals.size(), "metrics.by_k: has {} rows, not {}",
          m.by_k.size(), e_.counterfactuals.size());
    const std::vector<double> thetas = steps_of_theta(e_.theta);
    const bool as_expected = std::ranges::equal(
        m.by_theta, thetas, [](const ThetaMetrics& row, double at) { return same(row.theta, at); });
    claim(as_expected,
          "metrics.by_theta: its thetas are not the fifths of theta up to twice theta");
  }

  void check_metrics(const std::vector<double>& distances) {
    const Metrics& m = e_.metrics;
    check_rows();
    check_figure("metrics", {}, "coverage", m.coverage, share_within(e_.theta, distances));
    check_figure("metrics", {}, "cost_median", m.cost_median, median_of(distances));
    check_figure("metrics", {}, "cost_mean", m.cost_mean, mean_of(distances));
    for (std::size_t t = 0; t < m.by_theta.size(); ++t) {
      check_figure("by_theta", t, "coverage", m.by_theta[t].coverage,
                   share_within(m.by_theta[t].theta, distances));
    }
  }

  void check_figure(const char* list, std::optional<std::size_t> row, const char* name,
                    double recorded, double found) {
    const std::string place = row ? fmt::format("metrics.{}[{}]", list, *row) : list;
    claim(same(recorded, found), "{}.{}: is {}, recomputed {}", place, name, recorded, found);
  }

  [[nodiscard]] std::vector<double> nearest_distances() const {
    std::vector<double> out;
    out.reserve(nearest_.size());
    for (const Nearest& nearest : nearest_) out.push_back(nearest.distance);
    return out;
  }

  [[nodiscard]] static double normalized(std::int64_t edits, const Graph& a, const Graph& b) {
    const std::size_t sizes = a.size() + b.size();
    return sizes == 0 ? 0 : static_cast<double>(edits) / static_cast<double>(sizes);
  }
  /// Edits that are within theta.
  [[nodiscard]] std::int64_t limit(std::size_t i, const Nearest& nearest) {
    const Graph& to = e_.counterfactuals[nearest.counterfactual].graph;
    return distance_limit(e_.theta, graph(e_.inputs[i]), to);
  }
  [[nodiscard]] std::size_t place_of(std::uint32_t input) const {
    return static_cast<std::size_t>(std::lower_bound(e_.inputs.begin(), e_.inputs.end(), input) -
                                    e_.inputs.begin());
  }
  /// As the explanation sees it.
  [[nodiscard]] const Graph& graph(std::uint32_t index) {
    if (seen_.empty()) seen_.resize(data_.size());
    if (!seen_[index]) seen_[index] = view_(data_.graphs[index]);
    return *seen_[index];
  }
  const Explanation& e_;
  const Material& material_;
  const Dataset& data_;
  GraphView view_;
  EditCosts costs_;
  const Classifier* model_;
  std::size_t desired_;
  ThreadPool& pool_;
  const Options& options_;
  Report report_;
  Claims claims_;                 ///< of report_
  std::vector<Nearest> nearest_;  ///< by place of the input
  std::vector<std::optional<Graph>> seen_;
};

}  // namespace

std::vector<std::string> Report::recomputed() const {
  std::vector<std::string> out;
  if (model_checked) out = {"inputs", "probability", "lead"};
  if (certified) {
    out.insert(out.end(), {"coverage", "cost_median", "cost_mean", "by_k", "by_theta", "covers",
                           "gain", "ged", "distance", "script"});
  }
  return out;
}

std::vector<std::string> Report::not_proven() const {
  std::vector<std::string> out{"coverage_upper", "lower_bound", "open"};
  if (!certified) {
    out = {"coverage", "cost_median", "cost_mean", "by_k",
           "by_theta", "covers",      "gain",      "distance"};
  }
  if (!model_checked) out.insert(out.end(), {"inputs", "probability", "lead"});
  return out;
}

Report verify(const Explanation& explanation, const Material& material, ThreadPool& pool,
              const Options& options) {
  return Verifier(explanation, material, pool, options).run();
}

}  // namespace fewedits::verify
