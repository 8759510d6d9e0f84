// SPDX-License-Identifier: Apache-2.0
// The contract of a bank of the scratchpad, as the header of tpu_scratchpad_bank states it: what its ports show in each
// cycle, and what they leave undefined. The only thing that it knows of the RAMs is which of them holds a row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace systole::test {

template <int kDim>
class BankContract {
 public:
  static constexpr int kRams = 4;
  using Row = std::array<std::uint8_t, kDim>;

  /// A request of one port: one row of the bank, or, through the wide port, one of each RAM in `rams`.
  struct Request {
    bool enable = false, wide = false;
    int row = 0;                       ///< of the narrow port
    unsigned rams = 0;                 ///< of the wide port, one bit for each RAM
    std::array<int, kRams> indices{};  ///< of the rows in their RAMs

    bool names(int of) const {
      if (!enable) return false;
      return wide ? (rams >> of % kRams & 1) && indices[static_cast<std::size_t>(of % kRams)] == of / kRams : row == of;
    }
  };
  struct Write : Request {
    std::array<Row, kRams> data{};  ///< of the narrow port: the first
    std::uint32_t mask = 0;         ///< bytes that the narrow port writes
  };

  explicit BankContract(int rows) : rows_(static_cast<std::size_t>(rows)) {}

  void cycle(const Request& read, const Write& write) {
    if (read.enable) {
      narrow = std::nullopt;
      wide = {};
      const auto data = [&](int row) {
        return write.names(row) ? std::nullopt : std::optional<Row>(rows_[static_cast<std::size_t>(row)]);
      };
      if (!read.wide) narrow = data(read.row);
      for (int ram = 0; read.wide && ram < kRams; ++ram) {
        const auto at = static_cast<std::size_t>(ram);
        if (read.rams >> ram & 1) wide[at] = data(kRams * read.indices[at] + ram);
      }
    }
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (!write.names(static_cast<int>(row))) continue;
      const Row& data = write.data[write.wide ? row % kRams : 0];
      for (std::size_t byte = 0; byte < kDim; ++byte) {
        if (write.wide || (write.mask >> byte & 1)) rows_[row][byte] = data[byte];
      }
    }
  }

  /// The data of the ports after the cycle; none where they are undefined.
  std::optional<Row> narrow;
  std::array<std::optional<Row>, kRams> wide;

 private:
  std::vector<Row> rows_;
};

}  // namespace systole::test
