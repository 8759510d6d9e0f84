// SPDX-License-Identifier: Apache-2.0
// Dense layers by a description: "mlp:8-10-sigmoid-1-sigmoid" takes 8 numbers, has a layer of 10 with sigmoid, and one
// of 1 with sigmoid. A layer that no function follows has ReLU, and none if it is the last.
#pragma once

#include <string>
#include <vector>

#include "ending.hpp"
#include "networks.hpp"

namespace systole::training {

struct Mlp {
  struct Layer {
    std::int64_t outputs = 0;
    std::string function;  ///< empty: none
  };
  std::int64_t inputs = 0;
  std::vector<Layer> layers;
};

/// Whether a network's name is such a description.
bool is_mlp(const std::string& name);

/// Throws InvalidArgument, with the place and what is known, for a description that is none.
Mlp parse_mlp(const std::string& name);

/// Weights by He before ReLU and GELU, else by Glorot. `whole`: with the last layer's function.
Network mlp(const Mlp& layers, const NetworkOptions& options, bool whole);

/// The function of the last layer.
LastOperator last_of(const Mlp& layers);

}  // namespace systole::training
