// SPDX-License-Identifier: Apache-2.0
// Operators on the host: types that must give equal results, and refused types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "operator_graph.hpp"

namespace systole::graph::test {
namespace {

using Bytes8 = std::vector<std::int8_t>;
using Floats = std::vector<float>;

/// The same operator on uint8 with all values and zero points raised by 128 gives the same result, raised by 128.
Tensor shifted(Tensor of) {
  of.type = ElementType::kUint8;
  for (std::int32_t& zero_point : of.quantization->zero_point) {
    zero_point += 128;
  }
  if (of.constant) {
    Bytes bytes = *of.constant;
    for (std::uint8_t& byte : bytes) {
      byte = static_cast<std::uint8_t>(byte ^ 0x80U);
    }
    of.constant = std::make_shared<const Bytes>(std::move(bytes));
  }
  return of;
}

std::vector<std::uint8_t> shifted(const Bytes8& values) {
  std::vector<std::uint8_t> result;
  for (const std::int8_t value : values) {
    result.push_back(static_cast<std::uint8_t>(value + 128));
  }
  return result;
}

Bytes8 drawn(std::size_t count) {
  const auto values = *rc::gen::container<std::vector<int>>(count, rc::gen::inRange(-128, 128));
  return Bytes8(values.begin(), values.end());
}

void expect_same_unsigned(const OperatorKind& kind, const std::vector<Tensor>& inputs, const Tensor& output,
                          const std::vector<Bytes8>& values) {
  std::vector<Tensor> unsigned_inputs;
  std::vector<std::vector<std::uint8_t>> unsigned_values;
  for (const Tensor& input : inputs) {
    unsigned_inputs.push_back(shifted(input));
  }
  for (const Bytes8& value : values) {
    unsigned_values.push_back(shifted(value));
  }
  const auto expected = run<std::int8_t>(one_operator(kind, inputs, {output}), values);
  const auto actual = run<std::uint8_t>(one_operator(kind, unsigned_inputs, {shifted(output)}), unsigned_values);
  RC_ASSERT(actual == shifted(expected));
}

RC_GTEST_PROP(Unsigned, AgreesWithSigned, ()) {
  const Bytes8 a = drawn(12);
  const Bytes8 b = drawn(12);
  const Tensor lhs = quantized({1, 2, 3, 2}, 0.5F, -3);
  const Tensor rhs = quantized({1, 2, 3, 2}, 0.25F, 17);
  const Tensor result = quantized({1, 2, 3, 2}, 0.4F, 5);
  expect_same_unsigned(Binary{BinaryKind::kAdd, Activation::kRelu6}, {lhs, rhs}, result, {a, b});
  expect_same_unsigned(Binary{BinaryKind::kSubtract}, {lhs, rhs}, result, {a, b});
  expect_same_unsigned(Binary{BinaryKind::kMultiply}, {lhs, rhs}, result, {a, b});
  expect_same_unsigned(Unary{UnaryKind::kLeakyRelu, 0.1F}, {lhs}, result, {a});
  expect_same_unsigned(Unary{UnaryKind::kHardSwish}, {lhs}, result, {a});
  expect_same_unsigned(Unary{UnaryKind::kSigmoid}, {lhs}, quantized(lhs.shape, 1.0F / 256, -128), {a});
  expect_same_unsigned(Softmax{}, {lhs}, quantized(lhs.shape, 1.0F / 256, -128), {a});
  expect_same_unsigned(Reduce{ReduceKind::kMean, {1, 2}, true}, {lhs}, quantized({1, 1, 1, 2}, 0.4F, 5), {a});
  expect_same_unsigned(Pad{{0, 1, 0, 0}, {0, 0, 1, 0}}, {lhs}, quantized({1, 3, 4, 2}, 0.5F, -3), {a});
  Pool pool;
  pool.window = {2, 2, 1, 1};
  expect_same_unsigned(pool, {lhs}, quantized({1, 1, 2, 2}, 0.5F, -3), {a});
}

// 0.25F / 0.1F is 2.5 in float32, and less in double.
TEST(Limits, AreRescaledByAQuotientInFloat32) {
  const Tensor quarters = quantized({3}, 0.25F, -2), tenths = quantized({3}, 0.1F, -10);
  const auto of = [&](const Unary& op) {
    return run<std::int8_t, std::int8_t>(one_operator(op, {quarters}, {tenths}), {{-20, -1, 1}});
  };
  EXPECT_EQ(of({UnaryKind::kRelu6}), (Bytes8{-10, -7, -2}));
  EXPECT_EQ(of({UnaryKind::kClip, -1.0F, 1.0F}), (Bytes8{-20, -7, -2}));
  EXPECT_EQ(of({UnaryKind::kRelu}), (Bytes8{-10, -8, -3}));
}

TEST(Unsigned, AveragesRoundTiesUp) {
  Pool pool;
  pool.kind = PoolKind::kAverage;
  pool.window = {1, 2, 1, 2};
  const auto shape = Shape{1, 1, 2, 1};
  EXPECT_EQ((run<std::int8_t, std::int8_t>(
                one_operator(pool, {quantized(shape, 1, 0)}, {quantized({1, 1, 1, 1}, 1, 0)}), {{-3, -2}})),
            (Bytes8{-3}));
  EXPECT_EQ((run<std::uint8_t, std::uint8_t>(one_operator(pool, {quantized(shape, 1, 128, ElementType::kUint8)},
                                                          {quantized({1, 1, 1, 1}, 1, 128, ElementType::kUint8)}),
                                             {{125, 126}})),
            (std::vector<std::uint8_t>{126}));
}

/// Checks that the function of every value, in real numbers, is within `steps` of the result.
void expect_close(const Unary& op, const Tensor& of, const Tensor& result, double steps, double (*function)(double)) {
  Bytes8 values;
  for (int value = -128; value < 128; ++value) {
    values.push_back(static_cast<std::int8_t>(value));
  }
  const auto actual = run<std::int8_t, std::int8_t>(one_operator(op, {of}, {result}), {values});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = double{of.quantization->scale[0]} * (values[i] - of.quantization->zero_point[0]);
    const double expected = std::clamp(
        function(x) / double{result.quantization->scale[0]} + result.quantization->zero_point[0], -128.0, 127.0);
    EXPECT_NEAR(actual[i], expected, steps) << "of " << x;
  }
}

TEST(Functions, AreCloseToFloat) {
  const Shape all = {256};
  expect_close({UnaryKind::kSigmoid}, quantized(all, 0.05F, 10), quantized(all, 1.0F / 256, -128), 0.6,
               [](double x) { return 1 / (1 + std::exp(-x)); });
  expect_close({UnaryKind::kTanh}, quantized(all, 0.03F, -10), quantized(all, 1.0F / 128, 0), 0.6,
               [](double x) { return std::tanh(x); });
  expect_close({UnaryKind::kHardSwish}, quantized(all, 0.04F, 0), quantized(all, 0.03F, -100), 1.5,
               [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; });
  expect_close({UnaryKind::kRelu}, quantized(all, 0.04F, 3), quantized(all, 0.03F, -128), 0.6,
               [](double x) { return std::max(x, 0.0); });
  expect_close({UnaryKind::kRelu6}, quantized(all, 0.1F, 3), quantized(all, 0.03F, -128), 0.6,
               [](double x) { return std::clamp(x, 0.0, 6.0); });
  expect_close({UnaryKind::kElu, 1.0F}, quantized(all, 0.05F, 3), quantized(all, 0.05F, -100), 0.6,
               [](double x) { return x < 0 ? std::expm1(x) : x; });
  expect_close({UnaryKind::kGelu}, quantized(all, 0.04F, 30), quantized(all, 0.02F, -110), 0.6,
               [](double x) { return x * (1 + std::erf(x / std::numbers::sqrt2)) / 2; });
  expect_close({UnaryKind::kErf}, quantized(all, 0.02F, 3), quantized(all, 1.0F / 128, 0), 0.6,
               [](double x) { return std::erf(x); });
  expect_close({UnaryKind::kClip, -0.5F, 2.0F}, quantized(all, 0.05F, 3), quantized(all, 0.05F, -10), 0.6,
               [](double x) { return std::clamp(x, -0.5, 2.0); });
}

TEST(Functions, SoftmaxIsCloseToFloat) {
  const Bytes8 values = {-128, -20, 0, 30, 32, 31, -5, 127, 100, 90};
  const Tensor input = quantized({2, 5}, 0.1F, 4);
  const auto actual =
      run<std::int8_t, std::int8_t>(one_operator(Softmax{}, {input}, {quantized({2, 5}, 1.0F / 256, -128)}), {values});
  for (std::size_t row = 0; row < 10; row += 5) {
    double sum = 0;
    for (std::size_t i = row; i < row + 5; ++i) {
      sum += std::exp(0.1 * values[i]);
    }
    for (std::size_t i = row; i < row + 5; ++i) {
      EXPECT_NEAR(actual[i], std::min(127.0, 256 * std::exp(0.1 * values[i]) / sum - 128), 1.0) << i;
    }
  }
}

TEST(Sums, AreInt32WithoutAScale) {
  Conv2d conv;
  conv.window = {1, 1};
  const Tensor weights = constant<std::int8_t>(quantized({1, 1, 1, 2}, 0.5F, 0), {100, -100});
  EXPECT_EQ((run<std::int32_t, std::int8_t>(one_operator(conv, {quantized({1, 1, 1, 2}, 1, -28), weights},
                                                         {tensor({1, 1, 1, 1}, ElementType::kInt32)}),
                                            {{100, -128}})),
            (std::vector<std::int32_t>{22800}));
}

TEST(Onnx, RoundsOnceTiesToEven) {
  const auto result = [](Arithmetic arithmetic, std::int8_t value) {
    const Tensor weights = constant<std::int8_t>(quantized({1, 1}, 1, 0), {1});
    return run<std::int8_t, std::int8_t>(
        one_operator(Dense{}, {quantized({1, 1}, 1, 0), weights}, {quantized({1, 1}, 2, 0)}, arithmetic), {{value}})[0];
  };
  EXPECT_EQ(result(Arithmetic::kTfLite, 5), 3);
  EXPECT_EQ(result(Arithmetic::kOnnx, 5), 2);
  EXPECT_EQ(result(Arithmetic::kOnnx, 7), 4);
  const auto converted = [](Arithmetic arithmetic) {
    return run<std::int8_t, float>(one_operator(Convert{}, {tensor({2})}, {quantized({2}, 2, 0)}, arithmetic),
                                   {{5, -5}});
  };
  EXPECT_EQ(converted(Arithmetic::kTfLite), (Bytes8{3, -3}));
  EXPECT_EQ(converted(Arithmetic::kOnnx), (Bytes8{2, -2}));
}

TEST(Convert, LongsRoundOnce) {
  const std::int64_t above_a_tie = (std::int64_t{1} << 53) + (std::int64_t{1} << 29) + 1;  // of which double makes one
  const auto floats = run<float, std::int64_t>(
      one_operator(Convert{}, {tensor({3}, ElementType::kInt64)}, {tensor({3})}, Arithmetic::kOnnx),
      {{above_a_tie, above_a_tie - 1, -above_a_tie}});
  EXPECT_EQ(floats, (std::vector<float>{0x1.000002p53F, 0x1p53F, -0x1.000002p53F}));
}

TEST(Convert, QuantizedSaturatesAndIntegersKeepLowerBits) {
  const auto to_int8 = [](const Floats& values) {
    return run<std::int8_t, float>(one_operator(Convert{}, {tensor({3})}, {quantized({3}, 0.5F, 0)}), {values});
  };
  EXPECT_EQ(to_int8({1e30F, -1e30F, std::nanf("")}), (Bytes8{127, -128, 0}));
  const auto wide = run<std::int32_t, std::int64_t>(
      one_operator(Convert{}, {tensor({2}, ElementType::kInt64)}, {tensor({2}, ElementType::kInt32)}),
      {{(std::int64_t{1} << 53) + 1, -7}});
  EXPECT_EQ(wide, (std::vector<std::int32_t>{1, -7}));
}

TEST(Concat, RequantizesParts) {
  EXPECT_EQ((run<std::int8_t, std::int8_t>(
                one_operator(Concat{0}, {quantized({1}, 1, 0), quantized({1}, 0.5F, 10)}, {quantized({2}, 1, 0)}),
                {{7}, {20}})),
            (Bytes8{7, 5}));
}

TEST(Reflection, DoesNotRepeatTheEdge) {
  const Pad pad{{2}, {2}, Pad::Mode::kReflect};
  EXPECT_EQ((run<float, float>(one_operator(pad, {tensor({3})}, {tensor({7})}), {{1, 2, 3}})),
            (Floats{3, 2, 1, 2, 3, 2, 1}));
  const Pad edge{{1}, {-1}, Pad::Mode::kEdge};
  EXPECT_EQ((run<float, float>(one_operator(edge, {tensor({3})}, {tensor({3})}), {{1, 2, 3}})), (Floats{1, 1, 2}));
}

TEST(Reduce, OfNumbersWithoutScale) {
  const auto of = [](ReduceKind kind) {
    return run<std::int32_t, std::int32_t>(one_operator(Reduce{kind, {0}, false}, {tensor({2, 2}, ElementType::kInt32)},
                                                        {tensor({2}, ElementType::kInt32)}),
                                           {{1, -2, 3, 4}});
  };
  using Ints = std::vector<std::int32_t>;
  EXPECT_EQ(of(ReduceKind::kSum), (Ints{4, 2}));
  EXPECT_EQ(of(ReduceKind::kMax), (Ints{3, 4}));
  EXPECT_EQ(of(ReduceKind::kMin), (Ints{1, -2}));
  EXPECT_EQ(of(ReduceKind::kProduct), (Ints{3, -8}));
}

TEST(Execute, KeepsValuesInUse) {
  // One tensor read twice by one operator, again later, and an output as well.
  Graph graph = one_operator(Binary{BinaryKind::kAdd}, {tensor({2})}, {tensor({2})});
  graph.operators[0].inputs = {0, 0};
  Operator second = graph.operators[0];
  second.name = "second";
  second.inputs = {0, 1};
  second.outputs = {2};
  Tensor last = tensor({2});
  last.name = "t2";
  graph.tensors.push_back(last);
  graph.operators.push_back(second);
  graph.outputs = {2, 0, 1, 2};
  validate(graph);
  std::vector<std::string> seen;
  const auto results = execute(graph, {make_value(ElementType::kFloat32, {2}, Floats{1, 2})},
                               [&](const Operator& op, const std::vector<Value>& outputs) {
                                 seen.push_back(op.name + to_string(outputs.at(0).shape));
                               });
  EXPECT_THAT(seen, testing::ElementsAre("op2", "second2"));
  ASSERT_EQ(results.size(), 4U);
  EXPECT_EQ(elements<float>(results[0]), (Floats{3, 6}));
  EXPECT_EQ(elements<float>(results[1]), (Floats{1, 2}));
  EXPECT_EQ(elements<float>(results[2]), (Floats{2, 4}));
}

std::string refusal(const Graph& graph, const std::vector<Value>& inputs) {
  try {
    validate(graph);
    execute(graph, inputs);
    return "nothing";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Execute, ErrorsNameUnsupportedOperator) {
  using testing::HasSubstr;
  const Value bytes = make_value(ElementType::kInt8, {4}, Bytes8{1, 2, 3, 4});
  const Tensor q = quantized({4}, 0.5F, 0);
  EXPECT_THAT(refusal(one_operator(Unary{UnaryKind::kExp}, {q}, {q}), {bytes}),
              HasSubstr("operator 'op' (Unary) on int8 in TensorFlow Lite's arithmetic is not supported: no exact "
                        "definition of exp"));
  Tensor numbers = q;
  numbers.quantization.reset();
  EXPECT_THAT(refusal(one_operator(Unary{UnaryKind::kExp}, {numbers}, {numbers}, Arithmetic::kOnnx), {bytes}),
              HasSubstr("in ONNX's arithmetic is not supported: exp of integers without a scale"));
  EXPECT_THAT(refusal(one_operator(Softmax{}, {q}, {q}), {bytes}), HasSubstr("the result needs scale 1/256"));
  EXPECT_THAT(refusal(one_operator(Unary{UnaryKind::kReciprocalSqrt}, {q}, {q}),
                      {make_value(ElementType::kInt8, {4}, Bytes8{1, -2, 3, 4})}),
              HasSubstr("the root of -2"));
  EXPECT_THAT(refusal(one_operator(Unary{}, {q}, {q}), {}), HasSubstr("0 inputs given; graph '' has 1"));
  EXPECT_THAT(refusal(one_operator(Unary{}, {q}, {q}), {make_value(ElementType::kInt8, {5}, Bytes8(5))}),
              HasSubstr("int8 of shape 5 in 5 bytes given, it is int8 of shape 4 in 4 bytes"));
  Graph with_state = one_operator(Binary{}, {q, q}, {q});
  with_state.states.push_back(std::make_shared<const Bytes>(Bytes(4)));
  with_state.outputs.push_back(with_state.outputs[0]);
  EXPECT_THAT(refusal(with_state, {bytes}), HasSubstr("0 inputs given; graph '' has 1"));  // the state alone
}

/// refusal_of(), which `inspect` asks, refuses the operators that a run refuses.
TEST(Execute, RefusalsAreForeseen) {
  using testing::HasSubstr;
  const auto foreseen = [](const Graph& graph) { return refusal_of(graph, graph.operators.at(0)); };
  const Tensor q = quantized({4}, 0.5F, 0);
  EXPECT_EQ(foreseen(one_operator(Unary{}, {q}, {q})), "");
  EXPECT_THAT(foreseen(one_operator(Unary{UnaryKind::kExp}, {q}, {q})), HasSubstr("no exact definition of exp"));
  EXPECT_THAT(foreseen(one_operator(Softmax{}, {q}, {q})), HasSubstr("the result needs scale 1/256"));
  for (const std::int32_t zero_point : {-128, 0, 126, 127}) {
    EXPECT_EQ(foreseen(one_operator(Binary{BinaryKind::kDivide}, {q, quantized({4}, 0.5F, zero_point)}, {q})), "");
  }
  const Tensor zeros = constant(q, Bytes8(4));
  EXPECT_THAT(foreseen(one_operator(Binary{BinaryKind::kDivide}, {q, zeros}, {q})), HasSubstr("a division by 0"));
  const Tensor rows = tensor({3, 2}), numbers = tensor({2}, ElementType::kInt64);
  EXPECT_EQ(foreseen(one_operator(Gather{0}, {rows, numbers}, {tensor({2, 2})})), "");
  const Tensor beyond = constant(numbers, std::vector<std::int64_t>{0, 3});
  EXPECT_THAT(foreseen(one_operator(Gather{0}, {rows, beyond}, {tensor({2, 2})})), HasSubstr("3"));
}

}  // namespace
}  // namespace systole::graph::test
