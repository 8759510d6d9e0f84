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
using testing::ElementsAre;
using testing::FloatEq;
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
    const Dataset data = small_pictures(3, 1, network.graph.tensor(network.inputs.at(0)).shape[2]);
    const Batch batch = batch_of(data, {0, 1, 2}, 0, 3);
    GraphBuilder w(network.graph, "step");
    const bool classes = network.targets == ElementType::kInt32;
    const TensorId labels = w.input("labels", network.targets, classes ? Shape{3} : w.shape(scores));
    values_ = {as_double(batch.inputs.at(0)), targets_of(network, batch)};
    network.graph.inputs = {network.inputs.at(0), labels};
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

  /// The classes of the batch, or 0, 1, 0, 1, ... in float64.
  static Value targets_of(const Network& network, const Batch& batch) {
    if (network.targets == ElementType::kInt32) {
      return batch.targets;
    }
    const Shape& shape = network.graph.tensor(network.scores).shape;
    std::vector<double> numbers(static_cast<std::size_t>(graph::count(shape)));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<double>(i % 2);
    }
    return make_value(ElementType::kFloat64, shape, numbers);
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
/// Of classes, and of labels and numbers of one output and of several.
TEST(Networks, GradientsOfTheLosses) {
  const auto check = [](const Loss& loss, std::int64_t outputs, ElementType targets) {
    NetworkOptions options = tiny(10);
    options.classes = outputs;
    Network network = cnn(options);
    network.loss = loss;
    network.targets = targets;
    InDouble(std::move(network)).check();
  };
  constexpr auto kClasses = ElementType::kInt32, kMatrix = ElementType::kFloat32;
  check({LossKind::kCrossEntropy, 1, 0.1, {1, 2, 0.5, 3}}, 4, kClasses);
  check({LossKind::kCrossEntropy, 1, 0, {1, 2, 0.5, 3}}, 4, kClasses);
  for (const LossKind kind : {LossKind::kBinary, LossKind::kMeanSquare, LossKind::kHuber}) {
    check({kind, 0.3, 0, {}}, 4, kClasses);
    check({kind, 0.3, 0, {}}, 4, kMatrix);
    check({kind, 0.3, 0, {}}, 1, kMatrix);
  }
  check({LossKind::kBinary, 1, 0.2, {1, 3}}, 1, kMatrix);
  check({LossKind::kBinary, 1, 0.2, {1, 2, 0.5, 3}}, 4, kMatrix);
}
TEST(Networks, GradientOfTheLstm) { InDouble(lstm(tiny(4))).check(); }

NetworkOptions of_batch(std::int64_t batch) {
  NetworkOptions options;
  options.batch = batch;
  return options;
}

/// A file's graph of one picture, with a constant for each parameter, gives the network again for any batch.
TEST(Imported, TakesConstantsForParameters) {
  NetworkOptions options = tiny(8);
  options.batch = 1;
  const Network single = vit(options);
  graph::Graph file = single.graph;
  file.inputs = single.inputs;
  file.outputs = {single.scores};
  for (const Parameter& parameter : single.parameters) {
    file.tensor(parameter.input).constant = std::make_shared<const graph::Bytes>(parameter.variable.initial.data);
  }
  options.batch = 3;
  const Step expected = evaluation_step(vit(options));
  const Step step = evaluation_step(imported(file, of_batch(3)));
  validate(step.graph);
  ASSERT_EQ(step.variables.size(), expected.variables.size());
  const Batch batch = batch_of(small_pictures(3, 1), {0, 1, 2}, 0, 3);
  const auto run = [&](const Step& one) {
    std::vector<Value> inputs = {batch.inputs.at(0), batch.targets};
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
  const TensorId a = w.input("a", ElementType::kFloat32, {1, 2}), b = w.input("b", ElementType::kFloat32, {3, 2});
  graph.outputs = {a, w.add(a, b)};
  EXPECT_THAT([&] { imported(graph, of_batch(2)); },
              ThrowsMessage<graph::GraphError>(HasSubstr("'two' has 2 inputs and 2 outputs")));
  graph.outputs = {a};
  EXPECT_THAT([&] { imported(graph, of_batch(2)); },
              ThrowsMessage<graph::GraphError>(HasSubstr("expected one sample, [1,...]")));
}

/// Rows that integers choose, and numbers: several inputs, each with the samples' axis.
TEST(Imported, TakesSeveralInputs) {
  graph::Graph graph;
  GraphBuilder w(graph, "x");
  const TensorId ids = w.input("ids", ElementType::kInt64, {1, 3}), x = w.input("x", ElementType::kFloat32, {1, 2});
  const TensorId table = w.numbers(x, {5, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const TensorId mean =
      w.reduce(graph::ReduceKind::kMean, w.append(graph::Gather{0}, {table, ids}, ElementType::kFloat32), {1}, false);
  graph.outputs = {w.add(mean, x)};
  Network network = imported(graph, of_batch(2));
  ASSERT_EQ(network.inputs.size(), 2U);
  ASSERT_EQ(network.parameters.size(), 1U);
  network.loss.kind = LossKind::kMeanSquare;
  network.targets = ElementType::kFloat32;
  const Step step = training_step(network, {});
  validate(step.graph);
  // The gradient of a row is the sum over the places where it was chosen: (y - t) / 2 of 2 samples and outputs, / 3.
  const std::vector<std::int64_t> chosen = {0, 0, 1, 4, -1, 4};
  const auto results =
      execute(step.graph, {make_value(ElementType::kInt64, {2, 3}, chosen),
                           make_value(ElementType::kFloat32, {2, 2}, std::vector<float>{0, 0, 0, 0}),
                           make_value(ElementType::kFloat32, {2, 2}, std::vector<float>{0, 0, 0, 0}),
                           make_value(ElementType::kFloat32, {}, std::vector<float>{1}), step.variables.at(0).initial});
  const auto rows = graph::elements<float>(results.at(2));
  const float first = 2.0F / 3, second = 5.0F / 3;  // outputs of the first sample
  EXPECT_FLOAT_EQ(rows[0], 0 - 2 * first / 6);
  EXPECT_FLOAT_EQ(rows[1], 1 - 2 * second / 6);
  EXPECT_FLOAT_EQ(rows[2], 2 - first / 6);
  EXPECT_FLOAT_EQ(rows[4], 4);
  EXPECT_FLOAT_EQ(rows[8], 8 - 3 * 8.0F / 6);
}

/// A softmax over the samples would be 1 for a batch of one sample, and would mix the samples of a larger batch.
TEST(Imported, RefusesASoftmaxOverTheSamples) {
  graph::Graph graph;
  GraphBuilder w(graph, "x");
  const TensorId x = w.input("x", ElementType::kFloat32, {1, 2});
  const TensorId weights = w.numbers(x, {2, 3}, {1, 2, 3, 4, 5, 6});
  graph.inputs = {x};
  graph.outputs = {w.append(graph::Softmax{0, 1, false}, {w.product(x, weights)})};
  EXPECT_THAT(
      [&] { imported(graph, of_batch(2)); },
      ThrowsMessage<graph::GraphError>(HasSubstr("it works along the first axis, which is that of the samples, so that "
                                                 "only a batch of 1 can be trained")));
  EXPECT_EQ(imported(graph, of_batch(1)).parameters.size(), 1U);
}

/// Two channels, normalized twice with the same statistics if `shared`, with a mean that is computed if `computed`.
graph::Graph normalized_file(bool shared, bool computed = false) {
  graph::Graph graph;
  GraphBuilder w(graph, "x");
  const TensorId x = w.input("x", ElementType::kFloat32, {1, 2});
  const auto constant = [&](const char* name, std::vector<double> values) {
    const TensorId id = w.numbers(x, {2}, values);
    graph.tensor(id).name = name;
    return id;
  };
  const TensorId scale = constant("scale", {2, 1}), bias = constant("bias", {0, 1});
  const TensorId given = constant("mean", {1, 2}), variance = constant("variance", {3, 4});
  const TensorId mean = computed ? w.scaled(given, 2) : given;
  TensorId y = w.append(graph::BatchNormalize{1e-5F, 0.75F}, {x, scale, bias, mean, variance});
  if (shared) {
    y = w.append(graph::BatchNormalize{}, {y, scale, bias, mean, variance});
  }
  graph.outputs = {y};
  return graph;
}

TEST(Imported, MovesTheStatisticsOfANormalization) {
  Network network = imported(normalized_file(false), of_batch(4));
  network.loss.kind = LossKind::kMeanSquare;
  network.targets = ElementType::kFloat32;
  const Step step = training_step(network, {});
  validate(step.graph);
  std::vector<Value> inputs = {make_value(ElementType::kFloat32, {4, 2}, std::vector<float>{0, 1, 2, 1, 4, 1, 6, 5}),
                               make_value(ElementType::kFloat32, {4, 2}, std::vector<float>(8)),
                               make_value(ElementType::kFloat32, {}, std::vector<float>{0})};
  std::vector<std::string> names;
  for (const Variable& variable : step.variables) {
    names.push_back(variable.name);
    inputs.push_back(variable.initial);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"scale", "bias", "mean", "variance"}));
  const auto results = execute(step.graph, inputs);
  // Means 3 and 2; the variances of the samples are 5 and 3, those expected of all 20/3 and 4.
  EXPECT_THAT(graph::elements<float>(results.at(4)), ElementsAre(0.75F + 0.25F * 3, 2));
  EXPECT_THAT(graph::elements<float>(results.at(5)),
              ElementsAre(FloatEq(0.75F * 3 + 0.25F * 20 / 3), FloatEq(0.75F * 4 + 0.25F * 4)));
}

TEST(Imported, RefusesStatisticsThatCannotMove) {
  const auto message = [](const graph::Graph& graph, std::int64_t batch, std::vector<std::string> frozen = {}) {
    NetworkOptions options = of_batch(batch);
    options.frozen = std::move(frozen);
    try {
      imported(graph, options);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(normalized_file(false), 1), HasSubstr("'mean': a batch has one value for each channel"));
  EXPECT_THAT(message(normalized_file(true), 2),
              HasSubstr("'mean': the running statistic of two batch normalizations"));
  EXPECT_THAT(message(normalized_file(false, true), 2), HasSubstr("statistic of a batch normalization, but computed"));
  EXPECT_THAT(message(normalized_file(false), 2, {"mean"}), HasSubstr("has one of 'mean' and 'variance'"));
  for (const bool shared : {false, true}) {
    EXPECT_EQ(message(normalized_file(shared), 1, {"mean", "var*"}), "");
  }
}

/// Dropout draws while training, and is gone otherwise.
TEST(Imported, DropsWhileTraining) {
  graph::Graph graph;
  GraphBuilder w(graph, "x");
  const TensorId x = w.input("x", ElementType::kFloat32, {1, 3});
  const TensorId weights = w.numbers(x, {3, 2}, {1, 2, 3, 4, 5, 6});
  graph.outputs = {w.append(graph::Dropout{0.25F}, {w.product(x, weights)})};
  NetworkOptions options = of_batch(4);
  EXPECT_NE(imported(graph, options).random.seed, graph::kNoTensor);
  EXPECT_EQ(imported(graph, options).random.first_sample, graph::kNoTensor);
  options.micro_batch = true;
  EXPECT_NE(imported(graph, options).random.first_sample, graph::kNoTensor);
  options.training = false;
  const Network evaluated = imported(graph, options);
  EXPECT_EQ(evaluated.random.seed, graph::kNoTensor);
  EXPECT_EQ(evaluated.graph.operators.size(), 1U);
}

TEST(Imported, RefusesNetworksWithoutWeights) {
  graph::Graph graph;
  graph.name = "empty";
  GraphBuilder w(graph, "x");
  const TensorId x = w.input("x", ElementType::kFloat32, {1, 2});
  graph.inputs = {x};
  graph.outputs = {w.add(x, x)};
  EXPECT_THAT([&] { imported(graph, of_batch(2)); },
              ThrowsMessage<graph::GraphError>(HasSubstr("'empty' has no weights")));
}

}  // namespace
}  // namespace systole::training
