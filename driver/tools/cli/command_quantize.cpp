// SPDX-License-Identifier: Apache-2.0
// `systole quantize`: converts a float network to int8.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "calibration.hpp"
#include "commands.hpp"
#include "enum_option.hpp"
#include "exit_codes.hpp"
#include "files.hpp"
#include "loss_report_text.hpp"
#include "model_files.hpp"
#include "number_options.hpp"
#include "output_options.hpp"
#include "sample_files.hpp"
#include "standard_output.hpp"
#include "systole/container.hpp"
#include "terminal.hpp"

namespace systole::cli {
namespace {

struct Values {
  std::string model, labels, output;
  std::vector<std::string> test;
  graph::ImportOptions import;
  Calibration calibration;
  std::size_t test_count = 0;
  quantizer::Options options;
  DeviceOptions json;
};

/// Turns errors in files into InputError: the user can fix them.
template <class Function>
auto read(const char* option, Function function) {
  try {
    return function();
  } catch (const std::runtime_error& error) {
    throw InputError(fmt::format("{}: {}", option, error.what()));
  }
}

/// Accuracy of both networks, if pictures and labels are given.
void measure(const Values& values, const graph::Graph& model, quantizer::Result& result) {
  if (values.labels.empty()) {
    return;
  }
  auto labels = read("--labels", [&] { return quantizer::read_labels(values.labels, values.test_count); });
  auto samples = read("--test", [&] { return quantizer::read_samples(values.test, model, values.test_count); });
  if (samples.size() != labels.size()) {
    throw InputError(fmt::format("--labels: {} labels for {} samples of --test; there is one for each", labels.size(),
                                 samples.size()));
  }
  result.report.accuracy_before = quantizer::accuracy(model, model, samples, labels);
  result.report.accuracy_after = quantizer::accuracy(model, result.graph, samples, labels);
}

void run_command(const Values& values) {
  if (values.labels.empty() != values.test.empty()) {
    throw InputError("--labels and --test go together: the labels are those of the test samples");
  }
  const graph::Graph model = load_model(values.model, values.import).graph;
  auto [result, samples] = calibrated(model, values.calibration, values.options);
  measure(values, model, result);
  Outputs outputs;
  if (!values.output.empty()) {
    outputs.add([&] { write_file("--output", values.output, container::save(result.graph)); });
  }
  if (!values.json.quiet()) {
    print("{}  quantized by {} samples\n\n{}", style_of(stdout)(Paint::kBold, model.name), samples,
          quantizer::text(result.report, style_of(stdout)));
  }
  auto report = to_json(result.report);
  report["calibration_samples"] = samples;
  outputs.add([&] { write_json(values.json, report); });
  outputs.check();
}

}  // namespace

void add_quantize(CLI::App& program, Session& session) {
  using quantizer::Equalization;
  auto* command = program.add_subcommand("quantize",
                                         "Converts a float network to int8 with samples of its inputs, and reports "
                                         "the error of each layer; needs no device");
  auto values = std::make_shared<Values>();
  command->add_option("model", values->model, "a float network")->required()->type_name("MODEL");
  add_import_options(*command, values->import);
  command
      ->add_option("--calibrate", values->calibration.files,
                   "typical inputs of the network: .npy, the first axis the sample; IDX pictures; a folder of "
                   "PGM and PPM pictures. Once for each input, in their order or as INPUT=FILE")
      ->required()
      ->allow_extra_args(false)
      ->type_name("FILE|FOLDER");
  command->add_option("--count", values->calibration.count, "maximum number of calibration samples; 0: all")
      ->check(whole_in(0, kMaxCount))
      ->capture_default_str();
  add_enum_option(*command, "--calibration", values->options.calibration,
                  {{"min-max", quantizer::Calibration::kMinMax},
                   {"percentile", quantizer::Calibration::kPercentile},
                   {"mse", quantizer::Calibration::kMeanSquareError}},
                  "how the range of a tensor is chosen");
  command
      ->add_option("--percentile", values->options.percentile,
                   "percentile for --calibration percentile, above 50 and at most 100")
      ->check(real_in(50, 100))
      ->capture_default_str();
  add_enum_option(*command, "--equalize", values->options.equalization,
                  {{"off", Equalization::kOff}, {"on", Equalization::kOn}, {"auto", Equalization::kAuto}},
                  "equalize the ranges of channels between two layers; auto: if it lowers the error");
  command->add_flag_callback(
      "--int8-border", [values] { values->options.border = quantizer::Border::kInt8; },
      "int8 instead of float32 inputs and outputs, also after a final softmax");
  command->add_flag("--int8-softmax", values->options.int8_softmax,
                    "also quantize a softmax that computes outputs; in steps of 1/256 small probabilities become 0");
  command->add_option("--test", values->test, "test samples, in the forms of --calibrate")
      ->allow_extra_args(false)
      ->type_name("FILE|FOLDER");
  command
      ->add_option("--labels", values->labels,
                   "classes of the test samples, IDX or .npy: measures the accuracy of both networks")
      ->type_name("FILE");
  command->add_option("--test-count", values->test_count, "maximum number of test samples; 0: all")
      ->check(whole_in(0, kMaxCount))
      ->capture_default_str();
  is_output(command->add_option("-o,--output", values->output, "file to write, usually *.systole"));
  add_json_option(*command, values->json.json, "the report");
  command->footer(
      "Examples:\n"
      "  systole quantize model.onnx --calibrate inputs.npy -o model.systole\n"
      "  systole quantize net.onnx --kernel my.Softsign=softsign.json --calibrate inputs.npy -o net.systole\n"
      "  systole quantize bert.onnx --calibrate ids=ids.npy --calibrate mask=mask.npy -o bert.systole\n"
      "  systole quantize mnist.onnx --calibrate train-images-idx3-ubyte.gz --test t10k-images-idx3-ubyte.gz --labels "
      "t10k-labels-idx1-ubyte.gz");
  command->callback([values, &session] {
    run_command(*values);
    session.exit_code = kOk;
  });
}

}  // namespace systole::cli
