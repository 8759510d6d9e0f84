// SPDX-License-Identifier: Apache-2.0
#include "lower_heads.hpp"

#include <algorithm>
#include <utility>

#include "head_kernels.hpp"
#include "kernel_steps.hpp"
#include "systole/execute.hpp"
#include "systole/graph_value.hpp"
#include "systole/kernel.hpp"

namespace systole::network {
namespace {

using graph::IndexedGraph;
using graph::Operator;
using graph::Shape;
using graph::TensorId;
using Layers = std::optional<std::vector<Layer>>;

// Elements of a row of heads, up to which a kernel of these that computes a few rows of lanes at a time is faster than
// whole layers.
constexpr std::int64_t kMostOfRow = 128;

bool fills_lanes(std::int64_t elements) { return elements % kWidest == 0; }
bool is_short(std::int64_t elements) { return fills_lanes(elements) && elements <= kMostOfRow; }
bool is_one_row(const Shape& shape) { return !shape.empty() && graph::count(shape) == shape.back(); }

KernelLayer layer_of(compiler::KernelCall call) {
  KernelLayer kernel{std::move(call)};
  kernel.has_plain = true;
  return kernel;
}

/// The elements of a part if a tensor is another one, of a single row, with neighbouring parts exchanged.
std::optional<std::int64_t> exchanged_part(const IndexedGraph& graph, TensorId exchanged, TensorId of) {
  const Operator* reshaped = graph.maker_of_kind<graph::Reshape>(exchanged);
  const Operator* gather = graph.maker_of_kind<graph::Gather>(reshaped == nullptr ? exchanged : reshaped->inputs[0]);
  if (gather == nullptr) {
    return std::nullopt;
  }
  const Operator* flat = graph.maker_of_kind<graph::Reshape>(gather->inputs[0]);
  const graph::Tensor& indices = graph.tensor(gather->inputs[1]);
  const Shape& shape = graph.tensor(of).shape;
  if (gather->inputs[0] != of && (flat == nullptr || flat->inputs[0] != of)) {
    return std::nullopt;
  }
  if (!indices.constant || indices.type != graph::ElementType::kInt32 || !is_one_row(shape) ||
      graph::count(indices.shape) != shape.back()) {
    return std::nullopt;
  }
  const auto from = graph::elements<std::int32_t>(graph::constant_value(indices));
  const std::int64_t part = from[0];
  for (std::int64_t i = 0; i < shape.back(); ++i) {
    if (part <= 0 || from[static_cast<std::size_t>(i)] != (i / part % 2 == 0 ? i + part : i - part)) {
      return std::nullopt;
    }
  }
  return part;
}

/// The product of a tensor and a number, both computed, if the tensor is one.
const Operator* times_number(const IndexedGraph& graph, TensorId id) {
  const Operator* product = graph.maker(id);
  if (product == nullptr || !is_float(graph, *product, graph::BinaryKind::kMultiply)) {
    return nullptr;
  }
  const graph::Tensor &a = graph.tensor(product->inputs[0]), &b = graph.tensor(product->inputs[1]);
  const bool is_number = !a.constant && !b.constant && a.shape == graph.tensor(id).shape && graph::count(b.shape) == 1;
  return is_number ? product : nullptr;
}

/// x * number, times b, and exchanged times c.
struct Rotation {
  TensorId x = graph::kNoTensor, number = graph::kNoTensor, b = graph::kNoTensor, c = graph::kNoTensor;
  std::int64_t part = 1;
  /// Inputs of a kernel.
  std::vector<std::pair<TensorId, Image>> operands(std::int64_t elements) const {
    const Image row = Grid{1, elements}.image(kWordBytes);
    return {{x, row}, {b, row}, {c, row}, {number, Grid{1, 1}.image(kWordBytes)}};
  }
};

std::optional<Rotation> rotation_of(const IndexedGraph& graph, const Operator& op) {
  const auto product = [&](std::size_t i) {
    const Operator* made = graph.maker(op.inputs[i]);
    const bool is_product =
        made != nullptr && is_float(graph, *made, graph::BinaryKind::kMultiply) && graph.uses(op.inputs[i]) == 1;
    return is_product ? made : nullptr;
  };
  if (!is_float(graph, op, graph::BinaryKind::kAdd)) {
    return std::nullopt;
  }
  const Operator *straight = product(0), *exchanged = product(1);
  if (straight == nullptr || exchanged == nullptr) {
    return std::nullopt;
  }
  const TensorId x = straight->inputs[0];
  const auto part = exchanged_part(graph, exchanged->inputs[0], x);
  const Shape& shape = graph.tensor(x).shape;
  if (!part || graph.tensor(op.outputs[0]).shape != shape || shape.back() % (2 * *part) != 0 ||
      shape.back() / (2 * *part) > kernel::kStripRows || 2 * *part > kMostOfRow) {
    return std::nullopt;
  }
  for (const TensorId id : {x, straight->inputs[1], exchanged->inputs[1]}) {
    if (graph.tensor(id).constant || graph.tensor(id).shape != shape) {
      return std::nullopt;
    }
  }
  const Operator* scaled = times_number(graph, x);
  return scaled == nullptr ? std::nullopt
                           : std::optional(Rotation{scaled->inputs[0], scaled->inputs[1], straight->inputs[1],
                                                    exchanged->inputs[1], *part});
}

Layers rotated(const IndexedGraph& graph, const Operator& op) {
  const auto rotation = rotation_of(graph, op);
  if (!rotation) {
    return std::nullopt;
  }
  const std::int64_t elements = graph.tensor(op.outputs[0]).shape.back();
  compiler::KernelCall call{"rotated_row"};
  call.source = [elements, part = rotation->part](int dim) { return rotated_row(dim, elements, part); };
  KernelLayer kernel = layer_of(std::move(call));
  KernelSteps steps(graph, op);
  return steps.finish(steps.append("rotated_row", std::move(kernel), rotation->operands(elements),
                                   Grid{1, elements}.image(kWordBytes)));
}

/// The sum that the tensor is, reshaped, if nothing else reads it.
const Operator* turned_before(const IndexedGraph& graph, TensorId id) {
  const Operator* reshaped = graph.maker_of_kind<graph::Reshape>(id);
  const TensorId sum = reshaped == nullptr ? id : reshaped->inputs[0];
  return graph.uses(id) == 1 && graph.uses(sum) == 1 ? graph.maker(sum) : nullptr;
}

Layers rows_by_constant(const IndexedGraph& graph, const Operator& op) {
  const graph::Tensor &a = graph.tensor(op.inputs[0]), &b = graph.tensor(op.inputs[1]);
  const Shape& to = graph.tensor(op.outputs[0]).shape;
  if (a.constant || !b.constant || a.shape.size() != 3 || a.shape[1] != 1 || b.shape.size() != 2 ||
      to != Shape{a.shape[0], b.shape[0], a.shape[2]} || b.shape[1] != a.shape[2] || !is_short(a.shape[2]) ||
      a.shape[0] > kernel::kStripRows) {
    return std::nullopt;
  }
  const std::int64_t elements = a.shape[2];
  const int groups = static_cast<int>(a.shape[0]), factors = static_cast<int>(b.shape[0]);
  compiler::KernelCall call{"products_of_rows"};
  call.items = 1;
  call.source = [=](int dim) { return products_of_rows(dim, elements, groups, factors); };
  const ConstantOperand constant{*b.constant, grid_of_rows(b.shape).image(kWordBytes)};
  KernelSteps steps(graph, op);
  const Operator* turned = turned_before(graph, op.inputs[0]);
  const auto rotation = turned == nullptr ? std::nullopt : rotation_of(graph, *turned);
  if (rotation && 2 * rotation->part == elements) {
    call.kernel = "products_of_rotated";
    call.source = [=, part = rotation->part](int dim) { return products_of_rotated(dim, part, groups, factors); };
    KernelLayer kernel = layer_of(std::move(call));
    kernel.constants.emplace(4, constant);
    return steps.finish(steps.append("products_of_rotated", std::move(kernel), rotation->operands(groups * elements),
                                     grid_of_rows(to).image(kWordBytes)));
  }
  KernelLayer kernel = layer_of(std::move(call));
  kernel.constants.emplace(1, constant);
  return steps.finish(steps.append("products_of_rows", std::move(kernel),
                                   {{op.inputs[0], Grid{1, groups * elements}.image(kWordBytes)}},
                                   grid_of_rows(to).image(kWordBytes)));
}

Layers column_by_row(const IndexedGraph& graph, const Operator& op) {
  const graph::Tensor &a = graph.tensor(op.inputs[0]), &b = graph.tensor(op.inputs[1]);
  const Shape& to = graph.tensor(op.outputs[0]).shape;
  if (a.constant || b.constant || a.shape.size() != 2 || a.shape[1] != 1 || !is_one_row(b.shape) ||
      to != Shape{a.shape[0], b.shape.back()} || !fills_lanes(to[1])) {
    return std::nullopt;
  }
  const Operator* row = times_number(graph, op.inputs[1]);
  if (row == nullptr) {
    return std::nullopt;
  }
  TensorId whole = op.inputs[0];
  std::int64_t column = 0;
  if (const Operator* split = graph.maker_of_kind<graph::Split>(whole);
      split != nullptr && std::get<graph::Split>(split->kind).axis == 1) {
    for (const TensorId part : split->outputs) {
      if (part == whole) {
        break;
      }
      column += graph.tensor(part).shape[1];
    }
    whole = split->inputs[0];
  }
  compiler::KernelCall call{"outer_rows"};
  call.source = [elements = to[1], column](int dim) { return outer_rows(dim, elements, column); };
  KernelSteps steps(graph, op);
  return steps.finish(steps.append("outer_rows", layer_of(std::move(call)),
                                   {{whole, grid_of_rows(graph.tensor(whole).shape).image(kWordBytes)},
                                    {row->inputs[0], grid_of_rows(b.shape).image(kWordBytes)},
                                    {row->inputs[1], Grid{1, 1}.image(kWordBytes)}},
                                   grid_of_rows(to).image(kWordBytes)));
}

/// The rows that columns are picked from, if each column of a group comes from one of its rows, the first ones from
/// the first row and so on.
std::optional<PickedRows> picked_rows(const std::vector<std::int32_t>& elements, const Shape& from) {
  PickedRows picked;
  picked.elements = from[1];
  const auto columns = static_cast<std::size_t>(from[1]);
  if (elements.empty() || elements.size() % columns != 0 ||
      static_cast<std::size_t>(from[0]) % (elements.size() / columns) != 0) {
    return std::nullopt;
  }
  picked.groups = static_cast<int>(elements.size() / columns);
  picked.rows = static_cast<int>(from[0]) / picked.groups;
  picked.end.assign(static_cast<std::size_t>(picked.rows), 0);
  std::int64_t row = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto column = static_cast<std::int64_t>(i % columns), group = static_cast<std::int64_t>(i / columns);
    const std::int64_t of = elements[i] / from[1] - group * picked.rows;
    row = column == 0 ? 0 : row;
    if (elements[i] % from[1] != column || of < row || of >= picked.rows) {
      return std::nullopt;
    }
    row = of;
    for (auto end = picked.end.begin() + of; group == 0 && end != picked.end.end(); ++end) {
      *end = column + 1;
    }
    const std::int64_t begin = of == 0 ? 0 : picked.end[static_cast<std::size_t>(of) - 1];
    if (column < begin || column >= picked.end[static_cast<std::size_t>(of)]) {  // unlike the first group
      return std::nullopt;
    }
  }
  return picked;
}

Layers picked_sum(const IndexedGraph& graph, const Operator& op) {
  const graph::Tensor& indices = graph.tensor(op.inputs[1]);
  const Operator* flat = graph.maker_of_kind<graph::Reshape>(op.inputs[0]);
  const Operator* sum = flat == nullptr ? nullptr : graph.maker(flat->inputs[0]);
  if (sum == nullptr || !is_float(graph, *sum, graph::BinaryKind::kAdd) || !indices.constant ||
      indices.type != graph::ElementType::kInt32 || indices.shape.size() != 1) {
    return std::nullopt;
  }
  const Shape& shape = graph.tensor(sum->outputs[0]).shape;
  for (const TensorId id : sum->inputs) {
    if (graph.tensor(id).constant || graph.tensor(id).shape != shape) {
      return std::nullopt;
    }
  }
  if (shape.size() != 2 || !fills_lanes(shape[1])) {
    return std::nullopt;
  }
  const auto picked = picked_rows(graph::elements<std::int32_t>(graph::constant_value(indices)), shape);
  if (!picked || picked->groups > kernel::kStripRows) {
    return std::nullopt;
  }
  compiler::KernelCall call{"picked_sums"};
  call.items = 1;
  call.source = [rows = *picked](int dim) { return picked_sums(dim, rows, Result::kWords); };
  call.to_blocks = [rows = *picked](int dim) { return picked_sums(dim, rows, Result::kBlocks); };
  KernelSteps steps(graph, op);
  const Image rows = grid_of_rows(shape).image(kWordBytes);
  return steps.finish(steps.append("picked_sums", layer_of(std::move(call)),
                                   {{sum->inputs[0], rows}, {sum->inputs[1], rows}},
                                   Grid{1, picked->groups * shape[1]}.image(kWordBytes)));
}

}  // namespace

Layers lower_heads(const IndexedGraph& graph, const Operator& op, bool plain) {
  if (plain) {
    return std::nullopt;
  }
  if (is_float(graph, op, graph::BinaryKind::kAdd)) {
    return rotated(graph, op);
  }
  if (std::holds_alternative<graph::Gather>(op.kind)) {
    return picked_sum(graph, op);
  }
  if (!is_float(graph, op, graph::BinaryKind::kMultiply)) {
    return std::nullopt;
  }
  Layers rows = rows_by_constant(graph, op);
  return rows ? std::move(rows) : column_by_row(graph, op);
}

}  // namespace systole::network
