// SPDX-License-Identifier: Apache-2.0
#include "tflite_translation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "attributes.hpp"
#include "check_operator.hpp"
#include "dependency_order.hpp"
#include "infer.hpp"

namespace systole::graph::tflite_file {
namespace {

constexpr std::array kHandlers = {weighted_handler, arithmetic_handler, movement_handler, block_handler,
                                  index_handler,    recurrent_handler,  variable_handler};

}  // namespace

Translation::Translation(const File& file, const std::string& name) : file_(file) {
  graph_.name = name;
  scope_.subgraph = &file.subgraph(0);
}

std::string Translation::place() const {
  return fmt::format("{}operator {} ({})", scope_.place, index_, file_.name(*op_));
}

void Translation::fail(const std::string& what) const { throw GraphError(fmt::format("{}: {}", place(), what)); }

namespace {

/// Calls the function for the indices of present tensors: -1 is an omitted one.
template <class Function>
void each(const flatbuffers::Vector<std::int32_t>* indices, Function function) {
  for (flatbuffers::uoffset_t i = 0; indices != nullptr && i < indices->size(); ++i) {
    if (indices->Get(i) >= 0) {
      function(indices->Get(i));
    }
  }
}

}  // namespace

/// The format requires topological order; a file in another order is accepted, but variables are read and assigned in
/// the order of the file.
std::vector<std::size_t> Translation::order() const {
  const auto* listed = scope_.subgraph->operators();
  const std::size_t operators = listed == nullptr ? 0 : listed->size();
  const auto op = [&](std::size_t i) -> const format::Operator& { return File::op(*scope_.subgraph, i); };
  std::unordered_map<std::int32_t, std::size_t> makers;
  for (std::size_t i = 0; i < operators; ++i) {
    each(op(i).outputs(), [&](std::int32_t tensor) { makers.emplace(tensor, i); });
  }
  std::vector<std::vector<std::size_t>> dependencies(operators);
  std::optional<std::size_t> last_with_variables;
  for (std::size_t i = 0; i < operators; ++i) {
    each(op(i).inputs(), [&](std::int32_t tensor) {
      if (const auto maker = makers.find(tensor); maker != makers.end()) {
        dependencies[i].push_back(maker->second);
      }
    });
    if (variable_handler(file_.code(op(i))) != nullptr) {
      if (last_with_variables) {
        dependencies[i].push_back(*last_with_variables);
      }
      last_with_variables = i;
    }
  }
  DependencyOrder found = dependency_order(dependencies);
  if (!found.cycle.empty()) {
    throw GraphError("operators form a cycle: " + cycle_text(found.cycle, [&](std::size_t i) {
                       return fmt::format("operator {} ({})", i, file_.name(op(i)));
                     }));
  }
  return std::move(found.order);
}

ModelContents Translation::run() {
  contents_.format = "TensorFlow Lite";
  const format::SubGraph& subgraph = *scope_.subgraph;
  const auto import_all = [&](const flatbuffers::Vector<std::int32_t>* indices, std::vector<TensorId>& ids) {
    for (flatbuffers::uoffset_t i = 0; indices != nullptr && i < indices->size(); ++i) {
      try {
        if (unknown_.count(indices->Get(i)) == 0) {
          ids.push_back(import_tensor(indices->Get(i)));
        }
      } catch (const GraphError& error) {
        obstacle(error);
        unknown_.insert(indices->Get(i));
      }
    }
  };
  import_all(subgraph.inputs(), graph_.inputs);
  for (const std::size_t i : order()) {
    translate(i);
  }
  op_ = nullptr;
  import_all(subgraph.outputs(), graph_.outputs);
  for (const TensorId id : taken_by_unread_) {
    if (!tensor(id).constant && std::find(graph_.outputs.begin(), graph_.outputs.end(), id) == graph_.outputs.end()) {
      graph_.outputs.push_back(id);
    }
  }
  try {
    finish_variables();
  } catch (const GraphError& error) {
    obstacle(error);
  }
  try {
    validate(graph_);
  } catch (const GraphError&) {
    if (contents_.obstacles.empty()) {
      throw;
    }
    graph_ = Graph{graph_.name, {}, {}, {}, {}};  // what was read is not a consistent graph without the rest
  }
  contents_.graph = std::move(graph_);
  return std::move(contents_);
}

void Translation::charge(std::size_t bytes) {
  constexpr std::size_t kTimes = 4;
  copied_ += bytes;
  if (copied_ > kTimes * file_.size()) {
    throw GraphError("parts of the file overlap: expanded, they are several times its size; the file is damaged");
  }
}

void Translation::begin(std::size_t index) {
  index_ = index;
  op_ = &File::op(*scope_.subgraph, index);
  code_ = file_.code(*op_);
  charge((1 + input_count() + output_count()) * sizeof(TensorId));
}

void Translation::translate_operator() {
  const std::size_t first = graph_.operators.size();
  handle();
  for (std::size_t i = first; i < graph_.operators.size(); ++i) {
    check_operator(graph_, graph_.operators[i]);
  }
}

void Translation::translate(std::size_t index) {
  begin(index);
  const std::size_t first = graph_.operators.size();
  try {
    if (takes_unknown()) {
      leave_out(true);
      return;
    }
    translate_operator();
  } catch (const GraphError& error) {
    graph_.operators.erase(graph_.operators.begin() + static_cast<std::ptrdiff_t>(first), graph_.operators.end());
    depthwise_.clear();  // may name results of removed operators
    turned_.clear();
    obstacle(error);
    leave_out(false);
  }
}

void Translation::obstacle(const GraphError& error) {
  const bool known = op_ == nullptr ||
                     std::any_of(kHandlers.begin(), kHandlers.end(), [&](auto find) { return find(code_) != nullptr; });
  Obstacle found;
  if (op_ != nullptr) {
    found.place = static_cast<int>(index_);
    found.type = file_.name(*op_);
    found.name = name_of_result();
  }
  found.kind = known ? "not supported" : "unknown operator";
  found.text = error.what();
  found.remedy = known ? "convert the model as the message says"
                       : "convert the model with TensorFlow Lite's built-in operators that "
                         "driver/compiler/frontends/README.md lists";
  contents_.obstacles.push_back(std::move(found));
}

/// The operators after it can be read, since the file has the shapes of all results.
void Translation::leave_out(bool waits) {
  contents_.unread.push_back({static_cast<int>(index_), file_.name(*op_), name_of_result(), waits});
  each(op_->inputs(), [&](std::int32_t tensor) {
    if (const auto found = scope_.ids.find(tensor); found != scope_.ids.end()) {
      taken_by_unread_.push_back(found->second);
    }
  });
  each(op_->outputs(), [&](std::int32_t tensor) {
    try {
      graph_.inputs.push_back(import_tensor(tensor));
    } catch (const GraphError&) {
      unknown_.insert(tensor);
    }
  });
}

bool Translation::takes_unknown() const {
  bool found = false;
  each(op_->inputs(), [&](std::int32_t tensor) { found = found || unknown_.count(tensor) != 0; });
  return found;
}

std::string Translation::name_of_result() const {
  std::string name;
  each(op_->outputs(), [&](std::int32_t tensor) {
    const auto* text = file_tensor(tensor).name();
    name = name.empty() && text != nullptr ? text->str() : name;
  });
  return name;
}

void Translation::handle() {
  for (const auto find : kHandlers) {
    if (const Handler handler = find(code_)) {
      try {
        handler(*this);
      } catch (const GraphError& error) {
        const std::string text = error.what();
        if (text.rfind("operator ", 0) == 0) {
          throw;
        }
        fail(text);
      }
      return;
    }
  }
  fail("is not supported; driver/compiler/frontends/README.md lists the operators that are");
}

std::size_t Translation::input_count() const { return op_->inputs() == nullptr ? 0 : op_->inputs()->size(); }

TensorId Translation::optional_input(std::size_t i) {
  constexpr std::int64_t kAbsent = -1;
  const std::int64_t index = raw_input(i);
  return index == kAbsent ? kNoTensor : import_tensor(index);
}

std::int64_t Translation::raw_input(std::size_t i) const {
  return i < input_count() ? op_->inputs()->Get(static_cast<flatbuffers::uoffset_t>(i)) : -1;
}

TensorId Translation::input(std::size_t i) {
  const TensorId id = optional_input(i);
  if (id == kNoTensor) {
    fail(fmt::format("input {} is missing", i));
  }
  return id;
}

std::size_t Translation::output_count() const { return op_->outputs() == nullptr ? 0 : op_->outputs()->size(); }

TensorId Translation::output(std::size_t i) {
  if (i >= output_count()) {
    fail(fmt::format("output {} is missing", i));
  }
  return import_tensor(op_->outputs()->Get(static_cast<flatbuffers::uoffset_t>(i)));
}

TensorId Translation::add_like(TensorId other, const Shape& shape, const char* suffix) {
  Tensor tensor = graph_.tensor(other);
  tensor.name += suffix;
  tensor.shape = shape;
  tensor.constant = nullptr;
  return add_tensor(std::move(tensor));
}

std::string Translation::unique(const std::string& wanted) {
  std::string name = wanted;
  while (!names_.insert(name).second) {
    name = fmt::format("{}#{}", wanted, ++repeats_[wanted]);
  }
  return name;
}

/// Whether it computes on real numbers without a scale. They have the rules of ONNX's, which the device has kernels
/// for; but the exponential is the C library's in float, as in TensorFlow Lite's kernel.
bool Translation::computes_reals(const OperatorKind& kind, const std::vector<TensorId>& inputs,
                                 const std::vector<TensorId>& outputs) const {
  const auto* unary = std::get_if<Unary>(&kind);
  const auto is_scaled = [&](TensorId id) { return id != kNoTensor && tensor(id).quantization.has_value(); };
  const auto is_float = [&](TensorId id) { return tensor(id).type == ElementType::kFloat32; };
  const bool real = is_float(outputs.at(0)) || (!inputs.empty() && is_float(inputs[0]));
  return real && !(unary != nullptr && unary->kind == UnaryKind::kExp) &&
         std::none_of(inputs.begin(), inputs.end(), is_scaled) &&
         std::none_of(outputs.begin(), outputs.end(), is_scaled);
}

void Translation::add(OperatorKind kind, std::vector<TensorId> inputs, std::vector<TensorId> outputs) {
  const bool reals = computes_reals(kind, inputs, outputs);
  Activation* fused = systole::graph::activation_of(kind);
  if (reals && fused != nullptr && *fused != Activation::kNone) {
    const Activation then = std::exchange(*fused, Activation::kNone);
    const TensorId before = add_like(outputs.at(0), tensor(outputs[0]).shape, "/before");
    add(std::move(kind), std::move(inputs), {before});
    add(function_of(then), {before}, std::move(outputs));
    return;
  }
  Operator op;
  op.origin = file_.name(*op_);
  const std::string& made = graph_.tensor(outputs.at(0)).name;
  op.name = unique(made.empty() ? fmt::format("{}_{}", op.origin, index_) : made);
  op.kind = std::move(kind);
  contents_.places[op.name] = static_cast<int>(scope_.depth == 0 ? index_ : scope_.index);
  op.arithmetic = reals ? Arithmetic::kOnnx : Arithmetic::kTfLite;
  op.inputs = std::move(inputs);
  op.outputs = std::move(outputs);
  if (!fold(op)) {
    graph_.operators.push_back(std::move(op));
  }
}

void Translation::add(OperatorKind kind, std::size_t count) {
  std::vector<TensorId> inputs;
  for (std::size_t i = 0; i < count; ++i) {
    inputs.push_back(input(i));
  }
  add(std::move(kind), std::move(inputs), {output()});
}

}  // namespace systole::graph::tflite_file
