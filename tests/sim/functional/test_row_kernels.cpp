// SPDX-License-Identifier: Apache-2.0
// Kernels over rows that the compiler records from formulas, on the functional model's vector processor.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "binary32.hpp"
#include "binary32_rows.hpp"
#include "model_bench.hpp"
#include "recorded_values.hpp"
#include "row_kernel.hpp"
#include "seed.hpp"
#include "systole/configurations.hpp"
#include "systole/errors.hpp"
#include "vector_processor.hpp"
#include "whole_configurations.hpp"

namespace systole::test {
namespace {

using compiler::Combine;
using compiler::ExpressionPtr;
using compiler::RowFunction;
using compiler::Strips;
using kernel::Format;
using Words = std::vector<std::uint32_t>;

constexpr int kPlanes = 4;  // of words

std::vector<float> numbers_of(const Words& words) {
  std::vector<float> numbers(words.size());
  std::transform(words.begin(), words.end(), numbers.begin(), [](std::uint32_t x) { return std::bit_cast<float>(x); });
  return numbers;
}

/// A row by the function: its steps in turn, each of all elements.
class Expected {
 public:
  Expected(const RowFunction& function, const std::vector<Words>& operands, int dim)
      : function_(function), dim_(dim), values_(operands) {
    const auto count = static_cast<std::size_t>(function.elements());
    values_.resize(function.numbers(), Words(count));
    for (std::size_t i = 0; i < function.operands().size(); ++i) {
      if (function.operands()[i].is_number) {
        values_[i].assign(count, operands[i][0]);
      }
    }
    for (const RowFunction::Step& step : function.steps()) {
      if (step.kept) {
        values_[step.kept_number] = elements(*step.kept);
      }
      for (const RowFunction::Fold& fold : step.folds) {
        values_[fold.number].assign(count, combined(fold.combine, elements(fold.element), function.apart()));
      }
      if (step.value != nullptr) {
        values_[step.value_number].assign(count, at(step.value, 0));
      }
    }
  }

  Words result() const {
    return function_.result_of_row() != nullptr ? Words(1, at(function_.result_of_row(), 0))
                                                : elements({function_.result_element()});
  }

 private:
  std::uint32_t at(const ExpressionPtr& e, std::size_t i) const {
    Words operands;
    for (const Words& words : values_) {
      operands.push_back(words[i]);
    }
    return value_of(e, operands);
  }

  Words elements(const RowFunction::Element& element) const {
    Words words(static_cast<std::size_t>(function_.elements()));
    const std::size_t last = (words.size() - 1) / static_cast<std::size_t>(dim_) * static_cast<std::size_t>(dim_);
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = at(i >= last && element.in_last != nullptr ? element.in_last : element.value, i);
    }
    return words;
  }

  static std::uint32_t combined(Combine combine, const Words& words, int apart) {
    namespace b32 = golden::binary32;
    const std::vector<float> numbers = numbers_of(words);
    switch (combine) {
      case Combine::kMax:
      case Combine::kMin: {
        std::vector<std::int32_t> integers(words.begin(), words.end());
        const auto [least, most] = std::minmax_element(integers.begin(), integers.end());
        return static_cast<std::uint32_t>(combine == Combine::kMax ? *most : *least);
      }
      case Combine::kSum: return std::accumulate(words.begin(), words.end(), std::uint32_t{0});
      case Combine::kFloatMax:
        return std::bit_cast<std::uint32_t>(
            std::accumulate(numbers.begin(), numbers.end(), -std::numeric_limits<float>::infinity(), b32::maximum));
      default: return std::bit_cast<std::uint32_t>(b32::sum_of_row(numbers.data(), numbers.size(), apart));
    }
  }

  const RowFunction& function_;
  const int dim_;
  std::vector<Words> values_;  ///< of each operand's number, one for each element
};

class RowKernels : public testing::TestWithParam<Configuration> {
 protected:
  /// Where operands and results are: planes of words, as far apart as there are rows.
  struct Place {
    int row = 0, distance = 0;
  };

  std::uint32_t word(const Place& place, int row, std::int64_t channel) {
    std::uint32_t word = 0;
    for (int byte = 0; byte < kPlanes; ++byte) {
      const std::int64_t dim = bench_.dim(), at = kPlanes * (channel % dim) + byte;
      const std::int64_t plane = kPlanes * (channel / dim) + at / dim;
      const auto scratch = static_cast<std::uint16_t>(place.row + plane * place.distance + row);
      word |= std::uint32_t{static_cast<std::uint8_t>(bench_.state().scratch(scratch)[at % dim])} << 8 * byte;
    }
    return word;
  }

  Words row_of(const Place& place, int row, std::int64_t channels) {
    Words words;
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      words.push_back(word(place, row, channel));
    }
    return words;
  }

  /// Runs the function on `rows` rows of random words and compares every element. `repeats` says which operands have
  /// one row. Strips of planes compute one row.
  void compare(const RowFunction& function, int rows, const std::vector<bool>& repeats,
               Strips strips = Strips::kOfRows) {
    const kernel::Kernel made = compiler::row_kernel(function, bench_.dim(), strips).value();
    bench_.randomize();
    bench_.put_kernel(0, made.words);
    const auto planes = static_cast<int>((function.elements() + bench_.dim() - 1) / bench_.dim());
    std::map<std::string, int> arguments{{"rows", rows}, {"strips", (rows + 7) / 8}, {"meeting", 3}};
    int end = 0;
    const auto place = [&](const std::string& name, int some_rows, int some_planes) {
      const Place place{end, some_rows};
      arguments[name] = end;
      arguments[name + "_plane"] = some_rows;
      arguments[name + "_row"] = strips == Strips::kOfPlanes ? kPlanes * some_rows : some_rows == 1 ? 0 : 1;
      end += kPlanes * some_planes * some_rows;
      return place;
    };
    std::vector<Place> places;
    for (std::size_t i = 0; i < function.operands().size(); ++i) {
      places.push_back(place(std::string(1, static_cast<char>('a' + i)), repeats[i] ? 1 : rows,
                             function.operands()[i].is_number ? 1 : planes));
    }
    const Place to = place("to", rows, planes);
    std::vector<Words> expected;
    for (int row = 0; row < rows; ++row) {
      std::vector<Words> operands;
      for (std::size_t i = 0; i < places.size(); ++i) {
        operands.push_back(
            row_of(places[i], repeats[i] ? 0 : row, function.operands()[i].is_number ? 1 : function.elements()));
      }
      expected.push_back(Expected(function, operands, bench_.dim()).result());
    }
    std::array<std::uint32_t, kernel::kArguments> values{};
    for (std::size_t i = 0; i < made.arguments.size(); ++i) {
      values[i] = static_cast<std::uint32_t>(arguments.at(made.arguments[i]));
    }
    processor_.run(0, values);
    for (int row = 0; row < rows; ++row) {
      const auto& wanted = expected[static_cast<std::size_t>(row)];
      ASSERT_EQ(row_of(to, row, static_cast<std::int64_t>(wanted.size())), wanted)
          << function.elements() << " elements, row " << row << " of " << rows << "\n"
          << listing(made);
    }
  }

  int rows_that_fit(const RowFunction& function, int most) {
    const std::int64_t planes = (function.elements() + bench_.dim() - 1) / bench_.dim() * kPlanes;
    const auto tensors = static_cast<std::int64_t>(function.operands().size()) + 1;
    return static_cast<int>(std::min<std::int64_t>(most, GetParam().scratch_rows / (tensors * planes)));
  }

  bool fits(const RowFunction& function) { return compiler::row_kernel(function, bench_.dim()).has_value(); }

  /// A random function of rows of words: `b` may be one row that is repeated, `c` is a number.
  RowFunction random_function(int elements, bool has_b, bool has_c, bool has_last, int apart) {
    std::vector<RowFunction::Operand> operands = {{Format::kI32}};
    if (has_b) {
      operands.push_back({Format::kI32, true});
    }
    if (has_c) {
      operands.push_back({Format::kI32, false, false, true});
    }
    RowFunction function("random", elements, operands, Format::kI32, apart);
    std::vector<ExpressionPtr> known = {function.element(0)}, of_row;
    if (has_b) {
      known.push_back(function.element(1));
    }
    if (has_c) {
      of_row.push_back(function.value(random_expression(bench_, 3, {function.element(2)})));
    }
    const auto all = [&] {
      std::vector<ExpressionPtr> all = known;
      all.insert(all.end(), of_row.begin(), of_row.end());
      return all;
    };
    const auto element = [&] {
      RowFunction::Element element{random_expression(bench_, bench_.uniform(1, 8), all())};
      if (has_last && bench_.uniform(0, 4) == 0) {
        element.in_last = random_expression(bench_, 4, all());
      }
      return element;
    };
    for (int i = bench_.uniform(1, 3); i > 0; --i) {
      const int kind = bench_.uniform(0, 4);
      if (kind == 0) {
        known.push_back(function.keep_in_registers(element()));
      } else if (kind == 1 && known.size() < 4) {
        known.push_back(function.keep(element()));
      }
      const auto combine = static_cast<Combine>(bench_.uniform(0, 4));
      of_row.push_back(bench_.uniform(0, 3) == 0 ? function.fold({{combine, element()}, {Combine::kSum, element()}})[1]
                                                 : function.fold(combine, element()));
      if (bench_.uniform(0, 1) == 0) {
        of_row.push_back(function.value(random_expression(bench_, 5, of_row)));
      }
    }
    bench_.uniform(0, 3) == 0 ? function.set_result_of_row(random_expression(bench_, 3, of_row))
                              : function.set_result(random_expression(bench_, 6, all()));
    return function;
  }

  Bench bench_{GetParam(), seed()};
  model::VectorProcessor processor_{bench_.state()};
};

INSTANTIATE_TEST_SUITE_P(Configurations, RowKernels, testing::ValuesIn(test::whole_configurations()),
                         ConfigurationName());

TEST_P(RowKernels, ComputeWhatTheirStepsSay) {
  int made = 0;
  for (int round = 0; round < 120; ++round) {
    const int elements = bench_.uniform(0, 1) == 0 ? bench_.uniform(1, 40) : bench_.uniform(1, 5 * bench_.dim());
    const bool has_b = bench_.uniform(0, 1) == 1, has_c = has_b && bench_.uniform(0, 2) == 0;
    const RowFunction function = random_function(elements, has_b, has_c, true, golden::binary32::kSumsOfRow);
    const int rows = rows_that_fit(function, bench_.uniform(1, 20));
    if (rows > 0 && fits(function)) {
      ASSERT_NO_FATAL_FAILURE(compare(function, rows, {false, has_b && bench_.uniform(0, 1) == 0, false})) << round;
      ++made;
    }
  }
  EXPECT_GT(made, 80);
}

TEST_P(RowKernels, ComputeSingleRowsByStripsOfPlanes) {
  namespace b32 = golden::binary32;
  int made = 0, made_long = 0;
  for (int round = 0; round < 160; ++round) {
    const bool is_long = bench_.uniform(0, 1) == 1, whole = bench_.uniform(0, 1) == 1;
    const int least = is_long ? b32::kSumsOfLongRow : 1;
    const int elements =
        whole ? 32 * bench_.uniform((least + 31) / 32, 24) : bench_.uniform(least, std::max(least, 40 * bench_.dim()));
    const bool has_b = bench_.uniform(0, 1) == 1;
    const RowFunction function =
        random_function(elements, has_b, false, false, is_long ? b32::kSumsOfLongRow : b32::kSumsOfRow);
    if (rows_that_fit(function, 1) == 1 && compiler::row_kernel(function, bench_.dim(), Strips::kOfPlanes)) {
      ASSERT_NO_FATAL_FAILURE(compare(function, 1, {false, false}, Strips::kOfPlanes)) << round;
      ++made;
      made_long += is_long ? 1 : 0;
    }
  }
  EXPECT_GT(made, 30);
  EXPECT_GT(made_long, bench_.dim() < 16 ? 0 : 10);
}

TEST(RowKernel, RefusesWhatNeedsTooManyRegisters) {
  RowFunction function("wide", 100, {{Format::kI32}}, Format::kI32);
  ExpressionPtr sum = function.element(0);
  std::vector<ExpressionPtr> of_row;
  for (int i = 0; i < kernel::kVectors; ++i) {
    of_row.push_back(function.fold(Combine::kSum, sum));
    sum = compiler::operation(kernel::Op::kIadd, sum, of_row.back());
  }
  function.set_result(sum);
  EXPECT_FALSE(compiler::row_kernel(function, 16).has_value());
}

}  // namespace
}  // namespace systole::test
