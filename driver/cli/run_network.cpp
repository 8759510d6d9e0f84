// SPDX-License-Identifier: Apache-2.0
// `systole run`: a network over samples.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "calibration.hpp"
#include "commands.hpp"
#include "errors.hpp"
#include "models.hpp"
#include "network_outcome.hpp"
#include "progress_bar.hpp"
#include "samples.hpp"

namespace systole::cli {
namespace {

struct Values {
  DeviceOptions device;
  std::string model;
  graph::ImportOptions import;
  std::vector<std::string> inputs, outputs, expected;
  Calibration calibration;
  std::size_t count = 0;
  bool no_compare = false;
  bool config_given = false;
};

/// The samples of a run, and what came of them.
class SampleRun {
 public:
  SampleRun(const Values& values, Session& session) : values_(values), session_(session), model_(load_model(values.model, values.import)) {
    outcome_.load = fmt::format("{}: {}", values.model, graph_text(model_.graph));
    quantize();
    const graph::Graph& graph = model_.graph;
    inputs_ = values.inputs.empty() ? Samples(values.device.seed, std::max<std::size_t>(1, values.count), graph, graph.inputs)
                                    : Samples("--input", values.inputs, graph, graph.inputs, Reals::kQuantized);
    if (inputs_->quantized() > 0) {
      outcome_.quantize = fmt::format("{} of float32, by the network's scales", counted(inputs_->quantized(), "input"));
    }
    count_ = values.count == 0 ? inputs_->count() : std::min(values.count, inputs_->count());
    if (!values.expected.empty()) {
      expected_.emplace("--expect", values.expected, graph, graph.outputs, Reals::kRefused);
      if (expected_->count() < count_) {
        throw InputError(fmt::format("--expect: {} samples for {} that run; --count runs fewer", expected_->count(), count_));
      }
    }
    if (!values.outputs.empty() && values.outputs.size() != graph.outputs.size()) {
      throw InputError(fmt::format("--output: {} files for {} outputs; name one file for each, in the order of the network", values.outputs.size(),
                                   graph.outputs.size()));
    }
    outcome_.network.run.bit_exact = true;
  }

  void on_host() {
    using Clock = std::chrono::steady_clock;
    outcome_.network.run.name = name();
    outcome_.network.run.device = "host";
    for (std::size_t i = 0; i < count_; ++i) {
      const auto start = Clock::now();
      std::vector<graph::Value> result = graph::execute(model_.graph, inputs_->at(i));
      outcome_.network.run.simulation_seconds += std::chrono::duration<double>(Clock::now() - start).count();
      ++outcome_.samples;
      take(i, std::move(result), {});
    }
    finish();
  }

  void on_device() {
    DeviceOptions options = values_.device;
    if (model_.compiled && !values_.config_given) {
      options.config = model_.compiled->configuration();
    }
    Device device = open_device(options);
    CompiledNetwork compiled = programs_of(model_, device.configuration(), device.memory());
    outcome_.compile = fmt::format("{}{}", programs_text(compiled), model_.compiled ? ", from the file" : "");
    outcome_.deploy = deploy_text(compiled);
    check_layer(options.trace, run_names(compiled));
    Network network(device, std::move(compiled));
    outcome_.network.run = make_run(device, name());
    outcome_.network.run.bit_exact = true;

    RunOptions run = options.run_options();
    for (std::size_t i = 0; i < count_; ++i) {
      std::vector<graph::Value> result;
      {
        ProgressBar bar(fmt::format("{}, sample {} of {}", name(), i + 1, count_));
        run.progress = bar.hook();
        const Stopwatch stopwatch(device);
        result = network.run(inputs_->at(i), run);
        stopwatch.stop(outcome_.network.run);
      }
      add_sample(outcome_, network);
      if (!take(i, std::move(result), host_result(i)) && options.trace.on_error > 0) {
        device.backend().record_failure();
      }
    }
    finish();
    check_recorded(options.trace, device);
  }

 private:
  /// The network, if samples are there to do it by; else says what would help a network of float32.
  void quantize() {
    const auto& tensors = model_.graph.tensors;
    if (!values_.calibration.files.empty()) {
      if (model_.compiled) {
        throw InputError(fmt::format("--calibrate: {} is compiled already; systole quantize takes the float network", values_.model));
      }
      auto [result, samples] = calibrated(model_.graph, values_.calibration);
      model_.graph = std::move(result.graph);
      outcome_.quantize = fmt::format("to int8 by {} of {}", counted(samples, "sample"), fmt::join(values_.calibration.files, ", "));
    } else if (std::none_of(tensors.begin(), tensors.end(), [](const graph::Tensor& tensor) { return tensor.quantization.has_value(); })) {
      outcome_.quantize = "nothing is int8: all runs on the host; --calibrate SAMPLES, or systole quantize, brings it to the device";
    }
  }

  std::string name() const {
    return model_.graph.name.empty() ? std::filesystem::path(values_.model).stem().string() : model_.graph.name;
  }

  /// What the programs have in device memory besides inputs and outputs.
  static std::string deploy_text(const CompiledNetwork& network) {
    std::uint64_t constants = 0, tensors = 0;
    for (const NetworkStep& step : network.steps) {
      if (const auto* device = std::get_if<DeviceStep>(&step)) {
        for (const Program::Constant& constant : device->program.constants) {
          constants += constant.bytes.size();
        }
        for (const Buffer& buffer : device->program.scratch) {
          tensors += buffer.bytes();
        }
      }
    }
    return fmt::format("{} bytes of constants to device memory, {} bytes there for what leaves the chip between layers", grouped(constants),
                       grouped(tensors));
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

  /// Without --expect, the first sample is compared with the host.
  std::vector<graph::Value> host_result(std::size_t sample) const {
    const bool wanted = sample == 0 && !expected_ && !values_.no_compare;
    return wanted ? graph::execute(model_.graph, inputs_->at(sample)) : std::vector<graph::Value>();
  }

  /// Keeps and compares a sample's outputs; `host` may be empty. False when they differ.
  bool take(std::size_t sample, std::vector<graph::Value> result, const std::vector<graph::Value>& host) {
    const std::vector<graph::Value> expected = expected_ ? expected_->at(sample) : host;
    bool same = true;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::string found = difference(sample, model_.graph.tensor(model_.graph.outputs[i]), expected[i], result[i]);
      outcome_.network.run.values += static_cast<std::size_t>(graph::count(result[i].shape));
      same = same && found.empty();
      if (outcome_.network.run.difference.empty()) {
        outcome_.network.run.difference = found;
      }
    }
    outcome_.network.run.bit_exact = outcome_.network.run.bit_exact && same;
    if (!expected.empty()) {
      outcome_.compared = expected_ ? fmt::format("against {}", values_.expected[0]) : "of the first sample against the host";
    }
    if (!values_.outputs.empty()) {
      results_.push_back(std::move(result));
    }
    return same;
  }

  void finish() {
    write_samples("--output", values_.outputs, results_);
    if (!values_.device.quiet()) {
      fmt::print("{}", text_of(outcome_, style_of(stdout)));
      std::fflush(stdout);
    }
    write_json(values_.device, to_json(outcome_));
    if (!outcome_.network.run.bit_exact) {
      fmt::print(stderr, "{}", failure_text(outcome_.network.run, waves_text(session_, "network"), style_of(stderr)));
      session_.exit_code = kMismatch;
    }
  }

  const Values& values_;
  Session& session_;
  Model model_;
  std::optional<Samples> inputs_;
  std::optional<Samples> expected_;
  std::size_t count_ = 0;
  std::vector<std::vector<graph::Value>> results_;
  NetworkOutcome outcome_;
};

void run_command(const Values& values, Session& session) {
  if (values.device.memory_plan) {
    throw InputError("--memory-plan: not for networks, whose programs have several layers each; systole digits runs layer by layer");
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
  auto* command = program.add_subcommand(
      "run", "Runs a network from a file, what the device can do on the device and the rest on the host, and compares the outputs bit for bit");
  auto values = std::make_shared<Values>();
  command->add_option("model", values->model, "network: .tflite, .onnx, or .systole, which systole compile writes")->required()->type_name("MODEL");
  const auto files = [&](const char* option, std::vector<std::string>& list, const char* help) {
    command->add_option(option, list, help)->type_name("FILE")->allow_extra_args(false);
  };
  files("--input", values->inputs, "array of samples (.npy), the first axis the sample; once per input; float32 is quantized where the input is; without it, random ones");
  files("--output", values->outputs, "write the outputs, as --input; once per output");
  files("--expect", values->expected, "outputs that are expected, as --input; once per output; without it, the first sample is compared with the host");
  command->add_option("--calibrate", values->calibration.files, "quantize a float network first, by the first 512 of these samples, as systole quantize does; once per input")
      ->allow_extra_args(false)
      ->type_name("FILE|FOLDER");
  command->add_option("--count", values->count, "how many samples, from the first; 0 is all")->check(CLI::Range(0, 1'000'000))->capture_default_str();
  command->add_flag("--no-compare", values->no_compare, "do not compare the first sample with the host, which takes time for large networks");
  add_import_options(*command, values->import);
  add_device_options(*command, values->device, {"rtl", "model", "host"});
  command->footer(
      "Examples:\n"
      "  systole run model.tflite --input inputs.npy --expect outputs.npy --device model\n"
      "  systole run float.onnx --calibrate train.npy --input inputs.npy --output outputs.npy\n"
      "  systole run model.tflite --count 1 --json run.json ; systole report run.json\n"
      "  systole compile model.tflite -o model.systole --config tiny ; systole run model.systole --input inputs.npy --output outputs.npy");
  command->callback([values, command, &session] {
    values->config_given = command->count("--config") > 0;
    run_command(*values, session);
  });
}

}  // namespace systole::cli
