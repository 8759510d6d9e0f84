// SPDX-License-Identifier: Apache-2.0
#include "lower_elementwise.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "broadcast.hpp"
#include "elementwise.hpp"
#include "integer_formulas.hpp"
#include "lower_wide.hpp"
#include "pair_results.hpp"
#include "quantized_values.hpp"
#include "refused.hpp"
#include "scales.hpp"
#include "systole/execute.hpp"

namespace systole::network {
namespace {

using compiler::KernelCall;
using I = compiler::IntWord;
using graph::BinaryKind;
using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::Tensor;
using kernel::Format;

/// A table from its words for -128 .. 127.
compiler::KernelTable table_of(const std::function<std::uint32_t(int value)>& word) {
  compiler::KernelTable table{};
  for (int value = -128; value < 128; ++value) {
    table[static_cast<std::uint8_t>(value)] = word(value);
  }
  return table;
}

std::uint32_t bits(std::int64_t value) { return static_cast<std::uint32_t>(value); }

std::int32_t scaled(std::int32_t value, const QuantParam& scale) {
  return static_cast<std::int32_t>(multiply_by_quantized_multiplier(value, scale, Rounding::kDouble));
}

/// Where a comparison holds for one lhs: from `first` on, before `behind`.
struct Interval {
  int first = 128, behind = 128;
};

Interval interval_of(const PairResults& results, int lhs) {
  const auto row = results.begin() + static_cast<std::ptrdiff_t>(pair_index(lhs, -128));
  const auto first = std::find(row, row + 256, 1);
  const auto behind = std::find(first, row + 256, 0);
  require(std::find(behind, row + 256, 1) == row + 256, "a comparison that holds in several ranges");
  return {static_cast<int>(first - row) - 128, static_cast<int>(behind - row) - 128};
}

/// 1 where it holds, else 0: for equal bytes, from one b on, or between two. The table has for every a the first b; for
/// those between two, in the lower half the b behind the last, modulo 2^16, and the word itself is greater than every
/// b * 2^16 before the first, but no other.
compiler::ElementFunction compare(bool same, bool above) {
  const I a = integer(0), b = integer(1), first = table(a), place = b << 16;
  const I holds = same    ? as_bool(equal(a, b))
                  : above ? less(b, first) + 1
                          : less(place, first) - less(place, first << 16);
  return {"compare", {Format::kI8, Format::kI8}, Format::kI8, holds.word};
}

KernelCall comparison(const PairResults& results) {
  std::array<Interval, 256> intervals;
  bool same = true, above = true;
  for (int lhs = -128; lhs < 128; ++lhs) {
    const Interval found = intervals[static_cast<std::uint8_t>(lhs)] = interval_of(results, lhs);
    same = same && found.first == lhs && found.behind == lhs + 1;
    above = above && found.behind == 128;
  }
  KernelCall call = compiler::element_call(compare(same, above));
  if (!same) {
    call.table = table_of([&](int lhs) {
      const Interval found = intervals[static_cast<std::uint8_t>(lhs)];
      return bits(above ? found.first : found.first * 65536 - (-found.behind & 0xFFFF));
    });
  }
  return call;
}

KernelCall prelu(const golden::UniformQuantization& x, const golden::UniformQuantization& slope,
                 const golden::UniformQuantization& to) {
  constexpr int kMostLeft = 7;  // the magnitude of x has 15 bits in the table
  const QuantParam above = quantize_multiplier(double{x.scale} / double{to.scale});
  const QuantParam below = quantize_multiplier(double{x.scale} * double{slope.scale} / double{to.scale});
  require(below.shift <= kMostLeft, "a scale of products that is over 128 times that of the result");
  const int left = std::max(0, below.shift);
  const I known_of_x = table(integer(0));  // see below
  const I product = (given("slope_zero") - integer(1)) * (known_of_x & 0x7fff);
  const I result = rescaled(product, "multiplier", {below.multiplier, below.shift - left}) + (known_of_x >> 24);
  KernelCall call = compiler::element_call({"prelu", {Format::kI8, Format::kI8}, Format::kI8, result.word},
                                           {{"slope_zero", slope.zero_point}, {"multiplier", below.multiplier}});
  // Bits 31:24: the result where x is not negative, else its zero point; 14:0: the magnitude of x where it is negative.
  call.table = table_of([&](int value) {
    const int real = value - x.zero_point;
    const std::int64_t known = std::int64_t{real < 0 ? 0 : scaled(real, above)} + to.zero_point;
    return bits(std::clamp<std::int64_t>(known, -128, 127)) << 24 | bits(real < 0 ? -real * (1 << left) : 0);
  });
  return call;
}

/// A difference of two operands on a common scale, before it is scaled to the result.
struct Difference {
  struct Part {
    int zero_point;
    QuantParam scale;  ///< applied to the operand times 2^shift
  };
  std::array<Part, 2> parts;
  int shift;
  bool squared;
  QuantParam to_output;
  int zero_point;
  golden::Clamp clamp;
};

/// The operand with the larger scale is half as many steps of the common one: the kernel multiplies it, the other is in
/// its table.
bool is_half(const QuantParam& scale) { return scale == QuantParam{1 << 30, 0}; }

KernelCall difference(const Difference& d, std::size_t in_table) {
  const Difference::Part &first = d.parts[in_table], &second = d.parts[1 - in_table];
  const int sign = in_table == 0 ? 1 : -1;
  const int factor = -sign * (1 << (d.shift - 1));
  const I on_common = given("factor") * integer(1) + table(integer(0));
  I result = rescaled(d.squared ? on_common * on_common : on_common, "multiplier", d.to_output);
  if (d.to_output.shift > 0 || d.clamp.min > -128 || d.clamp.max < 127) {
    result = minimum(maximum(result, given("least")), given("greatest"));
  }
  KernelCall call = compiler::element_call(
      {"difference", {Format::kI8, Format::kI8}, Format::kI8, (result + given("zero_point")).word},
      {{"factor", factor},
       {"multiplier", d.to_output.multiplier},
       {"zero_point", d.zero_point},
       {"least", d.clamp.min - d.zero_point},
       {"greatest", d.clamp.max - d.zero_point}});
  call.table = table_of([&](int value) {
    const std::int64_t on_common = scaled((value - first.zero_point) * (1 << d.shift), first.scale);
    return bits(sign * on_common - std::int64_t{factor} * second.zero_point);
  });
  return call;
}

class Lowering {
  using Order = std::vector<std::size_t>;

 public:
  Lowering(const Graph& graph, const Operator& op) : graph_(graph), op_(op) {}

  std::vector<Layer> run() {
    layer_.name = op_.name;
    layer_.output = op_.outputs[0];
    layer_.output_image = image_of(output());
    require(std::any_of(op_.inputs.begin(), op_.inputs.end(),
                        [&](graph::TensorId id) { return !graph_.tensor(id).constant; }),
            "only constant operands");
    if (has_wide_elements(graph_, op_)) {
      may_repeat_ = false;
      WideCall wide = wide_elementwise_call(graph_, op_);
      finish(std::move(wide.call), wide.operands);
      layers_.push_back(std::move(layer_));
      return std::move(layers_);
    }
    for (const graph::TensorId id : op_.inputs) {
      require_byte(graph_.tensor(id));
    }
    require_byte(output());
    if (std::holds_alternative<graph::Select>(op_.kind)) {
      const I result = golden::functions::select(equal(integer(0), 0), integer(2), integer(1));
      finish(compiler::element_call({"select", {Format::kI8, Format::kI8, Format::kI8}, Format::kI8, result.word}),
             {0, 1, 2});
    } else {
      binary(std::get<graph::Binary>(op_.kind));
    }
    layers_.push_back(std::move(layer_));
    return std::move(layers_);
  }

 private:
  const Tensor& input(std::size_t i) const { return graph_.tensor(op_.inputs[i]); }
  const Tensor& output() const { return graph_.tensor(op_.outputs[0]); }

  static void require_byte(const Tensor& tensor) {
    require_type(tensor, {ElementType::kInt8, ElementType::kUint8, ElementType::kBool}, "int8, uint8 or bool");
  }

  golden::UniformQuantization quantization(const Tensor& tensor) const {
    require(op_.arithmetic == graph::Arithmetic::kTfLite, "ONNX's arithmetic");
    require(tensor.quantization && !tensor.quantization->per_channel(), "a tensor without a single scale");
    return graph::quantization_of(tensor);
  }

  void binary(const graph::Binary& op) {
    require(input(0).type != ElementType::kBool, "operands of bool");
    switch (op.kind) {
      case BinaryKind::kMaximum:
      case BinaryKind::kMinimum: return extreme(op);
      case BinaryKind::kEqual:
      case BinaryKind::kLess:
      case BinaryKind::kLessOrEqual: return finish(comparison(pair_results(graph_, op_)), {0, 1});
      case BinaryKind::kPrelu:
        return finish(prelu(quantization(input(0)), quantization(input(1)), quantization(output())), {0, 1});
      case BinaryKind::kSubtract: return subtract(plain_difference(op));
      case BinaryKind::kSquaredDifference: return subtract(squared_difference());
      default: throw Refused("a function of two tensors that no kernel computes");
    }
  }

  void extreme(const graph::Binary& op) {
    require(op.activation == Activation::kNone, "an activation of a maximum or minimum");
    const bool greatest = op.kind == BinaryKind::kMaximum;
    const I a = integer(0), b = integer(1);
    finish(compiler::element_call({greatest ? "maximum" : "minimum",
                                   {Format::kI8, Format::kI8},
                                   Format::kI8,
                                   (greatest ? maximum(a, b) : minimum(a, b)).word}),
           {0, 1});
  }

  void subtract(const Difference& d) {
    const std::size_t in_table = is_half(d.parts[1].scale) ? 0 : 1;
    finish(difference(d, in_table), {in_table, 1 - in_table});
  }

  Difference plain_difference(const graph::Binary& op) const {
    const golden::UniformQuantization a = quantization(input(0)), b = quantization(input(1)),
                                      to = quantization(output());
    const AddParams p = golden::add_params(a, b, to, graph::clamp_of(op.activation, output()));
    return {{{{a.zero_point, p.lhs_scale}, {b.zero_point, p.rhs_scale}}},
            golden::kAddLeftShift,
            false,
            p.output_scale,
            to.zero_point,
            {p.clamp_min, p.clamp_max}};
  }

  Difference squared_difference() const {
    constexpr int kShift = 7;  // 255^2 * 2^14 fits in 31 bits
    const golden::UniformQuantization a = quantization(input(0)), b = quantization(input(1)),
                                      to = quantization(output());
    const double common = 2.0 * double{std::max(a.scale, b.scale)};
    return {{{{a.zero_point, quantize_multiplier(double{a.scale} / common)},
              {b.zero_point, quantize_multiplier(double{b.scale} / common)}}},
            kShift,
            true,
            quantize_multiplier(common * common / double{static_cast<float>(1 << (2 * kShift)) * to.scale}),
            to.zero_point,
            {}};
  }

  /// Gives the kernel its operands: operand i is input number order[i] of the operator.
  void finish(KernelCall call, const Order& order) {
    KernelLayer kernel{std::move(call), true, {}};
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (input(order[i]).constant) {
        kernel.constants.emplace(i, constant_operand(input(order[i]), output().shape, may_repeat_));
      } else {
        const ComputedOperand operand = computed_operand(graph_, op_, order[i], may_repeat_, layers_);
        layer_.inputs.push_back(operand.id);
        layer_.input_images.push_back(operand.image);
      }
    }
    merge_positions(kernel);
    layer_.kind = std::move(kernel);
  }

  /// Few channels would leave lanes idle: several positions of bytes are seen as one, unless a computed one has to be
  /// repeated.
  void merge_positions(KernelLayer& kernel) {
    constexpr int kFewChannels = 16, kMostChannels = 64;
    const Image whole = layer_.output_image;
    const std::vector<Image>& images = layer_.input_images;
    if (has_wide_elements(graph_, op_) || whole.channels >= kFewChannels ||
        std::any_of(images.begin(), images.end(), [&](const Image& image) { return image != whole; })) {
      return;
    }
    const int positions = static_cast<int>(whole.bytes() / whole.channels);
    int merged = kMostChannels / whole.channels;
    while (positions % merged != 0) {
      --merged;
    }
    const Image wide{1, 1, positions / merged, whole.channels * merged};
    for (auto& [number, constant] : kernel.constants) {
      if (constant.image != whole) {
        const graph::Bytes one = constant.bytes;
        for (int i = 1; i < merged; ++i) {
          constant.bytes.insert(constant.bytes.end(), one.begin(), one.end());
        }
        constant.image = {1, 1, 1, wide.channels};
      } else {
        constant.image = wide;
      }
    }
    std::fill(layer_.input_images.begin(), layer_.input_images.end(), wide);
    layer_.output_image = wide;
  }

  const Graph& graph_;
  const Operator& op_;
  Layer layer_;
  std::vector<Layer> layers_;
  bool may_repeat_ = true;  ///< whether the kernel repeats operands of one position itself
};

}  // namespace

std::vector<Layer> lower_elementwise(const Graph& graph, const Operator& op) { return Lowering(graph, op).run(); }

}  // namespace systole::network
