// SPDX-License-Identifier: Apache-2.0
// Training of networks: samples and a network in, a trained network out; or single steps, for loops of one's own. The
// command `systole train` and Python's systole.train() call the same.
//
//   training::NetworkChoice network;
//   network.name = "net.onnx";
//   network.graph = graph::import_model("net.onnx");
//   training::Options options;
//   options.epochs = 5;
//   const training::Result result = training::train(network, data, nullptr, options);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systole/graph_value.hpp"

namespace systole {
class Device;
}

namespace systole::training {

enum class LossKind {
  kCrossEntropy,  ///< -log(softmax(scores)[class])
  kBinary,        ///< -log(sigmoid(score)) where the target is 1, -log(1 - sigmoid(score)) where it is 0
  kMeanSquare,    ///< (output - target)^2
  kHuber,         ///< half the square of the difference up to a delta, a line of its slope there beyond
};

/// A loss and its numbers.
struct Loss {
  LossKind kind = LossKind::kCrossEntropy;
  double huber_delta = 1;      ///< above 0
  double label_smoothing = 0;  ///< a, 0 to below 1: targets of 1 are 1 - a + a/C, others a/C; C is 2 if kBinary
  /// Factors of the samples' losses, by class; by output, if several outputs are 0 or 1 each; none: 1. The mean is that
  /// over the samples, whatever their weights. Not for numbers.
  std::vector<double> class_weights = {};
};

enum class OptimizerKind { kSgd, kMomentum, kAdam, kAdamW };

/// The numbers are those of PyTorch's optimizers of these names; weight decay shrinks what products and convolutions
/// multiply, and neither biases and normalizations nor class tokens and positions.
struct Optimizer {
  OptimizerKind kind = OptimizerKind::kSgd;
  double momentum = 0.9;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0;
  double clip_norm = 0;  ///< greatest norm of all gradients together; 0: no limit
};

enum class ScheduleKind { kConstant, kStep, kCosine };

/// Learning rates by step.
struct Schedule {
  ScheduleKind kind = ScheduleKind::kConstant;
  double rate = 0.01;        ///< after the warm-up
  std::int64_t warm_up = 0;  ///< steps in which the rate grows linearly to `rate`
  std::int64_t steps = 1;    ///< kCosine: the step, counted from 0, at which the rate is 0
  std::int64_t every = 1;    ///< kStep: after so many steps ...
  double factor = 0.1;       ///< ... the rate is multiplied by this
};

/// Whole tiles of weights become zeros in the course of a training, so that the core skips them.
struct Pruning {
  double share = 0;        ///< of the tiles of each matrix of weights, 0 to below 1
  std::int64_t tile = 16;  ///< outputs and inputs of a tile: DIM of the core that runs the network
};

/// An array of samples, and where it is from, for messages.
struct NamedArray {
  std::string name;                       ///< its file, or what the caller calls it
  graph::Value value;                     ///< the first axis is the samples'
  std::vector<std::string> columns = {};  ///< of a table whose columns have names
  std::vector<std::size_t> numbers = {};  ///< of a table: which of its columns these are, from 1
  std::int64_t first_line = 0;            ///< of a table in a text file: the line of its first row, from 1
};

/// Samples to train or validate with.
struct Data {
  struct Input {
    std::string name;  ///< of the network's input; may be empty if there is one
    NamedArray array;
  };
  std::vector<Input> inputs;
  /// Classes [N] from 0, integers; or [N, outputs]: 0 and 1 for several labels, or numbers; or of a language model the
  /// tokens that follow, [N, context].
  NamedArray targets;
  std::size_t count = 0;  ///< only the first samples; 0: all
};

/// What a training depends on, besides network and samples. systole_training checks the ranges and throws
/// InvalidArgument.
struct Options {
  std::optional<LossKind> loss_kind;  ///< none: the loss that goes with the network's last operator
  Loss loss;                          ///< the numbers of the loss; its kind is not looked at
  bool balanced = false;              ///< weights by which each class has the same share of the loss
  Optimizer optimizer;
  Schedule schedule;                ///< `steps` is not looked at: the cosine ends with the training
  std::int64_t epochs = 1;          ///< passes over the samples
  std::int64_t batch = 64;          ///< samples of a step
  std::int64_t micro_batches = 1;   ///< equal parts of a batch, whose gradients are added up
  std::int64_t patience = 0;        ///< stop after so many epochs without a smaller loss of the validation; 0: do not
  std::size_t hold_out = 0;         ///< validate with so many of the samples, the last
  bool standardize = false;         ///< train with (column - mean) / deviation; of train(), for inputs [N, columns]
  std::uint64_t seed = 1;           ///< of initial parameters, of the order of the samples, of dropout
  std::vector<std::string> freeze;  ///< patterns, as of file names, of parameters that stay as they are
  Pruning pruning;
  bool blocks = false;  ///< products in block floating point
};

/// What a caller says of a network.
struct NetworkChoice {
  std::string name = "cnn";           ///< cnn, vit, lstm, mlp:..., llama:..., or what messages call the graph
  std::optional<graph::Graph> graph;  ///< of a file: one sample; its constants are trained
  double scale = 1, dropout = 0;      ///< of cnn, vit and lstm
  bool batch_normalization = false;   ///< of cnn
  std::string operators;              ///< names of the file's operators of one's own, for checkpoints
  std::int64_t classes = 0;  ///< outputs of cnn, vit and lstm, tokens of llama:...; 0: as many as the samples need
};

/// A column of the training samples.
struct Column {
  std::string name;  ///< with its file
  double mean = 0, deviation = 0;
};

/// By name, in the order in which they are shown: accuracy, top_5_accuracy, auc, mean_absolute_error,
/// mean_squared_error, perplexity.
using Metrics = std::vector<std::pair<std::string, double>>;

struct Score {
  double loss = 0;  ///< mean over the samples
  Metrics metrics;
};

struct EpochRecord {
  Score training;  ///< of the steps, each before its update
  std::optional<Score> validation;
};

/// What a training has shown so far.
struct History {
  std::vector<double> losses;  ///< of each step
  std::vector<EpochRecord> epochs;
};

using NamedValues = std::vector<std::pair<std::string, graph::Value>>;

/// Computes the results of a graph: on the host, on a device.
using Runner = std::function<std::vector<graph::Value>(const graph::Graph&, const std::vector<graph::Value>&)>;

/// Runners. With `blocks`, products are in block floating point, forward and backward; the optimizer and all else stay
/// binary32. On a device each graph is compiled when it runs first; what the device does not support, the host computes
/// in between. The device outlives the runner. A runner serves any number of trainings. A graph that has run stays as
/// it is, and what was compiled from it is kept while it lives. Threads may share a runner of the host.
Runner on_host(bool blocks);
Runner on_device(Device& device, bool blocks);

/// Called while a training runs; those that return false end it.
struct Observers {
  std::function<void(const std::string& line)> warning;           ///< before the first step; may be empty
  std::function<bool(const History& history, double rate)> step;  ///< may be empty
  std::function<bool(const History& history)> epoch;              ///< may be empty
};

/// Files of a training's state, an .npz archive each; empty: none.
struct Checkpoints {
  std::string save;    ///< after each epoch, and at the end
  std::string resume;  ///< goes on from here, to the same bits as without the interruption
};

struct Result {
  History history;
  std::int64_t best_epoch = 0;  ///< counted from 1; 0 without a validation
  NamedValues parameters;       ///< of the best epoch by validation, or else the last
  std::vector<Column> columns;  ///< that Options::standardize has standardized; the parameters are for these
  graph::Graph network;         ///< with these parameters, one sample, columns as they were given
};

/// Trains a network. `validation` may be null; without `runner`, the host computes, in block floating point if
/// Options::blocks. Throws InvalidArgument or GraphError, naming array, place, value, what is legal and the remedy, for
/// options and samples that do not fit, before the first step; FileError or Failure, naming what differs, for a
/// checkpoint that cannot be written, or is that of another training; and Failure when a loss is not finite.
Result train(const NetworkChoice& network, const Data& data, const Data* validation, const Options& options,
             const Runner& runner = {}, const Observers& observers = {}, const Checkpoints& checkpoints = {});

/// The bytes of an ONNX file with this network, such as Result::network. Throws GraphError, naming the operator, for
/// what cannot be written.
graph::Bytes to_onnx(const graph::Graph& network);

/// Single steps, as train() takes them.
class TrainingStep {
 public:
  /// Everything that a step depends on besides the samples.
  struct State {
    std::int64_t step = 0;  ///< steps taken
    NamedValues values;     ///< parameters, then what the optimizer keeps of them
  };

  /// `example` is a batch: its samples give Options::batch, its targets say whether they are classes. The cosine of the
  /// schedule ends after Schedule::steps, of which a quarter passes before Options::pruning begins. Throws as train().
  TrainingStep(const NetworkChoice& network, const Data& example, const Options& options, Runner runner = {});
  ~TrainingStep();
  TrainingStep(TrainingStep&&) noexcept;
  TrainingStep& operator=(TrainingStep&&) noexcept;

  State initial() const;
  /// The state after a step with these samples, and their loss before it. Throws InvalidArgument for samples of another
  /// number or shape than the example's, and for a state of another network.
  std::pair<State, double> operator()(const State& state, const Data& batch) const;
  /// The network with a state's parameters, one sample.
  graph::Graph network(const State& state) const;
  /// How many of State::values are parameters.
  std::size_t parameters() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace systole::training
