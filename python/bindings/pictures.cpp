// SPDX-License-Identifier: MIT
#include "bindings.hpp"
#include "fewedits/report/artist.hpp"
#include "fewedits/report/svg.hpp"

namespace fewedits::python {

void bind_pictures(nb::module_& m) {
  m.def(
      "draw_graph",
      [](const Dataset& data, const Graph& graph) {
        return SvgPainter(data).graph(graph, Artist(data).draw(graph));
      },
      "dataset"_a, "graph"_a, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace fewedits::python
