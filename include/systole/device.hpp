// SPDX-License-Identifier: Apache-2.0
// The device as a user sees it: memory, copies, programs, and errors in words. It works the same on the Verilated core
// and on the functional model.
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

inline constexpr int kEngineCount = 4;  ///< LOAD, MXU, VPU, STORE: index of a cause table's first dimension
inline constexpr int kCauseCount = 11;  ///< isa::Cause

/// Cycles per engine and cause.
using CauseTable = std::array<std::array<std::uint64_t, kCauseCount>, kEngineCount>;
void add(CauseTable& sum, const CauseTable& part);

/// What a run cost. The functional model has no time: everything but the MACs is zero there.
struct RunStats {
  std::uint64_t cycles = 0;  ///< doorbell to interrupt
  /// Cycles per engine and cause; each engine's row adds up to `cycles`.
  CauseTable causes{};
  /// Of the cause SEMAPHORE, cycles per engine and semaphore; each engine's row adds up to that cause. An instruction
  /// that waits for two is charged to the first that is short.
  std::array<std::array<std::uint64_t, isa::kSemaphores>, kEngineCount> semaphore_waits{};
  std::uint64_t read_beats = 0;  ///< instruction fetch included
  std::uint64_t write_beats = 0;
  std::uint64_t commands = 0;     ///< instructions of the program, END included
  std::uint64_t useful_macs = 0;  ///< multiply-accumulates that the operators asked for
  /// Slots of the array that activation vectors took: the useful work rounded up to whole weight tiles. The array has
  /// cycles * dim^2 slots: useful_macs, rounded_macs - useful_macs lost to rounding, the rest lost to cycles without a
  /// vector.
  std::uint64_t rounded_macs = 0;
  std::uint64_t padded_macs = 0;  ///< the part of rounded_macs whose vector was padding of a convolution
  double macs_per_cycle() const { return systole::macs_per_cycle(useful_macs, cycles); }
  double utilization(int dim) const { return systole::utilization(useful_macs, cycles, dim); }
  double multiplier_share(int dim) const { return systole::multiplier_share(useful_macs, cycles, dim); }
  /// One run after the other.
  RunStats& operator+=(const RunStats& run);
};

/// The device found an error in a program. It has been reset and works again, or the text says why it could not be.
/// `hang` is set for BUS_STUCK.
class DeviceError : public ErrorOf<std::runtime_error>, public HangExplained {
 public:
  isa::ErrorCode code = isa::ErrorCode::kNone;
  isa::Engine engine = isa::Engine::kCommand;
  std::size_t index = 0;      ///< instruction of the program
  std::uint32_t address = 0;  ///< in the meaning of the code
  std::string instruction;    ///< disassembled
  std::string remedy;         ///< what to do

  explicit DeviceError(const std::string& text) : ErrorOf(text) {}
};

/// Nothing moved for RunOptions::quiet_cycles. `hang` and the text say who waits for whom and who is to blame. The
/// device has been reset and works again, or the text says why it could not be.
class DeviceTimeout : public ErrorOf<std::runtime_error>, public HangExplained {
 public:
  using ErrorOf::ErrorOf;
  explicit DeviceTimeout(const HangReport& report, const std::string& note = {})
      : ErrorOf("device: " + report.to_text() + note), HangExplained(report) {}
};

/// A program that must deadlock (`hang` says how), or that the legality or race checker refuses (RunOptions::check).
class ProgramRefused : public ErrorOf<std::runtime_error>, public HangExplained {
 public:
  using ErrorOf::ErrorOf;
  explicit ProgramRefused(const HangReport& report)
      : ErrorOf("program refused: " + report.to_text()), HangExplained(report) {}
};

struct RunOptions {
  std::uint64_t quiet_cycles = 100'000;  ///< cycles without any movement after which a run is given up
  bool check = false;                    ///< run the legality and race checkers on the program first
  bool clear = false;                    ///< then clear() the device, when the results of the run have been read
  bool admit_deadlocks = false;          ///< submit a program that must deadlock all the same, to see the device hang
  std::string name = {};                 ///< for observers; empty: the names of the program's operators
  /// Called from time to time with the cycles simulated since the run began and those that the cost model expects in
  /// all; must not throw. Never called by the functional model.
  std::function<void(std::uint64_t cycles, std::int64_t expected)> progress = {};
};

class Device;

/// A program that was submitted to a device (Device::submit): wait for it, or poll until it is done. Time passes only
/// in these two: a simulated device computes when it is asked to. Program, device and what the options refer to must
/// stay where they are until the run has ended. A run that is destroyed or assigned to waits, and drops its error.
class RunTicket {
 public:
  RunTicket() = default;
  RunTicket(RunTicket&& other) noexcept;
  RunTicket& operator=(RunTicket&& other) noexcept;
  RunTicket(const RunTicket&) = delete;
  RunTicket& operator=(const RunTicket&) = delete;
  ~RunTicket();

  /// Whether the run has ended, well or not; if it has not, the device first computes for some thousand cycles at most.
  /// Throws nothing that the run does: wait() does then. True of a run that was waited for.
  bool done();

  /// Returns when the run has ended. Throws what Device::run() says, and InvalidArgument for a run that was waited for
  /// already, moved from, or never submitted.
  RunStats wait();

 private:
  friend class Device;
  explicit RunTicket(Device& device) : device_(&device) {}
  void wait_quietly() noexcept;

  Device* device_ = nullptr;
};

/// An asynchronous copy. The host memory must stay valid until wait() returns or the ticket is destroyed or assigned
/// to, which wait as well. Only wait() can say that the copy failed; the others drop the error, since neither may
/// throw.
class CopyTicket {
 public:
  CopyTicket() = default;
  CopyTicket(Backend& backend, Backend::CopyId id) : backend_(&backend), id_(id) {}
  CopyTicket(CopyTicket&& other) noexcept;
  CopyTicket& operator=(CopyTicket&& other) noexcept;
  CopyTicket(const CopyTicket&) = delete;
  CopyTicket& operator=(const CopyTicket&) = delete;
  ~CopyTicket();
  /// Returns when the copy is done; at once for an empty ticket. Throws Failure when the copy failed.
  void wait();

 private:
  void wait_quietly() noexcept;

  Backend* backend_ = nullptr;
  Backend::CopyId id_ = 0;
};

/// Each device, with its buffers, programs and tickets, is for one thread at a time. Different devices may be used by
/// different threads: on the functional model they run side by side, on the RTL one after the other, since SystemC has
/// one kernel per process. Buffers may outlive the device; programs and tickets must not.
class Device {
 public:
  /// Opens back end "rtl" or "model". Throws InvalidArgument for an option that is wrong and Failure,
  /// naming register, value and expectation, when the device is not the one that this driver was built for.
  static Device open(const BackendOptions& options, std::string_view backend);

  /// As open(), on a back end made elsewhere.
  explicit Device(std::unique_ptr<Backend> backend);
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;
  ~Device();

  const Configuration& configuration() const { return backend_->configuration(); }
  Backend& backend() { return *backend_; }

  /// Where tensors, constants and intermediate results live (window 0 covers it from address 0).
  const std::shared_ptr<AddressSpace>& memory() const { return memory_; }
  Buffer allocate(std::uint64_t bytes) { return Buffer(memory_, bytes); }

  /// Starts a copy of `bytes` from or to byte `offset` of the buffer. Throws OutOfRange when it exceeds the
  /// buffer.
  CopyTicket start_write(const Buffer& to, const void* host, std::size_t bytes, std::uint64_t offset = 0);
  CopyTicket start_read(const Buffer& from, void* host, std::size_t bytes, std::uint64_t offset = 0);
  /// The same, and waits.
  void write(const Buffer& to, const void* host, std::size_t bytes, std::uint64_t offset = 0);
  void read(const Buffer& from, void* host, std::size_t bytes, std::uint64_t offset = 0);

  /// Starts a program and returns, to copy or compute something else beside it. One program runs at a time: until it
  /// has ended, run(), submit() and clear() throw InvalidArgument, and reset() ends it. Copies are allowed; they must
  /// not touch what the program does. Throws what run() does before the device begins.
  RunTicket submit(Program& program, const RunOptions& options = {});

  /// submit() and wait(). Copies the program's constants, if that has not been done, writes the instructions into the
  /// ring, rings the doorbell and waits. Throws
  ///  - DeviceError, DeviceTimeout: what the device found, or did not do any more
  ///  - ProgramRefused: by the checks of RunOptions
  ///  - InvalidArgument: the program is longer than the largest ring, or lies in the memory of another device
  ///  - Failure: device memory has no room for the ring, or a copy failed
  ///  - AccountingError: the counters contradict each other
  ///  - LockstepDivergence (systole/lockstep.hpp): with BackendOptions::lockstep
  ///  - SimulationError (systole/simulation_error.hpp): an assertion of the RTL failed
  ///
  /// and what an observer throws. The device is usable afterwards, except after the last two.
  RunStats run(Program& program, const RunOptions& options = {});

  /// Tells the observer, which the device keeps, of its runs and of what the core does in them. There may be several.
  void attach(std::shared_ptr<Observer> observer);
  /// Ends it. No effect when it was not attached.
  void detach(const Observer& observer);

  /// Stops what runs, lets bus transactions finish, and sets the device up as after open(), with nothing of earlier
  /// programs in the core. Device memory keeps its contents.
  void reset();

  /// Leaves nothing of earlier programs in the core: its memories and counters become zero, by an END that asks for it.
  /// Device memory keeps its contents. Throws DeviceTimeout as run() does; what fails resets the device.
  void clear();

 private:
  friend class RunTicket;
  struct Running;

  void check_identity();
  void set_up();
  void check_memory(const Program& program) const;
  void load_constants(Program& program);
  void make_ring(std::size_t entries);
  std::uint32_t write_ring(const Program& program, bool clear = false);
  void check_free(const char* what) const;
  void start(Running& running);
  void ring_doorbell(Running& running);
  bool poll();
  std::uint64_t work_done();
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
  Buffer ring_;
  int ring_log2_ = 0;
  std::uint32_t tail_ = 0;            ///< entries written since reset
  std::uint32_t first_ = 0;           ///< command index, since reset, of the running program's first instruction
  std::uint32_t commands_ = 0;        ///< commands submitted since reset
  std::uint32_t tag_ = 0;             ///< of the last END submitted
  std::unique_ptr<Running> running_;  ///< null when nothing was submitted, or it has been waited for
};

}  // namespace systole
