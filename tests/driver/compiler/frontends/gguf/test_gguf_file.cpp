// SPDX-License-Identifier: Apache-2.0
// The tables of GGUF files: values and tensors are read, every kind of damage is named.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "gguf_file.hpp"
#include "gguf_llama.hpp"
#include "gguf_tokenizer.hpp"
#include "made_gguf.hpp"
#include "small_floats.hpp"
#include "tensor_types.hpp"

namespace systole::gguf {
namespace {

using graph::Bytes;
using test::MadeFile;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string complaint(const Bytes& bytes) {
  try {
    const File file(bytes);
    return "nothing";
  } catch (const graph::GraphError& error) {
    return error.what();
  }
}

/// Of reading a value.
template <class Read>
std::string complaint(const MadeFile& made, const Read& read) {
  const Bytes bytes = made.bytes();
  const File file(bytes);
  try {
    read(file);
    return "nothing";
  } catch (const graph::GraphError& error) {
    return error.what();
  }
}

MadeFile small() {
  MadeFile file;
  file.size("count", 7).real("share", 0.5F).flag("yes", true).text("name", "made");
  file.array<std::string>("words", test::kText, {"a", "", "bc"});
  file.array<float>("scores", test::kFloat32, {-1, 2});
  file.array<std::int32_t>("types", test::kInt32, {1, -3});
  file.number("long", test::kUint64, std::numeric_limits<std::uint64_t>::max());
  file.number("exact", test::kFloat64, 0.1);
  file.tensors["x"] = test::of_floats({2, 3}, {1, 2, 3, 4, 5, 6});
  file.tensors["y"] = test::of_floats({1}, {7});
  return file;
}

TEST(GgufFile, ReadsValues) {
  for (const std::uint32_t version : {2U, 3U}) {
    MadeFile made = small();
    made.version = version;
    const Bytes bytes = made.bytes();
    EXPECT_TRUE(File::begins(bytes));
    const File file(bytes);
    EXPECT_EQ(file.integer("count", {1, 7}), 7);
    EXPECT_EQ(file.real("share", {0, 1}), 0.5);
    EXPECT_EQ(file.real("exact", {0, 1}), 0.1);
    EXPECT_TRUE(file.flag("yes"));
    EXPECT_EQ(file.text("name"), "made");
    EXPECT_THAT(file.texts("words"), ElementsAre("a", "", "bc"));
    EXPECT_THAT(file.reals("scores"), ElementsAre(-1, 2));
    EXPECT_THAT(file.integers("types"), ElementsAre(1, -3));
    EXPECT_EQ(file.integer("long", {0, std::numeric_limits<std::int64_t>::max()}),
              std::numeric_limits<std::int64_t>::max());
    EXPECT_TRUE(file.has("count"));
    EXPECT_FALSE(file.has("counts"));
  }
}

std::vector<float> floats(const llama2::Weights& weights) {
  std::vector<float> values(weights->size() / sizeof(float));
  std::memcpy(values.data(), weights->data(), weights->size());
  return values;
}

TEST(GgufFile, ReadsTensors) {
  const Bytes bytes = small().bytes();
  const File file(bytes);
  EXPECT_THAT(floats(numbers(file, "x", {2, 3})), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(floats(numbers(file, "y", {1})), ElementsAre(7));
}

TEST(GgufFile, ReadsTypesOfFewerBits) {
  MadeFile made;
  test::MadeTensor half{{4}, test::kF16, {}}, brain{{3}, test::kBf16, {}}, groups{{64}, test::kQ8_0, {}};
  for (const double value : {1.0, -0.333251953125, 65504.0, 5.9604644775390625e-08}) {
    test::put(half.data, graph::Float16(value).bits);
  }
  for (const double value : {1.0, -3.140625, 1e38}) {
    test::put(brain.data, graph::Bfloat16(value).bits);
  }
  for (const double scale : {0.5, -0.0999755859375}) {
    test::put(groups.data, graph::Float16(scale).bits);
    for (int i = 0; i < 32; ++i) {
      test::put(groups.data, static_cast<std::int8_t>(4 * i - 64));
    }
  }
  made.tensors = {{"half", half}, {"brain", brain}, {"groups", groups}};
  const Bytes bytes = made.bytes();
  const File file(bytes);
  EXPECT_THAT(floats(numbers(file, "half", {4})), ElementsAre(1, -0.333251953125F, 65504, 5.9604644775390625e-08F));
  EXPECT_THAT(floats(numbers(file, "brain", {3})), ElementsAre(1, -3.140625F, float{graph::Bfloat16(1e38)}));
  const std::vector<float> values = floats(numbers(file, "groups", {64}));
  EXPECT_EQ(values[0], -32);
  EXPECT_EQ(values[31], 30);
  EXPECT_EQ(values[32], -64 * -0.0999755859375F);
  EXPECT_EQ(values[63], 60 * -0.0999755859375F);
}

TEST(GgufFile, NamesWrongValues) {
  const auto with = [](const auto& read) { return complaint(small(), read); };
  EXPECT_THAT(with([](const File& file) {
                file.integer("other", {0, 9});
              }),
              HasSubstr("key 'other' is missing; legal is an integer: convert the model again"));
  EXPECT_THAT(with([](const File& file) {
                file.integer("count", {8, 9});
              }),
              HasSubstr("key 'count': the value is 7; legal are 8 to 9: convert"));
  EXPECT_THAT(with([](const File& file) {
                file.integer("share", {0, 9});
              }),
              HasSubstr("key 'share' is of type float32; legal is an integer"));
  EXPECT_THAT(with([](const File& file) {
                file.integer("types", {0, 9});
              }),
              HasSubstr("key 'types' is an array of type int32; legal is an integer"));
  EXPECT_THAT(with([](const File& file) {
                file.real("share", {0.6, 1});
              }),
              HasSubstr("key 'share': the value is 0.5; legal are 0.6 to 1"));
  EXPECT_THAT(with([](const File& file) {
                file.real("count", {0, 9});
              }),
              HasSubstr("legal is a floating-point number"));
  EXPECT_THAT(with([](const File& file) { file.flag("count"); }), HasSubstr("legal is true or false"));
  EXPECT_THAT(with([](const File& file) { file.text("count"); }), HasSubstr("of type uint32; legal is a text"));
  EXPECT_THAT(with([](const File& file) { file.texts("types"); }), HasSubstr("legal is an array of texts"));
  EXPECT_THAT(with([](const File& file) { file.texts("name"); }),
              HasSubstr("of type text; legal is an array of texts"));
  EXPECT_THAT(with([](const File& file) { file.reals("types"); }), HasSubstr("legal is a floating-point number"));
  EXPECT_THAT(with([](const File& file) { file.integers("scores"); }), HasSubstr("legal is an integer"));
  MadeFile nan = small();
  nan.real("share", std::numeric_limits<float>::quiet_NaN());
  EXPECT_THAT(complaint(nan, [](const File& file) { file.real("share", {0, 1}); }), HasSubstr("the value is nan"));
}

TEST(GgufFile, NamesWrongTensors) {
  const auto with = [](const auto& read) { return complaint(small(), read); };
  EXPECT_THAT(with([](const File& file) {
                numbers(file, "z", {2, 3});
              }),
              HasSubstr("tensor 'z' is missing; by the file's keys it has 3 x 2 numbers"));
  EXPECT_THAT(with([](const File& file) {
                numbers(file, "x", {3, 2});
              }),
              HasSubstr("tensor 'x' has 3 x 2 numbers; by the file's keys legal is 2 x 3"));
  MadeFile made = small();
  made.tensors["x"] = test::of_floats({2, 3}, {1, 2, 3, 4, 5, std::numeric_limits<float>::infinity()});
  EXPECT_THAT(complaint(made,
                        [](const File& file) {
                          numbers(file, "x", {2, 3});
                        }),
              HasSubstr("tensor 'x': the value in row 2, column 1 is inf; legal are finite numbers"));
  made.tensors["x"].type = test::kQ4_0;
  EXPECT_THAT(complaint(made.bytes()),
              HasSubstr("tensor 'x' is of type 2, Q4_0; legal are F32, F16, BF16 and Q8_0: convert the model again, "
                        "with llama.cpp's convert_hf_to_gguf.py --outtype q8_0"));
  made.tensors["x"].type = 12;
  EXPECT_THAT(complaint(made.bytes()), HasSubstr("of type 12, Q4_K; legal"));
  made.tensors["x"].type = 39;
  EXPECT_THAT(complaint(made.bytes()), HasSubstr("of type 39, MXFP4; legal"));
  for (const std::uint32_t nameless : {4U, 31U, 42U, 1U << 31}) {
    made.tensors["x"].type = nameless;
    EXPECT_THAT(complaint(made.bytes()), HasSubstr(fmt::format("tensor 'x' is of type {}; legal", nameless)));
  }
  made.tensors["x"].type = test::kQ8_0;
  EXPECT_THAT(complaint(made.bytes()),
              HasSubstr("tensor 'x': rows have 2 numbers; legal for its type are multiples of 32"));
}

TEST(GgufFile, NamesDamage) {
  const auto changed = [](const auto& change) {
    MadeFile made = small();
    change(made);
    return complaint(made.bytes());
  };
  EXPECT_EQ(complaint(small().bytes()), "nothing");
  EXPECT_THAT(complaint(Bytes{}), HasSubstr("the file's 0 bytes end inside the first word"));
  EXPECT_FALSE(File::begins(Bytes{'G', 'G', 'U'}));
  EXPECT_THAT(complaint(Bytes{'G', 'G', 'M', 'F'}), HasSubstr("the first 4 bytes are not 'GGUF'"));
  EXPECT_THAT(changed([](MadeFile& file) { file.version = 1; }), HasSubstr("version 1; legal are 2 and 3"));
  EXPECT_THAT(changed([](MadeFile& file) { file.version = 3 << 24; }),
              HasSubstr("version 50331648, which is 3 in a file for big-endian machines; legal are 2 and 3"));
  EXPECT_THAT(changed([](MadeFile& file) { file.size("general.alignment", 4); }),
              HasSubstr("key 'general.alignment': the value is 4; legal are 8 to 65536"));
  EXPECT_THAT(changed([](MadeFile& file) { file.size("general.alignment", 24); }),
              HasSubstr("the value is 24; legal are powers of two from 8 to 65536"));
  EXPECT_EQ(changed([](MadeFile& file) {
              file.size("general.alignment", 64);
              file.alignment = 64;
            }),
            "nothing");
  EXPECT_THAT(changed([](MadeFile& file) { file.offsets["y"] = 16; }),
              HasSubstr("tensor 'y' has 4 bytes from byte 16 of the data on; legal are multiples of 32"));
  EXPECT_THAT(changed([](MadeFile& file) { file.offsets["y"] = 64; }),
              HasSubstr("and an end within the 64 bytes of the data"));
  EXPECT_THAT(changed([](MadeFile& file) { file.offsets["y"] = ~std::uint64_t{31}; }), HasSubstr("an end within"));
  EXPECT_THAT(changed([](MadeFile& file) { file.offsets["y"] = 0; }),
              HasSubstr("overlap; legal are tensors one after"));
  EXPECT_THAT(changed([](MadeFile& file) { file.tensors["x"].dimensions = {}; }),
              HasSubstr("tensor 'x' has 0 dimensions; legal are 1 to 4"));
  EXPECT_THAT(changed([](MadeFile& file) {
                file.tensors["x"].dimensions = {1, 1, 1, 1, 1};
              }),
              HasSubstr("has 5 dimensions; legal are 1 to 4"));
  EXPECT_THAT(changed([](MadeFile& file) {
                file.tensors["x"].dimensions = {2, 0};
              }),
              HasSubstr("tensor 'x': dimension 1 is 0; with the file's"));
  EXPECT_THAT(changed([](MadeFile& file) {
                file.tensors["x"].dimensions = {1ULL << 33, 1ULL << 33};
              }),
              HasSubstr("tensor 'x': dimension 0 is 8589934592; with the file's"));
  EXPECT_THAT(changed([](MadeFile& file) {
                file.tensors["x"].dimensions = {8, 1ULL << 62};
              }),
              HasSubstr("tensor 'x': dimension 1 is 4611686018427387904; with the file's"));
  EXPECT_THAT(changed([](MadeFile& file) { file.tensors[std::string(65, 'n')] = file.tensors["x"]; }),
              HasSubstr("the name of tensor 0 has 65 bytes; legal are 0 to 64"));
  EXPECT_THAT(changed([](MadeFile& file) { file.number("odd", 13, 0); }),
              HasSubstr("the type of key 'odd' is 13; legal are 0 to 12"));
}

TEST(GgufFile, CountsFitTheFile) {
  const Bytes bytes = small().bytes();
  const auto with = [&](std::size_t at, std::uint64_t count) {
    Bytes other = bytes;
    std::memcpy(other.data() + at, &count, sizeof count);
    return complaint(other);
  };
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(with(8, most), HasSubstr("the file says that it has 18446744073709551615 tensors; with"));
  EXPECT_THAT(with(16, most), HasSubstr("the file says that it has 18446744073709551615 keys; with"));
  EXPECT_THAT(with(24, most),
              AllOf(HasSubstr("the name of key 0 has 18446744073709551615 bytes"), HasSubstr("legal are 0 to 65535")));
  // Arrays whose elements would be more bytes than 64 bits can count.
  MadeFile made;
  Bytes& array = made.keys["a"];
  test::put(array, std::uint32_t{test::kArray});
  test::put(array, std::uint32_t{test::kFloat64});
  test::put(array, (std::uint64_t{1} << 61) + 1);
  EXPECT_THAT(complaint(made.bytes()), HasSubstr("end inside key 'a'"));
  // Arrays in arrays.
  const auto nested = [](int depth) {
    MadeFile file;
    Bytes& value = file.keys["a"];
    test::put(value, std::uint32_t{test::kArray});
    for (int i = 0; i < depth; ++i) {
      test::put(value, std::uint32_t{test::kArray});
      test::put(value, std::uint64_t{1});
    }
    test::put(value, std::uint32_t{test::kUint8});
    test::put(value, std::uint64_t{0});
    return complaint(file.bytes());
  };
  EXPECT_EQ(nested(3), "nothing");
  EXPECT_THAT(nested(1000), HasSubstr("key 'a' has more than 4 arrays in one another"));
}

TEST(GgufFile, NothingIsThereTwice) {
  // A file has no place for this in MadeFile: two names of the same length become one.
  MadeFile made;
  made.size("one", 1).size("two", 2);
  made.tensors["one"] = test::of_floats({1}, {1});
  made.tensors["two"] = test::of_floats({1}, {1});
  const auto renamed = [&](int which) {
    Bytes bytes = made.bytes();
    for (std::size_t i = 0; i + 3 < bytes.size(); ++i) {
      if (std::memcmp(bytes.data() + i, "two", 3) == 0 && which-- == 0) {
        std::memcpy(bytes.data() + i, "one", 3);
      }
    }
    return complaint(bytes);
  };
  EXPECT_THAT(renamed(0), HasSubstr("key 'one' is there twice"));
  EXPECT_THAT(renamed(1), HasSubstr("tensor 'one' is there twice"));
}

TEST(GgufFile, TruncatedAnywhereIsNamed) {
  const Bytes bytes = small().bytes();
  // The last tensor's 4 bytes are followed by those that fill the alignment.
  for (std::size_t size = 0; size < bytes.size() - 28; ++size) {
    EXPECT_NE(complaint(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size))), "nothing") << size;
  }
  EXPECT_EQ(complaint(Bytes(bytes.begin(), bytes.end() - 28)), "nothing");
}

TEST(GgufFile, NamesAreShownWithoutControlCharacters) {
  EXPECT_EQ(shown("a\x1B[2J\n"), "'a<0x1B>[2J<0x0A>'");
  EXPECT_EQ(shown(std::string(100, 'x')), "'" + std::string(80, 'x') + "...'");
}

RC_GTEST_PROP(GgufFile, DamagedFilesGiveAModelOrAnError, ()) {
  Bytes bytes = test::made_llama({4, 2, 1, 2, 1, 2}).bytes();
  for (int flips = *rc::gen::inRange(1, 6); flips > 0; --flips) {
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = static_cast<std::uint8_t>(*rc::gen::inRange(0, 256));
  }
  if (*rc::gen::arbitrary<bool>()) {
    bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size() + 1));
  }
  try {
    const File file(bytes);
    tokenizer_of(file, checkpoint_of(file, "made").sizes.vocabulary);
  } catch (const graph::GraphError&) {}
}

}  // namespace
}  // namespace systole::gguf
