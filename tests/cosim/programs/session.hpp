// SPDX-License-Identifier: Apache-2.0
// One device and the operations of the tests: fill every memory, run programs from the ring, reset, and read all
// visible state afterwards.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model_state.hpp"
#include "source.hpp"
#include "systole/backend.hpp"
#include "systole/generated/isa.hpp"

namespace systole::programs {

/// Device memory of every test.
inline constexpr std::uint32_t kCode = 0x0'0000;  ///< ring, JUMP targets
inline constexpr std::uint32_t kCodeBytes = 0x8'0000;
inline constexpr std::uint32_t kData = 0x8'0000;  ///< what the programs read and write
inline constexpr std::uint32_t kDataBytes = 0x8000;
inline constexpr std::uint32_t kImage = 0x10'0000;  ///< first contents of the on-chip memories
inline constexpr std::uint32_t kDump = 0x30'0000;   ///< last contents of scratchpad and accumulators
inline constexpr std::uint64_t kMemoryBytes = 0x50'0000;

/// Location of the ring, and the windows of the programs.
struct Setting {
  AddressWindows windows;
  std::uint32_t ring_base = 0;  ///< window offset
  int ring_window = 3;
  int ring_log2 = 8;
};

/// Programs that are written to the ring at once.
struct Batch {
  struct Body {
    std::uint32_t address;  ///< in device memory
    std::vector<isa::Instruction> commands;
  };
  std::vector<isa::Instruction> ring;
  std::vector<Body> bodies;      ///< programs that JUMPs call
  unsigned ends = 0;             ///< number of ENDs in all of it
  std::uint32_t step = 1 << 20;  ///< entries per doorbell at most
  unsigned pause = 0;            ///< cycles between doorbells
};

/// The registers after a run.
struct Outcome {
  bool timeout = false;
  std::uint32_t irq = 0, status = 0, error_code = 0, error_index = 0, error_address = 0;
  std::uint32_t end_tag = 0, end_count = 0, commands = 0, head = 0;
  bool good() const { return !timeout && error_code == 0; }
  std::string text() const;
};
bool operator==(const Outcome& a, const Outcome& b);
inline void PrintTo(const Outcome& outcome, std::ostream* out) { *out << outcome.text(); }

class Session {
 public:
  Session(std::unique_ptr<Backend> device, const Setting& setting);

  Backend& device() { return *device_; }
  const Configuration& configuration() const { return device_->configuration(); }

  /// Fills data area, scratchpad, weights, parameters, accumulators and tables with random bytes, and the kernel memory
  /// with the kernels of the configuration.
  void fill(std::uint64_t seed);

  /// Writes a batch to the ring and waits for its last END, an error, or `quiet` cycles without movement.
  Outcome run(const Batch& batch, std::uint64_t quiet = 50'000);
  /// Writes a batch to the ring without waiting.
  void start(const Batch& batch);
  /// The rest of run().
  Outcome finish(std::uint64_t quiet = 50'000);

  /// CONTROL.RESET, until the core has finished it. Returns false if it takes more than `patience` cycles.
  bool reset(std::uint64_t patience = 200'000);

  /// Data area, scratchpad and accumulators, by a program that stores them.
  std::vector<std::uint8_t> dump();

  /// Checks the cycle counters: each engine's causes add up to CYCLES, and its semaphores to the cause SEMAPHORE.
  /// Returns the violation, or an empty string.
  std::string counter_fault();

  /// All semaphore values.
  std::vector<std::uint32_t> semaphores();
  std::uint32_t status();

 private:
  void set_windows(const AddressWindows& windows);
  void submit(const isa::Instruction* entries, std::uint32_t count);
  std::uint32_t room();

  std::unique_ptr<Backend> device_;
  Setting setting_;
  std::uint32_t tail_ = 0;
  std::uint32_t ends_ = 0;  ///< expected
};

/// A setting with the ring at a random address and windows of random sizes: two or three overlapping data windows, at
/// least one of them writable.
Setting random_setting(Source& source);

}  // namespace systole::programs
