// SPDX-License-Identifier: Apache-2.0
#include "lower_product16.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "int16.hpp"
#include "integer_formulas.hpp"
#include "lower_product.hpp"
#include "refused.hpp"
#include "requantize_wide.hpp"
#include "scales.hpp"

namespace systole::network {
namespace {

using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::Tensor;
using graph::TensorId;

constexpr int kWord = 4;             // bytes of a sum
constexpr int kMostDepth = 1 << 14;  // of products of bytes, whose sums have 31 bits
constexpr std::int64_t kMostProduct = std::int64_t{1} << 30;

class Lowering {
 public:
  Lowering(const Graph& graph, const Operator& op, const graph::MatMul& product)
      : graph_(graph), op_(op), product_(product_of(graph, op, product)), sums_(image_of(output())) {
    sums_.channels = sums_.channels / sums_.element_bytes * kWord;
    sums_.element_bytes = kWord;
  }

  std::vector<Layer> run() {
    require(op_.arithmetic == graph::Arithmetic::kTfLite, "a product of 16 bits in ONNX's arithmetic");
    require_type(output(), {ElementType::kInt16}, "operands and result of one width");
    require(op_.inputs.size() < 3 || op_.inputs[2] == graph::kNoTensor, "a product of int16 with a bias");
    require(!tensor(0).constant || !tensor(1).constant, "only constant operands");
    require(depth() <= kMostDepth, "a product of int16 matrices of depth above 2^14");
    require(sums_.bytes() <= std::numeric_limits<std::int32_t>::max(), "sums of more than 2^31 - 1 bytes");
    product_.raw = true;
    const std::array<TensorId, 2> a = split("a", 0), b = split("b", 1);
    const TensorId high = product("high", a, 0, b, 0);
    layers_.back().macs = graph::useful_macs(graph_, op_);
    const TensorId first = product("middle", a, 0, b, 1), second = product("other middle", a, 1, b, 0);
    const TensorId low = product("low", a, 1, b, 1);
    const compiler::ElementFunction sum{
        "sum", {kernel::Format::kI32, kernel::Format::kI32}, kernel::Format::kI32, (integer(0) + integer(1)).word};
    const TensorId middle =
        append("middle sums", KernelLayer{compiler::element_call(sum), true}, {first, second}, {sums_, sums_}, sums_);
    requantize(high, middle, low);
    return std::move(layers_);
  }

 private:
  const Tensor& tensor(std::size_t i) const { return graph_.tensor(op_.inputs.at(i)); }
  const Tensor& output() const { return graph_.tensor(op_.outputs[0]); }

  std::int64_t columns() const { return output().shape.back(); }
  std::int64_t depth() const { return tensor(0).shape.end()[std::get<graph::MatMul>(op_.kind).transpose_a ? -2 : -1]; }

  TensorId append(const std::string& name, LayerKind kind, std::vector<TensorId> inputs, std::vector<Image> images,
                  const Image& result) {
    Layer layer;
    layer.name = op_.name + "/" + name;
    layer.kind = std::move(kind);
    layer.inputs = std::move(inputs);
    layer.input_images = std::move(images);
    layer.output = between_layers(op_.outputs[0], static_cast<int>(layers_.size()));
    layer.output_image = result;
    layers_.push_back(std::move(layer));
    return layers_.back().output;
  }

  /// The high and the low bytes of an operand.
  std::array<TensorId, 2> split(const std::string& name, std::size_t operand) {
    const Image whole = image_of(tensor(operand));
    const auto bytes = [&](const char* which, ByteOf16 byte) {
      return append(name + " " + which, KernelLayer{byte_call(byte), true}, {op_.inputs[operand]}, {whole},
                    bytes_of(operand));
    };
    return {bytes("high", ByteOf16::kHigh), bytes("low", ByteOf16::kLow)};
  }

  Image bytes_of(std::size_t operand) const {
    Image image = image_of(tensor(operand));
    image.channels /= image.element_bytes;
    image.element_bytes = 1;
    return image;
  }

  /// Byte `of_a` times byte `of_b`, 1 being the low one.
  TensorId product(const char* name, const std::array<TensorId, 2>& a, std::size_t of_a,
                   const std::array<TensorId, 2>& b, std::size_t of_b) {
    ProductLayer layer = product_;
    layer.a_zero_point = of_a == 1 ? kLowZeroPoint : 0;
    layer.b_zero_point = of_b == 1 ? kLowZeroPoint : 0;
    return append(name, std::move(layer), {a.at(of_a), b.at(of_b)}, {bytes_of(0), bytes_of(1)}, sums_);
  }

  void requantize(TensorId high, TensorId middle, TensorId low) {
    const QuantParam scale =
        golden::dense_scale(graph::scale_of(tensor(0)), graph::scale_of(tensor(1)), graph::scale_of(output()));
    const std::vector<ScaledChannel> channels(static_cast<std::size_t>(columns()), {scale, kMostProduct * depth()});
    append("requantize", requantize_wide_of_three(channels), {middle, low, high}, {sums_, sums_, sums_},
           image_of(output()));
    layers_.back().name = op_.name;
    layers_.back().output = op_.outputs[0];
  }

  const Graph& graph_;
  const Operator& op_;
  ProductLayer product_;
  Image sums_;
  std::vector<Layer> layers_;
};

}  // namespace

std::vector<Layer> lower_product16(const Graph& graph, const Operator& op, const graph::MatMul& product) {
  return Lowering(graph, op, product).run();
}

}  // namespace systole::network
