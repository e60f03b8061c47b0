// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "console.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/terminal_text.hpp"
#include "fewedits/base/version.hpp"
#include "fewedits/classifier/class_choice.hpp"
#include "fewedits/classifier/classifiers.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/classifier/native/kernels.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/explanation/input_words.hpp"
#include "fewedits/rules/rule_json.hpp"
#include "fewedits/verification/claims.hpp"
#include "fewedits/verification/recorded_rules.hpp"
#include "fewedits/verification/report_words.hpp"
#include "fewedits/verification/verifier.hpp"
#include "json_text.hpp"
#include "rule_verifier.hpp"
#include "sources.hpp"

namespace fewedits::verify {
namespace {

/// No claim is false, but nothing is proven either.
constexpr int kNotCertified = 3;
/// No claim is false, but some could not be looked into.
constexpr int kNotAllChecked = 4;
/// The same of all that can be checked without the model, which is a black box.
constexpr int kModelNotChecked = 5;

struct Arguments {
  std::string file;
  cli::DatasetArguments dataset;
  std::string model;
  std::string second_model;
  std::vector<std::string> known;
  std::uint64_t max_work = Options::kMaxWork;
  bool json = false;
  int threads = 0;
};

/// What the explanation is held against.
struct Subject {
  const Explanation& e;
  const Sources& sources;
  const Classifier* model;  ///< null: it is a black box, and not here
};

std::string desired_name(const Subject& subject) {
  const Dataset& data = subject.sources.data;
  if (subject.model != nullptr) {
    return class_name(fewedits::desired_class(data, *subject.model), data, *subject.model);
  }
  if (data.desired_class) {
    return data.class_labels[static_cast<std::size_t>(*data.desired_class)].name;
  }
  return subject.e.classes ? subject.e.classes->desired : "unknown";
}

/// Its value in the dataset's file, if it has one.
std::optional<std::int64_t> desired_value(const Subject& subject) {
  const Dataset& data = subject.sources.data;
  if (!data.desired_class) return std::nullopt;
  return data.class_labels[static_cast<std::size_t>(*data.desired_class)].value;
}

std::string desired_in_words(const Subject& subject) {
  const std::string name = desired_name(subject);
  const auto value = desired_value(subject);
  if (!value) return in_quotes(name);
  return name == std::to_string(*value) ? name : fmt::format("{} ({})", in_quotes(name), *value);
}

const char* path_from(bool taken) { return taken ? "; the path is from the explanation" : ""; }

/// What the reader must agree with before the rest means anything.
std::string about(const Subject& subject) {
  const Sources& s = subject.sources;
  std::string out = fmt::format(
      "dataset: {}, {}, hash {}{}\n"
      "         {} graphs, {} filtered out; desired class: {}\n"
      "         names, desired class and filter: {}\n",
      printable(s.data.name), printable(s.data_path), s.data_hash, path_from(s.data_path_taken),
      cli::grouped(s.data.size()), cli::grouped(s.data.dropped), desired_in_words(subject),
      printable(s.described_by));
  for (const std::string& line : s.unlike_builtin)
    out += "         UNLIKE THE BUILT-IN: " + line + "\n";
  if (subject.model == nullptr) {
    return out + fmt::format("model: {}, a black box that is not here\n",
                             printable(subject.e.provenance.black_box));
  }
  out += fmt::format("model: {}, hash {}{}\n", printable(s.model_path), s.model_hash,
                     path_from(s.model_path_taken));
  for (const std::string& note : subject.model->notes()) out += "model: " + note + "\n";
  return out;
}

/// How the dataset is read, where that comes from the file that is to be checked.
std::string taken_from_file(const Sources& s) {
  if (s.taken.empty()) return {};
  std::string out = fmt::format(
      "TAKEN FROM THE EXPLANATION, since --dataset was not given: the dataset is read with {}\n",
      fmt::join(s.taken, " "));
  for (const std::string& line : s.without_taken) out += "         without that, " + line + "\n";
  if (s.without_unknown)
    out += "         without that, it cannot be read: " + *s.without_unknown + "\n";
  return out;
}

std::string as_text(const Subject& subject, const Report& report) {
  std::string out = about(subject) + taken_from_file(subject.sources);
  out += in_words(subject.e, report, subject.sources.data.size());
  // Names and paths are somebody's, wherever they came in.
  return printable_lines(out);
}

std::vector<std::string> paths_from_file(const Sources& s) {
  std::vector<std::string> out;
  if (s.data_path_taken) out.emplace_back("dataset");
  if (s.model_path_taken) out.emplace_back("model");
  return out;
}

std::string as_json(const Subject& subject, const Report& report) {
  const Explanation& e = subject.e;
  const Sources& s = subject.sources;
  const Metrics& m = e.metrics;
  nlohmann::ordered_json json{
      {"dataset", s.data.name},         {"dataset_path", s.data_path},
      {"dataset_hash", s.data_hash},    {"graphs", s.data.size()},
      {"filtered_out", s.data.dropped}, {"desired_class", desired_name(subject)}};
  if (const auto value = desired_value(subject)) json["desired_value"] = *value;
  json.update({{"described_by", s.described_by},
               {"unlike_builtin", s.unlike_builtin},
               {"model_path", s.model_path},
               {"model_hash", s.model_hash},
               {"paths_from_file", paths_from_file(s)},
               {"flags_from_file", s.taken},
               {"without_flags", s.without_taken},
               {"method", e.method},
               {"theta", e.theta},
               {"counterfactuals", e.counterfactuals.size()},
               {"inputs", e.inputs.size()},
               {"selection", choice_in_words(e.provenance)},
               {"holds", report.holds()},
               {"all_checked", report.all_checked()},
               {"certified", report.certified},
               {"claims", report.claims},
               {"false_claims", report.false_claims},
               {"false", report.listed},
               {"not_checked", report.not_checked},
               {"notes", report.notes},
               {"maps", report.maps},
               {"scripts", report.scripts},
               {"coverage", m.coverage}});
  if (s.without_unknown) json["without_flags"].push_back(*s.without_unknown);
  if (report.classes) {
    json["not_desired"] = report.classes->not_desired.value_or(0);
    json["predicted"] = report.classes->predicted;
  }
  if (m.coverage_upper) json["coverage_upper"] = *m.coverage_upper;
  if (report.coverage_at_most) json["coverage_at_most"] = *report.coverage_at_most;
  json["cost_median"] = m.cost_median;  // an infinite one becomes null
  if (report.smallest_lead) json["smallest_lead"] = *report.smallest_lead;
  json["model_checked"] = report.model_checked;
  json["model_notes"] =
      subject.model == nullptr ? std::vector<std::string>() : subject.model->notes();
  json["recomputed"] = report.recomputed();
  json["not_proven"] = report.not_proven();
  return cli::json_text(json, 1) + "\n";
}

/// What the explanation says of how the dataset was read is a claim, whoever said how it is read.
void check_flags(const Sources& s, Report& report) {
  Claims claims(report, 0);
  if (s.recorded_unknown) {
    claims.leave_out(fmt::format("options: how the dataset was read: {}", *s.recorded_unknown));
    return;
  }
  if (s.recorded.empty()) {
    claims.claim(s.as_recorded.empty(),
                 "options: the dataset was read without flags: then {}. Leave them out",
                 fmt::join(s.as_recorded, "; "));
    return;
  }
  claims.claim(s.as_recorded.empty(),
               "options: the dataset was read with {}: then {}. Give that, too, if it is meant",
               fmt::join(s.recorded, " "), fmt::join(s.as_recorded, "; "));
}

/// Null if it is a black box.
std::unique_ptr<Classifier> open_model(const Sources& s) {
  if (s.model_path.empty()) return nullptr;
  try {
    // The plain loops, not those the search ran on.
    return open_classifier(s.model_path, s.data, builtin_classifiers(scalar_kernels()));
  } catch (const Error& error) {
    if (s.as_recorded.empty()) throw;
    throw Error(error.what(),
                fmt::format("the explanation says that the dataset was read with {}: "
                            "give that, too, if it is meant",
                            s.recorded.empty() ? "no flags"
                                               : fmt::format("{}", fmt::join(s.recorded, " "))));
  }
}

int exit_code(const Report& report) {
  if (!report.holds()) return cli::kFailed;
  if (!report.all_checked()) return kNotAllChecked;
  if (!report.model_checked) return kModelNotChecked;
  return report.certified ? cli::kFine : kNotCertified;
}

std::string rules_as_text(const RuleList& list, const Sources& sources, const Report& report) {
  std::string out = taken_from_file(sources);
  out += listed("false", report.listed, report.false_claims);
  out += listed("note", report.notes, report.notes.size());
  out += fmt::format("{} rules, {} inputs, {} occurrences replayed", list.rules.size(),
                     cli::grouped(list.inputs.size()), cli::grouped(report.scripts));
  out += report.holds()
             ? fmt::format(": all {} claims that were checked hold.\n", cli::grouped(report.claims))
             : fmt::format(": {} of {} claims are false.\n", cli::grouped(report.false_claims),
                           cli::grouped(report.claims));
  return printable_lines(out);
}

std::string rules_as_json(const RuleList& list, const Sources& s, const Report& report) {
  const nlohmann::ordered_json json{{"dataset_path", s.data_path},
                                    {"dataset_hash", s.data_hash},
                                    {"model_path", s.model_path},
                                    {"model_hash", s.model_hash},
                                    {"flags_from_file", s.taken},
                                    {"rules", list.rules.size()},
                                    {"inputs", list.inputs.size()},
                                    {"occurrences", report.scripts},
                                    {"holds", report.holds()},
                                    {"claims", report.claims},
                                    {"false_claims", report.false_claims},
                                    {"false", report.listed},
                                    {"notes", report.notes}};
  return cli::json_text(json, 1) + "\n";
}

int run_rules(const Arguments& arguments, const std::string& text) {
  const RuleList list = parse_rules(text, arguments.file);
  const Sources sources = find_sources(list.provenance, !list.edge_label_names.empty(),
                                       arguments.file, arguments.dataset, arguments.model);
  const auto classifier = open_model(sources);
  if (classifier == nullptr) {
    throw Error({arguments.file}, "names no model", "say which one it is about: --model FILE");
  }
  std::unique_ptr<const Classifier> second;
  std::string second_hash;
  if (!list.second_model_hash.empty()) {
    const std::string path = cli::recorded_path("second-model", arguments.second_model,
                                                list.second_model_path, arguments.file);
    second = open_classifier(path, sources.data, builtin_classifiers(scalar_kernels()));
    second_hash = model_hash(path);
  }
  ThreadPool pool(arguments.threads);
  Report report = verify_rules(
      list,
      {sources.data, classifier.get(), sources.data_hash, sources.model_hash,
       recorded_selection(list.provenance, sources.data, sources.model_path, arguments.file)},
      recorded_acceptance(list.provenance, arguments.file), second.get(), second_hash,
      arguments.file, pool);
  check_flags(sources, report);
  cli::write_output("", arguments.json ? rules_as_json(list, sources, report)
                                       : rules_as_text(list, sources, report));
  return report.holds() ? cli::kFine : cli::kFailed;
}

int run(const Arguments& arguments) {
  const std::string text = read_file(arguments.file, kMaxExplanationBytes);
  if (is_rules_json(text)) return run_rules(arguments, text);
  const Explanation e = parse_explanation(text, arguments.file);
  const Sources sources = find_sources(e.provenance, !e.edge_label_names.empty(), arguments.file,
                                       arguments.dataset, arguments.model);
  const auto classifier = open_model(sources);
  ThreadPool pool(arguments.threads);
  Report report = verify(
      e,
      {sources.data, classifier.get(), sources.data_hash, sources.model_hash,
       classifier == nullptr
           ? InputSelection()
           : recorded_selection(e.provenance, sources.data, sources.model_path, arguments.file)},
      pool, {arguments.max_work, arguments.known});
  check_flags(sources, report);
  const Subject subject{e, sources, classifier.get()};
  cli::write_output("", arguments.json ? as_json(subject, report) : as_text(subject, report));
  return exit_code(report);
}

int run(int argc, char** argv) {
  CLI::App app{"fewedits-verify checks what fewedits explain or fewedits rules wrote."};
  app.footer(
      "It shares no search code with fewedits: it evaluates the model afresh, replays every map "
      "and\n"
      "every script of edits, and recomputes the proven coverage, the costs, the probabilities\n"
      "and all that follows from them. Lower bounds, and the share of inputs that they do not\n"
      "exclude, come from a search and are checked for consistency only; docs/formats.md lists\n"
      "what is not checked at all.\n\n"
      "Exit code: 0 all that was checked holds; 1 a claim is false, or a file cannot be read;\n"
      "2 wrong usage; 3 no claim is false, but the distance is none with proofs, so that nothing\n"
      "is proven; 4 no claim is false, but some could not be checked (sizes, work); 5 no claim is\n"
      "false, but the model is a black box that is not here: nobody checked its answers.\n\n"
      "A dataset that is given is read with the flags that are given. Without --dataset, FILE "
      "says\n"
      "where it is and how it is read; what was taken from there is printed first.\n\n"
      "Example:\n"
      "  fewedits explain --distance certified --dataset data/AIDS --model gcn.pth -o why.json\n"
      "  fewedits-verify why.json\n"
      "  fewedits-verify why.json --dataset data/AIDS --model gcn.pth");
  app.set_version_flag("--version", "fewedits-verify " + version());
  Arguments arguments;
  app.add_option("FILE", arguments.file, "explanation, or rules (JSON)")->required();
  app.add_option("--dataset", arguments.dataset.path,
                 "TU folder or .zip, .smi, .csv, .sdf, .few; without it, the one that FILE names");
  app.add_option("--model", arguments.model, "classifier; without it, the one that FILE names");
  app.add_option("--second-model", arguments.second_model,
                 "of rules: the second classifier; without it, the one that FILE names");
  app.add_option("--known", arguments.known,
                 "method or distance that a program of yours registered; may be repeated");
  app.add_option(
         "--max-work", arguments.max_work,
         "nodes and edges that one kind of check may look at; what takes more is not checked")
      ->check(cli::check_unsigned)
      ->capture_default_str();
  app.add_flag("--json", arguments.json, "JSON instead of text");
  arguments.dataset.add_to(app);
  cli::add_threads(app, arguments.threads, &arguments.dataset);
  return cli::run_app(app, argc, argv, [&] { return run(arguments); });
}

}  // namespace
}  // namespace fewedits::verify

int main(int argc, char** argv) {
  return fewedits::cli::run_program("fewedits-verify",
                                    [&] { return fewedits::verify::run(argc, argv); });
}
