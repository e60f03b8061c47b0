// SPDX-License-Identifier: MIT
// Any bytes as a saved run: an Error, or a run that is written as the very same bytes and can be
// put back. The first byte chooses:
//   'f'  the rest is a whole file;
//   'p'  the rest is what the checksum is of: sealed here, since the fuzzer cannot guess it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fewedits/base/error.hpp"
#include "fewedits/base/sha256.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/search/run_file.hpp"
#include "fewedits/search/state.hpp"
#include "fewedits/search/walk/visits.hpp"

namespace {

constexpr std::size_t kInputs = 4;
constexpr std::size_t kLabels = 3;

std::string make_file(std::string_view input) {
  if (input.empty()) return {};
  const std::string_view rest = input.substr(1);
  if (input[0] == 'f') return std::string(rest);
  // Magic and version, as the program writes them.
  static const std::string head =
      fewedits::run_file_bytes({{}, fewedits::SavedSearch(fewedits::SearchState())}).substr(0, 16);
  std::string out = head;
  for (std::size_t i = 0; i < 8; ++i) out += static_cast<char>(rest.size() >> (8 * i));
  return out.append(fewedits::sha256_hex(rest)).append(rest);
}

void put_back(const fewedits::WalkState& state) {
  fewedits::Visits visits(1000, 2, kInputs);
  for (fewedits::VisitedGraph graph : state.visited) {
    const fewedits::Identity identity(graph.graph);
    graph.graph = identity.canonical();
    graph.hash = identity.hash();
    visits.restore(std::move(graph));
  }
  if (visits.covered() > kInputs || visits.candidates().size() > 2) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file = make_file({reinterpret_cast<const char*>(data), size});
  try {
    const fewedits::RunFile run = fewedits::parse_run_file(file, "fuzz.fewedits", kInputs, kLabels);
    if (fewedits::run_file_bytes(run) != file) std::abort();
    fewedits::check_settings(run.settings, fewedits::parse_run_settings(file, "fuzz.fewedits"),
                             "fuzz.fewedits");
    put_back(run.search.state().walk);
  } catch (const fewedits::Error&) {
    // The expected answer to nonsense.
  }
  return 0;
}
