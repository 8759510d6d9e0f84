// SPDX-License-Identifier: Apache-2.0
#include "problem.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "fit_inputs.hpp"
#include "fit_targets.hpp"
#include "learning_rate.hpp"
#include "named_array.hpp"
#include "network_digest.hpp"
#include "optimizer.hpp"
#include "systole/errors.hpp"
#include "weight_parameters.hpp"

namespace systole::training {
namespace {

void check(const char* option, bool fits, const std::string& value, const char* range) {
  if (!fits) {
    throw InvalidArgument(fmt::format("--{}: {}; it must be {}", option, value, range));
  }
}

/// The options, whose ranges are checked.
Options checked(const Options& o) {
  const auto text = [](auto value) { return fmt::format("{}", value); };
  const auto below_one = [&](const char* option, double value) {
    check(option, value >= 0 && value < 1, text(value), "0 or more and below 1");
  };
  check("batch", o.batch >= 1, text(o.batch), "1 or more");
  check("epochs", o.epochs >= 0, text(o.epochs), "0 or more");
  check("micro-batches", o.micro_batches >= 1, text(o.micro_batches), "1 or more");
  check("patience", o.patience >= 0, text(o.patience), "0 or more");
  check("learning-rate", o.schedule.rate > 0 && o.schedule.rate <= 1e6, text(o.schedule.rate), "above 0, up to 1e6");
  check("warm-up", o.schedule.warm_up >= 0, text(o.schedule.warm_up), "0 or more steps");
  check("step-every", o.schedule.every >= 1, text(o.schedule.every), "1 or more steps");
  check("step-factor", o.schedule.factor > 0 && o.schedule.factor <= 1e6, text(o.schedule.factor),
        "above 0, up to 1e6");
  check("momentum", o.optimizer.momentum >= 0 && o.optimizer.momentum <= 1, text(o.optimizer.momentum), "0 to 1");
  below_one("beta1", o.optimizer.beta1);
  below_one("beta2", o.optimizer.beta2);
  constexpr double kMinEpsilon = 1e-37;  // a normal number of binary32
  check("epsilon", o.optimizer.epsilon >= kMinEpsilon && o.optimizer.epsilon <= 1, text(o.optimizer.epsilon),
        "1e-37 to 1");
  const auto in_range = [&](const char* option, double value, double least, double most, const char* range) {
    check(option, value >= least && value <= most, text(value), range);
  };
  in_range("weight-decay", o.optimizer.weight_decay, 0, 1e6, "0 to 1e6");
  in_range("clip-norm", o.optimizer.clip_norm, 0, 1e30, "0 to 1e30");
  in_range("huber-delta", o.loss.huber_delta, 1e-6, 1e30, "1e-6 to 1e30");
  below_one("label-smoothing", o.loss.label_smoothing);
  below_one("prune", o.pruning.share);
  check("prune", o.pruning.tile >= 1, text(o.pruning.tile), "of tiles of 1 or more");
  for (const double weight : o.loss.class_weights) {
    check("class-weights", weight >= 0 && weight <= 1e6, text(weight), "0 to 1e6 each");
  }
  if (o.batch % o.micro_batches != 0) {
    throw InvalidArgument(
        fmt::format("--micro-batches: {} equal parts of a batch of {} do not exist", o.micro_batches, o.batch));
  }
  return o;
}

/// Numbers of a loss that another one does not have.
void check_loss(const Options& options, LossKind loss) {
  const bool numbers = loss == LossKind::kMeanSquare || loss == LossKind::kHuber;
  if (numbers && options.loss.label_smoothing > 0) {
    throw InvalidArgument(fmt::format("--label-smoothing: is for classes and labels; the loss is {}", name_of(loss)));
  }
  if (numbers && (options.balanced || !options.loss.class_weights.empty())) {
    throw InvalidArgument(fmt::format("--class-weights: are for classes and labels; the loss is {}", name_of(loss)));
  }
  if (loss != LossKind::kHuber && options.loss.huber_delta != Loss{}.huber_delta) {
    throw InvalidArgument(fmt::format("--huber-delta: is for --loss huber; the loss is {}", name_of(loss)));
  }
}

std::vector<const Data*> both(const Data& data, const Data* validation) {
  std::vector<const Data*> all = {&data};
  if (validation != nullptr) {
    all.push_back(validation);
  }
  return all;
}

NetworkChoice without_graph(NetworkChoice choice) {
  choice.graph.reset();
  return choice;
}

std::string digest_text(const Dataset& data) { return fmt::format("of digest {:016x}", digest_of(data)); }

}  // namespace

Problem::Problem(NetworkChoice network, const Data& data, const Data* validation, const Options& options)
    : options_(checked(options)),
      choice_(without_graph(network)),
      source_(std::move(network), both(data, validation), options.loss_kind, options.freeze, options.seed) {
  options_.loss.kind = source_.loss();
  check_loss(options_, source_.loss());
  kind_ = target_kind(source_.loss(), source_.outputs(), data.targets);
  data_ = fitted(data);
  if (validation != nullptr && options_.hold_out > 0) {
    throw InvalidArgument(
        fmt::format("--hold-out: {} samples, beside others to validate with; give one of the two", options_.hold_out));
  }
  if (validation != nullptr) {
    validation_ = fitted(*validation);
  } else if (options_.hold_out >= data_.size()) {
    throw InvalidArgument(
        fmt::format("--hold-out: {} of {} samples leave none to train with", options_.hold_out, data_.size()));
  } else if (options_.hold_out > 0) {
    validation_ = split_off(data_, data_.size() - options_.hold_out);
  }
  if (options_.patience > 0 && !validation_) {
    throw InvalidArgument("--patience: needs a validation, --validation-data or --hold-out");
  }
  if (options_.balanced) {
    options_.loss.class_weights = balanced_weights(data_.targets, data_.kind, source_.outputs());
  }
  if (data_.size() < static_cast<std::size_t>(options_.batch)) {
    throw InvalidArgument(fmt::format("--batch: {} samples are fewer than a batch of {}{}; give --batch {} or less",
                                      data_.size(), options_.batch,
                                      options_.batch == Options{}.batch ? " (the default)" : "", data_.size()));
  }
  warn(data.targets, options.loss_kind.has_value());
  if (options_.standardize) {
    standardize();
  }
}

std::vector<Column> Problem::standardized_columns() const {
  std::vector<Column> all;
  for (const std::vector<Column>& of_input : columns_) {
    all.insert(all.end(), of_input.begin(), of_input.end());
  }
  return all;
}

void Problem::standardize() {
  bool any = false;
  for (std::size_t i = 0; i < data_.inputs.size(); ++i) {
    InputSamples& input = data_.inputs[i];
    columns_.push_back(columns_of(input.values, input.columns));
    if (columns_.back().empty()) {
      continue;
    }
    any = true;
    input.values = standardized(input.values, columns_.back());
    if (validation_) {
      validation_->inputs[i].values = standardized(validation_->inputs[i].values, columns_.back());
    }
  }
  if (!any) {
    throw InvalidArgument(
        fmt::format("--standardize: is for inputs that are rows of numbers; {} takes others", source_.name()));
  }
}

void Problem::warn(const NamedArray& targets, bool loss_is_given) {
  const auto add = [&](std::vector<std::string> lines) {
    warnings_.insert(warnings_.end(), lines.begin(), lines.end());
  };
  const Network network = source_.network(1, NetworkSource::Purpose::kEvaluation);
  for (std::size_t i = 0; i < data_.inputs.size() && !options_.standardize; ++i) {
    // A network of a file may have scaling of its own in front.
    const bool multiplied = std::any_of(
        network.graph.operators.begin(), network.graph.operators.end(),
        [&](const graph::Operator& op) { return is_product(op.kind) && op.inputs.at(0) == network.inputs.at(i); });
    if (multiplied) {
      add(far_columns(columns_of(data_.inputs[i].values, data_.inputs[i].columns),
                      "a training learns little from such columns: give --standardize, or scale them"));
    }
  }
  if (data_.kind == TargetKind::kNumbers) {
    const std::vector<std::string> names = column_names(targets);
    if (static_cast<std::int64_t>(names.size()) == source_.outputs()) {
      add(far_columns(columns_of(data_.targets, names),
                      "a training learns little from such targets: scale them, and what the network computes back"));
    }
    const std::vector<double> numbers = numbers_of(data_.targets);
    if (!loss_is_given &&
        std::all_of(numbers.begin(), numbers.end(), [](double number) { return number == 0 || number == 1; })) {
      warnings_.push_back(
          fmt::format("{}: all targets are 0 or 1, and the loss is the mean square, which goes with the network's end; "
                      "labels are learned with --loss binary, or by a network that ends in a sigmoid",
                      targets.name));
    }
  }
  if (validation_) {
    add(unseen_classes(data_, *validation_));
  }
}

Dataset Problem::fitted(const Data& data) const {
  Dataset set;
  set.inputs = fitted_inputs(data.inputs, source_.inputs(), source_.name());
  set.kind = kind_;
  const std::size_t samples = static_cast<std::size_t>(set.inputs.front().values.shape.at(0));
  set.targets =
      fitted_targets(data.targets, set.kind, source_.outputs(), source_.predictions(), samples, source_.name());
  if (data.count > samples) {
    throw InvalidArgument(fmt::format("{}: {} samples were asked for, there are {}; use --count {} or less",
                                      data.targets.name, data.count, samples, samples));
  }
  if (data.count > 0) {
    split_off(set, data.count);
  }
  return set;
}

Network Problem::network(std::int64_t batch, NetworkSource::Purpose purpose) const {
  Network network = source_.network(batch, purpose);
  network.loss = options_.loss;
  network.targets = kind_ == TargetKind::kClass ? ElementType::kInt32 : ElementType::kFloat32;
  return network;
}

Settings Problem::settings() const {
  const auto text = [](const auto& value) { return fmt::format("{}", value); };
  const Options& o = options_;
  Settings settings = {{"--network", choice_.name},
                       {"--scale", text(choice_.scale)},
                       {"--dropout", text(choice_.dropout)},
                       {"--batch-normalization", text(choice_.batch_normalization)},
                       {"--loss", name_of(o.loss.kind)},
                       {"--huber-delta", text(o.loss.huber_delta)},
                       {"--label-smoothing", text(o.loss.label_smoothing)},
                       {"--class-weights", fmt::format("{}", fmt::join(o.loss.class_weights, ","))},
                       {"--freeze", fmt::format("{}", fmt::join(o.freeze, " "))},
                       {"--batch", text(o.batch)},
                       {"--micro-batches", text(o.micro_batches)},
                       {"--seed", text(o.seed)},
                       {"--optimizer", name_of(o.optimizer.kind)},
                       {"--learning-rate", text(o.schedule.rate)},
                       {"--schedule", name_of(o.schedule.kind)},
                       {"--warm-up", text(o.schedule.warm_up)},
                       {"--step-every", text(o.schedule.every)},
                       {"--step-factor", text(o.schedule.factor)},
                       {"--momentum", text(o.optimizer.momentum)},
                       {"--beta1", text(o.optimizer.beta1)},
                       {"--beta2", text(o.optimizer.beta2)},
                       {"--epsilon", text(o.optimizer.epsilon)},
                       {"--weight-decay", text(o.optimizer.weight_decay)},
                       {"--clip-norm", text(o.optimizer.clip_norm)},
                       {"--precision", o.blocks ? "mx" : "float32"},
                       {"number of outputs", text(source_.outputs())},
                       {"number of samples", text(data_.size())},
                       {"training data", digest_text(data_)},
                       {"validation data", validation_ ? digest_text(*validation_) : "none"}};
  if (source_.is_file()) {
    const std::uint64_t digest = digest_of(source_.network(options_.batch, NetworkSource::Purpose::kWholeBatch));
    settings["network but what is trained"] = fmt::format("of digest {:016x}", digest);
  }
  if (!choice_.operators.empty()) {
    settings["--kernel"] = choice_.operators;
  }
  if (o.standardize) {
    settings["--standardize"] = "true";
  }
  if (o.pruning.share > 0) {
    settings["--prune"] = fmt::format("{} of tiles of {}", o.pruning.share, o.pruning.tile);
  }
  if (o.schedule.kind == ScheduleKind::kCosine || o.pruning.share > 0) {
    settings["--epochs"] = text(o.epochs);
  }
  return settings;
}

}  // namespace systole::training
