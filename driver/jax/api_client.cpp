// SPDX-License-Identifier: Apache-2.0
// Calls on the client and the topology.
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "api.hpp"
#include "client.hpp"
#include "executable.hpp"
#include "strided_copy.hpp"
#include "systole/errors.hpp"

namespace systole::pjrt {
namespace {

constexpr std::string_view kPlatform = "systole";

using Member = std::variant<std::string Settings::*, std::int64_t Settings::*>;

/// The settings by the names that systole_jax gives.
constexpr std::pair<std::string_view, Member> kSettings[] = {
    {"device", &Settings::device},
    {"configuration", &Settings::configuration},
    {"devices", &Settings::devices},
    {"cores", &Settings::cores},
    {"memory", &Settings::memory},
    {"report", &Settings::report},
    {"timeline", &Settings::timeline},
    {"trace", &Settings::trace},
    {"trace_scope", &Settings::trace_scope},
    {"topology", &Settings::topology},
    {"link_bandwidth", &Settings::link_bandwidth},
    {"link_latency", &Settings::link_latency},
    {"trace_from", &Settings::trace_from},
    {"trace_to", &Settings::trace_to},
};

Settings settings_of(const ClientCreate& arguments) {
  Settings settings;
  for (std::size_t i = 0; i < arguments.num_options; ++i) {
    const NamedValue& option = arguments.create_options[i];
    const std::string name(option.name, option.name_size);
    if (name == "error") {  // what systole_jax found wrong with the options
      throw InvalidArgument(std::string(option.string_value, option.value_size));
    }
    const auto* const found = std::find_if(std::begin(kSettings), std::end(kSettings),
                                           [&](const auto& known) { return known.first == name; });
    const bool is_text = option.type == NamedValue::Type::kString;
    if (found == std::end(kSettings) || (!is_text && option.type != NamedValue::Type::kInt64) ||
        is_text != (found->second.index() == 0)) {
      throw InvalidArgument(fmt::format("systole: option '{}' of the client is unknown or of another type", name));
    }
    if (is_text) {
      (settings.*std::get<0>(found->second)).assign(option.string_value, option.value_size);
    } else {
      settings.*std::get<1>(found->second) = option.int64_value;
    }
  }
  return settings;
}

void create(ClientCreate& arguments) {
  const auto client = std::make_shared<Client>(settings_of(arguments));
  client->held = client;
  arguments.client = client.get();
}
void destroy(On<Client>& arguments) { const auto last = std::move(arguments.object->held); }
void platform_name(Text<Client>& arguments) { give(arguments, kPlatform); }
void platform_version(Text<Client>& arguments) { give(arguments, SYSTOLE_VERSION); }
void process(Get<Client, int>& arguments) { arguments.result = 0; }
void topology(Get<Client, TopologyDescription*>& arguments) { arguments.result = &arguments.object->topology; }
void devices(List<Client, pjrt::Device*>& arguments) {
  give(arguments, arguments.object->devices.data(), arguments.object->devices.size());
}
void memories(List<Client, Memory*>& arguments) {
  give(arguments, arguments.object->memories.data(), arguments.object->memories.size());
}

void look_up(ClientLookupDevice& arguments) {
  const auto& all = arguments.client->devices;
  if (arguments.id < 0 || static_cast<std::size_t>(arguments.id) >= all.size()) {
    throw OutOfRange(fmt::format("systole: device {}; there are {}, counted from 0", arguments.id, all.size()));
  }
  arguments.device = all[static_cast<std::size_t>(arguments.id)];
}

void assign(ClientDefaultDeviceAssignment& arguments) {
  for (std::size_t i = 0; i < arguments.default_assignment_size; ++i) {
    arguments.default_assignment[i] = static_cast<int>(i);
  }
}

void compile(ClientCompile& arguments) {
  const Program& program = *arguments.program;
  if (const std::string_view format(program.format, program.format_size); format != "mlir") {
    throw CallError({ErrorCode::kUnimplemented, fmt::format("systole: a program of format '{}', not mlir", format)});
  }
  const std::string options(arguments.compile_options, arguments.compile_options_size);
  auto executable = std::make_shared<Executable>(translate({program.code, program.code_size}, options), options);
  arguments.executable = new LoadedExecutable(std::move(executable), *arguments.client);
}

void from_host(ClientBufferFromHostBuffer& arguments) {
  const graph::ElementType type = element_type_of(arguments.type);
  const graph::Shape shape(arguments.dims, arguments.dims + arguments.num_dims);
  auto contents = std::make_shared<Contents>();
  graph::Value value{type, shape, graph::Bytes(static_cast<std::size_t>(graph::count(shape)) * element_size(type))};
  const graph::Shape strides = arguments.num_byte_strides == 0
                                   ? row_major_strides(shape, element_size(type))
                                   : graph::Shape(arguments.byte_strides, arguments.byte_strides + arguments.num_dims);
  copy_strided(shape, element_size(type), arguments.data, strides, value.data.data(),
               row_major_strides(shape, element_size(type)));
  contents->value = std::make_shared<const DeviceValue>(std::move(value));
  contents->ready.complete();
  pjrt::Device* device = arguments.device;
  if (arguments.memory != nullptr) {
    device = arguments.memory->device;
  }
  if (device == nullptr) {
    device = arguments.client->devices[0];
  }
  arguments.buffer = new Buffer(*device, type, shape, std::move(contents));
  arguments.done_with_host_buffer = ended_event();
}

void keep_topology(On<TopologyDescription>&) {}  // it is the client's
void topology_name(Text<const TopologyDescription>& arguments) { give(arguments, kPlatform); }
void topology_version(Text<TopologyDescription>& arguments) { give(arguments, SYSTOLE_VERSION); }
void descriptions(List<const TopologyDescription, DeviceDescription*>& arguments) {
  give(arguments, arguments.object->devices.data(), arguments.object->devices.size());
}
void topology_attributes(List<TopologyDescription, NamedValue>& arguments) { give_none(arguments); }

}  // namespace

void add_client(Api& api) {
  set<&create>(api, slot("Client_Create"));
  set<&destroy>(api, slot("Client_Destroy"));
  set<&platform_name>(api, slot("Client_PlatformName"));
  set<&platform_version>(api, slot("Client_PlatformVersion"));
  set<&process>(api, slot("Client_ProcessIndex"));
  set<&topology>(api, slot("Client_TopologyDescription"));
  set<&devices>(api, slot("Client_Devices"));
  set<&devices>(api, slot("Client_AddressableDevices"));
  set<&memories>(api, slot("Client_AddressableMemories"));
  set<&look_up>(api, slot("Client_LookupDevice"));
  set<&look_up>(api, slot("Client_LookupAddressableDevice"));
  set<&assign>(api, slot("Client_DefaultDeviceAssignment"));
  set<&compile>(api, slot("Client_Compile"));
  set<&from_host>(api, slot("Client_BufferFromHostBuffer"));
  set<&keep_topology>(api, slot("TopologyDescription_Destroy"));
  set<&topology_name>(api, slot("TopologyDescription_PlatformName"));
  set<&topology_version>(api, slot("TopologyDescription_PlatformVersion"));
  set<&descriptions>(api, slot("TopologyDescription_GetDeviceDescriptions"));
  set<&topology_attributes>(api, slot("TopologyDescription_Attributes"));
}

}  // namespace systole::pjrt
