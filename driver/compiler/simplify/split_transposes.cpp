// SPDX-License-Identifier: Apache-2.0
// Transpose(Concat(a, b)) becomes Concat(Transpose(a), Transpose(b)) where that concatenation is along the first axis:
// it leaves the bytes of its operands together, so that its readers can take them from where they are.
#include <optional>
#include <utility>
#include <vector>

#include "graph_builder.hpp"
#include "indexed_graph.hpp"
#include "infer.hpp"
#include "permutation.hpp"
#include "simplify.hpp"

namespace systole::graph {
namespace {

class Splitter {
 public:
  explicit Splitter(Graph& graph) : graph_(graph), indexed_(graph), old_(std::exchange(graph.operators, {})) {}

  int run() {
    int count = 0;
    for (Operator& op : old_) {
      const auto* transpose = std::get_if<Transpose>(&op.kind);
      const auto concat = transpose == nullptr ? std::nullopt : indexed_.place_of_maker(op.inputs[0]);
      if (concat && splits(old_[*concat], *transpose)) {
        split(old_[*concat], op);
        ++count;
      } else {
        graph_.operators.push_back(op);
      }
    }
    return count;
  }

 private:
  bool splits(const Operator& op, const Transpose& transpose) const {
    const auto* concat = std::get_if<Concat>(&op.kind);
    if (concat == nullptr || indexed_.uses(op.outputs[0]) != 1) {
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
      part.outputs = {add_tensor(graph_, std::move(tensor))};
      joined.inputs.push_back(part.outputs[0]);
      graph_.operators.push_back(std::move(part));
    }
    graph_.operators.push_back(std::move(joined));
  }

  Graph& graph_;
  const IndexedGraph indexed_;  ///< places are those in `old_`
  std::vector<Operator> old_;
};

}  // namespace

int split_transposes(Graph& graph) { return Splitter(graph).run(); }

}  // namespace systole::graph
