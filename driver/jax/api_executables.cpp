// SPDX-License-Identifier: Apache-2.0
// Calls on executables.
#include <algorithm>

#include "api.hpp"
#include "executable.hpp"

namespace systole::pjrt {
namespace {

void destroy(On<Executable>&) {}  // it is the loaded executable's
void destroy_loaded(On<LoadedExecutable>& arguments) { delete arguments.object; }
void name(Text<Executable>& arguments) { give(arguments, arguments.object->translation->name); }
void replicas(Get<Executable, std::size_t>& arguments) { arguments.result = 1; }
void partitions(Get<Executable, std::size_t>& arguments) {
  arguments.result = arguments.object->translation->devices.size();
}
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

/// JAX reads how arguments and results are split. Called first for the size.
void optimized(Get<Executable, Program*>& arguments) {
  const std::string& text = arguments.object->translation->shardings;
  Program& program = *arguments.result;
  static constexpr std::string_view kFormat = "mlir";
  program.format = kFormat.data();
  program.format_size = kFormat.size();
  if (program.code != nullptr) {
    std::copy_n(text.data(), std::min(program.code_size, text.size()), program.code);
  }
  program.code_size = text.size();
}

void keep(void*) {}

void options(Serialized<Executable>& arguments) {
  arguments.bytes = arguments.object->options.data();
  arguments.size = arguments.object->options.size();
  arguments.made = nullptr;
  arguments.deleter = &keep;
}

void assignment(Serialized<LoadedExecutable>& arguments) {
  arguments.bytes = arguments.object->assignment.data();
  arguments.size = arguments.object->assignment.size();
  arguments.made = nullptr;
  arguments.deleter = &keep;
}

void executable(Get<LoadedExecutable, Executable*>& arguments) {
  arguments.result = arguments.object->executable.get();
}
void devices(List<LoadedExecutable, pjrt::Device*>& arguments) {
  give(arguments, arguments.object->devices.data(), arguments.object->devices.size());
}
void remove(On<LoadedExecutable>& arguments) { arguments.object->remove(); }
void is_deleted(Get<LoadedExecutable, bool>& arguments) { arguments.result = arguments.object->routines.empty(); }

void run(LoadedExecutableExecute& arguments) {
  std::vector<std::vector<Buffer*>> operands;
  for (std::size_t d = 0; d < arguments.num_devices; ++d) {
    operands.emplace_back(arguments.argument_lists[d], arguments.argument_lists[d] + arguments.num_args);
  }
  std::vector<bool> kept(arguments.num_args);
  const ExecuteOptions& given = *arguments.options;
  for (std::size_t i = 0; i < given.num_non_donatable_input_indices; ++i) {
    kept.at(static_cast<std::size_t>(given.non_donatable_input_indices[i])) = true;
  }
  auto ended = execute(*arguments.executable, operands, kept, arguments.output_lists);
  for (std::size_t d = 0; arguments.device_complete_events != nullptr && d < ended.size(); ++d) {
    arguments.device_complete_events[d] = new Event{std::move(ended[d])};
  }
}

}  // namespace

void add_executables(Api& api) {
  set<&destroy>(api, slot("Executable_Destroy"));
  set<&name>(api, slot("Executable_Name"));
  set<&replicas>(api, slot("Executable_NumReplicas"));
  set<&partitions>(api, slot("Executable_NumPartitions"));
  set<&outputs>(api, slot("Executable_NumOutputs"));
  set<&code_size>(api, slot("Executable_SizeOfGeneratedCodeInBytes"));
  set<&output_types>(api, slot("Executable_OutputElementTypes"));
  set<&output_dimensions>(api, slot("Executable_OutputDimensions"));
  set<&output_memories>(api, slot("Executable_OutputMemoryKinds"));
  set<&optimized>(api, slot("Executable_OptimizedProgram"));
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
