// SPDX-License-Identifier: MIT
// Our reader and writer against libtorch's own; the only test that includes its headers.
#include <caffe2/serialize/inline_container.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/csrc/jit/serialization/unpickler.h>
#include <torch/torch.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "fewedits/formats/checkpoint_reader.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using TorchDict = std::map<std::string, at::Tensor>;

TorchDict to_map(const c10::IValue& value) {
  TorchDict tensors;
  for (const auto& entry : value.toGenericDict()) {
    tensors[entry.key().toStringRef()] = entry.value().toTensor();
  }
  return tensors;
}

std::string record(caffe2::serialize::PyTorchStreamReader& reader, const std::string& name) {
  const auto [data, size] = reader.getRecord(name);
  return {static_cast<const char*>(data.get()), size};
}

/// libtorch's C++ unpickler knows OrderedDict only as a tensor's (empty) hooks and cannot hang
/// '_metadata' on it. The same pickle with a plain dict, which ends before the metadata; the
/// result is a pair whose second part is the dict.
std::string without_ordered_dict(std::string pickle) {
  const std::string head(
      "\x80\x02"
      "ccollections\nOrderedDict\nq\0)R",
      31);
  EXPECT_EQ(pickle.substr(0, head.size()), head);
  pickle.replace(head.size() - 2, 2, "}");  // the callable stays on the stack
  const std::size_t key = pickle.find(std::string("X\x09\0\0\0_metadata", 14));
  EXPECT_NE(key, std::string::npos);
  // "}" and a memo operation, "q." or "r....", precede it.
  const std::size_t dict = pickle[key - 2] == 'q' ? key - 3 : key - 6;
  EXPECT_EQ(pickle[dict], '}');
  return pickle.substr(0, dict) + "\x86.";
}

/// Read by libtorch; tensors saved from a GPU are put on the CPU.
TorchDict read_with_torch(const std::string& path) {
  caffe2::serialize::PyTorchStreamReader reader(path);
  const std::string pickle = without_ordered_dict(record(reader, "data.pkl"));
  std::size_t at = 0;
  const auto read = [&](char* buffer, std::size_t length) {
    length = std::min(length, pickle.size() - at);
    std::memcpy(buffer, pickle.data() + at, length);
    at += length;
    return length;
  };
  const auto read_storage = [&](const std::string& name) {
    return std::get<0>(reader.getRecord("data/" + name));
  };
  torch::jit::Unpickler unpickler(read, nullptr, nullptr, read_storage, at::Device(at::kCPU));
  return to_map(unpickler.parse_ivalue().toTupleRef().elements().at(1));
}

DType dtype_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kHalf: return DType::kFloat16;
    case at::kBFloat16: return DType::kBFloat16;
    case at::kFloat: return DType::kFloat32;
    case at::kDouble: return DType::kFloat64;
    case at::kChar: return DType::kInt8;
    case at::kByte: return DType::kUInt8;
    case at::kShort: return DType::kInt16;
    case at::kInt: return DType::kInt32;
    case at::kLong: return DType::kInt64;
    case at::kBool: return DType::kBool;
    default: ADD_FAILURE() << "unexpected type " << tensor.scalar_type();
  }
  return {};
}

void expect_equal(const StateDict& ours, const TorchDict& theirs) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (const auto& [name, tensor] : ours) {
    ASSERT_EQ(theirs.count(name), 1U) << name;
    const at::Tensor other = theirs.at(name).contiguous();
    EXPECT_EQ(tensor.dtype, dtype_of(other)) << name;
    EXPECT_EQ(tensor.shape, other.sizes().vec()) << name;
    ASSERT_EQ(tensor.bytes.size(), other.nbytes()) << name;
    EXPECT_TRUE(tensor.bytes.empty() ||
                std::memcmp(tensor.bytes.data(), other.data_ptr(), other.nbytes()) == 0)
        << name;
  }
}

class PublishedTorchTest : public testing::TestWithParam<std::string> {};

TEST_P(PublishedTorchTest, EveryTensorIsExactlyWhatLibtorchReads) {
  for (const char* file : {"gcn.pth", "greed.pt"}) {
    const auto path = std::filesystem::path("models") / GetParam() / file;
    FEWEDITS_REQUIRE_SHARED(path);
    const std::string full = (test::shared_root() / path).string();
    const StateDict ours = read_checkpoint(full);
    EXPECT_GT(ours.size(), 20U);
    expect_equal(ours, read_with_torch(full));
  }
}

INSTANTIATE_TEST_SUITE_P(All, PublishedTorchTest,
                         testing::Values("aids", "mutagenicity", "nci1", "proteins"),
                         [](const auto& given) { return given.param; });

TEST(CheckpointTorchTest, LibtorchReadsWhatWeWrite) {
  StateDict tensors;
  for (const DType dtype :
       {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64, DType::kInt8,
        DType::kUInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kBool}) {
    tensors[name_of(dtype)] = {dtype, {3, 2}, std::vector<std::byte>(6 * size_of(dtype))};
    tensors[name_of(dtype)].bytes[size_of(dtype)] = std::byte{1};
  }
  tensors["scalar"] = Tensor::from_floats({}, {2.5F});
  tensors["empty"] = Tensor::from_floats({0, 3}, {});
  tensors["large"] = Tensor::from_floats({70'000}, std::vector<float>(70'000, 0.25F));
  const std::string bytes = to_pytorch_zip(tensors);
  expect_equal(tensors, to_map(torch::pickle_load({bytes.begin(), bytes.end()})));
}

TEST(CheckpointTorchTest, WeReadWhatLibtorchWrites) {
  c10::impl::GenericDict dict(c10::StringType::get(), c10::TensorType::get());
  const at::Tensor base = torch::arange(12, torch::kFloat).reshape({3, 4});
  dict.insert("plain", base);
  dict.insert("transposed", base.t());
  dict.insert("slice", base.slice(1, 1, 3));
  dict.insert("scalar", torch::tensor(std::int64_t{-7}));
  dict.insert("empty", torch::empty({0, 3}));
  const std::vector<char> bytes = torch::pickle_save(dict);
  expect_equal(parse_checkpoint({bytes.begin(), bytes.end()}, "x.pt"), to_map(dict));
}

}  // namespace
}  // namespace fewedits
