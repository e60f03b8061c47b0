// SPDX-License-Identifier: MIT
#include "fewedits/train/greed_batch.hpp"

#include <algorithm>

#include "fewedits/classifier/native/refinement.hpp"
#include "fewedits/train/row_loops.hpp"

namespace fewedits {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

Tensor to_tensor(std::span<const std::uint32_t> values) {
  Tensor out = torch::empty({static_cast<std::int64_t>(values.size())}, torch::kInt32);
  std::transform(values.begin(), values.end(), out.data_ptr<std::int32_t>(),
                 [](std::uint32_t value) { return static_cast<std::int32_t>(value); });
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

// ---- classes --------------------------------------------------------------------------

/// Sums a class: itself and its neighbours, one level below.
RowLists sums_of(const Refinement::Level& level) {
  const std::size_t classes = level.size();
  const std::span offsets(level.offsets.data(), classes + 1);
  return {to_tensor(level.parent), to_tensor(offsets),
          to_tensor(std::span(level.targets.data(), offsets.back()))};
}

/// From the classes of one level to those two below.
RowLists grandparents(const Refinement::Level& level, const Refinement::Level& below) {
  Refinement::Indices out = level.parent;
  for (std::uint32_t& at : out) at = below.parent[at];
  return {to_tensor(out), {}, {}};
}

}  // namespace

Tensor sum_rows(const Tensor& x, const RowLists& lists) {
  return SumRows::apply(x.contiguous(), lists);
}

GreedBatch make_greed_batch(std::span<const Graph> graphs, std::size_t layers) {
  Refinement nodes;
  nodes.run(graphs, layers);
  const Tensor begins = to_tensor(nodes.begins());
  GreedBatch batch;
  for (std::size_t l = 0; l <= layers; ++l) {
    batch.pools.push_back({{}, begins, to_tensor(nodes.level(l).of_node)});
    if (l == layers) break;
    batch.layers.push_back(sums_of(nodes.level(l + 1)));
    batch.ancestors.push_back(l == 0 ? RowLists{}
                                     : grandparents(nodes.level(l + 1), nodes.level(l)));
  }
  return batch;
}

}  // namespace fewedits
