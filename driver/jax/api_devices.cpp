// SPDX-License-Identifier: Apache-2.0
// Calls on devices, their descriptions and their memories.
#include <algorithm>
#include <cstdint>

#include "api.hpp"
#include "client.hpp"
#include "executable.hpp"

namespace systole::pjrt {
namespace {

/// Clears what the caller's version of the API has besides, too: fields that say whether others are set.
void memory_stats(DeviceMemoryStats& arguments) {
  std::fill(reinterpret_cast<char*>(&arguments.bytes_in_use),
            reinterpret_cast<char*>(&arguments) + arguments.struct_size, '\0');
  const Arena& arena = *arguments.device->core->arena;
  const std::uint64_t bytes = arena.range().bytes();
  arguments.bytes_in_use = static_cast<std::int64_t>(bytes - arena.free_bytes());
  arguments.bytes_limit = static_cast<std::int64_t>(bytes);
  arguments.bytes_limit_is_set = true;
}

void id(Get<DeviceDescription, int>& arguments) { arguments.result = arguments.object->id; }
void process(Get<DeviceDescription, int>& arguments) { arguments.result = 0; }
void attributes(CountedList<DeviceDescription, NamedValue>& arguments) {
  arguments.size = 0;
  arguments.elements = nullptr;
}
void kind(Text<DeviceDescription>& arguments) { give(arguments, arguments.object->kind); }
void text(Text<DeviceDescription>& arguments) { give(arguments, arguments.object->text); }

void description(Get<pjrt::Device, DeviceDescription*>& arguments) {
  arguments.result = &arguments.object->description;
}
void is_addressable(Get<pjrt::Device, bool>& arguments) { arguments.result = true; }
void local_id(Get<pjrt::Device, int>& arguments) { arguments.result = arguments.object->description.id; }
void memories(List<pjrt::Device, Memory*>& arguments) { give(arguments, &arguments.object->its_memory, 1); }
void default_memory(Get<pjrt::Device, Memory*>& arguments) { arguments.result = &arguments.object->memory; }

void memory_id(Get<Memory, int>& arguments) { arguments.result = arguments.object->id; }
void memory_kind(Text<Memory>& arguments) { give(arguments, kMemoryKind); }
void memory_kind_id(Get<Memory, int>& arguments) { arguments.result = 0; }
void memory_text(Text<Memory>& arguments) { give(arguments, arguments.object->text); }
void memory_devices(List<Memory, pjrt::Device*>& arguments) { give(arguments, &arguments.object->device->self, 1); }

}  // namespace

void add_devices(Api& api) {
  set<&id>(api, slot("DeviceDescription_Id"));
  set<&process>(api, slot("DeviceDescription_ProcessIndex"));
  set<&attributes>(api, slot("DeviceDescription_Attributes"));
  set<&kind>(api, slot("DeviceDescription_Kind"));
  set<&text>(api, slot("DeviceDescription_DebugString"));
  set<&text>(api, slot("DeviceDescription_ToString"));
  set<&description>(api, slot("Device_GetDescription"));
  set<&is_addressable>(api, slot("Device_IsAddressable"));
  set<&local_id>(api, slot("Device_LocalHardwareId"));
  set<&memories>(api, slot("Device_AddressableMemories"));
  set<&default_memory>(api, slot("Device_DefaultMemory"));
  set<&memory_stats>(api, slot("Device_MemoryStats"));
  set<&memory_id>(api, slot("Memory_Id"));
  set<&memory_kind>(api, slot("Memory_Kind"));
  set<&memory_kind_id>(api, slot("Memory_Kind_Id"));
  set<&memory_text>(api, slot("Memory_DebugString"));
  set<&memory_text>(api, slot("Memory_ToString"));
  set<&memory_devices>(api, slot("Memory_AddressableByDevices"));
}

}  // namespace systole::pjrt
