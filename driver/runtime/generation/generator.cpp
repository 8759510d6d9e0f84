// SPDX-License-Identifier: Apache-2.0
// The public class, which joins a model, its tokenizer and a device.
#include <memory>
#include <utility>

#include "generate.hpp"
#include "language_model_files.hpp"
#include "systole/network.hpp"

namespace systole::generation {
namespace {

constexpr int kBatch = 8;  // tokens of a prompt that are read in one step

std::uint64_t cycles_of(const Network& network) {
  std::uint64_t cycles = 0;
  for (const StepReport& step : network.steps()) {
    cycles += step.stats.cycles;
  }
  return cycles;
}

}  // namespace

struct Generator::Parts {
  Parts(ModelFiles files, const GeneratorOptions& options)
      : model(std::move(files.checkpoint), prepare(options.device), options.context, kBatch, options.products),
        tokenizer(std::move(files.tokenizer)) {}

  Prepare prepare(Device* device) {
    if (device == nullptr) {
      return on_host;
    }
    return [this, device](graph::Graph graph) -> Run {
      const auto network = std::make_shared<Network>(*device, graph);
      return [this, network](const std::vector<graph::Value>& inputs) {
        std::vector<graph::Value> outputs = network->run(inputs);
        cycles += cycles_of(*network);
        return outputs;
      };
    };
  }

  std::uint64_t cycles = 0;
  LanguageModel model;
  const std::unique_ptr<const llama2::Tokenizer> tokenizer;
};

Generator::Generator(const std::string& model, const std::string& tokenizer, const GeneratorOptions& options)
    : parts_(std::make_unique<Parts>(read_model_files(model, tokenizer), options)) {}
Generator::~Generator() = default;
Generator::Generator(Generator&&) noexcept = default;
Generator& Generator::operator=(Generator&&) noexcept = default;

Text Generator::generate(const std::string& prompt, int most, const Sampling& sampling, const OnToken& on_token) {
  OnTokenOfText tell;
  if (on_token) {
    tell = [&](std::size_t, int token, const std::string& piece) { on_token(token, piece); };
  }
  return std::move(generate(std::vector{prompt}, most, sampling, tell)[0]);
}

std::vector<Text> Generator::generate(const std::vector<std::string>& prompts, int most, const Sampling& sampling,
                                      const OnTokenOfText& on_token) {
  parts_->cycles = 0;
  return generation::generate(parts_->model, *parts_->tokenizer, prompts, most, sampling, on_token);
}

int Generator::context() const { return parts_->model.context(); }
std::uint64_t Generator::cycles() const { return parts_->cycles; }

}  // namespace systole::generation
