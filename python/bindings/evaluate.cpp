// SPDX-License-Identifier: MIT
#include "bindings.hpp"

namespace fewedits::python {

void bind_evaluate(nb::module_& /*m*/) {}

}  // namespace fewedits::python
