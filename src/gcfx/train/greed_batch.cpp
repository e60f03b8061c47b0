// SPDX-License-Identifier: MIT
#include "gcfx/train/greed_batch.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "gcfx/train/row_loops.hpp"

namespace gcfx {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using Indices = std::vector<std::int32_t>;

Tensor to_tensor(const Indices& values) {
  Tensor out = torch::empty({static_cast<std::int64_t>(values.size())}, torch::kInt32);
  std::copy(values.begin(), values.end(), out.data_ptr<std::int32_t>());
  return out;
}

// ---- sum_rows -------------------------------------------------------------------------

/// Calls visit(i, row) for every row of x that row i of the sum takes.
template <typename Visit>
void for_each_term(const RowLists& lists, const Visit& visit) {
  const auto pointer = [](const Tensor& t) {
    return t.defined() ? t.data_ptr<std::int32_t>() : nullptr;
  };
  const std::int32_t* own = pointer(lists.own);
  const std::int32_t* offsets = pointer(lists.offsets);
  const std::int32_t* items = pointer(lists.items);
  for (std::int64_t i = 0; i < lists.count(); ++i) {
    if (own != nullptr) visit(i, std::int64_t{own[i]});
    if (offsets == nullptr) continue;
    for (std::int32_t e = offsets[i]; e < offsets[i + 1]; ++e) visit(i, std::int64_t{items[e]});
  }
}

struct SumRows : torch::autograd::Function<SumRows> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const RowLists& lists) {
    ctx->save_for_backward({lists.own, lists.offsets, lists.items});
    ctx->saved_data["rows"] = x.size(0);
    const std::int64_t width = x.size(1);
    Tensor out = torch::zeros({lists.count(), width}, x.options());
    const float* from = x.data_ptr<float>();
    float* to = out.data_ptr<float>();
    for_each_term(lists, [=](std::int64_t i, std::int64_t row) {
      add_row(to + i * width, from + row * width, 1.0F, width);
    });
    return out;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor grad = grads[0].contiguous();
    const std::int64_t width = grad.size(1);
    Tensor out = torch::zeros({ctx->saved_data["rows"].toInt(), width}, grad.options());
    const float* from = grad.data_ptr<float>();
    float* to = out.data_ptr<float>();
    for_each_term({saved[0], saved[1], saved[2]}, [=](std::int64_t i, std::int64_t row) {
      add_row(to + row * width, from + i * width, 1.0F, width);
    });
    return {out, Tensor()};
  }
};

// ---- refinement -----------------------------------------------------------------------

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Numbers signatures in the order of their first appearance. A signature of 64 bits stands for
/// its class: should two ever collide, two rows of one training step are taken for one.
class ClassTable {
 public:
  void reset(std::size_t most) {
    slots_.assign(std::bit_ceil(2 * most + 1), {0, kFree});
    size_ = 0;
  }
  /// The class, and whether it is new.
  std::pair<std::int32_t, bool> find(std::uint64_t signature) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = signature & mask;
    while (slots_[at].second != kFree && slots_[at].first != signature) at = (at + 1) & mask;
    if (slots_[at].second != kFree) return {slots_[at].second, false};
    slots_[at] = {signature, size_};
    return {size_++, true};
  }

 private:
  static constexpr std::int32_t kFree = -1;
  std::vector<std::pair<std::uint64_t, std::int32_t>> slots_;
  std::int32_t size_ = 0;
};

/// The disjoint union of the graphs and the classes of its nodes.
class Refiner {
 public:
  explicit Refiner(std::span<const Graph> graphs) {
    for (const Graph& g : graphs) {
      const std::int32_t first = graph_offsets_.back();
      const std::int32_t first_end = ends_.back();
      for (const Node u : g.targets()) neighbours_.push_back(first + static_cast<std::int32_t>(u));
      for (Node v = 0; v < g.num_nodes(); ++v) {
        ends_.push_back(first_end + static_cast<std::int32_t>(g.offsets()[v + 1]));
        classes_.push_back(static_cast<std::int32_t>(g.label(v)));
        signatures_.push_back(mix(g.label(v) + 1ULL));
      }
      graph_offsets_.push_back(first + static_cast<std::int32_t>(g.num_nodes()));
    }
    pool_offsets_ = to_tensor(graph_offsets_);
  }

  [[nodiscard]] RowLists pool() const { return {{}, pool_offsets_, to_tensor(classes_)}; }

  /// Classes of one hop more. `own_` leads back to the classes before, `before_own_` to those
  /// before that.
  RowLists refine() {
    const std::size_t nodes = classes_.size();
    std::vector<std::uint64_t> signatures(nodes);
    Indices classes(nodes);
    Indices own;
    Indices offsets{0};
    Indices items;
    table_.reset(nodes);
    for (std::size_t v = 0; v < nodes; ++v) {
      signatures[v] = signature_of(v);
      const auto [number, is_new] = table_.find(signatures[v]);
      classes[v] = number;
      if (!is_new) continue;
      own.push_back(classes_[v]);
      for (std::int32_t e = ends_[v]; e < ends_[v + 1]; ++e) items.push_back(class_of(e));
      offsets.push_back(static_cast<std::int32_t>(items.size()));
    }
    classes_ = std::move(classes);
    signatures_ = std::move(signatures);
    before_own_ = std::exchange(own_, std::move(own));
    return {to_tensor(own_), to_tensor(offsets), to_tensor(items)};
  }

  /// From the classes of the last refinement to those two before; after the first: the labels.
  [[nodiscard]] RowLists ancestors() const {
    Indices out = own_;
    if (!before_own_.empty()) {
      for (std::int32_t& at : out) at = before_own_[static_cast<std::size_t>(at)];
    }
    return {to_tensor(out), {}, {}};
  }

 private:
  [[nodiscard]] std::int32_t class_of(std::int32_t edge_end) const {
    return classes_[static_cast<std::size_t>(neighbours_[static_cast<std::size_t>(edge_end)])];
  }

  /// A sum, so that the order of the neighbours does not matter.
  [[nodiscard]] std::uint64_t signature_of(std::size_t v) const {
    std::uint64_t sum = signatures_[v] * 0xa54ff53a5f1d36f1ULL;
    for (std::int32_t e = ends_[v]; e < ends_[v + 1]; ++e) {
      sum += signatures_[static_cast<std::size_t>(neighbours_[static_cast<std::size_t>(e)])];
    }
    return mix(sum);
  }

  Indices graph_offsets_{0};
  Indices ends_{0};
  Indices neighbours_;
  Indices classes_;
  std::vector<std::uint64_t> signatures_;
  Indices own_;
  Indices before_own_;
  Tensor pool_offsets_;
  ClassTable table_;
};

}  // namespace

Tensor sum_rows(const Tensor& x, const RowLists& lists) {
  return SumRows::apply(x.contiguous(), lists);
}

GreedBatch make_greed_batch(std::span<const Graph> graphs, std::size_t layers) {
  Refiner refiner(graphs);
  GreedBatch batch;
  batch.pools.push_back(refiner.pool());
  for (std::size_t l = 0; l < layers; ++l) {
    batch.layers.push_back(refiner.refine());
    batch.ancestors.push_back(refiner.ancestors());
    batch.pools.push_back(refiner.pool());
  }
  return batch;
}

}  // namespace gcfx
