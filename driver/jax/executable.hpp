// SPDX-License-Identifier: Apache-2.0
// A program of JAX's that was translated, and the same loaded to devices.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client.hpp"
#include "routine.hpp"

namespace systole::pjrt {

/// The type and shape of an operand or result.
struct ArrayType {
  graph::ElementType type;
  graph::Shape shape;
};

/// What the translator makes of a module of StableHLO.
struct Translation {
  std::string name;
  std::vector<ArrayType> outputs;
  std::vector<std::size_t> donated;  ///< arguments that the call may overwrite
  std::vector<int> devices;          ///< their numbers; with several, the routine's last input is a device's place here
  std::string shardings;             ///< a module in MLIR that says how arguments and results are split
  Routine routine;
};

/// Translates a module in Python (systole_jax/translate.py), whoever calls. Throws CallError.
std::shared_ptr<const Translation> translate(std::string_view code, std::string_view options);

/// The versions of StableHLO that jaxlib writes by itself, and the oldest that it can write and read.
struct StablehloVersions {
  std::array<std::int64_t, 3> current, minimum;
};
StablehloVersions stablehlo_versions();

struct Executable {
  Executable(std::shared_ptr<const Translation> program, std::string compile_options);

  std::shared_ptr<const Translation> translation;
  std::string options;
  // Outputs as JAX asks for them.
  std::vector<BufferType> types;
  std::vector<std::int64_t> dimensions;
  std::vector<std::size_t> ranks;
  std::vector<const char*> memory_kinds;
  std::vector<std::size_t> memory_kind_sizes;
};

struct LoadedExecutable {
  /// Compiles the program for its devices. Throws what compile_network() throws.
  LoadedExecutable(std::shared_ptr<pjrt::Executable> program, Client& place);
  LoadedExecutable(const LoadedExecutable&) = delete;
  LoadedExecutable& operator=(const LoadedExecutable&) = delete;
  ~LoadedExecutable();

  /// Its memory of devices is free when the calls that were given to them have ended.
  void remove();

  std::shared_ptr<Client> client;
  std::shared_ptr<pjrt::Executable> executable;
  std::string name;                                      ///< Client::own_name()
  ranks::Topology links;                                 ///< between its devices
  std::vector<pjrt::Device*> devices;                    ///< the client's
  std::vector<std::shared_ptr<LoadedRoutine>> routines;  ///< by device; empty when deleted
  std::string assignment;                                ///< as DeviceAssignmentProto
};

/// Gives the call to the workers of the devices. `arguments` and `outputs` are by device, `keep` says which arguments
/// may not be overwritten. The buffers of the results are there at once, their contents when the completion is, of
/// which there is one a device. Throws CallError for arguments that do not fit.
std::vector<std::shared_ptr<Completion>> execute(LoadedExecutable& program,
                                                 const std::vector<std::vector<Buffer*>>& arguments,
                                                 const std::vector<bool>& keep, Buffer** const* outputs);

inline constexpr std::string_view kMemoryKind = "device";

}  // namespace systole::pjrt
