// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "verilated/core_model.hpp"

namespace systole::sim {

std::unique_ptr<CoreModel> make_core_tiny(Storage& storage, const CoreOptions& options);
std::unique_ptr<CoreModel> make_core_small(Storage& storage, const CoreOptions& options);
std::unique_ptr<CoreModel> make_core_default(Storage& storage, const CoreOptions& options);
std::unique_ptr<CoreModel> make_core_large(Storage& storage, const CoreOptions& options);

std::unique_ptr<CoreModel> make_core(std::string_view configuration, Storage& storage, const CoreOptions& options) {
  if (configuration == "tiny") return make_core_tiny(storage, options);
  if (configuration == "small") return make_core_small(storage, options);
  if (configuration == "default") return make_core_default(storage, options);
  if (configuration == "large") return make_core_large(storage, options);
  throw std::invalid_argument(
      fmt::format("configuration: {} has no Verilated core; there are tiny, small, default and large", configuration));
}

}  // namespace systole::sim
