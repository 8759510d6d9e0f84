// SPDX-License-Identifier: Apache-2.0
// Requests of the vector unit to the scratchpad: up to four rows, the planes of a row of words, of which each has its
// valid bit, its row number and its data.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../loop_nest/pins.hpp"

namespace systole::test {

struct PlaneRequest {
  static constexpr int kPlanes = 4;
  std::uint32_t valid = 0;  ///< one bit for each plane
  std::array<std::uint32_t, kPlanes> rows{};

  template <typename Rows>
  static PlaneRequest at(std::uint32_t valid, const Rows& pin) {
    PlaneRequest request;
    request.valid = valid;
    for (int plane = 0; plane < kPlanes; ++plane) {
      request.rows[static_cast<std::size_t>(plane)] = request.has(plane) ? get_bits(pin, 16 * plane, 16) : 0;
    }
    return request;
  }

  bool has(int plane) const { return valid >> plane & 1; }

  /// Several rows are in banks, in different quarters of them; one may be a row of exponents.
  void check(int block_rows, int scratch_rows) const {
    const bool several = (valid & (valid - 1)) != 0;
    std::uint32_t quarters = 0;
    for (int plane = 0; plane < kPlanes; ++plane) {
      if (!has(plane)) continue;
      const std::uint32_t row = rows[static_cast<std::size_t>(plane)], quarter = 1u << row % 4;
      ASSERT_LT(row, static_cast<std::uint32_t>(several ? block_rows : scratch_rows));
      ASSERT_FALSE(quarters & quarter) << "two rows of a request in one quarter";
      quarters |= quarter;
    }
  }

  /// A request that was not granted must be held, unchanged.
  void check_held(const PlaneRequest& now, const char* port) const {
    if (valid == 0) return;
    ASSERT_EQ(now.valid, valid) << port << " request withdrawn or of other planes";
    ASSERT_EQ(now.rows, rows) << port << " request changed";
  }

  /// The data of the planes, and `garbage` for those that were not read.
  template <typename Pin, typename Garbage>
  void put(Pin& pin, const std::vector<std::int8_t>& memory, std::size_t dim, Garbage garbage) const {
    for (int plane = 0; plane < kPlanes; ++plane) {
      const std::size_t from = rows[static_cast<std::size_t>(plane)] * dim;
      for (std::size_t n = 0; n < dim; ++n) {
        set_bits(pin, static_cast<int>(8 * (static_cast<std::size_t>(plane) * dim + n)), 8,
                 has(plane) ? static_cast<std::uint8_t>(memory[from + n]) : garbage() & 0xff);
      }
    }
  }

  template <typename Pin>
  void take(const Pin& pin, std::vector<std::int8_t>& memory, std::size_t dim) const {
    for (int plane = 0; plane < kPlanes; ++plane) {
      const std::size_t to = rows[static_cast<std::size_t>(plane)] * dim;
      for (std::size_t n = 0; has(plane) && n < dim; ++n) {
        memory[to + n] = static_cast<std::int8_t>(
            get_bits(pin, static_cast<int>(8 * (static_cast<std::size_t>(plane) * dim + n)), 8));
      }
    }
  }
};

}  // namespace systole::test
