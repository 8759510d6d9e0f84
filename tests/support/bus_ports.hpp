// SPDX-License-Identifier: Apache-2.0
// Structures of tpu_axi_pkg as ports of a Verilated model.
#pragma once

#include <cstdint>

namespace systole::test {

constexpr unsigned kAnswer = 2, kAnswerError = 1;  ///< members of an answer_t

inline bool requested(std::uint64_t request) { return request >> 40 & 1; }
inline std::uint64_t request_port(bool valid, std::uint32_t address, unsigned beats) {
  return std::uint64_t{valid} << 40 | std::uint64_t{beats - 1} << 32 | address;
}

}  // namespace systole::test
