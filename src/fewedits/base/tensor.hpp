// SPDX-License-Identifier: MIT
// A dense tensor as stored in a checkpoint, and a named set of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fewedits {

enum class DType {
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kInt8,
  kUInt8,
  kInt16,
  kInt32,
  kInt64,
  kBool
};

std::size_t size_of(DType dtype);
const char* name_of(DType dtype);
bool is_floating(DType dtype);

/// Row-major, contiguous, little-endian bytes. Invariant: bytes.size() == numel()·size_of(dtype).
struct Tensor {
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;

  [[nodiscard]] std::int64_t numel() const;
  /// The values converted to float, whatever the dtype.
  [[nodiscard]] std::vector<float> to_floats() const;
  static Tensor from_floats(std::vector<std::int64_t> shape, const std::vector<float>& values);
};

/// Ordered by name, so that everything derived from it is deterministic.
using StateDict = std::map<std::string, Tensor>;

}  // namespace fewedits
