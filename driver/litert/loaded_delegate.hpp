// SPDX-License-Identifier: Apache-2.0
// The interpreter asks a delegate for the nodes that it takes, replaces each connected part of these by one node, and
// calls the kernel of that node.
#pragma once

#include <memory>

#include "delegate_options.hpp"
#include "litert_api.hpp"
#include "systole/device.hpp"

namespace systole::litert {

/// A delegate of one device. It may be destroyed before the interpreters that it was given to.
struct LoadedDelegate : Delegate {
  LoadedDelegate(DelegateOptions options, Device device);
  std::shared_ptr<class Loaded> loaded;
};

}  // namespace systole::litert
