// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "arguments.hpp"
#include "console.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/version.hpp"
#include "fewedits/classifier/classifiers.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/classifier/native/kernels.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/explanation/figures.hpp"
#include "fewedits/graph/fingerprint.hpp"
#include "json_text.hpp"
#include "verifier.hpp"

namespace fewedits::verify {
namespace {

/// No claim is false, but nothing is proven either.
constexpr int kNotCertified = 3;

struct Arguments {
  std::string file;
  cli::DatasetArguments dataset;
  std::string model;
  bool json = false;
  int threads = 0;
};

std::string counts(const Explanation& e, const Dataset& data, const Report& report) {
  std::string out =
      fmt::format("{}, {}: {} counterfactuals, {} inputs", data.name, e.method,
                  cli::grouped(e.counterfactuals.size()), cli::grouped(e.inputs.size()));
  if (!report.certified) return out;
  return out + fmt::format(", {} maps and {} scripts replayed", cli::grouped(report.maps),
                           cli::grouped(report.scripts));
}

/// What is left to say if no claim is false.
std::string outcome(const Explanation& e, const Report& report) {
  if (!report.certified) {
    return fmt::format(
        "not certified: the coverage of {} at theta {} rests on the distance {}, {}, and "
        "is not proven.\n",
        at_least_text(e.metrics.coverage), e.theta, in_quotes(e.distance),
        e.meaning == DistanceMeaning::kOther ? "which does not count edits" : "an estimate");
  }
  return fmt::format(
      "Coverage {} at theta {} proven, median cost {}.\n"
      "Not above {} by labels and degrees alone. The search says not above {}: that is not proven\n"
      "here, only consistent with the lower bounds it gives.\n",
      at_least_text(e.metrics.coverage), e.theta, cost_text(e.metrics.cost_median),
      at_most_text(report.coverage_at_most.value_or(1)),
      at_most_text(e.metrics.coverage_upper.value_or(1)));
}

std::string as_text(const Explanation& e, const Dataset& data, const Report& report) {
  std::string out;
  for (const std::string& line : report.listed) out += "false: " + line + "\n";
  if (const std::size_t more = report.false_claims - report.listed.size(); more > 0) {
    out += fmt::format("… and {} more\n", cli::grouped(more));
  }
  out += counts(e, data, report);
  if (!report.holds()) {
    return out + fmt::format(": {} of {} claims are false.\n", cli::grouped(report.false_claims),
                             cli::grouped(report.claims));
  }
  out += fmt::format(": all {} claims that were checked hold.\n", cli::grouped(report.claims));
  return out + outcome(e, report);
}

/// What of the model was left out or matched otherwise than by name.
std::string notes_of(const Classifier& model) {
  std::string out;
  for (const std::string& note : model.notes()) out += "model: " + note + "\n";
  return out;
}

std::string as_json(const Explanation& e, const Dataset& data, const Classifier& model,
                    const Report& report) {
  const Metrics& m = e.metrics;
  nlohmann::ordered_json json{
      {"dataset", data.name},      {"method", e.method},
      {"theta", e.theta},          {"counterfactuals", e.counterfactuals.size()},
      {"holds", report.holds()},   {"certified", report.certified},
      {"claims", report.claims},   {"false_claims", report.false_claims},
      {"false", report.listed},    {"maps", report.maps},
      {"scripts", report.scripts}, {"coverage", m.coverage}};
  if (m.coverage_upper) json["coverage_upper"] = *m.coverage_upper;
  if (report.coverage_at_most) json["coverage_at_most"] = *report.coverage_at_most;
  json["cost_median"] = m.cost_median;  // an infinite one becomes null
  json["model_notes"] = model.notes();
  json["recomputed"] = report.recomputed();
  json["not_proven"] = report.not_proven();
  return cli::json_text(json, 1) + "\n";
}

int run(Arguments arguments) {
  const Explanation e =
      parse_explanation(read_file(arguments.file, kMaxExplanationBytes), arguments.file);
  const Provenance& p = e.provenance;
  arguments.dataset.take_recorded(p, arguments.file);
  const std::string model_path =
      cli::recorded_path("model", arguments.model, p.model_path, arguments.file);
  const Dataset data = arguments.dataset.open();
  // The plain loops, not those the search ran on.
  const auto classifier = open_classifier(model_path, data, builtin_classifiers(scalar_kernels()));
  ThreadPool pool(arguments.threads);
  const Report report =
      verify(e, {data, *classifier, dataset_fingerprint(data), model_hash(model_path)}, pool);
  cli::write_output("", arguments.json ? as_json(e, data, *classifier, report)
                                       : notes_of(*classifier) + as_text(e, data, report));
  if (!report.holds()) return cli::kFailed;
  return report.certified ? cli::kFine : kNotCertified;
}

int run(int argc, char** argv) {
  CLI::App app{"fewedits-verify checks an explanation that fewedits explain wrote."};
  app.footer(
      "It shares no search code with fewedits: it evaluates the model afresh, replays every map "
      "and\n"
      "every script of edits, and recomputes the proven coverage, the costs, the probabilities\n"
      "and all that follows from them. Lower bounds, and the share of inputs that they do not\n"
      "exclude, come from a search and are checked for consistency only; docs/formats.md lists\n"
      "what is not checked at all.\n\n"
      "Exit code: 0 all that was checked holds; 1 a claim is false, or a file cannot be read;\n"
      "2 wrong usage; 3 no claim is false, but the distance is none with proofs, so that nothing\n"
      "is proven.\n\n"
      "Example:\n"
      "  fewedits explain --distance certified --dataset data/AIDS --model gcn.pth -o why.json\n"
      "  fewedits-verify why.json");
  app.set_version_flag("--version", "fewedits-verify " + version());
  Arguments arguments;
  app.add_option("FILE", arguments.file, "explanation (JSON)")->required();
  app.add_option("--dataset", arguments.dataset.path,
                 "TU folder or .zip, .smi, .csv, .sdf; without it, the one that FILE names");
  app.add_option("--model", arguments.model, "classifier; without it, the one that FILE names");
  app.add_flag("--json", arguments.json, "JSON instead of text");
  arguments.dataset.add_to(app);
  cli::add_threads(app, arguments.threads);
  return cli::run_app(app, argc, argv, [&] { return run(std::move(arguments)); });
}

}  // namespace
}  // namespace fewedits::verify

int main(int argc, char** argv) {
  return fewedits::cli::run_program("fewedits-verify",
                                    [&] { return fewedits::verify::run(argc, argv); });
}
