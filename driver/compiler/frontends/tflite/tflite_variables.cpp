// SPDX-License-Identifier: Apache-2.0
// Variables, and subgraphs that take the place of the operator that calls them. A variable that is read and assigned is
// a state of the graph (Graph::states); one that is only read is a constant.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "attributes.hpp"
#include "check_operator.hpp"
#include "quantized_types.hpp"
#include "tflite_translation.hpp"

namespace systole::graph::tflite_file {
namespace {

using Code = format::OperatorCodeNumber;

void var_handle(Translation& t) {
  const auto& o = t.options<format::VarHandleOptions>();
  const auto text = [](const flatbuffers::String* string) { return string == nullptr ? "" : string->str(); };
  t.declare_variable(fmt::format("{}/{}", text(o.container()), text(o.shared_name())));
}

void call_once(Translation& t) { t.call(t.options<format::CallOnceOptions>().subgraph(), 0, /*initializes=*/true); }

void branch(Translation& t) {
  const auto& o = t.options<format::IfOptions>();
  const Tensor& condition = t.tensor(t.input(0));
  if (!condition.constant || condition.type != ElementType::kBool || count(condition.shape) != 1) {
    t.fail(
        fmt::format("the condition ({}) must be one constant bool, so that one branch is always taken; convert the "
                    "model with a SELECT of both results",
                    title(condition)));
  }
  t.call((*condition.constant)[0] != 0 ? o.then_subgraph() : o.else_subgraph(), 1);
}

void read(Translation& t) { t.read_variable(); }
void assign(Translation& t) { t.assign_variable(); }

flatbuffers::uoffset_t size_of(const flatbuffers::Vector<std::int32_t>* list) {
  return list == nullptr ? 0 : list->size();
}

}  // namespace

void Translation::declare_variable(const std::string& name) {
  charge(name.size());
  if (output_count() != 1) {
    fail(fmt::format("{} outputs; expected one resource", output_count()));
  }
  scope_.variables[op_->outputs()->Get(0)] = name;
}

Translation::Variable& Translation::variable_of_input() {
  const auto found = scope_.variables.find(raw_input(0));
  if (found == scope_.variables.end()) {
    fail("input 0 is no resource of a VAR_HANDLE");
  }
  return variables_[found->second];
}

void Translation::read_variable() {
  Variable& variable = variable_of_input();
  if (scope_.initializes || output_count() != 1) {
    fail("a variable is read by an operator with one output, and not where it is initialized");
  }
  const std::int64_t index = op_->outputs()->Get(0);
  Tensor declared = described(file_tensor(index), index, fmt::format("tensor {}", index));
  if (variable.now == kNoTensor) {
    variable.before = variable.now = add_tensor(std::move(declared));
  } else if (const Tensor& now = tensor(variable.now); now.type != declared.type || now.shape != declared.shape) {
    fail(fmt::format("{} is read from a variable whose value is {}", title(declared), title(now)));
  } else if (!same_quantization(now, declared)) {
    fail(fmt::format("{} with {} is read from a variable whose value has {}", title(declared),
                     quantization_text(declared), quantization_text(now)));
  }
  scope_.ids[index] = variable.now;
}

void Translation::assign_variable() {
  Variable& variable = variable_of_input();
  const TensorId value = input(1);
  if (!scope_.initializes) {
    variable.now = value;
  } else if (tensor(value).constant) {
    variable.first = value;
  } else {
    fail(fmt::format("the first value of a variable ({}) must be constant", title(tensor(value))));
  }
}

void Translation::call(std::int64_t subgraph, std::size_t first_input, bool initializes) {
  constexpr int kDeepest = 16;
  if (scope_.depth == kDeepest) {
    fail(fmt::format("subgraphs call each other more than {} deep", kDeepest));
  }
  Scope callee;
  callee.subgraph = &file_.subgraph(subgraph);
  callee.place = fmt::format("{}, subgraph {}, ", place(), subgraph);
  callee.index = scope_.depth == 0 ? index_ : scope_.index;
  callee.depth = scope_.depth + 1;
  callee.initializes = initializes || scope_.initializes;
  const auto* inputs = callee.subgraph->inputs();
  const auto* outputs = callee.subgraph->outputs();
  if (first_input + size_of(inputs) != input_count() || size_of(outputs) != output_count()) {
    fail(fmt::format("it gives {} inputs and takes {} outputs; subgraph {} has {} and {}",
                     input_count() - std::min(first_input, input_count()), output_count(), subgraph, size_of(inputs),
                     size_of(outputs)));
  }
  for (flatbuffers::uoffset_t i = 0; i < size_of(inputs); ++i) {
    const std::int64_t given = raw_input(first_input + i);
    if (const auto variable = scope_.variables.find(given); variable != scope_.variables.end()) {
      callee.variables.emplace(inputs->Get(i), variable->second);
    } else {
      callee.ids.emplace(inputs->Get(i), input(first_input + i));
    }
  }
  const std::vector<TensorId> results = translated(std::move(callee));
  for (std::size_t i = 0; i < results.size(); ++i) {
    scope_.ids[op_->outputs()->Get(static_cast<flatbuffers::uoffset_t>(i))] = results[i];
  }
}

std::vector<TensorId> Translation::translated(Scope callee) {
  /// Returns to the caller, also after an error.
  struct Return {
    Translation& translation;
    Scope scope;
    std::size_t index;
    const format::Operator* op;
    Code code;
    ~Return() {
      translation.scope_ = std::move(scope);
      translation.index_ = index;
      translation.op_ = op;
      translation.code_ = code;
    }
  };
  const Return back{*this, std::exchange(scope_, std::move(callee)), index_, op_, code_};
  for (const std::size_t i : order()) {
    begin(i);
    translate_operator();
  }
  std::vector<TensorId> results;
  for (flatbuffers::uoffset_t i = 0; i < size_of(scope_.subgraph->outputs()); ++i) {
    results.push_back(import_tensor(scope_.subgraph->outputs()->Get(i)));
  }
  return results;
}

void Translation::finish_variables() {
  for (auto& [name, variable] : variables_) {
    if (variable.before == kNoTensor) {
      continue;
    }
    Tensor& before = graph_.tensor(variable.before);
    limit_states(before);
    const bool initialized = variable.first != kNoTensor;
    const std::shared_ptr<const Bytes> first = initialized ? tensor(variable.first).constant : zeros(before);
    if (initialized && tensor(variable.first).type != before.type) {
      throw GraphError(fmt::format("variable '{}', {}, is initialized with {}; both need the same type", name,
                                   title(before), title(tensor(variable.first))));
    }
    if (first->size() != static_cast<std::size_t>(count(before.shape)) * element_size(before.type)) {
      throw GraphError(
          fmt::format("variable '{}', {}, is initialized with {} bytes", name, title(before), first->size()));
    }
    if (variable.now == variable.before) {
      before.constant = first;
      continue;
    }
    const Tensor& after = tensor(variable.now);
    if (before.type != after.type || before.shape != after.shape || !same_quantization(before, after)) {
      throw GraphError(
          fmt::format("variable '{}' is read as {} and assigned as {}; both need the same shape, type and "
                      "quantization",
                      name, title(before), title(after)));
    }
    graph_.inputs.push_back(variable.before);
    graph_.outputs.push_back(variable.now);
    graph_.states.push_back(first);
  }
}

Handler variable_handler(Code code) {
  switch (code) {
    case Code::VAR_HANDLE: return var_handle;
    case Code::READ_VARIABLE: return read;
    case Code::ASSIGN_VARIABLE: return assign;
    case Code::CALL_ONCE: return call_once;
    case Code::IF: return branch;
    default: return nullptr;
  }
}

}  // namespace systole::graph::tflite_file
