// SPDX-License-Identifier: MIT
// Weights in the form the kernels want, and scratch memory for them. Internal to classifier/native.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "fewedits/base/tensor.hpp"
#include "fewedits/classifier/native/kernels.hpp"

namespace fewedits {

/// Cache-line aligned allocation for kernel operands.
template <typename T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT: conversion is the point
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64}));
  }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{64}); }
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};
using Floats = std::vector<float, AlignedAllocator<float>>;

/// y = x·W + b with W stored inner × width (width padded with zeros).
struct PackedLinear {
  std::size_t inner = 0;
  std::size_t columns = 0;  ///< before padding
  Floats weight;
  Floats bias;

  [[nodiscard]] std::size_t width() const { return padded(columns); }
  /// Scales output column c by scale[c] and adds shift[c]: batch norm folded in.
  void fold(const std::vector<float>& scale, const std::vector<float>& shift);
  /// Scales input k by scale[k] and adds shift[k], before the product.
  void fold_inputs(const std::vector<float>& scale, const std::vector<float>& shift);
  /// Input i becomes what input from[i] was; output c what output from[c] was.
  void select_inputs(std::span<const std::uint32_t> from);
  void select_outputs(std::span<const std::size_t> from);
  /// With an output before the others that is 0.
  [[nodiscard]] PackedLinear with_zero_before() const;
  /// x·Wᵀ, without a bias: what derivatives go back through.
  [[nodiscard]] PackedLinear transposed() const;
};

/// Rows of features by label: an embedding, or what a layer makes of one. No bias.
using LabelTable = PackedLinear;
/// One-hot rows.
LabelTable one_hot_table(std::size_t labels);
/// The rows of a table after a linear map; without a table, those of one-hot labels.
LabelTable mapped(const LabelTable* table, const PackedLinear& linear);

/// Batch norm in inference form: y = x·scale + shift.
struct FoldedNorm {
  std::vector<float> scale;
  std::vector<float> shift;
};

/// Looks tensors up by name and checks them, so that errors name the tensor and the shapes. Knows
/// what was read: what was not belongs to another model than the one that was made.
class WeightReader {
 public:
  WeightReader(const StateDict& weights, std::string origin)
      : weights_(weights), origin_(std::move(origin)) {}

  [[nodiscard]] bool has(const std::string& name) const { return weights_.contains(name); }
  [[nodiscard]] bool has_rank(const std::string& name, std::size_t rank) const;
  /// A floating tensor of that rank, finite throughout.
  [[nodiscard]] const Tensor& tensor(const std::string& name, std::size_t rank) const;
  /// PREFIX.weight (out × in, as torch.nn.Linear stores it) and, if present, PREFIX.bias.
  [[nodiscard]] PackedLinear linear(const std::string& prefix) const;
  /// The same from a matrix stored in × out or out × in and a separate bias name.
  [[nodiscard]] PackedLinear matrix(const std::string& name, bool stored_in_by_out,
                                    const std::string& bias_name) const;
  /// PREFIX.weight of a torch.nn.Embedding: a row for each label.
  [[nodiscard]] LabelTable embedding(const std::string& prefix) const;
  [[nodiscard]] FoldedNorm norm(const std::string& prefix, std::size_t features,
                                double epsilon) const;
  /// A vector of exactly that many values.
  [[nodiscard]] std::vector<float> vector(const std::string& name, std::size_t features) const;
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const;
  /// Names that start with the prefix.
  [[nodiscard]] std::vector<std::string> names_under(const std::string& prefix) const;
  /// Tensors that nobody has read, but for the counters of batch norms: inference needs none.
  [[nodiscard]] std::vector<std::string> unread() const;
  [[nodiscard]] bool was_read(const std::string& name) const { return read_.contains(name); }
  [[nodiscard]] const StateDict& all() const { return weights_; }

 private:
  const StateDict& weights_;
  std::string origin_;
  mutable std::set<std::string> read_;  ///< reading is const to those who read
};

}  // namespace fewedits
