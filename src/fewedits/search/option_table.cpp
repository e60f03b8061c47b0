// SPDX-License-Identifier: MIT
#include "fewedits/search/option_table.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

#include "fewedits/base/error.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/classifier/classifier.hpp"
#include "fewedits/distance/kernel_options.hpp"
#include "fewedits/graph/index_list.hpp"
#include "fewedits/search/sample.hpp"

namespace fewedits {
namespace {

/// Graphs for the certified refinement to start from.
constexpr std::uint64_t kStartingSteps = 300;
constexpr std::uint64_t kClimbWork = 1'900'000'000;
constexpr std::uint64_t kRefineWork = 4'000'000;
/// The least, in steps of 0.05, at which certified runs to their end lose nothing on NCI1 and
/// Mutagenicity, ten seeds each (docs/evidence.md): what several searches found is put together
/// only after 0.45 of the work, and gains then.
constexpr double kPatience = 0.35;

using Options = ExplainOptions;
using Recorded = decltype(OptionRow::recorded);

template <typename T>
T number_of(const std::string& name, const std::string& text) {
  const auto value = number_in<T>(text);
  const auto fits = [](T number) {
    if constexpr (std::is_floating_point_v<T>) return std::isfinite(number) && number >= 0;
    if constexpr (std::is_signed_v<T>) return number >= 0;
    return true;
  };
  if (value && fits(*value)) return *value;
  throw Error(
      fmt::format("{} is {}", name, in_quotes(text)),
      std::is_floating_point_v<T> ? "give a number, 0 or more" : "give a whole number, 0 or more");
}

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {
  using Value = T;
};

using Texts = std::vector<std::string>;

/// The value as text; none if it is unset.
template <typename T>
Texts texts_of(const T& value) {
  if constexpr (IsOptional<T>::value) {
    return value ? texts_of(*value) : Texts();
  } else {
    return {fmt::format("{}", value)};
  }
}

template <typename Access>
Recorded always(const Access& at) {
  return [at](const Options& o, const ChosenParts&) { return texts_of(at(o)); };
}

/// Recorded where the condition holds.
template <typename Access, typename Condition>
Recorded where(const Access& at, const Condition& condition) {
  return [at, condition](const Options& o, const ChosenParts& parts) {
    return condition(o, parts) ? texts_of(at(o)) : Texts();
  };
}

/// A number or an optional number behind `at`, a function from options to a reference.
template <typename Access>
OptionRow number(std::string name, OptionGroup group, const Access& at, std::string help,
                 Recorded recorded, std::optional<std::string> initial = {}) {
  using Field = std::remove_reference_t<decltype(at(std::declval<Options&>()))>;
  OptionRow row{name, group, "number", {}, std::move(help), {}, std::move(recorded)};
  if constexpr (IsOptional<Field>::value) {
    using T = typename IsOptional<Field>::Value;
    row.set = [=](const std::string& text, Options& o) { at(o) = number_of<T>(name, text); };
  } else {
    row.set = [=](const std::string& text, Options& o) { at(o) = number_of<Field>(name, text); };
  }
  Options defaults;
  const Texts own = texts_of(at(defaults));
  row.initial = initial ? *initial : own.empty() ? "" : own.front();
  return row;
}

/// A flag is recorded without a value.
Texts flag_texts(bool given) { return given ? Texts{""} : Texts(); }

/// A flag that makes a field false; recorded where it does and concerns the source.
OptionRow flag_off(std::string name, OptionGroup group, bool Options::*field,
                   bool SourceKind::*concerns, std::string help) {
  return {std::move(name),
          group,
          "flag",
          {},
          std::move(help),
          [=](const std::string&, Options& o) { o.*field = false; },
          [=](const Options& o, const ChosenParts& parts) {
            return flag_texts(parts.source.*concerns && !(o.*field));
          }};
}

OptionRow fill_row() {
  return {
      "fill",
      OptionGroup::kEveryday,
      "flag",
      {},
      "list counterfactuals that add nothing, too, up to k; on anyway without proofs, for graphs "
      "of the dataset, and for methods that cut edges",
      [](const std::string&, Options& o) { o.fill = true; },
      [](const Options& o, const ChosenParts&) { return flag_texts(o.fill); }};
}

OptionRow ties_row() {
  OptionRow row{"ties",
                OptionGroup::kPaper,
                "coverage|earliest",
                "coverage",
                "of graphs visited equally often, those with more coverage are candidates (where "
                "that is quickly known: greed), or the earliest",
                {},
                {}};
  row.set = [](const std::string& text, Options& o) {
    if (text != "coverage" && text != "earliest") {
      throw Error("ties is " + in_quotes(text), "give coverage or earliest");
    }
    o.ties = text == "coverage" ? CandidateTies::kCoverage : CandidateTies::kEarliest;
  };
  row.recorded = [](const Options& o, const ChosenParts& parts) {
    const bool counts = parts.source.walks && o.ties == CandidateTies::kEarliest;
    return counts ? Texts{"earliest"} : Texts();
  };
  return row;
}

OptionRow bonds_row() {
  return {
      "bonds",
      OptionGroup::kDomain,
      "use|ignore",
      "use for molecules whose bonds are known, if certified and not cutting edges, and for models "
      "that see bonds; else ignore",
      "do labels of edges count: another one is an edit, and counterfactuals of molecules are "
      "valid molecules (the constraint molecule), with all hydrogens that the data writes",
      [](const std::string& text, Options& o) {
        if (text != "use" && text != "ignore") {
          throw Error("bonds is " + in_quotes(text), "give use or ignore");
        }
        o.bonds = text == "use";
      },
      [](const Options& o, const ChosenParts&) {
        return o.bonds ? Texts{*o.bonds ? "use" : "ignore"} : Texts();
      }};
}

OptionRow source_class_row() {
  OptionRow row{
      "source-class",
      OptionGroup::kDomain,
      "class",
      "any but the desired",
      "explain only graphs that are predicted this class, a name or a value as in the file; "
      "may be repeated",
      [](const std::string& text, Options& o) {
        if (text.empty()) throw Error("source-class is empty", "give a class");
        o.selection.source_classes.push_back(text);
      },
      [](const Options& o, const ChosenParts&) { return o.selection.source_classes; }};
  row.repeatable = true;
  return row;
}

OptionRow only_correct_row() {
  return {
      "only-correct",
      OptionGroup::kDomain,
      "flag",
      {},
      "explain only graphs that are predicted the class they have",
      [](const std::string&, Options& o) { o.selection.only_correct = true; },
      [](const Options& o, const ChosenParts&) { return flag_texts(o.selection.only_correct); }};
}

/// A list stays as it is; anything else is a file that has one, which is read later.
void set_graphs(const std::string& text, Options& o) {
  if (!looks_like_index_list(text)) {
    o.graphs_file = text;
    return;
  }
  try {
    o.selection.graphs = parse_index_list(text);
    if (o.selection.graphs->empty()) throw Error("lists no graph", "give at least one");
  } catch (const Error& error) {
    throw Error(fmt::format("graphs is {}: {}", in_quotes(text, 200), error.what()));
  }
}

OptionRow graphs_row() {
  return {"graphs",
          OptionGroup::kDomain,
          "list|file",
          "all",
          "explain only graphs of this list (0-99,105), or of a file with one: indices into the "
          "dataset, from 0, as they are after the rare-label filter",
          set_graphs,
          [](const Options& o, const ChosenParts&) {
            const InputSelection& chosen = o.selection;
            // A part of a split is recorded by its name.
            return chosen.graphs && chosen.split.empty() ? Texts{index_list_text(*chosen.graphs)}
                                                         : Texts();
          }};
}

OptionRow split_row() {
  return {"split",
          OptionGroup::kDomain,
          "train|validation|test",
          "all parts",
          "explain only graphs of this part of the split that the model's file records",
          [](const std::string& text, Options& o) {
            if (text != "train" && text != "validation" && text != "test") {
              throw Error("split is " + in_quotes(text), "give train, validation or test");
            }
            o.selection.split = text;
          },
          [](const Options& o, const ChosenParts&) {
            return o.selection.split.empty() ? Texts() : Texts{o.selection.split};
          }};
}

OptionRow keep_isolated_row() {
  return {"keep-isolated",
          OptionGroup::kCuts,
          "flag",
          {},
          "nodes that lose all edges stay, and parts that are cut off; else the largest connected "
          "part is the counterfactual, if it is one",
          [](const std::string&, Options& o) { o.keep_isolated = true; },
          [](const Options& o, const ChosenParts& parts) {
            return flag_texts(parts.source.cuts_edges && o.keep_isolated);
          }};
}

/// The settings of the methods that cut edges; recorded of the one that was chosen.
std::vector<OptionRow> cut_rows() {
  const auto of_method = [](const char* method, const char* name, const auto& at,
                            const char* help) {
    OptionRow row = number(
        name, OptionGroup::kCuts, at, fmt::format("{}: {}", method, help),
        where(at, [method](const Options& o, const ChosenParts&) { return o.method == method; }));
    row.method = method;
    return row;
  };
  const auto cff_lambda = [](auto& o) -> auto& { return o.local.cff.lambda; };
  const auto cff_alpha = [](auto& o) -> auto& { return o.local.cff.alpha; };
  const auto cff_gamma = [](auto& o) -> auto& { return o.local.cff.gamma; };
  const auto cff_rate = [](auto& o) -> auto& { return o.local.cff.rate; };
  const auto cff_steps = [](auto& o) -> auto& { return o.local.cff.steps; };
  const auto rc_lambda = [](auto& o) -> auto& { return o.local.rc.lambda; };
  const auto rc_size = [](auto& o) -> auto& { return o.local.rc.size; };
  const auto rc_entropy = [](auto& o) -> auto& { return o.local.rc.entropy; };
  const auto rc_rate = [](auto& o) -> auto& { return o.local.rc.rate; };
  const auto rc_epochs = [](auto& o) -> auto& { return o.local.rc.epochs; };
  std::vector<OptionRow> t{keep_isolated_row()};
  t.push_back(of_method("cff", "cff-lambda", cff_lambda,
                        "weight of the prediction against the number of edges"));
  t.push_back(of_method("cff", "cff-alpha", cff_alpha,
                        "share of that for what the mask keeps; the rest is for what it leaves"));
  t.push_back(of_method("cff", "cff-gamma", cff_gamma,
                        "by how much the prediction is to be sure, 0.5 at most"));
  t.push_back(of_method("cff", "cff-rate", cff_rate, "learning rate"));
  t.push_back(of_method("cff", "cff-steps", cff_steps, "steps for each graph"));
  t.push_back(
      of_method("rcexplainer", "rc-lambda", rc_lambda,
                "weight of keeping the class by the mask; the rest is for losing it without"));
  t.push_back(of_method("rcexplainer", "rc-size", rc_size, "weight of the mask's sum"));
  t.push_back(
      of_method("rcexplainer", "rc-entropy", rc_entropy, "weight of the mask's mean entropy"));
  t.push_back(of_method("rcexplainer", "rc-rate", rc_rate, "learning rate"));
  t.push_back(of_method("rcexplainer", "rc-epochs", rc_epochs, "rounds of training on all inputs"));
  return t;
}

std::vector<OptionRow> make_table() {
  using G = OptionGroup;
  // Not among molecules, which are not made by single edits.
  const auto if_walks = [](const Options& o, const ChosenParts& parts) {
    return parts.source.walks && !o.constraints.molecule;
  };
  const auto if_refined = [](const Options& o, const ChosenParts& parts) {
    return parts.source.is_improved && o.refine;
  };
  const auto of_distance = [](const char* distance, OptionRow row) {
    row.distance = distance;
    row.recorded = [distance, values = std::move(row.recorded)](const Options& o,
                                                                const ChosenParts& parts) {
      return o.distance == distance ? values(o, parts) : Texts();
    };
    return row;
  };
  const auto free_to_change = [](OptionRow row) {
    row.free_to_change = true;
    return row;
  };
  const auto k = [](auto& o) -> auto& { return o.k; };
  const auto theta = [](auto& o) -> auto& { return o.theta; };
  const auto prove_work = [](auto& o) -> auto& { return o.distance_options.prove_work; };
  const auto walk_theta = [](auto& o) -> auto& { return o.walk_theta; };
  const auto steps = [](auto& o) -> auto& { return o.steps; };
  const auto alpha = [](auto& o) -> auto& { return o.alpha; };
  const auto teleport = [](auto& o) -> auto& { return o.teleport; };
  const auto candidates = [](auto& o) -> auto& { return o.candidates; };
  const auto capacity = [](auto& o) -> auto& { return o.capacity; };
  const auto max_neighbours = [](auto& o) -> auto& { return o.max_neighbours; };
  const auto min_lead = [](auto& o) -> auto& { return o.min_lead; };
  const auto min_probability = [](auto& o) -> auto& { return o.min_probability; };
  const auto patience = [](auto& o) -> auto& { return o.patience; };
  const auto time_limit = [](auto& o) -> auto& { return o.time_limit; };
  const auto refine_work = [](auto& o) -> auto& { return o.refine_work; };
  const auto climbs = [](auto& o) -> auto& { return o.climbs; };
  const auto sample = [](auto& o) -> auto& { return o.sample; };
  const auto wl = [](auto& o) -> auto& { return o.distance_options.wl.iterations; };
  const auto rw_length = [](auto& o) -> auto& { return o.distance_options.rw.length; };
  const auto rw_decay = [](auto& o) -> auto& { return o.distance_options.rw.decay; };
  const auto nspd_radius = [](auto& o) -> auto& { return o.distance_options.nspd.radius; };
  const auto nspd_distance = [](auto& o) -> auto& { return o.distance_options.nspd.distance; };
  const char* const comparable =
      "under wl, rw and nspd, which are on other scales, the one at which as many pairs of inputs "
      "are near as at {} under the edit distance";

  std::vector<OptionRow> t;
  t.push_back(free_to_change(
      number("k", G::kEveryday, k, "counterfactuals to choose, at most", always(k))));
  t.push_back(free_to_change(fill_row()));
  t.push_back(number("theta", G::kEveryday, theta,
                     fmt::format("covered means: within this normalised distance; unset, {}",
                                 fmt::format(fmt::runtime(comparable), kEditTheta)),
                     always(theta), fmt::format("{}", kEditTheta)));
  t.push_back(number("prove-work", G::kLimits, prove_work,
                     "units of work on each of two questions about a pair of a counterfactual and "
                     "an input, when the result is proven; what is undecided then stays open",
                     where(prove_work, [](const Options& o, const ChosenParts& parts) {
                       return parts.distance.proves &&
                              o.distance_options.prove_work != DistanceOptions{}.prove_work;
                     })));
  t.push_back(number("walk-theta", G::kPaper, walk_theta, "theta during the walk",
                     where(walk_theta, if_walks),
                     fmt::format("{}, or comparable", kEditWalkTheta)));
  t.push_back(number("steps", G::kPaper, steps, "steps of the walk", where(steps, if_walks),
                     fmt::format("{}; {} if certified and refined, which takes them as starting "
                                 "points",
                                 kPaperSteps, kStartingSteps)));
  t.push_back(number("alpha", G::kPaper, alpha,
                     "weight of a graph's own coverage against what it adds to the candidates'",
                     where(alpha, if_walks)));
  t.push_back(number("teleport", G::kPaper, teleport, "chance to jump to an input",
                     where(teleport, if_walks)));
  t.push_back(number("candidates", G::kPaper, candidates,
                     "most visited graphs to choose from; 0: as many as inputs",
                     where(candidates, if_walks)));
  t.push_back(number("capacity", G::kPaper, capacity, "graphs whose visits are counted",
                     where(capacity, if_walks)));
  t.push_back(number("max-neighbours", G::kPaper, max_neighbours,
                     "look at so many neighbours of a graph at most (but for the certified "
                     "refinement); 0: all",
                     where(max_neighbours, if_walks)));
  t.push_back(bonds_row());
  t.push_back(source_class_row());
  t.push_back(only_correct_row());
  t.push_back(graphs_row());
  t.push_back(split_row());
  t.push_back(
      number("min-lead", G::kDomain, min_lead,
             "least lead of the desired class's probability over the next class's for a "
             "counterfactual; other evaluations of the same model agree that far",
             always(min_lead),
             fmt::format("{}; 0 without proofs, and for graphs of the dataset", kSafeLead)));
  t.push_back(number("min-probability", G::kDomain, min_probability,
                     "least probability of the desired class for a counterfactual",
                     where(min_probability, [](const Options& o, const ChosenParts&) {
                       return o.min_probability > 0;
                     })));
  t.push_back(flag_off("no-reinforcement", G::kPaper, &Options::reinforcement, &SourceKind::walks,
                       "ablation NVR: visits do not count"));
  t.push_back(flag_off("no-importance", G::kPaper, &Options::importance, &SourceKind::walks,
                       "ablation NIF: all neighbours are equally important"));
  t.push_back(flag_off("uniform-teleport", G::kPaper, &Options::dynamic_teleport,
                       &SourceKind::walks, "ablation NDT: jump to any input"));
  t.push_back(ties_row());
  t.push_back(free_to_change(number(
      "patience", G::kLimits, patience,
      "end the refinement once nothing was gained during that share of its work, and so the walk, "
      "unless it only supplies what a certified refinement starts from; 0: never",
      where(patience,
            [](const Options& o, const ChosenParts& parts) {
              const bool improves = parts.source.is_improved && o.refine;
              return (parts.source.walks || improves) && *o.patience > 0;
            }),
      fmt::format("{} if certified and refined, else 0", kPatience))));
  t.push_back(free_to_change(number(
      "time-limit", G::kLimits, time_limit,
      "end after so many seconds, counted from the start of the program, with the best so far: the "
      "walk leaves a part to the refinement, the search a tenth to proofs; 0: never",
      where(time_limit, [](const Options& o, const ChosenParts&) { return o.time_limit > 0; }))));
  t.push_back(number("refine-work", G::kLimits, refine_work,
                     "certified: units of work of the refinement, some 0.1 microseconds each; "
                     "else neighbours to evaluate",
                     where(refine_work, if_refined),
                     fmt::format("{}; {} if not certified", kClimbWork, kRefineWork)));
  t.push_back(number("climbs", G::kLimits, climbs,
                     "certified: climbs side by side; what they ask the model is one batch",
                     where(climbs, [](const Options& o, const ChosenParts& parts) {
                       return parts.distance.proves && parts.source.is_improved && o.refine &&
                              o.climbs != Options{}.climbs;
                     })));
  t.push_back(number("sample", G::kLimits, sample,
                     "certified and refined: search on so many of the inputs, drawn by the seed "
                     "and stratified by size and labels; what is found is measured against all of "
                     "them; 0: search on all",
                     where(sample,
                           [](const Options& o, const ChosenParts& parts) {
                             return parts.distance.proves && parts.source.is_improved && o.refine;
                           }),
                     fmt::format("{0} of more than {0} inputs, else all", kAutomaticSample)));
  t.push_back(flag_off("no-refine", G::kPaper, &Options::refine, &SourceKind::is_improved,
                       "the paper's algorithm alone"));
  t.push_back(of_distance(
      "wl", number("wl-iterations", G::kDomain, wl, "wl: rounds of refinement", always(wl))));
  t.push_back(of_distance(
      "rw", number("rw-length", G::kDomain, rw_length, "rw: longest walk", always(rw_length))));
  t.push_back(of_distance("rw", number("rw-decay", G::kDomain, rw_decay,
                                       "rw: weight of each further step", always(rw_decay))));
  t.push_back(of_distance("nspd", number("nspd-radius", G::kDomain, nspd_radius,
                                         "nspd: largest ball", always(nspd_radius))));
  t.push_back(
      of_distance("nspd", number("nspd-distance", G::kDomain, nspd_distance,
                                 "nspd: largest distance of balls", always(nspd_distance))));
  for (OptionRow& row : cut_rows()) t.push_back(std::move(row));
  return t;
}

}  // namespace

ExplainOptions with_defaults(ExplainOptions o, const Parts& parts) {
  const DistanceKind& distance = parts.distances.at(o.distance);
  // The paper's figures rest on the prediction alone.
  const bool is_papers = !distance.proves || parts.sources.at(o.method).from_dataset;
  if (parts.sources.at(o.method).cuts_edges) o.fill = true;
  if (!o.min_lead) o.min_lead = is_papers ? 0 : kSafeLead;
  if (!o.steps) o.steps = distance.proves && o.refine ? kStartingSteps : kPaperSteps;
  if (!o.patience) o.patience = distance.proves && o.refine ? kPatience : 0;
  if (!o.refine_work) o.refine_work = distance.proves ? kClimbWork : kRefineWork;
  if (distance.counts_edits) {
    if (!o.theta) o.theta = kEditTheta;
    if (!o.walk_theta) o.walk_theta = kEditWalkTheta;
  }
  return o;
}

void check_options(const ExplainOptions& o) {
  const auto need = [](bool holds, const char* what) {
    if (!holds) throw Error(what);
  };
  const auto is_share = [](double value) { return value > 0 && value < 1; };
  need(o.k >= 1 && o.k <= kMostCounterfactuals, "k must be from 1 to 1,000,000");
  need(!o.theta || is_share(*o.theta), "theta must be between 0 and 1, both excluded");
  need(!o.walk_theta || is_share(*o.walk_theta),
       "the walk's theta must be between 0 and 1, both excluded");
  need(!o.steps || *o.steps >= 1, "the walk needs at least one step");
  need(o.alpha >= 0 && o.alpha <= 1, "alpha must be from 0 to 1");
  need(o.teleport > 0 && o.teleport <= 1, "the chance to teleport must be above 0 and at most 1");
  need(o.capacity >= 1, "the capacity must be at least 1");
  need(o.climbs >= 1 && o.climbs <= 1024, "the climbs side by side must be from 1 to 1024");
  need(!o.min_lead || (*o.min_lead >= 0 && *o.min_lead < 1),
       "the least lead must be at least 0 and below 1");
  need(o.min_probability >= 0 && o.min_probability < 1,
       "the least probability must be at least 0 and below 1");
  need(!o.patience || (*o.patience >= 0 && *o.patience <= 1),
       "the patience is a share of the work, from 0 to 1");
  const CffOptions& cff = o.local.cff;
  need(cff.alpha <= 1, "alpha of cff must be from 0 to 1");
  need(cff.gamma <= 0.5, "gamma of cff must be from 0 to 0.5");
  need(cff.rate > 0 && o.local.rc.rate > 0, "a learning rate must be above 0");
  need(o.local.rc.lambda <= 1, "lambda of rcexplainer must be from 0 to 1");
  need(o.local.rc.epochs >= 1 && o.local.rc.epochs <= 100'000,
       "the rounds of training must be from 1 to 100000");
  need(std::isfinite(o.time_limit) && o.time_limit >= 0, "the time limit must be 0 or more");
  check_kernel(o.distance_options.wl);
  check_kernel(o.distance_options.rw);
  check_kernel(o.distance_options.nspd);
}

const char* title_of(OptionGroup group) {
  constexpr std::array<const char*, 5> kTitles = {"Everyday", "Domain", "Limits", "The paper's",
                                                  "Methods that cut edges"};
  return kTitles[static_cast<std::size_t>(group)];
}

const std::vector<OptionRow>& option_table() {
  static const std::vector<OptionRow> table = make_table();
  return table;
}

std::vector<std::pair<std::string, std::string>> recorded_options(const ExplainOptions& options,
                                                                  const Parts& parts) {
  const ChosenParts chosen{parts.distances.at(options.distance), parts.sources.at(options.method)};
  std::vector<std::pair<std::string, std::string>> out;
  for (const OptionRow& row : option_table()) {
    for (auto& value : row.recorded(options, chosen)) out.emplace_back(row.name, std::move(value));
  }
  return out;
}

void set_recorded(const Provenance& recorded, const std::function<bool(const OptionRow&)>& wanted,
                  ExplainOptions& options) {
  for (const OptionRow& row : option_table()) {
    if (!wanted(row)) continue;
    for (const std::string& value : recorded.values_of(row.name)) row.set(value, options);
  }
}

std::vector<std::pair<std::string, std::string>> shared_options(const ExplainOptions& options,
                                                                const Parts& parts) {
  auto out = recorded_options(options, parts);
  for (const OptionRow& row : option_table()) {
    if (!row.free_to_change) continue;
    std::erase_if(out, [&](const auto& option) { return option.first == row.name; });
  }
  return out;
}

std::string options_reference() {
  std::string out;
  for (const auto group : {OptionGroup::kEveryday, OptionGroup::kDomain, OptionGroup::kLimits,
                           OptionGroup::kPaper, OptionGroup::kCuts}) {
    out += fmt::format("## {}\n\n| option | default | what |\n|---|---|---|\n", title_of(group));
    for (const OptionRow& row : option_table()) {
      if (row.group != group) continue;
      std::string value = row.is_flag() ? "" : row.type == "number" ? " N" : " " + row.type;
      // A bare pipe would end the cell, even between backticks.
      for (auto at = value.find('|'); at != std::string::npos; at = value.find('|', at + 2)) {
        value.insert(at, 1, '\\');
      }
      out += fmt::format("| `--{}{}` | {} | {} |\n", row.name, value,
                         row.is_flag() ? "off" : row.initial, row.help);
    }
    out += "\n";
  }
  return out;
}

}  // namespace fewedits
