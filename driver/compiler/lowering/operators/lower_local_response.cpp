// SPDX-License-Identifier: Apache-2.0
#include "lower_local_response.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "integer_formulas.hpp"
#include "local_response.hpp"
#include "quantized_values.hpp"
#include "refused.hpp"

namespace systole::network {
namespace {

using compiler::FloatWord;
using compiler::IntWord;
using graph::ElementType;
using kernel::Format;

constexpr int kMostNeighbours = 64;      // more would need too many arguments in any case
constexpr std::size_t kMostWithOwn = 8;  // with which a kernel has an argument left for the element itself

std::vector<int> distances_of(const graph::LocalResponse& op) {
  std::vector<int> distances;
  for (int distance = -op.before; distance <= op.after; ++distance) {
    distances.push_back(distance);
  }
  return distances;
}

compiler::NeighbourCall call_of(compiler::ElementFunction function, std::vector<int> distances) {
  function.name = "local response";
  return {compiler::element_call(std::move(function)), std::move(distances)};
}

compiler::NeighbourCall of_floats(const graph::LocalResponse& op) {
  const std::vector<int> distances = distances_of(op);
  std::vector<FloatWord> squares;
  for (std::uint32_t i = 0; i < distances.size(); ++i) {
    squares.push_back(real(i) * real(i));
  }
  const FloatWord x = real(static_cast<std::uint32_t>(op.before));
  const FloatWord result = golden::functions::local_response(x, squares, op.factor, op.bias, op.beta);
  return call_of({{}, std::vector<Format>(distances.size(), Format::kI32), Format::kI32, result.word}, distances);
}

/// The table holds the term that each neighbour adds to the base. The element itself is an operand of its own where
/// arguments are left, so that every operand is read by one operation, where it is.
compiler::NeighbourCall of_bytes(const graph::LocalResponse& op, const golden::UniformQuantization& from,
                                 const golden::UniformQuantization& to) {
  const golden::LocalResponseParams params =
      golden::local_response_params({op.before, op.after, op.factor, op.bias, op.beta}, from, to);
  std::vector<int> distances = distances_of(op);
  std::vector<FloatWord> bases;
  for (std::uint32_t i = 0; i < distances.size(); ++i) {
    bases.push_back(as_float(table(integer(i))));
  }
  const auto apart = static_cast<std::uint32_t>(distances.size()), own = static_cast<std::uint32_t>(op.before);
  const bool has_room = distances.size() <= kMostWithOwn;
  if (has_room) {
    distances.push_back(0);
  }
  const IntWord number = integer(has_room ? apart : own);
  const IntWord result = golden::functions::byte_response(number, bases, params.numbers);
  compiler::NeighbourCall call =
      call_of({{}, std::vector<Format>(distances.size(), Format::kI8), Format::kI8, result.word}, distances);
  call.kernel.table.emplace();
  std::transform(params.bases.begin(), params.bases.end(), call.kernel.table->begin(),
                 [](float base) { return std::bit_cast<std::uint32_t>(base); });
  call.fill = static_cast<std::int8_t>(from.zero_point);
  return call;
}

}  // namespace

Layer lower_local_response(const graph::Graph& graph, const graph::Operator& op, const graph::LocalResponse& response) {
  const graph::Tensor &input = graph.tensor(op.inputs[0]), &output = graph.tensor(op.outputs[0]);
  require(!input.constant, "a constant operand");
  require_type(input, {ElementType::kInt8, ElementType::kUint8, ElementType::kFloat32}, "int8, uint8 or float32");
  require(response.before + response.after < kMostNeighbours, "a response of too many neighbours");
  Layer layer;
  layer.name = op.name;
  layer.inputs = {op.inputs[0]};
  layer.input_images = {image_of(input)};
  layer.output = op.outputs[0];
  layer.output_image = image_of(output);
  compiler::NeighbourCall call = input.type == ElementType::kFloat32
                                     ? of_floats(response)
                                     : of_bytes(response, quantization(input), quantization(output));
  require(compiler::has_neighbour_kernel(call, layer.input_images[0].channels),
          "a response of too many neighbours or channels");
  layer.kind = NeighbourLayer{std::move(call)};
  return layer;
}

}  // namespace systole::network
