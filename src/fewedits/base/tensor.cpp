// SPDX-License-Identifier: MIT
#include "fewedits/base/tensor.hpp"

#include <bit>
#include <cassert>
#include <cstring>
#include <span>

namespace fewedits {
namespace {

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  std::uint32_t exponent = (half >> 10) & 0x1fu;
  std::uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    if (mantissa == 0) return std::bit_cast<float>(sign);
    // Subnormal half: normalise, every one is a normal float.
    exponent = 1;
    while ((mantissa & 0x400u) == 0) {
      mantissa <<= 1;
      --exponent;
    }
    mantissa &= 0x3ffu;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

template <typename T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

float load_as_float(DType dtype, const std::byte* at) {
  switch (dtype) {
    case DType::kFloat16: return half_to_float(load<std::uint16_t>(at));
    case DType::kBFloat16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(at)) << 16);
    case DType::kFloat32: return load<float>(at);
    case DType::kFloat64: return static_cast<float>(load<double>(at));
    case DType::kInt8: return load<std::int8_t>(at);
    case DType::kUInt8: return load<std::uint8_t>(at);
    case DType::kInt16: return load<std::int16_t>(at);
    case DType::kInt32: return static_cast<float>(load<std::int32_t>(at));
    case DType::kInt64: return static_cast<float>(load<std::int64_t>(at));
    case DType::kBool: return load<std::uint8_t>(at) != 0 ? 1.0F : 0.0F;
  }
  assert(false);
  return 0;
}

}  // namespace

std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kBool: return 1;
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kInt16: return 2;
    case DType::kFloat32:
    case DType::kInt32: return 4;
    case DType::kFloat64:
    case DType::kInt64: return 8;
  }
  assert(false);
  return 0;
}

const char* name_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: return "float16";
    case DType::kBFloat16: return "bfloat16";
    case DType::kFloat32: return "float32";
    case DType::kFloat64: return "float64";
    case DType::kInt8: return "int8";
    case DType::kUInt8: return "uint8";
    case DType::kInt16: return "int16";
    case DType::kInt32: return "int32";
    case DType::kInt64: return "int64";
    case DType::kBool: return "bool";
  }
  assert(false);
  return "";
}

bool is_floating(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16 || dtype == DType::kFloat32 ||
         dtype == DType::kFloat64;
}

std::int64_t Tensor::numel() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

std::vector<float> Tensor::to_floats() const {
  const std::size_t width = size_of(dtype);
  std::vector<float> values(bytes.size() / width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = load_as_float(dtype, bytes.data() + i * width);
  }
  return values;
}

Tensor Tensor::from_floats(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  Tensor tensor{DType::kFloat32, std::move(shape), {}};
  assert(tensor.numel() == static_cast<std::int64_t>(values.size()));
  const auto bytes = std::as_bytes(std::span(values));
  tensor.bytes.assign(bytes.begin(), bytes.end());
  return tensor;
}

}  // namespace fewedits
