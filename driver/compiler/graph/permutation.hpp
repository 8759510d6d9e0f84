// SPDX-License-Identifier: Apache-2.0
// Permutations of axes: axis i of the result is axis permutation[i] of the operand.
#pragma once

#include <cstdint>
#include <vector>

#include "systole/graph.hpp"

namespace systole::graph {

using Permutation = std::vector<int>;

/// Composition: applies `first`, then `second`.
inline Permutation then(const Permutation& first, const Permutation& second) {
  Permutation result;
  for (const int axis : second) {
    result.push_back(first[static_cast<std::size_t>(axis)]);
  }
  return result;
}

inline Permutation inverse(const Permutation& permutation) {
  Permutation result(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    result[static_cast<std::size_t>(permutation[i])] = static_cast<int>(i);
  }
  return result;
}

inline bool is_identity(const Permutation& permutation) {
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] != static_cast<int>(i)) {
      return false;
    }
  }
  return true;
}

template <class Value>
std::vector<Value> permuted(const std::vector<Value>& values, const Permutation& permutation) {
  std::vector<Value> result;
  for (const int axis : permutation) {
    result.push_back(values[static_cast<std::size_t>(axis)]);
  }
  return result;
}

/// Whether the memory order of elements is unchanged: only axes of length 1 move.
inline bool moves_nothing(const Shape& shape, const Permutation& permutation) {
  int last = -1;
  for (const int axis : permutation) {
    if (shape[static_cast<std::size_t>(axis)] != 1) {
      if (axis < last) {
        return false;
      }
      last = axis;
    }
  }
  return true;
}

}  // namespace systole::graph
