// SPDX-License-Identifier: MIT
// Any text as a file of molecules, the first byte chooses the format: an Error, or records that
// hold no more than the text. What RDKit makes of them is not looked at here.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fewedits/base/error.hpp"
#include "fewedits/formats/molecule_classes.hpp"
#include "fewedits/formats/molecule_records.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array<const char*, 3> kFiles = {"fuzz.smi", "fuzz.csv", "fuzz.sdf"};
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    std::size_t bytes = 0;
    std::int64_t last = 0;
    auto records = fewedits::parse_molecule_records(text, kFiles[data[0] % kFiles.size()]);
    for (const auto& record : records) {
      if (record.line <= last || record.text.find('\0') != std::string::npos) std::abort();
      last = record.line;
      bytes += record.text.size();
    }
    if (bytes > text.size() + 1) std::abort();  // a last line without its end gets one
    fewedits::RawDataset classes;
    fewedits::take_classes(records, fewedits::Unclassified::kMistake, "fuzz", classes);
    if (!classes.graph_labels.empty() && classes.graph_labels.size() != records.size())
      std::abort();
  } catch (const fewedits::Error&) {
    // The expected answer to nonsense.
  }
  return 0;
}
