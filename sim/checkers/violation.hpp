// SPDX-License-Identifier: Apache-2.0
// A protocol violation: rule, channel and cycle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace systole::check {

enum class Rule : std::uint8_t {
  kValidDropped,        ///< valid fell before ready
  kPayloadChanged,      ///< payload changed while valid waited for ready
  kBurstType,           ///< burst is not INCR
  kNarrow,              ///< beat size is not the full data width
  kUnaligned,           ///< address is not a multiple of the beat
  kBoundary,            ///< burst crosses a 4 KiB boundary
  kLastEarly,           ///< last flag set before the final beat
  kLastMissing,         ///< final beat without the last flag
  kBeatCount,           ///< write data sent ahead of their address have another length than the address
  kUnexpectedResponse,  ///< response without an outstanding transaction
  kIdMismatch,          ///< response with an identifier that no outstanding transaction has
  kResponseCode,        ///< response code that this bus does not use
  kValidInReset,        ///< valid while the bus is in reset
  kDataLate,            ///< a burst was open for too long: its address was accepted, its data were not sent
  kLeftOver,            ///< transactions outstanding where none are allowed
};

enum class Channel : std::uint8_t { kAw, kW, kB, kAr, kR, kStream };

/// A description in one sentence.
const char* describe(Rule rule);
const char* name(Channel channel);

struct Violation {
  Rule rule;
  Channel channel;
  std::uint64_t cycle;   ///< rising edges the checker had seen before this one
  std::uint64_t detail;  ///< address, identifier or count, depending on the rule
  const char* bus;
  std::string text() const;
};

/// Violations reported by one or several checkers. Stores the first few, counts all.
class ViolationLog {
 public:
  bool any() const { return count_ != 0; }
  std::uint64_t count() const { return count_; }
  const std::vector<Violation>& violations() const { return violations_; }
  void clear();
  /// All stored violations, one per line.
  std::string text() const;
  void add(const Violation& violation);

 private:
  static constexpr std::size_t kKept = 16;
  std::uint64_t count_ = 0;
  std::vector<Violation> violations_;
};

}  // namespace systole::check
