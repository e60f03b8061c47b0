// SPDX-License-Identifier: MIT
#include "fewedits/search/greed_evaluator.hpp"

#include <algorithm>
#include <utility>

namespace fewedits {
namespace {

/// Room for rounding in the triangle inequality; what passes is measured exactly.
constexpr float kRounding = 1e-3F;

}  // namespace

GreedEvaluator::GreedEvaluator(std::vector<Graph> inputs, const Classifier& classifier,
                               std::size_t desired_class, const GinEmbedder& embedder,
                               ThreadPool& pool)
    : ClassifyingEvaluator(std::move(inputs), classifier, desired_class),
      embedder_(embedder),
      embeddings_(this->inputs().size() * embedder.dimension()),
      base_(this->inputs().size()),
      place_(this->inputs().size()) {
  embedder_.embed(this->inputs(), embeddings_, pool);
}

std::vector<std::vector<double>> GreedEvaluator::distances(std::span<const Graph> graphs,
                                                           ThreadPool& pool) {
  const std::size_t dimension = embedder_.dimension();
  std::vector<float> embeddings(graphs.size() * dimension);
  embedder_.embed(graphs, embeddings, pool);
  std::vector<std::vector<double>> out(graphs.size(), std::vector<double>(inputs().size()));
  pool.for_chunks(graphs.size(), 1, [&](std::size_t g, std::size_t, int) {
    const auto own = std::span<const float>(embeddings).subspan(g * dimension, dimension);
    for (std::size_t i = 0; i < inputs().size(); ++i) {
      out[g][i] = normalised(embedding_distance(own, embedding_of_input(i)), graphs[g].size(), i);
    }
  });
  return out;
}

void GreedEvaluator::measure_from(std::span<const float> embedding, ThreadPool& pool) {
  pool.for_chunks(inputs().size(), 1024, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i) {
      base_[i] = embedding_distance(embedding, embedding_of_input(i));
    }
  });
}

std::vector<GreedEvaluator::Reach> GreedEvaluator::inputs_in_reach(std::size_t size, double theta,
                                                                   float largest_move) const {
  // An edit adds a node and an edge at most.
  const auto limit = [&](std::size_t i) {
    return static_cast<float>(theta * static_cast<double>(size + 2 + inputs()[i].size()));
  };
  std::vector<Reach> out;
  for (std::size_t i = 0; i < inputs().size(); ++i) {
    const float gap = base_[i] * (1 - kRounding) - limit(i);
    if (gap <= largest_move) out.push_back({gap, static_cast<std::uint32_t>(i)});
  }
  std::sort(out.begin(), out.end(), [](const Reach& a, const Reach& b) {
    return a.gap != b.gap ? a.gap < b.gap : a.input < b.input;
  });
  return out;
}

void GreedEvaluator::look_at(const Neighbourhood& of, std::size_t first,
                             std::span<const Graph> graphs, double theta, ThreadPool& pool) {
  const std::size_t count = graphs.size();
  const std::size_t dimension = embedder_.dimension();
  slice_.resize(count * dimension);
  embedder_.embed_neighbours(of.graph, std::span(of.edits).subspan(first, count), slice_, pool);
  const auto embedding = [&](std::size_t i) {
    return std::span<const float>(slice_).subspan(i * dimension, dimension);
  };
  if (first == 0) {  // the graph itself
    covers_.clear();
    own_.assign(embedding(0).begin(), embedding(0).end());
    measure_from(own_, pool);
  }
  std::vector<float> moved(count);
  for (std::size_t i = 0; i < count; ++i) {
    moved[i] = embedding_distance(own_, embedding(i)) * (1 + kRounding) + kRounding;
  }
  const float largest_move = *std::max_element(moved.begin(), moved.end());
  const std::vector<Reach> reach = inputs_in_reach(of.graph.size(), theta, largest_move);
  constexpr std::size_t kChunk = 64;
  std::vector<std::vector<Cover>> found((count + kChunk - 1) / kChunk);
  pool.for_chunks(count, kChunk, [&](std::size_t begin, std::size_t end, int) {
    std::vector<Cover>& covers = found[begin / kChunk];
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t size = graphs[i].size();
      for (const Reach& near : reach) {
        if (near.gap > moved[i]) break;
        const float estimate = embedding_distance(embedding(i), embedding_of_input(near.input));
        if (normalised(estimate, size, near.input) > theta) continue;
        covers.push_back({static_cast<std::uint32_t>(first + i), near.input});
      }
    }
  });
  for (const auto& part : found) covers_.insert(covers_.end(), part.begin(), part.end());
}

/// Turns the list into rows of bits over the inputs that occur.
void GreedEvaluator::find_covers(double /*theta*/, Neighbourhood& out, ThreadPool& /*pool*/) {
  std::fill(place_.begin(), place_.end(), 0);
  for (const Cover& c : covers_) place_[c.input] = 1;
  for (std::uint32_t i = 0; i < place_.size(); ++i) {
    if (place_[i] == 0) continue;
    place_[i] = static_cast<std::uint32_t>(out.active.size());
    out.active.push_back(i);
  }
  out.words = (out.active.size() + 63) / 64;
  out.bits.assign(out.size() * out.words, 0);
  for (const Cover& c : covers_) {
    const std::uint32_t j = place_[c.input];
    out.bits[c.entry * out.words + j / 64] |= std::uint64_t{1} << (j % 64);
  }
}

}  // namespace fewedits
