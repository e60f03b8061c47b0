// SPDX-License-Identifier: MIT
#include "fewedits/report/case_study_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "fewedits/base/text.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/explanation/figures.hpp"
#include "fewedits/explanation/input_words.hpp"
#include "fewedits/explanation/proofs.hpp"
#include "fewedits/explanation/recourse_pair.hpp"
#include "fewedits/report/artist.hpp"
#include "fewedits/report/case_study_counts.hpp"
#include "fewedits/report/edit_words.hpp"
#include "fewedits/report/svg.hpp"

namespace fewedits {
namespace {

/// Sentences, from the parts that there are.
std::string sentences(std::initializer_list<std::string> parts) {
  std::string out;
  for (const std::string& part : parts) {
    if (!part.empty()) out += (out.empty() ? "" : " ") + part;
  }
  return out;
}

class PageWriter {
 public:
  PageWriter(const CaseStudy& study, const Explanation& explanation, const Dataset& data,
             const CaseStudyFrame& frame)
      : study_(study),
        e_(explanation),
        data_(data),
        frame_(frame),
        artist_(data),
        painter_(data),
        view_(data, explanation.edge_label_names, frame.file),
        words_(label_names(data).nodes, data.is_molecular(), explanation.edge_label_names),
        target_(artist_.draw(study.global.graph)) {}

  SimplePage write() && {
    page_.title = "Case study: " + data_.name;
    if (!frame_.note.empty()) page_.blocks.push_back(PageText{frame_.note});
    if (frame_.beside_paper) page_.blocks.push_back(PageText{verdict_on_paper(study_)});
    say_what_is_shown();
    page_.blocks.push_back(PageHeading{global_name(true)});
    page_.blocks.push_back(PagePicture{
        "counterfactual", painter_.graph(study_.global.graph, target_), global_name(true)});
    page_.blocks.push_back(PageText{
        fmt::format("{} and {}; the model gives the desired class a probability of {}.{}",
                    counted(study_.global.graph.num_nodes(), edit_terms(data_.is_molecular()).node),
                    counted(study_.global.graph.num_edges(), edit_terms(data_.is_molecular()).edge),
                    probability_text(study_.global.probability), bond_note())});
    for (std::size_t i = 0; i < study_.inputs.size(); ++i) show_input(i);
    page_.blocks.push_back(PageHeading{"Distances"});
    page_.blocks.push_back(PageText{distance_note()});
    page_.blocks.push_back(distances());
    page_.blocks.push_back(PageHeading{"What the figures say"});
    page_.blocks.push_back(PageText{case_study_sentences(study_, e_, data_)});
    page_.blocks.push_back(PageHeading{"To make this page again"});
    page_.blocks.push_back(PageCommands{frame_.commands});
    return std::move(page_);
  }

 private:
  [[nodiscard]] std::string global_name(bool begins = false) const {
    return fmt::format("{}ounterfactual {}", begins ? 'C' : 'c', study_.counterfactual + 1);
  }
  [[nodiscard]] std::string input_name(std::size_t i) const {
    return fmt::format("graph {}", study_.inputs[i]);
  }
  [[nodiscard]] Graph input(std::size_t i) const { return view_(data_.graphs[study_.inputs[i]]); }
  [[nodiscard]] std::string bond_note() const {
    return data_.is_molecular() && !data_.edge_labels.empty() && !view_.has_bonds()
               ? " It has no bond orders: the search leaves them out of account. The pictures "
                 "below "
                 "show those of the inputs."
               : "";
  }

  // ---- The beginning

  void say_what_is_shown() {
    const std::size_t covered = e_.counterfactuals[study_.counterfactual].covers.size();
    const std::string in_short = fmt::format(
        "{} of {} covers {} of {} inputs within theta {} ({} distance){}.", global_name(true),
        frame_.file, grouped(covered), grouped(e_.inputs.size()), e_.theta, e_.distance,
        frame_.asked_for ? "" : ", and no other one covers more");
    const std::string choice =
        study_.inputs.size() < covered
            ? fmt::format(
                  "{} of them are shown: those for which most methods below find something, "
                  "and of these such that differ from each other, have few {}s and need few "
                  "edits. They are a choice, not a sample.",
                  study_.inputs.size(), edit_terms(data_.is_molecular()).node)
            : "";
    page_.blocks.push_back(PageText{sentences(
        {e_.classes
             ? inputs_in_words(*e_.classes, e_.provenance, e_.inputs.size(), data_.size()) + "."
             : "",
         in_short, choice})});
    say_who_is_asked();
    page_.blocks.push_back(PageText{
        "Every picture is an input with all that has to change in it: removed parts are red, "
        "dashed "
        "and crossed, added ones green with a plus, and relabelled ones ringed with the new label "
        "beside the old."});
  }

  void say_who_is_asked() {
    if (study_.locals.empty()) return;
    page_.blocks.push_back(PageText{fmt::format(
        "Beside it stands what methods find that look for an accepted graph close to one input "
        "alone; they were asked about {}:",
        counted(study_.asked, "covered input"))});
    PageList list;
    for (const LocalCases& local : study_.locals) {
      const std::string_view between = local.about.empty() || local.settings.empty() ? "" : "; ";
      const std::string words = fmt::format("{}{}{}", local.about, between, local.settings);
      const std::string about = words.empty() ? "" : fmt::format(" ({})", words);
      list.items.push_back(
          local.reason.empty()
              ? fmt::format("{}{}: finds one for {}", local.method, about, local.found)
              : fmt::format("{}{}: left out, since {}", local.method, about, local.reason));
    }
    page_.blocks.push_back(std::move(list));
  }

  // ---- One input

  void show_input(std::size_t i) {
    page_.blocks.push_back(PageHeading{"G" + input_name(i).substr(1)});
    const Graph whole = view_.has_bonds() ? input(i) : data_.graphs[study_.inputs[i]];
    const EditScript to_global = script(i, study_.global);
    const Overlay global = overlay_of(whole, to_global);
    const Positions global_at = drawn_like_target(whole, global, to_global);
    const Positions at(global_at.begin(), global_at.begin() + whole.num_nodes());
    std::vector<SvgPainter::Panel> panels{
        {{whole, {}, {}}, at, input_name(i)},
        {global, global_at, caption(global_name(), i, study_.global)}};
    PageList told{{told_edits(global_name(), i, study_.global, to_global)}};
    for (const LocalCases& local : study_.locals) {
      if (!local.reason.empty()) continue;
      if (!local.graphs[i]) {
        told.items.push_back(fmt::format("{}: finds no accepted graph", local.method));
        continue;
      }
      const CaseGraph& found = *local.graphs[i];
      const EditScript to_local = script(i, found);
      const Overlay overlay = overlay_of(whole, to_local);
      panels.push_back({overlay, drawn_over(at, overlay), caption(local.method, i, found)});
      told.items.push_back(told_edits(local.method, i, found, to_local));
    }
    page_.blocks.push_back(
        PagePicture{fmt::format("graph-{}", study_.inputs[i]), painter_.strip(panels),
                    input_name(i) + " and what each counterfactual changes in it"});
    page_.blocks.push_back(std::move(told));
  }

  [[nodiscard]] EditScript script(std::size_t i, const CaseGraph& to) const {
    const GedBounds& d = to.distances[i];
    return checked_script(input(i), to.graph, d.map, costs_of(e_), d.upper);
  }

  /// As the counterfactual is drawn, unless that tears the input: then as the input alone would be.
  [[nodiscard]] Positions drawn_like_target(const Graph& whole, const Overlay& overlay,
                                            const EditScript& script) const {
    constexpr double kPanels = 4;
    const auto trouble = [&](const Positions& at) {
      const Positions of_input(at.begin(), at.begin() + whole.num_nodes());
      // The input is seen in every panel, what comes with this one in one.
      return kPanels * flaws(whole, of_input) + flaws(overlay.graph, at);
    };
    Positions alike = artist_.draw_like(overlay.graph, target_, script.map);
    Positions alone = drawn_over(artist_.draw(whole), overlay);
    return trouble(alone) < trouble(alike) ? alone : alike;
  }

  /// The input's nodes where they are, and the added ones around them.
  [[nodiscard]] Positions drawn_over(const Positions& at, const Overlay& overlay) const {
    std::vector<Node> map(overlay.graph.num_nodes(), kUnmatched);
    std::iota(map.begin(), map.begin() + static_cast<std::ptrdiff_t>(at.size()), Node{0});
    if (map.size() == at.size()) return at;
    return artist_.draw_like(overlay.graph, at, map);
  }

  [[nodiscard]] std::string caption(const std::string& name, std::size_t i,
                                    const CaseGraph& to) const {
    const auto edits = static_cast<std::uint64_t>(to.distances[i].upper);
    return fmt::format("{}: {}", name, counted(edits, "edit"));
  }

  /// The same edits are told once, with how often.
  std::string told_edits(const std::string& name, std::size_t i, const CaseGraph& to,
                         const EditScript& script) {
    const GedBounds& d = to.distances[i];
    std::vector<std::pair<std::uint32_t, std::size_t>> counts;
    for (const std::uint32_t phrase : words_.tell(input(i), to.graph, script)) {
      const auto seen =
          std::ranges::find(counts, phrase, &std::pair<std::uint32_t, std::size_t>::first);
      if (seen == counts.end()) {
        counts.emplace_back(phrase, 1);
      } else {
        ++seen->second;
      }
    }
    std::string out =
        fmt::format("{}, {}{}: ", name, counted(static_cast<std::uint64_t>(d.upper), "edit"),
                    d.exact() ? "" : fmt::format(" (at least {})", d.lower));
    if (counts.empty()) return out + "nothing to change";
    for (std::size_t c = 0; c < counts.size(); ++c) {
      const auto& [phrase, times] = counts[c];
      out += (c > 0 ? "; " : "") + words_.phrases()[phrase];
      if (times > 1) out += fmt::format(" ({} times)", times);
    }
    return out;
  }

  // ---- The table

  [[nodiscard]] std::string distance_note() const {
    const bool exact = std::ranges::all_of(rows_of_graphs(), [](const CaseGraph* row) {
      return std::ranges::all_of(row->distances, &GedBounds::exact);
    });
    return sentences(
        {"In edits, from each counterfactual to each input; bold: to the input it was made for.",
         exact ? "All are proven to be the fewest possible."
               : "Two figures are a lower and an upper bound, both proven; the others are exact.",
         e_.meaning == DistanceMeaning::kOther
             ? ""
             : fmt::format("The last column counts inputs that are proven to be within theta {}.",
                           e_.theta)});
  }

  [[nodiscard]] std::vector<const CaseGraph*> rows_of_graphs() const {
    std::vector<const CaseGraph*> out{&study_.global};
    for (const LocalCases& local : study_.locals) {
      for (const auto& graph : local.graphs) {
        if (graph) out.push_back(&*graph);
      }
    }
    return out;
  }

  [[nodiscard]] PageTable distances() const {
    PageTable out{{{{"counterfactual"}}}};
    for (std::size_t i = 0; i < study_.inputs.size(); ++i) {
      out.rows[0].push_back({input_name(i)});
    }
    if (e_.meaning != DistanceMeaning::kOther) out.rows[0].push_back({"covers"});
    out.rows.push_back(row(global_name(), study_.global, {}));
    for (const LocalCases& local : study_.locals) {
      for (std::size_t i = 0; i < local.graphs.size(); ++i) {
        if (!local.graphs[i]) continue;
        out.rows.push_back(
            row(fmt::format("{} for {}", local.method, input_name(i)), *local.graphs[i], i));
      }
    }
    return out;
  }

  [[nodiscard]] std::vector<PageCell> row(const std::string& name, const CaseGraph& graph,
                                          std::optional<std::size_t> own) const {
    std::vector<PageCell> out{{name}};
    for (std::size_t i = 0; i < study_.inputs.size(); ++i) {
      out.push_back({edits_text(graph.distances[i]), own == i});
    }
    if (e_.meaning == DistanceMeaning::kOther) return out;
    const CoverRange range = covered_by(graph, {}, study_, e_.theta, data_);
    out.push_back({range.surely == range.possibly
                       ? fmt::format("{}", range.surely)
                       : fmt::format("{}–{}", range.surely, range.possibly)});
    return out;
  }

  const CaseStudy& study_;
  const Explanation& e_;
  const Dataset& data_;
  const CaseStudyFrame& frame_;
  Artist artist_;
  SvgPainter painter_;
  GraphView view_;
  EditWords words_;
  Positions target_;
  SimplePage page_;
};

}  // namespace

SimplePage case_study_page(const CaseStudy& study, const Explanation& explanation,
                           const Dataset& dataset, const CaseStudyFrame& frame) {
  check_fits(explanation, dataset, frame.file);
  return PageWriter(study, explanation, dataset, frame).write();
}

}  // namespace fewedits
