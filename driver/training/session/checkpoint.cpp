// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "input_file.hpp"
#include "npz.hpp"
#include "output_file.hpp"
#include "systole/errors.hpp"

namespace systole::training {
namespace {

using graph::Value;

constexpr const char* kText = "training.json";

std::string member(const char* folder, const std::string& name) { return fmt::format("{}/{}.npy", folder, name); }

/// Reads the text; a failure names the file.
template <class Function>
auto of_text(const std::string& path, const Function& function) {
  try {
    return function();
  } catch (const Failure& failure) {
    throw Failure(
        fmt::format("{}: {}: {}; the checkpoint is damaged or of another version: go on from another one, or "
                    "begin without --resume",
                    path, kText, failure.what()));
  }
}

void compare(const std::string& path, const Settings& file, const Settings& here) {
  for (const auto& [name, value] : here) {
    const auto found = file.find(name);
    const std::string other = found == file.end() ? "nothing" : found->second;
    if (other != value) {
      throw Failure(
          fmt::format("{}: was made with {} {}, not {}; the training would not be the same", path, name, other, value));
    }
  }
}

class Members {
 public:
  Members(const graph::Bytes& bytes, const std::string& name)
      : path_(name), members_(npy::parse_archive(bytes, name)) {}

  std::string text() const {
    const graph::Bytes& bytes = find(kText);
    return {bytes.begin(), bytes.end()};
  }

  std::vector<Value> values(const char* folder, const std::vector<Variable>& variables) const {
    std::vector<Value> values;
    for (const Variable& variable : variables) {
      const std::string name = member(folder, variable.name);
      values.push_back(npy::parse(find(name), fmt::format("{}: {}", path_, name)));
      if (values.back().shape != variable.initial.shape || values.back().type != variable.initial.type) {
        throw Failure(fmt::format("{}: {} has shape {}, the network's has {}", path_, name,
                                  graph::to_string(values.back().shape), graph::to_string(variable.initial.shape)));
      }
      check_finite(values.back(), name);
    }
    return values;
  }

 private:
  void check_finite(const Value& value, const std::string& name) const {
    const std::vector<float> elements = graph::elements<float>(value);
    const auto found = std::find_if(elements.begin(), elements.end(), [](float x) { return !std::isfinite(x); });
    if (found != elements.end()) {
      throw Failure(fmt::format("{}: {}: element {} is {}; a training cannot go on from it", path_, name,
                                found - elements.begin(), *found));
    }
  }

  const graph::Bytes& find(const std::string& name) const {
    const auto found = members_.find(name);
    if (found == members_.end()) {
      throw Failure(fmt::format("{}: holds no {}; it is no checkpoint of this network", path_, name));
    }
    return found->second;
  }

  const std::string path_;
  const npy::Archive members_;
};

}  // namespace

void save_checkpoint(const std::string& path, const State& state, const Step& step, const Settings& settings) {
  npy::Archive archive;
  const std::string text = state_text(state, settings);
  archive[kText] = graph::Bytes(text.begin(), text.end());
  for (std::size_t i = 0; i < state.values.size(); ++i) {
    archive[member("variables", step.variables[i].name)] = npy::serialize(state.values[i]);
  }
  for (std::size_t i = 0; state.best && i < state.best->parameters.size(); ++i) {
    archive[member("best", step.variables[i].name)] = npy::serialize(state.best->parameters[i]);
  }
  files::write_bytes(path, npy::serialize_archive(archive));
}

State load_checkpoint(const std::string& path, const Step& step, const Step& evaluation, const Settings& settings,
                      const EpochSize& size) {
  return parse_checkpoint(files::read_file(path), path, step, evaluation, settings, size);
}

State parse_checkpoint(const graph::Bytes& bytes, const std::string& path, const Step& step, const Step& evaluation,
                       const Settings& settings, const EpochSize& size) {
  try {
    const Members members(bytes, path);
    const std::string text = members.text();
    compare(path, of_text(path, [&] { return parse_settings(text); }), settings);
    State state = of_text(path, [&] { return parse_state(text, size); });
    state.values = members.values("variables", step.variables);
    if (state.best) {
      state.best->parameters = members.values("best", evaluation.variables);
    }
    return state;
  } catch (const npy::NpyError& error) {
    throw Failure(error.what());
  }
}

}  // namespace systole::training
