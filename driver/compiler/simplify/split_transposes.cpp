// SPDX-License-Identifier: Apache-2.0
// Transpose(Concat(a, b)) becomes Concat(Transpose(a), Transpose(b)) where that concatenation is along the first axis:
// it leaves the bytes of its operands together, so that its readers can take them from where they are.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "infer.hpp"
#include "permutation.hpp"
#include "simplify.hpp"

namespace systole::graph {
namespace {

class Splitter {
 public:
  explicit Splitter(Graph& graph) : graph_(graph), old_(std::exchange(graph.operators, {})) {
    for (const Operator& op : old_) {
      for (const TensorId id : op.inputs) {
        ++readers_[id];
      }
    }
    for (const TensorId id : graph.outputs) {
      ++readers_[id];
    }
  }

  int run() {
    int count = 0;
    for (Operator& op : old_) {
      const auto* transpose = std::get_if<Transpose>(&op.kind);
      const auto concat = transpose == nullptr ? makers_.end() : makers_.find(op.inputs[0]);
      if (concat != makers_.end() && splits(old_[concat->second], *transpose)) {
        split(old_[concat->second], op);
        ++count;
      } else {
        graph_.operators.push_back(op);
      }
      for (const TensorId id : op.outputs) {
        makers_[id] = static_cast<std::size_t>(&op - old_.data());
      }
    }
    return count;
  }

 private:
  bool splits(const Operator& op, const Transpose& transpose) const {
    const auto* concat = std::get_if<Concat>(&op.kind);
    if (concat == nullptr || readers_.at(op.outputs[0]) != 1) {
      return false;
    }
    const Permutation& p = transpose.permutation;
    const auto& quantization = graph_.tensor(op.outputs[0]).quantization;
    return p[0] == static_cast<int>(axis_of(concat->axis, p.size())) && !(quantization && quantization->per_channel());
  }

  /// The concatenation, which nothing reads any more, stays behind for remove_unused().
  void split(const Operator& concat, const Operator& transpose) {
    const Permutation& permutation = std::get<Transpose>(transpose.kind).permutation;
    Operator joined = transpose;
    joined.kind = Concat{0};
    joined.arithmetic = concat.arithmetic;
    joined.inputs.clear();
    for (std::size_t i = 0; i < concat.inputs.size(); ++i) {
      Operator part = transpose;
      part.name += "/part" + std::to_string(i);
      part.inputs = {concat.inputs[i]};
      Tensor tensor = graph_.tensor(concat.inputs[i]);
      tensor.name += "/transpose";
      tensor.shape = permuted(tensor.shape, permutation);
      tensor.constant = nullptr;
      graph_.tensors.push_back(std::move(tensor));
      part.outputs = {static_cast<TensorId>(graph_.tensors.size() - 1)};
      joined.inputs.push_back(part.outputs[0]);
      graph_.operators.push_back(std::move(part));
    }
    graph_.operators.push_back(std::move(joined));
  }

  Graph& graph_;
  std::vector<Operator> old_;
  std::map<TensorId, int> readers_;
  std::map<TensorId, std::size_t> makers_;  ///< place in `old_`
};

}  // namespace

int split_transposes(Graph& graph) { return Splitter(graph).run(); }

}  // namespace systole::graph
