// SPDX-License-Identifier: Apache-2.0
// Shared by the benches of both DMA engines: ports as bytes, address windows, burst rules and random numbers.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>

#include "../window_check/windows_port.hpp"
#include "systole/generated/isa.hpp"

namespace systole::test {

/// Copies bytes into a Verilated port, whatever C++ type its width gave it.
template <typename Port>
void set_port(Port& port, const void* bytes, std::size_t count) {
  std::memcpy(&port, bytes, count);
}

/// Copies the bytes of a Verilated port.
template <typename Port>
void get_port(const Port& port, void* bytes, std::size_t count) {
  std::memcpy(bytes, &port, count);
}

/// Address windows as the registers hold them.
struct Windows {
  WindowValues base{}, size{}, permission{};

  bool allows(unsigned window, std::uint32_t offset, std::uint64_t length, std::uint32_t needed) const {
    return (permission[window] & needed) && offset + length <= size[window];
  }

  template <typename Top>
  void drive(Top& top) const {
    set_windows(top.windows_i, base, size, permission);
  }
};

/// A tpu_axi_pkg::request_t.
struct Request {
  std::uint32_t address;
  unsigned beats;
};
inline Request request_of(std::uint64_t port) {
  return {static_cast<std::uint32_t>(port), static_cast<unsigned>(port >> 32 & 255) + 1};
}

/// The rule that a burst of `beats` beats of `dim` bytes violates, if any.
inline std::optional<std::string> burst_violation(std::uint32_t address, unsigned beats, unsigned dim) {
  if (address % dim) return "not aligned to the beat";
  if (beats < 1 || beats > 32) return "not 1 to 32 beats";
  if (address % 4096 + beats * dim > 4096) return "crosses 4 KiB";
  return std::nullopt;
}

/// The error that ends a program, or none.
struct Fault {
  isa::ErrorCode code = isa::ErrorCode::kNone;
  std::uint32_t address = 0;
  explicit operator bool() const { return code != isa::ErrorCode::kNone; }
  bool operator==(const Fault& other) const { return code == other.code && address == other.address; }
};

/// Reproducible random numbers.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t between(std::uint64_t low, std::uint64_t high) { return low + engine_() % (high - low + 1); }
  std::int64_t between_signed(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool percent(unsigned chance) { return engine_() % 100 < chance; }

 private:
  std::mt19937_64 engine_;
};

/// Contents of device memory that no two nearby addresses share.
inline std::uint8_t memory_byte(std::uint32_t address) {
  std::uint32_t x = address * 0x9E3779B1u;
  x ^= x >> 15;
  x *= 0x85EBCA77u;
  return static_cast<std::uint8_t>(x >> 24);
}

}  // namespace systole::test
