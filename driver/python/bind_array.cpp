// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "attributes.hpp"
#include "bind.hpp"
#include "differentiate.hpp"
#include "graph_builder.hpp"
#include "numpy_values.hpp"
#include "systole/array.hpp"
#include "systole/errors.hpp"
#include "systole/formula.hpp"

namespace systole::python {

namespace py = pybind11;

namespace {

/// The kind of this name, of kinds up to `last`.
template <class Kind>
Kind kind_of(const std::string& name, Kind last) {
  for (int kind = 0; kind <= static_cast<int>(last); ++kind) {
    if (name == graph::name_of(static_cast<Kind>(kind))) {
      return static_cast<Kind>(kind);
    }
  }
  throw InternalError(fmt::format("kernel: no operator '{}'", name));
}

std::shared_ptr<graph::Graph> recorded(const std::string& name, const std::vector<py::array>& arrays,
                                       const ArrayFunction& function) {
  std::vector<ArrayType> types;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const std::string operand = fmt::format("{}: operand {}", name, i);
    types.push_back(
        {element_type_of(arrays[i], operand), graph::Shape(arrays[i].shape(), arrays[i].shape() + arrays[i].ndim())});
  }
  return std::make_shared<graph::Graph>(record(name, types, function));
}

OperatorFunction formula(const std::string& path, bool trains) {
  try {
    return read_formula(path, trains ? FormulaUse::kTraining : FormulaUse::kInference);
  } catch (const FileError& error) {
    throw graph::GraphError(error.what());
  }
}

/// A graph whose only result is one number, with its gradients for the inputs of real numbers as further results.
std::shared_ptr<graph::Graph> value_and_gradients(const graph::Graph& of) {
  if (of.outputs.size() != 1 || graph::count(of.tensor(of.outputs[0]).shape) != 1) {
    throw InvalidArgument(fmt::format(
        "{}: has {} results, the first of shape {}; a function with a gradient has one result, one number: sum or mean",
        of.name, of.outputs.size(), graph::to_string(of.tensor(of.outputs.at(0)).shape)));
  }
  auto graph = std::make_shared<graph::Graph>(of);
  std::vector<graph::TensorId> real;
  std::copy_if(graph->inputs.begin(), graph->inputs.end(), std::back_inserter(real), [&](graph::TensorId id) {
    const graph::ElementType type = graph->tensor(id).type;
    return type == graph::ElementType::kFloat32 || type == graph::ElementType::kFloat64;
  });
  const std::vector<graph::TensorId> gradients = training::differentiate(*graph, of.outputs[0], real);
  graph::GraphBuilder writer(*graph, "result");
  for (const graph::TensorId gradient : gradients) {  // some may be constants, operands, or the same
    graph->outputs.push_back(writer.unary(graph::UnaryKind::kIdentity, gradient));
  }
  validate(*graph);
  return graph;
}

}  // namespace

void bind_array(py::module_& module) {
  py::class_<graph::Graph, std::shared_ptr<graph::Graph>>(module, "Graph");
  py::class_<Array>(module, "RecordedArray")
      .def("shape", [](const Array& a) { return py::tuple(py::cast(a.shape())); })
      .def("dtype", [](const Array& a) { return dtype_of(a.type()); })
      .def("number", &Array::number)
      .def("unary", [](const Array& a, const std::string& kind, float alpha,
                       float beta) { return a.unary(kind_of(kind, graph::UnaryKind::kReciprocalSqrt), alpha, beta); })
      .def("binary", [](const Array& a, const std::string& kind,
                        const Array& b) { return a.binary(kind_of(kind, graph::BinaryKind::kStraightThrough), b); })
      .def("reduce",
           [](const Array& a, const std::string& kind, std::vector<int> axes, bool keep) {
             return a.reduce(kind_of(kind, graph::ReduceKind::kProduct), std::move(axes), keep);
           })
      .def("reshape", &Array::reshape)
      .def("transpose", &Array::transpose)
      .def("matmul", &Array::matmul)
      .def("select", &Array::select);
  module.def("record", &recorded);
  module.def("arrays_of", &Array::of);
  module.def("read_formula", &formula);
  module.def("with_derivative", &with_derivative);
  module.def("value_and_gradients", &value_and_gradients);
}

}  // namespace systole::python
