// SPDX-License-Identifier: Apache-2.0
// Attention, MultiHeadAttention and GroupQueryAttention of com.microsoft.
#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "onnx_attention_core.hpp"
#include "onnx_integer_products.hpp"
#include "onnx_operators.hpp"
#include "onnx_rotary.hpp"

namespace systole::graph::onnx_file {
namespace {

TensorId number(Translation& t, std::int64_t value) {
  return t.numbers(ElementType::kInt64, {}, {static_cast<double>(value)});
}

/// Added to the scores of a key: the attribute where `seen` is not positive, instead of minus infinity.
TensorId filtered(Translation& t, TensorId seen, ElementType type) {
  const TensorId is_seen = t.test(BinaryKind::kLess, t.scalar(0, seen), seen);
  return t.select(is_seen, t.numbers(type, {}, {0}),
                  t.numbers(type, {}, {double{t.real("mask_filter_value", -10000.0F)}}));
}

/// A mask of int32: the lengths of the sequences [B], their ends and beginnings [2B], or 1 for each key that is seen,
/// [B,T] or [B,S,T].
void add_integer_mask(Translation& t, AttentionMask& mask, std::size_t i, std::int64_t batch, std::int64_t keys,
                      ElementType type) {
  const TensorId given = t.plain(t.input(i));
  const Shape shape = t.shape(given);
  const auto column = [&](std::int64_t begin) {
    Slice slice{{begin}, {1}};
    return t.reshape(t.move(slice, given, Shape{batch}), {batch, 1, 1, 1});
  };
  const TensorId places = t.count_along(t.tensor(given).type, 1, 2, keys);
  if (shape == Shape{batch}) {
    const TensorId inside = t.test(BinaryKind::kLess, places, column(0));
    mask.add_finite(filtered(t, t.convert(inside, ElementType::kInt32), type));
  } else if (shape == Shape{2 * batch}) {
    const TensorId inside = t.test(BinaryKind::kAnd, t.test(BinaryKind::kLess, places, column(0)),
                                   t.test(BinaryKind::kLessOrEqual, column(batch), places));
    mask.add_finite(filtered(t, t.convert(inside, ElementType::kInt32), type));
  } else if (shape.size() == 2) {
    mask.add_finite(filtered(t, t.reshape(given, {shape[0], 1, 1, shape[1]}), type));
  } else if (shape.size() == 3) {
    mask.add_finite(filtered(t, t.reshape(given, {shape[0], 1, shape[1], shape[2]}), type));
  } else {
    t.refuse(OnnxRefusal::kMode,
             fmt::format("a mask of shape {} is not supported; those of [batch], [2 batch], [batch, "
                         "keys] and [batch, queries, keys] are",
                         to_string(shape)));
  }
}

void refuse_if(const Translation& t, bool given, const char* what) {
  if (given) {
    t.refuse(OnnxRefusal::kMode, fmt::format("{} is not supported", what));
  }
}

/// Keys and values of the past [2,B,N,P,H], one of them.
TensorId of_past(Translation& t, TensorId past, std::int64_t which) {
  if (size_of(t, past, 5, 0) != 2) {
    t.fail(fmt::format("the past has shape {}; expected [2, batch, heads, keys, head size]", to_string(t.shape(past))));
  }
  const Shape shape = t.shape(past);
  return t.reshape(take(t, past, 0, {which}), Shape(shape.begin() + 1, shape.end()));
}

}  // namespace

namespace {

/// The inputs of Attention and QAttention, by their numbers.
struct PackedInputs {
  std::size_t mask, past, bias;  ///< the bias of the scores, not of the product
};

/// The products with packed weights, and the attention between them.
void attention_of_product(Translation& t, const PackedInputs& inputs, const std::function<TensorId()>& product) {
  refuse_if(t, t.integer("do_rotary", 0) != 0, "do_rotary");
  const TensorId x = t.input(0);
  const std::int64_t number_of_heads = t.needed_integer("num_heads");
  const TensorId weights = t.input(1);
  const std::int64_t all = size_of(t, weights, 2, 1);
  const std::vector<std::int64_t> sizes =
      t.integers("qkv_hidden_sizes").value_or(std::vector<std::int64_t>{all / 3, all / 3, all / 3});
  const bool inside =
      std::all_of(sizes.begin(), sizes.end(), [&](std::int64_t size) { return size >= 1 && size <= all; });
  if (t.shape(x).size() != 3 || sizes.size() != 3 || !inside || sizes[0] + sizes[1] + sizes[2] != all) {
    t.fail(
        fmt::format("input has shape {}, weights have {}; expected [batch, sequence, width] and [width, queries, keys "
                    "and values]",
                    to_string(t.shape(x)), to_string(t.shape(weights))));
  }
  const TensorId packed = product();
  AttentionHeads heads;
  heads.q = split_heads(t, columns(t, packed, 0, sizes[0]), number_of_heads);
  heads.k = split_heads(t, columns(t, packed, sizes[0], sizes[1]), number_of_heads);
  heads.v = split_heads(t, columns(t, packed, sizes[0] + sizes[1], sizes[2]), number_of_heads);
  const std::int64_t queries = t.shape(heads.q)[2];
  const ElementType type = t.tensor(packed).type;
  if (t.has_input(inputs.past)) {
    heads.k = t.emit(Concat{2}, {of_past(t, t.input(inputs.past), 0), heads.k}, type);
    heads.v = t.emit(Concat{2}, {of_past(t, t.input(inputs.past), 1), heads.v}, type);
  }
  const Shape k = t.shape(heads.k);
  AttentionMask mask(t, type, queries, k[2]);
  if (t.has_input(inputs.mask)) {
    add_integer_mask(t, mask, inputs.mask, k[0], k[2], type);
  }
  if (t.has_input(inputs.bias)) {
    mask.add_finite(t.input(inputs.bias));
  }
  if (t.integer("unidirectional", 0) != 0) {
    mask.causal(number(t, k[2] - queries));
  }
  t.result(joined_heads(t, attend(t, heads, {attention_scale(t, heads.q)}, mask).y), 0);
  if (t.wants_output(1)) {
    const Shape one = {1, k[0], k[1], k[2], k[3]};
    t.result(t.emit(Concat{0}, {t.reshape(heads.k, one), t.reshape(heads.v, one)}, type), 1);
  }
}

}  // namespace

void packed_attention(Translation& t) {
  refuse_if(t, t.has_input(6), "a buffer that past and present share");
  attention_of_product(t, {3, 4, 5}, [&t] {
    const TensorId packed = matrix_product(t, t.input(0), t.input(1), t.tensor(t.input(0)).type);
    return t.has_input(2) ? t.binary(BinaryKind::kAdd, packed, t.input(2)) : packed;
  });
}

/// QAttention: the product is one of integers, the rest is computed with real numbers.
void quantized_attention(Translation& t) {
  constexpr std::size_t kNone = 9;  // it has 9 inputs
  attention_of_product(t, {5, 8, kNone}, [&t] {
    const TensorId sums = integer_product(t, rows_operand(t, 0, 6), columns_operand(t, 1, 7));
    return sums_as_real(t, sums, t.input(3), t.input(4), 2);
  });
}

namespace {

/// Queries, keys and values of MultiHeadAttention, each with its part of the bias.
AttentionHeads multi_heads(Translation& t, std::int64_t number_of_heads) {
  std::int64_t at = 0;
  const auto heads = [&](std::size_t i) {
    TensorId id = t.input(i);
    refuse_if(t, t.shape(id).size() == 5, "a tensor that packs queries, keys and values");
    if (t.shape(id).size() == 4) {
      return id;
    }
    if (t.has_input(3)) {
      const std::int64_t size = size_of(t, id, 3, 2);
      id = t.binary(BinaryKind::kAdd, id, columns(t, t.input(3), at, size));
      at += size;
    }
    return split_heads(t, id, number_of_heads);
  };
  const TensorId queries = heads(0);
  const TensorId keys = heads(1);
  return {queries, keys, heads(2)};
}

}  // namespace

void multi_head_attention(Translation& t) {
  refuse_if(t, t.has_input(8) || t.has_input(9), "a buffer that past and present share");
  AttentionHeads heads = multi_heads(t, t.needed_integer("num_heads"));
  const std::int64_t past = t.has_input(6) ? size_of(t, t.input(6), 4, 2) : 0;
  heads.k = after_past(t, 6, heads.k);
  heads.v = after_past(t, 7, heads.v);
  const ElementType type = t.tensor(heads.q).type;
  const std::int64_t queries = size_of(t, heads.q, 4, 2);
  const std::int64_t keys = size_of(t, heads.k, 4, 2);
  const Shape k = t.shape(heads.k);
  AttentionMask mask(t, type, queries, keys);
  if (t.has_input(4)) {
    add_integer_mask(t, mask, 4, k[0], k[2], type);
  }
  if (t.has_input(5)) {
    mask.add_finite(t.input(5));
  }
  if (t.integer("unidirectional", 0) != 0 && queries > 1) {  // the last query sees all keys
    if (keys > past + queries) {
      t.refuse(OnnxRefusal::kMode,
               fmt::format("unidirectional attention of {} queries to {} keys, {} of them of the past, is not "
                           "supported; other keys have to be at most as many as queries",
                           queries, keys, past));
    }
    mask.causal(number(t, past));
  }
  t.result(joined_heads(t, attend(t, heads, {attention_scale(t, heads.q)}, mask).y), 0);
  t.result(heads.k, 1);
  t.result(heads.v, 2);
}

namespace {

/// Queries, keys and values of GroupQueryAttention, which may be packed in one tensor.
AttentionHeads group_heads(Translation& t) {
  const std::int64_t q_heads = t.needed_integer("num_heads"), heads = t.needed_integer("kv_num_heads");
  const TensorId q = t.input(0);
  const std::int64_t width = size_of(t, q, 3, 2);
  if (q_heads < 1 || heads < 1 || q_heads > width || heads > width) {
    t.fail(fmt::format("num_heads is {} and kv_num_heads {} for queries of {} columns; expected 1 to {}", q_heads,
                       heads, width, width));
  }
  if (t.has_input(1)) {
    return {split_heads(t, q, q_heads), split_heads(t, t.input(1), heads), split_heads(t, t.input(2), heads)};
  }
  const std::int64_t size = width / (q_heads + 2 * heads);
  return {split_heads(t, columns(t, q, 0, q_heads * size), q_heads),
          split_heads(t, columns(t, q, q_heads * size, heads * size), heads),
          split_heads(t, columns(t, q, (q_heads + heads) * size, heads * size), heads)};
}

/// The number of keys, past and present, which has to be the same for all sequences and leave no room in the past.
std::int64_t all_keys(Translation& t, std::int64_t queries) {
  const std::vector<std::int64_t> last = t.integers_of(5, "the number of keys less 1");
  const std::int64_t total = last.front() + 1;
  const std::int64_t past = t.has_input(3) ? size_of(t, t.input(3), 4, 2) : 0;
  const bool equal = std::all_of(last.begin(), last.end(), [&](std::int64_t keys) { return keys == last.front(); });
  if (!equal || total != past + queries) {
    t.refuse(
        OnnxRefusal::kMode,
        fmt::format("{} keys for {} queries after a past of {}; supported are sequences of one length that fill the "
                    "past",
                    total, queries, past));
  }
  return total;
}

/// The positions of the queries. Of those that are given, the first one is the beginning of all sequences if there is
/// no past.
TensorId positions_of(Translation& t, std::int64_t past, std::int64_t queries) {
  if (!t.has_input(9)) {
    return positions_from(t, number(t, past), queries);
  }
  const TensorId given = t.input(9);
  if (past > 0) {
    return given;
  }
  const TensorId first = take(t, t.reshape(given, {count(t.shape(given))}), 0, {0});
  return positions_from(t, first, queries);
}

}  // namespace

void group_query_attention(Translation& t) {
  refuse_if(t, t.integer("smooth_softmax", 0) > 0 || t.has_input(11), "a softmax with a sink");
  refuse_if(t, t.has_input(12) || t.has_input(13), "a quantized past");
  AttentionHeads heads = group_heads(t);
  const std::int64_t queries = t.shape(heads.q)[2];
  const std::int64_t past = all_keys(t, queries) - queries;
  if (t.integer("do_rotary", 0) != 0) {
    const TensorId positions = positions_of(t, past, queries);
    const RotaryAngles by{t.input(7), t.input(8), positions};
    const bool interleaved = t.integer("rotary_interleaved", 0) != 0;
    heads.q = turned(t, heads.q, by, interleaved);
    heads.k = turned(t, heads.k, by, interleaved);
  }
  heads.k = after_past(t, 3, heads.k);
  heads.v = after_past(t, 4, heads.v);
  AttentionMask mask(t, t.tensor(heads.q).type, queries, past + queries);
  if (t.has_input(10)) {
    mask.add_finite(t.input(10));
  }
  mask.causal(number(t, past));
  const std::int64_t keys = t.integer("local_window_size", -1);
  if (keys == 0) {
    t.refuse(
        OnnxRefusal::kMode,
        "local_window_size 0 leaves a query without keys, which is not supported; give at least 1, or -1 for none");
  }
  if (keys > 0) {
    mask.window(number(t, past), keys - 1, -1);
  }
  t.result(joined_heads(t, attend(t, heads, {attention_scale(t, heads.q), t.real("softcap", 0)}, mask).y), 0);
  t.result(heads.k, 1);
  t.result(heads.v, 2);
}

}  // namespace systole::graph::onnx_file
