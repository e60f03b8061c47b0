// SPDX-License-Identifier: MIT
#include "fewedits/train/torch_ops.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "fewedits/train/row_loops.hpp"

namespace fewedits {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

Lists lists_of(const Tensor& offsets, const Tensor& items) {
  return {offsets.size(0) - 1, offsets.data_ptr<std::int32_t>(),
          items.defined() ? items.data_ptr<std::int32_t>() : nullptr};
}

Tensor int32_tensor(std::int64_t size) { return torch::empty({size}, torch::kInt32); }

const float* floats_or_null(const Tensor& t) { return t.defined() ? t.data_ptr<float>() : nullptr; }

// ---- neighbour_sum --------------------------------------------------------------------

Tensor scaled_sum(const Tensor& x, const Lists& graph, float self, const Tensor& pre_scale,
                  const Tensor& post_scale) {
  Tensor out = torch::empty_like(x);
  const std::int64_t width = x.size(1);
  const float* in = x.data_ptr<float>();
  const float* pre = floats_or_null(pre_scale);
  const float* post = floats_or_null(post_scale);
  float* row = out.data_ptr<float>();
  for (std::int64_t v = 0; v < graph.count; ++v, row += width) {
    const float own = self * (pre ? pre[v] : 1.0F);
    for (std::int64_t j = 0; j < width; ++j) row[j] = own * in[v * width + j];
    for (std::int64_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      const std::int64_t u = graph.items[e];
      add_row(row, in + u * width, pre ? pre[u] : 1.0F, width);
    }
    if (post == nullptr) continue;
    for (std::int64_t j = 0; j < width; ++j) row[j] *= post[v];
  }
  return out;
}

/// Not plain arguments, because apply() refuses undefined tensors.
struct Diagonals {
  Tensor pre;
  Tensor post;
};

struct NeighbourSum : torch::autograd::Function<NeighbourSum> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const GraphBatch& batch, double self,
                        const Diagonals& scale) {
    ctx->save_for_backward({batch.offsets, batch.targets, scale.pre, scale.post});
    ctx->saved_data["self"] = self;
    return scaled_sum(x, lists_of(batch.offsets, batch.targets), static_cast<float>(self),
                      scale.pre, scale.post);
  }

  // A is symmetric, so the transposed map only swaps the two diagonals.
  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const variable_list saved = ctx->get_saved_variables();
    const auto self = static_cast<float>(ctx->saved_data["self"].toDouble());
    return {
        scaled_sum(grads[0].contiguous(), lists_of(saved[0], saved[1]), self, saved[3], saved[2]),
        Tensor(), Tensor(), Tensor()};
  }
};

// ---- edge_message_sum -----------------------------------------------------------------

struct EdgeMessageSum : torch::autograd::Function<EdgeMessageSum> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& edges,
                        const GraphBatch& batch) {
    ctx->save_for_backward({x, edges, batch.offsets, batch.targets, batch.edge_labels});
    Tensor out = x.clone();
    edge_messages(lists_of(batch.offsets, batch.targets),
                  batch.edge_labels.data_ptr<std::int32_t>(), x.data_ptr<float>(),
                  edges.data_ptr<float>(), x.size(1), out.data_ptr<float>());
    return out;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor grad = grads[0].contiguous();
    Tensor by_x = grad.clone();
    Tensor by_edges = torch::zeros_like(saved[1]);
    edge_messages_back(lists_of(saved[2], saved[3]), saved[4].data_ptr<std::int32_t>(),
                       saved[0].data_ptr<float>(), saved[1].data_ptr<float>(), grad.size(1),
                       grad.data_ptr<float>(), by_x.data_ptr<float>(), by_edges.data_ptr<float>());
    return {by_x, by_edges, Tensor()};
  }
};

// ---- maxima over lists ----------------------------------------------------------------

struct ListMax : torch::autograd::Function<ListMax> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Lists& lists) {
    const std::int64_t width = x.size(1);
    Tensor out = torch::empty({lists.count, width}, x.options());
    Tensor from = torch::empty({lists.count, width}, torch::kInt32);
    for (std::int64_t i = 0; i < lists.count; ++i) {
      list_max(lists, i, x.data_ptr<float>(), width, out.data_ptr<float>() + i * width,
               from.data_ptr<std::int32_t>() + i * width);
    }
    ctx->save_for_backward({from});
    ctx->saved_data["rows"] = x.size(0);
    return out;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const Tensor from = ctx->get_saved_variables()[0];
    const Tensor grad = grads[0].contiguous();
    const std::int64_t width = grad.size(1);
    Tensor out = torch::zeros({ctx->saved_data["rows"].toInt(), width}, grad.options());
    const auto* row = from.data_ptr<std::int32_t>();
    const float* g = grad.data_ptr<float>();
    float* target = out.data_ptr<float>();
    for (std::int64_t i = 0; i < grad.numel(); ++i) {
      if (row[i] >= 0) target[row[i] * width + i % width] += g[i];
    }
    return {out, Tensor()};
  }
};

// ---- sums over the nodes of a graph ---------------------------------------------------

struct GraphSum : torch::autograd::Function<GraphSum> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& graph_offsets) {
    ctx->save_for_backward({graph_offsets});
    const std::int64_t width = x.size(1);
    const Lists lists = lists_of(graph_offsets, {});
    Tensor out = torch::zeros({lists.count, width}, x.options());
    for (std::int64_t i = 0; i < lists.count; ++i) {
      for (std::int64_t v = lists.offsets[i]; v < lists.offsets[i + 1]; ++v) {
        add_row(out.data_ptr<float>() + i * width, x.data_ptr<float>() + v * width, 1.0F, width);
      }
    }
    return out;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const Tensor graph_offsets = ctx->get_saved_variables()[0];
    const Lists lists = lists_of(graph_offsets, {});
    const Tensor grad = grads[0].contiguous();
    const std::int64_t width = grad.size(1);
    Tensor out = torch::empty({lists.offsets[lists.count], width}, grad.options());
    for (std::int64_t i = 0; i < lists.count; ++i) {
      const float* row = grad.data_ptr<float>() + i * width;
      for (std::int64_t v = lists.offsets[i]; v < lists.offsets[i + 1]; ++v) {
        std::copy(row, row + width, out.data_ptr<float>() + v * width);
      }
    }
    return {out, Tensor()};
  }
};

// ---- attention ------------------------------------------------------------------------

Attention attention_of(const Tensor& x, const Tensor& source, const Tensor& target,
                       const Lists& graph, double slope) {
  const std::int64_t heads = source.size(1);
  return {graph,
          heads,
          x.size(1) / heads,
          static_cast<float>(slope),
          x.data_ptr<float>(),
          source.data_ptr<float>(),
          target.data_ptr<float>()};
}

struct AttentionSum : torch::autograd::Function<AttentionSum> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& source,
                        const Tensor& target, const GraphBatch& batch, double slope) {
    const Attention op =
        attention_of(x, source, target, lists_of(batch.offsets, batch.targets), slope);
    Tensor out = torch::zeros_like(x);
    Tensor alpha = torch::empty({op.num_slots(), op.heads}, x.options());
    for (std::int64_t v = 0; v < op.graph.count; ++v) {
      for (std::int64_t h = 0; h < op.heads; ++h) {
        op.softmax(v, h, alpha.data_ptr<float>());
        op.forward(v, h, alpha.data_ptr<float>(), out.data_ptr<float>());
      }
    }
    ctx->save_for_backward({x, source, target, batch.offsets, batch.targets, alpha});
    ctx->saved_data["slope"] = slope;
    return out;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const variable_list s = ctx->get_saved_variables();
    const Attention op =
        attention_of(s[0], s[1], s[2], lists_of(s[3], s[4]), ctx->saved_data["slope"].toDouble());
    const Tensor grad = grads[0].contiguous();
    Tensor dx = torch::zeros_like(s[0]);
    Tensor dsource = torch::zeros_like(s[1]);
    Tensor dtarget = torch::zeros_like(s[2]);
    for (std::int64_t v = 0; v < op.graph.count; ++v) {
      for (std::int64_t h = 0; h < op.heads; ++h) {
        op.backward(v, h, s[5].data_ptr<float>(), grad.data_ptr<float>(), dx.data_ptr<float>(),
                    dsource.data_ptr<float>(), dtarget.data_ptr<float>());
      }
    }
    return {dx, dsource, dtarget, Tensor(), Tensor()};
  }
};

// ---- batch norm -----------------------------------------------------------------------

/// Σ over rows of each column in double: float loses three digits over a few thousand rows.
using Columns = std::vector<double>;

/// Batch statistics: mean, biased variance.
std::pair<Columns, Columns> column_moments(const Tensor& x) {
  const std::int64_t rows = x.size(0);
  const auto width = static_cast<std::size_t>(x.size(1));
  Columns mean(width, 0.0);
  Columns variance(width, 0.0);
  const float* row = x.data_ptr<float>();
  for (std::int64_t i = 0; i < rows; ++i, row += width) {
    for (std::size_t j = 0; j < width; ++j) mean[j] += row[j];
  }
  for (double& m : mean) m /= static_cast<double>(rows);
  row = x.data_ptr<float>();
  for (std::int64_t i = 0; i < rows; ++i, row += width) {
    for (std::size_t j = 0; j < width; ++j) variance[j] += (row[j] - mean[j]) * (row[j] - mean[j]);
  }
  for (double& v : variance) v /= static_cast<double>(rows);
  return {std::move(mean), std::move(variance)};
}

/// out = a · factor + b · other + constant, column by column; `b` may be null.
Tensor affine_columns(const Tensor& a, const std::vector<float>& factor, const Tensor& b,
                      const std::vector<float>& other, const std::vector<float>& constant) {
  Tensor out = torch::empty_like(a);
  const std::size_t width = factor.size();
  const float* x = a.data_ptr<float>();
  const float* y = floats_or_null(b);
  float* row = out.data_ptr<float>();
  for (std::int64_t i = 0; i < a.size(0); ++i, row += width, x += width) {
    for (std::size_t j = 0; j < width; ++j) row[j] = x[j] * factor[j] + constant[j];
    if (y == nullptr) continue;
    for (std::size_t j = 0; j < width; ++j) row[j] += y[j] * other[j];
    y += width;
  }
  return out;
}

struct BatchNorm : torch::autograd::Function<BatchNorm> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& weight,
                        const Tensor& bias, const Tensor& mean, const Tensor& inverse_deviation) {
    ctx->save_for_backward({x, weight, mean, inverse_deviation});
    const auto width = static_cast<std::size_t>(x.size(1));
    std::vector<float> factor(width);
    std::vector<float> shift(width);
    const auto m = mean.accessor<double, 1>();
    const auto inverse = inverse_deviation.accessor<double, 1>();
    for (std::size_t j = 0; j < width; ++j) {
      const auto column = static_cast<std::int64_t>(j);
      const double f = inverse[column] * weight.data_ptr<float>()[j];
      factor[j] = static_cast<float>(f);
      shift[j] = static_cast<float>(bias.data_ptr<float>()[j] - m[column] * f);
    }
    return affine_columns(x, factor, {}, {}, shift);
  }

  // With x̂ the normalised input and s = weight/deviation:
  //   dx = s (g - mean(g) - x̂ mean(g·x̂)),  dweight = Σ g·x̂,  dbias = Σ g.
  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor grad = grads[0].contiguous();
    const std::int64_t rows = grad.size(0);
    const auto width = static_cast<std::size_t>(grad.size(1));
    const double* mean = saved[2].data_ptr<double>();
    const double* inverse = saved[3].data_ptr<double>();
    Columns sum(width, 0.0);
    Columns product(width, 0.0);  // Σ g (x - mean)
    const float* g = grad.data_ptr<float>();
    const float* x = saved[0].data_ptr<float>();
    for (std::int64_t i = 0; i < rows; ++i, g += width, x += width) {
      for (std::size_t j = 0; j < width; ++j) {
        sum[j] += g[j];
        product[j] += g[j] * (x[j] - mean[j]);
      }
    }
    Tensor dweight = torch::empty_like(saved[1]);
    Tensor dbias = torch::empty_like(saved[1]);
    std::vector<float> of_g(width);
    std::vector<float> of_x(width);
    std::vector<float> constant(width);
    for (std::size_t j = 0; j < width; ++j) {
      const double scale = inverse[j] * saved[1].data_ptr<float>()[j];
      const double slope = scale * product[j] * inverse[j] * inverse[j] / static_cast<double>(rows);
      dweight.data_ptr<float>()[j] = static_cast<float>(product[j] * inverse[j]);
      dbias.data_ptr<float>()[j] = static_cast<float>(sum[j]);
      of_g[j] = static_cast<float>(scale);
      of_x[j] = static_cast<float>(-slope);
      constant[j] =
          static_cast<float>(slope * mean[j] - scale * sum[j] / static_cast<double>(rows));
    }
    return {affine_columns(grad, of_g, saved[0], of_x, constant), dweight, dbias, Tensor(),
            Tensor()};
  }
};

/// running ← (1 - momentum) running + momentum · factor · batch.
void move_running(Tensor& running, const Columns& batch, double momentum, double factor) {
  float* value = running.data_ptr<float>();
  for (std::size_t j = 0; j < batch.size(); ++j) {
    value[j] = static_cast<float>((1 - momentum) * value[j] + momentum * factor * batch[j]);
  }
}

Tensor to_tensor(const Columns& values) { return torch::tensor(values, torch::kFloat64); }

/// [nodes] floats computed from each node's degree.
template <typename Formula>
Tensor from_degrees(const GraphBatch& batch, const Formula& formula) {
  Tensor out = torch::empty({batch.num_nodes()}, torch::kFloat32);
  const auto* offsets = batch.offsets.data_ptr<std::int32_t>();
  for (std::int64_t v = 0; v < batch.num_nodes(); ++v) {
    out.data_ptr<float>()[v] = formula(static_cast<float>(offsets[v + 1] - offsets[v]));
  }
  return out;
}

}  // namespace

GraphBatch make_batch(std::span<const Graph> graphs, std::span<const int> classes,
                      std::span<const std::size_t> chosen, std::int64_t labels) {
  std::int64_t nodes = 0;
  std::int64_t ends = 0;
  for (const std::size_t i : chosen) {
    nodes += graphs[i].num_nodes();
    ends += static_cast<std::int64_t>(2 * graphs[i].num_edges());
  }
  const auto count = static_cast<std::int64_t>(chosen.size());
  GraphBatch batch{int32_tensor(nodes + 1),
                   int32_tensor(ends),
                   int32_tensor(count + 1),
                   torch::zeros({nodes, labels}),
                   torch::empty({count}, torch::kInt64),
                   torch::Tensor()};
  const bool with_edges =
      std::ranges::any_of(chosen, [&](std::size_t i) { return !graphs[i].edge_labels().empty(); });
  if (with_edges) batch.edge_labels = int32_tensor(ends);
  auto* offset = batch.offsets.data_ptr<std::int32_t>();
  auto* target = batch.targets.data_ptr<std::int32_t>();
  auto* graph_offset = batch.graph_offsets.data_ptr<std::int32_t>();
  auto* graph_class = batch.classes.data_ptr<std::int64_t>();
  float* feature = batch.features.data_ptr<float>();
  std::int32_t node_base = 0;
  std::int32_t end_base = 0;
  for (const std::size_t i : chosen) {
    const Graph& g = graphs[i];
    *graph_offset++ = node_base;
    *graph_class++ = classes[i];
    for (Node v = 0; v < g.num_nodes(); ++v, feature += labels) {
      *offset++ = end_base + static_cast<std::int32_t>(g.offsets()[v]);
      feature[g.label(v)] = 1.0F;
    }
    for (const Node u : g.targets()) *target++ = node_base + static_cast<std::int32_t>(u);
    if (with_edges) {
      std::ranges::copy(g.edge_labels(), batch.edge_labels.data_ptr<std::int32_t>() + end_base);
    }
    node_base += static_cast<std::int32_t>(g.num_nodes());
    end_base += static_cast<std::int32_t>(g.targets().size());
  }
  *offset = end_base;
  *graph_offset = node_base;
  return batch;
}

Tensor gcn_scale(const GraphBatch& batch) {
  return from_degrees(batch, [](float degree) { return 1.0F / std::sqrt(degree + 1.0F); });
}

Tensor mean_scale(const GraphBatch& batch) {
  return from_degrees(batch, [](float degree) { return degree > 0 ? 1.0F / degree : 0.0F; });
}

Tensor neighbour_sum(const Tensor& x, const GraphBatch& batch, double self, const Tensor& pre,
                     const Tensor& post) {
  return NeighbourSum::apply(x.contiguous(), batch, self, Diagonals{pre, post});
}

Tensor edge_message_sum(const Tensor& x, const Tensor& edges, const GraphBatch& batch) {
  return EdgeMessageSum::apply(x.contiguous(), edges.contiguous(), batch);
}

Tensor neighbour_max(const Tensor& x, const GraphBatch& batch) {
  return ListMax::apply(x.contiguous(), lists_of(batch.offsets, batch.targets));
}

Tensor pool_nodes(const Tensor& x, const GraphBatch& batch, Aggregation how) {
  if (how == Aggregation::kMax) {
    return ListMax::apply(x.contiguous(), lists_of(batch.graph_offsets, {}));
  }
  const Tensor sum = GraphSum::apply(x.contiguous(), batch.graph_offsets);
  if (how == Aggregation::kSum) return sum;
  const Tensor sizes = batch.graph_offsets.diff().clamp_min(1).to(torch::kFloat32);
  return sum / sizes.unsqueeze(1);
}

Tensor attention_sum(const Tensor& x, const Tensor& source, const Tensor& target,
                     const GraphBatch& batch, double negative_slope) {
  return AttentionSum::apply(x.contiguous(), source.contiguous(), target.contiguous(), batch,
                             negative_slope);
}

Tensor train_batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        Tensor& running_mean, Tensor& running_variance, double momentum,
                        double epsilon) {
  const Tensor input = x.contiguous();
  const auto rows = static_cast<double>(x.size(0));
  auto [mean, variance] = column_moments(input);
  move_running(running_mean, mean, momentum, 1.0);
  move_running(running_variance, variance, momentum, rows / (rows - 1));  // unbiased
  for (double& v : variance) v = 1.0 / std::sqrt(v + epsilon);
  return BatchNorm::apply(input, weight, bias, to_tensor(mean), to_tensor(variance));
}

}  // namespace fewedits
