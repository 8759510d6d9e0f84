// SPDX-License-Identifier: Apache-2.0
// Einsum: operands are brought to common axes, multiplied pairwise as matrices, and summed over the axes that the
// result lacks.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {
namespace {

/// A tensor with labelled axes. The axes of an ellipsis are labelled with digits and other characters that are not
/// letters.
struct Labelled {
  TensorId id = kNoTensor;
  std::string axes;
};

bool has(const std::string& axes, char letter) { return axes.find(letter) != std::string::npos; }

class Einsum {
 public:
  explicit Einsum(Translation& t) : t_(t) {}

  TensorId run() {
    read_equation();
    Labelled all = operands_[0];
    reduce_to(all, 1);
    for (std::size_t i = 1; i < operands_.size(); ++i) {
      Labelled next = operands_[i];
      reduce_to(next, i + 1);
      all = product(all, next, i + 1);
    }
    for (const char letter : output_) {
      if (!has(all.axes, letter)) {
        t_.fail(fmt::format("the result has axis '{}', which no operand has", letter));
      }
    }
    return ordered(all, output_);
  }

 private:
  void read_equation() {
    std::string equation = t_.text("equation", "");
    equation.erase(std::remove(equation.begin(), equation.end(), ' '), equation.end());
    const std::size_t arrow = equation.find("->");
    std::string left = equation.substr(0, arrow);
    std::vector<std::string> terms(1);
    for (const char c : left) {
      if (c == ',') {
        terms.emplace_back();
      } else {
        terms.back().push_back(c);
      }
    }
    if (terms.size() != t_.input_count()) {
      t_.fail(fmt::format("equation '{}' has {} terms for {} operands", equation, terms.size(), t_.input_count()));
    }
    std::size_t broadcast = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const std::size_t rank = t_.shape(t_.input(i)).size();
      const std::size_t letters =
          static_cast<std::size_t>(std::count_if(terms[i].begin(), terms[i].end(), [](char c) { return c != '.'; }));
      const bool open = has(terms[i], '.');
      if (letters > rank || (!open && letters != rank)) {
        t_.fail(fmt::format("term '{}' for an operand of shape {}", terms[i], to_string(t_.shape(t_.input(i)))));
      }
      broadcast = std::max(broadcast, open ? rank - letters : 0);
    }
    for (std::size_t i = 0; i < terms.size(); ++i) {
      operands_.push_back(without_repeats({t_.input(i), spelled(terms[i], t_.shape(t_.input(i)).size(), broadcast)}));
    }
    output_ = arrow == std::string::npos ? implied(broadcast)
                                         : spelled(equation.substr(arrow + 2), std::string::npos, broadcast);
    for (std::size_t i = 0; i < output_.size(); ++i) {
      if (has(output_.substr(i + 1), output_[i])) {
        t_.fail(fmt::format("equation '{}' names an axis of the result twice", equation));
      }
    }
  }

  /// The term with its ellipsis expanded: the last `broadcast` of the axes 0, 1, ... or as many as the rank leaves.
  std::string spelled(const std::string& term, std::size_t rank, std::size_t broadcast) const {
    constexpr std::size_t kMost = 10;
    std::string result;
    for (std::size_t i = 0; i < term.size(); ++i) {
      if (term[i] != '.') {
        const bool letter = (term[i] >= 'a' && term[i] <= 'z') || (term[i] >= 'A' && term[i] <= 'Z');
        if (!letter) {
          t_.fail(fmt::format("'{}' in a term; expected letters, commas, -> or an ellipsis", term[i]));
        }
        result.push_back(term[i]);
        continue;
      }
      if (term.compare(i, 3, "...") != 0 || has(term.substr(i + 3), '.') || broadcast > kMost) {
        t_.fail(fmt::format("term '{}'; expected at most one ellipsis (...), for at most {} axes", term, kMost));
      }
      i += 2;
      const std::size_t own = rank == std::string::npos ? broadcast : rank - (term.size() - 3);
      for (std::size_t axis = broadcast - own; axis < broadcast; ++axis) {
        result.push_back(static_cast<char>('0' + axis));
      }
    }
    return result;
  }

  /// Without an arrow: axes of the ellipsis, then letters that occur once, in alphabetical order.
  std::string implied(std::size_t broadcast) const {
    std::map<char, int> times;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      for (const char letter : repeated_[i]) {
        ++times[letter];
      }
    }
    std::string result;
    for (std::size_t axis = 0; axis < broadcast; ++axis) {
      result.push_back(static_cast<char>('0' + axis));
    }
    for (const auto& [letter, n] : times) {
      if (n == 1 && letter > '9') {
        result.push_back(letter);
      }
    }
    return result;
  }

  /// The diagonal over axes with the same letter.
  Labelled without_repeats(Labelled operand) {
    repeated_.push_back(operand.axes);
    for (std::size_t first = 0; first < operand.axes.size(); ++first) {
      const std::size_t second = operand.axes.find(operand.axes[first], first + 1);
      if (second == std::string::npos) {
        continue;
      }
      const Shape shape = t_.shape(operand.id);
      if (shape[first] != shape[second]) {
        t_.fail(fmt::format("axis '{}' has sizes {} and {}; they must be equal", operand.axes[first], shape[first],
                            shape[second]));
      }
      std::vector<int> order;
      for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i != first && i != second) {
          order.push_back(static_cast<int>(i));
        }
      }
      order.insert(order.begin(), {static_cast<int>(first), static_cast<int>(second)});
      const TensorId front = t_.transpose(operand.id, order);
      Shape flat = t_.shape(front);
      flat.erase(flat.begin());
      flat[0] = shape[first] * shape[first];
      std::vector<std::int64_t> places;
      for (std::int64_t i = 0; i < shape[first]; ++i) {
        places.push_back(i * (shape[first] + 1));
      }
      operand.id = take(t_, t_.reshape(front, flat), 0, places);
      const char letter = operand.axes[first];
      operand.axes.erase(second, 1);
      operand.axes.erase(first, 1);
      operand.axes.insert(operand.axes.begin(), letter);
      first = 0;
    }
    return operand;
  }

  bool wanted(char letter, std::size_t from) const {
    return has(output_, letter) || std::any_of(operands_.begin() + static_cast<std::ptrdiff_t>(from), operands_.end(),
                                               [&](const Labelled& operand) { return has(operand.axes, letter); });
  }

  /// Sums over axes that occur neither in the result nor in the operands from `from` on nor, for a single operand, in
  /// the product so far.
  void reduce_to(Labelled& operand, std::size_t from) {
    std::vector<int> axes;
    std::string left;
    for (std::size_t i = 0; i < operand.axes.size(); ++i) {
      const char letter = operand.axes[i];
      const bool before = std::any_of(operands_.begin(), operands_.begin() + static_cast<std::ptrdiff_t>(from - 1),
                                      [&](const Labelled& other) { return has(other.axes, letter); });
      if (before || wanted(letter, from)) {
        left.push_back(letter);
      } else {
        axes.push_back(static_cast<int>(i));
      }
    }
    operand.id = reduce(t_, ReduceKind::kSum, operand.id, axes, false);
    operand.axes = left;
  }

  TensorId ordered(const Labelled& operand, const std::string& axes) {
    std::vector<int> permutation;
    for (const char letter : axes) {
      permutation.push_back(static_cast<int>(operand.axes.find(letter)));
    }
    return t_.transpose(operand.id, permutation);
  }

  std::int64_t length(const Labelled& operand, const std::string& axes) const {
    std::int64_t product = 1;
    for (const char letter : axes) {
      product *= t_.shape(operand.id)[operand.axes.find(letter)];
    }
    return product;
  }

  /// Batch axes are shared axes that remain; the reduction is over shared axes that do not.
  Labelled product(const Labelled& a, const Labelled& b, std::size_t next) {
    std::string batch, rows, columns, depth;
    for (const char letter : a.axes) {
      (has(b.axes, letter) ? wanted(letter, next) ? batch : depth : rows).push_back(letter);
    }
    for (const char letter : b.axes) {
      if (!has(a.axes, letter)) {
        columns.push_back(letter);
      }
    }
    for (const char letter : batch + depth) {
      const std::string one(1, letter);
      const std::int64_t left = length(a, one);
      const std::int64_t right = length(b, one);
      if (left != right && (left != 1 || right != 1)) {
        if (left == 1 || right == 1) {
          return by_elements(a, b, next);
        }
        t_.fail(fmt::format("axis '{}' has sizes {} and {}; they must be equal", letter, left, right));
      }
    }
    const std::int64_t n = length(a, batch), m = length(a, rows), k = length(a, depth), columns_n = length(b, columns);
    const TensorId left = t_.reshape(ordered(a, batch + rows + depth), {n, m, k});
    const TensorId right = t_.reshape(ordered(b, batch + depth + columns), {n, k, columns_n});
    const ElementType type = t_.tensor(a.id).type;
    Shape shape;
    for (const char letter : batch + rows) {
      shape.push_back(t_.shape(a.id)[a.axes.find(letter)]);
    }
    for (const char letter : columns) {
      shape.push_back(t_.shape(b.id)[b.axes.find(letter)]);
    }
    return {t_.reshape(t_.emit(MatMul{}, {left, right}, type), shape), batch + rows + columns};
  }

  /// Broadcasts over axes of 1: multiplied element by element, then summed.
  Labelled by_elements(const Labelled& a, const Labelled& b, std::size_t next) {
    std::string axes = a.axes;
    for (const char letter : b.axes) {
      if (!has(axes, letter)) {
        axes.push_back(letter);
      }
    }
    const auto spread = [&](const Labelled& operand) {
      std::string own;
      Shape shape;
      for (const char letter : axes) {
        if (has(operand.axes, letter)) {
          own.push_back(letter);
        }
        shape.push_back(has(operand.axes, letter) ? t_.shape(operand.id)[operand.axes.find(letter)] : 1);
      }
      return t_.reshape(ordered(operand, own), shape);
    };
    std::vector<int> gone;
    std::string left;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (wanted(axes[i], next)) {
        left.push_back(axes[i]);
      } else {
        gone.push_back(static_cast<int>(i));
      }
    }
    return {reduce(t_, ReduceKind::kSum, t_.binary(BinaryKind::kMultiply, spread(a), spread(b)), gone, false), left};
  }

  Translation& t_;
  std::vector<Labelled> operands_;
  std::vector<std::string> repeated_;  // axes of the operands as in the equation
  std::string output_;
};

}  // namespace

void einsum(Translation& t) { t.result(Einsum(t).run()); }

}  // namespace systole::graph::onnx_file
