// SPDX-License-Identifier: Apache-2.0
// systole._systole: the C++ part of the Python package. The public interface is in driver/python/systole.
#include <cmath>

#include "bind.hpp"
#include "bind_jax.hpp"
#include "client.hpp"
#include "statistics_dict.hpp"
#include "systole/backends.hpp"
#include "systole/configurations.hpp"
#include "systole/throughput.hpp"

PYBIND11_MODULE(_systole, module) {
  namespace py = pybind11;
  using namespace systole;
  module.doc() = "The driver of Systole in C++; use the package systole";
  module.attr("version") = SYSTOLE_VERSION;
  module.def("has_backend", &has_backend);
  module.def("configurations", [] {
    py::list names;
    for (const Configuration& configuration : configurations()) {
      names.append(std::string(configuration.name));
    }
    return names;
  });
  module.def("rtl_configurations", [] {
    py::list names;
    for (const std::string& name : rtl_configurations()) {
      names.append(name);
    }
    return names;
  });
  module.def("utilization", &utilization);
  module.def("macs_per_cycle", &macs_per_cycle);
  python::bind_errors();
  python::bind_device(module);
  python::bind_array(module);
  python::bind_network(module);
  python::bind_training(module);
  python::bind_generation(module);
  pjrt::bind_jax(module);
  module.def("jax_last_run", [](std::size_t number) {
    pjrt::RunRecord::Totals totals;
    int dim = 0;
    {
      const py::gil_scoped_release others_run;
      pjrt::after_calls(number, [&](pjrt::Device& device) {
        totals = device.last_run.totals();
        dim = device.core->device.configuration().dim;
      });
    }
    py::dict run = python::to_dict(totals.steps);
    run["program"] = totals.program;
    run["copied_to_device"] = totals.copies.to_device;
    run["copied_to_host"] = totals.copies.to_host;
    run["exchange_cycles"] = std::llround(totals.exchange_cycles);
    return py::make_tuple(run, dim);
  });
  module.def("jax_all_runs", [](std::size_t number) {
    pjrt::RunRecord::Sums sums;
    {
      const py::gil_scoped_release others_run;
      pjrt::after_calls(number, [&](pjrt::Device& device) { sums = device.last_run.sums(); });
    }
    py::dict on_host;
    for (const auto& [name, times] : sums.on_host) {
      on_host[py::str(name)] = times;
    }
    return py::dict(py::arg("calls") = sums.calls, py::arg("cycles") = sums.cycles, py::arg("on_host") = on_host);
  });
  const auto others_run = py::call_guard<py::gil_scoped_release>();
  module.def("jax_write_report", &pjrt::write_report, others_run);
  module.def("jax_begin_timeline", &pjrt::begin_timeline, others_run);
  module.def("jax_end_timeline", &pjrt::end_timeline, others_run);
  module.def("jax_finish_trace", &pjrt::finish_trace, others_run);
}
