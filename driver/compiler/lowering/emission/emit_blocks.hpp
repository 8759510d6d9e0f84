// SPDX-License-Identifier: Apache-2.0
// Calls the kernels of layers in block floating point.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "builder.hpp"
#include "kernels.hpp"
#include "layer.hpp"
#include "placement.hpp"

namespace systole::network {

class BlockEmission {
 public:
  using TensorId = graph::TensorId;
  using TensorView = compiler::TensorView;

  /// `addresses` are those of tensors in device memory. All outlive the object.
  BlockEmission(compiler::Builder& builder, const Placement& placement,
                const std::map<TensorId, std::uint32_t>& addresses)
      : builder_(builder), placement_(placement), addresses_(addresses) {}

  /// `parts` are the layer's inputs, or positions of the only one, from number `first` on.
  void emit(const Layer& layer, const BlocksLayer& conversion, const std::vector<TensorView>& parts, int first) const;
  void emit(const Layer& layer, const BlockTilesLayer& tiles) const;
  void emit(const Layer& layer, const BlockConvLayer& conv) const;
  void emit(const Layer& layer, const BlockProductLayer& product) const;

 private:
  compiler::BlockView blocks_of(TensorId id, const Image& image, int channels) const;
  compiler::BlockView blocks(const Layer& layer, std::size_t i, int channels) const;
  /// The left operand.
  compiler::BlockRows rows(const Layer& layer, int channels, const std::optional<BlocksLayer>& converts) const;
  compiler::BlockRows left_of(const Layer& layer, const BlockProductLayer& product) const;
  template <class Product>
  compiler::BlockResults results_of(const Layer& layer, const Product& product) const;

  compiler::Builder& builder_;
  const Placement& placement_;
  const std::map<TensorId, std::uint32_t>& addresses_;
};

}  // namespace systole::network
