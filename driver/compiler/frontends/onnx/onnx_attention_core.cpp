// SPDX-License-Identifier: Apache-2.0
#include "onnx_attention_core.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

}  // namespace

void AttentionMask::add(TensorId mask) {
  const std::int64_t missing = t_.shape(mask).empty() ? 0 : keys_ - t_.shape(mask).back();
  const bool is_bool = t_.tensor(mask).type == ElementType::kBool;
  if (missing > 0 && t_.shape(mask).back() != 1) {
    Pad pad;
    pad.before.assign(t_.shape(mask).size(), 0);
    pad.after = pad.before;
    pad.after.back() = missing;
    pad.value = is_bool ? 0 : -kInfinite;
    mask = t_.move(pad, mask);
  }
  if (is_bool) {
    keep(mask);
  } else {
    add_finite(mask);
    added_may_hide_ = true;
  }
}

void AttentionMask::add_finite(TensorId mask) {
  bias_ = bias_ == kNoTensor ? mask : t_.binary(BinaryKind::kAdd, bias_, mask);
}

void AttentionMask::keep(TensorId condition) {
  seen_ = seen_ == kNoTensor ? condition : t_.test(BinaryKind::kAnd, seen_, condition);
  bias_ = t_.select(condition, bias_ == kNoTensor ? number(0) : bias_, number(-kInfinite));
}

TensorId AttentionMask::places(TensorId offset) {
  return t_.binary(BinaryKind::kAdd, t_.count_along(ElementType::kInt64, 0, 2, queries_), offset);
}

void AttentionMask::causal(TensorId offset) { keep(t_.test(BinaryKind::kLessOrEqual, keys(), places(offset))); }

void AttentionMask::window(TensorId offset, std::int64_t left, std::int64_t right) {
  const TensorId after = t_.binary(BinaryKind::kSubtract, keys(), places(offset));
  const auto limit = [&](std::int64_t keys) {
    return t_.numbers(ElementType::kInt64, {}, {static_cast<double>(keys)});
  };
  if (left >= 0) {
    keep(t_.test(BinaryKind::kLessOrEqual, limit(-left), after));
  }
  if (right >= 0) {
    keep(t_.test(BinaryKind::kLessOrEqual, after, limit(right)));
  }
}

void AttentionMask::lengths(TensorId lengths) {
  const TensorId each = t_.reshape(cast(t_, lengths, ElementType::kInt64), {size_of(t_, lengths, 1, 0), 1, 1, 1});
  keep(t_.test(BinaryKind::kLess, keys(), each));
}

TensorId AttentionMask::sees_nothing() {
  if (!added_may_hide_ && seen_ == kNoTensor) {
    return kNoTensor;
  }
  const TensorId hides = added_may_hide_ ? bias_ : t_.select(seen_, number(0), number(-kInfinite));
  const int last = static_cast<int>(t_.shape(hides).size()) - 1;
  const TensorId largest = last < 0 ? hides : reduce(t_, ReduceKind::kMax, hides, {last}, true);
  const TensorId nothing = t_.emit(Unary{UnaryKind::kIsInfinite, 1, 0}, {largest}, ElementType::kBool);
  if (t_.tensor(nothing).constant) {
    const Bytes& rows = *t_.tensor(nothing).constant;
    if (std::none_of(rows.begin(), rows.end(), [](std::uint8_t row) { return row != 0; })) {
      return kNoTensor;
    }
  }
  return nothing;
}

namespace {

/// Heads that share keys are rows of one matrix: [B,N,S,X] as [B,M,N/M*S,X].
TensorId grouped(Translation& t, TensorId id, std::int64_t groups) {
  const Shape shape = t.shape(id);
  return t.reshape(id, {shape[0], groups, shape[1] / groups * shape[2], shape[3]});
}

void check(const Translation& t, const AttentionHeads& heads) {
  const Shape &q = t.shape(heads.q), &k = t.shape(heads.k), &v = t.shape(heads.v);
  const bool four = q.size() == 4 && k.size() == 4 && v.size() == 4;
  if (!four || q[0] != k[0] || q[3] != k[3] || q[1] % k[1] != 0 ||
      Shape(k.begin(), k.begin() + 3) != Shape(v.begin(), v.begin() + 3)) {
    t.fail(
        fmt::format("queries {}, keys {} and values {} do not fit; expected [B,N,S,H], [B,M,T,H] and [B,M,T,V], where "
                    "M divides N",
                    to_string(q), to_string(k), to_string(v)));
  }
}

}  // namespace

Attended attend(Translation& t, const AttentionHeads& heads, const AttentionRule& rule, AttentionMask& mask) {
  check(t, heads);
  const Shape q = t.shape(heads.q), v = t.shape(heads.v);
  const std::int64_t groups = t.shape(heads.k)[1];
  const Shape scores = {q[0], q[1], q[2], t.shape(heads.k)[2]};
  const auto scaled = [&](TensorId id, float by) {
    return by == 1 ? id : t.binary(BinaryKind::kMultiply, id, t.scalar(double{by}, id));
  };
  const ElementType type = t.tensor(heads.q).type;
  Attended result;
  const TensorId product =
      t.emit(MatMul{false, true}, {grouped(t, scaled(heads.q, rule.scale), groups), heads.k}, type);
  result.scores = t.reshape(product, scores);
  result.capped = result.scores;
  if (rule.softcap > 0) {
    result.capped = scaled(t.unary(UnaryKind::kTanh, scaled(result.scores, 1 / rule.softcap)), rule.softcap);
  }
  result.biased = mask.bias() == kNoTensor ? result.capped : t.binary(BinaryKind::kAdd, result.capped, mask.bias());
  if (t.shape(result.biased) != scores) {
    t.fail(fmt::format("the mask has shape {}; expected one that broadcasts to {}", to_string(t.shape(mask.bias())),
                       to_string(scores)));
  }
  result.weights = t.emit(Softmax{3}, {result.biased}, type);
  const TensorId y = t.emit(MatMul{}, {grouped(t, result.weights, groups), heads.v}, type);
  result.y = t.reshape(y, {q[0], q[1], q[2], v[3]});
  // A query without keys has a softmax of NaNs. Its result is 0.
  if (const TensorId nothing = mask.sees_nothing(); nothing != kNoTensor) {
    result.y = t.select(nothing, t.scalar(0, result.y), result.y);
    result.weights = t.select(nothing, t.scalar(0, result.weights), result.weights);
  }
  return result;
}

std::int64_t size_of(const Translation& t, TensorId id, std::size_t rank, std::size_t axis) {
  if (t.shape(id).size() != rank) {
    t.fail(fmt::format("'{}' has shape {}; expected {} dimensions", t.tensor(id).name, to_string(t.shape(id)), rank));
  }
  return t.shape(id)[axis];
}

float attention_scale(const Translation& t, TensorId q) {
  const float given = t.real("scale", 0);
  return given != 0 ? given : 1 / std::sqrt(static_cast<float>(size_of(t, q, 4, 3)));
}

TensorId split_heads(Translation& t, TensorId id, std::int64_t heads) {
  const Shape shape = t.shape(id);
  if (shape.size() != 3 || heads < 1 || shape[2] % heads != 0) {
    t.fail(fmt::format("'{}' has shape {}; expected [batch, sequence, a multiple of {} heads]", t.tensor(id).name,
                       to_string(shape), heads));
  }
  return t.transpose(t.reshape(id, {shape[0], shape[1], heads, shape[2] / heads}), {0, 2, 1, 3});
}

TensorId joined_heads(Translation& t, TensorId id) {
  const Shape shape = t.shape(id);
  return t.reshape(t.transpose(id, {0, 2, 1, 3}), {shape[0], shape[2], shape[1] * shape[3]});
}

TensorId after_past(Translation& t, std::size_t past, TensorId id) {
  return t.has_input(past) ? t.emit(Concat{2}, {t.input(past), id}, t.tensor(id).type) : id;
}

TensorId columns(Translation& t, TensorId id, std::int64_t begin, std::int64_t size) {
  Shape shape = t.shape(id);
  Slice slice{Shape(shape.size(), 0), Shape(shape.size(), 1)};
  if (shape.empty() || begin < 0 || size < 1 || begin + size > shape.back()) {
    t.fail(fmt::format("'{}' has shape {}; expected at least {} columns", t.tensor(id).name, to_string(shape),
                       begin + size));
  }
  slice.begin.back() = begin;
  shape.back() = size;
  return t.move(slice, id, shape);
}

}  // namespace systole::graph::onnx_file
