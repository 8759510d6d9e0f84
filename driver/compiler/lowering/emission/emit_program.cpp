// SPDX-License-Identifier: Apache-2.0
#include "emit_program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "buffer_plan.hpp"
#include "emit_blocks.hpp"
#include "emit_product.hpp"
#include "kernels.hpp"
#include "overlap.hpp"
#include "placement.hpp"
#include "product_state.hpp"
#include "row_chains.hpp"
#include "workspaces.hpp"

namespace systole::network {
namespace {

using compiler::Builder;
using compiler::TensorView;
using graph::TensorId;

constexpr int kCramped = 3;  // a workspace for less than this part of a part of the rows is too small
constexpr int kBehind = 16;  // layers for which a lane that is behind the other may still read a tensor

/// The main operator of a fused layer: the one that multiplies, if any, otherwise the last.
int main_operator(const Layer& layer, const graph::Graph& graph) {
  const auto macs = [&](int op) { return graph::useful_macs(graph, graph.operators.at(static_cast<std::size_t>(op))); };
  return *std::max_element(layer.operators.rbegin(), layer.operators.rend(),
                           [&](int a, int b) { return macs(a) < macs(b); });
}

std::vector<std::pair<TensorId, Image>> results_of(const Layer& layer) {
  std::vector<std::pair<TensorId, Image>> results{{layer.output, layer.output_image}};
  if (layer.words_output != graph::kNoTensor) {
    results.emplace_back(layer.words_output, layer.words_image);
  }
  return results;
}

/// Whether windows, operands that a product converts, or maxima of its results pass through the scratchpad, or a kernel
/// has something in certain lanes, and there is another way.
bool has_plain(const Layer& layer) {
  const auto* blocks = std::get_if<BlocksLayer>(&layer.kind);
  const auto* conv = std::get_if<BlockConvLayer>(&layer.kind);
  const auto* product = std::get_if<BlockProductLayer>(&layer.kind);
  const auto* tiles = std::get_if<BlockTilesLayer>(&layer.kind);
  const auto* kernel = std::get_if<KernelLayer>(&layer.kind);
  return std::holds_alternative<FloatWindowsLayer>(layer.kind) || (kernel != nullptr && kernel->has_plain) ||
         (tiles != nullptr && tiles->gradient) || (blocks != nullptr && blocks->windows) ||
         (conv != nullptr && conv->converts) || (product != nullptr && (product->converts || product->maxima));
}

class Emission {
 public:
  /// `spilled` are tensors that stay out of the scratchpad; run() adds those for which layers have no room.
  Emission(const Segment& segment, const graph::Graph& graph, const Configuration& configuration,
           std::set<TensorId>& spilled)
      : segment_(segment),
        graph_(graph),
        configuration_(configuration),
        spilled_(spilled),
        placement_(segment, configuration, spilled_),
        order_(in_turns(order_of(segment.layers, segment.chains), segment)),
        chains_(chain_of_layers(segment.layers.size(), segment.chains)),
        workspaces_(segment, placement_, chains_, configuration.dim),
        builder_(configuration, segment.memory) {
    result_.tiles = segment.tiles;
    reserve();
  }

  const Placement& placement() const { return placement_; }

  /// The part of the program's scratch behind the segment's tensors.
  MemoryRange own(const Program& program) const { return {own_scratch_, program.scratch_bytes - own_scratch_}; }

  /// The places of tensors in device memory, after run().
  std::map<TensorId, TensorPlace> tensors() const {
    std::map<TensorId, TensorPlace> places;
    const auto add = [&](TensorId id, const Image& image) {
      if (!placement_.chip(id)) {
        places[id] = {addresses_.at(id), placement_.dense(id) ? 0 : pitch(id, image)};
      }
    };
    for (const Layer& layer : segment_.layers) {
      for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
        const auto part = layer.input_parts.find(i);
        add(layer.inputs[i], part == layer.input_parts.end() ? layer.input_images[i] : part->second.of);
      }
    }
    for (const Layer& layer : segment_.layers) {
      for (const auto& [id, image] : results_of(layer)) {
        add(id, image);
      }
    }
    return places;
  }

  /// The program; none if tensors left the scratchpad on the way, since the layers before found them there. Goes on
  /// with the later layers all the same, to find what else has to leave.
  std::optional<DeviceStep> run() {
    builder_.set_kernels_apart(!segment_.chains.empty());
    for (const Layer& layer : segment_.layers) {  // a label has the number of its layer, whatever comes first
      builder_.begin_layer(layer.name, layer.macs);
    }
    const std::size_t spilled_before = spilled_.size();
    try {
      for (const Piece& piece : order_) {
        while (const std::optional<std::string> lack = emit(piece)) {
          make_room(piece, *lack);
          if (!piece.whole) {
            return std::nullopt;
          }
        }
      }
    } catch (const NotOnDevice&) {
      if (spilled_.size() == spilled_before) {
        throw;
      }
    }
    if (spilled_.size() > spilled_before) {
      return std::nullopt;
    }
    std::vector<std::uint64_t> left_out;
    for (std::size_t i = 0; i < segment_.layers.size(); ++i) {
      left_out.push_back(builder_.left_out(i));
    }
    result_.program = builder_.finish();
    for (std::size_t i = 0; i < segment_.layers.size(); ++i) {
      const Layer& layer = segment_.layers[i];
      CompiledLayer compiled;
      compiled.name = layer.name;
      compiled.shape = graph::to_string(shape_of(layer));
      compiled.macs = layer.macs - left_out[i];
      compiled.predicted_cycles = result_.program.label_cycles.at(i);
      result_.layers.push_back(std::move(compiled));
    }
    return std::move(result_);
  }

 private:
  /// Why the piece does not fit in the rows that the plan leaves free, if it does not.
  std::optional<std::string> emit(const Piece& piece) {
    const Layer& layer = segment_.layers[piece.layer];
    const compiler::Range free = workspaces_.free(piece.layer);
    if (!piece.whole && piece.images == 0 && kCramped * free.size() < workspaces_.rows_off_chip(piece.layer) &&
        placement_.largest(static_cast<int>(piece.layer))) {
      return "a part of the rows does not fit";
    }
    const compiler::Range own = workspaces_.own(piece.layer, builder_);
    builder_.set_workspace(own.begin, own.size());
    builder_.set_lane(segment_.lanes.empty() ? 0 : segment_.lanes[piece.layer]);
    builder_.resume_layer(piece.layer);
    piece_ = piece;
    try {
      std::visit([&](const auto& kind) { emit(layer, kind); }, layer.kind);
    } catch (const compiler::DoesNotFit& error) {
      return error.what();
    } catch (const std::invalid_argument& error) {  // sizes that no instruction supports
      throw not_on_device(layer, graph_, error.what());
    } catch (const InternalError& error) {  // as for a row that does not exist
      throw not_on_device(layer, graph_, fmt::format("a compiler error in layer '{}': {}", layer.name, error.what()));
    }
    return std::nullopt;
  }

  /// Spills the largest tensor that is in the scratchpad during the layer. Throws NotOnDevice if there is none.
  void make_room(const Piece& piece, const std::string& lack) {
    const auto goes = placement_.largest(static_cast<int>(piece.layer));
    if (!goes) {
      throw not_on_device(segment_.layers[piece.layer], graph_,
                          fmt::format("on configuration {}, {}", configuration_.name, lack));
    }
    spilled_.insert(*goes);
    placement_ = Placement(segment_, configuration_, spilled_);
    for (const Layer& layer : segment_.layers) {
      for (const auto& [made, image] : results_of(layer)) {
        if (!placement_.chip(made) && addresses_.count(made) == 0) {
          addresses_[made] = builder_.temporary(bytes_of(made, image));
        }
      }
    }
  }

  /// Of the layer's result, which may be none of the graph's tensors.
  graph::Shape shape_of(const Layer& layer) const {
    const Image& image = layer.output_image;
    return layer.output >= 0 ? graph_.tensor(layer.output).shape
                             : graph::Shape{image.batch, image.height, image.width, image.channels};
  }

  void reserve() {
    const auto bind = [&](std::map<TensorId, MemoryRange>& bindings, TensorId id, const Image& image) {
      if (bindings.count(id) == 0) {
        const auto bytes = static_cast<std::uint64_t>(image.bytes());
        addresses_[id] = builder_.binding(bytes);
        bindings[id] = {compiler::ProgramRanges::offset(addresses_[id]), bytes};
      }
    };
    const std::set<TensorId> inputs(segment_.inputs.begin(), segment_.inputs.end());
    const std::set<TensorId> outputs(segment_.outputs.begin(), segment_.outputs.end());
    const std::map<TensorId, LiveRange> live = live_ranges(segment_);
    std::map<TensorId, MemoryPlan::Need> needs;
    for (const Layer& layer : segment_.layers) {
      for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
        if (inputs.count(layer.inputs[i]) != 0) {
          const auto part = layer.input_parts.find(i);
          bind(result_.inputs, layer.inputs[i],
               part == layer.input_parts.end() ? layer.input_images[i] : part->second.of);
        }
      }
      for (const auto& [id, image] : results_of(layer)) {
        if (outputs.count(id) != 0) {
          bind(result_.outputs, id, image);
        } else if (!placement_.chip(id)) {
          needs[id] = {bytes_of(id, image), live.at(id)};
          needs[id].live.to += segment_.lanes.empty() ? 0 : kBehind;
        }
      }
    }
    if (!needs.empty()) {
      const MemoryPlan plan = plan_memory(needs);
      const std::uint32_t base = builder_.temporary(plan.bytes);
      for (const auto& [id, offset] : plan.offsets) {
        addresses_[id] = base + static_cast<std::uint32_t>(offset);
      }
      own_scratch_ = (plan.bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
    }
  }

  std::uint64_t bytes_of(TensorId id, const Image& image) const {
    const std::int64_t pixels = std::int64_t{image.batch} * image.height * image.width;
    return static_cast<std::uint64_t>(pixels * pitch(id, image));
  }
  /// Bytes from pixel to pixel in device memory.
  int pitch(TensorId id, const Image& image) const {
    const int dim = builder_.dim();
    return placement_.dense(id) ? image.channels : compiler::ceil_div(image.channels, dim) * dim;
  }

  TensorView view(TensorId id, const Image& image) const {
    TensorView v{0, image.batch, image.height, image.width, image.channels, 0};
    v.element_bytes = image.element_bytes;
    if (const auto chip = placement_.chip(id)) {
      v.chip = chip;
      return v;
    }
    v.address = addresses_.at(id);
    v.pixel_pitch = pitch(id, image);
    return v;
  }
  TensorView view(const ConstantOperand& constant) {
    const Image& image = constant.image;
    TensorView v{builder_.constant(constant.bytes), image.batch, image.height, image.width, image.channels, 0};
    v.element_bytes = image.element_bytes;
    return v;
  }
  /// The tensor, or the positions of the current piece.
  TensorView input(const Layer& layer, std::size_t i = 0) const {
    const auto part = layer.input_parts.find(i);
    return part == layer.input_parts.end() ? piece_of(layer.inputs[i], layer.input_images[i])
                                           : part_of(layer.inputs[i], part->second, layer.input_images[i]);
  }
  std::vector<TensorView> inputs(const Layer& layer) { return operands(layer, {}); }
  /// The constants, by their number, and the inputs in the other places.
  std::vector<TensorView> operands(const Layer& layer, const std::map<std::size_t, ConstantOperand>& constants) {
    std::vector<TensorView> all;
    std::size_t computed = 0;
    for (std::size_t i = 0; i < layer.inputs.size() + constants.size(); ++i) {
      const auto constant = constants.find(i);
      all.push_back(constant == constants.end() ? input(layer, computed++) : view(constant->second));
    }
    return all;
  }
  TensorView part_of(TensorId id, const InputPart& part, const Image& image) const {
    TensorView whole = view(id, part.of);
    TensorView seen{0, image.batch, image.height, image.width, image.channels, 0};
    seen.element_bytes = image.element_bytes;
    if (whole.chip) {
      seen.chip = compiler::ChipPlanes{
          whole.chip->row + static_cast<int>(part.first / builder_.dim()) * whole.chip->plane, whole.chip->plane};
      return seen;
    }
    seen.address = whole.address + static_cast<std::uint32_t>(part.first);
    // Where the tensor has gaps, the part is some channels of its positions (Placement::dense).
    seen.pixel_pitch = placement_.dense(id) ? part.pitch : whole.pixel_pitch;
    return seen;
  }
  TensorView output(const Layer& layer) const { return piece_of(layer.output, layer.output_image); }
  TensorView piece_of(TensorId id, const Image& image) const {
    const TensorView whole = view(id, image);
    if (piece_.whole) {
      return whole;
    }
    if (piece_.images > 0) {
      return images_of(whole);
    }
    const int parts = placement_.parts_held(id);
    const std::int64_t first =
        parts == 0 ? piece_.position : std::int64_t{piece_.part % parts} * chains_[piece_.layer]->part_rows;
    return compiler::positions_of(whole, first, piece_.count);
  }
  /// Those of the current piece; the tensor may be seen as positions of all images.
  TensorView images_of(const TensorView& whole) const {
    const int positions = whole.batch * whole.height * whole.width / piece_.of;
    TensorView some = whole;
    some.address += static_cast<std::uint32_t>(std::int64_t{piece_.first} * positions * whole.pitch());
    (whole.batch == piece_.of ? some.batch : some.width) = piece_.images * (whole.batch == piece_.of ? 1 : positions);
    return some;
  }
  /// The same of a product's matrices.
  TensorView rows_of(TensorId id, const Image& image, const MatrixStack& matrices) const {
    if (placement_.parts_held(id) > 0) {
      return piece_of(id, image);
    }
    const TensorView matrix =
        matrix_of(view(id, image), matrices, static_cast<std::size_t>(piece_.matrix), builder_.dim());
    return compiler::positions_of(matrix, piece_.first, piece_.count);
  }

  /// What the pieces of a layer share, for each matrix.
  compiler::ProductState& state(std::size_t matrix = 0) { return states_[{piece_.layer, matrix}]; }

  void emit(const Layer& layer, const ConvLayer& conv) {
    const compiler::ConvWeights weights(*conv.weights, conv.parts);
    if (conv.raw) {
      TensorView sums = output(layer);
      sums.pixel_pitch = sums.channels;
      sums.channels /= 4;
      compiler::conv2d_raw(builder_, input(layer), weights, conv.bias, conv.options, sums);
    } else if (conv.add) {
      compiler::conv2d_add(builder_, input(layer), weights, conv.bias, conv.options, conv.requantize, input(layer, 1),
                           *conv.add, output(layer), &state());
    } else {
      compiler::conv2d(builder_, input(layer), weights, conv.bias, conv.options, conv.requantize, output(layer),
                       &state(), conv.table ? &*conv.table : nullptr);
    }
  }
  void emit(const Layer& layer, const MaxPoolLayer& pool) {
    compiler::max_pool(builder_, input(layer), pool.window, pool.clamp_min, pool.clamp_max, output(layer));
  }
  void emit(const Layer& layer, const AveragePoolLayer& pool) {
    compiler::average_pool(builder_, input(layer), pool.window, pool.count_padding, pool.zero_point, pool.clamp_min,
                           pool.clamp_max, output(layer), pool.ties);
  }
  void emit(const Layer& layer, const MeanLayer& mean) {
    compiler::mean(builder_, input(layer), mean.input_zero_point, mean.requantize, output(layer));
  }
  void emit(const Layer& layer, const AddLayer& add) {
    compiler::add(builder_, input(layer, 0), second(layer, add.constant), add.params, output(layer));
  }
  void emit(const Layer& layer, const MultiplyLayer& multiply) {
    compiler::multiply(builder_, input(layer, 0), second(layer, multiply.constant), multiply.params, output(layer));
  }
  TensorView second(const Layer& layer, const std::optional<ConstantOperand>& constant) {
    if (!constant) {
      return input(layer, 1);
    }
    return view(*constant);
  }
  void emit(const Layer& layer, const MoveLayer& moves) {
    if (moves.turns) {
      compiler::transpose_words(builder_, *moves.words, input(layer).address, output(layer).address);
      return;
    }
    std::vector<std::uint32_t> constants;
    for (const graph::Bytes& bytes : moves.constants) {
      constants.push_back(builder_.constant(bytes));
    }
    std::vector<compiler::ByteBox> boxes;
    for (const MoveLayer::Part& part : moves.parts) {
      boxes.push_back(part.box);
      if (part.constant >= 0) {
        boxes.back().from += constants[static_cast<std::size_t>(part.constant)];
      } else if (!part.box.fill) {
        boxes.back().from += input(layer, static_cast<std::size_t>(part.input)).address;
      }
      boxes.back().to += output(layer).address;
    }
    compiler::move(builder_, boxes);
  }
  void emit(const Layer& layer, const ProductLayer& product) {
    const TensorView b = view(layer.inputs[1], layer.input_images[1]);
    if (piece_.whole) {
      emit_product(builder_, product, input(layer, 0), b, output(layer));
      return;
    }
    const auto matrix = static_cast<std::size_t>(piece_.matrix);
    emit_product_rows(builder_, product, rows_of(layer.inputs[0], layer.input_images[0], product.a),
                      right_matrix(product, b, matrix), rows_of(layer.output, layer.output_image, product.result),
                      state(matrix));
    if (matrix + 1 < product.result.first.size()) {  // its share of the next matrix
      const int columns = compiler::ceil_div(product.result.columns, builder_.dim());
      const auto column = [&](int row) { return compiler::ceil_div(columns * row, product.result.rows); };
      compiler::prefetch(builder_, right_matrix(product, b, matrix + 1), column(piece_.first),
                         column(piece_.first + piece_.count), state(matrix + 1));
    }
  }
  void emit(const Layer& layer, const KernelLayer& kernel) {
    const std::vector<TensorView> operands = this->operands(layer, kernel.constants);
    if (kernel.elementwise) {
      std::vector<TensorView> results{output(layer)};
      if (layer.words_output != graph::kNoTensor) {
        results.push_back(view(layer.words_output, layer.words_image));
      }
      compiler::run_elementwise_kernel(builder_, kernel.call, operands, results);
    } else {
      compiler::run_kernel(builder_, kernel.call, operands,
                           kernel.block_channels > 0 ? blocks_of(layer, kernel.block_channels) : output(layer));
    }
  }
  void emit(const Layer& layer, const NeighbourLayer& neighbours) {
    compiler::run_neighbour_kernel(builder_, neighbours.call, input(layer), output(layer));
  }
  /// The mantissas of a result in the scratchpad.
  TensorView blocks_of(const Layer& layer, int channels) const {
    const auto chip = placement_.chip(layer.output);
    if (!chip) {
      throw std::invalid_argument("blocks that a kernel makes have no room in the scratchpad");
    }
    TensorView mantissas{0, 1, 1, layer.output_image.width, compiler::rounded_up(channels, kBlockElements)};
    mantissas.chip = chip;
    return mantissas;
  }
  void emit(const Layer& layer, const LstmLayer& lstm) {
    compiler::lstm(builder_, lstm.call, input(layer), output(layer));
  }
  BlockEmission blocks() { return {builder_, placement_, addresses_}; }
  void emit(const Layer& layer, const BlocksLayer& conversion) {
    const int first = piece_.images == 0 ? 0 : layer.input_images[0].width / piece_.of * piece_.first;
    blocks().emit(layer, conversion, operands(layer, conversion.constants), first);
  }
  void emit(const Layer& layer, const BlockTilesLayer& tiles) {
    if (tiles.gradient) {
      compiler::BlockTiles to = tiles.sizes;
      to.address = addresses_.at(layer.output);
      compiler::write_tiles(builder_, input(layer, 0), input(layer, 1),
                            {tiles.gradient->window, tiles.gradient->above_zero}, to);
    } else {
      blocks().emit(layer, tiles);
    }
  }
  void emit(const Layer& layer, const BlockConvLayer& conv) { blocks().emit(layer, conv); }
  void emit(const Layer& layer, const BlockProductLayer& product) { blocks().emit(layer, product); }
  void emit(const Layer& layer, const FloatWindowsLayer& windows) {
    if (layer.inputs.size() == 1) {
      compiler::float_maxima(builder_, input(layer), windows.window, output(layer));
    } else {
      compiler::float_max_gradient(builder_, input(layer, 0), input(layer, 1), {windows.window, windows.above_zero},
                                   output(layer));
    }
  }
  void emit(const Layer& layer, const TableLayer& table) {
    compiler::lookup(builder_, input(layer), table.table, output(layer));
  }
  void emit(const Layer& layer, const ReshapeLayer&) {
    const int bytes = static_cast<int>(layer.output_image.bytes());  // dense on both sides: rows of one block
    const auto flat = [&](TensorView v) {
      v.batch = v.height = 1;
      v.channels = bytes % builder_.dim() == 0 ? builder_.dim() : 1;
      v.width = bytes / v.channels;
      v.pixel_pitch = v.channels;
      return v;
    };
    compiler::copy(builder_, flat(input(layer)), flat(output(layer)));
  }

  const Segment& segment_;
  const graph::Graph& graph_;
  const Configuration& configuration_;
  std::set<TensorId>& spilled_;
  Placement placement_;
  const std::vector<Piece> order_;
  const std::vector<const RowChain*> chains_;
  const Workspaces workspaces_;
  Builder builder_;
  Piece piece_;
  std::map<std::pair<std::size_t, std::size_t>, compiler::ProductState> states_;  ///< by layer and matrix
  std::map<TensorId, std::uint32_t> addresses_;
  std::uint64_t own_scratch_ = 0;  ///< offset behind the segment's tensors
  DeviceStep result_;
};

}  // namespace

NotOnDevice not_on_device(const Layer& layer, const graph::Graph& graph, const std::string& reason) {
  return {main_operator(layer, graph), reason, has_plain(layer)};
}

Emitted emit_program(const Segment& segment, const graph::Graph& graph, const Configuration& configuration) {
  std::set<TensorId> spilled;
  for (;;) {
    Emission emission(segment, graph, configuration, spilled);
    if (std::optional<DeviceStep> step = emission.run()) {
      const MemoryRange own = emission.own(step->program);
      return {std::move(*step), emission.placement().tensors_on_chip(), emission.tensors(), own};
    }
  }
}

}  // namespace systole::network
