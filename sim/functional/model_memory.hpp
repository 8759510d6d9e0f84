// SPDX-License-Identifier: Apache-2.0
// Device memory of the functional model.
#pragma once

#include <cstddef>
#include <cstdint>

namespace systole::model {

/// The memory behind the AXI port.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  /// Accesses at or beyond this address give a bus error.
  virtual std::uint64_t size() const = 0;
  /// The range must lie within size().
  virtual void read(std::uint64_t address, void* to, std::size_t bytes) const = 0;
  virtual void write(std::uint64_t address, const void* from, std::size_t bytes) = 0;
};

/// Zero-filled memory that only occupies pages that were accessed.
class SparseMemory final : public DeviceMemory {
 public:
  /// Throws Failure when the address range cannot be reserved.
  explicit SparseMemory(std::uint64_t bytes);
  ~SparseMemory() override;
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;

  std::uint64_t size() const override { return bytes_; }
  void read(std::uint64_t address, void* to, std::size_t bytes) const override;
  void write(std::uint64_t address, const void* from, std::size_t bytes) override;

 private:
  std::uint64_t bytes_;
  std::uint8_t* data_;
};

}  // namespace systole::model
