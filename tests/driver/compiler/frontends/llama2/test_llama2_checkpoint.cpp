// SPDX-License-Identifier: Apache-2.0
// Checkpoints of llama2.c: valid ones are read, every kind of damage is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "llama2_checkpoint.hpp"
#include "llama2_graph.hpp"
#include "made_llama.hpp"

namespace systole::llama2 {
namespace {

using graph::Bytes;
using test::kSmall;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t kHeaderBytes = 28;

std::string complaint(const Bytes& bytes) {
  try {
    parse_checkpoint(bytes, "made");
    return "nothing";
  } catch (const graph::GraphError& error) {
    return error.what();
  }
}

float number(const Bytes& bytes, std::size_t index) {
  float value = 0;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

TEST(Llama2Checkpoint, IsWrittenAsItWasRead) {
  for (const std::int32_t vocabulary : {300, -300}) {  // with the embedding as classifier, and with its own
    test::Header header = kSmall;
    header[5] = vocabulary;
    const Bytes bytes = test::checkpoint_bytes(header);
    const Bytes written = checkpoint_file(parse_checkpoint(bytes, "made"));
    ASSERT_EQ(written.size(), bytes.size());
    // Between the matrices are the cosines and sines that llama2.c does not read any more.
    const std::size_t classifier = vocabulary < 0 ? 300 * 8 * sizeof(float) : 0;
    const std::size_t rotations = 16 * 2 * sizeof(float), before = bytes.size() - classifier - rotations;
    const auto at = [](const Bytes& from, std::size_t place) {
      return from.begin() + static_cast<std::ptrdiff_t>(place);
    };
    EXPECT_TRUE(std::equal(bytes.begin(), at(bytes, before), written.begin()));
    EXPECT_TRUE(std::equal(at(bytes, before + rotations), bytes.end(), at(written, before + rotations)));
    EXPECT_EQ(number(written, before / sizeof(float)), 1);  // the cosine of 0
  }
}

TEST(Llama2Checkpoint, ReadsMatricesInOrder) {
  Bytes bytes = test::checkpoint_bytes();
  const auto numbers = test::numbers_of(kSmall);
  for (std::size_t i = 0; i < numbers; ++i) {
    bytes = test::with(std::move(bytes), kHeaderBytes + i * sizeof(float), static_cast<float>(i));
  }
  const Checkpoint checkpoint = parse_checkpoint(bytes, "made");
  EXPECT_EQ(checkpoint.name, "made");
  EXPECT_EQ(checkpoint.sizes.head_width(), 2);
  EXPECT_EQ(checkpoint.sizes.key_width(), 4);
  ASSERT_EQ(checkpoint.layers.size(), 2U);
  // dim 8, hidden 12, keys 4: where each matrix of the second layer begins.
  std::size_t at = 300 * 8;
  const auto expect = [&](const Weights& weights, std::size_t size) {
    EXPECT_EQ(weights->size(), size * sizeof(float));
    EXPECT_EQ(number(*weights, 0), static_cast<float>(at + size));
    at += 2 * size;
  };
  const Layer& layer = checkpoint.layers[1];
  expect(layer.attention_norm, 8);
  expect(layer.query, 64);
  expect(layer.key, 32);
  expect(layer.value, 32);
  expect(layer.output, 64);
  expect(layer.feed_norm, 8);
  expect(layer.gate, 96);
  expect(layer.down, 96);
  expect(layer.up, 96);
  EXPECT_EQ(number(*checkpoint.final_norm, 0), static_cast<float>(at));
  EXPECT_EQ(checkpoint.classifier, checkpoint.embedding);
}

TEST(Llama2Checkpoint, OwnClassifierFollowsRotations) {
  test::Header header = kSmall;
  header[5] = -header[5];
  const Bytes bytes = test::checkpoint_bytes(header);
  const Checkpoint checkpoint = parse_checkpoint(bytes, "made");
  EXPECT_EQ(checkpoint.sizes.vocabulary, 300);
  EXPECT_NE(checkpoint.classifier, checkpoint.embedding);
  EXPECT_EQ(number(*checkpoint.classifier, 300 * 8 - 1), number(bytes, bytes.size() / sizeof(float) - 1));
}

/// A file of version 1 or 2 with these weights; in version 2 of int8 in groups, whose values go to `rounded`.
Bytes later_file(const Checkpoint& checkpoint, std::int32_t version, std::int32_t group, Checkpoint& rounded) {
  const Sizes& s = checkpoint.sizes;
  const bool shared = checkpoint.classifier == checkpoint.embedding;
  Bytes bytes;
  test::append(bytes, std::uint32_t{0x616B3432});
  for (const std::int32_t number :
       {version, s.width, s.hidden, s.layers, s.heads, s.key_heads, s.vocabulary, s.context}) {
    test::append(bytes, number);
  }
  test::append(bytes, std::uint8_t{shared});
  test::append(bytes, group);
  bytes.resize(256);
  const auto put = [&](const Weights& weights) { bytes.insert(bytes.end(), weights->begin(), weights->end()); };
  const auto put_matrix = [&](const Weights& weights, Weights& to) {
    if (version == 1) {
      return put(weights);
    }
    const std::size_t count = weights->size() / sizeof(float), size = static_cast<std::size_t>(group);
    Bytes scales, values;
    for (std::size_t first = 0; first < count; first += size) {
      float most = 0;
      for (std::size_t i = first; i < first + size; ++i) {
        most = std::max(most, std::abs(number(*weights, i)));
      }
      const float scale = most / 127;
      test::append(scales, scale);
      for (std::size_t i = first; i < first + size; ++i) {
        const auto step = static_cast<std::int8_t>(std::lround(number(*weights, i) / scale));
        test::append(bytes, step);
        test::append(values, static_cast<float>(step) * scale);
        EXPECT_NEAR(static_cast<float>(step) * scale, number(*weights, i), 0.51F * scale);
      }
    }
    bytes.insert(bytes.end(), scales.begin(), scales.end());
    to = std::make_shared<const Bytes>(std::move(values));
  };
  rounded = checkpoint;
  for (Weights Layer::*norm : {&Layer::attention_norm, &Layer::feed_norm}) {
    for (const Layer& layer : checkpoint.layers) {
      put(layer.*norm);
    }
  }
  put(checkpoint.final_norm);
  put_matrix(checkpoint.embedding, rounded.embedding);
  for (Weights Layer::*matrix :
       {&Layer::query, &Layer::key, &Layer::value, &Layer::output, &Layer::gate, &Layer::down, &Layer::up}) {
    for (std::size_t i = 0; i < checkpoint.layers.size(); ++i) {
      put_matrix(checkpoint.layers[i].*matrix, rounded.layers[i].*matrix);
    }
  }
  if (shared) {
    rounded.classifier = rounded.embedding;
  } else {
    put_matrix(checkpoint.classifier, rounded.classifier);
  }
  return bytes;
}

TEST(Llama2Checkpoint, LaterVersions) {
  for (const std::int32_t vocabulary : {300, -300}) {
    test::Header header = kSmall;
    header[5] = vocabulary;
    const Checkpoint given = parse_checkpoint(test::checkpoint_bytes(header), "made");
    for (const auto& [version, group] : {std::pair{1, 0}, {2, 4}, {2, 1}}) {
      Checkpoint wanted;
      const Bytes bytes = later_file(given, version, group, wanted);
      const Checkpoint found = parse_checkpoint(bytes, "made");
      EXPECT_EQ(checkpoint_file(found), checkpoint_file(wanted)) << version << ", groups of " << group;
      EXPECT_THAT(complaint(Bytes(bytes.begin(), bytes.end() - 1)), HasSubstr("bytes; its header (dim 8,"));
      EXPECT_THAT(complaint(Bytes(bytes.begin(), bytes.begin() + 200)), HasSubstr("too few for the header of 256"));
      EXPECT_THAT(complaint(test::with(bytes, 4, std::int32_t{3})), HasSubstr("version 3; legal are 0 to 2"));
      EXPECT_THAT(complaint(test::with(bytes, 28, std::int32_t{-300})), HasSubstr("vocab_size at byte 28 is -300"));
    }
    Checkpoint wanted;
    const Bytes bytes = later_file(given, 2, 4, wanted);
    for (const std::int32_t group : {0, -4, 3, 8}) {
      EXPECT_THAT(complaint(test::with(bytes, 37, group)),
                  HasSubstr("legal are divisors of dim and hidden_dim, 8 and 12"));
    }
    const std::size_t scale = 256 + (2 * 2 * 8 + 8) * sizeof(float) + 300 * 8;
    EXPECT_THAT(complaint(test::with(bytes, scale, std::numeric_limits<float>::infinity())),
                HasSubstr("token_embedding: the value in row 0, column 0"));
  }
}

TEST(Llama2Checkpoint, NamesWrongField) {
  const auto with_field = [](std::size_t field, std::int32_t value) {
    return complaint(test::with(test::checkpoint_bytes(), field * sizeof value, value));
  };
  EXPECT_THAT(with_field(0, 0), AllOf(HasSubstr("header field dim at byte 0 is 0; legal are 1 to 65536"),
                                      HasSubstr("export the model again")));
  EXPECT_THAT(with_field(1, -1), HasSubstr("hidden_dim at byte 4 is -1"));
  EXPECT_THAT(with_field(2, 1 << 20), HasSubstr("n_layers at byte 8 is 1048576; legal are 1 to 1024"));
  EXPECT_THAT(with_field(5, std::numeric_limits<std::int32_t>::min()), HasSubstr("vocab_size at byte 20"));
  EXPECT_THAT(with_field(3, 3), HasSubstr("dim 8 in n_heads 3 parts"));
  EXPECT_THAT(with_field(3, 8), HasSubstr("even multiple of n_heads"));
  EXPECT_THAT(with_field(4, 3), HasSubstr("n_kv_heads is 3; legal are divisors of n_heads, 4"));
  EXPECT_THAT(with_field(6, 17), HasSubstr("seq_len 17) says"));
  for (std::size_t field = 0; field < kSmall.size(); ++field) {
    for (const std::int32_t value : {0, 1 << 30, std::numeric_limits<std::int32_t>::max()}) {
      EXPECT_THAT(with_field(field, value), HasSubstr("legal are")) << field;
    }
  }
}

TEST(Llama2Checkpoint, WritesNothingThatAFileCannotSay) {
  const auto error_of = [](double base, float epsilon) {
    Checkpoint checkpoint = parse_checkpoint(test::checkpoint_bytes(), "made");
    checkpoint.sizes.rotary_base = base;
    checkpoint.sizes.norm_epsilon = epsilon;
    try {
      checkpoint_file(checkpoint);
      return std::string("nothing");
    } catch (const graph::GraphError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(error_of(10'000, 1e-5F), "nothing");
  EXPECT_THAT(error_of(500'000, 1e-5F), HasSubstr("made: angles of base 500000 and an epsilon of 1e-05; a file of"));
  EXPECT_THAT(error_of(10'000, 1e-6F), HasSubstr("legal are 10000 and 1e-05: keep the model's own file"));
}

TEST(Llama2Checkpoint, SizeIsExact) {
  const Bytes bytes = test::checkpoint_bytes();
  for (const std::size_t size : {std::size_t{0}, std::size_t{27}}) {
    EXPECT_THAT(complaint(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size))),
                HasSubstr("too few for the header of 28"));
  }
  Bytes other = bytes;
  other.pop_back();
  EXPECT_THAT(complaint(other), AllOf(HasSubstr("bytes; its header (dim 8,"), HasSubstr("says")));
  other.resize(bytes.size() + 4);
  EXPECT_THAT(complaint(other), HasSubstr("bytes; its header"));
}

TEST(Llama2Checkpoint, NamesWeightThatIsNotFinite) {
  const std::size_t w2_of_second = 300 * 8 + 2 * (8 + 64 + 32 + 32 + 64 + 8 + 96) + 96;
  EXPECT_THAT(complaint(test::with(test::checkpoint_bytes(), kHeaderBytes + (w2_of_second + 12 * 3 + 5) * 4,
                                   std::numeric_limits<float>::quiet_NaN())),
              HasSubstr("w2 of layer 1: the value in row 3, column 5"));
  EXPECT_THAT(complaint(test::with(test::checkpoint_bytes(), kHeaderBytes, -std::numeric_limits<float>::infinity())),
              HasSubstr("token_embedding: the value in row 0, column 0 (byte 28) is -inf"));
}

TEST(Llama2Checkpoint, StepFitsContext) {
  const Checkpoint checkpoint = parse_checkpoint(test::checkpoint_bytes(), "made");
  EXPECT_NO_THROW(step_graph(checkpoint, {16, 16}));
  for (const Step step : {Step{0, 16}, Step{1, 17}, Step{5, 4}}) {
    EXPECT_THROW(step_graph(checkpoint, step), graph::GraphError);
  }
}

RC_GTEST_PROP(Llama2Checkpoint, DamagedFilesGiveAModelOrAnError, ()) {
  Bytes bytes = test::checkpoint_bytes({4, 2, 1, 2, 1, 3, 2});
  for (int flips = *rc::gen::inRange(1, 6); flips > 0; --flips) {
    const auto at = *rc::gen::inRange<std::size_t>(0, *rc::gen::element(kHeaderBytes, bytes.size()));
    bytes[at] = static_cast<std::uint8_t>(*rc::gen::inRange(0, 256));
  }
  if (*rc::gen::arbitrary<bool>()) {
    bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size() + 1));
  }
  complaint(bytes);
}

}  // namespace
}  // namespace systole::llama2
