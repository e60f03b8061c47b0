// SPDX-License-Identifier: MIT
#include "fewedits/formats/dataset_description.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "fewedits/base/byte_cursor.hpp"
#include "fewedits/base/byte_writer.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/base/terminal_text.hpp"
#include "fewedits/formats/dataset_block.hpp"
#include "fewedits/formats/metadata.hpp"

namespace fewedits {
namespace {

constexpr const char* kRemedy = "the file is damaged or cut off; copy or save it again";

enum Flag : std::uint32_t {
  kHasClasses = 1,
  kHasNames = 2,
  kHasPlaces = 4,
  kNumbersAreOurs = 8,
  kExplicitHydrogens = 16,
  kIgnoredCharges = 32,
  kMolecules = 64,
  kAllFlags = 127
};

std::uint32_t flags_of(const StoredDataset& dataset) {
  const BlockForm form = block_form(dataset.raw);
  return (form.has_classes ? kHasClasses : 0U) | (form.has_names ? kHasNames : 0U) |
         (form.has_places ? kHasPlaces : 0U) | (dataset.numbers_are_ours ? kNumbersAreOurs : 0U) |
         (dataset.reading.explicit_hydrogens ? kExplicitHydrogens : 0U) |
         (dataset.reading.ignore_charges ? kIgnoredCharges : 0U) |
         (dataset.reading.molecules ? kMolecules : 0U);
}

void append_values(const std::vector<NamedValue>& list, ByteWriter& out) {
  out.number<std::uint64_t>(list.size());
  for (const NamedValue& v : list) {
    out.number(v.value);
    out.text(v.name);
  }
}

class DescriptionReader {
 public:
  DescriptionReader(std::string_view bytes, const std::string& origin)
      : cursor_(bytes, origin, "the description of the dataset", kRemedy), origin_(origin) {}

  StoredDataset read(StoredLists& lists) {
    StoredDataset out;
    flags_ = cursor_.number<std::uint32_t>();
    if ((flags_ & ~std::uint32_t{kAllFlags}) != 0) fail("has flags that nobody knows");
    out.numbers_are_ours = has(kNumbersAreOurs);
    out.reading.explicit_hydrogens = has(kExplicitHydrogens);
    out.reading.ignore_charges = has(kIgnoredCharges);
    out.reading.molecules = has(kMolecules);
    lists = {has(kHasClasses), has(kHasNames), has(kHasPlaces)};
    out.raw.left_out = cursor_.number<std::uint64_t>();
    out.raw.name = shown();
    out.reading.label_column = text();
    out.raw.node_labels = values();
    out.raw.edge_labels = values();
    out.raw.class_names = values();
    const std::uint64_t notes = count(8);
    for (std::uint64_t i = 0; i < notes; ++i) out.raw.notes.push_back(text());
    out.metadata = parse_metadata(text(), origin_);
    if (cursor_.remaining() > 0) fail("goes on after its end");
    // The metadata names what words stand for; otherwise the numbers of the classes are not ours.
    if (out.numbers_are_ours && out.raw.class_names.empty()) fail("has no words for its classes");
    return out;
  }

 private:
  [[nodiscard]] bool has(Flag flag) const { return (flags_ & flag) != 0; }
  [[noreturn]] void fail(const char* problem) const {
    throw Error({origin_}, std::string("the description of the dataset ") + problem, kRemedy);
  }

  std::string text() { return std::string(cursor_.take(cursor_.number<std::uint64_t>())); }
  std::string shown() {
    std::string value = text();
    if (printable(value) != value) fail("has control characters in a name");
    return value;
  }
  /// A number of things of at least `bytes` bytes each that are still to come.
  std::uint64_t count(std::size_t bytes) {
    const auto value = cursor_.number<std::uint64_t>();
    if (value > cursor_.remaining() / bytes) fail("announces more than it holds");
    return value;
  }
  /// Tables of values ascend.
  std::vector<NamedValue> values() {
    std::vector<NamedValue> out(static_cast<std::size_t>(count(16)));
    for (NamedValue& v : out) {
      v.value = cursor_.number<std::int64_t>();
      v.name = shown();
    }
    const auto before = [](const NamedValue& a, const NamedValue& b) { return a.value >= b.value; };
    if (std::ranges::adjacent_find(out, before) != out.end()) fail("has values out of order");
    return out;
  }

  ByteCursor cursor_;
  const std::string& origin_;
  std::uint32_t flags_ = 0;
};

}  // namespace

std::string description_bytes(const StoredDataset& dataset) {
  ByteWriter out;
  out.number(flags_of(dataset));
  out.number<std::uint64_t>(dataset.raw.left_out);
  out.text(printable(dataset.raw.name));
  out.text(dataset.reading.label_column);
  append_values(dataset.raw.node_labels, out);
  append_values(dataset.raw.edge_labels, out);
  append_values(dataset.raw.class_names, out);
  out.number<std::uint64_t>(dataset.raw.notes.size());
  for (const std::string& note : dataset.raw.notes) out.text(note);
  out.text(to_json(dataset.metadata));
  return out.take();
}

StoredDataset read_description(std::string_view bytes, const std::string& origin,
                               StoredLists& lists) {
  return DescriptionReader(bytes, origin).read(lists);
}

}  // namespace fewedits
