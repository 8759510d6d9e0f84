// SPDX-License-Identifier: Apache-2.0
#include "api.hpp"

#include <fmt/core.h>

#include <utility>

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

void attributes(PluginAttributes& arguments) {
  // Versions of StableHLO's portable form.
  static constexpr std::int64_t current[] = {1, 10, 0}, oldest[] = {0, 9, 0};
  static const NamedValue values[] = {{{sizeof(NamedValue), nullptr},
                                       "stablehlo_current_version",
                                       25,
                                       NamedValue::Type::kInt64List,
                                       {.int64_array_value = current},
                                       3},
                                      {{sizeof(NamedValue), nullptr},
                                       "stablehlo_minimum_version",
                                       25,
                                       NamedValue::Type::kInt64List,
                                       {.int64_array_value = oldest},
                                       3}};
  arguments.attributes = values;
  arguments.num_attributes = std::size(values);
}

pjrt::Api made() {
  pjrt::Api api{{sizeof(Api), nullptr},
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
