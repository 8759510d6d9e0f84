// SPDX-License-Identifier: Apache-2.0
// Element-wise operators, reductions, softmax, and type conversion.
#include <fmt/core.h>

#include <algorithm>

#include "function_names.hpp"
#include "infer.hpp"
#include "tflite_translation.hpp"

namespace systole::graph::tflite_file {
namespace {

using Code = format::OperatorCodeNumber;

/// ADD, SUB and MUL may lack options; then the defaults apply.
template <class Options>
void arithmetic(Translation& t, BinaryKind kind) {
  const auto* o = t.optional_options<Options>();
  t.add(Binary{kind, o == nullptr ? Activation::kNone : activation_of(t, o->activation())}, 2);
}

void add(Translation& t) { arithmetic<format::AddOptions>(t, BinaryKind::kAdd); }
void subtract(Translation& t) { arithmetic<format::SubOptions>(t, BinaryKind::kSubtract); }
void multiply(Translation& t) { arithmetic<format::MulOptions>(t, BinaryKind::kMultiply); }
void divide(Translation& t) { arithmetic<format::DivOptions>(t, BinaryKind::kDivide); }

void square(Translation& t) { t.add(Binary{BinaryKind::kMultiply}, {t.input(0), t.input(0)}, {t.output()}); }

void relu_n1_to_1(Translation& t) { t.add(Unary{UnaryKind::kClip, -1.0F, 1.0F}, 1); }
void leaky_relu(Translation& t) {
  t.add(Unary{UnaryKind::kLeakyRelu, t.options<format::LeakyReluOptions>().alpha()}, 1);
}

void softmax(Translation& t) {
  Softmax softmax;
  softmax.beta = t.options<format::SoftmaxOptions>().beta();
  t.add(softmax, 1);
}

void log_softmax(Translation& t) {
  Softmax softmax;
  softmax.logarithm = true;
  t.add(softmax, 1);
}

void l2_normalization(Translation& t) {
  const auto* o = t.optional_options<format::L2NormOptions>();
  if (o != nullptr && o->activation() != format::FusedActivation::NONE) {
    t.fail("fused activations are not supported here; use a separate operator");
  }
  t.add(L2Normalize{}, 1);
}

void cumulative_sum(Translation& t) {
  const auto* o = t.optional_options<format::CumsumOptions>();
  const std::vector<std::int64_t> axis = t.integers(1, "the axis");
  if (axis.size() != 1) {
    t.fail(fmt::format("the axis has {} values; expected 1", axis.size()));
  }
  t.add(CumulativeSum{axis_in(axis[0], t.tensor(t.input(0)).shape), o != nullptr && o->exclusive(),
                      o != nullptr && o->reverse()},
        1);
}

void reduce(Translation& t, ReduceKind kind) {
  const auto* o = t.optional_options<format::ReducerOptions>();
  Reduce reduce;
  reduce.kind = kind;
  reduce.keep_dimensions = o != nullptr && o->keep_dims();
  for (const std::int64_t value : t.integers(1, "the list of axes")) {
    const int axis = axis_in(value, t.tensor(t.input(0)).shape);
    if (std::find(reduce.axes.begin(), reduce.axes.end(), axis) == reduce.axes.end()) {
      reduce.axes.push_back(axis);
    }
  }
  t.add(reduce, 1);
}

/// An operator that has the name of a function.
void function(Translation& t) {
  const char* name = format::EnumNameOperatorCodeNumber(t.code());
  if (const auto unary = unary_of_tflite(name)) {
    t.add(*unary, 1);
  } else if (const auto kind = reduce_of_tflite(name)) {
    reduce(t, *kind);
  } else {
    t.add(Binary{binary_of_tflite(name).value()}, 2);
  }
}

void convert(Translation& t) {
  const ElementType from = t.tensor(t.input(0)).type;
  const ElementType to = t.tensor(t.output()).type;
  const bool quantizes = t.code() == Code::QUANTIZE;
  const bool widens = from == ElementType::kFloat16 && to == ElementType::kFloat32;
  if (!widens && !t.tensor(quantizes ? t.output() : t.input(0)).quantization) {
    t.fail(fmt::format("conversion from {} to {} needs a scale", name_of(from), name_of(to)));
  }
  t.add(Convert{}, 1);
}

struct Entry {
  Code code;
  Handler handler;
};

constexpr Entry kEntries[] = {
    {Code::ADD, add},
    {Code::SUB, subtract},
    {Code::MUL, multiply},
    {Code::RELU_N1_TO_1, relu_n1_to_1},
    {Code::LEAKY_RELU, leaky_relu},
    {Code::SOFTMAX, softmax},
    {Code::LOG_SOFTMAX, log_softmax},
    {Code::QUANTIZE, convert},
    {Code::DEQUANTIZE, convert},
    {Code::CUMSUM, cumulative_sum},
    {Code::L2_NORMALIZATION, l2_normalization},
    {Code::DIV, divide},
    {Code::SQUARE, square},
};

}  // namespace

Handler arithmetic_handler(Code code) {
  const auto* found =
      std::find_if(std::begin(kEntries), std::end(kEntries), [&](const Entry& entry) { return entry.code == code; });
  const char* name = format::EnumNameOperatorCodeNumber(code);
  return found != std::end(kEntries)                                                 ? found->handler
         : unary_of_tflite(name) || binary_of_tflite(name) || reduce_of_tflite(name) ? function
                                                                                     : nullptr;
}

}  // namespace systole::graph::tflite_file
