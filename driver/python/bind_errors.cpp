// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "bind.hpp"
#include "systole/container.hpp"
#include "systole/device.hpp"
#include "systole/lockstep.hpp"
#include "systole/simulation_error.hpp"

namespace systole::python {

namespace py = pybind11;

namespace {

py::object make(const char* name, const Error& error) {
  return py::module_::import("systole.errors").attr(name)(error.what());
}

void raise(const py::object& exception) { PyErr_SetObject(py::type::of(exception).ptr(), exception.ptr()); }

void raise(const char* name, const Error& error) { raise(make(name, error)); }

void add_hang(py::object& exception, const HangExplained& error) {
  exception.attr("hang") =
      error.hang ? py::module_::import("json").attr("loads")(error.hang->to_json().dump()) : py::object(py::none());
}

void raise_hang(const char* name, const Error& error, const HangExplained& explained) {
  py::object exception = make(name, error);
  add_hang(exception, explained);
  raise(exception);
}

void raise_device_error(const DeviceError& error) {
  py::object exception = make("DeviceError", error);
  exception.attr("code") = isa::to_string(error.code);
  exception.attr("engine") = isa::to_string(error.engine);
  exception.attr("index") = error.index;
  exception.attr("instruction") = error.instruction;
  add_hang(exception, error);
  raise(exception);
}

/// Derived classes are caught before their bases.
void translate(std::exception_ptr thrown) {
  try {
    if (thrown) {
      std::rethrow_exception(thrown);
    }
  } catch (const DeviceError& error) {
    raise_device_error(error);
  } catch (const DeviceTimeout& error) {
    raise_hang("DeviceTimeout", error, error);
  } catch (const ProgramRefused& error) {
    raise_hang("ProgramRefused", error, error);
  } catch (const SimulationError& error) {
    raise("SimulationError", error);
  } catch (const LockstepDivergence& error) {
    raise("LockstepDivergence", error);
  } catch (const AccountingError& error) {
    raise("AccountingError", error);
  } catch (const graph::GraphError& error) {
    raise("ModelError", error);
  } catch (const container::ContainerError& error) {
    raise("ModelError", error);
  } catch (const InvalidArgument& error) {
    raise("InvalidArgument", error);
  } catch (const OutOfRange& error) {
    raise("OutOfRange", error);
  } catch (const InternalError& error) {
    raise("InternalError", error);
  } catch (const Error& error) {
    raise("Failure", error);
  }
}

}  // namespace

void bind_errors() { py::register_exception_translator(&translate); }

}  // namespace systole::python
