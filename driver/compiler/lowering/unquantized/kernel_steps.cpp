// SPDX-License-Identifier: Apache-2.0
#include "kernel_steps.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>

#include "binary32.hpp"
#include "broadcast.hpp"
#include "infer.hpp"
#include "lower_moves.hpp"
#include "refused.hpp"
#include "systole/graph_value.hpp"

namespace systole::network {

using compiler::KernelCall;
using graph::ElementType;
using graph::Shape;
using graph::Tensor;

namespace {

std::int64_t size_of(ElementType type) { return static_cast<std::int64_t>(graph::element_size(type)); }

/// Neighbouring axes that are all folded, or all kept. Axes of length 1 belong to no group.
struct Group {
  std::int64_t size;
  bool folded;
};

std::vector<Group> groups_of(const Shape& shape, const std::vector<bool>& folded) {
  std::vector<Group> groups;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] != 1) {
      if (groups.empty() || groups.back().folded != folded[axis]) {
        groups.push_back({1, folded[axis]});
      }
      groups.back().size *= shape[axis];
    }
  }
  return groups;
}

/// How many rows become channels: as many as a block has, or else the most that fill the lanes of any array and divide
/// them; 1 for none.
std::int64_t rows_turned(std::int64_t rows) {
  constexpr std::int64_t kBlock = 16, kFewest = 8;
  if (rows > kBlock && rows % kBlock == 0) {
    return kBlock;
  }
  for (std::int64_t turned = kWidest; turned >= kFewest; --turned) {
    if (rows % turned == 0) {
      return turned;
    }
  }
  return 1;
}

}  // namespace

Grid grid_of_rows(const graph::Shape& shape) { return {graph::count(shape) / shape.back(), shape.back()}; }

bool is_float(const graph::Graph& graph, const graph::Operator& op, graph::BinaryKind kind) {
  const auto* binary = std::get_if<graph::Binary>(&op.kind);
  return binary != nullptr && binary->kind == kind && binary->activation == Activation::kNone &&
         op.arithmetic == graph::Arithmetic::kOnnx && graph.tensor(op.outputs[0]).type == graph::ElementType::kFloat32;
}

Grid grid_of(const Shape& shape) {
  constexpr std::int64_t kEnough = 64, kMost = 1024;
  const std::int64_t elements = graph::count(shape);
  const std::int64_t last = shape.empty() || shape.back() > kMost ? 1 : shape.back();
  std::int64_t several = std::max<std::int64_t>(1, kEnough / last);
  while (elements / last % several != 0) {
    --several;
  }
  return {elements / (last * several), last * several};
}

Term Term::as_words() const {
  Term words = *this;
  words.element_bytes = kWordBytes;
  if (words.constant) {
    words.constant->image.element_bytes = static_cast<int>(kWordBytes);
  }
  return words;
}

std::vector<Layer> KernelSteps::finish(const Term& result) {
  require(!layers_.empty() && layers_.back().output == result.id, "an operator that changes nothing");
  layers_.back().name = op_.name;
  layers_.back().output = op_.outputs[0];
  layers_.at(multiplying_.value_or(layers_.size() - 1)).macs = graph::useful_macs(graph_, op_);
  return std::move(layers_);
}

Term KernelSteps::given(std::size_t i) const { return {op_.inputs[i], std::nullopt, size_of(input(i).type)}; }

Term KernelSteps::operand(std::size_t i, bool may_repeat) {
  const Tensor& tensor = input(i);
  const Shape& shape = output().shape;
  if (!tensor.constant) {
    const Term term = given(i);
    const std::int64_t given_elements = graph::count(tensor.shape);
    if (given_elements == graph::count(shape)) {
      return term;
    }
    const bool repeats = may_repeat && term.element_bytes == kWordBytes && grid_.channels % given_elements == 0 &&
                         (given_elements == 1 || is_position(tensor.shape, shape));
    return repeats ? one_position(term, given_elements) : broadcast(term, tensor.shape, shape);
  }
  return constant(tensor, may_repeat);
}

Term KernelSteps::constant(const Tensor& tensor, bool may_repeat) const {
  const Shape& shape = output().shape;
  const std::int64_t size = size_of(tensor.type), elements = graph::count(tensor.shape);
  if (!may_repeat || (elements != 1 && !is_position(tensor.shape, shape)) || grid_.channels % elements != 0) {
    ConstantOperand whole = constant_operand(tensor, shape, false);
    whole.image = grid_.image(size);
    return {graph::kNoTensor, std::move(whole), size};
  }
  ConstantOperand one = constant_operand(tensor, tensor.shape, false);
  const graph::Bytes bytes = one.bytes;
  for (std::int64_t i = 1; i < grid_.channels / elements; ++i) {
    one.bytes.insert(one.bytes.end(), bytes.begin(), bytes.end());
  }
  one.image = Grid{1, grid_.channels}.image(size);
  return {graph::kNoTensor, std::move(one), size};
}

Term KernelSteps::constant(float value) const {
  const std::vector<float> values(static_cast<std::size_t>(grid_.channels), value);
  return {graph::kNoTensor, ConstantOperand{graph::make_value(ElementType::kFloat32, {grid_.channels}, values).data,
                                            Grid{1, grid_.channels}.image(kWordBytes)}};
}

Term KernelSteps::apply(KernelCall call, const std::vector<Term>& terms, const Grid& grid, ElementType to) {
  const std::string name = call.kernel;
  KernelLayer kernel{std::move(call), true, {}};
  std::vector<std::pair<graph::TensorId, Image>> inputs;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].constant) {
      kernel.constants.emplace(i, *terms[i].constant);
    } else {
      const Grid of = terms[i].is_number ? Grid{} : Grid{terms[i].repeats ? 1 : grid.positions, grid.channels};
      inputs.emplace_back(terms[i].id, of.image(terms[i].element_bytes));
    }
  }
  return append(name.c_str(), std::move(kernel), inputs, grid.image(size_of(to)));
}

Term KernelSteps::move(const char* what, const Term& from, std::int64_t bytes, MoveLayer moves, const Grid& to,
                       std::int64_t element_bytes) {
  return append(what, std::move(moves), {{from.id, Image{1, 1, static_cast<int>(bytes), 1}}}, to.image(element_bytes));
}

Term KernelSteps::broadcast(const Term& term, const Shape& from, const Shape& to) {
  const std::int64_t size = term.element_bytes;
  MoveLayer moves;
  for (const compiler::ByteBox& box : broadcast_boxes(from, to, size)) {
    moves.parts.push_back({0, -1, box});
  }
  return move("broadcast", term, graph::count(from) * size, std::move(moves), grid_of(to), size);
}

Term KernelSteps::one_position(const Term& term, std::int64_t elements) {
  Term one = term;
  if (elements != grid_.channels) {
    one = broadcast(term, {1, elements}, {grid_.channels / elements, elements});
  }
  one.repeats = true;
  return one;
}

Term KernelSteps::folded(const compiler::FoldFunction& fold, Term term, Shape& shape, const std::vector<int>& axes) {
  std::vector<bool> folded_axes(shape.size(), false);
  for (const int axis : axes) {
    folded_axes[graph::axis_of(axis, shape.size())] = true;
  }
  const std::vector<Group> groups = groups_of(shape, folded_axes);
  const bool last_kept = !groups.empty() && !groups.back().folded;
  if (std::count_if(groups.begin(), groups.end(), [](const Group& group) { return group.folded; }) > 1) {
    std::vector<int> order(groups.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_partition(order.begin(), order.end() - (last_kept ? 1 : 0),
                          [&](int i) { return !groups[static_cast<std::size_t>(i)].folded; });
    Shape from;
    std::transform(groups.begin(), groups.end(), std::back_inserter(from),
                   [](const Group& group) { return group.size; });
    term = transposed(term, from, order);
  }
  std::int64_t channels = last_kept ? groups.back().size : 1;
  std::int64_t each = 1, elements = 1;
  for (const Group& group : groups) {
    (group.folded ? each : elements) *= group.size;
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    shape[axis] = folded_axes[axis] ? 1 : shape[axis];
  }
  // Rows of neighbours that are folded would use one lane. Turned, they use many.
  constexpr std::int64_t kEnoughToTurn = 8;
  if (const std::int64_t turned = rows_turned(elements); channels == 1 && each >= kEnoughToTurn && turned > 1) {
    term = transposed(term, {elements / turned, turned, each}, {0, 2, 1});
    channels = turned;
  }
  return folded(fold, std::move(term), elements / channels, each, channels);
}

Term KernelSteps::folded(const compiler::FoldFunction& fold, Term term, std::int64_t items, std::int64_t each,
                         std::int64_t channels) {
  do {
    const std::int64_t part = golden::binary32::folded_at_once(each);
    each /= part;
    KernelCall call = compiler::fold_call(fold);
    call.items = items * each;
    call.by_block = call.turns = true;
    const Image from = Grid{items * each * part, channels}.image(kWordBytes);
    term = append(fold.name.c_str(), KernelLayer{std::move(call)}, {{term.id, from}},
                  Grid{items * each, channels}.image(kWordBytes));
  } while (each > 1);
  return term;
}

Term KernelSteps::append(const char* what, LayerKind kind, const std::vector<std::pair<graph::TensorId, Image>>& inputs,
                         const Image& image) {
  require(static_cast<int>(layers_.size()) < kMostBetween, "more steps than an operator may have");
  Layer layer;
  layer.name = fmt::format("{}/{}{}", op_.name, what, layers_.size());
  layer.kind = std::move(kind);
  for (const auto& [id, of_input] : inputs) {
    layer.inputs.push_back(id);
    layer.input_images.push_back(of_input);
  }
  layer.output = between_layers(op_.outputs[0], static_cast<int>(layers_.size()));
  layer.output_image = image;
  layers_.push_back(std::move(layer));
  return {layers_.back().output, std::nullopt, image.element_bytes};
}

Term KernelSteps::transposed(const Term& term, const Shape& from, const std::vector<int>& order) {
  graph::Graph graph;
  graph::Operator transpose;
  transpose.kind = graph::Transpose{order};
  transpose.inputs = {0};
  transpose.outputs = {1};
  graph.tensors.resize(2);
  for (std::size_t i = 0; i < from.size(); ++i) {
    graph.tensors[0].shape.push_back(from[i]);
    graph.tensors[1].shape.push_back(from[static_cast<std::size_t>(order[i])]);
  }
  graph.tensors[0].type = graph.tensors[1].type = ElementType::kFloat32;
  auto lowered = lower_moves(graph, transpose);
  if (const auto* host = std::get_if<OnHost>(&lowered)) {
    throw Refused(host->reason);
  }
  Layer& moves = std::get<std::vector<Layer>>(lowered).front();
  return append("transpose", std::move(moves.kind), {{term.id, moves.input_images[0]}}, moves.output_image);
}

}  // namespace systole::network
