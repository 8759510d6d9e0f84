// SPDX-License-Identifier: Apache-2.0
// `systole run`: runs a network on samples.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>

#include "calibration.hpp"
#include "commands.hpp"
#include "execution_notes.hpp"
#include "exit_codes.hpp"
#include "files.hpp"
#include "graph_listing.hpp"
#include "input_samples.hpp"
#include "loss_report_text.hpp"
#include "memory_plans.hpp"
#include "model_files.hpp"
#include "network_outcome.hpp"
#include "number_options.hpp"
#include "output_comparison.hpp"
#include "output_options.hpp"
#include "precision.hpp"
#include "progress_bar.hpp"
#include "sample_batch.hpp"
#include "sample_figures.hpp"
#include "shared_work.hpp"
#include "standard_output.hpp"
#include "systole/graph_state.hpp"

namespace systole::cli {
namespace {

struct Values {
  DeviceOptions device;
  std::string model;
  graph::ImportOptions import;
  std::vector<std::string> inputs, outputs, expected;
  Calibration calibration;
  Precision precision = Precision::kOfFile;
  OutputLimits limits;
  std::size_t count = 0, batch = 0;
  bool no_compare = false, reset_state = false;
  bool config_given = false;
};

/// The samples of a run and their results.
class SampleRun {
 public:
  SampleRun(const Values& values, Session& session)
      : values_(values), session_(session), model_(load_model(values.model, values.import)) {
    outcome_.load = fmt::format("{}: {}", values.model, graph_text(model_.graph));
    outcome_.remarks = model_.remarks;
    quantize();
    batch_.emplace(model_, values.batch);
    outcome_.batch = batch_->size();
    const graph::Graph& graph = batch_->one();
    inputs_ = values.inputs.empty()
                  ? Samples(values.device.seed, std::max<std::size_t>(1, values.count), graph, graph.inputs)
                  : Samples("--input", values.inputs, graph, graph.inputs, Reals::kQuantized);
    for (const std::string& text : inputs_->reshaped()) {
      outcome_.input += (outcome_.input.empty() ? "" : "; ") + text;
    }
    if (inputs_->quantized() > 0) {
      outcome_.quantize = fmt::format("{} of float32, by the network's scales", counted(inputs_->quantized(), "input"));
    }
    if (!model_.graph.states.empty() && session.ranks->several()) {
      throw InputError(fmt::format(
          "{} keeps variables from sample to sample, so one process runs all: run it without mpirun", values.model));
    }
    count_ = values.count == 0 ? inputs_->count() : std::min(values.count, inputs_->count());
    if (!values.expected.empty()) {
      expected_.emplace("--expect", values.expected, graph, graph.outputs, Reals::kRefused);
      if (expected_->count() < count_) {
        throw InputError(
            fmt::format("--expect: {} samples for {} that run; --count runs fewer", expected_->count(), count_));
      }
    }
    if (!values.outputs.empty() && values.outputs.size() != graph.outputs.size()) {
      throw InputError(
          fmt::format("--output: {} files for {} outputs; name one file for each, in the order of the network",
                      values.outputs.size(), graph.outputs.size()));
    }
  }

  void on_host() {
    using Clock = std::chrono::steady_clock;
    outcome_.network.run.name = name();
    outcome_.network.run.device = "host";
    outcome_.network.operators = model_.graph.operators.size();
    compare({false, true});
    graph::GraphState state(model_.graph);
    over_runs({}, [&](std::size_t first) {
      if (values_.reset_state) {
        state.reset();
      }
      const auto start = Clock::now();
      SampleFigures figures{checked([&] {
                              return state.without_states(graph::execute(
                                  model_.graph, state.with_states(batch_->inputs(*inputs_, first, count_))));
                            }),
                            {},
                            0,
                            0};
      figures.simulation_seconds = std::chrono::duration<double>(Clock::now() - start).count();
      return figures;
    });
    finish(nullptr);
  }

  void on_device() {
    DeviceOptions options = values_.device;
    if (model_.compiled && !values_.config_given) {
      options.config = model_.compiled->configuration();
    }
    Device device = open_device(options);
    CompiledNetwork compiled =
        programs_of(model_, device.configuration(), {values_.import.without, device.memory_timing()});
    outcome_.compile = fmt::format("{}{}", programs_text(compiled), model_.compiled ? ", from the file" : "");
    outcome_.deploy = deploy_text(compiled);
    for (std::string& note : execution_notes(compiled)) {
      outcome_.remarks.push_back(std::move(note));
    }
    programs_ = run_names(compiled);
    check_layer(options.trace, programs_);
    Network network = placed(model_, device, std::move(compiled));
    outcome_.network.run = make_run(device, name());
    const std::size_t on_device = device_steps(network.steps());
    compare({on_device > 0, on_device < network.steps().size()});
    if (on_device < network.steps().size()) {
      hint_at_quantization();
    }
    MemoryPlans plans(device, options, on_device);  // plans of the first sample

    RunOptions run = options.run_options();
    over_runs(
        network.steps(),
        [&](std::size_t first) {
          if (values_.reset_state) {
            network.reset_state();
          }
          ProgressBar bar(fmt::format("{}, sample {} of {}", name(), first + 1, count_));
          run.progress = bar.hook();
          Run timed;
          const Stopwatch stopwatch(device);
          SampleFigures figures{
              checked([&] { return network.run(batch_->inputs(*inputs_, first, count_), run); }), {}, 0, 0};
          stopwatch.stop(timed);
          figures.steps = network.steps();
          figures.simulated_cycles = timed.simulated_cycles;
          figures.simulation_seconds = timed.simulation_seconds;
          return figures;
        },
        [&] {
          if (options.trace.on_error > 0) {
            device.backend().record_failure();
          }
        });
    finish(&plans);
    finish_recordings(options, device);
  }

 private:
  /// Takes the figures of the runs, each of a batch of samples, in order. Each is run by one of the ranks; `run_batch`
  /// has the number of its first sample, `different` is called if outputs differ. `steps` are those of the network.
  template <class RunBatch>
  void over_runs(
      const std::vector<StepReport>& steps, const RunBatch& run_batch, const std::function<void()>& different = [] {}) {
    ranks::Ranks& ranks = *session_.ranks;
    const std::size_t size = batch_->size(), runs = (count_ + size - 1) / size;
    const auto take_all = [&](std::size_t first, SampleFigures figures) {
      Run& run = outcome_.network.run;
      run.simulated_cycles += figures.simulated_cycles;
      run.simulation_seconds += figures.simulation_seconds;
      if (figures.steps.empty()) {
        outcome_.samples += samples_from(first);
      } else {
        add_samples(outcome_, figures.steps, model_.graph.operators.size(), samples_from(first));
      }
      if (!take(first, std::move(figures.outputs), host_results(first))) {
        different();
      }
    };
    if (!ranks.several()) {
      for (std::size_t i = 0; i < runs; ++i) {
        take_all(i * size, run_batch(i * size));
      }
      return;
    }
    const std::vector<ranks::Bytes> all =
        ranks::spread(ranks, runs, [&](std::size_t i) { return packed(run_batch(i * size)); });
    for (std::size_t i = 0; i < runs && ranks.is_first(); ++i) {
      take_all(i * size, unpacked(all[i], model_.graph, steps));
    }
  }

  /// Quantizes the network if calibration samples are given.
  void quantize() {
    if (values_.precision == Precision::kInt8 && values_.calibration.files.empty()) {
      throw InputError("--precision int8 takes samples for the scales: add --calibrate FILE, once per input");
    }
    if (values_.precision == Precision::kMx) {
      if (!values_.calibration.files.empty()) {
        throw InputError("--calibrate has no meaning with --precision mx, which needs no samples; give one of them");
      }
      as_float_ = model_.graph;
      outcome_.quantize = apply_precision(values_.precision, model_);
      outcome_.remarks.clear();  // they are about products of the file in float32
    } else if (!values_.calibration.files.empty()) {
      if (model_.compiled) {
        throw InputError(fmt::format("--calibrate: {} is compiled already; systole quantize takes the float network",
                                     values_.model));
      }
      auto [result, samples] = calibrated(model_.graph, values_.calibration);
      model_.graph = std::move(result.graph);
      outcome_.quantize =
          fmt::format("to int8 by {} of {}", counted(samples, "sample"), fmt::join(values_.calibration.files, ", "));
      outcome_.remarks.clear();
    }
  }

  /// A hint for a float32 network of which the device leaves some to the host.
  void hint_at_quantization() {
    const auto& tensors = model_.graph.tensors;
    if (outcome_.quantize.empty() && graph::total_macs(model_.graph) > 0 &&
        std::none_of(tensors.begin(), tensors.end(),
                     [](const graph::Tensor& tensor) { return tensor.quantization.has_value(); })) {
      outcome_.quantize =
          "nothing is int8, so all but small products run on the host; add --precision mx, or quantize it with "
          "--calibrate SAMPLES or systole quantize";
    }
  }

  std::string name() const {
    return model_.graph.name.empty() ? std::filesystem::path(values_.model).stem().string() : model_.graph.name;
  }

  /// Device memory used by the programs, without inputs and outputs.
  static std::string deploy_text(const CompiledNetwork& network) {
    std::uint64_t constants = 0, tensors = 0;
    for (const NetworkStep& step : network.steps) {
      if (const auto* device = std::get_if<DeviceStep>(&step)) {
        for (const Program::Constant& constant : device->program.constants) {
          constants += constant.bytes.size();
        }
        tensors += device->program.scratch_bytes;
      }
    }
    return fmt::format("{} bytes of constants to device memory, {} bytes there for what leaves the chip between layers",
                       grouped(constants), grouped(tensors));
  }

  static std::vector<std::string> run_names(const CompiledNetwork& network) {
    std::vector<std::string> names;
    for (const NetworkStep& step : network.steps) {
      if (const auto* device = std::get_if<DeviceStep>(&step)) {
        names.push_back(run_name(*device, names.size()));
      }
    }
    return names;
  }

  static std::size_t device_steps(const std::vector<StepReport>& steps) {
    return static_cast<std::size_t>(
        std::count_if(steps.begin(), steps.end(), [](const StepReport& step) { return step.on_device; }));
  }

  void compare(OutputComparison::Parts parts) {
    const auto& operators = model_.graph.operators;
    OutputLimits limits = values_.limits;
    if (limits.tolerance.empty() && !limits.signal_to_noise &&
        std::any_of(operators.begin(), operators.end(),
                    [](const graph::Operator& op) { return op.arithmetic == graph::Arithmetic::kBlocks; })) {
      limits.signal_to_noise = kBlocksSignalToNoise;
    }
    comparison_.emplace(batch_->one(), values_.expected, std::move(limits), parts, values_.no_compare);
    outcome_.network.run.against = comparison_->against();
    if (comparison_->with_host() && batch_->size() > 1) {
      outcome_.network.run.against = fmt::format("the host's, of the first {}", counted(samples_from(0), "sample"));
    }
  }

  /// Returns the result of the call. If indices are out of range, adds a hint that random inputs may be the cause.
  template <class Call>
  std::invoke_result_t<Call> checked(const Call& call) const {
    try {
      return call();
    } catch (const graph::IndexError& error) {
      if (!values_.inputs.empty()) {
        throw;
      }
      throw graph::GraphError(fmt::format(
          "{}\n  the inputs were random; give valid inputs with --input FILE, once per input", error.what()));
    }
  }

  /// Number of samples of the run that begins with this one.
  std::size_t samples_from(std::size_t first) const { return std::min(batch_->size(), count_ - first); }

  /// The host's results of the first run's samples.
  std::vector<std::vector<graph::Value>> host_results(std::size_t first) const {
    return first == 0 && comparison_->with_host()
               ? checked([&] { return batch_->host_results(*inputs_, first, count_); })
               : std::vector<std::vector<graph::Value>>();
  }

  /// Stores and compares the outputs of a run; `host` may be empty. Returns false if they differ.
  bool take(std::size_t first, std::vector<graph::Value> outputs, const std::vector<std::vector<graph::Value>>& host) {
    std::vector<std::vector<graph::Value>> results = batch_->results(std::move(outputs));
    bool same = true;
    for (std::size_t k = 0; k < samples_from(first); ++k) {
      const std::size_t sample = first + k;
      same = comparison_->take(sample, results[k],
                               expected_      ? expected_->at(sample)
                               : host.empty() ? std::vector<graph::Value>()
                                              : host.at(k),
                               outcome_.network.run) &&
             same;
      if (!values_.outputs.empty()) {
        results_.push_back(std::move(results[k]));
      }
    }
    return same;
  }

  /// Of block floating point against float, on some of the samples.
  std::optional<quantizer::Report> losses() const {
    constexpr std::size_t kEnough = 4;
    if (!as_float_ || values_.no_compare) {
      return std::nullopt;
    }
    const graph::GraphState state(*as_float_);
    std::vector<quantizer::Sample> samples;
    for (std::size_t i = 0; i < std::min(count_, kEnough); ++i) {
      samples.push_back(state.with_states(inputs_->at(i)));
    }
    return quantizer::compare_blocks(*as_float_, samples);
  }

  void finish(MemoryPlans* plans) {
    if (!session_.ranks->is_first()) {
      return;
    }
    Outputs outputs;
    write_samples("--output", values_.outputs, results_, outputs);
    const std::optional<quantizer::Report> loss = losses();
    if (!values_.device.quiet()) {
      print("{}", text_of(outcome_, style_of(stdout)));
      if (loss) {
        print("\n{}", quantizer::text(*loss, style_of(stdout)));
      }
      flush_output();
    }
    nlohmann::ordered_json json = to_json(outcome_);
    if (as_float_) {
      json["precision"] = "mx";
    }
    if (loss) {
      json["loss"] = to_json(*loss);
    }
    json["file"] = std::filesystem::path(values_.model).filename().string();
    if (plans != nullptr && values_.device.memory_plan) {
      for (const std::string& program : programs_) {
        plans->add_to(json["programs"].emplace_back(nlohmann::ordered_json{{"name", program}}));
      }
    }
    outputs.add([&] { write_json(values_.device, json); });
    if (outcome_.network.run.verdict() == Verdict::kDifferent) {
      fmt::print(
          stderr, "{}",
          failure_text(outcome_.network.run, comparison_->remedy(waves_text(session_, "network")), style_of(stderr)));
      session_.exit_code = kMismatch;
    }
    outputs.check();
  }

  const Values& values_;
  Session& session_;
  Model model_;
  std::optional<SampleBatch> batch_;
  std::optional<graph::Graph> as_float_;  // with --precision mx, the network before
  std::optional<Samples> inputs_;
  std::optional<Samples> expected_;
  std::size_t count_ = 0;
  std::optional<OutputComparison> comparison_;
  std::vector<std::string> programs_;  // names of the device runs of a sample
  std::vector<std::vector<graph::Value>> results_;
  NetworkOutcome outcome_;
};

void run_command(Values values, Session& session) {
  if (!session.ranks->is_first()) {  // one rank writes, the one that runs the first sample
    values.device.trace = {};
    values.device.timeline.clear();
    values.device.memory_plan = false;
  }
  try {
    SampleRun run(values, session);
    values.device.device == "host" ? run.on_host() : run.on_device();
  } catch (const graph::GraphError& error) {
    throw InputError(fmt::format("{}: {}", values.model, error.what()));
  }
}

}  // namespace

void add_run(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand("run",
                                         "Runs a network from a file on the device, with unsupported operators on "
                                         "the host, and compares the outputs bit for bit");
  auto values = std::make_shared<Values>();
  command->add_option("model", values->model, "network: .tflite, .onnx, or .systole, which systole compile writes")
      ->required()
      ->type_name("MODEL");
  const auto files = [&](const char* option, std::vector<std::string>& list, const char* help) {
    command->add_option(option, list, help)->type_name("FILE")->allow_extra_args(false);
  };
  files("--input", values->inputs,
        "array of samples (.npy), the first axis the sample; once per input; float32 is quantized if the input is; "
        "default: random samples");
  is_output(command->add_option("--output", values->outputs, "write the outputs, as --input; once per output"))
      ->allow_extra_args(false);
  files("--expect", values->expected,
        "expected outputs, as --input; once per output; without it, the first sample is compared with the host");
  command
      ->add_option("--calibrate", values->calibration.files,
                   "quantize a float network first with the first 512 of these samples, as systole quantize does; once "
                   "per input")
      ->allow_extra_args(false)
      ->type_name("FILE|FOLDER");
  add_precision_option(
      *command, values->precision,
      "products of a float network: int8 with --calibrate, or mx, block floating point, which needs no "
      "samples; prints the error of each layer");
  auto* tolerance =
      command->add_option("--tolerance", values->limits.tolerance,
                          "allowed difference from the expected outputs: ABSOLUTE + RELATIVE x |expected|; default "
                          "1e-5,1e-4 for float32, 0 for integers");
  tolerance->type_name("ABSOLUTE[,RELATIVE]")
      ->delimiter(',')
      ->expected(1, 2)
      ->check(real_in(0, 1e300))
      ->allow_extra_args(false);
  command
      ->add_option("--min-sqnr", values->limits.signal_to_noise,
                   fmt::format("expected outputs of float32 are met if the signal to noise of each, in each sample, is "
                               "at least this, in dB; default with --precision mx: {:g}",
                               kBlocksSignalToNoise))
      ->type_name("DB")
      ->check(real_in(-1000, 1000))
      ->excludes(tolerance);
  command->add_option("--count", values->count, "number of samples, from the first; 0 is all")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  add_batch_option(*command, values->batch,
                   "compute so many samples at a time, each with the results that it has alone; default 1, or what a "
                   "compiled network was compiled for");
  command->add_flag("--reset-state", values->reset_state,
                    "begin each sample with the variables of the file; without it, a network with variables keeps them "
                    "from sample to sample");
  command->add_flag("--no-compare", values->no_compare,
                    "do not compare the first sample with the host, which takes time for large networks");
  add_import_options(*command, values->import);
  add_without_option(*command, values->import.without);
  add_device_options(*command, values->device, {"rtl", "model", "host"});
  command->footer(
      "Examples:\n"
      "  systole run model.tflite --input inputs.npy --expect outputs.npy --device model\n"
      "  systole run float.onnx --precision mx --input inputs.npy --device model\n"
      "  systole run float.onnx --calibrate train.npy --input inputs.npy --output outputs.npy\n"
      "  mpirun -n 4 systole run model.tflite --input inputs.npy         samples divided among processes and machines\n"
      "  systole run model.tflite --input inputs.npy --batch 4\n"
      "  systole run net.onnx --kernel my.Softsign=softsign.json         an operator of your own, from Python's "
      "save()\n"
      "  systole run model.tflite --count 1 --json run.json ; systole report run.json\n"
      "  systole compile model.tflite -o model.systole --config tiny ; systole run model.systole --input inputs.npy "
      "--output outputs.npy");
  command->callback([values, command, &session] {
    values->config_given = command->count("--config") > 0;
    run_command(*values, session);
  });
}

}  // namespace systole::cli
