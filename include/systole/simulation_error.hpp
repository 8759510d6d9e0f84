// SPDX-License-Identifier: Apache-2.0
// Errors that the simulation of the hardware itself detects.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "systole/errors.hpp"

namespace systole {

/// An assertion of the RTL failed, or a bus protocol was violated. Back end "rtl" only, from any call that simulates
/// cycles. The device cannot be used any more: every further call throws the same error.
class SimulationError : public ErrorOf<std::runtime_error> {
 public:
  SimulationError(const std::string& what, std::uint64_t cycle) : ErrorOf(what), cycle_(cycle) {}
  std::uint64_t cycle() const { return cycle_; }  ///< cycle in which the error was detected

 private:
  std::uint64_t cycle_;
};

}  // namespace systole
