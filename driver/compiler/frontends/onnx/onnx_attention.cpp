// SPDX-License-Identifier: Apache-2.0
// Attention of ONNX, operator sets 23 and later.
#include <fmt/core.h>

#include "onnx_attention_core.hpp"
#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {
namespace {

TensorId heads_of(Translation& t, std::size_t i, const char* attribute) {
  const TensorId id = t.input(i);
  return t.shape(id).size() == 3 ? split_heads(t, id, t.needed_integer(attribute)) : id;
}

/// The number of keys before the first query.
TensorId offset_of(Translation& t, std::int64_t queries, std::int64_t past) {
  if (!t.has_input(6)) {
    return t.numbers(ElementType::kInt64, {}, {static_cast<double>(past)});
  }
  const TensorId lengths = t.reshape(cast(t, t.input(6), ElementType::kInt64), {size_of(t, t.input(6), 1, 0), 1, 1, 1});
  return t.binary(BinaryKind::kSubtract, lengths, t.scalar(static_cast<double>(queries), lengths));
}

}  // namespace

void attention(Translation& t) {
  const bool rows = t.shape(t.input(0)).size() == 3;
  AttentionHeads heads{heads_of(t, 0, "q_num_heads"), heads_of(t, 1, "kv_num_heads"), heads_of(t, 2, "kv_num_heads")};
  heads.k = after_past(t, 4, heads.k);
  heads.v = after_past(t, 5, heads.v);
  const std::int64_t queries = size_of(t, heads.q, 4, 2), keys = size_of(t, heads.k, 4, 2);
  const std::int64_t past = t.has_input(4) ? size_of(t, t.input(4), 4, 2) : 0;
  AttentionMask mask(t, t.tensor(heads.q).type, queries, keys);
  if (t.has_input(3)) {
    mask.add(t.input(3));
  }
  const TensorId offset = offset_of(t, queries, past);
  if (t.integer("is_causal", 0) != 0) {
    mask.causal(offset);
  }
  mask.window(offset, t.integer("left_window_size", -1), t.integer("right_window_size", -1));
  if (t.has_input(6)) {
    mask.lengths(t.input(6));
  }
  const Attended attended = attend(t, heads, {attention_scale(t, heads.q), t.real("softcap", 0)}, mask);
  t.result(rows ? joined_heads(t, attended.y) : attended.y, 0);
  t.result(heads.k, 1);
  t.result(heads.v, 2);
  const TensorId steps[] = {attended.scores, attended.capped, attended.biased, attended.weights};
  const std::int64_t mode = t.integer("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3) {
    t.fail(fmt::format("qk_matmul_output_mode is {}; the range is 0 .. 3", mode));
  }
  t.result(steps[mode], 3);
}

}  // namespace systole::graph::onnx_file
