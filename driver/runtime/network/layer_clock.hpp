// SPDX-License-Identifier: Apache-2.0
// Measures the cycles of each layer of a program.
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

/// Observes the runs of one program on a device. Each cycle of a run is counted for one layer
/// (driver/compiler/cost/cycle_owner.hpp), with the causes of the engines and the beats of LOAD and STORE in it.
class LayerClock final : public Observer {
 public:
  /// The program must outlive the object and must not move.
  LayerClock(const Listing& program, const Configuration& configuration);

  /// The number of activation vectors of the MXU instructions, which is the number of cycles in which the unit works.
  std::uint64_t vectors() const;

  void run_begins(const Listing& program, std::uint32_t first_index, const std::string& name,
                  std::uint64_t cycle) override;
  void run_ended(std::uint64_t cycle) override;
  void cause_changed(std::uint64_t cycle, unsigned engine, unsigned cause) override;
  void retired(std::uint64_t cycle, unsigned engine, std::uint32_t index) override;
  void started(std::uint64_t cycle, unsigned engine, std::uint32_t index) override;
  void burst(std::uint64_t cycle, bool write, std::uint64_t address, unsigned beats, unsigned id) override;

  /// Sets the statistics of the last run, which took `cycles` by the core's counter. There is one layer per label of
  /// the program.
  void report(std::vector<LayerReport>& layers, std::uint64_t cycles);

 private:
  /// Cycles by engine and cause, beats, and the cycles of the first command taken and the last one retired.
  struct Sums {
    CauseTable causes{};
    std::uint64_t read_beats = 0, write_beats = 0;
    std::uint64_t first_cycle = 0, last_cycle = 0;
  };
  /// An instruction of the matrix unit.
  struct Product {
    std::size_t instruction;
    std::uint64_t vectors;
  };

  /// Of the layer that the command belongs to.
  Sums& sums_of(std::uint32_t index);
  void advance(std::uint64_t cycle);
  void count(std::uint64_t cycles);

  const Listing& program_;
  const std::uint64_t beat_bytes_;
  std::vector<Product> products_;               // in program order
  std::array<unsigned, kEngineCount> cause_{};  // current cause of each engine
  // State of the observed run.
  bool watching_ = false;
  bool begun_ = false;  // an engine of the core has left IDLE
  std::uint32_t first_index_ = 0;
  compiler::CycleOwner owner_;
  std::size_t next_product_ = 0;
  std::uint64_t vectors_left_ = 0;           // remaining vectors of the product before next_product_
  std::uint64_t begin_ = 0, now_ = 0;        // all cycles in [begin_, now_) have been counted,
  std::uint64_t not_counted_ = 0;            // except for this many at the beginning
  std::uint64_t reading_ = 0, writing_ = 0;  // requested beats that have not been counted; one is counted per cycle
  std::vector<Sums> sums_;                   // per label
};

}  // namespace systole::network
