// SPDX-License-Identifier: Apache-2.0
// Exit codes of the command line.
#pragma once

#include <stdexcept>

namespace systole::cli {

enum ExitCode : int {
  kOk = 0,
  kMismatch = 1,     ///< a result differs from the golden model, or a listing holds illegal instructions
  kMissing = 1,      ///< `inspect`: the network was read but has unsupported operators, types or sizes
  kBadInput = 2,     ///< what the user can mend: options, files, folders, disks, memory
  kDeviceError = 3,  ///< the device or its simulation failed
  kOutputLost = 4,   ///< all else went well, but standard output could not be written
  kInternal = 5,     ///< an error inside Systole
};

/// An invalid option or file; the message names it.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace systole::cli
