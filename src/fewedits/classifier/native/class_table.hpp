// SPDX-License-Identifier: MIT
// Numbers for the classes of a refinement, handed out as their members are met. Internal to
// classifier/native.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace fewedits {

/// A node's signature one level up is mix_signature(own_share(its own) + Σ its neighbours').
inline std::uint64_t mix_signature(std::uint64_t x) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(x ^ 0x9e3779b97f4a7c15ULL) * 0xd1342543de82ef95ULL;
  return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
}
inline std::uint64_t own_share(std::uint64_t signature) {
  return signature * 0xa54ff53a5f1d36f1ULL;
}
inline std::uint64_t label_signature(std::uint32_t label) { return mix_signature(label + 1ULL); }

/// PERF NOTE: plain pointers in a local object, which the compiler keeps in registers; vectors it
/// would have to look up again after every store, a tenth of all time.
struct ClassTable {
  static constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t* table;  ///< open addressing: class by signature
  std::size_t mask;
  // The level that is made; offsets[0] is 0.
  std::uint32_t* parent;
  std::uint32_t* offsets;
  std::uint32_t* targets;
  std::uint64_t* signature;
  std::uint32_t classes = 0;

  /// Where the classes of the next node's neighbours go, before it is interned.
  [[nodiscard]] std::uint32_t* staged() const { return targets + offsets[classes]; }

  /// The class of the node whose neighbours were staged, a new one if there is none yet. Equal
  /// signatures are only a hint.
  std::uint32_t intern(std::uint64_t of_node, std::uint32_t own, std::uint32_t degree) {
    std::size_t slot = of_node & mask;
    for (; table[slot] != kFree; slot = (slot + 1) & mask) {
      if (is_class(table[slot], of_node, own, degree)) return table[slot];
    }
    table[slot] = classes;
    signature[classes] = of_node;
    parent[classes] = own;
    offsets[classes + 1] = offsets[classes] + degree;
    return classes++;
  }

 private:
  [[nodiscard]] bool is_class(std::uint32_t known, std::uint64_t of_node, std::uint32_t own,
                              std::uint32_t degree) const {
    if (signature[known] != of_node || parent[known] != own ||
        offsets[known + 1] - offsets[known] != degree) {
      return false;
    }
    // Two or three entries: a loop, where std::equal would call memcmp.
    std::uint32_t same = 0;
    while (same < degree && targets[offsets[known] + same] == targets[offsets[classes] + same]) {
      ++same;
    }
    return same == degree;
  }
};

}  // namespace fewedits
