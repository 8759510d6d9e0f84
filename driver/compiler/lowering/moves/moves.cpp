// SPDX-License-Identifier: Apache-2.0
#include "moves.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "bytes.hpp"
#include "element_visit.hpp"
#include "infer.hpp"
#include "quantized_types.hpp"
#include "refused.hpp"
#include "systole/execute.hpp"

namespace systole::network {
namespace {

using compiler::ByteBox;
using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::TensorId;
using graph::Value;

constexpr int kNowhere = -1;  // source of an element that comes from no input

/// Runs the operator on tensors of another type, without quantization. `element` makes the elements of the inputs; its
/// argument numbers the elements of all inputs, starting at 1.
template <class Element, class Make>
std::vector<Element> run_on(const Graph& graph, const Operator& op, std::size_t output, ElementType type,
                            bool quantized, const Make& element) {
  Graph one;
  Operator alone = op;
  if (auto* pad = std::get_if<graph::Pad>(&alone.kind); pad != nullptr && !quantized) {
    pad->value = 0;
  }
  const auto add = [&](TensorId id) {
    graph::Tensor tensor = graph.tensor(id);
    tensor.type = type;
    tensor.constant = nullptr;
    if (!quantized) {
      tensor.quantization.reset();
    }
    one.tensors.push_back(std::move(tensor));
    return static_cast<TensorId>(one.tensors.size() - 1);
  };
  std::vector<Value> values;
  std::int64_t number = 0;
  for (TensorId& id : alone.inputs) {
    std::vector<Element> elements(static_cast<std::size_t>(graph::count(graph.tensor(id).shape)));
    std::generate(elements.begin(), elements.end(), [&] { return element(++number); });
    values.push_back(graph::make_value(type, graph.tensor(id).shape, elements));
    id = add(id);
    one.inputs.push_back(id);
  }
  for (TensorId& id : alone.outputs) {
    id = add(id);
  }
  one.outputs = {alone.outputs[output]};
  one.operators.push_back(std::move(alone));
  return graph::elements<Element>(graph::execute(one, values).at(0));
}

/// Bytes that are contiguous in source and destination.
struct Stretch {
  std::int64_t from, to, bytes;
};

/// How many stretches starting at `first` are spaced like the first two.
std::size_t regular(const std::vector<Stretch>& stretches, std::size_t first) {
  if (first + 1 >= stretches.size()) {
    return 1;
  }
  const std::int64_t from = stretches[first + 1].from - stretches[first].from;
  const std::int64_t to = stretches[first + 1].to - stretches[first].to;
  std::size_t next = first + 1;
  while (next < stretches.size() && stretches[next].bytes == stretches[first].bytes &&
         stretches[next].from - stretches[next - 1].from == from && stretches[next].to - stretches[next - 1].to == to) {
    ++next;
  }
  return next - first;
}

bool same_line(const ByteBox& a, const ByteBox& b) {
  return a.inner == b.inner && a.bytes == b.bytes &&
         (a.inner == 1 || (a.from_inner == b.from_inner && a.to_inner == b.to_inner));
}

/// Combines equally spaced stretches into lines, and equally spaced lines into boxes.
std::vector<ByteBox> boxes_of(const std::vector<Stretch>& stretches) {
  std::vector<ByteBox> lines;
  for (std::size_t i = 0; i < stretches.size();) {
    const std::size_t count = regular(stretches, i);
    ByteBox line;
    line.from = stretches[i].from;
    line.to = stretches[i].to;
    line.bytes = stretches[i].bytes;
    line.inner = static_cast<std::int64_t>(count);
    line.from_inner = count > 1 ? stretches[i + 1].from - line.from : 0;
    line.to_inner = count > 1 ? stretches[i + 1].to - line.to : 0;
    lines.push_back(line);
    i += count;
  }
  std::vector<ByteBox> boxes;
  for (std::size_t i = 0; i < lines.size();) {
    ByteBox box = lines[i];
    std::size_t next = i + 1;
    if (next < lines.size() && same_line(box, lines[next])) {
      box.from_outer = lines[next].from - box.from;
      box.to_outer = lines[next].to - box.to;
      while (next < lines.size() && same_line(box, lines[next]) &&
             lines[next].from - lines[next - 1].from == box.from_outer &&
             lines[next].to - lines[next - 1].to == box.to_outer) {
        ++next;
      }
      box.outer = static_cast<std::int64_t>(next - i);
    }
    boxes.push_back(box);
    i = next;
  }
  return boxes;
}

/// The next bytes of the result, which continue the last stretch or begin another.
void add_bytes(std::vector<Stretch>& stretches, const Stretch& next, bool same_source) {
  if (!stretches.empty() && stretches.back().to + stretches.back().bytes == next.to &&
      (same_source || stretches.back().from + stretches.back().bytes == next.from)) {
    stretches.back().bytes += next.bytes;
  } else {
    stretches.push_back(next);
  }
}

/// The data as [before, own, after], the last in bytes, and the positions along the axis for each index. Only for
/// constant indices.
struct Gathered {
  std::int64_t before = 1, own = 1, after = 1;
  std::vector<std::int64_t> positions;
};

Gathered gathered(const Graph& graph, const Operator& op) {
  const graph::Tensor& data = graph.tensor(op.inputs[0]);
  const std::size_t axis = graph::axis_of(std::get<graph::Gather>(op.kind).axis, data.shape.size());
  Gathered result;
  result.after = static_cast<std::int64_t>(graph::element_size(data.type));
  for (std::size_t i = 0; i < data.shape.size(); ++i) {
    (i < axis ? result.before : i == axis ? result.own : result.after) *= data.shape[i];
  }
  const Value indices = graph::constant_value(graph.tensor(op.inputs[1]));
  const auto add = [&](std::int64_t index) {
    const std::int64_t position = index < 0 ? index + result.own : index;
    require(position >= 0 && position < result.own, "an index out of range");
    result.positions.push_back(position);
  };
  if (indices.type == ElementType::kInt32) {
    for (const std::int32_t index : graph::elements<std::int32_t>(indices)) {
      add(index);
    }
  } else {
    for (const std::int64_t index : graph::elements<std::int64_t>(indices)) {
      add(index);
    }
  }
  return result;
}

/// A box for each run of equally spaced positions.
MoveLayer gathering(const Gathered& g) {
  MoveLayer layer;
  const auto count = static_cast<std::int64_t>(g.positions.size());
  const auto at = [&](std::int64_t i) { return g.positions[static_cast<std::size_t>(i)]; };
  for (std::int64_t first = 0; first < count;) {
    std::int64_t next = first + 1;
    const std::int64_t step = next < count ? at(next) - at(first) : 0;
    while (next < count && at(next) - at(next - 1) == step) {
      ++next;
    }
    ByteBox box;
    box.from = at(first) * g.after;
    box.to = first * g.after;
    box.outer = g.before;
    box.from_outer = g.own * g.after;
    box.to_outer = count * g.after;
    box.bytes = g.after;
    box.inner = next - first;
    box.from_inner = step * g.after;
    box.to_inner = g.after;
    if (step == 1) {  // contiguous
      box.bytes *= box.inner;
      box.inner = 1;
    }
    layer.parts.push_back({0, -1, box});
    first = next;
  }
  return layer;
}

/// The bytes of an element that comes from no input.
graph::Bytes filling(const Graph& graph, const Operator& op, std::size_t output) {
  const ElementType type = graph.tensor(op.outputs[output]).type;
  return graph::with_element(type, [&](auto element) {
    using Element = decltype(element);
    const auto zero = [](std::int64_t) { return Element{}; };
    const std::vector<Element> filled = run_on<Element>(graph, op, output, type, true, zero);
    const std::vector<std::int32_t> sources = element_sources(graph, op, output);
    const auto nowhere = std::find(sources.begin(), sources.end(), 0) - sources.begin();
    return graph::make_value(type, {1}, std::vector<Element>{filled[static_cast<std::size_t>(nowhere)]}).data;
  });
}

/// Gives the parts that have no source that of equal bytes, or of a constant of as many elements as the longest has.
void fill(MoveLayer& layer, const graph::Bytes& element, std::uint8_t toggled) {
  const bool one_byte = std::all_of(element.begin(), element.end(), [&](std::uint8_t b) { return b == element[0]; });
  std::int64_t longest = 0;
  for (MoveLayer::Part& part : layer.parts) {
    if (part.input != kNowhere) {
      continue;
    }
    part.box.from = part.box.from_inner = part.box.from_outer = 0;
    if (one_byte) {
      part.input = 0;
      part.box.fill = static_cast<std::int8_t>(element[0] ^ toggled);
    } else {
      part.constant = 0;
      longest = std::max(longest, part.box.bytes);
    }
  }
  if (!one_byte) {
    graph::Bytes& constant = layer.constants.emplace_back();
    while (static_cast<std::int64_t>(constant.size()) < longest) {
      constant.insert(constant.end(), element.begin(), element.end());
    }
  }
}

}  // namespace

bool only_moves(const Graph& graph, const Operator& op) {
  if (std::holds_alternative<graph::Gather>(op.kind)) {
    return !graph.tensor(op.inputs[0]).constant && graph.tensor(op.inputs[1]).constant;
  }
  const bool moves = std::holds_alternative<graph::Transpose>(op.kind) ||
                     std::holds_alternative<graph::Concat>(op.kind) || std::holds_alternative<graph::Split>(op.kind) ||
                     std::holds_alternative<graph::Slice>(op.kind) || std::holds_alternative<graph::Pad>(op.kind) ||
                     std::holds_alternative<graph::ResizeNearest>(op.kind);
  return moves && std::all_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) {
           return graph::same_quantization(graph.tensor(id), graph.tensor(op.outputs[0]));
         });
}

std::vector<std::int32_t> element_sources(const Graph& graph, const Operator& op, std::size_t output) {
  return run_on<std::int32_t>(graph, op, output, ElementType::kInt32, false,
                              [](std::int64_t number) { return static_cast<std::int32_t>(number); });
}

MoveLayer moves_of(const Graph& graph, const Operator& op, std::size_t output) {
  if (std::holds_alternative<graph::Gather>(op.kind)) {
    return gathering(gathered(graph, op));
  }
  const std::vector<std::int32_t> sources = element_sources(graph, op, output);
  const auto size = static_cast<std::int64_t>(graph::element_size(graph.tensor(op.outputs[output]).type));
  std::vector<std::int64_t> first_of_input;
  std::int64_t number = 1;
  for (const TensorId id : op.inputs) {
    first_of_input.push_back(number);
    number += graph::count(graph.tensor(id).shape);
  }
  const auto input_of = [&](std::int32_t source) {
    return static_cast<int>(std::upper_bound(first_of_input.begin(), first_of_input.end(), source) -
                            first_of_input.begin()) -
           1;
  };
  std::map<int, std::vector<Stretch>> by_input;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const int input = input_of(sources[i]);
    const std::int64_t from =
        input == kNowhere ? 0 : (sources[i] - first_of_input[static_cast<std::size_t>(input)]) * size;
    const auto to = static_cast<std::int64_t>(i) * size;
    add_bytes(by_input[input], {from, to, size}, input == kNowhere);
  }
  MoveLayer layer;
  for (const auto& [input, stretches] : by_input) {
    for (const ByteBox& box : boxes_of(stretches)) {
      layer.parts.push_back({input, -1, box});
    }
  }
  if (by_input.count(kNowhere) != 0) {
    fill(layer, filling(graph, op, output), toggle_of(graph.tensor(op.outputs[output]).type));
  }
  return layer;
}

std::optional<std::vector<std::int32_t>> byte_sources(const MoveLayer& moves, std::int64_t bytes) {
  std::vector<std::int32_t> sources(static_cast<std::size_t>(bytes));
  for (const MoveLayer::Part& part : moves.parts) {
    const ByteBox& box = part.box;
    if (part.input != 0 || part.constant >= 0 || box.fill) {
      return std::nullopt;
    }
    for (std::int64_t outer = 0; outer < box.outer; ++outer) {
      for (std::int64_t inner = 0; inner < box.inner; ++inner) {
        const auto to = sources.begin() + box.to + outer * box.to_outer + inner * box.to_inner;
        std::iota(to, to + box.bytes, box.from + outer * box.from_outer + inner * box.from_inner);
      }
    }
  }
  return sources;
}

std::optional<std::vector<std::int32_t>> byte_sources(const Layer& layer) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 24;
  const auto* moves = std::get_if<MoveLayer>(&layer.kind);
  const std::int64_t bytes = layer.output_image.bytes();
  const bool plain = moves != nullptr && layer.inputs.size() == 1 && layer.input_parts.empty() && !moves->turns &&
                     !moves->border && bytes <= kMostBytes;
  return plain ? byte_sources(*moves, bytes) : std::nullopt;
}

std::int64_t transfers(const MoveLayer& moves) {
  std::int64_t runs = 0;
  for (const MoveLayer::Part& part : moves.parts) {
    runs += part.box.outer * part.box.inner;
  }
  return runs;
}

MoveLayer moves_from(const std::vector<std::int32_t>& sources) {
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    add_bytes(stretches, {sources[i], static_cast<std::int64_t>(i), 1}, false);
  }
  MoveLayer layer;
  for (const ByteBox& box : boxes_of(stretches)) {
    layer.parts.push_back({0, -1, box});
  }
  return layer;
}

}  // namespace systole::network
