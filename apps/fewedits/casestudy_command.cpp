// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "commands.hpp"
#include "console.hpp"
#include "explained.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/evaluate/case_study.hpp"
#include "fewedits/report/case_study_page.hpp"
#include "fewedits/report/shell_words.hpp"
#include "fewedits/search/option_table.hpp"
#include "fewedits/search/parts.hpp"
#include "local_searches.hpp"
#include "option_rows.hpp"

namespace fewedits::cli {
namespace {

namespace fs = std::filesystem;

struct CaseStudyArguments {
  std::string file;
  ExplainedArguments explained;  ///< where the dataset is
  std::string model;
  std::string output;
  std::string note;
  std::size_t inputs = 4;
  std::size_t counterfactual = 0;    ///< from 1; 0: the program chooses
  std::vector<std::string> methods;  ///< empty: all
  bool keep_isolated = false;
  bool beside_paper = false;
  std::vector<std::pair<std::string, std::string>> settings;  ///< of methods that cut edges
  std::uint64_t work = 20'000'000;

  [[nodiscard]] bool html() const {
    const std::string ending = ascii_lower(fs::path(output).extension().string());
    return ending == ".html" || ending == ".htm";
  }
  /// Where the pictures of a page in Markdown go, as seen from it.
  [[nodiscard]] fs::path pictures() const { return fs::path("images") / fs::path(output).stem(); }
  /// All, the explainers that cut edges first, as the paper shows them.
  [[nodiscard]] std::vector<std::string> chosen_methods() const {
    if (!methods.empty()) return methods;
    const auto finders = local_finders(builtin_parts());
    std::vector<std::string> out = finders.names();
    std::stable_partition(out.begin(), out.end(),
                          [&](const std::string& name) { return finders.at(name).cuts_edges; });
    return out;
  }
};

/// What is read, checked to belong together.
struct CaseMaterial {
  Explanation explanation;
  std::vector<fs::path> files;  ///< that were read
  ComparisonMaterial rest;
};

CaseMaterial open_case(const CaseStudyArguments& arguments) {
  ExplainedArguments from = arguments.explained;
  from.files = {arguments.file};
  Explained explained = open_explained(std::move(from));
  Explanation& e = explained.explanations.front().explanation;
  Dataset& data = explained.data;
  if (!data.has_desired() && e.classes) data.desired_column = e.classes->column;
  const std::string path =
      recorded_path("model", arguments.model, e.provenance.model_path, arguments.file);
  std::vector<fs::path> files =
      joined({explained.dataset.files(), model_files(path), {arguments.file}});
  protect_inputs(arguments.output, files);
  ComparisonMaterial rest =
      material_with(path, std::move(data), arguments.file, e.provenance, e.edge_label_names, true);
  return {std::move(e), std::move(files), std::move(rest)};
}

/// Nothing if Ctrl-C comes first.
std::optional<LocalCases> local_cases(const CaseStudyArguments& arguments,
                                      const std::string& method, const CaseMaterial& material,
                                      const RejectedGraphs& graphs,
                                      std::span<const std::uint32_t> inputs, ThreadPool& pool) {
  const LocalFinderKind finder = local_finders(builtin_parts()).at(method);
  LocalCases out{.method = method, .about = finder.about};
  if (finder.needs_gradients && material.rest.classifier->weighted() == nullptr) {
    out.reason =
        "it needs the derivatives of the model by its edges, which this model does not give";
    return out;
  }
  if (finder.cuts_edges && material.rest.view.has_bonds()) {
    out.reason = "it knows no bonds, which the explanation uses";
    return out;
  }
  LocalArguments local;
  local.method = method;
  local.keep_isolated = finder.cuts_edges && arguments.keep_isolated;
  local.settings = arguments.settings;
  if (finder.cuts_edges) out.settings = local_settings_in_words(local, material.rest);
  const CutRules rules = local_rules(local, material.rest);
  std::vector<LocalAnswer> answers =
      find_for_each(local, material.rest, rules, graphs, inputs, pool);
  for (auto& [found, searched] : answers) {
    if (!searched) return std::nullopt;
    auto& graph = out.graphs.emplace_back();
    if (!found) continue;
    graph = CaseGraph{std::move(found->graph), found->probability, {std::move(found->distance)}};
  }
  return out;
}

/// False if Ctrl-C comes first.
bool measured(const CaseStudyArguments& arguments, const Dataset& data, const GraphView& view,
              ThreadPool& pool, CaseStudy& study) {
  const InterruptGuard guard;
  const StopScope scope(pool, &InterruptGuard::sign());
  ProgressLine line;
  try {
    measure_cases(
        data, {.work = arguments.work, .stop = &InterruptGuard::sign()}, pool,
        [&](std::size_t done, std::size_t total) { line.update(done, total, "distances"); }, study,
        view);
  } catch (const Stopped&) {
    return false;
  }
  return !InterruptGuard::interrupted();
}

std::string own_command(const CaseStudyArguments& arguments) {
  std::string out = "fewedits casestudy " + shell_quoted(arguments.file);
  const auto add = [&](const char* option, const std::string& value) {
    out += fmt::format(" --{} {}", option, shell_quoted(value));
  };
  const CaseStudyArguments usual;
  if (!arguments.explained.dataset.path.empty()) add("dataset", arguments.explained.dataset.path);
  for (const auto& [name, value] : arguments.explained.dataset.flags()) {
    if (value.empty()) {
      out += " --" + name;
    } else {
      add(name.c_str(), value);
    }
  }
  if (!arguments.model.empty()) add("model", arguments.model);
  if (arguments.inputs != usual.inputs) add("inputs", fmt::format("{}", arguments.inputs));
  if (arguments.counterfactual > 0) {
    add("counterfactual", fmt::format("{}", arguments.counterfactual));
  }
  for (const std::string& method : arguments.methods) add("local", method);
  if (arguments.keep_isolated) out += " --keep-isolated";
  if (arguments.beside_paper) out += " --paper";
  for (const auto& [name, value] : arguments.settings) add(name.c_str(), value);
  if (arguments.work != usual.work) add("budget-work", fmt::format("{}", arguments.work));
  if (!arguments.note.empty()) add("note", arguments.note);
  return out + " -o " + shell_quoted(arguments.output);
}

SimplePage page_of(const CaseStudyArguments& arguments, const CaseStudy& study,
                   const CaseMaterial& material) {
  CaseStudyFrame frame;
  frame.file = arguments.file;
  frame.note = arguments.note;
  frame.beside_paper = arguments.beside_paper;
  frame.asked_for = arguments.counterfactual > 0;
  frame.commands = {reproducing_command(material.explanation, arguments.file),
                    own_command(arguments)};
  return case_study_page(study, material.explanation, material.rest.data, frame);
}

/// Pictures first: a page that is there is whole.
void write_page(const CaseStudyArguments& arguments, const SimplePage& page,
                const std::vector<fs::path>& inputs) {
  if (arguments.html()) return write_output(arguments.output, html_of(page));
  const fs::path folder = fs::path(arguments.output).parent_path() / arguments.pictures();
  const auto file_of = [&](const PagePicture& picture) { return folder / (picture.name + ".svg"); };
  for (const PagePicture* picture : page.pictures()) {
    protect_inputs(file_of(*picture).string(), inputs);
  }
  fs::create_directories(folder);
  for (const PagePicture* picture : page.pictures()) {
    write_file_atomically(file_of(*picture), picture->svg);
  }
  write_output(arguments.output, markdown_of(page, arguments.pictures().generic_string()));
}

int interrupted() {
  fmt::print(stderr, "fewedits: interrupted; nothing was written\n");
  return kInterrupted;
}

void check_accepted(const CaseStudyArguments& arguments, const CaseMaterial& material,
                    std::uint32_t counterfactual, ThreadPool& pool) {
  const Graph& graph = material.explanation.counterfactuals[counterfactual].graph;
  const auto judged = judge({&graph, 1}, *material.rest.classifier, material.rest.goal, pool);
  if (judged.front().accepted) return;
  throw Error({arguments.file},
              fmt::format("the model does not accept counterfactual {}", counterfactual + 1),
              "give the model that was explained, or choose another counterfactual");
}

int run(const CaseStudyArguments& arguments) {
  check_writable(arguments.output);
  const CaseMaterial material = open_case(arguments);
  const Dataset& data = material.rest.data;
  check_fits(material.explanation, data, arguments.file);
  ThreadPool pool(arguments.explained.threads);
  CaseOptions options{.inputs = arguments.inputs};
  if (arguments.counterfactual > 0) {
    options.counterfactual = static_cast<std::uint32_t>(arguments.counterfactual - 1);
  }
  const CaseCandidates candidates(material.explanation, data, options, pool);
  check_accepted(arguments, material, candidates.counterfactual(), pool);
  std::vector<LocalCases> locals;
  const RejectedGraphs graphs =
      rejected_graphs(data, *material.rest.classifier, pool, material.rest.selection);
  for (const std::string& method : arguments.chosen_methods()) {
    auto local = local_cases(arguments, method, material, graphs, candidates.inputs(), pool);
    if (!local) return interrupted();
    if (!local->reason.empty()) print_notes({fmt::format("{}: {}", method, local->reason)});
    locals.push_back(std::move(*local));
  }
  CaseStudy study = candidates.choose(std::move(locals));
  if (study.inputs.size() < arguments.inputs) {
    print_notes({fmt::format("counterfactual {} covers no more than {} different inputs",
                             study.counterfactual + 1, study.inputs.size())});
  }
  if (!measured(arguments, data, material.rest.view, pool, study)) return interrupted();
  const SimplePage page = page_of(arguments, study, material);
  write_page(arguments, page, material.files);
  fmt::print("{}\n\nwrote {}{}\n", case_study_sentences(study, material.explanation, data),
             arguments.output,
             arguments.html()
                 ? ""
                 : fmt::format(" and {} beside it", counted(page.pictures().size(), "picture")));
  return kFine;
}

std::string check_page_name(const std::string& name) {
  const std::string ending = ascii_lower(fs::path(name).extension().string());
  const bool known = ending == ".md" || ending == ".html" || ending == ".htm";
  return known ? "" : in_quotes(name) + " is neither .md nor .html";
}

}  // namespace

void add_casestudy_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "casestudy",
      "A few inputs, the counterfactual that covers them, and what each alone would get");
  command->footer(
      "The inputs are chosen by the program, the same ones every time: covered by the\n"
      "counterfactual that covers most, few edits from it, small, and different from each other.\n"
      "Every distance on the page is proven: exact, or two bounds. Markdown (.md) has its "
      "pictures\n"
      "in images/NAME beside it, HTML has them inside.\n\n"
      "Examples:\n"
      "  fewedits casestudy explanation.json -o case-study.md\n"
      "  fewedits casestudy explanation.json -o case-study.html --counterfactual 3 --inputs 6");
  auto arguments = std::make_shared<CaseStudyArguments>();
  command->add_option("FILE", arguments->file, "explanation (JSON)")->required();
  command->add_option("-o,--output", arguments->output, "page to write (.md or .html)")
      ->required()
      ->check(check_page_name);
  command->add_option("--inputs", arguments->inputs, "how many to show")
      ->check(CLI::Range(2, 26))
      ->capture_default_str();
  command
      ->add_option("--counterfactual", arguments->counterfactual,
                   "of FILE, from 1; without it, the one that covers most")
      ->check(CLI::Range(1, 1'000'000));
  command
      ->add_option("--local", arguments->methods,
                   "which way to look for a counterfactual of one input alone; may be repeated "
                   "[all]")
      ->check(CLI::IsMember(local_finders(builtin_parts()).names()))
      ->allow_extra_args(false);
  command->add_flag("--keep-isolated", arguments->keep_isolated,
                    "of methods that cut edges: nodes that lost all edges stay, as in fewedits "
                    "explain; without it, as in FILE");
  command->add_option("--model", arguments->model,
                      "classifier (.pth, .pt, .safetensors, .json); without it, the one that FILE "
                      "names");
  command
      ->add_option("--budget-work", arguments->work,
                   "work on a distance before it is left at two bounds")
      ->check(check_unsigned)
      ->capture_default_str();
  command->add_flag("--paper", arguments->beside_paper,
                    "beside what the paper says of its own case study, with a verdict");
  for (const OptionRow& row : option_table()) {
    if (row.group != OptionGroup::kCuts || row.is_flag()) continue;
    command
        ->add_option_function<std::string>(
            "--" + row.name,
            [arguments, &row](const std::string& value) {
              arguments->settings.emplace_back(row.name, value);
            },
            row.help)
        ->check(valid_option(row.name))
        ->type_name(row.type == "number" ? "N" : row.type)
        ->default_str(row.initial)
        ->group(title_of(row.group));
  }
  command->add_option("--note", arguments->note, "a paragraph for the beginning of the page");
  arguments->explained.add_to(*command);
  command->callback([=, &action] { action = [=] { return run(*arguments); }; });
}

}  // namespace fewedits::cli
