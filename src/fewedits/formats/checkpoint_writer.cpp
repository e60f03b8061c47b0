// SPDX-License-Identifier: MIT
#include "fewedits/formats/checkpoint_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cctype>
#include <limits>
#include <nlohmann/json.hpp>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/formats/zip_writer.hpp"

namespace fewedits {
namespace {

// PyTorch aligns storages so that they can be mapped into memory.
constexpr std::size_t kAlignment = 64;

std::string_view view_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const char* storage_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: return "HalfStorage";
    case DType::kBFloat16: return "BFloat16Storage";
    case DType::kFloat32: return "FloatStorage";
    case DType::kFloat64: return "DoubleStorage";
    case DType::kInt8: return "CharStorage";
    case DType::kUInt8: return "ByteStorage";
    case DType::kInt16: return "ShortStorage";
    case DType::kInt32: return "IntStorage";
    case DType::kInt64: return "LongStorage";
    case DType::kBool: return "BoolStorage";
  }
  assert(false);
  return "";
}

const char* safetensors_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: return "F16";
    case DType::kBFloat16: return "BF16";
    case DType::kFloat32: return "F32";
    case DType::kFloat64: return "F64";
    case DType::kInt8: return "I8";
    case DType::kUInt8: return "U8";
    case DType::kInt16: return "I16";
    case DType::kInt32: return "I32";
    case DType::kInt64: return "I64";
    case DType::kBool: return "BOOL";
  }
  assert(false);
  return "";
}

std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<std::int64_t>(shape[i], 1);
  }
  return strides;
}

/// Pickle protocol 2, the one torch.save writes and every PyTorch reads.
class PickleWriter {
 public:
  void op(std::string_view opcodes) { out_ += opcodes; }

  void global(std::string_view module, std::string_view name) {
    out_ += fmt::format("c{}\n{}\n", module, name);
  }

  void text(std::string_view text) {
    out_ += 'X';
    little(text.size(), 4);
    out_ += text;
  }

  void integer(std::int64_t value) {
    assert(value >= 0);
    if (value <= std::numeric_limits<std::int32_t>::max()) {
      out_ += 'J';  // BININT
      little(static_cast<std::uint64_t>(value), 4);
    } else {
      out_ += "\x8a\x08";  // LONG1 of 8 bytes
      little(static_cast<std::uint64_t>(value), 8);
    }
  }

  void integers(const std::vector<std::int64_t>& values) {
    out_ += '(';
    for (const std::int64_t value : values) integer(value);
    out_ += 't';
  }

  void empty_ordered_dict() {
    global("collections", "OrderedDict");
    out_ += ")R";
  }

  [[nodiscard]] const std::string& bytes() const { return out_; }

 private:
  void little(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out_ += static_cast<char>((value >> (8 * i)) & 0xffU);
  }

  std::string out_;
};

/// _rebuild_tensor_v2(('storage', type, key, 'cpu', numel), 0, shape, strides, False, {})
void write_tensor(PickleWriter& pickle, const Tensor& tensor, const std::string& key) {
  pickle.global("torch._utils", "_rebuild_tensor_v2");
  pickle.op("((");
  pickle.text("storage");
  pickle.global("torch", storage_type(tensor.dtype));
  pickle.text(key);
  pickle.text("cpu");
  pickle.integer(tensor.numel());
  pickle.op("tQ");
  pickle.integer(0);
  pickle.integers(tensor.shape);
  pickle.integers(row_major_strides(tensor.shape));
  pickle.op("\x89");
  pickle.empty_ordered_dict();
  pickle.op("tR");
}

/// Both formats keep names as UTF-8, and their readers insist on it.
void check_names(const StateDict& tensors) {
  for (const auto& [name, tensor] : tensors) {
    assert(tensor.bytes.size() == static_cast<std::size_t>(tensor.numel()) * size_of(tensor.dtype));
    try {
      static_cast<void>(nlohmann::json(name).dump());
    } catch (const nlohmann::json::exception&) {
      throw Error("cannot write tensor " + in_quotes(name) + ": its name is not UTF-8",
                  "rename the tensor");
    }
  }
}

}  // namespace

std::string to_pytorch_zip(const StateDict& tensors) {
  check_names(tensors);
  PickleWriter pickle;
  // A plain dict: libtorch's C++ reader does not know OrderedDict at this place, Python's
  // load_state_dict takes either, and both keep the order.
  pickle.op("\x80\x02}(");
  std::size_t key = 0;
  for (const auto& [name, tensor] : tensors) {
    pickle.text(name);
    write_tensor(pickle, tensor, std::to_string(key++));
  }
  pickle.op("u.");

  ZipWriter zip;
  zip.add("archive/data.pkl", pickle.bytes(), kAlignment);
  zip.add("archive/byteorder", "little", kAlignment);
  key = 0;
  for (const auto& [name, tensor] : tensors) {
    zip.add("archive/data/" + std::to_string(key++), view_of(tensor.bytes), kAlignment);
  }
  zip.add("archive/version", "3\n", kAlignment);
  return zip.finish();
}

std::string to_safetensors(const StateDict& tensors) {
  check_names(tensors);
  nlohmann::json header = nlohmann::json::object();
  std::size_t at = 0;
  for (const auto& [name, tensor] : tensors) {
    if (name == "__metadata__") {
      throw Error("cannot write a tensor named '__metadata__': safetensors reserves the name",
                  "rename the tensor, or write a .pt file");
    }
    const std::size_t end = at + tensor.bytes.size();
    header[name] = {{"dtype", safetensors_type(tensor.dtype)},
                    {"shape", tensor.shape},
                    {"data_offsets", {at, end}}};
    at = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');

  std::string out;
  out.reserve(8 + text.size() + at);
  for (std::size_t i = 0; i < 8; ++i) {
    out += static_cast<char>((std::uint64_t{text.size()} >> (8 * i)) & 0xffU);
  }
  out += text;
  for (const auto& [name, tensor] : tensors) out += view_of(tensor.bytes);
  return out;
}

bool has_checkpoint_extension(const std::filesystem::path& path) {
  const std::string extension = ascii_lower(path.extension().string());
  return extension == ".safetensors" || extension == ".pt" || extension == ".pth";
}

void write_checkpoint(const std::filesystem::path& path, const StateDict& tensors) {
  const std::string extension = ascii_lower(path.extension().string());
  if (extension == ".safetensors") {
    write_file_atomically(path, to_safetensors(tensors));
  } else if (extension == ".pt" || extension == ".pth") {
    write_file_atomically(path, to_pytorch_zip(tensors));
  } else {
    throw Error(Location{path.string()},
                "cannot tell the checkpoint format from the extension " + in_quotes(extension),
                "name the file .pt, .pth or .safetensors");
  }
}

}  // namespace fewedits
