// SPDX-License-Identifier: MIT
// fewedits::Error becomes fewedits.Error, with the same words, the place and the remedy.
#include "bindings.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/base/stop_sign.hpp"

namespace fewedits::python {

void bind_errors(nb::module_& m) {
  // A class of the package, so that it can be pickled and has a signature. Kept for ever: errors
  // may come until the interpreter ends.
  static PyObject* error_class = nullptr;
  m.def(
      "set_error_class", [](nb::handle type) { Py_XSETREF(error_class, type.inc_ref().ptr()); },
      "type"_a,
      "Which exception becomes of errors of the engine; called with (words, file, line, remedy).");
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const Error& error) {
      const nb::object type =
          error_class != nullptr ? nb::borrow(error_class) : nb::borrow(PyExc_ValueError);
      const nb::object made = error_class != nullptr ? type(error.what(), error.where().file,
                                                            error.where().line, error.remedy())
                                                     : type(error.what());
      PyErr_SetObject(type.ptr(), made.ptr());
    } catch (const Stopped&) {
      PyErr_SetString(PyExc_KeyboardInterrupt, "stopped");
    }
  });
}

}  // namespace fewedits::python
