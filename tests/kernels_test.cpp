// SPDX-License-Identifier: MIT
// The scalar kernels against the formulas, computed slowly in double precision; every vectorised
// kernel against its scalar twin; on shapes that hit all strips and blocks.
#include "fewedits/classifier/native/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "fewedits/base/error.hpp"
#include "fewedits/classifier/native/packed.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

// ---- The formulas of kernels.hpp, one output at a time ------------------------------------------

/// A matrix of floats that is read as doubles.
struct Table {
  const float* x;
  std::size_t width;
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return x[row * width + column];
  }
};

using Formula = std::function<double(std::size_t row, std::size_t column)>;

void fill(std::size_t rows, std::size_t width, float* out, const Formula& formula) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < width; ++c) out[r * width + c] = static_cast<float>(formula(r, c));
  }
}

Formula finished(const Epilogue& e, std::size_t width, Formula before) {
  return [=, before = std::move(before)](std::size_t r, std::size_t c) {
    double value = before(r, c);
    if (e.add != nullptr) value += Table{e.add, width}.at(r, c);
    if (e.bias != nullptr) value += e.bias[c];
    return e.relu && value < 0 ? 0 : value;
  };
}

/// Also for an A of which much is zero: nothing is skipped.
void slow_multiply(std::size_t rows, std::size_t inner, std::size_t width, const float* a,
                   std::size_t lda, const float* b, const Epilogue& epilogue, float* c) {
  fill(rows, width, c, finished(epilogue, width, [&](std::size_t r, std::size_t column) {
         double sum = 0;
         for (std::size_t k = 0; k < inner; ++k) {
           sum += Table{a, lda}.at(r, k) * Table{b, width}.at(k, column);
         }
         return sum;
       }));
}

double looked_up(const Lookup& x, std::size_t width, std::size_t row, std::size_t column) {
  return Table{x.x, width}.at(x.index == nullptr ? row : x.index[row], column);
}

void slow_gather(std::size_t rows, std::size_t width, const Lookup& x, float* out) {
  fill(rows, width, out, [&](std::size_t r, std::size_t c) { return looked_up(x, width, r, c); });
}

void slow_aggregate(const Rows& graph, std::size_t width, const Lookup& x, const float* weight,
                    float self, const float* scale, const Epilogue& epilogue, float* out) {
  fill(graph.count, width, out, finished(epilogue, width, [&](std::size_t r, std::size_t c) {
         const auto weighted = [&](std::size_t node) {
           return (weight == nullptr ? 1.0 : double{weight[node]}) * looked_up(x, width, node, c);
         };
         double sum = double{self} * weighted(graph.nodes == nullptr ? r : graph.nodes[r]);
         for (std::uint32_t i = graph.offsets[r]; i < graph.offsets[r + 1]; ++i) {
           sum += weighted(graph.targets[i]);
         }
         return scale == nullptr ? sum : double{scale[r]} * sum;
       }));
}

void slow_aggregate_max(const Rows& graph, std::size_t width, const float* x, float* out) {
  fill(graph.count, width, out, [&](std::size_t r, std::size_t c) {
    if (graph.offsets[r] == graph.offsets[r + 1]) return 0.0;
    double most = -INFINITY;
    for (std::uint32_t i = graph.offsets[r]; i < graph.offsets[r + 1]; ++i) {
      most = std::max(most, Table{x, width}.at(graph.targets[i], c));
    }
    return most;
  });
}

void slow_add_scaled(std::size_t width, float factor, const float* x, float* y) {
  fill(1, width, y,
       [&](std::size_t, std::size_t c) { return double{y[c]} + double{factor} * double{x[c]}; });
}

void slow_column_max(std::size_t rows, std::size_t width, const float* x, float* out) {
  fill(1, width, out, [&](std::size_t, std::size_t c) {
    double most = -INFINITY;
    for (std::size_t r = 0; r < rows; ++r) most = std::max(most, Table{x, width}.at(r, c));
    return most;
  });
}

void slow_column_sum(std::size_t rows, std::size_t width, const float* x, float* out) {
  fill(1, width, out, [&](std::size_t, std::size_t c) {
    double sum = 0;
    for (std::size_t r = 0; r < rows; ++r) sum += Table{x, width}.at(r, c);
    return sum;
  });
}

void slow_aggregate_edges(const Rows& graph, std::size_t width, const float* x, const float* edges,
                          const std::uint32_t* labels, float self, float* out) {
  fill(graph.count, width, out, [&](std::size_t r, std::size_t c) {
    double sum = double{self} * Table{x, width}.at(r, c);
    for (std::uint32_t i = graph.offsets[r]; i < graph.offsets[r + 1]; ++i) {
      sum += std::max(
          0.0, Table{x, width}.at(graph.targets[i], c) + Table{edges, width}.at(labels[i], c));
    }
    return sum;
  });
}

constexpr Kernels kSlow{"slow",          slow_multiply,       slow_multiply,   slow_gather,
                        slow_aggregate,  slow_aggregate_max,  slow_add_scaled, slow_column_max,
                        slow_column_sum, slow_aggregate_edges};

// ---- Comparisons --------------------------------------------------------------------------------

Floats random_floats(Rng& rng, std::size_t count) {
  Floats values(count);
  for (float& x : values) x = static_cast<float>(rng.uniform() * 2 - 1);
  return values;
}

void expect_close(const Floats& expected, const Floats& actual, const char* what) {
  ASSERT_EQ(expected.size(), actual.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(expected[i], actual[i], 1e-5 * (1 + std::abs(expected[i]))) << what << " at " << i;
  }
}

/// Kernels, and those they are held against.
struct Compared {
  const Kernels* tested;
  const Kernels* expected;
};

std::vector<Compared> comparisons() {
  std::vector<Compared> all;
  for (const Kernels* table : available_kernels()) {
    all.push_back({table, table == &scalar_kernels() ? &kSlow : &scalar_kernels()});
  }
  return all;
}

class KernelsTest : public testing::TestWithParam<Compared> {
 protected:
  const Kernels& expected_ = *GetParam().expected;
  const Kernels& tested_ = *GetParam().tested;
  Rng rng_{17};
};

TEST_P(KernelsTest, ProductsAgree) {
  for (const std::size_t rows : {1UL, 2UL, 3UL, 7UL, 8UL, 15UL, 30UL}) {
    for (const std::size_t inner : {1UL, 10UL, 20UL, 64UL}) {
      for (const std::size_t width : {8UL, 16UL, 24UL, 32UL, 40UL, 48UL, 64UL, 136UL}) {
        const std::size_t lda = padded(inner);
        const Floats a = random_floats(rng_, rows * lda);
        const Floats b = random_floats(rng_, inner * width);
        const Floats bias = random_floats(rng_, width);
        const Floats add = random_floats(rng_, rows * width);
        for (const Epilogue& e :
             {Epilogue{}, Epilogue{bias.data(), nullptr, true},
              Epilogue{nullptr, add.data(), false}, Epilogue{bias.data(), add.data(), true}}) {
          Floats expected(rows * width, NAN);
          Floats actual(rows * width, NAN);
          expected_.multiply(rows, inner, width, a.data(), lda, b.data(), e, expected.data());
          tested_.multiply(rows, inner, width, a.data(), lda, b.data(), e, actual.data());
          expect_close(expected, actual, "multiply");
        }
      }
    }
  }
}

TEST_P(KernelsTest, SparseProductsAgree) {
  for (const std::size_t rows : {0UL, 1UL, 2UL, 9UL}) {
    for (const std::size_t inner : {1UL, 10UL, 64UL, 65UL, 130UL}) {
      for (const std::size_t width : {8UL, 24UL, 64UL, 72UL, 136UL}) {
        for (const double density : {0.0, 0.3, 1.0}) {
          const std::size_t lda = padded(inner);
          Floats a = random_floats(rng_, rows * lda);
          for (std::size_t i = 0; i < a.size(); ++i) {
            if (i % lda >= inner || !rng_.chance(density)) a[i] = 0;
          }
          const Floats b = random_floats(rng_, inner * width);
          const Floats bias = random_floats(rng_, width);
          const Floats add = random_floats(rng_, rows * width);
          for (const Epilogue& e : {Epilogue{}, Epilogue{bias.data(), add.data(), true}}) {
            Floats expected(rows * width, NAN);
            Floats actual(rows * width, NAN);
            expected_.multiply(rows, inner, width, a.data(), lda, b.data(), e, expected.data());
            tested_.multiply_sparse(rows, inner, width, a.data(), lda, b.data(), e, actual.data());
            expect_close(expected, actual, "multiply_sparse");
          }
        }
      }
    }
  }
}

TEST_P(KernelsTest, RowsOfSomeNodesAreThoseOfTheWholeGraph) {
  for (const std::size_t width : {8UL, 24UL, 64UL, 80UL}) {
    const Graph g = test::random_graph(rng_, 20, 15, 5);
    const Floats x = random_floats(rng_, 20 * width);
    const Floats weight = random_floats(rng_, 20);
    const std::vector<std::uint32_t> nodes{7, 3, 3, 19};
    std::vector<std::uint32_t> offsets{0};
    std::vector<std::uint32_t> targets;
    for (const std::uint32_t v : nodes) {
      const auto of = g.neighbours(v);
      targets.insert(targets.end(), of.begin(), of.end());
      offsets.push_back(static_cast<std::uint32_t>(targets.size()));
    }
    for (const float* w : {static_cast<const float*>(nullptr), weight.data()}) {
      Floats all(20 * width);
      Floats some(nodes.size() * width, NAN);
      expected_.aggregate({20, g.offsets().data(), g.targets().data()}, width, {x.data()}, w, 1.5F,
                          nullptr, {}, all.data());
      tested_.aggregate({nodes.size(), offsets.data(), targets.data(), nodes.data()}, width,
                        {x.data()}, w, 1.5F, nullptr, {}, some.data());
      Floats expected(some.size());
      expected_.gather(nodes.size(), width, {all.data(), nodes.data()}, expected.data());
      expect_close(expected, some, "aggregate");
    }
  }
}

TEST_P(KernelsTest, SumsMaximaAndLookupsAgree) {
  for (int round = 0; round < 60; ++round) {
    const auto nodes = static_cast<Node>(1 + rng_.below(40));
    Graph g = test::random_graph(rng_, nodes, rng_.below(30), 5, 4);
    // The first node has no neighbours.
    for (const Edge& e : g.edges()) {
      if (e.u == 0) g = g.without_edge(e.u, e.v);
    }
    const Rows rows{nodes, g.offsets().data(), g.targets().data()};
    const std::size_t width = kLane * (1 + rng_.below(9));
    const Floats x = random_floats(rng_, nodes * width);
    const Floats table = random_floats(rng_, 5 * width);
    const Floats weight = random_floats(rng_, nodes);
    const Floats bias = random_floats(rng_, width);
    const Floats add = random_floats(rng_, nodes * width);
    const Epilogue full{bias.data(), add.data(), true};
    for (const Lookup& from : {Lookup{x.data()}, Lookup{table.data(), g.labels().data()}}) {
      for (const float* w : {static_cast<const float*>(nullptr), weight.data()}) {
        Floats expected(nodes * width, NAN);
        Floats actual(nodes * width, NAN);
        expected_.aggregate(rows, width, from, w, 1.5F, w, full, expected.data());
        tested_.aggregate(rows, width, from, w, 1.5F, w, full, actual.data());
        expect_close(expected, actual, "aggregate");
      }
      Floats expected(nodes * width, NAN);
      Floats actual(nodes * width, NAN);
      expected_.gather(nodes, width, from, expected.data());
      tested_.gather(nodes, width, from, actual.data());
      expect_close(expected, actual, "gather");
    }
    Floats expected(nodes * width, NAN);
    Floats actual(nodes * width, NAN);
    expected_.aggregate_max(rows, width, x.data(), expected.data());
    tested_.aggregate_max(rows, width, x.data(), actual.data());
    expect_close(expected, actual, "aggregate_max");
    const Floats edges = random_floats(rng_, 4 * width);
    expected_.aggregate_edges(rows, width, x.data(), edges.data(), g.edge_labels().data(), 1.5F,
                              expected.data());
    tested_.aggregate_edges(rows, width, x.data(), edges.data(), g.edge_labels().data(), 1.5F,
                            actual.data());
    expect_close(expected, actual, "aggregate_edges");
  }
}

TEST_P(KernelsTest, ColumnReductionsAndScaledSumsAgree) {
  for (const std::size_t width : {8UL, 24UL, 72UL, 136UL}) {
    const Floats x = random_floats(rng_, 13 * width);
    Floats expected(width);
    Floats actual(width);
    expected_.column_max(13, width, x.data(), expected.data());
    tested_.column_max(13, width, x.data(), actual.data());
    expect_close(expected, actual, "column_max");
    expected_.column_sum(13, width, x.data(), expected.data());
    tested_.column_sum(13, width, x.data(), actual.data());
    expect_close(expected, actual, "column_sum");
    expected_.add_scaled(width, 0.3F, x.data(), expected.data());
    tested_.add_scaled(width, 0.3F, x.data(), actual.data());
    expect_close(expected, actual, "add_scaled");
  }
}

TEST_P(KernelsTest, NotANumberIsNeverHidden) {
  Floats x(3 * kLane, 1.0F);
  x[kLane + 2] = NAN;
  const float one[] = {1, 1, 1};
  Floats out(3 * kLane);
  tested_.multiply(3, 1, kLane, one, 1, x.data() + kLane, {nullptr, nullptr, true}, out.data());
  EXPECT_TRUE(std::isnan(out[2])) << "ReLU";
  const Floats row{NAN, 0, 0, 0, 0, 0, 0, 0};
  tested_.multiply_sparse(1, 1, kLane, row.data(), kLane, x.data(), {nullptr, nullptr, true},
                          out.data());
  EXPECT_TRUE(std::isnan(out[0])) << "it is not zero either";
  const Floats negative(kLane, -0.0F);
  tested_.multiply(1, 1, kLane, one, 1, negative.data(), {nullptr, nullptr, true}, out.data());
  Floats expected(kLane);
  expected_.multiply(1, 1, kLane, one, 1, negative.data(), {nullptr, nullptr, true},
                     expected.data());
  EXPECT_EQ(std::signbit(out[0]), std::signbit(expected[0]));
}

TEST(KernelTableTest, ScalarAgreesWithAHandComputedSum) {
  // A path 0–1–2 with x = (1, 10, 100): self 2, weights (1, 2, 3), scale (1, 1, 0.5).
  const std::vector<Label> labels(3, 0);
  const Graph path(labels, std::vector<Edge>{{0, 1}, {1, 2}});
  Floats x(3 * kLane, 0.0F);
  x[0] = 1;
  x[kLane] = 10;
  x[2 * kLane] = 100;
  const float weight[] = {1, 2, 3};
  const float scale[] = {1, 1, 0.5F};
  Floats out(3 * kLane);
  scalar_kernels().aggregate({3, path.offsets().data(), path.targets().data()}, kLane, {x.data()},
                             weight, 2.0F, scale, {}, out.data());
  EXPECT_EQ(out[0], 2 + 20);
  EXPECT_EQ(out[kLane], 1 + 40 + 300);
  EXPECT_EQ(out[2 * kLane], 0.5F * (20 + 600));
}

TEST(KernelTableTest, VectorisedKernelsWereCompared) {
  if (available_kernels().size() == 1) {
    GTEST_SKIP() << "this processor runs the scalar kernels only: the others were not tested";
  }
  for (const Compared& c : comparisons()) EXPECT_NE(c.tested, c.expected) << c.tested->name;
}

TEST(KernelTableTest, NamesAreResolvedOrRefused) {
  for (const Kernels* table : available_kernels()) {
    EXPECT_EQ(&kernels_by_name(table->name), table);
  }
  EXPECT_EQ(available_kernels().front(), &scalar_kernels());
  EXPECT_THROW(kernels_by_name("quantum"), Error);
}

INSTANTIATE_TEST_SUITE_P(All, KernelsTest, testing::ValuesIn(comparisons()),
                         [](const auto& test) { return std::string(test.param.tested->name); });

}  // namespace
}  // namespace fewedits
