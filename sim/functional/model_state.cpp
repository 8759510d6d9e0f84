// SPDX-License-Identifier: Apache-2.0
#include "model_state.hpp"

#include <algorithm>

namespace systole::model {
namespace {

std::size_t elements(int rows, int dim) { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(dim); }

}  // namespace

State::State(const Configuration& configuration, DeviceMemory& memory)
    : configuration_(configuration),
      memory_(memory),
      scratch_(elements(configuration.scratch_end(), configuration.dim)),
      weights_(elements(configuration.weight_rows, configuration.dim)),
      params_(elements(configuration.param_rows, configuration.dim)),
      accumulators_(elements(configuration.acc_rows, configuration.dim)),
      kernels_(kernel::kMemoryWords),
      vectors_(elements(kernel::kVectors * kernel::kStripRows, configuration.dim)) {}

void State::clear() {
  std::fill(scratch_.begin(), scratch_.end(), 0);
  std::fill(weights_.begin(), weights_.end(), 0);
  std::fill(params_.begin(), params_.end(), 0);
  std::fill(accumulators_.begin(), accumulators_.end(), 0);
  table_.fill(0);
  std::fill(kernels_.begin(), kernels_.end(), 0);
  std::fill(vectors_.begin(), vectors_.end(), 0);
  words_.fill(0);
  nonfinite = false;
}

std::int32_t* State::accumulator(Count row) {
  if (row >= configuration_.acc_rows) {
    throw Fault{isa::ErrorCode::kAccRange, static_cast<std::uint32_t>(row)};
  }
  return accumulators_.data() + row * dim();
}

std::int8_t* State::kernel_row(std::uint16_t row) {
  if (row >= kernel::memory_rows(dim())) {
    throw Fault{isa::ErrorCode::kKernelRange, row};
  }
  return reinterpret_cast<std::int8_t*>(kernels_.data()) + row * dim();  // device and host are little-endian
}

std::int8_t* State::row(isa::Space space, std::uint16_t row) {
  switch (space) {
    case isa::Space::kScratch: return scratch(row);
    case isa::Space::kWeight: return weight(row);
    case isa::Space::kParam: return param(row);
    case isa::Space::kKernel: break;
  }
  return kernel_row(row);
}

void State::check_window(int window, std::uint32_t permission, std::uint32_t offset, std::uint64_t bytes) const {
  if (!allows(windows_[static_cast<std::size_t>(window)], permission, offset, bytes)) {
    throw Fault{isa::ErrorCode::kWindow, offset};
  }
}

/// Device address of a window offset. An access beyond the memory faults at its first beat that lies wholly outside:
/// memory ends at a multiple of 4 KiB, so a burst begins there as well.
std::uint64_t State::physical(int window, std::uint32_t offset, std::size_t bytes, isa::ErrorCode missing) const {
  const std::uint32_t address = windows_[static_cast<std::size_t>(window)].base + offset;
  if (address + static_cast<std::uint64_t>(bytes) > memory_.size()) {
    const std::uint64_t beat = address - address % static_cast<unsigned>(dim());
    throw Fault{missing, static_cast<std::uint32_t>(std::max(beat, memory_.size()))};
  }
  return address;
}

const std::int8_t* State::read_memory(int window, std::uint32_t offset, std::size_t bytes) {
  const std::uint64_t address = physical(window, offset, bytes, isa::ErrorCode::kAxiRead);
  if (run_.size() < bytes) {
    run_.resize(bytes);
  }
  memory_.read(address, run_.data(), bytes);
  return run_.data();
}

void State::write_memory(int window, std::uint32_t offset, const std::int8_t* from, std::size_t bytes) {
  memory_.write(physical(window, offset, bytes, isa::ErrorCode::kAxiWrite), from, bytes);
}

}  // namespace systole::model
