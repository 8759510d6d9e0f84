// SPDX-License-Identifier: Apache-2.0
#include "c_status.hpp"

#include <new>

#include "systole/container.hpp"
#include "systole/device.hpp"
#include "systole/lockstep.hpp"
#include "systole/simulation_error.hpp"

namespace systole::c_api {
namespace {

std::string& last_error() {
  thread_local std::string text;
  return text;
}

systole_status record(systole_status status, const char* text) noexcept {
  try {
    last_error() = text;
  } catch (const std::bad_alloc&) {
    last_error().clear();
  }
  return status;
}

}  // namespace

/// Derived classes are caught before their bases.
systole_status caught(const std::exception_ptr& thrown) noexcept {
  try {
    std::rethrow_exception(thrown);
  } catch (const DeviceError& error) {
    return record(SYSTOLE_DEVICE_ERROR, error.what());
  } catch (const DeviceTimeout& error) {
    return record(SYSTOLE_DEVICE_TIMEOUT, error.what());
  } catch (const ProgramRefused& error) {
    return record(SYSTOLE_PROGRAM_REFUSED, error.what());
  } catch (const SimulationError& error) {
    return record(SYSTOLE_SIMULATION_ERROR, error.what());
  } catch (const LockstepDivergence& error) {
    return record(SYSTOLE_SIMULATION_ERROR, error.what());
  } catch (const graph::GraphError& error) {
    return record(SYSTOLE_BAD_MODEL, error.what());
  } catch (const container::ContainerError& error) {
    return record(SYSTOLE_BAD_MODEL, error.what());
  } catch (const InvalidArgument& error) {
    return record(SYSTOLE_INVALID_ARGUMENT, error.what());
  } catch (const OutOfRange& error) {
    return record(SYSTOLE_OUT_OF_RANGE, error.what());
  } catch (const Failure& error) {
    return record(SYSTOLE_FAILURE, error.what());
  } catch (const std::bad_alloc&) {
    return record(SYSTOLE_NO_HOST_MEMORY, "the host is out of memory");
  } catch (const std::exception& error) {
    return record(SYSTOLE_INTERNAL_ERROR, error.what());
  } catch (...) {
    return record(SYSTOLE_INTERNAL_ERROR, "an exception of unknown type");
  }
}

}  // namespace systole::c_api

using systole::c_api::last_error;

const char* systole_version(void) { return SYSTOLE_VERSION; }

const char* systole_status_name(systole_status status) {
  switch (status) {
    case SYSTOLE_OK: return "OK";
    case SYSTOLE_INVALID_ARGUMENT: return "INVALID_ARGUMENT";
    case SYSTOLE_OUT_OF_RANGE: return "OUT_OF_RANGE";
    case SYSTOLE_BAD_MODEL: return "BAD_MODEL";
    case SYSTOLE_FAILURE: return "FAILURE";
    case SYSTOLE_DEVICE_ERROR: return "DEVICE_ERROR";
    case SYSTOLE_DEVICE_TIMEOUT: return "DEVICE_TIMEOUT";
    case SYSTOLE_PROGRAM_REFUSED: return "PROGRAM_REFUSED";
    case SYSTOLE_SIMULATION_ERROR: return "SIMULATION_ERROR";
    case SYSTOLE_NO_HOST_MEMORY: return "NO_HOST_MEMORY";
    case SYSTOLE_INTERNAL_ERROR: return "INTERNAL_ERROR";
  }
  return "?";
}

const char* systole_last_error(void) { return last_error().c_str(); }
