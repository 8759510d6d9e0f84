// SPDX-License-Identifier: Apache-2.0
#include "train_options.hpp"
#include "number_options.hpp"
#include "output_options.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <utility>

#include "enum_option.hpp"
#include "event_file.hpp"
#include "learning_rate.hpp"
#include "loss.hpp"
#include "optimizer.hpp"

namespace systole::cli {
namespace {

/// Values by their names.
template <class Value>
std::map<std::string, Value> named(std::initializer_list<Value> values) {
  std::map<std::string, Value> names;
  for (const Value value : values) {
    names.emplace(training::name_of(value), value);
  }
  return names;
}

CLI::Validator below_one() {
  return CLI::Validator(
      [](const std::string& text) {
        double value = -1;
        return CLI::detail::lexical_cast(text, value) && value >= 0 && value < 1
                   ? std::string()
                   : fmt::format("{}; it must be 0 or more and below 1", text);
      },
      "0 to 1");
}

void add_data_options(CLI::App& command, TrainOptions& options) {
  constexpr const char* kGroup = "Data";
  const auto add_files = [&](const char* data, const char* targets, TrainFiles& files, const char* help) {
    auto* first = command.add_option(data, files.data, help)->allow_extra_args(false)->type_name("[NAME=]FILE");
    auto* second = command.add_option(targets, files.targets, "classes from 0; 0 and 1 for several labels; or numbers")
                       ->type_name("FILE");
    first->needs(second);
    second->needs(first);
    return std::pair{first->group(kGroup), second->group(kGroup)};
  };
  const auto [data, targets] =
      add_files("--data,--images", "--targets,--labels", options.files,
                "samples to train with: .npy, .npz (FILE:NAME), a table .csv (FILE:COLUMN,...), IDX; NAME is that of "
                "the network's input, if it has several");
  const auto add_text = [&](const char* name, TrainFiles& files, const char* help, auto* data, auto* targets) {
    return command.add_option(name, files.text, help)
        ->type_name("FILE")
        ->excludes(data)
        ->excludes(targets)
        ->group(kGroup);
  };
  add_text("--text", options.files,
           "a text for a language model to learn, or several with lines of <|endoftext|> between them; instead of "
           "--data and --targets",
           data, targets);
  command.add_option("--count", options.files.count, "only the first samples; 0: all")
      ->check(whole_in(0, kMaxCount))
      ->capture_default_str()
      ->group(kGroup);
  const auto validation = add_files("--validation-data,--validation-images", "--validation-targets,--validation-labels",
                                    options.validation, "samples to validate with");
  auto* validation_text =
      add_text("--validation-text", options.validation, "a text to validate with", validation.first, validation.second);
  command
      .add_option("--tokenizer", options.tokenizer,
                  "the tokens of the texts, a tokenizer of llama2.c; by default the 256 bytes")
      ->type_name("FILE")
      ->group(kGroup);
  command.add_option("--validation-count", options.validation.count, "only the first of them; 0: all")
      ->check(whole_in(0, kMaxCount))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--hold-out", options.training.hold_out,
                  "validate with so many of --data, the last, instead; 0: none")
      ->check(whole_in(0, kMaxCount))
      ->excludes(validation.first)
      ->excludes(validation_text)
      ->group(kGroup);
  command
      .add_flag(
          "--standardize", options.training.standardize,
          "train with (column - mean) / deviation, of the samples to train with; what -o writes takes the columns "
          "as they are")
      ->group(kGroup);
}

void add_loss_options(CLI::App& command, TrainOptions& options) {
  constexpr const char* kGroup = "Loss";
  using training::LossKind;
  training::Options& training = options.training;
  add_enum_option(command, "--loss", training.loss_kind,
                  named({LossKind::kCrossEntropy, LossKind::kBinary, LossKind::kMeanSquare, LossKind::kHuber}),
                  "cross-entropy of classes; binary: cross entropy of labels 0 and 1, of each output by itself; "
                  "mean-square and huber of numbers. By default the one that goes with the network's last operator: "
                  "cross-entropy after a softmax, or of classes; binary after a sigmoid; else mean-square")
      ->group(kGroup);
  command.add_option("--huber-delta", training.loss.huber_delta, "the difference from which on it is a line")
      ->check(real_in(1e-6, 1e30))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--label-smoothing", training.loss.label_smoothing,
                  "the share of a target that is divided among all classes")
      ->check(below_one())
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option_function<std::string>(
          "--class-weights",
          [&training](const std::string& text) {
            training.balanced = text == "balanced";
            for (std::size_t first = 0; !training.balanced && first <= text.size();) {
              const std::size_t comma = std::min(text.find(',', first), text.size());
              double weight = -1;
              if (!CLI::detail::lexical_cast(text.substr(first, comma - first), weight)) {
                throw CLI::ValidationError("--class-weights", fmt::format("'{}' is no number; give one for each class, "
                                                                          "separated by commas, or balanced",
                                                                          text.substr(first, comma - first)));
              }
              training.loss.class_weights.push_back(weight);
              first = comma + 1;
            }
          },
          "of the samples' losses, one for each class; balanced: so that each class has the same share")
      ->type_name("W,W,...|balanced")
      ->group(kGroup);
}

void add_optimizer_options(CLI::App& command, TrainOptions& options) {
  using training::OptimizerKind, training::ScheduleKind;
  constexpr const char* kGroup = "Optimizer";
  add_enum_option(command, "--optimizer", options.training.optimizer.kind,
                  named({OptimizerKind::kSgd, OptimizerKind::kMomentum, OptimizerKind::kAdam, OptimizerKind::kAdamW}),
                  "how gradients change parameters")
      ->group(kGroup);
  command.add_option("--learning-rate", options.training.schedule.rate, "after the warm-up")
      ->check(real_in(1e-12, 1e6))
      ->capture_default_str()
      ->group(kGroup);
  add_enum_option(command, "--schedule", options.training.schedule.kind,
                  named({ScheduleKind::kConstant, ScheduleKind::kStep, ScheduleKind::kCosine}),
                  "step: the rate is multiplied by --step-factor every --step-every steps; cosine: it falls to 0 at "
                  "the end")
      ->group(kGroup);
  command.add_option("--warm-up", options.training.schedule.warm_up, "steps in which the rate grows from 0")
      ->check(whole_in(0, kMaxCount))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--step-every", options.training.schedule.every, "steps")
      ->check(whole_in(1, kMaxCount))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--step-factor", options.training.schedule.factor, "above 0")
      ->check(real_in(1e-12, 1e6))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--momentum", options.training.optimizer.momentum, "of --optimizer momentum")
      ->check(real_in(0, 1))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--beta1", options.training.optimizer.beta1, "of adam and adamw: what a step keeps of the mean")
      ->check(below_one())
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--beta2", options.training.optimizer.beta2,
                  "of adam and adamw: what a step keeps of the mean square")
      ->check(below_one())
      ->capture_default_str()
      ->group(kGroup);
  constexpr double kMinEpsilon = 1e-37;  // a normal number of binary32
  command
      .add_option("--epsilon", options.training.optimizer.epsilon,
                  "of adam and adamw: added to the root of the mean square")
      ->check(real_in(kMinEpsilon, 1))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--weight-decay", options.training.optimizer.weight_decay,
                  "of the weights of products and convolutions; not of bias, normalization, class token, positions")
      ->check(real_in(0, 1e6))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--clip-norm", options.training.optimizer.clip_norm, "greatest norm of all gradients; 0: any")
      ->check(real_in(0, 1e30))
      ->capture_default_str()
      ->group(kGroup);
}

void add_rank_options(CLI::App& command, TrainOptions& options) {
  constexpr const char* kGroup = "Several devices (mpirun -n N systole train ...)";
  command
      .add_option("--micro-batches", options.training.micro_batches,
                  "cut each batch into so many equal parts, one or more for each rank, whose gradients are added in "
                  "their order (gradient accumulation): the result does not depend on the number of ranks")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--link-bandwidth", options.link.gigabytes_per_second,
                  "GB/s of the links between devices, for the exchange's cycles; no influence on results")
      ->check(real_in(1e-6, 1e6))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option(
          "--link-topology", options.topology,
          "how devices are joined: a chain, a ring, or a torus as near to a square as possible; no influence on "
          "results")
      ->check(CLI::IsMember({"chain", "ring", "torus"}))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--link-latency", options.link.latency_ns, "ns from one device to the next; cycles, at 1 GHz")
      ->check(real_in(0, 1e9))
      ->capture_default_str()
      ->group(kGroup);
}

}  // namespace

void add_train_options(CLI::App& command, TrainOptions& options) {
  training::Options& training = options.training;
  options.device.device = "host";
  command
      .add_option(
          "--network", options.network.name,
          "cnn, vit, lstm of pictures; mlp:8-10-sigmoid-1-sigmoid, layers with functions; llama:64-2-4-128, a language "
          "model of this width, layers, heads, context; or an ONNX file, whose constants are trained")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  add_kernel_option(command, options.operators, FormulaUse::kTraining);
  command
      .add_option("--freeze", training.freeze,
                  "parameters that stay as they are, by name: a pattern such as 'conv1.*'; several times")
      ->allow_extra_args(false)
      ->type_name("PATTERN");
  command
      .add_option(
          "--classes", options.network.classes,
          "outputs of cnn, vit and lstm, tokens of llama:...; by default as many as the targets have classes, two or "
          "more, or columns")
      ->check(CLI::Range(1, 1 << 20));
  command
      .add_option("--scale", options.network.scale,
                  "the width of cnn, vit and lstm: a factor of their numbers of channels; 0.5: half. Not of the data: "
                  "--standardize")
      ->check(real_in(1e-3, 64))
      ->capture_default_str();
  command
      .add_option("--dropout", options.network.dropout, "share of numbers that a step of cnn, vit and lstm leaves out")
      ->check(real_in(0, 0.99))
      ->capture_default_str();
  command.add_flag("--batch-normalization", options.network.batch_normalization, "cnn: after each convolution");
  command.add_option("--epochs", training.epochs, "passes over the samples")
      ->check(whole_in(0, kMaxCount))
      ->capture_default_str();
  command.add_option("--batch", training.batch, "samples in a step")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command
      .add_option("--patience", training.patience,
                  "stop after so many epochs without a smaller loss of the validation; 0: do not")
      ->check(whole_in(0, kMaxCount))
      ->capture_default_str();
  command
      .add_option("--prune", training.pruning.share,
                  "in the course of the training so large a share of the weights become zeros and stay so, in whole "
                  "tiles of the configuration, DIM x DIM, which the core then skips; 0: none")
      ->check(below_one())
      ->capture_default_str();
  add_data_options(command, options);
  add_loss_options(command, options);
  add_optimizer_options(command, options);
  add_rank_options(command, options);
  constexpr const char* kFiles = "Output";
  is_output(command.add_option("--checkpoint", options.checkpoint,
                               "write the state here after each epoch, with the best parameters; an .npz archive"))
      ->group(kFiles);
  command.add_option("--checkpoint-every", options.checkpoint_every, "... and after so many steps; 0: not")
      ->check(whole_in(0, kMaxCount))
      ->capture_default_str()
      ->group(kFiles);
  command.add_option("--resume", options.resume, "go on from a checkpoint, bit for bit as without the interruption")
      ->type_name("FILE")
      ->group(kFiles);
  is_output(command.add_option("--log", options.log, "a line of JSON for each step and epoch, while it runs"),
            OutputForm::kFileOrOutput)
      ->group(kFiles);
  command.add_option("--tensorboard", options.tensorboard, "a folder for TensorBoard, written while it runs")
      ->type_name("FOLDER")
      ->check(
          [](const std::string& folder) {
            try {
              training::check_event_folder(folder);
            } catch (const FileError& error) {
              return std::string(error.what());
            }
            return std::string();
          },
          "")
      ->group(kFiles);
  is_output(command.add_option("--plot", options.plot, "the loss as a picture, SVG"))->group(kFiles);
  is_output(
      command.add_option("-o,--output", options.output,
                         "the trained network, the best by validation, as an ONNX file, NAME.onnx; of llama:... also "
                         "NAME.bin, a checkpoint of llama2.c for `systole generate`, with its tokenizer beside it, "
                         "NAME.bin.tokenizer"))
      ->group(kFiles);
  command.add_flag("--layers", options.layers, "print the layers of the last step, on a device")->group(kFiles);
  add_float_precision_option(command, options.precision);
  add_device_options(command, options.device, {"host", "model", "rtl"});
}

}  // namespace systole::cli
