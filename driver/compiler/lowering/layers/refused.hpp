// SPDX-License-Identifier: Apache-2.0
// Why an operator cannot run on the device.
#pragma once

#include <fmt/core.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "scales.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// The reason why the operator runs on the host: "float32", "a stride of 300", ...
struct OnHost {
  std::string reason;
};

/// Thrown within the lowering; the report of a run shows the reason for an operator on the host.
class Refused {
 public:
  explicit Refused(std::string reason) : reason_(std::move(reason)) {}
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

/// Throws Refused unless `holds`.
inline void require(bool holds, const char* reason) {
  if (!holds) {
    throw Refused(reason);
  }
}

/// Throws Refused, naming the type, unless the tensor has one of `types`; `required` describes them in words.
inline void require_type(const graph::Tensor& tensor, std::initializer_list<graph::ElementType> types,
                         const char* required) {
  for (const graph::ElementType type : types) {
    if (tensor.type == type) {
      return;
    }
  }
  throw Refused(fmt::format("{}{}; the device requires {}", graph::name_of(tensor.type),
                            tensor.constant ? " constants" : "", required));
}

/// Quantization as for int8. Throws Refused for a tensor that is not of bytes with one scale.
golden::UniformQuantization quantization(const graph::Tensor& tensor);

}  // namespace systole::network
