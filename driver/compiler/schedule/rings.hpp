// SPDX-License-Identifier: Apache-2.0
// Circular allocation of on-chip rows. Nothing is ever freed: a new range simply follows the last one, and the builder
// makes its writer wait for the readers of the old contents. holds() tells whether a range has been overwritten.
#pragma once

#include <cstdint>

namespace systole::compiler {

/// A range of rows inside a RowRing, and when it was allocated.
struct Rows {
  int row = 0;             ///< first row
  int count = 0;           ///< rows
  std::int64_t stamp = 0;  ///< number of rows that the ring had allocated, skipped ones included, when the range began
};

class RowRing {
 public:
  RowRing() = default;
  /// Rows [base, base + size). With `wraps` a range may cross the end and continue at the base (the weight ring, whose
  /// addresses the hardware takes modulo its size); otherwise ranges are contiguous.
  RowRing(int base, int size, bool wraps) : base_(base), size_(size), wraps_(wraps) {}

  int base() const { return base_; }
  int size() const { return size_; }

  /// Allocates the next `count` rows. Requires count <= size().
  Rows take(int count) {
    int offset = static_cast<int>(total_ % size_);
    if (!wraps_ && offset + count > size_) {
      total_ += size_ - offset;
      offset = 0;
    }
    const Rows rows{base_ + offset, count, total_};
    total_ += count;
    return rows;
  }

  /// Ensures that the next ranges, up to `count` rows in total, are contiguous.
  void make_room(int count) {
    const int offset = static_cast<int>(total_ % size_);
    if (!wraps_ && offset + count > size_) {
      total_ += size_ - offset;
    }
  }

  /// True while no later range has overwritten `rows`.
  bool holds(const Rows& rows) const { return rows.count > 0 && total_ - rows.stamp <= size_; }

 private:
  int base_ = 0;
  int size_ = 1;
  bool wraps_ = false;
  std::int64_t total_ = 0;
};

}  // namespace systole::compiler
