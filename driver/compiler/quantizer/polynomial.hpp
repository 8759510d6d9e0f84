// SPDX-License-Identifier: Apache-2.0
// Polynomials of a few symbols that stand for tensors. A pattern of operators is recognized by what it computes, in
// whatever order and form it was exported.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

namespace systole::quantizer {

/// A sum of products of powers of symbols. Coefficients are one number or one per channel.
class Polynomial {
 public:
  static constexpr std::size_t kSymbols = 4;
  using Powers = std::array<int, kSymbols>;  ///< exponent of each symbol; negative ones for divisions
  using Coefficients = std::vector<double>;

  static Polynomial symbol(std::size_t index, int power = 1);
  static Polynomial constant(Coefficients values);

  const std::map<Powers, Coefficients>& terms() const { return terms_; }
  /// The coefficients of these powers; none if they are all zero.
  std::optional<Coefficients> coefficients(const Powers& powers) const;
  /// The same if it is one number; 0 for a missing term, none if channels differ.
  std::optional<double> coefficient(const Powers& powers) const;
  /// The number, if the polynomial is one.
  std::optional<double> number() const;

  Polynomial operator+(const Polynomial& other) const;
  Polynomial operator-(const Polynomial& other) const;
  Polynomial operator*(const Polynomial& other) const;
  /// Of a single product of powers with one nonzero number; none for others.
  std::optional<Polynomial> inverse() const;

 private:
  void add(const Powers& powers, const Coefficients& coefficients, double factor);
  std::map<Powers, Coefficients> terms_;
};

}  // namespace systole::quantizer
