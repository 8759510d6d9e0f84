// SPDX-License-Identifier: Apache-2.0
#include "violation.hpp"

#include <fmt/core.h>

namespace systole::check {

const char* describe(Rule rule) {
  switch (rule) {
    case Rule::kValidDropped: return "valid fell before ready";
    case Rule::kPayloadChanged: return "payload changed while valid waited for ready";
    case Rule::kBurstType: return "burst is not INCR";
    case Rule::kNarrow: return "beat size is not the full data width";
    case Rule::kUnaligned: return "address is not aligned to the beat";
    case Rule::kBoundary: return "burst crosses a 4 KiB boundary";
    case Rule::kLastEarly: return "last flag before the final beat";
    case Rule::kLastMissing: return "final beat without the last flag";
    case Rule::kBeatCount: return "write data ahead of their address do not have its length";
    case Rule::kUnexpectedResponse: return "response that no transaction is waiting for";
    case Rule::kIdMismatch: return "response with an identifier that no outstanding transaction has";
    case Rule::kResponseCode: return "response code that this bus does not use";
    case Rule::kValidInReset: return "valid during reset";
    case Rule::kDataLate: return "write data come long after their address, others on the bus wait";
    case Rule::kLeftOver: return "transactions left outstanding";
  }
  return "unknown rule";
}

const char* name(Channel channel) {
  switch (channel) {
    case Channel::kAw: return "AW";
    case Channel::kW: return "W";
    case Channel::kB: return "B";
    case Channel::kAr: return "AR";
    case Channel::kR: return "R";
    case Channel::kStream: return "stream";
  }
  return "unknown channel";
}

std::string Violation::text() const {
  return fmt::format("{} {}: {} (cycle {}, detail {:#x})", bus, name(channel), describe(rule), cycle, detail);
}

void ViolationLog::add(const Violation& violation) {
  ++count_;
  if (violations_.size() < kKept) violations_.push_back(violation);
}

void ViolationLog::clear() {
  count_ = 0;
  violations_.clear();
}

std::string ViolationLog::text() const {
  std::string all;
  for (const Violation& violation : violations_) all += violation.text() + "\n";
  if (count_ > violations_.size()) all += fmt::format("and {} more\n", count_ - violations_.size());
  return all;
}

}  // namespace systole::check
