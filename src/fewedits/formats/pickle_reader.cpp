// SPDX-License-Identifier: MIT
// Opcodes after CPython's Lib/pickletools.py, protocols 2 to 5.
#include "fewedits/formats/pickle_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/text.hpp"

namespace fewedits {
namespace {

using Kind = PickleKind;

const char* const kWhatIsRead =
    "refused; only tensors, dicts, lists, tuples, numbers and strings are read";

/// What a permitted name stands for. Everything not in the list below is refused.
enum class Role { kOrderedDict, kRebuildTensor, kRebuildParameter, kSize, kTypeTag, kConstant };

struct Global {
  std::string_view module;
  std::string_view name;
  Role role;
};

constexpr Global kGlobals[] = {
    {"collections", "OrderedDict", Role::kOrderedDict},
    {"torch._utils", "_rebuild_tensor", Role::kRebuildTensor},
    {"torch._utils", "_rebuild_tensor_v2", Role::kRebuildTensor},
    {"torch._utils", "_rebuild_parameter", Role::kRebuildParameter},
    {"torch", "Size", Role::kSize},
    // libtorch (C++) wraps every dict in it: (dict, "Dict[str, Tensor]").
    {"torch.jit._pickle", "restore_type_tag", Role::kTypeTag},
    // Options saved beside the weights may mention a dtype.
    {"torch", "float16", Role::kConstant},
    {"torch", "bfloat16", Role::kConstant},
    {"torch", "float32", Role::kConstant},
    {"torch", "float64", Role::kConstant},
    {"torch", "int8", Role::kConstant},
    {"torch", "uint8", Role::kConstant},
    {"torch", "int16", Role::kConstant},
    {"torch", "int32", Role::kConstant},
    {"torch", "int64", Role::kConstant},
    {"torch", "bool", Role::kConstant},
};

/// Classes of module torch.
constexpr std::pair<std::string_view, DType> kStorageTypes[] = {
    {"HalfStorage", DType::kFloat16},  {"BFloat16Storage", DType::kBFloat16},
    {"FloatStorage", DType::kFloat32}, {"DoubleStorage", DType::kFloat64},
    {"CharStorage", DType::kInt8},     {"ByteStorage", DType::kUInt8},
    {"ShortStorage", DType::kInt16},   {"IntStorage", DType::kInt32},
    {"LongStorage", DType::kInt64},    {"BoolStorage", DType::kBool},
};

constexpr PickleReader::Index kNoValue = ~PickleReader::Index{0};

}  // namespace

const char* describe(PickleKind kind) {
  switch (kind) {
    case Kind::kOpaque: return "a plain value";
    case Kind::kInt: return "a number";
    case Kind::kText: return "a string";
    case Kind::kTuple: return "a tuple";
    case Kind::kList: return "a list";
    case Kind::kDict: return "a dict";
    case Kind::kGlobal: return "a name";
    case Kind::kStorageType: return "a storage type";
    case Kind::kStorage: return "a storage";
    case Kind::kTensor: return "a tensor";
  }
  return "";
}

PickleReader::PickleReader(std::string_view pickle, std::string origin)
    : pickle_(pickle), origin_(std::move(origin)), cursor_(pickle, origin_, "the pickle") {
  if (pickle.size() > std::numeric_limits<std::uint32_t>::max()) {
    fail("the pickle is larger than 4 GiB", kSaveStateDict);
  }
  run();
}

std::string_view PickleReader::text(const PickleValue& value) const {
  return pickle_.substr(static_cast<std::size_t>(value.payload), value.count);
}

std::span<const PickleReader::Index> PickleReader::items(const PickleValue& value) const {
  const auto at = static_cast<std::size_t>(value.payload);
  if (value.kind == Kind::kStorage || value.kind == Kind::kTensor) return items(values_[at]);
  if (value.kind == Kind::kTuple) return std::span(tuple_items_).subspan(at, value.count);
  return containers_[at];
}

void PickleReader::fail(const std::string& message, const std::string& remedy) const {
  throw Error(Location{origin_}, fmt::format("{} (byte {} of the pickle)", message, opcode_at_),
              remedy);
}

void PickleReader::fail_damaged(const std::string& message) const {
  fail("the pickle is damaged: " + message, "copy or download the file again");
}

// --- opcodes ---

void PickleReader::run() {
  for (;;) {
    opcode_at_ = cursor_.position();
    const auto opcode = cursor_.number<std::uint8_t>();
    if (opcode == '.') break;  // STOP
    if (!do_frame(opcode) && !do_constant(opcode) && !do_text(opcode) && !do_container(opcode) &&
        !do_memo(opcode) && !do_object(opcode)) {
      refuse_opcode(opcode);
    }
  }
  root_ = pop();
}

bool PickleReader::do_frame(std::uint8_t opcode) {
  switch (opcode) {
    case 0x80: {  // PROTO
      const auto protocol = cursor_.number<std::uint8_t>();
      if (protocol >= 2 && protocol <= 5) return true;
      fail(fmt::format("pickle protocol {} is not supported", protocol), kSaveStateDict);
    }
    case 0x95: cursor_.skip(8); return true;                                     // FRAME
    case '(': marks_.push_back(static_cast<Index>(stack_.size())); return true;  // MARK
    case '0': pop(); return true;                                                // POP
    case '1': pop_to_mark(); return true;                                        // POP_MARK
    case '2': stack_.push_back(top()); return true;                              // DUP
    default: return false;
  }
}

bool PickleReader::do_constant(std::uint8_t opcode) {
  switch (opcode) {
    case 'N':                                                            // NONE
    case 0x88:                                                           // NEWTRUE
    case 0x89: push({}); return true;                                    // NEWFALSE
    case 'G': push_bytes(8); return true;                                // BINFLOAT
    case 'J': push_int(cursor_.number<std::int32_t>()); return true;     // BININT
    case 'K': push_int(cursor_.number<std::uint8_t>()); return true;     // BININT1
    case 'M': push_int(cursor_.number<std::uint16_t>()); return true;    // BININT2
    case 'I': push_decimal(line()); return true;                         // INT
    case 0x8a: push_long(cursor_.number<std::uint8_t>()); return true;   // LONG1
    case 0x8b: push_long(cursor_.number<std::uint32_t>()); return true;  // LONG4
    default: return false;
  }
}

bool PickleReader::do_text(std::uint8_t opcode) {
  switch (opcode) {
    case 'U':                                                             // SHORT_BINSTRING
    case 0x8c: push_text(cursor_.number<std::uint8_t>()); return true;    // SHORT_BINUNICODE
    case 'T':                                                             // BINSTRING
    case 'X': push_text(cursor_.number<std::uint32_t>()); return true;    // BINUNICODE
    case 0x8d: push_text(cursor_.number<std::uint64_t>()); return true;   // BINUNICODE8
    case 'C': push_bytes(cursor_.number<std::uint8_t>()); return true;    // SHORT_BINBYTES
    case 'B': push_bytes(cursor_.number<std::uint32_t>()); return true;   // BINBYTES
    case 0x8e: push_bytes(cursor_.number<std::uint64_t>()); return true;  // BINBYTES8
    default: return false;
  }
}

bool PickleReader::do_container(std::uint8_t opcode) {
  switch (opcode) {
    case '}': push_container(Kind::kDict, {}); return true;                    // EMPTY_DICT
    case ']': push_container(Kind::kList, {}); return true;                    // EMPTY_LIST
    case ')': push_tuple_of(0); return true;                                   // EMPTY_TUPLE
    case 0x85: push_tuple_of(1); return true;                                  // TUPLE1
    case 0x86: push_tuple_of(2); return true;                                  // TUPLE2
    case 0x87: push_tuple_of(3); return true;                                  // TUPLE3
    case 't': push_tuple(pop_to_mark()); return true;                          // TUPLE
    case 'l': push_container(Kind::kList, pop_to_mark()); return true;         // LIST
    case 'd': push_container(Kind::kDict, pairs(pop_to_mark())); return true;  // DICT
    case 'a': extend(Kind::kList, {pop()}); return true;                       // APPEND
    case 'e': extend(Kind::kList, pop_to_mark()); return true;                 // APPENDS
    case 'u': extend(Kind::kDict, pairs(pop_to_mark())); return true;          // SETITEMS
    case 's': {                                                                // SETITEM
      const Index value = pop();
      const Index key = pop();
      extend(Kind::kDict, {key, value});
      return true;
    }
    default: return false;
  }
}

bool PickleReader::do_memo(std::uint8_t opcode) {
  switch (opcode) {
    case 'q': put_memo(cursor_.number<std::uint8_t>()); return true;    // BINPUT
    case 'r': put_memo(cursor_.number<std::uint32_t>()); return true;   // LONG_BINPUT
    case 0x94: put_memo(memo_.size()); return true;                     // MEMOIZE
    case 'h': push_memo(cursor_.number<std::uint8_t>()); return true;   // BINGET
    case 'j': push_memo(cursor_.number<std::uint32_t>()); return true;  // LONG_BINGET
    default: return false;
  }
}

bool PickleReader::do_object(std::uint8_t opcode) {
  switch (opcode) {
    case 'c': {  // GLOBAL
      const std::string_view module = line();
      push_global(module, line());
      return true;
    }
    case 0x93: {  // STACK_GLOBAL
      const PickleValue name = pop(Kind::kText);
      const PickleValue module = pop(Kind::kText);
      push_global(text(module), text(name));
      return true;
    }
    case 'Q': {  // BINPERSID
      const Index id = pop();
      check(id, Kind::kTuple);
      push({Kind::kStorage, 0, id});
      return true;
    }
    case 'R': reduce(); return true;  // REDUCE
    case 'b': build(); return true;   // BUILD
    default: return false;
  }
}

/// Opcodes that make objects of classes get an error that says so; the rest is unknown.
void PickleReader::refuse_opcode(std::uint8_t opcode) {
  if (opcode == 'i') {  // INST
    const std::string_view module = line();
    refuse_global(module, line());
  }
  const char* name = nullptr;
  if (opcode == 'o') name = "OBJ";
  if (opcode == 0x81) name = "NEWOBJ";
  if (opcode == 0x92) name = "NEWOBJ_EX";
  if (name != nullptr) {
    fail(fmt::format("the checkpoint wants to create an object (opcode {}): {}", name, kWhatIsRead),
         kSaveStateDict);
  }
  fail(fmt::format("pickle opcode 0x{:02x} is unknown: {}", opcode, kWhatIsRead), kSaveStateDict);
}

// --- stack and values ---

PickleReader::Index PickleReader::top() const {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) fail_damaged("its stack is empty");
  return stack_.back();
}

PickleReader::Index PickleReader::pop() {
  const Index value = top();
  stack_.pop_back();
  return value;
}

PickleValue PickleReader::pop(PickleKind kind) { return expect(values_[pop()], kind); }

PickleValue PickleReader::expect(const PickleValue& value, PickleKind kind) const {
  if (value.kind == kind) return value;
  fail_damaged(fmt::format("{} where {} is needed", describe(value.kind), describe(kind)));
}

void PickleReader::check(Index index, PickleKind kind) const {
  static_cast<void>(expect(values_[index], kind));
}

/// Everything above the last mark, which goes too.
PickleReader::Items PickleReader::pop_to_mark() {
  if (marks_.empty()) fail_damaged("there is no mark");
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  Items items(begin, stack_.end());
  stack_.erase(begin, stack_.end());
  marks_.pop_back();
  return items;
}

std::string_view PickleReader::line() {
  const std::size_t begin = cursor_.position();
  const std::size_t end = pickle_.find('\n', begin);
  if (end == std::string_view::npos) fail_damaged("a line does not end");
  cursor_.skip(end + 1 - begin);
  return pickle_.substr(begin, end - begin);
}

void PickleReader::push(PickleValue value) {
  stack_.push_back(static_cast<Index>(values_.size()));
  values_.push_back(value);
}

void PickleReader::push_decimal(std::string_view digits) {
  if (digits == "00" || digits == "01") return push({});  // old pickles' booleans
  const auto number = number_in<std::int64_t>(digits);
  if (!number) fail_damaged(in_quotes(std::string(digits)) + " is not a number");
  push_int(*number);
}

void PickleReader::push_long(std::uint32_t length) {
  const std::string_view bytes = cursor_.take(length);
  if (length > 8) return push({});
  // Two's complement, little-endian: the sign of the last byte fills the rest.
  const bool negative = length > 0 && (static_cast<unsigned char>(bytes.back()) & 0x80U) != 0;
  std::int64_t number = negative ? -1 : 0;
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(&number));
  push_int(number);
}

void PickleReader::push_text(std::uint64_t length) {
  const std::size_t begin = cursor_.position();
  cursor_.skip(length);
  push({Kind::kText, static_cast<std::uint32_t>(length), static_cast<std::int64_t>(begin)});
}

void PickleReader::push_bytes(std::uint64_t length) {
  cursor_.skip(length);
  push({});
}

void PickleReader::push_tuple(const Items& items) {
  push({Kind::kTuple, static_cast<std::uint32_t>(items.size()),
        static_cast<std::int64_t>(tuple_items_.size())});
  tuple_items_.insert(tuple_items_.end(), items.begin(), items.end());
}

void PickleReader::push_tuple_of(std::size_t count) {
  Items items(count);
  for (std::size_t i = count; i-- > 0;) items[i] = pop();
  push_tuple(items);
}

void PickleReader::push_container(PickleKind kind, const Items& items, bool ordered) {
  push({kind, ordered ? 1U : 0U, 0});
  extend(kind, items);
}

void PickleReader::extend(PickleKind kind, const Items& items) {
  check(top(), kind);
  if (items.empty()) return;
  PickleValue& target = values_[top()];
  if (target.payload == 0) {
    target.payload = static_cast<std::int64_t>(containers_.size());
    containers_.emplace_back();
  }
  Items& old = containers_[static_cast<std::size_t>(target.payload)];
  old.insert(old.end(), items.begin(), items.end());
}

PickleReader::Items PickleReader::pairs(Items items) const {
  if (items.size() % 2 != 0) fail_damaged("a dict key has no value");
  return items;
}

/// Whoever writes pickles numbers the slots from 0 or 1 on, and each one takes a byte or more.
void PickleReader::put_memo(std::size_t slot) {
  if (slot > cursor_.position()) fail_damaged(fmt::format("memo slot {} is far off", slot));
  const Index value = top();
  if (slot >= memo_.size()) memo_.resize(slot + 1, kNoValue);
  memo_[slot] = value;
}

void PickleReader::push_memo(std::uint32_t slot) {
  if (slot >= memo_.size() || memo_[slot] == kNoValue) {
    fail_damaged(fmt::format("memo slot {} is empty", slot));
  }
  stack_.push_back(memo_[slot]);
}

// --- the few things that may be named and called ---

void PickleReader::refuse_global(std::string_view module, std::string_view name) const {
  const std::string full = in_quotes(std::string(module) + "." + std::string(name), 120);
  if (module.starts_with("torch") && name.ends_with("Storage")) {
    fail("the checkpoint holds tensors of type " + full + ", which is not supported",
         "convert them to an ordinary type first, e.g. tensor.float()");
  }
  const bool numpy = module == "numpy" || module.starts_with("numpy.");
  fail("the checkpoint wants to call " + full + ": " + kWhatIsRead,
       numpy ? std::string("this checkpoint also stores NumPy values; ") + kSaveStateDict
             : kSaveStateDict);
}

void PickleReader::push_global(std::string_view module, std::string_view name) {
  for (const auto& [type, dtype] : kStorageTypes) {
    if (module == "torch" && name == type) {
      return push({Kind::kStorageType, 0, static_cast<std::int64_t>(dtype)});
    }
  }
  for (std::size_t i = 0; i < std::size(kGlobals); ++i) {
    if (module == kGlobals[i].module && name == kGlobals[i].name) {
      return push({Kind::kGlobal, 0, static_cast<std::int64_t>(i)});
    }
  }
  refuse_global(module, name);
}

void PickleReader::reduce() {
  const Index arguments = pop();
  const PickleValue callable = pop(Kind::kGlobal);
  const auto given = items(expect(values_[arguments], Kind::kTuple));
  const Global& global = kGlobals[callable.payload];
  switch (global.role) {
    case Role::kOrderedDict: return push_ordered_dict(given);
    case Role::kRebuildTensor: return push({Kind::kTensor, 0, arguments});
    case Role::kRebuildParameter: return push_argument(given, Kind::kTensor);
    case Role::kSize: return push_argument(given, Kind::kTuple);
    case Role::kTypeTag: return push_argument(given, std::nullopt);
    case Role::kConstant: refuse_global(global.module, global.name);
  }
}

/// A parameter is its tensor, a torch.Size its tuple, a tagged value the value.
void PickleReader::push_argument(std::span<const Index> arguments, std::optional<PickleKind> kind) {
  if (arguments.empty()) fail_damaged("a call lacks its argument");
  if (kind) check(arguments[0], *kind);
  stack_.push_back(arguments[0]);
}

/// OrderedDict() or OrderedDict([(key, value), …]).
void PickleReader::push_ordered_dict(std::span<const Index> arguments) {
  Items all;
  if (!arguments.empty()) {
    const auto list = items(expect(values_[arguments[0]], Kind::kList));
    // The only place where a few bytes of pickle copy many items: one list may be named again
    // and again. All copies together stay below the size of the pickle.
    copied_ += list.size();
    if (copied_ > pickle_.size()) fail("the checkpoint copies lists without end", kSaveStateDict);
    for (const Index pair : list) {
      const auto key_value = items(expect(values_[pair], Kind::kTuple));
      if (key_value.size() != 2) fail_damaged("an OrderedDict is not made of pairs");
      all.insert(all.end(), key_value.begin(), key_value.end());
    }
  }
  push_container(Kind::kDict, all, true);
}

/// state_dict() hangs a '_metadata' attribute on its OrderedDict; nothing here needs it.
void PickleReader::build() {
  const Index state = pop();
  const PickleValue target = values_[top()];
  if (target.kind != Kind::kDict || target.count != 1 || values_[state].kind != Kind::kDict) {
    fail(fmt::format("the checkpoint wants to set attributes of {}: {}", describe(target.kind),
                     kWhatIsRead),
         kSaveStateDict);
  }
}

}  // namespace fewedits
