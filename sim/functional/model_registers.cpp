// SPDX-License-Identifier: Apache-2.0
// The register file, offset by offset.
#include <fmt/core.h>

#include <optional>

#include "model_core.hpp"
#include "systole/errors.hpp"
#include "systole/generated/registers.hpp"

namespace systole::model {
namespace {

constexpr std::uint32_t kRingConfigMask = ((1u << reg::kRingConfigLog2EntriesWidth) - 1)
                                              << reg::kRingConfigLog2EntriesLsb |
                                          ((1u << reg::kRingConfigWindowWidth) - 1) << reg::kRingConfigWindowLsb;
constexpr std::uint32_t kPermissionMask = isa::kPermissionRead | isa::kPermissionWrite | isa::kPermissionExecute;
constexpr std::uint32_t kWindowMask = ~(kWindowAlignment - 1);
constexpr std::uint32_t kIrqMask = reg::kIrqStatusDone | reg::kIrqStatusError;

/// Element index if `offset` belongs to an array of registers, otherwise -1.
int element(std::uint32_t offset, std::uint32_t first, int count, std::uint32_t stride) {
  const std::uint32_t index = (offset - first) / stride;
  return offset >= first && offset == first + index * stride && index < static_cast<std::uint32_t>(count)
             ? static_cast<int>(index)
             : -1;
}

/// The window field that a register holds.
struct WindowField {
  std::size_t window;
  std::uint32_t AddressWindow::*field;
};

std::optional<WindowField> window_field(std::uint32_t offset) {
  int i = element(offset, reg::kWindowBase, reg::kWindowBaseCount, reg::kWindowBaseStride);
  if (i >= 0) {
    return WindowField{static_cast<std::size_t>(i), &AddressWindow::base};
  }
  i = element(offset, reg::kWindowSize, reg::kWindowSizeCount, reg::kWindowSizeStride);
  if (i >= 0) {
    return WindowField{static_cast<std::size_t>(i), &AddressWindow::size};
  }
  i = element(offset, reg::kWindowPermission, reg::kWindowPermissionCount, reg::kWindowPermissionStride);
  return i >= 0 ? std::optional(WindowField{static_cast<std::size_t>(i), &AddressWindow::permission}) : std::nullopt;
}

}  // namespace

std::uint32_t Core::status() const {
  std::uint32_t value = (busy_ ? reg::kStatusBusy : 0) | (machine_.halted() ? reg::kStatusHalted : 0) |
                        (machine_.state().nonfinite ? reg::kStatusNonfinite : 0);
  const Blocked& b = machine_.blocked();
  if (b.blocked && b.engine != isa::Engine::kCommand) {
    const std::uint32_t engine = 1u << static_cast<unsigned>(b.engine);
    value |= engine << reg::kStatusEngineBusyLsb | engine << reg::kStatusEngineWaitingLsb;
  }
  return value;
}

std::uint32_t Core::read(std::uint32_t offset) const {
  const Configuration& c = machine_.state().configuration();
  const ErrorRecord& e = machine_.error();
  switch (offset) {
    case reg::kIdentity: return isa::kIdentity;
    case reg::kIsaVersion: return isa::kIsaVersion;
    case reg::kDim: return static_cast<std::uint32_t>(c.dim);
    case reg::kScratchRows: return static_cast<std::uint32_t>(c.scratch_rows);
    case reg::kWeightRows: return static_cast<std::uint32_t>(c.weight_rows);
    case reg::kAccRows: return static_cast<std::uint32_t>(c.acc_rows);
    case reg::kParamRows: return static_cast<std::uint32_t>(c.param_rows);
    case reg::kQueueDepth: return isa::kQueueDepth;
    case reg::kParts: return c.parts;
    case reg::kWindows: return static_cast<std::uint32_t>(c.windows);
    case reg::kStatus: return status();
    case reg::kIrqStatus: return irq_status_;
    case reg::kIrqEnable: return irq_enable_;
    case reg::kRingBase: return ring_base_;
    case reg::kRingConfig: return ring_config_;
    case reg::kHead: return head_;
    case reg::kTail: return tail_;
    case reg::kEndTag: return machine_.end_tag();
    case reg::kEndCount: return machine_.end_count();
    case reg::kErrorCode:
      return machine_.halted()
                 ? static_cast<std::uint32_t>(e.code) | static_cast<std::uint32_t>(e.engine) << reg::kErrorCodeEngineLsb
                 : 0;
    case reg::kErrorIndex: return e.index;
    case reg::kErrorAddress: return e.address;
    case reg::kErrorCount: return machine_.halted() ? 1 : 0;
    case reg::kWatchdog: return watchdog_;
    case reg::kCommands: return machine_.commands();
    case reg::kWaitingSemaphores: {
      const Blocked& b = machine_.blocked();
      return b.blocked ? (0x80u | static_cast<std::uint32_t>(b.semaphore)) << (8 * static_cast<unsigned>(b.engine)) : 0;
    }
    case reg::kControl:
    case reg::kCycles:
    case reg::kReadBeats:
    case reg::kWriteBeats:
    case reg::kPaddedVectors: return 0;
    default: break;
  }
  if (const int i = element(offset, reg::kSemaphore, reg::kSemaphoreCount, reg::kSemaphoreStride); i >= 0) {
    std::uint32_t value = 0;
    for (std::size_t s = 0; s < 4; ++s) {
      value |= std::uint32_t{machine_.semaphores()[4 * static_cast<std::size_t>(i) + s]} << (8 * s);
    }
    return value;
  }
  const Blocked& b = machine_.blocked();
  if (const int i = element(offset, reg::kEngineState, reg::kEngineStateCount, reg::kEngineStateStride); i >= 0) {
    return b.blocked && i == static_cast<int>(b.engine) ? 1u << reg::kEngineStateQueuedLsb : 0;
  }
  if (const int i = element(offset, reg::kEngineIndex, reg::kEngineIndexCount, reg::kEngineIndexStride); i >= 0) {
    return b.blocked && i == static_cast<int>(b.engine) ? b.index : 0;
  }
  if (element(offset, reg::kEngineSince, reg::kEngineSinceCount, reg::kEngineSinceStride) >= 0) {
    return 0;
  }
  if (const auto f = window_field(offset)) {
    return machine_.state().windows()[f->window].*f->field;
  }
  if (element(offset, reg::kCauseCount, reg::kCauseCountCount, reg::kCauseCountStride) >= 0 ||
      element(offset, reg::kSemaphoreWait, reg::kSemaphoreWaitCount, reg::kSemaphoreWaitStride) >= 0) {
    return 0;
  }
  throw Failure(fmt::format("bus error: no register at offset 0x{:03x}", offset));
}

/// Refuses writes to registers that a running program uses.
void Core::refuse_if_busy(std::uint32_t offset) {
  if (!busy_) {
    return;
  }
  machine_.fail(isa::ErrorCode::kBusyRegister, isa::Engine::kCommand, machine_.commands(), offset,
                fmt::format("write of register 0x{:03x} while a program runs", offset));
  irq_status_ |= reg::kIrqStatusError;
  throw Failure(fmt::format("bus error: register 0x{:03x} is locked while STATUS.BUSY is set", offset));
}

void Core::write(std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case reg::kControl:
      if (value & reg::kControlReset) {
        reset();
      }
      if (value & reg::kControlClearCounters) {
        machine_.state().nonfinite = false;
      }
      return;
    case reg::kIrqStatus: irq_status_ &= ~value; return;
    case reg::kIrqEnable: irq_enable_ = value & kIrqMask; return;
    case reg::kRingBase:
      refuse_if_busy(offset);
      ring_base_ = value & ~(isa::kInstructionBytes - 1u);
      return;
    case reg::kRingConfig:
      refuse_if_busy(offset);
      ring_config_ = value & kRingConfigMask;
      return;
    case reg::kTail: doorbell(value); return;
    case reg::kWatchdog: watchdog_ = value; return;
    default: break;
  }
  const auto f = window_field(offset);
  if (!f) {
    throw Failure(fmt::format("bus error: no writable register at offset 0x{:03x}", offset));
  }
  refuse_if_busy(offset);
  if (static_cast<int>(f->window) >= machine_.state().configuration().windows) {
    return;
  }
  const bool permission = f->field == &AddressWindow::permission;
  machine_.state().windows()[f->window].*f->field = value & (permission ? kPermissionMask : kWindowMask);
}

}  // namespace systole::model
