// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>

#include "bindings.hpp"
#include "dataset_handle.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/base/sha256.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/edit/constraints.hpp"
#include "fewedits/evaluate/model_doubts.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/search/bonds.hpp"
#include "fewedits/search/files_used.hpp"
#include "fewedits/search/option_table.hpp"
#include "fewedits/search/parts.hpp"
#include "fewedits/search/run_folder.hpp"
#include "fewedits/search/sample.hpp"
#include "interrupts.hpp"

namespace fewedits::python {
namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

const OptionRow& row_called(const std::string& name) {
  const auto row = std::ranges::find(option_table(), name, &OptionRow::name);
  if (row == option_table().end()) throw Error("there is no option called " + in_quotes(name));
  return *row;
}

const char* name_of(ExplainProgress::Stage stage) {
  switch (stage) {
    case ExplainProgress::Stage::kWalk: return "walk";
    case ExplainProgress::Stage::kTrain: return "train";
    case ExplainProgress::Stage::kLocal: return "local";
    case ExplainProgress::Stage::kMeasure: return "measure";
    case ExplainProgress::Stage::kRefine: return "refine";
    case ExplainProgress::Stage::kProve: return "prove";
  }
  return "";
}

/// What is asked for beside the options of the table.
struct Request {
  std::string method = "gcf";
  std::string distance = "certified";
  std::string distance_model;
  std::uint64_t seed = 1;
  Texts options;
  std::vector<std::string> constraints;
  std::uint64_t cache_bytes = std::uint64_t{1} << 30;
  int threads = 0;
  std::string run_folder;  ///< empty: the run is not saved
  bool resume = false;
  double save_seconds = 30;
  // For the record.
  std::string dataset_path;
  std::string model_path;
  std::string black_box;
  Texts recorded;
};

ExplainOptions options_of(const Request& request, const Dataset& data,
                          const Classifier& classifier) {
  ExplainOptions out;
  out.method = request.method;
  out.distance = request.distance;
  out.distance_options.model = request.distance_model;
  out.seed = request.seed;
  for (const auto& [name, value] : request.options) row_called(name).set(value, out);
  if (!out.graphs_file.empty()) {
    throw Error("graphs is " + in_quotes(out.graphs_file),
                "give indices, e.g. [0, 1, 5] or \"0-99\"");
  }
  out.cache_bytes = request.cache_bytes;
  out = with_bonds_decided(std::move(out), data, classifier, builtin_parts());
  if (!out.selection.split.empty()) {
    out.selection.graphs = part_of_split(request.model_path, data, out.selection.split);
  }
  const LabelNames names = label_names(data);
  for (const std::string& text : request.constraints) {
    add_constraint(text, names.nodes, out.constraints);
  }
  out = with_view(std::move(out), GraphView(data, out.bonds.value_or(false)));
  check_options(out);
  return out;
}

/// The files and constraints behind an explanation.
Provenance files_of(const Request& request) {
  Provenance out;
  if (!request.black_box.empty()) {
    out.black_box = request.black_box;
  } else if (!request.model_path.empty()) {
    const bool needs_model = builtin_distances().at(request.distance).needs_model;
    note_files(request.dataset_path, request.model_path, needs_model ? request.distance_model : "",
               out);
  }
  out.dataset_path = request.dataset_path;
  for (const std::string& text : request.constraints) {
    if (text != "molecule") out.options.emplace_back("constraint", text);
  }
  return out;
}

/// Adds them, and how the dataset was read, to what the engine notes.
void complete(const Provenance& files, const Texts& recorded, Provenance& to) {
  to.dataset_path = files.dataset_path;
  to.black_box = files.black_box;
  to.model_path = files.model_path;
  to.model_hash = files.model_hash;
  to.distance_model_path = files.distance_model_path;
  to.distance_model_hash = files.distance_model_hash;
  to.options.insert(to.options.end(), files.options.begin(), files.options.end());
  to.options.insert(to.options.end(), recorded.begin(), recorded.end());
}

/// What tells a black box from another one: what it says of the dataset.
std::string answers_hash(const RejectedGraphs& graphs) {
  std::string said;
  for (const std::size_t predicted : graphs.predicted) said += std::to_string(predicted) + ' ';
  return sha256_hex(said);
}

/// A run that is saved on the way; without a folder, all of this does nothing.
class SavedRun {
 public:
  SavedRun(const Request& request, const Dataset& data, const ExplainOptions& options,
           const Provenance& files, RejectedGraphs& graphs) {
    if (request.run_folder.empty()) {
      if (request.resume) throw Error("resume needs the folder of the run", "name it: run_dir");
      return;
    }
    if (!builtin_parts().sources.at(request.method).is_saved) {
      throw Error("a run of the method " + in_quotes(request.method) + " is not saved on the way",
                  "leave run_dir out");
    }
    const GraphView view(data, options.bonds.value_or(false));
    folder_.emplace(request.run_folder, request.resume);
    graphs.dataset_hash = dataset_fingerprint(data, options.bonds.value_or(false));
    Provenance asked = files;
    if (!request.black_box.empty()) {
      asked.model_hash = request.black_box + ' ' + answers_hash(graphs);
    }
    settings_ = run_settings(graphs.dataset_hash, options, asked, builtin_parts());
    resumed_ = folder_->load(settings_, num_searched(options, graphs.rejected.size()),
                             data.node_labels.size(), view.edge_label_names().size());
  }

  /// Keeps the reference, and that to the notes.
  void hook_into(ExplainHooks& hooks, std::vector<std::string>& notes) {
    if (!folder_) return;
    hooks.resume = std::move(resumed_);
    hooks.save = [this, &notes](const SavedSearch& search) {
      folder_->save(settings_, search, [&](const std::string& told) { notes.push_back(told); });
    };
  }

 private:
  std::optional<RunFolder> folder_;
  RunSettings settings_;
  std::optional<SavedSearch> resumed_;
};

/// Calls Python now and then, and no more often.
class Teller {
 public:
  Teller(nb::object tell, Interrupts& interrupts)
      : tell_(std::move(tell)), interrupts_(interrupts) {}

  bool operator()(const ExplainProgress& p) {
    using Clock = std::chrono::steady_clock;
    if (interrupts_.sign().is_set()) return false;
    const auto now = Clock::now();
    const bool is_new = p.stage != stage_ || first_;
    if (!is_new && now - last_ < std::chrono::milliseconds(100)) return true;
    last_ = now;
    stage_ = p.stage;
    first_ = false;
    const nb::gil_scoped_acquire held;
    if (interrupts_.take_pending()) return false;
    if (tell_.is_none()) return true;
    try {
      const nb::object answer = tell_(name_of(p.stage), p.done, p.total, p.evaluated, p.coverage);
      return !answer.is(nb::handle(Py_False));
    } catch (nb::python_error& error) {
      if (!is_interrupt(error)) throw;
      interrupts_.sign().set();
      return false;
    }
  }

 private:
  nb::object tell_;
  Interrupts& interrupts_;
  std::chrono::steady_clock::time_point last_;
  ExplainProgress::Stage stage_ = ExplainProgress::Stage::kWalk;
  bool first_ = true;
};

struct Explained {
  Explanation explanation;
  std::vector<std::string> notes;
  bool interrupted = false;
};

Explained run(const Dataset& data, const Classifier& classifier, const Request& request,
              nb::object tell) {
  const auto started = std::chrono::steady_clock::now();
  Interrupts interrupts;
  Teller teller(std::move(tell), interrupts);
  Explained out;
  {
    const nb::gil_scoped_release free;
    ExplainOptions options = options_of(request, data, classifier);
    ThreadPool pool(request.threads);
    ExplainHooks hooks;
    hooks.started = started;
    hooks.stop = &interrupts.sign();
    hooks.progress = std::ref(teller);
    RejectedGraphs graphs;
    {
      const StopScope scope(pool, &interrupts.sign());
      graphs = rejected_graphs(data, classifier, pool, options.selection);
    }
    out.notes = model_doubts(data, graphs.accepted);
    options = with_sample_decided(std::move(options), graphs.rejected.size(), builtin_parts());
    const Provenance files = files_of(request);
    SavedRun saved(request, data, options, files, graphs);
    hooks.save_seconds = request.save_seconds;
    saved.hook_into(hooks, out.notes);
    try {
      out.explanation = explain(data, classifier, graphs, options, pool, hooks);
    } catch (const Error&) {
      // Ended before there was anything to give.
      if (interrupts.sign().is_set()) throw Stopped();
      throw;
    }
    complete(files, request.recorded, out.explanation.provenance);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    out.explanation.seconds = took.count();
  }
  out.interrupted = interrupts.take_pending();
  return out;
}

}  // namespace

void bind_explain(nb::module_& m) {
  nb::class_<OptionRow>(m, "OptionRow", "A row of the one table of options.")
      .def_ro("name", &OptionRow::name)
      .def_prop_ro("group", [](const OptionRow& r) { return std::string(title_of(r.group)); })
      .def_ro("type", &OptionRow::type)
      .def_ro("initial", &OptionRow::initial)
      .def_ro("help", &OptionRow::help)
      .def_ro("distance", &OptionRow::distance)
      .def_ro("method", &OptionRow::method)
      .def_ro("repeatable", &OptionRow::repeatable)
      .def_prop_ro("is_flag", &OptionRow::is_flag)
      .def(
          "check",
          [](const OptionRow& row, const std::string& text) {
            ExplainOptions scratch;
            row.set(text, scratch);
            check_options(scratch);
          },
          "text"_a, "Raises Error unless the text is a value of the option.");
  m.def("option_table", [] { return option_table(); });
  m.def("methods", [] {
    std::vector<std::pair<std::string, std::string>> out;
    const Parts parts = builtin_parts();
    for (const std::string& name : parts.sources.names()) {
      out.emplace_back(name, parts.sources.at(name).about);
    }
    return out;
  });
  nb::class_<Request>(m, "Request")
      .def(nb::init<>())
      .def_rw("method", &Request::method)
      .def_rw("distance", &Request::distance)
      .def_rw("distance_model", &Request::distance_model)
      .def_rw("seed", &Request::seed)
      .def_rw("options", &Request::options)
      .def_rw("constraints", &Request::constraints)
      .def_rw("cache_bytes", &Request::cache_bytes)
      .def_rw("threads", &Request::threads)
      .def_rw("run_folder", &Request::run_folder)
      .def_rw("resume", &Request::resume)
      .def_rw("save_seconds", &Request::save_seconds)
      .def_rw("dataset_path", &Request::dataset_path)
      .def_rw("model_path", &Request::model_path)
      .def_rw("black_box", &Request::black_box)
      .def_rw("recorded", &Request::recorded);
  m.def(
      "explain",
      [](const Dataset& data, const Classifier& classifier, const Request& request,
         nb::object progress) {
        Explained out = run(data, classifier, request, std::move(progress));
        return std::make_tuple(std::move(out.explanation), std::move(out.notes), out.interrupted);
      },
      "dataset"_a, "classifier"_a, "request"_a, "progress"_a.none() = nb::none(),
      nb::sig("def explain(dataset: Dataset, classifier: Classifier, request: Request, progress: "
              "object | None = None) -> tuple[Explanation, list[str], bool]"));
}

}  // namespace fewedits::python
