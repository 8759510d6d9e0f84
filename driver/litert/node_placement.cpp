// SPDX-License-Identifier: Apache-2.0
#include "node_placement.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "context_model.hpp"
#include "format_generated.h"
#include "read_part.hpp"
#include "systole/execution_plan.hpp"

namespace systole::litert {
namespace {

using Code = tflite::OperatorCodeNumber;

Placement described(const Context& context, int index, const NodeView& view) {
  Placement placement;
  placement.node = index;
  const auto code = static_cast<Code>(view.kernel->builtin_code);
  const char* known = tflite::EnumNameOperatorCodeNumber(code);
  placement.type = code == Code::CUSTOM && view.kernel->custom_name != nullptr ? view.kernel->custom_name
                   : *known != '\0'                                            ? known
                                    : fmt::format("operator number {}", view.kernel->builtin_code);
  for (const int output : present(view.node->outputs)) {
    if (placement.name.empty() && context.tensors[output].name != nullptr) {
      placement.name = context.tensors[output].name;
    }
  }
  return placement;
}

/// What the interpreter keeps, whatever the device can do.
std::string kept(const Context& context, const NodeView& view) {
  for (const int input : present(view.node->inputs)) {
    if (context.tensors[input].is_variable) {
      return "it has a state, which the interpreter keeps from run to run";
    }
  }
  switch (static_cast<Code>(view.kernel->builtin_code)) {
    case Code::IF:
    case Code::WHILE: return "it runs subgraphs of the interpreter";
    case Code::CALL_ONCE:
    case Code::VAR_HANDLE:
    case Code::READ_VARIABLE:
    case Code::ASSIGN_VARIABLE: return "it works on variables of the interpreter";
    default: return {};
  }
}

void set(std::string& reason, const std::string& text) {
  if (reason.empty()) {
    reason = text;
  }
}

}  // namespace

std::vector<Placement> placements(Context& context, const Device& device) {
  const Part plan = whole_plan(context);
  std::vector<Placement> found;
  for (const int index : plan.nodes) {
    const NodeView view = node_of(context, index);
    found.push_back(described(context, index, view));
    found.back().reason = kept(context, view);
  }
  const graph::ModelContents contents = read_part(context, plan, "plan");
  for (const graph::Obstacle& obstacle : contents.obstacles) {
    if (obstacle.place >= 0) {
      set(found.at(static_cast<std::size_t>(obstacle.place)).reason, obstacle.text);
    }
  }
  for (const graph::UnreadOperator& unread : contents.unread) {
    set(found.at(static_cast<std::size_t>(unread.place)).reason,
        "its input is the result of an operator that is not read");
  }
  if (contents.graph.outputs.empty()) {
    for (Placement& placement : found) {
      set(placement.reason, "nothing of the graph can be read");
    }
    return found;
  }
  const ExecutionPlan execution = plan_execution(contents.graph, device.configuration(), {{}, device.memory_timing()});
  for (std::size_t i = 0; i < execution.operators.size(); ++i) {
    const auto place = contents.places.find(execution.graph.operators[i].name);
    if (place != contents.places.end() && !execution.operators[i].on_device) {
      set(found.at(static_cast<std::size_t>(place->second)).reason, execution.operators[i].reason);
    }
  }
  return found;
}

}  // namespace systole::litert
