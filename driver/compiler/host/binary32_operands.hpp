// SPDX-License-Identifier: Apache-2.0
// Elements of float32 that operators by the rules of sim/golden/binary32.hpp take, and loops over them.
#pragma once

#include <vector>

#include "execute_kinds.hpp"
#include "indices.hpp"
#include "parallel.hpp"

namespace systole::graph {

/// Whether the rules of binary32 are for this operator.
inline bool applies(const Call& call) {
  return call.op.arithmetic == Arithmetic::kOnnx && call.input(0).type == ElementType::kFloat32;
}

inline constexpr std::size_t kCost = 16;  ///< of a step, in multiply-accumulates

/// result[i] = of(a[i], b[i])
template <class Of, class Result>
void for_all(const float* a, const float* b, Of of, Result* result, std::size_t count) {
  golden::parallel_ranges(count, kCost, [=](std::size_t i, std::size_t last) {
    for (; i < last; ++i) {
      result[i] = of(a[i], b[i]);
    }
  });
}

/// The elements of a value, broadcast if need be.
class Operand {
 public:
  Operand(const Value& value, const Shape& shape) {
    if (value.shape != shape) {
      wide_ = broadcast_to(value, shape);
    }
    data_ = reinterpret_cast<const float*>((value.shape == shape ? value : wide_).data.data());
  }
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;
  const float* data() const { return data_; }

 private:
  Value wide_;
  const float* data_;
};

/// value = function(value)
template <class Function>
void apply_to(std::vector<float>& values, Function function) {
  constexpr std::size_t kSteps = 10;  // of a usual function
  golden::parallel_ranges(values.size(), kSteps * kCost, [&](std::size_t i, std::size_t last) {
    for (; i < last; ++i) {
      values[i] = function(values[i]);
    }
  });
}

}  // namespace systole::graph
