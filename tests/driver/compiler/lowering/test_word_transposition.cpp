// SPDX-License-Identifier: Apache-2.0
// Transpositions of words: as matrices, and as programs for every configuration.
#include "word_transposition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "graph_builder.hpp"
#include "seed.hpp"
#include "systole/execute.hpp"
#include "systole/network.hpp"

namespace systole::network {
namespace {

using graph::Shape;

/// Element numbers in the order of the result.
std::vector<std::int64_t> transposed(const Shape& shape, const std::vector<int>& permutation) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size() - 1; i-- > 0;) {
    strides[i] = strides[i + 1] * shape[i + 1];
  }
  std::vector<std::int64_t> numbers{0};
  for (const int axis : permutation) {
    std::vector<std::int64_t> next;
    for (const std::int64_t first : numbers) {
      for (std::int64_t i = 0; i < shape[static_cast<std::size_t>(axis)]; ++i) {
        next.push_back(first + i * strides[static_cast<std::size_t>(axis)]);
      }
    }
    numbers = std::move(next);
  }
  return numbers;
}

std::vector<std::int64_t> moved(const compiler::WordTransposition& words, std::size_t count) {
  std::vector<std::int64_t> result(count, -1);
  for (const auto& place : words.matrices) {
    for (int line = 0; line < words.lines; ++line) {
      for (int column = 0; column < words.columns; ++column) {
        for (int row = 0; row < words.rows; ++row) {
          const std::int64_t from = place.from + row * words.from_row + (line * words.columns + column) * 4;
          const std::int64_t to = place.to + line * words.to_line + column * words.to_column + row * 4;
          result.at(static_cast<std::size_t>(to / 4)) = from / 4;
        }
      }
    }
  }
  return result;
}

TEST(WordTransposition, MovesEveryWordToItsPlace) {
  std::mt19937_64 random(test::seed());
  const auto pick = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  int found = 0;
  for (int i = 0; i < 5000; ++i) {
    Shape shape(static_cast<std::size_t>(1 + pick(5)));
    for (std::int64_t& size : shape) {
      size = pick(4) == 0 ? 1 : 1 + pick(6);
    }
    std::vector<int> permutation(shape.size());
    std::iota(permutation.begin(), permutation.end(), 0);
    std::shuffle(permutation.begin(), permutation.end(), random);
    const auto words = word_transposition(shape, permutation);
    if (words) {
      ++found;
      const auto expected = transposed(shape, permutation);
      ASSERT_EQ(moved(*words, expected.size()), expected) << graph::to_string(shape);
    }
  }
  EXPECT_GT(found, 1500);
}

TEST(WordTransposition, IsNoneOfWordsThatStaySideBySide) {
  EXPECT_FALSE(word_transposition({4, 5, 6}, {1, 0, 2}));
  EXPECT_FALSE(word_transposition({4, 5, 1}, {0, 2, 1})) << "nothing moves";
  EXPECT_FALSE(word_transposition({4, 5, 6, 7}, {3, 2, 1, 0})) << "three axes behind the one that comes last";
  EXPECT_FALSE(word_transposition({4, 0}, {1, 0}));
  EXPECT_FALSE(word_transposition({40, 50, 3, 7}, {1, 0, 3, 2})) << "2000 matrices";
  const auto words = word_transposition({64, 13, 13, 32}, {3, 1, 2, 0});
  ASSERT_TRUE(words);
  EXPECT_EQ(words->rows, 64);
  EXPECT_EQ(words->lines, 169);
  EXPECT_EQ(words->columns, 32);
}

/// Shapes that need several tiles of positions, of words, and of both.
class WordTranspositions : public testing::TestWithParam<const char*> {};
TEST_P(WordTranspositions, RunInEveryConfiguration) {
  const struct {
    Shape shape;
    std::vector<int> permutation;
  } cases[] = {{{1030, 17, 5}, {2, 1, 0}},   {{2000, 2}, {1, 0}},      {{65, 8}, {1, 0}},
               {{7, 1030}, {1, 0}},          {{700, 37}, {1, 0}},      {{9, 5, 6, 33}, {3, 1, 2, 0}},
               {{3, 70, 21}, {0, 2, 1}},     {{5, 3, 600}, {2, 1, 0}}, {{4100, 3}, {1, 0}},
               {{2, 3, 9, 10}, {1, 0, 3, 2}}};
  for (const auto& c : cases) {
    graph::GraphBuilder net("transposition");
    const graph::TensorId from = net.input("from", graph::ElementType::kFloat32, c.shape);
    const graph::Graph graph = net.finish({net.transpose(from, c.permutation)});
    std::vector<float> values(static_cast<std::size_t>(graph::count(c.shape)));
    std::iota(values.begin(), values.end(), 1.0F);
    const std::vector<graph::Value> inputs{graph::make_value(graph::ElementType::kFloat32, c.shape, values)};
    BackendOptions options;
    options.configuration = GetParam();
    Device device = Device::open(options, "model");
    Network network(device, graph);
    EXPECT_EQ(network.run(inputs).at(0).data, graph::execute(graph, inputs).at(0).data) << graph::to_string(c.shape);
    EXPECT_EQ(network.steps().size(), 1U) << "all on the device";
  }
}
INSTANTIATE_TEST_SUITE_P(All, WordTranspositions, testing::Values("tiny", "small", "default", "large"));

}  // namespace
}  // namespace systole::network
