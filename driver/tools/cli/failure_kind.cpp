// SPDX-License-Identifier: Apache-2.0
#include "failure_kind.hpp"

#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "exit_codes.hpp"
#include "systole/device.hpp"
#include "systole/file_error.hpp"
#include "systole/memory_error.hpp"
#include "systole/simulation_error.hpp"
#include "together.hpp"

namespace systole::cli {
namespace {

/// Whether the error is of one of these classes.
template <class... Errors>
bool is_any(const std::exception& error) {
  return (... || (dynamic_cast<const Errors*>(&error) != nullptr));
}

}  // namespace

int exit_code_of(const std::exception& error) {
  if (is_any<DeviceError, DeviceTimeout, ProgramRefused, SimulationError, AccountingError>(error)) {
    return kDeviceError;
  }
  if (is_any<InternalError>(error)) {
    return kInternal;
  }
  if (is_any<Failure>(error)) {
    return is_any<FileError, MemoryError>(error) ? kBadInput : kDeviceError;
  }
  // Every other error of a library is about what it was given.
  return is_any<Error, InputError, ranks::CommonFailure, std::invalid_argument, std::bad_alloc, std::length_error,
                std::system_error, nlohmann::json::exception>(error)
             ? kBadInput
             : kInternal;
}

std::string input_error_text(const std::exception& error) {
  if (is_any<std::bad_alloc, std::length_error>(error)) {
    return "out of memory: this machine cannot hold what these sizes and files take; use smaller ones";
  }
  if (const auto* memory = dynamic_cast<const MemoryError*>(&error)) {
    return memory->problem() + "; use smaller sizes, or a network with smaller tensors";
  }
  return error.what();
}

}  // namespace systole::cli
