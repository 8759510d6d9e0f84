// SPDX-License-Identifier: Apache-2.0
#include "train_options.hpp"
#include "number_options.hpp"
#include "output_options.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <map>

#include "enum_option.hpp"

namespace systole::cli {
namespace {

using training::LossKind;
using training::OptimizerKind;
using training::ScheduleKind;

const std::map<std::string, OptimizerKind>& optimizers() {
  static const std::map<std::string, OptimizerKind> names = {
      {"sgd", OptimizerKind::kSgd}, {"momentum", OptimizerKind::kMomentum}, {"adam", OptimizerKind::kAdam}};
  return names;
}

const std::map<std::string, ScheduleKind>& schedules() {
  static const std::map<std::string, ScheduleKind> names = {
      {"constant", ScheduleKind::kConstant}, {"step", ScheduleKind::kStep}, {"cosine", ScheduleKind::kCosine}};
  return names;
}

const std::map<std::string, LossKind>& losses() {
  static const std::map<std::string, LossKind> names = [] {
    std::map<std::string, LossKind> all;
    for (const LossKind kind : {LossKind::kCrossEntropy, LossKind::kBinary, LossKind::kMeanSquare}) {
      all.emplace(training::name_of(kind), kind);
    }
    return all;
  }();
  return names;
}

void add_data_options(CLI::App& command, TrainOptions& options) {
  constexpr const char* kGroup = "Data";
  command.add_option("--images", options.images, "pictures to train with: IDX, gzip or not")
      ->required()
      ->type_name("FILE")
      ->group(kGroup);
  command.add_option("--labels", options.labels, "their classes, IDX")->required()->type_name("FILE")->group(kGroup);
  command.add_option("--count", options.count, "only the first pictures; 0: all")
      ->check(whole_in(0, kMaxCount))
      ->capture_default_str()
      ->group(kGroup);
  auto* images = command.add_option("--validation-images", options.validation_images, "pictures to validate with")
                     ->type_name("FILE")
                     ->group(kGroup);
  auto* labels = command.add_option("--validation-labels", options.validation_labels, "their classes")
                     ->type_name("FILE")
                     ->group(kGroup);
  images->needs(labels);
  labels->needs(images);
  command.add_option("--validation-count", options.validation_count, "only the first of them; 0: all")
      ->check(whole_in(0, kMaxCount))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--hold-out", options.hold_out, "validate with so many of --images, the last, instead; 0: none")
      ->check(whole_in(0, kMaxCount))
      ->excludes(images)
      ->group(kGroup);
}

void add_optimizer_options(CLI::App& command, TrainOptions& options) {
  constexpr const char* kGroup = "Optimizer";
  add_enum_option(command, "--optimizer", options.optimizer.kind, optimizers(), "how gradients change parameters")
      ->group(kGroup);
  command.add_option("--learning-rate", options.schedule.rate, "after the warm-up")
      ->check(real_in(1e-12, 1e6))
      ->capture_default_str()
      ->group(kGroup);
  add_enum_option(command, "--schedule", options.schedule.kind, schedules(),
                  "step: the rate is multiplied by --step-factor every --step-every steps; cosine: it falls to 0 at "
                  "the end")
      ->group(kGroup);
  command.add_option("--warm-up", options.schedule.warm_up, "steps in which the rate grows from 0")
      ->check(whole_in(0, kMaxCount))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--step-every", options.schedule.every, "steps")
      ->check(whole_in(1, kMaxCount))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--step-factor", options.schedule.factor, "above 0")
      ->check(real_in(1e-12, 1e6))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--momentum", options.optimizer.momentum, "of --optimizer momentum")
      ->check(real_in(0, 1))
      ->capture_default_str()
      ->group(kGroup);
  const CLI::Validator below_one(
      [](const std::string& text) {
        double value = -1;
        return CLI::detail::lexical_cast(text, value) && value >= 0 && value < 1
                   ? std::string()
                   : fmt::format("{}; it must be 0 or more and below 1", text);
      },
      "0 to 1");
  command.add_option("--beta1", options.optimizer.beta1, "of --optimizer adam: what a step keeps of the mean")
      ->check(below_one)
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--beta2", options.optimizer.beta2, "of --optimizer adam: what a step keeps of the mean square")
      ->check(below_one)
      ->capture_default_str()
      ->group(kGroup);
  constexpr double kMinEpsilon = 1e-37;  // a normal number of binary32
  command
      .add_option("--epsilon", options.optimizer.epsilon, "of --optimizer adam: added to the root of the mean square")
      ->check(real_in(kMinEpsilon, 1))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--weight-decay", options.optimizer.weight_decay,
                  "of the weights of products and convolutions; not of bias, normalization, class token, positions")
      ->check(real_in(0, 1e6))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--clip-norm", options.optimizer.clip_norm, "greatest norm of all gradients; 0: any")
      ->check(real_in(0, 1e30))
      ->capture_default_str()
      ->group(kGroup);
}

void add_rank_options(CLI::App& command, TrainOptions& options) {
  constexpr const char* kGroup = "Several devices (mpirun -n N systole train ...)";
  command
      .add_option("--micro-batches", options.micro_batches,
                  "cut each batch into so many equal parts, one or more for each rank, whose gradients are added in "
                  "their order: the result does not depend on the number of ranks")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--link-bandwidth", options.link.gigabytes_per_second,
                  "GB/s of the links between devices, for the exchange's cycles; no influence on results")
      ->check(real_in(1e-6, 1e6))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--link-latency", options.link.latency_ns, "ns from one device to the next; cycles, at 1 GHz")
      ->check(real_in(0, 1e9))
      ->capture_default_str()
      ->group(kGroup);
}

/// The value's name.
template <class Value>
std::string name_of(const std::map<std::string, Value>& names, Value value) {
  for (const auto& [name, named] : names) {
    if (named == value) {
      return name;
    }
  }
  return {};
}

}  // namespace

void add_train_options(CLI::App& command, TrainOptions& options) {
  options.device.device = "host";
  options.shape.batch = 64;
  command.add_option("--network", options.network, "cnn, vit, lstm, or an ONNX file, whose constants are trained")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  add_kernel_option(command, options.operators, FormulaUse::kTraining);
  add_enum_option(command, "--loss", options.loss, losses(),
                  "cross-entropy of classes; binary: cross entropy of labels 0 and 1, or of each class by itself; "
                  "mean-square. By default the one that goes with the network's last operator: binary after a sigmoid, "
                  "else cross-entropy");
  command
      .add_option("--classes", options.classes,
                  "outputs of cnn, vit and lstm; by default as many as the labels have classes, two or more")
      ->check(CLI::Range(1, 256));
  command
      .add_option("--scale", options.shape.scale, "of the numbers of channels of cnn, vit and lstm; 0.5: half width")
      ->check(real_in(1e-3, 64))
      ->capture_default_str();
  command
      .add_option("--dropout", options.shape.dropout, "share of numbers that a step of cnn, vit and lstm leaves out")
      ->check(real_in(0, 0.99))
      ->capture_default_str();
  command.add_flag("--batch-normalization", options.shape.batch_normalization, "cnn: after each convolution");
  command.add_option("--epochs", options.epochs, "passes over the pictures")
      ->check(whole_in(0, kMaxCount))
      ->capture_default_str();
  command.add_option("--batch", options.shape.batch, "pictures in a step")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command
      .add_option("--patience", options.patience,
                  "stop after so many epochs without a smaller loss of the validation; 0: do not")
      ->check(whole_in(0, kMaxCount))
      ->capture_default_str();
  add_data_options(command, options);
  add_optimizer_options(command, options);
  add_rank_options(command, options);
  constexpr const char* kFiles = "Output";
  is_output(
      command.add_option("--checkpoint", options.checkpoint, "write the state here after each epoch, an .npz archive"))
      ->group(kFiles);
  command.add_option("--checkpoint-every", options.checkpoint_every, "... and after so many steps; 0: not")
      ->check(whole_in(0, kMaxCount))
      ->capture_default_str()
      ->group(kFiles);
  command.add_option("--resume", options.resume, "go on from a checkpoint, bit for bit as without the interruption")
      ->type_name("FILE")
      ->group(kFiles);
  is_output(command.add_option("--plot", options.plot, "the loss as a picture, SVG"))->group(kFiles);
  is_output(
      command.add_option("-o,--output", options.output, "the trained network as an ONNX file; the best by validation"))
      ->group(kFiles);
  command.add_flag("--layers", options.layers, "print the layers of the last step, on a device")->group(kFiles);
  add_float_precision_option(command, options.precision);
  add_device_options(command, options.device, {"host", "model", "rtl"});
}

training::Settings settings_of(const TrainOptions& options) {
  const auto text = [](const auto& value) { return fmt::format("{}", value); };
  const training::Schedule& schedule = options.schedule;
  training::Settings settings = {{"--network", options.network},
                                 {"--scale", text(options.shape.scale)},
                                 {"--dropout", text(options.shape.dropout)},
                                 {"--batch-normalization", text(options.shape.batch_normalization)},
                                 {"--batch", text(options.shape.batch)},
                                 {"--micro-batches", text(options.micro_batches)},
                                 {"--seed", text(options.device.seed)},
                                 {"--optimizer", name_of(optimizers(), options.optimizer.kind)},
                                 {"--learning-rate", text(schedule.rate)},
                                 {"--schedule", name_of(schedules(), schedule.kind)},
                                 {"--warm-up", text(schedule.warm_up)},
                                 {"--step-every", text(schedule.every)},
                                 {"--step-factor", text(schedule.factor)},
                                 {"--momentum", text(options.optimizer.momentum)},
                                 {"--beta1", text(options.optimizer.beta1)},
                                 {"--beta2", text(options.optimizer.beta2)},
                                 {"--epsilon", text(options.optimizer.epsilon)},
                                 {"--weight-decay", text(options.optimizer.weight_decay)},
                                 {"--clip-norm", text(options.optimizer.clip_norm)}};
  if (!options.operators.empty()) {
    std::vector<std::string> names;
    for (const auto& [name, function] : options.operators) {
      names.push_back(name);
    }
    settings["--kernel"] = fmt::format("{}", fmt::join(names, ", "));
  }
  settings["--precision"] = options.precision == Precision::kMx ? "mx" : "float32";
  if (schedule.kind == ScheduleKind::kCosine) {
    settings["--epochs"] = text(options.epochs);
  }
  return settings;
}

}  // namespace systole::cli
