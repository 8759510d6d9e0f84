// SPDX-License-Identifier: Apache-2.0
// An observer that writes the core's activity as a trace for ui.perfetto.dev. README.md describes its tracks.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "systole/generated/configuration.hpp"
#include "systole/observer.hpp"
#include "trace_file.hpp"

namespace systole::timeline {

class Timeline final : public Observer {
 public:
  /// Writes to `path`, compressed if it ends in .gz. Throws FileError if it cannot be written; a later write error (a
  /// full disk) reaches the caller of Device::run() in the same way.
  Timeline(const std::string& path, const Configuration& configuration);
  /// As finish(); a failure remains unnoticed.
  ~Timeline() override;

  void was_reset(std::uint64_t cycle) override;
  void cause_changed(std::uint64_t cycle, unsigned engine, unsigned cause) override;
  void semaphores_changed(std::uint64_t cycle, const std::array<std::uint8_t, isa::kSemaphores>& values) override;
  void retired(std::uint64_t cycle, unsigned engine, std::uint32_t index) override;
  void started(std::uint64_t cycle, unsigned engine, std::uint32_t index) override;
  void burst(std::uint64_t cycle, bool write, std::uint64_t address, unsigned beats, unsigned id) override;
  void run_begins(const Listing& program, std::uint32_t first_index, const std::string& name,
                  std::uint64_t cycle) override;
  void run_ended(std::uint64_t cycle) override;
  /// Ends everything in progress in the last cycle seen, and completes the file. Throws FileError.
  void finish() override;

  std::uint64_t bytes() const { return file_.bytes(); }  ///< JSON bytes so far, before compression

 private:
  static constexpr unsigned kEngines = 4;
  static constexpr unsigned kIdle = static_cast<unsigned>(isa::Cause::kIdle);

  /// A command that an engine has taken.
  struct Command {
    std::uint32_t index;
    std::uint64_t start;
    int lane;
    const char* name;
    std::string args;
  };
  struct Engine {
    std::vector<Command> taken;  // in program order, at most eight
    int lanes = 0;               // number of rows named so far
    std::uint64_t retired = 0;   // cycle of the last retirement
    unsigned cause = kIdle;
    std::uint64_t since = 0;  // start of the current cause
    bool ran = false;         // it has had another cause than IDLE in the current run
  };
  struct Layer {
    std::uint64_t start = 0, end = 0;  // end 0: none of its commands has retired
  };

  void end_command(unsigned engine, std::size_t place, std::uint64_t cycle, const char* end);
  void end_cause(unsigned engine, std::uint64_t cycle);
  void end_layers();
  void end_run(std::uint64_t cycle);
  int free_lane(unsigned engine);
  std::string layer_name(std::size_t label) const;
  const isa::Instruction* instruction(std::uint32_t index) const;

  void end_all();

  TraceFile file_;
  bool finished_ = false;
  unsigned beat_bytes_;
  std::uint64_t now_ = 0;  // last cycle seen
  std::array<Engine, kEngines> engines_;
  std::array<std::uint8_t, isa::kSemaphores> semaphores_{};
  // The current run.
  const Listing* program_ = nullptr;
  std::uint32_t first_index_ = 0;
  std::string run_name_;
  std::uint64_t run_start_ = 0;
  std::vector<Layer> layers_;  // one per label of the program
  int layer_lanes_ = 0;        // number of rows named so far
};

}  // namespace systole::timeline
