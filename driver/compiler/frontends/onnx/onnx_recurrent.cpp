// SPDX-License-Identifier: Apache-2.0
// RNN, GRU and LSTM, unrolled: each step is a product and element-wise operators. The input products of all steps are
// computed at once beforehand.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "onnx_gate_functions.hpp"
#include "onnx_integer_products.hpp"
#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {
namespace {

TensorId add(Translation& t, TensorId a, TensorId b) { return t.binary(BinaryKind::kAdd, a, b); }
TensorId multiply(Translation& t, TensorId a, TensorId b) { return t.binary(BinaryKind::kMultiply, a, b); }

/// Real numbers [M,K], or integers [K,M] with zero points and a scale, [M] or a scalar.
struct Weights {
  TensorId values = kNoTensor, scale = kNoTensor;
};

/// rows [N,K] times the transpose of real weights, or quantized in this product times integers.
TensorId product(Translation& t, TensorId rows, const Weights& weights) {
  if (weights.scale != kNoTensor) {
    const DynamicallyQuantized quantized = dynamically_quantized(t, rows);
    const TensorId sums = integer_product(t, quantized.operand(t), {weights.values, kNoTensor});
    return multiply(t, cast(t, sums, ElementType::kFloat32), multiply(t, quantized.scale, weights.scale));
  }
  if (t.is_constant(weights.values)) {
    return t.emit(Dense{}, {rows, weights.values}, t.tensor(rows).type);
  }
  return t.emit(MatMul{false, true}, {rows, weights.values}, t.tensor(rows).type);
}

struct States {
  TensorId h = kNoTensor, c = kNoTensor;
};

/// Parameters common to all directions, and the unrolled steps.
class Recurrent {
 public:
  explicit Recurrent(Translation& t)
      : t_(t),
        quantized_(t.type() == "DynamicQuantizeLSTM"),
        gates_(quantized_ || t.type() == "LSTM" ? 4
               : t.type() == "GRU"              ? 3
                                                : 1) {
    batch_first_ = t.integer("layout", 0) != 0;
    x_ = batch_first_ ? t.transpose(t.input(0), {1, 0, 2}) : t.input(0);
    const Shape shape = t.shape(x_);
    Shape weights = t.shape(t.input(2));
    if (quantized_ && weights.size() == 3) {
      std::swap(weights[1], weights[2]);
    }
    const std::string direction = t.text("direction", "forward");
    directions_ = direction == "bidirectional" ? 2 : 1;
    reverse_ = direction == "reverse";
    if (directions_ == 1 && !reverse_ && direction != "forward") {
      t.fail(fmt::format("direction '{}'; expected forward, reverse or bidirectional", direction));
    }
    if (shape.size() != 3 || weights.size() != 3 || weights[0] != directions_ || weights[1] != gates_ * weights[2]) {
      t.fail(
          fmt::format("input has shape {}, R (recurrence weights) has shape {}; expected 3 dimensions each, and R as "
                      "[{}, {} x hidden size, hidden size]{}",
                      to_string(shape), to_string(weights), directions_, gates_, quantized_ ? ", transposed" : ""));
    }
    steps_ = shape[0];
    batch_ = shape[1];
    hidden_ = weights[2];
    constexpr std::int64_t kMostSteps = 1024;
    if (steps_ > kMostSteps) {
      t.refuse(OnnxRefusal::kTooLarge,
               fmt::format("{} time steps; at most {} are supported, because they are unrolled", steps_, kMostSteps));
    }
    if (t.has_input(4)) {
      lengths_ = t.reshape(cast(t, t.input(4), ElementType::kInt64), {batch_, 1});
    }
    read_functions();
  }

  void run() {
    std::vector<TensorId> all;  // per direction [T,1,N,H]
    std::vector<TensorId> last_h;
    std::vector<TensorId> last_c;
    for (std::int64_t d = 0; d < directions_; ++d) {
      begin(d);
      std::vector<TensorId> outputs(static_cast<std::size_t>(steps_));
      for (std::int64_t i = 0; i < steps_; ++i) {
        const std::int64_t at = reverse_ || d == 1 ? steps_ - 1 - i : i;
        outputs[static_cast<std::size_t>(at)] = t_.reshape(step(at), {1, 1, batch_, hidden_});
      }
      all.push_back(joined(outputs, 0));
      last_h.push_back(last_state(state_.h));
      if (gates_ == 4) {
        last_c.push_back(last_state(state_.c));
      }
    }
    const TensorId y = joined(all, 1);
    t_.result(batch_first_ ? t_.transpose(y, {2, 0, 1, 3}) : y, 0);
    t_.result(in_layout(joined(last_h, 0)), 1);
    if (gates_ == 4) {
      t_.result(in_layout(joined(last_c, 0)), 2);
    }
  }

 private:
  void read_functions() {
    const std::size_t per_direction = gates_ == 4 ? 3 : gates_ == 3 ? 2 : 1;
    std::vector<std::string> names = t_.texts("activations");
    if (names.empty()) {
      for (std::int64_t d = 0; d < directions_; ++d) {
        if (gates_ != 1) {
          names.emplace_back("Sigmoid");
        }
        names.resize(names.size() + (gates_ == 4 ? 2 : 1), "Tanh");
      }
    }
    if (names.size() != per_direction * static_cast<std::size_t>(directions_)) {
      t_.fail(fmt::format("{} activations; expected {} per direction", names.size(), per_direction));
    }
    // Only functions with an alpha or beta take the next one of the file; those for which none is left have their
    // defaults.
    const auto alphas = t_.reals("activation_alpha").value_or(std::vector<float>{});
    const auto betas = t_.reals("activation_beta").value_or(std::vector<float>{});
    auto alpha = alphas.begin();
    auto beta = betas.begin();
    for (const std::string& name : names) {
      GateFunction f = gate_function(name);
      f.alpha = f.takes_alpha && alpha != alphas.end() ? *alpha++ : f.alpha;
      f.beta = f.takes_beta && beta != betas.end() ? *beta++ : f.beta;
      functions_.push_back(std::move(f));
    }
    clip_ = t_.real("clip", 0.0F);
  }

  TensorId joined(const std::vector<TensorId>& parts, int axis) {
    return parts.size() == 1 ? parts[0] : t_.emit(Concat{axis}, parts, t_.tensor(parts[0]).type);
  }
  TensorId in_layout(TensorId id) { return batch_first_ ? t_.transpose(id, {1, 0, 2}) : id; }

  /// This direction's part of an input, without the direction dimension.
  TensorId of_direction(std::size_t input, std::int64_t d) {
    const TensorId one = take(t_, t_.input(input), 0, {d});
    const Shape shape = t_.shape(one);
    return t_.reshape(one, Shape(shape.begin() + 1, shape.end()));
  }
  TensorId initial(std::size_t input, std::int64_t d) {
    if (!t_.has_input(input)) {
      return expand(t_, t_.scalar(0, x_), {batch_, hidden_});
    }
    if (!batch_first_) {
      return of_direction(input, d);
    }
    return t_.reshape(take(t_, t_.input(input), 1, {d}), {batch_, hidden_});
  }
  /// A state after the last step: 0 for a sequence of length 0, as in ONNX Runtime; ONNX does not say.
  TensorId last_state(TensorId state) {
    if (lengths_ != kNoTensor) {
      state = t_.select(t_.test(BinaryKind::kLess, t_.scalar(0, lengths_), lengths_), state, t_.scalar(0, state));
    }
    return t_.reshape(state, {1, batch_, hidden_});
  }
  /// Elements of one gate, columns [gate H, gate H + H).
  TensorId gate(TensorId all, std::int64_t number, std::int64_t how_many = 1) {
    Slice slice{{0, number * hidden_}, {1, 1}};
    return t_.move(slice, all, Shape{t_.shape(all)[0], how_many * hidden_});
  }

  /// A direction's weights: with the zero points that follow the scales, if they are quantized.
  Weights weights_of(std::size_t input, std::size_t scale, std::int64_t d) {
    const TensorId values = of_direction(input, d);
    if (!quantized_) {
      return {values, kNoTensor};
    }
    Quantization q;
    for (const std::int64_t point : t_.integers_at(of_direction(scale + 1, d), "the zero point of the weights")) {
      q.scale.push_back(1);
      q.zero_point.push_back(static_cast<std::int32_t>(point));
    }
    q.axis = q.per_channel() ? 1 : 0;
    return {t_.with_quantization(values, q), of_direction(scale, d)};
  }

  void begin(std::int64_t d) {
    direction_ = d;
    const Weights weights = weights_of(1, 8, d);
    r_ = weights_of(2, 10, d);
    const Shape shape = t_.shape(x_);
    const TensorId rows = t_.reshape(x_, {steps_ * batch_, shape[2]});
    inputs_ = product(t_, rows, weights);
    state_bias_ = kNoTensor;
    if (t_.has_input(3)) {
      const TensorId bias = t_.reshape(of_direction(3, d), {1, 2 * gates_ * hidden_});
      inputs_ = add(t_, inputs_, gate(bias, 0, gates_));
      state_bias_ = gate(bias, gates_, gates_);
    }
    inputs_ = t_.reshape(inputs_, {steps_, batch_, gates_ * hidden_});
    state_ = {initial(5, d), kNoTensor};
    peepholes_ = kNoTensor;
    if (gates_ == 4) {
      state_.c = initial(6, d);
      if (t_.has_input(7)) {
        peepholes_ = t_.reshape(of_direction(7, d), {1, 3 * hidden_});
      }
    }
  }

  TensorId function(std::size_t i, TensorId x) {
    if (clip_ > 0) {
      x = t_.unary(UnaryKind::kClip, x, -clip_, clip_);
    }
    const std::size_t per_direction = functions_.size() / static_cast<std::size_t>(directions_);
    return applied(t_, functions_[static_cast<std::size_t>(direction_) * per_direction + i], x);
  }

  /// Advances the state by the input at `at`, and returns the output.
  TensorId step(std::int64_t at) {
    const TensorId x = t_.reshape(take(t_, inputs_, 0, {at}), {batch_, gates_ * hidden_});
    const States next = gates_ == 4 ? lstm(x) : gates_ == 3 ? gru(x) : rnn(x);
    if (lengths_ == kNoTensor) {
      state_ = next;
      return state_.h;
    }
    // After its end a sequence keeps its state, and its outputs are zero.
    const TensorId inside = t_.test(BinaryKind::kLess, t_.scalar(static_cast<double>(at), lengths_), lengths_);
    state_.h = t_.select(inside, next.h, state_.h);
    state_.c = next.c == kNoTensor ? kNoTensor : t_.select(inside, next.c, state_.c);
    return t_.select(inside, next.h, t_.scalar(0, next.h));
  }

  TensorId from_state(const Weights& weights, TensorId bias) {
    const TensorId sum = product(t_, state_.h, weights);
    return bias == kNoTensor ? sum : add(t_, sum, bias);
  }

  States rnn(TensorId x) { return {function(0, add(t_, x, from_state(r_, state_bias_))), kNoTensor}; }

  /// Gates z, r, h.
  States gru(TensorId x) {
    const Weights r_zr = take_rows(0, 2);
    const Weights r_h = take_rows(2, 1);
    const auto bias = [&](std::int64_t from, std::int64_t n) {
      return state_bias_ == kNoTensor ? kNoTensor : gate(state_bias_, from, n);
    };
    const TensorId zr = function(0, add(t_, gate(x, 0, 2), from_state(r_zr, bias(0, 2))));
    const TensorId z = gate(zr, 0);
    const TensorId r = gate(zr, 1);
    TensorId inner = kNoTensor;
    if (t_.integer("linear_before_reset", 0) != 0) {
      inner = multiply(t_, r, from_state(r_h, bias(2, 1)));
    } else {
      inner = product(t_, multiply(t_, r, state_.h), r_h);
      inner = state_bias_ == kNoTensor ? inner : add(t_, inner, bias(2, 1));
    }
    const TensorId h = function(1, add(t_, gate(x, 2), inner));
    const TensorId kept = t_.binary(BinaryKind::kSubtract, t_.scalar(1, z), z);
    return {add(t_, multiply(t_, kept, h), multiply(t_, z, state_.h)), kNoTensor};
  }

  /// Gates i, o, f, c; peepholes i, o, f.
  States lstm(TensorId x) {
    const TensorId all = add(t_, x, from_state(r_, state_bias_));
    const auto with_peephole = [&](std::int64_t number, TensorId cell) {
      const TensorId sum = gate(all, number);
      return peepholes_ == kNoTensor ? sum : add(t_, sum, multiply(t_, gate(peepholes_, number), cell));
    };
    const TensorId i = function(0, with_peephole(0, state_.c));
    const bool coupled = t_.integer("input_forget", 0) != 0;
    const TensorId f =
        coupled ? t_.binary(BinaryKind::kSubtract, t_.scalar(1, i), i) : function(0, with_peephole(2, state_.c));
    const TensorId c = add(t_, multiply(t_, f, state_.c), multiply(t_, i, function(1, gate(all, 3))));
    const TensorId o = function(0, with_peephole(1, c));
    return {multiply(t_, o, function(2, c)), c};
  }

  Weights take_rows(std::int64_t from, std::int64_t gates) {
    Slice slice{{from * hidden_, 0}, {1, 1}};
    return {t_.move(slice, r_.values, Shape{gates * hidden_, hidden_}), kNoTensor};
  }

  Translation& t_;
  bool quantized_;
  std::int64_t gates_;
  std::int64_t directions_ = 1, steps_ = 0, batch_ = 0, hidden_ = 0;
  bool batch_first_ = false, reverse_ = false;
  float clip_ = 0;
  std::vector<GateFunction> functions_;
  TensorId x_ = kNoTensor, lengths_ = kNoTensor;
  // current direction
  std::int64_t direction_ = 0;
  Weights r_;
  TensorId inputs_ = kNoTensor, state_bias_ = kNoTensor, peepholes_ = kNoTensor;
  States state_;
};

}  // namespace

void recurrent(Translation& t) { Recurrent(t).run(); }

}  // namespace systole::graph::onnx_file
