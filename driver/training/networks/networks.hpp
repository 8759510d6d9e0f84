// SPDX-License-Identifier: Apache-2.0
// Networks to train.
#pragma once

#include <string>
#include <vector>

#include "trainable_network.hpp"

namespace systole::training {

struct NetworkOptions {
  std::int64_t batch = 1, channels = 1, height = 28, width = 28;  ///< of the pictures, N,C,H,W, bytes as float32
  std::int64_t classes = 10;
  double scale = 1;                  ///< of the layers' numbers of channels, which are at least 1
  double dropout = 0;                ///< rate, before the last layer of cnn and lstm, after each layer of vit
  bool batch_normalization = false;  ///< cnn: after each convolution
  bool training = true;              ///< without dropout, with running statistics if false
  bool micro_batch = false;          ///< `batch` samples are a part of a batch, which a scalar places in it
  std::uint64_t seed = 1;            ///< of the initial parameters
  /// Patterns of what freeze() will leave as it is: batch normalizations whose running statistics are among them go by
  /// these.
  std::vector<std::string> frozen;
};

/// Convolution 3x3 to 32 channels, pool, convolution 3x3 to 64, pool, dense 128, dense; ReLU between.
Network cnn(const NetworkOptions& options);
/// The network of scripts/vit: 4 x 4 patches and a class token, width 48, two layers of 3 heads, dense layers of 96.
/// The pictures' height and width are multiples of 4.
Network vit(const NetworkOptions& options);
/// One LSTM of 64 units over the rows of a picture, and a dense layer of its last state.
Network lstm(const NetworkOptions& options);

const std::vector<std::string>& network_names();
/// The network of this name. Throws InvalidArgument, listing the names, if there is none.
Network network(const std::string& name, const NetworkOptions& options);

}  // namespace systole::training
