// SPDX-License-Identifier: Apache-2.0
// What keeps an operator from the device.
#pragma once

#include <fmt/core.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "systole/graph.hpp"

namespace systole::network {

/// Thrown within the lowering; the reason is what the report of a run says of an operator on the host.
class Refused {
 public:
  explicit Refused(std::string reason) : reason_(std::move(reason)) {}
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

/// Throws Refused unless it holds.
inline void require(bool holds, const char* reason) {
  if (!holds) {
    throw Refused(reason);
  }
}

/// Throws Refused, naming the type, unless the tensor is of one of `types`, which `taken` says in words.
inline void require_type(const graph::Tensor& tensor, std::initializer_list<graph::ElementType> types,
                         const char* taken) {
  for (const graph::ElementType type : types) {
    if (tensor.type == type) {
      return;
    }
  }
  throw Refused(fmt::format("{}{}; the device takes {} here", graph::name_of(tensor.type),
                            tensor.constant ? " constants" : "", taken));
}

}  // namespace systole::network
