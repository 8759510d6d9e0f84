// SPDX-License-Identifier: Apache-2.0
// Which layer of a program a cycle belongs to. The layers of a program overlap in time; each cycle is counted for one
// of them:
//
//   - while the matrix unit is between the first and the last vector of an instruction, for that instruction's layer;
//   - else for the first layer that is not done, that is, has instructions that have not retired;
//   - after the last instruction, for the last layer.
//
// So the cycles of all layers add up to those of the program, and a layer has at least the cycles in which its products
// were computed. The cost model and the measurement (network/layer_clock.hpp) use the same rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace systole::compiler {

/// Receives events in time order.
class CycleOwner {
 public:
  CycleOwner() = default;
  /// `label_of` is Program::label_of; it has at least one label.
  explicit CycleOwner(std::vector<std::uint16_t> label_of, std::size_t labels);

  /// The matrix unit now takes the vectors of this instruction, or of none.
  void computes(std::optional<std::size_t> instruction) { computed_ = instruction; }
  /// An instruction has retired. Ignores END, which lies beyond the program.
  void retired(std::size_t instruction);

  /// The label that owns the cycles from now on.
  std::size_t owner() const { return computed_ ? label_of_[*computed_] : first_; }

 private:
  void skip_done();

  std::vector<std::uint16_t> label_of_;
  std::vector<std::size_t> left_;  ///< instructions of each label that have not retired
  std::size_t first_ = 0;          ///< first label with instructions left, or the last label that had some
  std::size_t last_ = 0;
  std::optional<std::size_t> computed_;
};

}  // namespace systole::compiler
