// SPDX-License-Identifier: MIT
#include "fewedits/train/one_thread.hpp"

#include <ATen/Parallel.h>
#include <dlfcn.h>

namespace fewedits {

OneThread::OneThread() : torch_threads_(at::get_num_threads()) {
  // NOLINTBEGIN(*-reinterpret-cast): what dlsym is for; null without OpenBLAS.
  const auto get = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  set_blas_ = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  // NOLINTEND(*-reinterpret-cast)
  if (get == nullptr) set_blas_ = nullptr;
  if (set_blas_ != nullptr) {
    blas_threads_ = get();
    set_blas_(1);
  }
  at::set_num_threads(1);
}

OneThread::~OneThread() {
  at::set_num_threads(torch_threads_);
  if (set_blas_ != nullptr) set_blas_(blas_threads_);
}

}  // namespace fewedits
