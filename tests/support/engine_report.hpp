// SPDX-License-Identifier: Apache-2.0
// A tpu_report_pkg::report_t or fault_t as a port of a Verilated model.
#pragma once

#include <cstdint>

namespace systole::test {

struct FaultPort {
  bool valid = false;
  unsigned code = 0;
  std::uint32_t addr = 0;
};

inline FaultPort fault_of(std::uint64_t port) {
  return {(port >> 40 & 1) != 0, static_cast<unsigned>(port >> 32 & 255), static_cast<std::uint32_t>(port)};
}
inline std::uint64_t packed(const FaultPort& fault) {
  return std::uint64_t{fault.valid} << 40 | std::uint64_t{fault.code} << 32 | fault.addr;
}

constexpr int kReportBits = 53, kReportRetire = 11, kReportFault = 12;  ///< its width, and places in it

struct ReportPort {
  unsigned cause = 0;
  bool retire = false;
  FaultPort fault;
};

inline ReportPort report_of(std::uint64_t port) {
  return {static_cast<unsigned>(port & 0x7ff), (port >> kReportRetire & 1) != 0, fault_of(port >> kReportFault)};
}
inline std::uint64_t packed(const ReportPort& report) {
  return packed(report.fault) << kReportFault | std::uint64_t{report.retire} << kReportRetire | report.cause;
}

}  // namespace systole::test
