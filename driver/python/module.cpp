// SPDX-License-Identifier: Apache-2.0
// systole._systole: the C++ part of the Python package. The public interface is in driver/python/systole.
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
  pjrt::bind_jax(module);
  module.def("jax_last_run", [](std::size_t number) {
    const auto [steps, dim] = [&] {
      const py::gil_scoped_release others_run;
      return pjrt::last_run(number);
    }();
    return py::make_tuple(python::to_dict(steps), dim);
  });
}
