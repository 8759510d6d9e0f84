// SPDX-License-Identifier: Apache-2.0
#include "network_digest.hpp"

#include <fmt/ranges.h>

#include <string>

#include "attributes.hpp"
#include "digest.hpp"

namespace systole::training {

std::uint64_t digest_of(const Network& network) {
  Digest digest;
  for (const graph::Operator& op : network.graph.operators) {
    digest.add(fmt::format("{} {} {} {};", op.kind.index(), graph::attributes(op.kind), fmt::join(op.inputs, ","),
                           fmt::join(op.outputs, ",")));
  }
  for (const graph::Tensor& tensor : network.graph.tensors) {
    digest.add(graph::to_string(tensor.shape));
    if (tensor.constant) {
      digest.add(*tensor.constant);
    }
  }
  return digest.value();
}

}  // namespace systole::training
