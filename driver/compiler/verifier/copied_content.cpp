// SPDX-License-Identifier: Apache-2.0
#include "copied_content.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace systole::verifier {
namespace {

/// Row numbers have 16 bits: sums wrap around as in the hardware.
constexpr std::uint16_t row16(std::int64_t sum) { return static_cast<std::uint16_t>(sum); }

std::string source_text(std::int64_t source) {
  return source < 0 ? fmt::format("the value {}", -1 - source) : fmt::format("address {:#x}", source);
}

}  // namespace

std::int64_t& CopiedContent::at(std::uint16_t row, std::int64_t lane) {
  return content_[static_cast<std::size_t>(row) * static_cast<std::size_t>(dim_) + static_cast<std::size_t>(lane)];
}

void CopiedContent::load(const isa::Load& op) {
  if (op.space != static_cast<std::uint8_t>(isa::Space::kScratch)) {
    return;
  }
  std::vector<std::int64_t> turned(op.turn == 0 ? 0 : static_cast<std::size_t>(dim_) * static_cast<std::size_t>(dim_));
  for (std::int64_t i1 = 0; i1 < op.count1; ++i1) {
    for (std::int64_t i0 = 0; i0 < op.count0; ++i0) {
      const bool inside = op.valid_from <= i0 && i0 < op.valid_to;
      const auto run =
          static_cast<std::uint32_t>(windows_[op.window].base + op.src + i1 * op.src_stride1 + i0 * op.src_stride0);
      for (std::int64_t piece = 0; piece < op.pieces; ++piece) {
        const std::int64_t first = op.piece_start + piece * op.piece_step;
        const std::int64_t row = op.dst + i1 * op.dst_stride1 + i0 * op.dst_stride0 + piece * op.dst_piece;
        for (std::int64_t b = 0; b < op.slot_bytes; ++b) {
          const std::int64_t from = first + b, lane = op.lane + b;
          const bool present = inside && b < op.piece_bytes && 0 <= from && from < op.run_bytes;
          const std::int64_t source = present ? run + from : CopiedBytes::filled(static_cast<std::uint8_t>(op.fill));
          (op.turn == 0 ? at(row16(row + lane / dim_ * op.dst_block), lane % dim_)
                        : turned.at(static_cast<std::size_t>(i0 * dim_ + b))) = source;
        }
      }
    }
    const std::int64_t element = op.turn == static_cast<std::uint8_t>(isa::Turn::kWords) ? 4 : 1;
    for (std::int64_t i0 = 0; op.turn != 0 && i0 < op.count0; ++i0) {
      for (std::int64_t b = 0; b < dim_; ++b) {
        at(row16(op.dst + i1 * op.dst_stride1 + i0 * op.dst_stride0), b) =
            turned.at(static_cast<std::size_t>(b / element * dim_ + i0 * element + b % element));
      }
    }
  }
}

std::int64_t CopiedContent::resolved(std::int64_t source) const {
  const std::uint8_t* constant = constants_.find(source, 1);
  return constant == nullptr ? source : CopiedBytes::filled(*constant);
}

std::optional<std::string> CopiedContent::store(const isa::Store& op, const CopiedBytes& copies) const {
  for (std::int64_t i1 = 0; i1 < op.count1; ++i1) {
    for (std::int64_t i0 = 0; i0 < op.count0; ++i0) {
      const auto run =
          static_cast<std::uint32_t>(windows_[op.window].base + op.dst + i1 * op.dst_stride1 + i0 * op.dst_stride0);
      for (std::int64_t piece = 0; piece < op.pieces; ++piece) {
        const std::int64_t row = op.src + i1 * op.src_stride1 + i0 * op.src_stride0 + piece * op.src_piece;
        for (std::int64_t b = 0; b < op.piece_bytes; ++b) {
          const std::int64_t to = run + piece * op.piece_bytes + b - copies.address;
          if (to < 0 || to >= static_cast<std::int64_t>(copies.sources.size())) {
            continue;  // an address outside of the result is found with all others
          }
          const auto place =
              static_cast<std::size_t>(row16(row + b / dim_ * op.src_block)) * static_cast<std::size_t>(dim_) +
              static_cast<std::size_t>(b % dim_);
          const std::int64_t found = content_[place], wanted = copies.sources[static_cast<std::size_t>(to)];
          if (found != wanted && (found == kUnknown || resolved(found) != resolved(wanted))) {
            return fmt::format("byte {} of its result is {}, it should be {}", to,
                               found == kUnknown ? "what no LOAD has written" : source_text(found),
                               source_text(wanted));
          }
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace systole::verifier
