// SPDX-License-Identifier: Apache-2.0
// Fourier transforms as products with cosine and sine matrices.
#include <fmt/core.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "onnx_operators.hpp"
#include "permutation.hpp"

namespace systole::graph::onnx_file {
namespace {

/// The last axis as real and imaginary parts, or real part only.
struct Complex {
  TensorId real = kNoTensor, imaginary = kNoTensor;
};

Complex parts_of(Translation& t, TensorId id) {
  const Shape shape = t.shape(id);
  if (shape.size() < 2 || shape.back() < 1 || shape.back() > 2) {
    t.fail(fmt::format("input has shape {}; the last dimension must be 1 (real) or 2 (complex)", to_string(shape)));
  }
  const Shape without(shape.begin(), shape.end() - 1);
  const std::size_t last = shape.size() - 1;
  Complex parts;
  parts.real = t.reshape(take(t, id, last, {0}), without);
  if (shape.back() == 2) {
    parts.imaginary = t.reshape(take(t, id, last, {1}), without);
  }
  return parts;
}

/// Cosines or sines of 2 pi k i / n, one row for each k.
TensorId waves(Translation& t, TensorId like, std::int64_t lines, std::int64_t n, bool sine, double factor) {
  constexpr std::int64_t kMost = 1 << 24;
  if (lines > kMost / n) {
    t.fail(fmt::format("length {}; the matrix of the transform would have more than {} elements", n, kMost));
  }
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(lines * n));
  for (std::int64_t k = 0; k < lines; ++k) {
    for (std::int64_t i = 0; i < n; ++i) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(k * i % n) / static_cast<double>(n);
      values.push_back(factor * (sine ? std::sin(angle) : std::cos(angle)));
    }
  }
  return t.numbers(t.tensor(like).type, {lines, n}, values);
}

/// Transform along the last axis, to [..., lines, 2].
TensorId transformed(Translation& t, const Complex& x, std::int64_t lines, bool inverse) {
  const std::int64_t n = t.shape(x.real).back();
  const double factor = inverse ? 1.0 / static_cast<double>(n) : 1.0;
  const ElementType type = t.tensor(x.real).type;
  const TensorId cosines = waves(t, x.real, lines, n, false, factor);
  const TensorId sines = waves(t, x.real, lines, n, true, inverse ? -factor : factor);
  const auto product = [&](TensorId part, TensorId matrix) { return t.emit(Dense{}, {part, matrix}, type); };
  // (r + j i) (c - j s) = r c + i s + j (i c - r s)
  TensorId real = product(x.real, cosines);
  TensorId imaginary = t.unary(UnaryKind::kNegate, product(x.real, sines));
  if (x.imaginary != kNoTensor) {
    real = t.binary(BinaryKind::kAdd, real, product(x.imaginary, sines));
    imaginary = t.binary(BinaryKind::kAdd, imaginary, product(x.imaginary, cosines));
  }
  Shape column = t.shape(real);
  column.push_back(1);
  const int last = static_cast<int>(column.size()) - 1;
  return t.emit(Concat{last}, {t.reshape(real, column), t.reshape(imaginary, column)}, type);
}

std::int64_t one(Translation& t, std::size_t i, const char* what) {
  const std::vector<std::int64_t> values = t.integers_of(i, what);
  constexpr std::int64_t kMost = 1 << 24;
  if (values.size() != 1 || values[0] < 1 || values[0] > kMost) {
    t.fail(fmt::format("{} is {} ({} values); expected one value, 1 .. {}", what, values.empty() ? 0 : values[0],
                       values.size(), kMost));
  }
  return values[0];
}

/// The last axis truncated or zero-padded.
TensorId of_length(Translation& t, TensorId id, std::int64_t length) {
  const Shape shape = t.shape(id);
  if (shape.back() == length) {
    return id;
  }
  Pad pad;
  pad.before.assign(shape.size(), 0);
  pad.after.assign(shape.size(), 0);
  pad.after.back() = length - shape.back();
  return t.move(pad, id);
}

std::vector<int> last_to(std::size_t rank, std::size_t axis) {
  std::vector<int> permutation(rank);
  std::iota(permutation.begin(), permutation.end(), 0);
  permutation.erase(permutation.begin() + static_cast<std::ptrdiff_t>(axis));
  permutation.push_back(static_cast<int>(axis));
  return permutation;
}

}  // namespace

void fourier(Translation& t) {
  const TensorId input = t.input(0);
  const std::size_t rank = t.shape(input).size();
  const bool by_input = t.opset() >= 20;
  const std::int64_t named = !by_input ? t.integer("axis", 1) : -2;
  const std::size_t axis = t.axis(by_input && t.has_input(2) ? t.integers_of(2, "the axis").at(0) : named, rank);
  const Complex x = parts_of(t, input);
  if (axis == rank - 1) {
    t.fail(fmt::format("axis {} holds the real and imaginary parts; expected another axis", axis));
  }
  const std::int64_t length = t.has_input(1) ? one(t, 1, "the length") : t.shape(input)[axis];
  const bool inverse = t.integer("inverse", 0) != 0;
  if (inverse && t.integer("onesided", 0) != 0) {
    t.refuse(OnnxRefusal::kMode, "inverse with onesided is not supported; use the two-sided transform");
  }
  const std::int64_t lines = t.integer("onesided", 0) != 0 ? length / 2 + 1 : length;
  const std::vector<int> permutation = last_to(rank - 1, axis);
  const auto along = [&](TensorId part) {
    return part == kNoTensor ? part : of_length(t, t.transpose(part, permutation), length);
  };
  const TensorId result = transformed(t, {along(x.real), along(x.imaginary)}, lines, inverse);
  std::vector<int> to = graph::inverse(permutation);
  to.push_back(static_cast<int>(rank) - 1);
  t.result(t.transpose(result, to));
}

/// Short-time transforms: of frames of a signal [N, L] or [N, L, 1 or 2], `step` apart.
void short_time_fourier(Translation& t) {
  TensorId signal = t.input(0);
  if (t.shape(signal).size() == 2) {
    signal = t.reshape(signal, {t.shape(signal)[0], t.shape(signal)[1], 1});
  }
  const Complex x = parts_of(t, signal);
  if (t.shape(signal).size() != 3) {
    t.fail(fmt::format("signal has shape {}; expected N,L, N,L,1 or N,L,2", to_string(t.shape(signal))));
  }
  const std::int64_t step = one(t, 1, "the step");
  const bool windowed = t.has_input(2);
  const std::int64_t length = t.has_input(3) ? one(t, 3, "the length")
                              : windowed     ? count(t.shape(t.input(2)))
                                             : t.shape(signal)[1];
  const std::int64_t samples = t.shape(signal)[1];
  if (length > samples || (windowed && count(t.shape(t.input(2))) != length)) {
    t.fail(fmt::format(
        "frame length {} for a signal of {} samples and a window of {}; the length must not exceed the signal "
        "and must equal the window",
        length, samples, windowed ? count(t.shape(t.input(2))) : length));
  }
  const std::int64_t frames = (samples - length) / step + 1;
  const TensorId first = t.binary(BinaryKind::kMultiply, t.count_along(ElementType::kInt64, 0, 2, frames),
                                  t.numbers(ElementType::kInt64, {}, {static_cast<double>(step)}));
  const TensorId places = t.binary(BinaryKind::kAdd, first, t.count_along(ElementType::kInt64, 1, 2, length));
  const auto stretches = [&](TensorId part) {
    if (part == kNoTensor) {
      return part;
    }
    const TensorId taken = t.emit(Gather{1}, {part, places}, t.tensor(part).type);
    return windowed ? t.binary(BinaryKind::kMultiply, taken, t.reshape(t.input(2), {length})) : taken;
  };
  const std::int64_t lines = t.integer("onesided", 1) != 0 ? length / 2 + 1 : length;
  t.result(transformed(t, {stretches(x.real), stretches(x.imaginary)}, lines, false));
}

}  // namespace systole::graph::onnx_file
