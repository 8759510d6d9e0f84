// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"

#include <fmt/ranges.h>

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

/// Names all that differs, the network first: most of the rest follows from it.
void compare(const std::string& path, const Settings& file, const Settings& here) {
  Settings all = file;
  all.insert(here.begin(), here.end());
  const auto value_in = [](const Settings& settings, const std::string& name) {
    const auto found = settings.find(name);
    return found == settings.end() ? std::string("nothing") : found->second;
  };
  std::vector<std::string> differences;
  for (const auto& [name, value] : all) {
    if (value_in(file, name) != value_in(here, name)) {
      const bool is_network = name == "--network";
      differences.insert(is_network ? differences.begin() : differences.end(),
                         fmt::format("{} {}, not {}", name, value_in(file, name), value_in(here, name)));
    }
  }
  if (!differences.empty()) {
    throw Failure(fmt::format("{}: was made with {}; the training would not be the same", path,
                              fmt::join(differences, "; with ")));
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
