// SPDX-License-Identifier: Apache-2.0
// Calls on executables.
#include "api.hpp"
#include "executable.hpp"

namespace systole::pjrt {
namespace {

void destroy(On<Executable>&) {}  // it is the loaded executable's
void destroy_loaded(On<LoadedExecutable>& arguments) { delete arguments.object; }
void name(Text<Executable>& arguments) { give(arguments, arguments.object->translation->name); }
void one(Get<Executable, std::size_t>& arguments) { arguments.result = 1; }
void outputs(Get<Executable, std::size_t>& arguments) { arguments.result = arguments.object->types.size(); }
void code_size(Get<Executable, std::int64_t>& arguments) { arguments.result = 0; }

void output_types(ExecutableOutputTypes& arguments) {
  arguments.types = arguments.executable->types.data();
  arguments.size = arguments.executable->types.size();
}
void output_dimensions(ExecutableOutputDimensions& arguments) {
  arguments.num_outputs = arguments.executable->ranks.size();
  arguments.dims = arguments.executable->dimensions.data();
  arguments.dim_sizes = arguments.executable->ranks.data();
}
void output_memories(ExecutableOutputMemoryKinds& arguments) {
  arguments.num_outputs = arguments.executable->memory_kinds.size();
  arguments.memory_kinds = arguments.executable->memory_kinds.data();
  arguments.memory_kind_sizes = arguments.executable->memory_kind_sizes.data();
}

void keep(void*) {}

void options(Serialized<Executable>& arguments) {
  arguments.bytes = arguments.object->options.data();
  arguments.size = arguments.object->options.size();
  arguments.made = nullptr;
  arguments.deleter = &keep;
}

/// DeviceAssignmentProto of one replica and one computation on device 0.
void assignment(Serialized<LoadedExecutable>& arguments) {
  static constexpr char one[] = {0x08, 0x01, 0x10, 0x01, 0x1a, 0x03, 0x0a, 0x01, 0x00};
  arguments.bytes = one;
  arguments.size = sizeof(one);
  arguments.made = nullptr;
  arguments.deleter = &keep;
}

void executable(Get<LoadedExecutable, Executable*>& arguments) {
  arguments.result = arguments.object->executable.get();
}
void devices(List<LoadedExecutable, pjrt::Device*>& arguments) {
  give(arguments, arguments.object->devices.data(), arguments.object->devices.size());
}
void remove(On<LoadedExecutable>& arguments) { arguments.object->routine.reset(); }
void is_deleted(Get<LoadedExecutable, bool>& arguments) { arguments.result = arguments.object->routine == nullptr; }

void run(LoadedExecutableExecute& arguments) {
  const std::vector<Buffer*> operands(arguments.argument_lists[0], arguments.argument_lists[0] + arguments.num_args);
  std::vector<bool> kept(arguments.num_args);
  const ExecuteOptions& given = *arguments.options;
  for (std::size_t i = 0; i < given.num_non_donatable_input_indices; ++i) {
    kept.at(static_cast<std::size_t>(given.non_donatable_input_indices[i])) = true;
  }
  auto ended = execute(*arguments.executable, operands, kept, arguments.output_lists[0]);
  if (arguments.device_complete_events != nullptr) {
    arguments.device_complete_events[0] = new Event{std::move(ended)};
  }
}

}  // namespace

void add_executables(Api& api) {
  set<&destroy>(api, slot("Executable_Destroy"));
  set<&name>(api, slot("Executable_Name"));
  set<&one>(api, slot("Executable_NumReplicas"));
  set<&one>(api, slot("Executable_NumPartitions"));
  set<&outputs>(api, slot("Executable_NumOutputs"));
  set<&code_size>(api, slot("Executable_SizeOfGeneratedCodeInBytes"));
  set<&output_types>(api, slot("Executable_OutputElementTypes"));
  set<&output_dimensions>(api, slot("Executable_OutputDimensions"));
  set<&output_memories>(api, slot("Executable_OutputMemoryKinds"));
  set<&name>(api, slot("Executable_Fingerprint"));
  set<&options>(api, slot("Executable_GetCompileOptions"));
  set<&assignment>(api, slot("LoadedExecutable_GetDeviceAssignment"));
  set<&destroy_loaded>(api, slot("LoadedExecutable_Destroy"));
  set<&executable>(api, slot("LoadedExecutable_GetExecutable"));
  set<&devices>(api, slot("LoadedExecutable_AddressableDevices"));
  set<&remove>(api, slot("LoadedExecutable_Delete"));
  set<&is_deleted>(api, slot("LoadedExecutable_IsDeleted"));
  set<&run>(api, slot("LoadedExecutable_Execute"));
}

}  // namespace systole::pjrt
