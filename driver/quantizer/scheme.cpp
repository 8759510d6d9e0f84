// SPDX-License-Identifier: Apache-2.0
#include "quantizer/scheme.hpp"

#include <algorithm>
#include <numeric>

#include "quantizer/rewrite.hpp"

namespace systole::quantizer {
namespace {

using graph::Graph;
using graph::Operator;
using graph::Quantization;
using graph::TensorId;

std::size_t at(TensorId id) { return static_cast<std::size_t>(id); }

/// Disjoint sets of tensors.
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

/// Tensors with one quantization.
struct Group {
  std::vector<TensorId> members;
  std::vector<TensorId> sources;  ///< members whose elements are not merely those of other members
  std::optional<Range> at_least;  ///< that padding needs
};

class Chooser {
 public:
  Chooser(const Graph& graph, const std::map<TensorId, Statistics>& statistics, Calibration calibration, double percentile)
      : graph_(graph), statistics_(statistics), calibration_(calibration), percentile_(percentile), sets_(graph.tensors.size()) {}

  Scheme run() {
    scheme_.forms = choose_forms(graph_);
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
  /// What an int8 operator reads and makes as int8 with a scale for the whole tensor.
  static std::vector<TensorId> tensors_of(const Graph& graph, const Operator& op) {
    std::vector<TensorId> result = op.outputs;
    const std::size_t operands = is_weighted(graph, op) ? 1 : op.inputs.size();
    for (std::size_t i = 0; i < operands; ++i) {
      if (op.inputs[i] != graph::kNoTensor) {
        result.push_back(op.inputs[i]);
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
      }
    }
    for (const TensorId id : used) {
      Group& group = groups_[sets_.find(id)];
      group.members.push_back(id);
      if (copies.count(id) == 0) {
        group.sources.push_back(id);
      }
    }
    for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
      const auto* pad = std::get_if<graph::Pad>(&graph_.operators[i].kind);
      if (pad != nullptr && scheme_.forms[i].int8 && pad->mode == graph::Pad::Mode::kConstant) {
        Group& group = groups_[sets_.find(graph_.operators[i].inputs[0])];
        const Range old = group.at_least.value_or(Range{});
        group.at_least = Range{std::min(old.low, pad->value), std::max(old.high, pad->value)};
      }
    }
  }

  /// Clips to a range that holds zero, behind a layer of their own, whose results no other tensor widens the range of.
  void find_saturations() {
    for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
      const Operator& op = graph_.operators[i];
      const auto* clip = std::get_if<graph::Unary>(&op.kind);
      if (clip == nullptr || clip->kind != graph::UnaryKind::kClip || clip->alpha > 0 || clip->beta < 0 || !scheme_.forms[i].int8) {
        continue;
      }
      const std::optional<std::size_t> layer = maker_of(graph_, op.inputs[0]);
      const Group& group = groups_[sets_.find(op.outputs[0])];
      if (layer && is_weighted(graph_, graph_.operators[*layer]) && has_one_reader(graph_, op.inputs[0]) &&
          *activation_of(graph_.operators[*layer].kind) == graph::Activation::kNone && group.sources.size() == 1 && !group.at_least) {
        scheme_.saturations.insert(i);
      }
    }
  }

  Quantization of_group(const Group& group) const {
    if (const std::optional<Quantization> fixed = fixed_of(group)) {
      return *fixed;
    }
    Statistics values;
    bool constant = true;
    for (const TensorId id : group.sources) {
      const graph::Tensor& tensor = graph_.tensor(id);
      if (tensor.constant) {
        values.add(floats_of(tensor));
      } else if (const auto found = statistics_.find(id); found != statistics_.end()) {
        values.add(found->second);
        constant = false;
      }
    }
    Range range = choose_range(values, constant ? Calibration::kMinMax : calibration_, percentile_);
    if (group.at_least) {
      range = {std::min(range.low, group.at_least->low), std::max(range.high, group.at_least->high)};
    }
    return int8_quantization(range);
  }

  /// When all that is computed has one fixed quantization.
  std::optional<Quantization> fixed_of(const Group& group) const {
    std::optional<Quantization> common;
    for (const TensorId id : group.sources) {
      const std::optional<std::size_t> maker = maker_of(graph_, id);
      const auto fixed = maker && scheme_.forms[*maker].int8 ? fixed_quantization(graph_.operators[*maker]) : std::nullopt;
      if (!fixed || (common && common->scale != fixed->scale)) {
        return std::nullopt;
      }
      common = fixed;
    }
    return group.at_least ? std::nullopt : common;
  }

  const Graph& graph_;
  const std::map<TensorId, Statistics>& statistics_;
  const Calibration calibration_;
  const double percentile_;
  Sets sets_;
  std::map<TensorId, Group> groups_;
  Scheme scheme_;
};

}  // namespace

std::optional<Quantization> fixed_quantization(const Operator& op) {
  const auto* unary = std::get_if<graph::Unary>(&op.kind);
  if (std::holds_alternative<graph::Softmax>(op.kind) || (unary != nullptr && unary->kind == graph::UnaryKind::kSigmoid)) {
    return Quantization{{1.0F / 256.0F}, {-128}, 0};
  }
  if (unary != nullptr && unary->kind == graph::UnaryKind::kTanh) {
    return Quantization{{1.0F / 128.0F}, {0}, 0};
  }
  return std::nullopt;
}

Scheme choose_scheme(const Graph& graph, const std::map<TensorId, Statistics>& statistics, Calibration calibration, double percentile) {
  return Chooser(graph, statistics, calibration, percentile).run();
}

}  // namespace systole::quantizer
