// SPDX-License-Identifier: MIT
#include "fewedits/classifier/native/kernels.hpp"

#include <fmt/format.h>

#include <string>

#include "fewedits/base/error.hpp"

namespace fewedits {

#ifdef FEWEDITS_X86_KERNELS
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
#endif

std::vector<const Kernels*> available_kernels() {
  std::vector<const Kernels*> tables{&scalar_kernels()};
#ifdef FEWEDITS_X86_KERNELS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    tables.push_back(&avx2_kernels());
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
    tables.push_back(&avx512_kernels());
  }
#endif
  return tables;
}

const Kernels& best_kernels() {
  static const Kernels& best = *available_kernels().back();
  return best;
}

const Kernels& kernels_by_name(std::string_view name) {
  std::string known;
  for (const Kernels* table : available_kernels()) {
    if (name == table->name) return *table;
    known += known.empty() ? table->name : fmt::format(", {}", table->name);
  }
  throw Error(fmt::format("kernels {} cannot run on this processor", in_quotes(std::string(name))),
              "available here: " + known);
}

}  // namespace fewedits
