// SPDX-License-Identifier: Apache-2.0
// Moves that bring together, for each position of an image, the elements of another image that it is computed from.
#pragma once

#include <utility>
#include <vector>

#include "layer.hpp"

namespace systole::network {

/// For each row or column of a result the one that it reads; kNothing to read zeros.
inline constexpr int kNothing = -1;
using Sources = std::vector<int>;

/// An image `result` of which each position reads `taps` positions of an image `from`.
class TapMoves {
 public:
  /// `result` has the channels of `from`.
  TapMoves(const Image& from, const Image& result, int taps) : from_(from), result_(result), taps_(taps) {}

  /// The tap that reads these rows and columns. Throws Refused when there are too many moves.
  void add(int tap, const Sources& rows, const Sources& columns);

  /// Taps of a position follow each other. Throws Refused for too many bytes.
  Image image() const;
  MoveLayer take() { return std::move(moves_); }

 private:
  const Image from_, result_;
  const int taps_;
  MoveLayer moves_;
};

}  // namespace systole::network
