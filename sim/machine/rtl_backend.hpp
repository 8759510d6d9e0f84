// SPDX-License-Identifier: Apache-2.0
// The Backend over the SystemC machine. The public way in is make_rtl_backend(); this header is for tests that put
// another design in the core's place.
#pragma once

#include <functional>
#include <memory>

#include "core_model.hpp"
#include "systole/backend.hpp"

namespace systole::sim {

using CoreFactory = std::function<std::unique_ptr<CoreModel>(const Configuration&, Storage&, const CoreOptions&)>;

/// As make_rtl_backend(), with the core that the factory makes.
std::unique_ptr<Backend> make_machine_backend(const BackendOptions& options, const CoreFactory& factory);

}  // namespace systole::sim
