// SPDX-License-Identifier: Apache-2.0
// The types behind the handles of systole.h. Each shares ownership of the device, which may therefore be closed first.
#pragma once

#include <memory>
#include <vector>

#include "systole/network.hpp"
#include "systole/systole.h"

struct systole_device {
  std::shared_ptr<systole::Device> device;
};

struct systole_buffer {
  std::shared_ptr<systole::Device> device;
  systole::Buffer buffer;
};

struct systole_network {
  std::shared_ptr<systole::Device> device;
  systole::Network network;
};
