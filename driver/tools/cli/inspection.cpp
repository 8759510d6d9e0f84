// SPDX-License-Identifier: Apache-2.0
#include "inspection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "attributes.hpp"
#include "execution_notes.hpp"
#include "graph_listing.hpp"

namespace systole::cli {
namespace {

using graph::Operator;

constexpr const char* kRefused = "not supported";

int place_of(const graph::ModelContents& contents, const Operator& op) {
  const auto found = contents.places.find(op.name);
  return found == contents.places.end() ? -1 : found->second;
}

/// A Systole file has no numbering but that of its graph.
int place_in_file(const graph::ModelContents& contents, std::size_t i) {
  return contents.places.empty() && contents.unread.empty() ? static_cast<int>(i)
                                                            : place_of(contents, contents.graph.operators[i]);
}

std::string type_of(const Operator& op) { return op.origin.empty() ? graph::name_of(op.kind) : op.origin; }

InspectedOperator inspected(const graph::Graph& graph, const Operator& op, const PlannedOperator& plan, int place) {
  const graph::Tensor& output = graph.tensor(op.outputs[0]);
  InspectedOperator row;
  row.place = place;
  row.type = type_of(op);
  row.parameters = graph::attributes(op.kind);
  row.shape = graph::to_string(output.shape);
  if (op.outputs.size() > 1) {
    row.shape += fmt::format(" and {} more", op.outputs.size() - 1);
  }
  row.element = graph::name_of(output.type);
  row.quantization = graph::quantization_text(output);
  row.macs = graph::useful_macs(graph, op);
  row.runs_on = plan.on_device ? RunsOn::kDevice : plan.refusal.empty() ? RunsOn::kHost : RunsOn::kNothing;
  row.reason = plan.refusal.empty() ? plan.reason : kRefused;
  row.host_parts = row.runs_on == RunsOn::kHost ? 1 : 0;
  return row;
}

/// Merges `next` into `row`: both belong to the same operator of the file; the last one computes its result.
void join(InspectedOperator& row, InspectedOperator next) {
  next.parts = row.parts + 1;
  next.host_parts += row.host_parts;
  next.macs += row.macs;
  next.type = row.type;
  next.parameters = fmt::format("{} operators", next.parts);
  next.runs_on = row.runs_on == RunsOn::kNothing || next.runs_on == RunsOn::kNothing ? RunsOn::kNothing
                 : next.host_parts > 0                                               ? RunsOn::kHost
                                                                                     : RunsOn::kDevice;
  if (next.reason.empty()) {
    next.reason = row.reason;
  }
  row = std::move(next);
}

InspectedOperator unread(const graph::ModelContents& contents, const graph::UnreadOperator& op) {
  InspectedOperator row;
  row.place = op.place;
  row.type = op.type;
  row.runs_on = op.waits ? RunsOn::kUnknown : RunsOn::kNothing;
  const auto found = std::find_if(contents.obstacles.begin(), contents.obstacles.end(),
                                  [&](const auto& o) { return o.place == op.place; });
  row.reason = op.waits || found == contents.obstacles.end() ? "takes what was not read" : found->kind;
  return row;
}

nlohmann::ordered_json to_json(const graph::Obstacle& obstacle) {
  const auto or_null = [](const std::string& text) {
    return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
  };
  return {{"place", obstacle.place < 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(obstacle.place)},
          {"type", or_null(obstacle.type)},
          {"name", or_null(obstacle.name)},
          {"kind", obstacle.kind},
          {"text", obstacle.text},
          {"remedy", obstacle.remedy},
          {"options", obstacle.options}};
}

/// Operators that neither device nor host computes.
void report_refused(graph::ModelContents& contents, const std::vector<PlannedOperator>& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!plan[i].refusal.empty()) {
      const Operator& op = contents.graph.operators[i];
      contents.obstacles.push_back({place_in_file(contents, i), type_of(op), op.name, kRefused, plan[i].refusal,
                                    "export the operator as the message says, or as other operators"});
    }
  }
}

}  // namespace

Inspection inspect(graph::ModelContents contents, const Configuration& configuration, const CompileOptions& options) {
  Inspection inspection;
  try {
    ExecutionPlan plan;
    if (!contents.graph.outputs.empty()) {
      plan = plan_execution(contents.graph, configuration, options);
      contents.graph = std::move(plan.graph);
    }
    inspection.plan = std::move(plan.operators);
    std::vector<bool> on_device;
    for (const PlannedOperator& op : inspection.plan) {
      on_device.push_back(op.on_device);
    }
    for (std::string& note : execution_notes(contents.graph, on_device)) {
      contents.remarks.push_back(std::move(note));
    }
    if (const std::vector<std::string> missing = missing_parts(configuration); !missing.empty()) {
      contents.remarks.push_back(fmt::format("configuration {} is without: {}; the host runs what needs them",
                                             configuration.name, fmt::join(missing, ", ")));
    }
    report_refused(contents, inspection.plan);
  } catch (const std::runtime_error& error) {  // for example if device memory is too small
    contents.obstacles.push_back({-1, "", "", "not compiled", error.what(), "see the text"});
    inspection.plan.assign(contents.graph.operators.size(), {false, "not compiled", ""});
  }
  std::vector<graph::UnreadOperator> left_out = contents.unread;
  std::sort(left_out.begin(), left_out.end(), [](const auto& a, const auto& b) { return a.place < b.place; });
  auto next_unread = left_out.begin();
  const auto add_unread = [&](int before) {
    for (; next_unread != left_out.end() && next_unread->place < before; ++next_unread) {
      inspection.operators.push_back(unread(contents, *next_unread));
    }
  };
  const graph::Graph& graph = contents.graph;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const Operator& op = graph.operators[i];
    const int place = place_in_file(contents, i);
    InspectedOperator row = inspected(graph, op, inspection.plan[i], place);
    inspection.macs += row.macs;
    add_unread(place);
    if (place >= 0 && !inspection.operators.empty() && inspection.operators.back().place == place) {
      join(inspection.operators.back(), std::move(row));
    } else {
      inspection.operators.push_back(std::move(row));
    }
  }
  add_unread(std::numeric_limits<int>::max());
  inspection.contents = std::move(contents);
  return inspection;
}

std::vector<std::string> Inspection::missing_options() const {
  std::vector<std::string> options;
  for (const graph::Obstacle& obstacle : contents.obstacles) {
    if (obstacle.options.empty()) {
      return {};
    }
    for (const std::string& option : obstacle.options) {
      if (std::find(options.begin(), options.end(), option) == options.end()) {
        options.push_back(option);
      }
    }
  }
  return options;
}

nlohmann::ordered_json to_json(const Inspection& inspection) {
  const graph::ModelContents& contents = inspection.contents;
  nlohmann::ordered_json json = graph::to_json(contents.graph);
  std::uint64_t operators = 0, macs = 0, host_operators = 0, host_macs = 0;
  for (std::size_t i = 0; i < contents.graph.operators.size(); ++i) {
    nlohmann::ordered_json& op = json["operators"][i];
    const int place = place_of(contents, contents.graph.operators[i]);
    const PlannedOperator& plan = inspection.plan[i];
    const bool on_host = !plan.on_device && plan.refusal.empty();
    const auto useful = op["macs"].get<std::uint64_t>();
    op["place"] = place < 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(place);
    op["share"] = inspection.macs == 0 ? 0.0 : static_cast<double>(useful) / static_cast<double>(inspection.macs);
    const auto text_or_null = [](const std::string& text) {
      return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
    };
    op["runs_on"] = text_or_null(plan.on_device ? "device" : on_host ? "host" : "");
    op["reason"] = text_or_null(plan.on_device ? "" : plan.reason);
    operators += plan.on_device ? 1 : 0;
    macs += plan.on_device ? useful : 0;
    host_operators += on_host ? 1 : 0;
    host_macs += on_host ? useful : 0;
  }
  json["format"] = contents.format;
  json["runs"] = inspection.runs();
  json["device"] = {{"operators", operators}, {"macs", macs}};
  json["host"] = {{"operators", host_operators}, {"macs", host_macs}};
  json["missing"] = nlohmann::ordered_json::array();
  for (const graph::Obstacle& obstacle : contents.obstacles) {
    json["missing"].push_back(to_json(obstacle));
  }
  json["not_read"] = nlohmann::ordered_json::array();
  for (const graph::UnreadOperator& op : contents.unread) {
    json["not_read"].push_back(
        {{"place", op.place},
         {"type", op.type},
         {"name", op.name},
         {"supported", op.waits ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(false)}});
  }
  json["remarks"] = contents.remarks;
  json["open_dimensions"] = nlohmann::ordered_json::array();
  for (const graph::OpenDimension& open : contents.open) {
    json["open_dimensions"].push_back(
        {{"name", open.name},
         {"input", open.input},
         {"axis", open.axis},
         {"size", open.size ? nlohmann::ordered_json(*open.size) : nlohmann::ordered_json(nullptr)}});
  }
  return json;
}

}  // namespace systole::cli
