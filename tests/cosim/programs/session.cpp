// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "kernel_set.hpp"
#include "systole/generated/registers.hpp"

namespace systole::programs {
namespace {

constexpr std::uint32_t kPermissionAll = isa::kPermissionRead | isa::kPermissionWrite | isa::kPermissionExecute;

auto members(const Outcome& o) {
  return std::tie(o.timeout, o.irq, o.status, o.error_code, o.error_index, o.error_address, o.end_tag, o.end_count,
                  o.commands, o.head);
}

/// All rows of a memory from contiguous bytes.
isa::Load whole(isa::Space space, int rows, int dim, std::uint32_t from) {
  isa::Load op;
  op.space = static_cast<std::uint8_t>(space);
  op.src = from;
  op.run_bytes = static_cast<std::uint32_t>(rows * dim);
  op.pieces = static_cast<std::uint16_t>(rows);
  op.piece_step = op.piece_bytes = op.slot_bytes = static_cast<std::uint16_t>(dim);
  op.dst_piece = 1;
  op.valid_to = 1;
  return op;
}

isa::Store rows_to(std::uint32_t to, int rows, int dim) {
  isa::Store op;
  op.dst = to;
  op.pieces = static_cast<std::uint16_t>(rows);
  op.piece_bytes = static_cast<std::uint16_t>(dim);
  op.src_piece = 1;
  return op;
}

Batch batch_of(std::vector<isa::Instruction> ring) {
  Batch batch;
  ring.push_back(isa::End{}.encode());
  batch.ring = std::move(ring);
  batch.ends = 1;
  return batch;
}

}  // namespace

bool operator==(const Outcome& a, const Outcome& b) { return members(a) == members(b); }

std::string Outcome::text() const {
  return fmt::format(
      "{}irq {} status {:#x} error {} engine {} index {} address {:#x}; tag {:#x} ends {} commands {} head {}",
      timeout ? "timeout " : "", irq, status, to_string(static_cast<isa::ErrorCode>(error_code & 0xFF)),
      to_string(static_cast<isa::Engine>(error_code >> reg::kErrorCodeEngineLsb)), error_index, error_address, end_tag,
      end_count, commands, head);
}

Session::Session(std::unique_ptr<Backend> device, const Setting& setting)
    : device_(std::move(device)), setting_(setting) {
  const auto config = static_cast<std::uint32_t>(setting.ring_log2 << reg::kRingConfigLog2EntriesLsb |
                                                 setting.ring_window << reg::kRingConfigWindowLsb);
  device_->write_register(reg::kRingBase, setting.ring_base);
  device_->write_register(reg::kRingConfig, config);
  device_->write_register(reg::kIrqEnable, reg::kIrqEnableDone | reg::kIrqEnableError);
  set_windows(setting.windows);
}

void Session::set_windows(const AddressWindows& windows) {
  for (std::uint32_t w = 0; w < windows.size(); ++w) {
    device_->write_register(reg::kWindowBase + w * reg::kWindowBaseStride, windows[w].base);
    device_->write_register(reg::kWindowSize + w * reg::kWindowSizeStride, windows[w].size);
    device_->write_register(reg::kWindowPermission + w * reg::kWindowPermissionStride, windows[w].permission);
  }
}

void Session::fill(std::uint64_t seed) {
  const Configuration& c = configuration();
  Source source(seed);
  const auto rows = static_cast<std::size_t>(c.scratch_end() + c.weight_rows + c.param_rows);
  auto image = source.bytes(rows * static_cast<std::size_t>(c.dim));
  const auto& kernels = kernels_of(c).known.kernels;
  const auto* kernel_bytes = reinterpret_cast<const std::uint8_t*>(kernels.data());
  image.insert(image.end(), kernel_bytes, kernel_bytes + sizeof(kernel::Word) * kernels.size());
  const auto data = source.bytes(kDataBytes);
  device_->copy_to_device(kImage, image.data(), image.size());
  device_->wait_copy(device_->copy_to_device(kData, data.data(), data.size()));

  const auto bytes = [&](int row_count) { return static_cast<std::uint32_t>(row_count * c.dim); };
  isa::Load scratch = whole(isa::Space::kScratch, c.scratch_end(), c.dim, kImage);
  isa::Load weights = whole(isa::Space::kWeight, c.weight_rows, c.dim, kImage + bytes(c.scratch_end()));
  isa::Load params = whole(isa::Space::kParam, c.param_rows, c.dim, kImage + bytes(c.scratch_end() + c.weight_rows));
  isa::Load kernel_rows = whole(isa::Space::kKernel, kernel::memory_rows(c.dim), c.dim,
                                kImage + bytes(c.scratch_end() + c.weight_rows + c.param_rows));
  isa::Table words;
  words.words = 1;
  isa::Preload sums;
  sums.out_width = static_cast<std::uint16_t>(c.acc_rows);
  sums.plane_stride = static_cast<std::uint16_t>(c.acc_rows);
  sums.sem.wait0_amount = 1;
  const int other = (setting_.ring_window + 1) % c.windows;
  scratch.window = weights.window = params.window = kernel_rows.window = static_cast<std::uint8_t>(other);
  AddressWindows windows = setting_.windows;
  windows[static_cast<std::size_t>(other)] = {0, static_cast<std::uint32_t>(kMemoryBytes), kPermissionAll};
  set_windows(windows);
  // The accumulators are filled from the scratchpad when LOAD is done.
  params.sem.signal0_amount = 1;
  std::vector<isa::Instruction> ring = {scratch.encode(), weights.encode()};
  if (c.has(Part::kVectorProcessor)) ring.push_back(kernel_rows.encode());
  ring.insert(ring.end(), {params.encode(), sums.encode(), isa::Table{}.encode()});
  if (c.has(Part::kVectorProcessor)) ring.insert(ring.end(), {words.encode(), kernels_of(c).fill.encode()});
  const Outcome outcome = run(batch_of(std::move(ring)));
  if (!outcome.good()) throw std::runtime_error("fill: " + outcome.text());
  set_windows(setting_.windows);
}

std::vector<std::uint8_t> Session::dump() {
  const Configuration& c = configuration();
  const int other = (setting_.ring_window + 1) % c.windows;
  isa::Store scratch = rows_to(kDump, c.scratch_end(), c.dim);
  scratch.window = static_cast<std::uint8_t>(other);
  scratch.sem.signal0_amount = 1;
  isa::Drain32 sums;
  sums.out_width = static_cast<std::uint16_t>(c.acc_rows);
  sums.plane_stride = static_cast<std::uint16_t>(c.acc_rows);
  sums.sem.wait0_amount = 1;
  sums.sem.signal0_sem = 1;
  sums.sem.signal0_amount = 1;
  isa::Store drained = rows_to(kDump + static_cast<std::uint32_t>(c.scratch_end() * c.dim), 4 * c.acc_rows, c.dim);
  drained.window = static_cast<std::uint8_t>(other);
  drained.sem.wait0_sem = 1;
  drained.sem.wait0_amount = 1;
  AddressWindows windows = setting_.windows;
  windows[static_cast<std::size_t>(other)] = {0, static_cast<std::uint32_t>(kMemoryBytes), kPermissionAll};
  set_windows(windows);
  const Outcome outcome = run(batch_of({scratch.encode(), sums.encode(), drained.encode()}));
  if (!outcome.good()) throw std::runtime_error("dump: " + outcome.text());
  set_windows(setting_.windows);
  const auto on_chip = static_cast<std::size_t>((c.scratch_end() + 4 * c.acc_rows) * c.dim);
  std::vector<std::uint8_t> all(kDataBytes + on_chip);
  device_->copy_from_device(all.data(), kData, kDataBytes);
  device_->wait_copy(device_->copy_from_device(all.data() + kDataBytes, kDump, on_chip));
  return all;
}

Outcome Session::run(const Batch& batch, std::uint64_t quiet) {
  start(batch);
  return finish(quiet);
}

std::uint32_t Session::room() { return (1u << setting_.ring_log2) - (tail_ - device_->read_register(reg::kHead)); }

void Session::start(const Batch& batch) {
  for (const Batch::Body& body : batch.bodies) {
    device_->wait_copy(
        device_->copy_to_device(body.address, body.commands.data(), body.commands.size() * isa::kInstructionBytes));
  }
  ends_ += batch.ends;
  std::uint32_t next = 0, still = 0;
  const auto total = static_cast<std::uint32_t>(batch.ring.size());
  while (next < total) {
    const std::uint32_t count = std::min({total - next, room(), batch.step});
    submit(batch.ring.data() + next, count);
    next += count;
    still = count ? 0 : still + 1;
    if (next == total) break;
    device_->run(batch.pause + (count ? 0 : 64));
    if (still > 10'000 || (status() & reg::kStatusHalted)) return;
  }
}

/// Entries to the ring, which may wrap, and the doorbell.
void Session::submit(const isa::Instruction* entries, std::uint32_t count) {
  if (count == 0) return;
  const std::uint32_t size = 1u << setting_.ring_log2;
  const std::uint32_t slot = tail_ & (size - 1);
  const std::uint32_t first = std::min(count, size - slot);
  const auto window_base = setting_.windows[static_cast<std::size_t>(setting_.ring_window)].base;
  const std::uint64_t base = window_base + setting_.ring_base;
  device_->copy_to_device(base + std::uint64_t{slot} * isa::kInstructionBytes, entries,
                          std::size_t{first} * isa::kInstructionBytes);
  const auto last = device_->copy_to_device(base, entries + first, std::size_t{count - first} * isa::kInstructionBytes);
  device_->wait_copy(last);
  tail_ += count;
  device_->write_register(reg::kTail, tail_);
}

Outcome Session::finish(std::uint64_t quiet) {
  Outcome o;
  do {
    o.timeout = device_->wait_interrupt(quiet) == Backend::Wake::kTimeout;
    o.irq = device_->read_register(reg::kIrqStatus);
    device_->write_register(reg::kIrqStatus, o.irq);
    o.end_count = device_->read_register(reg::kEndCount);
  } while (!o.timeout && !(o.irq & reg::kIrqStatusError) && o.end_count != ends_);
  o.status = status();
  o.error_code = device_->read_register(reg::kErrorCode);
  o.error_index = device_->read_register(reg::kErrorIndex);
  o.error_address = device_->read_register(reg::kErrorAddress);
  o.end_tag = device_->read_register(reg::kEndTag);
  o.commands = device_->read_register(reg::kCommands);
  o.head = device_->read_register(reg::kHead);
  return o;
}

bool Session::reset(std::uint64_t patience) {
  device_->write_register(reg::kControl, reg::kControlReset);
  tail_ = ends_ = 0;
  for (std::uint64_t waited = 0; status() & reg::kStatusResetting; waited += 64) {
    if (waited > patience) return false;
    device_->run(64);
  }
  return true;
}

std::string Session::counter_fault() {
  if (!configuration().has(Part::kCauseCounters)) return {};
  constexpr std::uint32_t kCauses = reg::kCauseCountCount / 4;
  const std::uint32_t cycles = device_->read_register(reg::kCycles);
  for (std::uint32_t engine = 0; engine < 4; ++engine) {
    std::uint32_t sum = 0, waited = 0, waits = 0;
    for (std::uint32_t cause = 0; cause < kCauses; ++cause) {
      const std::uint32_t count =
          device_->read_register(reg::kCauseCount + (engine * kCauses + cause) * reg::kCauseCountStride);
      sum += count;
      if (cause == static_cast<std::uint32_t>(isa::Cause::kSemaphore)) waited = count;
    }
    if (sum != cycles) return fmt::format("causes of engine {} add up to {} of {} cycles", engine, sum, cycles);
    for (std::uint32_t s = 0; s < isa::kSemaphores; ++s) {
      waits +=
          device_->read_register(reg::kSemaphoreWait + (engine * isa::kSemaphores + s) * reg::kSemaphoreWaitStride);
    }
    if (waits != waited)
      return fmt::format("semaphores of engine {} add up to {} of {} cycles of waiting", engine, waits, waited);
  }
  return {};
}

std::vector<std::uint32_t> Session::semaphores() {
  std::vector<std::uint32_t> values;
  for (std::uint32_t i = 0; i < reg::kSemaphoreCount; ++i)
    values.push_back(device_->read_register(reg::kSemaphore + i * reg::kSemaphoreStride));
  return values;
}

std::uint32_t Session::status() { return device_->read_register(reg::kStatus); }

Setting random_setting(Source& source) {
  std::vector<std::size_t> order = {0, 1, 2, 3};
  for (std::size_t i = 3; i > 0; --i)
    std::swap(order[i], order[static_cast<std::size_t>(source.range(0, static_cast<long long>(i)))]);
  Setting s;
  const auto code_base = static_cast<std::uint32_t>(source.range(0, 63)) * 64;
  s.ring_window = static_cast<int>(order[0]);
  s.windows[order[0]] = {kCode + code_base, kCodeBytes - code_base, isa::kPermissionExecute};
  s.ring_log2 = static_cast<int>(source.range(3, 7));
  s.ring_base = static_cast<std::uint32_t>(source.range(0, 63)) * 64;
  const auto data = [&](std::uint32_t permission) {
    const auto base = static_cast<std::uint32_t>(source.range(0, 63)) * kWindowAlignment;
    const auto size = static_cast<std::uint32_t>(source.range(0x4000, kDataBytes - base));
    return AddressWindow{kData + base, size / kWindowAlignment * kWindowAlignment, permission};
  };
  s.windows[order[1]] = data(isa::kPermissionRead | isa::kPermissionWrite);
  s.windows[order[2]] = data(source.chance(50) ? isa::kPermissionRead : isa::kPermissionRead | isa::kPermissionWrite);
  if (source.chance(50)) s.windows[order[3]] = data(isa::kPermissionWrite);
  return s;
}

}  // namespace systole::programs
