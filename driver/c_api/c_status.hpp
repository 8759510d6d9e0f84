// SPDX-License-Identifier: Apache-2.0
// From exceptions to statuses, and the text of the last one.
#pragma once

#include <exception>
#include <string>

#include "systole/errors.hpp"
#include "systole/systole.h"

namespace systole::c_api {

/// Keeps the text of the exception for systole_last_error() of this thread, and says its status.
systole_status caught(const std::exception_ptr& thrown) noexcept;

/// Calls work(), which may throw. Nothing leaves it.
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
    throw InvalidArgument(std::string(name) + ": it is null");
  }
  return pointer;
}

}  // namespace systole::c_api
