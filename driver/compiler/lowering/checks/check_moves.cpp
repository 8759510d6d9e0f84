// SPDX-License-Identifier: Apache-2.0
#include "check_moves.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "emit_program.hpp"
#include "indexed_graph.hpp"
#include "moves.hpp"

namespace systole::network {
namespace {

using graph::Operator;
using graph::TensorId;

/// An element of a tensor. Elements of constants, and those that nothing moves there, are of no tensor.
struct Origin {
  TensorId tensor = graph::kNoTensor;
  std::int64_t element = 0;
};
inline bool operator==(const Origin& a, const Origin& b) { return a.tensor == b.tensor && a.element == b.element; }
using Origins = std::vector<Origin>;

class Tracing {
 public:
  /// Back to these tensors.
  Tracing(const graph::IndexedGraph& graph, const std::vector<TensorId>& to) : graph_(graph), to_(to) {}

  /// Returns the origin of each element of the tensor; nothing if something else than moves makes it.
  std::optional<Origins> of(TensorId id) const {
    const auto elements = static_cast<std::size_t>(graph::count(graph_.tensor(id).shape));
    if (std::count(to_.begin(), to_.end(), id) != 0) {
      Origins own(elements);
      for (std::size_t i = 0; i < elements; ++i) {
        own[i] = {id, static_cast<std::int64_t>(i)};
      }
      return own;
    }
    if (graph_.tensor(id).constant) {
      return Origins(elements);
    }
    const Operator* op = graph_.maker(id);
    if (op == nullptr) {
      return std::nullopt;
    }
    if (std::holds_alternative<graph::Reshape>(op->kind)) {
      return of(op->inputs[0]);
    }
    const bool traced = only_moves(graph_, *op) && !std::holds_alternative<graph::Gather>(op->kind);
    return traced ? moved(*op, id) : std::nullopt;
  }

 private:
  std::optional<Origins> moved(const Operator& op, TensorId id) const {
    Origins before{{}};  // of nothing, and then of all inputs
    for (const TensorId input : op.inputs) {
      const auto own = of(input);
      if (!own) {
        return std::nullopt;
      }
      before.insert(before.end(), own->begin(), own->end());
    }
    const auto output = std::find(op.outputs.begin(), op.outputs.end(), id) - op.outputs.begin();
    Origins result;
    for (const std::int32_t number : element_sources(graph_, op, static_cast<std::size_t>(output))) {
      result.push_back(before[static_cast<std::size_t>(number)]);
    }
    return result;
  }

  const graph::IndexedGraph& graph_;
  const std::vector<TensorId>& to_;
};

class Check {
 public:
  Check(const Layer& layer, const graph::IndexedGraph& graph) : layer_(layer), graph_(graph) {}

  /// Whether the layer's boxes are what the graph moves, as far as it can be traced.
  bool right() const {
    const auto* moves = std::get_if<MoveLayer>(&layer_.kind);
    const auto wanted =
        moves == nullptr || layer_.output < 0 ? std::nullopt : Tracing(graph_, layer_.inputs).of(layer_.output);
    if (!wanted) {
      return true;
    }
    const auto found = copied(*moves, wanted->size());
    return found && (*found == *wanted || right_at_sources(*found));
  }

 private:
  /// The origin of each element among the layer's inputs, by its boxes; nothing if a box writes beyond the result.
  std::optional<Origins> copied(const MoveLayer& moves, std::size_t elements) const {
    const auto size = static_cast<std::int64_t>(graph::element_size(graph_.tensor(layer_.output).type));
    Origins found(elements);
    for (const MoveLayer::Part& part : moves.parts) {
      if (part.constant < 0 && !part.box.fill && !add(part, size, found)) {
        return std::nullopt;
      }
    }
    return found;
  }

  /// Returns whether the box lies in the result.
  bool add(const MoveLayer::Part& part, std::int64_t size, Origins& found) const {
    const compiler::ByteBox& box = part.box;
    const TensorId from = layer_.inputs.at(static_cast<std::size_t>(part.input));
    const std::int64_t end = static_cast<std::int64_t>(found.size()) * size;
    for (std::int64_t outer = 0; outer < box.outer; ++outer) {
      for (std::int64_t inner = 0; inner < box.inner; ++inner) {
        const std::int64_t first = box.from + outer * box.from_outer + inner * box.from_inner;
        const std::int64_t to = box.to + outer * box.to_outer + inner * box.to_inner;
        if (to < 0 || to + box.bytes > end) {
          return false;
        }
        for (std::int64_t byte = 0; byte < box.bytes; byte += size) {
          found[static_cast<std::size_t>((to + byte) / size)] = {from, (first + byte) / size};
        }
      }
    }
    return true;
  }

  /// An input may be moved from other inputs, so that a layer may read an element in either place: where a part of a
  /// tensor is read in place, and the part itself, too. Both sides are then traced back to the other inputs.
  bool right_at_sources(Origins found) const {
    const std::vector<TensorId> sources = input_sources();
    const Tracing tracing(graph_, sources);
    std::map<TensorId, Origins> origins;
    for (const TensorId input : layer_.inputs) {
      origins[input] = tracing.of(input).value();
    }
    for (Origin& origin : found) {
      if (origin.tensor == graph::kNoTensor) {
        continue;
      }
      const Origins& own = origins.at(origin.tensor);
      if (origin.element < 0 || origin.element >= static_cast<std::int64_t>(own.size())) {
        return false;
      }
      origin = own[static_cast<std::size_t>(origin.element)];
    }
    return found == tracing.of(layer_.output);
  }

  /// The inputs without those whose every element the graph moves from the rest.
  std::vector<TensorId> input_sources() const {
    std::vector<TensorId> sources = layer_.inputs;
    for (const TensorId input : layer_.inputs) {
      std::vector<TensorId> rest = sources;
      rest.erase(std::remove(rest.begin(), rest.end(), input), rest.end());
      const auto origins = Tracing(graph_, rest).of(input);
      const auto of_none = [](const Origin& origin) { return origin.tensor == graph::kNoTensor; };
      if (origins && std::none_of(origins->begin(), origins->end(), of_none)) {
        sources = std::move(rest);
      }
    }
    return sources;
  }

  const Layer& layer_;
  const graph::IndexedGraph& graph_;
};

}  // namespace

void check_moves(const Segment& segment, const graph::Graph& graph) {
  const graph::IndexedGraph indexed(graph);
  for (const Layer& layer : segment.layers) {
    if (!Check(layer, indexed).right()) {
      throw not_on_device(
          layer, graph,
          fmt::format("a compiler error in layer '{}': it does not move what the graph moves", layer.name));
    }
  }
}

}  // namespace systole::network
