// SPDX-License-Identifier: Apache-2.0
#include "kernel_writer.hpp"

#include <fmt/core.h>

#include <utility>

#include "systole/errors.hpp"

namespace systole::compiler {

using kernel::Op;
using kernel::with;
using kernel::Word;

namespace {

Word of(Op op) { return with(0, kernel::kOpField, static_cast<std::uint32_t>(op)); }

bool has_one_source(Op op) {
  const kernel::Group group = kernel::find(of(op))->group;
  return group == kernel::Group::kVector1 || group == kernel::Group::kLanes;
}

}  // namespace

KernelWriter::Scalar KernelWriter::argument(std::string name) {
  kernel_.arguments.push_back(std::move(name));
  return scalars_++;
}

void KernelWriter::set(Scalar d, std::uint32_t bits) {
  append(with(with(of(Op::kSet), kernel::kDField, d), kernel::kWideField, bits));
}

void KernelWriter::add(Scalar d, Scalar a, std::int32_t constant) {
  const Word word = with(with(of(Op::kAddWide), kernel::kDField, d), kernel::kAField, a);
  append(with(word, kernel::kWideField, static_cast<std::uint32_t>(constant)));
}

void KernelWriter::add_scalars(Scalar d, Scalar a, Scalar b) {
  append(with(with(with(of(Op::kAdd), kernel::kDField, d), kernel::kAField, a), kernel::kBField, b));
}

void KernelWriter::rows(Scalar count) { append(with(of(Op::kRows), kernel::kAField, count)); }

void KernelWriter::begin_loop(Scalar count) {
  loops_.push_back(kernel_.words.size());
  append(with(of(Op::kLoop), kernel::kAField, count));
}

void KernelWriter::end_loop() {
  const std::size_t begin = loops_.back();
  loops_.pop_back();
  Word& loop = kernel_.words[begin];
  loop = with(loop, kernel::kImmediateField, static_cast<std::uint32_t>(kernel_.words.size() - begin - 1));
}

void KernelWriter::operation(Op op, std::uint32_t d, const Source& a, const Source& b) {
  append(with(with_sources(op, a, b), kernel::kDField, d));
}

void KernelWriter::store(Op op, const Memory& to, const Source& a, const Source& b) {
  append(with_memory(with(with_sources(op, a, b), kernel::kStoreField, 1), to));
}

kernel::Kernel KernelWriter::finish() {
  append(of(Op::kEnd));
  return std::move(kernel_);
}

void KernelWriter::append(Word word) {
  if (const std::string wrong = kernel::illegal(word); !wrong.empty()) {
    throw InternalError(fmt::format("compiler: kernel '{}', word {}: {}", kernel_.name, kernel_.words.size(), wrong));
  }
  kernel_.words.push_back(word);
}

Word KernelWriter::with_memory(Word word, const Memory& memory) {
  word = with(word, kernel::kFormatField, static_cast<std::uint32_t>(memory.format));
  word = with(word, kernel::kBaseField, memory.base);
  word = with(word, kernel::kRowStrideField, memory.row_stride);
  return with(word, kernel::kPlaneStrideField, memory.plane_stride);
}

Word KernelWriter::with_sources(Op op, const Source& a, const Source& b) {
  Word word = of(op);
  const auto put = [&](const Source& source, const kernel::Field& kind, const kernel::Field& number) {
    word = with(word, kind, static_cast<std::uint32_t>(source.kind));
    switch (source.kind) {
      case kernel::Source::kImmediate: word = with(word, kernel::kImmediateField, source.value); break;
      case kernel::Source::kMemory: word = with_memory(word, source.memory); break;
      default: word = with(word, number, source.value);
    }
  };
  put(a, kernel::kAKindField, kernel::kAField);
  if (!has_one_source(op)) {
    put(b, kernel::kBKindField, kernel::kBField);
  }
  return word;
}

}  // namespace systole::compiler
