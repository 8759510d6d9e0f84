// SPDX-License-Identifier: Apache-2.0
// Exit codes of the command line.
#pragma once

#include <stdexcept>

namespace systole::cli {

enum ExitCode : int {
  kOk = 0,
  kMismatch = 1,     ///< a result differs from the golden model, or a listing holds illegal instructions
  kMissing = 1,      ///< `inspect`: the network was read but has unsupported operators, types or sizes
  kBadInput = 2,     ///< invalid options or files
  kDeviceError = 3,  ///< the device or its simulation failed
};

/// An invalid option or file; the message names it.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace systole::cli
