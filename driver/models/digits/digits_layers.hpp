// SPDX-License-Identifier: Apache-2.0
// One layer of the digits network on a batch of pictures: as one operator of the public driver interface, and in the
// golden model.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "digits_network.hpp"
#include "idx.hpp"
#include "systole/operators.hpp"

namespace systole::digits {

/// One layer on the device.
Computed<std::int8_t> offload(Device& device, const Layer& layer, const HostTensor8& input,
                              const RunOptions& options = {});

/// The same layer in the golden model.
HostTensor8 reference(const Layer& layer, const HostTensor8& input);

/// Pictures [first, first + count) as the network's input. Throws InvalidArgument when their size is not the
/// network's.
HostTensor8 as_input(const Network& network, const Pictures& pictures, std::size_t first, std::size_t count);

/// The same bytes in another shape. Throws InvalidArgument when the sizes differ.
HostTensor8 shaped(HostTensor8 tensor, const std::array<int, 3>& shape);

/// The digit predicted for each picture: the index of the largest value of the last layer's output, the first of
/// several.
std::vector<int> answers_of(const HostTensor8& output);

}  // namespace systole::digits
