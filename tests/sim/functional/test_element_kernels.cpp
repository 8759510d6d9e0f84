// SPDX-License-Identifier: Apache-2.0
// Kernels that the compiler records from expressions, on the functional model's vector processor.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>

#include "element_kernel.hpp"
#include "fold_kernel.hpp"
#include "functions/error_function.hpp"
#include "functions/nonlinearities.hpp"
#include "functions/quotient.hpp"
#include "model_bench.hpp"
#include "recorded_values.hpp"
#include "seed.hpp"
#include "systole/configurations.hpp"
#include "systole/errors.hpp"
#include "vector_processor.hpp"
#include "whole_configurations.hpp"

namespace systole::test {
namespace {

using compiler::ElementFunction;
using compiler::ElementRows;
using compiler::ExpressionPtr;
using compiler::Reading;
using kernel::Format;
using kernel::Op;

constexpr int kPlanes = 4;  // of words

class ElementKernels : public testing::TestWithParam<Configuration> {
 protected:
  /// The rows of the four planes, one after another, are a line of words.
  std::uint32_t word(int row, int lane) {
    std::uint32_t word = 0;
    for (int byte = 0; byte < kPlanes; ++byte) {
      const int at = kPlanes * lane + byte;
      const std::int8_t* plane = bench_.state().scratch(static_cast<std::uint16_t>(row + at / bench_.dim()));
      word |= std::uint32_t{static_cast<std::uint8_t>(plane[at % bench_.dim()])} << 8 * byte;
    }
    return word;
  }

  /// Runs the function on `rows` rows of words, whose planes follow each other, and compares every element.
  void compare(const ElementFunction& function, const std::vector<Reading>& operands, int rows) {
    const auto made = compiler::element_kernel(function, {operands, kPlanes});
    ASSERT_TRUE(made);
    bench_.randomize();
    bench_.put_kernel(0, made->words);
    std::map<std::string, int> arguments{{"rows", rows}, {"strips", (rows + 7) / 8}, {"to_plane", 1}};
    int end = 0;
    std::vector<int> first;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const std::string name(1, static_cast<char>('a' + i));
      arguments[name] = end;
      arguments[name + "_plane"] = 1;
      first.push_back(end);
      end += kPlanes * (operands[i] == Reading::kRows ? rows : 1);
    }
    arguments["to"] = end;
    arguments["also"] = end + kPlanes * rows;
    std::vector<std::uint32_t> expected, also;
    for (int row = 0; row < rows; ++row) {
      for (int lane = 0; lane < bench_.dim(); ++lane) {
        std::vector<std::uint32_t> values;
        for (std::size_t i = 0; i < operands.size(); ++i) {
          values.push_back(word(first[i] + (operands[i] == Reading::kRows ? kPlanes * row : 0),
                                operands[i] == Reading::kNumber ? 0 : lane));
        }
        expected.push_back(value_of(function.value, values));
        also.push_back(function.also == nullptr ? 0 : value_of(function.also, values));
      }
    }
    std::array<std::uint32_t, kernel::kArguments> values{};
    for (std::size_t i = 0; i < made->arguments.size(); ++i) {
      values[i] = static_cast<std::uint32_t>(arguments.at(made->arguments[i]));
    }
    processor_.run(0, values);
    for (int row = 0; row < rows; ++row) {
      for (int lane = 0; lane < bench_.dim(); ++lane) {
        const auto i = static_cast<std::size_t>(row * bench_.dim() + lane);
        ASSERT_EQ(word(arguments["to"] + kPlanes * row, lane), expected[i]) << "row " << row << " lane " << lane << "\n"
                                                                            << listing(*made);
        if (function.also != nullptr) {
          ASSERT_EQ(word(arguments["also"] + kPlanes * row, lane), also[i]) << "row " << row << " lane " << lane << "\n"
                                                                            << listing(*made);
        }
      }
    }
  }

  Bench bench_{GetParam(), seed()};
  model::VectorProcessor processor_{bench_.state()};
};

INSTANTIATE_TEST_SUITE_P(Configurations, ElementKernels, testing::ValuesIn(test::whole_configurations()),
                         ConfigurationName());

TEST_P(ElementKernels, ComputeWhatTheirExpressionsSay) {
  int made = 0;
  for (int round = 0; round < 150; ++round) {
    std::vector<Reading> operands;
    for (int i = bench_.uniform(1, 3); i > 0; --i) {
      operands.push_back(static_cast<Reading>(operands.empty() ? 0 : bench_.uniform(0, 2)));
    }
    std::vector<ExpressionPtr> tensors;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      tensors.push_back(compiler::operand(static_cast<std::uint32_t>(i)));
    }
    ElementFunction function{"random", std::vector<Format>(operands.size(), Format::kI32), Format::kI32,
                             random_expression(bench_, bench_.uniform(1, 40), tensors)};
    if (round % 4 == 0) {
      function.also = random_expression(bench_, bench_.uniform(1, 10), tensors);
    }
    if (compiler::element_kernel(function, {operands, kPlanes})) {
      ASSERT_NO_FATAL_FAILURE(compare(function, operands, bench_.uniform(1, 20)));
      ++made;
    }
  }
  EXPECT_GT(made, 100);
}

using F = compiler::FloatWord;

F a() { return F(compiler::operand(0)); }

TEST(ElementKernel, TakesNoMoreOperationsThanByHand) {
  namespace functions = golden::functions;
  const auto operations = [](const F& value, std::size_t operands = 1) {
    const ElementFunction function{"f", std::vector<Format>(operands, Format::kI32), Format::kI32, value.word};
    return compiler::strip_operations(
        compiler::element_kernel(function, {std::vector<Reading>(operands, Reading::kRows)}).value());
  };
  EXPECT_EQ(operations(maximum(a(), F(0.0F))), 2);
  EXPECT_EQ(operations(a() + F(compiler::operand(1)), 2), 3);
  EXPECT_EQ(operations(functions::exponential(a())), 31);
  EXPECT_EQ(operations(functions::exponential_less_one(a())), 27);
  EXPECT_EQ(operations(functions::logarithm(a())), 47);
  EXPECT_EQ(operations(functions::quotient(a(), F(compiler::operand(1))), 2), 74);
  EXPECT_EQ(operations(functions::root(a())), 67);
  EXPECT_EQ(operations(functions::gelu(a())), 67);
  EXPECT_EQ(operations(functions::sigmoid(a())), 46);
}

TEST(FoldKernel, RefusesMoreParametersThanArguments) {
  const auto fold_of = [](int parameters) {
    ExpressionPtr last = compiler::operand(0);
    for (int i = 0; i < parameters; ++i) {
      last = compiler::operation(Op::kIadd, last, compiler::parameter(std::string(1, static_cast<char>('p' + i))));
    }
    const ExpressionPtr sum = compiler::operation(Op::kIadd, compiler::operand(1), compiler::operand(0));
    return compiler::FoldFunction{"sum", Format::kI8, Format::kI8, {compiler::constant(0)}, {sum}, last};
  };
  EXPECT_EQ(compiler::fold_kernel(fold_of(3)).arguments.size(), static_cast<std::size_t>(kernel::kArguments));
  EXPECT_THROW(compiler::fold_kernel(fold_of(4)), InternalError);
}

TEST(ElementKernel, TellsWhatIsTooMuch) {
  const auto sum_of = [](std::size_t operands) {
    F sum = a();
    for (std::uint32_t i = 1; i < operands; ++i) {
      sum = sum + F(compiler::operand(i));
    }
    const ElementFunction function{"sum", std::vector<Format>(operands, Format::kI32), Format::kI32, sum.word};
    return compiler::element_kernel(function, {std::vector<Reading>(operands, Reading::kRows)});
  };
  EXPECT_TRUE(sum_of(4));
  EXPECT_FALSE(sum_of(5));  // 14 arguments
  F many = a();
  for (int i = 0; i < kernel::kMemoryWords; ++i) {
    many = many * a() + 1.5F;
  }
  EXPECT_FALSE(compiler::element_kernel({"long", {Format::kI32}, Format::kI32, many.word}, {{Reading::kRows}}));
  // All products are there before the first is used: each is a factor of the sum of all.
  F total(0.0F), product(1.0F);
  std::vector<F> products;
  for (int i = 0; i < kernel::kVectors + 1; ++i) {
    products.push_back(a() * static_cast<float>(i + 2));
    total = total + products.back();
  }
  for (const F& factor : products) {
    product = product * (factor + total);
  }
  EXPECT_FALSE(compiler::element_kernel({"wide", {Format::kI32}, Format::kI32, product.word}, {{Reading::kRows}}));
}

}  // namespace
}  // namespace systole::test
