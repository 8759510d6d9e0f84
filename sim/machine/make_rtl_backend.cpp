// SPDX-License-Identifier: Apache-2.0
#include "lockstep_backend.hpp"
#include "rtl_backend.hpp"

namespace systole {

std::unique_ptr<Backend> make_rtl_backend(const BackendOptions& options) {
  sim::OnChip on_chip;
  auto backend = sim::make_machine_backend(
      options, [&](const Configuration& configuration, sim::Storage& storage, const sim::CoreOptions& core) {
        auto model = sim::make_core(configuration.name, storage, core);
        on_chip = model->on_chip();
        return model;
      });
  return options.lockstep ? lockstep::beside(std::move(backend), on_chip) : std::move(backend);
}

}  // namespace systole
