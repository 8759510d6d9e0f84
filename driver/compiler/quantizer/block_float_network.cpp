// SPDX-License-Identifier: Apache-2.0
// Float networks with products in block floating point.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "attributes.hpp"
#include "graph_builder.hpp"
#include "in_order.hpp"
#include "layer_sums.hpp"
#include "prepare.hpp"

namespace systole::quantizer {
namespace {

using graph::Graph;
using graph::Operator;
using graph::Tensor;
using graph::TensorId;
using graph::Value;

bool is_float(const Tensor& tensor) { return tensor.type == graph::ElementType::kFloat32; }

bool takes_blocks(const Graph& graph, const Operator& op) {
  const auto* conv = std::get_if<graph::Conv2d>(&op.kind);
  const bool product = std::holds_alternative<graph::Dense>(op.kind) ||
                       std::holds_alternative<graph::MatMul>(op.kind) || (conv != nullptr && conv->groups == 1);
  return product && is_float(graph.tensor(op.inputs[0])) && !graph.tensor(op.inputs[0]).constant;
}

class Rewriting {
 public:
  explicit Rewriting(Graph graph) : graph_(std::move(graph)) {
    for (const Operator& op : graph_.operators) {
      names_.insert(op.name);
    }
  }

  Graph run() {
    std::vector<Operator> operators;
    for (Operator op : graph_.operators) {
      const TensorId result = op.outputs[0];
      if (!is_float(graph_.tensor(result))) {
        operators.push_back(std::move(op));
        continue;
      }
      Activation* activation = graph::activation_of(op.kind);
      const Activation then = activation == nullptr ? Activation::kNone : std::exchange(*activation, Activation::kNone);
      if (takes_blocks(graph_, op)) {
        op.arithmetic = graph::Arithmetic::kBlocks;
      } else if (op.arithmetic != graph::Arithmetic::kBlocks) {
        op.arithmetic = graph::Arithmetic::kOnnx;
      }
      if (then == Activation::kNone) {
        operators.push_back(std::move(op));
        continue;
      }
      op.outputs[0] = before(result);
      Operator after;
      after.name = unused(op.name + "/activation");
      after.origin = op.origin;
      after.kind = graph::function_of(then);
      after.arithmetic = graph::Arithmetic::kOnnx;
      after.inputs = {op.outputs[0]};
      after.outputs = {result};
      operators.push_back(std::move(op));
      operators.push_back(std::move(after));
    }
    graph_.operators = std::move(operators);
    validate(graph_);
    return std::move(graph_);
  }

 private:
  /// A tensor like this one.
  TensorId before(TensorId result) {
    Tensor tensor = graph_.tensor(result);
    tensor.name += "/before";
    return add_tensor(graph_, std::move(tensor));
  }

  /// A name that no other operator has.
  std::string unused(std::string name) {
    while (!names_.insert(name).second) {
      name += '_';
    }
    return name;
  }

  Graph graph_;
  std::set<std::string> names_;
};

Graph folded(const Graph& model) {
  for (const Tensor& tensor : model.tensors) {
    if (tensor.quantization) {
      throw graph::GraphError(fmt::format(
          "{} is quantized; block floating point takes float networks, and this one runs as it is", title(tensor)));
    }
  }
  return fold_products(model);
}

/// The sums of each operator of `wanted`, whose results are tensors of `got`, too.
std::vector<Sums> errors(const Graph& wanted, const Graph& got, const Sample& sample) {
  std::map<TensorId, std::pair<std::size_t, Value>> results;
  std::size_t next = 0;
  execute(wanted, sample, [&](const Operator& op, const std::vector<Value>& values) {
    if (is_float(wanted.tensor(op.outputs[0]))) {
      results.emplace(op.outputs[0], std::pair{next, values[0]});
    }
    ++next;
  });
  std::vector<Sums> sums(wanted.operators.size());
  execute(got, sample, [&](const Operator& op, const std::vector<Value>& values) {
    const auto found = results.find(op.outputs[0]);
    if (found == results.end()) {
      return;
    }
    const auto expected = graph::elements<float>(found->second.second), actual = graph::elements<float>(values[0]);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      sums[found->second.first].add(double{expected[i]}, double{actual[i]});
    }
    results.erase(found);
  });
  return sums;
}

}  // namespace

Graph to_blocks(const Graph& model) { return Rewriting(folded(model)).run(); }

Report compare_blocks(const Graph& model, const std::vector<Sample>& samples, const Options& options) {
  const Graph wanted = folded(model), got = Rewriting(wanted).run();
  std::vector<Sums> sums(wanted.operators.size());
  Report report;
  report.samples = std::min(options.compared_samples, samples.size());
  in_order(
      report.samples, [&](std::size_t i) { return errors(wanted, got, samples[i]); },
      [&](std::size_t i, const std::vector<Sums>& one) {
        for (std::size_t layer = 0; layer < sums.size(); ++layer) {
          sums[layer].add(one[layer]);
        }
        if (options.progress) {
          options.progress({Progress::Stage::kComparison, i + 1, report.samples});
        }
      });
  for (std::size_t i = 0; i < wanted.operators.size(); ++i) {
    LayerReport layer;
    layer.name = wanted.operators[i].name;
    layer.origin = wanted.operators[i].origin;
    layer.blocks = takes_blocks(wanted, wanted.operators[i]);
    sums[i].report(layer);
    report.layers.push_back(std::move(layer));
  }
  return report;
}

}  // namespace systole::quantizer
