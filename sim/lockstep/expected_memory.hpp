// SPDX-License-Identifier: Apache-2.0
// The functional model's view of device memory: the bytes of the simulated machine, except for a private copy of every
// page that a STORE writes, taken before the first of its bytes leaves the core. So the model reads what its own STOREs
// wrote, a wrong STORE of the RTL is detected, and nothing else is copied.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "model_memory.hpp"

namespace systole::lockstep {

class ExpectedMemory final : public model::DeviceMemory {
 public:
  /// `live`: the memory of the simulated machine; its size is a multiple of 4096 bytes.
  explicit ExpectedMemory(const model::DeviceMemory& live) : live_(live) {}

  std::uint64_t size() const override { return live_.size(); }
  void read(std::uint64_t address, void* to, std::size_t bytes) const override;
  void write(std::uint64_t address, const void* from, std::size_t bytes) override;

  // Ranges below are clipped to the memory.

  /// From now on only write() changes these bytes.
  void capture(std::uint64_t address, std::size_t bytes);
  /// Takes these bytes from the machine again, since the host was allowed to write them.
  void refresh(std::uint64_t address, std::size_t bytes);
  /// Back to the initial state: all bytes are those of the machine.
  void forget() { pages_.clear(); }

  struct Difference {
    std::uint64_t address;
    std::uint8_t expected;
    std::uint8_t actual;
  };
  /// The first byte in which the machine's memory differs from this one.
  std::optional<Difference> difference(std::uint64_t address, std::size_t bytes) const;

 private:
  static constexpr std::uint64_t kPage = 4096;
  using Page = std::array<std::uint8_t, kPage>;

  /// Calls part(page number, offset in the page, offset in the range, bytes) page by page.
  template <class Part>
  static void by_page(std::uint64_t address, std::size_t bytes, Part part);

  std::size_t existing(std::uint64_t address, std::size_t bytes) const;

  const model::DeviceMemory& live_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace systole::lockstep
