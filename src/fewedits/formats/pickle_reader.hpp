// SPDX-License-Identifier: MIT
// The restricted pickle interpreter behind checkpoint_reader. It never calls anything: the few
// callables it knows (OrderedDict, PyTorch's tensor rebuilders) are recognised by name and
// modelled as data; any other name is an Error. Internal to formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fewedits/base/byte_cursor.hpp"
#include "fewedits/base/tensor.hpp"

namespace fewedits {

/// The remedy for whatever else a checkpoint holds.
inline constexpr const char* kSaveStateDict =
    "save only the weights: torch.save(model.state_dict(), path), or use safetensors";

enum class PickleKind : std::uint8_t {
  kOpaque,       ///< None, booleans, floats, bytes, huge integers: nobody asks for them
  kInt,          ///< payload: the number
  kText,         ///< payload, count: position and length in the pickle
  kTuple,        ///< payload, count: range of the tuples' items
  kList,         ///< payload: index of the container; 0 while it is empty
  kDict,         ///< likewise, keys and values alternating; count is 1 for an OrderedDict
  kGlobal,       ///< payload: index in the list of permitted names
  kStorageType,  ///< payload: a DType
  kStorage,      ///< payload: PyTorch's description of a storage, a tuple
  kTensor        ///< payload: the arguments of PyTorch's rebuilder, a tuple
};

const char* describe(PickleKind kind);

/// Small on purpose: a pickle can make one with every byte.
struct PickleValue {
  PickleKind kind = PickleKind::kOpaque;
  std::uint32_t count = 0;
  std::int64_t payload = 0;
};

/// Worst are lists of one item each, 3 bytes that become two values, a container and its item.
inline constexpr std::uint64_t kPickleFactor = 40;

class PickleReader {
 public:
  /// Values live in an arena and refer to each other by index: cycles cost nothing, and
  /// nothing is ever destroyed recursively.
  using Index = std::uint32_t;

  /// Runs the pickle, which must outlive the reader; `origin` names it in errors. Memory is at
  /// most kPickleFactor times the size of the pickle, whatever it contains.
  PickleReader(std::string_view pickle, std::string origin);

  [[nodiscard]] const PickleValue& root() const { return values_[root_]; }
  [[nodiscard]] const PickleValue& operator[](Index index) const { return values_[index]; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

  [[nodiscard]] std::string_view text(const PickleValue& value) const;
  /// Elements of a list or tuple, keys and values of a dict, the tuple of a storage or tensor.
  [[nodiscard]] std::span<const Index> items(const PickleValue& value) const;

 private:
  using Items = std::vector<Index>;

  [[noreturn]] void fail(const std::string& message, const std::string& remedy) const;
  [[noreturn]] void fail_damaged(const std::string& message) const;
  [[noreturn]] void refuse_opcode(std::uint8_t opcode);
  [[noreturn]] void refuse_global(std::string_view module, std::string_view name) const;

  void run();
  // Opcodes by family; each returns false if the opcode is not of its family.
  bool do_frame(std::uint8_t opcode);
  bool do_constant(std::uint8_t opcode);
  bool do_text(std::uint8_t opcode);
  bool do_container(std::uint8_t opcode);
  bool do_memo(std::uint8_t opcode);
  bool do_object(std::uint8_t opcode);

  [[nodiscard]] Index top() const;
  Index pop();
  PickleValue pop(PickleKind kind);
  Items pop_to_mark();
  [[nodiscard]] PickleValue expect(const PickleValue& value, PickleKind kind) const;
  void check(Index index, PickleKind kind) const;
  std::string_view line();

  void push(PickleValue value);
  void push_int(std::int64_t number) { push({PickleKind::kInt, 0, number}); }
  void push_decimal(std::string_view digits);
  void push_long(std::uint32_t length);
  void push_text(std::uint64_t length);
  void push_bytes(std::uint64_t length);
  void push_tuple(const Items& items);
  void push_tuple_of(std::size_t count);
  void push_container(PickleKind kind, const Items& items, bool ordered = false);
  void put_memo(std::size_t slot);
  void push_memo(std::uint32_t slot);
  void push_global(std::string_view module, std::string_view name);
  void push_argument(std::span<const Index> arguments, std::optional<PickleKind> kind);
  void push_ordered_dict(std::span<const Index> arguments);
  void extend(PickleKind kind, const Items& items);
  [[nodiscard]] Items pairs(Items items) const;
  void reduce();
  void build();

  std::string_view pickle_;
  std::string origin_;
  ByteCursor cursor_;
  std::size_t opcode_at_ = 0;
  Index root_ = 0;
  std::deque<PickleValue> values_;  // as a vector grows, there are three times as many for a moment
  Items tuple_items_;
  std::deque<Items> containers_{Items{}};  ///< the first one is that of all empty lists and dicts
  Items stack_;
  Items marks_;  ///< sizes of the stack
  Items memo_;   ///< by slot
  std::size_t copied_ = 0;
};

}  // namespace fewedits
