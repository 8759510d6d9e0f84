// SPDX-License-Identifier: Apache-2.0
// Runs a specification on a device and compares it with the host.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "kinds.hpp"
#include "systole/device.hpp"

namespace systole::shapes {

/// Incompatible attributes, or scales that the device does not support.
class UnsupportedCase : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Bench {
 public:
  /// `planted` corrupts the expected result if it has at least kSpoiled bytes, to test the search for failures.
  Bench(std::string device, std::string configuration, bool planted)
      : name_(std::move(device)), configuration_(std::move(configuration)), planted_(planted) {}
  static constexpr std::size_t kSpoiled = 7;

  /// Empty if every byte is equal; otherwise the difference, that the operator ran on the host, or the exception. The
  /// device is then opened again for the next trial. Throws UnsupportedCase.
  std::string fault_of(const Kind& kind, const Spec& spec);

  /// Cycles of the last trial; 0 on the functional model.
  std::uint64_t cycles() const { return cycles_; }

 private:
  std::string compare(const Kind& kind, const graph::Graph& graph, const Spec& spec);

  std::string name_, configuration_;
  bool planted_;
  std::uint64_t cycles_ = 0;
  std::optional<Device> device_;
};

}  // namespace systole::shapes
