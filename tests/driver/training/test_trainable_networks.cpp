// SPDX-License-Identifier: Apache-2.0
// The networks: shapes, seeds, and that the gradient of a whole network is right.
#include "networks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "differentiate.hpp"
#include "imported.hpp"
#include "loss.hpp"
#include "small_pictures.hpp"
#include "step.hpp"
#include "systole/execute.hpp"
#include "weight_parameters.hpp"

namespace systole::training {
namespace {

using graph::ElementType;
using graph::Value;
using testing::HasSubstr;
using testing::ThrowsMessage;

NetworkOptions tiny(std::int64_t side) {
  NetworkOptions options;
  options.batch = 3;
  options.height = options.width = side;
  options.scale = 0.1;
  return options;
}

std::int64_t parameters(const Network& network) {
  std::int64_t count = 0;
  for (const Parameter& parameter : network.parameters) {
    count += graph::count(parameter.variable.initial.shape);
  }
  return count;
}

TEST(Networks, NumbersOfParameters) {
  EXPECT_EQ(parameters(cnn({})), 225'034);
  EXPECT_EQ(parameters(vit({})), 41'770);
}

TEST(Networks, TheSeedDecidesTheWeights) {
  NetworkOptions options;
  const auto first = [&](std::uint64_t seed) {
    options.seed = seed;
    return graph::elements<float>(cnn(options).parameters[0].variable.initial);
  };
  EXPECT_EQ(first(1), first(1));
  EXPECT_NE(first(1), first(2));
  const double bound = std::sqrt(6.0 / 9);  // He, 3 x 3 inputs
  for (const float weight : first(1)) {
    EXPECT_LE(std::abs(weight), bound);
  }
}

TEST(Networks, Unknown) {
  EXPECT_THAT([] { network("rnn", {}); }, ThrowsMessage<InvalidArgument>(HasSubstr("cnn, vit, lstm")));
  EXPECT_THAT([] { vit(tiny(6)); }, ThrowsMessage<InvalidArgument>(HasSubstr("multiple of 4")));
}

TEST(Networks, WeightsAreWhatProductsAndConvolutionsMultiply) {
  for (Network network : {cnn(tiny(10)), vit(tiny(8)), lstm(tiny(4))}) {
    mark_weights(network);
    for (const Parameter& parameter : network.parameters) {
      const std::string& name = parameter.variable.name;
      const bool normalizes = name.find("norm") != std::string::npos;
      const bool is_weight = name.find(".weight") != std::string::npos && !normalizes;
      EXPECT_EQ(parameter.is_weight, is_weight) << network.graph.name << ": " << name;
    }
  }
}

/// As importers write products: the weights are transposed first.
TEST(Networks, TransposedWeightsAreWeights) {
  Network network;
  GraphBuilder w(network.graph, "w");
  const TensorId x = w.input("x", ElementType::kFloat32, {2, 3}), b = w.input("b", ElementType::kFloat32, {3, 4});
  network.scores = w.product(x, w.transpose(w.reshape(b, {4, 3}), {1, 0}));
  network.parameters = {{{"b", {}}, b}};
  mark_weights(network);
  EXPECT_TRUE(network.parameters[0].is_weight);
}

Value as_double(const Value& value) {
  const auto narrow = graph::elements<float>(value);
  return make_value(ElementType::kFloat64, value.shape, std::vector<double>(narrow.begin(), narrow.end()));
}

/// The loss and its gradients in float64.
class InDouble {
 public:
  explicit InDouble(Network network) {
    const TensorId scores = network.scores;
    std::vector<TensorId> of;
    const Dataset data = small_pictures(3, 1, network.graph.tensor(network.images).shape[2]);
    const Batch batch = batch_of(data, {0, 1, 2}, 0, 3);
    GraphBuilder w(network.graph, "step");
    const TensorId labels = w.input("labels", ElementType::kInt32, {3});
    values_ = {as_double(batch.images), batch.labels};
    network.graph.inputs = {network.images, labels};
    for (const Parameter& parameter : network.parameters) {
      of.push_back(parameter.input);
      network.graph.inputs.push_back(parameter.input);
      values_.push_back(as_double(parameter.variable.initial));
    }
    for (graph::Tensor& tensor : network.graph.tensors) {
      if (tensor.type == ElementType::kFloat32) {
        tensor.type = ElementType::kFloat64;
        if (tensor.constant) {
          const Value wide = as_double({ElementType::kFloat32, tensor.shape, *tensor.constant});
          tensor.constant = std::make_shared<const graph::Bytes>(wide.data);
        }
      }
    }
    const TensorId loss = loss_of(w, network.loss, scores, labels).sum;
    forward_ = network.graph;
    forward_.outputs = {loss};
    backward_ = network.graph;
    backward_.outputs = differentiate(backward_, loss, of);
    validate(backward_);
  }

  void check() {
    const std::vector<Value> gradients = execute(backward_, values_);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const auto gradient = graph::elements<double>(gradients[i]);
      for (const std::size_t at : {std::size_t{0}, gradient.size() / 2, gradient.size() - 1}) {
        const double expected = (moved(i + 2, at, kStep) - moved(i + 2, at, -kStep)) / (2 * kStep);
        EXPECT_NEAR(gradient[at], expected, 1e-5 * std::max(1.0, std::abs(expected)))
            << "parameter " << i << ", element " << at;
      }
    }
  }

 private:
  static constexpr double kStep = 1e-6;
  double moved(std::size_t input, std::size_t at, double by) const {
    auto values = values_;
    auto elements = graph::elements<double>(values[input]);
    elements[at] += by;
    values[input] = make_value(ElementType::kFloat64, values[input].shape, elements);
    return graph::elements<double>(execute(forward_, values).at(0)).at(0);
  }

  graph::Graph forward_, backward_;
  std::vector<Value> values_;
};

TEST(Networks, GradientOfTheCnn) { InDouble(cnn(tiny(10))).check(); }
TEST(Networks, GradientOfTheVisionTransformer) { InDouble(vit(tiny(8))).check(); }
/// Networks of one output and of several.
TEST(Networks, GradientsOfTheLosses) {
  for (const LossKind loss : {LossKind::kCrossEntropy, LossKind::kBinary, LossKind::kMeanSquare}) {
    for (const std::int64_t outputs : {1, 4}) {
      if (loss == LossKind::kCrossEntropy && outputs == 1) {
        continue;  // it is refused
      }
      NetworkOptions options = tiny(10);
      options.classes = outputs;
      Network network = cnn(options);
      network.loss = loss;
      InDouble(std::move(network)).check();
    }
  }
}
TEST(Networks, GradientOfTheLstm) { InDouble(lstm(tiny(4))).check(); }

/// A file's graph of one picture, with a constant for each parameter, gives the network again for any batch.
TEST(Imported, TakesConstantsForParameters) {
  NetworkOptions options = tiny(8);
  options.batch = 1;
  const Network single = vit(options);
  graph::Graph file = single.graph;
  file.inputs = {single.images};
  file.outputs = {single.scores};
  for (const Parameter& parameter : single.parameters) {
    file.tensor(parameter.input).constant = std::make_shared<const graph::Bytes>(parameter.variable.initial.data);
  }
  options.batch = 3;
  const Step expected = evaluation_step(vit(options));
  const Step step = evaluation_step(imported(file, 3));
  validate(step.graph);
  ASSERT_EQ(step.variables.size(), expected.variables.size());
  const Batch batch = batch_of(small_pictures(3, 1), {0, 1, 2}, 0, 3);
  const auto run = [&](const Step& one) {
    std::vector<Value> inputs = {batch.images, batch.labels};
    for (const Variable& variable : one.variables) {
      inputs.push_back(variable.initial);
    }
    return graph::elements<float>(execute(one.graph, inputs).at(0)).at(0);
  };
  EXPECT_EQ(run(step), run(expected));
}

TEST(Imported, RefusesOtherGraphs) {
  graph::Graph graph;
  graph.name = "two";
  GraphBuilder w(graph, "x");
  const TensorId a = w.input("a", ElementType::kFloat32, {1, 2}), b = w.input("b", ElementType::kFloat32, {1, 2});
  graph.outputs = {w.add(a, b)};
  EXPECT_THAT([&] { imported(graph, 2); }, ThrowsMessage<graph::GraphError>(HasSubstr("'two' has 2 inputs")));
}

/// A softmax over the samples would be 1 for a batch of one sample, and would mix the samples of a larger batch.
TEST(Imported, RefusesASoftmaxOverTheSamples) {
  graph::Graph graph;
  GraphBuilder w(graph, "x");
  const TensorId x = w.input("x", ElementType::kFloat32, {1, 2});
  const TensorId weights = w.numbers(x, {2, 3}, {1, 2, 3, 4, 5, 6});
  graph.inputs = {x};
  graph.outputs = {w.append(graph::Softmax{0, 1, false}, {w.product(x, weights)})};
  EXPECT_THAT([&] { imported(graph, 2); }, ThrowsMessage<graph::GraphError>(HasSubstr(
                                               "it works along the first axis, which is that of the samples, so that "
                                               "only a batch of 1 can be trained")));
  EXPECT_EQ(imported(graph, 1).parameters.size(), 1U);
}

TEST(Imported, RefusesNetworksWithoutWeights) {
  graph::Graph graph;
  graph.name = "empty";
  GraphBuilder w(graph, "x");
  const TensorId x = w.input("x", ElementType::kFloat32, {1, 2});
  graph.inputs = {x};
  graph.outputs = {w.add(x, x)};
  EXPECT_THAT([&] { imported(graph, 2); }, ThrowsMessage<graph::GraphError>(HasSubstr("'empty' has no weights")));
}

}  // namespace
}  // namespace systole::training
