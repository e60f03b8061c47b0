// SPDX-License-Identifier: MIT
#include "batch.hpp"

#include <algorithm>
#include <cstring>

#include "fewedits/base/error.hpp"
#include "fewedits/base/text.hpp"

namespace fewedits::python {
namespace {

/// Fewer graphs are not worth waking threads for.
constexpr std::size_t kChunk = 128;

[[noreturn]] void refuse_label(Label label, std::size_t rows, const char* what) {
  throw Error("there is a label " + std::to_string(label) + " of " + what +
              ", the table of features has " + counted(rows, "row"));
}

/// Sources and targets of a graph whose nodes count from `first`.
template <typename T>
void write_ends(const Graph& g, T first, T* source, T* target) {
  const auto offsets = g.offsets();
  const auto ends = g.targets();
  for (Node v = 0; v < g.num_nodes(); ++v) {
    for (std::uint32_t at = offsets[v]; at < offsets[v + 1]; ++at) {
      *source++ = first + static_cast<T>(v);
      *target++ = first + static_cast<T>(ends[at]);
    }
  }
}

}  // namespace

Batch::Batch(std::vector<Graph> graphs, ThreadPool* pool)
    : graphs_(std::move(graphs)), first_node_{0}, first_line_{0}, pool_(pool) {
  first_node_.reserve(graphs_.size() + 1);
  first_line_.reserve(graphs_.size() + 1);
  for (const Graph& g : graphs_) {
    first_node_.push_back(first_node_.back() + g.num_nodes());
    first_line_.push_back(first_line_.back() + 2 * g.num_edges());
  }
}

bool Batch::has_edge_labels() const {
  return std::ranges::all_of(
      graphs_, [](const Graph& g) { return g.has_edge_labels() || g.num_edges() == 0; });
}

template <typename Write>
void Batch::for_each(const Write& write) const {
  const auto some = [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) write(graphs_[g], first_node_[g], first_line_[g], g);
  };
  if (pool_ == nullptr || graphs_.size() <= kChunk) {
    some(0, graphs_.size());
    return;
  }
  pool_->for_chunks(graphs_.size(), kChunk,
                    [&](std::size_t begin, std::size_t end, int) { some(begin, end); });
}

void Batch::write_labels(std::int64_t* out) const {
  for_each([=](const Graph& g, std::size_t node, std::size_t, std::size_t) {
    std::ranges::copy(g.labels(), out + node);
  });
}

void Batch::write_batch(std::int64_t* out) const {
  for_each([=](const Graph& g, std::size_t node, std::size_t, std::size_t place) {
    std::fill_n(out + node, g.num_nodes(), static_cast<std::int64_t>(place));
  });
}

void Batch::write_edge_index(std::int64_t* out) const {
  std::int64_t* const targets = out + num_lines();
  for_each([=](const Graph& g, std::size_t node, std::size_t line, std::size_t) {
    write_ends(g, static_cast<std::int64_t>(node), out + line, targets + line);
  });
}

template <typename T>
void Batch::write_edge_labels_as(T* out) const {
  if (!has_edge_labels()) {
    throw Error("the model reads labels of edges, and these graphs have none",
                "let labels of edges count (bonds=\"use\"), or take a model that does without");
  }
  for_each([=](const Graph& g, std::size_t, std::size_t line, std::size_t) {
    T* at = out + line;
    for (Node v = 0; v < g.num_nodes() && g.num_edges() > 0; ++v) {
      for (const Label label : g.edge_labels(v)) *at++ = static_cast<T>(label);
    }
  });
}

void Batch::write_edge_labels(std::int64_t* out) const { write_edge_labels_as(out); }

void Batch::write_node_rows(const std::byte* table, std::size_t rows, std::size_t width,
                            std::byte* out) const {
  for_each([=](const Graph& g, std::size_t node, std::size_t, std::size_t) {
    std::byte* at = out + node * width;
    for (const Label label : g.labels()) {
      if (label >= rows) refuse_label(label, rows, "nodes");
      std::memcpy(at, table + label * width, width);
      at += width;
    }
  });
}

void Batch::write_edge_rows(const std::byte* table, std::size_t rows, std::size_t width,
                            std::byte* out) const {
  std::vector<std::int64_t> labels(num_lines());
  write_edge_labels(labels.data());
  for (std::size_t l = 0; l < labels.size(); ++l) {
    const auto label = static_cast<std::size_t>(labels[l]);
    if (label >= rows) refuse_label(static_cast<Label>(label), rows, "edges");
    std::memcpy(out + l * width, table + label * width, width);
  }
}

void Batch::write_block(std::int32_t* out, bool edge_labels) const {
  std::int32_t* const graphs = out + num_nodes();
  std::int32_t* const sources = graphs + num_nodes();
  std::int32_t* const targets = sources + num_lines();
  for_each([=](const Graph& g, std::size_t node, std::size_t line, std::size_t place) {
    std::ranges::copy(g.labels(), out + node);
    std::fill_n(graphs + node, g.num_nodes(), static_cast<std::int32_t>(place));
    write_ends(g, static_cast<std::int32_t>(node), sources + line, targets + line);
  });
  if (edge_labels) write_edge_labels_as(sources + 2 * num_lines());
}

}  // namespace fewedits::python
