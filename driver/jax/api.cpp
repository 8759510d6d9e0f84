// SPDX-License-Identifier: Apache-2.0
#include "api.hpp"

#include <fmt/core.h>

#include <utility>

#include "executable.hpp"
#include "profiler.hpp"

namespace systole::pjrt {
namespace {

/// Calls that JAX makes for what this device does not have.
template <std::size_t slot>
pjrt::Error* unimplemented(void*) {
  return new Error{ErrorCode::kUnimplemented, fmt::format("systole: PJRT's call {} is not implemented", kCalls[slot])};
}

template <std::size_t... slots>
constexpr std::array<Function, kCalls.size()> all_unimplemented(std::index_sequence<slots...>) {
  return {&unimplemented<slots>...};
}

void initialize(Head&) {}

NamedValue version(std::string_view name, const std::array<std::int64_t, 3>& numbers) {
  return {{sizeof(NamedValue), nullptr},         name.data(),   name.size(), NamedValue::Type::kInt64List,
          {.int64_array_value = numbers.data()}, numbers.size()};
}

/// jaxlib writes a program in the version of StableHLO's portable form that is stated here, if its own is not older. It
/// also reads it (translate()), so that what is stated is its own: in an older version it could not write programs
/// that need a later one.
void attributes(PluginAttributes& arguments) {
  static const StablehloVersions versions = stablehlo_versions();
  static const NamedValue values[] = {version("stablehlo_current_version", versions.current),
                                      version("stablehlo_minimum_version", versions.minimum)};
  arguments.attributes = values;
  arguments.num_attributes = std::size(values);
}

pjrt::Api made() {
  pjrt::Api api{{sizeof(Api), const_cast<ProfilerExtension*>(&profiler_extension())},  // JAX only reads it
                {sizeof(Head) + 2 * sizeof(int), nullptr},
                kMajorVersion,
                kMinorVersion,
                all_unimplemented(std::make_index_sequence<kCalls.size()>())};
  set<&initialize>(api, slot("Plugin_Initialize"));
  set<&attributes>(api, slot("Plugin_Attributes"));
  add_events(api);
  add_client(api);
  add_devices(api);
  add_buffers(api);
  add_executables(api);
  return api;
}

}  // namespace
}  // namespace systole::pjrt

/// The entry point of a PJRT plug-in. JAX loads the library and calls this function.
extern "C" __attribute__((visibility("default"))) const systole::pjrt::Api* GetPjrtApi() {
  static const systole::pjrt::Api api = systole::pjrt::made();
  return &api;
}
