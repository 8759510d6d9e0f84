// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <map>
#include <optional>

#include "bind.hpp"
#include "device_session.hpp"
#include "numpy_values.hpp"
#include "statistics_dict.hpp"
#include "systole/configurations.hpp"
#include "systole/errors.hpp"
#include "systole/operators.hpp"

#include <pybind11/stl.h>

namespace systole::python {

namespace py = pybind11;

namespace {

using Bias = std::optional<py::array>;

/// Requantization parameters as Python passes them: the scales are real factors.
struct Stage {
  std::vector<double> scale;
  int zero_point = 0, clamp_min = -128, clamp_max = 127;
  std::string rounding;
};

int in_int8(const char* name, int value) {
  if (value < -128 || value > 127) {
    throw InvalidArgument(fmt::format("{}: {} is not in -128 .. 127", name, value));
  }
  return value;
}

Requantize requantize_of(const Stage& stage) {
  Requantize requantize;
  requantize.scale.clear();
  for (const double factor : stage.scale) {
    requantize.scale.push_back(quantize_multiplier(factor));
  }
  requantize.zero_point = in_int8("zero_point", stage.zero_point);
  requantize.clamp_min = static_cast<std::int8_t>(in_int8("clamp", stage.clamp_min));
  requantize.clamp_max = static_cast<std::int8_t>(in_int8("clamp", stage.clamp_max));
  if (stage.rounding != "double" && stage.rounding != "even") {
    throw InvalidArgument(
        fmt::format("rounding: '{}'; expected 'double' (TensorFlow Lite) or 'even' "
                    "(ONNX)",
                    stage.rounding));
  }
  requantize.rounding = stage.rounding == "even" ? Rounding::kEven : Rounding::kDouble;
  return requantize;
}

std::vector<std::int32_t> bias_of(const Bias& bias) {
  return bias ? to_vector<std::int32_t>(*bias, "bias", 1) : std::vector<std::int32_t>();
}

/// Kernel, stride, dilation (height and width each), padding top, bottom, left, right.
Window window_of(const std::array<int, 10>& w) { return {w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9]}; }

template <class Element>
py::tuple result_of(const Computed<Element>& computed) {
  return py::make_tuple(to_array(computed.tensor), to_dict(computed.stats, computed.estimated_cycles));
}

HostMatrix8 matrix_of(const py::array& array, const std::string& name) {
  HostMatrix8 matrix;
  matrix.data = to_vector<std::int8_t>(array, name, 2);
  matrix.rows = static_cast<int>(array.shape(0));
  matrix.columns = static_cast<int>(array.shape(1));
  return matrix;
}

py::tuple matmul_of(Session& session, const py::array& a, const py::array& b, const Bias& bias,
                    const std::optional<Stage>& stage, int a_zero_point, const py::object& progress, bool check) {
  const HostMatrix8 left = matrix_of(a, "a"), right = matrix_of(b, "b");
  const RunOptions options = run_options(progress, check);
  if (!stage) {
    return result_of(exclusively(session, [&] { return matmul_raw(session.device, left, right, options); }));
  }
  const Requantize requantize = requantize_of(*stage);
  const std::vector<std::int32_t> sums = bias_of(bias);
  return result_of(exclusively(
      session, [&] { return matmul(session.device, left, right, sums, requantize, a_zero_point, options); }));
}

py::tuple conv2d_of(Session& session, const py::array& input, const py::array& weights, const Bias& bias,
                    const std::optional<Stage>& stage, const std::array<int, 10>& window, int groups,
                    int input_zero_point, const py::object& progress, bool check) {
  const HostTensor8 image = to_tensor(input, "input"), kernel = to_tensor(weights, "weights");
  const ConvOptions convolution{window_of(window), groups, input_zero_point};
  const RunOptions options = run_options(progress, check);
  const std::vector<std::int32_t> sums = bias_of(bias);
  if (!stage) {
    return result_of(
        exclusively(session, [&] { return conv2d_raw(session.device, image, kernel, sums, convolution, options); }));
  }
  const Requantize requantize = requantize_of(*stage);
  return result_of(exclusively(
      session, [&] { return conv2d(session.device, image, kernel, sums, convolution, requantize, options); }));
}

py::tuple max_pool_of(Session& session, const py::array& input, const std::array<int, 10>& window,
                      const py::object& progress, bool check) {
  const HostTensor8 image = to_tensor(input, "input");
  const RunOptions options = run_options(progress, check);
  return result_of(
      exclusively(session, [&] { return max_pool(session.device, image, window_of(window), -128, 127, options); }));
}

py::tuple average_pool_of(Session& session, const py::array& input, const std::array<int, 10>& window,
                          const py::object& progress, bool check) {
  const HostTensor8 image = to_tensor(input, "input");
  const RunOptions options = run_options(progress, check);
  return result_of(exclusively(
      session, [&] { return average_pool(session.device, image, window_of(window), false, 0, -128, 127, options); }));
}

/// The members of BackendOptions that are numbers or flags, by name.
/// What sets each option of a device.
using DeviceSetters = std::map<std::string, std::function<void(BackendOptions&, py::handle)>>;

const DeviceSetters& device_setters() {
  static const DeviceSetters all = {
      {"memory_bytes", [](BackendOptions& o, py::handle v) { o.memory_bytes = v.cast<std::uint64_t>(); }},
      {"lockstep", [](BackendOptions& o, py::handle v) { o.lockstep = v.cast<bool>(); }},
      {"read_latency", [](BackendOptions& o, py::handle v) { o.memory.read_latency = v.cast<unsigned>(); }},
      {"write_latency", [](BackendOptions& o, py::handle v) { o.memory.write_latency = v.cast<unsigned>(); }},
      {"read_interval", [](BackendOptions& o, py::handle v) { o.memory.read_interval = v.cast<unsigned>(); }},
      {"write_interval", [](BackendOptions& o, py::handle v) { o.memory.write_interval = v.cast<unsigned>(); }},
      {"stall_percent", [](BackendOptions& o, py::handle v) { o.stall_percent = v.cast<unsigned>(); }},
      {"host_latency", [](BackendOptions& o, py::handle v) { o.host_latency = v.cast<unsigned>(); }},
      {"host_bytes_per_cycle", [](BackendOptions& o, py::handle v) { o.host_bytes_per_cycle = v.cast<unsigned>(); }},
      {"seed", [](BackendOptions& o, py::handle v) { o.seed = v.cast<std::uint64_t>(); }},
  };
  return all;
}

std::vector<std::string> device_options() {
  std::vector<std::string> names;
  for (const auto& [name, setter] : device_setters()) {
    names.push_back(name);
  }
  return names;
}

/// The names have been checked.
BackendOptions backend_options(const std::string& configuration, const py::dict& given) {
  BackendOptions options;
  options.configuration = configuration;
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    try {
      device_setters().at(name)(options, value);
    } catch (const py::cast_error&) {
      throw InvalidArgument(fmt::format("Device: {} is {}; it is a number of 0 or more, or True or False", name,
                                        py::repr(value).cast<std::string>()));
    }
  }
  return options;
}

std::shared_ptr<Session> open(const std::string& configuration, const std::string& backend, const py::dict& given) {
  const BackendOptions options = backend_options(configuration, given);
  const py::gil_scoped_release others_run;
  return make_session(Device::open(options, backend));
}

py::dict configuration_of(const Session& session) {
  const Configuration& c = session.device.configuration();
  py::dict dict;
  dict["name"] = std::string(c.name);
  dict["dim"] = c.dim;
  dict["scratch_rows"] = c.scratch_rows;
  dict["weight_rows"] = c.weight_rows;
  dict["acc_rows"] = c.acc_rows;
  dict["param_rows"] = c.param_rows;
  dict["windows"] = c.windows;
  dict["without"] = missing_parts(c);
  return dict;
}

}  // namespace

void bind_device(py::module_& module) {
  py::class_<Stage>(module, "Stage")
      .def(py::init([](std::vector<double> scale, int zero_point, int clamp_min, int clamp_max, std::string rounding) {
        return Stage{std::move(scale), zero_point, clamp_min, clamp_max, std::move(rounding)};
      }));
  module.def("device_options", &device_options);
  py::class_<Session, std::shared_ptr<Session>>(module, "Session")
      .def(py::init(&open))
      .def("configuration", &configuration_of)
      .def("backend", [](Session& session) { return session.device.backend().name(); })
      .def("reset", [](Session& session) { exclusively(session, [&] { session.device.reset(); }); })
      .def("matmul", &matmul_of)
      .def("conv2d", &conv2d_of)
      .def("max_pool", &max_pool_of)
      .def("average_pool", &average_pool_of);
}

}  // namespace systole::python
