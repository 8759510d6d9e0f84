// SPDX-License-Identifier: Apache-2.0
// Converts exceptions to statuses and keeps the text of the last error.
#pragma once

#include <exception>
#include <string>

#include "systole/errors.hpp"
#include "systole/systole.h"

namespace systole::c_api {

/// Stores the text of the exception for systole_last_error() of this thread, and returns its status.
systole_status caught(const std::exception_ptr& thrown) noexcept;

/// Calls work() and converts any exception to a status.
template <class Work>
systole_status guarded(const Work& work) noexcept {
  try {
    work();
    return SYSTOLE_OK;
  } catch (...) {
    return caught(std::current_exception());
  }
}

/// Throws InvalidArgument for null.
template <class Pointed>
Pointed* required(Pointed* pointer, const char* name) {
  if (pointer == nullptr) {
    throw InvalidArgument(std::string(name) + ": must not be null");
  }
  return pointer;
}

}  // namespace systole::c_api
