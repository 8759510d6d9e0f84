// SPDX-License-Identifier: Apache-2.0
// The RTL as a device: the Verilated core in its SystemC machine.
#pragma once

#include <functional>
#include <memory>

#include "core_model.hpp"
#include "systole/backend.hpp"

namespace systole {

/// The core that this build has for the configuration. Throws InvalidArgument naming the option that is wrong.
std::unique_ptr<Backend> make_rtl_backend(const BackendOptions& options);

namespace sim {

using CoreFactory = std::function<std::unique_ptr<CoreModel>(const Configuration&, Storage&, const CoreOptions&)>;

/// As make_rtl_backend(), with the core that the factory makes: for tests that put another design in its place.
std::unique_ptr<Backend> make_machine_backend(const BackendOptions& options, const CoreFactory& factory);

}  // namespace sim
}  // namespace systole
