// SPDX-License-Identifier: Apache-2.0
#include "systole/device.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "running.hpp"
#include "systole/errors.hpp"
#include "systole/generated/registers.hpp"

namespace systole {
namespace {

constexpr std::size_t kFirstRingEntries = 1024;
constexpr int kMaxRingLog2 = 20;
// The core reads instructions in aligned blocks of this many bytes. A program at the start of a block begins sooner.
constexpr std::uint64_t kFetchBlock = 512;
constexpr std::uint64_t kWindowLimit = 0xFFFF'FFC0;  // largest window that a 32-bit size register can describe
constexpr int kResetPolls = 10'000;
constexpr std::uint64_t kResetPollCycles = 64;

void check_range(const Buffer& buffer, std::size_t bytes, std::uint64_t offset) {
  if (offset > buffer.bytes() || bytes > buffer.bytes() - offset) {
    throw OutOfRange(
        fmt::format("copy of {} bytes at offset {} exceeds the buffer of {} bytes", bytes, offset, buffer.bytes()));
  }
}

}  // namespace

CopyTicket::CopyTicket(CopyTicket&& other) noexcept
    : backend_(std::exchange(other.backend_, nullptr)), id_(other.id_) {}

CopyTicket& CopyTicket::operator=(CopyTicket&& other) noexcept {
  if (this != &other) {
    wait_quietly();
    backend_ = std::exchange(other.backend_, nullptr);
    id_ = other.id_;
  }
  return *this;
}

CopyTicket::~CopyTicket() { wait_quietly(); }

void CopyTicket::wait() {
  if (Backend* backend = std::exchange(backend_, nullptr)) {
    backend->wait_copy(id_);
  }
}

void CopyTicket::wait_quietly() noexcept {
  try {
    wait();
  } catch (const std::exception&) {}
}

Device::Device(std::unique_ptr<Backend> backend)
    : backend_(std::move(backend)), observers_(std::make_unique<Observers>()) {
  check_identity();
  const std::uint64_t bytes = std::min(backend_->memory_bytes(), kWindowLimit) / kBufferAlignment * kBufferAlignment;
  // Address 0 stays unused, so that an address that was not set is not that of a tensor.
  memory_ = std::make_shared<AddressSpace>(kBufferAlignment, bytes);
  make_ring(kFirstRingEntries);
  set_up();
}

Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;
Device::~Device() = default;

void Device::check_identity() {
  const Configuration& c = configuration();
  const auto expect = [&](const char* name, std::uint32_t offset, std::uint32_t expected) {
    const std::uint32_t value = backend_->read_register(offset);
    if (value != expected) {
      throw Failure(
          fmt::format("device ({} back end, configuration {}): register {} reads {:#x}, the driver expects {:#x}; use "
                      "a driver and a "
                      "core generated from the same isa/spec",
                      backend_->name(), c.name, name, value, expected));
    }
  };
  expect("IDENTITY", reg::kIdentity, isa::kIdentity);
  expect("ISA_VERSION", reg::kIsaVersion, isa::kIsaVersion);
  expect("DIM", reg::kDim, static_cast<std::uint32_t>(c.dim));
  expect("SCRATCH_ROWS", reg::kScratchRows, static_cast<std::uint32_t>(c.scratch_rows));
  expect("WEIGHT_ROWS", reg::kWeightRows, static_cast<std::uint32_t>(c.weight_rows));
  expect("ACC_ROWS", reg::kAccRows, static_cast<std::uint32_t>(c.acc_rows));
  expect("PARAM_ROWS", reg::kParamRows, static_cast<std::uint32_t>(c.param_rows));
  expect("PARTS", reg::kParts, c.parts);
  expect("WINDOWS", reg::kWindows, static_cast<std::uint32_t>(c.windows));
  expect("QUEUE_DEPTH", reg::kQueueDepth, static_cast<std::uint32_t>(isa::kQueueDepth));
}

/// Writes the windows that differ from those set before: registers keep their values over a reset. Must not be called
/// while a program runs, because the registers are locked then.
void Device::set_windows(const AddressWindows& windows) {
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(configuration().windows); ++i) {
    const AddressWindow& window = windows[i];
    AddressWindow& set = windows_[i];
    if (window.base == set.base && window.size == set.size && window.permission == set.permission) {
      continue;
    }
    backend_->write_register(reg::kWindowBase + i * reg::kWindowBaseStride, window.base);
    backend_->write_register(reg::kWindowSize + i * reg::kWindowSizeStride, window.size);
    backend_->write_register(reg::kWindowPermission + i * reg::kWindowPermissionStride, window.permission);
    set = window;
  }
}

void Device::set_up() {
  backend_->write_register(reg::kRingConfig, static_cast<std::uint32_t>(ring_log2_ << reg::kRingConfigLog2EntriesLsb) |
                                                 static_cast<std::uint32_t>(kRingWindow << reg::kRingConfigWindowLsb));
  backend_->write_register(reg::kIrqStatus, reg::kIrqStatusDone | reg::kIrqStatusError);
  backend_->write_register(reg::kIrqEnable, reg::kIrqEnableDone | reg::kIrqEnableError);
}

/// Makes a ring for at least `entries` instructions. Must not be called while a program runs.
void Device::make_ring(std::size_t entries) {
  int log2 = 0;
  while ((std::size_t{1} << log2) < entries) {
    ++log2;
  }
  if (log2 > kMaxRingLog2) {
    throw InvalidArgument(fmt::format("a program of {} instructions exceeds the largest ring of {}", entries,
                                      std::size_t{1} << kMaxRingLog2));
  }
  // The old ring is freed after the new one has been allocated, so that it remains if there is no room.
  ring_ = allocate((std::uint64_t{1} << log2) * isa::kInstructionBytes + kFetchBlock);
  ring_log2_ = log2;
}

CopyTicket Device::start_write(const Buffer& to, const void* host, std::size_t bytes, std::uint64_t offset) {
  check_range(to, bytes, offset);
  return {*backend_, backend_->copy_to_device(to.address() + offset, host, bytes)};
}

CopyTicket Device::start_read(const Buffer& from, void* host, std::size_t bytes, std::uint64_t offset) {
  check_range(from, bytes, offset);
  return {*backend_, backend_->copy_from_device(host, from.address() + offset, bytes)};
}

void Device::write(const Buffer& to, const void* host, std::size_t bytes, std::uint64_t offset) {
  start_write(to, host, bytes, offset).wait();
}

void Device::read(const Buffer& from, void* host, std::size_t bytes, std::uint64_t offset) {
  start_read(from, host, bytes, offset).wait();
}

void Device::attach(std::shared_ptr<Observer> observer) {
  observers_->add(std::move(observer));
  backend_->observe(observers_.get());
}

void Device::detach(const Observer& observer) {
  observers_->remove(observer);
  if (observers_->empty()) {
    backend_->observe(nullptr);
  }
}

bool Device::finish_recordings() {
  observers_->finish();
  return backend_->finish_recording();
}

void Device::place(Program& program) { place(program, nullptr); }

void Device::place(Program& program, std::shared_ptr<const Buffer> range) {
  for (const Buffer* buffer :
       {program.bindings_.get(), &std::as_const(program.constants_), &std::as_const(program.scratch_)}) {
    if (buffer->space() && buffer->space() != memory_) {
      throw InvalidArgument(fmt::format(
          "the program belongs to another device: its range at {:#x} lies in that device's memory; build or "
          "load the program for this device",
          buffer->address()));
    }
  }
  if (program.placed_) {
    return;
  }
  program.windows();  // throws if the ranges are too large
  const auto reserve = [this](std::uint64_t bytes) { return bytes == 0 ? Buffer() : allocate(bytes); };
  if (!range) {
    range = std::make_shared<const Buffer>(reserve(program.binding_bytes));
  }
  Buffer scratch = reserve(program.scratch_bytes), constants = reserve(program.constant_bytes);
  program.bindings_ = std::move(range);
  program.scratch_ = std::move(scratch);
  program.constants_ = std::move(constants);
  program.placed_ = true;
}

void Device::load_constants(Program& program) {
  if (program.constants_loaded_) {
    return;
  }
  std::vector<CopyTicket> tickets;
  for (const Program::Constant& constant : program.constants) {
    if (!constant.bytes.empty()) {
      tickets.push_back(start_write(program.constants_, constant.bytes.data(), constant.bytes.size(), constant.offset));
    }
  }
  for (CopyTicket& ticket : tickets) {
    ticket.wait();
  }
  program.constants_loaded_ = true;
}

/// Sets the windows, and writes the program into the ring, beginning at ring entry tail_, and an END behind it, which
/// clears the core if `clear`. Returns the number of entries.
std::uint32_t Device::write_ring(const Program& program, bool clear) {
  const std::size_t count = program.instructions.size() + 1;
  if (count > std::size_t{1} << ring_log2_) {
    make_ring(count);
    set_up();
  }
  AddressWindows windows = program.windows();
  windows[kRingWindow] = {static_cast<std::uint32_t>(ring_.address()), static_cast<std::uint32_t>(ring_.bytes()),
                          isa::kPermissionExecute};
  set_windows(windows);
  std::vector<isa::Instruction> entries = program.instructions;
  isa::End end;
  end.tag = ++tag_;
  end.clear = clear ? 1 : 0;
  entries.push_back(end.encode());

  const std::size_t size = std::size_t{1} << ring_log2_;
  const std::size_t at = tail_ % size;
  const std::size_t head_part = std::min(count, size - at);
  // The ring's base is moved within its buffer so that the program's first entry is at the start of a block.
  const std::uint64_t base =
      (kFetchBlock - (ring_.address() + at * isa::kInstructionBytes) % kFetchBlock) % kFetchBlock;
  const auto copy = [&](std::size_t place, std::size_t from, std::size_t n) {
    write(ring_, entries.data() + from, n * isa::kInstructionBytes, base + place * isa::kInstructionBytes);
  };
  backend_->write_register(reg::kRingBase, static_cast<std::uint32_t>(base));
  copy(at, 0, head_part);
  if (head_part < count) {
    copy(0, head_part, count - head_part);
  }
  return static_cast<std::uint32_t>(count);
}

/// Runs a program of an END only. By then the counters of the run before have been read.
void Device::clear() {
  check_free("clear()");
  const Program nothing;
  const std::uint64_t quiet_cycles = RunOptions().quiet_cycles;
  first_ = commands_;
  const std::uint32_t entries = write_ring(nothing, true);
  commands_ += entries;
  tail_ += entries;
  backend_->write_register(reg::kTail, tail_);
  if (backend_->wait_interrupt(quiet_cycles) == Backend::Wake::kTimeout) {
    raise_timeout(nothing, quiet_cycles);
  }
  const std::uint32_t status = backend_->read_register(reg::kIrqStatus);
  if ((status & reg::kIrqStatusError) != 0) {
    raise_error(nothing);
  }
  backend_->read_register(reg::kEndTag);
  backend_->write_register(reg::kIrqStatus, status);
}

void Device::reset() {
  if (running_ && !running_->ended) {
    running_->fail(std::make_exception_ptr(Failure("device: it was reset while the program ran")));
    end_failed_run(backend_->simulated_cycles());
  }
  backend_->write_register(reg::kControl, reg::kControlReset);
  int polls = 0;
  while ((backend_->read_register(reg::kStatus) & reg::kStatusResetting) != 0) {
    if (++polls > kResetPolls) {
      throw Failure(
          fmt::format("device: reset has not finished after {} cycles, because bus transactions are outstanding",
                      kResetPolls * kResetPollCycles));
    }
    backend_->run(kResetPollCycles);
  }
  tail_ = 0;
  commands_ = 0;
  first_ = 0;
  set_up();
}

}  // namespace systole
