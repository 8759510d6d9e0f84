// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "bind.hpp"
#include "device_session.hpp"
#include "numpy_values.hpp"
#include "statistics_dict.hpp"
#include "systole/load_network.hpp"

namespace systole::python {

namespace py = pybind11;

namespace {

/// A network that shares ownership of its device.
class LoadedNetwork {
 public:
  LoadedNetwork(std::shared_ptr<Session> session, const std::string& path,
                const std::map<std::string, std::int64_t>& dimensions)
      : session_(std::move(session)) {
    graph::ImportOptions options;
    options.dimensions = dimensions;
    exclusively(*session_,
                [&] { network_ = std::make_unique<Network>(load_network(session_->device, path, options)); });
  }
  LoadedNetwork(const LoadedNetwork&) = delete;
  LoadedNetwork& operator=(const LoadedNetwork&) = delete;
  ~LoadedNetwork() {
    exclusively(*session_, [&] { network_.reset(); });
  }

  py::list run(const std::vector<py::array>& arrays, const py::object& progress, bool check) {
    const std::vector<graph::TensorId>& ids = network_->graph().inputs;
    std::vector<graph::Value> inputs;
    for (std::size_t i = 0; i < ids.size() && i < arrays.size(); ++i) {
      inputs.push_back(to_value(arrays[i], network_->graph().tensor(ids[i])));
    }
    const RunOptions options = run_options(progress, check);
    const std::vector<graph::Value> outputs = exclusively(*session_, [&] { return network_->run(inputs, options); });
    py::list results;
    for (const graph::Value& output : outputs) {
      results.append(to_array(output));
    }
    return results;
  }

  py::list tensors(bool inputs) const {
    const graph::Graph& graph = network_->graph();
    py::list list;
    for (const graph::TensorId id : inputs ? graph.inputs : graph.outputs) {
      const graph::Tensor& tensor = graph.tensor(id);
      py::dict dict;
      dict["name"] = tensor.name;
      dict["shape"] = py::tuple(py::cast(tensor.shape));
      dict["dtype"] = dtype_of(tensor.type);
      dict["scale"] = py::none();
      dict["zero_point"] = py::none();
      if (tensor.quantization && !tensor.quantization->per_channel()) {
        dict["scale"] = tensor.quantization->scale.front();
        dict["zero_point"] = tensor.quantization->zero_point.front();
      }
      list.append(dict);
    }
    return list;
  }

  std::string name() const { return network_->graph().name; }

  py::dict statistics() {
    const std::vector<StepReport> steps = exclusively(*session_, [&] { return network_->steps(); });
    return to_dict(steps);
  }

 private:
  std::shared_ptr<Session> session_;
  std::unique_ptr<Network> network_;
};

}  // namespace

void bind_network(py::module_& module) {
  py::class_<LoadedNetwork, std::shared_ptr<LoadedNetwork>>(module, "LoadedNetwork")
      .def(py::init<std::shared_ptr<Session>, std::string, std::map<std::string, std::int64_t>>())
      .def("name", &LoadedNetwork::name)
      .def("tensors", &LoadedNetwork::tensors)
      .def("run", &LoadedNetwork::run)
      .def("statistics", &LoadedNetwork::statistics);
}

}  // namespace systole::python
