// SPDX-License-Identifier: Apache-2.0
// `systole train`: trains a network with labelled pictures.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "export_onnx.hpp"
#include "imported.hpp"
#include "model_files.hpp"
#include "status_line.hpp"
#include "terminal.hpp"
#include "train_options.hpp"
#include "train_runner.hpp"

namespace systole::cli {
namespace {

using training::Dataset;
using Clock = std::chrono::steady_clock;

/// Turns errors of files and networks into InputError: the user can mend them.
template <class Function>
auto checked(const Function& function) {
  try {
    return function();
  } catch (const std::runtime_error& error) {
    throw InputError(error.what());
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
}

/// One training, from the options to the report.
class Training {
 public:
  explicit Training(TrainOptions options) : options_(std::move(options)) {
    checked([&] { load(); });
  }

  int run() {
    const std::int64_t batch = options_.shape.batch;
    const training::Step step =
        checked([&] { return training::training_step(network(batch, true), options_.optimizer); });
    const training::Step evaluation = checked([&] { return training::evaluation_step(network(batch, false)); });
    options_.schedule.steps =
        options_.epochs * static_cast<std::int64_t>(data_.size()) / std::max<std::int64_t>(1, options_.shape.batch);
    training::Trainer trainer(step, evaluation, options_.optimizer, options_.schedule, options_.device.seed,
                              runner(options_.device, options_.precision));
    settings_ = settings_of(options_, data_.size());
    if (trainer.batches(data_) == 0) {
      throw InputError(
          fmt::format("--batch: {} pictures are fewer than a batch of {}", data_.size(), options_.shape.batch));
    }
    if (!options_.resume.empty()) {
      trainer.state() =
          checked([&] { return training::load_checkpoint(options_.resume, step, evaluation, settings_); });
    }
    introduce(step);
    const auto start = Clock::now();
    while (trainer.state().epoch < options_.epochs && !out_of_patience(trainer.state())) {
      run_epoch(trainer, step);
    }
    seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
    finish(trainer, step);
    return kOk;
  }

 private:
  void load() {
    data_ = training::load_dataset(options_.images, options_.labels, options_.count);
    if (!options_.validation_images.empty()) {
      validation_ =
          training::load_dataset(options_.validation_images, options_.validation_labels, options_.validation_count);
    } else if (options_.hold_out >= data_.size()) {
      throw InputError(
          fmt::format("--hold-out: {} of {} pictures leave none to train with", options_.hold_out, data_.size()));
    } else if (options_.hold_out > 0) {
      validation_ = training::split_off(data_, data_.size() - options_.hold_out);
    }
    if (validation_ && (validation_->height != data_.height || validation_->width != data_.width)) {
      throw InputError(fmt::format("--validation-images: pictures of {}x{}, those of --images have {}x{}",
                                   validation_->height, validation_->width, data_.height, data_.width));
    }
    if (options_.patience > 0 && !validation_) {
      throw InputError("--patience: needs a validation, --validation-images or --hold-out");
    }
    const auto& names = training::network_names();
    if (std::find(names.begin(), names.end(), options_.network) == names.end()) {
      file_ = load_model(options_.network).graph;
    }
    options_.shape.height = data_.height;
    options_.shape.width = data_.width;
    options_.shape.seed = options_.device.seed;
  }

  training::Network network(std::int64_t batch, bool training) const {
    if (file_) {
      return fitting(training::imported(*file_, batch));
    }
    training::NetworkOptions shape = options_.shape;
    shape.batch = batch;
    shape.training = training;
    return training::network(options_.network, shape);
  }

  training::Network fitting(training::Network network) const {
    const graph::Shape expected = {network.graph.tensor(network.images).shape[0], 1, data_.height, data_.width};
    if (network.graph.tensor(network.images).shape != expected) {
      throw InputError(fmt::format("{}: takes pictures of shape {}; those of --images have {}", options_.network,
                                   graph::to_string(network.graph.tensor(network.images).shape),
                                   graph::to_string(expected)));
    }
    return network;
  }

  void introduce(const training::Step& step) {
    if (options_.device.quiet()) {
      return;
    }
    std::int64_t parameters = 0;
    for (const training::Parameter& parameter : network(1, false).parameters) {
      parameters += graph::count(parameter.variable.initial.shape);
    }
    fmt::print("{}  {} parameters, a step of {} for {} pictures\n", style_of(stdout)(Paint::kBold, options_.network),
               grouped(static_cast<std::uint64_t>(parameters)), counted(step.graph.operators.size(), "operator"),
               options_.shape.batch);
    std::fflush(stdout);
  }

  bool out_of_patience(const training::State& state) const {
    return options_.patience > 0 && state.best && state.epoch - state.best->epoch >= options_.patience;
  }

  void run_epoch(training::Trainer& trainer, const training::Step& step) {
    StatusLine line;
    const std::vector<std::size_t> order = trainer.order(data_);
    const std::int64_t batches = trainer.batches(data_);
    const auto start = Clock::now();
    std::int64_t steps = 0;
    while (trainer.state().batch < batches) {
      const double loss = trainer.step(data_, order);
      if (!std::isfinite(loss)) {
        throw InputError(fmt::format("step {}: the loss is {}; use a smaller --learning-rate, or --clip-norm",
                                     trainer.state().history.losses.size(), loss));
      }
      const double rate = static_cast<double>(++steps * options_.shape.batch) /
                          std::chrono::duration<double>(Clock::now() - start).count();
      line.show(fmt::format("epoch {}, batch {} of {}: loss {:.4f}, {:.0f} pictures a second",
                            trainer.state().epoch + 1, trainer.state().batch, batches, loss, rate));
      pictures_ += static_cast<std::uint64_t>(options_.shape.batch);
      if (options_.checkpoint_every > 0 && steps % options_.checkpoint_every == 0) {
        save(trainer, step);
      }
    }
    line.show(fmt::format("epoch {}: validation", trainer.state().epoch + 1));
    trainer.end_epoch(validation_ ? &*validation_ : nullptr);
    line.show({});
    save(trainer, step);
    tell(trainer.state());
  }

  void save(const training::Trainer& trainer, const training::Step& step) const {
    if (!options_.checkpoint.empty()) {
      checked([&] { training::save_checkpoint(options_.checkpoint, trainer.state(), step, settings_); });
    }
  }

  void tell(const training::State& state) const {
    if (options_.device.quiet()) {
      return;
    }
    const training::EpochRecord& record = state.history.epochs.back();
    fmt::print("epoch {}: loss {:.4f}, accuracy {:.2f} %", state.epoch, record.training.loss,
               100 * record.training.accuracy);
    if (record.validation) {
      fmt::print("; validation: loss {:.4f}, accuracy {:.2f} %", record.validation->loss,
                 100 * record.validation->accuracy);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }

  void finish(const training::Trainer& trainer, const training::Step& step) {
    const training::State& state = trainer.state();
    checked([&] { write_files(trainer, step); });
    const double rate = seconds_ > 0 ? static_cast<double>(pictures_) / seconds_ : 0;
    if (!options_.device.quiet()) {
      fmt::print("{} pictures in {:.1f} s, {:.0f} a second\n", grouped(pictures_), seconds_, rate);
    }
    write_json(options_.device, report(state, rate));
  }

  void write_files(const training::Trainer& trainer, const training::Step& step) const {
    const training::State& state = trainer.state();
    save(trainer, step);
    if (!options_.plot.empty()) {
      const std::string svg = training::loss_svg(state.history, options_.network);
      training::replace_file(options_.plot, {svg.begin(), svg.end()});
    }
    if (!options_.output.empty()) {
      const training::Network single = network(1, false);
      const auto values = state.best ? state.best->parameters : trainer.parameters();
      training::replace_file(options_.output, training::onnx_file(training::with_values(single, values)));
    }
  }

  nlohmann::ordered_json report(const training::State& state, double rate) const {
    const auto to_json = [](const training::Score& score) {
      return nlohmann::ordered_json{{"loss", score.loss}, {"accuracy", score.accuracy}};
    };
    nlohmann::ordered_json json = {{"network", options_.network},      {"settings", settings_},
                                   {"device", options_.device.device}, {"pictures_per_second", rate},
                                   {"losses", state.history.losses},   {"epochs", nlohmann::ordered_json::array()}};
    for (const training::EpochRecord& record : state.history.epochs) {
      json["epochs"].push_back({{"training", to_json(record.training)}});
      if (record.validation) {
        json["epochs"].back()["validation"] = to_json(*record.validation);
      }
    }
    json["best_epoch"] = state.best ? nlohmann::ordered_json(state.best->epoch) : nlohmann::ordered_json(nullptr);
    return json;
  }

  TrainOptions options_;
  training::Settings settings_;
  Dataset data_;
  std::optional<Dataset> validation_;
  std::optional<graph::Graph> file_;
  double seconds_ = 0;
  std::uint64_t pictures_ = 0;
};

}  // namespace

void add_train(CLI::App& program, Session& session) {
  auto* command =
      program.add_subcommand("train", "Trains a network with labelled pictures, in float32 or block floating point");
  auto options = std::make_shared<TrainOptions>();
  add_train_options(*command, *options);
  command->footer(
      "Examples:\n"
      "  systole train --images train-images-idx3-ubyte.gz --labels train-labels-idx1-ubyte.gz --optimizer adam "
      "--learning-rate 0.001 --validation-images t10k-images-idx3-ubyte.gz --validation-labels "
      "t10k-labels-idx1-ubyte.gz --checkpoint cnn.npz --plot loss.svg -o cnn.onnx\n"
      "  systole train --network vit.onnx --images ... --labels ... --epochs 3 --resume vit.npz --checkpoint vit.npz");
  command->callback([options, &session] { session.exit_code = Training(*options).run(); });
}

}  // namespace systole::cli
