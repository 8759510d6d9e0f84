// SPDX-License-Identifier: Apache-2.0
#include "emit_program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "buffer_plan.hpp"
#include "kernels.hpp"
#include "lower_product.hpp"
#include "placement.hpp"
#include "product.hpp"

namespace systole::network {
namespace {

using compiler::Builder;
using compiler::TensorView;
using graph::TensorId;

/// Thrown when a layer needs more of the scratchpad than the plan leaves free.
struct NoRoom {
  int layer;
  std::string reason;
};

/// The main operator of a fused layer: the one that multiplies, if any, otherwise the last.
int main_operator(const Layer& layer, const graph::Graph& graph) {
  const auto macs = [&](int op) { return graph::useful_macs(graph, graph.operators.at(static_cast<std::size_t>(op))); };
  return *std::max_element(layer.operators.rbegin(), layer.operators.rend(),
                           [&](int a, int b) { return macs(a) < macs(b); });
}

class Emission {
 public:
  Emission(const Segment& segment, const graph::Graph& graph, const Configuration& configuration,
           const std::shared_ptr<AddressSpace>& memory, const std::set<TensorId>& spilled)
      : segment_(segment), graph_(graph), placement_(segment, configuration, spilled), builder_(configuration, memory) {
    reserve(memory);
  }

  const Placement& placement() const { return placement_; }

  /// Throws NoRoom.
  DeviceStep run() {
    for (std::size_t i = 0; i < segment_.layers.size(); ++i) {
      const compiler::Range free = placement_.workspace(static_cast<int>(i));
      builder_.set_workspace(free.begin, free.size());
      const Layer& layer = segment_.layers[i];
      builder_.begin_layer(layer.name, layer.macs);
      try {
        std::visit([&](const auto& kind) { emit(layer, kind); }, layer.kind);
      } catch (const compiler::DoesNotFit& error) {
        throw NoRoom{static_cast<int>(i), error.what()};
      } catch (const std::invalid_argument& error) {  // sizes that no instruction supports
        throw NotOnDevice(main_operator(layer, graph_), error.what());
      }
    }
    result_.program = builder_.finish();
    for (std::size_t i = 0; i < segment_.layers.size(); ++i) {
      const Layer& layer = segment_.layers[i];
      CompiledLayer compiled;
      compiled.name = layer.name;
      compiled.macs = layer.macs;
      compiled.predicted_cycles = result_.program.label_cycles.at(i);
      result_.layers.push_back(std::move(compiled));
    }
    return std::move(result_);
  }

 private:
  void reserve(const std::shared_ptr<AddressSpace>& memory) {
    const auto bind = [&](std::map<TensorId, Buffer>& buffers, TensorId id, const Image& image) {
      if (buffers.count(id) == 0) {
        Buffer buffer(memory, static_cast<std::uint64_t>(image.bytes()));
        addresses_[id] = static_cast<std::uint32_t>(buffer.address());
        buffers.emplace(id, std::move(buffer));
      }
    };
    const std::set<TensorId> inputs(segment_.inputs.begin(), segment_.inputs.end());
    const std::set<TensorId> outputs(segment_.outputs.begin(), segment_.outputs.end());
    const std::map<TensorId, LiveRange> live = live_ranges(segment_);
    std::map<TensorId, MemoryPlan::Need> needs;
    for (const Layer& layer : segment_.layers) {
      for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
        if (inputs.count(layer.inputs[i]) != 0) {
          bind(result_.inputs, layer.inputs[i], layer.input_images[i]);
        }
      }
      if (outputs.count(layer.output) != 0) {
        bind(result_.outputs, layer.output, layer.output_image);
      } else if (!placement_.chip(layer.output)) {
        const Image& image = layer.output_image;
        const std::int64_t pixels = std::int64_t{image.batch} * image.height * image.width;
        needs[layer.output] = {static_cast<std::uint64_t>(pixels * pitch(layer.output, image)), live.at(layer.output)};
      }
    }
    if (!needs.empty()) {
      const MemoryPlan plan = plan_memory(needs);
      const std::uint32_t base = builder_.temporary(plan.bytes);
      for (const auto& [id, offset] : plan.offsets) {
        addresses_[id] = base + static_cast<std::uint32_t>(offset);
      }
    }
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
  TensorView input(const Layer& layer, std::size_t i = 0) const { return view(layer.inputs[i], layer.input_images[i]); }
  TensorView output(const Layer& layer) const { return view(layer.output, layer.output_image); }

  void emit(const Layer& layer, const ConvLayer& conv) {
    const compiler::ConvWeights weights(conv.weights.data(), conv.parts);
    if (conv.raw) {
      TensorView sums = output(layer);
      sums.pixel_pitch = sums.channels;
      sums.channels /= 4;
      compiler::conv2d_raw(builder_, input(layer), weights, conv.bias, conv.options, sums);
    } else if (conv.add) {
      compiler::conv2d_add(builder_, input(layer), weights, conv.bias, conv.options, conv.requantize, input(layer, 1),
                           *conv.add, output(layer));
    } else {
      compiler::conv2d(builder_, input(layer), weights, conv.bias, conv.options, conv.requantize, output(layer));
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
    emit_product(builder_, product, input(layer, 0), input(layer, 1), output(layer));
  }
  void emit(const Layer& layer, const KernelLayer& kernel) {
    std::vector<TensorView> operands;
    std::size_t computed = 0;
    for (std::size_t i = 0; i < layer.inputs.size() + kernel.constants.size(); ++i) {
      const auto constant = kernel.constants.find(i);
      operands.push_back(constant == kernel.constants.end() ? input(layer, computed++) : view(constant->second));
    }
    if (kernel.elementwise) {
      compiler::run_elementwise_kernel(builder_, kernel.call, operands, output(layer));
    } else {
      compiler::run_kernel(builder_, kernel.call, operands, output(layer));
    }
  }
  void emit(const Layer& layer, const LstmLayer& lstm) {
    compiler::lstm(builder_, lstm.call, input(layer), output(layer));
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
  const Placement placement_;
  Builder builder_;
  std::map<TensorId, std::uint32_t> addresses_;
  DeviceStep result_;
};

}  // namespace

DeviceStep compile(const Segment& segment, const graph::Graph& graph, const Configuration& configuration,
                   const std::shared_ptr<AddressSpace>& memory) {
  std::set<TensorId> spilled;
  for (;;) {
    Emission emission(segment, graph, configuration, memory, spilled);
    try {
      return emission.run();
    } catch (const NoRoom& no_room) {
      const auto goes = emission.placement().largest(no_room.layer);
      if (!goes) {
        const Layer& layer = segment.layers[static_cast<std::size_t>(no_room.layer)];
        throw NotOnDevice(main_operator(layer, graph),
                          fmt::format("on configuration {}, {}", configuration.name, no_room.reason));
      }
      spilled.insert(*goes);
    }
  }
}

}  // namespace systole::network
