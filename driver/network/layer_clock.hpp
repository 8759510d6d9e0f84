// SPDX-License-Identifier: Apache-2.0
// What each layer of a program costs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "systole/network.hpp"
#include "systole/observer.hpp"
#include "systole/program.hpp"

namespace systole::network {

/// Watches the runs of one program; attached to a device. Which layer a cycle belongs to is known only when the layer has ended:
/// so the sums until then are kept whenever an instruction retires, and a layer's share is what lies between two of these.
class LayerClock final : public Observer {
 public:
  /// The program stays where it is.
  explicit LayerClock(const Program& program) : program_(program) {}

  void run_begins(const Program& program, std::uint32_t first_index, const std::string& name, std::uint64_t cycle) override;
  void run_ended(std::uint64_t cycle) override;
  void cause_changed(std::uint64_t cycle, unsigned engine, unsigned cause) override;
  void retired(std::uint64_t cycle, unsigned engine, std::uint32_t index) override;
  void burst(std::uint64_t cycle, bool write, std::uint64_t address, unsigned beats, unsigned id) override;

  /// Fills in what the last run measured; one layer per label of the program, `dim` bytes a beat.
  void report(std::vector<LayerReport>& layers, int dim) const;

 private:
  /// Sums from the beginning of the run until a cycle.
  struct Mark {
    std::uint64_t cycle = 0;
    CauseTable causes{};
    std::uint64_t read_beats = 0, write_beats = 0;
  };
  Mark now(std::uint64_t cycle) const;

  const Program& program_;
  bool watching_ = false;
  std::uint32_t first_index_ = 0;
  Mark begin_, sums_;
  std::vector<Mark> ends_;                                 // per label, so far
  std::vector<bool> ends_a_label_;                         // per instruction
  std::array<unsigned, kEngineCount> cause_{};             // of each engine now,
  std::array<std::uint64_t, kEngineCount> cause_since_{};  // and since when
};

}  // namespace systole::network
