// SPDX-License-Identifier: Apache-2.0
// Text output of an inspection.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <utility>

#include "attributes.hpp"
#include "graph_listing.hpp"
#include "inspection.hpp"
#include "model_files.hpp"
#include "shortened.hpp"
#include "text_table.hpp"

namespace systole::cli {
namespace {

constexpr std::size_t kLongestName = 48;

std::string share_of(std::uint64_t macs, std::uint64_t all) {
  return macs == 0 || all == 0 ? "" : percent(static_cast<double>(macs) / static_cast<double>(all));
}

std::string place_text(int place) { return place < 0 ? "+" : fmt::format("{}", place); }

/// "#3, #7 and 12 more"
std::string places_text(const std::vector<int>& places) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(places.size(), kMost); ++i) {
    text += fmt::format("{}#{}", i == 0 ? "" : ", ", place_text(places[i]));
  }
  return places.size() <= kMost ? text : text + fmt::format(" and {} more", places.size() - kMost);
}

std::string runs_on_text(const InspectedOperator& op, const Style& style) {
  switch (op.runs_on) {
    case RunsOn::kDevice: return "device";
    case RunsOn::kHost:
      return op.host_parts == op.parts ? "host" : fmt::format("host {} of {}", op.host_parts, op.parts);
    case RunsOn::kNothing: return style(Paint::kBad, "missing");
    case RunsOn::kUnknown: return "?";
  }
  return {};
}

std::string interface_text(const graph::ModelContents& contents, const char* what,
                           const std::vector<graph::TensorId>& ids) {
  std::string text;
  for (const graph::TensorId id : ids) {
    const graph::Tensor& tensor = contents.graph.tensor(id);
    const std::string quantization = graph::quantization_text(tensor);
    text +=
        fmt::format("{:<7} {}  {} {}{}{}\n", what, shortened(tensor.name, kLongestName), graph::to_string(tensor.shape),
                    graph::name_of(tensor.type), quantization.empty() ? "" : ", ", quantization);
  }
  return text;
}

struct Column {
  Table::Column title;
  int importance;  ///< kEssential columns are never dropped
  std::function<std::string(const InspectedOperator&, const Style&)> cell;
};
constexpr int kEssential = 9;

std::string table_text(const std::vector<Column>& columns, const std::vector<InspectedOperator>& operators,
                       const Style& style) {
  std::vector<Table::Column> titles;
  for (const Column& column : columns) {
    titles.push_back(column.title);
  }
  Table table(std::move(titles));
  for (const InspectedOperator& op : operators) {
    std::vector<std::string> cells;
    for (const Column& column : columns) {
      cells.push_back(column.cell(op, style));
    }
    table.add(std::move(cells));
  }
  return table.text(style);
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t first = 0; first < text.size();) {
    const std::size_t end = std::min(text.find('\n', first), text.size());
    longest = std::max(longest, end - first);
    first = end + 1;
  }
  return longest;
}

/// Drops columns, the least important first, until a line fits.
std::string operators_text(const Inspection& inspection, const Style& style, int width) {
  using Align = Table::Align;
  constexpr std::size_t kLongestType = 28;
  std::vector<Column> columns = {
      {{"#"}, kEssential, [](const auto& op, const Style&) { return place_text(op.place); }},
      {{"operator", Align::kLeft},
       kEssential,
       [](const auto& op, const Style&) { return shortened(op.type, kLongestType); }},
      {{"parameters", Align::kLeft}, 2, [](const auto& op, const Style&) { return op.parameters; }},
      {{"output", Align::kLeft}, 6, [](const auto& op, const Style&) { return op.shape; }},
      {{"type", Align::kLeft}, 5, [](const auto& op, const Style&) { return op.element; }},
      {{"quantization", Align::kLeft}, 1, [](const auto& op, const Style&) { return op.quantization; }},
      {{"MACs"}, 4, [](const auto& op, const Style&) { return op.shape.empty() ? std::string() : grouped(op.macs); }},
      {{"share"}, 7, [&](const auto& op, const Style&) { return share_of(op.macs, inspection.macs); }},
      {{"runs on", Align::kLeft},
       kEssential,
       [](const auto& op, const Style& paint) { return runs_on_text(op, paint); }},
      {{"why", Align::kLeft}, 3, [](const auto& op, const Style&) { return op.reason; }}};
  const auto is_empty = [&](const Column& column) {
    return std::all_of(inspection.operators.begin(), inspection.operators.end(),
                       [&](const auto& op) { return column.cell(op, {}).empty(); });
  };
  columns.erase(std::remove_if(columns.begin(), columns.end(), is_empty), columns.end());
  const auto fits = [&] {
    return width == 0 || longest_line(table_text(columns, inspection.operators, {})) <= static_cast<std::size_t>(width);
  };
  while (!fits()) {
    const auto least = std::min_element(columns.begin(), columns.end(),
                                        [](const Column& a, const Column& b) { return a.importance < b.importance; });
    if (least->importance == kEssential) {
      break;
    }
    columns.erase(least);
  }
  return table_text(columns, inspection.operators, style);
}

/// Operators with the same reason, in the order of first occurrence.
struct Group {
  std::string reason;
  std::map<std::string, int> types;
  std::vector<int> places;
  std::uint64_t macs = 0;
};

std::string types_text(const std::map<std::string, int>& types) {
  constexpr std::size_t kMost = 6;
  std::vector<std::pair<std::string, int>> sorted(types.begin(), types.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), kMost); ++i) {
    text += fmt::format("{}{}{}", i == 0 ? "" : ", ",
                        sorted[i].second == 1 ? "" : fmt::format("{} x ", sorted[i].second), sorted[i].first);
  }
  return sorted.size() <= kMost ? text : text + fmt::format(" and {} more types", sorted.size() - kMost);
}

Group& group_for(std::vector<Group>& groups, const std::string& reason) {
  const auto found =
      std::find_if(groups.begin(), groups.end(), [&](const Group& group) { return group.reason == reason; });
  return found == groups.end() ? groups.emplace_back(Group{reason, {}, {}, 0}) : *found;
}

std::string where_text(const Inspection& inspection) {
  const auto& graph = inspection.contents.graph;
  std::uint64_t on_device = 0, device_macs = 0, host_macs = 0, refused = 0;
  std::vector<Group> groups;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const std::uint64_t macs = graph::useful_macs(graph, graph.operators[i]);
    const PlannedOperator& plan = inspection.plan[i];
    if (plan.on_device) {
      ++on_device;
      device_macs += macs;
      continue;
    }
    if (!plan.refusal.empty()) {
      ++refused;
      continue;
    }
    host_macs += macs;
    const graph::Operator& op = graph.operators[i];
    Group& group = group_for(groups, plan.reason);
    ++group.types[op.origin.empty() ? graph::name_of(op.kind) : op.origin];
    group.macs += macs;
    const auto& places = inspection.contents.places;
    const auto place = places.find(op.name);
    const int number = place != places.end() ? place->second : places.empty() ? static_cast<int>(i) : -1;
    if (std::find(group.places.begin(), group.places.end(), number) == group.places.end()) {
      group.places.push_back(number);
    }
  }
  const auto line = [&](const char* where, std::uint64_t operators, std::uint64_t macs) {
    return operators == 0 ? std::string()
                          : fmt::format("{:<8}{}{}{}\n", where, counted(operators, "operator"), macs == 0 ? "" : ", ",
                                        macs == 0 ? "" : share_of(macs, inspection.macs) + " of the MACs");
  };
  std::string text =
      line("device", on_device, device_macs) + line("host", graph.operators.size() - on_device - refused, host_macs);
  for (const Group& group : groups) {
    text += fmt::format("        {}{}  {}: {}\n", types_text(group.types),
                        group.macs == 0 ? "" : fmt::format(" ({})", share_of(group.macs, inspection.macs)),
                        places_text(group.places), group.reason);
  }
  return text;
}

/// Describes one operator of a kind in full, the others by number.
std::string missing_text(const Inspection& inspection, const Style& style) {
  const auto& contents = inspection.contents;
  std::string text;
  std::vector<const graph::Obstacle*> left;
  for (const graph::Obstacle& obstacle : contents.obstacles) {
    left.push_back(&obstacle);
  }
  while (!left.empty()) {
    const graph::Obstacle& first = *left.front();
    std::vector<int> places;
    left.erase(std::remove_if(left.begin(), left.end(),
                              [&](const graph::Obstacle* other) {
                                const bool same =
                                    other == &first || (first.place >= 0 && other->place >= 0 &&
                                                        other->type == first.type && other->kind == first.kind);
                                if (same && other->place >= 0) {
                                  places.push_back(other->place);
                                }
                                return same;
                              }),
               left.end());
    const std::string head =
        first.place < 0
            ? fmt::format("{}{}{}", first.kind, first.name.empty() ? "" : " of ", shortened(first.name, kLongestName))
            : fmt::format("{}{} ({}): {}", places.size() == 1 ? "" : fmt::format("{} x ", places.size()), first.type,
                          first.kind, places_text(places));
    text += fmt::format("{} {}\n        {}\n        remedy: {}\n", style(Paint::kBad, "missing"), head, first.text,
                        first.remedy);
  }
  std::vector<int> waiting;
  for (const graph::UnreadOperator& op : contents.unread) {
    if (op.waits) {
      waiting.push_back(op.place);
    }
  }
  if (!waiting.empty()) {
    text += fmt::format(
        "?       {} after these, {}: their types are supported, but the shapes of their inputs are unknown\n",
        counted(waiting.size(), "operator"), places_text(waiting));
  }
  return text;
}

std::string open_text(const graph::ModelContents& contents) {
  std::string text;
  for (const graph::OpenDimension& open : contents.open) {
    if (open.size) {
      text += fmt::format("open    axis {} of '{}' ('{}') was assumed to be {}; --dimension {}=SIZE sets it\n",
                          open.axis, shortened(open.input, kLongestName), open.name, *open.size, open.name);
    }
  }
  return text;
}

/// A command that reads the network as this one did.
std::string command_text(const char* command, const std::string& path, const std::vector<std::string>& given) {
  std::string text = fmt::format("{} {}", command, path);
  for (const std::string& option : given) {
    text += " " + option;
  }
  return text;
}

/// The hint for a network without quantized tensors.
std::string quantize_text(const Inspection& inspection, const std::string& path,
                          const std::vector<std::string>& given) {
  const auto& tensors = inspection.contents.graph.tensors;
  const bool quantized = std::any_of(tensors.begin(), tensors.end(),
                                     [](const graph::Tensor& tensor) { return tensor.quantization.has_value(); });
  const bool any_on_host = std::any_of(inspection.plan.begin(), inspection.plan.end(), [](const PlannedOperator& plan) {
    return !plan.on_device && plan.refusal.empty();
  });
  if (quantized || inspection.macs == 0) {
    return {};
  }
  return fmt::format(
      "\nNothing is quantized{}. To run products on the matrix unit, quantize the network:\n"
      "  {} --calibrate SAMPLES.npy -o {}.systole\n",
      any_on_host ? ", so all but small products run on the host" : "", command_text("systole quantize", path, given),
      std::filesystem::path(path).stem().string());
}

}  // namespace

std::string text_of(const Inspection& inspection, const std::string& path, const Style& style, int width,
                    const std::vector<std::string>& given) {
  const graph::ModelContents& contents = inspection.contents;
  std::string text = fmt::format("{}  {}: {}\n\n", style(Paint::kBold, contents.graph.name), contents.format,
                                 graph_text(contents.graph));
  text += interface_text(contents, "input", graph::sample_inputs(contents.graph)) +
          interface_text(contents, "output", graph::sample_outputs(contents.graph)) +
          interface_text(contents, "state", graph::states_of(contents.graph));
  text += inspection.runs() ? "" : "        (of the part that can be read)\n";
  text += "\n" + operators_text(inspection, style, width) + "\n" + where_text(inspection) +
          missing_text(inspection, style) + open_text(contents);
  const bool added = std::any_of(inspection.operators.begin(), inspection.operators.end(),
                                 [](const auto& op) { return op.place < 0; });
  text += added ? "+       an operator that the file does not have\n" : "";
  for (const std::string& remark : contents.remarks) {
    text += fmt::format("note    {}\n", remark);
  }
  if (const std::vector<std::string> options = inspection.missing_options(); !options.empty()) {
    std::string command = command_text("systole inspect", path, given);
    for (const std::string& option : options) {
      command += " " + option;
    }
    return text + fmt::format("result  {}; with your numbers:\n  {}\n", style(Paint::kBad, "needs values"), command);
  }
  if (!inspection.runs()) {
    return text + fmt::format("result  {}\n", style(Paint::kBad, "does not run"));
  }
  return text + fmt::format("result  {}\n", style(Paint::kGood, "runs")) + quantize_text(inspection, path, given);
}

}  // namespace systole::cli
