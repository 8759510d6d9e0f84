// SPDX-License-Identifier: Apache-2.0
// The user's view of a device: memory, copies, programs and readable errors. It is the same for the Verilated core and
// for the functional model.
//
//   Device device = Device::open({}, "model");
//   Buffer input = device.allocate(4096);
//   device.write(input, host.data(), host.size());
//   RunStats stats = device.run(program);
//   device.read(output, result.data(), result.size());
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "systole/backend.hpp"
#include "systole/buffer.hpp"
#include "systole/errors.hpp"
#include "systole/generated/isa.hpp"
#include "systole/hang.hpp"
#include "systole/observer.hpp"
#include "systole/program.hpp"
#include "systole/throughput.hpp"

namespace systole {

inline constexpr int kEngineCount = 4;  ///< LOAD, MXU, VPU, STORE: the rows of a CauseTable
inline constexpr int kCauseCount = 11;  ///< isa::Cause

/// Number of cycles per engine and cause.
using CauseTable = std::array<std::array<std::uint64_t, kCauseCount>, kEngineCount>;
void add(CauseTable& sum, const CauseTable& part);

/// Statistics of a run. The functional model has no time: all counts except the multiply-accumulates are zero there.
struct RunStats {
  std::uint64_t cycles = 0;  ///< from the doorbell to the interrupt
  /// Cycles per engine and cause; each row adds up to `cycles`. A core without Part::kCauseCounters counts WORKING
  /// alone (`causes_counted` is false), and the other cycles are IDLE here.
  CauseTable causes{};
  bool causes_counted = true;
  /// The cycles of the cause SEMAPHORE per engine and semaphore; each row adds up to that cause. If an instruction
  /// waits for two semaphores, its cycles count for the first one with too few tokens.
  std::array<std::array<std::uint64_t, isa::kSemaphores>, kEngineCount> semaphore_waits{};
  std::uint64_t read_beats = 0;  ///< including those of the instruction fetch
  std::uint64_t write_beats = 0;
  std::uint64_t commands = 0;     ///< instructions of the program, END included
  std::uint64_t useful_macs = 0;  ///< multiply-accumulates that the operators need
  /// Multiply-accumulates of all activation vectors in the array: the useful ones rounded up to whole weight tiles. Of
  /// the array's cycles * dim^2, useful_macs are useful, rounded_macs - useful_macs are lost to rounding, and the rest
  /// is lost to cycles without a vector.
  std::uint64_t rounded_macs = 0;
  std::uint64_t padded_macs = 0;  ///< the part of rounded_macs for vectors that are padding of a convolution
  /// A kernel stored a block of block floating point that is not a number, because an infinity or a NaN was among its
  /// elements (STATUS.NONFINITE).
  bool nonfinite = false;
  double macs_per_cycle() const { return systole::macs_per_cycle(useful_macs, cycles); }
  double utilization(int dim) const { return systole::utilization(useful_macs, cycles, dim); }
  double multiplier_share(int dim) const { return systole::multiplier_share(useful_macs, cycles, dim); }
  /// Adds the statistics of another run.
  RunStats& operator+=(const RunStats& run);
};

/// The device reported an error in a program. It has been reset and can be used again, unless the text says why the
/// reset failed. `hang` is set for the error code BUS_STUCK.
class DeviceError : public ErrorOf<std::runtime_error>, public HangExplained {
 public:
  isa::ErrorCode code = isa::ErrorCode::kNone;
  isa::Engine engine = isa::Engine::kCommand;
  std::size_t index = 0;      ///< index of the instruction in the program
  std::uint32_t address = 0;  ///< ERROR_ADDRESS; its meaning depends on the code
  std::string instruction;    ///< disassembly of the instruction
  std::string remedy;         ///< what the user can do

  explicit DeviceError(const std::string& text) : ErrorOf(text) {}
};

/// The core was quiet for RunOptions::quiet_cycles. `hang` and the text say which engine waits for which and what the
/// likely cause is. The device has been reset and can be used again, unless the text says why the reset failed.
class DeviceTimeout : public ErrorOf<std::runtime_error>, public HangExplained {
 public:
  using ErrorOf::ErrorOf;
  explicit DeviceTimeout(const HangReport& report, const std::string& note = {})
      : ErrorOf("device: " + report.to_text() + note), HangExplained(report) {}
};

/// The program would deadlock (`hang` explains how), or the legality or race checker rejects it (RunOptions::check).
class ProgramRefused : public ErrorOf<std::runtime_error>, public HangExplained {
 public:
  using ErrorOf::ErrorOf;
  explicit ProgramRefused(const HangReport& report)
      : ErrorOf("program refused: " + report.to_text()), HangExplained(report) {}
};

struct RunOptions {
  std::uint64_t quiet_cycles = 100'000;  ///< time-out: the run fails when the core was quiet for this many cycles
  bool check = false;                    ///< run the legality and race checkers on the program first
  bool clear = false;                    ///< clear() the device afterwards, when the statistics have been read
  bool admit_deadlocks = false;          ///< run a program even if it would deadlock, to observe the hanging device
  std::string name = {};                 ///< name of the run for observers; empty: the names of the program's operators
  /// Called from time to time with the cycles simulated since the run began and the total that the cost model expects;
  /// must not throw. The functional model never calls it.
  std::function<void(std::uint64_t cycles, std::int64_t expected)> progress = {};
  /// Asked from time to time during the run; must not throw. Once it returns true the run ends: the device is reset,
  /// and Cancelled is thrown.
  std::function<bool()> cancel = {};
};

class Device;

/// A run that was submitted to a device (Device::submit): call wait(), or poll done(). A simulated device makes
/// progress only in these two calls. The program, the device and what the options refer to must not move or be
/// destroyed before the run has ended. Destroying a ticket, or assigning to it, waits and discards the run's error.
class RunTicket {
 public:
  RunTicket() = default;
  RunTicket(RunTicket&& other) noexcept;
  RunTicket& operator=(RunTicket&& other) noexcept;
  RunTicket(const RunTicket&) = delete;
  RunTicket& operator=(const RunTicket&) = delete;
  ~RunTicket();

  /// Simulates at most some thousand cycles and returns whether the run has ended, successfully or not. Does not throw
  /// errors of the run; wait() does. Always true after wait().
  bool done();

  /// Waits for the end of the run and returns its statistics. Throws what Device::run() does, and InvalidArgument if
  /// wait() was called before, or if the ticket was moved from or is empty.
  RunStats wait();

 private:
  friend class Device;
  explicit RunTicket(Device& device) : device_(&device) {}
  void wait_quietly() noexcept;

  Device* device_ = nullptr;
};

/// An asynchronous copy. The host memory must stay valid until wait() returns. Destroying a ticket, or assigning to it,
/// also waits for the copy, but discards its error, because these must not throw. Call wait() to learn whether the copy
/// failed.
class CopyTicket {
 public:
  CopyTicket() = default;
  CopyTicket(Backend& backend, Backend::CopyId id) : backend_(&backend), id_(id) {}
  CopyTicket(CopyTicket&& other) noexcept;
  CopyTicket& operator=(CopyTicket&& other) noexcept;
  CopyTicket(const CopyTicket&) = delete;
  CopyTicket& operator=(const CopyTicket&) = delete;
  ~CopyTicket();
  /// Waits for the end of the copy; an empty ticket returns at once. Throws Failure when the copy failed.
  void wait();

 private:
  void wait_quietly() noexcept;

  Backend* backend_ = nullptr;
  Backend::CopyId id_ = 0;
};

/// A device, with its buffers, programs and tickets, must be used by one thread at a time. Different threads may use
/// different devices: those on the functional model run in parallel, those on the RTL one after the other, because a
/// process has only one SystemC kernel. Buffers may outlive the device; programs and tickets must not.
class Device {
 public:
  /// Opens back end "rtl" or "model". Throws InvalidArgument for an illegal option, and Failure when an identification
  /// register does not have the value that this driver was built for.
  static Device open(const BackendOptions& options, std::string_view backend);

  /// As open(), with an existing back end.
  explicit Device(std::unique_ptr<Backend> backend);
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;
  ~Device();

  const Configuration& configuration() const { return backend_->configuration(); }
  MemoryTiming memory_timing() const { return backend_->memory_timing(); }
  Backend& backend() { return *backend_; }

  /// The memory for the ranges of programs and the ring. A program accesses its own ranges only.
  const std::shared_ptr<AddressSpace>& memory() const { return memory_; }
  Buffer allocate(std::uint64_t bytes) { return Buffer(memory_, bytes); }

  /// Starts to copy `bytes` bytes to or from byte `offset` of the buffer. Throws OutOfRange when they exceed the
  /// buffer.
  CopyTicket start_write(const Buffer& to, const void* host, std::size_t bytes, std::uint64_t offset = 0);
  CopyTicket start_read(const Buffer& from, void* host, std::size_t bytes, std::uint64_t offset = 0);
  /// Copies and waits.
  void write(const Buffer& to, const void* host, std::size_t bytes, std::uint64_t offset = 0);
  void read(const Buffer& from, void* host, std::size_t bytes, std::uint64_t offset = 0);

  /// Reserves the three ranges of the program in device memory, as long as the program exists, unless they are
  /// reserved already. The host can then copy its bindings. Throws Failure if there is no room, InvalidArgument for a
  /// program that was placed on another device.
  void place(Program& program);

  /// The same for a program whose bindings are in `range`, which it shares with others: its window of bindings is the
  /// whole range, and the offsets of its instructions are those of the tensors there (systole/arena.hpp).
  void place(Program& program, std::shared_ptr<const Buffer> range);

  /// Starts a program and returns, so that the caller can copy or compute meanwhile. One program runs at a time: until
  /// it has ended, run(), submit() and clear() throw InvalidArgument, and reset() ends it. Copies are allowed if they
  /// do not access the memory that the program uses. Throws those errors of run() that occur before the doorbell.
  RunTicket submit(Program& program, const RunOptions& options = {});

  /// submit() and wait(). Places the program, copies its constants, unless an earlier run did, sets the windows to its
  /// ranges, writes the instructions to the ring, rings the doorbell and waits. Throws
  ///  - DeviceError, DeviceTimeout: the device reported an error, or it hangs
  ///  - ProgramRefused: the program would deadlock, or RunOptions::check found an error
  ///  - InvalidArgument: the program is longer than the largest ring, or was placed on another device
  ///  - Failure: device memory has no room for the program or the ring, or a copy failed
  ///  - AccountingError: the counters contradict each other
  ///  - LockstepDivergence (systole/lockstep.hpp): with BackendOptions::lockstep
  ///  - SimulationError (systole/simulation_error.hpp): an assertion of the RTL failed
  ///
  /// and any exception of an observer. The device can be used afterwards, except after the last two.
  RunStats run(Program& program, const RunOptions& options = {});

  /// Adds an observer of the device's runs and of the core's events. There may be several.
  void attach(std::shared_ptr<Observer> observer);
  /// Removes an observer. No effect when it is not attached.
  void detach(const Observer& observer);

  /// Completes the waveform and what observers write, so that failures are known; destructors complete them, too, but
  /// cannot report. No run may follow. Returns whether a waveform was written. Throws FileError.
  bool finish_recordings();

  /// Stops a running program, lets bus transactions finish, and sets the device up as after open(). The core keeps no
  /// data of earlier programs. Device memory keeps its contents.
  void reset();

  /// Clears the on-chip memories and counters with an END command, so that the core keeps no data of earlier programs.
  /// Device memory keeps its contents. Throws DeviceTimeout as run() does; a failure resets the device.
  void clear();

 private:
  friend class RunTicket;
  struct Running;

  void check_identity();
  void set_up();
  void set_windows(const AddressWindows& windows);
  void load_constants(Program& program);
  void make_ring(std::size_t entries);
  std::uint32_t write_ring(const Program& program, bool clear = false);
  void check_free(const char* what) const;
  void start(Running& running);
  void ring_doorbell(Running& running);
  bool poll();
  std::uint64_t work_done();
  std::uint32_t cycles_working(std::uint32_t engine);
  RunStats finish();
  RunStats end_run(const Running& running);
  RunStats statistics(const Program& program);
  void end_failed_run(std::uint64_t cycle);
  std::string reset_after_failure();
  [[noreturn]] void raise_error(const Program& program);
  [[noreturn]] void raise_timeout(const Program& program, std::uint64_t quiet_cycles);

  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Observers> observers_;
  std::shared_ptr<AddressSpace> memory_;
  AddressWindows windows_{};  ///< contents of the window registers
  Buffer ring_;
  int ring_log2_ = 0;
  std::uint32_t tail_ = 0;            ///< entries written since reset
  std::uint32_t first_ = 0;           ///< command index, since reset, of the running program's first instruction
  std::uint32_t commands_ = 0;        ///< commands submitted since reset
  std::uint32_t tag_ = 0;             ///< tag of the last END submitted
  std::unique_ptr<Running> running_;  ///< null unless a program was submitted and not waited for yet
};

}  // namespace systole
