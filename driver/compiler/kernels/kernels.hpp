// SPDX-License-Identifier: Apache-2.0
// Code generation for operators: each function appends the instructions of one operator on tensors in device memory to
// a builder. Shapes are not limited by the sizes of the chip. Results equal those of sim/golden bit for bit.
//
// Tensors: NHWC, int8; in device memory with `pixel_pitch` bytes from pixel to pixel (0: dense, that is `channels`),
// images and rows without gaps; or in the scratchpad, a row per pixel and block of DIM channels. Matrices: row-major,
// `pitch` bytes from row to row (0: dense). Addresses are those of
// ProgramRanges.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "block_view.hpp"
#include "builder.hpp"
#include "expression.hpp"
#include "fold_kernel.hpp"
#include "results_function.hpp"
#include "row_function.hpp"
#include "sources.hpp"
#include "systole/operator_types.hpp"

namespace systole::compiler {

/// The result for each value, whose byte is the index.
using LookupTable = std::array<std::int8_t, 256>;

struct ProductState;  // product_state.hpp

struct TensorView {
  std::uint32_t address = 0;
  int batch = 1, height = 1, width = 1, channels = 1;
  std::int64_t pixel_pitch = 0;
  std::optional<ChipPlanes> chip = std::nullopt;  ///< set if the tensor is in the scratchpad, not at `address`; the
                                                  ///< batch is then 1
  int element_bytes = 1;                          ///< channels are bytes; an element has as many of them
  std::int64_t pitch() const { return pixel_pitch == 0 ? channels : pixel_pitch; }
};

/// Some positions of one image, counted over its rows.
inline TensorView positions_of(TensorView image, std::int64_t first, int count) {
  if (image.chip) {
    image.chip->row += static_cast<int>(first);
  } else {
    image.address += static_cast<std::uint32_t>(first * image.pitch());
  }
  image.height = 1;
  image.width = count;
  return image;
}

struct MatrixView {
  std::uint32_t address = 0;
  int rows = 1, columns = 1;
  std::int64_t pitch_bytes = 0;
  std::int64_t pitch() const { return pitch_bytes == 0 ? columns : pitch_bytes; }
};

/// The right operand of a product of two matrices, depth x columns, or its transpose as it is stored.
struct RightMatrix {
  MatrixView stored;
  bool transposed = false;
  int depth() const { return transposed ? stored.columns : stored.rows; }
  int columns() const { return transposed ? stored.rows : stored.columns; }
};

/// c[m][n] = requantize(bias[n] + sum over k of a[m][k] * b[k][n]); both operands are read at run time, dense or
/// pitched. `bias` is empty or has b.columns values. Throws InvalidArgument when shapes do not match or a value is out
/// of range.
void matmul(Builder& builder, const MatrixView& a, const MatrixView& b, const std::vector<std::int32_t>& bias,
            const Requantize& requantize, const MatrixView& c);

/// The same with the sums of (a[m][k] - a_zero_point) * b[k][n], the rows of `a` and `c` being pixels. The column sums
/// of b, which a zero point needs, are a product with a constant. Calls for parts of the rows share a state.
void matmul(Builder& builder, const TensorView& a, int a_zero_point, const RightMatrix& b,
            const std::vector<std::int32_t>& bias, const Requantize& requantize, const TensorView& c,
            ProductState* shared = nullptr);

/// Loads some columns, counted in blocks of DIM, of a right operand that later calls with this state read. Does nothing
/// unless the weight ring holds four such matrices: two products with each other's results, and those that follow.
void prefetch(Builder& builder, const RightMatrix& b, int first_column, int end_column, ProductState& state);

/// Stores the int32 sums: c is rows x columns int32 (pitch in bytes, 0: 4 * columns).
void matmul_raw(Builder& builder, const MatrixView& a, const MatrixView& b, const MatrixView& c);

/// 2-D convolution with constant weights OHWI: output channels x kernel_h x kernel_w x (input channels / groups), int8
/// symmetric. output = requantize(bias[o] + sum of (input - input_zero_point) * weight); the zero point is folded into
/// the bias here. Depthwise convolutions run on the depthwise unit if it supports them (kernel_depthwise.hpp); other
/// grouped convolutions run as dense ones over the input blocks that their groups read: exact, but using as little as
/// 1/DIM of the array. Throws InvalidArgument when shapes do not match, DoesNotFit when no schedule fits the
/// chip. Calls of a 1x1 convolution for parts of the pixels share a state. The clamped results are looked up in
/// `table`, if any.
void conv2d(Builder& builder, const TensorView& input, const ConvWeights& weights,
            const std::vector<std::int32_t>& bias, const ConvOptions& options, const Requantize& requantize,
            const TensorView& output, ProductState* shared = nullptr, const LookupTable* table = nullptr);

/// conv2d() followed by add(result, residual) in one pass: the requantized result has add.lhs_zero_point (which must
/// equal that of `requantize`) and is the first operand, `residual` (of the output's shape) the second; the output is
/// quantized as the sum. All roundings are that of `requantize`, which add.rounding must equal.
void conv2d_add(Builder& builder, const TensorView& input, const ConvWeights& weights,
                const std::vector<std::int32_t>& bias, const ConvOptions& options, const Requantize& requantize,
                const TensorView& residual, const AddParams& add, const TensorView& output,
                ProductState* shared = nullptr);

/// The int32 sums with bias and zero point as above: `output` describes the result, its pixel_pitch in bytes (0: 4 *
/// channels).
void conv2d_raw(Builder& builder, const TensorView& input, const ConvWeights& weights,
                const std::vector<std::int32_t>& bias, const ConvOptions& options, const TensorView& output);

/// Fully connected layer: `input` rows x depth, constant `weights` [columns of output][depth].
void dense(Builder& builder, const MatrixView& input, const std::int8_t* weights, const std::vector<std::int32_t>& bias,
           int input_zero_point, const Requantize& requantize, const MatrixView& output);

/// Constant weights OHWI in block floating point: for each output channel and tap the blocks of the input channels.
struct BlockFilter {
  int outputs = 1, kernel_h = 1, kernel_w = 1, channels = 1;
  std::vector<std::int8_t> mantissas;  ///< 16 for each block; those beyond the last channel are 0
  std::vector<std::uint8_t> exponents;
};

/// A filter that was computed: positions of `blocks` are output channels by taps, as weights OHWI lie.
struct ComputedFilter {
  BlockView blocks;
  int outputs = 1, kernel_h = 1, kernel_w = 1;
  int taps() const { return kernel_h * kernel_w; }
};

/// A right operand of binary32 whose blocks lie along its rows: `depth` of them, `pitch` bytes apart, for each tap,
/// with a column for each output. Taps are `tap_pitch` bytes apart.
struct FloatColumns {
  std::uint32_t address = 0;
  int depth = 1, outputs = 1, kernel_h = 1, kernel_w = 1;
  std::int64_t pitch = 0, tap_pitch = 0;
  int taps() const { return kernel_h * kernel_w; }
};

/// A right operand as weight tiles in device memory: for each DIM outputs, tap by tap, the tiles of all blocks.
struct BlockTiles {
  std::uint32_t address = 0;
  int depth = 1, outputs = 1, kernel_h = 1, kernel_w = 1;
  int taps() const { return kernel_h * kernel_w; }
};
/// Bytes of it.
std::int64_t bytes_of(const BlockTiles& tiles, int dim);
/// Writes a computed operand of these sizes as tiles. Throws DoesNotFit when not even the tiles of one block, or one
/// tap and group of channels, of DIM outputs fit the workspace.
void write_tiles(Builder& builder, const ComputedFilter& filter, const BlockTiles& to);
void write_tiles(Builder& builder, const FloatColumns& columns, const BlockTiles& to);

/// What becomes of sums of block floating point: a bias is added, the result limited.
struct BlockResults {
  std::vector<float> bias;                                    ///< one for each output channel, or none
  std::optional<std::uint32_t> computed_bias = std::nullopt;  ///< where they are, instead
  std::optional<std::uint32_t> addend = std::nullopt;         ///< where a dense tensor is that is added after the bias
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
  /// The results become blocks: a BlockView's bytes. Only where DIM is at least 16, and 0 within the limits.
  bool blocks = false;
  std::optional<std::uint32_t> words = std::nullopt;  ///< where they go as binary32, too, if they become blocks
  std::optional<BlockMaxima> maxima = std::nullopt;   ///< of results of binary32, which go to the output as well
  /// If set, the output is this function of the results, which then become neither blocks nor maxima.
  std::optional<ResultsFunction> function = std::nullopt;
  bool has_low() const { return low != -std::numeric_limits<float>::infinity(); }
  bool has_high() const { return high != std::numeric_limits<float>::infinity(); }
  bool adds() const { return !bias.empty() || computed_bias || addend; }
  bool changes() const { return adds() || has_low() || has_high() || blocks || maxima || function; }
};

/// Whether one kernel computes the function of the results.
bool has_function_kernel(const BlockResults& results);

/// The left operand of a product in block floating point: blocks, or binary32 that becomes blocks on its way to the
/// array.
struct BlockRows {
  struct Windows {
    Window window;
    TensorView positions;  ///< one for each window: an image of the results
  };
  BlockView blocks;                                 ///< of `words` only their number counts
  std::optional<TensorView> words = std::nullopt;   ///< in device memory, dense; only where DIM is at least 16
  std::optional<Windows> windows = std::nullopt;    ///< if set, positions are windows of the words
  std::optional<BlockTiles> turned = std::nullopt;  ///< the operand's transpose as tiles, if that is what there is
};

/// Converts binary32, positions by channels, to block floating point (sim/golden/block_float.md).
void to_blocks(Builder& builder, const TensorView& input, const BlockView& output);
/// The same of whole windows of an image, one for each of the `positions`, which is an image of the results. Channels
/// are bytes. Only if gathers_windows().
void to_blocks(Builder& builder, const TensorView& image, const Window& window, const TensorView& positions,
               const BlockView& output);
/// Whether LOADs can gather the windows, in every configuration.
bool gathers_windows(const TensorView& image, const Window& window, const TensorView& positions);

/// A convolution in block floating point; `image` is the shape of the input. The output is dense: sums, which begin at
/// +0, as binary32, or what becomes of them. Throws as conv2d().
void block_conv2d(Builder& builder, const TensorView& image, const BlockRows& input, const BlockFilter& filter,
                  const Window& window, const BlockResults& results, const TensorView& output);

/// The same with a filter that was computed.
void block_conv2d(Builder& builder, const TensorView& image, const BlockRows& input, const BlockTiles& filter,
                  const Window& window, const BlockResults& results, const TensorView& output);

/// The products of `rows` positions of `a` and the output channels, or `columns` positions, of `b`.
void block_matmul(Builder& builder, const BlockRows& a, int rows, const BlockFilter& b, const BlockResults& results,
                  const TensorView& output);
void block_matmul(Builder& builder, const BlockRows& a, int rows, const BlockView& b, int columns,
                  const BlockResults& results, const TensorView& output);
void block_matmul(Builder& builder, const BlockRows& a, int rows, const BlockTiles& b, const BlockResults& results,
                  const TensorView& output);

/// See include/systole/operator_types.hpp.
void max_pool(Builder& builder, const TensorView& input, const Window& window, std::int8_t clamp_min,
              std::int8_t clamp_max, const TensorView& output);
void average_pool(Builder& builder, const TensorView& input, const Window& window, bool count_padding, int zero_point,
                  std::int8_t clamp_min, std::int8_t clamp_max, const TensorView& output,
                  Ties ties = Ties::kAwayFromZero);
/// A second operand of one pixel is broadcast to every pixel.
void add(Builder& builder, const TensorView& lhs, const TensorView& rhs, const AddParams& params,
         const TensorView& output);
void multiply(Builder& builder, const TensorView& lhs, const TensorView& rhs, const MultiplyParams& params,
              const TensorView& output);

/// The mean of each channel over the whole image: result = requantize(sum of (input - input_zero_point), scale, ...).
/// Throws DoesNotFit when the image is too large for one window.
void mean(Builder& builder, const TensorView& input, int input_zero_point, const Requantize& requantize,
          const TensorView& output);

void lookup(Builder& builder, const TensorView& input, const LookupTable& table, const TensorView& output);

/// The words of TABLE for a kernel.
using KernelTable = std::array<std::uint32_t, kernel::kTableWords>;

/// A kernel, and what it needs besides tensors: a function, a fold, a source, or the name of one in the library.
struct KernelCall {
  std::string kernel;                               ///< name
  std::map<std::string, std::int64_t> values = {};  ///< arguments that tensors do not determine; the low 32 bits count
  std::optional<KernelTable> table = std::nullopt;
  kernel::FormatNames formats = {};  ///< that replace the kernel's own
  std::int64_t items = 0;            ///< that the positions belong to; 0: one for each position of the output
  bool by_block = false;             ///< whether it computes blocks of channels one by one; all tensors have as many
  bool turns = false;  ///< whether blocks of a single item may take the place of items: `a_row` and `to_row` lead
                       ///< from one of them to the next
  /// Lists of words for the channels of the first input, which the kernel finds in accumulators: for each block of
  /// channels a row of each list, from row `words` on.
  std::vector<std::vector<std::uint32_t>> channel_words = {};
  /// The source, for an array of this size, of a kernel that is made for the call and not in the library.
  std::function<std::string(int dim)> source = {};
  /// The same of one whose result is blocks in the scratchpad, if there is one.
  std::function<std::string(int dim)> to_blocks = {};
  bool clears_lanes = false;  ///< whether it writes zeros to the lanes beyond the last channel
  /// The function of an element-wise kernel.
  std::shared_ptr<const ElementFunction> function = nullptr;
  std::size_t numbers = 0;  ///< the last operands of the function, which are single elements
  /// The fold of a kernel of items.
  std::shared_ptr<const FoldFunction> fold = nullptr;
  /// The function of a kernel of rows.
  std::shared_ptr<const RowFunction> row = nullptr;
  /// Whether its only row can be in block floating point instead (RowFunction::in_blocks()).
  bool row_to_blocks = false;
};

/// The call of an element-wise function, with the values of its parameters.
KernelCall element_call(ElementFunction function, std::map<std::string, std::int64_t> values = {});
/// The call of a function of rows.
KernelCall row_call(RowFunction function, std::map<std::string, std::int64_t> values = {});
/// The call of a fold.
KernelCall fold_call(FoldFunction function, std::map<std::string, std::int64_t> values = {});

/// Returns whether the strips of a call with this number of rows are of rows or of planes. Single rows and long ones
/// have strips of planes if there is such a kernel.
Strips strips_of(const KernelCall& call, int dim, std::int64_t rows);
/// The kernel of a call, assembled.
const kernel::Kernel& kernel_of(const KernelCall& call, int dim, Strips strips = Strips::kOfRows);

/// Runs a kernel over the items of tensors, which follow each other in each of them. A tensor has as many positions for
/// each item as for any other, or one, which is repeated. The kernel's arguments are set by their names. For input a
/// (b, c, ... the following): `a` first row of the first plane, `a_plane` distance of its planes, `a_row` and `a_strip`
/// distance from one item and eight items to the next, `a_each` positions for each; all 0 if the input is repeated.
/// `to` and `to_plane` of the output, `to_row` from one item to the next; `rows` items, `strips` of eight of them;
/// `planes` of input a, `before` those before the last, `lanes` channels in the last. Throws DoesNotFit when an item
/// does not fit the workspace.
void run_kernel(Builder& builder, const KernelCall& call, const std::vector<TensorView>& inputs,
                const TensorView& output);

/// Runs a kernel whose every element of the result depends on the elements in the same place of the operands. `inputs`
/// have the shape of the output, or are one position, which is repeated; the kernel need not know where channels and
/// positions are. Its arguments by name: `a`, `b`, `c` first row of an input and `a_row`, `b_row`, `c_row` distance
/// from one row to the next, 0 or 1; `to` first row of the output; with `_plane`, the distance of the planes of an
/// element's bytes; `rows`, and `strips` of them. A second output of the same kind is at `also`, its planes as far
/// apart; both are then in device memory. The last inputs of a function may be single elements, the same
/// for all of the result: `c` is then a row whose first lane has it. Throws DoesNotFit as
/// run_kernel().
void run_elementwise_kernel(Builder& builder, const KernelCall& call, const std::vector<TensorView>& inputs,
                            const std::vector<TensorView>& outputs);

/// A kernel whose every element of the result depends on some channels around it. Operands of its function are of the
/// same format as the result.
struct NeighbourCall {
  KernelCall kernel;
  std::vector<int> distances;  ///< of each operand's channel from that of the result
  std::int8_t fill = 0;        ///< bytes of channels that do not exist
};

/// Whether the kernel can be made, and LOADs can bring neighbours of so many bytes in a position together.
bool has_neighbour_kernel(const NeighbourCall& call, int channels);

/// Runs it. LOADs write a copy of the positions for each distance, of which the kernel reads one element each. Tensors
/// are in device memory. Throws DoesNotFit when not even one position of DIM channels fits the workspace.
void run_neighbour_kernel(Builder& builder, const NeighbourCall& call, const TensorView& input,
                          const TensorView& output);

/// Whether the windows are side by side and begin at the image's corner.
bool tiles_image(const Window& window, int height, int width);
/// Whether every window has elements of the image, and each element of its padding is beside one of them.
bool slides_inside(const Window& window, const TensorView& image, const TensorView& output);

/// The maxima of windows, binary32. Only if slides_inside(). Tensors are dense, in device memory.
void float_maxima(Builder& builder, const TensorView& image, const Window& window, const TensorView& output);
struct MaximaGradient {
  Window window;
  bool above_zero = false;  ///< the gradient of maxima that are not above zero is zero, whatever the tensor says
};

/// The gradient of an image from that of the maxima of windows that tile it, which the first of the elements that equal
/// their maximum gets. Tensors are dense, in device memory.
void float_max_gradient(Builder& builder, const TensorView& image, const TensorView& gradient, const MaximaGradient& of,
                        const TensorView& output);
/// Such a gradient, whose windows leave nothing of the image, as weight tiles: a kernel as large as the image, the
/// reduction going over the images, whose number is a multiple of those that fill a group of blocks.
void write_tiles(Builder& builder, const TensorView& image, const TensorView& gradient, const MaximaGradient& of,
                 const BlockTiles& to);

/// Copies a tensor unchanged: within device memory or the scratchpad, or from one to the other.
void copy(Builder& builder, const TensorView& from, const TensorView& to);

/// Bytes in device memory: lines of positions of `bytes` contiguous bytes each; strides may be negative.
struct ByteBox {
  std::int64_t from = 0, to = 0;  ///< addresses of the first byte
  std::int64_t outer = 1, inner = 1, bytes = 1;
  std::int64_t from_outer = 0, from_inner = 0, to_outer = 0, to_inner = 0;  ///< strides
  std::optional<std::int8_t> fill = std::nullopt;                           ///< if set, write this value instead of
                                                                            ///< what is at `from`
};

/// Copies the boxes in order, as one operator. Destinations must not overlap.
void move(Builder& builder, const std::vector<ByteBox>& boxes);

/// Matrices of words in device memory, whose transposes have all words of a position side by side. The positions, lines
/// of columns, follow each other in the operand. Strides are bytes.
struct WordTransposition {
  struct Place {
    std::int64_t from = 0, to = 0;  ///< first bytes of a matrix
  };
  std::vector<Place> matrices;
  int rows = 1;                ///< of the operand: words of a position of the result
  int lines = 1, columns = 1;  ///< positions
  std::int64_t from_row = 4;   ///< from one row of the operand to the next
  std::int64_t to_line = 4, to_column = 4;
};

/// Transposes the matrices, as one operator; their places count from `from` and `to`. Only where a row of the
/// scratchpad has several words: DIM above 4.
void transpose_words(Builder& builder, const WordTransposition& words, std::uint32_t from, std::uint32_t to);

}  // namespace systole::compiler
