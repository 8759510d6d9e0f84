// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "idx.hpp"
#include "npz.hpp"
#include "systole/errors.hpp"

namespace systole::training {
namespace {

using graph::Value;
using nlohmann::json;

constexpr int kFormat = 1;
constexpr const char* kText = "training.json";

std::string member(const char* folder, const std::string& name) { return fmt::format("{}/{}.npy", folder, name); }

json to_json(const Score& score) { return {{"loss", score.loss}, {"accuracy", score.accuracy}}; }

json to_json(const State& state, const Settings& settings) {
  json text = {{"format", kFormat},
               {"settings", settings},
               {"epoch", state.epoch},
               {"batch", state.batch},
               {"loss_sum", state.loss_sum},
               {"right", state.right},
               {"losses", state.history.losses},
               {"epochs", json::array()}};
  for (const EpochRecord& record : state.history.epochs) {
    json epoch = {{"training", to_json(record.training)}};
    if (record.validation) {
      epoch["validation"] = to_json(*record.validation);
    }
    text["epochs"].push_back(epoch);
  }
  if (state.best) {
    text["best"] = {{"epoch", state.best->epoch}, {"loss", state.best->loss}};
  }
  return text;
}

Score score_from(const json& text) { return {text.at("loss"), text.at("accuracy")}; }

State state_from(const json& text) {
  State state;
  state.epoch = text.at("epoch");
  state.batch = text.at("batch");
  state.loss_sum = text.at("loss_sum");
  state.right = text.at("right");
  state.history.losses = text.at("losses").get<std::vector<double>>();
  for (const json& epoch : text.at("epochs")) {
    EpochRecord record{score_from(epoch.at("training")), {}};
    if (epoch.contains("validation")) {
      record.validation = score_from(epoch.at("validation"));
    }
    state.history.epochs.push_back(record);
  }
  if (text.contains("best")) {
    state.best = Best{text.at("best").at("epoch"), text.at("best").at("loss"), {}};
  }
  return state;
}

void compare(const std::string& path, Settings file, const Settings& here) {
  file.emplace("--micro-batches", "1");  // files of versions without it
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
  explicit Members(const std::string& path)
      : path_(path), members_(npy::parse_archive(digits::read_file(path), path)) {}

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
    }
    return values;
  }

 private:
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

void replace_file(const std::string& path, const graph::Bytes& bytes) {
  const std::string unfinished = path + ".unfinished";
  errno = 0;
  std::ofstream file(unfinished, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    throw Failure(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  }
}

void save_checkpoint(const std::string& path, const State& state, const Step& step, const Settings& settings) {
  npy::Archive archive;
  const std::string text = to_json(state, settings).dump(1) + "\n";
  archive[kText] = graph::Bytes(text.begin(), text.end());
  for (std::size_t i = 0; i < state.values.size(); ++i) {
    archive[member("variables", step.variables[i].name)] = npy::serialize(state.values[i]);
  }
  for (std::size_t i = 0; state.best && i < state.best->parameters.size(); ++i) {
    archive[member("best", step.variables[i].name)] = npy::serialize(state.best->parameters[i]);
  }
  replace_file(path, npy::serialize_archive(archive));
}

State load_checkpoint(const std::string& path, const Step& step, const Step& evaluation, const Settings& settings) {
  try {
    const Members members(path);
    const json text = json::parse(members.text());
    if (text.at("format") != kFormat) {
      throw Failure(
          fmt::format("{}: a checkpoint of format {}; this version reads {}", path, text.at("format").dump(), kFormat));
    }
    compare(path, text.at("settings").get<Settings>(), settings);
    State state = state_from(text);
    state.values = members.values("variables", step.variables);
    if (state.best) {
      state.best->parameters = members.values("best", evaluation.variables);
    }
    return state;
  } catch (const npy::NpyError& error) {
    throw Failure(error.what());
  } catch (const json::exception& error) {
    throw Failure(fmt::format("{}: {} is damaged: {}", path, kText, error.what()));
  }
}

}  // namespace systole::training
