// SPDX-License-Identifier: Apache-2.0
// The simulated hardware has broken one of its own rules.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "systole/errors.hpp"

namespace systole {

/// An assertion of the RTL failed, or a bus protocol was broken. Back end "rtl" only, from any call that lets time
/// pass; the device cannot go on, and every further call throws the same.
class SimulationError : public ErrorOf<std::runtime_error> {
 public:
  SimulationError(const std::string& what, std::uint64_t cycle) : ErrorOf(what), cycle_(cycle) {}
  std::uint64_t cycle() const { return cycle_; }  ///< in which it was noticed

 private:
  std::uint64_t cycle_;
};

}  // namespace systole
