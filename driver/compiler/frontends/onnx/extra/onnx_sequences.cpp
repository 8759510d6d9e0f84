// SPDX-License-Identifier: Apache-2.0
// Computations along a sequence, step after step: CumProd, CausalConvWithState, LinearAttention.
#include <fmt/core.h>

#include <cmath>
#include <numeric>

#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {
namespace {

constexpr std::int64_t kMaxSteps = 1024;

void check_steps(const Translation& t, std::int64_t steps) {
  if (steps > kMaxSteps) {
    t.refuse(OnnxRefusal::kTooLarge, fmt::format("{} steps; at most {} are supported", steps, kMaxSteps));
  }
}

TensorId joined(Translation& t, const std::vector<TensorId>& parts, std::size_t axis) {
  return parts.size() == 1 ? parts[0] : t.emit(Concat{static_cast<int>(axis)}, parts, t.tensor(parts[0]).type);
}

std::vector<std::int64_t> places(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), first);
  return all;
}

TensorId constant(Translation& t, double value, const Shape& shape, TensorId like) {
  return t.numbers(t.tensor(like).type, shape, std::vector<double>(static_cast<std::size_t>(count(shape)), value));
}

/// Heads packed in the last dimension of [batch, steps, heads * size].
struct Heads {
  std::int64_t batch = 0, steps = 0, queries = 0, keys = 0, key_size = 0, value_size = 0;

  std::int64_t shared() const { return queries / keys; }
};

Heads heads_of(Translation& t) {
  const Shape query = t.shape(t.input(0)), key = t.shape(t.input(1)), value = t.shape(t.input(2));
  Heads h;
  h.queries = t.needed_integer("q_num_heads");
  h.keys = t.needed_integer("kv_num_heads");
  if (query.size() != 3 || key.size() != 3 || value.size() != 3 || h.keys < 1 || h.queries < h.keys ||
      h.queries % h.keys != 0 || query[2] % h.queries != 0 || key[2] % h.keys != 0 || value[2] % h.keys != 0 ||
      query[2] / h.queries != key[2] / h.keys || query[1] != key[1] || query[1] != value[1]) {
    t.fail(fmt::format("query {}, key {} and value {} with {} and {} heads; expected batch, steps and heads times size",
                       to_string(query), to_string(key), to_string(value), h.queries, h.keys));
  }
  h.batch = query[0];
  h.steps = query[1];
  h.key_size = key[2] / h.keys;
  h.value_size = value[2] / h.keys;
  check_steps(t, h.steps);
  return h;
}

/// The recurrence of LinearAttention. The state is [batch, heads, key size, value size].
class LinearRecurrence {
 public:
  explicit LinearRecurrence(Translation& t) : t_(t), h_(heads_of(t)), rule_(t.text("update_rule", "gated_delta")) {
    if (rule_ != "linear" && rule_ != "gated" && rule_ != "delta" && rule_ != "gated_delta") {
      t.fail(fmt::format("update_rule '{}'; expected linear, gated, delta or gated_delta", rule_));
    }
    const Shape state = {h_.batch, h_.keys, h_.key_size, h_.value_size};
    state_ = t.has_input(3) ? t.input(3) : constant(t, 0, state, t.input(0));
    if (t.shape(state_) != state) {
      t.fail(fmt::format("a state of shape {}; expected {}", to_string(t.shape(state_)), to_string(state)));
    }
  }

  void run() {
    const float given = t_.real("scale", 0.0F);
    const double scale = given == 0.0F ? 1 / std::sqrt(static_cast<double>(h_.key_size)) : double{given};
    std::vector<TensorId> outputs;
    for (std::int64_t step = 0; step < h_.steps; ++step) {
      update(step);
      const TensorId query = at(0, step, {h_.batch, h_.keys, h_.shared(), h_.key_size});
      const TensorId seen = product(query, state_);
      outputs.push_back(t_.reshape(seen, {h_.batch, 1, h_.queries * h_.value_size}));
    }
    const TensorId all = joined(t_, outputs, 1);
    t_.result(t_.binary(BinaryKind::kMultiply, all, t_.scalar(scale, all)));
    t_.result(state_, 1);
  }

 private:
  TensorId product(TensorId a, TensorId b) { return t_.emit(MatMul{}, {a, b}, t_.tensor(a).type); }

  /// One step of an input, as this shape.
  TensorId at(std::size_t input, std::int64_t step, const Shape& shape) {
    const TensorId part = take(t_, t_.input(input), 1, {step});
    if (count(t_.shape(part)) != count(shape)) {
      t_.fail(fmt::format("input {} has shape {}; a step of it is to be {}", input,
                          to_string(t_.shape(t_.input(input))), to_string(shape)));
    }
    return t_.reshape(part, shape);
  }

  /// One number for each head and step, or for each of its rows.
  TensorId factor(std::size_t input, std::int64_t step) {
    const Shape whole = t_.shape(t_.input(input));
    const std::int64_t width = whole.size() == 3 ? whole[2] : 0;
    return width == h_.keys * h_.key_size && width != h_.keys ? at(input, step, {h_.batch, h_.keys, h_.key_size, 1})
           : width == 1                                       ? at(input, step, {h_.batch, 1, 1, 1})
                                                              : at(input, step, {h_.batch, h_.keys, 1, 1});
  }

  void update(std::int64_t step) {
    const TensorId column = at(1, step, {h_.batch, h_.keys, h_.key_size, 1});
    TensorId row = at(2, step, {h_.batch, h_.keys, 1, h_.value_size});
    if (rule_ == "gated" || rule_ == "gated_delta") {
      state_ = t_.binary(BinaryKind::kMultiply, state_, t_.unary(UnaryKind::kExp, factor(4, step)));
    }
    if (rule_ == "delta" || rule_ == "gated_delta") {
      const TensorId key = t_.reshape(column, {h_.batch, h_.keys, 1, h_.key_size});
      row = t_.binary(BinaryKind::kSubtract, row, product(key, state_));
      row = t_.binary(BinaryKind::kMultiply, row, factor(5, step));
    }
    state_ = t_.binary(BinaryKind::kAdd, state_, t_.binary(BinaryKind::kMultiply, column, row));
  }

  Translation& t_;
  Heads h_;
  std::string rule_;
  TensorId state_;
};

}  // namespace

void cumulative_product(Translation& t) {
  const TensorId x = t.plain(t.input(0));
  const std::vector<std::int64_t> given = t.integers_of(1, "the axis");
  if (given.size() != 1) {
    t.fail(fmt::format("the axis has {} values; expected 1", given.size()));
  }
  const std::size_t axis = t.axis(given[0], t.shape(x).size());
  const std::int64_t steps = t.shape(x)[axis];
  check_steps(t, steps);
  const bool reverse = t.integer("reverse", 0) != 0;
  const bool exclusive = t.integer("exclusive", 0) != 0;
  Shape one = t.shape(x);
  one[axis] = 1;
  std::vector<TensorId> parts(static_cast<std::size_t>(steps));
  TensorId product = exclusive ? constant(t, 1, one, x) : kNoTensor;
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t place = reverse ? steps - 1 - step : step;
    TensorId& part = parts[static_cast<std::size_t>(place)];
    part = product;  // of the elements before this one
    if (!exclusive || step + 1 < steps) {
      const TensorId element = take(t, x, axis, {place});
      product = step == 0 ? element : t.binary(BinaryKind::kMultiply, product, element);
    }
    part = exclusive ? part : product;
  }
  t.result(joined(t, parts, axis));
}

/// Each channel of [batch, channels, steps] with its own kernel, which sees this step and those before it.
void causal_convolution(Translation& t) {
  TensorId x = t.input(0);
  const Shape shape = t.shape(x), weights = t.shape(t.input(1));
  if (shape.size() != 3 || weights.size() != 3 || weights[0] != shape[1] || weights[1] != 1) {
    t.fail(
        fmt::format("an input of shape {} and weights of shape {}; expected batch, channels, steps and channels, 1, "
                    "size",
                    to_string(shape), to_string(weights)));
  }
  const std::int64_t size = weights[2];
  check_steps(t, size);
  const std::string activation = t.text("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish") {
    t.fail(fmt::format("activation '{}'; expected none, silu or swish", activation));
  }
  if (size > 1) {
    const TensorId past = t.has_input(3) ? t.input(3) : constant(t, 0, {shape[0], shape[1], size - 1}, x);
    x = joined(t, {past, x}, 2);
  }
  TensorId sum = t.has_input(2) ? t.reshape(t.input(2), {1, shape[1], 1}) : kNoTensor;
  for (std::int64_t i = 0; i < size; ++i) {
    const TensorId weight = t.reshape(take(t, t.input(1), 2, {i}), {1, shape[1], 1});
    const TensorId term = t.binary(BinaryKind::kMultiply, take(t, x, 2, places(i, shape[2])), weight);
    sum = sum == kNoTensor ? term : t.binary(BinaryKind::kAdd, sum, term);
  }
  t.result(activation == "none" ? sum : t.binary(BinaryKind::kMultiply, sum, t.unary(UnaryKind::kSigmoid, sum)));
  if (size > 1) {
    t.result(take(t, x, 2, places(shape[2], size - 1)), 1);
  } else {
    t.empty_result(t.tensor(x).type, {shape[0], shape[1], 0}, 1);
  }
}

void linear_attention(Translation& t) { LinearRecurrence(t).run(); }

}  // namespace systole::graph::onnx_file
