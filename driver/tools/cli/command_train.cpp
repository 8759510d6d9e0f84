// SPDX-License-Identifier: Apache-2.0
// `systole train`: trains a network with samples of files.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "export_onnx.hpp"
#include "files.hpp"
#include "llama.hpp"
#include "loop.hpp"
#include "standard_output.hpp"
#include "status_line.hpp"
#include "steps.hpp"
#include "terminal.hpp"
#include "together.hpp"
#include "train_inputs.hpp"
#include "train_log.hpp"
#include "train_options.hpp"
#include "train_report.hpp"
#include "train_runner.hpp"
#include "train_stop.hpp"

namespace systole::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

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
    ranks::together(ranks, [&] { checked([&] { inputs_.emplace(read_train_inputs(options_)); }); });
  }

  int run() {
    ranks::together(ranks_, [&] {
      checked([&] {
        where_ = runner(options_.device, options_.precision);
        steps_.emplace(problem(), ranks_, options_.link, where_.run, options_.resume, [this] { stop_.check_alone(); });
      });
    });
    steps_->check_same(ranks_);
    introduce();
    start_ = epoch_start_ = Clock::now();
    stop_.ask();
    if (stop_.stopped()) {
      stop_.report_before_first_step();
      return stop_.exit_code();
    }
    ranks::together(ranks_, [&] { checked([&] { begin_log(); }); });
    train();
    seconds_ = seconds_since(start_);
    if (samples_ > 0 && steps_->parallel() != nullptr) {
      scaling_ = scaling_of(*steps_->parallel(), steps_->split(), where_, options_.link, options_.topology,
                            options().micro_batches);
    }
    ranks::together(ranks_, [&] { finish(); });
    if (!stop_.stopped()) {
      return kOk;
    }
    stop_.report(state(), steps_->epoch_size(), checkpoint_text());
    return stop_.exit_code();
  }

 private:
  const training::Problem& problem() const { return inputs_->problem; }
  const training::Options& options() const { return problem().options(); }
  const training::State& state() const { return steps_->trainer().state(); }

  /// Only one rank writes.
  bool tells() const { return ranks_.is_first() && !options_.device.quiet() && options_.log != "-"; }

  void introduce() {
    stop_.tell(checkpoint_text());
    if (ranks_.is_first()) {
      for (const std::string& line : problem().warnings()) {
        fmt::print(stderr, "warning: {}\n", line);
      }
    }
    if (!tells()) {
      return;
    }
    std::int64_t parameters = 0;
    for (const training::Variable& variable : steps_->evaluation().variables) {
      parameters += graph::count(variable.initial.shape);
    }
    print("{}  {} parameters, a step of {} for {} samples", style_of(stdout)(Paint::kBold, options_.network.name),
          grouped(static_cast<std::uint64_t>(parameters)), counted(steps_->operators(), "operator"), options().batch);
    if (steps_->parallel() != nullptr) {
      print(" in {} micro-batches; {}", options().micro_batches,
            counted(static_cast<std::uint64_t>(ranks_.size()), "rank"));
    }
    print("\n");
    print("{}", inputs_->note);
    print("{}", nothing_left_text(options_.resume, options(), state()));
    flush_output();
  }

  void begin_log() {
    if (options_.log == "-" && options_.device.quiet()) {
      throw InputError("--log -: --json - writes to standard output, too; give one of them a file");
    }
    if (ranks_.is_first() && !(options_.log.empty() && options_.tensorboard.empty())) {
      log_.emplace(options_.log, options_.tensorboard, !options_.resume.empty());
    }
  }

  /// A failure ends the log, and not the training, at whose end it counts.
  template <class Write>
  void log(const Write& write) {
    if (!log_) {
      return;
    }
    Outputs outputs;
    outputs.add([&] { write(*log_); });
    if (!outputs.failures().empty()) {
      fmt::print(stderr, "{}; the training goes on without it\n", outputs.failures());
      log_.reset();
      lost_log_ = outputs.failures();
    }
  }

  std::string checkpoint_text() const {
    return saved_ ? fmt::format("{} has the state after step {}: --resume {}", options_.checkpoint,
                                state().history.losses.size(), options_.checkpoint)
                  : std::string("there is no checkpoint of this run");
  }

  /// Until all epochs are done, or a signal stops it: then the state is that after the last step, also if that was
  /// during a validation.
  void train() {
    if (ranks_.is_first()) {
      line_.emplace();
    }
    training::Hooks hooks;
    hooks.step = [this](double loss) { return after_step(loss); };
    hooks.validation = [this] { show(fmt::format("epoch {}: validation", state().epoch + 1)); };
    hooks.epoch = [this] { return after_epoch(); };
    try {
      training::run_epochs(*steps_, problem(), hooks);
    } catch (const ranks::Stopped&) {
      stop_.ask();
    }
    line_.reset();
  }

  void show(const std::string& text) {
    if (line_) {
      line_->show(text);
    }
  }

  /// Samples a second in this epoch.
  double pace() const {
    return static_cast<double>(epoch_steps_ * options().batch) / std::max(1e-9, seconds_since(epoch_start_));
  }

  bool after_step(double loss) {
    ++epoch_steps_;
    samples_ += static_cast<std::uint64_t>(options().batch);
    show(fmt::format("epoch {}, batch {} of {}: loss {:.4f}, {:.0f} samples a second", state().epoch + 1, state().batch,
                     steps_->epoch_size().batches, loss, pace()));
    const auto last = static_cast<std::int64_t>(state().history.losses.size()) - 1;
    log([&](TrainLog& to) { to.step(state(), loss, steps_->stepper().rate(last), pace()); });
    stop_.ask();
    if (!stop_.stopped() && options_.checkpoint_every > 0 && epoch_steps_ % options_.checkpoint_every == 0) {
      save_on_the_way();
    }
    return !stop_.stopped();
  }

  bool after_epoch() {
    show({});
    save_on_the_way();
    const double pace = this->pace();
    if (tells()) {
      print("{}", epoch_text(state(), pace));
      flush_output();
    }
    log([&](TrainLog& to) { to.epoch(state(), pace); });
    epoch_steps_ = 0;
    epoch_start_ = Clock::now();
    return true;
  }

  /// A disk that is full now must not end a training of hours; finish() tries again and decides.
  void save_on_the_way() {
    Outputs outputs;
    outputs.add([&] { save(); });
    if (!outputs.failures().empty()) {
      fmt::print(stderr, "{}; the training goes on without this checkpoint\n", outputs.failures());
    }
  }

  void save() {
    if (!options_.checkpoint.empty() && ranks_.is_first()) {
      checked([&] { steps_->save(options_.checkpoint); });
      saved_ = true;
      stop_.tell(checkpoint_text());
    }
  }

  void finish() {
    if (!ranks_.is_first()) {
      return;
    }
    Outputs outputs;
    outputs.add([&] {
      if (!lost_log_.empty()) {
        throw InputError(lost_log_);
      }
    });
    write_files(outputs);
    const double rate = seconds_ > 0 ? static_cast<double>(samples_) / seconds_ : 0;
    if (tells()) {
      print("{} samples in {:.1f} s, {:.0f} a second\n", grouped(samples_), seconds_, rate);
      if (!stop_.stopped() && samples_ > 0 && training::out_of_patience(options(), state())) {
        print("{}", patience_text(state()));
      }
      print("{}", scaling_ ? text_of(*scaling_) : std::string());
    }
    nlohmann::ordered_json json = report_json(options_, steps_->settings(), state(), rate, scaling_);
    for (const training::Column& column : problem().standardized_columns()) {
      json["columns"].push_back({{"name", column.name}, {"mean", column.mean}, {"deviation", column.deviation}});
    }
    if (steps_->pruner() != nullptr) {
      const PruningReport pruning(*steps_);
      json["pruning"] = to_json(pruning);
      if (tells()) {
        print("{}", text_of(pruning, options().pruning.tile));
      }
    }
    if (const NetworkRun* run = where_.last(steps_->gradients())) {
      json["device_step"] = to_json(*run);
      if (tells()) {
        print("{}", step_text(*run, options_.layers, steps_->parallel() != nullptr));
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
      outputs.add(
          [&] { write_file("--plot", options_.plot, training::loss_svg(state().history, options_.network.name)); });
    }
    if (!options_.output.empty()) {
      outputs.add([&] { write_network(); });
    }
  }

  void write_network() const {
    const llama2::Sizes* sizes = problem().source().language_model();
    if (sizes == nullptr || std::filesystem::path(options_.output).extension() == ".onnx") {
      write_file("--output", options_.output, training::onnx_file(steps_->trained()));
      return;
    }
    write_file("--output", options_.output,
               llama2::checkpoint_file(training::checkpoint_of(*sizes, steps_->best_parameters())));
    if (inputs_->tokenizer.empty()) {
      return;
    }
    const std::string tokenizer = options_.output + ".tokenizer";
    write_file("--output", tokenizer, inputs_->tokenizer);
    if (tells()) {
      print("continue a text: systole generate --model {} --tokenizer {}\n", options_.output, tokenizer);
    }
  }

  TrainOptions options_;
  ranks::Ranks& ranks_;
  TrainStop stop_;
  std::optional<TrainInputs> inputs_;
  std::optional<TrainLog> log_;     ///< of the first rank
  std::string lost_log_;            ///< why it ended before the training
  std::optional<StatusLine> line_;  ///< the same
  TrainRunner where_;
  std::optional<training::Steps> steps_;
  std::optional<Scaling> scaling_;
  bool saved_ = false;
  Clock::time_point start_, epoch_start_;
  std::int64_t epoch_steps_ = 0;
  double seconds_ = 0;
  std::uint64_t samples_ = 0;
};

}  // namespace

void add_train(CLI::App& program, Session& session) {
  auto* command =
      program.add_subcommand("train", "Trains a network with samples of files, in float32 or block floating point");
  auto options = std::make_shared<TrainOptions>();
  add_train_options(*command, *options);
  command->footer(
      "Examples:\n"
      "  systole train --network mlp:8-10-sigmoid-1-sigmoid --data table.csv --targets table.csv:outcome --hold-out "
      "100 "
      "--epochs 50 --optimizer adam --learning-rate 0.01 -o outcome.onnx\n"
      "  systole train --network resnet.onnx --freeze 'conv*' --data pictures.npy --targets classes.npy --hold-out 500 "
      "--patience 3 --tensorboard runs/1 -o mine.onnx\n"
      "  systole train --images train-images-idx3-ubyte.gz --labels train-labels-idx1-ubyte.gz --optimizer adam "
      "--learning-rate 0.001 --validation-images t10k-images-idx3-ubyte.gz --validation-labels "
      "t10k-labels-idx1-ubyte.gz --checkpoint cnn.npz --plot loss.svg -o cnn.onnx\n"
      "  systole train --network llama:64-2-4-128 --text stories.txt --optimizer adamw --learning-rate 0.003 -o "
      "stories.bin\n"
      "  mpirun -n 4 systole train --data ... --targets ... --device model --micro-batches 4\n"
      "  systole train --network vit.onnx --data ... --targets ... --epochs 3 --resume vit.npz --checkpoint vit.npz\n"
      "  systole train --network net.onnx --kernel my.Softsign=softsign.json --data ... --targets ...");
  command->callback([options, &session] { session.exit_code = Training(*options, *session.ranks).run(); });
}

}  // namespace systole::cli
