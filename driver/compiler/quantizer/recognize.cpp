// SPDX-License-Identifier: Apache-2.0
#include "recognize.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "infer.hpp"
#include "tensor_tracer.hpp"

namespace systole::quantizer {
namespace {

using graph::Graph;
using graph::Operator;
using graph::Tensor;
using graph::TensorId;
using graph::UnaryKind;
using Powers = Polynomial::Powers;

bool is_float(const Tensor& tensor) { return tensor.type == graph::ElementType::kFloat32; }

/// A mean of float32 along the last dimension.
bool is_mean_of_rows(const Graph& graph, const Operator& op, const graph::Reduce& reduce) {
  const Tensor& operand = graph.tensor(op.inputs[0]);
  return reduce.kind == graph::ReduceKind::kMean && reduce.keep_dimensions && reduce.axes.size() == 1 &&
         is_float(operand) && graph::axis_of(reduce.axes[0], operand.shape.size()) + 1 == operand.shape.size();
}

/// Symbols: x, its mean m and variance v along the last dimension, r = 1 / sqrt(v + epsilon).
class NormalizationTracer : public Tracer {
 public:
  using Tracer::Tracer;

  float epsilon() const { return static_cast<float>(epsilon_.value_or(0)); }
  std::vector<float> gamma() const { return for_each_channel(gamma_); }
  std::vector<float> beta() const { return for_each_channel(beta_); }

 protected:
  /// x r gamma - m r gamma + beta
  bool matches(const Polynomial& result) override {
    constexpr Powers kScaled = {1, 0, 0, 1}, kMeanScaled = {0, 1, 0, 1};
    const auto scaled = result.coefficients(kScaled);
    const auto mean = result.coefficients(kMeanScaled);
    const auto summand = result.coefficients({});
    const std::size_t terms = summand ? 3 : 2;
    if (!scaled || !mean || result.terms().size() != terms || scaled->size() != mean->size() ||
        !std::equal(scaled->begin(), scaled->end(), mean->begin(), [](double a, double b) { return a == -b; })) {
      return false;
    }
    gamma_ = *scaled;
    beta_ = summand.value_or(Polynomial::Coefficients{0});
    return true;
  }

  std::optional<Polynomial> function(const Operator& op, const Polynomial& operand) override {
    if (const auto* reduce = std::get_if<graph::Reduce>(&op.kind)) {
      return is_mean_of_rows(graph(), op, *reduce) ? mean_of(operand) : std::nullopt;
    }
    const auto* unary = std::get_if<graph::Unary>(&op.kind);
    if (unary == nullptr) {
      return std::nullopt;
    }
    switch (unary->kind) {
      case UnaryKind::kIdentity: return operand;
      case UnaryKind::kNegate: return operand * Polynomial::constant({-1});
      case UnaryKind::kReciprocal: return operand.inverse();
      case UnaryKind::kSqrt: return is_deviation(operand) ? std::optional(Polynomial::symbol(kR, -1)) : std::nullopt;
      case UnaryKind::kReciprocalSqrt:
        return is_deviation(operand) ? std::optional(Polynomial::symbol(kR)) : std::nullopt;
      default: return std::nullopt;
    }
  }

 private:
  static constexpr std::size_t kM = 1, kV = 2, kR = 3;

  /// The mean of x is m, of x^2 is v + m^2; m and v are the same for all channels.
  static std::optional<Polynomial> mean_of(const Polynomial& operand) {
    const Polynomial m = Polynomial::symbol(kM);
    Polynomial result;
    for (const auto& [powers, coefficients] : operand.terms()) {
      if (coefficients.size() != 1 || powers[kX] < 0 || powers[kX] > 2) {
        return std::nullopt;
      }
      Polynomial mean = Polynomial::constant(coefficients);
      for (std::size_t symbol = kM; symbol < powers.size(); ++symbol) {
        mean = mean * Polynomial::symbol(symbol, powers[symbol]);
      }
      if (powers[kX] != 0) {
        mean = mean * (powers[kX] == 1 ? m : m * m + Polynomial::symbol(kV));
      }
      result = result + mean;
    }
    return result;
  }

  /// v + epsilon, the first time for any epsilon.
  bool is_deviation(const Polynomial& operand) {
    const Polynomial rest = operand - Polynomial::symbol(kV);
    const std::optional<double> epsilon = rest.number();
    if (!epsilon || *epsilon < 0 || (epsilon_ && *epsilon_ != *epsilon)) {
      return false;
    }
    epsilon_ = epsilon;
    return true;
  }

  std::vector<float> for_each_channel(const Polynomial::Coefficients& values) const {
    std::vector<float> result(static_cast<std::size_t>(channels()));
    for (std::size_t c = 0; c < result.size(); ++c) {
      result[c] = static_cast<float>(values[values.size() == 1 ? 0 : c]);
    }
    return result;
  }

  std::optional<double> epsilon_;
  Polynomial::Coefficients gamma_, beta_;
};

/// Symbols: x, and t, the value of tanh or erf.
class GeluTracer : public Tracer {
 public:
  /// An `exact` one does not take the approximation by tanh.
  GeluTracer(const Editor& editor, TensorId x, bool exact) : Tracer(editor, x), exact_(exact) {}

 protected:
  /// x / 2 + x t / 2
  bool matches(const Polynomial& result) override {
    constexpr double kHalf = 0.5;
    return result.terms().size() == 2 && near(result, {1, 0}, kHalf) && near(result, {1, 1}, kHalf);
  }

  std::optional<Polynomial> function(const Operator& op, const Polynomial& operand) override {
    const auto* unary = std::get_if<graph::Unary>(&op.kind);
    if (unary == nullptr) {
      return std::nullopt;
    }
    constexpr double kCubic = 0.044715;
    const double slope = std::sqrt(2 / std::numbers::pi);
    switch (unary->kind) {
      case UnaryKind::kIdentity: return operand;
      case UnaryKind::kErf:
        return operand.terms().size() == 1 && near(operand, {1}, 1 / std::numbers::sqrt2)
                   ? std::optional(Polynomial::symbol(kT))
                   : std::nullopt;
      case UnaryKind::kTanh:
        return !exact_ && operand.terms().size() == 2 && near(operand, {1}, slope) && near(operand, {3}, slope * kCubic)
                   ? std::optional(Polynomial::symbol(kT))
                   : std::nullopt;
      default: return std::nullopt;
    }
  }

 private:
  static constexpr std::size_t kT = 1;
  const bool exact_;

  /// Files contain these constants with four digits or more.
  static bool near(const Polynomial& polynomial, const Powers& powers, double wanted) {
    constexpr double kTolerance = 2e-4;
    const std::optional<double> coefficient = polynomial.coefficient(powers);
    return coefficient && std::abs(*coefficient / wanted - 1) < kTolerance;
  }
};

/// The tensors from which one is computed by few operators with constants and itself.
std::set<TensorId> sources_of(const Editor& editor, TensorId id) {
  constexpr std::size_t kMost = 12;
  std::set<TensorId> result = {id};
  std::vector<TensorId> left = {id};
  while (!left.empty() && result.size() < kMost) {
    const std::optional<std::size_t> maker = editor.indexed().place_of_maker(left.back());
    left.pop_back();
    if (!maker || (!std::holds_alternative<graph::Binary>(editor.graph().operators[*maker].kind) &&
                   !std::holds_alternative<graph::Unary>(editor.graph().operators[*maker].kind))) {
      continue;
    }
    for (const TensorId operand : editor.graph().operators[*maker].inputs) {
      if (!editor.graph().tensor(operand).constant && result.insert(operand).second) {
        left.push_back(operand);
      }
    }
  }
  return result;
}

}  // namespace

void recognize_layer_normalizations(Graph& graph) {
  Editor editor(graph);
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const auto* reduce = std::get_if<graph::Reduce>(&graph.operators[i].kind);
    if (reduce == nullptr || editor.gone(i) || !is_mean_of_rows(graph, graph.operators[i], *reduce)) {
      continue;
    }
    const TensorId x = graph.operators[i].inputs[0];
    NormalizationTracer tracer(editor, x);
    if (const std::optional<std::size_t> last = tracer.run()) {
      const std::string name = graph.operators[*last].name;
      const TensorId gamma = editor.constant(std::string(name).append("/gamma"), tracer.gamma());
      const TensorId beta = editor.constant(std::string(name).append("/beta"), tracer.beta());
      editor.replace(tracer.group(), *last, graph::LayerNormalize{tracer.epsilon()}, {x, gamma, beta});
    }
  }
  editor.finish();
}

void recognize_gelus(Graph& graph, bool exact) {
  Editor editor(graph);
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const auto* unary = std::get_if<graph::Unary>(&graph.operators[i].kind);
    if (unary == nullptr || editor.gone(i) ||
        (unary->kind != UnaryKind::kErf && (exact || unary->kind != UnaryKind::kTanh))) {
      continue;
    }
    for (const TensorId x : sources_of(editor, graph.operators[i].inputs[0])) {
      GeluTracer tracer(editor, x, exact);
      if (const std::optional<std::size_t> last = editor.gone(i) ? std::nullopt : tracer.run()) {
        editor.replace(tracer.group(), *last, graph::Unary{UnaryKind::kGelu}, {x});
      }
    }
  }
  editor.finish();
}

}  // namespace systole::quantizer
