// SPDX-License-Identifier: Apache-2.0
// `systole train`: trains a network with labelled pictures.
#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "export_onnx.hpp"
#include "files.hpp"
#include "standard_output.hpp"
#include "status_line.hpp"
#include "terminal.hpp"
#include "together.hpp"
#include "train_inputs.hpp"
#include "train_options.hpp"
#include "train_report.hpp"
#include "train_runner.hpp"
#include "train_steps.hpp"
#include "train_stop.hpp"

namespace systole::cli {
namespace {

using Purpose = TrainInputs::Purpose;
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
  Training(TrainOptions options, ranks::Ranks& ranks) : options_(std::move(options)), ranks_(ranks), stop_(ranks) {
    if (!ranks.is_first()) {
      options_.device.trace = {};
      options_.device.timeline.clear();
    }
    stop_.tell(checkpoint_text());
    ranks::together(ranks, [&] { checked([&] { inputs_.emplace(options_); }); });
  }

  int run() {
    ranks::together(ranks_, [&] {
      checked([&] {
        where_ = runner(options_.device, options_.precision);
        steps_.emplace(options_, *inputs_, ranks_, where_, stop_);
      });
    });
    steps_->check_same(ranks_);
    introduce();
    const auto start = Clock::now();
    stop_.ask();
    if (stop_.stopped()) {
      stop_.report_before_first_step();
      return stop_.exit_code();
    }
    while (state().epoch < options_.epochs && !out_of_patience() && !stop_.stopped()) {
      run_epoch();
    }
    seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
    if (pictures_ > 0) {
      scaling_ = steps_->scaling();
    }
    ranks::together(ranks_, [&] { finish(); });
    if (!stop_.stopped()) {
      return kOk;
    }
    stop_.report(state(), steps_->trainer().epoch_size(inputs_->data()), checkpoint_text());
    return stop_.exit_code();
  }

 private:
  const training::State& state() const { return steps_->trainer().state(); }

  /// Only one rank writes.
  bool tells() const { return ranks_.is_first() && !options_.device.quiet(); }

  void introduce() {
    stop_.tell(checkpoint_text());
    if (!tells()) {
      return;
    }
    std::int64_t parameters = 0;
    for (const training::Parameter& parameter : inputs_->network(1, Purpose::kEvaluation).parameters) {
      parameters += graph::count(parameter.variable.initial.shape);
    }
    print("{}  {} parameters, a step of {} for {} pictures", style_of(stdout)(Paint::kBold, options_.network),
          grouped(static_cast<std::uint64_t>(parameters)), counted(steps_->operators(), "operator"),
          options_.shape.batch);
    if (steps_->is_parallel()) {
      print(" in {} micro-batches; {}", options_.micro_batches,
            counted(static_cast<std::uint64_t>(ranks_.size()), "rank"));
    }
    print("\n");
    print("{}", inputs_->note());
    if (const std::int64_t epoch = state().epoch; epoch > 0 && epoch >= options_.epochs) {
      print("{} is after epoch {} already; --epochs {} leaves nothing to train\n", options_.resume, epoch,
            options_.epochs);
    }
    flush_output();
  }

  std::string checkpoint_text() const {
    return saved_ ? fmt::format("{} has the state after step {}: --resume {}", options_.checkpoint,
                                state().history.losses.size(), options_.checkpoint)
                  : std::string("there is no checkpoint of this run");
  }

  bool out_of_patience() const {
    return options_.patience > 0 && state().best && state().epoch - state().best->epoch >= options_.patience;
  }

  void run_epoch() {
    std::optional<StatusLine> line;
    if (ranks_.is_first()) {
      line.emplace();
    }
    const auto show = [&](const std::string& text) {
      if (line) {
        line->show(text);
      }
    };
    training::Trainer& trainer = steps_->trainer();
    const std::vector<std::size_t> order = trainer.order(inputs_->data());
    const std::int64_t batches = trainer.batches(inputs_->data());
    const auto start = Clock::now();
    std::int64_t steps = 0;
    while (trainer.state().batch < batches) {
      const double loss = trainer.step(inputs_->data(), order);
      if (!std::isfinite(loss)) {
        throw ranks::CommonFailure(fmt::format("step {}: the loss is {}; use a smaller --learning-rate, or --clip-norm",
                                               trainer.state().history.losses.size(), loss));
      }
      const double rate = static_cast<double>(++steps * options_.shape.batch) /
                          std::chrono::duration<double>(Clock::now() - start).count();
      show(fmt::format("epoch {}, batch {} of {}: loss {:.4f}, {:.0f} pictures a second", trainer.state().epoch + 1,
                       trainer.state().batch, batches, loss, rate));
      pictures_ += static_cast<std::uint64_t>(options_.shape.batch);
      stop_.ask();
      if (stop_.stopped()) {
        show({});
        return;
      }
      if (options_.checkpoint_every > 0 && steps % options_.checkpoint_every == 0) {
        save_on_the_way();
      }
    }
    show(fmt::format("epoch {}: validation", trainer.state().epoch + 1));
    const bool complete = end_epoch();
    show({});
    if (!complete) {
      return;
    }
    check_validation();
    save_on_the_way();
    tell();
  }

  /// A disk that is full now must not end a training of hours; finish() tries again and decides.
  void save_on_the_way() {
    Outputs outputs;
    outputs.add([&] { save(); });
    if (!outputs.failures().empty()) {
      fmt::print(stderr, "{}; the training goes on without this checkpoint\n", outputs.failures());
    }
  }

  /// False if a signal stopped the validation: the epoch is not complete, and the state is that after its last step.
  bool end_epoch() {
    try {
      steps_->trainer().end_epoch(inputs_->validation());
      return true;
    } catch (const ranks::Stopped&) {
      stop_.ask();
      return false;
    }
  }

  void check_validation() const {
    const std::optional<training::Score>& validation = state().history.epochs.back().validation;
    if (validation && !std::isfinite(validation->loss)) {
      throw ranks::CommonFailure(
          fmt::format("epoch {}: the loss of the validation is {}; use a smaller --learning-rate, or --clip-norm",
                      state().epoch, validation->loss));
    }
  }

  void save() {
    if (!options_.checkpoint.empty() && ranks_.is_first()) {
      checked([&] { steps_->save(options_.checkpoint); });
      saved_ = true;
      stop_.tell(checkpoint_text());
    }
  }

  void tell() const {
    if (tells()) {
      print("{}", epoch_text(state()));
      flush_output();
    }
  }

  void finish() {
    if (!ranks_.is_first()) {
      return;
    }
    Outputs outputs;
    write_files(outputs);
    const double rate = seconds_ > 0 ? static_cast<double>(pictures_) / seconds_ : 0;
    if (tells()) {
      print("{} pictures in {:.1f} s, {:.0f} a second\n", grouped(pictures_), seconds_, rate);
      print("{}", scaling_ ? text_of(*scaling_) : std::string());
    }
    nlohmann::ordered_json json = report_json(options_, steps_->settings(), state(), rate, scaling_);
    if (const NetworkRun* run = where_.last(steps_->gradients())) {
      json["device_step"] = to_json(*run);
      if (tells()) {
        print("{}", step_text(*run, options_.layers, steps_->is_parallel()));
      }
    }
    if (stop_.stopped()) {
      json["stopped_by"] = stop_.name();
    }
    outputs.add([&] { write_json(options_.device, json); });
    outputs.add(where_.finish);
    outputs.check();
  }

  void write_files(Outputs& outputs) {
    outputs.add([&] { save(); });
    if (!options_.plot.empty()) {
      outputs.add([&] { write_file("--plot", options_.plot, training::loss_svg(state().history, options_.network)); });
    }
    if (!options_.output.empty()) {
      const training::Network single = inputs_->network(1, Purpose::kExport);
      const auto values = state().best ? state().best->parameters : steps_->trainer().parameters();
      outputs.add(
          [&] { write_file("--output", options_.output, training::onnx_file(training::with_values(single, values))); });
    }
  }

  TrainOptions options_;
  ranks::Ranks& ranks_;
  TrainStop stop_;
  std::optional<TrainInputs> inputs_;
  TrainRunner where_;
  std::optional<TrainSteps> steps_;
  std::optional<Scaling> scaling_;
  bool saved_ = false;
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
      "  mpirun -n 4 systole train --images ... --labels ... --device model --micro-batches 4\n"
      "  systole train --network vit.onnx --images ... --labels ... --epochs 3 --resume vit.npz --checkpoint vit.npz\n"
      "  systole train --network net.onnx --kernel my.Softsign=softsign.json --images ... --labels ...");
  command->callback([options, &session] { session.exit_code = Training(*options, *session.ranks).run(); });
}

}  // namespace systole::cli
