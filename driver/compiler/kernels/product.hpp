// SPDX-License-Identifier: Apache-2.0
// The schedule of a product (matmul, convolution, fully connected layer): tiling, double buffering and data reuse.
//
//   for each tile of output positions                     (at most half of the accumulators)
//     for each column (DIM output channels)               a unit: positions x DIM sums in one accumulator half
//       for each chunk of the reduction                   as much as weight ring and scratchpad hold twice
//         load activations and weights that are not there yet, CONV
//       DRAIN into staging, STORE
//
// Units alternate between the accumulator halves, so one drains while the next is computed. Activations and weights
// stay in their circular buffers as long as nothing overwrites them; if a whole tile of activations does not fit twice,
// several columns are accumulated side by side so that activations are read once for all of them. Then a tile of P
// positions costs P * blocks beats of activations per column group and DIM * blocks beats of weights per column,
// against P * blocks cycles of the array per column: a bandwidth fraction of about 1/group + DIM/P.
//
// Ramp up: the first group begins with a few positions of one block and grows, so that the array starts after a few
// tens of beats. Ramp down: the last unit is divided into shrinking parts, so that little is left to drain and store at
// the end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "block_view.hpp"
#include "results_function.hpp"
#include "rings.hpp"
#include "sources.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {

/// An addition after the requantization: the requantized result is the first operand of ADD, this tensor the second.
struct ResidualStage {
  std::uint32_t address = 0;                      ///< of position 0; channels as in the output
  std::int64_t pitch = 0;                         ///< bytes from one position to the next
  std::optional<ChipPlanes> chip = std::nullopt;  ///< set if the tensor is in the scratchpad instead
  std::uint32_t scalars = 0;                      ///< device address of three scalar entries: result, residual, sum
  std::int8_t zero_point = 0;
  std::int8_t output_zero_point = 0;
  std::int8_t clamp_min = -128, clamp_max = 127;
};

/// Sums of block floating point become binary32 or blocks: a bias is added and a tensor, and the result limited.
struct FloatStage {
  /// Binary32 in device memory, of the shape of the results.
  struct Addend {
    std::uint32_t address = 0;
    std::int64_t pitch = 0;  ///< bytes from one position to the next
  };
  std::optional<std::uint32_t> bias;  ///< device address of binary32, one for each output channel
  std::optional<Addend> addend;
  std::optional<float> low, high;   ///< limits
  std::optional<BlockView> blocks;  ///< where the results go as blocks; else to the output, as binary32
  std::optional<Output> words;      ///< where they go as binary32, too
  std::optional<BlockMaxima> maxima = std::nullopt;  ///< of binary32 that goes to the output
  std::optional<ResultsFunction> function = std::nullopt;

  /// Tensors that are read beside the sums: the addend, then those of the function.
  int tensors() const { return (addend ? 1 : 0) + (function ? static_cast<int>(function->tensors()) : 0); }
  int numbers() const { return function ? static_cast<int>(function->numbers) : 0; }
};

/// How the sums become results.
struct OutputStage {
  std::uint32_t params = 0;    ///< device address of 9 rows of DIM bytes per column: bias, multipliers, shifts
  std::uint32_t raw_bias = 0;  ///< raw results: device address of DIM initial int32 sums per column; 0: none
  isa::Rounding rounding = isa::Rounding::kDouble;
  std::int8_t zero_point = 0;
  std::int8_t clamp_min = -128;
  std::int8_t clamp_max = 127;
  bool looks_up = false;                            ///< whether the clamped value is looked up in the look-up table
  std::optional<ResidualStage> residual;            ///< not for raw results, and not if they are looked up
  std::optional<FloatStage> floats = std::nullopt;  ///< if set, nothing above counts
};

/// Choices that affect the speed, never the result.
struct ProductTuning {
  int ramp_columns = 1;    ///< columns of the first group
  int ramp_positions = 0;  ///< positions of the first CONV; 0: no ramp up
  int ramp_blocks = 1;     ///< blocks of the first CONV
  int tail_parts = 4;      ///< parts of the last unit
};

/// Weights that a product has loaded into the ring. Another product with the same weights may go on with them.
struct HeldWeights {
  struct Entry {
    Rows rows;
    int column = 0;                         ///< first column of the range
    int column_rows = 0;                    ///< ring rows per column
    std::vector<std::vector<bool>> loaded;  ///< per column and block
  };
  using Key = std::tuple<int, int, int>;  ///< column, first block, first kernel row
  std::map<Key, std::size_t> index;
  std::vector<Entry> entries;
};

/// The tile does not fit the on-chip memories.
class DoesNotFit : public ErrorOf<std::runtime_error> {
 public:
  using ErrorOf::ErrorOf;
};

/// Appends the product of `activations` (all tiles, `blocks` input blocks) and `weights` to the builder. With
/// output.element_bytes == 4 the sums are stored raw. Throws DoesNotFit, naming the memory, when
/// a tile is too large.
void emit_product(Builder& builder, const Activations& activations, const Weights& weights, int blocks,
                  const Output& output, const OutputStage& stage, const ProductTuning& tuning, HeldWeights& held);

}  // namespace systole::compiler
