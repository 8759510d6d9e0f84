// SPDX-License-Identifier: Apache-2.0
#include "constant_scalars.hpp"

#include <algorithm>

namespace systole::compiler {

using Source = Operations::Source;

bool ConstantScalars::has_two_immediates(const Operations::Value& value) {
  return value.a.kind == Source::Kind::kConstant && value.b.kind == Source::Kind::kConstant &&
         is_immediate(value.a.number) && is_immediate(value.b.number) && !(value.a == value.b);
}

void ConstantScalars::count(const Operations& operations) {
  for (const std::size_t number : operations.order()) {
    const Operations::Value& value = operations.values()[number];
    for (const Source* source : {&value.a, &value.b}) {
      if (source->kind == Source::Kind::kConstant && !is_immediate(source->number)) {
        ++uses_[source->number];
      }
    }
    if (has_two_immediates(value)) {
      ++uses_[value.b.number];
    }
  }
}

void ConstantScalars::set() {
  const int left = writer_.scalars_left();
  const bool all = static_cast<int>(uses_.size()) <= left;
  std::vector<std::pair<int, std::uint32_t>> by_uses;
  for (const auto& [bits, uses] : uses_) {
    by_uses.emplace_back(-uses, bits);
  }
  std::sort(by_uses.begin(), by_uses.end());
  by_uses.resize(std::min(by_uses.size(), static_cast<std::size_t>(all ? left : left - kTemporaries)));
  for (const auto& [uses, bits] : by_uses) {
    const KernelWriter::Scalar scalar = writer_.take_scalar();
    writer_.set(scalar, bits);
    constants_.emplace(bits, scalar);
  }
  while (!all && writer_.scalars_left() > 0) {
    temporaries_.emplace_back(writer_.take_scalar(), std::nullopt);
  }
}

void ConstantScalars::forget() {
  for (auto& [scalar, bits] : temporaries_) {
    bits.reset();
  }
}

KernelWriter::Source ConstantScalars::source(std::uint32_t bits) {
  return is_immediate(bits) ? KernelWriter::immediate(bits) : scalar(bits);
}

KernelWriter::Source ConstantScalars::scalar(std::uint32_t bits) {
  if (const auto found = constants_.find(bits); found != constants_.end()) {
    return KernelWriter::scalar(found->second);
  }
  for (const auto& [scalar, held] : temporaries_) {
    if (held == bits) {
      return KernelWriter::scalar(scalar);
    }
  }
  auto& [scalar, held] = temporaries_[next_++ % temporaries_.size()];
  held = bits;
  writer_.set(scalar, bits);
  return KernelWriter::scalar(scalar);
}

}  // namespace systole::compiler
