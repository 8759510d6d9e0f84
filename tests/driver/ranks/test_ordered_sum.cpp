// SPDX-License-Identifier: Apache-2.0
// Sums whose bits depend on the order, over ranks that are threads.
#include "ordered_sum.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <stdexcept>

#include "packing.hpp"
#include "shared_work.hpp"
#include "thread_ranks.hpp"
#include "together.hpp"

namespace systole::ranks {
namespace {

constexpr std::size_t kVectors = 5, kNumbers = 12;

std::vector<float> floats(const Bytes& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}
Bytes bytes(const std::vector<float>& values) {
  Bytes result(values.size() * sizeof(float));
  std::memcpy(result.data(), values.data(), result.size());
  return result;
}
Bytes add(const Bytes& a, const Bytes& b) {
  std::vector<float> sum = floats(a);
  const std::vector<float> summand = floats(b);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] += summand.at(i);
  }
  return bytes(sum);
}

class OrderedSum : public testing::Test {
 protected:
  OrderedSum() {
    std::mt19937 random(1);
    for (std::size_t i = 0; i < kVectors; ++i) {
      std::vector<float> values;
      for (std::size_t k = 0; k < kNumbers; ++k) {
        values.push_back(std::ldexp(static_cast<float>(random()), -static_cast<int>(random() % 40)));
      }
      vectors_.push_back(bytes(values));
    }
  }
  Bytes left_to_right() const {
    Bytes sum = vectors_[0];
    for (std::size_t i = 1; i < kVectors; ++i) {
      sum = add(sum, vectors_[i]);
    }
    return sum;
  }

  std::vector<Bytes> vectors_;
};

TEST_F(OrderedSum, DoesNotDependOnTheRanks) {
  Bytes backward = vectors_[kVectors - 1];
  for (std::size_t i = kVectors - 1; i-- > 0;) {
    backward = add(backward, vectors_[i]);
  }
  ASSERT_NE(backward, left_to_right()) << "the numbers do not show the order";
  for (const int size : {1, 2, 3, 5}) {
    for (const std::size_t pieces : {1, 3, 12}) {
      in_threads(size, [&](Ranks& ranks) {
        const auto from = vectors_.begin() + static_cast<std::ptrdiff_t>(kVectors) * ranks.rank() / size;
        const auto to = vectors_.begin() + static_cast<std::ptrdiff_t>(kVectors) * (ranks.rank() + 1) / size;
        EXPECT_EQ(ordered_sum(ranks, {from, to}, pieces, add), left_to_right())
            << "rank " << ranks.rank() << " of " << size << ", " << pieces << " pieces";
      });
    }
  }
}

TEST(Packing, GivesTheSamePartsAgain) {
  const std::vector<Bytes> parts = {{1, 2, 3}, {}, {4}};
  EXPECT_EQ(unpack(pack(parts)), parts);
  EXPECT_EQ(unpack({}), std::vector<Bytes>());
  EXPECT_THROW(unpack({1, 2}), InternalError);
  Bytes cut = pack(parts);
  cut.pop_back();
  EXPECT_THROW(unpack(cut), InternalError);
  EXPECT_EQ(value_of<int>(bytes_of(77)), 77);
  EXPECT_THROW(value_of<int>({1}), InternalError);
}

TEST(Spread, EachOnceAndInOrder) {
  in_threads(3, [](Ranks& ranks) {
    std::vector<std::size_t> mine;
    const auto results = spread(ranks, 8, [&](std::size_t i) {
      mine.push_back(i);
      return Bytes{static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(ranks.rank())};
    });
    ASSERT_EQ(results.size(), 8U);
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(results[i], (Bytes{static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i % 3)}));
    }
    EXPECT_EQ(mine.front(), static_cast<std::size_t>(ranks.rank()));
  });
}

TEST(Together, AFailureOfOneIsThatOfAll) {
  in_threads(3, [](Ranks& ranks) {
    const auto work = [&] {
      together(ranks, [&] {
        if (ranks.rank() > 0) {
          throw std::runtime_error("no such file");
        }
      });
    };
    EXPECT_THAT(work, testing::ThrowsMessage<CommonFailure>("rank 1: no such file"));
    together(ranks, [] {});
  });
  EXPECT_THROW(together(*alone(), [] { throw std::out_of_range("x"); }), std::out_of_range);
}

TEST(Alone, IsOne) {
  const auto one = alone();
  EXPECT_EQ(one->size(), 1);
  EXPECT_FALSE(one->several());
  EXPECT_EQ(one->all_gather({7}), std::vector<Bytes>{{7}});
  EXPECT_THROW(one->send(1, {}), InternalError);
}

}  // namespace
}  // namespace systole::ranks
