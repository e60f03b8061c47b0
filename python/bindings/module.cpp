// SPDX-License-Identifier: MIT
#include "bindings.hpp"
#include "fewedits/base/version.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): the name of the module
NB_MODULE(_core, m) {
  using namespace fewedits::python;
  // What a program still holds when the interpreter ends is no leak; python/tests looks for those.
  nb::set_leak_warnings(false);
  m.doc() = "The engine of fewedits. Use the package fewedits, which is made of this.";
  m.attr("version") = fewedits::version();
  bind_errors(m);
  bind_graphs(m);
  bind_datasets(m);
  bind_distances(m);
  bind_classifiers(m);
  bind_explanations(m);
  bind_explain(m);
  bind_evaluate(m);
  bind_fragility(m);
  bind_rules(m);
  bind_pictures(m);
}
