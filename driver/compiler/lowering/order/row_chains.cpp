// SPDX-License-Identifier: Apache-2.0
#include "row_chains.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "systole/kernel.hpp"

namespace systole::network {
namespace {

using graph::TensorId;

constexpr int kShare = 4;  // of the scratchpad that parts of one tensor may take

/// The rows of a layer that can be computed independently of each other.
struct Rows {
  int matrices = 1, rows = 1;
  bool product = false;        ///< of computed matrices: the second operand is needed whole
  bool rows_in_order = true;   ///< the result's rows are its positions, matrix after matrix
  bool reads_in_order = true;  ///< and those of the first operand
};

std::int64_t positions_of(const Image& image) { return std::int64_t{image.batch} * image.height * image.width; }

bool in_order(const MatrixStack& matrices) {
  for (std::size_t i = 0; i < matrices.first.size(); ++i) {
    if (matrices.first[i] != static_cast<std::int64_t>(i) * matrices.rows * matrices.pitch) {
      return false;
    }
  }
  return matrices.pitch == matrices.columns || matrices.first.size() == 1;
}

bool is_pointwise(const ConvLayer& conv) {
  const Window& window = conv.options.window;
  return !conv.raw && conv.options.groups == 1 && window.kernel_h == 1 && window.kernel_w == 1 &&
         window.stride_h == 1 && window.stride_w == 1 && window.pad_top == 0 && window.pad_left == 0 &&
         window.pad_bottom == 0 && window.pad_right == 0;
}

/// Every input has as many positions as the result, or one.
bool same_positions(const Layer& layer) {
  const std::int64_t positions = positions_of(layer.output_image);
  return layer.output_image.batch == 1 &&
         std::all_of(layer.input_images.begin(), layer.input_images.end(),
                     [&](const Image& image) { return image.batch == 1 && positions_of(image) == positions; });
}

std::optional<Rows> rows_of(const Layer& layer) {
  if (const auto* product = std::get_if<ProductLayer>(&layer.kind)) {
    if (!is_in_place(*product) || product->raw) {
      return std::nullopt;
    }
    return Rows{static_cast<int>(product->result.first.size()), product->result.rows, true, in_order(product->result),
                in_order(product->a)};
  }
  const auto* conv = std::get_if<ConvLayer>(&layer.kind);
  const auto* kernel = std::get_if<KernelLayer>(&layer.kind);
  const auto* add = std::get_if<AddLayer>(&layer.kind);
  const bool by_rows = (conv != nullptr && is_pointwise(*conv)) || std::holds_alternative<TableLayer>(layer.kind) ||
                       (add != nullptr && !add->constant) ||
                       (kernel != nullptr && !kernel->elementwise && kernel->call.items == 0 &&
                        !kernel->call.by_block && kernel->constants.empty());
  if (!by_rows || !layer.input_parts.empty() || !same_positions(layer)) {
    return std::nullopt;
  }
  return Rows{1, static_cast<int>(positions_of(layer.output_image))};
}

/// Parts of whole strips, as equal as possible.
std::vector<Piece> parts_of(const RowChain& chain) {
  const int strips = (chain.rows + kernel::kStripRows - 1) / kernel::kStripRows;
  std::vector<Piece> parts;
  for (int matrix = 0; matrix < chain.matrices; ++matrix) {
    for (int part = 0; part < chain.parts; ++part) {
      const int first = strips * part / chain.parts * kernel::kStripRows;
      const int end = std::min(chain.rows, strips * (part + 1) / chain.parts * kernel::kStripRows);
      parts.push_back({0, false, matrix, first, end - first, std::int64_t{matrix} * chain.rows + first,
                       static_cast<int>(parts.size())});
    }
  }
  return parts;
}

/// A chain that grows layer by layer.
class Growing {
 public:
  Growing(const std::vector<Layer>& layers, std::size_t begin, int part_rows, const Configuration& configuration)
      : layers_(layers), part_rows_(part_rows), configuration_(configuration) {
    chain_.begin = chain_.end = begin;
  }

  bool add() {
    const Layer& layer = layers_[chain_.end];
    const auto own = rows_of(layer);
    if (!own || !fits(layer, *own)) {
      return false;
    }
    if (own->product || chain_.end == chain_.begin) {
      chain_.matrices = own->matrices;
      chain_.rows = own->rows;
    }
    (own->rows_in_order || own->matrices == 1 ? ordered_ : unordered_).insert(layer.output);
    chain_.depth.push_back(depth_of(layer));
    depth_[layer.output] = chain_.depth.back();
    if (2 * compiler::ceil_div(layer.output_image.channels, configuration_.dim) * part_rows_ >=
        configuration_.scratch_rows / kShare) {
      large_.insert(layer.output);
    }
    has_product_ = has_product_ || own->product;
    computes_ = computes_ || std::holds_alternative<KernelLayer>(layer.kind);
    ++chain_.end;
    return true;
  }

  const RowChain& chain() const { return chain_; }
  bool worth() const { return computes_ && chain_.end - chain_.begin >= 2 && chain_.rows >= 2 * part_rows_; }

 private:
  bool fits(const Layer& layer, const Rows& own) const {
    const bool empty = chain_.end == chain_.begin;
    const std::int64_t all = std::int64_t{chain_.matrices} * chain_.rows;
    if (!empty && std::int64_t{own.matrices} * own.rows != all) {
      return false;
    }
    if (!empty && own.product && has_product_ && (own.matrices != chain_.matrices || own.rows != chain_.rows)) {
      return false;
    }
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      const TensorId id = layer.inputs[i];
      const bool needed_whole = own.product && (i > 0 || (own.matrices > 1 && !own.reads_in_order));
      if (unordered_.count(id) != 0 || large_.count(id) != 0 || (needed_whole && ordered_.count(id) != 0)) {
        return false;
      }
    }
    return true;
  }

  int depth_of(const Layer& layer) const {
    int depth = 0;
    for (const TensorId id : layer.inputs) {
      const auto computed = depth_.find(id);
      depth = computed == depth_.end() ? depth : std::max(depth, computed->second + 1);
    }
    return depth;
  }

  const std::vector<Layer>& layers_;
  const int part_rows_;
  const Configuration& configuration_;
  RowChain chain_;
  std::map<TensorId, int> depth_;
  std::set<TensorId> ordered_, unordered_;  ///< results of the chain, by the order of their rows
  std::set<TensorId> large_;
  bool has_product_ = false, computes_ = false;
};

}  // namespace

std::vector<RowChain> row_chains(const std::vector<Layer>& layers, int part_rows, const Configuration& configuration) {
  std::vector<RowChain> chains;
  for (std::size_t begin = 0; begin < layers.size();) {
    Growing growing(layers, begin, part_rows, configuration);
    while (growing.chain().end < layers.size() && growing.add()) {}
    if (growing.worth()) {
      chains.push_back(growing.chain());
      chains.back().parts = chains.back().rows / part_rows;
      for (const Piece& part : parts_of(chains.back())) {
        chains.back().part_rows = std::max(chains.back().part_rows, part.count);
      }
    }
    begin = std::max(begin + 1, growing.chain().end);
  }
  return chains;
}

std::vector<const RowChain*> chain_of_layers(std::size_t layers, const std::vector<RowChain>& chains) {
  std::vector<const RowChain*> of(layers, nullptr);
  for (const RowChain& chain : chains) {
    std::fill(of.begin() + static_cast<std::ptrdiff_t>(chain.begin),
              of.begin() + static_cast<std::ptrdiff_t>(chain.end), &chain);
  }
  return of;
}

namespace {

bool multiplies(const Layer& layer) {
  return std::holds_alternative<ConvLayer>(layer.kind) || std::holds_alternative<ProductLayer>(layer.kind);
}

}  // namespace

std::vector<Piece> order_of(const std::vector<Layer>& layers, const std::vector<RowChain>& chains) {
  std::vector<Piece> order;
  const std::vector<const RowChain*> of = chain_of_layers(layers.size(), chains);
  for (std::size_t layer = 0; layer < layers.size();) {
    const RowChain* chain = of[layer];
    if (chain == nullptr) {
      order.push_back({layer++});
      continue;
    }
    const std::vector<Piece> parts = parts_of(*chain);
    const int steps = static_cast<int>(parts.size()) + *std::max_element(chain->depth.begin(), chain->depth.end());
    // Results of products wait in the accumulators for the vector unit, which must not wait for them.
    for (int step = 0; step < steps; ++step) {
      for (const bool products : {false, true}) {
        for (std::size_t number = chain->begin; number < chain->end; ++number) {
          const int part = step - chain->depth_of(number);
          if (part >= 0 && part < static_cast<int>(parts.size()) && multiplies(layers[number]) == products) {
            order.push_back(parts[static_cast<std::size_t>(part)]);
            order.back().layer = number;
          }
        }
      }
    }
    layer = chain->end;
  }
  return order;
}

}  // namespace systole::network
