// SPDX-License-Identifier: Apache-2.0
#include "scheme.hpp"

#include <algorithm>
#include <numeric>

#include "attributes.hpp"
#include "float_obstacles.hpp"
#include "front_end.hpp"
#include "indexed_graph.hpp"
#include "rewrite.hpp"

namespace systole::quantizer {
namespace {

using graph::Graph;
using graph::Operator;
using graph::Quantization;
using graph::TensorId;

std::size_t at(TensorId id) { return static_cast<std::size_t>(id); }

/// Disjoint sets of tensors (union-find).
class Sets {
 public:
  explicit Sets(std::size_t tensors) : parent_(tensors) { std::iota(parent_.begin(), parent_.end(), 0); }
  TensorId find(TensorId id) {
    while (parent_[at(id)] != id) {
      id = parent_[at(id)] = parent_[at(parent_[at(id)])];
    }
    return id;
  }
  void join(TensorId a, TensorId b) { parent_[at(find(a))] = find(b); }

 private:
  std::vector<TensorId> parent_;
};

/// Tensors that share one quantization.
struct Group {
  std::vector<TensorId> members;
  std::vector<TensorId> sources;  ///< members that are not just moved elements of other members
  std::optional<Range> at_least;  ///< range required by padding
  bool symmetric = false;         ///< the zero point is 0, unless a kernel fixes the quantization
  bool centered = false;          ///< the zero point is 0 in any case
};

/// Facts about the values that do not depend on which operators become int8.
struct ValueFacts {
  const Observations& observations;
  std::map<TensorId, Range> softmax_ranges;
  std::map<TensorId, Bounds> bounds;
  std::map<std::size_t, TensorId> masked;
};

class Chooser {
 public:
  Chooser(const Graph& graph, const ValueFacts& known, const Options& options)
      : graph_(graph), indexed_(graph), known_(known), options_(options), sets_(graph.tensors.size()) {}

  Scheme run(const Obstacles& obstacles) {
    scheme_.forms = choose_forms(graph_, options_.int8_softmax || options_.border == Border::kInt8, obstacles);
    scheme_.bounds = known_.bounds;
    make_groups();
    find_saturations();
    for (const auto& [representative, group] : groups_) {
      const Quantization quantization = of_group(group);
      for (const TensorId id : group.members) {
        scheme_.quantization[id] = quantization;
      }
    }
    return std::move(scheme_);
  }

 private:
  /// Tensors that an int8 operator reads or computes as int8 with one scale.
  static std::vector<TensorId> tensors_of(const Graph& graph, const Operator& op) {
    std::vector<TensorId> result = op.outputs;
    for (std::size_t i = 0; i < int8_operands(graph, op); ++i) {
      const TensorId id = op.inputs[i];
      if (id != graph::kNoTensor && graph.tensor(id).type == graph::ElementType::kFloat32) {  // conditions stay boolean
        result.push_back(id);
      }
    }
    return result;
  }

  void make_groups() {
    std::set<TensorId> used;
    std::set<TensorId> copies;
    for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
      const Operator& op = graph_.operators[i];
      if (!scheme_.forms[i].int8) {
        continue;
      }
      const std::vector<TensorId> tensors = tensors_of(graph_, op);
      used.insert(tensors.begin(), tensors.end());
      if (keeps_quantization(op)) {
        copies.insert(op.outputs.begin(), op.outputs.end());
        for (const TensorId id : tensors) {
          sets_.join(id, tensors.front());
        }
      } else if (const auto masked = known_.masked.find(i); masked != known_.masked.end()) {
        sets_.join(masked->second, op.outputs[0]);
      }
    }
    for (const TensorId id : used) {
      Group& group = groups_[sets_.find(id)];
      group.members.push_back(id);
      if (copies.count(id) == 0) {
        group.sources.push_back(id);
      }
    }
    center_factors();
    for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
      const auto* pad = std::get_if<graph::Pad>(&graph_.operators[i].kind);
      if (pad != nullptr && scheme_.forms[i].int8 && pad->mode == graph::Pad::Mode::kConstant) {
        Group& group = groups_[sets_.find(graph_.operators[i].inputs[0])];
        group.at_least = hull(group.at_least.value_or(Range{}), {std::min(0.0, pad->value), std::max(0.0, pad->value)});
      }
    }
  }

  /// Zero points of a product's computed operands cost the device additional passes. That of a softmax stays as it is:
  /// its result would lose half of the steps.
  void center_factors() {
    for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
      const Operator& op = graph_.operators[i];
      if (scheme_.forms[i].int8 && std::holds_alternative<graph::MatMul>(op.kind)) {
        groups_[sets_.find(op.inputs[0])].symmetric = true;
        groups_[sets_.find(op.inputs[1])].centered = true;
      }
    }
  }

  /// Clips to a range that includes zero, after a layer that only they read, if no other tensor of the group widens the
  /// range.
  void find_saturations() {
    for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
      const Operator& op = graph_.operators[i];
      const auto* clip = std::get_if<graph::Unary>(&op.kind);
      if (clip == nullptr || clip->kind != graph::UnaryKind::kClip || clip->alpha > 0 || clip->beta < 0 ||
          !scheme_.forms[i].int8) {
        continue;
      }
      const std::optional<std::size_t> layer = indexed_.place_of_maker(op.inputs[0]);
      const Group& group = groups_[sets_.find(op.outputs[0])];
      if (layer && is_weighted(graph_, graph_.operators[*layer]) && indexed_.has_one_reader(op.inputs[0]) &&
          *activation_of(graph_.operators[*layer].kind) == Activation::kNone && group.sources.size() == 1 &&
          !group.at_least) {
        scheme_.saturations.insert(i);
      }
    }
  }

  Quantization of_group(const Group& group) const {
    const std::optional<Quantization> fixed = fixed_of(group);
    if (fixed && (!group.centered || fixed->zero_point[0] == 0)) {
      return *fixed;
    }
    const Symmetry symmetry = group.symmetric || group.centered ? Symmetry::kSymmetric : Symmetry::kNone;
    std::optional<Range> of_softmax;
    for (const TensorId id : group.members) {
      if (const std::optional<Range> range = softmax_range_of(id)) {
        of_softmax = hull(of_softmax.value_or(*range), *range);
      }
    }
    Range range = of_softmax.value_or(Range{});
    Statistics values;
    bool constant = true;
    for (const TensorId id : group.sources) {
      const auto bounds = known_.bounds.find(id);
      if (bounds != known_.bounds.end() && of_softmax) {
        continue;  // its relevant values were observed at the softmax's operand
      }
      const Statistics seen = values_of(graph_, known_.observations, id);
      if (bounds != known_.bounds.end() && bounds->second.cut(seen)) {
        range = hull(range, bounds->second.within(seen));
        continue;
      }
      values.add(seen);
      constant = constant && graph_.tensor(id).constant != nullptr;
    }
    range = hull(range, choose_range(values, constant ? Calibration::kMinMax : options_.calibration,
                                     options_.percentile, symmetry));
    if (group.at_least) {
      range = hull(range, *group.at_least);
    }
    return int8_quantization(range, symmetry);
  }

  /// For tensors that only softmax operators read, if they contain values that softmax distinguishes.
  std::optional<Range> softmax_range_of(TensorId id) const {
    const auto found = known_.softmax_ranges.find(id);
    if (found == known_.softmax_ranges.end()) {
      return std::nullopt;
    }
    if (options_.calibration == Calibration::kMeanSquareError) {
      return found->second;
    }
    const Statistics& values = known_.observations.at(id).values;
    if (known_.bounds.at(id).cut(values)) {
      return known_.bounds.at(id).within(values);
    }
    return choose_range(values, options_.calibration, options_.percentile);
  }

  /// If all computed members have the same fixed quantization.
  std::optional<Quantization> fixed_of(const Group& group) const {
    std::optional<Quantization> common;
    for (const TensorId id : group.sources) {
      const std::optional<std::size_t> maker = indexed_.place_of_maker(id);
      const auto fixed =
          maker && scheme_.forms[*maker].int8 ? fixed_quantization(graph_.operators[*maker]) : std::nullopt;
      if (!fixed || (common && common->scale != fixed->scale)) {
        return std::nullopt;
      }
      common = fixed;
    }
    return group.at_least ? std::nullopt : common;
  }

  const Graph& graph_;
  const graph::IndexedGraph indexed_;
  const ValueFacts& known_;
  const Options& options_;
  Sets sets_;
  std::map<TensorId, Group> groups_;
  Scheme scheme_;
};

}  // namespace

std::optional<Quantization> fixed_quantization(const Operator& op) {
  const auto* unary = std::get_if<graph::Unary>(&op.kind);
  if (std::holds_alternative<graph::L2Normalize>(op.kind)) {
    return Quantization{{1.0F / 128.0F}, {0}, 0};
  }
  if (std::holds_alternative<graph::Softmax>(op.kind) ||
      (unary != nullptr && unary->kind == graph::UnaryKind::kSigmoid)) {
    return Quantization{{1.0F / 256.0F}, {-128}, 0};
  }
  if (unary != nullptr && unary->kind == graph::UnaryKind::kTanh) {
    return Quantization{{1.0F / 128.0F}, {0}, 0};
  }
  return std::nullopt;
}

TensorId saturated_result(const Graph& graph, const Scheme& scheme, const Operator& op) {
  for (const std::size_t clip : scheme.saturations) {
    if (graph.operators[clip].inputs[0] == op.outputs[0]) {
      return graph.operators[clip].outputs[0];
    }
  }
  return op.outputs[0];
}

Scheme choose_scheme(const Graph& graph, const Observations& observations, const Options& options) {
  ValueFacts known{observations, softmax_ranges(graph, observations), {}, {}};
  known.bounds = negligible(graph, observations, known.softmax_ranges);
  known.masked = masked_operands(graph, observations, known.bounds);
  Obstacles obstacles = not_finite(graph, observations, known.bounds);
  obstacles.merge(front_end(graph));
  // An operator that stays float may affect others, and changes the groups.
  for (;;) {
    Scheme scheme = Chooser(graph, known, options).run(obstacles);
    const Obstacles more = not_representable(graph, scheme);
    if (more.empty()) {
      return scheme;
    }
    obstacles.insert(more.begin(), more.end());
  }
}

}  // namespace systole::quantizer
