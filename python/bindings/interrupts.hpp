// SPDX-License-Identifier: MIT
// Ctrl-C while the engine works: what was found by then is the result.
#pragma once

#include "bindings.hpp"
#include "fewedits/base/stop_sign.hpp"

namespace fewedits::python {

/// While alive, Ctrl-C sets the sign instead of waiting for Python, which only looks once the
/// engine is done. On the main thread, where Python itself would raise KeyboardInterrupt, and not
/// within another one; elsewhere only others set the sign. Made and ended with the GIL.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  [[nodiscard]] StopSign& sign() { return sign_; }
  /// Python's own idea of it, too: takes a KeyboardInterrupt that is on its way. With the GIL.
  bool take_pending();

  /// That of the call that runs on this thread; null: none does.
  static Interrupts* current();

 private:
  StopSign sign_;
  Interrupts* outer_;
  bool installed_ = false;
};

/// Is the Python error that was just caught a KeyboardInterrupt?
inline bool is_interrupt(const nb::python_error& error) {
  return error.matches(PyExc_KeyboardInterrupt);
}

}  // namespace fewedits::python
