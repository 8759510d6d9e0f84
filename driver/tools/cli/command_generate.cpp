// SPDX-License-Identifier: Apache-2.0
// `systole generate`: a language model continues texts.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "exit_codes.hpp"
#include "generate.hpp"
#include "language_model_files.hpp"
#include "number_options.hpp"
#include "output_options.hpp"
#include "precision.hpp"
#include "standard_output.hpp"
#include "step_networks.hpp"
#include "terminal.hpp"

namespace systole::cli {
namespace {

struct Values {
  std::string model, tokenizer;
  std::vector<std::string> prompts;
  int tokens = 256, context = 0;
  generation::Sampling sampling;
  DeviceOptions device;
  bool no_compare = false, layers = false;
  Precision precision = Precision::kOfFile;
};

struct Outcome {
  std::vector<generation::Text> texts;
  double seconds = 0;
  std::optional<StepFigures> device;  ///< unless the host computes all

  std::size_t tokens() const {
    return std::accumulate(texts.begin(), texts.end(), std::size_t{0},
                           [](std::size_t sum, const generation::Text& text) { return sum + text.tokens.size(); });
  }
  double rate() const { return seconds > 0 ? static_cast<double>(tokens()) / seconds : 0; }
};

const char* name_of(generation::Ending ending) {
  switch (ending) {
    case generation::Ending::kText: return "text";
    case generation::Ending::kContext: return "context";
    default: return "tokens";
  }
}

generation::Products products_of(Precision precision) {
  switch (precision) {
    case Precision::kMx: return generation::Products::kBlocks;
    case Precision::kInt8: return generation::Products::kInt8;
    default: return generation::Products::kFloat32;
  }
}

const char* name_of(generation::Products products) {
  switch (products) {
    case generation::Products::kBlocks: return "mx";
    case generation::Products::kInt8: return "int8";
    default: return "float32";
  }
}

/// Without control characters, which could change the terminal, but with line breaks.
std::string printable(const std::string& piece) {
  std::string kept;
  std::copy_if(piece.begin(), piece.end(), std::back_inserter(kept), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::iscntrl(byte) == 0 || std::isspace(byte) != 0;
  });
  return kept;
}

Outcome run_command(const Values& values, generation::LanguageModel& model, const llama2::Tokenizer& tokenizer) {
  using Clock = std::chrono::steady_clock;
  const Style style = style_of(stdout);
  std::vector<std::size_t> left;  // tokens of the prompts that are told
  for (const std::string& prompt : values.prompts) {
    const std::vector<int> tokens = tokenizer.encode(prompt);
    left.push_back(tokens.size() - (tokens.front() == tokenizer.begin() ? 1 : 0));
  }
  // The first text is seen as it grows, the others behind it.
  std::vector<std::string> shown(left.size());
  Outcome outcome;
  const auto show = [&](std::size_t text, int, const std::string& piece) {
    const bool of_prompt = left[text] > 0;
    left[text] -= of_prompt ? 1 : 0;
    shown[text] += of_prompt ? style(Paint::kBold, printable(piece)) : printable(piece);
    if (text == 0 && !values.device.quiet()) {
      print("{}", std::exchange(shown[0], {}));
      flush_output();
    }
  };
  const auto started = Clock::now();
  outcome.texts = generate(model, tokenizer, values.prompts, values.tokens, values.sampling, show);
  outcome.seconds = std::chrono::duration<double>(Clock::now() - started).count();
  for (std::size_t text = 1; text < shown.size() && !values.device.quiet(); ++text) {
    print("\n\n{}", shown[text]);
  }
  return outcome;
}

/// Cycles of the steps up to the first token of each text, and of those after it: each gives one token more of the
/// texts that have not ended.
struct TokenCycles {
  std::uint64_t first = 0, others = 0;
  std::size_t steps = 0, tokens = 0;  ///< of the others

  explicit TokenCycles(const Outcome& outcome) {
    const StepFigures& figures = *outcome.device;
    std::size_t longest = 1;
    for (const generation::Text& text : outcome.texts) {
      longest = std::max(longest, text.tokens.size());
      tokens += std::max<std::size_t>(text.tokens.size(), 1) - 1;
    }
    steps = std::min(figures.of_runs.size(), longest - 1);
    first = std::accumulate(figures.of_runs.begin(), figures.of_runs.end() - static_cast<std::ptrdiff_t>(steps),
                            std::uint64_t{0});
    others = figures.cycles - first;
  }
  std::uint64_t each() const { return tokens == 0 ? first : others / tokens; }
};

std::string device_text(const Outcome& outcome) {
  const StepFigures& figures = *outcome.device;
  std::string text = fmt::format("  device   {}, {} on the host; ",
                                 counted(figures.operators - figures.on_host, "operator"), figures.on_host);
  text += figures.different > 0   ? fmt::format("{} of {} values differ from the host's", grouped(figures.different),
                                                grouped(figures.compared))
          : figures.compared == 0 ? "not compared"
                                  : fmt::format("bit-exact, {} values against the host", grouped(figures.compared));
  if (!figures.nonfinite.empty()) {
    text += fmt::format("\n  not finite  an infinity or a NaN in a block, first in {}", figures.nonfinite);
  }
  if (figures.cycles == 0) {
    return text + "\n";
  }
  const TokenCycles of(outcome);
  text += fmt::format("\n  cycles   {} to the first token{}, {} for each after it\n  working ", grouped(of.first),
                      outcome.texts.size() > 1 ? " of each text" : "", grouped(of.each()));
  for (std::size_t engine = 0; engine < figures.working.size(); ++engine) {
    text += fmt::format("{} {} {:.1f} %", engine == 0 ? "" : ",", isa::to_string(static_cast<isa::Engine>(engine)),
                        100.0 * static_cast<double>(figures.working[engine]) / static_cast<double>(figures.cycles));
  }
  return text + " of the cycles\n";
}

void report(const Values& values, const Outcome& outcome) {
  print("\n");
  flush_output();
  std::size_t given = 0;
  bool full = false;
  for (const generation::Text& text : outcome.texts) {
    given += text.prompt.size();
    full = full || text.ending == generation::Ending::kContext;
  }
  const std::size_t texts = outcome.texts.size();
  fmt::print(stderr, "{} after {} of {} in {:.1f} s, {:.3g} tokens per second, on {}{}\n{}",
             counted(outcome.tokens(), "token"), given,
             texts == 1 ? std::string("the prompt") : fmt::format("{} prompts", texts), outcome.seconds, outcome.rate(),
             values.device.device, full ? "; the context is full" : "", outcome.device ? device_text(outcome) : "");
}

nlohmann::ordered_json core_of(const Outcome& outcome, const std::string& config) {
  const StepFigures& figures = *outcome.device;
  const TokenCycles of(outcome);
  return {{"config", config},
          {"operators_on_device", figures.operators - figures.on_host},
          {"operators_on_host", figures.on_host},
          {"cycles", figures.cycles},
          {"cycles_to_first_token", of.first},
          {"cycles_per_token", of.each()},
          {"steps_after_first_token", of.steps},
          {"tokens_after_first", of.tokens},
          {"compared", figures.compared},
          {"different", figures.different},
          {"nonfinite_in",
           figures.nonfinite.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(figures.nonfinite)}};
}

nlohmann::ordered_json to_json(const Values& values, const generation::LanguageModel& model, const Outcome& outcome) {
  const llama2::Sizes& sizes = model.checkpoint().sizes;
  nlohmann::ordered_json core = nullptr;
  if (outcome.device) {
    core = core_of(outcome, values.device.config);
  }
  nlohmann::ordered_json json = {{"model",
                                  {{"file", values.model},
                                   {"width", sizes.width},
                                   {"hidden", sizes.hidden},
                                   {"layers", sizes.layers},
                                   {"heads", sizes.heads},
                                   {"key_heads", sizes.key_heads},
                                   {"vocabulary", sizes.vocabulary},
                                   {"context", model.context()}}},
                                 {"temperature", values.sampling.temperature},
                                 {"top_p", values.sampling.top_p},
                                 {"seed", values.sampling.seed},
                                 {"device", values.device.device},
                                 {"precision", name_of(products_of(values.precision))},
                                 {"core", core},
                                 {"seconds", outcome.seconds},
                                 {"tokens_per_second", outcome.rate()}};
  auto texts = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < outcome.texts.size(); ++i) {
    const generation::Text& text = outcome.texts[i];
    texts.push_back({{"prompt", values.prompts[i]},
                     {"prompt_tokens", text.prompt},
                     {"text", text.continuation},
                     {"tokens", text.tokens},
                     {"ending", name_of(text.ending)}});
  }
  if (texts.size() == 1) {
    json.update(texts[0]);
  } else {
    json["texts"] = std::move(texts);
  }
  return json;
}

void add_options(CLI::App& command, Values& values) {
  command.add_option("--model", values.model, "a GGUF file of architecture llama, or a checkpoint of llama2.c")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--tokenizer", values.tokenizer,
                  "the model's tokens: a tokenizer of llama2.c, or a GGUF file; by default those in a model of GGUF")
      ->type_name("FILE");
  command
      .add_option("--prompt", values.prompts,
                  "the beginning of the text; without one the model begins. Several are continued at once: each step "
                  "reads the weights once for all of them")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  command.add_option("--tokens", values.tokens, "the most tokens to generate; the model may end the text before")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command
      .add_option("--context", values.context,
                  "room for this many tokens, prompt included; less takes less time. 0: the most that the model has")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  command
      .add_option("--temperature", values.sampling.temperature,
                  "0: always the most probable token; 1: tokens as probable as the model says; up to 100")
      ->check(real_in(0, 100))
      ->capture_default_str();
  command
      .add_option("--top-p", values.sampling.top_p,
                  "above temperature 0: choose among the most probable tokens that together have this probability")
      ->check(real_in(0, 1))
      ->capture_default_str();
  command.add_option("--seed", values.sampling.seed, "above temperature 0: another seed gives another text")
      ->check(whole_in(0))
      ->capture_default_str();
  command
      .add_option("--device", values.device.device,
                  "host: no device at all; rtl: the Verilated core, cycle by cycle; model: the functional model")
      ->check(CLI::IsMember({"host", "rtl", "model"}))
      ->capture_default_str();
  add_precision_option(command, values.precision,
                       "mx: products in block floating point, int8 with shared exponents; int8: weights of int8 with a "
                       "scale for each row; default: float32");
  add_configuration_option(command, values.device);
  command.add_flag("--layers", values.layers, "print the layers of the last step, on a device");
  command.add_flag("--no-compare", values.no_compare, "do not compare each step of a device with the host");
  add_json_option(command, values.device.json, "text, tokens and speed");
}

}  // namespace

void add_generate(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand("generate", "Continues texts with a language model, token by token");
  auto values = std::make_shared<Values>();
  values->device.device = "host";
  add_options(*command, *values);
  command->footer(
      "The text goes to standard output, the speed to standard error.\n"
      "Exit codes: 0 success, 1 the device's numbers differ from the host's, 2 wrong options or files, 3 the device "
      "failed.\n"
      "Examples:\n"
      "  systole generate --model model.gguf --prompt 'Once upon a time' --context 512\n"
      "  systole generate --model stories260K.bin --tokenizer tok512.bin --prompt 'Once upon a time' --tokens 100\n"
      "  systole generate --model stories260K.bin --tokenizer tok512.bin --temperature 0.8 --top-p 0.9 --seed 7\n"
      "  systole generate --model stories260K.bin --tokenizer tok512.bin --prompt 'Once' --prompt 'The cat'\n"
      "  systole generate --model stories260K.bin --tokenizer tok512.bin --precision mx --device rtl\n"
      "  systole generate --model stories260K.bin --tokenizer tok512.bin --json - | jq -r .text");
  command->callback([values, &session] {
    if (values->prompts.empty()) {
      values->prompts.emplace_back();
    }
    generation::ModelFiles files = generation::read_model_files(values->model, values->tokenizer);
    std::optional<StepNetworks> networks;
    if (values->device.device != "host") {
      networks.emplace(values->device, !values->no_compare);
    }
    constexpr int kBatch = 8;
    generation::LanguageModel model(std::move(files.checkpoint), networks ? networks->prepare() : generation::on_host,
                                    values->context, kBatch, products_of(values->precision));
    Outcome outcome = run_command(*values, model, *files.tokenizer);
    if (networks) {
      outcome.device = networks->figures();
    }
    if (!values->device.quiet()) {
      report(*values, outcome);
      if (networks && values->layers) {
        fmt::print(stderr, "\n{}", text_of(networks->last_step(), style_of(stderr)));
      }
    }
    write_json(values->device, to_json(*values, model, outcome));
    session.exit_code = outcome.device && outcome.device->different > 0 ? kMismatch : kOk;
  });
}

}  // namespace systole::cli
