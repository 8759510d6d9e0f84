// SPDX-License-Identifier: Apache-2.0
#include "platform/rtl_backend.hpp"

namespace systole {

std::unique_ptr<Backend> make_rtl_backend(const BackendOptions& options) {
  return sim::make_machine_backend(
      options, [](const Configuration& configuration, sim::Storage& storage, const sim::CoreOptions& core) {
        return sim::make_core(configuration.name, storage, core);
      });
}

}  // namespace systole
