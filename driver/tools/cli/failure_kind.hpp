// SPDX-License-Identifier: Apache-2.0
// Whose failure an exception is: the user's, the device's or Systole's own.
#pragma once

#include <exception>
#include <string>

namespace systole::cli {

/// kBadInput, kDeviceError or kInternal.
int exit_code_of(const std::exception& error);

/// The text for kBadInput, with a remedy that the program has: libraries name options of their own.
std::string input_error_text(const std::exception& error);

}  // namespace systole::cli
