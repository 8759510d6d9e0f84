// SPDX-License-Identifier: Apache-2.0
// Tensors as images: positions and channels, as the device stores them.
#pragma once

#include <cstdint>

#include "geometry.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// A tensor as the device sees it: missing leading dimensions are ones, and a channel is a byte. Elements of several
/// bytes have as many channels, the lowest byte first.
struct Image {
  int batch = 1, height = 1, width = 1, channels = 1;
  int element_bytes = 1;
  std::int64_t bytes() const { return std::int64_t{batch} * height * width * channels; }
};
inline bool operator==(const Image& a, const Image& b) {
  return a.batch == b.batch && a.height == b.height && a.width == b.width && a.channels == b.channels &&
         a.element_bytes == b.element_bytes;
}
inline bool operator!=(const Image& a, const Image& b) { return !(a == b); }

/// The same in device memory, without an address.
inline compiler::TensorView view_of(const Image& image) {
  return {0, image.batch, image.height, image.width, image.channels};
}

/// A tensor as a device image. Throws graph::GraphError when it has too many dimensions or is too large.
Image image_of(const graph::Tensor& tensor);

/// Rows of the scratchpad for as many planes of `plane` rows as the image needs. A row of DIM elements has one for each
/// byte of an element.
int scratch_rows(const Image& image, int plane, int dim);

/// Whether operands and results of products in block floating point may be rows of the scratchpad: a sixteenth of them.
bool is_small(const Image& image, const Configuration& configuration);

}  // namespace systole::network
