// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>

#include "fewedits/base/file.hpp"
#include "fewedits/base/rng.hpp"
#include "fewedits/formats/checkpoint_reader.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "support/hostile_files.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

using test::error_of;
using test::expect_contains;
using test::RawMember;
using test::RawPickle;
using test::RawZip;

std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), 4 * values.size()};
}

/// A checkpoint of this pickle with one storage, '0', of six floats.
std::string checkpoint(const std::string& pickle) {
  return RawZip{{{"m/data.pkl", pickle}, {"m/data/0", floats({0, 1, 2, 3, 4, 5})}}}.bytes();
}

StateDict parse_pickle(const RawPickle& pickle) {
  return parse_checkpoint(checkpoint(pickle.bytes), "x.pt");
}

std::string pickle_error(const RawPickle& pickle) {
  return error_of([&] { parse_pickle(pickle); });
}

/// The error for a dict with this one tensor, named w.
std::string tensor_error(const std::vector<std::int64_t>& shape,
                         const std::vector<std::int64_t>& stride, std::int64_t numel = 6,
                         std::int64_t offset = 0) {
  return pickle_error(RawPickle().op("}").text("w").tensor(shape, stride, numel, offset).op("s."));
}

std::string safetensors(const std::string& header, const std::string& data = {}) {
  std::string out;
  test::put(out, std::uint64_t{header.size()});
  return out + header + data;
}

std::string safetensors_error(const std::string& header, const std::string& data = {}) {
  return error_of([&] { parse_checkpoint(safetensors(header, data), "x.safetensors"); });
}

/// Every dtype, a scalar, empty tensors, odd names.
StateDict many_tensors() {
  StateDict tensors;
  Rng rng(5);
  for (const DType dtype :
       {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64, DType::kInt8,
        DType::kUInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kBool}) {
    Tensor tensor{dtype, {2, 1, 3}, std::vector<std::byte>(6 * size_of(dtype))};
    for (auto& byte : tensor.bytes) byte = static_cast<std::byte>(rng.below(2));
    tensors[name_of(dtype)] = tensor;
  }
  tensors["scalar"] = Tensor::from_floats({}, {2.5F});
  tensors["empty"] = Tensor::from_floats({0, 3}, {});
  tensors["a.b \"quoted\" \xc3\xa9"] = Tensor::from_floats({1}, {-1});
  return tensors;
}

void expect_equal(const StateDict& a, const StateDict& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, tensor] : a) {
    ASSERT_EQ(b.count(name), 1U) << name;
    EXPECT_EQ(b.at(name).dtype, tensor.dtype) << name;
    EXPECT_EQ(b.at(name).shape, tensor.shape) << name;
    EXPECT_EQ(b.at(name).bytes, tensor.bytes) << name;
  }
}

// --- sound files ---

TEST(CheckpointTest, BothFormatsRoundTripAndAreDeterministic) {
  const StateDict tensors = many_tensors();
  expect_equal(tensors, parse_checkpoint(to_pytorch_zip(tensors), "x.pt"));
  expect_equal(tensors, parse_checkpoint(to_safetensors(tensors), "x.safetensors"));
  EXPECT_EQ(to_pytorch_zip(tensors), to_pytorch_zip(many_tensors()));
  EXPECT_EQ(to_safetensors(tensors), to_safetensors(many_tensors()));
}

TEST(CheckpointTest, TheExtensionChoosesTheFormatToWriteAndTheContentTheOneToRead) {
  const test::TemporaryFolder folder;
  const StateDict tensors = many_tensors();
  write_checkpoint(folder.path() / "a.pth", tensors);
  write_checkpoint(folder.path() / "a.SafeTensors", tensors);
  EXPECT_EQ(read_file(folder.path() / "a.pth"), to_pytorch_zip(tensors));
  EXPECT_EQ(read_file(folder.path() / "a.SafeTensors"), to_safetensors(tensors));
  std::filesystem::rename(folder.path() / "a.SafeTensors", folder.path() / "b.pt");
  expect_equal(tensors, read_checkpoint(folder.path() / "b.pt"));
  expect_contains(error_of([&] { write_checkpoint(folder.path() / "a.bin", tensors); }),
                  {"a.bin: ", "'.bin'", ".safetensors"});
  expect_contains(
      error_of([&] {
        write_checkpoint(folder.path() / "a.pt", {{"\xff", Tensor::from_floats({0}, {})}});
      }),
      {"'\\xff'", "UTF-8"});
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "a.pt"));
}

TEST(CheckpointTest, TheSafetensorsDataIsAligned) {
  for (int length = 1; length < 20; ++length) {
    const StateDict tensors{
        {std::string(static_cast<std::size_t>(length), 'n'), Tensor::from_floats({1}, {1})}};
    EXPECT_EQ((to_safetensors(tensors).size() - 4) % 8, 0U);
  }
}

TEST(CheckpointTest, MaterialisesStridedViewsOfOneStorage) {
  RawPickle pickle;
  pickle.op("}(");
  pickle.text("plain").tensor({2, 3}, {3, 1}, 6);
  pickle.text("transposed").tensor({3, 2}, {1, 3}, 6);
  pickle.text("column").tensor({2, 1}, {3, 1}, 6, 1);
  pickle.text("expanded").tensor({2, 2}, {0, 1}, 6, 4);
  pickle.text("odd stride of one").tensor({1, 2}, {INT64_MAX, 1}, 6, 2);
  pickle.text("scalar").tensor({}, {}, 6, 5);
  const StateDict tensors = parse_pickle(pickle.op("u."));
  EXPECT_EQ(tensors.at("plain").to_floats(), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(tensors.at("transposed").to_floats(), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(tensors.at("transposed").shape, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(tensors.at("column").to_floats(), (std::vector<float>{1, 4}));
  EXPECT_EQ(tensors.at("expanded").to_floats(), (std::vector<float>{4, 5, 4, 5}));
  EXPECT_EQ(tensors.at("odd stride of one").to_floats(), (std::vector<float>{2, 3}));
  EXPECT_EQ(tensors.at("scalar").to_floats(), (std::vector<float>{5}));
}

TEST(CheckpointTest, FlattensNestedDictsAndListsAndSkipsTheRest) {
  RawPickle pickle;
  pickle.op("}(").text("epoch").op("K\x03");
  pickle.text("loss").op("G").op(std::string(8, '\0')).text("note").op("N");
  pickle.text("seed").op("\x8a\x09").op("123456789").text("flag").op("I01\n");
  pickle.text("dtype").global("torch", "float32").text("raw").op("C\x02xy");
  pickle.text("shape").global("torch", "Size").integers({2}).op("\x85R");
  pickle.text("model_state_dict").op("}").text("fc.weight").tensor({6}, {1}, 6).op("s");
  pickle.text("list").op("](").tensor({1}, {1}, 6).op("I7\n").tensor({1}, {1}, 6, 1).op("e");
  pickle.text("state").op("}K\x07").tensor({1}, {1}, 6, 2).op("s");
  pickle.text("pairs").global("collections", "OrderedDict").op("](").text("p");
  pickle.global("torch._utils", "_rebuild_parameter").op("(").tensor({1}, {1}, 6, 3);
  pickle.op("\x88N").op("tR").op("\x86").op("e").op("\x85R");
  const StateDict tensors = parse_pickle(pickle.op("u."));
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"list.0", "list.2", "model_state_dict.fc.weight",
                                             "pairs.p", "state.7"}));
  EXPECT_EQ(tensors.at("pairs.p").to_floats(), std::vector<float>{3});
}

TEST(CheckpointTest, ReadsProtocolFour) {
  RawPickle pickle;
  pickle.bytes = "\x80\x04\x95" + std::string(8, '\x01');
  pickle
      .op("\x8c\x0b"
          "collections")
      .op("\x94")
      .op("\x8c\x0b"
          "OrderedDict")
      .op("\x94\x93\x94");
  pickle.op(")R\x94").text("w").tensor({6}, {1}, 6).op("s");
  pickle.op("}").text("_metadata").op("h\x02)Rsb.");
  EXPECT_EQ(parse_pickle(pickle).at("w").shape, std::vector<std::int64_t>{6});
}

// --- hostile pickles ---

TEST(CheckpointHostileTest, NothingIsEverCalled) {
  const test::TemporaryFolder folder;
  const std::string canary = (folder.path() / "canary").string();
  const std::vector<std::pair<std::string, std::string>> callables = {
      {"os", "system"},        {"posix", "system"},        {"builtins", "eval"},
      {"__builtin__", "exec"}, {"subprocess", "run"},      {"torch", "load"},
      {"torch.hub", "load"},   {"collections", "Counter"}, {"torch._utils", "_rebuild_qtensor"}};
  for (const auto& [module, name] : callables) {
    const std::vector<std::string> says = {"x.pt: ", "wants to call '" + module + "." + name + "'",
                                           "refused", "model.state_dict()"};
    const std::string command = "touch " + canary;
    RawPickle by_global;
    by_global.global(module, name).op("(").text(command).op("tR.");
    expect_contains(pickle_error(by_global), says);
    RawPickle by_stack;
    by_stack.text(module).text(name).op("\x93").text(command).op("\x85R.");
    expect_contains(pickle_error(by_stack), says);
    RawPickle by_inst;
    by_inst.op("(").text(command).op("i" + module + "\n" + name + "\n.");
    expect_contains(pickle_error(by_inst), says);
    RawPickle in_a_dict;  // behind a sound tensor
    in_a_dict.op("}(").text("w").tensor({6}, {1}, 6).text("x").global(module, name);
    expect_contains(pickle_error(in_a_dict.op("(").text(command).op("tRu.")), says);
  }
  EXPECT_FALSE(std::filesystem::exists(canary));
}

TEST(CheckpointHostileTest, SaysThatNumPyValuesAreInTheWay) {
  for (const std::string module : {"numpy.core.multiarray", "numpy._core.multiarray"}) {
    const std::string says = pickle_error(RawPickle().global(module, "scalar").op("."));
    expect_contains(says, {"wants to call '" + module + ".scalar'", "also stores NumPy values",
                           "model.state_dict()"});
  }
  const std::string other = pickle_error(RawPickle().global("numpyro", "sample").op("."));
  EXPECT_EQ(other.find("NumPy"), std::string::npos) << other;
}

TEST(CheckpointHostileTest, RefusesObjectsOfClasses) {
  const auto with = [](std::string_view opcodes) {
    return pickle_error(RawPickle().op("(").global("collections", "OrderedDict").op(opcodes));
  };
  expect_contains(with("o."), {"create an object (opcode OBJ)", "refused", "hint: "});
  expect_contains(with(")\x81."), {"create an object (opcode NEWOBJ)"});
  expect_contains(with(")}\x92."), {"create an object (opcode NEWOBJ_EX)"});
  expect_contains(with("\x82\x01."), {"opcode 0x82 is unknown", "byte 28 of the pickle"});
  expect_contains(pickle_error(RawPickle().op("}}b.")), {"set attributes of a dict", "refused"});
  expect_contains(pickle_error(RawPickle().op("]}b.")), {"set attributes of a list"});
  expect_contains(pickle_error(RawPickle().global("torch", "float32").op(")R.")),
                  {"wants to call 'torch.float32'"});
}

TEST(CheckpointHostileTest, RefusesOtherStorageTypes) {
  for (const std::string type : {"ComplexFloatStorage", "QInt8Storage", "UntypedStorage"}) {
    expect_contains(
        pickle_error(RawPickle().op("}").text("w").tensor({6}, {1}, 6, 0, "0", type).op("s.")),
        {"tensors of type 'torch." + type + "'", "not supported", "tensor.float()"});
  }
}

TEST(CheckpointHostileTest, BrokenPicklesAreErrors) {
  expect_contains(pickle_error(RawPickle().op("}")), {"the pickle ends too early"});
  expect_contains(pickle_error(RawPickle().op(".")), {"stack is empty"});
  expect_contains(pickle_error(RawPickle().op("(.")), {"stack is empty"});
  expect_contains(pickle_error(RawPickle().op("t.")), {"there is no mark"});
  expect_contains(pickle_error(RawPickle().op("h\x05.")), {"memo slot 5 is empty"});
  expect_contains(pickle_error(RawPickle().op("}K\x01"
                                              "a.")),
                  {"a dict where a list is needed"});
  expect_contains(pickle_error(RawPickle().op("}(K\x01u.")), {"key has no value"});
  expect_contains(pickle_error(RawPickle().op("K\x01)R.")), {"a number where a name is needed"});
  expect_contains(pickle_error(RawPickle().op("K\x01Q.")), {"a number where a tuple is needed"});
  expect_contains(pickle_error(RawPickle().op("I1x\n.")), {"'1x' is not a number"});
  expect_contains(pickle_error(RawPickle().op("cos")), {"a line does not end"});
  expect_contains(pickle_error(RawPickle().op("X\xff\xff\xff\xff")), {"4294967295 bytes wanted"});
  expect_contains(pickle_error(RawPickle().op("\x8d\xff\xff\xff\xff\xff\xff\xff\xff")),
                  {"18446744073709551615 bytes wanted"});
  RawPickle protocol;
  protocol.bytes = "\x80\x07}.";
  expect_contains(pickle_error(protocol), {"pickle protocol 7 is not supported"});
}

TEST(CheckpointHostileTest, FilesWithoutNamedTensorsAreErrors) {
  expect_contains(pickle_error(RawPickle().op("}.")), {"holds no tensors", "state_dict"});
  expect_contains(pickle_error(RawPickle().op("K\x01.")), {"holds no tensors"});
  expect_contains(pickle_error(RawPickle().tensor({6}, {1}, 6).op(".")), {"without a name"});
  expect_contains(safetensors_error("{}"), {"holds no tensors"});
}

TEST(CheckpointHostileTest, ClashingOrOddNamesAreErrors) {
  RawPickle clash;
  clash.op("}(").text("a.b").tensor({6}, {1}, 6).text("a").op("}").text("b");
  expect_contains(pickle_error(clash.tensor({6}, {1}, 6).op("su.")), {"two tensors named 'a.b'"});
  expect_contains(pickle_error(RawPickle().op("}N").tensor({6}, {1}, 6).op("s.")),
                  {"not a string or an integer"});
  expect_contains(
      pickle_error(RawPickle().op("}").text(std::string(5000, 'n')).tensor({6}, {1}, 6).op("s.")),
      {"longer than 4096 bytes"});
}

TEST(CheckpointHostileTest, ChecksShapesStridesAndOffsets) {
  const std::int64_t big = std::int64_t{1} << 40;
  expect_contains(tensor_error({big}, {1}),
                  {"tensor 'w'", "1099511627776 elements", "storage only 6"});
  expect_contains(tensor_error({big}, {1}, big), {"need more than", "'w' no longer fits"});
  expect_contains(tensor_error({big, big}, {big, 1}), {"overflows"});
  expect_contains(tensor_error({big, big, 0}, {0, 0, 0}), {"overflows"});
  expect_contains(tensor_error({7}, {0}), {"7 elements but its storage only 6"});
  expect_contains(tensor_error({-1}, {1}), {"negative"});
  expect_contains(tensor_error({2}, {-1}), {"negative"});
  expect_contains(tensor_error({1}, {1}, 6, -1), {"negative"});
  expect_contains(tensor_error({6}, {1}, 6, 1), {"reaches element 6 of a storage of 6"});
  expect_contains(tensor_error({3, 2}, {3, 1}), {"reaches element 7"});
  expect_contains(tensor_error({3}, {INT64_MAX}), {"strides overflow"});
  expect_contains(tensor_error({2, 3}, {1}), {"differ in length"});
  expect_contains(tensor_error({7}, {1}, 7),
                  {"should hold 7 elements of float32 but has 24 bytes"});
  expect_contains(tensor_error(std::vector<std::int64_t>(65, 1), {}), {"more than 64 dimensions"});
  RawPickle text_shape;
  text_shape.op("}").text("w").global("torch._utils", "_rebuild_tensor").op("(");
  text_shape.storage("FloatStorage", "0", 6).integer(0).text("shape").integers({1}).op("tRs.");
  expect_contains(pickle_error(text_shape), {"shape or stride is not a tuple"});
  RawPickle elsewhere;
  elsewhere.op("}").text("w").tensor({1}, {1}, 6, 0, "../../etc/passwd").op("s.");
  expect_contains(pickle_error(elsewhere), {"'m/data/../../etc/passwd' is missing"});
}

TEST(CheckpointHostileTest, ManyViewsOfOneStorageDoNotMultiplyMemory) {
  const std::int64_t numel = 1 << 18;  // 1 MiB
  RawPickle pickle;
  pickle.op("}(");
  for (int i = 0; i < 1000; ++i) {
    pickle.text("w" + std::to_string(i)).tensor({numel}, {1}, numel);
  }
  const RawZip zip{
      {{"m/data.pkl", pickle.op("u.").bytes}, {"m/data/0", std::string(4 << 18, 'x')}}};
  const std::string bytes = zip.bytes();
  const auto growth = test::peak_growth([&] {
    expect_contains(error_of([&] { parse_checkpoint(bytes, "x.pt"); }), {"need more than"});
  });
  EXPECT_LT(growth, 32 << 20);
}

TEST(CheckpointHostileTest, SharedDictsDoNotMultiplyNames) {
  // One long key over 300 keys that all mean one dict of 300 tensors: 90,000 long names.
  RawPickle pickle;
  pickle.op("}").text(std::string(3500, 'x')).op("}(");
  for (int i = 0; i < 300; ++i) {
    pickle.text("b" + std::to_string(i));
    if (i > 0) {
      pickle.op("h\x01");
      continue;
    }
    pickle.op("}(");
    for (int j = 0; j < 300; ++j) pickle.text("c" + std::to_string(j)).tensor({1}, {1}, 1);
    pickle.op("uq\x01");
  }
  pickle.op("us.");
  const std::string bytes =
      RawZip{{{"m/data.pkl", pickle.bytes}, {"m/data/0", std::string(4, 'x')}}}.bytes();
  const auto growth = test::peak_growth([&] {
    expect_contains(error_of([&] { parse_checkpoint(bytes, "x.pt"); }), {"names and shapes"});
  });
  EXPECT_LT(growth, 32 << 20);
}

TEST(CheckpointHostileTest, CompressedBombsAreRefused) {
  const std::uint64_t size = 64U << 20;
  const RawMember bomb{"m/data/0", test::deflated_zeros(size), size, 0, 8};
  RawMember huge_pickle = bomb;
  huge_pickle.name = "m/data.pkl";
  const RawPickle one = RawPickle().op("}").text("w").tensor({1}, {1}, size / 4).op("s.");
  const std::string storage = RawZip{{{"m/data.pkl", one.bytes}, bomb}}.bytes();
  const std::string pickle = RawZip{{huge_pickle}}.bytes();
  const auto growth = test::peak_growth([&] {
    expect_contains(error_of([&] { parse_checkpoint(storage, "x.pt"); }), {"the limit is"});
    expect_contains(error_of([&] { parse_checkpoint(pickle, "x.pt"); }), {"the limit is"});
  });
  EXPECT_LT(growth, 32 << 20);
}

TEST(CheckpointHostileTest, DeepAndCyclicAndExponentialStructuresEnd) {
  const std::string deep = std::string(100'000, ']') + std::string(99'999, 'a') + ".";
  expect_contains(pickle_error(RawPickle().op(deep)), {"more than 64 levels deep"});
  RawPickle cycle;
  cycle.op("}q\x01").text("self").op("h\x01s.");
  expect_contains(pickle_error(cycle), {"contain themselves"});
  RawPickle both;  // a list that holds itself twice
  expect_contains(pickle_error(both.op("]q\x01(h\x01h\x01"
                                       "e.")),
                  {"contain themselves"});
  RawPickle doubling;
  doubling.op("]q\x01");
  for (int i = 0; i < 60; ++i)
    doubling.op(
        "0](h\x01h\x01"
        "eq\x01");
  expect_contains(pickle_error(doubling.op(".")), {"share parts so often"});
}

TEST(CheckpointHostileTest, MemoBombsCostNoMemory) {
  // One list of 50,000 pairs, copied 100,000 times.
  RawPickle copies;
  copies
      .op("K\x01K\x01\x86q\x02"
          "0](")
      .op([] {
        std::string gets;
        for (int i = 0; i < 50'000; ++i) gets += "h\x02";
        return gets;
      }());
  copies
      .op("e\x85q\x01"
          "0")
      .global("collections", "OrderedDict")
      .op("q\x03"
          "0");
  for (int i = 0; i < 100'000; ++i) copies.op("h\x03h\x01R");
  // A shape of 100,000 dimensions for each of 50,000 tensors.
  RawPickle shapes;
  shapes.integers(std::vector<std::int64_t>(100'000, 1))
      .op("q\x01"
          "0");
  shapes.storage("FloatStorage", "0", 6)
      .op("q\x02"
          "0");
  shapes.global("torch._utils", "_rebuild_tensor")
      .op("q\x03"
          "0](");
  for (int i = 0; i < 50'000; ++i) shapes.op("h\x03(h\x02K\x01h\x01h\x01tR");
  const std::string copying = checkpoint(copies.op(".").bytes);
  const std::string shaping = checkpoint(shapes.op("e.").bytes);
  const auto growth = test::peak_growth([&] {
    expect_contains(error_of([&] { parse_checkpoint(copying, "x.pt"); }), {"without end"});
    expect_contains(error_of([&] { parse_checkpoint(shaping, "x.pt"); }), {"64 dimensions"});
  });
  EXPECT_LT(growth, 128 << 20);
}

std::string repeated(std::string_view text, std::size_t bytes) {
  std::string out;
  while (out.size() + text.size() <= bytes) out += text;
  return out;
}

/// A safetensors file that is all header.
std::string header_only(const std::string& json) {
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(json.size() >> (8 * i));
  return bytes + json;
}

// The factors are those that docs/formats.md states.
TEST(CheckpointHostileTest, MemoryIsBoundedByTheSizeOfTheFile) {
  using namespace std::string_view_literals;
  constexpr std::size_t kBytes = 2'150'000;  // just above a power of two, where vectors grow
  std::vector<std::string> files;
  for (const std::string_view opcodes :
       {"]"sv, "}"sv, ")"sv, "N"sv, "\x94"sv, "("sv, "2"sv, "q\xff"sv, "]Na"sv, "}NNs"sv, "N\x85"sv,
        "](NNNNe"sv, "NN\x86"sv, "ccollections\nOrderedDict\n)R"sv}) {
    const std::string pickle = "\x80\x04N" + repeated(opcodes, kBytes) + ".";
    const std::string filling(kBytes, 'x');
    files.push_back(RawZip{{{"m/data.pkl", pickle}, {"m/data/0", filling}}}.bytes());
  }
  files.push_back(RawZip{{{"m/data.pkl", "\x80\x04(" + std::string(kBytes, 'N') + "t."},
                          {"m/data/0", std::string(kBytes, 'x')}}}
                      .bytes());
  for (const std::string item : {"0,", "[],", "{},", "\"\","}) {
    files.push_back(header_only("{\"a\":[" + repeated(item, 2 * kBytes) + "0]}"));
  }
  for (const std::string value : {"0", "{}", "{\"a\":0}", "[]"}) {
    std::string json = "{\"__metadata__\":{}";
    for (int i = 0; json.size() < 2 * kBytes; ++i) {
      json += ",\"" + std::to_string(i) + "\":" + value;
    }
    files.push_back(header_only(json + "}"));
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto size = static_cast<std::int64_t>(files[i].size());
    const auto growth = test::peak_growth(
        [&] { EXPECT_THROW(parse_checkpoint(std::move(files[i]), "x.pt"), Error); });
    EXPECT_LT(growth, static_cast<std::int64_t>(kCheckpointFactor) * size) << "file " << i;
  }
}

TEST(CheckpointHostileTest, PicklesLargerThanTheRestOfTheFileAreRefused) {
  // 8 MB that unpack to 32 MB of pickle would cost more than a gigabyte.
  const std::string pickle = "\x80\x04" + std::string(8'000'000, ']') + ".";
  const auto growth = test::peak_growth([&] {
    expect_contains(error_of([&] { parse_checkpoint(checkpoint(pickle), "x.pt"); }),
                    {"data.pkl", "the limit is"});
  });
  EXPECT_LT(growth, 48 << 20);
  expect_contains(pickle_error(RawPickle().op("Nr\xff\xff\xff\x7f.")), {"far off"});
}

TEST(CheckpointHostileTest, LimitsHold) {
  CheckpointLimits limits;
  limits.max_tensors = 3;
  const StateDict tensors = many_tensors();
  for (const std::string& bytes : {to_pytorch_zip(tensors), to_safetensors(tensors)}) {
    expect_contains(error_of([&] { parse_checkpoint(bytes, "x", limits); }),
                    {"more than 3 tensors"});
    CheckpointLimits small;
    small.max_file_bytes = bytes.size() - 1;
    expect_contains(error_of([&] { parse_checkpoint(bytes, "x", small); }),
                    {"larger than the limit"});
  }
}

// --- hostile containers ---

TEST(CheckpointHostileTest, EveryTruncationAndDamagedByteIsSurvived) {
  const StateDict tensors{{"w", Tensor::from_floats({2, 2}, {1, 2, 3, 4})},
                          {"b", Tensor::from_floats({}, {5})}};
  for (const std::string& bytes : {to_pytorch_zip(tensors), to_safetensors(tensors)}) {
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      expect_contains(error_of([&] { parse_checkpoint(bytes.substr(0, length), "x"); }), {"x:"});
    }
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (int mask = 1; mask < 256; mask += 23) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ mask);
        try {
          EXPECT_FALSE(parse_checkpoint(damaged, "x").empty());
        } catch (const Error& error) {
          expect_contains(error.what(), {"x:"});
        }
      }
    }
  }
}

TEST(CheckpointHostileTest, TellsOtherFilesApart) {
  const auto says = [](const std::string& bytes) {
    return error_of([&] { parse_checkpoint(bytes, "x.pt"); });
  };
  expect_contains(says(""), {"x.pt: the file is empty"});
  expect_contains(says("hello, world"), {"neither a PyTorch zip checkpoint nor a safetensors"});
  expect_contains(says("\x80\x02\x8a\x0al\xfc\x9c"
                       "F\xf9 j\xa8P\x19."),
                  {"before PyTorch 1.6", "torch.save(torch.load(path), path)"});
  expect_contains(says(RawZip{{{"a/b", ""}}}.bytes()), {"not a PyTorch checkpoint", "data.pkl"});
  expect_contains(says(RawZip{{{"a/data.pkl", ""}, {"b/data.pkl", ""}}}.bytes()),
                  {"more than one"});
  expect_contains(says(RawZip{{{"a/data.pkl", ""}, {"a/byteorder", "big"}}}.bytes()),
                  {"byte order 'big'"});
  expect_contains(says(RawZip{{{"a/data.pkl", ""}, {"a/../b", ""}}}.bytes()), {"'..'"});
  expect_contains(says(RawZip{{{"a/data.pkl", ""}, {"a/data.pkl", ""}}}.bytes()), {"occurs twice"});
}

TEST(CheckpointHostileTest, ChecksSafetensors) {
  const auto entry = [](const std::string& dtype, const std::string& shape,
                        const std::string& offsets) {
    return R"({"w":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" +
           offsets + "}}";
  };
  EXPECT_EQ(parse_checkpoint(safetensors(entry("F32", "[2]", "[0,8]"), floats({1, 2})), "x")
                .at("w")
                .to_floats(),
            (std::vector<float>{1, 2}));
  expect_contains(safetensors_error(entry("F8_E4M3", "[2]", "[0,2]"), "ab"),
                  {"x.safetensors: ", "tensor 'w'", "'F8_E4M3'", "hint: "});
  expect_contains(safetensors_error(entry("F32", "[2]", "[0,16]"), floats({1, 2})),
                  {"not inside the 8"});
  expect_contains(safetensors_error(entry("F32", "[2]", "[8,0]"), floats({1, 2})), {"not inside"});
  expect_contains(safetensors_error(entry("F32", "[3]", "[0,8]"), floats({1, 2})), {"do not fit"});
  expect_contains(safetensors_error(entry("F32", "[4611686018427387904,4]", "[0,0]")),
                  {"do not fit"});
  expect_contains(safetensors_error(entry("F32", "[-1]", "[0,0]")), {"non-negative integer"});
  expect_contains(safetensors_error(entry("F32", "[18446744073709551615]", "[0,0]")),
                  {"non-negative"});
  expect_contains(safetensors_error(entry("F32", "[1.5]", "[0,0]")), {"non-negative integer"});
  expect_contains(safetensors_error(entry("F32", "2", "[0,8]")), {"not a short list"});
  expect_contains(safetensors_error(entry("F32", "[2]", "[8]")), {"not a pair"});
  expect_contains(safetensors_error(R"({"w":{"dtype":"F32","shape":[1]}})"), {"lacks"});
  expect_contains(safetensors_error(R"({"w":1})"), {"lacks"});
  expect_contains(safetensors_error(R"({"w":)"), {"not valid JSON"});
  expect_contains(safetensors_error("{\"w\xff\":1}"), {"not valid JSON"});
  expect_contains(safetensors_error(R"({"w":1,"w":2})"), {"'w' occurs twice"});
  expect_contains(safetensors_error("{\"w\":" + std::string(100'000, '[')),
                  {"nested more than 3 deep"});
  expect_contains(safetensors_error(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
                                    R"("b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
                                    "1234"),
                  {"overlap at data byte 2"});
  for (const std::uint64_t length : {std::uint64_t{3}, ~std::uint64_t{0}, std::uint64_t{1} << 33}) {
    std::string bytes;
    test::put(bytes, length);
    expect_contains(error_of([&] { parse_checkpoint(bytes + "{}", "x.safetensors"); }),
                    {"header claims " + std::to_string(length) + " bytes"});
  }
}

// --- the published checkpoints ---

struct Published {
  const char* dataset;
  std::int64_t labels;
};

class PublishedTest : public testing::TestWithParam<Published> {};

TEST_P(PublishedTest, ClassifierHasTheNamesAndShapesOfTheSpecification) {
  const auto file = std::filesystem::path("models") / GetParam().dataset / "gcn.pth";
  FEWEDITS_REQUIRE_SHARED(file);
  const StateDict tensors = read_checkpoint(test::shared_root() / file);
  using Shape = std::vector<std::int64_t>;
  std::map<std::string, Shape> expected{{"fc.weight", {2, 20}}, {"fc.bias", {2}}};
  for (const std::string layer : {"0", "1", "2"}) {
    expected["convs." + layer + ".weight"] = {layer == "0" ? GetParam().labels : 20, 20};
    expected["convs." + layer + ".bias"] = {20};
    for (const char* name : {"weight", "bias", "running_mean", "running_var"}) {
      expected["bns." + layer + "." + name] = {20};
    }
    expected["bns." + layer + ".num_batches_tracked"] = {};
  }
  ASSERT_EQ(tensors.size(), expected.size());
  for (const auto& [name, shape] : expected) EXPECT_EQ(tensors.at(name).shape, shape) << name;
  EXPECT_EQ(tensors.at("bns.0.num_batches_tracked").dtype, DType::kInt64);
  EXPECT_GT(tensors.at("bns.0.num_batches_tracked").to_floats()[0], 100);
  for (const float variance : tensors.at("bns.1.running_var").to_floats()) EXPECT_GT(variance, 0);
}

TEST_P(PublishedTest, GreedHasTheNamesAndShapesOfTheSpecification) {
  const auto file = std::filesystem::path("models") / GetParam().dataset / "greed.pt";
  FEWEDITS_REQUIRE_SHARED(file);
  const StateDict tensors = read_checkpoint(test::shared_root() / file);
  using Shape = std::vector<std::int64_t>;
  std::map<std::string, Shape> expected{{"pre.weight", {64, GetParam().labels}},
                                        {"pre.bias", {64}},
                                        {"post.0.weight", {64, 576}},
                                        {"post.0.bias", {64}},
                                        {"post.2.weight", {64, 64}},
                                        {"post.2.bias", {64}}};
  for (int layer = 0; layer < 8; ++layer) {
    const std::string conv = "convs." + std::to_string(layer) + ".";
    expected[conv + "eps"] = {1};
    for (const char* linear : {"nn.0.", "nn.2."}) {
      expected[conv + linear + "weight"] = {64, 64};
      expected[conv + linear + "bias"] = {64};
    }
  }
  ASSERT_EQ(tensors.size(), expected.size());
  for (const auto& [name, shape] : expected) {
    EXPECT_EQ(tensors.at("embed_model." + name).shape, shape) << name;
  }
  // Rewritten in both formats, nothing changes.
  expect_equal(tensors, parse_checkpoint(to_pytorch_zip(tensors), "x.pt"));
  expect_equal(tensors, parse_checkpoint(to_safetensors(tensors), "x.safetensors"));
}

INSTANTIATE_TEST_SUITE_P(All, PublishedTest,
                         testing::Values(Published{"aids", 9}, Published{"mutagenicity", 10},
                                         Published{"nci1", 10}, Published{"proteins", 3}),
                         [](const auto& given) { return std::string(given.param.dataset); });

}  // namespace
}  // namespace fewedits
