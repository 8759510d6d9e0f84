// SPDX-License-Identifier: Apache-2.0
#include "lower_operator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "constant_weights.hpp"
#include "fused_elements.hpp"
#include "infer.hpp"
#include "lookup_table.hpp"
#include "lower_bilinear.hpp"
#include "lower_binary.hpp"
#include "lower_blocks.hpp"
#include "lower_elementwise.hpp"
#include "lower_heads.hpp"
#include "lower_indices.hpp"
#include "lower_kernels.hpp"
#include "lower_local_response.hpp"
#include "lower_lstm.hpp"
#include "lower_moves.hpp"
#include "lower_onnx.hpp"
#include "lower_pool16.hpp"
#include "lower_product.hpp"
#include "lower_product16.hpp"
#include "lower_quantize.hpp"
#include "lower_reductions.hpp"
#include "lower_rows.hpp"
#include "lower_softmax16.hpp"
#include "lower_svdf.hpp"
#include "lower_unquantized.hpp"
#include "lower_weighted16.hpp"
#include "lower_wide.hpp"
#include "moves.hpp"
#include "quantized_values.hpp"
#include "refused.hpp"
#include "scales.hpp"

namespace systole::network {
namespace {

using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::Tensor;

class Lowering {
 public:
  Lowering(const Graph& graph, const Operator& op) : graph_(graph), op_(op) {}

  Layer run() {
    layer_.name = op_.name;
    require(op_.outputs.size() == 1, "several results");
    layer_.output = op_.outputs[0];
    layer_.output_image = image_of(output());
    layer_.macs = graph::useful_macs(graph_, op_);
    std::visit(*this, op_.kind);
    for (const graph::TensorId id : layer_.inputs) {
      layer_.input_images.push_back(image_of(graph_.tensor(id)));
    }
    adjust_images();
    return std::move(layer_);
  }

  void operator()(const graph::Conv2d& op) {
    ConvLayer conv;
    conv.options.window = op.window;
    conv.options.groups = op.groups;
    weighted(std::move(conv), input(0).type == ElementType::kUint8, op.activation);
  }

  void operator()(const graph::Dense& op) { weighted({}, true, op.activation); }

  void operator()(const graph::MatMul& op) {
    const golden::UniformQuantization a = quantization(input(0));
    const golden::UniformQuantization b = quantization(input(1));
    const golden::UniformQuantization to = quantization(output());
    ProductLayer product = product_of(graph_, op_, op);
    product.a_zero_point = a.zero_point;
    product.b_zero_point = b.zero_point;
    product.requantize.scale = {golden::dense_scale(a.scale, b.scale, to.scale)};
    product.requantize.zero_point = to.zero_point;
    layer_.inputs = {op_.inputs[0], op_.inputs[1]};
    layer_.kind = std::move(product);
  }

  void operator()(const graph::Pool& op) {
    require(quantization(input(0)).zero_point == quantization(output()).zero_point,
            "a pool that changes the zero point");
    require_sizes(op.window);
    const golden::Clamp clamp = graph::clamp_of(op.activation, output());
    layer_.inputs = {op_.inputs[0]};
    if (op.kind == graph::PoolKind::kMax) {
      layer_.kind = MaxPoolLayer{op.window, clamp.min, clamp.max};
      return;
    }
    const std::int64_t elements = std::int64_t{op.window.kernel_h} * op.window.kernel_w;
    require(elements <= kMaxAveragePoolCount, "a pool of more than 4096 elements");
    const auto ties = input(0).type == ElementType::kUint8 ? Ties::kUp : Ties::kAwayFromZero;
    layer_.kind =
        AveragePoolLayer{op.window, op.count_padding, quantization(output()).zero_point, clamp.min, clamp.max, ties};
  }

  void operator()(const graph::Softmax& op) { layer_.kind = kernel(softmax_call(graph_, op_, op)); }

  void operator()(const graph::L2Normalize&) { layer_.kind = kernel(l2_normalize_call(graph_, op_)); }

  void operator()(const graph::LayerNormalize& op) {
    layer_.kind = KernelLayer{layer_norm_call(graph_, op_, op)};
    layer_.inputs = {op_.inputs[0]};
  }

  void operator()(const graph::Lstm& op) {
    layer_.inputs = {op_.inputs[0]};
    layer_.kind = LstmLayer{lstm_call(graph_, op_, op)};
  }

  void operator()(const graph::Unary&) { table(); }
  void operator()(const graph::Convert&) { table(); }

  void operator()(const graph::Reshape&) {
    require(!input(0).constant, "a constant operand");
    layer_.inputs = {op_.inputs[0]};
    layer_.kind = ReshapeLayer{};
  }

  template <class Other>
  void operator()(const Other&) {
    throw Refused(fmt::format("the device has no {}", graph::name_of(op_.kind)));
  }

 private:
  const Tensor& input(std::size_t i) const { return graph_.tensor(op_.inputs[i]); }
  const Tensor& output() const { return graph_.tensor(op_.outputs[0]); }

  /// A kernel whose operands are all inputs of the operator.
  KernelLayer kernel(compiler::KernelCall call) {
    layer_.inputs.assign(op_.inputs.begin(), op_.inputs.end());
    return {std::move(call)};
  }

  /// Refuses an element-wise function that cannot be a table of bytes.
  [[noreturn]] void table() const {
    require_type(input(0), {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
    require_type(output(), {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
    const auto* unary = std::get_if<graph::Unary>(&op_.kind);
    require(unary == nullptr || unary->kind != graph::UnaryKind::kReciprocalSqrt,
            "a root of computed numbers that may be negative, an error that the device cannot report");
    throw Refused("an activation with per-channel scales");
  }

  static std::vector<QuantParam> exact_factors(const std::vector<double>& scales, int zero_point,
                                               const golden::Clamp& clamp) {
    std::vector<QuantParam> factors;
    for (const double scale : scales) {
      const std::optional<QuantParam> factor = golden::exact_factor(scale, zero_point, clamp);
      require(factor.has_value(), "a scale for which no factor of 31 bits rounds every sum as a real number does");
      factors.push_back(*factor);
    }
    return factors;
  }

  /// TensorFlow Lite multiplies two scales in float32 in dense layers and convolutions of uint8, else in double.
  void weighted(ConvLayer conv, bool single_precision, Activation activation) {
    const golden::UniformQuantization from = quantization(input(0));
    const golden::UniformQuantization to = quantization(output());
    require(input(1).quantization.has_value(), "weights without a scale");
    const std::vector<float>& weights = input(1).quantization->scale;
    const golden::Clamp clamp = graph::clamp_of(activation, output());
    Requantize requantize;
    if (op_.arithmetic == graph::Arithmetic::kLiteRt) {
      requantize.scale = exact_factors(golden::real_scales(from.scale, weights, to.scale), to.zero_point, clamp);
      requantize.rounding = Rounding::kSingle;
    } else {
      requantize.scale = single_precision && weights.size() == 1
                             ? std::vector<QuantParam>{golden::dense_scale(from.scale, weights[0], to.scale)}
                             : golden::convolution_scales(from.scale, weights, to.scale);
    }
    requantize.zero_point = to.zero_point;
    requantize.clamp_min = clamp.min;
    requantize.clamp_max = clamp.max;
    conv.options.input_zero_point = from.zero_point;
    layer_.inputs = {op_.inputs[0]};
    layer_.kind = weighted_layer(graph_, op_, std::move(conv), requantize);
  }

  /// The rows of a fully connected layer are the pixels of one image row; element-wise operators need no shape.
  void adjust_images() {
    if (std::holds_alternative<graph::Dense>(op_.kind)) {
      Image& in = layer_.input_images[0];
      in = {1, 1, in.batch * in.height * in.width, in.channels};
      Image& out = layer_.output_image;
      out = {1, 1, out.batch * out.height * out.width, out.channels};
    }
  }

  const Graph& graph_;
  const Operator& op_;
  Layer layer_;
};

/// Whether an instruction computes it; others are left to kernels.
bool has_instruction(graph::BinaryKind kind) {
  return kind == graph::BinaryKind::kAdd || kind == graph::BinaryKind::kSubtract ||
         kind == graph::BinaryKind::kMultiply;
}

/// A result that depends on one byte becomes a table lookup, in either arithmetic.
Layer lower_table(const Graph& graph, const Operator& op) {
  Layer layer;
  layer.name = op.name;
  layer.inputs = {computed_input(graph, op)};
  layer.input_images = {image_of(graph.tensor(layer.inputs[0]))};
  layer.output = op.outputs[0];
  layer.output_image = image_of(graph.tensor(layer.output));
  layer.kind = TableLayer{table_of(graph, op)};
  return layer;
}

/// Counts layers that read windows where they are.
std::vector<Layer> counted(std::vector<Layer> layers, Transformations& transformations) {
  transformations.count(
      Transformation::kWindowKernels, std::count_if(layers.begin(), layers.end(), [](const Layer& layer) {
        const auto* blocks = std::get_if<BlocksLayer>(&layer.kind);
        return std::holds_alternative<FloatWindowsLayer>(layer.kind) || (blocks != nullptr && blocks->windows);
      }));
  return layers;
}

}  // namespace

std::variant<std::vector<Layer>, OnHost> lower(const graph::IndexedGraph& graph, const Operator& op, bool plain,
                                               Transformations& transformations) {
  const bool windows_moved = plain || !transformations.on(Transformation::kWindowKernels);
  try {
    if (auto heads = lower_heads(graph, op, plain || !transformations.on(Transformation::kHeads))) {
      transformations.count(Transformation::kHeads);
      return std::move(*heads);
    }
    if (only_moves(graph, op)) {
      return lower_moves(graph, op);
    }
    if (std::holds_alternative<graph::Gather>(op.kind)) {
      return lower_gather(graph, op);
    }
    if (std::holds_alternative<graph::Scatter>(op.kind)) {
      return lower_scatter(graph, op);
    }
    require(!std::holds_alternative<graph::FlatIndex>(op.kind),
            "computed indices that may be out of range, which the device cannot report");
    if (op.arithmetic == graph::Arithmetic::kBlocks) {
      return graph::takes_bias(op.kind) ? counted(lower_blocks(graph, op, windows_moved), transformations)
                                        : lower_rows(graph, op, transformations);
    }
    if (const auto* response = std::get_if<graph::LocalResponse>(&op.kind)) {
      return std::vector<Layer>{lower_local_response(graph, op, *response)};
    }
    if (is_bytewise(graph, op)) {
      return std::vector<Layer>{lower_table(graph, op)};
    }
    if (auto rows = lower_int8_rows(graph, op, transformations)) {
      return std::move(*rows);
    }
    if (is_quantization(graph, op)) {
      return lower_quantization(graph, op);
    }
    if (auto normalization = lower_normalization(graph, op, transformations)) {
      return std::move(*normalization);
    }
    if (auto rows = plain ? std::nullopt : lower_rows_by_numbers(graph, op)) {
      return std::move(*rows);
    }
    if (auto row = lower_product_of_row(graph, op)) {
      return std::move(*row);
    }
    if (is_unquantized(graph, op)) {
      auto fused = lower_fused_elements(graph, op, transformations);
      return fused ? std::move(*fused) : counted(lower_unquantized(graph, op, windows_moved), transformations);
    }
    const bool wide = has_wide_elements(graph, op);
    if (wide && (std::holds_alternative<graph::Unary>(op.kind) || std::holds_alternative<graph::Convert>(op.kind))) {
      return lower_elementwise(graph, op);
    }
    if (graph.tensor(op.inputs[0]).type == ElementType::kInt16) {
      if (std::holds_alternative<graph::Conv2d>(op.kind) || std::holds_alternative<graph::Dense>(op.kind)) {
        return lower_weighted16(graph, op);
      }
      if (const auto* product = std::get_if<graph::MatMul>(&op.kind)) {
        return lower_product16(graph, op, *product);
      }
      if (const auto* pool = std::get_if<graph::Pool>(&op.kind)) {
        return lower_pool16(graph, op, *pool);
      }
    }
    if (const auto* softmax = std::get_if<graph::Softmax>(&op.kind); softmax != nullptr && wide) {
      return lower_softmax16(graph, op, *softmax);
    }
    if (const auto* binary = std::get_if<graph::Binary>(&op.kind)) {
      return !wide && has_instruction(binary->kind) ? lower_binary(graph, op) : lower_elementwise(graph, op);
    }
    if (std::holds_alternative<graph::Select>(op.kind)) {
      return lower_elementwise(graph, op);
    }
    if (const auto* reduce = std::get_if<graph::Reduce>(&op.kind)) {
      return lower_reduction(graph, op, *reduce);
    }
    if (const auto* extreme = std::get_if<graph::ArgExtreme>(&op.kind)) {
      return lower_arg_extreme(graph, op, *extreme);
    }
    if (const auto* resize = std::get_if<graph::ResizeBilinear>(&op.kind)) {
      return lower_bilinear(graph, op, *resize);
    }
    if (const auto* svdf = std::get_if<graph::Svdf>(&op.kind)) {
      return lower_svdf(graph, op, *svdf);
    }
    if (const auto* sum = std::get_if<graph::CumulativeSum>(&op.kind)) {
      return std::vector<Layer>{lower_cumulative_sum(graph, op, *sum)};
    }
    return std::vector<Layer>{op.arithmetic == graph::Arithmetic::kOnnx ? lower_onnx(graph, op)
                                                                        : Lowering(graph, op).run()};
  } catch (const Refused& refused) {
    return OnHost{refused.reason()};
  } catch (const std::invalid_argument& error) {  // a bias or a scale that the device does not support
    return OnHost{error.what()};
  } catch (const graph::GraphError& error) {  // the host does not support it either, and says so when it runs
    return OnHost{error.what()};
  }
}

}  // namespace systole::network
