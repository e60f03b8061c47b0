// SPDX-License-Identifier: MIT
#include "interrupts.hpp"

#include <atomic>
#include <csignal>

namespace fewedits::python {
namespace {

thread_local Interrupts* running = nullptr;

// What a signal handler may look at. Only the main thread writes them.
std::atomic<StopSign*> signalled{nullptr};
struct sigaction before;

void on_interrupt(int signal) {
  if (StopSign* const sign = signalled) sign->set();
  // Python takes note, so that a callback that is running ends, too.
  if ((before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler != SIG_IGN &&
      before.sa_handler != SIG_DFL) {
    before.sa_handler(signal);
  }
}

/// Would Python raise KeyboardInterrupt here?
bool python_would_raise() {
  const nb::module_ threading = nb::module_::import_("threading");
  if (!threading.attr("current_thread")().is(threading.attr("main_thread")())) return false;
  const nb::module_ signals = nb::module_::import_("signal");
  return signals.attr("getsignal")(signals.attr("SIGINT")).is(signals.attr("default_int_handler"));
}

}  // namespace

Interrupts::Interrupts() : outer_(running) {
  running = this;
  if (signalled.load() != nullptr || !python_would_raise()) return;
  struct sigaction action {};
  sigaction(SIGINT, nullptr, &before);
  action.sa_handler = &on_interrupt;
  action.sa_mask = before.sa_mask;
  action.sa_flags = before.sa_flags & ~SA_SIGINFO;
  signalled = &sign_;
  sigaction(SIGINT, &action, nullptr);
  installed_ = true;
}

Interrupts::~Interrupts() {
  running = outer_;
  if (!installed_) return;
  sigaction(SIGINT, &before, nullptr);
  signalled = nullptr;
}

bool Interrupts::take_pending() {
  if (PyErr_CheckSignals() == 0) return sign_.is_set();
  nb::python_error error;
  if (!is_interrupt(error)) throw error;
  sign_.set();
  return true;
}

Interrupts* Interrupts::current() { return running; }

}  // namespace fewedits::python
