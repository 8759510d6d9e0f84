// SPDX-License-Identifier: Apache-2.0
#include "execution_notes.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <variant>

#include "terminal.hpp"

namespace systole::cli {
namespace {

/// Operators of one cause.
struct Found {
  std::uint64_t operators = 0, macs = 0;
  std::set<std::string> types;

  void add(const graph::Graph& graph, const graph::Operator& op) {
    ++operators;
    macs += graph::useful_macs(graph, op);
    types.insert(op.origin.empty() ? graph::name_of(op.kind) : op.origin);
  }
};

bool in_blocks(const graph::Operator& op) { return op.arithmetic == graph::Arithmetic::kBlocks; }

bool is_float_product(const graph::Graph& graph, const graph::Operator& op) {
  return graph.tensor(op.outputs[0]).type == graph::ElementType::kFloat32 && !in_blocks(op) &&
         graph::useful_macs(graph, op) > 0;
}

/// The maximum from which a dynamic quantization computes its scale: there is one for each tensor.
bool is_dynamic_scale(const graph::Operator& op) {
  const auto* reduce = std::get_if<graph::Reduce>(&op.kind);
  return reduce != nullptr && reduce->kind == graph::ReduceKind::kMax && op.origin.rfind("DynamicQuantize", 0) == 0;
}

std::string products_text(const Found& found, bool with_blocks) {
  return fmt::format(
      "{} of float32, {} MACs ({}), run{} on the vector processor, element by element; the matrix unit computes "
      "products of int8 (systole quantize){}",
      counted(found.operators, "product"), grouped(found.macs), fmt::join(found.types, ", "),
      found.operators == 1 ? "s" : "", with_blocks ? "" : " and of blocks (--precision mx)");
}

std::string scales_text(const Found& found) {
  return fmt::format(
      "{} quantized in each run by a scale computed from {} ({}), in float32 on the vector processor; with scales in "
      "the file (quantize_static) results stay int8 from layer to layer",
      found.operators == 1 ? "1 tensor is" : fmt::format("{} tensors are", grouped(found.operators)),
      found.operators == 1 ? "its elements" : "their elements", fmt::join(found.types, ", "));
}

}  // namespace

std::vector<std::string> execution_notes(const graph::Graph& graph, const std::vector<bool>& on_device) {
  Found products, scales;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const graph::Operator& op = graph.operators[i];
    if (on_device.at(i) && is_float_product(graph, op)) {
      products.add(graph, op);
    } else if (on_device.at(i) && is_dynamic_scale(op)) {
      scales.add(graph, op);
    }
  }
  std::vector<std::string> notes;
  if (products.operators > 0) {
    notes.push_back(products_text(products, std::any_of(graph.operators.begin(), graph.operators.end(), in_blocks)));
  }
  if (scales.operators > 0) {
    notes.push_back(scales_text(scales));
  }
  return notes;
}

std::vector<std::string> execution_notes(const CompiledNetwork& network) {
  std::vector<bool> on_device(network.graph.operators.size(), true);
  for (const NetworkStep& step : network.steps) {
    if (const auto* host = std::get_if<HostStep>(&step)) {
      on_device.at(static_cast<std::size_t>(host->op)) = false;
    }
  }
  return execution_notes(network.graph, on_device);
}

}  // namespace systole::cli
