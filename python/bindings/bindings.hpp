// SPDX-License-Identifier: MIT
// The parts of the extension module fewedits._core, one function each. They hold no logic: Python
// objects become values of the library, and back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fewedits::python {

namespace nb = nanobind;
using namespace nb::literals;

void bind_errors(nb::module_& m);
void bind_graphs(nb::module_& m);
void bind_datasets(nb::module_& m);
void bind_distances(nb::module_& m);
void bind_classifiers(nb::module_& m);
void bind_explanations(nb::module_& m);
void bind_explain(nb::module_& m);
void bind_evaluate(nb::module_& m);
void bind_fragility(nb::module_& m);
void bind_pictures(nb::module_& m);
void bind_rules(nb::module_& m);

using Int64s = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline std::span<const std::int64_t> span_of(const Int64s& array) {
  return {array.data(), array.size()};
}

/// A new array of NumPy that owns these values.
template <typename T>
nb::ndarray<nb::numpy, T> array_of(std::vector<T> values,
                                   std::initializer_list<std::size_t> shape) {
  auto* const owned = new std::vector<T>(std::move(values));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.begin(), owner);
}
template <typename T>
nb::ndarray<nb::numpy, T> array_of(std::vector<T> values) {
  const std::size_t size = values.size();
  return array_of(std::move(values), {size});
}

}  // namespace fewedits::python
