// SPDX-License-Identifier: Apache-2.0
// What each layer of a program costs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cycle_owner.hpp"
#include "systole/configurations.hpp"
#include "systole/listing.hpp"
#include "systole/network.hpp"
#include "systole/observer.hpp"

namespace systole::network {

/// Watches the runs of one program; attached to a device. Each cycle of a run is counted for one layer
/// (driver/compiler/cost/cycle_owner.hpp), with the causes of the engines and the beats of LOAD and STORE in it.
class LayerClock final : public Observer {
 public:
  /// The program stays where it is.
  LayerClock(const Listing& program, const Configuration& configuration);

  /// Vectors that the instructions of the matrix unit take, and so the cycles in which it works.
  std::uint64_t vectors() const;

  void run_begins(const Listing& program, std::uint32_t first_index, const std::string& name,
                  std::uint64_t cycle) override;
  void run_ended(std::uint64_t cycle) override;
  void cause_changed(std::uint64_t cycle, unsigned engine, unsigned cause) override;
  void retired(std::uint64_t cycle, unsigned engine, std::uint32_t index) override;
  void burst(std::uint64_t cycle, bool write, std::uint64_t address, unsigned beats, unsigned id) override;

  /// Fills in what the last run measured, which took `cycles` by the core's counter; one layer per label of the
  /// program.
  void report(std::vector<LayerReport>& layers, std::uint64_t cycles);

 private:
  /// Cycles by engine and cause, and beats.
  struct Sums {
    CauseTable causes{};
    std::uint64_t read_beats = 0, write_beats = 0;
  };
  /// An instruction of the matrix unit.
  struct Product {
    std::size_t instruction;
    std::uint64_t vectors;
  };

  void advance(std::uint64_t cycle);
  void count(std::uint64_t cycles);

  const Listing& program_;
  const std::uint64_t beat_bytes_;
  std::vector<Product> products_;               // in program order
  std::array<unsigned, kEngineCount> cause_{};  // of each engine now
  // Of the run that is watched.
  bool watching_ = false;
  bool begun_ = false;  // the core has: an engine is not idle any more
  std::uint32_t first_index_ = 0;
  compiler::CycleOwner owner_;
  std::size_t next_product_ = 0;
  std::uint64_t vectors_left_ = 0;           // of the product before that
  std::uint64_t begin_ = 0, now_ = 0;        // cycles are counted from one to the other,
  std::uint64_t not_counted_ = 0;            // but for these
  std::uint64_t reading_ = 0, writing_ = 0;  // beats whose bursts have been asked for; one passes in a cycle
  std::vector<Sums> sums_;                   // per label
};

}  // namespace systole::network
