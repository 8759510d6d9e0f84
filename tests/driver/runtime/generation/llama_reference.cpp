// SPDX-License-Identifier: Apache-2.0
#include "llama_reference.hpp"

#include <algorithm>
#include <cmath>

namespace systole::generation::test {
namespace {

using Vector = std::vector<double>;
using llama2::test::Header;

/// Numbers of the file, from one of its matrices.
struct Matrix {
  const float* first;
  int columns;
  double at(int row, int column) const { return first[row * columns + column]; }
};

Vector product(const Matrix& matrix, int rows, const Vector& x) {
  Vector result(static_cast<std::size_t>(rows), 0.0);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < matrix.columns; ++column) {
      result[static_cast<std::size_t>(row)] += matrix.at(row, column) * x[static_cast<std::size_t>(column)];
    }
  }
  return result;
}

Vector normed(const Vector& x, const float* weights, double epsilon) {
  double squares = 0;
  for (const double value : x) {
    squares += value * value;
  }
  const double root = std::sqrt(squares / static_cast<double>(x.size()) + epsilon);
  Vector result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    result.push_back(x[i] / root * weights[i]);
  }
  return result;
}

void add(Vector& to, const Vector& what) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] += what[i];
  }
}

/// Turns each pair of neighbours by an angle that falls with the pair's place in its head.
void rotate(Vector& heads, int width, int position, double base) {
  for (std::size_t i = 0; i < heads.size(); i += 2) {
    const int place = static_cast<int>(i) % width;
    const double angle = position / std::pow(base, static_cast<double>(place) / width);
    const double a = heads[i], b = heads[i + 1];
    heads[i] = a * std::cos(angle) - b * std::sin(angle);
    heads[i + 1] = a * std::sin(angle) + b * std::cos(angle);
  }
}

double dot(const Vector& a, std::size_t from_a, const Vector& b, std::size_t from_b, int count) {
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    sum += a[from_a + i] * b[from_b + i];
  }
  return sum;
}

}  // namespace

std::vector<Vector> reference_logits(const graph::Bytes& file, const std::vector<int>& tokens,
                                     const Unwritten& unwritten) {
  const auto [base, epsilon] = unwritten;
  Header header;
  std::memcpy(header.data(), file.data(), sizeof header);
  std::vector<float> numbers((file.size() - sizeof header) / sizeof(float));
  std::memcpy(numbers.data(), file.data() + sizeof header, file.size() - sizeof header);
  const auto [dim, hidden, layers, heads, key_heads, signed_vocabulary, context] = header;
  const int vocabulary = std::abs(signed_vocabulary), head = dim / heads, keys = head * key_heads;
  const float* next = numbers.data();
  const auto take = [&](int count) { return std::exchange(next, next + count); };
  const float* embedding = take(vocabulary * dim);
  const float* attention_norm = take(layers * dim);
  const float *wq = take(layers * dim * dim), *wk = take(layers * keys * dim), *wv = take(layers * keys * dim);
  const float *wo = take(layers * dim * dim), *feed_norm = take(layers * dim);
  const float *w1 = take(layers * hidden * dim), *w2 = take(layers * dim * hidden), *w3 = take(layers * hidden * dim);
  const float* final_norm = take(dim);
  take(context * head);
  const float* classifier = signed_vocabulary < 0 ? next : embedding;

  std::vector<std::vector<Vector>> all_keys(static_cast<std::size_t>(layers)), all_values(all_keys);
  std::vector<Vector> logits;
  for (std::size_t position = 0; position < tokens.size(); ++position) {
    const float* row = embedding + tokens[position] * dim;
    Vector x(row, row + dim);
    for (int layer = 0; layer < layers; ++layer) {
      auto& layer_keys = all_keys[static_cast<std::size_t>(layer)];
      auto& layer_values = all_values[static_cast<std::size_t>(layer)];
      const Vector h = normed(x, attention_norm + layer * dim, epsilon);
      Vector query = product({wq + layer * dim * dim, dim}, dim, h);
      Vector key = product({wk + layer * keys * dim, dim}, keys, h);
      rotate(query, head, static_cast<int>(position), base);
      rotate(key, head, static_cast<int>(position), base);
      layer_keys.push_back(key);
      layer_values.push_back(product({wv + layer * keys * dim, dim}, keys, h));
      Vector mixed(static_cast<std::size_t>(dim), 0.0);
      for (int i = 0; i < heads; ++i) {
        const auto from = static_cast<std::size_t>(i * head),
                   shared = static_cast<std::size_t>(i * key_heads / heads * head);
        Vector shares;
        for (const Vector& other : layer_keys) {
          shares.push_back(dot(query, from, other, shared, head) / std::sqrt(static_cast<double>(head)));
        }
        const double most = *std::max_element(shares.begin(), shares.end());
        double sum = 0;
        for (double& share : shares) {
          sum += share = std::exp(share - most);
        }
        for (std::size_t t = 0; t < shares.size(); ++t) {
          for (std::size_t j = 0; j < static_cast<std::size_t>(head); ++j) {
            mixed[from + j] += shares[t] / sum * layer_values[t][shared + j];
          }
        }
      }
      add(x, product({wo + layer * dim * dim, dim}, dim, mixed));
      const Vector f = normed(x, feed_norm + layer * dim, epsilon);
      Vector gate = product({w1 + layer * hidden * dim, dim}, hidden, f);
      const Vector up = product({w3 + layer * hidden * dim, dim}, hidden, f);
      for (std::size_t i = 0; i < gate.size(); ++i) {
        gate[i] *= up[i] / (1 + std::exp(-gate[i]));
      }
      add(x, product({w2 + layer * dim * hidden, hidden}, dim, gate));
    }
    logits.push_back(product({classifier, dim}, vocabulary, normed(x, final_norm, epsilon)));
  }
  return logits;
}

}  // namespace systole::generation::test
