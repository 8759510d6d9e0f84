// SPDX-License-Identifier: Apache-2.0
#include "polynomial.hpp"

#include <algorithm>

namespace systole::quantizer {
namespace {

using Coefficients = Polynomial::Coefficients;

template <class Operation>
Coefficients combined(const Coefficients& a, const Coefficients& b, Operation operation) {
  Coefficients result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = operation(a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]);
  }
  return result;
}

}  // namespace

Polynomial Polynomial::symbol(std::size_t index, int power) {
  Powers powers{};
  powers.at(index) = power;
  Polynomial result;
  result.terms_[powers] = {1};
  return result;
}

Polynomial Polynomial::constant(Coefficients values) {
  Polynomial result;
  result.add({}, values, 1);
  return result;
}

std::optional<Coefficients> Polynomial::coefficients(const Powers& powers) const {
  const auto found = terms_.find(powers);
  return found == terms_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> Polynomial::coefficient(const Powers& powers) const {
  const auto found = terms_.find(powers);
  if (found == terms_.end()) {
    return 0;
  }
  return found->second.size() == 1 ? std::optional(found->second[0]) : std::nullopt;
}

std::optional<double> Polynomial::number() const {
  return terms_.empty() || (terms_.size() == 1 && terms_.count({}) != 0) ? coefficient({}) : std::nullopt;
}

void Polynomial::add(const Powers& powers, const Coefficients& coefficients, double factor) {
  const auto [place, is_new] = terms_.try_emplace(powers, Coefficients{0});
  place->second = combined(place->second, coefficients, [&](double a, double b) { return a + factor * b; });
  if (std::all_of(place->second.begin(), place->second.end(), [](double value) { return value == 0; })) {
    terms_.erase(place);
  }
}

Polynomial Polynomial::operator+(const Polynomial& other) const {
  Polynomial result = *this;
  for (const auto& [powers, coefficients] : other.terms_) {
    result.add(powers, coefficients, 1);
  }
  return result;
}

Polynomial Polynomial::operator-(const Polynomial& other) const {
  Polynomial result = *this;
  for (const auto& [powers, coefficients] : other.terms_) {
    result.add(powers, coefficients, -1);
  }
  return result;
}

Polynomial Polynomial::operator*(const Polynomial& other) const {
  Polynomial result;
  for (const auto& [own, a] : terms_) {
    for (const auto& [others, b] : other.terms_) {
      Powers powers{};
      std::transform(own.begin(), own.end(), others.begin(), powers.begin(), [](int x, int y) { return x + y; });
      result.add(powers, combined(a, b, [](double x, double y) { return x * y; }), 1);
    }
  }
  return result;
}

std::optional<Polynomial> Polynomial::inverse() const {
  if (terms_.size() != 1 || terms_.begin()->second.size() != 1) {
    return std::nullopt;
  }
  Powers powers = terms_.begin()->first;
  std::transform(powers.begin(), powers.end(), powers.begin(), [](int power) { return -power; });
  Polynomial result;
  result.terms_[powers] = {1 / terms_.begin()->second[0]};
  return result;
}

}  // namespace systole::quantizer
