// SPDX-License-Identifier: Apache-2.0
// What the command line's exit codes mean.
#pragma once

#include <stdexcept>

namespace systole::cli {

enum ExitCode : int {
  kOk = 0,
  kMismatch = 1,     ///< a result differs from the golden model, or a listing holds illegal instructions
  kMissing = 1,      ///< `inspect`: a network was read that has operators, types or sizes which are missing
  kBadInput = 2,     ///< options or files that make no sense
  kDeviceError = 3,  ///< the device or its simulation failed
};

/// An option or a file that makes no sense; the text names it.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace systole::cli
