// SPDX-License-Identifier: MIT
#pragma once

namespace fewedits {

/// While alive: one thread for torch and for OpenBLAS, whose own pool torch does not control;
/// the former numbers afterwards. Process-wide. Sums are then always taken in one order, and
/// matrices of a few thousand rows gain little from threads.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int torch_threads_;
  int blas_threads_ = 1;
  void (*set_blas_)(int) = nullptr;
};

}  // namespace fewedits
