// SPDX-License-Identifier: MIT
#include "fewedits/verification/recorded.hpp"

#include <algorithm>
#include <cmath>

#include "fewedits/base/error.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/explanation/recorded_names.hpp"

namespace fewedits::verify {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_method(const Explanation& e, const std::vector<std::string>& known, Claims& claims) {
  const RecordedMethod* method = find_recorded(recorded_methods(), e.method);
  const bool named = method != nullptr || contains(known, e.method);
  if (!claims.claim(named, "method: {} is none that is known", in_quotes(e.method))) return;
  if (method == nullptr) return;
  claims.claim(method->from_dataset == e.from_dataset, "from_dataset: is {}, but the method is {}",
               e.from_dataset, e.method);
}

void check_distance(const Explanation& e, const std::vector<std::string>& known, Claims& claims) {
  const RecordedDistance* distance = find_recorded(recorded_distances(), e.distance);
  const bool named = distance != nullptr || contains(known, e.distance);
  if (!claims.claim(named, "distance: {} is none that is known", in_quotes(e.distance))) return;
  if (distance == nullptr) return;
  claims.claim(distance->meaning == e.meaning, "distance_meaning: is {}, but the distance is {}",
               in_quotes(std::string(name_of(e.meaning))), e.distance);
  const Provenance& p = e.provenance;
  if (distance->has_model) {
    claims.claim(!p.distance_model_hash.empty(), "distance_model: is missing, or its hash");
  } else {
    claims.claim(p.distance_model_hash.empty() && p.distance_model_path.empty(),
                 "distance_model: belongs to no distance");
  }
}

void check_option(const std::string& name, const std::string& value, bool again, Claims& claims) {
  const RecordedOption* option = find_recorded(recorded_option_names(), name);
  if (!claims.claim(option != nullptr, "options: {} is no option", in_quotes(name))) return;
  claims.claim(is_value_of(*option, value), "options: {} is {}, which is no {}", name,
               in_quotes(value),
               option->type == "flag" || option->type == "number" ? option->type : "value of it");
  claims.claim(option->repeated || !again, "options: {} is given more than once", name);
}

/// Is it a number that counts something?
bool is_count(const std::optional<double>& number) {
  return number && *number >= 1 && std::floor(*number) == *number;
}

/// What makes a graph a counterfactual, always recorded.
void check_min_lead(const Explanation& e, Claims& claims) {
  const auto lead = number_option(e, "min-lead");
  if (!claims.claim(lead.has_value(), "options: min-lead is missing or no number")) return;
  if (e.meaning != DistanceMeaning::kProven || e.from_dataset || *lead >= kSafeLead) return;
  claims.note(
      fmt::format("the option min-lead is {}: with a lead below {} another machine may "
                  "see another class",
                  *lead, kSafeLead));
}

/// Claims rest on these two, so they are always recorded.
void check_k_and_theta(const Explanation& e, Claims& claims) {
  const auto theta = number_option(e, "theta");
  if (claims.claim(theta.has_value(), "options: theta is missing or no number")) {
    claims.claim(*theta == e.theta, "theta: is {}, the option is {}", e.theta, *theta);
  }
  const auto k = number_option(e, "k");
  if (!claims.claim(is_count(k), "options: k is missing or no whole number above 0")) return;
  const std::size_t number = e.counterfactuals.size();
  const bool fits = claims.claim(static_cast<double>(number) <= *k,
                                 "counterfactuals: are {}, the option k is {}", number, *k);
  if (fits && static_cast<double>(number) < *k) {
    claims.note(
        fmt::format("{} instead of the {} asked for", counted(number, "counterfactual"), *k));
  }
}

/// What adds nothing is listed only if somebody asked for that, or under the paper's settings.
void check_fill(const Explanation& e, Claims& claims) {
  const bool fill = !e.provenance.values_of("fill").empty() || e.from_dataset ||
                    e.meaning != DistanceMeaning::kProven;
  if (fill) return;
  for (std::size_t c = 1; c < e.counterfactuals.size(); ++c) {
    claims.claim(e.counterfactuals[c].gain > 0,
                 "counterfactuals[{}]: adds nothing, but the option fill is not set", c);
  }
}

/// Other methods have no such graphs: the option would only excuse them.
void check_isolated(const Explanation& e, Claims& claims) {
  const bool given = !e.provenance.values_of("keep-isolated").empty();
  claims.claim(!given || keeps_isolated(e), "options: keep-isolated does not go with the method {}",
               in_quotes(e.method));
}

/// A walk that was not ended early took all its steps, or lost patience; one that only supplies
/// what a certified refinement starts from has endless patience.
void check_steps(const Explanation& e, Claims& claims) {
  const RecordedMethod* method = find_recorded(recorded_methods(), e.method);
  const bool walks = method != nullptr && method->walks;
  const auto steps = number_option(e, "steps");
  // Molecules are not made by single edits, which are all that the walk makes.
  const auto constraints = e.provenance.values_of("constraint");
  const bool takes_steps = walks && std::ranges::find(constraints, "molecule") == constraints.end();
  claims.claim(steps || !takes_steps, "options: steps is missing or no number");
  if (!steps) {
    claims.claim(!walks || e.steps == 0, "steps: are {}, but there is no such option", e.steps);
    return;
  }
  const auto taken = static_cast<double>(e.steps);
  claims.claim(taken <= *steps, "steps: are {}, the option is {}", e.steps, *steps);
  if (!walks || !e.complete) return;
  const bool only_starts =
      e.meaning == DistanceMeaning::kProven && e.provenance.values_of("no-refine").empty();
  const double patience = only_starts ? 0 : number_option(e, "patience").value_or(0);
  const double least = patience > 0 ? std::min(1.0, patience) * *steps : *steps;
  claims.claim(taken >= least, "steps: are {} of {}, but complete is true", e.steps, *steps);
}

/// As far as the rest of the file tells.
void check_end(const Explanation& e, Claims& claims) {
  if (e.ended == RunEnd::kTimeLimit) {
    claims.claim(number_option(e, "time-limit").value_or(0) > 0,
                 "ended: is 'time limit', but the option time-limit is not set");
  }
  if (e.ended == RunEnd::kAllCovered && e.meaning == DistanceMeaning::kProven) {
    claims.claim(e.metrics.coverage == 1, "ended: is 'all covered', but the coverage is {}",
                 e.metrics.coverage);
  }
}

/// What a certified search ever held is in the file, so its curve ends at the coverage at most.
void check_curve(const Explanation& e, Claims& claims) {
  if (e.meaning != DistanceMeaning::kProven) return;
  constexpr double kRounding = 1e-9;
  // Of a sample it is the coverage of that, all of which is in the file, too.
  const auto all = static_cast<double>(e.inputs.size());
  const double most = e.searched ? e.metrics.coverage * all /
                                       static_cast<double>(std::max<std::size_t>(1, *e.searched))
                                 : e.metrics.coverage;
  for (std::size_t i = 0; i < e.refinement.size(); ++i) {
    const double coverage = e.refinement[i].coverage;
    claims.claim(coverage <= most + kRounding,
                 "refinement[{}]: has a coverage of {}, the explanation of {}", i, coverage,
                 e.metrics.coverage);
  }
}

/// As far as the options say: a sample that is none leaves nothing out.
void check_sample(const Explanation& e, Claims& claims) {
  const auto sample = number_option(e, "sample").value_or(0);
  const bool some = sample > 0 && sample < static_cast<double>(e.inputs.size());
  claims.claim(e.searched.has_value() == some, "searched: {}, but the option sample says {}",
               e.searched ? "is there" : "is missing", sample);
  if (e.searched && some) {
    claims.claim(static_cast<double>(*e.searched) == sample,
                 "searched: is {}, the option sample is {}", *e.searched, sample);
  }
  claims.claim(!e.costs_are_bounds || e.meaning == DistanceMeaning::kProven,
               "costs_are_bounds: is true, but nothing is proven");
  if (!some) return;
  claims.claim(e.costs_are_bounds, "costs_are_bounds: is false, but a sample was searched");
}

}  // namespace

bool keeps_isolated(const Explanation& explanation) {
  const RecordedMethod* method = find_recorded(recorded_methods(), explanation.method);
  return method != nullptr && method->cuts_edges &&
         !explanation.provenance.values_of("keep-isolated").empty();
}

std::optional<double> number_option(const Explanation& explanation, const std::string& name) {
  const std::vector<std::string> values = explanation.provenance.values_of(name);
  return values.empty() ? std::nullopt : number_in<double>(values.front());
}

void check_recorded(const Explanation& explanation, const std::vector<std::string>& known,
                    Claims& claims) {
  check_method(explanation, known, claims);
  check_distance(explanation, known, claims);
  const std::string* before = nullptr;  // entries of one option lie side by side
  for (const auto& [name, value] : explanation.provenance.options) {
    check_option(name, value, before != nullptr && *before == name, claims);
    before = &name;
  }
  check_k_and_theta(explanation, claims);
  check_min_lead(explanation, claims);
  check_fill(explanation, claims);
  check_isolated(explanation, claims);
  check_steps(explanation, claims);
  check_end(explanation, claims);
  check_curve(explanation, claims);
  check_sample(explanation, claims);
  if (!explanation.complete) claims.note("the search was ended early (complete: false)");
}

}  // namespace fewedits::verify
