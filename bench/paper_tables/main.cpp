// SPDX-License-Identifier: MIT
// Every table, figure and claim of the paper, its figures beside ours, as one page with what
// belongs to it. Hours with the paper's settings: every search and every figure is kept, and what
// is there is not searched again.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "experiment.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/version.hpp"
#include "figures.hpp"
#include "readme.hpp"
#include "sections.hpp"
#include "support/published.hpp"

namespace fewedits::bench {
namespace {

struct Arguments {
  ExperimentOptions experiment;
  std::filesystem::path docs = "build/release";
  std::filesystem::path readme;  ///< empty: none
};

/// What is searched unless --parts says otherwise, and what the page says is missing. The quick
/// ones first, so that there is something to see.
const std::vector<std::string> kUsualParts{
    "sizes", "baselines", "certified", "certified-theta", "longer", "kernels", "certified-walk",
    "walk",  "refined",   "own",       "ablations",       "alphas", "sampled"};

/// The page, its record, and a folder for what else belongs to it.
struct Files {
  explicit Files(const std::filesystem::path& docs)
      : page(docs / "paper-tables.md"),
        record(docs / "paper-tables.csv"),
        folder(docs / "paper-tables") {}
  std::filesystem::path page;
  std::filesystem::path record;
  std::filesystem::path folder;
  [[nodiscard]] std::filesystem::path curves() const { return folder / "curves.csv"; }
  [[nodiscard]] std::filesystem::path facts() const { return folder / "facts.csv"; }
  [[nodiscard]] std::filesystem::path optima() const { return folder / "optimum.csv"; }
  /// Settings are no matter of how long searches are: the quick page has these trials, too.
  [[nodiscard]] static std::filesystem::path trials() { return "docs/paper-tables/tuning.csv"; }
};

/// What the searches are kept from, so that an interruption takes nothing.
void keep(const Files& files, const Records& records) {
  std::filesystem::create_directories(files.folder);
  write_file_atomically(files.record, csv(records.runs));
  write_file_atomically(files.curves(), csv(records.curves));
  write_file_atomically(files.facts(), csv(records.facts));
}

/// The settings of QUICK=1: minutes instead of hours.
void make_quick(Settings& settings) {
  settings.quick = true;
  settings.seeds = {1};
  settings.steps = 500;
  settings.longer_steps = 5000;
  settings.kernel_steps = 100;
  settings.refine_work = 200'000;
  settings.certified_work = 190'000'000;  // a tenth
  settings.prove_work = kProveWork / 20;
}

std::string preface(const ExperimentOptions& options) {
  const Settings& s = options.settings;
  std::string out = fmt::format(
      "# The paper, table by table, by fewedits {}\n\n"
      "Published data and classifiers; mean ± standard deviation over the seeds {}; without "
      "deviation: one seed. Within a table all rows are measured alike. {}: not searched yet, see "
      "the end. `{}` writes this page and goes on where it was interrupted; each seed's figures "
      "are "
      "in [paper-tables.csv](paper-tables.csv).\n",
      version(), fmt::join(s.seeds, ", "), "–",
      s.quick ? "QUICK=1 make paper-tables" : "make paper-tables");
  if (s.quick) {
    out += fmt::format(
        "\n**This is the quick page: walks of {} steps instead of 50,000, refinement under GREED "
        "of "
        "{} neighbours, the certified search at a tenth of its work, proofs at a twentieth, one "
        "seed. Its verdicts are about these settings, not about the paper's.**\n",
        s.steps, *s.refine_work);
  }
  return out;
}

std::string end_of_page(const Source& source, const Records& records,
                        const std::vector<std::string>& failed) {
  std::string out;
  for (const std::string& note : source.notes()) out += fmt::format("\nNote: {}.\n", note);
  std::vector<std::string> left_out = missing_parts(source.settings(), kUsualParts, records);
  std::vector<std::string> untrained;
  for (const PaperDataset& p : kPaper) {
    if (!source.fact(p.name, "accuracy-testing")) untrained.push_back(p.name);
  }
  if (!untrained.empty()) {
    left_out.push_back(
        fmt::format("accuracies of models trained here: {} (training_bench --record)",
                    fmt::join(untrained, ", ")));
  }
  left_out.insert(left_out.end(), failed.begin(), failed.end());
  if (!left_out.empty()) {
    out += fmt::format(
        "\n## Not on record yet\n\nBy part of `paper_tables_bench --parts`; for lack of time "
        "unless "
        "it says why: {}.\n",
        fmt::join(left_out, "; "));
  }
  return out;
}

int run(const Arguments& arguments) {
  const ExperimentOptions& options = arguments.experiment;
  const Files files(arguments.docs);
  Records records{read_record(files.record), read_curves(files.curves()), read_facts(files.facts()),
                  read_trials(Files::trials())};
  std::vector<std::string> failed;
  if (!options.parts.empty()) {
    if (lacks("datasets") || lacks("models")) return kSkipped;
    failed = run_experiment(options, records, [&] { keep(files, records); });
  }
  const Optima optima = read_optima(files.optima());
  const Source source(options.settings, records, optima);
  const std::string text =
      preface(options) + summary_section(source) + claims_section(source) + greed_section(source) +
      proven_section(source) + own_section(source) + paper_section(source) +
      figures_section(source, files.folder, "paper-tables") + kernels_section(source) +
      optimum_section(source) + end_of_page(source, records, failed);
  write_file_atomically(files.page, text);
  fmt::print(stderr, "wrote {}\n", files.page.string());
  if (!arguments.readme.empty()) put_into(arguments.readme, readme_tables(source));
  return 0;
}

void add_options(CLI::App& app, Arguments& a) {
  Settings& s = a.experiment.settings;
  app.add_flag_callback(
      "--quick", [&s] { make_quick(s); },
      "minutes instead of hours; what else is given overrides it");
  app.add_option("--docs", a.docs,
                 "folder of the page, paper-tables.md, of its record, paper-tables.csv, and of "
                 "paper-tables, with figures and their records")
      ->capture_default_str();
  app.add_option("--readme", a.readme, "page that gets two of the tables, between its marks");
  app.add_option("--folder", a.experiment.folder, "where the explanations are")
      ->capture_default_str();
  app.add_option("--datasets", a.experiment.datasets, "to search, comma-separated")
      ->check(CLI::IsMember(kPaperDatasets))
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--parts", a.experiment.parts,
                 "to search, comma-separated; the rest is shown as far as it is on record")
      ->check(CLI::IsMember(part_names()))
      ->delimiter(',')
      ->capture_default_str();
  app.add_flag_callback(
      "--no-search", [&a] { a.experiment.parts.clear(); }, "the page of what is on record");
  app.add_option("--minutes", a.experiment.minutes,
                 "begin no further search after so many; 0: no limit")
      ->capture_default_str();
  app.add_option("--seeds", s.seeds, "comma-separated")->delimiter(',')->capture_default_str();
  app.add_option("--steps", s.steps, "of each walk")->capture_default_str();
  app.add_option("--longer-steps", s.longer_steps, "of each walk of the part longer")
      ->capture_default_str();
  app.add_option("--kernel-steps", s.kernel_steps, "of each walk of the part kernels")
      ->capture_default_str();
  app.add_option("--refine-work", s.refine_work, "under GREED; the default unless given");
  app.add_option("--certified-work", s.certified_work, "the default unless given");
  app.add_option("--prove-work", s.prove_work, "for each question about a pair")
      ->capture_default_str();
  app.add_option("--own-models", s.own_models,
                 "folder of GREED models trained here: AIDS.safetensors …")
      ->capture_default_str();
  app.add_option("--tuning", s.tuning, "CSV file of the local explainers' options")
      ->capture_default_str();
  app.add_option("--threads", a.experiment.threads, "0: one per core")->capture_default_str();
}

}  // namespace
}  // namespace fewedits::bench

int main(int argc, char** argv) {
  fewedits::bench::Arguments a;
  a.experiment.datasets = {"AIDS", "Mutagenicity", "NCI1", "PROTEINS"};
  a.experiment.parts = fewedits::bench::kUsualParts;
  CLI::App app{"The paper's tables, figures and claims, its figures beside ours"};
  fewedits::bench::add_options(app, a);
  CLI11_PARSE(app, argc, argv);
  try {
    return fewedits::bench::run(a);
  } catch (const std::exception& error) {
    fmt::print(stderr, "paper_tables_bench: {}\n", error.what());
    return 2;
  }
}
