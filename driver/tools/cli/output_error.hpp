// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exit_codes.hpp"

namespace systole::cli {

/// The command has its results, but an output could not be written. The other outputs have been, so that the failure
/// must not replace the results in the file of --json.
class OutputError : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace systole::cli
