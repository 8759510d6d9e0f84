// SPDX-License-Identifier: Apache-2.0
#include "layer_listing.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "attributes.hpp"
#include "pass_listing.hpp"

namespace systole::network {
namespace {

/// "conv 3x3" from the name and the parameters that an operator of the graph with these windows has.
std::string windowed(std::string_view what, const graph::OperatorKind& kind) {
  const std::string parameters = graph::attributes(kind);
  return parameters.empty() ? std::string(what) : fmt::format("{} {}", what, parameters);
}
std::string windowed(std::string_view what, const Window& window, int groups = 1) {
  graph::Conv2d conv;
  conv.window = window;
  conv.groups = groups;
  return windowed(what, conv);
}

std::string of_matrices(std::string_view what, const MatrixStack& a, const MatrixStack& result) {
  const std::size_t count = result.first.size();
  return fmt::format("{} {}x{} by {} columns{}", what, a.rows, a.columns, result.columns,
                     count == 1 ? "" : fmt::format(", {} matrices", count));
}

/// What joined a product in block floating point, in the order of computation.
template <class Product>
std::string block_parts(const Product& product) {
  std::string text;
  text += product.converts ? " + conversion of the left operand" : "";
  text += product.adds_input || !product.results.bias.empty() ? " + bias" : "";
  text += product.adds_tensor ? " + add" : "";
  text += product.results.has_low() || product.results.has_high() ? " + limits" : "";
  text += product.results.blocks ? " + conversion to blocks" : "";
  text += product.results.function ? " + " + product.results.function->function->name : "";
  return text;
}

struct Text {
  std::string operator()(const ConvLayer& conv) const {
    return windowed("conv", conv.options.window, conv.options.groups) + (conv.parts > 1 ? " of wide weights" : "") +
           (conv.add ? " + add" : "") + (conv.table ? " + table" : "");
  }
  std::string operator()(const MaxPoolLayer& pool) const { return windowed("maximum", pool.window); }
  std::string operator()(const AveragePoolLayer& pool) const { return windowed("average", pool.window); }
  std::string operator()(const MeanLayer&) const { return "mean"; }
  std::string operator()(const AddLayer&) const { return "add"; }
  std::string operator()(const MultiplyLayer&) const { return "multiply"; }
  std::string operator()(const TableLayer&) const { return "table"; }
  std::string operator()(const ReshapeLayer&) const { return "reshape"; }
  std::string operator()(const MoveLayer& moves) const {
    const bool transposes = moves.transposition || moves.words;
    return moves.turns
               ? "transposition"
               : fmt::format("{} of {} boxes", moves.border ? "padding" : (transposes ? "transposition" : "copy"),
                             moves.parts.size());
  }
  std::string operator()(const ProductLayer& product) const {
    return of_matrices("product", product.a, product.result);
  }
  std::string operator()(const KernelLayer& kernel) const {
    return kernel.call.kernel + (kernel.block_channels > 0 ? " + conversion to blocks" : "");
  }
  std::string operator()(const NeighbourLayer& layer) const { return layer.call.kernel.kernel; }
  std::string operator()(const LstmLayer&) const { return "LSTM"; }
  std::string operator()(const BlocksLayer& blocks) const {
    return blocks.windows ? windowed("conversion to blocks of windows", blocks.windows->window)
                          : std::string("conversion to blocks");
  }
  std::string operator()(const BlockTilesLayer& tiles) const {
    return tiles.gradient ? windowed("tiles of the gradient of maxima", tiles.gradient->window)
                          : fmt::format("tiles of {}", tiles.from == BlockOperand::kBlocks ? "blocks" : "columns");
  }
  std::string operator()(const BlockConvLayer& conv) const {
    return windowed("block conv", conv.window) + block_parts(conv);
  }
  std::string operator()(const BlockProductLayer& product) const {
    return of_matrices("block product", product.a, product.result) + (product.turned ? " of turned tiles" : "") +
           block_parts(product) + (product.maxima ? " + maxima" : "");
  }
  std::string operator()(const FloatWindowsLayer& windows) const { return windowed("float maxima", windows.window); }
};

std::string name_of(Engine engine) {
  switch (engine) {
    case Engine::kMatrixUnit: return "matrix unit";
    case Engine::kVectorUnit: return "vector unit";
    case Engine::kVectorProcessor: return "vector processor";
    default: return "LOAD and STORE";
  }
}

/// How the first result of a layer is stored, if its elements are not those of the graph.
struct Format {
  std::string_view operator()(const ConvLayer& conv) const { return conv.raw ? "int32" : ""; }
  std::string_view operator()(const ProductLayer& product) const { return product.raw ? "int32" : ""; }
  std::string_view operator()(const KernelLayer& kernel) const { return kernel.block_channels > 0 ? "blocks" : ""; }
  std::string_view operator()(const BlocksLayer&) const { return "blocks"; }
  std::string_view operator()(const BlockTilesLayer&) const { return "tiles"; }
  std::string_view operator()(const BlockConvLayer& conv) const { return conv.results.blocks ? "blocks" : ""; }
  std::string_view operator()(const BlockProductLayer& product) const { return product.results.blocks ? "blocks" : ""; }
  template <class Other>
  std::string_view operator()(const Other&) const {
    return "";
  }
};

class Listing {
 public:
  Listing(const Segment& segment, const graph::Graph& graph) : segment_(segment), graph_(graph) {
    for (const Layer& layer : segment.layers) {
      makers_[layer.output] = &layer;
    }
    for (std::size_t op = 0; op < graph.operators.size(); ++op) {
      for (const graph::TensorId id : graph.operators[op].outputs) {
        numbers_[id] = op;
      }
    }
  }

  std::vector<std::string> row(const Layer& layer) const {
    std::string flow;
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      flow += (i == 0 ? "" : ", ") + tensor(layer.inputs[i], layer.input_images[i]);
    }
    flow += fmt::format(" -> {}", tensor(layer.output, layer.output_image));
    flow += layer.words_output == graph::kNoTensor ? "" : ", " + tensor(layer.words_output, layer.words_image);
    const Engine engine = std::visit([](const auto& kind) { return kind.kEngine; }, layer.kind);
    return {fmt::format("{}", fmt::join(std::set<int>(layer.operators.begin(), layer.operators.end()), ",")),
            text_of(layer),
            name_of(engine),
            flow,
            macs_text(layer.macs),
            short_name(layer.name)};
  }

 private:
  std::string tensor(graph::TensorId id, const Image& image) const {
    const auto maker = makers_.find(id);
    std::string_view format = maker == makers_.end() ? "" : std::visit(Format{}, maker->second->kind);
    format = segment_.tiles.count(id) != 0 ? "tiles" : format;
    if (id < graph::kNoTensor) {
      const int number = graph::kNoTensor - 1 - id;
      return fmt::format("{}.{} {}x{}x{}x{} {}", name(number / kMostBetween), number % kMostBetween, image.batch,
                         image.height, image.width, image.channels / image.element_bytes,
                         format.empty() ? fmt::format("of {} bytes", image.element_bytes) : std::string(format));
    }
    const graph::Tensor& tensor = graph_.tensor(id);
    return fmt::format("{} {} {}", name(id), graph::to_string(tensor.shape),
                       format.empty() ? graph::name_of(tensor.type) : format);
  }

  std::string name(graph::TensorId id) const {
    const auto number = numbers_.find(id);
    return number == numbers_.end() ? short_name(graph_.tensor(id).name) : fmt::format("@{}", number->second);
  }

  const Segment& segment_;
  const graph::Graph& graph_;
  std::map<graph::TensorId, const Layer*> makers_;
  std::map<graph::TensorId, std::size_t> numbers_;  ///< of operators that make them
};

}  // namespace

std::string text_of(const Layer& layer) { return std::visit(Text{}, layer.kind); }

std::string listing(const Segment& segment, const graph::Graph& graph) {
  const Listing lines(segment, graph);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < segment.layers.size(); ++i) {
    rows.push_back(lines.row(segment.layers[i]));
    if (!segment.lanes.empty()) {
      rows.back().insert(rows.back().begin() + 3, segment.lanes[i] == 0 ? "lane of products" : "other lane");
    }
  }
  std::string text = aligned(rows);
  for (const RowChain& chain : segment.chains) {
    text += fmt::format("{} to {}: {} parts of up to {} rows\n", short_name(segment.layers[chain.begin].name),
                        short_name(segment.layers[chain.end - 1].name), chain.parts * chain.matrices, chain.part_rows);
  }
  return text;
}

}  // namespace systole::network
