// SPDX-License-Identifier: MIT
// Where tests find material that is not part of the project, and random graphs for them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "fewedits/base/rng.hpp"
#include "fewedits/graph/graph.hpp"

namespace fewedits::test {

/// $FEWEDITS_SHARED, else ../shared beside the checkout.
std::filesystem::path shared_root();

/// A connected-ish random graph: a random tree plus `extra` further edges where possible.
Graph random_graph(Rng& rng, Node nodes, std::size_t extra_edges, Label labels,
                   Label edge_labels = 0);

std::vector<Node> random_permutation(Rng& rng, Node nodes);

/// A folder of its own under the system's temporary one, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Writes a file inside and returns its path.
  std::filesystem::path write(const std::string& name, const std::string& content) const;

 private:
  std::filesystem::path path_;
};

}  // namespace fewedits::test

/// Skips the test, saying so, when the shared file or folder is absent.
#define FEWEDITS_REQUIRE_SHARED(relative)                                           \
  if (!std::filesystem::exists(fewedits::test::shared_root() / (relative)))         \
  GTEST_SKIP() << "needs " << (fewedits::test::shared_root() / (relative)).string() \
               << ", which is not here; set FEWEDITS_SHARED to the folder that holds it"
