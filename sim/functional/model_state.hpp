// SPDX-License-Identifier: Apache-2.0
// The architectural state, with the range checks of the hardware: an access outside a memory throws the fault that the
// engine would raise.
#pragma once

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model_memory.hpp"
#include "systole/address_windows.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/generated/isa.hpp"
#include "systole/kernel.hpp"

namespace systole::model {

/// The instruction faults; the meaning of `address` depends on the code. `why` says what code and address do not.
class Fault : public std::runtime_error {
 public:
  Fault(isa::ErrorCode the_code, std::uint32_t the_address, std::string the_why = {})
      : std::runtime_error(fmt::format("error {} at {:#x}", static_cast<unsigned>(the_code), the_address)),
        code(the_code),
        address(the_address),
        why(std::move(the_why)) {}
  isa::ErrorCode code;
  std::uint32_t address;
  std::string why;
};

/// Loop variables of the operations: wide enough for the product of any two fields.
using Count = std::int64_t;

/// Row addresses are 16 bits wide in hardware; sums wrap.
constexpr std::uint16_t row16(std::int64_t sum) { return static_cast<std::uint16_t>(sum); }

class State {
 public:
  State(const Configuration& configuration, DeviceMemory& memory);

  /// Clears all memories, vector registers and tables; the windows are kept.
  void clear();

  const Configuration& configuration() const { return configuration_; }
  int dim() const { return configuration_.dim; }

  /// A row of DIM bytes of the scratchpad or of its exponents. Throws Fault{kScratchRange, row}.
  std::int8_t* scratch(std::uint16_t row) {
    return byte_row(scratch_, row, configuration_.scratch_end(), isa::ErrorCode::kScratchRange);
  }
  /// A row of the scratchpad alone, which has exponents. Throws Fault{kScratchRange, row}.
  std::int8_t* block_row(std::uint16_t row) {
    return byte_row(scratch_, row, configuration_.scratch_rows, isa::ErrorCode::kScratchRange);
  }
  /// Exponent of block_lanes() channels of a row that block_row() accepts: of the first, the second, ... of them.
  std::uint8_t& exponent(std::uint16_t row, Count part) {
    const Count each = dim() / configuration_.block_lanes();
    return reinterpret_cast<std::uint8_t*>(scratch(row16(configuration_.scratch_rows)))[row * each + part];
  }
  /// A row of DIM bytes. Throws Fault{kParamRange, row}.
  std::int8_t* param(std::uint16_t row) {
    return byte_row(params_, row, configuration_.param_rows, isa::ErrorCode::kParamRange);
  }
  /// A row of the weight ring, modulo its size.
  std::int8_t* weight(Count row) { return weights_.data() + row % configuration_.weight_rows * dim(); }
  /// A row of DIM int32. Throws Fault{kAccRange, row}.
  std::int32_t* accumulator(Count row);
  /// A row of DIM bytes of the kernel memory. Throws Fault{kKernelRange, row}.
  std::int8_t* kernel_row(std::uint16_t row);
  /// A row of the memory selected by a LOAD.
  std::int8_t* row(isa::Space space, std::uint16_t row);

  /// Result of the look-up table for a value.
  std::int8_t look_up(std::int8_t value) const { return table_[static_cast<std::size_t>(value + 128)]; }
  std::array<std::int8_t, 256>& table() { return table_; }

  /// Words of the kernel memory.
  std::vector<kernel::Word>& kernels() { return kernels_; }
  const std::vector<kernel::Word>& kernels() const { return kernels_; }
  /// A row of DIM words of a vector register.
  std::uint32_t* vector_row(std::uint32_t number, int row) {
    const std::size_t index = std::size_t{number} * kernel::kStripRows + static_cast<std::size_t>(row);
    return vectors_.data() + index * static_cast<std::size_t>(dim());
  }
  /// The table that kernels read.
  std::array<std::uint32_t, kernel::kTableWords>& words() { return words_; }

  /// Whether a kernel has stored a block that is not a number since the counters were cleared.
  bool nonfinite = false;

  AddressWindows& windows() { return windows_; }
  const AddressWindows& windows() const { return windows_; }
  /// Throws Fault{kWindow, offset} unless the window allows the access.
  void check_window(int window, std::uint32_t permission, std::uint32_t offset, std::uint64_t bytes) const;
  /// Reads through a window that has been checked. Throws Fault{kAxiRead} outside of memory. The bytes stay valid until
  /// the next call.
  const std::int8_t* read_memory(int window, std::uint32_t offset, std::size_t bytes);
  /// As read_memory(), kAxiWrite.
  void write_memory(int window, std::uint32_t offset, const std::int8_t* from, std::size_t bytes);

 private:
  std::int8_t* byte_row(std::vector<std::int8_t>& memory, std::uint16_t row, int rows, isa::ErrorCode beyond) {
    if (row >= rows) {
      throw Fault{beyond, row};
    }
    return memory.data() + static_cast<std::size_t>(row) * static_cast<unsigned>(dim());
  }
  std::uint64_t physical(int window, std::uint32_t offset, std::size_t bytes, isa::ErrorCode missing) const;

  Configuration configuration_;
  DeviceMemory& memory_;
  std::vector<std::int8_t> scratch_;
  std::vector<std::int8_t> weights_;
  std::vector<std::int8_t> params_;
  std::vector<std::int32_t> accumulators_;
  std::array<std::int8_t, 256> table_{};
  std::vector<kernel::Word> kernels_;
  std::vector<std::uint32_t> vectors_;  ///< register, row, lane
  std::array<std::uint32_t, kernel::kTableWords> words_{};
  AddressWindows windows_{};
  std::vector<std::int8_t> run_;
};

}  // namespace systole::model
