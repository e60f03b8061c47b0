// SPDX-License-Identifier: MIT
// The plain loops under train/torch_ops: rows of floats, lists of row numbers, no torch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace fewedits {

/// List i is items[offsets[i]…offsets[i+1]), or those numbers themselves when items is null
/// (the nodes of a graph lie side by side).
struct Lists {
  std::int64_t count;
  const std::int32_t* offsets;
  const std::int32_t* items;

  [[nodiscard]] std::int64_t item(std::int64_t at) const { return items ? items[at] : at; }
};

inline void add_row(float* out, const float* x, float factor, std::int64_t width) {
  for (std::int64_t j = 0; j < width; ++j) out[j] += factor * x[j];
}

inline float dot(const float* a, const float* b, std::int64_t width) {
  float sum = 0;
  for (std::int64_t j = 0; j < width; ++j) sum += a[j] * b[j];
  return sum;
}

/// out_v += Σ relu(x_u + edges[label]) over the list of v; labels are parallel to the items.
inline void edge_messages(const Lists& graph, const std::int32_t* labels, const float* x,
                          const float* edges, std::int64_t width, float* out) {
  for (std::int64_t v = 0; v < graph.count; ++v, out += width) {
    for (std::int64_t at = graph.offsets[v]; at < graph.offsets[v + 1]; ++at) {
      const float* other = x + graph.item(at) * width;
      const float* edge = edges + labels[at] * width;
      for (std::int64_t j = 0; j < width; ++j) out[j] += std::max(other[j] + edge[j], 0.0F);
    }
  }
}

/// Adds the gradients that reach x and edges through these sums; ReLU at 0 has derivative 0.
inline void edge_messages_back(const Lists& graph, const std::int32_t* labels, const float* x,
                               const float* edges, std::int64_t width, const float* grad,
                               float* by_x, float* by_edges) {
  for (std::int64_t v = 0; v < graph.count; ++v, grad += width) {
    for (std::int64_t at = graph.offsets[v]; at < graph.offsets[v + 1]; ++at) {
      const std::int64_t u = graph.item(at) * width;
      const std::int64_t label = labels[at] * width;
      for (std::int64_t j = 0; j < width; ++j) {
        const float g = x[u + j] + edges[label + j] > 0 ? grad[j] : 0.0F;
        by_x[u + j] += g;
        by_edges[label + j] += g;
      }
    }
  }
}

/// Column-wise maximum of one list's rows; `from` receives its row (the first on ties), -1
/// and a maximum of 0 for an empty list.
inline void list_max(const Lists& lists, std::int64_t list, const float* x, std::int64_t width,
                     float* out, std::int32_t* from) {
  const std::int64_t begin = lists.offsets[list];
  const std::int64_t end = lists.offsets[list + 1];
  std::fill(out, out + width, begin == end ? 0.0F : -std::numeric_limits<float>::infinity());
  std::fill(from, from + width, begin == end ? -1 : static_cast<std::int32_t>(lists.item(begin)));
  for (std::int64_t at = begin; at < end; ++at) {
    const std::int64_t u = lists.item(at);
    const float* row = x + u * width;
    for (std::int64_t j = 0; j < width; ++j) {
      const bool larger = row[j] > out[j];
      out[j] = larger ? row[j] : out[j];
      from[j] = larger ? static_cast<std::int32_t>(u) : from[j];
    }
  }
}

inline float leaky_relu(float x, float slope) { return x > 0 ? x : slope * x; }

/// The operands of torch_ops' attention_sum as raw rows.
struct Attention {
  Lists graph;
  std::int64_t heads;
  std::int64_t width;  ///< of one head
  float slope;
  const float* x;
  const float* source;
  const float* target;

  /// α is [slots × heads]: a slot for each directed edge and self loop, a node's side by side.
  [[nodiscard]] std::int64_t num_slots() const { return graph.offsets[graph.count] + graph.count; }
  [[nodiscard]] std::int64_t row(std::int64_t v, std::int64_t h) const {
    return (v * heads + h) * width;
  }
  [[nodiscard]] float score(std::int64_t u, std::int64_t v, std::int64_t h) const {
    return source[u * heads + h] + target[v * heads + h];
  }

  /// Calls visit(u, slot) for v itself and then its neighbours.
  template <typename Visit>
  void around(std::int64_t v, const Visit& visit) const {
    std::int64_t slot = graph.offsets[v] + v;
    visit(v, slot++);
    for (std::int64_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      visit(graph.items[e], slot++);
    }
  }

  /// α of node v and head h; the maximum is taken off first so that exp cannot overflow.
  void softmax(std::int64_t v, std::int64_t h, float* alpha) const {
    float largest = -std::numeric_limits<float>::infinity();
    around(v, [&](std::int64_t u, std::int64_t) {
      largest = std::max(largest, leaky_relu(score(u, v, h), slope));
    });
    float total = 0;
    around(v, [&](std::int64_t u, std::int64_t slot) {
      const float e = std::exp(leaky_relu(score(u, v, h), slope) - largest);
      alpha[slot * heads + h] = e;
      total += e;
    });
    around(v, [&](std::int64_t, std::int64_t slot) { alpha[slot * heads + h] /= total; });
  }

  /// out[v,h] += Σ α x.
  void forward(std::int64_t v, std::int64_t h, const float* alpha, float* out) const {
    around(v, [&](std::int64_t u, std::int64_t slot) {
      add_row(out + row(v, h), x + row(u, h), alpha[slot * heads + h], width);
    });
  }

  /// Adds the gradients that reach x, source and target through out[v,h].
  void backward(std::int64_t v, std::int64_t h, const float* alpha, const float* grad, float* dx,
                float* dsource, float* dtarget) const {
    const float* g = grad + row(v, h);
    float mean = 0;  // Σ α_vu dα_vu, the softmax's correction
    around(v, [&](std::int64_t u, std::int64_t slot) {
      const float a = alpha[slot * heads + h];
      mean += a * dot(g, x + row(u, h), width);
      add_row(dx + row(u, h), g, a, width);
    });
    around(v, [&](std::int64_t u, std::int64_t slot) {
      const float da = dot(g, x + row(u, h), width) - mean;
      const float d = alpha[slot * heads + h] * da * (score(u, v, h) > 0 ? 1.0F : slope);
      dsource[u * heads + h] += d;
      dtarget[v * heads + h] += d;
    });
  }
};

}  // namespace fewedits
