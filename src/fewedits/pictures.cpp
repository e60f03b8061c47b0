// SPDX-License-Identifier: MIT
#include "fewedits/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "fewedits/base/error.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/evaluate/recourse_pairs.hpp"
#include "fewedits/report/artist.hpp"
#include "fewedits/report/svg.hpp"

namespace fewedits {
namespace {

class Album {
 public:
  Album(const Explanation& explanation, const Dataset& dataset, const PictureOptions& options,
        const std::string& file, const std::function<void(Picture)>& take)
      : e_(explanation),
        data_(dataset),
        options_(options),
        file_(file),
        take_(take),
        artist_(data_),
        painter_(data_),
        inputs_(GraphView(data_, e_.edge_label_names, file).of(data_, e_.inputs)) {
    for (const Counterfactual& c : e_.counterfactuals) drawn_.push_back(artist_.draw(c.graph));
  }

  std::size_t draw_counterfactuals() {
    for (std::size_t c = 0; c < drawn_.size(); ++c) {
      take_({fmt::format("counterfactual-{:02}", c + 1),
             painter_.graph(e_.counterfactuals[c].graph, drawn_[c])});
    }
    return drawn_.size();
  }

  std::size_t draw_recourses(ThreadPool& pool) {
    std::size_t drawn = 0;
    std::vector<std::size_t> of_counterfactual(drawn_.size(), 0);
    for (const RecoursePair& pair : recourse_pairs(e_, data_, kAllNodes, file_, pool)) {
      const bool wanted =
          options_.graphs.empty()
              ? pair.covered && of_counterfactual[pair.counterfactual]++ < options_.recourses
              : pair.nearest && asked_for(e_.inputs[pair.input]);
      if (!wanted) continue;
      draw(pair);
      ++drawn;
    }
    return drawn;
  }

 private:
  [[nodiscard]] bool asked_for(std::uint32_t graph) const {
    return std::ranges::find(options_.graphs, graph) != options_.graphs.end();
  }

  void draw(const RecoursePair& pair) {
    const std::uint32_t graph = e_.inputs[pair.input];
    const Counterfactual& c = e_.counterfactuals[pair.counterfactual];
    const std::span<const Node> map =
        std::span(pair.script.map).first(inputs_[pair.input].num_nodes());
    const Positions at = artist_.draw(inputs_[pair.input]);
    const Positions target = artist_.draw_changed(inputs_[pair.input], at, c.graph, map);
    take_({fmt::format("recourse-{:02}-graph-{}", pair.counterfactual + 1, graph),
           painter_.pair({e_.edge_label_names.empty() ? data_.graphs[graph] : inputs_[pair.input],
                          at, fmt::format("graph {}", graph)},
                         {c.graph, target,
                          fmt::format("counterfactual {}: {}", pair.counterfactual + 1,
                                      counted(pair.script.ops.size(), "edit"))},
                         pair.script)});
  }

  const Explanation& e_;
  const Dataset& data_;
  const PictureOptions& options_;
  const std::string& file_;
  const std::function<void(Picture)>& take_;
  Artist artist_;
  SvgPainter painter_;
  std::vector<Graph> inputs_;
  std::vector<Positions> drawn_;
};

void check_graphs(const PictureOptions& options, const Explanation& e, const std::string& file) {
  for (const std::uint32_t graph : options.graphs) {
    if (std::ranges::binary_search(e.inputs, graph)) continue;
    throw Error({file}, fmt::format("graph {} is none of the inputs", graph),
                "fewedits recourse lists them; indices are those of the filtered dataset, from 0");
  }
}

}  // namespace

PictureCounts draw_pictures(const Explanation& explanation, const Dataset& dataset,
                            const PictureOptions& options, const std::string& file,
                            ThreadPool& pool, const std::function<void(Picture)>& take) {
  check_graphs(options, explanation, file);
  Album album(explanation, dataset, options, file, take);
  const std::size_t counterfactuals = album.draw_counterfactuals();
  return {counterfactuals, album.draw_recourses(pool)};
}

}  // namespace fewedits
