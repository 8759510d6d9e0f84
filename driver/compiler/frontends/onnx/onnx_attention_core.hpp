// SPDX-License-Identifier: Apache-2.0
// Scaled dot product attention as products, a mask that is added, and a softmax: what the attention operators of ONNX
// and of com.microsoft have in common.
#pragma once

#include <cstdint>

#include "onnx_translation.hpp"

namespace systole::graph::onnx_file {

/// The summand of the scores [B,N,S,T], broadcast: minus infinity where a query must not see a key.
class AttentionMask {
 public:
  /// A mask of `queries` and `keys` positions.
  AttentionMask(Translation& t, ElementType type, std::int64_t queries, std::int64_t keys)
      : t_(t), type_(type), queries_(queries), keys_(keys) {}

  /// Real numbers are added, of which minus infinity hides a key; a bool tells whether the key is seen. Missing keys at
  /// the end are not seen.
  void add(TensorId mask);
  /// Real numbers, none of them minus infinity.
  void add_finite(TensorId mask);
  /// Only keys for which the condition holds are seen.
  void keep(TensorId condition);
  /// A query sees the keys up to its own place, `offset` after its number.
  void causal(TensorId offset);
  /// A query sees `left` keys before and `right` keys after its place; negative numbers are no limit.
  void window(TensorId offset, std::int64_t left, std::int64_t right);
  /// The keys before `lengths` [B] are seen.
  void lengths(TensorId lengths);

  /// The sum, or kNoTensor.
  TensorId bias() const { return bias_; }
  /// Whether a query sees no key at all, broadcast against [B,N,S,1]; kNoTensor if that cannot be.
  TensorId sees_nothing();

 private:
  TensorId number(double value) { return t_.numbers(type_, {}, {value}); }
  /// The place of each query among the keys, and the keys' own.
  TensorId places(TensorId offset);
  TensorId keys() { return t_.count_along(ElementType::kInt64, 1, 2, keys_); }

  Translation& t_;
  ElementType type_;
  std::int64_t queries_, keys_;
  TensorId bias_ = kNoTensor;
  TensorId seen_ = kNoTensor;  // what keep() was given
  bool added_may_hide_ = false;
};

/// Queries [B,N,S,H], keys [B,M,T,H] and values [B,M,T,V], where M divides N: heads share keys.
struct AttentionHeads {
  TensorId q = kNoTensor, k = kNoTensor, v = kNoTensor;
};

struct AttentionRule {
  float scale = 1;
  float softcap = 0;  ///< limit of the scores by a tanh; 0 is none
};

/// The result [B,N,S,V], and the steps before it, [B,N,S,T].
struct Attended {
  TensorId y = kNoTensor, scores = kNoTensor, capped = kNoTensor, biased = kNoTensor, weights = kNoTensor;
};

Attended attend(Translation& t, const AttentionHeads& heads, const AttentionRule& rule, AttentionMask& mask);

/// 1 / sqrt(head size) unless the node has the attribute scale.
float attention_scale(const Translation& t, TensorId q);

/// The size of an axis of a tensor that must have this number of dimensions.
std::int64_t size_of(const Translation& t, TensorId id, std::size_t rank, std::size_t axis);

/// [B,S,N*H] as [B,N,S,H], and back.
TensorId split_heads(Translation& t, TensorId id, std::int64_t heads);
TensorId joined_heads(Translation& t, TensorId id);

/// Keys or values with those of the past before them, if there are any.
TensorId after_past(Translation& t, std::size_t past, TensorId id);

/// Columns [begin, begin + size) of the last axis.
TensorId columns(Translation& t, TensorId id, std::int64_t begin, std::int64_t size);

}  // namespace systole::graph::onnx_file
