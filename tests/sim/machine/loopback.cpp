// SPDX-License-Identifier: Apache-2.0
#include "loopback.hpp"

#include "Vaxi_loopback_dim16.h"
#include "Vaxi_loopback_dim16___024root.h"
#include "Vaxi_loopback_dim32.h"
#include "Vaxi_loopback_dim32___024root.h"
#include "Vaxi_loopback_dim4.h"
#include "Vaxi_loopback_dim4___024root.h"
#include "Vaxi_loopback_dim8.h"
#include "Vaxi_loopback_dim8___024root.h"
#include "verilated_core.hpp"

namespace systole::sim::loopback {

std::unique_ptr<CoreModel> make(int bytes, Storage& storage, const CoreOptions& options) {
  switch (bytes) {
    case 4: return std::make_unique<VerilatedCore<Vaxi_loopback_dim4, 4>>(storage, options);
    case 8: return std::make_unique<VerilatedCore<Vaxi_loopback_dim8, 8>>(storage, options);
    case 16: return std::make_unique<VerilatedCore<Vaxi_loopback_dim16, 16>>(storage, options);
    case 32: return std::make_unique<VerilatedCore<Vaxi_loopback_dim32, 32>>(storage, options);
    default: throw std::invalid_argument("loopback: bytes must be 4, 8, 16 or 32");
  }
}

}  // namespace systole::sim::loopback
