// SPDX-License-Identifier: MIT
// Reads the tensors of a PyTorch zip checkpoint (.pt, .pth) or a safetensors file without
// libtorch. A PyTorch checkpoint is a pickle, i.e. a program; this reader is an interpreter
// that knows only how to build tensors, dicts, lists, tuples, numbers and strings. Anything
// else, above all any other callable, is an error that names it. Nothing is ever executed.
//
// Memory is bounded by the size of the file: reading takes at most kCheckpointFactor times that and
// kCheckpointAllowance, whatever the file contains. Of this, the tensors of a PyTorch file may take
// 4 times its size plus 1 MiB (names may share a storage; compressed storages beyond that are
// refused), those of a safetensors file no more than the file; a pickle may have half the size of
// the file plus 1 MiB, it and a header 32 MiB at most.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "fewedits/base/tensor.hpp"

namespace fewedits {

inline constexpr std::uint64_t kCheckpointFactor = 24;
inline constexpr std::uint64_t kCheckpointAllowance = std::uint64_t{64} << 20;

struct CheckpointLimits {
  std::uint64_t max_file_bytes = std::uint64_t{2} << 30;
  std::uint64_t max_tensors = 100'000;
};

/// Nested dicts are flattened with dots ("model.convs.0.weight"); entries that are not
/// tensors (epoch counters, options) are left out. The device the tensors were saved from
/// does not matter.
StateDict read_checkpoint(const std::filesystem::path& path, const CheckpointLimits& limits = {});

/// The same from bytes; `origin` names them in errors. Both formats are told apart by content.
StateDict parse_checkpoint(std::string bytes, const std::string& origin,
                           const CheckpointLimits& limits = {});

}  // namespace fewedits
