// SPDX-License-Identifier: MIT
#include "fewedits/formats/checkpoint_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "fewedits/base/byte_cursor.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/json_reader.hpp"
#include "fewedits/formats/pickle_reader.hpp"
#include "fewedits/formats/zip_archive.hpp"

namespace fewedits {
namespace {

using Json = nlohmann::json;

const char* const kDamaged = "the file is damaged or was tampered with; get it again";

constexpr std::size_t kMaxRank = 64;  // PyTorch's own bound
constexpr std::size_t kMaxNameBytes = 4096;
// A pickle costs up to kPickleFactor times its size in memory while it is read; a real one has
// about 150 bytes per tensor, and each tensor some 200 more in the file around it.
constexpr std::uint64_t kMaxHeaderBytes = std::uint64_t{32} << 20;
constexpr std::uint64_t kSmallHeaderBytes = std::uint64_t{1} << 20;

std::uint64_t max_pickle_bytes(std::uint64_t file_bytes) {
  return std::min(kMaxHeaderBytes, file_bytes / 2 + kSmallHeaderBytes);
}

/// Product of the extents, formed from left to right as Tensor::numel() does; nothing if one is
/// negative or a product does not fit.
std::optional<std::int64_t> checked_numel(const std::vector<std::int64_t>& shape) {
  std::int64_t numel = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(numel, extent, &numel)) return std::nullopt;
  }
  return numel;
}

std::vector<std::byte> to_bytes(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

// --- PyTorch: the pickle's tensors ---

/// A tensor as a view into a storage, which is a separate member of the zip file.
struct TensorView {
  DType dtype = DType::kFloat32;
  std::string storage_key;
  std::int64_t storage_numel = 0;
  std::int64_t offset = 0;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> stride;
  std::int64_t numel = 0;
};

using TensorViews = std::map<std::string, TensorView>;

/// Walks the pickle's result and turns the rebuilders' arguments into checked views.
class TensorCollector {
 public:
  TensorCollector(const PickleReader& pickle, const std::string& origin, std::uint64_t max_tensors,
                  std::uint64_t max_bytes)
      : pickle_(pickle),
        origin_(origin),
        max_tensors_(max_tensors),
        bytes_left_(max_bytes),
        visits_left_(1'000'000 + 2 * pickle.size()) {}

  TensorViews collect() {
    if (pickle_.root().kind == PickleKind::kTensor) {
      fail("holds a single tensor without a name", kSaveStateDict);
    }
    visit_items(pickle_.root(), 0);
    return std::move(found_);
  }

 private:
  static constexpr int kMaxDepth = 64;

  [[noreturn]] void fail(const std::string& message, const std::string& remedy) const {
    throw Error(Location{origin_}, message, remedy);
  }
  [[noreturn]] void fail_tensor(const std::string& message) const {
    fail("tensor " + shown_name() + ": " + message, kDamaged);
  }

  [[nodiscard]] std::string shown_name() const { return in_quotes(name_); }

  void visit_items(const PickleValue& value, int depth) {
    if (depth > kMaxDepth) {
      fail(fmt::format("its dicts and lists are nested more than {} levels deep, or contain "
                       "themselves",
                       kMaxDepth),
           kSaveStateDict);
    }
    if (value.kind == PickleKind::kDict) {
      const auto items = pickle_.items(value);
      for (std::size_t i = 0; i < items.size(); i += 2) {
        visit(pickle_[items[i + 1]], pickle_[items[i]], depth);
      }
    } else if (value.kind == PickleKind::kList || value.kind == PickleKind::kTuple) {
      const auto items = pickle_.items(value);
      for (std::size_t i = 0; i < items.size(); ++i) {
        visit(pickle_[items[i]], {PickleKind::kInt, 0, static_cast<std::int64_t>(i)}, depth);
      }
    }
  }

  void visit(const PickleValue& value, const PickleValue& key, int depth) {
    // A list that holds one list twice, which holds …: few bytes, exponentially many paths.
    if (visits_left_-- == 0) {
      fail("its lists and dicts share parts so often that they do not end", kSaveStateDict);
    }
    const bool nested = value.kind == PickleKind::kDict || value.kind == PickleKind::kList ||
                        value.kind == PickleKind::kTuple;
    if (!nested && value.kind != PickleKind::kTensor) return;
    const std::size_t length = name_.size();
    if (depth > 0) name_ += '.';
    append_key(key);
    if (name_.size() > kMaxNameBytes) {
      fail(fmt::format("the name {} is longer than {} bytes", shown_name(), kMaxNameBytes),
           kSaveStateDict);
    }
    nested ? visit_items(value, depth + 1) : add(value);
    name_.resize(length);
  }

  void append_key(const PickleValue& key) {
    if (key.kind == PickleKind::kText) {
      name_ += pickle_.text(key);
    } else if (key.kind == PickleKind::kInt) {
      name_ += std::to_string(key.payload);
    } else {
      fail(fmt::format("a dict key below {} is {}, not a string or an integer", shown_name(),
                       describe(key.kind)),
           kSaveStateDict);
    }
  }

  void add(const PickleValue& tensor) {
    if (found_.size() >= max_tensors_) {
      fail(fmt::format("holds more than {} tensors", max_tensors_), kSaveStateDict);
    }
    const auto arguments = pickle_.items(tensor);
    if (arguments.size() < 4) fail_tensor("its description is too short");
    TensorView view;
    read_storage(pickle_[arguments[0]], view);
    view.offset = int_of(pickle_[arguments[1]]);
    view.shape = ints_of(pickle_[arguments[2]]);
    view.stride = ints_of(pickle_[arguments[3]]);
    check(view);
    charge(view);
    if (!found_.emplace(name_, std::move(view)).second) {
      fail("has two tensors named " + shown_name(), "rename one of them before saving");
    }
  }

  /// Shared dicts let a few bytes of pickle name a hundred thousand tensors: what each costs
  /// beside its elements counts too.
  void charge(const TensorView& view) {
    constexpr std::uint64_t kCopiesOfName = 3;
    const std::uint64_t cost = kCopiesOfName * name_.size() +
                               2 * sizeof(std::int64_t) * view.shape.size() + sizeof(TensorView);
    if (cost > bytes_left_) {
      fail("the names and shapes of its tensors need far more memory than the file is large",
           kSaveStateDict);
    }
    bytes_left_ -= cost;
  }

  /// ('storage', torch.FloatStorage, key, device, number of elements)
  void read_storage(const PickleValue& storage, TensorView& view) const {
    if (storage.kind != PickleKind::kStorage) fail_tensor("it has no storage");
    const auto id = pickle_.items(storage);
    if (id.size() != 5) fail_tensor("its storage is not described by five values");
    const PickleValue& tag = pickle_[id[0]];
    const PickleValue& type = pickle_[id[1]];
    const PickleValue& key = pickle_[id[2]];
    if (tag.kind != PickleKind::kText || pickle_.text(tag) != "storage" ||
        type.kind != PickleKind::kStorageType || key.kind != PickleKind::kText ||
        key.count > kMaxNameBytes) {
      fail_tensor("its storage is not described as PyTorch does it");
    }
    view.dtype = static_cast<DType>(type.payload);
    view.storage_key = pickle_.text(key);
    view.storage_numel = int_of(pickle_[id[4]]);
  }

  [[nodiscard]] std::int64_t int_of(const PickleValue& value) const {
    if (value.kind != PickleKind::kInt) fail_tensor("a size or offset is not a 64-bit integer");
    if (value.payload < 0) fail_tensor("a size or offset is negative");
    return value.payload;
  }

  [[nodiscard]] std::vector<std::int64_t> ints_of(const PickleValue& value) const {
    if (value.kind != PickleKind::kTuple) fail_tensor("its shape or stride is not a tuple");
    if (value.count > kMaxRank) fail_tensor(fmt::format("has more than {} dimensions", kMaxRank));
    std::vector<std::int64_t> numbers;
    for (const auto item : pickle_.items(value)) numbers.push_back(int_of(pickle_[item]));
    return numbers;
  }

  /// numel is at most the storage's, so that an expanded tensor (stride 0) cannot cost more
  /// than the file holds, and every element lies inside the storage.
  void check(TensorView& view) const {
    if (view.shape.size() != view.stride.size()) fail_tensor("shape and stride differ in length");
    const auto numel = checked_numel(view.shape);
    if (!numel) fail_tensor("its number of elements overflows");
    view.numel = *numel;
    if (view.numel > view.storage_numel) {
      fail_tensor(fmt::format("it has {} elements but its storage only {}", view.numel,
                              view.storage_numel));
    }
    if (view.numel == 0) return;
    std::int64_t last = view.offset;
    for (std::size_t i = 0; i < view.shape.size(); ++i) {
      std::int64_t reach = 0;
      if (__builtin_mul_overflow(view.shape[i] - 1, view.stride[i], &reach) ||
          __builtin_add_overflow(last, reach, &last)) {
        fail_tensor("its strides overflow");
      }
    }
    if (last >= view.storage_numel) {
      fail_tensor(
          fmt::format("it reaches element {} of a storage of {}", last, view.storage_numel));
    }
  }

  const PickleReader& pickle_;
  const std::string& origin_;
  std::uint64_t max_tensors_;
  std::uint64_t bytes_left_;
  std::uint64_t visits_left_;
  std::string name_;
  TensorViews found_;
};

// --- PyTorch: the zip file ---

/// The elements in row-major order; `view` is checked, and `storage` holds all its elements.
std::vector<std::byte> materialise(const TensorView& view, std::string_view storage) {
  const std::size_t width = size_of(view.dtype);
  const auto numel = static_cast<std::size_t>(view.numel);
  if (numel == 0) return {};
  const char* const begin = storage.data() + static_cast<std::size_t>(view.offset) * width;

  // Row-major already, but for extents of 1, whose stride means nothing?
  std::int64_t expected = 1;
  bool contiguous = true;
  for (std::size_t i = view.shape.size(); i-- > 0;) {
    contiguous &= view.shape[i] == 1 || view.stride[i] == expected;
    expected *= view.shape[i];
  }
  if (contiguous) return to_bytes({begin, numel * width});

  std::vector<std::byte> bytes(numel * width);
  std::vector<std::int64_t> at(view.shape.size(), 0);
  std::int64_t source = 0;
  for (std::size_t i = 0; i < numel; ++i) {
    std::memcpy(bytes.data() + i * width, begin + static_cast<std::size_t>(source) * width, width);
    for (std::size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < view.shape[axis]) {
        source += view.stride[axis];
        break;
      }
      source -= (at[axis] - 1) * view.stride[axis];
      at[axis] = 0;
    }
  }
  return bytes;
}

class PytorchZip {
 public:
  PytorchZip(std::string bytes, std::string origin, const CheckpointLimits& limits)
      : origin_(std::move(origin)),
        max_tensors_(limits.max_tensors),
        // Several names may share one storage (tied weights), hence more than the file's size;
        // but a small file that claims to hold much is refused.
        max_bytes_(std::min(limits.max_file_bytes, 4 * std::uint64_t{bytes.size()} + (1U << 20))),
        archive_(std::move(bytes), origin_),
        prefix_(find_prefix()) {}

  [[nodiscard]] StateDict read() const {
    check_byte_order();
    const TensorViews views = read_views();
    check_total(views);
    return load(views);
  }

 private:
  [[noreturn]] void fail(const std::string& message, const std::string& remedy) const {
    throw Error(Location{origin_}, message, remedy);
  }

  [[nodiscard]] std::string find_prefix() const {
    std::string prefix;
    for (const std::string& name : archive_.names()) {
      const std::size_t slash = name.find('/');
      if (slash == std::string::npos || name.substr(slash) != "/data.pkl") continue;
      if (!prefix.empty()) fail("holds more than one data.pkl", kSaveStateDict);
      prefix = name.substr(0, slash + 1);
    }
    if (prefix.empty()) {
      fail("is a zip file but not a PyTorch checkpoint: it holds no <name>/data.pkl",
           "give a file written by torch.save (PyTorch 1.6 or newer) or a .safetensors");
    }
    return prefix;
  }

  [[nodiscard]] TensorViews read_views() const {
    const std::string text =
        archive_.read(prefix_ + "data.pkl", max_pickle_bytes(archive_.packed_size()));
    const PickleReader pickle(text, origin_);
    return TensorCollector(pickle, origin_, max_tensors_, max_bytes_).collect();
  }

  void check_byte_order() const {
    const std::string name = prefix_ + "byteorder";
    if (!archive_.contains(name)) return;  // older PyTorch does not say; it is little
    const std::string order = archive_.read(name, 64);
    if (order != "little") {
      fail("its numbers are in byte order " + in_quotes(order) + ", not little-endian",
           "save it on a little-endian machine (x86, ARM)");
    }
  }

  /// Before any tensor is allocated.
  void check_total(const TensorViews& views) const {
    std::uint64_t left = max_bytes_;
    for (const auto& [name, view] : views) {
      const std::uint64_t width = size_of(view.dtype);
      const auto numel = static_cast<std::uint64_t>(view.numel);
      if (numel > left / width) {
        fail(fmt::format("its tensors need more than {} bytes, too much for a file of its size "
                         "(tensor {} no longer fits)",
                         max_bytes_, in_quotes(name)),
             "save it with torch.save, which does not compress, and without repeating one "
             "tensor under many names");
      }
      left -= numel * width;
    }
  }

  /// Storage by storage, so that each is read and checked once, however many views it has.
  [[nodiscard]] StateDict load(const TensorViews& views) const {
    std::map<std::string, std::vector<std::string>> users;
    for (const auto& [name, view] : views) users[view.storage_key].push_back(name);
    StateDict tensors;
    for (const auto& [key, names] : users) {
      const std::string member = prefix_ + "data/" + key;
      if (!archive_.contains(member)) {
        fail("tensor " + in_quotes(names[0]) + ": its storage " + in_quotes(member) + " is missing",
             kDamaged);
      }
      const std::string storage = archive_.read(member, max_bytes_);
      for (const std::string& name : names) {
        const TensorView& view = views.at(name);
        if (storage.size() / size_of(view.dtype) < static_cast<std::size_t>(view.storage_numel)) {
          fail(fmt::format("tensor {}: its storage {} should hold {} elements of {} but has {} "
                           "bytes",
                           in_quotes(name), in_quotes(member), view.storage_numel,
                           name_of(view.dtype), storage.size()),
               kDamaged);
        }
        tensors[name] = Tensor{view.dtype, view.shape, materialise(view, storage)};
      }
    }
    return tensors;
  }

  std::string origin_;
  std::uint64_t max_tensors_;
  std::uint64_t max_bytes_;
  ZipArchive archive_;
  std::string prefix_;
};

// --- safetensors ---

constexpr std::pair<std::string_view, DType> kSafetensorsTypes[] = {
    {"F16", DType::kFloat16}, {"BF16", DType::kBFloat16}, {"F32", DType::kFloat32},
    {"F64", DType::kFloat64}, {"I8", DType::kInt8},       {"U8", DType::kUInt8},
    {"I16", DType::kInt16},   {"I32", DType::kInt32},     {"I64", DType::kInt64},
    {"BOOL", DType::kBool},
};

/// Layout: 64-bit length, JSON header {name: {dtype, shape, data_offsets}}, data.
class Safetensors {
 public:
  Safetensors(std::string_view bytes, const std::string& origin, const CheckpointLimits& limits)
      : origin_(origin), limits_(limits) {
    ByteCursor cursor(bytes, origin, "the safetensors file");
    const auto length = cursor.number<std::uint64_t>();
    if (length > cursor.remaining() || length > kMaxHeaderBytes) {
      fail(fmt::format("its safetensors header claims {} bytes; {} are there, {} are allowed",
                       length, cursor.remaining(), kMaxHeaderBytes));
    }
    header_ = parse(cursor.take(length));
    data_ = cursor.take(cursor.remaining());
  }

  [[nodiscard]] StateDict read() const {
    StateDict tensors;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    for (const auto& [name, entry] : header_.items()) {
      if (name == "__metadata__") continue;
      if (tensors.size() >= limits_.max_tensors) {
        fail(fmt::format("holds more than {} tensors", limits_.max_tensors));
      }
      tensors.emplace(name, read_tensor(name, entry, ranges));
    }
    std::sort(ranges.begin(), ranges.end());
    for (std::size_t i = 1; i < ranges.size(); ++i) {
      if (ranges[i].first < ranges[i - 1].second) {
        fail(fmt::format("two of its tensors overlap at data byte {}", ranges[i].first));
      }
    }
    return tensors;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(Location{origin_}, message, kDamaged);
  }

  [[nodiscard]] Json parse(std::string_view text) const {
    // Nothing in it is a long list; of these, a few bytes of text would cost most.
    Json header = parse_json<Json>(text, origin_, kDamaged, {.depth = 3, .items = kMaxRank});
    if (!header.is_object()) fail("its safetensors header is not a JSON object");
    return header;
  }

  [[nodiscard]] Tensor read_tensor(
      const std::string& name, const Json& entry,
      std::vector<std::pair<std::uint64_t, std::uint64_t>>& ranges) const {
    const std::string who = "tensor " + in_quotes(name);
    if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") ||
        !entry.contains("data_offsets") || !entry["dtype"].is_string()) {
      fail(who + " lacks dtype, shape or data_offsets");
    }
    Tensor tensor;
    tensor.dtype = dtype_of(who, entry["dtype"].get<std::string>());
    tensor.shape = numbers_of(who, entry["shape"]);
    const auto offsets = numbers_of(who, entry["data_offsets"]);
    if (offsets.size() != 2) fail(who + ": data_offsets is not a pair");
    const auto begin = static_cast<std::uint64_t>(offsets[0]);
    const auto end = static_cast<std::uint64_t>(offsets[1]);
    if (begin > end || end > data_.size()) {
      fail(fmt::format("{}: its data_offsets {} to {} are not inside the {} bytes of data", who,
                       begin, end, data_.size()));
    }
    const auto numel = checked_numel(tensor.shape);
    const std::uint64_t width = size_of(tensor.dtype);
    if (!numel || (end - begin) % width != 0 ||
        (end - begin) / width != static_cast<std::uint64_t>(*numel)) {
      fail(fmt::format("{}: its {} bytes do not fit its shape and type", who, end - begin));
    }
    if (begin < end) ranges.emplace_back(begin, end);
    tensor.bytes = to_bytes(data_.substr(begin, end - begin));
    return tensor;
  }

  [[nodiscard]] DType dtype_of(const std::string& who, const std::string& name) const {
    for (const auto& [known, dtype] : kSafetensorsTypes) {
      if (name == known) return dtype;
    }
    throw Error(Location{origin_}, who + " has the unsupported type " + in_quotes(name),
                "convert it to an ordinary type (e.g. float32) first");
  }

  [[nodiscard]] std::vector<std::int64_t> numbers_of(const std::string& who,
                                                     const Json& list) const {
    if (!list.is_array() || list.size() > kMaxRank) fail(who + ": its shape is not a short list");
    std::vector<std::int64_t> numbers;
    for (const Json& item : list) {
      if (!item.is_number_unsigned() || item.get<std::uint64_t>() > INT64_MAX) {
        fail(who + ": a number in its shape or data_offsets is not a non-negative integer");
      }
      numbers.push_back(item.get<std::int64_t>());
    }
    return numbers;
  }

  const std::string& origin_;
  CheckpointLimits limits_;
  Json header_;
  std::string_view data_;
};

StateDict parse_any(std::string bytes, const std::string& origin, const CheckpointLimits& limits) {
  if (ZipArchive::looks_like_zip(bytes)) return PytorchZip(std::move(bytes), origin, limits).read();
  if (bytes.size() > 8 && bytes[8] == '{') return Safetensors(bytes, origin, limits).read();
  if (bytes.starts_with('\x80')) {
    throw Error(Location{origin}, "is a bare pickle, the format of torch.save before PyTorch 1.6",
                "load it in a current PyTorch, if you trust it, and save it again: "
                "torch.save(torch.load(path), path)");
  }
  throw Error(Location{origin},
              bytes.empty() ? "the file is empty"
                            : "is neither a PyTorch zip checkpoint nor a safetensors file",
              "give a .pt or .pth file written by torch.save, or a .safetensors file");
}

}  // namespace

StateDict read_checkpoint(const std::filesystem::path& path, const CheckpointLimits& limits) {
  return parse_checkpoint(read_file(path, limits.max_file_bytes), path.string(), limits);
}

StateDict parse_checkpoint(std::string bytes, const std::string& origin,
                           const CheckpointLimits& limits) {
  if (bytes.size() > limits.max_file_bytes) {
    throw Error(Location{origin},
                fmt::format("is larger than the limit of {} bytes", limits.max_file_bytes));
  }
  StateDict tensors = parse_any(std::move(bytes), origin, limits);
  if (tensors.empty()) throw Error(Location{origin}, "holds no tensors", kSaveStateDict);
  return tensors;
}

}  // namespace fewedits
