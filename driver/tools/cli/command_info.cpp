// SPDX-License-Identifier: Apache-2.0
// `systole info`: the configurations and devices of this build, and the identity that the device reports.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

#include "commands.hpp"
#include "standard_output.hpp"
#include "systole/backends.hpp"
#include "systole/configurations.hpp"
#include "systole/generated/registers.hpp"
#include "text_table.hpp"

namespace systole::cli {
namespace {

constexpr std::array<std::pair<const char*, std::uint32_t>, 20> kRegisters = {{
    {"IDENTITY", reg::kIdentity},
    {"ISA_VERSION", reg::kIsaVersion},
    {"DIM", reg::kDim},
    {"SCRATCH_ROWS", reg::kScratchRows},
    {"WEIGHT_ROWS", reg::kWeightRows},
    {"ACC_ROWS", reg::kAccRows},
    {"PARAM_ROWS", reg::kParamRows},
    {"QUEUE_DEPTH", reg::kQueueDepth},
    {"PARTS", reg::kParts},
    {"WINDOWS", reg::kWindows},
    {"STATUS", reg::kStatus},
    {"IRQ_STATUS", reg::kIrqStatus},
    {"IRQ_ENABLE", reg::kIrqEnable},
    {"RING_BASE", reg::kRingBase},
    {"RING_CONFIG", reg::kRingConfig},
    {"HEAD", reg::kHead},
    {"TAIL", reg::kTail},
    {"END_TAG", reg::kEndTag},
    {"ERROR_CODE", reg::kErrorCode},
    {"ERROR_COUNT", reg::kErrorCount},
}};

std::string version_text(std::uint32_t version) { return fmt::format("{}.{}", version >> 16, version & 0xFFFF); }

std::string kib(std::uint64_t bytes) { return fmt::format("{} KiB", bytes / 1024); }

std::string configurations_text(const Style& style) {
  Table table({{"configuration", Table::Align::kLeft},
               {"array"},
               {"AXI data"},
               {"scratchpad"},
               {"weights"},
               {"accumulators"},
               {"parameters"},
               {"peak MAC/cycle"},
               {"without", Table::Align::kLeft}});
  for (const Configuration& c : configurations()) {
    const auto bytes = [&c](int rows) { return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(c.dim); };
    table.add({std::string(c.name), fmt::format("{0} x {0}", c.dim), fmt::format("{} bit", 8 * c.dim),
               kib(bytes(c.scratch_rows)), kib(bytes(c.weight_rows)), kib(4 * bytes(c.acc_rows)),
               kib(bytes(c.param_rows)), fmt::format("{}", c.dim * c.dim),
               fmt::format("{}", fmt::join(missing_parts(c), ", "))});
  }
  return table.text(style);
}

/// "model, rtl in tiny, default"
std::string devices_text() {
  const auto cores = rtl_configurations();
  return cores.empty() ? std::string("model") : fmt::format("model, rtl in {}", fmt::join(cores, ", "));
}

nlohmann::ordered_json configurations_json() {
  auto list = nlohmann::ordered_json::array();
  for (const Configuration& c : configurations()) {
    list.push_back({{"name", std::string(c.name)},
                    {"dim", c.dim},
                    {"scratch_rows", c.scratch_rows},
                    {"weight_rows", c.weight_rows},
                    {"acc_rows", c.acc_rows},
                    {"param_rows", c.param_rows},
                    {"windows", c.windows},
                    {"without", missing_parts(c)}});
  }
  return list;
}

void show(const DeviceOptions& options) {
  Device device = open_device(options);
  Table table({{"register", Table::Align::kLeft}, {"offset"}, {"value"}, {"decimal"}});
  nlohmann::ordered_json registers;
  for (const auto& [name, offset] : kRegisters) {
    const std::uint32_t value = device.backend().read_register(offset);
    table.add({name, fmt::format("{:#05x}", offset), fmt::format("{:#010x}", value), fmt::format("{}", value)});
    registers[name] = value;
  }
  if (!options.quiet()) {
    const Style style = style_of(stdout);
    print("{}\n", configurations_text(style));
    print("{} on {}, ISA {}, {} MiB of device memory; devices in this build: {}\n\n",
          style(Paint::kBold, std::string(device.configuration().name)), device.backend().name(),
          version_text(isa::kIsaVersion), device.backend().memory_bytes() >> 20, devices_text());
    print("{}", table.text(style));
  }
  nlohmann::ordered_json report;
  report["isa_version"] = version_text(isa::kIsaVersion);
  report["config"] = std::string(device.configuration().name);
  report["device"] = device.backend().name();
  report["memory_bytes"] = device.backend().memory_bytes();
  report["configurations"] = configurations_json();
  report["cores"] = rtl_configurations();
  report["registers"] = registers;
  write_json(options, report);
  finish_recordings(options, device);
}

}  // namespace

void add_info(CLI::App& program, Session&) {
  auto* command =
      program.add_subcommand("info", "Configurations, instruction set version, and registers read from a device");
  auto options = std::make_shared<DeviceOptions>();
  add_device_options(*command, *options);
  command->footer("Examples:\n  systole info\n  systole info --config tiny --device model --json -");
  command->callback([options] { show(*options); });
}

}  // namespace systole::cli
