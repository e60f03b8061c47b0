// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "explained.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/evaluate/recourse_pairs.hpp"
#include "fewedits/report/artist.hpp"
#include "fewedits/report/svg.hpp"
#include "png.hpp"

namespace fewedits::cli {
namespace {

struct DrawArguments {
  std::string file;
  ExplainedArguments explained;
  std::string folder;
  std::string format = "svg";
  int width = 1600;
  std::size_t recourses = 3;
  std::vector<std::uint32_t> graphs;
};

/// Draws one explanation into a folder.
class Album {
 public:
  Album(const DrawArguments& arguments, const Explained& explained)
      : arguments_(arguments),
        e_(explained.explanations.front().explanation),
        data_(explained.data),
        artist_(data_),
        painter_(data_),
        inputs_(GraphView(data_, e_.edge_label_names, arguments.file).of(data_, e_.inputs)),
        inputs_read_(files_behind(explained)) {
    for (const Counterfactual& c : e_.counterfactuals) drawn_.push_back(artist_.draw(c.graph));
  }

  std::size_t draw_counterfactuals() {
    for (std::size_t c = 0; c < drawn_.size(); ++c) {
      save(fmt::format("counterfactual-{:02}", c + 1),
           painter_.graph(e_.counterfactuals[c].graph, drawn_[c]));
    }
    return drawn_.size();
  }

  std::size_t draw_recourses(ThreadPool& pool) {
    std::size_t drawn = 0;
    std::vector<std::size_t> of_counterfactual(drawn_.size(), 0);
    for (const RecoursePair& pair : recourse_pairs(e_, data_, kAllNodes, arguments_.file, pool)) {
      const bool wanted =
          arguments_.graphs.empty()
              ? pair.covered && of_counterfactual[pair.counterfactual]++ < arguments_.recourses
              : pair.nearest && asked_for(e_.inputs[pair.input]);
      if (!wanted) continue;
      draw(pair);
      ++drawn;
    }
    return drawn;
  }

 private:
  [[nodiscard]] bool asked_for(std::uint32_t graph) const {
    return std::ranges::find(arguments_.graphs, graph) != arguments_.graphs.end();
  }

  void draw(const RecoursePair& pair) {
    const std::uint32_t graph = e_.inputs[pair.input];
    const Counterfactual& c = e_.counterfactuals[pair.counterfactual];
    const std::span<const Node> map =
        std::span(pair.script.map).first(inputs_[pair.input].num_nodes());
    const Positions at = artist_.draw(inputs_[pair.input]);
    const Positions target = artist_.draw_changed(inputs_[pair.input], at, c.graph, map);
    save(fmt::format("recourse-{:02}-graph-{}", pair.counterfactual + 1, graph),
         painter_.pair({e_.edge_label_names.empty() ? data_.graphs[graph] : inputs_[pair.input], at,
                        fmt::format("graph {}", graph)},
                       {c.graph, target,
                        fmt::format("counterfactual {}: {}", pair.counterfactual + 1,
                                    counted(pair.script.ops.size(), "edit"))},
                       pair.script));
  }

  void save(const std::string& name, const std::string& svg) const {
    const auto file = std::filesystem::path(arguments_.folder) / (name + "." + arguments_.format);
    protect_inputs(file.string(), inputs_read_);
    write_file_atomically(file,
                          arguments_.format == "svg" ? svg : png_of_svg(svg, arguments_.width));
  }

  const DrawArguments& arguments_;
  const Explanation& e_;
  const Dataset& data_;
  Artist artist_;
  SvgPainter painter_;
  std::vector<Graph> inputs_;
  std::vector<std::filesystem::path> inputs_read_;  ///< files
  std::vector<Positions> drawn_;
};

void check_graphs(const DrawArguments& arguments, const Explanation& e) {
  for (const std::uint32_t graph : arguments.graphs) {
    if (std::ranges::binary_search(e.inputs, graph)) continue;
    throw Error({arguments.file}, fmt::format("graph {} is none of the inputs", graph),
                "fewedits recourse lists them; indices are those of the filtered dataset, from 0");
  }
}

int run(const DrawArguments& arguments) {
  if (arguments.format == "png") check_png();
  ExplainedArguments from = arguments.explained;
  from.files = {arguments.file};
  const Explained explained = open_explained(std::move(from));
  check_graphs(arguments, explained.explanations.front().explanation);
  std::filesystem::create_directories(arguments.folder);
  ThreadPool pool(arguments.explained.threads);
  Album album(arguments, explained);
  const std::size_t counterfactuals = album.draw_counterfactuals();
  const std::size_t recourses = album.draw_recourses(pool);
  fmt::print("wrote {} counterfactuals and {} recourses into {}\n", counterfactuals, recourses,
             arguments.folder);
  return kFine;
}

}  // namespace

void add_draw_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("draw", "Counterfactuals and recourses as pictures, for papers");
  command->footer(
      "Removed parts are red and dashed, added ones green with a plus, relabelled ones ringed.\n\n"
      "Examples:\n"
      "  fewedits draw explanation.json -o pictures\n"
      "  fewedits draw explanation.json -o pictures --format png --graph 7 12");
  auto arguments = std::make_shared<DrawArguments>();
  command->add_option("FILE", arguments->file, "explanation (JSON)")->required();
  command->add_option("-o,--output", arguments->folder, "folder for the pictures")->required();
  command->add_option("--format", arguments->format, "svg or png")
      ->check(CLI::IsMember({"svg", "png"}))
      ->capture_default_str();
  command->add_option("--width", arguments->width, "of PNGs, in pixels")
      ->check(CLI::Range(16, 10'000))
      ->capture_default_str();
  command
      ->add_option("--recourses", arguments->recourses,
                   "nearest inputs to draw beside each counterfactual")
      ->check(check_unsigned)
      ->capture_default_str();
  command
      ->add_option("--graph", arguments->graphs,
                   "draw these inputs beside their nearest counterfactual instead")
      ->check(check_unsigned);
  arguments->explained.add_to(*command);
  command->callback([=, &action] { action = [=] { return run(*arguments); }; });
}

}  // namespace fewedits::cli
