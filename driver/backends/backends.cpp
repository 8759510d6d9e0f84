// SPDX-License-Identifier: Apache-2.0
#include "systole/backends.hpp"

#include <fmt/core.h>

#include "model_backend.hpp"
#include "systole/device.hpp"
#include "systole/errors.hpp"

#ifdef SYSTOLE_HAS_RTL
#include "rtl_backend.hpp"
#endif

namespace systole {
namespace {

#ifdef SYSTOLE_HAS_RTL
constexpr bool kHasRtl = true;
#else
constexpr bool kHasRtl = false;
#endif

}  // namespace

bool has_backend(std::string_view name) { return name == "model" || (kHasRtl && name == "rtl"); }

std::vector<std::string> rtl_configurations() {
#ifdef SYSTOLE_HAS_RTL
  return sim::built_cores();
#else
  return {};
#endif
}

std::unique_ptr<Backend> make_backend(const BackendOptions& options, std::string_view name) {
#ifdef SYSTOLE_HAS_RTL
  if (name == "rtl") {
    return make_rtl_backend(options);
  }
#endif
  if (name == "model") {
    return model::open_model(options);
  }
  throw InvalidArgument(
      fmt::format("no back end '{}' in this build; available: {}", name, kHasRtl ? "rtl, model" : "model"));
}

Device Device::open(const BackendOptions& options, std::string_view backend) {
  return Device(make_backend(options, backend));
}

}  // namespace systole
