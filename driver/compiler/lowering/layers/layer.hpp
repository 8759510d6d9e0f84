// SPDX-License-Identifier: Apache-2.0
// An operator as the device runs it: int8 images and integer parameters only. The lowering has already resolved scales,
// activations and the rules (TensorFlow Lite or ONNX).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "image.hpp"
#include "kernel_lstm.hpp"
#include "kernels.hpp"
#include "matrix_stack.hpp"
#include "systole/graph.hpp"
#include "systole/operator_types.hpp"

namespace systole::network {

/// The engine that computes a layer. The kinds of layers say which, and a part that the configuration must have.
enum class Engine { kMatrixUnit, kVectorUnit, kVectorProcessor, kTransfers };

/// Also a fully connected layer, whose rows are pixels. With `add` a second input is added to the result, with `table`
/// the result is looked up.
struct ConvLayer {
  static constexpr Engine kEngine = Engine::kMatrixUnit;
  ConvOptions options;
  std::shared_ptr<const graph::Bytes> weights;  ///< int8, OHWI; the graph's constant where it has the same bytes
  int parts = 1;  ///< weights of more than 8 bits are sums of this many tensors, stored one after
                  ///< another
  std::vector<std::int32_t> bias;
  Requantize requantize;
  std::optional<AddParams> add = std::nullopt;
  std::optional<compiler::LookupTable> table = std::nullopt;
  bool raw = false;  ///< the results are the int32 sums: the layer's output image has four bytes per channel
};
struct MaxPoolLayer {
  static constexpr Engine kEngine = Engine::kVectorUnit;
  Window window;
  std::int8_t clamp_min = -128, clamp_max = 127;
};
struct AveragePoolLayer {
  static constexpr Engine kEngine = Engine::kVectorUnit;
  Window window;
  bool count_padding = false;
  int zero_point = 0;
  std::int8_t clamp_min = -128, clamp_max = 127;
  Ties ties = Ties::kAwayFromZero;
};
/// The mean over height and width.
struct MeanLayer {
  static constexpr Engine kEngine = Engine::kVectorUnit;
  int input_zero_point = 0;
  Requantize requantize;
};
/// A constant second operand.
struct ConstantOperand {
  graph::Bytes bytes;  ///< int8
  Image image;
};
/// The second operand has the shape of the result, or is one pixel that is broadcast.
struct AddLayer {
  static constexpr Engine kEngine = Engine::kVectorUnit;
  AddParams params;
  std::optional<ConstantOperand> constant = std::nullopt;
};
struct MultiplyLayer {
  static constexpr Engine kEngine = Engine::kVectorUnit;
  MultiplyParams params;
  std::optional<ConstantOperand> constant = std::nullopt;
};
struct TableLayer {
  static constexpr Engine kEngine = Engine::kVectorUnit;
  compiler::LookupTable table{};
};
/// The same bytes with another shape.
struct ReshapeLayer {
  static constexpr Engine kEngine = Engine::kTransfers;
};
/// Copies bytes.
struct MoveLayer {
  static constexpr Engine kEngine = Engine::kTransfers;
  /// Addresses count from the first byte of an input of the layer or of a constant, and of the result.
  struct Part {
    int input = 0;      ///< unused if the box is filled or copied from a constant
    int constant = -1;  ///< index into `constants`
    compiler::ByteBox box;
  };
  /// Constant padding around each image, if the layer does nothing else.
  struct Border {
    int top = 0, bottom = 0, left = 0, right = 0;
    std::int8_t value = 0;
  };
  /// Axis i of the result is axis permutation[i] of the input, whose shape this is.
  struct Transposition {
    graph::Shape shape;
    std::vector<int> permutation;
  };
  std::vector<Part> parts;
  std::vector<graph::Bytes> constants;
  std::optional<Border> border = std::nullopt;
  std::optional<Transposition> transposition = std::nullopt;  ///< of single bytes, if the layer does nothing else
  /// The same of words that do not stay side by side. If the layer `turns`, LOAD turns them, and `parts` do nothing.
  std::optional<compiler::WordTransposition> words = std::nullopt;
  bool turns = false;
};
/// The sums over k of (a - a_zero_point) (b - b_zero_point), both computed, matrix by matrix.
struct ProductLayer {
  static constexpr Engine kEngine = Engine::kMatrixUnit;
  MatrixStack a, b, result;
  bool transpose_a = false, transpose_b = false;  ///< whether the stored matrix is transposed
  int a_zero_point = 0, b_zero_point = 0;
  std::vector<std::int32_t> bias;  ///< one per column, or none
  bool raw = false;                ///< int32
  Requantize requantize;
};

/// An operator on the vector processor. The operands of the kernel are the constants, by their number, and the inputs
/// of the layer in the other places.
struct KernelLayer {
  static constexpr Engine kEngine = Engine::kVectorProcessor;
  static constexpr Part kNeeds = Part::kVectorProcessor;
  compiler::KernelCall call;
  bool elementwise = false;
  std::map<std::size_t, ConstantOperand> constants = {};
  bool has_plain = false;  ///< whether there is another way for arrays that have no such kernel
  int block_channels = 0;  ///< of a result in block floating point
};

/// A kernel that reads the channels around each.
struct NeighbourLayer {
  static constexpr Engine kEngine = Engine::kVectorProcessor;
  static constexpr Part kNeeds = Part::kVectorProcessor;
  compiler::NeighbourCall call;
};

/// binary32 to block floating point, positions by channels. The result is a BlockView's bytes. Operands are parts of
/// the result: the constants, by their number, and the inputs of the layer in the other places.
struct BlocksLayer {
  static constexpr Engine kEngine = Engine::kVectorProcessor;
  static constexpr Part kNeeds = Part::kBlockFloat;
  /// Positions are windows of an image, whose channels are bytes.
  struct Windows {
    Window window;
    Image from, to;
  };
  int channels = 1;
  std::optional<Windows> windows = std::nullopt;
  std::map<std::size_t, ConstantOperand> constants = {};
};
/// Maxima of binary32 over windows; with the gradient of these as second input, where windows tile the image, that of
/// the first.
struct FloatWindowsLayer {
  static constexpr Engine kEngine = Engine::kVectorProcessor;
  static constexpr Part kNeeds = Part::kVectorProcessor;
  Window window;
  bool above_zero = false;  ///< the gradient is only of maxima above zero
};

/// The right operand of a product in block floating point.
enum class BlockOperand {
  kConstant,
  kBlocks,   ///< the second input: blocks, position by position
  kColumns,  ///< the second input: binary32, whose blocks lie along its columns; until it becomes tiles
  kTiles,    ///< the second input: weight tiles
  kWritten,  ///< the second input: binary32 that the host writes as weight tiles; until it is tiles
};
/// Writes weight tiles of an input, blocks or columns; or of the gradient of the first input, the second being that of
/// its maxima.
struct BlockTilesLayer {
  static constexpr Engine kEngine = Engine::kVectorProcessor;
  static constexpr Part kNeeds = Part::kBlockFloat;
  BlockOperand from = BlockOperand::kColumns;
  compiler::BlockTiles sizes;
  std::optional<FloatWindowsLayer> gradient = std::nullopt;
};
/// A convolution in block floating point; the result is binary32, or blocks. Channels are elements here. The other
/// operands of a function of the results are the layer's last inputs.
struct BlockConvLayer {
  static constexpr Engine kEngine = Engine::kMatrixUnit;
  static constexpr Part kNeeds = Part::kBlockFloat;
  compiler::BlockFilter filter;  ///< only its sizes, if it is no constant
  Window window;
  Image from, to;
  compiler::BlockResults results = {};
  BlockOperand right = BlockOperand::kConstant;
  bool adds_input = false;                             ///< an input behind the operands is the bias
  bool adds_tensor = false;                            ///< the next input, of the result's shape, is added
  std::optional<BlocksLayer> converts = std::nullopt;  ///< of the first input, binary32, on its way to the array
};
/// Products in block floating point, matrix by matrix. The rows of a matrix are positions of `channels` elements, and
/// so are those of a right operand in blocks; one whose blocks are columns is a single matrix.
struct BlockProductLayer {
  static constexpr Engine kEngine = Engine::kMatrixUnit;
  static constexpr Part kNeeds = Part::kBlockFloat;
  MatrixStack a, b, result;
  int channels = 1;
  BlockOperand right = BlockOperand::kConstant;
  bool turned = false;              ///< whether the first input is weight tiles of the left operand's transpose
  bool written_transposed = false;  ///< a right operand that the host writes is [channels, columns]
  std::optional<compiler::BlockFilter> constant = std::nullopt;
  compiler::BlockResults results = {};                 ///< of a single matrix
  bool adds_input = false;                             ///< an input behind the operands is the bias
  bool adds_tensor = false;                            ///< the next input, of the result's shape, is added
  std::optional<BlocksLayer> converts = std::nullopt;  ///< of the first input, as above
  /// Windows that tile the result as an image; the layer's second result is their maxima.
  std::optional<compiler::BlockMaxima> maxima = std::nullopt;
};

struct LstmLayer {
  static constexpr Engine kEngine = Engine::kMatrixUnit;
  static constexpr Part kNeeds = Part::kVectorProcessor;
  compiler::LstmCall call;
};

using LayerKind = std::variant<ConvLayer, MaxPoolLayer, AveragePoolLayer, MeanLayer, AddLayer, MultiplyLayer,
                               TableLayer, ReshapeLayer, MoveLayer, ProductLayer, KernelLayer, LstmLayer, BlocksLayer,
                               BlockTilesLayer, BlockConvLayer, BlockProductLayer, FloatWindowsLayer, NeighbourLayer>;

/// Id of an intermediate result between two layers of one operator; it is no tensor of the graph. At most
/// kMostBetween for each result, numbered from 0.
inline constexpr int kMostBetween = 32;
inline graph::TensorId between_layers(graph::TensorId result, int number) {
  return graph::kNoTensor - 1 - (kMostBetween * result + number);
}

/// The bytes of a tensor that a layer reads, as the positions of the layer's image. The tensor may have more positions
/// than that, or fewer: `first` and `pitch` alone say where they are. They count the tensor's bytes without gaps.
struct InputPart {
  std::int64_t first = 0;  ///< byte of the first position
  std::int64_t pitch = 0;  ///< bytes from one position to the next, not 0
  Image of;                ///< the tensor
};

struct Layer {
  std::string name;  ///< name of the operator in the graph
  LayerKind kind;
  std::vector<graph::TensorId> inputs;  ///< computed inputs; constants are part of the layer
  graph::TensorId output = graph::kNoTensor;
  /// A second result, in binary32: that of a product in block floating point, if `output` has it as blocks and others
  /// read it, or its maxima; of element-wise operators, what `output` was computed from.
  graph::TensorId words_output = graph::kNoTensor;
  std::vector<Image> input_images;                    ///< shapes in which this layer sees its inputs
  std::map<std::size_t, InputPart> input_parts = {};  ///< by the number of the input; other inputs are whole
  Image output_image, words_image;
  std::uint64_t macs = 0;
  std::vector<int> operators;  ///< operators of the graph that it computes; several if they are fused

  bool makes(graph::TensorId id) const { return id != graph::kNoTensor && (id == output || id == words_output); }
};

/// The part without which no layer of this kind can run, if there is one.
inline std::optional<Part> needed_part(const Layer& layer) {
  return std::visit(
      [](const auto& kind) -> std::optional<Part> {
        if constexpr (requires { kind.kNeeds; }) {
          return kind.kNeeds;
        } else {
          return std::nullopt;
        }
      },
      layer.kind);
}

/// Whether the matrix unit multiplies for it.
inline bool is_product(const Layer& layer) {
  return std::visit([](const auto& kind) { return kind.kEngine == Engine::kMatrixUnit; }, layer.kind);
}

/// Whether the product reads its operands, and writes its result, where they are. Otherwise, with a zero point of `b`
/// or a transposed `a`, it needs them without gaps in device memory, and copies the operands.
inline bool is_in_place(const ProductLayer& layer) {
  return layer.b_zero_point == 0 && !layer.transpose_a &&
         (!layer.raw || (layer.a_zero_point == 0 && !layer.transpose_b));
}

/// Whether a layer converts one tensor to blocks, all of it.
inline bool converts_whole(const Layer& layer) {
  const auto* blocks = std::get_if<BlocksLayer>(&layer.kind);
  return blocks != nullptr && layer.inputs.size() == 1 && layer.input_parts.empty() && blocks->constants.empty();
}

}  // namespace systole::network
