// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bind.hpp"
#include "device_session.hpp"
#include "imported.hpp"
#include "network_json.hpp"
#include "numpy_values.hpp"
#include "statistics_dict.hpp"
#include "systole/errors.hpp"
#include "systole/execute.hpp"
#include "systole/graph_state.hpp"
#include "systole/load_network.hpp"
#include "systole/quantizer.hpp"

namespace systole::python {

namespace py = pybind11;

namespace {

using Dimensions = std::map<std::string, std::int64_t>;
/// Arrays, or texts of numbers and lists.
using Constants = std::map<std::string, std::variant<py::array, std::string>>;
using Names = std::vector<std::string>;
/// Functions of arrays and attributes, by domain and type of the operators that they are.
using Functions = std::map<std::string, OperatorFunction>;

/// Whether products are in block floating point. `precision` is "mx", or empty for that of the file.
bool takes_blocks(const std::string& precision) {
  if (!precision.empty() && precision != "mx") {
    throw InvalidArgument(
        fmt::format("precision: '{}'; expected 'mx', or None for the precision of the file", precision));
  }
  return !precision.empty();
}

/// The function of an operator, whose errors are those of the file: they have the place of its node.
OperatorFunction placed(const OperatorFunction& function) {
  return [function](const std::vector<Array>& operands, const Attributes& attributes) {
    try {
      return function(operands, attributes);
    } catch (const py::error_already_set& error) {
      const py::gil_scoped_acquire lock;
      if (!error.matches(py::module_::import("systole.errors").attr("Error"))) {
        throw;
      }
      throw graph::GraphError(py::str(error.value()).cast<std::string>());
    }
  };
}

/// How a network is read.
struct Reading {
  Dimensions dimensions;
  Constants constants;
  std::string precision;
  Names without;  ///< transformations
  Functions operators;

  graph::ImportOptions options() const {
    graph::ImportOptions options;
    options.dimensions = dimensions;
    options.without = without;
    for (const auto& [name, function] : operators) {
      options.operators.emplace(name, placed(function));
    }
    for (const auto& [name, given] : constants) {
      const auto* array = std::get_if<py::array>(&given);
      options.constants.emplace(name, array == nullptr
                                          ? graph::GivenConstant(std::get<std::string>(given))
                                          : graph::GivenConstant(to_value(*array, fmt::format("constant '{}'", name))));
    }
    return options;
  }
  bool blocks() const { return takes_blocks(precision); }
};

graph::Graph import_graph(const std::string& path, const graph::ImportOptions& options, bool blocks) {
  graph::Graph graph = graph::import_model(path, options);
  return blocks ? quantizer::to_blocks(graph) : graph;
}

/// The arrays as values of the graph's inputs.
std::vector<graph::Value> input_values(const graph::Graph& graph, const std::vector<py::array>& arrays) {
  std::vector<graph::Value> values;
  const std::vector<graph::TensorId> ids = graph::sample_inputs(graph);
  for (std::size_t i = 0; i < ids.size() && i < arrays.size(); ++i) {
    values.push_back(to_value(arrays[i], graph.tensor(ids[i])));
  }
  return values;
}

py::list to_arrays(const std::vector<graph::Value>& values) {
  py::list arrays;
  for (const graph::Value& value : values) {
    arrays.append(to_array(value));
  }
  return arrays;
}

/// Name, shape, type and quantization of the graph's inputs or outputs.
py::list described(const graph::Graph& graph, bool inputs) {
  py::list list;
  for (const graph::TensorId id : inputs ? graph::sample_inputs(graph) : graph::sample_outputs(graph)) {
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

/// A network that shares ownership of its device.
class LoadedNetwork {
 public:
  LoadedNetwork(std::shared_ptr<Session> session, const std::string& path, const Reading& reading)
      : session_(std::move(session)) {
    const graph::ImportOptions options = reading.options();
    const bool blocks = reading.blocks();
    exclusively(*session_, [&] {
      network_ = std::make_unique<Network>(
          blocks ? Network(session_->device,
                           compile_network(import_graph(path, options, blocks), session_->device.configuration(),
                                           {options.without, session_->device.memory_timing()}))
                 : load_network(session_->device, path, options));
    });
  }
  LoadedNetwork(std::shared_ptr<Session> session, const graph::Graph& graph) : session_(std::move(session)) {
    exclusively(*session_, [&] { network_ = std::make_unique<Network>(session_->device, graph); });
  }
  LoadedNetwork(const LoadedNetwork&) = delete;
  LoadedNetwork& operator=(const LoadedNetwork&) = delete;
  ~LoadedNetwork() {
    exclusively(*session_, [&] { network_.reset(); });
  }

  py::list run(const std::vector<py::array>& arrays, const py::object& progress, bool check) {
    const std::vector<graph::Value> inputs = input_values(network_->graph(), arrays);
    const RunOptions options = run_options(progress, check);
    return to_arrays(exclusively(*session_, [&] { return network_->run(inputs, options); }));
  }

  py::list tensors(bool inputs) const { return described(network_->graph(), inputs); }

  void reset_state() {
    exclusively(*session_, [&] { network_->reset_state(); });
  }

  std::string name() const { return network_->graph().name; }
  const TransformationCounts& transformations() const { return network_->transformations(); }

  void write_report(const std::string& path) {
    exclusively(*session_, [&] {
      report::write_report(path, report::network_json(name(), session_->device.configuration(), network_->steps(),
                                                      "systole.Network has no reference"));
    });
  }

  py::dict statistics() {
    const std::vector<StepReport> steps = exclusively(*session_, [&] { return network_->steps(); });
    return to_dict(steps);
  }

 private:
  std::shared_ptr<Session> session_;
  std::unique_ptr<Network> network_;
};

/// A network that the host computes, one operator after another.
class HostNetwork {
 public:
  HostNetwork(const std::string& path, const Reading& reading)
      : HostNetwork(import_graph(path, reading.options(), reading.blocks())) {}
  explicit HostNetwork(graph::Graph graph) : graph_(std::move(graph)), state_(graph_) {}

  py::list run(const std::vector<py::array>& arrays) {
    const std::vector<graph::Value> inputs = state_.with_states(input_values(graph_, arrays));
    const auto execute = [&] {
      const py::gil_scoped_release others_run;
      return graph::execute(graph_, inputs);
    };
    return to_arrays(state_.without_states(execute()));
  }

  void reset_state() { state_.reset(); }

  py::list tensors(bool inputs) const { return described(graph_, inputs); }
  /// The host executes the graph as it was read.
  TransformationCounts transformations() const { return {}; }
  std::string name() const { return graph_.name; }

 private:
  graph::Graph graph_;
  graph::GraphState state_;
};

/// The graph of a file, to be trained.
std::shared_ptr<graph::Graph> read_graph(const std::string& path, Dimensions dimensions, Constants constants,
                                         Functions operators) {
  graph::ImportOptions options =
      Reading{std::move(dimensions), std::move(constants), {}, {}, std::move(operators)}.options();
  options.training = true;
  return std::make_shared<graph::Graph>(import_graph(path, options, false));
}

/// The graph of a file as a function of `batch` pictures and of its parameters, and their names and values.
py::tuple trainable(const std::string& path, std::int64_t batch, Dimensions dimensions, Constants constants,
                    Functions operators) {
  const Reading reading{std::move(dimensions), std::move(constants), {}, {}, std::move(operators)};
  training::NetworkOptions evaluation;
  evaluation.batch = batch;
  evaluation.training = false;
  training::Network network = training::imported(import_graph(path, reading.options(), false), evaluation);
  py::list names, values;
  for (const training::Parameter& parameter : network.parameters) {
    names.append(parameter.variable.name);
    values.append(to_array(parameter.variable.initial));
  }
  network.graph.outputs = {network.scores};
  return py::make_tuple(std::make_shared<graph::Graph>(std::move(network.graph)), names, values);
}

}  // namespace

void bind_network(py::module_& module) {
  module.def("read_graph", &read_graph);
  module.def("trainable", &trainable);
  py::class_<LoadedNetwork, std::shared_ptr<LoadedNetwork>>(module, "LoadedNetwork")
      .def(py::init([](std::shared_ptr<Session> session, const std::string& path, Dimensions dimensions,
                       Constants constants, std::string precision, Names without, Functions operators) {
        return std::make_shared<LoadedNetwork>(std::move(session), path,
                                               Reading{std::move(dimensions), std::move(constants),
                                                       std::move(precision), std::move(without), std::move(operators)});
      }))
      .def(py::init([](std::shared_ptr<Session> session, const graph::Graph& graph) {
        return std::make_shared<LoadedNetwork>(std::move(session), graph);
      }))
      .def("name", &LoadedNetwork::name)
      .def("transformations", &LoadedNetwork::transformations)
      .def("tensors", &LoadedNetwork::tensors)
      .def("run", &LoadedNetwork::run)
      .def("reset_state", &LoadedNetwork::reset_state)
      .def("statistics", &LoadedNetwork::statistics)
      .def("write_report", &LoadedNetwork::write_report);
  py::class_<HostNetwork, std::shared_ptr<HostNetwork>>(module, "HostNetwork")
      .def(py::init([](const std::string& path, Dimensions dimensions, Constants constants, std::string precision,
                       Names without, Functions operators) {
        return std::make_shared<HostNetwork>(
            path, Reading{std::move(dimensions), std::move(constants), std::move(precision), std::move(without),
                          std::move(operators)});
      }))
      .def(py::init([](const graph::Graph& graph) { return std::make_shared<HostNetwork>(graph); }))
      .def("name", &HostNetwork::name)
      .def("transformations", &HostNetwork::transformations)
      .def("tensors", &HostNetwork::tensors)
      .def("run", &HostNetwork::run)
      .def("reset_state", &HostNetwork::reset_state);
}

}  // namespace systole::python
