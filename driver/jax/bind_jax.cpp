// SPDX-License-Identifier: Apache-2.0
// The Python bindings with which the translator of StableHLO builds a program.
#include "bind_jax.hpp"

#include <fmt/core.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "executable.hpp"
#include "function_names.hpp"
#include "jax_builder.hpp"
#include "max_pool_gradient.hpp"
#include "systole/errors.hpp"

namespace systole::pjrt {

namespace py = pybind11;
using graph::ElementType;
using graph::Shape;
using graph::TensorId;

namespace {

constexpr ElementType kElementTypes[] = {ElementType::kInt8,     ElementType::kUint8,   ElementType::kInt16,
                                         ElementType::kUint16,   ElementType::kInt32,   ElementType::kUint32,
                                         ElementType::kInt64,    ElementType::kUint64,  ElementType::kFloat16,
                                         ElementType::kBfloat16, ElementType::kFloat32, ElementType::kBool};

ElementType type_named(const std::string& name) {
  for (const ElementType type : kElementTypes) {
    if (name == graph::name_of(type)) {
      return type;
    }
  }
  throw graph::GraphError(fmt::format("elements of type {}", name));
}

template <class Kind>
Kind known(const std::optional<Kind>& kind, const std::string& words) {
  if (!kind) {
    throw InternalError(fmt::format("the translator asks for the function '{}', which does not exist", words));
  }
  return *kind;
}

Window window_of(const std::vector<int>& w) {
  return {w.at(0), w.at(1), w.at(2), w.at(3), w.at(4), w.at(5), w.at(6), w.at(7), w.at(8), w.at(9)};
}

TensorId constant(JaxBuilder& b, const std::string& type, const Shape& shape, const py::bytes& elements) {
  const std::string_view view = elements;
  graph::Value value{type_named(type), shape, graph::Bytes(view.begin(), view.end())};
  if (value.data.size() != static_cast<std::size_t>(graph::count(shape)) * graph::element_size(value.type)) {
    throw InternalError(fmt::format("a constant of {} {} with {} bytes", graph::to_string(shape), type, view.size()));
  }
  return b.shared_constant(value);
}

graph::ScatterCombine combine_named(const std::string& words) {
  using Combine = graph::ScatterCombine;
  for (const Combine combine :
       {Combine::kReplace, Combine::kAdd, Combine::kMultiply, Combine::kMaximum, Combine::kMinimum}) {
    if (words == name_of(combine)) {
      return combine;
    }
  }
  throw InternalError(fmt::format("the translator asks for '{}' of a scatter", words));
}

void bind_builder(py::module_& module) {
  py::class_<JaxBuilder, std::shared_ptr<JaxBuilder>>(module, "JaxBuilder")
      .def(py::init<std::string>())
      .def("at", &JaxBuilder::at)
      .def("shape", [](const JaxBuilder& b, TensorId x) { return b.shape(x); })
      .def("type", [](const JaxBuilder& b, TensorId x) { return graph::name_of(b.type(x)); })
      .def("is_constant", &JaxBuilder::is_constant)
      .def("elements",
           [](const JaxBuilder& b, TensorId x) {
             const graph::Bytes& bytes = *b.tensor(x).constant;
             return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
           })
      .def("input", [](JaxBuilder& b, const std::string& name, const std::string& type,
                       const Shape& shape) { return b.input(name, type_named(type), shape); })
      .def("constant", &constant)
      .def("unary", [](JaxBuilder& b, const std::string& words, TensorId x, float alpha,
                       float beta) { return b.unary(known(graph::unary_in_words(words), words), x, alpha, beta); })
      .def("binary", [](JaxBuilder& b, const std::string& words, TensorId x,
                        TensorId y) { return b.binary(known(graph::binary_in_words(words), words), x, y); })
      .def("select", &JaxBuilder::select)
      .def("convert", [](JaxBuilder& b, TensorId x,
                         const std::string& type) { return b.append(graph::Convert{}, {x}, type_named(type)); })
      .def("reduce",
           [](JaxBuilder& b, const std::string& kind, TensorId x, std::vector<int> axes) {
             return b.reduce(known(graph::reduce_in_words(kind), kind), x, std::move(axes), false);
           })
      .def("reinterpret", [](JaxBuilder& b, TensorId x,
                             const std::string& type) { return b.append(graph::Reinterpret{}, {x}, type_named(type)); })
      .def("reshape", &JaxBuilder::reshape)
      .def("transpose", &JaxBuilder::transpose)
      .def("slice", &JaxBuilder::slice)
      .def("pad", &JaxBuilder::pad)
      .def("concat", &JaxBuilder::concat)
      .def("product",
           [](JaxBuilder& b, std::vector<TensorId> operands, bool transpose_x, bool transpose_y, bool blocks) {
             return b.weighted(graph::MatMul{transpose_x, transpose_y}, std::move(operands), blocks);
           })
      .def("convolution",
           [](JaxBuilder& b, std::vector<TensorId> operands, const std::vector<int>& window, int groups, bool blocks) {
             return b.weighted(graph::Conv2d{window_of(window), groups}, std::move(operands), blocks);
           })
      .def("max_pool",
           [](JaxBuilder& b, TensorId x, const std::vector<int>& window) {
             return b.append(graph::Pool{graph::PoolKind::kMax, window_of(window)}, {x});
           })
      .def("max_pool_gradient",
           [](JaxBuilder& b, TensorId pooled, TensorId maxima, TensorId gradient, const std::vector<int>& window) {
             return training::max_pool_gradient(b, window_of(window), pooled, maxima, gradient);
           })
      .def("gather",
           [](JaxBuilder& b, TensorId data, TensorId indices, int axis) {
             return b.append(graph::Gather{axis}, {data, indices});
           })
      .def("flat_index",
           [](JaxBuilder& b, TensorId indices, const Shape& shape) {
             return b.append(graph::FlatIndex{shape}, {indices}, ElementType::kInt64);
           })
      .def("scatter",
           [](JaxBuilder& b, const std::string& combine, TensorId data, TensorId indices, TensorId updates) {
             return b.append(graph::Scatter{combine_named(combine)}, {data, indices, updates});
           })
      .def("top_k", &JaxBuilder::top_k)
      .def("arg_extreme",
           [](JaxBuilder& b, TensorId x, bool largest, int axis, const std::string& type) {
             return b.append(graph::ArgExtreme{largest, axis, false}, {x}, type_named(type));
           })
      .def("cumulative_sum",
           [](JaxBuilder& b, TensorId x, int axis, bool reverse) {
             return b.append(graph::CumulativeSum{axis, false, reverse}, {x});
           })
      .def("finish", [](JaxBuilder& b, std::vector<TensorId> outputs, bool blocks) {
        return std::make_shared<graph::Graph>(b.finish_program(std::move(outputs), blocks));
      });
}

void bind_routine(py::module_& module) {
  py::class_<Routine, std::shared_ptr<Routine>>(module, "JaxRoutine")
      .def(py::init([](std::size_t registers, std::vector<Register> inputs, std::vector<Register> outputs) {
        return std::make_shared<Routine>(Routine{registers, std::move(inputs), std::move(outputs), {}});
      }))
      .def(
          "block",
          [](Routine& routine, const graph::Graph& graph, std::vector<Register> inputs, std::vector<Register> outputs) {
            routine.steps.emplace_back(Block{graph, std::move(inputs), std::move(outputs)});
          })
      .def("loop",
           [](Routine& routine, std::shared_ptr<Routine> condition, std::shared_ptr<Routine> body,
              std::vector<Register> inputs, std::vector<Register> outputs) {
             routine.steps.emplace_back(
                 Loop{std::move(condition), std::move(body), std::move(inputs), std::move(outputs)});
           })
      .def("exchange",
           [](Routine& routine, Register input, std::vector<Register> outputs) {
             routine.steps.emplace_back(Exchange{input, std::move(outputs)});
           })
      .def("choice", [](Routine& routine, Register number, std::vector<std::shared_ptr<Routine>> branches,
                        std::vector<Register> inputs, std::vector<Register> outputs) {
        routine.steps.emplace_back(Choice{number, std::move(branches), std::move(inputs), std::move(outputs)});
      });
  py::class_<Translation, std::shared_ptr<Translation>>(module, "JaxTranslation")
      .def(py::init([](std::string name, const std::vector<std::pair<std::string, Shape>>& outputs,
                       std::vector<std::size_t> donated, std::vector<int> devices, std::string shardings,
                       const Routine& routine) {
        Translation translation{std::move(name),      {},     std::move(donated), std::move(devices),
                                std::move(shardings), routine};
        for (const auto& [type, shape] : outputs) {
          translation.outputs.push_back({type_named(type), shape});
        }
        return std::make_shared<Translation>(std::move(translation));
      }));
}

}  // namespace

void bind_jax(py::module_& module) {
  bind_builder(module);
  bind_routine(module);
}

StablehloVersions stablehlo_versions() {
  const py::gil_scoped_acquire lock;
  const py::module_ stablehlo = py::module_::import("jaxlib.mlir.dialects.stablehlo");
  const auto numbers = [&](const char* function) {
    std::array<std::int64_t, 3> version{};
    const py::list parts = stablehlo.attr(function)().attr("split")(".");
    for (std::size_t i = 0; i < version.size(); ++i) {
      version[i] = py::int_(py::object(parts[i])).cast<std::int64_t>();
    }
    return version;
  };
  return {numbers("get_current_version"), numbers("get_minimum_version")};
}

std::shared_ptr<const Translation> translate(std::string_view code, std::string_view options) {
  const py::gil_scoped_acquire lock;
  try {
    const py::object translated =
        py::module_::import("systole_jax.translate")
            .attr("translate")(py::bytes(code.data(), code.size()), py::bytes(options.data(), options.size()));
    return translated.cast<std::shared_ptr<Translation>>();
  } catch (py::error_already_set& error) {
    const bool refused = error.matches(py::module_::import("systole_jax.refusal").attr("Refusal")) ||
                         error.matches(py::module_::import("systole.errors").attr("ModelError"));
    const std::string text =
        refused ? py::str(error.value()).cast<std::string>() : std::string("systole: ") + error.what();
    throw CallError({refused ? ErrorCode::kUnimplemented : ErrorCode::kInternal, text});
  }
}

}  // namespace systole::pjrt
